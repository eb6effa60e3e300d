"""How often packets are sent again before they are accepted."""

import pytest

import ringlet as rl
from ringlet.cli.run_tables import by_node, by_retries
from ringlet.errors import RingletError

SLOW_RECEIVER = {
    "network": {"nodes": 4},
    "queues": {"receive": 1, "service_time": "1 us"},
    "traffic": {"pattern": "fan-in", "fan_in": 3, "load": "20 MB/s"},
    "run": {"duration": "200 us", "warmup": 0},
}
"""A receiver takes one packet at a time, and all others send to it."""


def with_keys(content, **sections):
    return {key: {**content.get(key, {}), **sections.get(key, {})} for key in (*content, *sections)}


@pytest.fixture(scope="module")
def busy():
    return rl.run(SLOW_RECEIVER)


def test_every_accepted_packet_has_its_retries(busy):
    table, total = busy.retry_distribution(), busy.total.iloc[0]
    assert table["retries"].iloc[0] == 0
    assert table["packets"].iloc[0] == total["first_try_packets"]
    # What is accepted is delivered after its service: few are between both at the end.
    assert 0 <= table["packets"].sum() - total["delivered_packets"] <= 2
    exact = table[table["retries"] < 32]
    assert 0 < (exact["retries"] * exact["packets"]).sum() <= total["retries"]
    assert table["more"].iloc[-1] == 0
    assert table["more"].iloc[0] == pytest.approx(1 - total["first_try_packets"] / table["packets"].sum())


def test_a_delay_before_each_retry_makes_them_fewer(busy):
    waits = rl.run(with_keys(SLOW_RECEIVER, retry={"delay": "1 us"}))

    def mean(result):
        table = result.retry_distribution()
        return (table["retries"] * table["packets"]).sum() / table["packets"].sum()

    assert mean(waits) < mean(busy) / 2


def test_each_priority_has_its_own():
    result = rl.run(
        with_keys(SLOW_RECEIVER, flow_control={"priorities": 2}, traffic={"priority": [0, 0, 1, 1], "load": "15 MB/s"})
    )
    parts = [result.retry_distribution(priority)["packets"].sum() for priority in range(2)]
    assert sum(parts) == result.retry_distribution()["packets"].sum()
    assert min(parts) > 0


def test_packets_given_up_are_none_of_them():
    """Every packet on a broken link is given up in the end, having been sent again, and none is accepted."""
    result = rl.run(
        {
            "network": {"nodes": 2},
            "traffic": {"destinations": [1, 0], "load": "10 MB/s"},
            "errors": {"links": [{"source": 0, "fails_at": "0 us"}], "timeout": "2 us", "max_timeouts": 2},
            "run": {"duration": "100 us", "warmup": 0},
        }
    )
    assert result.nodes["given_up_packets"].iloc[0] > 0
    assert result.nodes["retries"].iloc[0] > 0
    assert result.retry_distribution()["packets"].sum() == result.total["first_try_packets"].iloc[0]


def test_tables_show_them(busy):
    def lines(table):
        return list(table.lines(lambda text, style: text))

    document = busy.document
    assert "retry" in "".join(lines(by_node(document["nodes"], document["total"])))
    rows = lines(by_retries(document["retry_distribution"]))
    assert rows[2].split() == ["0", str(busy.total["first_try_packets"].iloc[0]), "100.0"]
    idle = rl.run(with_keys(SLOW_RECEIVER, queues={"receive": "unlimited"})).document
    assert "retry" not in "".join(lines(by_node(idle["nodes"], idle["total"])))


def test_a_figure_shows_the_share_after_each_number_of_retries(busy):
    chart = busy.plot.retries()
    (panel,) = chart.panels
    (bars,) = panel.series
    table = busy.retry_distribution()
    assert bars.y[0] == pytest.approx(table["packets"].iloc[0] / table["packets"].sum())
    assert sum(bars.y) == pytest.approx(1)
    assert panel.x.categories[:9] == (*map(str, range(8)), "8-15")[: len(panel.x.categories)]
    assert chart.name in [each.name for each in busy.plot()]
    chart.draw()


def test_a_run_without_retries_has_no_figure_of_them():
    idle = rl.run(with_keys(SLOW_RECEIVER, queues={"receive": "unlimited"}))
    assert "retries" not in [each.name for each in idle.plot()]
    with pytest.raises(RingletError, match="none with packets that were sent again"):
        idle.plot.retries()


def test_packets_of_a_transaction_count_for_the_node_that_began_it():
    reading = {"network": {"nodes": 4}, "traffic": {"transaction": "read64", "destinations": [2, 3, 0, 1]}}
    reading["traffic"] |= {"arrivals": "poisson", "load": [0.2, 0, 0, 0]}
    document = rl.run(reading | {"run": {"duration": 20_000, "warmup": 0}}).to_dict()
    first, _, memory, _ = document["nodes"]
    # A request and its response each are accepted at once; node 2 sends the responses and began nothing.
    assert abs(first["first_try_packets"] - first["delivered_packets"]) <= 4
    assert first["delivered_packets"] > 200
    assert (memory["first_try_packets"], memory["delivered_packets"]) == (0, 0)
