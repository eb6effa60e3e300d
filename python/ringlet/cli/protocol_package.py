"""The package that `ringlet new protocol` writes: a protocol in Python, with its tests."""

import re
from importlib.resources import files
from pathlib import Path

from ringlet.errors import RingletError
from ringlet.files import write_text
from ringlet.scenario.flow_control import PROTOCOLS

FILES = {
    "pyproject.toml": "pyproject.toml",
    "module.py": "{module}.py",
    "test_module.py": "test_{module}.py",
    "ring.toml": "ring.toml",
    "README.md": "README.md",
}
"""Templates in `first_protocol`, each with its name in the package."""

SPELT = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def write_package(folder: Path) -> None:
    """Writes a package that holds a protocol by the name of its folder.

    Raises:
        RingletError: the folder is there already, or its name is none for a protocol.
    """
    name = folder.name
    if SPELT.fullmatch(name) is None:
        raise RingletError.not_allowed("FILE", name, "a folder whose name is one, such as 'my-protocol'")
    if name in PROTOCOLS.listed:
        raise RingletError.not_allowed("FILE", name, f"another name than those of ringlet: {PROTOCOLS.names()}")
    if folder.exists():
        raise RingletError.not_allowed("FILE", str(folder), "a folder that is not there yet")
    module = f"{name.replace('-', '_')}_protocol"
    replaced = {"NAME": name, "MODULE": module, "CLASS": "".join(part.capitalize() for part in name.split("-"))}
    folder.mkdir(parents=True)
    for template, called in FILES.items():
        source = files("ringlet.cli").joinpath("first_protocol", f"{template}.txt")
        text = re.sub("NAME|MODULE|CLASS", lambda found: replaced[found[0]], source.read_text(encoding="utf-8"))
        write_text(folder / called.format(module=module), text)
