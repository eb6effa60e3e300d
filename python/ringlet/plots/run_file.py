"""The document of a run from a file: what the figures take of it, checked."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

from ringlet.errors import RingletError
from ringlet.scenario.file.reading import read_json
from ringlet.sections import After, Field, Section, refuse

MOST = 1e30
"""Largest figure that is drawn."""

Figure = Annotated[float, Field(ge=0, le=MOST)]
Packets = Annotated[int, Field(ge=0, lt=2**63)]


class _Part(Section):
    """Other keys are there, too, and are not drawn."""

    others_allowed: ClassVar[bool] = True


class _Distribution(_Part):
    upper_ns: list[Annotated[float, Field(gt=0, le=MOST)]]
    packets: list[Packets]

    def _fits_together(self, folder: Path) -> None:
        if len(self.upper_ns) != len(self.packets):
            raise refuse("as many upper_ns as packets")
        if self.packets and not any(self.packets):
            raise refuse("a packet in one of the bins")


class _OfPriority(_Distribution):
    priority: int


class _Distributions(_Part):
    total: _Distribution
    priorities: list[_OfPriority] = Field(default=[])


class _Retries(_Part):
    retries: list[Packets]
    packets: list[Packets]

    def _fits_together(self, folder: Path) -> None:
        if len(self.retries) != len(self.packets):
            raise refuse("as many retries as packets")
        if self.packets and not any(self.packets):
            raise refuse("a packet in one of the bins")


class _RetryDistribution(_Part):
    total: _Retries


class _Rates(_Part):
    throughput_MBps: Figure  # noqa: N815 - the unit
    throughput_ci95_MBps: Figure | None  # noqa: N815


class _Latency(_Part):
    min: Figure | None
    p50: Figure | None
    p99: Figure | None


class _Priority(_Rates):
    priority: int
    latency_ns: _Latency


class _Link(_Part):
    send: Figure
    retry: Figure
    echo: Figure
    control: Figure


def _printable(name: str) -> str:
    if not name.isprintable():
        raise refuse("a name without control characters")
    return name


class _Node(_Rates):
    id: int
    name: Annotated[str, After(_printable)]
    throughput_words_per_cycle: Figure
    optimum_words_per_cycle: Figure | None = Field(default=None)
    link: _Link


class _Message(_Part):
    name: Annotated[str, After(_printable)]
    deadline_ns: Annotated[float, Field(gt=0, le=MOST)]
    mean_response_ns: Figure | None
    worst_response_ns: Figure | None
    missed: Packets


class _Builder(_Part):
    name: Annotated[str, After(_printable)]
    built: Packets
    lost: Packets
    incomplete: Packets
    latency_mean_ns: Figure | None
    latency_max_ns: Figure | None


class _LinkController(_Part):
    name: Annotated[str, After(_printable)]
    link_busy_fraction: Figure


class _BLink(_Part):
    name: Annotated[str, After(_printable)]
    busy_fraction: Figure


class _Document(_Part):
    scenario: dict[str, Any]
    nodes: list[_Node] = Field(min_length=1)
    total: dict[str, Any]
    latency_distribution: _Distributions
    retry_distribution: _RetryDistribution | None = Field(default=None)
    priorities: list[_Priority] = Field(default=[])
    messages: list[_Message] = Field(default=[])
    loops: list[_Message] = Field(default=[])
    builders: list[_Builder] = Field(default=[])
    link_controllers: list[_LinkController] = Field(default=[])
    b_links: list[_BLink] = Field(default=[])

    def _fits_together(self, folder: Path) -> None:
        for place, node in enumerate(self.nodes):
            if node.id != place:
                raise RingletError.not_allowed(f"nodes[{place}].id", node.id, f"{place}: nodes stand in their order")


def read_run_file(path: Path) -> Mapping[str, Any]:
    """Returns the document of a run, as `ringlet run --json` prints it.

    Raises:
        RingletError: the file cannot be read, or what figures take of it is missing or of another kind; names file and
        key.
    """
    what = "the JSON of a run"
    document = read_json(path, what)
    if not isinstance(document, dict) or not {"scenario", "nodes", "total", "latency_distribution"} <= document.keys():
        raise RingletError(f"{path}: not {what}; allowed: what 'ringlet run SCENARIO --json' prints")
    try:
        _Document.checked(document, named="document")
    except RingletError as error:
        raise RingletError(f"{path}: {error}") from None
    return document
