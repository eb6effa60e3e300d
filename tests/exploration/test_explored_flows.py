"""The flows of an exploration."""

import pytest

from ringlet import RingletError, Scenario
from ringlet.exploration import flows


def test_too_many_flows_are_counted_and_not_made(monkeypatch):
    def made(*_, **__):
        raise AssertionError("a flow is made that is refused")

    monkeypatch.setattr(flows, "replace", made)
    torus = Scenario.from_dict({"network": {"topology": "torus", "shape": [32, 32]}, "traffic": {}})
    with pytest.raises(RingletError, match=r"<1047552 flows, each from a source .* at most 4096"):
        flows.explored_flows(torus.resolved.flows, 1024, 4096)
