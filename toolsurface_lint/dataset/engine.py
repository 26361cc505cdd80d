"""Daft, which runs the pieces of a dataset, in processes of this machine or on a cluster of Ray; `remote` reads with it."""

from __future__ import annotations

import json
import logging
import os
import pickle
from collections.abc import Iterator, Sequence
from typing import Any

from toolsurface_lint.dataset.piece import Plan, bound_memory, check_piece
from toolsurface_lint.dataset.pieces import Piece
from toolsurface_lint.dataset.remote import EngineFailed, first_line

MISSING = "dataset needs an engine: install it with `pip install 'toolsurface-lint[dataset]'`"
MISSING_RAY = "`--ray` needs Ray: install it with `pip install 'toolsurface-lint[dataset-ray]'`"


class EngineMissing(Exception):
    """The extra that has the engine is not installed; the message says which."""


_QUIET = {
    # Daft reports its use to a company, Ray to its makers.
    "DO_NOT_TRACK": "1",
    "SCARF_NO_ANALYTICS": "1",
    "DAFT_ANALYTICS_ENABLED": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "DAFT_PROGRESS_BAR": "0",
    "DAFT_SHOW_QUERY_ID": "0",
}


def start(ray: str | None = None) -> None:
    """Load the engine, and join the Ray cluster at an address; before anything else is asked of it, which would choose for it.

    Raises `EngineMissing` and `EngineFailed`.
    """
    os.environ.update(_QUIET)
    try:
        import daft
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise EngineMissing(MISSING) from None
    logging.getLogger("daft").setLevel(logging.CRITICAL)
    if ray is not None:
        try:
            import ray as _  # noqa: F401
        except ImportError:
            raise EngineMissing(MISSING_RAY) from None
        _join_ray(ray)
    else:
        daft.set_runner_native()


class Engine:
    """The workers of one run: `jobs` processes here, or on the Ray cluster at `ray`; 0 is one for each core."""

    def __init__(self, plan: Plan, jobs: int, ray: str | None = None) -> None:
        import daft

        self._plan = pickle.dumps(plan)
        self._ray = ray is not None
        self.jobs = jobs or (_cores_of_ray() if self._ray else os.cpu_count()) or 1
        daft.set_execution_config(maintain_order=False)

    def run(self, pieces: Sequence[tuple[Piece, str]]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Check pieces, each with a key of its own: gives the key and the result of each that is done, in any order.

        Raises `EngineFailed` and `KeyboardInterrupt`, after which some have not been given.
        """
        import daft
        import pyarrow as pa
        from daft import DataType

        @daft.cls(use_process=None if self._ray else True, max_concurrency=min(self.jobs, len(pieces)))
        class Worker:
            def __init__(self, plan: bytes) -> None:
                self._plan = pickle.loads(plan)
                bound_memory()

            @daft.method.batch(return_dtype=DataType.string(), batch_size=1)  # type: ignore[untyped-decorator]
            def check(self, works: Any) -> list[str]:
                results = []
                for work in works.to_pylist():
                    *piece, key = json.loads(work)
                    results.append(json.dumps([key, check_piece(self._plan, Piece(*piece), key)]))
                return results

        works = pa.table({"work": [json.dumps([*piece, key]) for piece, key in pieces]})
        frame = daft.from_arrow(works)
        frame = frame.into_partitions(len(pieces)) if self._ray else frame.into_batches(1)
        # Given the column of a frame in place of values, the method gives an expression.
        check: Any = Worker(self._plan).check
        given = 0
        try:
            for batch in frame.select(check(frame["work"]).alias("result")).to_arrow_iter():
                for text in batch.column("result").to_pylist():
                    key, result = json.loads(text)
                    given += 1
                    yield key, result
        except Exception as error:
            raise EngineFailed(first_line(error)) from None
        if given < len(pieces):
            # Daft takes Ctrl-C for itself, and ends as if it had given all.
            raise KeyboardInterrupt


def _join_ray(address: str) -> None:
    """Join the cluster. Raises `EngineFailed`."""
    import daft
    import ray

    try:
        ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False, ignore_reinit_error=True)
        daft.set_runner_ray(noop_if_initialized=True)
    except Exception as error:
        raise EngineFailed(f"cannot join the Ray cluster at {address}: {first_line(error)}") from None


def _cores_of_ray() -> int:
    import ray

    resources: Any = ray.cluster_resources()
    return int(resources.get("CPU", 1))
