"""The document of a run from a file: what the figures take of it, checked."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from ringlet.errors import RingletError
from ringlet.scenario.files import read_json
from ringlet.scenario.units import refuse
from ringlet.scenario.validation import as_ringlet_error

MOST = 1e30
"""Largest figure that is drawn."""

Figure = Annotated[float, Field(ge=0, le=MOST)]
Packets = Annotated[int, Field(ge=0, lt=2**63)]


class _Part(BaseModel):
    """Other keys are there, too, and are not drawn."""

    model_config = ConfigDict(extra="ignore", strict=True, allow_inf_nan=False)


class _Distribution(_Part):
    upper_ns: list[Annotated[float, Field(gt=0, le=MOST)]]
    packets: list[Packets]

    @model_validator(mode="after")
    def _equally_long(self) -> "_Distribution":
        if len(self.upper_ns) != len(self.packets):
            raise refuse("as many upper_ns as packets")
        if self.packets and not any(self.packets):
            raise refuse("a packet in one of the bins")
        return self


class _OfPriority(_Distribution):
    priority: int


class _Distributions(_Part):
    total: _Distribution
    priorities: list[_OfPriority] = []


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
    name: Annotated[str, AfterValidator(_printable)]
    throughput_words_per_cycle: Figure
    optimum_words_per_cycle: Figure | None = None
    link: _Link


class _Message(_Part):
    name: Annotated[str, AfterValidator(_printable)]
    deadline_ns: Annotated[float, Field(gt=0, le=MOST)]
    mean_response_ns: Figure | None
    worst_response_ns: Figure | None
    missed: Packets


class _Builder(_Part):
    name: Annotated[str, AfterValidator(_printable)]
    built: Packets
    lost: Packets
    incomplete: Packets
    latency_mean_ns: Figure | None
    latency_max_ns: Figure | None


class _LinkController(_Part):
    name: Annotated[str, AfterValidator(_printable)]
    link_busy_fraction: Figure


class _BLink(_Part):
    name: Annotated[str, AfterValidator(_printable)]
    busy_fraction: Figure


class _Document(_Part):
    scenario: dict[str, Any]
    nodes: list[_Node] = Field(min_length=1)
    total: dict[str, Any]
    latency_distribution: _Distributions
    priorities: list[_Priority] = []
    messages: list[_Message] = []
    loops: list[_Message] = []
    builders: list[_Builder] = []
    link_controllers: list[_LinkController] = []
    b_links: list[_BLink] = []

    @model_validator(mode="after")
    def _numbered(self) -> "_Document":
        for place, node in enumerate(self.nodes):
            if node.id != place:
                raise RingletError.not_allowed(f"nodes[{place}].id", node.id, f"{place}: nodes stand in their order")
        return self


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
        _Document.model_validate(document)
    except ValidationError as error:
        raise RingletError(f"{path}: {as_ringlet_error(error, _Document)}") from None
    except RingletError as error:
        raise RingletError(f"{path}: {error}") from None
    return document
