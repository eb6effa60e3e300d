"""Tests of the sentences of picker1994 (Picker, Fellman and Chau 1994), by section."""

from ringlet.papers.claims.picker1994 import basics as _basics  # noqa: F401  its import registers the tests
from ringlet.papers.claims.picker1994 import go_bits as _go_bits  # noqa: F401  its import registers the tests
from ringlet.papers.claims.picker1994 import groups as _groups  # noqa: F401  its import registers the tests
from ringlet.papers.claims.picker1994 import laws as _laws  # noqa: F401  its import registers the tests
from ringlet.papers.claims.picker1994 import matrices as _matrices  # noqa: F401  its import registers the tests
from ringlet.papers.claims.picker1994 import optimum as _optimum  # noqa: F401  its import registers the tests
from ringlet.papers.claims.picker1994 import patterns as _patterns  # noqa: F401  its import registers the tests
