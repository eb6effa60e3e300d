"""Networks of rings: the nodes of each ring, the routes of packets, possible deadlocks, and the cost."""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
