"""The player's page, and the content security policy of all pages."""

import base64
import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ringlet._engine import __version__
from ringlet.errors import RingletError
from ringlet.files import write_text
from ringlet.player.data import encode, interface_numbers
from ringlet.rings import drawing
from ringlet.trace import Moment, Recording, moments

MAX_NODE_CYCLES = 8_000_000
"""Most interfaces times cycles of a page: 64 rings of 12 interfaces for 10,000 cycles."""

MODULES = (
    "recording",
    "colours",
    "ring",
    "spacetime",
    "overview",
    "explain",
    "packet",
    "view",
    "legend",
    "blocks",
    "pair",
    "main",
)
"""The page's ES modules, each `web/NAME.js`, imported as `ringlet/NAME` by those behind it."""

START = """
const addresses = {};
for (const [name, text] of Object.entries(modules)) {
  const linked = text.replaceAll(/"(ringlet\\/\\w+)"/g, (_, other) => JSON.stringify(addresses[other]));
  addresses[name] = URL.createObjectURL(new Blob([linked], { type: "text/javascript" }));
}
import(addresses["ringlet/main"]);
"""
"""Starts the modules. The page's policy allows scripts from addresses that a script has made: no text in a page is
one."""


def page(recording: Recording, *, title: str | None = None, found: Sequence[Moment] | None = None) -> str:
    """Returns the player of a recording as one HTML page that needs nothing else.

    `#cycle=N` in its address opens it at a cycle; `&node=N` and `&packet=N` choose a node and a packet.

    Args:
        recording: what to play.
        title: of the page; default: nodes and protocol.
        found: the moments that have buttons; default: all that `ringlet.trace.moments` finds.

    Raises:
        RingletError: more than `MAX_NODE_CYCLES`, or a ring with slow links.
    """
    layout = recording.layout
    if layout.slowness > 1:
        allowed = "one rate for all links of a ring in the player, which draws what is on them at the rate of the ring"
        raise RingletError.not_allowed("network.link_rate", "<a rate for each link>", allowed)
    cycles = recording.stop - recording.start
    if cycles * recording.interfaces > MAX_NODE_CYCLES:
        raise RingletError.not_allowed(
            "stop",
            recording.stop,
            f"for the player of {recording.interfaces} {'interfaces' if layout.is_network else 'nodes'} "
            f"at most {MAX_NODE_CYCLES // recording.interfaces} cycles "
            f"after the start, {recording.start}",
        )
    directory, content = encode(recording)
    reading = recording.reading
    title = title or f"{recording.nodes} nodes, flow control {recording.protocol}"
    meta = {
        "title": title,
        "start": recording.start,
        "cycles": cycles,
        **_layout(recording),
        "flows": [flow.name for flow in recording.flows] if any(flow.name for flow in recording.flows) else [],
        "symbolTimeNs": recording.symbol_time_ns,
        "goBits": reading.go_bits,
        "sumsLast": reading.sums_last,
        "meanings": list(reading.meanings),
        "levels": reading.levels,
        "awaited": reading.awaited,
        "heldBack": reading.held_back,
        "grouped": reading.grouped,
        "firstInFirstOut": reading.first_in_first_out,
        "columns": directory,
        "takesAhead": reading.takes_ahead,
        # Most cycles from a B-Link into a transmit buffer.
        "fromLink": math.ceil(max(layout.from_link_ps, default=0) / recording.symbol_ps),
        "moments": [asdict(moment) for moment in (moments(recording) if found is None else found)],
    }
    script = _script()
    return (
        _environment()
        .get_template("player.html.j2")
        .render(
            title=title,
            reading=reading,
            seed=recording.seed,
            version=__version__,
            style=Markup(_text("player.css")),
            policy=security_policy([script], made=True),
            script=Markup(script),
            meta=_script_json(meta),
            content=content,
            rings=[ring.name for ring in layout.rings] if len(layout.rings) > 1 else [],
            overview=Markup(_overview(recording)),
            ports=bool(layout.ports),
            prioritised=bool(np.unique(recording.packets["priority"]).size > 1),
        )
    )


def page_of_both(first: Recording, second: Recording, *, names: tuple[str, str]) -> str:
    """Returns one HTML page with the players of two recordings beside each other in lock-step.

    What is done in one player, such as a step, happens in the other; `#cycle=N` in the address opens both at a cycle.

    Args:
        first: what the left player plays.
        second: what the right one plays.
        names: titles of both.

    Raises:
        RingletError: more than `MAX_NODE_CYCLES`, or the recordings have other cycles or nodes.
    """
    windows = [(one.interfaces, one.start, one.stop) for one in (first, second)]
    if windows[0] != windows[1]:
        said = [f"{interfaces} nodes and ports in cycles {start} to {stop}" for interfaces, start, stop in windows]
        raise RingletError(f"second: {said[1]}; allowed beside the first: {said[0]}")
    players = [page(one, title=name) for one, name in zip((first, second), names, strict=True)]
    own = _text("both.js")
    return (
        _environment()
        .get_template("both.html.j2")
        .render(
            title=" beside ".join(names),
            version=__version__,
            style=Markup(_text("player.css")),
            # A page inside of another one obeys the policies of both.
            policy=security_policy([own, _script()], made=True),
            players=list(zip(names, players, strict=True)),
            script=Markup(own),
        )
    )


def _script() -> str:
    """The script of a player, which starts its modules."""
    return f"const modules = {_script_json({f'ringlet/{name}': _text(f'{name}.js') for name in MODULES})};{START}"


def _environment() -> Environment:
    """The templates of the player's pages."""
    return Environment(loader=PackageLoader("ringlet.player", "web"), autoescape=True, undefined=StrictUndefined)


def _bridges(recording: Recording) -> list[dict[str, Any] | None]:
    """Returns the bridge at each place; the time to store is in cycles of its ring."""
    layout, found = recording.layout, list[dict[str, Any] | None]()
    for number in interface_numbers(recording).tolist():
        bridge = layout.bridges[number] if number < layout.nodes else None
        if bridge is not None:
            store = math.ceil(bridge.store_ps / recording.symbol_ps)
            found.append({"slots": bridge.slots, "masters": bridge.masters, "store": store})
        else:
            found.append(None)
    return found


def _layout(recording: Recording) -> dict[str, Any]:
    """Returns rings, nodes and ports for the page, by their places, ring by ring, and whether there are echoes."""
    layout, numbers = recording.layout, interface_numbers(recording).tolist()
    lengths = [len(ring.interfaces) for ring in layout.rings]
    firsts = [sum(lengths[:number]) for number in range(len(lengths))]
    first = layout.first_port
    ports = [None if one < first else asdict(layout.ports[one - first]) for one in numbers]
    return {
        "numbers": numbers,
        "names": [layout.name(one) for one in numbers] if layout.is_network or layout.node_names else None,
        "nodeNames": [layout.node_name(node) for node in range(layout.nodes)] if layout.seconds else None,
        "ports": ports if layout.is_network else None,
        "echoes": layout.echoes,
        "bridges": _bridges(recording) if layout.bridges else None,
        "rings": [
            {"name": ring.name, "first": first, "count": count, "hopDelays": ring.hop_cycles}
            for ring, first, count in zip(layout.rings, firsts, lengths, strict=True)
        ],
    }


def _overview(recording: Recording) -> str:
    """The drawing of a network, or nothing."""
    if recording.drawn is None:
        return ""

    return drawing.svg(recording.drawn())


def write_player(recording: Recording, path: Path | str, *, title: str | None = None) -> Path:
    """Writes the page of a recording and returns its path.

    Raises:
        RingletError: more than `MAX_NODE_CYCLES`, or the file cannot be written.
    """
    return _written(page(recording, title=title), path)


def write_both(first: Recording, second: Recording, path: Path | str, *, names: tuple[str, str]) -> Path:
    """Writes the page of two recordings in lock-step and returns its path; arguments as for `page_of_both`.

    Raises:
        RingletError: as for `page_of_both`, or the file cannot be written.
    """
    return _written(page_of_both(first, second, names=names), path)


def _written(text: str, file: Path | str) -> Path:
    path = Path(file)
    try:
        write_text(path, text)
    except OSError as error:
        raise RingletError(f"{path}: cannot be written: {error.strerror or error}") from error
    return path


def _text(name: str) -> str:
    return resources.files("ringlet.player").joinpath("web", name).read_text(encoding="utf-8")


def _script_json(value: Any) -> Markup:  # noqa: ANN401 - whatever JSON holds
    """JSON that cannot end the script element in which it stands."""
    return Markup(json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"))


def security_policy(scripts: Iterable[str], *, made: bool = False, compiled: bool = False) -> str:
    """Returns the content security policy for a page in which these scripts stand: it makes no request to a network.

    A browser runs a script only if its digest is here, so that nothing that comes from a name in a scenario runs. The
    digests are of the scripts that we ship, never of what a page was found to hold.

    Args:
        scripts: the text between the tags of each script.
        made: whether they make modules and import them, from `blob:` addresses.
        compiled: whether they compile WebAssembly; that allows no JavaScript from a string.
    """
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii") for script in scripts]
    sources = " ".join(f"'sha256-{digest}'" for digest in digests)
    trusted = " ".join([sources, *(["blob:"] if made else []), *(["'wasm-unsafe-eval'"] if compiled else [])])
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src {trusted}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
