"""Stores with damage, and what must become of them: the same tables, or a message that names it."""

import shutil
import sys
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1] / "sweep"))
import ringlet as rl
from ringlet.errors import RingletError
from ringlet.store import Store, check
from studies.small_studies import here, study

SIDE_FILES = ("", "-wal", "-shm")


def make(path: Path) -> None:
    """A store of two studies, one of which has a run that failed."""
    here(study(replications={"count": 1}), store=path).close()
    with Store.open(path) as store:
        with store.transaction():
            store.studies.begin({"another": "study"}, "1.0")
        here(study(), store=store)


def content(path: Path) -> list[object]:
    """All that tables, reports and figures are made from, but for the wall-clock time of computing it."""
    with Store.open(path) as store:
        latest = store.studies.latest()
        assert latest is not None
        runs = store.studies.runs(latest.id)
        return [
            latest.content,
            latest.engine,
            *(getattr(runs, column).tolist() for column in ("point", "replication", "seed")),
            runs.scenario_key,
            runs.engine,
            [(layout, rows.tolist(), packed) for layout, rows, packed in runs.figures],
            list(store.studies.documents(runs.result)),
            list(store.studies.scenarios(runs.result)),
            list(store.studies.failures(latest.id)),
        ]


def tables(result: rl.SweepResult) -> list[object]:
    """What a user sees, but for the wall-clock time of computing it."""
    frames = (result.points.drop(columns="wall_s"), result.nodes, result.summary, result.failures)
    return [*(frame.to_csv() for frame in frames), result.study.to_dict(), list(result.scenarios_json())]


def flip(data: bytes, random: Random) -> tuple[bytes, str]:
    """Damages one bit, some bytes, or a page, and says what."""
    kind, damaged = random.choice(("bit", "bit", "bytes", "zeros", "page")), bytearray(data)
    at = random.randrange(len(data))
    match kind:
        case "bit":
            damaged[at] ^= 1 << random.randrange(8)
        case "bytes":
            part = damaged[at : at + random.randint(1, 16)]
            damaged[at : at + len(part)] = random.randbytes(len(part))
        case "zeros":
            part = damaged[at : at + random.choice((1, 8, 512))]
            damaged[at : at + len(part)] = bytes(len(part))
        case "page":
            size = 4096
            source = random.randrange(len(data) // size) * size
            at = at // size * size
            damaged[at : at + size] = data[source : source + size]
    return bytes(damaged), f"{kind} at {at}"


def put(data: bytes, path: Path) -> None:
    """Writes a store, alone."""
    for end in SIDE_FILES:
        path.with_name(path.name + end).unlink(missing_ok=True)
    path.write_bytes(data)


def copy(source: Path, target: Path) -> None:
    """Copies a store with all that belongs to it."""
    for end in SIDE_FILES:
        target.with_name(target.name + end).unlink(missing_ok=True)
        if source.with_name(source.name + end).exists():
            shutil.copyfile(source.with_name(source.name + end), target.with_name(target.name + end))


def read(path: Path, wanted: list[object]) -> str:
    """Reads a store that may be damaged; returns "same" or "named"."""
    try:
        found = content(path)
    except RingletError as error:
        if path.name not in str(error):
            raise
        return "named"
    assert found == wanted
    return "same"


def is_found(path: Path) -> bool:
    """Whether a check finds damage, or takes the file for something else."""
    try:
        return not check(path).is_sound
    except RingletError:
        return True


def sweep(path: Path, wanted: list[object]) -> str:
    """Sweeps the study again with a store that may be damaged: returns "refused", or "same" for the same tables."""
    try:
        result = here(study(), store=path)
    except RingletError:
        return "refused"
    try:
        assert tables(result) == wanted
    finally:
        result.close()
    return "same"
