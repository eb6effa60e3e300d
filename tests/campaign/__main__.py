"""The command line of the campaign: `python -m campaign`, with this folder's parent on the path."""

import sys

from campaign.command import main

if __name__ == "__main__":
    sys.exit(main())
