"""Times of a run as a caller gives them: cycles, or quantities with their units."""

from typing import TYPE_CHECKING

from ringlet.errors import RingletError

if TYPE_CHECKING:
    from ringlet.scenario import Scenario


def cycle_at(scenario: "Scenario", name: str, value: int | str) -> int:
    """Returns a time in cycles, rounded up.

    Args:
        scenario: whose cycles.
        name: of the argument, for a message.
        value: a number of cycles, or a time such as "20 us".

    Raises:
        RingletError: it is neither.
    """
    from pydantic import TypeAdapter, ValidationError

    from ringlet.scenario.units import Time, cycles

    is_number = isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20
    try:
        return cycles(TypeAdapter(Time).validate_python(int(value) if is_number else value), scenario.symbol_time_ns)
    except ValidationError as error:
        raise RingletError.not_allowed(name, value, error.errors()[0]["msg"]) from None


def with_time(cycles: int, symbol_time_ns: float) -> str:
    """Returns a number of cycles in words, with the time that they take."""
    ns = cycles * symbol_time_ns
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{cycles} cycles ({ns / size:g} {unit})"
    return f"{cycles} cycles ({ns:g} ns)"
