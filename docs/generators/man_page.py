"""Writes the man page from the commands themselves: `python docs/generators/man_page.py`.

The page is kept in the repository, since `pip install .` installs it and makes nothing of documentation.
"""

from pathlib import Path

import click
from command_reference import commands, help_text
from docutils.core import publish_string
from myst_parser.docutils_ import Parser

from ringlet.cli.app import HELP, app

PAGE = Path(__file__).parents[2] / "packaging" / "wheel-data" / "data" / "share" / "man" / "man1" / "ringlet.1"
"""Where it is: a folder with the layout of a wheel's data, as `[tool.maturin]` of pyproject.toml names it."""

ABOUT = """---
title: ringlet
subtitle: simulate register-insertion rings (SCI, IEEE 1596), symbol by symbol
manual_section: 1
manual_group: ringlet
---

# Synopsis

```text
ringlet COMMAND [ARGUMENTS] [OPTIONS]
ringlet COMMAND --help
```

# Description
"""

ENVIRONMENT = """# Environment

`RINGLET_DEBUG`
: Set to 1, an error adds its traceback.

`XDG_STATE_HOME`
: Where `ringlet bench` keeps its last results, in `ringlet/bench.json`; `~/.local/state` without it.

# See also

The documentation, which `make docs` builds of the sources.
"""


def render(group: click.Group = app) -> str:
    """Returns the page, in the language of man."""
    context = group.make_context("ringlet", [], resilient_parsing=True)
    described = help_text(HELP.partition("\n\n")[2])
    listed = commands(group, context, heading="##")
    page = "\n".join([ABOUT, described, "", "# Commands", "", *listed, ENVIRONMENT])
    settings = {"myst_enable_extensions": ["deflist"], "output_encoding": "unicode"}
    return str(publish_string(page, parser=Parser(), writer="manpage", settings_overrides=settings))


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(render(), encoding="utf-8")
