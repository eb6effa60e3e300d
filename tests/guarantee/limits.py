"""The bounds of a trial's set, which each kind of trial begins with."""

from typing import Any, NamedTuple

import numpy as np

import ringlet as rl
from ringlet.theory.guarantee import Guarantee, guarantees
from ringlet.theory.response_flows import Assumed


class Limits(NamedTuple):
    """A scenario and what is guaranteed of it."""

    scenario: rl.Scenario
    found: list[Guarantee]
    bound: np.ndarray
    """Bound of each message, flow and loop, in cycles; NaN where there is none."""


def limits(content: dict[str, Any], assumed: Assumed | None = None) -> Limits | None:
    """Returns the bounds of a scenario; None: nothing has one, or more is needed than there is."""
    try:
        scenario = rl.Scenario.from_dict(content)
        found = guarantees(scenario, assumed)
    except rl.RingletError:
        return None
    bound = np.array([np.nan if one.bound_cycles is None else one.bound_cycles for one in found])
    return Limits(scenario, found, bound) if np.isfinite(bound).any() else None
