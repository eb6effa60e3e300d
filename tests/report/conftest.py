import fake_todd2001
import numpy as np
import pytest

from ringlet.papers import Reproduction, picker1994, todd2001
from ringlet.papers.picker1994.deviations import CaseResult
from ringlet.papers.picker1994.presets import PRESETS
from ringlet.papers.picker1994.study import QUICK
from ringlet.papers.reproduction import PaperReproduction
from ringlet.papers.runs import scenario_files
from ringlet.papers.todd2001.study import QUICK as TODD_QUICK
from ringlet.report import Moment, write_report


@pytest.fixture(scope="session")
def reproduction() -> Reproduction:
    """Both papers, from numbers instead of simulations."""
    generator = np.random.default_rng(1)
    results = {}
    for case in picker1994.all_cases(QUICK):
        nodes = case.load().network.nodes
        results[case] = CaseResult(generator.uniform(0.1, 0.5, (len(QUICK.seeds), nodes)), np.full(nodes, 0.5))
    measured = {preset.name: picker1994.measurements(results, preset, QUICK) for preset in PRESETS}
    paper = PaperReproduction(
        paper="picker1994",
        title=picker1994.TITLE,
        citation=picker1994.CITATION,
        presets=picker1994.presets_in_words(),
        rows=picker1994.rows(measured, QUICK),
        tables=picker1994.paper_tables(results, QUICK),
        figures=picker1994.paper_figures(results, QUICK),
        scenario_files=scenario_files("picker1994"),
    )
    todd = todd2001.report(fake_todd2001.results(TODD_QUICK), TODD_QUICK)
    return Reproduction((paper, todd), quick=True, wall_s=1.0)


@pytest.fixture(scope="session")
def out(reproduction, tmp_path_factory):
    """The folder of their report."""
    folder = tmp_path_factory.mktemp("out")
    reproduction.write_data(folder)
    write_report(reproduction, folder)
    return folder


@pytest.fixture(scope="session")
def todd(reproduction) -> Reproduction:
    """One of the papers."""
    return Reproduction(reproduction.papers[1:], quick=True, wall_s=1.0)


@pytest.fixture(scope="session")
def moments():
    return [Moment("figure8a.toml", "first starvation", "player-figure8a.html#cycle=7")]


@pytest.fixture(scope="session")
def todd_out(todd, moments, tmp_path_factory):
    """The folder of its report, with a moment to look at."""
    folder = tmp_path_factory.mktemp("todd")
    write_report(todd, folder, moments=moments)
    return folder
