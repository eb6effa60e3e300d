"""Networks that are none: exit code 2, and one line that names the ring or switch."""

import pytest

from ringlet.cli import main

JOINED = '[{members = [0, "a.0"]}, {members = [1, "a.1"]}]'
SWITCH = '[{name = "a", ports = 2}]'
AROUND = '[{members = [0, "a.0", "c.1"]}, {members = [1, "a.1", "b.0"]}, {members = [2, "b.1", "c.0"]}]'
LOOP = (
    '[{at = "r0", to = ["r2"], port = "a.0"}, {at = "a", to = ["r2"], port = "a.1"}, {at = "r1", to = ["r2"], port '
    '= "a.1"}]'
)


def lists(rings, switches=SWITCH, more=""):
    return f'topology = "rings"\nrings = {rings}\nswitches = {switches}\n{more}'


NETWORKS = {
    "unconnected": (lists("[{members = [0]}, {members = [1]}]", "[]"), "no switches lead from ring 'r0' to ring 'r1'"),
    "one-way": (
        lists(JOINED, more='routes = [{at = "a", to = ["r1"], port = "a.0"}]'),
        "the route from N0 to N1 loops through switch 'a'",
    ),
    "a node on no ring": (lists(JOINED, more="nodes = 3"), "network.rings: node 2 is on no ring"),
    "a ring without nodes": (lists('[{members = [0, "a.0", "a.1"]}, {members = []}]'), "or two ports on ring 'r1'"),
    "a ring of one port": (lists('[{members = [0, 1, "a.0"]}, {members = ["a.1"]}]'), "or two ports on ring 'r1'"),
    "two nodes of one id": (
        lists('[{members = [0, "a.0"]}, {members = [0, "a.1"]}]'),
        "network.rings[1].members[0]: 0 is not allowed; each node once; this one is on ring 'r0', too",
    ),
    "radix below 2": ('topology = "omega"\nsize = 16\nradix = 1', "network.radix: 1 is not allowed; at least 2"),
    "size no power of the radix": ('topology = "flip"\nsize = 12', "network.size: 12 is not allowed; a power of"),
    "a switch with one port": (lists('[{members = [0, "a.0"]}]', '[{name = "a", ports = 1}]'), "on switch 'a'"),
    "a switch on one ring": (lists('[{members = [0, "a.0", "a.1"]}]'), "all ports of switch 'a' are on ring 'r0'"),
    "B-Link rate 0": (f'{lists(JOINED)}\n[switch]\nrate = "0 MB/s"', "switch.rate: '0 MB/s' is not allowed; above 0"),
    "negative delay": (f'{lists(JOINED)}\n[switch]\nset_up = "-1 ns"', "switch.set_up: '-1 ns' is not allowed"),
    "retry delay": ('nodes = 4\n[retry]\ndelay = "1e18 ns"', "retry.delay: '1e18 ns' is not allowed; at most 2^53"),
    "routes that loop": (
        lists(AROUND, f"[{', '.join(f'{{name = {name!r}, ports = 2}}' for name in 'abc')}]", f"routes = {LOOP}"),
        "the route from N0 to N2 loops through switch 'a'",
    ),
    "a dead link that is not there": (
        f'{lists(JOINED)}\n[errors]\nlinks = [{{source = "b.0"}}]',
        "errors.links[0].source: 'b.0' is not allowed; a node, or 'switch.port'; the switches are 'a'",
    ),
}


@pytest.mark.parametrize("command", ["run", "topology"])
@pytest.mark.parametrize("name", NETWORKS)
def test_refused(tmp_path, capsys, name, command):
    network, message = NETWORKS[name]
    path = tmp_path / "bad.toml"
    path.write_text(f"[network]\n{network}\n", encoding="utf-8")
    assert main([command, str(path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("ringlet: ")
    assert printed.err.count("\n") == 1
    assert message in printed.err
