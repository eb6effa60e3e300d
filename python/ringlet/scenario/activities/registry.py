"""The list of activities."""

from importlib import import_module
from types import new_class
from typing import TYPE_CHECKING

from ringlet.scenario.activities.activity import Activity, ActivityKeys
from ringlet.scenario.activities.plan import Plan

_LISTED = (
    "events.activity",
    "collective",
    "scatter_gather",
    "loops.activity",
    "flows.activity",
    "messages.activity",
)
"""The modules of all activities, in the order of the document of a run."""

_KEYS: tuple[type[ActivityKeys], ...] = tuple(import_module(f"{__package__}.{name}").KEYS for name in _LISTED)

# A type checker does not follow bases that a list makes: `ActivityKeys.in_file` gives it the keys of one activity.
if TYPE_CHECKING:

    class KeysOfActivities(ActivityKeys):
        """The keys of all activities."""
else:
    KeysOfActivities = new_class("KeysOfActivities", _KEYS)

ACTIVITIES: tuple[Activity, ...] = tuple(keys.activity for keys in _KEYS)
"""Every activity."""

PARTS = tuple(part for activity in ACTIVITIES for part in activity.parts)
"""Parts of the document of all activities."""

PLANS: tuple[type[Plan], ...] = tuple(one.plan for one in ACTIVITIES if one.plan is not None)
"""Every kind of plan, in the order of their flows."""
