"""Every state that a small ring or network can come to: what may happen, and what never does."""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
