"""Traces of packets, to be replayed: files read as streams, checked record by record."""
