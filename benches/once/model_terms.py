"""What the terms of the queueing model are worth: errors at 80 % of saturation with one of them changed.

    PYTHONPATH=benches .venv/bin/python benches/once/model_terms.py

Prints the tables of "What each term does" in docs/explanation/what-a-ring-can-carry.md. It takes a minute.
"""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any
from unittest.mock import patch

import ringlet as rl
from ringlet.analysis.go_bits import GoBits, _Shares
from ringlet.analysis.trains import Coming, FloatArray, RingTraffic, Trains, ratio
from ringlet.theory.latency_model import latency_model
from theory import RINGS, loaded

DURATION = "6 ms"

OF_ALL = ("8 nodes, uniform", "16 nodes, uniform, 3 cycles per hop", "32 nodes, uniform, 3 cycles per hop")
OF_TRAINS = (*OF_ALL, "8 nodes, reads")
OF_GO_BITS = (*OF_ALL, "8 nodes, 16-byte packets", "8 nodes, uniform, 10 cycles per hop")

RECORDED_SQUARE, RECORDED_LATER = 780 / 1017, 61 / 105
"""What a recording of 32 nodes has beside the model: the mean square of the symbols that pass between two free idles,
and their covariances with later intervals."""

later, begun, next_round = Trains.later, Trains.__init__, GoBits._next


def _with_recorded_square(trains: Trains, traffic: RingTraffic, coming: Coming) -> None:
    begun(trains, traffic, coming)
    trains.square = trains.square * RECORDED_SQUARE


def _part_of_later(part: float) -> Callable[[Trains, FloatArray], FloatArray]:
    return lambda trains, fading: part * later(trains, fading)


def _never_missed(go: GoBits, shares: _Shares) -> None:
    next_round(go, shares)
    shares.missed = 0 * shares.missed


def _nothing_follows(go: GoBits, shares: _Shares) -> None:
    next_round(go, shares)
    shares.follows = 0 * shares.follows


def _no_hole_returns(go: GoBits, shares: _Shares) -> None:
    next_round(go, shares)
    shares.returns = 0 * shares.returns


def _missed_in_all_its_time(go: GoBits, shares: _Shares) -> None:
    """A go bit may also come in while the packet waits for one, which is a part of the time it holds the server."""
    missed = shares.missed
    next_round(go, shares)
    shares.missed = shares.missed * go._stop ** ratio(missed * go.again, go._unit)


TRAIN_TERMS: Mapping[str, Mapping[str, Any]] = {
    "as it is": {},
    "trains do not come together, `K = 0`": {"later": _part_of_later(0.0)},
    "`K` as recorded of 32 nodes": {"later": _part_of_later(RECORDED_LATER)},
    "both as recorded of 32 nodes": {"later": _part_of_later(RECORDED_LATER), "__init__": _with_recorded_square},
}
GO_BIT_TERMS: Mapping[str, Mapping[str, Any]] = {
    "as it is": {},
    "no go bit is missed": {"_next": _never_missed},
    "nothing follows at once": {"_next": _nothing_follows},
    "no own hole comes back": {"_next": _no_hole_returns},
    "a go bit that comes in while one waits for it counts": {"_next": _missed_in_all_its_time},
}


def errors(protocol: str, cases: tuple[str, ...], of: type, variants: Mapping[str, Mapping[str, Any]]) -> None:
    """Prints the errors of mean latencies in %, a line for each variant."""
    scenarios = [loaded(RINGS[case], protocol, 0.8, duration=DURATION) for case in cases]
    simulated = [rl.run(one).document["total"]["latency_ns"]["mean"] for one in scenarios]
    print(f"`{protocol}` | " + " | ".join(cases))
    for name, terms in variants.items():
        with patch.multiple(of, **terms) if terms else nullcontext():
            modelled = [latency_model(one).mean_latency_cycles * one.symbol_time_ns for one in scenarios]
        found = (100 * (model / run - 1) for model, run in zip(modelled, simulated, strict=True))
        print(f"{name} | " + " | ".join(f"{each:+.0f}" for each in found), flush=True)


def main() -> None:
    """Prints all tables."""
    errors("none", OF_TRAINS, Trains, TRAIN_TERMS)
    errors("sci", OF_ALL, Trains, TRAIN_TERMS)
    errors("sci", OF_GO_BITS, GoBits, GO_BIT_TERMS)


if __name__ == "__main__":
    main()
