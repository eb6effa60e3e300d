"""Executors of runs: this process, worker processes of this machine, a Dask cluster, an MPI job, or one of the caller.

`choice.open_workers` opens one by its name; `execute.execute` keeps enough tasks under way on it.
"""

from ringlet.executors.choice import available_cores, open_workers
from ringlet.executors.execute import Outcome
from ringlet.executors.workers import Workers

__all__ = ["Outcome", "Workers", "available_cores", "open_workers"]
