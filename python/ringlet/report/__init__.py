"""Reports: one HTML file that needs no network, and every figure as PNG and SVG."""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
