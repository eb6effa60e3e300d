"""The list of activities."""

from ringlet.scenario.activities.activity import Activity, ActivityKeys
from ringlet.scenario.activities.collective import CollectiveKeys
from ringlet.scenario.activities.events.activity import EventKeys
from ringlet.scenario.activities.flows.activity import FlowsKeys
from ringlet.scenario.activities.loops.activity import LoopKeys
from ringlet.scenario.activities.messages.activity import MessageKeys
from ringlet.scenario.activities.plan import Plan
from ringlet.scenario.activities.scatter_gather import ScatterGatherKeys


class KeysOfActivities(
    EventKeys,
    CollectiveKeys,
    ScatterGatherKeys,
    LoopKeys,
    FlowsKeys,
    MessageKeys,
):
    """The keys of all activities; a line for each, in the order of the document of a run."""


ACTIVITIES: tuple[Activity, ...] = tuple(
    keys.activity for keys in KeysOfActivities.__bases__ if issubclass(keys, ActivityKeys)
)
"""Every activity."""

PARTS = tuple(part for activity in ACTIVITIES for part in activity.parts)
"""Parts of the document of all activities."""

PLANS: tuple[type[Plan], ...] = tuple(one.plan for one in ACTIVITIES if one.plan is not None)
"""Every kind of plan, in the order of their flows."""
