"""The registry of figures: what it says of a run is what the run's document and tables have."""

import json

import pytest
from jsonschema import Draft202012Validator

import ringlet as rl
from ringlet._engine import PROTOCOL_COUNTS
from ringlet.figures import BY_NAME, UNITS, OverSeeds, figures_of, interval_name, row_of_run
from ringlet.figures.document_schema import result_schema

SHORT = {"duration": "10 us", "warmup": 0}
PERIODIC = {"name": "m", "source": 0, "destination": 2, "size": 64, "period": "2 us", "priority": 1}

RUNS = {
    "ring": {"network": {"nodes": 4}},
    "no traffic": {
        "network": {"nodes": 2},
        "traffic": {"arrivals": "none"},
        "messages": [PERIODIC | {"destination": 1}],
    },
    "priorities": {
        "network": {"nodes": 4},
        "flow_control": {"protocol": "sci", "priorities": 4},
        "traffic": {"priorities": [3, 0, 1, 2]},
    },
    "messages": {"network": {"nodes": 4}, "traffic": {"arrivals": "none"}, "messages": [PERIODIC]},
    "precision": {"network": {"nodes": 3}, "run": SHORT | {"precision": 0.5}},
    "ppq": {"network": {"nodes": 4}, "flow_control": {"protocol": "ppq"}, "traffic": {"priorities": [3, 0, 1, 2]}},
    "switch": {"network": {"topology": "switch", "nodes": 2, "ports": 2}},
    "errors": {
        "network": {"nodes": 4},
        "traffic": {"arrivals": "poisson", "load": "100 MB/s"},
        "errors": {"bit_error_rate": 1e-5, "timeout": "5 us"},
    },
}


def document(content):
    return rl.run(rl.Scenario.from_dict({"run": SHORT, **content})).to_dict()


def unknown(value, schema, place="document"):
    """Entries of a document that its schema does not have."""
    if isinstance(value, dict) and "properties" in schema:
        for key, inner in value.items():
            if key not in schema["properties"]:
                yield f"{place}.{key}"
            else:
                yield from unknown(inner, schema["properties"][key], f"{place}.{key}")
    if isinstance(value, list) and "items" in schema:
        for inner in value:
            yield from unknown(inner, schema["items"], place)


@pytest.mark.parametrize("name", RUNS)
def test_the_schema_has_every_entry_of_a_result(name):
    schema = result_schema()
    Draft202012Validator.check_schema(schema)
    found = json.loads(json.dumps(document(RUNS[name])))
    Draft202012Validator(schema).validate(found)
    assert list(unknown(found, schema)) == []


def test_a_name_ends_with_its_unit():
    for figure in BY_NAME.values():
        if figure.unit:
            assert figure.name == UNITS[figure.unit] or figure.name.endswith(f"_{UNITS[figure.unit]}"), figure.name


def test_names_and_places_are_used_once():
    for part in (
        "run",
        "nodes",
        "priorities",
        "total",
        "messages",
        "events",
        "builders",
        "collective",
        "channels",
        "scatter_gather",
        "workers",
        "loops",
        "end_to_end",
    ):
        figures = figures_of(part)
        assert len({figure.name for figure in figures}) == len({figure.path for figure in figures}) == len(figures)


def test_a_figure_says_what_it_is_in_sentences():
    for figure in BY_NAME.values():
        assert figure.meaning[0] in "`0123456789" or figure.meaning[0].isupper(), figure.name
        assert figure.meaning.endswith("."), figure.name


def test_protocols_tell_what_they_count():
    found = document(RUNS["ppq"])
    for name, meaning in PROTOCOL_COUNTS:
        assert found["total"][name] == sum(node[name] for node in found["nodes"])
        assert BY_NAME[name].meaning == meaning


def test_a_row_of_a_run_has_its_totals_under_the_names_of_the_figures():
    found = document(RUNS["ring"])
    row = row_of_run(found)
    assert row["latency_p99_ns"] == found["total"]["latency_ns"]["p99"]
    assert row["link_idle_fraction"] == found["total"]["link"]["idle"]
    assert row["stalled"] is False
    assert "bottleneck" not in row


def test_an_interval_stands_behind_the_name_and_before_the_unit():
    assert interval_name("latency_p99_ns") == "latency_p99_ci95_ns"
    assert interval_name("throughput_words_per_cycle") == "throughput_ci95_words_per_cycle"
    assert interval_name("fairness") == "fairness_ci95"


def test_only_worst_cases_are_extremes_over_seeds():
    extremes = {name for name, figure in BY_NAME.items() if figure.over_seeds in (OverSeeds.LARGEST, OverSeeds.LEAST)}
    assert {"latency_max_ns", "latency_min_ns", "output_inversion_max_ns"} <= extremes
    assert "deviation_maximum_percent" not in extremes


def test_the_min_max_share_tells_how_far_the_least_is_behind_the_largest():
    found = document({"network": {"nodes": 4}, "traffic": {"destinations": [3, 3, 3, 1]}})
    rates = [node["throughput_MBps"] for node in found["nodes"]]
    assert found["total"]["min_max_share"] == pytest.approx(min(rates) / max(rates))
    assert (
        document(RUNS["no traffic"] | {"messages": [{**PERIODIC, "destination": 1, "offset": "9.99 us"}]})["total"][
            "min_max_share"
        ]
        is None
    )


def test_the_mean_over_seeds_of_a_figure_does_not_hang_on_its_name():
    assert BY_NAME["min_max_share"].over_seeds is OverSeeds.MEAN


def test_a_figure_that_has_another_name_has_its_former_one_beside_it():
    for node in rl.run({"network": {"nodes": 3}, "run": {"duration": "20 us"}}).document["nodes"]:
        assert node["queues"] == {
            "transmit_mean": node["transmit_queue_mean_packets"],
            "transmit_max": node["transmit_queue_max_packets"],
            "receive_mean": node["receive_queue_mean_packets"],
            "receive_max": node["receive_queue_max_packets"],
            "bypass_max_symbols": node["bypass_max_symbols"],
        }


def test_the_maximum_backlog_is_the_largest_transmit_queue():
    found = document({"network": {"nodes": 4}, "traffic": {"arrivals": "poisson", "load": "400 MB/s"}})
    largest = max(node["transmit_queue_max_packets"] for node in found["nodes"])
    assert found["total"]["max_backlog_packets"] == largest > 1


def test_the_optima_of_the_priorities_add_up_to_that_of_the_ring():
    found = document(RUNS["priorities"])
    for figure in ("optimum_MBps", "optimum_words_per_cycle"):
        each = [one[figure] for one in found["priorities"]]
        assert sum(each) == pytest.approx(found["total"][figure])
    # Every node sends at all of them, as much as it can: lower ones get what the highest leaves.
    assert [one["of_optimum"] for one in found["priorities"][:-1]] == [None, None, None]
    highest = found["priorities"][-1]
    assert highest["optimum_MBps"] == found["total"]["optimum_MBps"]
    share = highest["throughput_words_per_cycle"] / highest["optimum_words_per_cycle"]
    assert highest["of_optimum"] == pytest.approx(share)
