"""Parts that a resolved scenario shares with one that was resolved before it, such as the points of a study.

A section does not change, so that a part which is made of sections that both have is the same in both.
"""

from collections.abc import Mapping
from typing import Any

from ringlet.scenario.keys.scenario_file import ScenarioFile
from ringlet.scenario.resolved.scenario import Resolved
from ringlet.scenario.values.units import QUANTITY
from ringlet.sections.plain import PLAIN

_OF_SECTIONS: Mapping[str, frozenset[str]] = {
    name: frozenset(sections.split())
    for sections, names in (
        (
            "network",
            "link_format link_rates fastest_link_rate symbol_time_ns symbol_cycles hop_symbols routed_network "
            "slowest_sender",
        ),
        ("network switch", "switch_delays ring_shapes"),
        ("network host", "hosts host_delays"),
        ("network flow_control rings", "ring_protocols"),
        ("network queues", "service_cycles receive_places"),
    )
    for name in names.split()
}
"""Sections that each part is made of."""

_WITHOUT_LOAD = (
    *_OF_SECTIONS,
    *("echoes", "outstanding", "largest_packet_bytes", "host_limits"),
    *("pattern", "traffic_pattern", "groups", "group_specs", "interface_groups"),
    *("message_table", "flow_table", "messages", "plans", "takes_place_once"),
    *("levels", "_any_priorities", "send_levels", "ring", "protocol_bits", "kept"),
)
"""Parts into which the load of the background traffic does not enter, as long as there is one: without it nodes send
nothing, and there are no flows."""

LOAD = "traffic.load"
"""Name of the difference between scenarios that differ in the load of the background traffic alone, which is a single
one above 0 in both."""


def differing(file: ScenarioFile, other: ScenarioFile) -> frozenset[str]:
    """Returns the sections that two scenarios do not have in common, or the key `LOAD`."""
    own, others = file.__dict__, other.__dict__
    found = {name for name in file.fields if not _is_same(own[name], others[name])}
    if found == {"traffic"} and _load_alone(file, other):
        return frozenset({LOAD})
    return frozenset(found)


def share(resolved: Resolved, before: Resolved, differs: frozenset[str]) -> None:
    """Gives a resolved scenario the parts that one before it has made, unless what differs enters into them."""
    if differs and resolved.file.network.follows_traffic:
        return
    if differs <= {LOAD}:
        names = _WITHOUT_LOAD if differs else tuple(before.__dict__)
    else:
        names = tuple(name for name, sections in _OF_SECTIONS.items() if not sections & differs)
    if "kept" in names:
        # Made here, so that both have one, whichever is simulated first.
        _ = before.kept
    made, own = before.__dict__, resolved.__dict__
    for name in names:
        if name in made and name not in own:
            own[name] = made[name]


def _load_alone(file: ScenarioFile, other: ScenarioFile) -> bool:
    one, two = file.traffic, other.traffic
    if type(one) is not type(two) or one.given != two.given:
        return False
    if not (_is_above_zero(one.load) and _is_above_zero(two.load)):
        return False
    own, others = one.__dict__, two.__dict__
    return all(name == "load" or own[name] is others[name] or own[name] == others[name] for name in one.fields)


def _is_above_zero(load: Any) -> bool:  # noqa: ANN401 - the value of a key
    """Returns whether a load is a single one, and above 0."""
    if isinstance(load, str):
        quantity = QUANTITY.fullmatch(load)
        return quantity is not None and float(quantity[1].replace("_", "")) > 0
    return isinstance(load, float) and load > 0


def _is_same(one: Any, other: Any) -> bool:  # noqa: ANN401 - the value of a key
    return one is other or (type(one) is type(other) and (type(one) in PLAIN or type(one) is list) and one == other)
