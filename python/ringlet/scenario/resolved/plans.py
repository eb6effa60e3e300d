"""The list of the kinds of plans."""

from ringlet.scenario.resolved.collective_plan import CollectivePlan
from ringlet.scenario.resolved.event_plan import EventBuilding
from ringlet.scenario.resolved.flow_plan import FlowPlan
from ringlet.scenario.resolved.loop_plan import LoopPlan
from ringlet.scenario.resolved.plan import Plan

PLANS: tuple[type[Plan], ...] = (EventBuilding, CollectivePlan, LoopPlan, FlowPlan)
"""Every kind, in the order of their flows."""
