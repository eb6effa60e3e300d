"""Recordings of a window of a run, symbol by symbol.

`record` runs a scenario and returns a `Recording`: tables of everything on the links, in the bypass FIFOs and in the
queues. `write` exports it to formats that waveform and timeline viewers read, `moments` finds what is worth looking at
in it, `held_back` says what held the nodes' packets back.
"""

from ringlet.figures.held_back import CAUSES
from ringlet.trace.formats import FORMATS, write
from ringlet.trace.held_back import HeldBack, held_back
from ringlet.trace.moments import Moment, moments
from ringlet.trace.record import DEFAULT_CYCLES, MAX_NODE_CYCLES, record
from ringlet.trace.recording import Recording

__all__ = [
    "CAUSES",
    "DEFAULT_CYCLES",
    "FORMATS",
    "MAX_NODE_CYCLES",
    "HeldBack",
    "Moment",
    "Recording",
    "held_back",
    "moments",
    "record",
    "write",
]
