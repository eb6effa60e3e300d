"""What each protocol runs with, as Python says it before the engine is loaded, and as the engine checks it again."""

import json

import pytest

from ringlet import Scenario
from ringlet._engine import Simulation
from ringlet.scenario.flow_control import PROTOCOLS

# A ring of three interfaces is long enough for a slot.
NETWORK = {"topology": "torus", "shape": [2, 2], "hop_delay": "200 ns"}
RETURNED = {"protocol": "token-ring", "release": "returned"}


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
    assert is_accepted(protocol, bypass="store-and-forward") == own.holds_what_passes
    assert is_accepted(protocol, pass_delay=12) == own.holds_what_passes


def without_echoes(scenario):
    spec = scenario.network_spec(1)
    spec["format"]["echoes"] = False
    spec["queues"]["limits"]["common"]["outstanding_limit"] = None
    return spec


@pytest.mark.parametrize("protocol", PROTOCOLS.listed)
def test_without_echoes_the_engine_lets_receivers_refuse_where_python_does(protocol):
    own = PROTOCOLS.listed[protocol]
    sections = {"network": {"nodes": 4, "hop_delay": 40}, "queues": {"receive": 3}}
    scenario = Scenario.from_dict({"flow_control": {"protocol": protocol}, **sections})
    spec = without_echoes(scenario)
    if own.acts_on_refusals:
        with pytest.raises(ValueError, match="echoes"):
            Simulation(json.dumps(spec))
    else:
        Simulation(json.dumps(spec))


@pytest.mark.parametrize("options", [*({"protocol": name} for name in PROTOCOLS.listed), RETURNED], ids=str)
def test_the_engine_needs_echoes_where_python_does(options):
    # A ring that is long enough for a slot.
    scenario = Scenario.from_dict({"network": {"nodes": 4, "hop_delay": 40}, "flow_control": options})
    spec = without_echoes(scenario)
    if scenario.flow_control.needs_echoes() is None:
        Simulation(json.dumps(spec))
    else:
        with pytest.raises(ValueError, match="echoes"):
            Simulation(json.dumps(spec))
