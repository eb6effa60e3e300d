"""Physical networks of Saihu, the XML of xTFA (Thomas, Le Boudec, Mifdaoui 2019), which is that of WOPANet: stations,
switches, and flows from a station to others."""

from pathlib import Path
from xml.etree.ElementTree import Element

from ringlet.errors import RingletError
from ringlet.imports.content import Imported, some
from ringlet.imports.flows.curves import periodic, quantity
from ringlet.imports.flows.flow_rows import flows, named_once
from ringlet.imports.xml_file import xml_root
from ringlet.sections.wording import counted

UNITS = {"byte": "byte", "ns": "ms", "MB/s": None}
"""Units that xTFA gives to numbers without one, by the base unit of the quantity; None: it has none."""


def read_physical(file: Path, content: bytes) -> Imported:
    """Returns the flows of a network.

    Raises:
        RingletError: the file is no such network, or a flow has no arrival curve, or no way.
    """
    root = xml_root(file, content)
    stations = [one.get("name", "") for kind in ("station", "switch") for one in root.iterfind(kind)]
    if root.tag != "elements" or not stations:
        raise RingletError.not_allowed(str(file), f"<{root.tag}>", "<elements> with stations and switches, of Saihu")
    network = root.find("network")
    rows = [
        row
        for number, flow in enumerate(root.iterfind("flow"))
        for row in _rows(f"{file}, flow {number} ({flow.get('name')!r})", flow, network, stations)
    ]
    if not rows:
        raise RingletError.not_allowed(str(file), "<no flow>", "a network with flows")
    named_once(rows)
    ends = {row[key] for row in rows for key in ("source", "destination")}
    names = [name for name in dict.fromkeys(stations) if name in ends]
    found = flows({"node_names": names}, rows)
    found.taken = [
        f"{len(names)} nodes, in the order of the file: {some(names)}",
        f"{counted(len(rows), 'flow')} by period and jitter: {some(row['name'] for row in rows)}",
    ]
    passed = [name for name in dict.fromkeys(stations) if name not in ends]
    found.left_out = [f"stations and switches that no flow begins or ends at: {some(passed)}"] if passed else []
    found.left_out.append("links, paths and service curves: [network] says over what the flows go")
    return found


def _rows(place: str, flow: Element, network: Element | None, stations: list[str]) -> list[dict[str, str]]:
    def number(key: str, base: str) -> float | None:
        value = flow.get(key)
        return None if value is None else quantity(f"{place}, {key}", value, UNITS[base], base)

    source = flow.get("source", "")
    if source not in stations:
        raise RingletError.not_allowed(f"{place}, source", source, f"a station or switch: {some(stations)}")
    packet = number("max-payload", "byte") or number("maximum-packet-size", "byte")
    if packet is None and network is not None and network.get("maximum-packet-size"):
        packet = quantity("network, maximum-packet-size", network.get("maximum-packet-size"), "byte", "byte")
    if flow.get("arrival-curve") == "leaky-bucket":
        burst, rate = number("lb-burst", "byte"), number("lb-rate", "MB/s")
        cells = periodic(place, [(burst or 0.0, rate or 0.0)], packet)
    elif (period := number("period", "ns")) and packet:
        cells = {"size_bytes": f"{packet:.12g}", "arrivals": "periodic", "period_us": f"{period / 1e3:.15g}"}
        if jitter := number("jitter", "ns"):
            cells["jitter_us"] = f"{jitter / 1e3:.15g}"
    else:
        value = flow.get("arrival-curve") or "<no arrival-curve>"
        allowed = "arrival-curve='leaky-bucket', or a period with a max-payload"
        raise RingletError.not_allowed(place, value, allowed)
    if deadline := number("deadline", "ns"):
        cells["deadline_us"] = f"{deadline / 1e3:.15g}"
    targets = flow.findall("target")
    rows = []
    for at, target in enumerate(targets):
        way = [step.get("node", "") for step in target.iterfind("path")]
        if not way or way[-1] not in stations:
            value = way[-1] if way else "<no path>"
            raise RingletError.not_allowed(f"{place}, target {at}", value, f"a station or switch: {some(stations)}")
        name = str(flow.get("name")) + (f"#{target.get('name', f'p{at}')}" if len(targets) > 1 else "")
        rows.append({"name": name, "source": source, "destination": way[-1]} | cells)
    if not rows:
        raise RingletError.not_allowed(place, "<no target>", "a target with the nodes of its path")
    return rows
