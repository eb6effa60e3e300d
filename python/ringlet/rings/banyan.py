"""Banyan networks: stages of s x s switches between wirings, for N = s^n lines.

A network is W_0 E W_1 E ... E W_n, where W_i are permutations of the lines and E is a stage of exchanges: line `l` is
port `l mod s` of the stage's switch `l div s` (richter1999, Section 6.7, after Wu and Feng). Permutations are arrays:
line `l` goes to line `w[l]`.

With an extra stage in front (Adams and Siegel, "The Extra Stage Cube", 1982), each switch of which joins the inputs
whose straight paths meet in one switch of the last stage, s ways lead from every input to every output. They have only
the switches of the first and of the last stage in common.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]

BanyanKind = Literal["omega", "flip", "indirect-cube", "generalized-cube", "baseline", "butterfly"]


@dataclass(frozen=True)
class Banyan:
    """The lines and stages of a Banyan network."""

    kind: BanyanKind
    radix: int
    """Inputs, and outputs, of a switch: s."""
    stages: int
    """n, and the extra stage."""
    extra_stage: bool = False
    """True if the first stage is an extra one."""

    @property
    def size(self) -> int:
        """Lines: N = s^n."""
        return int(self.radix**self._digits)

    @property
    def _digits(self) -> int:
        """Digits of a line's number to the base of the radix: n."""
        return self.stages - self.extra_stage

    @property
    def switches_per_stage(self) -> int:
        """N / s."""
        return self.size // self.radix

    def switch_name(self, switch: int) -> str:
        """Returns what a switch is called, with switches numbered stage by stage."""
        return f"switch {switch} (stage {switch // self.switches_per_stage})"

    @cached_property
    def wirings(self) -> tuple[IntArray, ...]:
        """W_0 and so on, one more than there are stages, shape (N,) each: before, between and behind the stages."""
        n = self._digits
        inner = range(1, n)
        match self.kind:
            case "omega":
                every = [self._rotate(n)] * n + [self._identity]
            case "flip":
                every = [self._identity] + [inverse(self._rotate(n))] * n
            case "indirect-cube":
                every = [self._identity, *(self._swap(i) for i in inner), inverse(self._rotate(n))]
            case "generalized-cube":
                every = [self._rotate(n), *(self._swap(n - i) for i in inner), self._identity]
            case "butterfly":
                every = [self._identity, *(self._swap(i) for i in inner), self._identity]
            case "baseline":
                every = [self._identity, *(inverse(self._rotate(n - i + 1)) for i in inner), self._identity]
        if self.extra_stage:
            # An exchange there moves a straight path by as much as one in the last stage.
            to_last_stage = self._identity
            for wiring in every[:-1]:
                to_last_stage = wiring[to_last_stage]
            every[:1] = [to_last_stage, every[0][inverse(to_last_stage)]]
        return tuple(every)

    @cached_property
    def straight(self) -> IntArray:
        """Output line that each input line is led to if no switch exchanges anything; shape (N,)."""
        lines = self._identity
        for wiring in self.wirings:
            lines = wiring[lines]
        return lines

    @cached_property
    def stage_lines(self) -> IntArray:
        """Line on which the straight path from each input line passes each stage; shape (stages, N)."""
        lines, passed = self._identity, []
        for wiring in self.wirings[:-1]:
            lines = wiring[lines]
            passed.append(lines)
        return np.stack(passed)

    @property
    def closes(self) -> bool:
        """True if output line `l` can be led back to input line `l` so that every straight path becomes one ring.

        This is what Omega, Generalized Cube, Flip and Indirect Binary n-Cube networks have in common (richter1999,
        Section 6.7); Baseline and Butterfly networks need a permutation.
        """
        return bool(np.array_equal(self.straight, self._identity))

    def closed_rings(self) -> list[list[int]]:
        """Returns the input lines on each ring that forms if output line `l` is led to input line `l`."""
        rings: list[list[int]] = []
        seen = np.zeros(self.size, dtype=bool)
        following = self.straight.tolist()
        for first in range(self.size):
            if seen[first]:
                continue
            ring, line = [], first
            while not seen[line]:
                seen[line] = True
                ring.append(line)
                line = following[line]
            rings.append(ring)
        return rings

    @property
    def _identity(self) -> IntArray:
        return np.arange(self.size)

    def _rotate(self, digits: int) -> IntArray:
        """Rotates the low digits to the left by one: the perfect shuffle of the lines that agree in the others."""
        lines, low = self._identity, int(self.radix**digits)
        lower = lines % low
        return lines - lower + lower * self.radix % low + lower * self.radix // low

    def _swap(self, digit: int) -> IntArray:
        """Swaps digit 0 with another one: the butterfly."""
        lines, weight = self._identity, int(self.radix**digit)
        zeroth, other = lines % self.radix, lines // weight % self.radix
        swapped: IntArray = lines + (other - zeroth) + (zeroth - other) * weight
        return swapped


def inverse(permutation: IntArray) -> IntArray:
    """Returns where each element of a permutation stands."""
    inverse = np.empty_like(permutation)
    inverse[permutation] = np.arange(len(permutation))
    return inverse
