"""Simulator for register-insertion rings (SCI, IEEE 1596).

>>> import ringlet as rl
>>> scenario = rl.Scenario.from_dict({"network": {"nodes": 4}, "run": {"duration": "20 us"}})
>>> result = rl.run(scenario)
>>> len(result.nodes)
4
"""

import sys
from types import ModuleType

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)


class _Functions(ModuleType):
    """Keeps `run`, `sweep` and `advise` functions: the import of a package of such a name would put the package in their place."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in ("run", "sweep", "advise") and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Functions
