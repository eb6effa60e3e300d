"""Traffic patterns of BookSim 2: the shares of each node's packets, as its `traffic.cpp` draws them."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ringlet.errors import RingletError

Shares = Mapping[int, float]
"""Shares of destinations by their numbers."""


@dataclass(frozen=True)
class Pattern:
    """A traffic pattern."""

    name: str
    shares: Callable[[int], Shares | None]
    """Shares of the packets of a node; None: all nodes alike, itself included."""


def _even(nodes: Sequence[int]) -> Shares:
    """Returns the shares of a list from which each packet draws one."""
    found: dict[int, float] = defaultdict(float)
    for node in nodes:
        found[node] += 1 / len(nodes)
    return found


def pattern(place: str, text: str, nodes: int, sizes: Mapping[str, int]) -> Pattern:
    """Returns a pattern by its name and parameters, such as `hotspot({0,1},{2,1})`.

    Args:
        place: where it is said.
        text: what is said.
        nodes: of the network.
        sizes: the values of `k`, `n` and `xr`.

    Raises:
        RingletError: there is none of this name or with these parameters, or it is drawn by BookSim's random numbers.
    """
    name, _, rest = text.partition("(")
    given = _parameters(rest[: rest.rfind(")")] if ")" in rest else rest)
    kinds: Mapping[str, Callable[[], Callable[[int], Shares | None]]] = {
        "uniform": lambda: lambda _: None,
        "background": lambda: _background(place, text, given, nodes),
        "hotspot": lambda: _hotspot(place, text, given, nodes),
        "diagonal": lambda: lambda source: _even([(source + 1) % nodes, source, source]),
        "asymmetric": lambda: lambda source: _even([source % (nodes // 2), source % (nodes // 2) + nodes // 2]),
        "taper64": lambda: _taper(place, text, nodes),
        "bad_dragon": lambda: _bad_dragon(_number(place, text, given, 0, sizes["k"]), nodes),
    }
    if name in kinds:
        return Pattern(name, kinds[name]())
    if name in ("bitcomp", "transpose", "bitrev", "shuffle"):
        to = _bits(place, text, name, nodes)
    elif name in ("tornado", "neighbor", "badperm_yarc"):
        k, n, xr = (_number(place, text, given, at, sizes[key]) for at, key in enumerate(("k", "n", "xr")))
        if name == "badperm_yarc":
            return Pattern(name, lambda source: _even([one * xr * k + source // (xr * k) for one in range(xr * k)]))
        step = (xr * k + 1) // 2 - 1 if name == "tornado" else 1
        to = _digits(xr * k, n, step)
    else:
        why = "; randperm is drawn by BookSim's own random numbers" if name == "randperm" else ""
        known = ", ".join((*kinds, "bitcomp", "transpose", "bitrev", "shuffle", "tornado", "neighbor", "badperm_yarc"))
        raise RingletError.not_allowed(place, text, known + why)
    beyond = next((node for node in range(nodes) if not 0 <= to(node) < nodes), None)
    if beyond is not None:
        allowed = f"a pattern for {nodes} nodes: node {beyond} would send to {to(beyond)}"
        raise RingletError.not_allowed(place, text, allowed)
    return Pattern(name, lambda source: {to(source): 1.0})


def _parameters(text: str) -> list[list[str]]:
    """Returns the lists that are the parameters, `{0,1},{2,1}` or `4,2`."""
    found: list[list[str]] = []
    depth = 0
    word = ""
    for letter in f"{text},":
        if letter == "{":
            depth += 1
        elif letter == "}":
            depth -= 1
        elif letter == "," and not depth:
            found.append(word.split(","))
            word = ""
        else:
            word += letter
    return [one for one in found if one != [""]]


def _whole(place: str, text: str, word: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise RingletError.not_allowed(place, text, f"whole numbers as parameters, not {word!r}") from None


def _number(place: str, text: str, given: Sequence[Sequence[str]], at: int, default: int) -> int:
    return max(1, _whole(place, text, given[at][0])) if len(given) > at else default


def _among(place: str, text: str, words: Sequence[str], nodes: int) -> list[int]:
    found = [_whole(place, text, word) for word in words]
    for node in found:
        if not 0 <= node < nodes:
            why = ", and not drawn by BookSim's own random numbers" if node < 0 else ""
            raise RingletError.not_allowed(place, text, f"nodes from 0 to {nodes - 1}{why}")
    return found


def _background(place: str, text: str, given: Sequence[Sequence[str]], nodes: int) -> Callable[[int], Shares]:
    without = set(_among(place, text, given[0] if given else [], nodes))
    kept = [node for node in range(nodes) if node not in without]
    if not kept:
        raise RingletError.not_allowed(place, text, "a node at least that is not excluded")
    shares = _even(kept)
    return lambda _: shares


def _hotspot(place: str, text: str, given: Sequence[Sequence[str]], nodes: int) -> Callable[[int], Shares]:
    spots = _among(place, text, given[0] if given else ["-1"], nodes)
    rates = [_whole(place, text, word) for word in given[1]] if len(given) > 1 else [1]
    rates = [rates[min(at, len(rates) - 1)] for at in range(len(spots))]
    if min(rates) <= 0:
        raise RingletError.not_allowed(place, text, "rates above 0")
    shares: dict[int, float] = defaultdict(float)
    for spot, rate in zip(spots, rates, strict=True):
        shares[spot] += rate / sum(rates)
    return lambda _: shares


def _taper(place: str, text: str, nodes: int) -> Callable[[int], Shares]:
    if nodes != 64:
        raise RingletError.not_allowed(place, text, f"a pattern for {nodes} nodes: taper64 is of 64")

    def shares(source: int) -> Shares:
        near = [(64 + source + 8 * row + column) % 64 for row in (-1, 0, 1) for column in (-1, 0, 1)]
        return {node: 1 / 128 + near.count(node) / 18 for node in range(64)}

    return shares


def _bad_dragon(k: int, nodes: int) -> Callable[[int], Shares]:
    group = 2 * k * k
    return lambda source: _even([(one + (source // group + 1) * group) % nodes for one in range(group)])


def _bits(place: str, text: str, name: str, nodes: int) -> Callable[[int], int]:
    bits = nodes.bit_length() - 1
    if nodes != 1 << bits or (name == "transpose" and bits % 2):
        even = "an even" if name == "transpose" else "a"
        raise RingletError.not_allowed(place, text, f"a pattern for {nodes} nodes: {name} is of {even} power of two")
    half, most = bits // 2, nodes - 1
    return {
        "bitcomp": lambda node: ~node & most,
        "transpose": lambda node: node >> half | (node << half & most),
        "bitrev": lambda node: int(f"{node:0{bits}b}"[::-1], 2),
        "shuffle": lambda node: (node << 1 & most) | node >> (bits - 1),
    }[name]


def _digits(radix: int, digits: int, step: int) -> Callable[[int], int]:
    """Returns the permutation that adds a step to each digit of a node's number."""

    def to(node: int) -> int:
        return sum((node // radix**at % radix + step) % radix * radix**at for at in range(digits))

    return to
