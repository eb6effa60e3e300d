"""Many runs: studies of points and replications, on any executor, with results that survive.

A `Study` says what varies; `sweep.sweep` runs it on processes of this machine, a Dask cluster, MPI or any executor, and
keeps every finished run in a `ringlet.store.Store`; a `SweepResult` has the tables.
"""

from ringlet.studies.execute import Outcome
from ringlet.studies.executors import open_workers
from ringlet.studies.plot import Plot
from ringlet.studies.replications import Replications
from ringlet.studies.result import SweepResult
from ringlet.studies.schedule import Counts
from ringlet.studies.study import Study
from ringlet.studies.sweep import needs_confirmation, size_in_words
from ringlet.studies.workers import Workers

__all__ = [
    "Counts",
    "Outcome",
    "Plot",
    "Replications",
    "Study",
    "SweepResult",
    "Workers",
    "needs_confirmation",
    "open_workers",
    "size_in_words",
]
