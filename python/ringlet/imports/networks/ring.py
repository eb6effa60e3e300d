"""Networks of other tools as rings: which node follows which, over links of which length and rate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringlet.errors import RingletError
from ringlet.imports.content import Answers, asked, some


@dataclass(frozen=True)
class Link:
    """A link of a network."""

    source: str
    target: str
    length: str | None = None
    """Length with its unit; a number alone where the file has none."""
    rate: str | None = None
    hop_delay: str | None = None
    """Whole delay of the link, its cable included, with its unit."""


def ring(
    file: Path, nodes: Sequence[str], links: Sequence[Link], answers: Answers, *, directed: bool
) -> tuple[dict[str, Any], list[str]]:
    """Returns the section `network` of a ring, and what was taken.

    Raises:
        RingletError: the links are those of no ring, and no option names its nodes; or a length has no unit, or rates
            differ.
    """
    order = _order(file, nodes, links, answers, directed=directed)
    between = {(link.source, link.target): link for link in links}
    if not directed:
        between = {(link.target, link.source): link for link in links} | between
    ends = list(zip(order, [*order[1:], order[0]], strict=True))
    used = []
    for end in ends:
        if end not in between:
            allowed = "a node to which a link leads from the one before it"
            if directed and end[::-1] in between:
                raise asked(
                    f"--ring, after {end[0]!r}",
                    f"in {file} the link leads from {end[1]!r} to {end[0]!r}",
                    "--both-ways",
                    "that links lead both ways",
                )
            raise RingletError.not_allowed(f"--ring, after {end[0]!r}", end[1], f"{allowed}, in {file}")
        used.append(between[end])
    network: dict[str, Any] = {"node_names": list(order)}
    taken = [f"a ring of {len(order)} nodes, in the order of its links: {some(order)}"]
    lengths = [link.length for link in used]
    if all(length is not None for length in lengths):
        network["cable_length"] = [_with_unit(str(length), file, answers) for length in lengths]
        taken.append("the length of each link")
    delays = [link.hop_delay for link in used]
    if all(delay is not None for delay in delays):
        network["hop_delay"] = delays
        taken.append("the hop delay of each link")
    rates = {link.rate for link in used} - {None}
    if answers.link_rate is None and len(rates) == 1:
        network["link_rate"] = _rate(str(rates.pop()), file, answers)
        taken.append(f"the rate of the links: {network['link_rate']}")
    elif answers.link_rate is None and len(rates) > 1:
        value = f"its links have rates from {some(sorted(map(str, rates)))}, and one is taken"
        raise asked(str(file), value, "--link-rate", "it")
    return network, taken


def _order(
    file: Path, nodes: Sequence[str], links: Sequence[Link], answers: Answers, *, directed: bool
) -> Sequence[str]:
    if answers.ring:
        left = set(nodes)
        for name in answers.ring:
            if name not in left:
                raise RingletError.not_allowed("--ring", name, f"each node of {file} once: {some(nodes)}")
            left.remove(name)
        return answers.ring
    following: dict[str, list[str]] = {node: [] for node in nodes}
    for link in links:
        following[link.source].append(link.target)
        if not directed:
            following[link.target].append(link.source)
    if len(nodes) < 2:
        raise RingletError.not_allowed(str(file), f"<{len(nodes)} nodes>", "2 at least")
    or_both = "; --both-ways says that links lead both ways" if directed else ""
    wanted = 1 if directed or len(nodes) == 2 else 2
    for node, neighbours in following.items():
        if len(set(neighbours)) != wanted:
            found = f"links to {len(set(neighbours))} nodes" if directed else f"{len(set(neighbours))} neighbours"
            value = f"not a ring: node {node!r} has {found}"
            raise asked(str(file), value, "--ring", f"which nodes are the ring, in their order: a,b,c{or_both}")
    # A dictionary: of a list, each look would take as long as the list is.
    order: dict[str, None] = {}
    before: str | None = None
    here = nodes[0]
    while here not in order:
        order[here] = None
        # Between two nodes the way back is the link by which one came.
        before, here = here, next((node for node in following[here] if node != before), nodes[0])
    if len(order) < len(nodes):
        missing = next(node for node in nodes if node not in order)
        value = f"not one ring: node {missing!r} is not on that of {nodes[0]!r}"
        raise asked(str(file), value, "--ring", "which nodes are the ring, in their order: a,b,c")
    return list(order)


def _with_unit(text: str, file: Path, answers: Answers) -> str:
    if not _is_number(text):
        return text
    if answers.length_unit is None:
        raise asked(str(file), f"length {text} has no unit", "--length-unit", "it, such as 'km' or 'm'")
    return f"{text} {answers.length_unit}"


def _rate(text: str, file: Path, answers: Answers) -> str:
    if not _is_number(text):
        return text
    if answers.unit is None:
        raise asked(str(file), f"rate {text} has no unit", "--unit", "it, such as 'Mb/s'; or --link-rate says the rate")
    return f"{text} {answers.unit}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


LENGTHS: Mapping[str, str] = {
    "length_m": "m",
    "length_km": "km",
    "distance_m": "m",
    "distance_km": "km",
} | dict.fromkeys(("length", "distance", "dist", "len"), "")
"""Attributes of a link that are its length, and their units; empty: the file does not say it."""

RATES: Mapping[str, str] = {
    "rate_MBps": "MB/s",
    "rate_Gbps": "Gb/s",
    "bandwidth_Gbps": "Gb/s",
    "capacity_Gbps": "Gb/s",
    "LinkSpeedRaw": "b/s",
} | dict.fromkeys(("rate", "capacity", "bandwidth"), "")
"""Attributes of a link that are its rate; `LinkSpeedRaw` is that of the Internet Topology Zoo."""

HOP_DELAYS: Mapping[str, str] = {"hop_delay_ns": "ns"}
"""Attributes of a link that are its hop delay."""


def attribute(found: Mapping[str, Any], known: Mapping[str, str]) -> tuple[str | None, str | None]:
    """Returns the first of the known attributes that a link has, with its unit if there is one, and its name."""
    for name, unit in known.items():
        if name in found:
            return f"{found[name]} {unit}".strip(), name
    return None, None
