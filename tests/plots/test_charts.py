"""A chart says what is drawn; matplotlib draws it, and the page gets the same."""

import json
import math
import re
from dataclasses import replace
from importlib.resources import files
from itertools import combinations, pairwise

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.markers import MarkerStyle

from ringlet.plots import Axis, Chart, Level, Panel, Series, curves, with_common_ranges
from ringlet.plots.charts.guarantees import PARTS, guarantee_chart
from ringlet.plots.draw import new_axes, svg_with_text
from ringlet.plots.palette import COLOURS, DARK_PAGE, LINES, MARKERS, look
from ringlet.plots.save import save
from ringlet.plots.vega import vega_lite
from ringlet.scenario.flow_control import PROTOCOLS

CURVE = Series("a", (1.0, 2.0, 4.0), (10.0, math.nan, 40.0), low=(9.0, math.nan, 38.0), high=(11.0, math.nan, 43.0))
HOLLOW = Series("hollow", (1.0, 2.0), (10.0, 40.0), hollow=(True, True))
PANEL = Panel(
    Axis("load (MB/s)"), Axis("throughput (MB/s)"), (CURVE,), levels=(Level("published", 35.0, detail="end"),)
)


def chart(*panels: Panel) -> Chart:
    return Chart("name", "Title", "Caption.", panels or (PANEL,))


def contrast(first: str, second: str) -> float:
    """WCAG 2.2, relative luminance and contrast ratio."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("page", ["#ffffff", DARK_PAGE])
@pytest.mark.parametrize("colour", COLOURS)
def test_a_colour_stands_out_from_either_page(colour, page):
    assert contrast(COLOURS[colour], page) >= 3


def test_neighbouring_series_differ_in_colour_and_marker():
    looks = [look(i) for i in range(132)]
    assert len(set(looks)) == len(looks)
    assert all(a.colour != b.colour and a.marker != b.marker for a, b in pairwise(looks))


def seen_by_deuteranopes(colour):
    """The colour in CIELAB, as Machado, Oliveira and Fernandes (2009) simulate deuteranopia of severity 1."""
    channels = np.array([int(COLOURS[colour][at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    confused = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ np.clip(np.array(confused) @ linear, 0, 1) / [0.9505, 1, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_each_protocol_has_a_look_of_its_own_in_grey_and_for_deuteranopes():
    looks = [look(i) for i in range(len(PROTOCOLS.listed))]
    assert len({one.marker for one in looks}) == len(looks)
    assert len({(one.colour, one.dashes) for one in looks}) == len(looks)
    for a, b in combinations(looks, 2):
        distance = np.linalg.norm(seen_by_deuteranopes(a.colour) - seen_by_deuteranopes(b.colour))
        assert distance > 30 or a.dashes != b.dashes, (a, b)


def test_a_hollow_marker_is_that_of_no_other_series():
    def drawn(marker):
        (*_, last) = Panel(Axis("x"), Axis("y"), (replace(HOLLOW, marker=marker),)).draw().lines
        style = MarkerStyle(last.get_marker())
        return style.get_path().transformed(style.get_transform()).vertices.round(6).tobytes()

    assert len({drawn(marker) for marker in MARKERS}) == len(MARKERS)
    charts = [chart(Panel(Axis("x"), Axis("y"), (replace(HOLLOW, marker=marker),))) for marker in MARKERS]
    shapes = [re.findall(r'"shape": ({.*?})', json.dumps(vega_lite(one))) for one in charts]
    assert len({each[0] for each in shapes}) == len(MARKERS)


def test_a_hollow_cross_of_the_page_is_its_outline():
    script = files("ringlet.report").joinpath("assets", "marks.js").read_text(encoding="utf-8")
    assert re.search(r'const OPEN = {\s*\.\.\.MARKERS,\s*cross: "M', script)


def test_the_page_has_every_marker_and_line():
    script = files("ringlet.report").joinpath("assets", "marks.js").read_text(encoding="utf-8")
    for name in (*MARKERS, *LINES, "dotted"):
        assert re.search(rf"\b{name}: ", script), name


def test_matplotlib_draws_what_the_page_gets():
    described = json.loads(json.dumps(chart().to_dict(), allow_nan=False))["panels"][0]
    axes = PANEL.draw()
    line, (container,) = axes.lines[-1], axes.containers
    _, _, (bars,) = container.lines
    (series,) = described["series"]
    drawn = [(x, y) for x, y in zip(series["x"], series["y"], strict=True) if y is not None]
    assert list(zip(*line.get_data(), strict=True)) == drawn
    ends = [end for segment in bars.get_segments() for end in segment[:, 1]]
    assert ends == pytest.approx([9, 11, 38, 43])
    assert (axes.get_xlabel(), axes.get_ylabel()) == (described["x"]["label"], described["y"]["label"])
    assert [line.get_ydata()[0] for line in axes.lines if line.get_label() == "published"] == [35.0]


def test_a_panel_is_drawn_into_the_callers_axes():
    axes = chart().draw().axes[0]
    assert PANEL.draw(axes) is axes


def test_the_table_of_a_panel_has_every_figure_with_its_interval():
    other = Series("b", (2.0,), (5.0,))
    columns, rows = Panel(PANEL.x, PANEL.y, (CURVE, other)).table()
    assert columns == ("load (MB/s)", "a", "b")
    assert rows == [("1", "10 (9 to 11)", ""), ("2", "", "5"), ("4", "40 (38 to 43)", "")]


def test_stacked_bars_are_told_by_their_own_size():
    bars = Series("b", (0.0,), (5.0,), mark="bars", base=(3.0,))
    assert Panel(Axis("link", categories=("0",)), Axis("%"), (bars,)).table()[1] == [("0", "2")]


def test_panels_with_common_ranges_hold_all_of_each_other():
    high = Panel(PANEL.x, PANEL.y, (Series("a", (8.0,), (900.0,)),))
    first, second = with_common_ranges([PANEL, high])
    assert (first.x, first.y) == (second.x, second.y)
    assert first.x.low < 1 < 8 < first.x.high
    assert first.y.low < 9 < 900 < first.y.high
    fixed = Axis("y", scale="log", low=0.5)
    (logarithmic,) = with_common_ranges([Panel(PANEL.x, fixed, (Series("a", (1.0, 2.0), (0.0, 10.0)),))])
    assert logarithmic.y.low == 0.5
    assert logarithmic.y.high > 10


def test_bars_with_common_ranges_stand_on_the_axis():
    bars = [Series("a", (0.0,), (40.0,), mark="bars", labels=("40",)), Series("a", (0.0,), (30.0,), mark="bars")]
    panels = with_common_ranges([Panel(Axis("ring", categories=("4",)), Axis("%"), (one,)) for one in bars])
    assert {panel.y.low for panel in panels} == {0.0}
    # Room for the text above the highest.
    assert [panel.y.high for panel in panels] == pytest.approx([45.6, 45.6])
    (negative,) = with_common_ranges([Panel(Axis("x"), Axis("y"), (Series("a", (0.0,), (-1.0,), mark="bars"),))])
    assert negative.y.low < -1 < 0 < negative.y.high


def test_values_that_hardly_differ_do_not_lie_on_the_upper_end_of_their_axis():
    axes = Panel(Axis("x"), Axis("y", low=0.0), (Series("a", (1.0, 2.0), (100.0, 100.1)),)).draw(new_axes())
    assert axes.get_ylim() == (0, pytest.approx(105.1, abs=0.1))


def test_a_name_of_lines_in_several_colours_is_listed_in_ink():
    levels = (Level("published", 5.0, "blue"), Level("published", 6.0, "orange"))
    figure = Chart("c", "C", "", (Panel(PANEL.x, PANEL.y, (CURVE,), levels=levels),)).draw()
    (legend,) = figure.legends
    *_, published = legend.get_lines()
    assert (published.get_color(), published.get_linestyle()) == ("#1c1c1c", "--")


def drawn_labels(*values):
    axes = new_axes()
    Panel(Axis("x"), Axis("y", scale="log"), (Series("a", tuple(map(float, range(len(values)))), values),)).draw(axes)
    axes.figure.canvas.draw()
    return [float(label.get_text()) for label in axes.get_yticklabels(which="both") if label.get_text()]


@pytest.mark.parametrize("ends", [(100.0, 104.0), (110.0, 190.0), (90.0, 400.0), (0.03, 0.05), (2e6, 9e6)])
def test_a_logarithmic_axis_of_less_than_a_decade_has_several_labels(ends):
    labels = drawn_labels(*ends)
    assert 3 <= len(labels) <= 12
    steps = np.diff(labels)
    assert steps == pytest.approx(steps[0])


@pytest.mark.parametrize("inches", [2.5, 3.5, 6.4, 10.0])
@pytest.mark.parametrize("ends", [(200.0, 31000.0), (100.0, 31000.0), (44.0, 430.0), (0.02, 1.5)])
def test_labels_of_a_logarithmic_axis_along_x_stand_apart(inches, ends):
    curve = Series("a", ends, (1.0, 2.0))
    figure = Chart("one", "", "", (Panel(Axis("x", scale="log"), Axis("y"), (curve,)),)).draw(width_inches=inches)
    figure.canvas.draw()
    (axes,) = figure.axes
    shown = [label for label in axes.get_xticklabels(which="both") if label.get_text()]
    boxes = sorted((label.get_window_extent() for label in shown), key=lambda box: box.x0)
    seen = [box for box in boxes if axes.bbox.x0 <= (box.x0 + box.x1) / 2 <= axes.bbox.x1]
    assert len(seen) >= 2
    assert all(one.x1 < other.x0 for one, other in pairwise(seen))


def test_a_logarithmic_axis_with_ends_of_its_own_has_the_labels_of_these_ends():
    # One of several panels with common ends has data of less than a decade.
    axes = Panel(
        Axis("x"), Axis("y", low=32.0, high=410.0, scale="log"), (Series("a", (1.0, 2.0), (40.0, 140.0)),)
    ).draw()
    axes.figure.canvas.draw()
    labels = [float(label.get_text()) for label in axes.get_yticklabels(which="both") if label.get_text()]
    assert set(labels) >= {40.0, 100.0, 200.0, 400.0}


def test_a_heading_stands_above_the_legend_in_lines_that_fit():
    words = "Long packets of a ring of four nodes, and how long they wait"
    for series in ((Series("a", (1.0,), (1.0,)), Series("b", (1.0,), (2.0,))), (Series("a", (1.0,), (1.0,)),)):
        made = Chart("one", words, "", (Panel(Axis("x"), Axis("y"), series),), heading=words)
        figure = made.draw(width_inches=3.5)
        figure.canvas.draw()
        (legend,) = figure.legends or [None]
        title = figure._suptitle if legend is None else legend.get_title()
        assert " ".join(title.get_text().split()) == words
        box = title.get_window_extent()
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
        if legend is not None:
            assert box.y0 >= max(text.get_window_extent().y1 for text in legend.get_texts())
        assert box.y0 > figure.axes[0].get_window_extent().y1
    assert chart(PANEL).draw().legends[0].get_title().get_text() == ""


def test_a_note_stands_below_its_title_and_titles_in_a_line_are_equally_high():
    panels = [
        Panel(Axis("load"), Axis("latency"), (Series("a", (0.0, 1.0), (1.0, 2.0)),), title="hop delay 1", note=note)
        for note in ("marks: means; lines: 95 % intervals", "")
    ]
    figure = Chart("c", "c", "", tuple(panels), columns=2, panel_inches=(3.0, 2.4)).draw()
    figure.draw_without_rendering()
    noted, other = figure.axes
    note = noted.texts[0].get_window_extent()
    assert noted.bbox.y1 <= note.y0 < note.y1 <= noted.title.get_window_extent().y0
    assert noted.title.get_window_extent().y0 == other.title.get_window_extent().y0


def test_a_note_stands_below_the_title_of_a_panel_that_is_drawn_alone():
    series = (Series("a", (0.0, 1.0), (1.0, 2.0)),)
    axes = Panel(Axis("load"), Axis("latency"), series, title="hop delay 1", note="marks: means; 95 % intervals").draw()
    axes.figure.draw_without_rendering()
    assert axes.texts[0].get_window_extent().y1 <= axes.title.get_window_extent().y0


@pytest.mark.parametrize("count", [4, 19])
def test_a_legend_of_many_lines_takes_no_room_from_the_panel(count):
    series = tuple(Series(f"offered load {number} MB/s, grouped", (0.0, 1.0), (1.0, number)) for number in range(count))
    figure = Chart("c", "c", "", (Panel(Axis("load"), Axis("latency"), series),)).draw()
    figure.draw_without_rendering()
    axes = figure.axes[0].get_window_extent()
    assert axes.height / figure.dpi > 2
    assert figure.legends[0].get_window_extent().y0 >= axes.y1


def test_an_arm_that_reaches_below_zero_does_not_end_at_the_floor_of_a_logarithmic_axis():
    one = Series("a", (1.0, 2.0), (10.0, 40.0), low=(-5.0, 38.0), high=(25.0, 42.0))
    axes = Panel(Axis("x"), Axis("y", scale="log"), (one,)).draw()
    _, _, (bars,) = axes.containers[0].lines
    assert [end for segment in bars.get_segments() for end in segment[:, 1]] == pytest.approx([10, 25, 38, 42])
    assert Panel(Axis("x"), Axis("y", scale="log"), (one,)).table()[1][0] == ("1", "10 (-5 to 25)")


def test_large_figures_of_a_table_are_written_out():
    large = Series("large", (1.0, 2.0), (43012.0, 0.00001234), low=(12341.0, 0.00001), high=(1234567.0, 0.00002))
    rows = Panel(Axis("x"), Axis("y"), (large,)).table()[1]
    assert [text for _, text in rows] == ["43010 (12340 to 1235000)", "1.234e-05 (1e-05 to 2e-05)"]


def test_labels_of_a_logarithmic_axis_are_plain_numbers():
    axes = new_axes()
    Panel(Axis("x"), Axis("y", scale="log"), (Series("a", (1.0, 2.0), (1e5, 2e6)),)).draw(axes)
    axes.figure.canvas.draw()
    shown = [label.get_text() for label in axes.get_yticklabels()]
    assert "1000000" in shown
    assert not [text for text in shown if "e" in text]
    axes = new_axes()
    Panel(Axis("x"), Axis("y", scale="log"), (Series("a", (1.0, 2.0), (1e-6, 1.0)),)).draw(axes)
    axes.figure.canvas.draw()
    shown = [label.get_text() for label in axes.get_yticklabels()]
    assert "0.0001" in shown
    assert not [text for text in shown if "e" in text]


@pytest.mark.parametrize("counts", [(4, 5, 6), (4, 64), (7, 8), (1000, 4096)])
def test_an_axis_of_whole_numbers_has_ticks_at_whole_numbers(counts):
    table = pd.DataFrame({"network.nodes": counts, "throughput_MBps": [900.0 + nodes for nodes in counts]})
    axes = curves(table, x="network.nodes", y="throughput_MBps").draw(new_axes())
    axes.figure.canvas.draw()
    low, high = axes.get_xlim()
    shown = [tick.get_text() for tick in axes.get_xticklabels() if low <= tick.get_position()[0] <= high]
    assert len(shown) >= 2
    assert all(text.isdecimal() for text in shown), shown


def test_a_figure_is_the_same_file_each_time_as_png_and_svg(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        save(chart(PANEL, PANEL), tmp_path / folder)
    for name, start in (("name.png", b"\x89PNG"), ("name.svg", b"<?xml")):
        content = (tmp_path / "a" / name).read_bytes()
        assert content.startswith(start)
        assert content == (tmp_path / "b" / name).read_bytes()


def test_the_svg_of_a_page_holds_its_labels_as_text(tmp_path):
    text = svg_with_text(save(chart(), tmp_path, ["svg"]))
    assert "throughput (MB/s)</text>" in text
    assert [path.name for path in tmp_path.iterdir()] == ["name.svg"]


def test_the_legend_of_a_chart_names_each_series_once_in_order():
    other = Panel(PANEL.x, PANEL.y, (Series("b", (1.0,), (1.0,)), CURVE))
    (legend,) = chart(PANEL, other).draw().legends
    assert [text.get_text() for text in legend.get_texts()] == ["a", "published", "b"]


@pytest.mark.parametrize("mark", ["line", "points", "bars", "steps"])
@pytest.mark.parametrize("scale", ["linear", "log"])
def test_a_series_without_values_is_no_failure(mark, scale):
    for series in (Series("none", (), (), mark=mark), Series("nan", (1.0,), (math.nan,), mark=mark)):
        panel = Panel(Axis("x"), Axis("y", scale=scale), (series,))
        panel.draw().figure.canvas.draw()
        assert with_common_ranges([panel])[0].y.low is None
        json.dumps(chart(panel).to_dict(), allow_nan=False)


WIDE = Panel(
    Axis("node", categories=tuple(map(str, range(32)))),
    Axis("share of packets that take as long or longer"),
    (Series("a", tuple(map(float, range(32))), (0.5,) * 32, mark="bars"),),
)
NAMES = ("none", "sci", "grouped", "metaring", "token-ring", "slotted-ring", "a queueing model")
CURVES = Panel(
    Axis("load (MB/s)"), Axis("throughput (MB/s)"), tuple(Series(name, (1.0, 2.0), (1.0, 2.0)) for name in NAMES)
)
WORDS = Panel(
    Axis("protocol", categories=NAMES), Axis("throughput (MB/s)"), (Series("a", (0.0, 6.0), (1.0, 2.0), mark="bars"),)
)


@pytest.mark.parametrize(("width", "points"), [(2.5, 6.0), (3.5, 8.0), (7.0, 9.0), (10.0, 20.0)])
@pytest.mark.parametrize("panel", [WIDE, CURVES, WORDS])
def test_text_of_a_figure_of_given_width_is_whole_and_overlaps_no_other(panel, width, points):
    two = Chart("name", "", "", (panel, panel), columns=2, panel_inches=(12.0, 3.6))
    with matplotlib.rc_context({"font.size": points}):
        drawn = two.draw(width_inches=width)
        drawn.draw_without_rendering()
        assert drawn.get_figwidth() == width
        whole = drawn.bbox.padded(1)
        for axes in drawn.axes:
            names = [text.get_window_extent() for text in axes.get_xticklabels()] if panel.x.categories else []
            assert not any(one.overlaps(other) for one, other in pairwise(names))
            texts = [axes.yaxis.label.get_window_extent(), axes.xaxis.label.get_window_extent(), *names]
            assert all(whole.x0 <= text.x0 and text.x1 <= whole.x1 for text in texts if text.width)
            assert all(whole.y0 <= text.y0 and text.y1 <= whole.y1 for text in texts if text.width)
        for legend in drawn.legends:
            assert whole.x0 <= legend.get_window_extent().x0
            assert legend.get_window_extent().x1 <= whole.x1


def test_panels_too_narrow_for_their_text_go_below_each_other():
    two = Chart("name", "", "", (CURVES, CURVES), columns=2)
    places = [[axes.get_position() for axes in two.draw(width_inches=width).axes] for width in (3.5, 7.0)]
    assert [first.x0 == second.x0 for first, second in places] == [True, False]


def test_names_along_an_axis_that_are_words_are_all_there():
    (axes,) = chart(WORDS).draw(width_inches=2.5).axes
    assert [text.get_text() for text in axes.get_xticklabels()] == list(NAMES)


@pytest.mark.parametrize("nodes", [4, 12, 30, 64, 1000])
def test_numbers_along_an_axis_are_thinned_to_round_ones(nodes):
    numbered = Panel(Axis("node", categories=tuple(map(str, range(nodes)))), Axis("y"), (Series("a", (0.0,), (1.0,)),))
    (axes,) = chart(numbered).draw(width_inches=3.5).axes
    shown = [int(text.get_text()) for text in axes.get_xticklabels()]
    assert shown[1] - shown[0] in {1, 2, 5, 10, 20, 50, 100, 200}
    assert len(shown) > min(nodes, 5) / 2


@pytest.mark.parametrize(("name", "drawn"), [("a\x01b", "a\\x01b"), ("\ue000", "\\ue000"), ("é", "é")])
def test_what_no_font_shows_is_drawn_as_an_escape(name, drawn, tmp_path):
    named = Panel(Axis("x"), Axis("y"), (Series(name, (0.0, 1.0), (1.0, 2.0)), Series("other", (0.0,), (1.0,))))
    figure = save(chart(named), tmp_path, ["svg", "png"])
    assert f"<!-- {drawn} -->" in (tmp_path / "name.svg").read_text(encoding="utf-8")
    assert name in [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_each_part_of_a_bound_has_a_colour_of_its_own():
    parts = dict.fromkeys(PARTS, 1.0)
    message = {"name": "radar", "deadline_us": 10.0, "bound_us": 8.0, "parts_us": parts}
    (panel,) = guarantee_chart({"protocol": "ppq", "messages": [message]}).panels
    assert len({one.colour for one in panel.series}) == len(panel.series) == len(PARTS)
