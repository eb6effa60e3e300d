"""The choice of a network for a data-acquisition system: candidates are simulated and priced."""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
