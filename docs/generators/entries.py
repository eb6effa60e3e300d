"""Entries of the reference that the search finds by name: keys of files, and figures of runs.

A key is written as a directive, whose content explains it:

    :::{scenario-key} traffic.load
    *string*

    What each node offers.
    :::

A key that alternatives of a table have each for itself is told by a text before a colon, `ppq: flow_control.bypass`,
which the page does not show. A figure is written as a role, in the row of a table.
"""

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole
from sphinx.util.nodes import make_id

KINDS = {
    "scenario-key": "key of a scenario",
    "study-key": "key of a study",
    "requirements-key": "key of requirements",
    "run-figure": "figure of a run",
    "glossary-term": "term of the glossary",
}
"""Kinds of entries, and how the search calls them; `docs/search.js` puts them before everything else."""


class FigureRole(SphinxRole):
    """A figure's name, which the search leads to; of a figure that several tables have, the first."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Returns the name as code."""
        shown = nodes.literal(self.rawtext, self.text)
        known = self.env.domains.standard_domain.objects
        if ("run-figure", self.text) not in known:
            identity = make_id(self.env, self.inliner.document, "run-figure", self.text)
            shown["ids"].append(identity)
            self.env.domains.standard_domain.note_object("run-figure", self.text, identity, location=shown)
        return [shown], []


def _key(_env: object, text: str, signature: addnodes.desc_signature) -> str:
    """Shows a key without what tells it from others, and returns its name."""
    key = text.rpartition(": ")[2]
    signature += addnodes.desc_name(key, key)
    return text


def setup(app: Sphinx) -> dict[str, bool]:
    """Adds directives and role."""
    for kind, words in KINDS.items():
        app.add_object_type(kind, kind, parse_node=_key, objname=words)
    app.add_role("figure", FigureRole())
    return {"parallel_read_safe": True}
