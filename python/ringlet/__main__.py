"""`python -m ringlet` is the command `ringlet`."""

import sys

from ringlet.cli import main

if __name__ == "__main__":  # workers import this module, too
    sys.exit(main())
