"""Rings and the demands between their nodes."""
