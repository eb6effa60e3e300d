"""Flows as an activity: their keys, their parts of a run's document, and the sentence on them."""

from typing import Any, ClassVar

from ringlet.document.part import DocumentPart
from ringlet.document.words import Record, plain
from ringlet.scenario.activities.activity import Activity, ActivityKeys, check_alone, check_belongs, moved_ends
from ringlet.scenario.activities.flows.figures import (
    DESTINATIONS,
    FLOWS,
    OF_DESTINATIONS,
    OF_FLOWS,
    OF_PAIRS,
    PAIRS,
)
from ringlet.scenario.activities.flows.found import FlowsFound, flows_found
from ringlet.scenario.activities.flows.keys import FlowKeys, flows_of_frame
from ringlet.scenario.activities.flows.plan import FlowPlan
from ringlet.scenario.values.transactions import MovingTransaction
from ringlet.sections import Field
from ringlet.sections.wording import counted


def _saw(found: FlowsFound) -> dict[str, int]:
    flows = found.flows
    sent = [one for one in flows if one.flow.copies is None]
    # A flow to several receivers is one for each; it has delivered something if one of them has anything.
    served = {place if one.flow.copies is None else one.flow.copies for place, one in enumerate(flows) if one.delivered}
    without = [
        place if one.flow.copies is None else one.flow.copies
        for place, one in enumerate(flows)
        if one.offered and not one.delivered
    ]
    return {
        "count": len(sent),
        "offered": sum(one.offered for one in sent),
        "copies": sum(one.offered for one in flows),
        "delivered": sum(one.delivered for one in flows),
        "lost": sum(one.lost for one in flows),
        "never_delivered": len(set(without) - served),
        "receivers_without": sum(flow in served for flow in without),
        "never_offered": sum(one.offered == 0 for one in sent),
        "undivided": found.undivided,
    }


def flows_line(document: Record) -> str:
    """Returns what became of the messages of all flows, and which flow is worst: the one that loses or misses most, or
    whose largest latency is longest."""
    flows, seen = document["flows"], document["saw"]["flows"]
    if not seen["offered"]:
        return f"flows: no message in {plain(1e6 * document['simulated_s'])} us; nothing is known of them"
    offered = f"{counted(seen['offered'], 'message')} of {counted(seen['count'], 'flow')} offered"
    for_all = f", {seen['copies']} for all receivers" if seen["copies"] > seen["offered"] else ""
    parts = [f"{offered}{for_all}, {seen['delivered']} delivered"]
    parts += [f"{seen['lost']} lost"] if seen["lost"] else []
    missed = sum(one["missed"] or 0 for one in flows)
    parts += [f"{missed} past their deadlines"] if missed else []
    line = f"flows: {', '.join(parts)}"
    known = [one for one in flows if one["latency_max_ns"] is not None]
    if known:
        worst = max(known, key=lambda one: one["latency_max_ns"])
        line += f"; longest latency: {worst['name']}, {plain(worst['latency_max_ns'] / 1e3)} us"
    if seen["undivided"]:
        line += f"; in no destination: {counted(seen['undivided'], 'flow')}"
    if seen["never_delivered"]:
        line += f"; nothing delivered of {counted(seen['never_delivered'], 'flow')}"
    if seen["receivers_without"]:
        line += f"; nothing delivered to {counted(seen['receivers_without'], 'receiver')} of flows to several"
    if seen["never_offered"]:
        line += f"; nothing offered by {counted(seen['never_offered'], 'flow')}"
    return line


def _check(file: "FlowsKeys") -> None:
    check_alone(file, FLOWS, "flows_file")
    if not file.has_flows:
        check_belongs(file, "flow_transaction", to="flows or flows_file")


ACTIVITY = Activity(
    name=FLOWS,
    keys=(FLOWS, "flows_file"),
    plan=FlowPlan,
    check=_check,
    moved=lambda planned, content, order: moved_ends(FLOWS, content, order),
    parts=(
        DocumentPart(
            FLOWS,
            "Flows",
            "Each flow",
            "flows",
            OF_FLOWS,
            many=True,
            row="flow",
        ),
        DocumentPart(
            PAIRS,
            "Pairs of nodes",
            "Each pair of nodes between which flows go, their messages together; empty where each goes to one node "
            "and no two have the same pair",
            "flows",
            OF_PAIRS,
            many=True,
            row="pair",
        ),
        DocumentPart(
            DESTINATIONS,
            "Destinations",
            "Each node to which flows go, their messages together",
            "flows",
            OF_DESTINATIONS,
            many=True,
            row="destination",
        ),
    ),
    found=flows_found,
    title="Flows",
    seen={
        "count": ("integer", "How many there are; one to several receivers is one."),
        "offered": ("integer", "Messages released in the measured time; one to several receivers is one."),
        "copies": ("integer", "The same, where one to several receivers is one for each."),
        "delivered": ("integer", "Messages that were complete in it, at each receiver."),
        "lost": ("integer", "Messages that were lost in it, to each receiver."),
        "never_delivered": (
            "integer",
            "How many flows offered messages in it, of which none was complete in it at any receiver.",
        ),
        "receivers_without": (
            "integer",
            "To how many receivers of flows to several nothing was delivered in it, while another one had something.",
        ),
        "never_offered": ("integer", "How many flows offered no message in it."),
        "undivided": (
            "integer",
            "How many flows to several nodes are counted as a whole: those behind the first 65,536 destinations of "
            "others. They are in no pair and no destination.",
        ),
    },
    saw=lambda found, hyperperiod: _saw(found),
    sentence=flows_line,
)


class FlowsKeys(ActivityKeys):
    """The keys of flows."""

    activity: ClassVar[Activity] = ACTIVITY
    frames: ClassVar[tuple[str, ...]] = (FLOWS,)

    flows: list[FlowKeys] | None = Field(
        default=None,
        min_length=1,
        description="Flows: messages of any size, at times of many kinds. Without a `[traffic]` section there is no "
        "other traffic. In Python also a data frame with the columns of `flows_file`.",
    )
    flows_file: str | None = Field(
        default=None,
        description="The flows from a CSV or Parquet file, relative to the scenario file: a header with the keys of a "
        "flow, then a line for each. A column `rate_MBps`, `period_us`, `size_bytes` or `drift_ppm` has numbers in "
        "that unit.",
    )
    flow_transaction: MovingTransaction = Field(
        default="dmove64",
        description="The transaction that messages of flows are cut into; a read moves the data to the source.",
    )

    @classmethod
    def _completed(cls, content: dict[str, Any]) -> dict[str, Any]:
        if hasattr(content.get(FLOWS), "itertuples"):
            content = {**content, FLOWS: flows_of_frame(content[FLOWS])}
        return super()._completed(content)

    @property
    def has_flows(self) -> bool:
        """True if there are flows."""
        return ACTIVITY.is_in(self)


KEYS = FlowsKeys
"""The keys that the list of activities takes."""
