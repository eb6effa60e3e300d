"""The store of results: one SQLite file, to which every finished run is added at once.

A run is known by the content of its resolved scenario, its seed and the version of the code, so that an identical one
is never computed twice and a changed one never reused. What is stored is the whole document of the run
(`Result.to_dict`); its totals lie beside it, packed, so that many runs become a data frame fast. Every row has a
checksum, which is compared whenever the row is read.

>>> from ringlet.store import Store
>>> with Store.open() as store:  # in memory
...     len(store)
0
"""

from ringlet.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__, __file__)
