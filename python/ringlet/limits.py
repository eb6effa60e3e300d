"""Limits of what is read of an input and held in a run, so that no input exhausts the memory or runs for ever.

docs/reference/limits.md lists them for users, beside the limits that scenarios, studies and requirements have by their
keys.
"""

MIB = 1024 * 1024

FILE_BYTES = 256 * MIB
"""Bytes of a file that is read as a whole: matrices and messages as CSV, results of runs as JSON."""

TOML_BYTES = 16 * MIB
"""Bytes of a TOML file: it takes some 50 times its size while it is read."""

KEY_PARTS = 64
"""Parts of a dotted key: time and memory to read one grow with their square."""

LINE_CHARACTERS = MIB
"""Characters of a line of a trace as CSV. The trace itself has no limit: only a piece of it is in memory."""

ROW_GROUP_BYTES = 1024 * MIB
"""Bytes of a row group of a Parquet file, before compression."""

NOTES_BYTES = 16 * MIB
"""Bytes of the notes in the header of a netrace file."""

REGIONS = 65_536
"""Regions of a netrace file."""

AWAITING_PACKETS = 262_144
"""Packets that records of a netrace file name as waiting for them, and that are still to come."""

SIMULATION_BYTES = 4096 * MIB
"""Bytes that a simulation holds. Where more is offered than is carried for long, all that waits is held."""
