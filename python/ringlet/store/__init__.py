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

from ringlet.store.database import DamagedError
from ringlet.store.record import Record, canonical_json, result_key, scenario_digest
from ringlet.store.repair import Checked, check, repair
from ringlet.store.rows import Damage
from ringlet.store.store import Store
from ringlet.store.studies import Failure, Runs, StoredStudy

__all__ = [
    "Checked",
    "Damage",
    "DamagedError",
    "Failure",
    "Record",
    "Runs",
    "Store",
    "StoredStudy",
    "canonical_json",
    "check",
    "repair",
    "result_key",
    "scenario_digest",
]
