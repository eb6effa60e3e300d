"""Tables as columns: files of them are those that pandas writes, frames those that it makes of the records."""

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from ringlet.studies.export import write_tables
from ringlet.studies.table import Columns

RECORDS = [
    {"point": 0, "name": 'a "b", c', "latency_ns": 1e16, "starved": False, "delivered": 3},
    {"point": 1, "name": "line\nbreak", "latency_ns": float("nan"), "starved": True, "lost": 7},
    {"point": 2, "name": "", "latency_ns": 2, "starved": True, "delivered": 4},
]


def columns(records):
    return Columns({"run": np.arange(len(records)), "load": np.linspace(0.1, 0.3, len(records))} | of(records).by_name)


def of(records):
    return Columns.of_records(records)


def test_a_file_is_that_which_pandas_writes(tmp_path):
    table = columns(RECORDS)
    tables = [("nodes", table.head(2)), ("nodes", table.taken([2], list(table.by_name))), ("none", Columns({"a": []}))]
    (written,) = write_tables(tables, ("nodes", "none"), {}, tmp_path, "csv")
    frame = pd.concat([pd.DataFrame({name: table[name] for name in ("run", "load")}), pd.DataFrame(RECORDS)], axis=1)
    assert written.read_text(encoding="utf-8") == frame.to_csv(index=False, lineterminator="\n")


def test_a_frame_is_that_which_pandas_makes_of_the_records():
    assert_frame_equal(of(RECORDS).frame(), pd.DataFrame(RECORDS))
    assert_frame_equal(Columns.of_frame(pd.DataFrame(RECORDS)).frame(), pd.DataFrame(RECORDS))


@pytest.mark.parametrize("cut", [0, 1, 2, 3])
def test_parts_of_a_table_are_joined_to_the_whole(cut):
    parts = [of(some) for some in (RECORDS[:cut], RECORDS[cut:]) if some]
    assert_frame_equal(Columns.joined(parts).frame(), pd.DataFrame(RECORDS))


def test_rows_are_python_s_own_values():
    (first, *_) = columns(RECORDS).records()
    assert first == {"run": 0, "load": 0.1, **RECORDS[0], "lost": pytest.approx(float("nan"), nan_ok=True)}
    assert {type(value) for value in first.values()} == {int, float, str, bool}
    assert (len(columns(RECORDS)), len(Columns({})), "lost" in columns(RECORDS)) == (3, 0, True)
