"""The keys of event building: triggers, fragments, builders."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from ringlet.scenario.values.maxima import MAX_LEVELS
from ringlet.scenario.values.node_names import Node
from ringlet.scenario.values.transactions import TRANSACTIONS
from ringlet.scenario.values.units import Count, Frequency, PositiveTime, Size, Time, size_bytes
from ringlet.sections import After, Before, Field, Section, refuse

WRITTEN = tuple(name for name, one in TRANSACTIONS.items() if one.data_bytes is not None and one.data_in == "request")
"""The transactions whose requests carry data: what a fragment can be cut into."""

if TYPE_CHECKING:
    WritingTransaction = str
else:
    WritingTransaction = Literal[WRITTEN]

TOLERANCE = 1e-9
"""Largest deviation from 1 of the sum of probabilities."""


def whole_bytes(value: float | str) -> float | str:
    """Returns an amount of data that is a whole number of bytes; any other is refused."""
    count = size_bytes(value)
    if count < 1 or count != round(count):
        raise refuse("a whole number of bytes, at least 1")
    return value


def _are_sizes(value: Any) -> Any:  # noqa: ANN401 - whatever a file holds
    if not isinstance(value, dict):
        return value
    wanted = 'sizes with their probabilities, such as {"512 B" = 0.9, "4 KiB" = 0.1}'
    shares = value.values()
    if not value or not all(isinstance(key, str) for key in value):
        raise refuse(wanted)
    if not all(isinstance(one, int | float) and not isinstance(one, bool) and 0 <= one <= 1 for one in shares):
        raise refuse(wanted)
    for key in value:
        try:
            whole_bytes(quantity(key))
        except ValueError:
            raise refuse(f"{wanted}; {key!r} is none") from None
    if abs(sum(shares) - 1) > TOLERANCE:
        raise refuse(f"probabilities that sum to 1, not {sum(shares):.12g}")
    return value


def quantity(text: str) -> float | str:
    """Returns the number of bytes that a text is, or the quantity."""
    try:
        return float(text)
    except ValueError:
        return text


class Events(Section):
    """Event building: on each trigger every source sends a fragment to one builder."""

    trigger: Literal["poisson", "periodic", "bernoulli"] = Field(
        default="poisson",
        description="When there is a trigger: `poisson`, at random; `periodic`, at equal distances; `bernoulli`, in "
        "each cycle with the same probability.",
    )
    rate: Frequency = Field(description="Mean rate of the triggers, such as `50 kHz`; those that are lost count, too.")
    dead_time: Time = Field(
        default=0,
        description="Time after a trigger in which another one is lost; at most the mean time between triggers.",
    )
    builders: list[Node] = Field(min_length=1, description="The nodes that build events, each once.")
    sources: list[Node] | None = Field(
        default=None,
        min_length=1,
        description="The nodes that send fragments. Default: all that send and are no builders.",
    )
    destination: Literal["round-robin", "barrel", "credits"] = Field(
        default="round-robin",
        description="Which builder an event is for. `round-robin`: one after the other, and all sources send at once. "
        "`barrel`: the same, but of `B` builders source `i` (by its place among the sources) sends `-i mod B` triggers "
        "later, so that at each trigger every builder receives from other sources. `credits`: the one with most free "
        "places that are known; without any the trigger is lost.",
    )
    fragment: Annotated[
        Annotated[Size, After(whole_bytes)] | dict[str, Annotated[float, Field(ge=0, le=1)]],
        Before(_are_sizes),
    ] = Field(
        description="Data of a fragment, such as `1 KiB`; or sizes with their probabilities, drawn for each source and "
        'event: `{"512 B" = 0.9, "4 KiB" = 0.1}`. It is cut into packets of `transaction`; the last one is filled up.'
    )
    transaction: WritingTransaction = Field(
        default="dmove64", description="The transaction that fragments are cut into."
    )
    priority: int = Field(default=0, ge=0, lt=MAX_LEVELS, description="Send priority of the fragments, 0 the lowest.")
    queue: Count | Literal["unlimited"] = Field(
        default="unlimited",
        description="Events that a builder holds, from their first packet until they are processed. An event whose "
        "first packet finds no place is lost. `credits` needs a number.",
    )
    build_time: Time = Field(
        default=0, description="Time for which a builder processes an event that is complete, one at a time."
    )
    credit_delay: PositiveTime = Field(
        default="1 us", description="Time after which a place that is free is known, with `credits`; at least a cycle."
    )
    timeout: PositiveTime | None = Field(
        default=None,
        description="Time from the trigger after which an event that is not complete is given up. Default: never; "
        "needed where packets can be lost.",
    )

    @property
    def sizes(self) -> list[tuple[int, float]]:
        """Bytes of a fragment with their probabilities."""
        if isinstance(self.fragment, dict):
            return [(round(size_bytes(quantity(key))), share) for key, share in self.fragment.items() if share > 0]
        return [(round(size_bytes(self.fragment)), 1.0)]
