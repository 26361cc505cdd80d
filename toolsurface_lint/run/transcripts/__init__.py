"""Checks transcripts against their surfaces: every conversation turn by turn, files of any size line by line.

Nothing of a conversation is kept once it has been followed, so memory is bounded by the longest line and by the findings.
Each module has one subject: `parts` the bytes of large files and the processes that share them, `reader` what the values
in them hold, `conversation` what is checked in one conversation, `plain_chat` those that need no such look, and
`outcomes` how all that is found comes together again.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable

from toolsurface_lint.model.transcript import Transcript
from toolsurface_lint.project.project import Project
from toolsurface_lint.project.settings.selection import Selection
from toolsurface_lint.run.reporting import Outcome
from toolsurface_lint.run.transcripts.enabled_checks import EnabledChecks
from toolsurface_lint.run.transcripts.outcomes import joined_outcome
from toolsurface_lint.run.transcripts.parts import PART, Run, follow_parts

__all__ = ["check_transcripts"]


def check_transcripts(
    project: Project, selection: Selection, progress: Callable[[int, int], None] | None = None
) -> Outcome:
    """Follow every transcript of a project. `progress` gets the bytes read so far and their total."""
    followed = [
        (transcript, surface)
        for surface in project.scopes
        for transcript in surface.transcripts
        if _concerns(transcript, project)
    ]
    limit = project.settings.max_file_size
    run = Run(followed, EnabledChecks(selection), limit)
    # What there is now stays to the end: collections need not look at it again and again.
    gc.freeze()
    return joined_outcome(run, follow_parts(run, progress), limit)


def _concerns(transcript: Transcript, project: Project) -> bool:
    """Whether a transcript is followed: large ones beside the given files are not, as a commit must not wait for them."""
    return project.given is None or transcript.size <= PART or os.path.abspath(transcript.file) in project.given
