"""The dependence of the gain on the length of the run, and on the number of refused packets that may wait aside."""

from ringlet.papers.reproduction import Table
from ringlet.papers.richter1997.delays import FILES, STRATEGIES, Strategy, case
from ringlet.papers.richter1997.study import Results, Scale
from ringlet.papers.runs import Case

FILE = FILES["9:1"]
DELAY_US = 100.0
LIMITS: dict[str, tuple[str, ...]] = {
    "any number of refused packets wait aside": (),
    "64 outstanding in each node, as in SCI": ("queues.outstanding=64",),
    "4 outstanding in each node": ("queues.outstanding=4",),
    "reservation by SCI's A/B ageing": ("retry.reservation=true",),
    "no flow control": ('flow_control={protocol = "none"}',),
}


def length_case(strategy: Strategy, length_ms: float) -> Case:
    """Returns the case of one run length."""
    return case(FILE, strategy, DELAY_US, f"run.duration={length_ms:g} ms")


def limit_case(name: str, delay_us: float) -> Case:
    """Returns the case of one limit."""
    return case(FILE, "exponential", delay_us, *LIMITS[name])


def cases(scale: Scale) -> list[Case]:
    """Returns every case."""
    lengths = [length_case(strategy, length) for strategy in STRATEGIES for length in scale.lengths_ms]
    return [*lengths, *(limit_case(name, delay) for name in LIMITS for delay in scale.delays_us)]


def tables(results: Results, scale: Scale) -> tuple[Table, ...]:
    """Returns what the gain rests on."""
    return _length_table(results, scale), _limit_table(results, scale)


def _words(results: Results, found: Case) -> str:
    point = results[found]
    each = (point.accepted_MBps, point.raw_MBps, point.retry_MBps)
    return " / ".join(f"{values.mean():z.0f}" for values in each)


def _length_table(results: Results, scale: Scale) -> Table:
    lines = [
        (f"{length:g} ms", *(_words(results, length_case(strategy, length)) for strategy in STRATEGIES))
        for length in scale.lengths_ms
    ]
    return Table(
        name="lengths",
        title="The gain and the length of the run",
        caption=f"9:1, initial delay {DELAY_US:g} µs: accepted / put on the ring for the first time / again, in MB/s. "
        f"The longer the run, the more refused packets wait, "
        "until their retries fill the ring again.",
        columns=("run", *STRATEGIES),
        lines=tuple(lines),
    )


def _limit_table(results: Results, scale: Scale) -> Table:
    lines = [
        (f"{delay:g}", *(_words(results, limit_case(name, delay)) for name in LIMITS)) for delay in scale.delays_us
    ]
    return Table(
        name="limits",
        title="Where refused packets wait",
        caption="9:1, exponential, 2 ms: accepted / put on the ring for the first time / again, in MB/s.",
        columns=("initial delay (µs)", *LIMITS),
        lines=tuple(lines),
    )
