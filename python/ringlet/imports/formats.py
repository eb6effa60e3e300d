"""The formats, in the order in which a suffix is looked up."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from ringlet import limits
from ringlet.errors import RingletError
from ringlet.imports.content import Answers, Imported

LONGEST_MESSAGE = 500
"""Characters of a message of which the rest is cut off: libraries quote lines of a file as long as they are."""


@dataclass(frozen=True)
class Format:
    """A format of files."""

    name: str
    suffixes: str
    """Ends of the names of its files, with a space between two; empty if `--format` alone says what they are."""
    what: str
    """Words for a file of this format, such as `a database of CAN messages`."""
    becomes: str
    """Words for the sections that a file becomes, such as `messages`."""
    module: str
    """Module of this package, behind its room, whose `read` takes a file."""
    is_stream: bool = False
    """True if a file may have any length: it is read record by record."""

    def read(self, file: Path, answers: Answers) -> Imported:
        """Returns what a file says.

        Raises:
            RingletError: it cannot be read, is too large or of another kind, or does not say something that is needed;
                or the library that reads it fails.
        """
        if not self.is_stream and file.stat().st_size > limits.FILE_BYTES:
            allowed = f"{self.what} of at most {limits.FILE_BYTES:,} bytes"
            raise RingletError.not_allowed(str(file), "<its size>", allowed)
        found: Callable[[Path, Answers], Imported] = import_module(f"ringlet.imports.{self.module}").read
        try:
            return found(file, answers)
        except RingletError as error:
            cut = (text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]}..." for text in error.args)
            raise RingletError(*cut) from None
        except MemoryError:
            raise RingletError(f"{file}: not {self.what}: it says sizes for which there is no memory") from None
        except Exception as error:
            cause = " ".join(str(error).split())[:LONGEST_MESSAGE]
            raise RingletError(f"{file}: not {self.what}: {type(error).__name__}: {cause}") from error


FORMATS = (
    Format("can-database", ".dbc .arxml .kcd", "a database of CAN messages", "CAN messages", "messages.can_database"),
    Format("graph", ".graphml .gml", "a network as GraphML or GML", "a ring: names, lengths, rate", "networks.graph"),
    Format("sndlib", ".xml", "a network of SNDlib, in XML", "a ring and demands between its nodes", "networks.sndlib"),
    Format("matrix", ".mtx .npy .csv .tsv .txt .gz", "a matrix of demands", "demands between nodes", "networks.matrix"),
    Format("capture", ".pcap .pcapng", "packets of a network, captured", "a trace", "captures.capture", is_stream=True),
    Format("candump", ".log", "frames of a CAN bus, logged by candump", "a trace", "captures.candump", is_stream=True),
    Format("sheet", ".xlsx", "a spreadsheet of messages", "messages: a row each", "messages.sheet"),
    Format("saihu", ".json", "a network of Saihu, JSON or XML", "flows with arrival curves, a ring", "flows.saihu"),
    Format("smff", "", "a system of SMFF, which pyCPA loads", "links of tasks as flows", "flows.smff"),
    Format("noxim", "", "a traffic table of Noxim", "flows", "flows.noxim"),
    Format("booksim", "", "a configuration of BookSim", "its traffic as flows", "flows.booksim"),
    Format("goal", ".goal", "a schedule in GOAL, for LogGOPSim", "a trace with dependences", "programs.goal"),
    Format("chakra", ".et", "an execution trace of Chakra", "a trace with dependences", "programs.chakra"),
    Format("dumpi", "", "a text of DUMPI, by dumpi2ascii", "a trace with dependences", "programs.dumpi"),
    Format("otf2", ".otf2", "an archive of OTF2", "a trace with dependences", "programs.otf2_archive"),
)


def format_of(file: Path, name: str | None) -> Format:
    """Returns the format of a file, by its suffix or by its name.

    Raises:
        RingletError: no format has this suffix.
    """
    for one in FORMATS:
        if one.name == name or (name is None and file.suffix.lower() in one.suffixes.split()):
            return one
    suffixes = ", ".join(suffix for one in FORMATS for suffix in one.suffixes.split())
    raise RingletError.not_allowed("FILE", str(file), f"a file that ends with {suffixes}; or --format says what it is")
