"""What is counted in transcripts, found or not: conversations, turns, calls and the tools that they call."""

from __future__ import annotations

from toolsurface_lint.run.transcripts.plain_chat import PlainChat


class Tally:
    """What was counted in one transcript; `tools` has the calls of each tool and how many of them failed."""

    __slots__ = ("calls", "clean", "conversations", "results", "tools", "turns")

    def __init__(self) -> None:
        self.conversations = 0
        self.clean = 0
        self.turns = 0
        self.calls = 0
        self.results = 0
        self.tools: dict[str, list[int]] = {}

    def plain(self, chat: PlainChat) -> None:
        """Count a conversation in which there is nothing to find."""
        self.conversations += 1
        self.clean += 1
        self.turns += chat.turns
        self.calls += len(chat.calls)
        self.results += chat.results
        for name in chat.calls:
            counted = self.tools.get(name)
            if counted is None:
                counted = self.tools[name] = [0, 0]
            counted[0] += 1
        for name in chat.failures:
            self.tools[name][1] += 1

    def add(self, other: Tally) -> None:
        """Count what was counted elsewhere too."""
        self.conversations += other.conversations
        self.clean += other.clean
        self.turns += other.turns
        self.calls += other.calls
        self.results += other.results
        for name, (calls, failures) in other.tools.items():
            mine = self.tools.setdefault(name, [0, 0])
            mine[0] += calls
            mine[1] += failures
