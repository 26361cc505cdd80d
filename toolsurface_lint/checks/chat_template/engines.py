"""What the engine that renders a chat template does not have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolsurface_lint.checks.contract import CHAT_TEMPLATE, check
from toolsurface_lint.knowledge.template_engines import CONSTRUCTS, ENGINES, LLAMA_CPP, TRANSFORMERS, TemplateEngine
from toolsurface_lint.model.chat_template import ChatTemplate
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.names import close_names, suggestion
from toolsurface_lint.model.target import Target
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span

if TYPE_CHECKING:
    from jinja2 import nodes

    from toolsurface_lint.chat_templates.syntax import ParsedTemplate

FUNCTION_UNSUPPORTED = Rule(
    code="CHAT_TEMPLATE_FUNCTION_UNSUPPORTED",
    since="0.1.0",
    severity=WARNING,
    summary="A chat template calls something that the engine does not have.",
    message={
        "filter": "`{name}` is not a filter of {engine}",
        "function": "`{name}` is not a function of {engine}",
        "method": "`{name}` is not a method of any value in {engine}",
        "refused": "`{name}` changes a value, which the sandbox of {engine} refuses",
        "test": "`{name}` is not a test of {engine}",
    },
    help={"refused": "make a new value: `a + [b]` in place of `a.append(b)`"},
    tags=("chat-templates",),
)
CONSTRUCT_UNSUPPORTED = Rule(
    code="CHAT_TEMPLATE_CONSTRUCT_UNSUPPORTED",
    since="0.1.0",
    severity=WARNING,
    summary="A chat template uses a part of Jinja that the engine does not have.",
    message="`{construct}` is not supported by {engine}",
    tags=("chat-templates",),
)


def engines_of(template: ChatTemplate, target: Target) -> list[TemplateEngine]:
    """The engines that a template is for.

    Those of the providers that are named; else of its file: llama.cpp for GGUF, transformers for any other.
    """
    keys = [*ENGINES] if target.portable else [provider.key for provider in target.named if provider.key in ENGINES]
    if keys:
        return list({ENGINES[key].title: ENGINES[key] for key in keys}.values())
    return [LLAMA_CPP if template.origin.lower().endswith(".gguf") else TRANSFORMERS]


@check(CHAT_TEMPLATE, FUNCTION_UNSUPPORTED)
def check_functions(template: ChatTemplate, target: Target) -> Iterator[Finding]:
    parsed = template.parsed
    if parsed is None:
        return
    for engine in engines_of(template, target):
        for problem in _unsupported(parsed, engine):
            near = close_names(str(problem.values["name"]), _likely(problem.kind, engine))
            options = {"help": suggestion(near)} if near and problem.kind != "refused" else {}
            place = template.place(problem.at)
            yield FUNCTION_UNSUPPORTED.of(problem, place, field=template.key or None, **options)


def _likely(kind: str, engine: TemplateEngine) -> frozenset[str]:
    return {"filter": engine.filters, "function": engine.functions, "test": engine.tests}.get(kind, engine.methods)


def _unsupported(parsed: ParsedTemplate, engine: TemplateEngine) -> Iterator[Problem[Span]]:
    """The calls that an engine cannot make, in the order of the text."""
    from jinja2 import nodes

    from toolsurface_lint.chat_templates.names import names_in

    names = names_in(parsed)
    known = names.made | names.asked | engine.functions
    everywhere = frozenset().union(*(each.functions for each in ENGINES.values()))
    found: list[Problem[Span]] = []
    for node in parsed.all_nodes:
        kind = name = ""
        if isinstance(node, nodes.Filter) and node.name not in engine.filters:
            kind, name = "filter", node.name
        elif isinstance(node, nodes.Test) and node.name not in engine.tests:
            kind, name = "test", node.name
        elif isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr):
            name = node.node.attr
            kind = "refused" if name in engine.refused else "" if name in engine.methods else "method"
        elif isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name):
            name = node.node.name
            kind = "function" if name in everywhere - known else ""
        if kind:
            found.append(Problem(kind, _name_span(parsed, node, name), {"name": name, "engine": engine.title}))
    return iter(sorted(found, key=lambda problem: problem.at))


def _name_span(parsed: ParsedTemplate, node: nodes.Node, name: str) -> Span:
    """The name within what calls it: of several, the last one, as arguments come after it in brackets of their own."""
    from jinja2 import nodes

    called = node.node if isinstance(node, nodes.Call) else node
    whole = parsed.span(called)
    start = parsed.text.find(name, whole.start if not isinstance(called, nodes.Getattr) else whole.end - len(name))
    return Span(start, start + len(name)) if whole.start <= start < whole.end else whole


@check(CHAT_TEMPLATE, CONSTRUCT_UNSUPPORTED)
def check_constructs(template: ChatTemplate, target: Target) -> Iterator[Finding]:
    parsed = template.parsed
    engines = [engine for engine in engines_of(template, target) if engine.lacks]
    if parsed is None or not engines:
        return
    found = _constructs(parsed)
    for engine in engines:
        for span, key in found:
            if key in engine.lacks:
                yield CONSTRUCT_UNSUPPORTED.at(
                    template.place(span),
                    field=template.key or None,
                    construct=CONSTRUCTS[key],
                    engine=engine.title,
                )


def _constructs(parsed: ParsedTemplate) -> list[tuple[Span, str]]:
    """What a template uses of `CONSTRUCTS`, in the order of the text."""
    from jinja2 import nodes

    of = {
        nodes.Block: "block",
        nodes.Extends: "extends",
        nodes.FloorDiv: "floor",
        nodes.FromImport: "import",
        nodes.Import: "import",
        nodes.Include: "include",
        nodes.Pow: "power",
        nodes.ScopedEvalContextModifier: "autoescape",
        nodes.With: "with",
    }
    found = []
    for node in parsed.all_nodes:
        key = "recursive" if isinstance(node, nodes.For) and node.recursive else of.get(type(node))
        if key is not None:
            span = parsed.span(node)
            found.append((Span(span.start, span.start + len(parsed.text[span.start : span.end].rstrip())), key))
    found += [(Span(token.start, token.end), "raw") for token in parsed.tokens if token.kind == "raw_begin"]
    return sorted(found)
