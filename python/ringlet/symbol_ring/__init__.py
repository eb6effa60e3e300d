"""A ring of which every symbol on every link is handled in every cycle, for protocols that are written in Python.

It follows the steps of docs/explanation/model.md and is some thousand times slower than the engine. A protocol is a
`Station` for each node, which says behind every idle what the node emits next.
"""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
