"""Small studies."""

from concurrent.futures import ThreadPoolExecutor

import pandas as pd

import ringlet as rl
from ringlet.studies import Study

BASE = {
    "network": {"nodes": 4},
    "traffic": {"arrivals": "poisson", "load": "50 MB/s"},
    "run": {"duration": "20 us", "warmup": "2 us"},
}
LOADS = ["20 MB/s", "60 MB/s", "100 MB/s"]


def study(**keys) -> Study:
    content = {"scenario": BASE, "axes": [{"traffic.load": LOADS}], "replications": {"count": 2}}
    return Study.from_dict({**content, **keys})


def figures(table: pd.DataFrame) -> pd.DataFrame:
    """What does not depend on where and when it was computed."""
    return table.drop(columns="wall_s", errors="ignore")


def here(*arguments, **keys):
    """A sweep in this process: starting others takes longer than these runs."""
    with ThreadPoolExecutor(1) as executor:
        return rl.sweep(*arguments, executor=executor, **keys)
