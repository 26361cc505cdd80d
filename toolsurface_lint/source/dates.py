"""Calendar days as directives and settings write them: `YYYY-MM-DD`, which sorts as text.

A day ends at midnight UTC, so that a run says the same wherever it takes place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolsurface_lint.source import disk

if TYPE_CHECKING:
    from datetime import date

_FORM = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


def is_day(text: str) -> bool:
    """Whether a text is a day of the calendar, written `YYYY-MM-DD`."""
    if _FORM.fullmatch(text) is None:
        return False
    from datetime import date

    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_past(day: str, today: date | None = None) -> bool:
    """Whether a day, the last one on which something holds, has gone by; `today` is the present day in UTC if None."""
    present = day_of(today)
    disk.note(disk.DAY, "", present)
    return day < present


def day_of(today: date | None) -> str:
    """The present day, or another one that stands for it, as text."""
    if today is None:
        from datetime import UTC, datetime

        today = datetime.now(UTC).date()
    return today.isoformat()


def day_of_epoch(seconds: str) -> date:
    """The day in UTC of a number of seconds since 1970, as `SOURCE_DATE_EPOCH` gives it.

    Raises `ValueError` for anything else (source: reproducible-builds.org/specs/source-date-epoch).
    """
    from datetime import UTC, datetime

    if re.fullmatch(r"[0-9]+", seconds, re.ASCII) is None:
        raise ValueError(f"`{seconds}` is not a number of seconds")
    try:
        return datetime.fromtimestamp(int(seconds), UTC).date()
    except (OverflowError, OSError, ValueError):
        raise ValueError(f"`{seconds}` seconds are not a date") from None
