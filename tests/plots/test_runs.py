"""Figures of runs show the figures of their documents."""

import matplotlib.colors
import numpy as np
import pytest

import ringlet as rl
from ringlet.plots import (
    Axis,
    Chart,
    Panel,
    Series,
    event_chart,
    latency_chart,
    link_chart,
    message_chart,
    network_chart,
    node_chart,
    priority_chart,
    run_charts,
)
from ringlet.plots.charts.network import HEAT, network_loads
from ringlet.plots.charts.workers import worker_chart
from ringlet.plots.save import save
from ringlet.rings.drawing.style import tagged

FAN_IN = {
    "network": {"nodes": 4},
    "traffic": {"destinations": [3, 3, 3, 1]},
    "run": {"duration": "40 us"},
}


def document(changes=None, **sections):
    return rl.run(rl.Scenario.from_dict(FAN_IN | sections)).document


@pytest.fixture(scope="module")
def runs():
    return {name: document(flow_control={"protocol": name}) for name in ("none", "sci")}


@pytest.fixture(scope="module")
def priorities():
    traffic = {"priority": [0, 0, 2, 3], "arrivals": "poisson", "load": "100 MB/s"}
    return document(flow_control={"protocol": "sci", "priorities": 4}, traffic=traffic)


def series(chart, name, panel=0):
    return next(one for one in chart.panels[panel].series if one.name == name)


def test_bars_of_the_nodes_stand_beside_the_optimum(runs):
    chart = node_chart(runs)
    for name, run in runs.items():
        bars = series(chart, name)
        assert list(bars.y) == [node["throughput_MBps"] for node in run["nodes"]]
    best = series(chart, "fair share")
    assert list(best.y) == [node["optimum_MBps"] for node in runs["sci"]["nodes"]]
    assert chart.panels[0].y.label == "throughput (MB/s)"
    assert {one.offset for one in chart.panels[0].series} == {0.0, -0.2, 0.2}


def test_nodes_of_a_network_have_their_names_and_their_optimum():
    scenario = {"network": {"topology": "omega", "size": 2}, "run": {"duration": "10 us", "warmup": 0}}
    run = rl.run(rl.Scenario.from_dict(scenario)).document
    best, bars = node_chart({"omega": run}).panels[0].series
    assert (best.name, bars.name) == ("fair share", "omega")
    assert best.y[0] == best.y[1] > best.y[2] == 0
    names = ("P0", "P1", "M0", "M1")
    assert (
        node_chart({"omega": run}).panels[0].x.categories == link_chart({"omega": run}).panels[0].x.categories == names
    )


def test_bars_have_the_intervals_of_their_throughputs(runs):
    known = {**runs["sci"], "nodes": [{**node, "throughput_ci95_MBps": 7.0} for node in runs["sci"]["nodes"]]}
    bars = series(node_chart({"sci": known}), "sci")
    assert bars.high[2] - bars.y[2] == pytest.approx(7)
    assert bars.y[2] - bars.low[2] == pytest.approx(7)


def test_runs_with_different_traffic_have_no_common_optimum(runs):
    other = document(traffic={"destinations": [1, 2, 3, 0]})
    assert "fair share" not in [one.name for one in node_chart({"a": runs["sci"], "b": other}).panels[0].series]


def test_runs_stored_before_there_was_an_optimum_have_none():
    old = document(traffic={"transaction": "read64"})
    old = {**old, "nodes": [{k: v for k, v in node.items() if not k.startswith("optimum")} for node in old["nodes"]]}
    assert [one.name for one in node_chart({"old": old}).panels[0].series] == ["old"]


def test_the_share_that_takes_as_long_falls_from_all_and_passes_a_hundredth_at_the_99th_percentile():
    run = document(traffic={"arrivals": "poisson", "load": "100 MB/s"})
    curve = series(latency_chart({"poisson": run}), "poisson")
    assert list(curve.y) == sorted(curve.y, reverse=True)
    assert 0 < curve.y[-1] < curve.y[0] == 1
    p99 = run["total"]["latency_ns"]["p99"]
    # The packet is in the last bin above which more than a hundredth of all packets are, with those of the bin itself.
    upper = [x for x, y in zip(curve.x, curve.y, strict=True) if y > 0.01][-1]
    assert upper / 1.045 <= p99 <= upper * 1.001


def test_a_latency_that_is_always_the_same_is_a_mark():
    # One packet at a time on an idle ring.
    run = document(traffic={"arrivals": "periodic", "load": "20 MB/s", "pattern": "neighbour"})
    (curve,) = latency_chart({"idle": run}).panels[0].series
    assert (curve.y, curve.marker) == ((1.0,), "circle")


def test_where_most_packets_take_the_longest_times_the_shares_have_a_decade_up_to_1():
    # One of a message's four packets takes the longest time, a quarter of all.
    messages = [{"source": 0, "destination": 2, "size": 256, "period": "100 us"}]
    content = {"network": {"nodes": 4}, "messages": messages, "run": {"duration": "20 us", "warmup": 0}}
    (panel,) = latency_chart(rl.run(content)).panels
    assert [one.y[-1] for one in panel.series] == [0.25]
    axes = panel.draw()
    axes.figure.canvas.draw()
    (low, high), ticks = axes.get_ylim(), axes.yaxis.get_ticklabels()
    shown = [tick.get_text() for tick in ticks if tick.get_text() and low <= tick.get_position()[1] <= high]
    assert {"0.1", "1"} <= set(shown)
    assert max(map(float, shown)) == 1


@pytest.mark.parametrize(("longest_us", "unit"), [(20, "ns"), (400, "µs")])
def test_long_times_are_drawn_in_microseconds(longest_us, unit):
    hops = {"nodes": 4, "hop_delay": f"{longest_us / 4} us"}
    traffic = {"arrivals": "periodic", "load": "1 MB/s", "priorities": [0, 1]}
    scenario = {"network": hops, "flow_control": {"protocol": "dfc"}, "traffic": traffic}
    found = rl.run(scenario | {"run": {"duration": "4 ms", "warmup": 0}}).document
    for chart in (latency_chart({"a": found}), priority_chart({"a": found})):
        panel = chart.panels[-1]
        axis, values = (panel.x, "x") if chart.name == "latency" else (panel.y, "high")
        assert axis.label == f"one-way latency ({unit})"
        longest = max(max(getattr(one, values)) for one in panel.series)
        assert 0.6 * longest_us < longest / (1e3 if unit == "ns" else 1) < 1.2 * longest_us


def test_links_of_a_dual_attached_ring_are_said_to_be_two_of_each_node():
    network = {"topology": "dual-attached-ring", "nodes": 4, "ways": "shorter"}
    found = rl.run({"network": network, "traffic": {"load": "10 MB/s"}, "run": {"duration": "20 us"}}).document
    (panel,) = link_chart({"a": found}).panels
    assert (panel.x.label, panel.y.label) == ("both links, by the node that they leave", "mean share of their time (%)")


def test_each_priority_has_its_own_latency(priorities):
    chart = latency_chart({"ring": priorities})
    # Nobody sends with priority 1; the highest comes first.
    assert [one.name for one in chart.panels[0].series] == ["priority 3", "priority 2", "priority 0"]


@pytest.mark.parametrize(("levels", "shown"), [(7, 7), (12, 8)])
def test_of_many_priorities_the_latencies_are_drawn_or_said_to_be_left_out(levels, shown):
    one = {"source": 0, "destination": 2, "size": 64, "period": "5 us"}
    messages = [one | {"name": f"m{i}", "priority": i} for i in range(levels)]
    scenario = {"network": {"nodes": 4}, "flow_control": {"protocol": "dfc"}, "messages": messages}
    run = rl.run(scenario | {"message_transaction": "dmove64", "run": {"duration": "20 us"}}).document
    (panel,) = latency_chart({"ring": run}).panels
    assert len(panel.series) == shown
    assert panel.note == ("" if shown == levels else f"{shown} of {levels} priorities")


def test_what_the_links_carry_adds_up_to_all_but_the_idles(runs):
    chart = link_chart(runs)
    assert [panel.title for panel in chart.panels] == ["none", "sci"]
    top = chart.panels[1].series[-1]
    assert list(top.y) == pytest.approx([100 * (1 - node["link"]["idle"]) for node in runs["sci"]["nodes"]])


def test_priorities_show_throughput_and_latency(priorities):
    chart = priority_chart({"ring": priorities})
    assert chart.panels[0].x.categories == ("0", "1", "2", "3")
    records = priorities["priorities"]
    assert list(series(chart, "ring").y) == [record["throughput_MBps"] for record in records]
    median = series(chart, "ring", panel=1).y
    assert np.isnan(median[1])
    assert median[3] == records[3]["latency_ns"]["p50"]


def test_only_what_there_is_gets_a_chart(runs, priorities):
    assert [chart.name for chart in run_charts(runs)] == ["nodes", "latency", "links"]
    assert [chart.name for chart in run_charts({"ring": priorities})] == ["nodes", "latency", "links", "priorities"]
    with pytest.raises(rl.RingletError, match="runs: none"):
        run_charts({})


def test_a_run_without_a_delivery_is_drawn():
    silent = document(traffic={"load": "1 B/s", "arrivals": "periodic", "phase": 0.9})
    for chart in run_charts({"silent": silent}):
        chart.draw()


def test_many_nodes_are_marks_instead_of_bars():
    many = document(network={"nodes": 100}, traffic={"pattern": "uniform"}, run={"duration": "5 us"})
    assert {one.mark for one in node_chart({"many": many}).panels[0].series} == {"steps", "points"}


def test_a_result_is_drawn_as_it_is_and_goes_by_its_protocol():
    result = rl.run(rl.Scenario.from_dict({"network": {"nodes": 3}, "run": {"duration": "5 us", "warmup": 0}}))
    by_result, by_document = rl.plots.node_chart(result), rl.plots.node_chart(result.to_dict())
    # A run this short has no intervals, and NaN is not equal to itself.
    assert by_result.to_dict() == by_document.to_dict() == rl.plots.node_chart({"sci": result}).to_dict()
    assert by_result.panels[0].series[-1].name == "sci"


def test_a_pdf_has_the_width_that_was_asked_for(tmp_path):
    result = rl.run(rl.Scenario.from_dict({"network": {"nodes": 3}, "run": {"duration": "5 us", "warmup": 0}}))
    drawn = save(rl.plots.node_chart(result), tmp_path, ["pdf"], width_inches=3.5, font="serif", font_points=8)
    assert drawn.get_figwidth() == 3.5
    assert (tmp_path / "nodes.pdf").read_bytes().startswith(b"%PDF")


def test_a_pgf_of_a_heat_map_fills_areas_and_needs_no_latex(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    messages = [{"name": "m", "source": 0, "destination": 2, "size": 64, "period": "2 us"}]
    scenario = {"network": {"nodes": 3}, "traffic": {"arrivals": "none"}, "messages": messages}
    run = rl.run({**scenario, "run": {"duration": "20 us"}}).document
    (pairs,) = [chart for chart in rl.plots.run_charts({"run": run}) if chart.name == "pairs"]
    save(pairs, tmp_path, ["pgf"])
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.pgf"]
    text = (tmp_path / "pairs.pgf").read_text(encoding="utf-8")
    assert "includegraphics" not in text
    # An area for each pair of nodes at least, beside those of the axes.
    assert text.count(r"\pgfusepath{fill}") > 9


def test_a_pgf_takes_every_character_of_a_name_as_it_is_and_needs_no_latex(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    panel = Panel(Axis("load (%)"), Axis("µ_a & {b}"), (Series("c#_1", (1.0, 2.0), (1.0, 2.0)),))
    save(Chart("odd", "Odd", "", (panel,)), tmp_path, ["pgf"], width_inches=3.5)
    text = (tmp_path / "odd.pgf").read_text(encoding="utf-8")
    assert r"\begin{pgfpicture}" in text
    # The document's own font, whatever it is.
    assert r"\fontfamily{\familydefault}" in text
    assert r"\sffamily" not in text
    assert r"\pgfqpoint{3.500000in}" in text
    assert r"load (\%)" in text
    assert r"\textmu{}\_a \& \{b\}" in text


def test_a_latency_is_held_back_to_the_bin_before_and_none_is_longer_than_the_last():
    panel = latency_chart(rl.run({"network": {"nodes": 4}, "run": {"duration": "20 us"}})).panels[0]
    axes = panel.draw()
    (curve,) = axes.get_lines()
    assert curve.get_drawstyle() == "steps-pre"
    (series,) = panel.series
    assert curve.get_xydata().tolist() == [*map(list, zip(series.x, series.y, strict=True)), [series.x[-1], 0.0]]
    # On its logarithmic axis it falls to the lower end, which is just below the least share.
    low, _ = axes.get_ylim()
    assert 0.1 * series.y[-1] < low < series.y[-1]


def test_responses_stand_beside_the_deadline_and_missed_ones_are_hollow():
    slow = {"source": 0, "destination": 2, "size": 64, "period": "10 us", "name": "slow"}
    fast = slow | {"name": "hurried", "deadline": "40 ns", "source": 1}
    found = rl.run({"network": {"nodes": 4}, "messages": [slow, fast], "run": {"duration": "100 us"}})
    (panel,) = message_chart(found).panels
    (series,) = panel.series
    assert panel.x.categories == ("slow", "hurried")
    assert series.hollow == (False, True)
    assert series.y[0] < 100 < series.y[1]
    assert series.y[0] == pytest.approx(100 * found.messages.loc["slow", "worst_response_ns"] / 10_000)


def test_events_stand_at_their_builders_with_what_is_lost_of_them():
    events = {"rate": "400 kHz", "builders": [3, 7], "fragment": "256 B", "queue": 1, "build_time": "4 us"}
    content = {"network": {"nodes": 8}, "events": events, "run": {"duration": "400 us", "warmup": 0}}
    runs = {name: rl.run(content | {"events": events | {"destination": name}}) for name in ("round-robin", "credits")}
    assert [chart.name for chart in runs["credits"].plot()][-1] == "events"
    latencies, losses = event_chart(runs).panels
    assert latencies.x.categories == ("3", "7")
    assert [one.name for one in latencies.series] == ["round-robin", "credits"]
    for one in latencies.series:
        builders = runs[one.name].builders
        assert one.y == pytest.approx(builders["latency_mean_ns"] / 1e3)
        assert one.high == pytest.approx(builders["latency_max_ns"] / 1e3)
    lost, without = losses.series
    built = runs["round-robin"].builders
    assert lost.y == pytest.approx(100 * built["lost"] / (built["lost"] + built["built"]))
    assert min(lost.y) > 0
    assert without.y == (0, 0)


OMEGA = {"network": {"topology": "omega", "size": 4}, "run": {"duration": "20 us", "warmup": 0}}


@pytest.mark.parametrize(
    "network",
    [
        {"topology": "omega", "size": 4},
        {"topology": "omega", "size": 4, "connection": "long-ring"},
        {"topology": "torus", "shape": [3, 3], "concentration": 2},
        {"topology": "dual-ring", "nodes": 6},
        {"topology": "ring-of-rings", "shape": [3, 3]},
    ],
    ids=lambda network: network["topology"],
)
@pytest.mark.parametrize("links", [1, 2])
def test_the_network_has_the_colours_of_its_loads(network, links):
    run = rl.run({"network": network, "switch": {"links": links}, "run": {"duration": "10 us", "warmup": 0}}).document
    drawn = rl.Scenario.from_dict({"network": network}).routed_network[0]
    loads = network_loads(run, drawn)
    of_nodes = [1 - node["link"]["idle"] for node in run["nodes"]]
    assert loads.links[drawn.node_interface] == pytest.approx(of_nodes)
    of_ports = [one["link_busy_fraction"] for one in run["link_controllers"]]
    assert loads.links[drawn.port_interface].max() == pytest.approx(max(of_ports))
    assert loads.switches.max() == max(one["busy_fraction"] for one in run["b_links"])
    figure = network_chart({"run": run}).draw()
    heat = matplotlib.colors.LinearSegmentedColormap.from_list("load", list(HEAT))
    nodes = dict(tagged(figure, "node"))
    edges = [matplotlib.colors.to_rgba(nodes[node].get_markeredgecolor()) for node in range(drawn.nodes)]
    assert edges == [heat(float(load)) for load in loads.links[drawn.node_interface]]
    switches = {number for number, _ in tagged(figure, "switch")}
    assert switches == set(range(drawn.switches))


def test_the_network_names_its_bottleneck_and_is_drawn_of_one_run_with_switches(runs):
    run = rl.run(OMEGA)
    b_links = run.document["b_links"]
    busiest = max(b_links, key=lambda one: one["busy_fraction"])
    chart = run.plot.network()
    assert chart.title.endswith(f"busiest B-Link: {busiest['name']}, {100 * busiest['busy_fraction']:.0f} %")
    assert [one.name for one in run.plot()][-1] == "network"
    assert "network" not in [one.name for one in run_charts(runs)]
    for wrong in (runs, {"sci": runs["sci"]}, {"a": run.document, "b": run.document}):
        with pytest.raises(rl.RingletError, match="one run of a network with switches"):
            network_chart(wrong)


def test_a_document_with_parts_of_another_network_is_refused():
    run = rl.run(OMEGA).document
    with pytest.raises(rl.RingletError, match="b_links: 3 of them do not belong to the scenario's network"):
        network_chart({"run": run | {"b_links": run["b_links"][:3]}}).draw()


def test_answers_stand_at_their_workers_with_the_rounds_that_wait_for_them():
    gather = {"root": 0, "piece": "1 KiB", "answer": "64 B", "rounds": 5}
    content = {"network": {"nodes": 4}, "scatter_gather": gather}
    runs = {name: rl.run(content | {"flow_control": {"protocol": name}}) for name in ("none", "sci")}
    assert "workers" in [chart.name for chart in runs["sci"].plot()]
    times, last = worker_chart(runs).panels
    assert times.x.categories == ("1", "2", "3")
    for one, share in zip(times.series, last.series, strict=True):
        workers = runs[one.name].document["workers"]
        assert one.y == pytest.approx([worker["answer_mean_ns"] / 1e3 for worker in workers])
        assert one.high == pytest.approx([worker["answer_max_ns"] / 1e3 for worker in workers])
        assert share.y == pytest.approx([100 * worker["last_answers"] / 5 for worker in workers])
    with pytest.raises(rl.RingletError, match="none with answers of workers"):
        worker_chart(rl.run({"network": {"nodes": 4}, "run": {"duration": "20 us"}}))


def test_the_charts_of_a_run_are_the_same_without_its_largest_total():
    result = rl.run(rl.Scenario.from_dict(FAN_IN | {"network": {"nodes": 4, "hop_delay": 3}}))
    to_draw = result.document_to_draw()
    whole = result.document
    assert whole["total"]["maximum_MBps"] > 0
    assert to_draw["total"]["maximum_MBps"] is None
    assert {**to_draw, "total": {**to_draw["total"], "maximum_MBps": whole["total"]["maximum_MBps"]}} == whole
    assert [chart.to_dict() for chart in run_charts(to_draw)] == [chart.to_dict() for chart in run_charts(whole)]
