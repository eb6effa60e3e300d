"""Tests of the sentences of todd2001 (Todd 2001), by section."""

from ringlet.papers.claims.todd2001 import conclusions as _conclusions  # noqa: F401  its import registers the tests
from ringlet.papers.claims.todd2001 import dfc as _dfc  # noqa: F401  its import registers the tests
from ringlet.papers.claims.todd2001 import ppq as _ppq  # noqa: F401  its import registers the tests
from ringlet.papers.claims.todd2001 import real_time as _real_time  # noqa: F401  its import registers the tests
from ringlet.papers.claims.todd2001 import results as _results  # noqa: F401  its import registers the tests
from ringlet.papers.claims.todd2001 import situations as _situations  # noqa: F401  its import registers the tests
from ringlet.papers.claims.todd2001 import train as _train  # noqa: F401  its import registers the tests
