"""The formats, in the order in which they are listed."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from ringlet.errors import RingletError
from ringlet.exports.content import Exported
from ringlet.scenario.scenario import Scenario


@dataclass(frozen=True)
class Format:
    """A format of files."""

    name: str
    what: str
    """Words for its files."""
    module: str
    """Module of this package whose `written` makes them."""

    def written(self, scenario: Scenario, stem: str) -> Exported:
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
    Format("csv", "flows and links, a table each", "tables"),
    Format("graphml", "links and flows, a graph each", "graphml"),
    Format("saihu", "links as servers, and flows with arrival curves", "saihu"),
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
