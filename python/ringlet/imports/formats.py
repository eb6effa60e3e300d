"""The formats, in the order in which a suffix is looked up."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from ringlet.errors import RingletError
from ringlet.imports.content import Answers, Imported


@dataclass(frozen=True)
class Format:
    """A format of files."""

    name: str
    suffixes: tuple[str, ...]
    what: str
    """Such a file in words."""
    becomes: str
    module: str
    """Module of this package whose `read` takes a file."""

    def read(self, file: Path, answers: Answers) -> Imported:
        """Returns what a file says.

        Raises:
            RingletError: it cannot be read, is of another kind, or does not say something that is needed.
        """
        found: Callable[[Path, Answers], Imported] = import_module(f"ringlet.imports.{self.module}").read
        return found(file, answers)


FORMATS = (
    Format("can-database", (".dbc", ".arxml", ".kcd"), "a database of CAN messages", "messages", "can_database"),
    Format("graph", (".graphml", ".gml"), "a network as GraphML or GML", "a ring", "graph"),
    Format("sndlib", (".xml",), "a network of SNDlib, in XML", "a ring, demands", "sndlib"),
    Format("matrix", (".mtx", ".npy", ".csv", ".tsv", ".txt", ".gz"), "a matrix of demands", "demands", "matrix"),
    Format("capture", (".pcap", ".pcapng"), "packets of a network, captured", "a trace", "capture"),
    Format("candump", (".log",), "frames of a CAN bus, logged by candump", "a trace", "candump"),
    Format("sheet", (".xlsx",), "a spreadsheet of messages", "messages", "sheet"),
)


def format_of(file: Path, name: str | None) -> Format:
    """Returns the format of a file, by its suffix or by its name.

    Raises:
        RingletError: no format has this suffix.
    """
    for one in FORMATS:
        if one.name == name or (name is None and file.suffix.lower() in one.suffixes):
            return one
    suffixes = ", ".join(suffix for one in FORMATS for suffix in one.suffixes)
    raise RingletError.not_allowed("FILE", str(file), f"a file that ends with {suffixes}; or --format says what it is")
