"""The formats, in the order in which they are listed."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from ringlet.errors import RingletError
from ringlet.exports.content import Exported

if TYPE_CHECKING:
    from ringlet.scenario import Scenario


@dataclass(frozen=True)
class Format:
    """A format of files."""

    name: str
    what: str
    """Words for its files."""
    files: str
    """Names of its files, as the help says them."""
    module: str
    """Module of this package whose `written` makes them."""

    def written(self, scenario: "Scenario", stem: str) -> Exported:
        """Returns a scenario in this format.

        Args:
            scenario: a scenario.
            stem: the beginning of the names of the files.

        Raises:
            RingletError: the format cannot say what the scenario is.
        """
        made: Callable[[Scenario, str], Exported] = import_module(f"ringlet.exports.{self.module}").written
        return made(scenario, stem)


FORMATS = (
    Format("csv", "a line for each flow and link", "NAME-flows.csv, NAME-links.csv", "tables"),
    Format("graphml", "an edge for each of them", "NAME-links.graphml, NAME-flows.graphml", "graphml"),
    Format("saihu", "servers and arrival curves: network calculus", "NAME-saihu.json", "saihu"),
)


def format_of(name: str) -> Format:
    """Returns a format by its name.

    Raises:
        RingletError: there is none of this name.
    """
    for one in FORMATS:
        if one.name == name:
            return one
    raise RingletError.not_allowed("format", name, " or ".join(repr(one.name) for one in FORMATS))
