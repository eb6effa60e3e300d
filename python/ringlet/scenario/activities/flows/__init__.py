"""Flows: keys, plan, results."""
