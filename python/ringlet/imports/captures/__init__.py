"""Recorded packets and frames: traces."""
