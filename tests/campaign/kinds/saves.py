"""Saved simulations whose content is damaged and whose checksum is right: refused with one message, or gone on with."""

from dataclasses import dataclass, replace
from functools import cache, reduce
from operator import xor
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ringlet as rl
from campaign.case import Case, Kind
from campaign.draw import Walks
from campaign.kinds.scenarios import ring
from campaign.observe import is_large, require
from ringlet import RingletError, Scenario

CYCLES = 3000
"""Cycles before a simulation is saved, and behind it, at most."""

DAMAGED = 10
"""Damages of one saved simulation."""

MOST_BYTES = 1 << 18
"""Size of a file up to which it is damaged: one with thousands of packets takes seconds, and is made of the same
parts."""

LATE = "the saved simulation is damaged: the engine failed on it"
"""The message for a file that contradicts itself in a way that is not found when it is loaded."""

OUTCOMES = ("some refused on their way", "some gone on with", "all refused")
"""Ends of the damaged files of a trial: the first of these that is so of one."""

UintArray = NDArray[Any]


def damage_saves(case: Case, folder: Path, rng: Random) -> str:
    """Saves a simulation somewhere on its way, and damages the file several times."""
    scenario = case.checked
    if not isinstance(scenario, Scenario):
        try:
            scenario = Scenario.from_dict(case.content["scenario"], base_dir=folder)
        except RingletError:
            return "refused"
    if is_large(scenario, 4 * CYCLES):
        return "too many packets"
    path = folder / "half-way.ringlet"
    try:
        simulation = rl.Simulation(scenario)
        if scenario.network.nodes > 1:
            simulation.inject(0, 1, time=rng.randrange(2 * CYCLES))
        simulation.advance(rng.randint(0, CYCLES))
    except RingletError:
        # It stalls, or no packet of its transaction fits.
        return "nothing to save"
    simulation.save(path)
    if path.stat().st_size > MOST_BYTES:
        return "too large"
    saved = Saved.of(path.read_bytes())
    require(saved.bytes() == path.read_bytes(), "the checksum is another one")
    ended = {_go_on(saved.damaged(rng), path, rng) for _ in range(DAMAGED)}
    return next(outcome for outcome in OUTCOMES if outcome in ended)


def _go_on(damaged: "Saved", path: Path, rng: Random) -> str:
    """Loads a damaged file and goes on from there; returns what becomes of it."""
    path.write_bytes(damaged.bytes())
    try:
        simulation = rl.Simulation.load(path, threads=rng.choice((1, 1, 2)))
    except RingletError as refused:
        require(str(refused).startswith(f"{path}: ") and "\n" not in str(refused), f"refused with {refused}")
        return "all refused"
    try:
        for _ in range(3):
            simulation.advance(rng.randint(1, CYCLES))
            simulation.counters()
            simulation.deliveries()
        simulation.reset_counters()
        simulation.fork().save(path)
    except rl.StallError:
        pass
    except RingletError as refused:
        require(str(refused) == f"{path}: {LATE}", f"refused with {refused}")
        return "some refused on their way"
    return "some gone on with"


@dataclass(frozen=True)
class Saved:
    """The content of a file in parts."""

    head: bytes
    """The line that says what it is."""
    note: bytes
    """What it was made of, with its length."""
    state: bytes

    @classmethod
    def of(cls, data: bytes) -> "Saved":
        """Returns the parts of a file."""
        head, _, content = data.partition(b"\n")
        content = content[:-4]
        length, at = 0, 0
        while True:
            length |= (content[at] & 127) << 7 * at
            at += 1
            if content[at - 1] < 128:
                break
        return cls(head + b"\n", content[: at + length], content[at + length :])

    def bytes(self) -> bytes:
        """Returns the file with its checksum."""
        content = self.note + self.state
        return self.head + content + checksum(content).to_bytes(4, "little")

    def damaged(self, rng: Random) -> "Saved":
        """Returns it with other bytes, mostly of the state."""
        if rng.random() < 0.05:
            return replace(self, note=_damaged(self.note, rng))
        return replace(self, state=_damaged(self.state, rng))


def _damaged(data: bytes, rng: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.randrange(len(changed))
        match rng.choice(("byte", "byte", "byte", "near", "end", "cut", "more", "copy")):
            case "byte":
                changed[at] = rng.randrange(256)
            case "near":
                changed[at] = (changed[at] + rng.choice((-1, 1))) % 256
            case "end":
                changed[at] = rng.choice((0, 1, 127, 128, 255))
            case "cut":
                del changed[at : at + rng.randint(1, 8)]
            case "more":
                changed[at:at] = rng.choice((bytes(4), b"\xff" * 9 + b"\x01", rng.randbytes(3)))
            case "copy":
                other = rng.randrange(len(changed))
                changed[at : at + 8] = changed[other : other + 8]
    return bytes(changed)


COLUMNS = 128
"""Bytes of a row: a checksum takes the bytes of all rows at once, a column after the other."""


def checksum(data: bytes) -> int:
    """Returns the CRC-32C of RFC 3720 (reflected, 0x1EDC6F41) of four bytes or more."""
    table = _table()
    # Zeros in front of the data leave a state of 0 as it is; the first state, of ones, is as good as four other bytes.
    room = -len(data) % COLUMNS
    rows = np.zeros(room + len(data), dtype=np.uint8)
    rows[room:] = np.frombuffer(data, dtype=np.uint8)
    rows[room : room + 4] ^= 0xFF
    states = np.zeros(len(rows) // COLUMNS, dtype=np.uint32)
    for column in rows.reshape(-1, COLUMNS).T:
        states = _behind(states, column, table)
    state = 0
    for row in states.tolist():
        state = reduce(xor, (images[state >> 8 * place & 255] for place, images in enumerate(_behind_row())), row)
    return state ^ 0xFFFFFFFF


def _behind(states: UintArray, data: UintArray | int, table: UintArray) -> UintArray:
    """Returns states behind a byte each."""
    return states >> np.uint32(8) ^ table[(states ^ data) & 255]


@cache
def _table() -> UintArray:
    states = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        states = states >> np.uint32(1) ^ np.where(states & 1, np.uint32(0x82F63B78), np.uint32(0))
    return states


@cache
def _behind_row() -> list[list[int]]:
    """Returns what becomes of each byte of a state behind a row of zeros."""
    found = []
    for place in range(4):
        states = np.arange(256, dtype=np.uint32) << np.uint32(8 * place)
        for _ in range(COLUMNS):
            states = _behind(states, 0, _table())
        found.append(states.tolist())
    return found


SAVES = Kind(
    "saves",
    "saved simulations with damaged content and a right checksum",
    Walks("saves", ring),
    damage_saves,
)
