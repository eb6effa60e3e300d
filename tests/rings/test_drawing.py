import xml.etree.ElementTree as ET

import numpy as np
import pytest
from networks import circle

from ringlet import RingletError, Scenario
from ringlet.cli.topology import picture
from ringlet.rings import one_ring, torus_of_ringlets
from ringlet.rings.drawing import check_size, draw_circles, save
from ringlet.rings.drawing.style import tagged

NETWORKS = {
    "omega": {"topology": "omega", "size": 8},
    "first-grade": {"topology": "omega", "size": 8, "connection": "long-ring"},
    "merged": {"topology": "butterfly", "size": 8, "connection": "long-ring", "closing": "one-to-one"},
    "torus": {"topology": "torus", "shape": [3, 2]},
    "torus-long-rings": {"topology": "torus", "shape": [3, 2], "connection": "long-ring", "concentration": 6},
    "torus-3": {"topology": "torus", "shape": [2, 2, 2]},
    "switch": {"topology": "switch", "nodes": 4},
    "ring-of-rings": {"topology": "ring-of-rings", "shape": [3, 3]},
    "dual-ring": {"topology": "dual-ring", "nodes": 5},
    "ring": {"nodes": 5},
}


@pytest.mark.parametrize("name", NETWORKS)
def test_every_node_is_in_the_picture(name):
    scenario = Scenario.from_dict({"network": NETWORKS[name]})
    network, _ = scenario.routed_network
    shown = [text.get_text() for text in picture(scenario).axes[0].texts]
    hidden = {node for node in range(network.nodes) if node % 6 > 3} if name == "torus-long-rings" else set()
    for node in range(network.nodes):
        assert (network.node_name(node) in shown) == (node not in hidden)


def test_circles_do_not_overlap():
    network, _ = circle(7, nodes_each=9)
    figure = draw_circles(network, "a circle")
    circles = [(patch.center, patch.radius) for patch in figure.axes[0].patches]
    assert len(circles) == 7
    for i, (centre, radius) in enumerate(circles):
        for other, reach in circles[:i]:
            assert ((centre[0] - other[0]) ** 2 + (centre[1] - other[1]) ** 2) ** 0.5 > radius + reach


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_a_drawing_is_the_same_file_each_time(tmp_path, suffix):
    for file in ("one", "other"):
        save(draw_circles(circle(3)[0], "a circle"), tmp_path / f"{file}{suffix}")
    content = (tmp_path / f"one{suffix}").read_bytes()
    assert content == (tmp_path / f"other{suffix}").read_bytes()
    if suffix == ".svg":
        ET.fromstring(content)


def test_what_cannot_be_drawn_is_refused(tmp_path):
    with pytest.raises(RingletError, match="at most 4096"):
        check_size(torus_of_ringlets([40, 40], 1)[0])
    with pytest.raises(RingletError, match=r"\.svg"):
        save(draw_circles(one_ring(3)[0], "a ring"), tmp_path / "ring.gif")
    with pytest.raises(RingletError, match="no such directory"):
        save(draw_circles(one_ring(3)[0], "a ring"), tmp_path / "nowhere" / "ring.svg")


def test_nodes_of_neighbouring_rings_do_not_touch():
    # Rings of seven around one switch, as of many detectors: a circle of them leaves the least room.
    rings = [{"members": [*range(6 * ring, 6 * ring + 6), f"hub.{ring}"]} for ring in range(4)]
    rings += [{"members": [24 + ring, f"hub.{4 + ring}"]} for ring in range(4)]
    scenario = {"network": {"topology": "rings", "rings": rings, "switches": [{"name": "hub", "ports": 8}]}}
    loaded = Scenario.from_dict(scenario)
    figure = loaded.network.drawn(loaded.routed_network[0])
    figure.draw_without_rendering()
    discs = [disc for _, disc in tagged(figure, "node")]
    places = np.array([disc.get_transform().transform(disc.get_xydata())[0] for disc in discs])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + 1e9 * np.eye(len(places))
    assert apart.min() > discs[0].get_markersize() * figure.dpi / 72
