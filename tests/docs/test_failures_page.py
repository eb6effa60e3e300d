"""The tables of the page on failures are what runs give."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

import ringlet as rl

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/failures.md").read_text(encoding="utf-8")
SPEC = importlib.util.spec_from_file_location("failure_picture", ROOT / "docs/generators/failure_picture.py")
failure_picture = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(failure_picture)


def table(head):
    """Returns the cells of the rows of the table that begins with these words."""
    lines = re.search(rf"^{head}.*\n-.*\n((?:.*\|.*\n)+)", PAGE, re.MULTILINE)[1].splitlines()
    return [[cell.strip() for cell in line.split("|")] for line in lines]


def test_a_dual_ring_without_a_cable_gives_what_the_page_says():
    found = [list(map(str, failure_picture.row(run))) for run in failure_picture.runs().values()]
    assert found == [cells[1:] for cells in table("what the network does")]


@pytest.mark.parametrize(
    ("first", "network", "link"),
    [
        (0, {"topology": "torus", "shape": [4, 4]}, "5.1"),
        (2, {"topology": "omega", "size": 16, "radix": 2}, "20.1"),
    ],
    ids=["torus", "omega"],
)
def test_other_networks_without_a_link_give_what_the_page_says(first, network, link):
    for cells, changes in zip(table("network, link that fails")[first:][:2], (False, True), strict=True):
        errors = {"links": [{"source": link, "fails_at": "400 us"}], "max_timeouts": 3}
        run = rl.run(
            {
                "network": network,
                "traffic": {"transaction": "dmove64", "arrivals": "poisson", "load": "15 MB/s"},
                "errors": errors | ({"steers_after": "100 us"} if changes else {}),
                "run": {"duration": "1 ms", "warmup": 0},
            }
        )
        assert cells[1] == ("change" if changes else "stay")
        assert list(map(str, failure_picture.row(run))) == cells[2:]


def test_a_network_without_a_switch_takes_as_long_as_the_page_says():
    def latency_us(*, extra_stage):
        errors = {"switches": [{"switch": 12, "fails_at": 0}], "steers_after": 0, "max_timeouts": 3}
        run = rl.run(
            {
                "network": {"topology": "omega", "size": 16, "extra_stage": extra_stage},
                "traffic": {"transaction": "dmove64", "arrivals": "poisson", "load": "20 MB/s"},
                "errors": errors,
                "run": {"duration": "1 ms", "warmup": 0},
            }
        )
        found = run.document["total"]["latency_ns"]
        return f"{found['mean'] / 1e3:.2f}", f"{found['max'] / 1e3:.1f}"

    mean, most = latency_us(extra_stage=False)
    mean_beside, most_beside = latency_us(extra_stage=True)
    said = (
        f"a move takes {mean} us on average and up to {most} us without the extra stage while the switch is gone; "
        f"with it {mean_beside} us, and up to {most_beside} us."
    )
    assert said in " ".join(PAGE.split())


@pytest.mark.parametrize(("row", "ways"), [(0, "both"), (1, "shorter")])
def test_units_of_a_substation_lose_what_the_page_says(row, ways):
    run = rl.run(rl.Scenario.load(ROOT / "examples/hsr.toml", [f"network.ways={ways}"])).document
    flows = run["flows"]
    lost = sum(flow["offered"] - flow["delivered"] for flow in flows)
    missed = sum(flow["missed"] or 0 for flow in flows)
    longest_us = max(flow["latency_max_ns"] for flow in flows if "samples" in flow["name"]) / 1e3
    said = table("what a node sends")[row][1:]
    assert [cell.partition(" ")[0].replace(",", "") for cell in said] == [str(lost), str(missed), f"{longest_us:.0f}"]


def test_what_ends_the_waiting_loses_packets_of_a_station_that_comes_back():
    text = re.search(r"Say `gone.toml` is\n\n```toml\n(.*?)```", PAGE, re.DOTALL)[1]
    content = tomllib.loads(text) | {"run": {"duration": "8 ms", "warmup": 0}}
    flows = [{**one, "stop": "4 ms"} for one in content["flows"]]
    gives_up = {"gives_up": "destination"}
    for gone, *lost in table("gone for"):
        duration = gone.removesuffix(" us") if gone.endswith("us") else float(gone.removesuffix(" ms")) * 1e3
        node = {"node": 4, "fails_at": "100 us", "repaired_at": f"{float(duration) + 100} us", "bypass": True}
        for said, keys in zip(lost, ({}, {"max_timeouts": 8}, gives_up, {"max_timeouts": 8, **gives_up}), strict=True):
            run = rl.run(content | {"flows": flows, "errors": {"nodes": [node], **keys}})
            to_it = run.part("flows").set_index("name").loc["gone"]
            assert f"{to_it['offered']:,.0f} packets to it" in PAGE
            assert f"{to_it['offered'] - to_it['delivered']:,.0f}" == said
