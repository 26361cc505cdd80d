"""Fenced-JSON responses: a block between the lines ```` ```tool ```` and ```` ``` ```` for each call, prose around.

What breaks the protocol is decided by its published text; the calls are those that a runtime makes of the response.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from toolsurface_lint.protocols.calls import scan_calls
from toolsurface_lint.protocols.json_calls import JsonSyntaxError, call_objects, json_call, member_span, read_json
from toolsurface_lint.protocols.landmarks import stripped
from toolsurface_lint.protocols.narration import lost_calls, narration_remarks
from toolsurface_lint.protocols.response import LOST, RUNS, Block, Response, ResponseParser
from toolsurface_lint.source.text import Span

DRIFTED = ("json", "tool_code", "tool_call", "function_call")
"""Info strings that runtimes take for a tool block all the same."""

_FENCE_LINE = re.compile(r"^([^\S\n]*)(```|~~~)([^\n]*)", re.MULTILINE)
_TOOL_VARIANT = re.compile(r"tool[\s_-]")
_TAGGED_CALL = re.compile(r"<tool_call>\s*(?=[A-Za-z_$][A-Za-z0-9_$]*\(|\{)")
_WRAPPERS = frozenset({"tool", "tool.call", "tool_call", "function", "function_call"})
_PREFIXES = ("functions.", "tool.")


class _Fence(NamedTuple):
    """One fence line: the line without its end, its marker and info string."""

    span: Span
    marker: str
    info: str
    exact: bool

    @property
    def opens(self) -> bool:
        """Whether a runtime takes this line for the opener of a tool block."""
        info = self.info
        return info == "tool" or info in DRIFTED or _TOOL_VARIANT.match(info) is not None

    @property
    def canonical(self) -> bool:
        return self.marker == "```" and self.info == "tool" and self.exact


class FencedJsonParser(ResponseParser):
    def parse(self) -> Response:
        self.prose: list[Span] = []
        self._read_blocks()
        response = self.response
        response.prose = "".join(self.text[start:end] for start, end in self.prose).strip()
        for span in self.prose:
            self._read_prose(span)
        self._check_sentinel()
        response.violations.sort(key=lambda violation: violation.at)
        response.calls.sort(key=lambda call: call.span)
        return response

    # Blocks

    def _read_blocks(self) -> None:
        fences = [self._fence(match) for match in _FENCE_LINE.finditer(self.text)]
        prose_start = 0
        index = 0
        while index < len(fences):
            opener = fences[index]
            index += 1
            if not opener.opens:
                continue
            closer: _Fence | None = None
            while index < len(fences) and closer is None:
                candidate = fences[index]
                if candidate.opens:
                    break
                if not candidate.info and candidate.marker == opener.marker:
                    closer = candidate
                index += 1
            end = closer.span.start if closer else fences[index].span.start if index < len(fences) else len(self.text)
            self.prose.append(Span(prose_start, opener.span.start))
            self._read_block(opener, Span(min(opener.span.end + 1, end), end), closer)
            prose_start = end if closer is None else min(closer.span.end + 1, len(self.text))
        self.prose.append(Span(prose_start, len(self.text)))

    def _fence(self, match: re.Match[str]) -> _Fence:
        rest = match[3].rstrip()
        return _Fence(Span(*match.span()), match[2], rest.strip(), rest == rest.lstrip())

    def _read_block(self, opener: _Fence, body: Span, closer: _Fence | None) -> None:
        end = body.end if closer is None else closer.span.end
        self.response.blocks.append(Block("tool", Span(opener.span.start, end), body))
        marks = stripped(self.text, *opener.span)
        content = stripped(self.text, *body)
        before = len(self.response.calls)
        complete = self._read_body(content, marks, closer is not None)
        outcome = RUNS if len(self.response.calls) > before else LOST
        if not opener.canonical:
            self.report("wrong_info_string", marks, outcome, opener=self.text[marks.start : marks.end][:40])
        if closer is None and complete:
            self.report("unclosed_fence", marks, outcome)

    def _read_body(self, content: Span, marks: Span, closed: bool) -> bool:
        """Read the one call of a block; False if its text is not a complete JSON value, so that no closer could help."""
        text = self.text
        if content.start == content.end:
            self.report("unterminated/empty", marks, LOST)
            return False
        if self.is_sentinel(content):
            self.report("sentinel_in_tool_block", content, LOST)
            return False
        try:
            value, end = read_json(text, content.start, content.end)
        except JsonSyntaxError as error:
            self._no_json(error, content, marks)
            return False
        rest = stripped(text, end, content.end)
        if rest.start < rest.end:
            if closed:
                self.report("not_single_object/rest", rest, LOST)
        elif not isinstance(value, dict):
            self.report("not_single_object", content, LOST)
        else:
            self._read_object(value, Span(content.start, end))
        return True

    def _no_json(self, error: JsonSyntaxError, content: Span, marks: Span) -> None:
        place = Span(min(error.offset, content.end - 1), min(error.offset + 1, content.end))
        if error.kind == "incomplete":
            self.report("unterminated", marks, LOST)
            return
        self.report(f"invalid_json/{error.kind}", place, LOST)
        if self.text.startswith("<<", error.offset, content.end):
            self.report("heredoc", Span(error.offset, error.offset + 2), LOST)

    def _read_object(self, value: dict[str, Any], span: Span) -> None:
        # A runtime asks for `name` before `tool` and for `args` before `arguments`; the protocol knows the first only.
        name = value.get("name", value.get("tool"))
        if not isinstance(name, str) or not name.strip():
            self.report("missing_name", self._key(span, "name"), LOST)
            return
        keys = [key for key in ("args", "arguments") if key in value]
        arguments = value[keys[0]] if keys else None
        if arguments is not None and not isinstance(arguments, dict):
            self.report("args_not_object", self._key(span, keys[0]), LOST, key=keys[0])
            return
        called, arguments = _unwrapped(name.strip(), arguments or {})
        self.response.calls.append(json_call(self.landmarks, called, arguments, span, tuple(keys)))
        if "name" not in value:
            self.report("missing_name/tool", self._key(span, "tool"), RUNS)
        elif keys and keys[0] == "arguments":
            self.report("wrong_key", self._key(span, "arguments"), RUNS)
        elif keys and arguments == {} and value["args"] is None:
            self.report("args_not_object/null", self._key(span, "args"), RUNS)

    def _key(self, span: Span, key: str) -> Span:
        return member_span(self.landmarks, span, key) or span

    # Outside the blocks

    def _read_prose(self, span: Span) -> None:
        content = stripped(self.text, *span)
        if content.start == content.end:
            return
        reported = len(self.response.violations)
        self._look_for_objects(content)
        self._look_for_tagged_calls(content)
        if len(self.response.violations) == reported:
            self.response.violations.extend(lost_calls(self.landmarks, self.known, content, "prose"))
            # What follows a broken block is often a part of it, not narration.
            if self.response.blocks and not self.response.violations:
                self.response.remarks.extend(narration_remarks(self.text, content))

    def _look_for_objects(self, content: Span) -> None:
        for name, arguments, span in call_objects(self.landmarks, self.known, *content):
            # Without any block, an object that is the whole text is taken for a call.
            alone = not self.response.blocks and span == content
            if alone:
                call = json_call(self.landmarks, name, arguments or {}, span, ("args", "arguments"))
                self.response.calls.append(call)
            self.report("call_not_in_tool_fence", span, RUNS if alone else LOST, name=name)

    def _look_for_tagged_calls(self, content: Span) -> None:
        for match in _TAGGED_CALL.finditer(self.text, *content):
            if match.start() > 0 and self.text[match.start() - 1] == "`":
                continue
            if self.text[match.end()] != "{" and not self._holds_call(match.end(), content.end):
                continue
            tag = Span(match.start(), match.start() + len("<tool_call>"))
            self.report("call_not_in_tool_fence/tagged", tag, LOST)

    def _holds_call(self, start: int, limit: int) -> bool:
        end = min(self.landmarks.next("</tool_call>", start), self.landmarks.next("<tool_call>", start), limit)
        return bool(scan_calls(self.landmarks, self.known, start, end).calls)

    def _check_sentinel(self) -> None:
        """The sentinel of a finished task is in the plain text, exactly once."""
        if not self.sentinel:
            return
        places = []
        for start, end in self.prose:
            at = self.text.find(self.sentinel, start, end)
            while at >= 0:
                places.append(Span(at, at + len(self.sentinel)))
                at = self.text.find(self.sentinel, at + len(self.sentinel), end)
        if places:
            self.response.done = self.sentinel
        if len(places) > 1:
            self.report("sentinel_repeated", places[1], sentinel=self.sentinel, count=len(places))
        elif not places and self.final and not self.response.calls:
            content = stripped(self.text, 0, len(self.text))
            if content.start < content.end and not self.response.violations:
                self.report("sentinel_missing", content, sentinel=self.sentinel)


def _unwrapped(name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The call inside a wrapper that models put around it, without the prefix of a name space."""
    inner = arguments.get("args", arguments.get("arguments", {}))
    if name in _WRAPPERS and isinstance(arguments.get("name"), str) and isinstance(inner, dict):
        name, arguments = arguments["name"], inner
    for prefix in _PREFIXES:
        if name.startswith(prefix) and len(name) > len(prefix):
            return name[len(prefix) :], arguments
    return name, arguments
