"""What studies have found wrong with published tools, how often, with which effect, and which rules look for it.

The pages of the rules and `docs/smells.md` are generated from these rows. A name or a number is here only if its source was
read; `QUOTED` numbers were read in public texts that quote the study and agree with each other, not in the study itself. Of
the 18 smells of arXiv 2602.18914, those that are not here were not found by name.
"""

from typing import NamedTuple

ABSTRACT, QUOTED = "abstract", "quoted"


class Study(NamedTuple):
    """A paper on arXiv: its number, its title, what it looked at, and the effect that it measured as a whole."""

    arxiv: str
    title: str
    looked_at: str
    effect: str


class Smell(NamedTuple):
    """One thing that a study found. `name` is the study's own; `group` is what the study counts it under, if that is known.

    `effect` is that of the smell or of its group; empty if neither was measured. `source` says where the row was read.
    """

    name: str
    study: Study
    found: str
    source: str
    rules: tuple[str, ...] = ()
    group: str = ""
    effect: str = ""


DOCS = Study(
    "2602.18914",
    "From Docs to Descriptions: Smell-Aware Evaluation of MCP Server Descriptions",
    "10,831 MCP servers; 18 smells in four dimensions: accuracy, functionality, information completeness, conciseness",
    "descriptions that keep the standard were chosen in 72 % of the cases, among five servers that do the same",
)
SMELLY = Study(
    "2602.14878",
    "Model Context Protocol (MCP) Tool Descriptions Are Smelly!",
    "856 tools of 103 MCP servers; 97.1 % had a smell",
    "adding all that was missing gave 5.85 points more success (median) and 15.12 % more goals reached in part, took 67.46 % "
    "more steps, and made 16.67 % of the cases worse",
)
CODE = Study(
    "2606.04769",
    "Description-Code Inconsistency in Real-world MCP Servers",
    "19,200 descriptions with their code, from 2,214 MCP servers; 9.93 % did not agree",
    "",
)
OVERLAP = Study(
    "2510.20036",
    "ToolScope: Enhancing LLM Agent Tool Use through Tool Merging and Context-Aware Filtering",
    "three benchmarks of choosing tools, with three models",
    "merging tools that overlap, together with showing fewer of them, gave 8.38 % to 38.6 % more right choices",
)
NAMES = Study(
    "2510.07248",
    "Don't Adapt Small Language Models for Tools; Adapt Tool Schemas to the Models",
    "two benchmarks, with small models",
    "names that the models expect gave up to 17 % more right calls, and 80 % fewer calls of names that do not exist",
)
MANY = Study(
    "2505.03275",
    "RAG-MCP: Mitigating Prompt Bloat in LLM Tool Selection",
    "choosing among many MCP tools",
    "with a search for tools, 43.13 % of the choices were right; with all tools in the prompt, 13.62 %",
)

_ACCURACY = "accuracy, the whole dimension: 8.8 % more right choices"
_COMPLETENESS = "information completeness, the whole dimension: 5.9 % more right choices"

SMELLS = (
    Smell("repeated tool names", DOCS, "73 %; the abstract does not say what is repeated where", ABSTRACT),
    Smell(
        "incorrect parameter semantics",
        DOCS,
        "thousands",
        ABSTRACT,
        (
            "TOOL_CODE_DOCSTRING_PARAMETER_UNKNOWN",
            "TOOL_DESCRIPTION_CONTRADICTS_SCHEMA",
            "TOOL_DESCRIPTION_UNKNOWN_PARAMETER",
            "TOOL_SCHEMA_REQUIRED_IN_PROSE",
        ),
        "accuracy",
        _ACCURACY,
    ),
    Smell(
        "missing return descriptions",
        DOCS,
        "3,093",
        QUOTED,
        ("TOOL_DESCRIPTION_NO_RETURNS",),
        "information completeness",
        _COMPLETENESS,
    ),
    Smell(
        "missing parameter descriptions",
        DOCS,
        "1,285",
        QUOTED,
        ("TOOL_SCHEMA_PARAMETER_UNDESCRIBED",),
        "information completeness",
        _COMPLETENESS,
    ),
    Smell(
        "irrelevant detail",
        DOCS,
        "2,904",
        QUOTED,
        (),
        "conciseness",
        "conciseness, the whole dimension: 1.5 % more right choices",
    ),
    Smell(
        "unclear purpose",
        SMELLY,
        "56 %",
        ABSTRACT,
        ("TOOL_CODE_DOCSTRING_MISSING", "TOOL_DESCRIPTION_MISSING", "TOOL_DESCRIPTION_TOO_SHORT"),
    ),
    Smell("missing usage guidelines", SMELLY, "89.3 %", QUOTED, ("TOOL_DESCRIPTION_NO_USAGE",)),
    Smell("unstated limitations", SMELLY, "89.8 %", QUOTED, ("TOOL_DESCRIPTION_NO_LIMITS",)),
    Smell("opaque parameters", SMELLY, "84.3 %", QUOTED, ("TOOL_SCHEMA_PARAMETER_UNDESCRIBED",)),
    Smell(
        "undeclared side effects",
        CODE,
        "9.93 %, all inconsistencies together",
        ABSTRACT,
        (
            "TOOL_CODE_SIDE_EFFECTS_UNDECLARED",
            "TOOL_CODE_SIDE_EFFECT_MISMATCH",
            "TOOL_DESCRIPTION_CONTRADICTS_EFFECTS",
            "TOOL_DESCRIPTION_NO_SIDE_EFFECTS",
        ),
    ),
    Smell(
        "functionality inconsistencies",
        CODE,
        "9.93 %, all inconsistencies together",
        ABSTRACT,
        ("TOOL_CODE_DISPATCH_UNKNOWN_TOOL", "TOOL_CODE_NOT_DISPATCHED"),
    ),
    Smell(
        "overlapping names and descriptions",
        OVERLAP,
        "not counted",
        ABSTRACT,
        ("TOOL_SURFACE_CONFUSABLE_TOOLS", "TOOL_SURFACE_DUPLICATE_TOOL", "TOOL_SURFACE_SIMILAR_TOOLS"),
    ),
    Smell("names that a model does not expect", NAMES, "not counted", ABSTRACT, ("TOOL_NAME_VAGUE",)),
    Smell(
        "prompt bloat",
        MANY,
        "not counted",
        ABSTRACT,
        ("TOOL_SURFACE_CONTEXT_BUDGET", "TOOL_SURFACE_MANY_TOOLS", "TOOL_SURFACE_TOOL_LIMIT_EXCEEDED"),
    ),
)
