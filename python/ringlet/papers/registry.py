"""Papers that can be reproduced, and their reproduction."""

import time
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from ringlet.errors import RingletError
from ringlet.papers.paper import AnyPaper
from ringlet.papers.picker1994 import PICKER1994
from ringlet.papers.reproduction import Reproduction
from ringlet.papers.richter1997 import RICHTER1997
from ringlet.papers.richter1999 import RICHTER1999
from ringlet.papers.runs import Progress
from ringlet.papers.todd2001 import TODD2001

PAPERS: Mapping[str, AnyPaper] = {paper.name: paper for paper in (PICKER1994, TODD2001, RICHTER1999, RICHTER1997)}
"""Papers that can be reproduced, by their short names in `published.csv`."""


def reproduce(
    papers: Sequence[str] = (),
    *,
    quick: bool = False,
    out: Path | str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Reproduces papers: simulates their scenarios and puts published beside obtained figures.

    The processes of the pool start by importing the caller's main module: call this under `if __name__ == "__main__":`
    in a script, or with `workers=1`.

    Args:
        papers: short names, such as `picker1994`; none: all of `PAPERS`.
        quick: fewer seeds and traffic matrices, for a check rather than for a result.
        out: folder to write rows, tables and scenario files into; None: write nothing.
            `ringlet.report.write_report` writes the report with its figures.
        workers: processes; None: one per core. Results do not depend on it.
        progress: called whenever a case of a paper is finished.

    Raises:
        RingletError: an unknown paper, or `workers` below 1.
        OSError: `out` cannot be written.
    """
    check_papers(papers)
    if workers is not None and workers < 1:
        raise RingletError(f"workers: {workers}; allowed: 1 or more")
    if out is not None:
        Path(out).mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    done = tuple(
        PAPERS[paper].reproduce(quick=quick, workers=workers, progress=progress)
        for paper in dict.fromkeys(papers or PAPERS)
    )
    reproduction = Reproduction(done, quick=quick, wall_s=time.perf_counter() - start)
    if out is not None:
        reproduction.write_data(Path(out))
    return reproduction


def check_papers(papers: Sequence[str]) -> None:
    """Raises RingletError for a name that is not one of `PAPERS`."""
    for paper in papers:
        if paper not in PAPERS:
            raise RingletError(f"paper: {paper!r} is not known; allowed: {', '.join(PAPERS)}{_hint(paper)}")


def _hint(paper: str) -> str:
    near = get_close_matches(paper, PAPERS, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
