"""A document goes through all flows as often for many nodes as for few."""

from collections.abc import Iterator
from typing import Any

import pytest

import ringlet as rl


class Counted(tuple[Any, ...]):
    """Flows that count how often somebody goes through all of them."""

    times = 0

    def __iter__(self) -> Iterator[Any]:
        """Goes through all flows."""
        Counted.times += 1
        return super().__iter__()


def times_through_all_flows(nodes: int) -> int:
    """Returns how often making the document of a run of so many nodes goes through all of its flows."""
    network = {"topology": "ring", "nodes": nodes}
    scenario = rl.Scenario.from_dict(
        {"network": network, "traffic": {"load": "5 MB/s"}, "run": {"warmup": 0, "duration": "20 us"}}
    )
    result = rl.run(scenario)
    flows = scenario.resolved.flows
    scenario.resolved.__dict__["flows"] = Counted(flows)
    Counted.times = 0
    assert len(result.to_dict()["nodes"]) == nodes
    return Counted.times


@pytest.mark.parametrize("nodes", [8, 32])
def test_a_document_goes_through_all_flows_as_often_for_many_nodes_as_for_few(nodes: int) -> None:
    """A torus of 65,536 nodes took two minutes while each node's interval looked for its own flows among all."""
    assert 0 < times_through_all_flows(nodes) == times_through_all_flows(4)
