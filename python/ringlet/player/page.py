"""The page."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ringlet.errors import RingletError
from ringlet.files import write_text
from ringlet.player.data import encode
from ringlet.player.policy import security_policy
from ringlet.trace import Moment, Recording, moments

MAX_NODE_CYCLES = 2_000_000
"""Most nodes times cycles of a page: 64 nodes for 31,250 cycles."""

MODULES = ("recording", "colours", "ring", "spacetime", "explain", "packet", "view", "main")
"""The page's ES modules, each `web/NAME.js`, imported as `ringlet/NAME` by those behind it."""

START = """
const addresses = {};
for (const [name, text] of Object.entries(modules)) {
  const linked = text.replaceAll(/"(ringlet\\/\\w+)"/g, (_, other) => JSON.stringify(addresses[other]));
  addresses[name] = URL.createObjectURL(new Blob([linked], { type: "text/javascript" }));
}
import(addresses["ringlet/main"]);
"""
"""Starts the modules. The page's policy allows scripts from addresses that a script has made: no text in a page is one."""


def page(recording: Recording, *, title: str | None = None, found: Sequence[Moment] | None = None) -> str:
    """Returns the player of a recording as one HTML page that needs nothing else.

    `#cycle=N` in its address opens it at a cycle; `&node=N` and `&packet=N` choose a node and a packet.

    Args:
        recording: what to play.
        title: of the page; default: nodes and protocol.
        found: the moments that have buttons; default: all that `ringlet.trace.moments` finds.

    Raises:
        RingletError: more than `MAX_NODE_CYCLES`.
    """
    cycles = recording.stop - recording.start
    if cycles * recording.nodes > MAX_NODE_CYCLES:
        raise RingletError.not_allowed(
            "stop",
            recording.stop,
            f"for the player of {recording.nodes} nodes at most {MAX_NODE_CYCLES // recording.nodes} cycles "
            f"after the start, {recording.start}",
        )
    directory, content = encode(recording)
    reading = recording.reading
    title = title or f"{recording.nodes} nodes, flow control {recording.protocol}"
    meta = {
        "title": title,
        "nodes": recording.nodes,
        "start": recording.start,
        "cycles": cycles,
        "hopDelay": recording.hop_delay_cycles,
        "symbolTimeNs": recording.symbol_time_ns,
        "goBits": reading.go_bits,
        "meanings": list(reading.meanings),
        "levels": reading.levels,
        "awaited": reading.awaited,
        "heldBack": reading.held_back,
        "grouped": reading.grouped,
        "firstInFirstOut": reading.first_in_first_out,
        "columns": directory,
        "moments": [asdict(moment) for moment in (moments(recording) if found is None else found)],
    }
    script = f"const modules = {_script_json({f'ringlet/{name}': _text(f'{name}.js') for name in MODULES})};{START}"
    environment = Environment(loader=PackageLoader("ringlet.player", "web"), autoescape=True, undefined=StrictUndefined)
    return environment.get_template("player.html.j2").render(
        title=title,
        reading=reading,
        seed=recording.seed,
        version=version("ringlet"),
        style=Markup(_text("player.css")),
        policy=security_policy([script], made=True),
        script=Markup(script),
        meta=_script_json(meta),
        content=content,
    )


def write_player(recording: Recording, path: Path | str, *, title: str | None = None) -> Path:
    """Writes the page of a recording and returns its path.

    Raises:
        RingletError: more than `MAX_NODE_CYCLES`, or the file cannot be written.
    """
    path = Path(path)
    text = page(recording, title=title)
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
