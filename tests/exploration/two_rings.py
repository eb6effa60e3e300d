"""Two rings and a switch, small enough to be explored."""


def two_rings(left, right, *, destinations, transaction="send16", **sections):
    """Nodes on two rings, joined by a switch with a buffer for each class."""
    nodes = left + right
    members = [[*range(left), "s.0"], [*range(left, nodes), "s.1"]]
    sends = ["1 MB/s" if to is not None else "0 MB/s" for to in destinations]
    return {
        "network": {
            "topology": "rings",
            "hop_delay": 1,
            "rings": [{"members": one} for one in members],
            "switches": [{"name": "s", "ports": 2}],
        },
        "switch": {"receive": 1, "transmit": 1, **sections.pop("switch", {})},
        "traffic": {
            "transaction": transaction,
            "arrivals": "periodic",
            "load": sends,
            "destinations": [0 if to is None else to for to in destinations],
            **sections.pop("traffic", {}),
        },
        **sections,
    }


def ping_pong(priority):
    """Four nodes on one ring read through a switch from three on another one, which has few places, under PPQ."""
    return two_rings(
        4,
        3,
        destinations=[4, 5, 4, 6, None, None, None],
        transaction="read64",
        flow_control={"protocol": "ppq"},
        queues={"receive": 1, "responses": 1, "priorities": 2, "service_time": 20},
        traffic={"priority": [priority, 0, priority, 0, 0, 0, 0]},
    )
