"""Recordings of a window of a run, symbol by symbol.

`record` runs a scenario and returns a `Recording`: tables of everything on the links, in the bypass FIFOs and in the
queues. `write` exports it to formats that waveform and timeline viewers read, `moments` finds what is worth looking at
in it, `held_back` says what held the nodes' packets back.
"""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
