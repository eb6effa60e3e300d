"""Every view of a sweep, and the table of a run, writes a mean with the precision of its interval."""

import re
from html import unescape

import pytest

import ringlet as rl
from ringlet.cli.run_tables import by_node
from ringlet.cli.sweep import difference_table
from ringlet.figures import with_half_width
from ringlet.report import sweep_tables, write_sweep_report
from ringlet.studies import Study

BASE = {
    "network": {"nodes": 4},
    "traffic": {"arrivals": "poisson", "load": "100 MB/s"},
    "run": {"duration": "20 us", "warmup": 0},
}


@pytest.fixture(scope="module")
def swept():
    study = {
        "scenario": BASE,
        "axes": [{"flow_control.protocol": ["none", "sci"]}],
        "replications": {"count": 3},
        "baseline": {"flow_control.protocol": "none"},
    }
    return rl.sweep(Study.from_dict(study), workers=1)


def shown(table):
    """The text of a table of the command line."""
    return "\n".join(table.lines(lambda text, _: text))


def pair(rows, mean, half_width, at=-1):
    return with_half_width(rows[mean].iloc[at], rows[half_width].iloc[at])


def test_the_page_has_them(swept, tmp_path):
    page = unescape(write_sweep_report(sweep_tables(swept), tmp_path).read_text(encoding="utf-8"))
    for mean, half in (
        pair(swept.summary, "throughput_MBps", "throughput_ci95_MBps"),
        pair(swept.summary, "latency_mean_ns", "latency_mean_ci95_ns"),
        pair(swept.differences, "latency_mean_difference_ns", "latency_mean_difference_ci95_ns"),
        pair(swept.differences, "latency_mean_ratio", "latency_mean_ratio_ci95"),
    ):
        assert re.search(rf">{re.escape(mean)}</td><td [^>]*>{re.escape(half)}<", page), (mean, half)


def test_the_command_line_has_them(swept):
    text = shown(difference_table(swept.overview.differences, swept.axes, ["latency_mean_ns"]))
    mean, half = pair(swept.differences, "latency_mean_difference_ns", "latency_mean_difference_ci95_ns")
    assert re.search(rf" {re.escape(mean)} +{re.escape(half)} ", text)


def test_a_notebook_has_them(swept):
    mean, half = pair(swept.summary, "throughput_MBps", "throughput_ci95_MBps")
    assert re.search(rf"<td>{re.escape(mean)}</td>\s*<td>{re.escape(half)}</td>", swept._repr_html_())


def test_a_notebook_has_every_axis_with_its_unit(swept):
    assert swept.axes
    for axis in swept.axes:
        assert f"<th>{axis}</th>" in swept._repr_html_(), axis


def test_the_table_of_a_run_has_them():
    found = rl.run(rl.Scenario.from_dict(BASE | {"run": {"duration": "100 us"}}))
    total = found.document["total"]
    mean, half = with_half_width(total["latency_ns"]["mean"], total["latency_ns"]["ci95"])
    assert re.search(rf"total .* {re.escape(mean)} +{re.escape(half)} ", shown(by_node(found.document["nodes"], total)))
