"""Messages about files: all that is wrong at once, each with its file and line."""

import cProfile
import pstats

import pytest

from ringlet import RingletError, Scenario
from ringlet.advice import Requirements
from ringlet.scenario.file import positions
from ringlet.studies import Study
from ringlet.studies.schedulability import Schedulability

WRONG = """# three keys are wrong, one is missing
[network]
nodes = 0
[flow_control]
protocol = "brick"
[traffic]
load = "50 MB/s"
hot_node = -1
hot_fraction = 0.5
[[messages]]
source = 0
destination = 1
size = 64
"""


def messages(load, *arguments):
    with pytest.raises(RingletError) as caught:
        load(*arguments)
    return caught.value.args


def text(folder, content, name="ring.toml"):
    (folder / name).write_text(content)
    return folder / name


def test_everything_that_is_wrong_is_told_with_its_line(tmp_path):
    file = text(tmp_path, WRONG)
    starts = [message.partition(" is not allowed")[0] for message in messages(Scenario.load, file)]
    assert starts == [
        f"{file}, line 3: network.nodes: 0",
        f"{file}, line 5: flow_control.protocol: 'brick'",
        f"{file}, line 8: traffic.hot_node: -1",
        f"{file}, line 10: messages[0].period: missing; it has to be given",
    ]


def test_what_sections_together_show_is_told_at_once_too(tmp_path):
    file = text(tmp_path, "[network]\nnodes = 4\n[host]\nslots = 2\n\n[traffic]\nphase = 5\n")
    one, two = messages(Scenario.load, file)
    assert one.startswith(f"{file}, line 3: host: ")
    assert two.startswith(f"{file}, line 7: traffic.phase: ")


def test_a_topology_that_does_not_fit_hides_nothing_else(tmp_path):
    file = text(tmp_path, '[network]\ntopology = "omega"\nsize = 5\n[run]\nseed = -1\n')
    size, seed = messages(Scenario.load, file)
    assert size.startswith(f"{file}, line 3: network.size: 5")
    assert seed.startswith(f"{file}, line 5: run.seed: -1")


def test_a_misspelt_key_stands_for_the_one_that_is_missing(tmp_path):
    (only,) = messages(Scenario.load, text(tmp_path, "[network]\nnode = 4\n"))
    assert only.endswith("line 2: network.node: unknown key; did you mean 'nodes'?")
    assert len(messages(Scenario.load, text(tmp_path, "[network]\ncolour = 4\n"))) == 2


def test_a_key_from_the_command_line_is_in_no_line(tmp_path):
    file = text(tmp_path, "[network]\nnodes = 4\n[run]\nseed = -1\n")
    nodes, seed = messages(Scenario.load, file, ["network.nodes=0"])
    assert nodes.startswith("network.nodes: 0")
    assert seed.startswith(f"{file}, line 4: run.seed")


def test_messages_of_a_table_have_the_line_of_the_table(tmp_path):
    text(tmp_path, "source,destination,size,period\n0,1,64,10 us\n\n0,9,64,10 us\n0,2,64,1e300\n", "set.csv")
    file = text(tmp_path, 'messages_file = "set.csv"\n[network]\nnodes = 4\n')
    (line,) = messages(Scenario.load, file)
    assert line.startswith(f"{tmp_path / 'set.csv'}, line 5, period: ")
    text(tmp_path, "source,destination,size,period\n0,1,64,10 us\n\n0,9,64,10 us\n0,2,64,0.5\n", "set.csv")
    far, short = messages(Scenario.load, file)
    assert far.startswith(f"{tmp_path / 'set.csv'}, line 4, destination: 9")
    assert short.startswith(f"{tmp_path / 'set.csv'}, line 5, period: 0.5")


def test_a_message_is_called_by_its_way():
    table = [{"source": 0, "destination": 3, "size": 64, "period": 1000}]
    scenario = Scenario.from_dict({"network": {"nodes": 4}, "messages": table})
    assert [message.name for message in scenario.periodic_messages] == ["0-3"]


def test_a_study_tells_the_line_of_its_base_file_or_axis(tmp_path):
    base = text(tmp_path, "[network]\nnodes = 4\n[traffic]\nhot_node = 9\nhot_fraction = 0.5\n", "base.toml")
    study = text(tmp_path, 'scenario = "base.toml"\n[[axes]]\nrun.seed = [1, 2]\n', "study.toml")
    (only,) = messages(Study.load(study).check)
    assert only.startswith(f"{base}, line 4: point 0 (run.seed=1): traffic.hot_node: 9")
    text(tmp_path, "[network]\nnodes = 4\n", "base.toml")
    for axis in ("traffic.load", '"traffic.load"'):
        text(tmp_path, f'scenario = "base.toml"\n[[axes]]\n{axis} = [0.1, "x"]\n', "study.toml")
        (only,) = messages(Study.load(study).check)
        assert only.startswith(f"{study}, line 3: point 1 (traffic.load=x): traffic.load: 'x'")


def test_a_study_tells_the_line_of_its_own_keys_and_of_a_scenario_inside(tmp_path):
    study = text(tmp_path, "[scenario.network]\nnodes = 4\n[scenario.run]\nseed = -1\n", "study.toml")
    (only,) = messages(Study.load(study).check)
    assert only.startswith(f"{study}, line 4: run.seed: -1")
    text(tmp_path, "title = 4\n[scenario.network]\nnodes = 4\n[replications]\ncount = 0\n", "study.toml")
    title, count = messages(Study.load, study)
    assert title.startswith(f"{study}, line 1: title: 4")
    assert count.startswith(f"{study}, line 5: replications.count: 0")


def test_a_file_of_another_kind_is_recognised(tmp_path):
    ring = text(tmp_path, "[network]\nnodes = 4\n")
    needs = text(tmp_path, 'senders = 4\nreceivers = 4\nrate = "4 MB/s"\n', "needs.toml")
    study = text(tmp_path, 'scenario = "ring.toml"\n', "study.toml")
    sets = text(tmp_path, "scenario.network.nodes = 4\nutilisations = [0.2]\nprotocols = []\n", "sets.toml")
    for load, file, words in (
        (Study.load, ring, "this is a scenario, for 'ringlet run'"),
        (Study.load, needs, "this is requirements, for 'ringlet advise'"),
        (Requirements.load, ring, "this is a scenario, for 'ringlet run'"),
        (Requirements.load, study, "this is a study, for 'ringlet sweep'"),
        (Scenario.load, study, "this is a study, for 'ringlet sweep'"),
        (Scenario.load, needs, "this is requirements, for 'ringlet advise'"),
        (Scenario.load, sets, "this is a schedulability study, for 'ringlet schedulability'"),
        (Study.load, sets, "this is a schedulability study, for 'ringlet schedulability'"),
        (Schedulability.load, study, "this is a study, for 'ringlet sweep'"),
    ):
        (only,) = messages(load, file)
        assert only.startswith(f"{file}: {words}")


def test_requirements_tell_lines(tmp_path):
    file = text(tmp_path, "senders = 0\nreceivers = 4\nrate = 5\n", "needs.toml")
    senders, rate = messages(Requirements.load, file)
    assert senders.startswith(f"{file}, line 1: senders: 0")
    assert rate.startswith(f"{file}, line 3: rate: 5")


def test_a_schedulability_study_tells_lines(tmp_path):
    content = "utilisations = [0.2]\nmesages = 3\nperiods = ['1 us', '2 us']\nprotocols = [{protocol = 'dfc'}]\n"
    file = text(tmp_path, f"{content}[scenario.network]\nnodes = 4\n", "sets.toml")
    (only,) = messages(Schedulability.load, file)
    assert only.startswith(f"{file}, line 2: mesages: unknown key")


def test_values_are_cut_at_60_characters():
    (only,) = messages(Scenario.from_dict, {"network": {"nodes": "x" * 500}})
    assert only.startswith(f"network.nodes: '{'x' * 56}... is not allowed")


def test_toml_that_is_none_has_its_line(tmp_path):
    file = text(tmp_path, "[network]\nnodes = = 4\n")
    (only,) = messages(Scenario.load, file)
    assert only.startswith(f"{file}, line 2, column 9: not a TOML file: ")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("[wrong{}]\nx = 1\n", "line 3: wrong0: unknown key; "),
        ("[[messages]]\nsourc = {}\n", "line 4: messages[0].sourc: unknown key; did you mean 'source'?"),
        ("[[messages]]\nsource = {}\n", "line 3: messages[0].destination: missing; it has to be given"),
    ],
    ids=["sections", "keys", "missing"],
)
def test_very_many_wrong_tables_are_counted_as_fast_as_right_ones_are_read(tmp_path, wrong, said):
    def calls(tables):
        file = text(tmp_path, "[network]\nnodes = 4\n" + "".join(wrong.format(i) for i in range(tables)))
        with cProfile.Profile() as profile:
            first, *_, last = messages(Scenario.load, file)
        assert first.startswith(f"{file}, {said}")
        assert last.startswith("and ")
        return pstats.Stats(profile).total_calls

    # A table of a list is a section, which is filled; any other table costs nothing but its place among the wrong ones.
    assert calls(6_000) - calls(4_000) < 2_000 * (60 if "[[" in wrong else 5)


def test_the_lines_of_keys_are_looked_for_no_further_than_they_may_stand(tmp_path, monkeypatch):
    looked_at = []
    tokens = positions._tokens
    monkeypatch.setattr(
        positions, "_tokens", lambda document: (looked_at.append(one) or one for one in tokens(document))
    )
    file = text(tmp_path, "[network]\nnodes = 0\n" + "[[messages]]\nsource = 1\n" * 1_000)
    assert len(messages(Scenario.load, file)) == 51
    assert len(looked_at) < 1_000
