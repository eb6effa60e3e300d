"""Patterns and topologies that an installed package adds."""

import json
import os
import re
import subprocess
import sys

import pytest

from ringlet import errors

PACKAGE = '''
"""A pattern and a topology."""

import sys
from typing import Literal

import numpy as np

from ringlet.sections import Field
from ringlet.errors import RingletError
from ringlet.scenario.values.destinations import Fixed, Weighted
from ringlet.scenario.network import SwitchedNetwork
from ringlet.scenario.traffic.section import Traffic
from ringlet.rings import one_switch


class Skip(Traffic):
    """Packets go `skip` nodes further."""

    pattern: Literal["skip"] = "skip"
    skip: int = Field(ge=1, description="How much further.")

    def between_nodes(self, network):
        if self.skip >= network.nodes:
            raise RingletError.not_allowed("traffic.skip", self.skip, f"below {network.nodes}")
        return [Fixed((node + self.skip) % network.nodes) for node in range(network.nodes)]


class Half(Traffic):
    """Says nowhere where packets go."""

    pattern: Literal["half"] = "half"


class Wrong(Skip):
    """Fails, or says what no pattern can, by its key."""

    pattern: Literal["wrong"] = "wrong"
    how: str = Field(default="", description="What goes wrong.")

    def between_nodes(self, network):
        return getattr(self, self.how)(network.nodes)

    def divides(self, nodes):
        return 1 / 0

    def exits(self, nodes):
        sys.exit(0)

    def talks(self, nodes):
        raise ValueError("word " * 10_000)

    def yields(self, nodes):
        yield None
        raise KeyError("second")

    def nothing(self, nodes):
        pass

    def few(self, nodes):
        return [None]

    def words(self, nodes):
        return ["east"] * nodes

    def no_numbers(self, nodes):
        return [None, Weighted(np.full(nodes, np.nan)), *[None] * (nodes - 2)]

    def too_much(self, nodes):
        return [Weighted([0, 1, 1, 0]), *[None] * (nodes - 1)]

    def outside(self, nodes):
        return [Fixed(99)] * nodes

    def itself(self, nodes):
        return [Fixed(node) for node in range(nodes)]


class Empty(SwitchedNetwork):
    """No network."""

    topology: Literal["empty"] = "empty"

    def built(self):
        return ()

    @property
    def title(self):
        return "nothing"


class Few(SwitchedNetwork):
    """Fewer nodes than there are to be."""

    topology: Literal["few"] = "few"

    def built(self):
        return one_switch(2, 2, long_rings=False, uma=False)

    @property
    def title(self):
        return "few nodes"


class Star(SwitchedNetwork):
    """A ringlet for each node."""

    topology: Literal["star"] = "star"

    def built(self):
        return one_switch(self.nodes, self.nodes, long_rings=False, uma=False)

    @property
    def title(self):
        return f"a star of {self.nodes}"
'''

ENTRY_POINTS = """
[ringlet.patterns]
skip = ringlet_extra:Skip
gone = ringlet_extra:Gone
broken = ringlet_broken:Broken
other = ringlet_extra:Skip
half = ringlet_extra:Half
wrong = ringlet_extra:Wrong
leaves = ringlet_leaves:Leaves

[ringlet.topologies]
star = ringlet_extra:Star
empty = ringlet_extra:Empty
few = ringlet_extra:Few
odd = ringlet_extra:RingletError
"""

SCENARIO = """
[network]
topology = "star"
nodes = 4

[traffic]
pattern = "skip"
skip = 2

[run]
duration = "20 us"
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with an installed package in it, and a scenario that uses it."""
    folder = tmp_path_factory.mktemp("installed")
    (folder / "ringlet_extra.py").write_text(PACKAGE, encoding="utf-8")
    (folder / "ringlet_broken.py").write_text("import nothing_of_that_name", encoding="utf-8")
    (folder / "ringlet_leaves.py").write_text("import sys; sys.exit(0)", encoding="utf-8")
    info = folder / "ringlet_extra-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ringlet-extra\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    (folder / "star.toml").write_text(SCENARIO, encoding="utf-8")
    return folder


def ringlet(folder, *words):
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, "-m", "ringlet", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_pattern_and_a_topology_of_a_package_run(installed):
    done = ringlet(installed, "run", "star.toml", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["scenario"]["network"]["topology"] == "star"
    assert document["scenario"]["traffic"]["skip"] == 2
    assert document["total"]["delivered_packets"] > 0


def test_a_topology_of_a_package_is_shown(installed):
    done = ringlet(installed, "topology", "star.toml")
    assert "a star of 4: 4 nodes" in done.stdout, done.stderr


def test_what_a_package_adds_is_in_the_schema(installed):
    schema = json.loads(ringlet(installed, "schema").stdout)
    assert schema["$defs"]["Skip"]["properties"]["skip"]["description"] == "How much further."
    assert {"$ref": "#/$defs/Star"} in schema["properties"]["network"]["oneOf"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("traffic.skip=4", ["traffic.skip: 4 is not allowed; below 4"]),
        ("traffic.skip=0", ["traffic.skip: 0 is not allowed; at least 1"]),
        ("traffic.hop=1", ["traffic.hop: unknown key"]),
        ("traffic.pattern=uniform", ["traffic.skip: 2 is not allowed; pattern 'uniform' has no such key; 'skip'"]),
        ("network.size=4", ["network.size: 4", "topology 'star' has no such key"]),
        (
            "traffic.pattern=gone",
            ["traffic.pattern: 'gone'", "'ringlet_extra:Gone' of ringlet-extra", "AttributeError"],
        ),
        ("traffic.pattern=broken", ["traffic.pattern", "cannot be loaded", "nothing_of_that_name"]),
        ("traffic.pattern=half", ["traffic.pattern: 'half'", "lacks 'between_nodes'"]),
        ("traffic.pattern=other", ["traffic.pattern", "'skip'", "same name"]),
        ("traffic.pattern=nothing", ["traffic.pattern: 'nothing'", "'uniform'", "added by a package: 'skip'"]),
        ("traffic.pattern=leaves", ["'leaves' is added by 'ringlet_leaves:Leaves' of ringlet-extra", "SystemExit: 0"]),
        ("network.topology=empty", ["'ringlet_extra:Empty' of ringlet-extra, whose built gives nothing; allowed"]),
        (
            "network.topology=few",
            ["'ringlet_extra:Few' of ringlet-extra, whose built gives roles of 2 nodes, "],
        ),
        ("network.topology=odd", ["network.topology", "not a subclass of", "Network"]),
    ],
)
def test_what_is_wrong_with_it_is_one_message(installed, change, words):
    done = ringlet(installed, "run", "star.toml", "--set", change)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    shown = " ".join(done.stderr.split())
    assert all(word in shown for word in words), shown


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("divides", "whose divides fails: ZeroDivisionError: division by zero"),
        ("exits", "whose exits fails: SystemExit: 0"),
        ("talks", f"whose talks fails: ValueError: {'word ' * 100}..."),
        ("yields", "whose yields fails: KeyError: 'second'"),
        ("gone", "whose between_nodes fails: AttributeError: "),
        ("nothing", "whose between_nodes gives None; allowed: destinations of each node"),
        ("few", "whose between_nodes gives destinations of 1 nodes; allowed: 4, one for each"),
        ("words", "whose between_nodes gives 'east' for node 0; allowed: destinations, or None"),
        ("no_numbers", "whose between_nodes gives a share of nan for node 1; allowed: at least 0, and 1 in all"),
        ("too_much", "whose between_nodes gives shares that sum to 2 for node 0; allowed: at least 0, and 1 in all"),
        ("outside", "whose between_nodes gives Fixed(node=99) for node 0, which cannot be read: index 99"),
        ("itself", "whose between_nodes lets node 0 send to itself; allowed: to others"),
    ],
)
def test_what_goes_wrong_in_a_package_names_it(installed, how, says):
    done = ringlet(installed, "run", "star.toml", "--set", "traffic.pattern=wrong", "--set", f"traffic.how={how}")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"traffic.pattern: 'wrong' is added by 'ringlet_extra:Wrong' of ringlet-extra, {says}" in done.stderr


def test_the_known_keys_have_those_of_the_package(installed):
    done = ringlet(installed, "run", "star.toml", "--set", "traffic.something=1")
    assert re.search(r"traffic.something: unknown key; known keys are pattern, .*, skip$", done.stderr.strip())


def test_an_internal_error_names_the_packages_in_use():
    before = dict(errors._added)
    errors.note_added("network.topology: 'star' is added by 'ringlet_extra:Star' of ringlet-extra")
    try:
        assert errors.internal(IndexError("7")) == (
            "internal error: IndexError: 7; network.topology: 'star' is added by 'ringlet_extra:Star' of "
            "ringlet-extra, which may be the cause"
        )
    finally:
        errors._added.clear()
        errors._added.update(before)


def test_a_package_that_fails_harms_no_scenario_that_does_not_use_it(installed):
    done = ringlet(installed, "run", "star.toml", "--set", "network.topology=ring", "--json")
    assert done.returncode == 0, done.stderr
