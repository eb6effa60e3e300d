"""Many runs: studies of points and replications, on any executor, with results that survive.

A `Study` says what varies; `sweep` runs it on processes of this machine, a Dask cluster, MPI or any executor, and keeps
every finished run in a `ringlet.store.Store`; a `SweepResult` has the tables.
"""

from ringlet.sweep.execute import Outcome, execute
from ringlet.sweep.executors import Workers, open_workers
from ringlet.sweep.replications import Replications
from ringlet.sweep.result import SweepResult
from ringlet.sweep.schedule import Counts
from ringlet.sweep.study import Plot, Study
from ringlet.sweep.sweep import needs_confirmation, size_in_words, sweep

__all__ = [
    "Counts",
    "Outcome",
    "Plot",
    "Replications",
    "Study",
    "SweepResult",
    "Workers",
    "execute",
    "needs_confirmation",
    "open_workers",
    "size_in_words",
    "sweep",
]
