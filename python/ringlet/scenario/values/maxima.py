"""The largest values that the engine can hold."""

MAX_GROUPS = 256
MAX_LEVELS = 256
MAX_SEED = 2**63 - 1
