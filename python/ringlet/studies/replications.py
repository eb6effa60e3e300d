"""The number of replications of a point: fixed, given by seeds, or until its figures are precise."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ringlet.errors import RingletError
from ringlet.scenario.values.maxima import MAX_SEED
from ringlet.sections import Field, Section
from ringlet.statistics import replication_means

DEFAULT_WATCH = ("throughput_MBps", "latency_mean_ns")
DEFAULT_AT_LEAST = 5
DEFAULT_AT_MOST = 50
MOST = 1_000_000


class Replications(Section):
    """The replications of each point: runs with different seeds."""

    count: int | None = Field(
        default=None,
        ge=1,
        le=MOST,
        description="So many, with the seeds `run.seed`, `run.seed + 1`, and so on. Default: 1.",
    )
    seeds: list[int] | None = Field(
        default=None, min_length=1, max_length=MOST, description="Instead of `count`: one with each."
    )
    precision: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        description="Instead of `count`: as many as it takes until the 95 % interval of each figure of `watch`, over "
        "the "
        "replications, has at most this relative half width.",
    )
    watch: list[str] | None = Field(
        default=None,
        min_length=1,
        description="With `precision`: the figures that are to be precise, as the table of points names them. Default: "
        f"`{list(DEFAULT_WATCH)}`.".replace("'", '"'),
    )
    at_least: int | None = Field(
        default=None,
        ge=2,
        le=MOST,
        description=f"With `precision`: replications to begin with. Default: {DEFAULT_AT_LEAST}.",
    )
    at_most: int | None = Field(
        default=None,
        ge=2,
        le=MOST,
        description="With `precision`: where to give up, which the summary says. Default: "
        f"{DEFAULT_AT_MOST}, or `at_least`, if that is more.",
    )

    def _fits_together(self, folder: Path) -> None:
        given = [name for name in ("count", "seeds", "precision") if getattr(self, name) is not None]
        if len(given) > 1:
            raise RingletError(f"replications.{given[1]}: given together with {given[0]}; one of them is allowed")
        if self.precision is None:
            for name in ("watch", "at_least", "at_most"):
                if getattr(self, name) is not None:
                    raise RingletError.not_allowed(
                        f"replications.{name}", getattr(self, name), "it belongs to precision, and there is none"
                    )
        for i, seed in enumerate(self.seeds or []):
            if not 0 <= seed <= MAX_SEED:
                raise RingletError.not_allowed(f"replications.seeds[{i}]", seed, f"at least 0 and at most {MAX_SEED}")
            if seed in (self.seeds or [])[:i]:
                raise RingletError.not_allowed(f"replications.seeds[{i}]", seed, "each seed once")
        if self.most < self.first:
            allowed = f"at least {self.first}, the replications to begin with"
            raise RingletError.not_allowed("replications.at_most", self.at_most, allowed)

    @property
    def first(self) -> int:
        """Replications of a point to begin with: all, without a precision."""
        if self.precision is not None:
            return self.at_least or DEFAULT_AT_LEAST
        return self.most

    @property
    def most(self) -> int:
        """Replications of a point at most."""
        if self.precision is not None:
            return self.at_most or max(DEFAULT_AT_MOST, self.first)
        return len(self.seeds) if self.seeds is not None else self.count or 1

    @property
    def watched(self) -> tuple[str, ...]:
        """Figures that are to be precise; none without a precision."""
        return () if self.precision is None else tuple(self.watch or DEFAULT_WATCH)

    def seed(self, base: int, replication: int) -> int:
        """Returns the seed of a replication of a scenario whose own seed is `base`."""
        return self.seeds[replication] if self.seeds is not None else (base + replication) % (MAX_SEED + 1)

    def wanted(self, values: Sequence[Sequence[float]]) -> int:
        """Returns how many replications a point needs in the light of those done; as many as are done if they suffice.

        The watched figures decide, and nothing else, so that it does not matter where and in what order they were
        computed. As the half width falls with the square root of their number, that many more are requested, but at
        most twice as many as there are: the first intervals are rough (Law, Section 9.4.1).

        Args:
            values: watched figures of each replication done, `first` of them or more.
        """
        done = len(values)
        if self.precision is None or done >= self.most or self.is_precise(values):
            return done
        worst = float(np.max(self.relative_half_width(values)))
        needed = done * (worst / self.precision) ** 2
        return min(self.most, max(done + 1, math.ceil(min(needed, 2.0 * done))))

    def is_precise(self, values: Sequence[Sequence[float]]) -> bool:
        """Returns whether every watched figure has reached the required precision."""
        return self.precision is None or bool(np.all(self.relative_half_width(values) <= self.precision))

    @staticmethod
    def relative_half_width(values: Sequence[Sequence[float]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Returns the relative half width of each figure; 0 if it is always 0, infinite if it is missing."""
        table = np.asarray(values, dtype=np.float64)
        mean, half_width, count = (each[0] for each in replication_means(table))
        relative = np.full(mean.shape, np.inf)
        usable = (count == len(table)) & (mean != 0) & np.isfinite(half_width)
        np.divide(half_width, np.abs(mean), out=relative, where=usable)
        relative[(half_width == 0) & (count == len(table))] = 0.0
        return relative
