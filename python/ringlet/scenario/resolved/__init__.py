"""A scenario in cycles, symbols and node numbers, as plain data, and the engine's specification made from it."""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
