"""Trajectories of software engineering: SWE-smith, SWE-Gym, CoderForge. A list of messages, or JSON text for one.

It is in `messages` or `trajectory`, beside the task that it solves (`instance_id`, `traj_id`, `trajectory_id`); few carry
their tools. Calls are OpenAI's, or raw outputs in the text.
Sources: SWE-bench/SWE-smith, `swesmith/train/traj_mgr`; the cards of SWE-bench/SWE-smith-trajectories,
SWE-Gym/OpenHands-Sampled-Trajectories and togethercomputer/CoderForge-Preview.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.readers.conversations import find_messages
from toolsurface_lint.readers.transcript_format import DatasetSchema

_TASKS = ("instance_id", "traj_id", "trajectory_id")


def _recognises(row: dict[str, Any]) -> bool:
    return ("messages" in row or "trajectory" in row) and any(type(row.get(key)) is str for key in _TASKS)


SCHEMA = DatasetSchema("SWE trajectories", 80, _recognises, find_messages)
