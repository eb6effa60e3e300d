"""Every function that takes a scenario takes what a file holds, or the path of a file, as well."""

import pytest

import ringlet as rl

RING = {"network": {"nodes": 4}, "traffic": {"arrivals": "poisson", "load": "60 MB/s"}, "run": {"duration": "20 us"}}
SET = {
    "network": {"nodes": 4},
    "run": {"duration": "20 us"},
    "messages": [{"source": 0, "destination": 2, "size": 64, "period": "4 us"}],
}
TOML = """
[network]
nodes = 4
[traffic]
arrivals = "poisson"
load = "60 MB/s"
[run]
duration = "20 us"
"""


@pytest.fixture(params=["Scenario", "dict", "path", "name"])
def source(request, tmp_path):
    file = tmp_path / "ring.toml"
    file.write_text(TOML, encoding="utf-8")
    return {"Scenario": rl.Scenario.from_dict(RING), "dict": RING, "path": file, "name": str(file)}[request.param]


def test_a_run_takes_any(source):
    assert rl.run(source).to_dict()["total"] == rl.run(rl.Scenario.from_dict(RING)).to_dict()["total"]


def test_the_theory_takes_any(source):
    assert len(rl.bound(source)) == len(rl.model(source)) == 4


def test_a_sweep_takes_any(source):
    swept = rl.sweep(source, {"traffic.load": ["10 MB/s", "20 MB/s"]}, replications=1, workers=1)
    assert len(swept.points) == 2


def test_a_sweep_takes_what_a_study_file_holds():
    swept = rl.sweep({"scenario": RING, "axes": [{"run.seed": [1]}]}, workers=1)
    assert len(swept.points) == 1


def test_a_breakdown_takes_a_dict():
    assert rl.breakdown(SET, ["sci"], tolerance=0.5, workers=1).index.tolist() == ["sci"]


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_a_seed_out_of_range_names_the_argument(seed):
    with pytest.raises(rl.RingletError, match=f"^seed: {seed} is not allowed; at least 0 and at most"):
        rl.run(RING, seed=seed)
