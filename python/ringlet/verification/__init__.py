"""A message set verified, from its bounds to a document that is signed, and computed again."""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
