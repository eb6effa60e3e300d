"""Formats of frames (docs/explanation/model.md, "Formats of frames")."""

import pytest

import ringlet as rl
from ringlet.scenario.values.framing import FORMATS

ETHERNET = {"preamble": "8 B", "header": 14, "crc": "4 B", "gap": 12}


def scenario(framing, **network):
    network = {"nodes": 2, "link_rate": "1 Gb/s", "framing": framing, **network}
    traffic = {"transaction": "send1516", "arrivals": "saturated", "destinations": [1, 0]}
    return {
        "network": network,
        "flow_control": {"protocol": "rpr"},
        "traffic": traffic,
        "run": {"duration": "10 ms", "warmup": "1 ms"},
    }


@pytest.mark.parametrize("link_width", [8, 16])
def test_ethernet_carries_1500_of_1538_bytes(link_width):
    content = scenario("ethernet", link_width=link_width)
    total = rl.run(content).to_dict()["nodes"][0]["throughput_MBps"]
    assert total * 1500 / 1516 == pytest.approx(125 * 1500 / 1538, rel=1e-3)


def test_a_format_is_the_table_of_its_parts():
    for given in (ETHERNET, {key: f"{8 * value} bit" for key, value in FORMATS["ethernet"].items()}):
        ours, theirs = (rl.Scenario.from_dict(scenario(one)).network_spec(1) for one in (given, "ethernet"))
        assert ours == theirs


def test_sci_is_what_rings_have_by_default():
    ours, theirs = (rl.Scenario.from_dict(scenario(one)).network_spec(1) for one in ("sci", 0))
    assert ours == theirs


def test_an_hsr_tag_is_six_bytes():
    lengths = [
        rl.Scenario.from_dict(scenario(one)).network_spec(1)["flows"][0]["sizes"][0][0] for one in ("ethernet", "hsr")
    ]
    assert lengths[1] - lengths[0] == 3


@pytest.mark.parametrize(
    ("framing", "message"),
    [
        (5, "network.framing: 5 is not allowed; at most 4"),
        (
            "token",
            "network.framing: 'token' is not allowed; symbols, one of 'sci', 'ethernet', 'hsr', 'rpr', or a table",
        ),
        ({"gpa": 1}, "network.framing.gpa: unknown key; did you mean 'gap'?"),
        ({"gap": -1}, "network.framing.gap: -1 is not allowed; at least 0"),
        ({"gap": "1.5 B"}, "network.framing.gap: '1.5 B' is not allowed; a whole number of bytes"),
        ({"header": 8}, "network.framing: <8 bytes> is not allowed; preamble, header, crc and gap of 16 to 146 bytes"),
        (
            {"gap": "1 KB"},
            "network.framing: <1000 bytes> is not allowed; preamble, header, crc and gap of 16 to 146 by",
        ),
    ],
)
def test_what_is_no_format_is_named(framing, message):
    with pytest.raises(rl.RingletError) as caught:
        rl.Scenario.from_dict(scenario(framing))
    assert str(caught.value).startswith(message)
