"""Tests of the sentences of richter1999 (Richter, Kleber and Ohlenroth 1999), by section."""

from ringlet.papers.claims.richter1999 import saturation as _saturation  # noqa: F401  its import registers the tests
from ringlet.papers.claims.richter1999 import switches as _switches  # noqa: F401  its import registers the tests
from ringlet.papers.claims.richter1999 import testbeds as _testbeds  # noqa: F401  its import registers the tests
