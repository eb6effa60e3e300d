"""Whatever comes in, the validator answers with a scenario that the engine accepts, or with one message."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from ringlet import RingletError, Scenario
from ringlet._engine import Simulation

SECTIONS = {section: list(field.annotation.model_fields) for section, field in Scenario.model_fields.items()}
WORDS = [
    "sci",
    "none",
    "grouped",
    "uniform",
    "matrix",
    "hot-spot",
    "poisson",
    "10 ns",
    "1 GB/s",
    "auto",
    "mixed",
    "-1 s",
]

leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.sampled_from(WORDS), st.integers(0, 9)
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


def section(name):
    keys = st.sampled_from(SECTIONS[name]) | st.text(max_size=6)
    return st.dictionaries(keys, values, max_size=4) | values


# A ring of a size that may be built, most of the time: else nothing behind the first check would be reached.
anything = st.fixed_dictionaries(
    {"network": st.fixed_dictionaries({"nodes": st.integers(1, 6)}) | section("network")},
    optional={name: section(name) for name in SECTIONS if name != "network"},
)


@settings(max_examples=400, deadline=None)
@given(anything)
def test_anything_is_a_scenario_or_one_message(content):
    try:
        scenario = Scenario.from_dict(content)
    except RingletError as error:
        message = str(error)
    else:
        Simulation(json.dumps(scenario.network_spec(1)))
        return
    assert message
    assert "\n" not in message


patterns = st.one_of(
    st.just({"pattern": "uniform"}),
    st.just({"pattern": "neighbour"}),
    st.integers(2, 4).map(lambda f: {"pattern": "fan-in", "fan_in": f}),
    st.floats(0, 1).map(lambda p: {"pattern": "hot-spot", "hot_node": 1, "hot_fraction": p}),
    st.sampled_from(["dense-uniform", "deterministic", "sparse"]).map(
        lambda family: {"pattern": "matrix", "random_matrix": {"family": family, "seed": 5}}
    ),
)
arrivals = st.one_of(
    st.just({}),
    st.tuples(st.sampled_from(["poisson", "bernoulli", "periodic"]), st.floats(0.001, 1)).map(
        lambda pair: {"arrivals": pair[0], "load": pair[1]}
    ),
)
flow_controls = st.one_of(
    st.just({"protocol": "none"}),
    st.sampled_from(["A", "B"]).map(lambda preset: {"protocol": "sci", "preset": preset}),
    st.integers(1, 16).map(lambda groups: {"protocol": "grouped", "groups": groups}),
)


@settings(max_examples=100, deadline=None)
@given(st.integers(5, 12), patterns, arrivals, flow_controls, st.sampled_from(["send16", "send80", "mixed", "send288"]))
def test_valid_scenarios_survive_a_round_trip_and_run(nodes, pattern, arrival, flow_control, transaction):
    scenario = Scenario.from_dict(
        {
            "network": {"nodes": nodes},
            "flow_control": flow_control,
            "traffic": {"transaction": transaction, **pattern, **arrival},
        }
    )
    spec = json.dumps(scenario.network_spec(7))
    assert spec == json.dumps(Scenario.from_dict(json.loads(json.dumps(scenario.to_dict()))).network_spec(7))
    simulation = Simulation(spec)
    assert simulation.advance(2000) is None
