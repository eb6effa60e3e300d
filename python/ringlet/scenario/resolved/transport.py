"""Needs of echoes: what of a scenario does not go without them (docs/explanation/model.md, "Without echoes")."""

from typing import Any

from ringlet.scenario.keys.scenario_file import ScenarioFile
from ringlet.scenario.values.per_node import NO_LIMIT, items


def needs_echoes(file: ScenarioFile) -> dict[str, dict[str, Any]]:
    """Returns what needs echoes, in words, with the limits of queues that do so, by their paths: none where it is a
    key of another section."""
    queues = file.queues
    needs = {
        "a topology with switches, whose ports keep a packet until its echo": file.network.switched
        and file.network.has_ports,
        "retry.by = 'responder', which holds back busy echoes": file.retry.by == "responder",
        "retry.reservation: places for packets that a busy echo has refused": file.retry.reservation,
    }
    reason = file.flow_control.needs_echoes()
    if reason is not None:
        needs[f"protocol {file.flow_control.protocol!r}: {reason}"] = True
    found: dict[str, dict[str, Any]] = {need: {} for need, is_there in needs.items() if is_there}
    limits = {
        "responses": "it ends with an echo that a response is pending",
        "outstanding": "echoes say how many packets are outstanding",
    }
    if file.flow_control.acts_on_refusals:
        limits["receive"] = "a busy echo says that a packet found no place, on which the protocol acts"
    for key, why in limits.items():
        given = getattr(queues, key)
        each = {} if given is None else items(f"queues.{key}", given)
        limited = {path: value for path, value in each.items() if value != NO_LIMIT}
        if limited:
            found[why] = limited
    return found
