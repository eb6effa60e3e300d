"""Theory of a scenario: fair share, queueing model, guaranteed response times, placement."""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
