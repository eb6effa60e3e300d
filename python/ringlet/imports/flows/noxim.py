"""Traffic tables of Noxim (Catania, Mineo, Monteleone, Palesi, Patti 2015): a flow each line."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ringlet.errors import RingletError
from ringlet.imports.content import LEAVE_OUT, Answers, Imported, asked
from ringlet.imports.flows.flow_rows import cycle_ns, flows, named_once, time
from ringlet.imports.lines import read_lines
from ringlet.sections.wording import counted

COLUMNS = "source destination [pir [por [t_on [t_off [t_period]]]]]"
"""Columns of a table, as the manual of Noxim names them."""


@dataclass(frozen=True)
class Communication:
    """A line of a table."""

    place: str
    source: int
    destination: int
    pir: float | None
    """Probability of a packet in a cycle; None: that of Noxim's configuration."""
    por: float | None
    """Probability of a packet in the cycle after one; None: `pir`."""
    on: int
    """Cycle after which it sends."""
    off: int | None
    """Cycle before which it ends; None: it has no end."""
    period: int | None
    """Cycles after which it begins again; None: never."""

    @property
    def is_in_bursts(self) -> bool:
        """True if a packet changes the probability of one in the next cycle."""
        return self.por is not None and self.por != self.pir


def read(file: Path, answers: Answers) -> Imported:
    """Returns the flows of a table.

    Raises:
        RingletError: a line is none of a table; or nothing says the time of a cycle, the size of a packet or a rate.
    """
    lines = list(_communications(file))
    if not lines:
        raise RingletError.not_allowed(str(file), "<no line>", f"a line for each flow: {COLUMNS}")
    ns = cycle_ns(file, answers.cycle)
    if answers.size is None:
        raise asked(str(file), "it does not say how large a packet is", "--size", "it, such as '32 B'")
    left: list[str] = []
    kept = [one for one in lines if _is_kept(one, answers, left)]
    shot = _shares_of_cycles_after_packets(kept)
    rows = []
    bursts = 0
    for one in kept:
        row = {"name": f"{one.source}-{one.destination}", "source": str(one.source), "size": answers.size}
        row |= {"destination": str(one.destination), "arrivals": "bernoulli"}
        if one.pir is None:
            row["rate"] = str(answers.rate)
        else:
            por = one.pir if one.por is None else one.por
            rate = one.pir + shot[one.source] * (por - one.pir)
            bursts += one.is_in_bursts
            row["period"] = time(1 / rate, ns)
        if one.on:
            row["start"] = time(one.on + 1, ns)
        if one.off is not None:
            row["stop"] = time(one.off, ns)
        rows.append(row)
    if not rows:
        raise RingletError.not_allowed(str(file), "<no flow>", "a line whose flow sends and is not left out")
    named_once(rows)
    nodes = 1 + max(max(one.source, one.destination) for one in lines)
    found = flows({"nodes": max(2, nodes)}, rows)
    found.taken = [
        f"{nodes} nodes: up to the highest of the table, which does not say how many there are",
        *_rates_taken(kept, answers),
    ]
    if bursts:
        left.append(
            f"the bursts of {counted(bursts, 'flow')} whose por is not pir: their mean rate is kept, as it is while "
            "all flows of their source are on"
        )
    found.left_out = [*left, "topology, routing, buffers and flits: they are in Noxim's configuration"]
    return found


def _rates_taken(kept: list[Communication], answers: Answers) -> list[str]:
    """Returns where the rates of the flows are from."""
    without = sum(one.pir is None for one in kept)
    bursts = sum(one.is_in_bursts for one in kept)
    said = {
        "Bernoulli: a packet in a cycle with the probability pir": len(kept) - without - bursts,
        "Bernoulli: at the mean rate of pir and por": bursts,
        f"Bernoulli, without pir: at the rate of --rate, {answers.rate}": without,
    }
    taken = [f"{counted(count, 'flow')}, {how}" for how, count in said.items() if count]
    if answers.rate is not None and not without:
        taken.append("nothing of --rate: each flow has its pir")
    return taken


def _is_kept(one: Communication, answers: Answers, left: list[str]) -> bool:
    way = f"{one.source}-{one.destination}"
    if one.pir == 0:
        left.append(f"{way}: it never begins, its pir is 0")
        return False
    if one.source == one.destination:
        if answers.own != LEAVE_OUT:
            value = f"node {one.source} sends to itself"
            raise asked(one.place, value, f"--own {LEAVE_OUT}", "that such flows are left out")
        left.append(f"{way}: it goes to the node that sends it")
        return False
    if one.pir is None and answers.rate is None:
        raise asked(one.place, "it has no pir", "--rate", "the rate of such flows, such as '10 MB/s' or '5 MHz'")
    if one.period is not None:
        if answers.period != LEAVE_OUT:
            value = f"it begins again every {one.period} cycles, as no flow does"
            raise asked(one.place, value, f"--period {LEAVE_OUT}", "that such flows are left out")
        left.append(f"{way}: it begins again every {one.period} cycles")
        return False
    return True


def _shares_of_cycles_after_packets(lines: list[Communication]) -> dict[int, float]:
    """Returns the share of cycles of each source that come after one with a packet, while all of its flows are on.

    A source sends with the probability P, the sum of pir, after a cycle without a packet, and with Q, the sum of por,
    after one with a packet: of a Markov chain with these two states the share of the second is P / (1 + P - Q).
    """
    chances: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for one in lines:
        if one.pir is not None:
            chances[one.source][0] += one.pir
            chances[one.source][1] += one.pir if one.por is None else one.por
    return {source: min(p, 1.0) / (1 + min(p, 1.0) - min(q, 1.0)) for source, (p, q) in chances.items() if p}


def _communications(file: Path) -> Iterator[Communication]:
    for number, line in read_lines(file, "a traffic table of Noxim"):
        if not line.strip() or line.startswith("%"):
            continue
        place, cells = f"{file}, line {number}", line.split()
        if not 2 <= len(cells) <= 7:
            raise RingletError.not_allowed(place, line.strip(), COLUMNS)
        ends = [_whole(f"{place}, {name}", cell) for name, cell in zip(("source", "destination"), cells, strict=False)]
        pir, por = (
            _chance(f"{place}, {name}", cells[at]) if len(cells) > at else None for at, name in ((2, "pir"), (3, "por"))
        )
        on, off, period = (
            _whole(f"{place}, {name}", cells[at]) if len(cells) > at else None
            for at, name in ((4, "t_on"), (5, "t_off"), (6, "t_period"))
        )
        for name, value, below in (("t_off", off, on), ("t_period", period, off)):
            if value is not None and value <= (below or 0) and not (name == "t_period" and value == 0):
                raise RingletError.not_allowed(f"{place}, {name}", value, f"more than {below}, the time before it")
        yield Communication(place, ends[0], ends[1], pir, por, on or 0, off, period or None)


def _whole(place: str, cell: str) -> int:
    if not (cell.isascii() and cell.isdecimal() and len(cell) <= 18):
        raise RingletError.not_allowed(place, cell, "a whole number, at least 0")
    return int(cell)


def _chance(place: str, cell: str) -> float | None:
    try:
        found = float(cell)
    except ValueError:
        found = float("nan")
    # -1 stands for what the configuration says.
    if found == -1:
        return None
    if not 0 <= found <= 1:
        raise RingletError.not_allowed(place, cell, "a probability from 0 to 1, or -1: that of Noxim's configuration")
    return found
