"""The ring player: one self-contained page that plays a recording, symbol by symbol."""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
