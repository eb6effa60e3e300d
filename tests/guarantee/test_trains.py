"""What the bounds of TRAIN count of the packets of a node is no less than what comes by."""

import numpy as np
import pytest

import ringlet as rl
from ringlet.theory.guarantee import _analysis_of
from ringlet.theory.response_flows import Assumed, flows_of, legs_of

PERIOD = 4999


@pytest.mark.parametrize("size", [16, 64, 256])
def test_a_packet_of_which_more_than_a_train_is_left_counts_among_what_comes_by(size):
    """Of two packets the first waits for longest and the second not at all, so that they are as close as they may be.

    What is left of the first one keeps a train back like the second, unless it is no longer than the train whose place
    it takes (Lemma 11).
    """
    content = {
        "network": {"nodes": 2, "hop_delay": 1},
        "flow_control": {"protocol": "train", "locomotive": 2, "delay": 1},
        "message_transaction": f"dmove{size}",
        "messages": [{"name": "long", "source": 0, "destination": 1, "size": size, "period": PERIOD}],
        "run": {"duration": 40 * PERIOD},
    }
    responses = []
    for offset in range(40):
        scenario = rl.Scenario.from_dict({**content, "messages": [{**content["messages"][0], "offset": offset}]})
        responses.append(rl.run(scenario).messages.loc["long", "worst_response_ns"] / scenario.symbol_time_ns)
    resolved = rl.Scenario.from_dict(content).resolved
    ring = legs_of(resolved, flows_of(resolved, Assumed())).rings[0]
    analysis = _analysis_of(resolved, 0)(ring)
    symbols, train = int(ring.symbols[0]), analysis.locomotive + 1
    apart = PERIOD + min(responses) - symbols - (max(responses) - min(train, symbols))
    assert analysis._emissions.most(np.array([apart]))[1][0, 0] == 2
