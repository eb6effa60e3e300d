"""Sphinx configuration. Each build writes the pages of `GENERATED` from the program itself."""

import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "generators"))

import combination_reference
import command_reference
import example_reference
import gallery_reference
import glossary_reference
import landing_player
import requirements_reference
import run_reference
import scenario_reference
import study_reference
import validation_reference

project = "ringlet"
author = "The ringlet authors"
project_copyright = f"2026, {author}"
release = metadata.version("ringlet")

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "entries"]
# The notebook runs at every build, and a cell that fails fails the build.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
# The playground is made by `make playground`, where Rust can compile for it.
PLAYGROUND = Path(__file__).parents[1] / "out" / "playground.html"
PLAYER = Path(__file__).parent / "_build" / "four-nodes.html"
landing_player.write(PLAYER)
html_extra_path = [str(PLAYER), *([str(PLAYGROUND)] if PLAYGROUND.exists() else [])]
myst_substitutions = {
    "playground": '<a href="../playground.html"><strong>Open the playground</strong></a>'
    if PLAYGROUND.exists()
    else "*This copy of the documentation was built without it: see below.*"
}
myst_enable_extensions = ["colon_fence", "deflist", "substitution"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "**.ipynb_checkpoints", "jupyter_execute"]
html_theme = "furo"
html_title = "ringlet"
html_show_sourcelink = False
html_static_path = ["_static"]
html_search_scorer = str(Path(__file__).parent / "search.js")
html_css_files = ["site.css"]
html_js_files = ["accessible.js", "player_frame.js"]

autodoc_member_order = "bysource"
autodoc_typehints = "description"


HERE = Path(__file__).parent
GENERATED = {
    "tutorials/examples": example_reference,
    "tutorials/gallery": gallery_reference,
    "reference/scenario": scenario_reference,
    "reference/study": study_reference,
    "reference/requirements": requirements_reference,
    "reference/what-a-run-tells": run_reference,
    "reference/cli": command_reference,
    "reference/glossary": glossary_reference,
    "reference/combinations": combination_reference,
    "reproductions/validation": validation_reference,
}
"""Pages that each build makes anew, and the module that writes each."""


def write_generated_pages(_app):
    for page, generator in GENERATED.items():
        generator.write(HERE / f"{page}.md")


def setup(app):
    app.connect("builder-inited", write_generated_pages)
