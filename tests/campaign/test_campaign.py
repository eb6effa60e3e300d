"""The campaign itself: seeds make the same cases, every key is drawn, failures are found, shrunk, kept and told."""

import os
import signal
import time
from random import Random

import pytest

import campaign.kinds
import ringlet as rl
from campaign import case, command, damage, limits, observe, pool, schema, shrink, worker
from campaign.case import Case, Kind, RuleError
from campaign.checks import check
from campaign.kinds import KINDS, laws, recurrences
from campaign.kinds.saves import COLUMNS, checksum
from campaign.kinds.shares import held_to
from campaign.observe import Observed
from campaign.worker import Failure
from ringlet import Scenario


@pytest.mark.parametrize("name", KINDS)
def test_a_seed_makes_the_same_case_alone_and_in_a_row(name):
    in_a_row = [KINDS[name].generate(seed) for seed in range(70, 74)]
    # Of another kind in between, and not in a row.
    KINDS["mutations"].generate(1)
    assert KINDS[name].generate(73) == in_a_row[3]
    assert KINDS[name].generate(71) == in_a_row[1]


@pytest.mark.parametrize("name", KINDS)
def test_some_trials_of_each_kind_hold(name):
    ended = {seed: worker.one_trial(name, seed) for seed in range(12)}
    assert not [failure for failure in ended.values() if isinstance(failure, Failure)]


def test_the_specs_of_laws_are_those_of_the_scenarios():
    drawn = [laws.generate(seed).content for seed in range(22, 66)]
    assert {one["ring"]["flow_control"]["protocol"] for one in drawn} == set(laws.PROTOCOLS)
    for ring, patterns in ((one["ring"], one["patterns"]) for one in drawn):
        composed = laws.Patterns(ring)
        for destinations in patterns[:2]:
            own = Scenario.of(laws.scenario_of(ring, destinations)).engine_spec
            assert composed.spec(destinations) == own


@pytest.mark.parametrize(
    ("options", "named"),
    [({"protocol": "sci", "extension": "always"}, "starves a sender"), ({"protocol": "metaring"}, "turned by 1")],
)
def test_a_broken_law_is_found(tmp_path, monkeypatch, options, named):
    # The place of the node that makes the SAT counts.
    monkeypatch.setattr(laws, "ALIKE", ("metaring",))
    ring = {
        "network": {"nodes": 6, "hop_delay": 6},
        "traffic": {"transaction": "send64", "arrivals": "periodic"},
        "flow_control": options,
    }
    pattern = [-1, 5, 3, -1, 2, 3]
    with pytest.raises(RuleError, match=named):
        laws.check(Case({"ring": ring, "patterns": [pattern], "turned": 1, "cycles": 3_000}), tmp_path, Random(0))


def test_every_key_and_choice_of_the_schema_is_drawn():
    assert {path[0] for path in schema.all_keys()} == set(schema.scenario_schema()["properties"])
    assert ("host", "adapter") in schema.all_keys()
    for path in schema.all_keys():
        found = schema.at(path)
        words = {word for option in schema.options(found) for word in option.get("enum", ())}
        drawn = set()
        for seed in range(100 * len(words)):
            value = schema.Values(Random(seed), 4, lambda key: "file").draw(found, str(path[-1]))
            if isinstance(value, str | int):
                drawn.add(value)
            if words <= drawn:
                break
        assert words <= drawn


def observed(tmp_path, **sections):
    content = {"network": {"nodes": 3}, "traffic": {"load": 0.1}, "run": {"duration": 2000, "warmup": 0}, **sections}
    return Observed(Scenario.from_dict(content), tmp_path, Random(1))


@pytest.mark.parametrize(
    ("table", "column", "by", "named"),
    [
        ("flow_counters", "delivered_packets", 10**6, "delivered"),
        ("flow_counters", "lost_packets", 10**6, "lost"),
        ("flow_counters", "latency_sum_cycles", 10**9, "latency"),
        ("flow_counters", "latency_min_cycles", -40, "faster than its way"),
        ("node_counters", "link_idle_symbols", 1, "symbols of a link"),
        ("node_counters", "bypass_max_symbols", 1000, "bypass FIFO"),
    ],
)
def test_a_wrong_counter_is_found(tmp_path, table, column, by, named):
    seen = observed(tmp_path)
    values = seen.counted.tables[table][column]
    values += values.dtype.type(by) if by > 0 else values.dtype.type(0)
    if by < 0:
        values -= values.dtype.type(-by)
    seen.rng = replaced_roll(0.4)
    with pytest.raises(RuleError, match=named):
        check(seen)


def replaced_roll(value):
    """Returns a generator whose first number is given."""
    rng = Random(1)
    rng.random = lambda: value
    return rng


def test_another_result_in_pieces_is_found(tmp_path):
    seen = observed(tmp_path)
    seen.counted.tables["node_counters"]["link_idle_symbols"] += 1
    difference = seen.counted.difference(seen.simulate([500, 1500]))
    assert difference.startswith("node_counters.link_idle_symbols[0]")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda d: d["total"].update(throughput_MBps=1.0), "throughput_MBps"),
        (lambda d: d["total"]["latency_ns"].update(p95=1e9), "total.latency_ns"),
        (lambda d: d["nodes"][0]["link"].update(idle=0.5), "node 0"),
        (lambda d: d["total"].update(fairness=float("nan")), "Out of range float"),
    ],
)
def test_a_wrong_figure_of_a_document_is_found(tmp_path, change, named):
    seen = observed(tmp_path)
    change(seen.document)
    seen.rng = replaced_roll(0.07)
    with pytest.raises((RuleError, ValueError), match=named):
        check(seen)


NEIGHBOURS = {"network": {"nodes": 4}, "traffic": {"pattern": "neighbour"}, "run": {"duration": 8000, "warmup": 0}}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda d: d["total"].update(maximum_MBps=0.5 * d["total"]["maximum_MBps"]), "in total"),
        (lambda d: [node.update(fair_share_MBps=0.5 * node["fair_share_MBps"]) for node in d["nodes"]], "fair shares"),
        (lambda d: d["total"].update(capacity_factor=0.1), "of what they offer"),
    ],
)
def test_what_is_above_a_share_that_is_too_small_is_found(change, named):
    scenario = Scenario.from_dict(NEIGHBOURS)
    document = rl.run(scenario).to_dict()
    held_to(scenario, document)
    change(document)
    with pytest.raises(RuleError, match=named):
        held_to(scenario, document)


def test_more_than_servers_can_serve_is_found_where_receive_queues_grow():
    """Node 2 sends to two nodes, of which one has more left waiting."""
    flow = {"source": 2, "size": 64, "destination": 1}
    content = {**NEIGHBOURS, "queues": {"service_time": 286}, "flows": [flow], "run": {"duration": 60_000, "warmup": 0}}
    scenario = Scenario.from_dict(content)
    document = rl.run(scenario).to_dict()
    assert held_to(scenario, document) == "total, while something waits"
    document["total"]["throughput_MBps"] *= 1.1
    with pytest.raises(RuleError, match="in total"):
        held_to(scenario, document)


def test_more_than_links_can_carry_is_found_where_responses_are_left_waiting():
    traffic = {**NEIGHBOURS["traffic"], "transaction": "writesb"}
    scenario = Scenario.from_dict({**NEIGHBOURS, "traffic": traffic})
    document = rl.run(scenario).to_dict()
    assert held_to(scenario, document) == "total, fair share"
    document["total"]["throughput_MBps"] *= 1.5
    assert held_to(scenario, document) == "total, while something waits"
    document["total"]["throughput_MBps"] *= 2.5
    with pytest.raises(RuleError, match="in total"):
        held_to(scenario, document)


def test_a_count_that_a_recurrence_misses_is_found(monkeypatch):
    scenario = Scenario.from_dict({**NEIGHBOURS, "run": {"duration": 200_000}})
    assert recurrences.found(scenario)["period_cycles"] < 1000
    counted = observe.Counted.of

    def short(simulation, flows, stall):
        found = counted(simulation, flows, stall)
        found.flows["delivered_packets"][0] -= found.flows["delivered_packets"].dtype.type(1)
        return found

    calls = iter((counted, short))
    monkeypatch.setattr(observe.Counted, "of", lambda *arguments: next(calls)(*arguments))
    with pytest.raises(RuleError, match="delivered_packets"):
        recurrences.found(scenario)


FAILING = {"network": {"nodes": 4, "hop_delay": 2}, "traffic": {"load": 0.1}, "run": {"seed": 7, "duration": 400}}


def test_a_case_is_shrunk_to_what_makes_it_fail():
    whole = Case({"scenario": FAILING, "list": list(range(40))}, {"a.csv": b"one\ntwo\nthree\n" * 10, "b": b"x"})

    def fails(candidate):
        content = candidate.content
        return (
            content.get("scenario", {}).get("run", {}).get("seed", 0) > 2
            and 17 in content.get("list", ())
            and b"wo" in candidate.files.get("a.csv", b"")
        )

    small = shrink.shrink(whole, fails)
    assert small == Case({"scenario": {"run": {"seed": 3}}, "list": [17]}, {"a.csv": b"wo"})


def test_a_kept_case_comes_back_as_it_was(tmp_path):
    odd = Case({"scenario": {"a": [1, 0.5, float("inf")], "b": {"c": "\x00é\n"}}}, {"t": b"\xff\x00", "u": b"a,b\n"})
    file = tmp_path / "kept.toml"
    file.write_text(case.to_toml("traces", 5, "what", odd), encoding="utf-8")
    assert case.from_toml(file) == ("traces", 5, odd)


def dying(mode):
    """A kind whose seed 3 ends its process."""

    def trial(case_, folder, rng):
        if case_.content["seed"] == 3:
            if mode == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            limits.PROCESSOR_SECONDS = 0.2
            limits.start_clock()
            while True:
                pass
        return "ran"

    return Kind("dying", "for this test", lambda seed: Case({"seed": seed}), trial)


@pytest.fixture
def forked(monkeypatch):
    """Makes the pool fork: a kind of this test is known to its workers."""
    import multiprocessing

    monkeypatch.setattr(multiprocessing, "get_context", lambda method: multiprocessing.context.ForkContext())
    monkeypatch.setattr(limits, "limit_memory", lambda: None)


def test_a_trial_that_dies_of_memory_that_others_hold_is_made_again_alone(forked, monkeypatch):
    """Seed 3 ends a process that has made other trials, and seed 5 any."""
    made = []

    def trial(case_, folder, rng):
        seed = case_.content["seed"]
        if seed == 5 or (seed == 3 and made):
            os.abort()
        made.append(seed)
        return "ran"

    monkeypatch.setitem(campaign.kinds.KINDS, "full", Kind("full", "", lambda seed: Case({"seed": seed}), trial))
    ended, failures = 0, []
    for _, count, tally in pool.Pool(1).run({"full": 0}, 600):
        ended += count
        failures += tally.failures
        if ended >= 8 and failures:
            break
    assert [failure.seed for failure in failures] == [5]
    assert "memory" in failures[0].what


@pytest.mark.parametrize(("mode", "named"), [("kill", "killed"), ("loop", "processor time")])
def test_a_trial_that_ends_its_process_is_named_and_the_others_are_made(forked, monkeypatch, mode, named):
    monkeypatch.setitem(campaign.kinds.KINDS, "dying", dying(mode))
    trials, failures = 0, []
    for _, made, tally in pool.Pool(1).run({"dying": 0}, 600):
        trials += made
        failures += tally.failures
        if trials >= 8:
            break
    assert trials >= 8
    assert [(failure.kind, failure.seed) for failure in failures] == [("dying", 3)]
    assert named in failures[0].what


def test_a_failure_says_how_to_see_it_again(forked, monkeypatch, capsys, tmp_path):
    def trial(case_, folder, rng):
        assert case_.content["seed"] % 4, "a multiple of four"
        return "ran"

    odd = Kind("odd", "for this test", lambda seed: Case({"seed": seed}), trial)
    monkeypatch.setitem(campaign.kinds.KINDS, "odd", odd)
    log = tmp_path / "log.csv"
    assert command.main(["--kinds", "odd", "--seed", "1", "--seconds", "0.3", "--log", str(log)]) == 1
    told = capsys.readouterr().out
    assert "odd 4: AssertionError: a multiple of four" in told
    assert "make campaign KIND=odd SEED=4" in told
    # The second one of the same sort is counted, and not told.
    assert told.count("again:") == 1
    header, row = log.read_text().splitlines()
    assert header.split(",") == list(command.LOG_COLUMNS)
    assert ",odd,1," in row
    assert command.main(["--kinds", "odd", "--only", "4"]) == 1
    assert command.main(["--kinds", "odd", "--only", "5"]) == 0


def test_the_checksum_of_a_save_is_crc_32c():
    # RFC 3720, B.4, and the check of the polynomial.
    assert checksum(b"123456789") == 0xE3069283
    assert checksum(bytes(32)) == 0x8A9136AA
    # One byte after the other, for lengths of less than a row, of a row and of several.
    rng = Random("checksums")
    for length in (4, COLUMNS - 1, COLUMNS, COLUMNS + 1, 5 * COLUMNS + 3):
        data, state = rng.randbytes(length), 0xFFFFFFFF
        for byte in data:
            state ^= byte
            for _ in range(8):
                state = state >> 1 ^ (0x82F63B78 if state & 1 else 0)
        assert checksum(data) == state ^ 0xFFFFFFFF


def test_damage_ends_and_is_the_same_again():
    began = time.process_time()
    for seed in range(300):
        whole = b"a = 1\n[b]\nc = 2.5\n"
        assert damage.damaged(whole, Random(seed)) == damage.damaged(whole, Random(seed))
        table = {"a": 1, "b": {"c": [1, 2]}}
        damage.mutated(table, Random(seed))
    assert time.process_time() - began < 10
