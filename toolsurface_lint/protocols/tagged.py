"""Tagged responses: `<tool_call>`, `<assistant_prose>`, `<user_response>`, `<done>` blocks, only white space between.

What breaks the protocol is decided by its published text; the calls are those that a runtime makes of the response.
"""

from __future__ import annotations

import re

from toolsurface_lint.protocols.calls import Call, CallError, Calls, read_call, scan_calls
from toolsurface_lint.protocols.json_calls import JsonSyntaxError, call_objects, encoded_call, provider_calls, read_json
from toolsurface_lint.protocols.landmarks import stripped
from toolsurface_lint.protocols.narration import lost_calls, narration_remarks
from toolsurface_lint.protocols.response import LOST, RUNS, VARIES, Block, Response, ResponseParser
from toolsurface_lint.protocols.values import ValueSyntaxError
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span

TOOL_CALL, PROSE, ANSWER, DONE = TAGS = ("tool_call", "assistant_prose", "user_response", "done")

COLLAPSE_OPENERS = 3
"""So many openers in a row are not a slip: the model repeats a token that it cannot use as text."""

_OPENER = re.compile(r"<(tool_call|assistant_prose|user_response|done)>")
_CLOSER = re.compile(r"</(tool_call|assistant_prose|user_response|done)>")
# A tag in backticks is mentioned, not used.
_FREE_OPENER = re.compile(r"(?<!`)<(?:tool_call|assistant_prose|user_response|done)>")
_FREE_OPENERS = {tag: re.compile(rf"(?<!`)<{tag}>") for tag in TAGS}
_LINE_OPENER = re.compile(r"^[ \t]*<(?:tool_call|assistant_prose|user_response|done)>", re.MULTILINE)
_TAG_OR_HEREDOC = re.compile(r"</?(?:tool_call|assistant_prose|user_response|done)>|<<['\"]?([A-Za-z0-9_]+)['\"]?\r?\n")
_TAG_LIKE = re.compile(r"<(/?)([A-Za-z_|!?][^\s<>(]*)[^<>\n]*(>?)")
_ANGLE_CALL = re.compile(r"<([A-Za-z_$][A-Za-z0-9_$]*)\([ \t]*\{")
_BLANK = re.compile(r"\s*")
_FENCE_LINE = re.compile(r"(?:```|~~~)[^\n`]*\Z")
_UNFINISHED = frozenset({"unterminated_string", "unterminated_template", "heredoc_unterminated"})


class TaggedParser(ResponseParser):
    done_block: Span | None = None
    """The last completion marker, until an answer after it is reported."""
    extra_closers = 0
    """Closing tags that belong to openers already reported as repeated."""
    open_fence = False
    """Whether a fence line precedes a call block, so that its partner after the block is not a second break."""
    tried_until = 0
    """Where the last failed attempt to read a call across a tag stopped; no other begins before that."""

    def parse(self) -> Response:
        self.answers: list[str] = []
        text = self.text
        position = self._blank(0)
        while position < len(text):
            opener = _OPENER.match(text, position)
            closer = _CLOSER.match(text, position)
            if opener is not None:
                position = self._block(opener[1], position, opener.end())
            elif closer is not None:
                position = self._stray_closer(closer)
            else:
                position = self._markup(position) or self._stray(position)
            position = self._blank(position)
        self._finish()
        return self.response

    def _blank(self, position: int) -> int:
        """Skip white space and reasoning, which runtimes cut out before they read a response."""
        text = self.text
        while True:
            position = _BLANK.match(text, position).end()  # type: ignore[union-attr]
            if text.startswith("<think>", position):
                end = self.landmarks.next("</think>", position)
                if end == len(text):
                    return position
                position = end + len("</think>")
            elif text.startswith("</think>", position):
                position += len("</think>")
            else:
                return position

    # Blocks

    def _block(self, tag: str, start: int, inner: int) -> int:
        if tag == TOOL_CALL:
            return self._tool_call(start, inner)
        closer = f"</{tag}>"
        end = self.landmarks.next(closer, inner)
        if end == len(self.text) or self.landmarks.next(_FREE_OPENERS[tag], inner) < end:
            end = self.landmarks.next(_FREE_OPENER, inner)
            self.report("unclosed_tag", Span(start, inner), tag=f"<{tag}>")
            closer = ""
        content = stripped(self.text, inner, end)
        after = end + len(closer)
        self.response.blocks.append(Block(tag, Span(start, after), Span(inner, end)))
        if tag == DONE:
            self._done(start, after, content)
        elif tag == ANSWER:
            self._answer(content)
        elif content.start < content.end:
            self.response.remarks.extend(narration_remarks(self.text, content))
            self._look_for_lost_calls(content, "narration")
        return after

    def _done(self, start: int, after: int, content: Span) -> None:
        done = self.text[content.start : content.end]
        if not done:
            self.report("empty_done", Span(start, after))
            return
        self.response.done = done
        self.done_block = Span(start, after)
        if self.sentinel == "":
            self.report("done_mismatch/no_sentinel", Span(start, after))
        elif self.sentinel is not None and done != self.sentinel:
            self.report("done_mismatch", content, sentinel=self.sentinel)

    def _answer(self, content: Span) -> None:
        if content.start == content.end:
            return
        if self.done_block is not None:
            self.report("done_before_user_response", self.done_block)
            self.done_block = None
        self.answers.append(self.text[content.start : content.end])
        self._look_for_lost_calls(content, "answer")

    def _look_for_lost_calls(self, content: Span, where: str) -> None:
        in_blocks: set[int] = set()
        tag = self.landmarks.next("<tool_call>", content.start)
        while tag < content.end:
            inner = tag + len("<tool_call>")
            following = self.landmarks.next("<tool_call>", inner)
            end = min(self.landmarks.next("</tool_call>", inner), following, content.end)
            calls = scan_calls(self.landmarks, self.known, inner, end).calls
            if calls and self.text[tag - 1] != "`":
                self.report(f"lost_call/block_in_{where}", Span(tag, inner), LOST)
                in_blocks.update(call.span.start for call in calls)
            tag = following
        for violation in lost_calls(self.landmarks, self.known, content, where):
            if violation.at.start not in in_blocks:
                self.response.violations.append(violation)

    def _tool_call(self, start: int, inner: int) -> int:
        text = self.text
        openers = 1
        again = self._blank(inner)
        while text.startswith("<tool_call>", again):
            openers += 1
            inner = again + len("<tool_call>")
            again = self._blank(inner)
        first = Span(start, start + len("<tool_call>"))
        if openers > 1:
            self.extra_closers += openers - 1
        end, found = self._end_of_block(inner)
        closed = end < len(text) and text.startswith("</tool_call>", end)
        runs = len(found.calls) == 1 and not found.errors
        if openers > 1:
            self.report("nested_tool_call", Span(first.end, inner), RUNS if runs and closed else LOST)
        if openers >= COLLAPSE_OPENERS:
            self.response.remarks.append(Problem("opener_collapse", Span(start, inner), {"count": openers}))
        after = end + len("</tool_call>") if closed else end
        self.response.blocks.append(Block(TOOL_CALL, Span(start, after), Span(inner, end)))
        if self.answers:
            self.report("tool_call_after_user_response", first, RUNS if runs else LOST)
        if closed:
            self._body(Span(inner, end), found)
        else:
            self.report("unclosed_tag", first, VARIES if runs else LOST, tag="<tool_call>")
            if runs:
                self.response.calls.extend(found.calls)
        return after

    def _end_of_block(self, inner: int) -> tuple[int, Calls]:
        """Where a call block ends, and the calls up to there.

        The first closing tag ends it, or an opening tag at the beginning of a line before that, but not where they
        stand in a string or a heredoc of the call, whose content is free.
        """
        closer = self.landmarks.next("</tool_call>", inner)
        end = min(closer, self.landmarks.next(_LINE_OPENER, inner))
        found = scan_calls(self.landmarks, self.known, inner, end)
        if found.errors and found.errors[0].problem.kind in _UNFINISHED and end < len(self.text):
            whole = self._across(found.errors[0], end)
            if whole is not None:
                return whole, scan_calls(self.landmarks, self.known, inner, whole)
        return end, found

    def _across(self, error: CallError, end: int) -> int | None:
        """The end of the block if its call goes on across the tag at `end`, which then is content; else None."""
        call = self._read_call(error.name_span, len(self.text))
        if call is None:
            return None
        closer = self.landmarks.next("</tool_call>", call.span.end)
        if closer == len(self.text) or self._swallows_a_block(end, call.span.end):
            self.tried_until = call.span.end
            return None
        return closer

    def _swallows_a_block(self, start: int, end: int) -> bool:
        """Whether a block ends and another one begins between two offsets: a string of the call ran into the next."""
        closer = self.text.find("</tool_call>", start, end)
        opener = self.text.find("<tool_call>", start, end)
        return closer >= 0 and (opener < 0 or closer < opener) and self.text.find("<tool_call>", closer, end) >= 0

    def _read_call(self, name: Span, limit: int) -> Call | None:
        """The call whose name is at `name`, if it can be read and begins after the last failed attempt."""
        if name.start < self.tried_until:
            return None
        try:
            return read_call(self.landmarks, name, limit)
        except ValueSyntaxError as broken:
            self.tried_until = broken.resume
            return None

    # The body of a call block

    def _body(self, body: Span, found: Calls) -> None:
        content = stripped(self.text, body.start, body.end)
        if content.start == content.end:
            # An empty block has no characters of its own to point at.
            tags = Span(body.start - len("<tool_call>"), min(body.end + len("</tool_call>"), len(self.text)))
            self.report("no_call/empty", tags)
            return
        if self.is_sentinel(content):
            self.report("sentinel_in_tool_call", content, LOST)
            return
        if not found.calls and not found.errors:
            self._no_bare_call(content)
            return
        if found.errors:
            self._call_error(found.errors[0])
        else:
            self._calls(content, found)

    def _no_bare_call(self, content: Span) -> None:
        first = self.text[content.start]
        if not (first in "{[" and self._json_call(content)) and not (first in "\"'" and self._quoted_call(content)):
            self.report("no_call", content, LOST)

    def _json_call(self, content: Span) -> bool:
        body = self.text[content.start : content.end]
        try:
            plain, _ = read_json(self.text, content.start, content.end)
        except JsonSyntaxError:
            if '"name"' not in body and '"function"' not in body:
                return False
            self.report("json_encoded_call/invalid", content, LOST)
            return True
        items = plain if isinstance(plain, list) else [plain]
        calls = [call for item in items if (call := encoded_call(item)) is not None]
        names = [call[0] for call in calls]
        if not calls and not any(isinstance(item, dict) and isinstance(item.get("name"), str) for item in items):
            return False
        unknown = [name for name in names if self.known is not None and name not in self.known]
        outcome = VARIES if len(calls) == 1 and not unknown else LOST
        self.report("json_encoded_call", content, outcome)
        for name in unknown:
            self.report("unknown_tool", content, LOST, name=name)
        return True

    def _quoted_call(self, content: Span) -> bool:
        found = scan_calls(self.landmarks, self.known, content.start + 1, content.end)
        if found.calls:
            self.report("quoted_call", content, LOST)
        return bool(found.calls)

    def _call_error(self, error: CallError) -> None:
        if error.early is not None:
            tag = self.text[error.early.start : error.early.end]
            self.report("heredoc_early_close", error.early, LOST, tag=tag)
        else:
            self.report(error.problem.kind, error.problem.at, LOST, **error.problem.values)

    def _calls(self, content: Span, found: Calls) -> None:
        several = found.trailing or [call.span for call in found.calls[1:]]
        if len(found.calls) == 1:
            self.response.calls.extend(found.calls)
        if several:
            self.report("several_calls/first_runs" if len(found.calls) == 1 else "several_calls", several[0])
            return
        # Runtimes before the narration rule run such a call, later ones take the whole block for prose.
        if found.labels:
            label = self.text[found.labels[0].start : found.labels[0].end]
            self.report("label_prefix", found.labels[0], VARIES, label=label)
        if found.fences:
            fence = stripped(self.text, *found.fences[0])
            self.report("markdown_fence", fence, VARIES)
        if found.inline is not None:
            self.report("markdown_fence/code_span", found.inline, VARIES)
        rest = found.rest
        if rest:
            before = rest[0].start < found.calls[0].span.start
            side = "before" if before else "after"
            self.report(f"text_inside_tool_call/{side}", rest[0], VARIES if before else RUNS)
        elif self.text[content.start] == "<":
            angle = Span(content.start, content.start + 1)
            self.report("text_inside_tool_call/angles", angle, VARIES)

    # Outside the blocks

    def _stray_closer(self, closer: re.Match[str]) -> int:
        if closer[1] == TOOL_CALL and self.extra_closers:
            self.extra_closers -= 1
        else:
            self.report("stray_content/closing_tag", Span(*closer.span()), tag=closer.group())
        return closer.end()

    def _markup(self, position: int) -> int | None:
        """A call in angle brackets, or a tag that the protocol does not have; the offset after it, None if neither."""
        angle = _ANGLE_CALL.match(self.text, position)
        if angle is not None and (self.known is None or angle[1] in self.known):
            end = self._angle_call(Span(*angle.span(1)))
            if end is not None:
                return end
        tag = _TAG_LIKE.match(self.text, position)
        if tag is None or not (tag[3] or tag.end() == len(self.text) or self.text[tag.end()] in "<\n"):
            return None
        written = tag.group() if tag[3] else tag.group().rstrip()
        span = Span(position, position + len(written))
        name = _nearest_tag(tag[2])
        end = span.end
        outcome = ""
        if not tag[1]:
            end, outcome = self._foreign_element(tag[2], name, span.end)
        shown = written if len(written) <= 60 else written[:60] + "..."
        near = {} if name is None else {"near": f"<{name}>"}
        self.report("unknown_tag" if tag[3] else "unclosed_tag/bracket", span, outcome, tag=shown, **near)
        return end

    def _angle_call(self, name: Span) -> int | None:
        call = self._read_call(name, self.landmarks.next(_OPENER, name.end))
        if call is None:
            return None
        end = call.span.end + self.text.startswith(">", call.span.end)
        self.report("bare_call_outside_tags", Span(name.start - 1, end), RUNS, name=call.name)
        self.response.calls.append(call)
        return end

    def _foreign_element(self, written: str, name: str | None, start: int) -> tuple[int, str]:
        """The end of what an unknown tag opens, and what becomes of a call in it: one break covers all of it."""
        next_opener = self.landmarks.next(_OPENER, start)
        ends = []
        for closing in (written, name):
            if closing is not None:
                at = self.landmarks.closing_tag(closing, start)
                if at is not None and at < next_opener:
                    ends.append((at, at + len(closing) + 3))
        if not ends:
            return start, ""
        closer, after = min(ends)
        calls = scan_calls(self.landmarks, self.known, start, closer).calls
        if self.known is None and name is None:
            calls = []
        self.response.calls.extend(calls)
        return after, RUNS if calls else ""

    def _next_tag(self, position: int) -> int:
        """The offset of the next tag of the protocol that is not quoted, heredoc bodies jumped over."""
        while True:
            match = _TAG_OR_HEREDOC.search(self.text, position)
            if match is None:
                return len(self.text)
            if match[1]:
                end = self.landmarks.heredoc_end(match[1], match.end())
                position = match.end() if end is None else end
            elif match.start() > 0 and self.text[match.start() - 1] == "`":
                position = match.end()
            else:
                return match.start()

    def _stray(self, start: int) -> int:
        end = self._next_tag(start)
        content = stripped(self.text, start, end)
        if content.end - content.start <= 80 and _FENCE_LINE.match(self.text[content.start : content.end]):
            return self._fence_around_block(content, end)
        found = scan_calls(self.landmarks, self.known, start, end)
        if found.calls:
            for call in found.calls:
                self.report("bare_call_outside_tags", call.span, RUNS, name=call.name)
            self.response.calls.extend(found.calls)
            return end
        encoded = self._json_outside(start, end)
        preview = self.text[content.start : min(content.end, content.start + 40)].split("\n", 1)[0].rstrip()
        lost = bool(found.errors) and not encoded and self.known is not None
        self.report("stray_content", content, LOST if lost else "", preview=preview)
        return end

    def _fence_around_block(self, content: Span, end: int) -> int:
        before_call = self.text.startswith("<tool_call>", end)
        after_call = self.open_fence and bool(self.response.blocks) and self.response.blocks[-1].kind == TOOL_CALL
        if before_call and not after_call:
            self.open_fence = True
            self.report("markdown_fence/block", content, VARIES)
        elif after_call:
            self.open_fence = False
        else:
            self.report("stray_content/fence", content)
        return end

    def _json_outside(self, start: int, end: int) -> bool:
        calls, errors = provider_calls(self.landmarks, self.known, start, end)
        for call in calls:
            self.report("json_encoded_call", call.span, RUNS)
        for error in errors:
            self.report("json_encoded_call", error.problem.at, LOST)
        self.response.calls.extend(calls)
        if calls or errors:
            return True
        seen = False
        for _, _, span in call_objects(self.landmarks, self.known, start, end):
            seen = True
            self.report("json_encoded_call", span, VARIES)
        return seen

    # The response as a whole

    def _finish(self) -> None:
        response = self.response
        narration = "\n\n".join(text for text in response.contents(PROSE) if text)
        if self.answers:
            response.user_response = "\n\n".join(self.answers)
        response.prose = response.user_response if response.user_response is not None else narration
        content = stripped(self.text, self._blank(0), len(self.text))
        quiet = not response.violations and not response.calls
        empty = response.user_response is None and response.done is None
        if quiet and empty and not narration and content.start < content.end:
            self.report("nothing_usable", content)
        elif quiet and empty and narration and self.final:
            prose = next(block for block in reversed(response.blocks) if block.kind == PROSE)
            self.report("missing_user_response", prose.span)
        response.violations.sort(key=lambda violation: violation.at)


def _nearest_tag(name: str) -> str | None:
    """The tag of the protocol that a misspelled one means."""
    plain = name.lower().replace("_", "").replace("-", "")
    for tag in TAGS:
        if plain == tag.replace("_", ""):
            return tag
    if not 3 <= len(name) <= 20:
        return None
    from difflib import get_close_matches

    return next(iter(get_close_matches(name.lower(), TAGS, 1, 0.75)), None)
