"""Drawings of networks: multistage ones by stages, two-dimensional tori as grids, dual rings; others as circles."""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
