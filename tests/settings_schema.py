"""The JSON Schema of the settings file, for editors that complete and check TOML.

Draft-07, which all of them know. It is generated into `settings.schema.json`; `test_settings_schema` compares both, and the
keys with those that `toolsurface_lint.project.settings.reading` reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolsurface_lint.checks.index import RULES
from toolsurface_lint.knowledge.clients import CLIENTS
from toolsurface_lint.knowledge.provider_names import ALIASES, PORTABLE, TITLES
from toolsurface_lint.model.diagnostics import SEVERITIES
from toolsurface_lint.own_rules.language import ACTIVE, CASINGS, CODE, DECLARED, MAX_TEXT, SURFACE, TESTS, TOOL
from toolsurface_lint.own_rules.patterns import MAX_LENGTH
from toolsurface_lint.own_rules.subjects import SUBJECTS
from toolsurface_lint.project.settings import FAIL_ON, KINDS, values
from toolsurface_lint.project.settings.selection import ALL, groups, prefixes
from toolsurface_lint.protocols.choosing import protocol_names
from toolsurface_lint.reporters import HOME
from toolsurface_lint.source.files import MAX_FILE_SIZE

FILE = "settings.schema.json"

_TEXT = {"type": "string"}
_TEXTS = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]}
_PROVIDER = {"anyOf": [{"enum": sorted((*TITLES, *ALIASES, PORTABLE))}, _TEXT]}
_FLAG = {"type": "boolean"}
_COUNT = {"type": "integer", "minimum": 1}
_NATURAL = {"type": "integer", "minimum": 0}
_VALUE = {"type": ["string", "number", "boolean"]}
_VALUES = {"type": "array", "items": _VALUE}
_SELECTORS = {"$ref": "#/definitions/selectors"}


def settings_schema() -> dict[str, Any]:
    """The schema of `toolsurface.toml`, and of `[tool.toolsurface-lint]` in `pyproject.toml`."""
    families = "|".join(sorted({code.partition("_")[0] for code in RULES}))
    own = {"type": "string", "pattern": f"^(?!(?:{families})(?:_|$))[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_?$"}
    selectors = sorted(prefix + end for prefix in prefixes(RULES) - RULES.keys() for end in ("", "_"))
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": f"{HOME}/raw/main/toolsurface_lint/{FILE}",
        "title": "Settings of toolsurface-lint",
        "type": "object",
        "additionalProperties": False,
        "properties": _settings(),
        "definitions": {
            "code": {"anyOf": [{"enum": [*RULES]}, own]},
            "selector": {"anyOf": [{"enum": [ALL, *sorted(groups(RULES)), *RULES, *selectors]}, own]},
            "selectors": {
                "anyOf": [
                    {"$ref": "#/definitions/selector"},
                    {"type": "array", "items": {"$ref": "#/definitions/selector"}},
                ]
            },
            "surface": _table(_surface(), "name"),
            "dispatcher": _table(_dispatcher(), "tool", "name", "arguments"),
            "call-rule": _table(_call_rule(), "tool"),
            "failure": {"anyOf": [_TEXT, _table(_failure_value(), "pointer", "value")]},
            "per-file-ignore": _table(_per_file_ignore(), "path", "codes"),
            "rule": _table(_rule(), "code", "subject", "assert", "message"),
            "conditions": {
                "type": "object",
                "properties": {
                    relation: {"anyOf": [{"$ref": "#/definitions/asked"}, {"$ref": "#/definitions/conditions"}]}
                    for relation in (TOOL, SURFACE)
                },
                "additionalProperties": {"$ref": "#/definitions/asked"},
            },
            "asked": {"anyOf": [{"$ref": "#/definitions/tests"}, _VALUE, _VALUES]},
            "tests": {**_table(_tests()), "minProperties": 1},
            "bounds": {**_table({"min": _NATURAL, "max": _NATURAL}), "minProperties": 1},
            "examples": {"type": "array", "items": {"type": "object", "minProperties": 1}},
        },
    }


def _described(schema: dict[str, Any], description: str, **more: Any) -> dict[str, Any]:
    # Beside a reference, draft-07 ignores everything.
    base = {"allOf": [schema]} if "$ref" in schema else schema
    return {**base, "description": description, **more}


def _table(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "required": [*required], "properties": properties}


def _choice(values: Sequence[str]) -> dict[str, Any]:
    return {"enum": [*values]}


def _agent() -> dict[str, Any]:
    return {
        "protocol": _described(_choice(protocol_names()), "How the model calls tools in its text."),
        "done-sentinel": _described(_TEXT, "The text that ends a completed response."),
        "final-responses": _described(_TEXTS, "The responses in files that end their conversations."),
        "model": _described(_TEXT, "The model that the tools are sent to."),
        "provider": _described(
            {"anyOf": [_PROVIDER, {"type": "array", "items": _PROVIDER}]},
            "The providers and clients that the tools are sent to, each with or without `@VERSION`; or `portable`.",
        ),
        "tool-search": _described(_FLAG, "Whether deferred tools can be searched for."),
        "many-tools": _described(_COUNT, "How many tools an agent may have before that is reported."),
        "context-budget": _described(_COUNT, "How many estimated tokens the definitions of an agent's tools may take."),
        "template-variables": _described(_TEXTS, "The variables that templates may use."),
        "call-rules": {
            "description": "What the calls of some tools need, and which of their results are failures.",
            "type": "array",
            "items": {"$ref": "#/definitions/call-rule"},
        },
    }


def _settings() -> dict[str, Any]:
    return {
        "fail-on": _described(_choice(FAIL_ON), "The severity from which on a run fails.", default="error"),
        "select": _described(_SELECTORS, "The rules to enable, in place of the default ones."),
        "extend-select": _described(_SELECTORS, "Rules to enable in addition to the default ones."),
        "ignore": _described(_SELECTORS, "Rules to turn off."),
        "severity": {
            "description": "Another severity for a code, or `off`.",
            "type": "object",
            "propertyNames": {"$ref": "#/definitions/code"},
            "additionalProperties": _choice((*SEVERITIES, "off")),
        },
        "surface": {
            "description": "The agents, and the files of each.",
            "type": "array",
            "items": {"$ref": "#/definitions/surface"},
        },
        "per-file-ignores": {
            "description": "Rules that are turned off in some files.",
            "type": "array",
            "items": {"$ref": "#/definitions/per-file-ignore"},
        },
        "kinds": {
            "description": "What the files that a glob matches are.",
            "type": "object",
            "additionalProperties": _choice(KINDS),
        },
        "exclude": _described(_TEXTS, "Globs of files and folders to leave out; without a slash, at any depth."),
        "builtin-tools": {
            "description": "Tools that clients have beyond those that are known, by client.",
            "type": "object",
            "propertyNames": _choice(sorted(CLIENTS)),
            "additionalProperties": _TEXTS,
        },
        "client-versions": {
            "description": "The versions of clients that are used, by client; without one, the newest that is known.",
            "type": "object",
            "propertyNames": _choice(sorted(CLIENTS)),
            "additionalProperties": {"type": "string", "pattern": f"^{values.VERSION}$"},
        },
        "max-file-size": _described(_COUNT, "Bytes; larger files are reported as unreadable.", default=MAX_FILE_SIZE),
        "rule": {
            "description": "Rules of one's own.",
            "type": "array",
            "items": {"$ref": "#/definitions/rule"},
        },
        "extends": _described(_TEXTS, "Files with rules: below the folder of the settings, or of installed packages."),
        "plugins": _described(_TEXTS, "Installed packages whose rules in Python are run."),
        **_agent(),
    }


def _rule() -> dict[str, Any]:
    pattern = {"type": "string", "maxLength": MAX_LENGTH}
    text = {"type": "string", "pattern": r"\S", "maxLength": MAX_TEXT}
    conditions = {"$ref": "#/definitions/conditions"}
    return {
        "code": _described(
            {"type": "string", "pattern": CODE.pattern}, "Its code, with a prefix that no built-in rule has."
        ),
        "subject": _described(_choice([*SUBJECTS]), "What it looks at."),
        "where": _described(conditions, "Which of these it looks at: fields, each with tests that must hold."),
        "assert": _described(conditions, "What must hold of them."),
        "message": _described(text, "What is reported; fields stand in braces."),
        "severity": _described(_choice(SEVERITIES), "How severe that is.", default="warning"),
        "summary": _described(text, "What it reports, in general. Default: the message."),
        "help": _described(text, "What to do; fields stand in braces."),
        "url": _described({"type": "string", "pattern": "^https?://"}, "An address with more."),
        "tags": _described(_TEXTS, "Words for SARIF."),
        "fix": _described(
            _table({"replace": pattern, "with": _TEXT}, "replace", "with"),
            "How the text that was found wrong is rewritten.",
        ),
        "examples": _described(
            _table({name: {"$ref": "#/definitions/examples"} for name in ("fires", "silent")}),
            "Files, by path, in which it fires and in which it does not.",
        ),
    }


def _tests() -> dict[str, Any]:
    values: dict[str, dict[str, Any]] = {
        "pattern": {"type": "string", "maxLength": MAX_LENGTH},
        "not-pattern": {"type": "string", "maxLength": MAX_LENGTH},
        "one-of": _VALUES,
        "not-one-of": _VALUES,
        "length": {"$ref": "#/definitions/bounds"},
        "count": {"$ref": "#/definitions/bounds"},
        "required": _FLAG,
        "schema": {"type": "object"},
        "defined": _choice((DECLARED, ACTIVE)),
        "casing": _choice([*CASINGS]),
        "unique": {"const": True},
    }
    return {
        name: _described(values[name], f"{form.meaning[:1].upper()}{form.meaning[1:]}.") for name, form in TESTS.items()
    }


def _surface() -> dict[str, Any]:
    return {
        "name": _described(_TEXT, "The name of the agent; each has its own."),
        "tools": _described(_TEXTS, "Globs of its tool definitions."),
        "policy": _described(_TEXTS, "Globs of its capability policies."),
        "approval-policy": _described(_TEXTS, "Globs of its approval policies."),
        "prompts": _described(_TEXTS, "Globs of its prompts."),
        "transcripts": _described(_TEXTS, "Globs of its transcripts and recorded responses."),
        "templates": _described(_TEXTS, "Globs of its prompt templates."),
        "wire-remap": _described(
            _FLAG, "Whether the runtime remaps the canonical delimiters for models that reserve them."
        ),
        "dispatchers": {
            "description": "Tools whose arguments name another tool.",
            "type": "array",
            "items": {"$ref": "#/definitions/dispatcher"},
        },
        **_agent(),
    }


def _call_rule() -> dict[str, Any]:
    failure = {"$ref": "#/definitions/failure"}
    return {
        "tool": _described(_TEXT, "The tool that is called."),
        "requires": _described(_TEXTS, "Tools of which a call must have succeeded before."),
        "failure-when": _described(
            {"anyOf": [failure, {"type": "array", "items": failure}]},
            "Results that mean failure: patterns for their text, and values in their JSON.",
        ),
    }


def _failure_value() -> dict[str, Any]:
    return {
        "pointer": _described(_TEXT, "A JSON pointer into the result."),
        "value": _described({"type": ["string", "number", "boolean"]}, "What is there."),
    }


def _dispatcher() -> dict[str, Any]:
    return {
        "tool": _described(_TEXT, "The tool that calls others."),
        "name": _described(_TEXT, "The argument that names the other tool."),
        "arguments": _described(_TEXT, "The argument that holds its arguments."),
        "server": _described(_TEXT, "The argument that names its server."),
    }


def _per_file_ignore() -> dict[str, Any]:
    return {
        "path": _described(_TEXT, "A glob of the files."),
        "codes": _described(_SELECTORS, "The rules."),
        "pointer": _described(
            {"type": "string", "pattern": "^(/|$)"}, "A JSON pointer that narrows it to one place of the files."
        ),
        "reason": _described(_TEXT, "Why, for people."),
        "until": _described(
            {"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
            "The last day on which it holds; afterwards it is reported.",
        ),
    }
