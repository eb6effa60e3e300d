"""The largest values that the engine can hold."""

MAX_GROUPS = 256
MAX_LEVELS = 256
MAX_SEED = 2**63 - 1

MAX_DRIFT_PPM = 10**6
"""Largest drift: a clock that takes twice as long."""
