"""What each protocol runs with, as Python says it before the engine is loaded, and as the engine checks it again."""

import json

import pytest

from ringlet import Scenario
from ringlet._engine import Simulation
from ringlet.scenario.flow_control import PROTOCOLS

# A ring of three interfaces is long enough for a slot.
NETWORK = {"topology": "torus", "shape": [2, 2], "hop_delay": "200 ns"}


def network_of(protocol, **sections):
    """The network of the engine's spec, and all of the spec."""
    content = {"network": NETWORK, "flow_control": {"protocol": protocol}, **sections}
    spec = Scenario.from_dict(content).network_spec(1)
    return spec["network"], spec


def is_accepted(protocol, **changes):
    """Whether the engine takes a network that differs from the scenario's in some entries."""
    network, spec = network_of(protocol)
    try:
        Simulation(json.dumps({**spec, "network": {**network, **changes}}))
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("protocol", PROTOCOLS.listed)
def test_the_engine_refuses_what_python_refuses(protocol):
    own = PROTOCOLS.listed[protocol]
    errors, _ = network_of("none", errors={"bit_error_rate": 1e-9})
    assert is_accepted(protocol)
    assert is_accepted(protocol, retry_by="responder") == own.delays_echoes
    assert is_accepted(protocol, errors=errors["errors"]) == own.survives_losses
    assert is_accepted(protocol, bypass="store-and-forward") == own.stores_and_forwards
