"""Lengths of echoes (docs/explanation/model.md, "Echoes of other lengths")."""

import pytest

import ringlet as rl


def scenario(echo_size, *, load=None, **network):
    arrivals = {"arrivals": "saturated"} if load is None else {"arrivals": "poisson", "load": load}
    return {
        "network": {"nodes": 2, **network} | ({} if echo_size is None else {"echo_size": echo_size}),
        "flow_control": {"protocol": "none"},
        "traffic": {"transaction": "send80", **arrivals},
        "run": {"duration": "1 ms", "warmup": "100 us"},
    }


@pytest.mark.parametrize("echo_size", [8, 16, "32 B", 64])
@pytest.mark.parametrize("framing", [0, 3])
def test_a_link_carries_a_packet_and_an_echo_in_turn(echo_size, framing):
    # Of two saturated nodes each link carries the packets of one and the echoes of the other, with an idle each.
    content = scenario(echo_size, framing=framing)
    node = rl.run(content).to_dict()["nodes"][0]
    echo = int(str(echo_size).removesuffix(" B")) // 2
    assert node["throughput_MBps"] == pytest.approx(80e3 / (2 * (40 + echo + 2 * framing + 2)), rel=2e-3)
    assert node["of_optimum"] == pytest.approx(1, rel=2e-3)


@pytest.mark.parametrize("load", ["100 MB/s", "20 %"])
def test_the_offered_load_is_that_of_packets_whatever_an_echo_has(load):
    short, long = (rl.run(scenario(one, load=load)).to_dict()["total"] for one in (None, 64))
    assert short["offered_MBps"] == long["offered_MBps"]
    assert short["delivered_packets"] == pytest.approx(long["delivered_packets"], abs=2)


def test_echoes_of_eight_bytes_are_the_default():
    ours, theirs = (rl.Scenario.from_dict(scenario(one)).network_spec(1) for one in (8, None))
    assert ours == theirs


@pytest.mark.parametrize("more", [{}, {"collective": {"operation": "all-reduce", "size": 4}}])
def test_where_there_are_no_echoes_their_size_changes_nothing(more):
    # A study of protocols may give it for those that have them.
    quiet = scenario(None) | {"flow_control": {"protocol": "rpr"}} | more
    quiet["traffic"]["transaction"] = "send16"
    long = quiet | {"network": {"nodes": 2, "echo_size": 64}}
    assert rl.Scenario.from_dict(long).network_spec(1) == rl.Scenario.from_dict(quiet).network_spec(1)
    rl.run(rl.Scenario.from_dict(long | {"run": {"duration": "20 us", "warmup": 0}}))


@pytest.mark.parametrize(
    ("echo_size", "network", "message"),
    [
        (4, {}, "network.echo_size: 4 is not allowed; a whole number of bytes from 8 to 64"),
        ("8.5 B", {}, "network.echo_size: '8.5 B' is not allowed; a whole number of bytes from 8 to 64"),
        (12, {"link_width": 64}, "network.echo_size: 12 is not allowed; whole symbols, of 8 bytes each with this"),
        (
            64,
            {"link_width": 8, "framing": {"preamble": 64, "header": 16}},
            "network.echo_size: 64 is not allowed; at most 9 bytes",
        ),
    ],
)
def test_an_echo_that_no_link_carries_is_refused(echo_size, network, message):
    with pytest.raises(rl.RingletError) as refused:
        rl.Scenario.from_dict(scenario(echo_size, **network)).network_spec(1)
    assert message in str(refused.value)


def test_an_echo_is_shorter_than_every_packet():
    content = scenario(16)
    content["traffic"]["transaction"] = "send16"
    with pytest.raises(rl.RingletError, match="echo_size: 16 is not allowed; fewer bytes than the shortest packet"):
        rl.Scenario.from_dict(content).network_spec(1)
