"""TOML files: reading, the line of each key, keys replaced from outside."""
