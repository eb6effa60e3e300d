"""Whatever comes in, the validator answers with a scenario that the engine accepts, or with one message."""

import copy
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from ringlet import RingletError, Scenario
from ringlet._engine import Simulation
from ringlet.scenario.flow_control import PROTOCOLS
from ringlet.scenario.network import TOPOLOGIES
from ringlet.scenario.patterns import PATTERNS

SECTIONS = {
    section: list(field.annotation.fields)
    for section, field in Scenario.fields.items()
    if hasattr(field.annotation, "fields")
}
SECTIONS["flow_control"] = sorted({key for protocol in PROTOCOLS.listed.values() for key in protocol.fields})
SECTIONS["traffic"] = sorted({key for one in PATTERNS.listed.values() for key in one.fields})
SECTIONS["network"] = sorted({key for one in TOPOLOGIES.listed.values() for key in one.fields})
TOP_LEVEL = sorted(Scenario.fields.keys() - SECTIONS.keys())
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
    "read64",
    "dmove00",
    "dfc",
    "train",
    "ppq",
    "rate-monotonic",
    "-1 s",
    "int",
    "list[",
    "<a\n>",
    "1e30 s",
    "5e-324 MB/s",
    "1 s/",
]

WHOLE = [
    {
        "network": {"topology": "ring", "nodes": 4, "link_rate": "1 GB/s", "hop_delay": 3},
        "flow_control": {
            "protocol": "grouped",
            "permit": "any",
            "release": "all",
            "groups": 4,
            "schedule": [{"at": 0, "groups": [0, 1, 2, 3]}, {"at": "1 us", "groups": [0, 0, 0, 0]}],
        },
        "queues": {"receive": 4, "service_time": "10 ns", "transmit": 100, "outstanding": 8},
        "retry": {"strategy": "linear", "delay": "10 ns"},
        "traffic": {
            "transaction": {"sizes": {"80": 0.5, "16": 0.5}},
            "pattern": "matrix",
            "matrix": [[0.0, 0.5, 0.25, 0.25], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.5, 0.5, 0.0, 0.0]],
            "arrivals": "periodic",
            "load": ["10 MB/s", 0.1, 0, 1.0],
            "load_counts": "gross",
            "phase": ["10 ns", 0, 5, 1.5],
        },
        "run": {"duration": "1 ms", "precision": 0.1, "warmup": "10 us", "seed": 1, "stall_after": "1 ms"},
    },
    {
        "network": {"nodes": 3},
        "flow_control": {"protocol": "sci", "release": "all", "extension": "always", "priorities": 2},
        "traffic": {
            "hot_node": 1,
            "hot_fraction": 0.3,
            "arrivals": "bernoulli",
            "load": "10 MB/s",
            "priority": [0, 1, 0],
        },
        "run": {"warmup": "auto"},
    },
    {
        "network": {"nodes": 2},
        "flow_control": {"protocol": "grouped", "assignment": [[0, 1], [2, 0]]},
        "traffic": {"transaction": "send288", "random_matrix": {"family": "exponential", "seed": 1}},
    },
    {
        "network": {"nodes": 4},
        "flow_control": {"protocol": "none"},
        "retry": {"reservation": True},
        "traffic": {"transaction": "mixed", "destinations": [1, 2, 3, 0], "arrivals": "poisson", "load": 1.0},
    },
    {
        "network": {"nodes": 4, "framing": 1},
        "flow_control": {
            "protocol": "ppq",
            "bypass": 50,
            "inheritance": True,
            "late_echo": "service-start",
            "ageing": "400 ns",
        },
        "queues": {
            "receive": 5,
            "service_time": "100 ns",
            "responses": 5,
            "window": 16,
            "order": "response-first",
            "priorities": 8,
        },
        "retry": {"delay": 50, "reservation": False},
        "traffic": {"transaction": "read64", "load": "50 MiB/s", "priorities": [0, 7]},
    },
    {
        "network": {"nodes": 4},
        "flow_control": {
            "protocol": "train",
            "ticket_master": 3,
            "bypass": 60,
            "inheritance": True,
            "locomotive": 6,
            "ticket": 3,
            "delay": "10 ns",
            "tickets_per_node": 2,
            "size": 200,
            "mode": "switching",
            "shift_up": 0.8,
            "shift_down": 0.2,
            "load_window": "1 us",
        },
        "queues": {"receive": 5},
        "traffic": {"transaction": "nwrite64", "load": 0.1},
    },
    {
        "network": {"nodes": 4},
        "flow_control": {
            "protocol": "dfc",
            "bypass": 60,
            "high_water": 4,
            "low_water": 2,
            "stop_thru": False,
            "fair": False,
        },
        "queues": {"receive": 5},
        "messages": [
            {
                "name": "alarm",
                "source": 0,
                "destination": 2,
                "size": "200 B",
                "period": "10 us",
                "deadline": 4000,
                "priority": 9,
                "offset": "1 us",
            }
        ],
        "message_transaction": "read64",
        "message_priorities": "given",
        "allow_late_deadlines": True,
    },
]
"""Valid scenarios that use every key."""

leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**400, -(10**400), 2**53, 2**64]),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(WORDS),
    st.integers(0, 9),
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


def section(name):
    keys = st.sampled_from(SECTIONS[name]) | st.text(max_size=6) | st.sampled_from(WORDS)
    return st.dictionaries(keys, values, max_size=4) | values


# A ring of a size that may be built, most of the time: else nothing behind the first check would be reached.
anything = st.fixed_dictionaries(
    {"network": st.fixed_dictionaries({"nodes": st.integers(1, 6)}) | section("network")},
    optional={name: section(name) for name in SECTIONS if name != "network"} | dict.fromkeys(TOP_LEVEL, values),
)


@settings(max_examples=400, deadline=None)
@given(anything)
def test_anything_is_a_scenario_or_one_message(content):
    check(content)


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_one_bad_value_in_a_scenario_is_found_before_the_engine(data):
    content = copy.deepcopy(data.draw(st.sampled_from(WHOLE)))
    table = content[data.draw(st.sampled_from([name for name in sorted(content) if name in SECTIONS]))]
    if data.draw(st.booleans()):
        table = content
    key = data.draw(st.sampled_from(sorted(table)) | st.text(max_size=6))
    while isinstance(inner := table[key] if isinstance(table, list) else table.get(key), dict | list) and inner:
        if data.draw(st.booleans()):
            break
        table = inner
        key = data.draw(st.sampled_from(sorted(inner)) if isinstance(inner, dict) else st.integers(0, len(inner) - 1))
    table[key] = data.draw(values)
    check(content)


def check(content):
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
    st.sampled_from(["received", "none", "passing"]).map(lambda each: {"protocol": "sci", "extension": each}),
    st.tuples(st.integers(1, 16), st.sampled_from(["own", "any"])).map(
        lambda pair: {"protocol": "grouped", "groups": pair[0], "permit": pair[1]}
    ),
    st.sampled_from(["ppq", "train", "dfc"]).map(lambda protocol: {"protocol": protocol}),
)
transactions = st.sampled_from(["send16", "send80", "mixed", "send288", "read64", "nwrite64", "dmove64", "locksb"])
queues = st.fixed_dictionaries(
    {},
    optional={
        "receive": st.integers(1, 6),
        "service_time": st.integers(0, 100),
        "responses": st.integers(1, 6),
        "window": st.integers(1, 6),
        "order": st.sampled_from(["alternate", "oldest"]),
    },
)


@settings(max_examples=100, deadline=None)
@given(st.integers(5, 12), patterns, arrivals, flow_controls, queues, transactions)
def test_valid_scenarios_survive_a_round_trip_and_run(nodes, pattern, arrival, flow_control, queue, transaction):
    scenario = Scenario.from_dict(
        {
            "network": {"nodes": nodes},
            "flow_control": flow_control,
            "queues": queue,
            "traffic": {"transaction": transaction, **pattern, **arrival},
        }
    )
    spec = json.dumps(scenario.network_spec(7))
    assert spec == json.dumps(Scenario.from_dict(json.loads(json.dumps(scenario.to_dict()))).network_spec(7))
    simulation = Simulation(spec)
    assert simulation.advance(2000) is None
