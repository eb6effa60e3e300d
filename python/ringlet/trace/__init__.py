"""Recordings of a window of a run, symbol by symbol.

`record` runs a scenario and returns a `Recording`: tables of everything on the links, in the bypass FIFOs and in the
queues. `write` exports it to formats that waveform and timeline viewers read, `moments` finds what is worth looking at
in it.
"""

from ringlet.trace.formats import FORMATS, write
from ringlet.trace.moments import Moment, moments
from ringlet.trace.record import DEFAULT_CYCLES, MAX_NODE_CYCLES, record
from ringlet.trace.recording import Recording

__all__ = ["DEFAULT_CYCLES", "FORMATS", "MAX_NODE_CYCLES", "Moment", "Recording", "moments", "record", "write"]
