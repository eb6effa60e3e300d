"""The report: one page that holds everything."""

import re
from html import unescape
from html.parser import HTMLParser

import pandas as pd
import pytest

import ringlet as rl
from ringlet.papers import figures_of
from ringlet.plots import Layout
from ringlet.report import SweepTables, write_sweep_report
from ringlet.report.sweep import summary_lines, sweep_charts
from ringlet.report.write import write_players

LARGEST_PAPER_BYTES = 2_000_000


class Page(HTMLParser):
    """Collects what a page would load and the ids it uses."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("img", "link", "iframe", "image") or "src" in given:
            self.loads.append(tag)
        if given.get("id"):
            self.ids.append(given["id"])


def test_the_page_needs_no_network(out):
    page = (out / "report.html").read_text(encoding="utf-8")
    parser = Page()
    parser.feed(page)
    assert parser.loads == []
    assert not re.search(r"url\((?!#)|@import", page)
    assert "default-src 'none'" in unescape(page)


def test_the_page_of_a_paper_is_no_larger_than_two_megabytes(todd_out):
    assert (todd_out / "report.html").stat().st_size <= LARGEST_PAPER_BYTES


def test_licences_of_what_the_page_brings_along_are_in_it(out):
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Copyright (c) 2022 Leon Sorokin" in page
    assert "Copyright (c) Tristen Brown" in page
    assert page.count("Permission is hereby granted, free of charge") == 2


def test_moments_stand_with_their_scenario(todd_out):
    page = (todd_out / "report.html").read_text(encoding="utf-8")
    links = re.findall(r'<a class="moment" href="([^"]+)">▶ first starvation</a>', page)
    # With the figure, and with the scenario itself; a quick report leaves out the other figure of this scenario.
    assert links == ["player-figure8a.html#cycle=7"] * 2


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


def test_a_paper_without_other_preset_has_no_column_for_it(todd_out):
    text = (todd_out / "results.md").read_text(encoding="utf-8")
    assert "preset None" not in text
    assert "preset " in text
    for table in re.split(r"\n\n+", text):
        lines = table.strip().splitlines()
        if lines and lines[0].startswith("|"):
            assert len(lines) >= 3
            assert len({line.count("|") for line in lines}) == 1, table


def test_a_sweep_draws_what_its_study_asks_for():
    summary = pd.DataFrame(
        {
            "traffic.load_MBps": [1.0, 2.0, 1.0, 2.0],
            "network.nodes": [4, 4, 8, 8],
            "throughput_MBps": [1.0, 2.0, 3.0, 4.0],
            "fairness": [1.0, 1.0, 0.9, 0.8],
        }
    )
    tables = SweepTables(
        "", summary, ["traffic.load_MBps", "network.nodes"], pd.DataFrame(), pd.DataFrame(), "", {},
        plots=[
            Layout(x="traffic.load_MBps", y=["fairness"], by=["network.nodes"]),
            Layout(x="traffic.load_MBps", y=["throughput_MBps"], by=["network.nodes"]),
        ],
    )  # fmt: skip
    first, second = sweep_charts(tables)
    assert (first.name, second.name) == ("plot-1", "plot-2")
    assert [one.name for one in first.panels[0].series] == ["nodes 4", "nodes 8"]
    assert [one.x for one in second.panels[0].series] == [(1.0, 2.0), (1.0, 2.0)]
    columns, lines = summary_lines(tables)
    assert columns == ["offered load (MB/s)", "nodes", "throughput (MB/s)", "fairness (Jain's index)"]
    assert lines[3] == [2.0, 8, 4.0, 0.8]


def test_a_sweep_without_a_finished_point_has_a_report(tmp_path):
    failures = pd.DataFrame([{"point": 0, "reason": "no memory"}])
    tables = SweepTables("empty", pd.DataFrame(), [], pd.DataFrame(), failures, "[network]", {"ringlet": "0"})
    page = write_sweep_report(tables, tmp_path).read_text(encoding="utf-8")
    assert "no memory" in page
    assert "0 points" in page


def test_the_same_sweep_makes_the_same_files(sweep_tables, sweep_out, tmp_path):
    write_sweep_report(sweep_tables, tmp_path)
    files = sorted(path.name for path in sweep_out.iterdir())
    assert files == sorted(path.name for path in tmp_path.iterdir())
    assert all((sweep_out / name).read_bytes() == (tmp_path / name).read_bytes() for name in files)


@pytest.mark.parametrize(
    "name", ["../../escaped.toml", "/escaped.toml", "..toml", "a/../../escaped.toml", "../escaped"]
)
def test_a_name_leads_no_page_out_of_its_folder(tmp_path, name):
    scenario = rl.Scenario.from_dict({"network": {"nodes": 2}, "traffic": {"load": 0.1}})
    out = tmp_path / "a" / "b"
    out.mkdir(parents=True)
    (link, *_) = write_players({name: scenario}, out)
    pages = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [page.parent for page in pages] == [out / "players"]
    assert (out / link.href.partition("#")[0]).resolve() == pages[0]
