"""Scenarios: typed, validated, with units; and the engine's NetworkSpec made from them."""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
