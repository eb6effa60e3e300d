"""Stores of results: damaged, killed while they are written, out of room, and cut off in the middle of a write."""

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from campaign.case import Case, Kind
from campaign.cli import command
from campaign.observe import require
from ringlet.store import Store
from ringlet.store import check as check_store
from store import damage

STORE = "store.sqlite"

IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Where temporary files cost no disk."""


@dataclass(frozen=True)
class Whole:
    """A store, and what is in it."""

    data: bytes
    content: list[object]
    tables: list[object]


@cache
def whole() -> Whole:
    """The store that is damaged."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        path = Path(folder) / STORE
        damage.make(path)
        result = damage.rl.SweepResult.load(path)
        tables = damage.tables(result)
        result.close()
        return Whole(path.read_bytes(), damage.content(path), tables)


def generate(seed: int) -> Case:
    """Makes the case of a seed: all of it is drawn when it is tried."""
    return Case({"drawn": seed})


def damaged(case: Case, folder: Path, rng: Random) -> str:
    """Damages a store: the same content, or damage is named; a sweep gives the same tables, or refuses the file."""
    drawn = Random(f"stores {case.content['drawn']}")
    data, what = damage.flip(whole().data, drawn)
    path = folder / STORE
    path.write_bytes(data)
    ended = damage.read(path, whole().content)
    told = command("store", "check", str(path), fails=("damaged in ",))
    require(ended == "same" or told != "done", f"{what}: a check does not find it")
    if rng.random() < 0.1:
        ended = f"{ended}, swept {damage.sweep(path, whole().tables)}"
    return ended


STUDY = {"axes": [{"traffic.load": ["20 MB/s", "40 MB/s", "60 MB/s", "80 MB/s"]}], "replications": {"count": 3}}
RUNS = 12


@cache
def wanted() -> list[object]:
    """The tables of the study whose sweeps are killed."""
    result = damage.here(damage.study(**STUDY))
    return damage.tables(result)


def killed(case: Case, folder: Path, rng: Random) -> str:
    """Ends a sweep in some way at some moment: what it had stored is there, and the same sweep completes it."""
    del rng
    drawn = Random(f"kills {case.content['drawn']}")
    how = drawn.choices(("parent", "room", "worker", "parent of workers"), (60, 30, 5, 5))[0]
    path, workers = folder / STORE, 2 if "worker" in how else 1
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        sweep_and_end(path, writer, workers, room=drawn.randrange(0, 150_000) if how == "room" else None)
    os.close(writer)
    family: list[int] = []
    if workers > 1:
        family = _workers_of(child)
        time.sleep(drawn.random() * 0.2)
        os.kill(drawn.choice(family) if how == "worker" and family else child, signal.SIGKILL)
    elif how == "parent":
        time.sleep(drawn.random() * 0.12)
        os.kill(child, signal.SIGKILL)
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    if how == "worker":
        require(os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0, f"a killed worker ended the sweep: {status}")
    for worker in family:
        _require_end(worker)
    require_store(path, told[-1] if told else 0)
    return how


def sweep_and_end(
    path: Path, writer: int, workers: int, *, room: int | None = None, calls: Callable[[], int] | None = None
) -> None:
    """Sweeps in a child process, tells how many runs are stored after each transaction, and ends it.

    With `calls` it tells them with four more bytes, and once more at the end: how many calls were made until then.
    """
    code = 1
    try:
        if room is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))

        done = 0

        def tell(counts: object) -> None:
            nonlocal done
            done = counts.done  # type: ignore[attr-defined]
            os.write(writer, bytes([done]) + (b"" if calls is None else calls().to_bytes(4, "little")))

        damage.rl.sweep(damage.study(**STUDY), store=path, workers=workers, progress=tell).close()
        if calls is not None:
            os.write(writer, bytes([done]) + calls().to_bytes(4, "little"))
        code = 0
    except OSError:
        code = 3
    finally:
        os._exit(code)


def _workers_of(parent: int) -> list[int]:
    """The worker processes of a process, once there are some; empty if it has ended before."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            found = [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
            tasks = [int(task.name) for task in Path(f"/proc/{parent}/task").iterdir()]
            for task in tasks:
                found += [int(pid) for pid in Path(f"/proc/{parent}/task/{task}/children").read_text().split()]
            workers = [pid for pid in set(found) if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text()]
        except OSError:
            return []
        if workers:
            return workers
        time.sleep(0.01)
    return []


def _require_end(process: int) -> None:
    """Requires that a worker ends. One that is still being started ends when it has been."""
    end = time.monotonic() + 60
    while Path(f"/proc/{process}").exists():
        require(time.monotonic() < end, "a worker outlived its parent")
        time.sleep(0.01)


def require_store(path: Path, stored: int) -> None:
    """Requires that a store is sound and has all runs that were said to be stored, and that the same sweep completes
    it."""
    if path.exists() and path.stat().st_size:
        found = check_store(path)
        # A file without a page in it yet is no store, and none is lost.
        require(found.is_sound or not stored, f"damaged: {found.damage[:3]}")
    result = damage.here(damage.study(**STUDY), store=path)
    try:
        require(result.counts is not None and result.counts.found >= stored, f"of {stored} stored runs some are lost")
        require(damage.tables(result) == wanted(), "the completed sweep gives other tables")
    finally:
        result.close()


RECORD = """
import os, sys
sys.path.insert(0, sys.argv[3])
from store import damage
from campaign.kinds.stores import STUDY
mark = os.open(sys.argv[2], os.O_CREAT | os.O_RDWR)
tell = lambda counts: os.pwrite(mark, bytes([counts.done]), 0)
damage.rl.sweep(damage.study(**STUDY), store=sys.argv[1], workers=1, progress=tell).close()
"""

CALL = re.compile(
    r'(?:\d+ +)?(pwrite64|fdatasync|fsync|ftruncate|unlink)\((?:\d+<([^>]*)>|"([^"]*)")(?:, (.*))?\) += \d+'
)


@dataclass(frozen=True)
class Change:
    """What a process did to a file."""

    file: str
    """The end of its name: of the store, its write-ahead log, or the mark."""
    call: str
    data: bytes = b""
    at: int = 0


@cache
def recorded() -> list[Change]:
    """All that a sweep writes, in its order; empty where strace is not installed."""
    if shutil.which("strace") is None:
        return []
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        log, tests = Path(folder) / "log", Path(__file__).parents[2]
        calls = "trace=pwrite64,fdatasync,fsync,ftruncate,unlink"
        words = ["strace", "-f", "-qq", "-y", "-xx", "-s", "200000", "-e", calls, "-o", str(log)]
        script = [sys.executable, "-c", RECORD, str(Path(folder) / STORE), str(Path(folder) / "mark"), str(tests)]
        subprocess.run([*words, *script], check=True, timeout=300, capture_output=True)
        return [change for line in log.read_text().splitlines() if (change := _change(line, folder)) is not None]


def _change(line: str, folder: str) -> Change | None:
    if (found := CALL.match(line)) is None:
        return None
    call, opened, named, rest = found.groups()
    name = _plain(opened or named).decode()
    if not name.startswith(folder) or name.endswith("-shm"):
        return None
    file = Path(name).name
    if call == "pwrite64":
        text, _, at = rest.removeprefix('"').rpartition('", ')[0], *rest.rpartition(", ")[1:]
        return Change(file, call, _plain(text), int(at))
    return Change(file, call, at=int(rest) if call == "ftruncate" else 0)


def _plain(text: str) -> bytes:
    return re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes([int(found[1], 16)]), text.encode())


def cut_off(case: Case, folder: Path, rng: Random) -> str:
    """Cuts a sweep off at some write, as a power failure does: of what was not yet put on the disk any part may be
    there."""
    changes = recorded()
    if not changes:
        return "strace is missing"
    drawn = Random(f"crashes {case.content['drawn']}")
    end = drawn.randrange(len(changes) + 1)
    stored = max([change.data[0] for change in changes[:end] if change.file == "mark"], default=0)
    loses = drawn.random() < 0.7
    for name in (STORE, f"{STORE}-wal", f"{STORE}-journal"):
        content = _left(changes[:end], name, drawn.random if loses else lambda: 0.0)
        if content is not None:
            (folder / name).write_bytes(content)
    path = folder / STORE
    if path.exists() and path.stat().st_size and stored:
        found = check_store(path)
        require(found.is_sound, f"cut off at {end}: {found.damage[:3]}")
        require(found.runs >= stored, f"cut off at {end}: {found.runs} of {stored} runs are there")
    if rng.random() < 0.2:
        require_store(path, stored)
    else:
        Store.open(path).close()
    return "cut off, writes lost" if loses else "cut off"


def _left(changes: list[Change], name: str, roll: Callable[[], float]) -> bytes | None:
    """The content of a file after these changes, some of the writes since it was last put on the disk left out or
    torn."""
    own = [change for change in changes if change.file == name]
    synced = max((i for i, change in enumerate(own) if change.call in ("fsync", "fdatasync")), default=-1)
    content: bytearray | None = None
    for i, change in enumerate(own):
        match change.call:
            case "pwrite64":
                content = bytearray() if content is None else content
                data = change.data
                if i > synced and (chance := roll()) > 0.5:
                    data = b"" if chance > 0.75 else data[: int(len(data) * 2 * (chance - 0.25)) // 512 * 512]
                if data:
                    content.extend(bytes(max(0, change.at + len(data) - len(content))))
                    content[change.at : change.at + len(data)] = data
            case "ftruncate":
                content = bytearray() if content is None else content[: change.at]
            case "unlink":
                content = None
    return None if content is None else bytes(content)


STORES = Kind("stores", "damaged stores of results", generate, damaged)
KILLS = Kind("kills", "sweeps whose process or worker is killed, or whose disk is full", generate, killed)
CRASHES = Kind("crashes", "sweeps cut off at a write, as by a power failure", generate, cut_off)
