"""Settings of single protocols that come closer to the paper than the common host does.

One setting for each protocol. They were chosen by comparing with the figures they are compared with here, so they are a
fit and decide no row.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ringlet.figures import plus_minus
from ringlet.papers.agreement import agrees
from ringlet.papers.measurement import Measurement
from ringlet.papers.published import figures_of
from ringlet.papers.reproduction import Table
from ringlet.papers.runs import Case
from ringlet.papers.todd2001 import figure8, figure9, figure11
from ringlet.papers.todd2001.curves import Curve, cases_of, low_load_latency, peak, sustained
from ringlet.papers.todd2001.settings import (
    BARE,
    COMMON,
    LABELS,
    OLDEST,
    PING_PONG,
    RESPONSES_2,
    UNLIMITED_RESPONSES,
    Protocol,
    Setting,
)
from ringlet.papers.todd2001.study import PAPER, UNITS, Results, Scale, service_limit_MBps

Metric = Callable[[Results, Curve, Scale], Measurement]


@dataclass(frozen=True, slots=True)
class Alternative:
    """A published figure beside a protocol's own setting."""

    row: str
    """Id of the published figure, without the paper's name."""
    words: str
    protocol: Protocol
    setting: Setting
    curve: Callable[[Protocol, Setting], Curve]
    """The curve under a setting."""
    metric: Metric

    def measure(self, results: Results, scale: Scale, setting: Setting) -> Measurement:
        """Returns the figure under this setting or another."""
        return self.metric(results, self.curve(self.protocol, setting), scale)


def _single(part: str) -> Callable[[Protocol, Setting], Curve]:
    return partial(figure8.curve, part)


def _three(part: str) -> Callable[[Protocol, Setting], Curve]:
    return partial(figure9.curve, part)


def _hottest(protocol: Protocol, setting: Setting) -> Curve:
    return figure11.curve(protocol, 100, setting)


def _share(results: Results, curve: Curve, scale: Scale) -> Measurement:
    return figure11.share(results, curve, service_limit_MBps(figure11.SERVICE_TIME_US), scale)


def _latency(results: Results, curve: Curve, scale: Scale) -> Measurement:
    return low_load_latency(results, curve, scale)[0]


ALTERNATIVES: tuple[Alternative, ...] = (
    Alternative("f8a.sci", "sustained", "sci", OLDEST, _single("a"), sustained),
    Alternative("f8b.plateau", "sustained", "sci", OLDEST, _single("b"), sustained),
    Alternative("f8a.ppq", "sustained", "ppq", PING_PONG, _single("a"), sustained),
    Alternative("f8b.ppq", "falls with load", "ppq", PING_PONG, _single("b"), figure8.falls),
    Alternative("f8b.ppq", "base SCI in PPQ's host", "sci", UNLIMITED_RESPONSES, _single("b"), figure8.falls),
    Alternative("f9a.ppq", "peak, three priorities", "ppq", PING_PONG, _three("a"), peak),
    Alternative("f11.ppq.share", "of the service limit", "ppq", PING_PONG, _hottest, _share),
    Alternative("f8a.train", "sustained", "train", BARE, _single("a"), sustained),
    Alternative("f8.latency.train", "low load", "train", BARE, _single("a"), _latency),
    Alternative("f8b.plateau", "sustained", "train", BARE, _single("b"), sustained),
    Alternative("f9a.train", "sustained, three priorities", "train", BARE, _three("a"), sustained),
    Alternative("f9b.plateau", "sustained, three priorities", "train", BARE, _three("b"), sustained),
    Alternative("f11.train.share", "of the service limit", "train", BARE, _hottest, _share),
    Alternative("f8a.dfc", "sustained", "dfc", RESPONSES_2, _single("a"), sustained),
    Alternative("f8b.plateau", "sustained", "dfc", RESPONSES_2, _single("b"), sustained),
    Alternative("f11.dfc.share", "of the service limit", "dfc", RESPONSES_2, _hottest, _share),
)


def curves() -> list[Curve]:
    """Returns the curves under settings other than the common host."""
    each = [alternative.curve(alternative.protocol, alternative.setting) for alternative in ALTERNATIVES]
    # No row states PPQ's fall in Figure 9b, but the figure shows it.
    return list(dict.fromkeys([*each, figure9.curve("b", "ppq", PING_PONG)]))


def cases(scale: Scale) -> list[Case]:
    """Returns the cases of those curves; none for a check."""
    return [] if scale.quick else cases_of(curves(), scale)


def table(results: Results, scale: Scale) -> Table:
    """Returns published figures beside the common host and each protocol's own setting."""
    published = {figure.id: figure for figure in figures_of(PAPER)}
    lines: list[tuple[str | float, ...]] = []
    for alternative in ALTERNATIVES:
        figure = published[f"{PAPER}.{alternative.row}"]
        common = alternative.measure(results, scale, COMMON)
        own = alternative.measure(results, scale, alternative.setting)
        lines.append(
            (
                alternative.row,
                LABELS[alternative.protocol],
                alternative.words,
                "yes" if figure.unit == "bool" else f"{figure.value:g} {figure.unit}",
                _words(common, figure.unit),
                f"{alternative.setting.name}: {alternative.setting.words}",
                _words(own, figure.unit),
                "yes" if agrees(figure, own.value) else "no",
            )
        )
    return Table(
        name="nearest",
        title="Each protocol's own setting, nearest to the paper",
        caption=(
            "Not the common host, and no part of the verdict: each protocol with one host of its own that comes close "
            "to its "
            f"figures, chosen by comparing with them. {UNITS}."
        ),
        columns=("row", "protocol", "what", "published", "common host", "setting", "with the setting", "would agree"),
        lines=tuple(lines),
    )


def _words(measured: Measurement, unit: str) -> str:
    if unit == "bool":
        return f"{'yes' if measured.value else 'no'} ({measured.detail})"
    digits = 3 if unit == "us" else 0
    return f"{plus_minus(measured.value, measured.spread, alone=f'{{:z.{digits}f}}'.format)} {unit}"
