"""The names of the public API: that they are there, and what they do with the data that callers hand in."""

from __future__ import annotations

import ast
import gc
import importlib
import inspect
import json
import os
import re
import shutil
import sys
import typing
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import toolsurface_lint
from tests.long import LONG
from toolsurface_lint import (
    SettingsError,
    TemplateError,
    canonical_to_wire,
    check_paths,
    describe,
    lint_template,
    normalise_arguments,
    parse_calls,
    parse_response,
    parse_template,
    recognise_protocol,
    render_template,
    reserves_tool_call_token,
    validate_arguments,
    wire_to_canonical,
)
from toolsurface_lint.checks import sentences
from toolsurface_lint.checks.template.language import SYNTAX

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"


def copies(folder: Path, *patterns: str, step: int = 1) -> list[str]:
    """Copies of fixtures, relative to a folder: around folders of a repository, more would be read."""
    paths = [path.relative_to(FIXTURES) for pattern in patterns for path in sorted(FIXTURES.glob(pattern))[::step]]
    for path in paths:
        shutil.copytree(FIXTURES / path, folder / path)
    return [str(path) for path in paths]


def test_every_name_resolves_and_is_listed() -> None:
    for name in toolsurface_lint.__all__:
        assert getattr(toolsurface_lint, name) is not None
    assert dir(toolsurface_lint) == sorted(toolsurface_lint.__all__)
    with pytest.raises(AttributeError, match="no attribute 'parse_everything'"):
        _ = toolsurface_lint.parse_everything


def test_a_response_and_its_calls() -> None:
    text = '<tool_call>\nread({ path: "a" })\n</tool_call>\n<tool_call>\nwrite({ path: "a" })\n</tool_call>'
    assert recognise_protocol(text) == "tagged"
    response = parse_response(text, "tagged", tools=["read"])
    assert [(call.name, call.arguments) for call in response.calls] == [("read", {"path": "a"})]
    assert [(one.code, text[slice(*one.at)]) for one in response.violations] == [("unknown_tool", "write")]
    assert [call.name for call in parse_calls(text, ["read", "write"]).calls] == ["read", "write"]
    with pytest.raises(ValueError, match="unknown response protocol 'xml'"):
        parse_response(text, "xml")


def test_arguments() -> None:
    tool = {"name": "read", "parameters": {"path": {"type": "string"}, "lines": {"type": "integer", "required": False}}}
    assert validate_arguments(tool, {"lines": 1}) == ["path"]
    aliases = {"arg_schema": {"arg_aliases": {"file": "path"}}}
    assert normalise_arguments(aliases, {"file": "a"}) == {"path": "a"}


def test_templates() -> None:
    assert render_template("{{ if a }}{{ a }}{{ end }}", {"a": "x"}) == "x"
    assert [finding.kind for finding in lint_template("{{ a | nope }}")] == ["template-unknown-filter"]
    with pytest.raises(TemplateError) as caught:
        parse_template("a\n {{ end }}")
    assert (caught.value.line, caught.value.column, caught.value.problem.code) == (2, 2, "unexpected_directive")
    assert str(caught.value) == "2:2: unexpected directive"
    with pytest.raises(TemplateError, match=r"^1:1: unknown filter$"):
        render_template("{{ a | nope }}", {})


def test_what_is_wrong_is_described() -> None:
    response = parse_response("Hi <tool_call>\nread({ path: })\n</tool_call>", "tagged", tools=["read"])
    assert [describe(problem) for problem in response.violations] == [
        "text outside the tags: `Hi`",
        "expected a value, found `}`; nothing runs",
    ]
    (error,) = parse_calls("write({ path: 1 })", ["read"]).errors
    assert describe(error) == describe(error.problem) == "the tool `write` is not declared"
    assert [describe(problem) for problem in lint_template("{{ a | nope }}")] == ["`nope` is not a filter"]
    assert [describe(problem) for problem in lint_template("{{ if a }}")] == ["`{{ if }}` has no `{{ end }}`"]
    for text, sentence in {
        "{{ 'a }}": "this directive is never closed by `}}`",
        "{{ a | nope }}": "`nope` is not a filter",
        "{{ a | join }}": "the filter `join` does not accept 0 arguments",
        "{{ 1 | length }}": "the filter `length` requires: text, list or dict",
        "{{ include 'b' }}": "`b` is not found",
        "{{ for x in 1 }}{{ end }}": "a loop requires a list or a dict",
    }.items():
        with pytest.raises(TemplateError) as caught:
            render_template(text, {})
        assert describe(caught.value) == sentence


def test_every_kind_of_problem_is_described() -> None:
    folder = Path(toolsurface_lint.__file__).parent / "protocols"
    sources = "".join((folder / f"{name}.py").read_text("utf-8") for name in ("rendering", "template_parser"))
    kinds = re.findall(r'(?:self\.fail|_error)\("([a-z_/]+)"', sources)
    assert len(kinds) > 15
    assert isinstance(SYNTAX.message, dict)
    assert set(kinds) <= SYNTAX.message.keys() | sentences._RENDERING.keys()


def test_delimiters() -> None:
    assert canonical_to_wire("<tool_call>x</tool_call>") == "[[CALL]]x[[/CALL]]"
    assert wire_to_canonical("[[CALL]]x[[/CALL]]") == "<tool_call>x</tool_call>"
    assert reserves_tool_call_token("ollama", "qwen3.6:27b")
    assert not reserves_tool_call_token("ollama", "qwen3:8b")


OPAQUE = {"Call", "Rule", "SourceText", "Template"}
"""Not all that these hold is part of the API: of a call, how its parts are found; of a template, what it is parsed to."""


def named_classes(hints: Iterable[Any]) -> Iterator[type]:
    """The classes of the package that type hints name, however deep."""
    for hint in hints:
        if isinstance(hint, list):
            yield from named_classes(hint)
        if inspect.isclass(hint) and hint.__module__.startswith("toolsurface_lint"):
            yield hint
        yield from named_classes(typing.get_args(hint))


def hints_of(public: Any) -> Iterator[Any]:
    """The type hints of a function, or of the fields, the constructor and the properties of a class."""
    members = [public]
    if inspect.isclass(public):
        members += [member.fget for member in vars(public).values() if isinstance(member, property)]
        members += [public.__init__] if "__init__" in vars(public) else []
    for member in members:
        if isinstance(member, property | type) or inspect.isfunction(member):
            scope = {**vars(sys.modules[member.__module__]), "date": date}
            # What only a type checker imports.
            tree = ast.parse(inspect.getsource(sys.modules[member.__module__]))
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith("tool"):
                    module = importlib.import_module(node.module)
                    scope |= {
                        alias.name: getattr(module, alias.name) for alias in node.names if hasattr(module, alias.name)
                    }
            yield from typing.get_type_hints(member, scope).values()


def test_every_class_that_a_public_signature_names_is_public() -> None:
    public = [getattr(toolsurface_lint, name) for name in toolsurface_lint.__all__ if name != "__version__"]
    named = {
        found
        for each in public
        if each.__name__ not in OPAQUE
        for found in named_classes(hints_of(each))
        if not found.__name__.startswith("_")
    }
    assert {toolsurface_lint.Report, toolsurface_lint.Span, toolsurface_lint.Response} <= named
    assert {found.__name__ for found in named} - set(toolsurface_lint.__all__) == set()
    assert [each.__name__ for each in public if not each.__doc__] == []


def outcome(path: str) -> dict[str, Any]:
    return check_paths([path], select=["ALL"]).to_dict()


def many_tools(folder: Path, mark: str) -> str:
    """A file of tools whose schemas are wrong in ways that several rules look at."""
    properties = {"path": {"type": f"string_{mark}", "pattern": f"[[{mark}]--[a]"}, "mode": {"type": "strng"}}
    tools = [
        {
            "name": f"read_{mark}_{number}",
            "description": f"Reads note {number}.",
            "inputSchema": {"type": "object", "properties": properties, "required": ["path", f"missing_{mark}"]},
        }
        for number in range(60)
    ]
    path = folder / f"{mark}.json"
    path.write_text(json.dumps({"tools": tools}), encoding="utf-8")
    return str(path)


@pytest.mark.slow
def test_threads_do_not_disturb_each_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Fixtures of the surfaces and of the rules, and many tools, by threads that are switched all the time."""
    monkeypatch.chdir(tmp_path)
    paths = [*copies(tmp_path, "surfaces/*/"), *copies(tmp_path, "rules/*/", step=6 if LONG else 24)]
    for mark in "abcdef":
        (tmp_path / mark).mkdir()
        paths.append(many_tools(tmp_path / mark, mark))
    paths.reverse()
    filters = list(warnings.filters)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(6) as pool:
            found = list(pool.map(outcome, paths))
    finally:
        sys.setswitchinterval(interval)
    assert found == [outcome(path) for path in paths]
    assert sum(len(each["diagnostics"]) for each in found) > 500
    assert warnings.filters == filters


def test_a_check_neither_forks_nor_touches_the_collector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("not asked for")

    monkeypatch.setattr(os, "fork", refuse, raising=False)
    for name in ("collect", "disable", "enable", "freeze", "set_threshold"):
        monkeypatch.setattr(gc, name, refuse)
    assert gc.isenabled()
    monkeypatch.chdir(tmp_path)
    assert check_paths(copies(tmp_path, "surfaces", "hostile")).diagnostics


def test_options_that_mean_nothing() -> None:
    with pytest.raises(SettingsError, match=r"^unknown kind `toolz`, did you mean `tools`\?$"):
        check_paths([], kind="toolz")
    with pytest.raises(TypeError, match=r"^paths must be a sequence of paths, not the string 'tools\.json'$"):
        check_paths("tools.json")


def test_jobs_that_no_machine_has() -> None:
    with pytest.raises(ValueError, match="jobs must be 0 or more, not -1"):
        check_paths(["."], jobs=-1)


def state() -> dict[tuple[str, ...], object]:
    """What the globals of every module and the attributes of every class in the package are, by identity."""
    found: dict[tuple[str, ...], object] = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "toolsurface_lint":
            continue
        for key, value in vars(module).items():
            found[name, key] = identity(value)
            if isinstance(value, type) and value.__module__ == name:
                found.update({(name, key, member): identity(held) for member, held in vars(value).items()})
    return found


def identity(value: object) -> object:
    if isinstance(value, dict):
        return id(value), [(id(key), id(member)) for key, member in value.items()]
    if isinstance(value, list | set):
        return id(value), [id(member) for member in value]
    return id(value)


@pytest.mark.slow
def test_a_check_leaves_nothing_in_globals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Caches of functions, which are safe in threads, are all that one check may leave to the next."""
    paths = [*copies(tmp_path, "surfaces", "hostile"), *copies(tmp_path, "rules/*/fires*", step=4)]
    monkeypatch.chdir(tmp_path)
    assert check_paths(paths, select=["ALL"]).diagnostics  # imports what it needs
    before = state()
    assert check_paths(paths, select=["ALL"]).diagnostics
    assert len(before) > 5000
    assert {key for key, value in state().items() if before[key] != value} == set()
