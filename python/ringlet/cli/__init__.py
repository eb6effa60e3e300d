"""The command `ringlet`: one module per command.

`run`, `bound`, `group`, `breakdown`, `trace`, `reproduce`, `bench` and `schema` hold a command each; `output` writes to stdout, `progress` to
stderr, `failures` turns errors into one message and an exit code.
"""

from ringlet.cli.app import app, main

__all__ = ["app", "main"]
