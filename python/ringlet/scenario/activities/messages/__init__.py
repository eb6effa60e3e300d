"""Periodic messages: keys, releases in cycles, results."""
