import fake_todd2001
import numpy as np
import pandas as pd
import pytest

from ringlet.papers import Reproduction, picker1994, todd2001
from ringlet.papers.picker1994.study import QUICK, CaseResult
from ringlet.papers.todd2001.study import QUICK as TODD_QUICK
from ringlet.report import MomentLink, SweepTables, write_report, write_sweep_report


@pytest.fixture(scope="session")
def reproduction() -> Reproduction:
    """Both papers, from numbers instead of simulations."""
    generator = np.random.default_rng(1)
    results = {}
    for case in picker1994.all_cases(QUICK):
        nodes = case.load().network.nodes
        results[case] = CaseResult(generator.uniform(0.1, 0.5, (len(QUICK.seeds), nodes)), np.full(nodes, 0.5))
    paper = picker1994.PICKER1994.report(results, QUICK)
    todd = todd2001.TODD2001.report(fake_todd2001.results(TODD_QUICK), TODD_QUICK)
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
    return [MomentLink("figure8a.toml", "first starvation", "player-figure8a.html#cycle=7")]


@pytest.fixture(scope="session")
def todd_out(todd, moments, tmp_path_factory):
    """The folder of its report, with a moment to look at."""
    folder = tmp_path_factory.mktemp("todd")
    write_report(todd, folder, moments=moments)
    return folder


@pytest.fixture(scope="session")
def sweep_tables() -> SweepTables:
    """A sweep of two protocols over five loads, with priorities and a failure."""
    points = [(protocol, load) for protocol in ("none", "sci") for load in (10.0, 20.0, 40.0, 80.0, 160.0)]
    axes = [{"flow_control.protocol": protocol, "traffic.load_MBps": load} for protocol, load in points]
    summary = [
        {
            "point": point,
            **axis,
            "replications": 5,
            "throughput_MBps": min(8 * axis["traffic.load_MBps"], 700.0),
            "throughput_ci95_MBps": 4.0,
            "latency_mean_ns": 100 + axis["traffic.load_MBps"] ** 1.5,
            "latency_mean_ci95_ns": np.nan if point == 3 else 2.0,
        }
        for point, axis in enumerate(axes)
    ]
    priorities = [
        {
            **axis,
            "priority": priority,
            "throughput_MBps": (priority + 1) * axis["traffic.load_MBps"] + run,
            "latency_mean_ns": 100.0 + run,
        }
        for axis in axes
        for priority in (0, 1)
        for run in (0, 1)
    ]
    failures = [{"point": 9, "replication": 0, **axes[9], "reason": "the worker died"}]
    return SweepTables(
        title="Loads <of> a ring",
        summary=pd.DataFrame(summary),
        axes=["flow_control.protocol", "traffic.load_MBps"],
        priorities=pd.DataFrame(priorities),
        failures=pd.DataFrame(failures),
        scenario="[network]\nnodes = 8\n",
        versions={"ringlet": "0.1.0"},
    )


@pytest.fixture(scope="session")
def sweep_out(sweep_tables, tmp_path_factory):
    """The folder of its report."""
    folder = tmp_path_factory.mktemp("sweep")
    write_sweep_report(sweep_tables, folder)
    return folder
