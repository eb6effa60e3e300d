"""Scenarios as files for other tools: `ringlet export`.

A format is one module with a function `written`, and one line in `formats.py`. It says what it took, what it left out,
and what is lost where ringlet reads its files again.
"""
