"""Patterns and topologies that an installed package adds."""

import json
import os
import subprocess
import sys

import pytest

PACKAGE = '''
"""A pattern and a topology."""

from typing import Literal

from ringlet.sections import Field
from ringlet.errors import RingletError
from ringlet.scenario.values.destinations import Fixed
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

[ringlet.topologies]
star = ringlet_extra:Star
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
        ("network.size=4", ["network.size: 4", "topology 'star' has no such key"]),
        (
            "traffic.pattern=gone",
            ["traffic.pattern: 'gone'", "'ringlet_extra:Gone' of ringlet-extra", "AttributeError"],
        ),
        ("traffic.pattern=broken", ["traffic.pattern", "cannot be loaded", "nothing_of_that_name"]),
        ("traffic.pattern=half", ["traffic.pattern: 'half'", "lacks 'between_nodes'"]),
        ("traffic.pattern=other", ["traffic.pattern", "'skip'", "same name"]),
        ("traffic.pattern=nothing", ["traffic.pattern: 'nothing'", "'uniform'", "added by a package: 'skip'"]),
        ("network.topology=odd", ["network.topology", "not a subclass of", "Network"]),
    ],
)
def test_what_is_wrong_with_it_is_one_message(installed, change, words):
    done = ringlet(installed, "run", "star.toml", "--set", change)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    shown = " ".join(done.stderr.split())
    assert all(word in shown for word in words), shown


def test_a_package_that_fails_harms_no_scenario_that_does_not_use_it(installed):
    done = ringlet(installed, "run", "star.toml", "--set", "network.topology=ring", "--json")
    assert done.returncode == 0, done.stderr
