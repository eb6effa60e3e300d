"""Networks of SNDlib (Orlowski, Pióro, Tomaszewski, Wessäly 2010), in XML: a ring and the demands between its nodes."""

from pathlib import Path
from xml.etree.ElementTree import Element

from ringlet import limits
from ringlet.errors import RingletError
from ringlet.imports.content import Answers, Imported, matrix_scenario
from ringlet.imports.networks.ring import Link, ring
from ringlet.imports.xml_file import xml_root
from ringlet.scenario.file.reading import read_bytes


def read(file: Path, answers: Answers) -> Imported:
    """Returns the ring and the demands of a network.

    Raises:
        RingletError: the file is no network of SNDlib; or no ring, and no option names its nodes; or its demands have
            no unit.
    """
    content = read_bytes(file, "a network of SNDlib", most_bytes=limits.TOML_BYTES)
    root = xml_root(file, content)
    if root.tag != "{http://sndlib.zib.de/network}network":
        raise RingletError.not_allowed(str(file), root.tag, "<network> of SNDlib, http://sndlib.zib.de/network")
    ns = {"s": "http://sndlib.zib.de/network"}
    nodes = [node.get("id", "") for node in root.iterfind(".//s:nodes/s:node", ns)]
    links = [
        Link(_text(file, link, "source"), _text(file, link, "target"))
        for link in root.iterfind(".//s:links/s:link", ns)
    ]
    for link in links:
        for end in (link.source, link.target):
            if end not in nodes:
                raise RingletError.not_allowed(f"{file}, link from {link.source!r}", end, "a node of the file")
    network, taken = ring(file, nodes, links, answers, directed=False)
    names = network["node_names"]
    place = {name: number for number, name in enumerate(names)}
    rows = [[0.0] * len(names) for _ in names]
    off = 0
    demands = list(root.iterfind(".//s:demands/s:demand", ns))
    for demand in demands:
        source, target = (_text(file, demand, end) for end in ("source", "target"))
        if source not in place or target not in place:
            off += 1
            continue
        rows[place[source]][place[target]] += _number(file, demand, "demandValue")
    found = Imported({"network": network}, None, taken)
    if len(demands) > off:
        found.scenario["traffic"], found.table, said = matrix_scenario(file, names, rows, answers)
        found.taken.append(f"{len(demands) - off} {said}")
    if off:
        found.left_out.append(f"{off} demands of nodes that are not on the ring")
    if len(links) > len(names):
        found.left_out.append(f"{len(links) - len(names)} links that are not on the ring")
    found.left_out.append("coordinates of nodes, capacities and costs of links, paths")
    return found


def _text(file: Path, element: Element, name: str) -> str:
    found = element.findtext(f"{{http://sndlib.zib.de/network}}{name}")
    if found is None:
        raise RingletError(f"{file}: {element.tag.rpartition('}')[2]} {element.get('id')!r} has no {name}")
    return found.strip()


def _number(file: Path, element: Element, name: str) -> float:
    text = _text(file, element, name)
    try:
        return float(text)
    except ValueError:
        place = f"{file}, demand {element.get('id')!r}, {name}"
        raise RingletError.not_allowed(place, text, "a number") from None
