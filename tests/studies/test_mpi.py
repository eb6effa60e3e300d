"""An MPI job: one process directs, two compute."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal
from small_studies import figures, here, study

import ringlet as rl

pytest.importorskip("mpi4py", reason="MPI is not tested without mpi4py (pip install 'ringlet[mpi]')")
MPIEXEC = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")
pytestmark = pytest.mark.skipif(
    MPIEXEC is None, reason="MPI is not tested without mpiexec (pip install mpich, or apt install mpich)"
)

STUDY = """
[scenario]
network = {nodes = 4}
traffic = {arrivals = "poisson", load = "50 MB/s"}
run = {duration = "20 us", warmup = "2 us"}
[[axes]]
traffic.load = ["20 MB/s", "60 MB/s", "100 MB/s"]
[replications]
count = 2
"""


def job(folder, *words):
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    command = ["ringlet", "sweep", "study.toml", "--out", "out", "--executor", "mpi"]
    return subprocess.run(
        [*words, "-m", *command], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


def test_the_processes_of_a_job_do_the_runs(tmp_path):
    done = job(tmp_path, MPIEXEC, "-n", "3", sys.executable, "-m", "mpi4py.futures")
    assert done.returncode == 0, done.stderr
    assert_frame_equal(figures(rl.SweepResult.load(tmp_path / "out").points), figures(here(study()).points))


@pytest.mark.parametrize("start", [(), (MPIEXEC, "-n", "2")], ids=["alone", "job"])
def test_a_job_that_was_started_otherwise_is_told_how(tmp_path, start):
    done = job(tmp_path, *start, sys.executable)
    assert done.returncode == 2
    assert "mpiexec -n 9 python -m mpi4py.futures -m ringlet sweep STUDY --executor mpi" in done.stderr
