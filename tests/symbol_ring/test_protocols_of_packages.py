"""Protocols that an installed package adds: runs, studies, refusals, and the checks of their properties."""

import json
import os
import subprocess
import sys

import pytest

PACKAGE = '''
"""Protocols of a package."""

import itertools
from typing import Literal

from ringlet.scenario.flow_control import FlowControl, SymbolProtocol
from ringlet.sections import Field
from ringlet.symbol_ring import Next, Station

EVERY = itertools.count()


class Polite(SymbolProtocol):
    """A node leaves some idles behind each of its packets."""

    protocol: Literal["polite"] = "polite"
    pause: int = Field(default=8, ge=0, description="Idles behind each own packet.")
    how: str = Field(default="", description="What goes wrong.")

    def station(self, node, ring):
        if self.how == "fails":
            return 1 / 0
        return 3 if self.how == "number" else PoliteStation(self.pause, self.how, node)

    def bypass_room(self, options, nodes, longest_symbols):
        return 2 if self.how == "narrow" else None


class PoliteStation(Station):
    """One node's part of it."""

    def __init__(self, pause, how, node):
        self.pause, self.left, self.how = pause, 0, how
        self.special = how == "special" and node == 0

    def sent(self, here, packet):
        self.left = self.pause + 40 * self.special
        if self.how == "shared":
            self.left += next(EVERY) % 5

    def idle(self, here, *, created):
        if self.how == "carries":
            return 1
        return 0

    def decide(self, here, carried):
        if self.how == "divides":
            return 1 / 0
        if self.how in ("HEAD", "BYPASS"):
            return Next[self.how]
        if self.how == "words":
            return "head"
        if self.how == "list":
            return []
        if here.bypass.entries and self.how != "PASS":
            return Next.BYPASS
        if self.left:
            self.left -= 1
        elif here.head is not None and self.how != "never":
            return Next.HEAD
        return Next.PASS


class Engine(FlowControl):
    """No protocol in Python."""

    protocol: Literal["engine"] = "engine"
'''

ENTRY_POINTS = """
[ringlet.protocols]
polite = ringlet_polite:Polite
engine = ringlet_polite:Engine
sci = ringlet_polite:Polite
"""

SCENARIO = """
[network]
nodes = 4

[flow_control]
protocol = "polite"
pause = 20

[traffic]
arrivals = "poisson"
load = "100 MB/s"

[run]
duration = "10 us"
"""

STUDY = """
title = "Polite beside SCI"
scenario = "polite.toml"

[[axes]]
flow_control.protocol = ["polite", "sci"]

[[axes]]
traffic.load = ["50 MB/s", "150 MB/s"]

[replications]
count = 2
"""

NAMED = "flow_control.protocol: 'polite' is added by 'ringlet_polite:Polite' of ringlet-polite"


@pytest.fixture
def installed(tmp_path):
    """A folder with an installed package in it, a scenario and a study that use it."""
    (tmp_path / "ringlet_polite.py").write_text(PACKAGE, encoding="utf-8")
    info = tmp_path / "ringlet_polite-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ringlet-polite\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    (tmp_path / "polite.toml").write_text(SCENARIO, encoding="utf-8")
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    return tmp_path


def python(folder, *words):
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )


def ringlet(folder, *words):
    return python(folder, "-m", "ringlet", *words)


def test_a_protocol_of_a_package_runs(installed):
    done = ringlet(installed, "run", "polite.toml", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["scenario"]["flow_control"] == {"protocol": "polite", "pause": 20, "how": ""}
    assert document["total"]["delivered_packets"] > 20
    assert document["total"]["latency_ns"]["p95"] > document["total"]["latency_ns"]["min"]
    assert ringlet(installed, "run", "polite.toml", "--json").stdout == done.stdout
    longer = json.loads(ringlet(installed, "run", "polite.toml", "--json", "--set", "flow_control.pause=400").stdout)
    assert longer["total"]["latency_ns"]["mean"] > document["total"]["latency_ns"]["mean"]


def test_a_study_compares_it_with_others_and_draws_it(installed):
    done = ringlet(installed, "sweep", "study.toml", "--workers", "2", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "polite" in done.stdout
    drawn = ringlet(installed, "plot", "out", "--format", "svg")
    assert drawn.returncode == 0, drawn.stderr
    picture = "".join(one.read_text(encoding="utf-8") for one in installed.glob("plots/*.svg"))
    assert "polite" in picture


def test_changed_code_is_simulated_again(installed):
    version = "from ringlet.simulation import engine_version; print(engine_version())"
    before = python(installed, "-c", version).stdout
    text = PACKAGE.replace("self.left -= 1", "self.left -= 2")
    (installed / "ringlet_polite.py").write_text(text, encoding="utf-8")
    assert python(installed, "-c", version).stdout != before


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("fails", f"{NAMED}, whose station fails: ZeroDivisionError: division by zero"),
        ("number", f"{NAMED}, whose station gives int for node 0; allowed: a Station"),
        ("divides", f"{NAMED}, whose decide fails: ZeroDivisionError: division by zero"),
        ("HEAD", "whose decide gives Next.HEAD at node 0 in cycle 0; allowed: only with a packet at the head"),
        ("BYPASS", "whose decide gives Next.BYPASS at node 0 in cycle 0; allowed: only with a packet in the bypass"),
        ("PASS", "whose decide gives Next.PASS at node"),
        ("words", "whose decide gives head at node 0 in cycle 0; allowed: a member of Next"),
        ("list", "whose decide gives [] at node 0 in cycle 0; allowed: a member of Next"),
        ("carries", "whose idle gives 1 at node 0 in cycle 0; allowed: a whole number from 0 to 0 (most_carried)"),
    ],
)
def test_what_goes_wrong_in_it_names_the_package(installed, how, says):
    done = ringlet(installed, "run", "polite.toml", "--set", f"flow_control.how={how}")
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert NAMED in done.stderr


HOLDS = "with protocol 'polite', which is written in Python and holds each symbol of a link"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (["network.topology=switch"], ["network.topology: 'switch' is not allowed; 'ring' with protocol 'polite'"]),
        (["retry.by=responder"], ["retry.by: 'responder' is not allowed; 'requester' with protocol 'polite'"]),
        (["retry.reservation=true"], ["retry.reservation: True is not allowed; false with protocol 'polite'"]),
        (["queues.response_timeout=1 us"], ["queues.response_timeout", "none with protocol 'polite'"]),
        (["errors.loss=0.01"], ["errors"]),
        (
            ["network.cable_length=1000 km"],
            ["network.cable_length: '1000 km'", f"at most 1000000 symbol times {HOLDS}"],
        ),
        (["network.hop_delay=1000001"], ["network.hop_delay: 1000001", f"at most 1000000 cycles of 2 ns {HOLDS}"]),
        (["flow_control.protocol=engine"], ["'engine' is added by", "not a subclass of", "SymbolProtocol"]),
        (["flow_control.paws=3"], ["flow_control.paws: unknown key; did you mean"]),
        (["flow_control.protocol=ring"], ["'ring' is not allowed", "added by a package: 'polite' or 'engine'"]),
    ],
)
def test_what_it_cannot_do_is_refused(installed, change, words):
    sets = [word for one in change for word in ("--set", one)]
    done = ringlet(installed, "run", "polite.toml", *sets)
    assert done.returncode == 2
    shown = " ".join(done.stderr.split())
    assert all(word in shown for word in words), shown


@pytest.mark.parametrize(
    "command", ["check", "trace --format player --out ring.html", "trace --format vcd --out ring.vcd"]
)
def test_commands_of_the_engine_refuse_it(installed, command):
    name, *more = command.split()
    done = ringlet(installed, name, "polite.toml", *more)
    assert done.returncode == 2
    assert f"{NAMED}, and written in Python: it is there for runs and studies alone" in done.stderr


def checked(folder, *, fair=False, **keys):
    program = (
        "from ringlet.testing import check_protocol\n"
        f"print(check_protocol({ {'protocol': 'polite', **keys}!r}, rings=4, fair={fair}))"
    )
    return python(folder, "-c", program)


def test_its_properties_hold(installed):
    done = checked(installed)
    assert (done.returncode, done.stdout) == (0, "4\n"), done.stderr


@pytest.mark.parametrize(
    ("how", "lacks"),
    [
        ("never", "lacks liveness: "),
        ("shared", "lacks same seed, same result: "),
        ("special", "lacks renumbering: "),
        ("narrow", "lacks bypass FIFO: it held"),
    ],
)
def test_a_property_that_it_lacks_is_named_with_the_ring(installed, how, lacks):
    done = checked(installed, how=how, pause=3)
    assert done.returncode == 1
    assert f"PropertyError: {NAMED}, {lacks}" in done.stderr
    assert "ring 0 of seed 1, {'network': " in done.stderr


def test_starvation_is_found_where_fairness_is_asked_for(installed):
    done = checked(installed, pause=0, fair=True)
    assert "lacks fairness: nothing of the saturated flow" in done.stderr


def test_a_packet_that_is_delivered_twice_is_found(installed):
    program = (
        "from ringlet.symbol_ring.hosts import Records\n"
        "from ringlet.testing import check_protocol\n"
        "deliver = Records.deliver\n"
        "def twice(self, packet, cycle):\n"
        "    deliver(self, packet, cycle)\n"
        "    if packet.kind == 0:\n"
        "        self.counts[packet.flow].latencies.append(1)\n"
        "Records.deliver = twice\n"
        "check_protocol({'protocol': 'polite'}, rings=1)"
    )
    assert "lacks conservation: flow 0 generated" in python(installed, "-c", program).stderr
