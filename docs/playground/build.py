"""Writes the playground: one page with the engine as WebAssembly in it (`make playground`)."""

import base64
import json
import sys
import zlib
from importlib import resources
from importlib.metadata import version
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from settings import tables

from ringlet.player import security_policy
from ringlet.player.page import START

HERE = Path(__file__).parent
OF_THE_PLAYER = ("recording", "colours", "ring", "explain", "view")
"""Modules that the ring player has, too."""
OWN = ("engine", "spec", "main")
MAX_BYTES = 3_000_000


def page(wasm: bytes) -> str:
    """Returns the page.

    Args:
        wasm: the crate `ringlet-web`, compiled for wasm32-unknown-unknown.

    Raises:
        ValueError: it has more than `MAX_BYTES`.
    """
    player = resources.files("ringlet.player").joinpath("web")
    modules = {f"ringlet/{name}": player.joinpath(f"{name}.js").read_text(encoding="utf-8") for name in OF_THE_PLAYER}
    modules |= {f"ringlet/{name}": (HERE / f"{name}.js").read_text(encoding="utf-8") for name in OWN}
    # Nothing in JSON may end the script element in which it stands.
    script = f"const modules = {json.dumps(modules, separators=(',', ':')).replace('<', chr(92) + 'u003c')};{START}"
    style = player.joinpath("player.css").read_text(encoding="utf-8")
    environment = Environment(loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined)
    made = environment.get_template("playground.html.j2").render(
        policy=security_policy([script], made=True, compiled=True),
        version=version("ringlet"),
        style=Markup(style + (HERE / "playground.css").read_text(encoding="utf-8")),
        script=Markup(script),
        tables=_packed(json.dumps(tables(), separators=(",", ":"), allow_nan=False).encode()),
        engine=_packed(wasm),
    )
    if len(made.encode()) > MAX_BYTES:
        raise ValueError(f"the page has {len(made.encode())} bytes; at most {MAX_BYTES} are allowed")
    return made


def _packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, 9)).decode("ascii")


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page(source.read_bytes()), encoding="utf-8")
    print(f"The playground: {target.resolve()} ({target.stat().st_size / 1e6:.1f} MB)")
