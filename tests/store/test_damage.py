"""A store that is damaged gives the same tables, or names what is damaged; never others."""

import json
import sqlite3
from collections import Counter
from contextlib import closing
from random import Random

import damage
import pytest
from small_studies import here, study

import ringlet as rl
from ringlet.cli import main
from ringlet.store import DamagedError, Store, check, repair

CASES = 300


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A store."""
    path = tmp_path_factory.mktemp("whole") / "store.sqlite"
    damage.make(path)
    return path


@pytest.fixture
def store(whole, tmp_path):
    """A copy of it."""
    path = tmp_path / "store.sqlite"
    damage.put(whole.read_bytes(), path)
    return path


def change(path, statement):
    """Changes a store behind its back: no trigger, no checksum."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        assert connection.execute(statement).rowcount
        for _, sql in triggers:
            connection.execute(sql)


def test_damage_anywhere_gives_the_same_content_or_is_named(whole, tmp_path):
    wanted, data, path = damage.content(whole), whole.read_bytes(), tmp_path / "store.sqlite"
    counts: Counter[str] = Counter()
    for seed in range(CASES):
        damaged, what = damage.flip(data, Random(seed))
        damage.put(damaged, path)
        try:
            outcome = damage.read(path, wanted)
            # A check finds whatever reading finds.
            assert outcome == "same" or damage.is_found(path)
        except BaseException as error:
            raise AssertionError(f"seed {seed}: {what}") from error
        counts[outcome] += 1
    # Damage hits what is used often enough for the test to mean something.
    assert counts["named"] > CASES / 8


def test_a_sweep_computes_again_what_is_damaged_or_is_refused(whole, tmp_path):
    with closing(rl.SweepResult.load(whole)) as result:
        wanted = damage.tables(result)
    path, counts = tmp_path / "store.sqlite", Counter()
    for seed in range(CASES, CASES + 30):
        damaged, what = damage.flip(whole.read_bytes(), Random(seed))
        damage.put(damaged, path)
        try:
            before = damage.read(path, damage.content(whole))
            after = damage.sweep(path, wanted)
            counts[before, after] += 1
            if after == "same":
                with closing(rl.SweepResult.load(path)) as result:
                    assert damage.tables(result) == wanted
        except BaseException as error:
            raise AssertionError(f"seed {seed}: {what}") from error
    assert counts["named", "same"] > 0


OTHER_DOCUMENT = "SELECT document FROM documents WHERE result = 1"
OTHER_SCENARIO = "SELECT content FROM scenarios WHERE id = 1"

DAMAGE = {
    "figures": ("UPDATE results SET figures = zeroblob(length(figures)) WHERE id = 4", "results 4"),
    "seed": ("UPDATE results SET seed = 77 WHERE id = 4", "results 4"),
    "the scenario of a run": ("UPDATE results SET scenario = 1 WHERE id = 5", "results 5"),
    "number of a run": ("UPDATE results SET id = 40 WHERE id = 4", "results 4"),
    "version of the code": ("UPDATE results SET engine = '0.0' WHERE id = 4", "results 4"),
    "text that is no UTF-8": ("UPDATE results SET engine = CAST(x'ff' AS TEXT) WHERE id = 4", "results 4"),
    "a lost run": ("DELETE FROM results WHERE id = 4", "results 4"),
    "document": (f"UPDATE documents SET document = ({OTHER_DOCUMENT}) WHERE result = 4", "documents 4"),
    "lost document": ("DELETE FROM documents WHERE result = 4", "documents 4"),
    "scenario": (f"UPDATE scenarios SET content = ({OTHER_SCENARIO}) WHERE id = 2", "scenarios 2"),
    "names of figures": ("UPDATE layouts SET content = replace(content, 'latency_p95', 'latency_p99')", "layouts 1"),
    "study": ("UPDATE studies SET content = '{}' WHERE id = 3", "studies 3"),
    "when a study was run": ("UPDATE studies SET begun = 9e9 WHERE id = 1", "studies 1"),
    "lost study": ("DELETE FROM studies WHERE id = 3", "studies 3"),
    "the run of a point": ("UPDATE points SET result = 1 WHERE study = 3 AND result = 4", "points 3, "),
    "point": ("UPDATE points SET point = 7 WHERE study = 3 AND result = 4", "points 3, 7, "),
    "lost point": ("DELETE FROM points WHERE study = 3 AND result = 4", "parts 3"),
    "failure": ("INSERT INTO failures VALUES (3, 0, 0, 'none', 5)", "failures 3, 0, 0"),
}  # fmt: skip


@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_rows_are_named_set_aside_and_computed_again(whole, store, capsys, kind):
    statement, place = DAMAGE[kind]
    change(store, statement)
    assert main(["store", "check", str(store)]) == 1
    *named, last = capsys.readouterr().out.splitlines()
    assert any(line.startswith(place) for line in named)
    assert last.startswith(f"{store}: otherwise sound; finished runs: ")
    with pytest.raises(DamagedError, match=place):
        damage.content(store)
    with closing(rl.SweepResult.load(whole)) as result:
        wanted = damage.tables(result)
    with closing(here(study(), store=store)) as result:
        # A run that is lost is as if it had never been computed.
        assert kind == "a lost run" or any(each.place.startswith(place) for each in result.store.damage)
        assert damage.tables(result) == wanted
    with closing(rl.SweepResult.load(store)) as result:
        assert damage.tables(result) == wanted


def test_what_was_damaged_is_kept(store):
    change(store, "UPDATE results SET seed = 77 WHERE id = 4")
    here(study(), store=store).close()
    with closing(sqlite3.connect(store)) as connection:
        ((place, content),) = connection.execute("SELECT place, content FROM damaged").fetchall()
    assert place == "results 4"
    assert f"integer:{b'77'.hex()}" in content.lower()
    assert check(store).is_sound


def test_an_index_that_leads_to_another_run_is_made_again(store):
    # The last page of the index of keys: its entries are numbers behind 64 hexadecimal digits.
    with closing(sqlite3.connect(store)) as connection:
        key = connection.execute("SELECT key FROM results WHERE id = 4").fetchone()[0].encode()
    data = store.read_bytes()
    entry = next(at for at in range(len(data)) if data.startswith(key + b"\x04", at))
    damage.put(data[: entry + 64] + b"\x05" + data[entry + 65 :], store)
    assert not check(store).is_sound
    with Store.open(store) as opened:
        assert opened.find(key.decode()) == 4
        assert [each.place for each in opened.damage] == ["results 5"]
    assert check(store).is_sound


def test_a_damaged_store_that_is_merged_gives_what_is_sound(whole, store):
    change(store, "UPDATE results SET seed = 77 WHERE id = 4")
    with Store.open() as other:
        assert other.merge(store) == check(whole).runs - 1
        assert [damage.place for damage in other.damage] == [f"{store}: results 4"]


def test_a_store_whose_pages_are_lost_is_refused_and_repaired(whole, store):
    data = bytearray(store.read_bytes())
    with closing(sqlite3.connect(store)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'scenarios'").fetchone()
    data[(page - 1) * 4096 + 4000 : page * 4096] = b"\xff" * 96
    data[(page - 1) * 4096] = 77
    damage.put(bytes(data), store)
    with pytest.raises(DamagedError, match="take out what is sound by 'ringlet store repair'"):
        Store.open(store)
    found = check(store)
    assert found.damage
    if not found.runs:
        return
    aside, runs = repair(store)
    assert aside.read_bytes() == bytes(data)
    assert runs == found.runs


def test_a_store_without_damage_is_said_to_be_sound(store, capsys):
    assert main(["store", "check", str(store)]) == 0
    found = check(store)
    words = f"sound; finished runs: {found.runs}, studies: {found.studies}"
    assert capsys.readouterr().out.splitlines() == [f"{store}: {words}"]


def test_check_prints_one_json_object(store, capsys):
    assert main(["store", "check", str(store.parent), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {"schema": 1, "store": str(store), "sound": True, "runs": 6, "studies": 3, "damaged": []}
    change(store, "UPDATE documents SET document = x'00'")
    assert main(["store", "check", str(store), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert not told["sound"]
    assert {damage["place"] for damage in told["damaged"]} >= {f"documents {number}" for number in range(1, 7)}


def test_a_store_that_was_cut_off_before_it_had_tables_is_empty(tmp_path):
    path = tmp_path / "store.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    assert path.stat().st_size
    assert (check(path).runs, check(path).damage) == (0, [])


def test_check_of_what_is_no_store_is_bad_input(tmp_path, capsys):
    assert main(["store", "check", str(tmp_path / "nothing")]) == 2
    with closing(sqlite3.connect(tmp_path / "mine.sqlite")) as connection:
        connection.execute("CREATE TABLE mine (x)")
    assert main(["store", "check", str(tmp_path / "mine.sqlite")]) == 2
    assert "<another SQLite database> is not allowed; a store of results" in capsys.readouterr().err
