"""Many runs: studies of points and replications, on any executor, with results that survive.

A `Study` says what varies; `sweep.sweep` runs it on the workers of `ringlet.executors` and keeps every finished run in
a `ringlet.store.Store`; a `SweepResult` has the tables.
"""

from ringlet.studies.plot import Plot
from ringlet.studies.replications import Replications
from ringlet.studies.result import SweepResult
from ringlet.studies.schedule import Counts
from ringlet.studies.study import Study
from ringlet.studies.sweep import needs_confirmation, size_in_words

__all__ = [
    "Counts",
    "Plot",
    "Replications",
    "Study",
    "SweepResult",
    "needs_confirmation",
    "size_in_words",
]
