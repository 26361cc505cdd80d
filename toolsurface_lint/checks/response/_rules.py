"""Rules about responses: each reports violations by their codes, with a sentence for each kind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from toolsurface_lint.model.diagnostics import ERROR, Finding, Fix, Rule
from toolsurface_lint.model.names import suggestion
from toolsurface_lint.model.response import AssistantResponse
from toolsurface_lint.protocols.response import LOST, RUNS, VARIES
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Place

OUTCOMES = {
    "": "",
    RUNS: "; the call still runs",
    LOST: "; nothing runs",
    VARIES: "; some runtimes run the call, others drop it",
}
SENTENCES: dict[str, str] = {}
"""What is said of each kind of break, without what becomes of the call."""

_BY_CODE: dict[str, Rule] = {}
"""The rule that reports a break, by the code of its kinds."""

_Fixer = Callable[[Problem[Span], str, Callable[[Span], Place]], Fix | None]


def rule(
    name: str,
    summary: str,
    sentences: str | Mapping[str, str],
    severity: str = ERROR,
    fix: str | None = None,
    help: str = "",
    since: str = "0.1.0",
) -> Rule:
    """The rule `RESPONSE_name`; one sentence is that of the kind of the same name."""
    if isinstance(sentences, str):
        sentences = {name.lower(): sentences}
    SENTENCES.update(sentences)
    message = {
        f"{kind}:{outcome}": sentence + end for kind, sentence in sentences.items() for outcome, end in OUTCOMES.items()
    }
    made = Rule(f"RESPONSE_{name}", severity, summary, message, since, ("responses",), fix, help)
    _BY_CODE.update({kind.partition("/")[0]: made for kind in sentences})
    return made


_WIRE_HELP = "this response is in wire form: remap it first, for instance with `toolsurface-lint wire to-canonical`"


def findings(response: AssistantResponse, rules: Collection[Rule], fixer: _Fixer | None = None) -> Iterator[Finding]:
    """What some of the rules report of a response."""
    read = response.read
    in_wire_form = "CALL]]" in read.text
    codes = {each.code for each in rules}
    for problem in (*read.violations, *read.remarks):
        found = _BY_CODE.get(problem.code)
        if found is None or found.code not in codes:
            continue
        near = problem.values.get("near")
        remap = in_wire_form and problem.code in ("stray_content", "bare_call_outside_tags")
        yield found.of(
            problem._replace(kind=f"{problem.kind}:{problem.values.get('outcome', '')}"),
            response.place(problem.at),
            tool=problem.values.get("name"),
            help=_WIRE_HELP if remap else near and suggestion([str(near)]),
            fix=None if fixer is None else fixer(problem, read.text, response.place),
        )
