"""The registry of figures: each has a name, a unit, a meaning, a computation, and an aggregation over seeds.

A figure is a `Figure` in one of the modules here, listed in `registry`. The JSON of a run and its schema, data frames,
tables, the columns of sweeps with their intervals, labels of plots and the page "What a run tells" come from it.
"""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
