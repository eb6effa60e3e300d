"""`python -m ringlet` is the command `ringlet`."""

import sys

from ringlet.cli import main

sys.exit(main())
