"""A scenario in cycles, symbols and node numbers, as plain data, and the engine's specification made from it."""
