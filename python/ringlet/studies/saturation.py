"""The load at which each curve of a study is first overloaded."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.lazy import library
from ringlet.studies.loads import OVERLOADED
from ringlet.studies.study import LOAD

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = library("pandas")


def saturation(summary: "pd.DataFrame", axes: Sequence[str]) -> "pd.DataFrame":
    """Returns one row per combination of the values of the other axes: the load at which it is first overloaded, such
    as `first_overloaded_MBps`, and the load before, `not_yet_at_MBps`; NaN where there is none.

    Args:
        summary: one row per point; empty is returned where no load with numbers varies.
        axes: columns that vary.
    """
    load = next((axis for axis in axes if axis.startswith(LOAD)), None)
    if summary.empty or load is None or summary[load].dtype.kind not in "iuf":
        return pd.DataFrame()
    others = [axis for axis in axes if axis != load]
    unit = load.removeprefix(LOAD)
    rows: list[dict[str, Any]] = []
    for values, curve in summary.groupby(others, sort=False) if others else [((), summary)]:
        ordered = curve.sort_values(load, kind="stable")
        over = ordered["warned_of"].str.contains(OVERLOADED, regex=False).to_numpy(dtype=bool)
        loads = ordered[load].to_numpy(dtype=np.float64)
        first = int(over.argmax()) if over.any() else len(loads)
        rows.append(
            dict(zip(others, values, strict=True))
            | {f"first_overloaded{unit}": loads[first] if first < len(loads) else np.nan}
            | {f"not_yet_at{unit}": loads[first - 1] if first else np.nan}
        )
    return pd.DataFrame(rows)


def saturation_in_words(found: "pd.DataFrame") -> Iterator[str]:
    """Yields a sentence for each row of `saturation`."""
    first, before = found.columns[-2:]
    unit = f" {first.removeprefix('first_overloaded_').replace('_', ' ').replace('MBps', 'MB/s')}"
    for record in found.to_dict(orient="records"):
        name = ", ".join(_setting(str(key), value) for key, value in list(record.items())[:-2]) or "the study"
        if np.isnan(record[first]):
            yield f"{name}: not overloaded, up to {record[before]:g}{unit}"
        elif np.isnan(record[before]):
            yield f"{name}: overloaded from the least load on, {record[first]:g}{unit}"
        else:
            yield f"{name}: not overloaded up to {record[before]:g}{unit}, overloaded at {record[first]:g}{unit}"


def _setting(key: str, value: object) -> str:
    """Returns the value of an axis; one that is no word with its key."""
    return value if isinstance(value, str) else f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}"
