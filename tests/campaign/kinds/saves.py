"""Saved simulations whose content is damaged and whose checksum is right: refused with one message, or gone on with."""

from bisect import bisect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, reduce
from operator import xor
from pathlib import Path
from random import Random

import ringlet as rl
from campaign.case import Case, Kind
from campaign.draw import Walks
from campaign.kinds.scenarios import ring
from campaign.observe import require
from ringlet import RingletError, Scenario

CYCLES = 3000
"""Cycles before a simulation is saved, and behind it, at most."""

DAMAGED = 10
"""Damages of one saved simulation."""


def damage_saves(case: Case, folder: Path, rng: Random) -> str:
    """Saves a simulation somewhere on its way, and damages the file several times."""
    scenario = case.checked
    if not isinstance(scenario, Scenario):
        try:
            scenario = Scenario.from_dict(case.content["scenario"], base_dir=folder)
        except RingletError:
            return "refused"
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
    saved = Saved.of(path.read_bytes())
    require(saved.bytes() == path.read_bytes(), "the checksum is another one")
    ended = [_go_on(saved.damaged(rng), path, rng) for _ in range(DAMAGED)]
    return "all refused" if all(ended) else "some gone on with"


def _go_on(damaged: "Saved", path: Path, rng: Random) -> bool:
    """Loads a damaged file and goes on from there; returns whether it was refused."""
    path.write_bytes(damaged.bytes())
    try:
        simulation = rl.Simulation.load(path, threads=rng.choice((1, 1, 2)))
    except RingletError as refused:
        require(str(refused).startswith(f"{path}: ") and "\n" not in str(refused), f"refused with {refused}")
        return True
    try:
        for _ in range(3):
            simulation.advance(rng.randint(1, CYCLES))
            simulation.counters()
            simulation.deliveries()
        simulation.reset_counters()
        simulation.fork().save(path)
    except rl.StallError:
        pass
    return False


@dataclass(frozen=True)
class Saved:
    """The content of a file in parts."""

    head: bytes
    """The line that says what it is."""
    note: bytes
    """What it was made of, with its length."""
    state: bytes
    checksum: "Checksum"

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
        return cls(head + b"\n", content[: at + length], content[at + length :], Checksum(content))

    def bytes(self) -> bytes:
        """Returns the file with its checksum."""
        content = self.note + self.state
        return self.head + content + self.checksum.of(content).to_bytes(4, "little")

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


@cache
def _table() -> tuple[int, ...]:
    def steps(value: int) -> Iterator[int]:
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
            yield value

    return tuple(tuple(steps(first))[-1] for first in range(256))


def _behind(state: int, data: Iterable[int]) -> int:
    """Returns the state behind some bytes."""
    table = _table()
    for byte in data:
        state = state >> 8 ^ table[(state ^ byte) & 255]
    return state


@cache
def _zeros(power: int) -> tuple[int, ...]:
    """What becomes of each bit of a state behind 2 to this power zero bytes."""
    if not power:
        return tuple(_behind(1 << bit, (0,)) for bit in range(32))
    return tuple(_by(_zeros(power - 1), image) for image in _zeros(power - 1))


def _by(images: tuple[int, ...], state: int) -> int:
    return reduce(xor, (image for bit, image in enumerate(images) if state >> bit & 1), 0)


class Checksum:
    """The CRC-32C of RFC 3720 (reflected, 0x1EDC6F41), which ends a saved simulation, of some bytes and of others that
    differ from them in a few places: it is linear in what differs."""

    def __init__(self, data: bytes) -> None:
        """Looks at each byte once."""
        self._data = data
        self._states = [0xFFFFFFFF]
        state, table = 0xFFFFFFFF, _table()
        for byte in data:
            state = state >> 8 ^ table[(state ^ byte) & 255]
            self._states.append(state)

    def of(self, other: bytes) -> int:
        """Returns the checksum of other bytes."""
        least = min(len(self._data), len(other))
        first = _common(lambda count: self._data[:count] == other[:count], least)
        last = _common(
            lambda count: self._data[len(self._data) - count :] == other[len(other) - count :], least - first
        )
        state = _behind(self._states[first], other[first : len(other) - last])
        differs = state ^ self._states[len(self._data) - last]
        for power in range(last.bit_length()):
            if last >> power & 1:
                differs = _by(_zeros(power), differs)
        return self._states[-1] ^ differs ^ 0xFFFFFFFF


def _common(are_equal: Callable[[int], bool], most: int) -> int:
    """Returns how many bytes, at most, are equal."""
    return bisect(range(1, most + 1), False, key=lambda count: not are_equal(count))


SAVES = Kind(
    "saves",
    "saved simulations with damaged content and a right checksum",
    Walks("saves", ring),
    damage_saves,
)
