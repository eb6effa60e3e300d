"""Valid scenarios: rings, and random networks of rings."""

from pathlib import Path
from random import Random
from typing import Any

from campaign.case import Case, Kind
from campaign.checks import check
from campaign.draw import Walks
from campaign.kinds import networks
from campaign.observe import Observed, is_large
from ringlet import RingletError, Scenario


def ring(rng: Random) -> dict[str, Any]:
    """Any topology that keys make; mostly one ring."""
    return {
        "nodes": rng.choice((1, 2, 2, 3, 3, 4, 5, 6, 8, 12, 16, rng.randint(1, 40), rng.choice((64, 100, 257, 1000))))
    }


def check_scenario(case: Case, folder: Path, rng: Random) -> str:
    """Simulates a scenario and holds it to all checks."""
    scenario = case.checked
    if not isinstance(scenario, Scenario):
        try:
            scenario = Scenario.from_dict(case.content["scenario"], base_dir=folder)
        except RingletError:
            # It was valid when it was drawn; one that is kept may be refused by now.
            return "refused"
    observed = Observed(scenario, folder, rng)
    if is_large(scenario, observed.cycles):
        return "too many packets"
    check(observed)
    return "stalled" if observed.counted.stall is not None else "ran"


SCENARIOS = Kind("scenarios", "valid scenarios over all keys", Walks("scenarios", ring), check_scenario)
NETWORKS = Kind("networks", "random networks of rings", Walks("networks", networks.any_network), check_scenario)
