"""The command `ringlet`: one module per command.

Each command is a module of its name; `output` writes to stdout, `progress` to
stderr, `failures` turns errors into one message and an exit code.
"""

import sys

try:
    from ringlet.cli.app import app, main
except KeyboardInterrupt:
    # Ctrl-C before the command could take it.
    print("ringlet: interrupted", file=sys.stderr)
    sys.exit(130)

__all__ = ["app", "main"]
