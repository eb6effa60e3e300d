"""The report: one page that holds everything."""

import re
from html.parser import HTMLParser

import fake_todd2001
import numpy as np
import pytest

from ringlet.papers import Reproduction, figures_of, picker1994, todd2001
from ringlet.papers.picker1994.deviations import CaseResult
from ringlet.papers.picker1994.presets import PRESETS
from ringlet.papers.picker1994.study import QUICK
from ringlet.papers.reproduction import PaperReproduction
from ringlet.papers.runs import scenario_files
from ringlet.papers.todd2001.study import QUICK as TODD_QUICK
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
        scenario_files=scenario_files("picker1994"),
    )
    todd = todd2001.report(fake_todd2001.results(TODD_QUICK), TODD_QUICK)
    return Reproduction((paper, todd), quick=True, wall_s=1.0)


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
    assert {row.id for paper in ("picker1994", "todd2001") for row in figures_of(paper)} <= set(parser.ids)


def test_ids_are_unique_on_the_page(out):
    parser = Page()
    parser.feed((out / "report.html").read_text(encoding="utf-8"))
    twice = {name for name in parser.ids if parser.ids.count(name) > 1}
    assert not twice


def test_every_figure_is_on_the_page_and_beside_it(out, reproduction):
    page = (out / "report.html").read_text(encoding="utf-8")
    figures = [figure for paper in reproduction.papers for figure in paper.figures]
    assert page.count("<svg") == len(figures)
    for figure in figures:
        assert (out / f"{figure.name}.png").read_bytes().startswith(b"\x89PNG")
        assert (out / f"{figure.name}.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_every_scenario_file_is_beside_the_page(out, reproduction):
    for paper in reproduction.papers:
        for name in paper.scenario_files:
            assert (out / "scenarios" / name).read_text(encoding="utf-8") == paper.scenario_source(name)


def test_the_same_reproduction_makes_the_same_files(out, reproduction, tmp_path):
    reproduction.write_data(tmp_path)
    write_report(reproduction, tmp_path)
    files = sorted(path.relative_to(out) for path in out.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert all((out / path).read_bytes() == (tmp_path / path).read_bytes() for path in files)


def test_no_two_papers_share_a_file_name(reproduction):
    for names in ("scenario_files", "figures"):
        each = [getattr(file, "name", file) for paper in reproduction.papers for file in getattr(paper, names)]
        assert len(set(each)) == len(each)


def test_every_table_and_axis_of_todd2001_says_what_its_megabytes_are(reproduction, out):
    todd = reproduction.papers[1]
    assert all(todd.units in table.caption for table in todd.tables)
    for figure in todd.figures:
        drawn = figure.draw()
        axes = [axis.get_ylabel() for axis in drawn.axes] + [axis.get_xlabel() for axis in drawn.axes]
        labels = [label for label in [*axes, drawn.get_supxlabel()] if "MB/s" in label]
        assert len(labels) >= 2
        assert all(todd.units in label for label in labels)
    results = (out / "results.md").read_text(encoding="utf-8").partition("# todd2001")
    page = (out / "report.html").read_text(encoding="utf-8")
    places = {row.figure.place for row in todd.rows}
    assert page.count(todd.units) >= len(places)
    assert results[0].count(todd.units) >= len(places)


def test_a_paper_without_other_preset_has_no_column_for_it(reproduction, tmp_path):
    write_report(Reproduction(reproduction.papers[1:], quick=True, wall_s=1.0), tmp_path)
    text = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert "preset None" not in text
    assert "preset " in text
    for table in re.split(r"\n\n+", text):
        lines = table.strip().splitlines()
        if lines and lines[0].startswith("|"):
            assert len(lines) >= 3
            assert len({line.count("|") for line in lines}) == 1, table
