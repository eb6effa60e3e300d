"""Control loops: keys, plan, results."""
