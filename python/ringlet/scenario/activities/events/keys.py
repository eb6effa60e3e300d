"""The keys of event building: triggers, fragments, builders."""

from typing import Any, Literal

from ringlet.scenario.values.maxima import MAX_LEVELS
from ringlet.scenario.values.node_names import Node
from ringlet.scenario.values.sizes import Sizes
from ringlet.scenario.values.transactions import WritingTransaction
from ringlet.scenario.values.units import Count, Frequency, PositiveTime, Time
from ringlet.sections import Field, Section


class Events(Section):
    """Event building: on each trigger every source sends a fragment to one builder."""

    trigger: Literal["poisson", "periodic", "bernoulli", "times"] = Field(
        description="When there is a trigger: `poisson`, at random; `periodic`, at equal distances; `bernoulli`, in "
        "each cycle with the same probability; `times`, as they are listed. Default: `times` where these are given, "
        "else `poisson`.",
    )
    rate: Frequency | None = Field(
        default=None,
        description="Mean rate of the triggers, such as `50 kHz`; those that are lost count, too. With spills, within "
        "them.",
    )
    times: list[Time] | None = Field(
        default=None, min_length=1, description="Trigger `times`: when each comes, ascending."
    )
    times_file: str | None = Field(
        default=None,
        description="Trigger `times`: a CSV or Parquet file, relative to the scenario file, with a column `time_ns`, "
        "`time_us` or of another unit, of which the first time is 0. Other columns are not read.",
    )
    spill: PositiveTime | None = Field(
        default=None,
        description="Time for which there are triggers, from 0 on: then none for `pause`, and so on. Default: always.",
    )
    pause: PositiveTime | None = Field(default=None, description="Time between two spills.")
    dead_time: Time = Field(
        default=0,
        description="Time after a trigger in which another one is lost; at most the mean time between triggers, if "
        "there is a rate.",
    )
    dead_time_kind: Literal["non-paralysable", "paralysable"] = Field(
        default="non-paralysable",
        description="Which triggers have a dead time: `non-paralysable`, those that are taken; `paralysable`, also "
        "those that are lost in one, which begin it anew.",
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
    fragment: Sizes | None = Field(
        default=None,
        description="Data of a fragment, such as `1 KiB`; or sizes drawn for each source and event: with their "
        'probabilities, `{"512 B" = 0.9, "4 KiB" = 0.1}`, or by a distribution, `{mean = "1 KiB", deviation = "300 B", '
        'least = "64 B", most = "16 KiB"}`. It is cut into packets of `transaction`; the last one is filled up.',
    )
    fragments: dict[str, Sizes] | None = Field(
        default=None,
        description="The same for single sources, by name or number, in place of `fragment`, which all others have.",
    )
    fragments_file: str | None = Field(
        default=None,
        description="The same from a CSV or Parquet file, relative to the scenario file: columns `source` and `size` "
        "(or `size_bytes`, ...), with cells such as `1024`, `512: 0.9; 4096: 0.1` or `mean: 1024; deviation: 300`.",
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

    @classmethod
    def _completed(cls, content: dict[str, Any]) -> dict[str, Any]:
        """Makes the triggers those that are listed, where any are."""
        listed = content.get("times") is not None or content.get("times_file") is not None
        return {"trigger": "times" if listed else "poisson", **content}
