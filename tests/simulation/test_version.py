"""The version of the code that made a result, by which a store recognises a run."""

from pathlib import Path

import grimp

import ringlet
from ringlet.simulation.version import DECIDING


def test_it_covers_every_package_that_a_run_imports():
    graph = grimp.build_graph("ringlet", cache_dir=None)
    imported = {name.split(".")[1] for name in graph.find_upstream_modules("ringlet.simulation", as_package=True)}
    folders = {one.name for one in Path(ringlet.__file__).parent.iterdir() if one.is_dir()}
    assert (imported & folders) | {"simulation"} == set(DECIDING)
