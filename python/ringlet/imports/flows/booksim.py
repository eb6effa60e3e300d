"""Configurations of BookSim 2 (Jiang, Becker, Michelogiannakis, Balfour, Towles, Shaw, Kim, Dally 2013): their traffic,
a flow for each node and class."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ringlet.errors import RingletError
from ringlet.imports.content import LEAVE_OUT, Answers, Imported, asked, some
from ringlet.imports.flows.booksim_patterns import Pattern, pattern
from ringlet.imports.flows.flow_rows import cycle_ns, flows, time
from ringlet.imports.lines import read_lines
from ringlet.scenario.values.units import size_bytes
from ringlet.sections.wording import counted

DEFAULTS = {
    **{"topology": "torus", "k": "8", "n": "2", "c": "1", "xr": "1", "classes": "1", "traffic": "uniform"},
    **{"injection_rate": "0.1", "injection_rate_uses_flits": "0", "injection_process": "bernoulli"},
    **{"packet_size": "1", "packet_size_rate": "1", "burst_alpha": "0.5", "burst_beta": "0.5", "burst_r1": "-1"},
    **{"sim_type": "latency", "use_read_write": "0", "priority": "none", "class_priority": "0"},
    "network_file": "",
}
"""Keys that say the traffic, with the values that BookSim gives them."""

MAX_NODES = 4096
MAX_SHARES = 1 << 20
"""Destinations of all nodes that a table of flows may hold."""

OWN_SHARE = 1e-12
"""Share of packets of a node to itself below which it is a rounding error."""

_COMMAND = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([^;\s]+(?:[ \t]+[^;\s]+)*)\s*;")


@dataclass(frozen=True)
class Settings:
    """The commands of a configuration."""

    file: Path
    given: Mapping[str, tuple[str, int]]
    """Value and line of each key."""

    def place(self, key: str) -> str:
        """Returns where a key is said."""
        return f"{self.file}, line {self.given[key][1]}, {key}" if key in self.given else f"{self.file}, {key}"

    def text(self, key: str) -> str:
        """Returns the value of a key."""
        return self.given[key][0] if key in self.given else DEFAULTS[key]

    def whole(self, key: str, *, least: int = 0) -> int:
        """Returns the whole number that a key has.

        Raises:
            RingletError: it is none, or below the least.
        """
        text = self.text(key)
        if not (text.isascii() and text.isdecimal() and len(text) <= 9) or int(text) < least:
            raise RingletError.not_allowed(self.place(key), text, f"a whole number, at least {least}")
        return int(text)

    def each(self, key: str, classes: int) -> list[str]:
        """Returns the value of a key for each class: the last of a list is that of all further ones."""
        found = parts(self.text(key))
        return [found[min(place, len(found) - 1)] for place in range(classes)]

    def number(self, key: str, text: str, *, least: float = 0.0) -> float:
        """Returns the number in a value.

        Raises:
            RingletError: it is none, or below the least.
        """
        try:
            found = float(text)
        except ValueError:
            found = math.nan
        if not least <= found < math.inf:
            raise RingletError.not_allowed(self.place(key), text, f"a number, at least {least:g}")
        return found


def parts(text: str) -> list[str]:
    """Returns what a list `{a,b(c,d),{e,f}}` holds; of any other value itself."""
    if not (text.startswith("{") and text.endswith("}")):
        return [text]
    found, depth = [""], 0
    for letter in text[1:-1]:
        depth += (letter in "({") - (letter in ")}")
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    return found


def read(file: Path, answers: Answers) -> Imported:
    """Returns the traffic of a configuration as flows.

    Raises:
        RingletError: the file is no configuration, or has traffic that no flow can be; or nothing says the time of a
            cycle or the size of a flit.
    """
    settings = _settings(file)
    for key, allowed in (("sim_type", ("latency", "throughput")), ("use_read_write", ("0", "{0}"))):
        if settings.text(key) not in allowed:
            raise RingletError.not_allowed(settings.place(key), settings.text(key), f"{allowed[0]}, for flows")
    nodes = _nodes(settings)
    if not 2 <= nodes <= MAX_NODES:
        value = f"<{nodes} nodes>"
        raise RingletError.not_allowed(settings.place("topology"), value, f"2 to {MAX_NODES} nodes")
    classes = settings.whole("classes", least=1)
    ns = cycle_ns(file, answers.cycle)
    if answers.size is None:
        raise asked(str(file), "its packets are counted in flits", "--size", "the bytes of a flit, such as '16 B'")
    rows: list[dict[str, str]] = []
    left: list[str] = []
    for number in range(classes):
        rows += _class(settings, number, nodes, ns, answers, left)
    if not rows:
        raise RingletError.not_allowed(str(file), "<no traffic>", "an injection_rate above 0")
    network = f"topology {settings.text('topology')}: network.topology of the scenario says over what the flows go"
    # A channel of BookSim carries a flit a cycle.
    rate = f"{_flit_bytes(answers.size) / ns * 1000:.12g} MB/s"
    found = flows({"nodes": nodes, "link_rate": rate}, rows)
    kinds = [f"{one}, {rate} a cycle" for one, rate in _said(settings, classes)]
    found.taken = [
        f"{nodes} nodes, and links of {rate}, a flit a cycle",
        f"{counted(len(rows), 'flow')} of {counted(classes, 'class')}: {some(kinds)}",
    ]
    found.left_out = [
        *dict.fromkeys(left),
        network,
        "routing, virtual channels, buffers, delays, warm-up: all but the traffic",
    ]
    return found


def _said(settings: Settings, classes: int) -> list[tuple[str, str]]:
    return list(zip(settings.each("traffic", classes), settings.each("injection_rate", classes), strict=True))


def _class(
    settings: Settings, number: int, nodes: int, ns: float, answers: Answers, left: list[str]
) -> list[dict[str, str]]:
    classes = number + 1
    name = settings.each("traffic", classes)[number]
    sizes, mean = _sizes(settings, number, str(answers.size))
    load = settings.number("injection_rate", settings.each("injection_rate", classes)[number])
    if settings.text("injection_rate_uses_flits") not in ("0", "{0}"):
        load /= mean
    if load == 0:
        left.append(f"class {number}: its injection_rate is 0")
        return []
    if load > 1:
        raise RingletError.not_allowed(settings.place("injection_rate"), f"{load:g}", "at most a packet in a cycle")
    found = pattern(settings.place("traffic"), name, nodes, {key: settings.whole(key) for key in ("k", "n", "xr")})
    timing = _timing(settings, number, load, ns, left)
    common = {"size_bytes": sizes} | timing
    if settings.text("priority") == "class":
        level = settings.each("class_priority", classes)[number]
        common["priority"] = str(int(settings.number("class_priority", level)))
    if number or settings.whole("classes") > 1:
        common["class"] = str(number)
    rows = []
    for source in range(nodes):
        to, rate = _destinations(settings, found, source, nodes, answers, left)
        if rate:
            label = f"{source} {name}" + (f" class {number}" if "class" in common else "")
            row = {"name": label, "source": str(source), "destination": to} | common
            rows.append(row | {"period": time(1 / (load * rate), ns)})
    return rows


def _destinations(
    settings: Settings, found: Pattern, source: int, nodes: int, answers: Answers, left: list[str]
) -> tuple[str, float]:
    """Returns the cell of the destinations of a node, and the share of its packets that go to others."""
    shares = found.shares(source)
    if shares is not None and len(shares) * nodes > MAX_SHARES:
        value = f"<{len(shares) * nodes:,} destinations>"
        raise RingletError.not_allowed(settings.place("traffic"), value, f"at most {MAX_SHARES:,} of all nodes")
    own = 1 / nodes if shares is None else shares.get(source, 0.0)
    if own > OWN_SHARE and answers.own != LEAVE_OUT:
        value = f"pattern {found.name} sends {own:.3g} of the packets of node {source} to itself"
        raise asked(settings.place("traffic"), value, f"--own {LEAVE_OUT}", "that such packets are left out")
    if own > OWN_SHARE:
        left.append(f"packets of pattern {found.name} to the node that sends them; the others keep their rate")
    if shares is None:
        return "all", 1 - own
    others = {node: share for node, share in shares.items() if node != source and share}
    rate = math.fsum(others.values())
    if len(others) == 1:
        return str(next(iter(others))), rate
    return "; ".join(f"{node}: {share / rate:.17g}" for node, share in others.items()), rate


def _sizes(settings: Settings, number: int, flit: str) -> tuple[str, float]:
    """Returns the cell of the sizes of packets of a class, in bytes, and their mean in flits."""
    each = _flit_bytes(flit)
    found = parts(settings.each("packet_size", number + 1)[number])
    flits = [settings.number("packet_size", one, least=1) for one in found]
    given = parts(settings.each("packet_size_rate", number + 1)[number])
    weights = [settings.number("packet_size_rate", given[min(place, len(given) - 1)]) for place in range(len(flits))]
    total = math.fsum(weights)
    if not total:
        raise RingletError.not_allowed(settings.place("packet_size_rate"), "<all 0>", "a rate above 0")
    shares: dict[float, float] = {}
    for size, weight in zip(flits, weights, strict=True):
        if weight:
            shares[size] = shares.get(size, 0.0) + weight / total
    mean = math.fsum(size * share for size, share in shares.items())
    if len(shares) == 1:
        return f"{mean * each:.12g}", mean
    return "; ".join(f"{size * each:.12g}: {share:.17g}" for size, share in shares.items()), mean


def _flit_bytes(flit: str) -> float:
    try:
        return size_bytes(flit)
    except ValueError:
        raise RingletError.not_allowed("--size", flit, "the bytes of a flit, such as '16 B'") from None


def _timing(settings: Settings, number: int, load: float, ns: float, left: list[str]) -> dict[str, str]:
    """Returns the cells that say when packets of a class come, but for their rate."""
    process = settings.each("injection_process", number + 1)[number]
    name, _, rest = process.partition("(")
    if name == "bernoulli":
        return {"arrivals": "bernoulli"}
    if name != "on_off":
        raise RingletError.not_allowed(settings.place("injection_process"), process, "bernoulli or on_off(alpha,beta)")
    given = [one for one in rest.rstrip(")").split(",") if one]
    if len(given) > 3:
        value = "its fourth parameter, who is on at the start, is drawn here"
        left.append(f"injection_process {process}: {value}")
    keys = ("burst_alpha", "burst_beta", "burst_r1")
    alpha, beta, rate = (
        settings.number("injection_process", given[place] if len(given) > place else settings.text(key), least=-1)
        for place, key in enumerate(keys)
    )
    # The one of alpha, beta and r1 that is below 0 follows from the load: load = r1 alpha / (alpha + beta).
    if alpha < 0:
        alpha = beta * load / (rate - load) if rate > load else math.nan
    elif beta < 0:
        beta = alpha * (rate - load) / load
    peak = load * (alpha + beta) / alpha if alpha else math.nan
    if not (0 < alpha <= 1 and 0 < beta <= 1 and peak <= 1 and (rate < 0 or math.isclose(rate, peak))):
        allowed = "two of alpha, beta and r1, from 0 to 1, whose burst rate is at most a packet in a cycle"
        raise RingletError.not_allowed(settings.place("injection_process"), process, allowed)
    left.append("on_off: while a source is on, BookSim draws for each cycle; here the distances of packets are equal")
    return {"arrivals": "on-off", "on": time(1 / beta, ns), "off": time(1 / alpha, ns)}


def _settings(file: Path) -> Settings:
    given: dict[str, tuple[str, int]] = {}
    for number, line in read_lines(file, "a configuration of BookSim"):
        rest = line.partition("//")[0]
        while rest.strip():
            match = _COMMAND.match(rest)
            if match is None:
                allowed = "a command of BookSim, such as traffic = uniform;"
                raise RingletError.not_allowed(f"{file}, line {number}", rest.strip()[:80], allowed)
            given[match[1]] = (re.sub(r"[ \t]+", "", match[2]), number)
            rest = rest[match.end() :]
    if not any(key in DEFAULTS for key in given):
        allowed = f"a configuration with one at least of {some(DEFAULTS)}"
        raise RingletError.not_allowed(str(file), "<no key of the traffic>", allowed)
    return Settings(file, given)


def _nodes(settings: Settings) -> int:
    topology = settings.text("topology")
    if topology == "anynet":
        return _anynet(settings)
    k, n, c = (settings.whole(key, least=1) for key in ("k", "n", "c"))
    if n * math.log2(k) > 32:
        raise RingletError.not_allowed(settings.place("n"), n, f"at most {MAX_NODES} nodes")
    match topology:
        case "mesh" | "torus" | "fly" | "fattree" | "qtree" | "tree4":
            return int(k**n)
        case "cmesh" | "flatfly":
            return int(c * k**n)
        case "dragonflynew":
            # k nodes, and k links to other groups, at each of 2 k routers of a group; for n above 1 at each of k^n.
            routers = 2 * k if n == 1 else int(k**n)
            return routers * k * (routers * k + 1)
    allowed = "mesh, torus, fly, fattree, qtree, tree4, cmesh, flatfly, dragonflynew or anynet"
    raise RingletError.not_allowed(settings.place("topology"), topology, allowed)


def _anynet(settings: Settings) -> int:
    """Returns the nodes of a listing of routers, `router 0 node 0 node 1 router 1 15`, which lies beside the file."""
    name = settings.text("network_file")
    if not name:
        raise RingletError.not_allowed(settings.place("topology"), "anynet", "a network_file, for anynet")
    file = settings.file.parent / name
    if not file.is_file():
        raise RingletError.not_allowed(settings.place("network_file"), name, f"a file in {settings.file.parent}")
    nodes: set[int] = set()
    for number, line in read_lines(file, "a listing of routers for anynet"):
        words: Sequence[str] = line.split()
        for kind, one in pairwise(words):
            if kind.lower() == "node":
                if not (one.isascii() and one.isdecimal() and int(one) < MAX_NODES):
                    allowed = f"the number of a node, below {MAX_NODES}"
                    raise RingletError.not_allowed(f"{file}, line {number}", f"node {one}", allowed)
                nodes.add(int(one))
    missing = next((node for node in range(len(nodes)) if node not in nodes), None)
    if missing is not None or not nodes:
        raise RingletError.not_allowed(str(file), f"<no node {missing or 0}>", "nodes that are numbered from 0")
    return len(nodes)
