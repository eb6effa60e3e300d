"""Sections of files: classes whose annotated attributes are the keys of a table, with types, limits and defaults.

A class is all there is to write: what a file holds is checked against it, every mistake at once, and the JSON Schema
comes from it. Nothing is made of a key before a file gives it, so that a start takes no longer for keys that it does
not use.

>>> from ringlet.sections import Field, Section
>>> class Cable(Section):
...     length_m: float = Field(gt=0, description="How long it is.")
>>> Cable(length_m=2)
Cable(length_m=2.0)
"""

from ringlet.sections.checks import After, Before
from ringlet.sections.fields import Choice, Field, JsonSchema, Key
from ringlet.sections.mistakes import RefusedError, refuse
from ringlet.sections.rows import Rows
from ringlet.sections.section import Section

__all__ = ["After", "Before", "Choice", "Field", "JsonSchema", "Key", "RefusedError", "Rows", "Section", "refuse"]
