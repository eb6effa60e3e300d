"""Event building: keys, plan, results."""
