"""Warnings of the runs of a study."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.simulation.notices import kind_of
from ringlet.store import Store
from ringlet.store.studies import Runs
from ringlet.studies.axes import Space
from ringlet.studies.columns import axis_columns

if TYPE_CHECKING:
    import pandas as pd


def warnings_table(store: Store, study: int, runs: Runs, space: Space) -> "pd.DataFrame":
    """One row per warning of a finished run: point, replication, what varies, seed, what it warns of, the line."""
    import pandas as pd

    found = [
        (row, line)
        for row, (_, _, document) in enumerate(store.studies.documents(study))
        for line in document["warnings"]
    ]
    rows = np.array([row for row, _ in found], dtype=np.int64)
    columns: dict[str, Any] = {"point": runs.point[rows], "replication": runs.replication[rows]}
    columns |= axis_columns(space, runs.point[rows]) if found else {}
    columns["seed"] = [runs.seed[row] for row in rows.tolist()]
    return pd.DataFrame(
        columns | {"kind": [kind_of(line) for _, line in found], "warning": [line for _, line in found]}
    )


def warned_of(warnings: "pd.DataFrame", points: Sequence[int]) -> list[str]:
    """Returns what the runs of each point warn of, in words; empty where they warn of nothing."""
    kinds: dict[int, dict[str, None]] = {}
    for point, kind in zip(warnings["point"].tolist(), warnings["kind"].tolist(), strict=True):
        kinds.setdefault(point, {})[kind] = None
    return [", ".join(kinds.get(point, ())) for point in points]
