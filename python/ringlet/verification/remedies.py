"""Changes of a scenario that may let more deadlines be guaranteed: sizes of queues, priorities, options, link rates."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ringlet.errors import RingletError
from ringlet.scenario import Scenario
from ringlet.scenario.hardware.switch import MAX_BUFFERS
from ringlet.scenario.values.per_node import NO_LIMIT
from ringlet.scenario.values.units import magnitude
from ringlet.theory.guarantee import guarantees
from ringlet.theory.response_flows import Assumed

ROUNDS = 4
"""Times at most that sizes are raised to what is needed with those before."""

RATES = (2, 4)
"""Factors by which all links are tried faster."""

OF_QUEUES = "queues of "
"""Beginning of the change that is sizes of queues."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """A change that is tried."""

    change: str
    """The change in words: `priorities by period`."""
    keys: tuple[str, ...]
    """Arguments of `--set` that make the change."""
    scenario: Scenario


def sized(scenario: Scenario, assumed: Assumed | None = None) -> tuple[Scenario, dict[str, int]]:
    """Returns the scenario with queues so long that no limit of them is reached, as far as there is a bound then, and
    the sizes by their keys; none where the sizes are no reason.

    Raises:
        RingletError: the analysis does not cover the scenario.
    """
    sizes: dict[str, int] = {}
    for _ in range(ROUNDS):
        needed = next((one.needed for one in guarantees(scenario, assumed) if one.needed), {})
        if not needed:
            break
        raised = {key: max(size, sizes.get(key, 0)) for key, size in needed.items()}
        if raised.items() <= sizes.items() or any(
            key.startswith("switch.") and size > MAX_BUFFERS for key, size in raised.items()
        ):
            break
        sizes |= raised
        scenario = _with_sizes(scenario, raised)
    return scenario, sizes


def remedies(scenario: Scenario, assumed: Assumed | None = None) -> Iterator[Remedy]:
    """Yields what may help a scenario some of whose deadlines are not guaranteed, or have no bound.

    Sizes of queues go first; all other changes are made beside them.
    """
    try:
        base, sizes = sized(scenario, assumed)
    except RingletError:
        base, sizes = scenario, {}
    of_sizes = tuple(f"{key}={size}" for key, size in sizes.items())
    if sizes:
        yield Remedy(f"{OF_QUEUES}{', '.join(f'{key} {size}' for key, size in sizes.items())}", of_sizes, base)
    control = scenario.flow_control
    for key, value in control.bounded_with.items():
        if getattr(control, key) != value:
            said = "false" if value is False else f"{value}"
            section = {**control.table(), key: value}
            yield from _tried(f"{key} = {said}", (*of_sizes, f"flow_control.{key}={said}"), base, flow_control=section)
    for rule, words in (("rate-monotonic", "period"), ("deadline-monotonic", "deadline")):
        if scenario.resolved.message_keys.message_priorities != rule:
            keys = (*of_sizes, f"message_priorities={rule}")
            yield from _tried(f"priorities by {words}", keys, base, message_priorities=rule)
    rate = scenario.network.link_rate
    # Times in cycles would change with the rate, too.
    if isinstance(rate, str) and all(isinstance(one.period, str) for one in scenario.resolved.message_table):
        for factor in RATES:
            faster = f"{factor * 1e3 * magnitude(rate, 'byte/ns'):.12g} MB/s"
            section = {**base.network.table(), "link_rate": faster}
            for one in _tried(f"links of {faster}", (), base, network=section):
                try:
                    # What comes faster may need more places.
                    made, more = sized(one.scenario, assumed)
                except RingletError:
                    continue
                needed = tuple(f"{key}={size}" for key, size in {**sizes, **more}.items())
                yield Remedy(one.change, (*needed, f"network.link_rate={faster}"), made)


def spread(scenario: Scenario) -> Remedy | None:
    """Returns the set with its offsets spread evenly over the periods; None where that is no scenario."""
    messages = [one for one in scenario.periodic_messages if one.copies is None]
    count = len(messages)
    table = [
        {**one.table(), "offset": float(int(number / count * message.period_cycles))}
        for number, (one, message) in enumerate(zip(scenario.resolved.message_table, messages, strict=True))
    ]
    words = "offsets spread over the periods: message k of n begins k/n of its period later"
    return next(_tried(words, (), scenario, messages=table, messages_file=None), None)


def _tried(change: str, keys: tuple[str, ...], base: Scenario, **sections: Any) -> Iterator[Remedy]:  # noqa: ANN401
    """Yields the remedy, where it makes a scenario."""
    try:
        yield Remedy(change, keys, base.changed(**sections))
    except RingletError:
        return


def _with_sizes(scenario: Scenario, sizes: Mapping[str, int]) -> Scenario:
    sections: dict[str, dict[str, Any]] = {}
    for path, size in sizes.items():
        section, _, key = path.partition(".")
        given = sections.setdefault(section, {**getattr(scenario, section).table()})
        given[key] = _at_least(given.get(key, getattr(getattr(scenario, section), key)), size)
    return scenario.changed(**sections)


def _at_least(given: Any, size: int) -> Any:  # noqa: ANN401 - one value, a list or a table
    if isinstance(given, list):
        return [_at_least(one, size) for one in given]
    if isinstance(given, Mapping):
        return {name: _at_least(one, size) for name, one in given.items()}
    if given is None:  # the protocol's own, which is too small
        return size
    return given if given == NO_LIMIT else max(given, size)
