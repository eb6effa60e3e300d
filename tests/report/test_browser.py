"""The report in a real browser: charts, tables, a phone, the dark, a keyboard."""

import dataclasses
from itertools import pairwise

import hostile_names as hostile
import pytest

from browser import DESKTOP, PHONE, opened
from ringlet.papers import Reproduction
from ringlet.plots import Axis, Chart, Panel, Series
from ringlet.report import write_report, write_sweep_report
from ringlet.report.verification import html_report
from ringlet.studies.overview import Warned
from ringlet.verification import verify
from ringlet.verification.check import document_text

COLOURS_OF_A_CANVAS = """canvas => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] === 255) seen.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
  }
  return [...seen];
}"""


@pytest.fixture(scope="module")
def report(out):
    return out / "report.html"


@pytest.fixture(scope="module")
def page(browser, report):
    with opened(browser, report, silent=False) as found:
        yield found


def canvases(page):
    return page.locator(".chart canvas")


def test_every_figure_is_an_interactive_chart(page, reproduction):
    charts = [chart for paper in reproduction.papers for chart in paper.figures]
    assert page.locator(".chart").count() == len(charts)
    assert canvases(page).count() == sum(len(chart.panels) for chart in charts)
    assert page.locator(".chart > svg").count() == 0


def test_a_chart_shows_each_series_in_its_colour(page):
    drawn = canvases(page.locator("#figure-figure8a")).first.evaluate(COLOURS_OF_A_CANVAS)
    # Grey, orange, blue and green of the palette.
    assert {"119,119,119", "199,127,0", "0,114,178", "0,158,115"} <= set(drawn)


def test_a_name_in_the_legend_hides_its_curve_in_every_panel(page):
    figure = page.locator("#figure-figure8b")
    button = figure.get_by_role("button", name="TRAIN")
    blue = "0,114,178"
    assert all(blue in canvas.evaluate(COLOURS_OF_A_CANVAS) for canvas in canvases(figure).all())
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    page.wait_for_timeout(100)
    assert not any(blue in canvas.evaluate(COLOURS_OF_A_CANVAS) for canvas in canvases(figure).all())
    button.click()
    page.wait_for_timeout(100)
    assert all(blue in canvas.evaluate(COLOURS_OF_A_CANVAS) for canvas in canvases(figure).all())


def test_the_cursor_reads_figures_with_their_interval(page):
    panel = page.locator("#figure-figure8a .panel").first
    panel.scroll_into_view_if_needed()
    box = panel.bounding_box()
    page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 0.5 * box["height"])
    tip = panel.locator(".tip")
    assert tip.is_visible()
    text = tip.inner_text()
    assert text.startswith("offered load per node")
    assert "DFC: 840.5 (840 to 841)" in text
    page.mouse.move(0, 0)


def test_arrow_keys_read_figures_aloud(page):
    panel = page.locator("#figure-figure8a .panel").first
    panel.focus()
    panel.press("ArrowRight")
    said = page.locator("#figure-figure8a [aria-live]").first
    first = said.text_content()
    assert first.startswith("offered load per node (MB/s, MB = 2^20 bytes): 1.")
    panel.press("ArrowRight")
    assert ": 10." in said.text_content()
    panel.press("End")
    assert ": 150." in said.text_content()
    panel.press("Escape")
    assert panel.locator(".tip").is_hidden()


def test_dragging_zooms_and_a_double_click_shows_the_whole(page):
    panel = page.locator("#figure-figure8a .panel").first
    panel.scroll_into_view_if_needed()
    box = panel.locator(".u-over").bounding_box()

    def picture():
        page.wait_for_timeout(150)
        return panel.locator("canvas").evaluate("canvas => canvas.toDataURL()")

    whole = picture()
    y = box["y"] + 0.5 * box["height"]
    page.mouse.move(box["x"] + 0.5 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.8 * box["width"], y, steps=4)
    page.mouse.up()
    assert picture() != whole
    page.mouse.dblclick(box["x"] + 0.5 * box["width"], y)
    assert picture() == whole


def column(page, table, number):
    cells = page.locator(f"#{table} tbody tr:visible td:nth-child({number})")
    return cells.evaluate_all("cells => cells.map(cell => cell.dataset.sort || cell.textContent)")


@pytest.mark.parametrize("paper", ["picker1994", "todd2001"])
def test_a_column_sorts_by_number_both_ways_by_mouse_and_by_keyboard(page, paper):
    table = f"rows-{paper}"
    head = page.locator(f"#{table} thead th", has_text="obtained")
    before = [float(value) for value in column(page, table, 5)]
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert [float(value) for value in column(page, table, 5)] == sorted(before)
    head.get_by_role("button").press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert [float(value) for value in column(page, table, 5)] == sorted(before, reverse=True)
    # Back in the order of the paper, for the other tests.
    page.locator(f"#{table} thead th", has_text="place").get_by_role("button").press("Space")
    assert [float(value) for value in column(page, table, 5)] == before


def test_rows_are_filtered_by_verdict_place_and_words(page, reproduction):
    rows = reproduction.papers[0].rows
    form = page.locator("form.filter[data-table=rows-picker1994]")
    count = form.locator("output")
    assert count.inner_text() == f"{len(rows)} of {len(rows)} rows"
    form.get_by_label("verdict").select_option("agrees")
    agreeing = [row for row in rows if row.agrees]
    assert count.inner_text() == f"{len(agreeing)} of {len(rows)} rows"
    assert set(column(page, "rows-picker1994", 1)) == {"✓ agrees"}
    form.get_by_label("verdict").select_option("")
    form.get_by_label("place").select_option("Table 3")
    form.get_by_label("Search").fill("ENHANCED mixed sizes")
    wanted = [
        row for row in rows
        if row.figure.place == "Table 3" and "mixed sizes" in row.figure.scenario and "enhanced" in row.figure.scenario
    ]  # fmt: skip
    assert 0 < len(wanted) < len(rows)
    assert count.inner_text() == f"{len(wanted)} of {len(rows)} rows"
    form.get_by_role("button", name="Show all").click()
    page.wait_for_timeout(50)
    assert count.inner_text() == f"{len(rows)} of {len(rows)} rows"


def test_a_link_to_a_scenario_opens_it(page):
    source = page.locator("details", has=page.locator("summary[id='scenario-figure8a.toml']"))
    assert source.get_attribute("open") is None
    page.locator("#figure-figure8a figcaption").get_by_role("link", name="figure8a.toml").click()
    page.wait_for_timeout(100)
    assert source.get_attribute("open") is not None


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_is_wider_than_the_screen(browser, report, viewport, scheme):
    with opened(browser, report, viewport=viewport, color_scheme=scheme, silent=False) as page:
        page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        box = page.locator(".panel").first.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= viewport["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible(browser, todd_out, scheme):
    from axe_playwright_python.sync_playwright import Axe

    with opened(browser, todd_out / "report.html", color_scheme=scheme, silent=False) as page:
        # One of each kind is enough: the check takes long.
        for kind in ("#figure-figure8a details", "details:has(table.sortable)", "details:has(pre)"):
            page.locator(kind).first.evaluate("part => part.open = true")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


def test_without_scripts_there_are_figures_and_tables(browser, report, reproduction):
    with opened(browser, report, java_script_enabled=False, silent=False) as page:
        svgs = page.locator(".chart > svg")
        assert svgs.count() == sum(len(paper.figures) for paper in reproduction.papers)
        assert svgs.first.is_visible()
        assert page.locator("#rows-picker1994 tbody tr").count() == len(reproduction.papers[0].rows)


def test_a_name_cannot_break_the_page(browser, reproduction, tmp_path):
    name = "</script><b id=broken>&amp;\"'"
    series = (Series(name, (0.0, 1.0), (1.0, float("nan"))), Series("b", (0.0,), (2.0,), mark="bars"))
    chart = Chart("odd", name, name, (Panel(Axis(name, categories=("p", name)), Axis("y (MB/s)"), series),))
    todd = reproduction.papers[1]
    odd = type(todd)(todd.paper, name, todd.citation, todd.presets, todd.rows, todd.tables, (chart,), ())
    path = write_report(Reproduction((odd,), quick=True, wall_s=1.0), tmp_path)
    with opened(browser, path, silent=False) as page:
        assert page.locator("#broken").count() == 0
        assert page.locator("#figure-odd .legend button").first.inner_text() == name


def test_a_legend_names_what_curves_share_behind_them(browser, reproduction, tmp_path):
    series = [Series(name, (0.0, 1.0), (1.0, 2.0), legend=legend) for name, legend in SHARED]
    chart = Chart("shared", "shared", "", (Panel(Axis("x"), Axis("y"), tuple(series)),))
    todd = reproduction.papers[1]
    odd = type(todd)(todd.paper, "shared", todd.citation, todd.presets, todd.rows, todd.tables, (chart,), ())
    path = write_report(Reproduction((odd,), quick=True, wall_s=1.0), tmp_path)
    with opened(browser, path) as page:
        assert page.locator("#figure-shared .legend button").all_inner_texts() == ["none", "sci", "model"]


SHARED = [("none", ""), ("none, model", "model"), ("sci", ""), ("sci, model", "model")]
"""Names of curves, and those under which a legend has them; empty: its own."""


@pytest.mark.parametrize("name", hostile.NAMES)
def test_a_hostile_name_in_a_sweep_does_nothing(browser, sweep_tables, tmp_path, name):
    axis = sweep_tables.axes[0]
    summary = sweep_tables.summary.replace({axis: {"sci": name}})
    failures = sweep_tables.failures.assign(reason=name)
    tables = dataclasses.replace(sweep_tables, title=name, scenario=name, summary=summary, failures=failures)
    write_sweep_report(tables, tmp_path)
    with opened(browser, tmp_path / "report.html", silent=False) as page:
        assert page.evaluate("window.ran") is None
        assert page.evaluate("document.querySelector('h1').textContent").strip() == name.strip()


def test_only_the_scripts_of_the_report_run(browser, sweep_out, tmp_path):
    path = tmp_path / "smuggled.html"
    path.write_text(hostile.smuggled_into((sweep_out / "report.html").read_text(encoding="utf-8")), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    assert page.locator(".chart .uplot").count() > 0
    assert page.evaluate("window.ran") is None
    page.close()


def test_the_report_of_a_sweep_has_charts_points_failures_and_the_scenario(browser, sweep_out):
    with opened(browser, sweep_out / "report.html", viewport=PHONE, silent=False) as page:
        assert page.locator("h1").inner_text() == "Loads <of> a ring"
        # Throughput and latency over the load; then both for each protocol, with a curve for each priority.
        assert canvases(page).count() == 2 + 4
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.locator("#points thead").get_by_role("button", name="mean latency (ns)").click()
        loads = [float(load) for load in column(page, "points", 2)]
        assert loads == sorted(loads)
        form = page.locator("form.filter[data-table=points]")
        form.get_by_label("Search").fill("sci")
        assert set(column(page, "points", 1)) == {"sci"}
        assert form.locator("output").inner_text() == "5 of 10 rows"
        assert page.locator("#failures").inner_text().count("the worker died") == 1
        assert "nodes = 8" in page.locator("pre").text_content()
    assert sorted(path.name for path in sweep_out.iterdir()) == [
        "priorities.png", "priorities.svg", "report.html", "sweep.png", "sweep.svg"
    ]  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_of_a_sweep_is_accessible(browser, sweep_out, scheme):
    from axe_playwright_python.sync_playwright import Axe

    with opened(browser, sweep_out / "report.html", color_scheme=scheme, silent=False) as page:
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_of_a_verification_is_accessible_and_its_scripts_find_what_they_need(browser, tmp_path, scheme):
    from axe_playwright_python.sync_playwright import Axe

    ring = {"network": {"nodes": 4}, "flow_control": {"protocol": "token-ring"}}
    ring["messages"] = [{"source": 0, "destination": 2, "size": 64, "period": "100 us"}]
    found = verify(ring, ["token-ring"], trials=2, tolerance=0.5, failures=False, workers=1)
    page_of_it = tmp_path / "verification.html"
    page_of_it.write_text(html_report(found.document, document_text(found.document)))
    with opened(browser, page_of_it, color_scheme=scheme) as page:
        assert page.locator(".chart > svg").count() == 1
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


def report_with_warnings(sweep_tables, folder):
    """The page of a sweep some of whose points have much to warn of, in a column far to the right."""
    points = len(sweep_tables.summary)
    words = ["warm-up not detected, batches correlate, overloaded" if point % 3 else "" for point in range(points)]
    summary = sweep_tables.summary.assign(warned_of=words)
    write_sweep_report(dataclasses.replace(sweep_tables, summary=summary), folder)
    return folder / "report.html"


def test_points_have_the_numbers_by_which_warnings_name_them(browser, sweep_tables, tmp_path):
    warned = {"not steady": Warned(first="not steady: the mean latency drifts")}
    warned["not steady"].add([3, 7], 2)
    write_sweep_report(dataclasses.replace(sweep_tables, warned=warned), tmp_path)
    with opened(browser, tmp_path / "report.html", silent=False) as page:
        assert page.locator("#points thead th").first.inner_text() == "point"
        assert [float(point) for point in column(page, "points", 1)] == list(sweep_tables.summary["point"])


def test_a_phone_shows_the_words_above_a_table_and_the_first_figure_of_each_point(browser, sweep_out):
    with opened(browser, sweep_out / "report.html", viewport=PHONE, silent=False) as page:
        box = page.locator("#points caption span").bounding_box()
        assert box["x"] + box["width"] <= PHONE["width"]
        figure = page.locator("#points thead th", has_text="throughput (MB/s)").bounding_box()
        assert figure["x"] + figure["width"] <= PHONE["width"]


@pytest.mark.parametrize("width", [150, 270, 500, 1100])
@pytest.mark.parametrize("ends", [[80, 16000], [90, 2000], [30, 40000]], ids=str)
def test_numbers_along_a_logarithmic_axis_do_not_touch(page, width, ends):
    shown = page.evaluate(
        """([width, [min, max]]) => {
            const u = { scales: { x: { min, max } }, axes: [{ scale: "x" }] };
            u.bbox = { width: width * uPlot.pxRatio };
            const { splits, values } = ringlet.ticks("log");
            const found = splits(u, 0, min, max), context = document.createElement("canvas").getContext("2d");
            context.font = "12px sans-serif";
            return values(u, found, 0).map((text, k) => {
                const middle = width * Math.log(found[k] / min) / Math.log(max / min);
                return [text, middle, context.measureText(text).width / 2];
            }).filter(([text]) => text);
        }""",
        [width, ends],
    )
    assert len(shown) >= 2
    for (_, left, half), (_, right, other) in pairwise(shown):
        assert left + half + 2 <= right - other


def test_rows_of_points_are_equally_high(browser, sweep_tables, tmp_path):
    report = report_with_warnings(sweep_tables, tmp_path)
    with opened(browser, report, silent=False, viewport=PHONE) as page:
        rows = "[...document.querySelectorAll('#points tbody tr')].map((row) => row.getBoundingClientRect().height)"
        assert len(set(page.evaluate(rows))) == 1


def test_a_report_is_printed_completely(browser, sweep_tables, tmp_path):
    report = report_with_warnings(sweep_tables, tmp_path)
    # A4 without its margins.
    with opened(browser, report, silent=False, viewport={"width": 720, "height": 1000}) as page:
        page.emulate_media(media="print")
        shown = "[...document.querySelectorAll('details > :not(summary)')].map((one) => one.checkVisibility())"
        found = page.evaluate(shown)
        assert len(found) > 2
        assert all(found)
        cut = "[...document.querySelectorAll('.scroll')].map((one) => one.scrollWidth - one.clientWidth)"
        assert max(page.evaluate(cut)) == 0


@pytest.mark.parametrize("curves", [12, 16, 20, 40])
def test_a_table_of_many_columns_is_printed_to_its_right_end(browser, reproduction, tmp_path, curves):
    names = [f"protocol-{number}" for number in range(curves)]
    series = tuple(Series(name, (10.0,), (12345.6,), low=(12000.0,), high=(13000.0,), hollow=(True,)) for name in names)
    panel = Panel(Axis("load (MB/s)"), Axis("latency (ns)"), series, hollow="overloaded")
    todd = reproduction.papers[1]
    chart = Chart("wide", "wide", "", (panel,))
    odd = type(todd)(todd.paper, "wide", todd.citation, todd.presets, todd.rows, todd.tables, (chart,), ())
    path = write_report(Reproduction((odd,), quick=True, wall_s=1.0), tmp_path)
    with opened(browser, path, silent=False, viewport={"width": 720, "height": 1000}) as page:
        page.emulate_media(media="print")
        cut = "[...document.querySelectorAll('.scroll')].map((one) => one.scrollWidth - one.clientWidth)"
        assert max(page.evaluate(cut)) == 0
        # On each page of a long table its head is printed again, of which a button would not be.
        heads = "[...document.querySelectorAll('thead button')].map((one) => getComputedStyle(one).display)"
        assert set(page.evaluate(heads)) == {"contents"}


def test_a_chart_that_is_drawn_for_a_screen_is_printed_to_its_right_end(browser, sweep_tables, tmp_path):
    report = report_with_warnings(sweep_tables, tmp_path)
    context = browser.new_context(viewport=DESKTOP)
    # What is printed is laid out again, but not drawn again: charts are told their width once.
    once = "constructor(told) { this.told = told; } observe() { requestAnimationFrame(() => this.told()); }"
    context.add_init_script(f"window.ResizeObserver = class {{ {once} }}")
    page = context.new_page()
    page.goto(report.as_uri())
    page.wait_for_function("[...document.querySelectorAll('.chart canvas')].every((one) => one.clientWidth > 400)")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 400, "height": 1000})
    ends = """[...document.querySelectorAll('.chart canvas')].map((canvas) => {
      const drawn = canvas.getBoundingClientRect();
      return [drawn.right - 400, drawn.width / drawn.height - canvas.width / canvas.height];
    })"""
    found = page.evaluate(ends)
    context.close()
    assert len(found) > 1
    assert all(beyond <= 0 and abs(stretched) < 0.05 for beyond, stretched in found)
