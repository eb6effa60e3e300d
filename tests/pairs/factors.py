"""The factors whose members meet, from the program's own registries, and the scenario that a choice of members is."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pairs.instruments import INSTRUMENTS
from ringlet.scenario.activities.registry import ACTIVITIES
from ringlet.scenario.flow_control import PROTOCOLS
from ringlet.scenario.network import TOPOLOGIES
from ringlet.scenario.network.topology import routed
from ringlet.scenario.patterns import PATTERNS
from ringlet.scenario.scenario import Scenario
from ringlet.scenario.traffic.arrivals import ARRIVALS
from ringlet.scenario.values.maxima import MAX_GROUPS
from ringlet.scenario.values.transactions import TRANSACTIONS, WRITTEN

Case = Mapping[str, str]
"""A member of each factor, by the factor's name."""

Content = dict[str, Any]

NETWORKS: Mapping[str, Content] = {
    "omega": {"size": 4},
    "flip": {"size": 4},
    "indirect-cube": {"size": 4},
    "generalized-cube": {"size": 4},
    "baseline": {"size": 4},
    "butterfly": {"size": 4},
    "torus": {"shape": [2, 2]},
    "chordal-ring": {"nodes": 16, "chord": 5},
    "ring-of-rings": {"shape": [2, 2]},
    "switch": {"nodes": 8},
    "rings": {
        "nodes": 4,
        "rings": [{"members": [0, 1, "s.0"]}, {"members": [2, 3, "s.1"]}],
        "switches": [{"name": "s", "ports": 2}],
    },
}
"""Keys of a small network of a topology; of others the number of nodes is enough."""

TRACE = """id,cycle,source,destination,transaction,depends_on
1,0,{source},{destination},{transaction},
2,5,{source},{destination},read64,{depends_on}
"""

ERRORS: Mapping[str, Callable[[int], Content]] = {
    "none": lambda scale: {},
    "bit errors": lambda scale: {"bit_error_rate": 1e-5 / scale},
    "failing link": lambda scale: {"links": [{"source": 0, "fails_at": f"{2 * scale} us"}]},
    "failing node": lambda scale: {"nodes": [{"node": 1, "fails_at": f"{2 * scale} us"}]},
    "bypassed node": lambda scale: {
        "nodes": [{"node": 1, "fails_at": f"{2 * scale} us", "repaired_at": f"{6 * scale} us", "bypass": True}],
        "max_timeouts": 0,
        "gives_up": "destination",
    },
    "steering": lambda scale: {"links": [_broken(scale, 0)], "steers_after": f"{scale} us"},
    "wrapping": lambda scale: {"links": [_broken(scale, "0.1")], "wraps_after": f"{2.5 * scale} us"},
}
"""Keys of the errors section, by how many times as long everything lasts."""


def _broken(scale: int, source: int | str) -> Content:
    return {"source": source, "fails_at": f"{2 * scale} us", "repaired_at": f"{6 * scale} us"}


ECHOES = ("sent", "none")

CONTROL = ("alike", "base nodes", "mixed rings", "reserve", "many groups", "classes")
"""All nodes have the same flow control; the first sender is of base SCI; the first ring has another protocol; a share
of each link is reserved for the lower of two classes; there are more groups than bits in a word; each node sends
packets of the lowest and the highest of three priorities."""

CLASSES: Mapping[str, Content] = {
    "metaring": {"synchronous_packets": 2},
    "timed-token": {"thresholds": [20, 0]},
    "rpr": {"class_a": 0.1, "class_b": 0.1},
}
"""Options of protocols whose packets of some priorities are of classes with a share."""

PORTS: Mapping[str, Content] = {
    "usual": {},
    "pass delay": {"network": {"pass_delay": 20}},
    "store-and-forward": {"network": {"bypass": "store-and-forward"}},
    "stop-and-wait": {"host": {"slots": 4, "order": "stop-and-wait"}},
    # Their presets take longer for a packet than a run.
    "masters": {
        "host": {"adapter": {"masters": 4, "set_up": "200 ns", "write_time": "50 ns", "bridge_delay": "100 ns"}}
    },
    "cascade in turn": {"switch": {"links": 2, "cascade": "round-robin"}},
    "extra stage": {"network": {"extra_stage": True}},
    "copies": {"network": {"ways": "both"}},
    "lighter ways": {"network": {"ways": "lighter"}},
}
"""Keys of interfaces and switches, and of the ways between them."""

RATES = ("one", "two")

WIDTHS = ("16", "8", "32", "64")

FORMATS: Mapping[str, str | Content] = {
    "usual": 0,
    "ethernet": "ethernet",
    "rpr": "rpr",
    "by its parts": {"header": 20, "crc": 4, "gap": 4},
}
"""Parts around the data of a packet; of GigaRing's format nothing is known but that it has such parts."""

RESPONSES: Mapping[str, Content] = {
    "awaited": {},
    "timed out": {"response_timeout": "1 us", "response_repeats": 2},
}
"""For ever, or for a time that some responses take longer than."""

WINDOWS: Mapping[str, Content] = {"usual": {}, "two packets": {"outstanding": 2}, "two transactions": {"window": 2}}
"""Packets without an echo, and transactions without a response, that a node may have."""

RETRIES: Mapping[str, Content] = {
    "at once": {},
    "linear": {"strategy": "linear", "delay": "100 ns"},
    "exponential": {"strategy": "exponential", "delay": "100 ns"},
    "by responder": {"by": "responder", "delay": "100 ns"},
    "reserved places": {"reservation": True},
}
"""Times at which a refused packet is sent again, and who waits."""

PLANS = ("none", *(one.name for one in ACTIVITIES), "four channels", "multicast", "multicast messages")
"""Activities; a collective operation with channels that share rings; packets that several nodes receive."""


FRAMES: Mapping[str, int] = {"send1516": 6, "send9016": 32}
"""Packets with 1500 and 9000 bytes of data, by their transactions: how many times as long everything lasts as with
packets of SCI."""


def transactions() -> tuple[str, ...]:
    """Returns one of SCI's transactions of each kind: what its request and response carry, in how many sizes."""
    kinds: dict[tuple[Any, ...], str] = {}
    for name, one in TRANSACTIONS.items():
        kind = (one.data_in, one.data_bytes is None, one.response_bytes is None, len(one.request_bytes))
        kinds.setdefault(kind, name)
    return tuple(kinds.values())


def factors(*, whole: bool) -> dict[str, tuple[str, ...]]:
    """Returns the members of each factor.

    Args:
        whole: with every transaction, and not one of each kind only.
    """
    return {
        "pattern": tuple(PATTERNS.listed),
        "topology": tuple(TOPOLOGIES.listed),
        "instrument": tuple(INSTRUMENTS),
        "protocol": tuple(PROTOCOLS.listed),
        "transaction": (*(TRANSACTIONS if whole else transactions()), *FRAMES),
        "arrivals": tuple(ARRIVALS),
        "plan": PLANS,
        "errors": tuple(ERRORS),
        "echoes": ECHOES,
        "control": CONTROL,
        "ports": tuple(PORTS),
        "link rates": RATES,
        "link width": WIDTHS,
        "format": FORMATS,
        "responses": tuple(RESPONSES),
        "window": tuple(WINDOWS),
        "retry": tuple(RETRIES),
    }


USUAL: Case = {
    "pattern": "uniform",
    "topology": "ring",
    "instrument": "run",
    "protocol": "sci",
    "transaction": "dmove64",
    "arrivals": "poisson",
    "plan": "none",
    "errors": "none",
    "echoes": "sent",
    "control": "alike",
    "ports": "usual",
    "link rates": "one",
    "link width": "16",
    "format": "usual",
    "responses": "awaited",
    "window": "usual",
    "retry": "at once",
}
"""What a case has where nothing else is said."""


def content(case: Case, folder: Path) -> Content:
    """Returns the scenario of a case, as a file would hold it; a trace that it replays is written into the folder."""
    # Long enough for the slot of a packet of 256 bytes of data in any format.
    scale = _scale(case)
    ports, width = PORTS[case["ports"]], int(case["link width"])
    slots = scale if case["protocol"] == "slotted-ring" else 1
    hop_delay = 80 * slots * 16 // width
    network = {
        "topology": case["topology"],
        "hop_delay": hop_delay,
        "link_width": width,
        **NETWORKS.get(case["topology"], {"nodes": 4}),
    }
    alone = Scenario.from_dict({"network": network})
    rings, _ = routed(alone.network)
    network |= ports.get("network", {})
    senders, receivers = rings.senders.tolist(), rings.receivers.tolist()
    arrivals = ARRIVALS[case["arrivals"]]
    traffic: Content = {
        "pattern": case["pattern"],
        "arrivals": case["arrivals"],
        "transaction": case["transaction"],
        **_PATTERNS.get(case["pattern"], lambda *_: {})(senders, receivers, rings.nodes),
    }
    if arrivals.follows_load and case["pattern"] != "trace":
        traffic["load"] = "10 MB/s" if scale == 1 else "80 MB/s"
    if case["pattern"] == "trace":
        # It says what its packets are.
        del traffic["transaction"]
        kind, depends_on = (case["transaction"], "") if scale > 1 else ("nwrite64", "1")
        text = TRACE.format(source=senders[0], destination=receivers[-1], transaction=kind, depends_on=depends_on)
        (folder / "trace.csv").write_text(text, encoding="utf-8")
    made: Content = {
        "network": network,
        "flow_control": {"protocol": case["protocol"]},
        "queues": {"receive": 4, "service_time": "20 ns", **RESPONSES[case["responses"]], **WINDOWS[case["window"]]},
        "retry": RETRIES[case["retry"]],
        "traffic": traffic,
        # A train needs 3,000 cycles for a request and a grant on its long ring.
        "run": {"duration": (8_000 if case["topology"] == "chordal-ring" else 4_000) * scale, "warmup": 0},
        "errors": ERRORS[case["errors"]](scale),
    }
    if case["link rates"] == "two":
        # On one ring the link of a node, else all links of a ring.
        slow = "1" if alone.network.rates_by_link else next(iter(alone.resolved.rings))
        network["link_rate"] = {slow: "500 MB/s", "others": "1 GB/s"}
    network["framing"] = FORMATS[case["format"]]
    if case["transaction"] in FRAMES:
        traffic["largest_packet"] = int(case["transaction"].removeprefix("send"))
    if case["echoes"] == "none":
        network["echoes"] = False
    explored = case["instrument"] in ("check", "exact")
    without = not PROTOCOLS.listed[case["protocol"]].echoes or case["ports"] == "copies"
    if case["echoes"] == "none" or (explored and without):
        # Nobody says that a queue is full.
        del made["queues"]["receive"]
    made |= {section: keys for section, keys in ports.items() if section != "network"}
    if case["control"] == "base nodes":
        made["flow_control"]["base_nodes"] = senders[:1]
    if case["control"] == "mixed rings":
        other = "sci" if case["protocol"] == "none" else "none"
        first = "r0" if case["topology"] == "rings" else rings.names.ring(0)
        made["rings"] = {first: {"flow_control": {"protocol": other}}}
    if case["control"] == "reserve":
        made["flow_control"] |= {"priorities": 2, "reserve": 0.2}
        if case["pattern"] != "trace":
            traffic["priorities"] = [0, 1]
    if case["control"] == "classes":
        made["flow_control"] |= CLASSES.get(case["protocol"], {})
        made["queues"]["priorities"] = 3
        if case["pattern"] != "trace":
            traffic["priorities"] = [0, 2]
    if case["protocol"] == "metaring" and case["errors"] != "none":
        # Longer than a SAT takes round all links, of which some are half as fast.
        made["flow_control"]["sat_timeout"] = 6 * 80 * scale * 16 // width * rings.nodes
    if case["control"] == "many groups":
        made["flow_control"]["groups"] = MAX_GROUPS
        if case["topology"] == "ring":
            # In each word of the go bits there is one; with switches the groups of a ring are those of its places.
            made["flow_control"]["assignment"] = [0, 64, 128, MAX_GROUPS - 1]
    return made | _PLANS[case["plan"]](case, senders, receivers)


def _scale(case: Case) -> int:
    """Returns how many times as long everything lasts as with packets of SCI."""
    return FRAMES.get(case["transaction"], 1)


def _pairwise(senders: list[int], receivers: list[int]) -> list[int]:
    """Returns another node for each sender."""
    both = senders == receivers
    return [receivers[(place + both) % len(receivers)] for place in range(len(senders))]


_PATTERNS: Mapping[str, Callable[[list[int], list[int], int], Content]] = {
    "fan-in": lambda senders, receivers, nodes: {"fan_in": 2},
    "deterministic": lambda senders, receivers, nodes: {"pattern_number": 5},
    "hot-spot": lambda senders, receivers, nodes: {"hot_node": receivers[0], "hot_fraction": 0.3},
    "permutation": lambda senders, receivers, nodes: {"destinations": _pairwise(senders, receivers)},
    "senders-receivers": lambda senders, receivers, nodes: {"senders": senders[:1], "receivers": receivers[-2:]},
    "local": lambda senders, receivers, nodes: {"locality": 0.5},
    "matrix": lambda senders, receivers, nodes: {"random_matrix": {"family": "sparse"}},
    "trace": lambda senders, receivers, nodes: {"trace": {"file": "trace.csv"}},
}
"""Keys that a pattern needs, by senders and receivers."""


def _planned(case: Case, **keys: Any) -> Content:
    return keys | ({"transaction": case["transaction"]} if case["transaction"] in WRITTEN else {})


def _period(case: Case) -> str:
    """Returns the period of a message of 200 bytes. Each of its packets, up to 13, holds the one transmit slot of a
    port for a revolution, which is long on a chordal ring."""
    return f"{(20 if case['topology'] == 'chordal-ring' else 4) * _scale(case)} us"


def _moving(case: Case) -> str:
    """Returns the transaction that messages are cut into."""
    one = TRANSACTIONS.get(case["transaction"])
    return case["transaction"] if one is not None and one.data_bytes else "dmove64"


_PLANS: Mapping[str, Callable[[Case, list[int], list[int]], Content]] = {
    "none": lambda case, senders, receivers: {},
    "messages": lambda case, senders, receivers: {
        "messages": [
            {
                "source": senders[0],
                "destination": receivers[-1],
                "size": 200,
                "period": _period(case),
            }
        ],
        "message_transaction": _moving(case),
    },
    "flows": lambda case, senders, receivers: {
        "flows": [
            {
                "source": senders[0],
                "destination": receivers[-1],
                "size": {"64": 0.5, "200": 0.5},
                "period": f"{8 * _scale(case)} us",
                "jitter": "200 ns",
            }
        ],
        "flow_transaction": _moving(case),
    },
    "multicast": lambda case, senders, receivers: {
        "flows": [
            {
                "source": senders[0],
                "destination": [node for node in receivers if node != senders[0]],
                "multicast": True,
                "size": 200,
                "period": f"{8 * _scale(case)} us",
            }
        ],
    },
    "multicast messages": lambda case, senders, receivers: {
        "messages": [
            {
                "source": senders[0],
                "destination": [node for node in receivers if node != senders[0]],
                "multicast": True,
                "size": 200,
                "period": f"{8 * _scale(case)} us",
            }
        ],
    },
    "events": lambda case, senders, receivers: {
        "events": _planned(case, rate="200 kHz", builders=[receivers[-1]], fragment=200, timeout="4 us")
    },
    "collective": lambda case, senders, receivers: {"collective": _planned(case, operation="all-gather", size=512)},
    "four channels": lambda case, senders, receivers: {
        "collective": _planned(case, operation="all-reduce", size=2048, channels=4)
    },
    "scatter_gather": lambda case, senders, receivers: {
        "scatter_gather": _planned(case, root=senders[0], piece=200, answer=64, rounds=3)
    },
    "loops": lambda case, senders, receivers: {
        "loops": [
            _planned(
                case,
                nodes=[senders[0], receivers[-1]],
                size=200,
                period=_period(case),
                jitter="200 ns",
            )
        ]
    },
}
