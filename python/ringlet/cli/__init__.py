"""The command `ringlet`: one module per command.

Each command is a module of its name; `output` writes to stdout, `progress` to
stderr, `failures` turns errors into one message and an exit code.
"""

from ringlet.cli.app import app, main

__all__ = ["app", "main"]
