"""Files that are transcripts as JSON Lines, recognised by their first lines; the rest is read when they are checked."""

from __future__ import annotations

import os
import stat

from toolsurface_lint.model.transcript import Transcript
from toolsurface_lint.readers.transcript_format import envelope_of, find_conversation
from toolsurface_lint.source.json_lines import first_values


def recognise_transcript(path: str, display: str, *, named_lines: bool, max_line: int) -> Transcript | None:
    """The transcript that a file of JSON Lines is, None if it is not one; what cannot be read is not one.

    `named_lines`: the file is JSON Lines by its name; otherwise it needs two lines with a value each, and
    more of them than others: the lines of a document that is written over many lines hold values now and then.
    """
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode) or not status.st_size:
            return None
        values, broken = first_values(path, max_line)
    except OSError:
        return None
    if not named_lines and (len(values) < 2 or broken > len(values)):
        return None
    others = [value for value in values if find_conversation(value) is None]
    session = any(envelope_of(value) is not None for value in others)
    if len(others) == len(values) and not session:
        return None
    return Transcript(display, file=path, size=status.st_size, session=session)
