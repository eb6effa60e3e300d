"""The list of activities."""

from ringlet.figures.activities import collective, events, flows, loops, messages

ACTIVITIES = (events.ACTIVITY, collective.ACTIVITY, loops.ACTIVITY, flows.ACTIVITY, messages.ACTIVITY)
"""Every activity, in the order of the document of a run."""

PARTS = tuple(part for activity in ACTIVITIES for part in activity.parts)
"""Parts of the document of all activities."""
