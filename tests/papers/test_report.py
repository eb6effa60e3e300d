"""The report: one page that holds everything."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from ringlet.papers import Reproduction, figures_of, picker1994
from ringlet.papers.picker1994.presets import PRESETS
from ringlet.papers.picker1994.study import QUICK
from ringlet.papers.reproduction import PaperReproduction
from ringlet.papers.runs import CaseResult
from ringlet.report import write_report


class Page(HTMLParser):
    """Collects what a page would load and the ids it uses."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("script", "img", "link", "iframe", "image"):
            self.loads.append(tag)
        if given.get("id"):
            self.ids.append(given["id"])


@pytest.fixture(scope="module")
def reproduction() -> Reproduction:
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
        scenario_files=picker1994.scenario_files(),
    )
    return Reproduction((paper,), quick=True, wall_s=1.0)


@pytest.fixture(scope="module")
def out(reproduction, tmp_path_factory):
    folder = tmp_path_factory.mktemp("out")
    reproduction.write_data(folder)
    write_report(reproduction, folder)
    return folder


def test_the_page_needs_no_network(out):
    page = (out / "report.html").read_text(encoding="utf-8")
    parser = Page()
    parser.feed(page)
    assert parser.loads == []
    assert not re.search(r"url\((?!#)|@import", page)


def test_every_row_has_its_place_on_the_page(out):
    parser = Page()
    parser.feed((out / "report.html").read_text(encoding="utf-8"))
    assert {row.id for row in figures_of("picker1994")} <= set(parser.ids)


def test_ids_are_unique_on_the_page(out):
    parser = Page()
    parser.feed((out / "report.html").read_text(encoding="utf-8"))
    twice = {name for name in parser.ids if parser.ids.count(name) > 1}
    assert not twice


def test_every_figure_is_on_the_page_and_beside_it(out, reproduction):
    page = (out / "report.html").read_text(encoding="utf-8")
    figures = reproduction.papers[0].figures
    assert page.count("<svg") == len(figures)
    for figure in figures:
        assert (out / f"{figure.name}.png").read_bytes().startswith(b"\x89PNG")
        assert (out / f"{figure.name}.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_every_scenario_file_is_beside_the_page(out, reproduction):
    for name in reproduction.papers[0].scenario_files:
        assert (out / "scenarios" / name).read_text(encoding="utf-8") == reproduction.papers[0].scenario_source(name)


def test_the_same_reproduction_makes_the_same_files(out, reproduction, tmp_path):
    reproduction.write_data(tmp_path)
    write_report(reproduction, tmp_path)
    files = sorted(path.relative_to(out) for path in out.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert all((out / path).read_bytes() == (tmp_path / path).read_bytes() for path in files)
