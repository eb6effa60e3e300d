"""Sphinx configuration; the scenario reference is generated from the model at each build."""

import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import command_reference
import example_reference
import requirements_reference
import scenario_reference
import study_reference

project = "ringlet"
author = "The ringlet authors"
project_copyright = f"2026, {author}"
release = metadata.version("ringlet")

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
# The notebook runs at every build, and a cell that fails fails the build.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "**.ipynb_checkpoints", "jupyter_execute"]
html_theme = "furo"
html_title = "ringlet"
html_show_sourcelink = False

autodoc_member_order = "bysource"
autodoc_typehints = "description"


def setup(app):
    here = Path(__file__).parent
    app.connect("builder-inited", lambda _: scenario_reference.write(here / "scenario.md"))
    app.connect("builder-inited", lambda _: study_reference.write(here / "study.md"))
    app.connect("builder-inited", lambda _: requirements_reference.write(here / "requirements.md"))
    app.connect("builder-inited", lambda _: command_reference.write(here / "cli.md"))
    app.connect("builder-inited", lambda _: example_reference.write(here / "examples.md"))
