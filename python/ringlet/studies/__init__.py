"""Many runs: studies of points and replications, on any executor, with results that survive.

A `Study` says what varies; `sweep.sweep` runs it on the workers of `ringlet.executors` and keeps every finished run in
a `ringlet.store.Store`; a `SweepResult` has the tables.
"""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
