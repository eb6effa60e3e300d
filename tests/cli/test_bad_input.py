"""Bad input: exit code 2, one message that names the place, nothing on stdout, no file written, soon."""

import os
import time

import pytest
from command_line import files_in, ringlet

from ringlet.cli import main

SOON_S = 5.0
"""Processor time, which hardly grows where a machine does other things, too; it takes less than one."""

LARGE = ("--set", "network.nodes=64", "--set", "traffic={load='1 MB/s'}")

OVERRIDES = {
    "network.nodes=0": "network.nodes",
    "network.nodes=1099511627776": "network.nodes",
    "network.nodes=-3": "network.nodes",
    "network.nodes=2.5": "network.nodes",
    "network.nodes=many": "network.nodes",
    "network.nodes=nan": "network.nodes",
    "network.noodles=4": "network.noodles",
    "network.topology=star": "network.topology",
    "network.link_rate=1 furlong": "network.link_rate",
    "network.link_rate=-1 GB/s": "network.link_rate",
    "network.hop_delay=0": "network.hop_delay",
    "flow_control.protocol=magic": "flow_control.protocol",
    "flow_control.groups=4": "flow_control.groups",
    "flow_control.bypass=41": "flow_control.bypass",
    'flow_control={protocol="dfc", high_water=0}': "flow_control.high_water",
    'flow_control={protocol="dfc", high_water=4, low_water=4}': "flow_control.low_water",
    'flow_control={protocol="train", ticket_master=4}': "flow_control.ticket_master",
    'flow_control={protocol="ppq", bypass=20}': "flow_control.bypass",
    "queues.receive=0": "queues.receive",
    "queues.window=0": "queues.window",
    "queues.responses=0": "queues.responses",
    "queues.priorities=0": "queues.priorities",
    "traffic.priorities=[0, 1]": "traffic.priorities[1]",
    "traffic.priority=-1": "traffic.priority",
    "message_priorities=rate-monotonic": "message_priorities",
    "queues.service_time=-1": "queues.service_time",
    "queues.response_timeout=1e9 s": "queues.response_timeout: '1e9 s' is not allowed; at most 2^53 cycles of 2 ns",
    "retry.strategy=later": "retry.strategy",
    "traffic.transaction=send7": "traffic.transaction",
    "traffic.destinations=[3, 3, 3, 3]": "traffic.destinations",
    "traffic.destinations=[3, 3, 3, 4]": "traffic.destinations",
    "traffic.destinations=[3, 3]": "traffic.destinations",
    "traffic.arrivals=poisson": "traffic.load",
    'traffic={arrivals="closed", pattern="matrix", matrix_unit="MB/s"}': "traffic.matrix_unit: given with arrivals",
    "run.duration=1e30 s": "run.duration",
    "run.duration=inf": "run.duration",
    "run.duration=0": "run.duration",
    "run.precision=2": "run.precision",
    "run.seed=-1": "run.seed",
    "run.wramup=0": "run.wramup",
    "nodes": "--set",
    "=4": "--set",
    "network.nodes.x=4": "network.nodes",
}

FILES = {
    "empty": (b"", "empty"),
    "not-toml": (b"[network\n", "not a TOML file"),
    "not-utf-8": (b"[network]\nnodes = 4 # \xff\n", "UTF-8"),
    "no-nodes": (b"[network]\n", "network.nodes"),
    "unknown-section": (b"[netwrok]\nnodes = 4\n", "network"),
    "control-characters": (b'[network]\nnodes = 4\n"\\u001b[31m" = 1\n', "network"),
    "matrix-not-square": (b'[network]\nnodes=2\n[traffic]\npattern="matrix"\nmatrix=[[0,1]]\n', "traffic.matrix"),
    "matrix-row-sum": (
        b'[network]\nnodes=2\n[traffic]\npattern="matrix"\nmatrix=[[0,1],[0.5,0]]\n',
        "traffic.matrix[1]",
    ),
    "matrix-nan": (b'[network]\nnodes=2\n[traffic]\npattern="matrix"\nmatrix=[[0,1],[nan,0]]\n', "traffic.matrix[1]"),
    "message-period-0": (
        b"[network]\nnodes=2\n[[messages]]\nname='m'\nsource=0\ndestination=1\nsize=64\nperiod=0\n",
        "messages[0].period",
    ),
    "message-late-deadline": (
        b"[network]\nnodes=2\n[[messages]]\nname='m'\nsource=0\ndestination=1\nsize=64\nperiod=100\ndeadline=101\n",
        "messages[0].deadline: 101 is not allowed; at most the period, 100; or set allow_late_deadlines = true",
    ),
    "messages-file-missing": (b'messages_file="no.csv"\n[network]\nnodes=2\n', "no.csv"),
    "matrix-file-missing": (b'[network]\nnodes=2\n[traffic]\npattern="matrix"\nmatrix_file="no.csv"\n', "no.csv"),
}

COMMAND_LINES = {
    "no-command": ([], "Missing command"),
    "unknown-command": (["rnu"], "'run'"),
    "no-scenario": (["run"], "SCENARIO"),
    "missing-file": (["run", "nowhere.toml"], "nowhere.toml"),
    "a-directory": (["bound", "."], "."),
    "unknown-option": (["run", "ring.toml", "--sed", 1], "--sed"),
    "seed-in-words": (["run", "ring.toml", "--seed", "one"], "--seed"),
    "negative-seed": (["run", "ring.toml", "--seed", -1], "run.seed"),
    "huge-seed": (["run", "ring.toml", "--seed", 2**70], "run.seed"),
    "no-groups": (["group", "ring.toml", "--groups", 0], "--groups"),
    "unknown-paper": (["reproduce", "piker1994", "--out", "out"], "'picker1994'"),
    "no-workers": (["reproduce", "--workers", 0, "--out", "out"], "--workers"),
    "out-is-a-file": (["reproduce", "--out", "ring.toml"], "--out"),
    "out-below-a-file": (["reproduce", "--out", "ring.toml/out"], "--out"),
    "unknown-case": (["bench", "--case", "fast"], "--case"),
    "breakdown-without-messages": (["breakdown", "ring.toml"], "ring.toml: messages: missing"),
    "breakdown-unknown-protocol": (["breakdown", "set.toml", "--protocol", "magic"], "ringlet: --protocol: 'magic'"),
    "breakdown-trials": (["breakdown", "set.toml", "--trials", "0"], "ringlet: --trials: 0"),
    "breakdown-tolerance": (["breakdown", "set.toml", "--tolerance", "0"], "ringlet: --tolerance: 0"),
    "guarantee-without-messages": (["guarantee", "ring.toml"], "messages: missing"),
    "guarantee-background": (["guarantee", "set.toml", "--set", "traffic.load=1 MB/s"], "traffic.arrivals"),
    "guarantee-jitter": (["guarantee", "set.toml", "--jitter", "soon"], "--jitter"),
    "guarantee-plot": (["guarantee", "set.toml", "--plot", "bounds.gif"], "--plot"),
    "check-of-a-large-ring": (["check", "ring.toml", *LARGE], "network.nodes: 64"),
    "schedulability-of-nothing": (["schedulability", "missing.toml"], "missing.toml"),
    "bound-without-traffic": (["bound", "ring.toml", "--set", "traffic.arrivals=none"], "traffic.arrivals"),
    "two-scenarios": (["run", "ring.toml", "ring.toml"], "ring.toml"),
}


@pytest.fixture
def refused(folder, monkeypatch, capfd):
    """Checks that these words are refused with a message that contains `names`."""
    monkeypatch.chdir(folder)

    def check(*words, names):
        before = files_in(folder)
        start = time.process_time()
        code = main([str(word) for word in words])
        took_s = time.process_time() - start
        assert_refusal(code, *capfd.readouterr(), names=names)
        assert files_in(folder) == before
        assert took_s < SOON_S

    return check


def assert_refusal(code, stdout, stderr, *, names):
    assert code == 2, stderr
    assert stdout == ""
    assert stderr.startswith("ringlet: ")
    assert len(stderr.splitlines()) == 1, stderr
    assert stderr[:-1].isprintable()
    assert names in stderr


@pytest.mark.parametrize("override", OVERRIDES)
def test_override(refused, override):
    refused("run", "ring.toml", "--json", "--set", override, names=OVERRIDES[override])


@pytest.mark.parametrize("case", FILES)
def test_scenario_file(folder, refused, case):
    content, names = FILES[case]
    (folder / "bad.toml").write_bytes(content)
    refused("run", "bad.toml", names=names)


@pytest.mark.parametrize("case", COMMAND_LINES)
def test_command_line(refused, case):
    words, names = COMMAND_LINES[case]
    refused(*words, names=names)


@pytest.mark.parametrize("command", ["run", "bound", "group"])
def test_every_command_checks_its_scenario_in_a_process_of_its_own(folder, command):
    before = files_in(folder)
    done = ringlet(command, "ring.toml", "--set", "network.nodes=0", folder=folder)
    assert_refusal(done.returncode, done.stdout, done.stderr, names="network.nodes")
    assert files_in(folder) == before


@pytest.mark.parametrize(("command", "most"), [("bound", 4096), ("group", 1024)])
def test_a_traffic_matrix_that_is_too_large_is_refused(folder, refused, command, most):
    (folder / "large.toml").write_text("[network]\nnodes = 65_536\n", encoding="utf-8")
    refused(command, "large.toml", names=f"at most {most}")


MESSAGE = '[network]\nnodes = 4\n[[messages]]\nsource = 0\ndestination = 2\nperiod = "5 us"\n'
BACKGROUND = '[network]\nnodes = 4\n[traffic]\nload = "20 MB/s"\narrivals = '
NOT_COVERED = {
    "more-than-a-link-carries": ("guarantee", f'{MESSAGE}size = "64 KiB"\n', "line 3: messages: <utilisation 16.8 of"),
    "deadline-beyond-period": (
        "guarantee",
        f'{MESSAGE}size = 64\ndeadline = "9 us"\n',
        "line 8: messages[0].deadline: '9 us' is not allowed; at most the period, 5 us",
    ),
    "saturated-beside-a-guarantee": (
        "guarantee",
        MESSAGE.replace("[[", '[traffic]\narrivals = "saturated"\n[[') + "size = 64\n",
        "line 4: traffic.arrivals: 'saturated' is not allowed; 'none', or say the rate and the burst",
    ),
    "poisson-beside-a-guarantee": (
        "guarantee",
        MESSAGE.replace("[[", '[traffic]\narrivals = "poisson"\nload = "1 MB/s"\n[[') + "size = 64\n",
        "line 4: traffic.arrivals: 'poisson' is not allowed; 'none', or say the rate and the burst",
    ),
    "too-large-to-explore": ("check", "[network]\nnodes = 64\n", "line 2: network.nodes: 64 is not allowed; at most 8"),
    "periodic-model": (
        "model",
        f'{BACKGROUND}"periodic"\n',
        "line 5: traffic.arrivals: 'periodic' is not allowed; 'po",
    ),
}
"""Scenarios that are right in themselves, but not for a command of theory."""


@pytest.mark.parametrize("case", NOT_COVERED)
def test_a_scenario_that_theory_does_not_cover_is_refused_with_its_line(folder, refused, case):
    command, content, names = NOT_COVERED[case]
    (folder / "bad.toml").write_text(content, encoding="utf-8")
    refused(command, "bad.toml", names=f"bad.toml, {names}")


LATE = {
    "breakdown-under-a-protocol": (
        ["breakdown", "--protocol=slotted-ring"],
        f'{MESSAGE}size = 64\n[retry]\nby = "responder"\n',
        "bad.toml, line 9: retry.by: 'responder' is not allowed; 'requester' with protocol 'slotted-ring'",
    ),
    "losses": (["check", "--losses=1"], "[network]\nnodes = 3\n", "ringlet: --losses: 1 is not allowed; 0, unless"),
    "ring-of-its-own": (
        ["run"],
        '[network]\ntopology = "ring-of-rings"\nshape = [2, 2]\n[rings."ring 1"]\nflow_control = {}\nprotocl = "dfc"\n',
        """bad.toml, line 6: rings."ring 1".protocl: unknown key""",
    ),
}
"""Scenarios of which something is found later than its keys are read: the message names its file and line, or the
option."""


@pytest.mark.parametrize("case", LATE)
def test_what_is_found_wrong_later_is_refused_with_its_line_or_its_option(folder, refused, case):
    (command, *options), content, names = LATE[case]
    (folder / "bad.toml").write_text(content, encoding="utf-8")
    refused(command, "bad.toml", *options, names=names)


def test_an_error_about_a_trace_names_the_trace_alone(folder, refused):
    (folder / "empty.csv").write_text("cycle,source,destination,bytes\n", encoding="utf-8")
    (folder / "bad.toml").write_text('[network]\nnodes = 4\n[traffic.trace]\nfile = "empty.csv"\n', encoding="utf-8")
    refused("run", "bad.toml", names="ringlet: empty.csv: <no packet> is not allowed; a trace with packets")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(folder, refused):
    (folder / "ring.toml").chmod(0)
    refused("run", "ring.toml", names="ring.toml")


def test_a_message_set_with_a_bad_line(folder, refused):
    (folder / "set.csv").write_text("name,source,destination,size,period_us\nm,0,1,64,fast\n", encoding="utf-8")
    refused("run", "set.toml", names="set.csv, line 2, period: 'fast us'")


def test_a_csv_file_with_a_bad_row(folder, refused):
    (folder / "matrix.csv").write_text("0,1\n1,x\n", encoding="utf-8")
    (folder / "bad.toml").write_text(
        '[network]\nnodes = 2\n[traffic]\npattern = "matrix"\nmatrix_file = "matrix.csv"\n', encoding="utf-8"
    )
    refused("run", "bad.toml", names="matrix.csv, line 2")
