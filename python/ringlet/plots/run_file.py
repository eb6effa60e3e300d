"""The document of a run from a file: what the charts take of it, checked."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ringlet.errors import RingletError
from ringlet.plots.charts.registry import RUN_CHARTS
from ringlet.scenario.file.reading import read_json


def read_run_file(path: Path) -> Mapping[str, Any]:
    """Returns the document of a run, as `ringlet run --json` prints it.

    Raises:
        RingletError: the file cannot be read, or what a chart takes of it is missing or of another kind; names file
            and key.
    """
    what = "the JSON of a run"
    document = read_json(path, what)
    if not isinstance(document, dict) or not {"scenario", "nodes", "total", "latency_distribution"} <= document.keys():
        raise RingletError(f"{path}: not {what}; allowed: what 'ringlet run SCENARIO --json' prints")
    try:
        for chart in RUN_CHARTS:
            chart.takes.checked(document, named="document")
    except RingletError as error:
        raise RingletError(f"{path}: {error}") from None
    return document
