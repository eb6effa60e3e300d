"""Switches, and the hosts of nodes: their keys, and their times in the units of the engine and of theory."""
