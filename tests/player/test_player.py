"""The ring player."""

import functools
import json
import re
import sys
import time
from itertools import pairwise

import hostile_names as hostile
import numpy as np
import pytest
from recordings import FLOW_CONTROL, by_cycle, changing, recording, scenario

from ringlet.errors import RingletError
from ringlet.player import page, write_player
from ringlet.scenario import Scenario
from ringlet.trace import Moment, moments, record

START = 400


@pytest.fixture(scope="module")
def sci():
    return page(recording("sci"))


def state(shown):
    return shown.evaluate("({cycle: ringlet.view.cycle, node: ringlet.view.node, packet: ringlet.view.packet})")


def text(shown, element):
    """What an element says once the next frame is drawn."""
    shown.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    return shown.inner_text(element)


def wait_until(shown, condition):
    """Waits until JavaScript is true. Playwright's own way has the page evaluate a string, which its policy forbids."""
    end = time.monotonic() + 20
    while not shown.evaluate(condition):
        assert time.monotonic() < end, condition
        shown.wait_for_timeout(20)


def colours_in(shown, canvas):
    """Different colours in a canvas."""
    return shown.evaluate(
        """(id) => {
            const canvas = document.getElementById(id);
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return new Set(new Uint32Array(data.buffer)).size;
        }""",
        canvas,
    )


@pytest.mark.parametrize("protocol", list(FLOW_CONTROL))
def test_the_page_holds_the_recording(show, protocol):
    made = recording(protocol)
    shown = show(page(made))
    held = shown.evaluate(
        """() => {
            const { recording } = ringlet, kind = [], packet = [], head = [], inside = [];
            for (let node = 0; node < recording.nodes; node++) {
                for (let cycle = 0; cycle < recording.cycles; cycle++) {
                    const run = recording.runAt(node, cycle);
                    kind.push(recording.kind(run));
                    packet.push(recording.runs.packet[run]);
                    head.push(recording.headAt(node, cycle)?.packet ?? -1);
                    inside.push(recording.contentAt(node, cycle).reduce((sum, entry) => sum + entry.symbols, 0));
                }
            }
            return { kind, packet, head, inside, fill: Array.from(recording.fills) };
        }"""
    )
    shape = (made.nodes, made.stop - made.start)
    fill = changing(made, made.bypass_fill)
    assert np.array_equal(np.reshape(held["kind"], shape), by_cycle(made, "kind"))
    assert np.array_equal(np.reshape(held["packet"], shape), by_cycle(made, "packet"))
    assert np.array_equal(np.reshape(held["head"], shape), changing(made, made.tables["heads"]))
    assert np.array_equal(np.reshape(held["fill"], shape), fill)
    assert np.array_equal(np.reshape(held["inside"], shape), fill)
    assert colours_in(shown, "ring") > 20
    assert colours_in(shown, "spacetime") > 10


@pytest.mark.parametrize("protocol", list(FLOW_CONTROL))
def test_every_cycle_of_every_node_has_an_explanation(show, protocol):
    made = recording(protocol)
    shown = show(page(made))
    texts = shown.evaluate(
        """() => {
            const { recording, explainer } = ringlet, texts = [];
            for (let node = 0; node < recording.nodes; node++) {
                for (let cycle = 0; cycle < recording.cycles; cycle++) texts.push(explainer.explain(node, cycle));
            }
            return texts;
        }"""
    )
    assert all(re.fullmatch(r"[A-Z].*[.]", text) for text in texts)
    assert not any(re.search(r"undefined|NaN|null|-\d", text) for text in texts)
    # What a node does is what the recording says of it.
    sending = np.array([text.startswith(("Sends packet", "Its packet is out")) for text in texts])
    assert np.array_equal(sending, by_cycle(made, "activity").ravel() == 1)


def test_steps_scrubbing_and_keys_move_the_cycle(show, sci):
    shown = show(sci)
    assert state(shown)["cycle"] == 0
    shown.click("#forward")
    shown.keyboard.press("ArrowRight")
    shown.keyboard.press("Shift+ArrowRight")
    assert state(shown)["cycle"] == 12
    shown.click("#back")
    assert text(shown, "#cycle") == str(START + 11)
    shown.evaluate("scrub.value = 700; scrub.dispatchEvent(new Event('input'))")
    assert state(shown)["cycle"] == 700
    shown.locator("body").press("End")
    assert state(shown)["cycle"] == 1499
    shown.locator("body").press("ArrowRight")
    assert state(shown)["cycle"] == 1499
    shown.locator("body").press("Home")
    shown.locator("body").press("ArrowUp")
    assert state(shown) == {"cycle": 0, "node": 3, "packet": -1}


def test_playing_moves_on_and_pausing_stops(show, sci):
    shown = show(sci)
    shown.keyboard.press("Space")
    wait_until(shown, "ringlet.view.cycle >= 3")
    assert text(shown, "#play") == "Pause"
    shown.keyboard.press("Space")
    stopped = state(shown)["cycle"]
    shown.wait_for_timeout(300)
    assert state(shown)["cycle"] == stopped
    assert text(shown, "#play") == "Play"


def test_playing_ends_with_the_recording(show, sci):
    shown = show(sci, f"#cycle={START + 1480}")
    shown.evaluate("ringlet.view.set({ speed: 8 })")
    shown.click("#play")
    wait_until(shown, "ringlet.view.cycle === 1499 && !ringlet.view.playing")


def test_the_address_opens_a_cycle_and_follows(show, sci):
    shown = show(sci, f"#cycle={START + 300}&node=2&packet=5")
    assert state(shown) == {"cycle": 300, "node": 2, "packet": 5}
    assert text(shown, "#node") == "Node 2"
    assert text(shown, "#packet-name") == "Packet 5"
    shown.click("#forward")
    wait_until(shown, f"location.hash === '#cycle={START + 301}&node=2&packet=5'")
    shown.evaluate(f"location.hash = '#cycle={START + 20}&node=1'")
    wait_until(shown, "ringlet.view.cycle === 20")
    assert state(shown) == {"cycle": 20, "node": 1, "packet": -1}


@pytest.mark.parametrize("fragment", ["#cycle=x&node=99&packet=1e9", "#cycle=-5", "#cycle=99999999", "#rubbish"])
def test_a_wrong_address_opens_somewhere(show, sci, fragment):
    at = state(show(sci, fragment))
    assert 0 <= at["cycle"] < 1500
    assert 0 <= at["node"] < 4


def test_a_click_on_a_node_chooses_it(show, sci):
    shown = show(sci)
    x, y = shown.evaluate("ringlet.ring.point(ringlet.ring.angle(2), ringlet.ring.radius)")
    shown.locator("#ring").click(position={"x": x, "y": y})
    assert text(shown, "#node") == "Node 2"


def test_a_click_on_a_packet_follows_it(show, sci):
    made = recording("sci")
    packet = by_cycle(made, "packet")
    cycle = int(np.flatnonzero(packet[1, 100:] >= 0)[0]) + 100
    shown = show(sci, f"#cycle={START + cycle}")
    x = shown.evaluate(f"ringlet.spacetime.x({cycle} + 0.5)")
    row = shown.evaluate("ringlet.spacetime.row")
    shown.locator("#spacetime").click(position={"x": x, "y": row * 1.4})
    assert state(shown) == {"cycle": cycle, "node": 1, "packet": packet[1, cycle]}
    number = int(packet[1, cycle])
    source, destination = (int(made.packets[name][number]) for name in ("source", "destination"))
    assert f"From node {source} to node {destination}" in text(shown, "#packet-text")
    steps = shown.locator("#journey li").all_inner_texts()
    assert any("sent by" in step or "sent again by" in step or "passes" in step or "leaves" in step for step in steps)
    shown.keyboard.press("Escape")
    shown.wait_for_selector("#packet", state="hidden")


def test_a_click_on_a_symbol_of_the_ring_follows_its_packet(show, sci):
    made = recording("sci")
    cycle = int(np.flatnonzero(by_cycle(made, "packet")[0] >= 0)[5])
    shown = show(sci, f"#cycle={START + cycle}")
    x, y = shown.evaluate("ringlet.ring.point(ringlet.ring.place(0, 0.5), ringlet.ring.radius)")
    shown.locator("#ring").click(position={"x": x, "y": y})
    assert state(shown)["packet"] == by_cycle(made, "packet")[0, cycle]


def test_texts_of_packets_do_not_cover_each_other(show):
    """On links as long as five packets, where the texts of all would lie on each other."""
    content = {"network": {"nodes": 8, "hop_delay": 2500, "echoes": False}, "flow_control": {"protocol": "none"}}
    long = record(Scenario.from_dict({**content, "traffic": {"arrivals": "saturated"}}), stop=1200)
    shown = show(page(long))
    texts = shown.evaluate(
        """() => {
            const texts = [], draw = CanvasRenderingContext2D.prototype.fillText;
            CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
                if (text.startsWith("to ")) texts.push([x, y, this.measureText(text).width / 2]);
                draw.apply(this, arguments);
            };
            ringlet.ring.draw(1000, ringlet.view);
            return texts;
        }"""
    )
    assert len(texts) >= 8
    for place, (x, y, half) in enumerate(texts):
        for other_x, other_y, other_half in texts[:place]:
            assert abs(x - other_x) >= half + other_half or abs(y - other_y) >= 10


def test_moments_are_buttons(show, sci):
    found = moments(recording("sci"))
    shown = show(sci)
    buttons = shown.locator("#moments button")
    assert buttons.count() == len(found) > 2
    for place, moment in enumerate(found):
        buttons.nth(place).click()
        assert state(shown)["cycle"] == moment.cycle - START
        assert state(shown)["node"] == moment.node
        assert text(shown, "#moment") == moment.text
    shown.locator("body").press("Home")
    shown.locator("body").press("m")
    assert state(shown)["cycle"] >= found[0].cycle - START


def test_zooming_keeps_the_cycle_in_place(show, sci):
    shown = show(sci, f"#cycle={START + 600}")
    before = shown.evaluate("ringlet.spacetime.x(600)")
    shown.click("#zoom-in")
    assert shown.evaluate("ringlet.spacetime.x(600)") == pytest.approx(before, abs=0.5)
    for _ in range(20):
        shown.click("#zoom-out")
    # The whole recording fits, no more.
    assert shown.evaluate("ringlet.spacetime.shown") <= 1500.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_everything_below_each_other(show, sci, scheme):
    shown = show(sci, viewport={"width": 375, "height": 700}, color_scheme=scheme)
    assert shown.evaluate("document.documentElement.scrollWidth") <= 375
    background = shown.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_contrast(show, sci, scheme):
    shown = show(sci, color_scheme=scheme)
    style = shown.evaluate(
        """Object.fromEntries(["text", "muted", "page", "panel", "accent"].map(
            (name) => [name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`)]))"""
    )
    for text in ("text", "muted", "accent"):
        for ground in ("page", "panel"):
            assert contrast(style[text], style[ground]) >= 4.5, (text, ground)


def contrast(one, other):
    """Contrast ratio of two colours (WCAG 2)."""

    def luminance(colour):
        parts = (int(colour.strip()[place : place + 2], 16) / 255 for place in (1, 3, 5))
        linear = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_in_the_column_of_a_page_the_words_stand_beside_the_ring(show, sci):
    # The frame of the documentation's first page on a screen of 1280 pixels.
    shown = show(sci, viewport={"width": 730, "height": 1000})
    ring, words = shown.locator("#ring").bounding_box(), shown.locator("section:has(#explanation)").bounding_box()
    assert ring["x"] + ring["width"] <= words["x"]
    assert words["y"] < ring["y"] + ring["height"]
    assert shown.evaluate("document.documentElement.scrollWidth") == 730


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("bridged", [False, True])
def test_the_page_is_accessible(show, sci, scheme, width, bridged):
    from axe_playwright_python.sync_playwright import Axe

    html = page(of_bridge(BRIDGES["masters"])) if bridged else sci
    shown = show(html, "#cycle=60&node=1&packet=4", color_scheme=scheme, viewport={"width": width, "height": 900})
    found = Axe().run(shown)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_bypass_fifo_is_not_taken_for_an_echo_also_in_grey(show, sci, scheme):
    shown = show(sci, color_scheme=scheme)
    of = "name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()"
    fifo, *others = (shown.evaluate(of, name) for name in ("fifo", "echo", "busy"))
    assert contrast(fifo, others[0]) > 2
    assert contrast(fifo, others[1]) > 1.3


def test_the_legend_keeps_its_colours_when_printed(show, sci):
    shown = show(sci)
    shown.emulate_media(media="print")
    adjust = "marks => marks.map(mark => getComputedStyle(mark).printColorAdjust)"
    assert set(shown.eval_on_selector_all(".swatch, .dot", adjust)) == {"exact"}


def test_a_large_ring_fits_two_megabytes():
    large = Scenario.from_dict(
        {
            "network": {"nodes": 64, "hop_delay": 3},
            "flow_control": {"protocol": "sci"},
            "traffic": {"transaction": "mixed", "arrivals": "saturated"},
        }
    )
    made = record(large, stop=10_000)
    assert len(page(made).encode()) <= 2_000_000


def test_a_title_cannot_end_a_script(show):
    moment = Moment("</script><b>", START, 0, None, "</script>")
    html = page(recording("none"), title="</script><i>&", found=[moment])
    shown = show(html)
    assert text(shown, "h1") == "</script><i>&"
    assert json.loads(shown.evaluate("meta.textContent"))["moments"][0]["name"] == "</script><b>"


def test_only_the_scripts_of_the_player_run(browser, sci, tmp_path):
    smuggled = hostile.smuggled_into(sci)
    path = tmp_path / "smuggled.html"
    path.write_text(smuggled, encoding="utf-8")
    shown = browser.new_page()
    shown.goto(path.as_uri())
    shown.wait_for_selector("body[data-ready]", timeout=20_000)
    assert shown.evaluate("window.ran") is None
    shown.close()


@pytest.mark.parametrize("name", hostile.NAMES)
def test_a_hostile_name_is_shown_as_it_is_and_does_nothing(show, name):
    shown = show(page(recording("none"), title=name, found=[Moment(name, START, 0, None, name)]))
    assert shown.evaluate("window.ran") is None
    assert shown.evaluate("document.querySelector('h1').textContent") == name
    assert shown.evaluate("document.querySelector('#moments button').textContent").startswith(name)


def test_a_page_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules["ringlet.player.page"], "MAX_NODE_CYCLES", 2_000_000)
    made = record(scenario("none"), stop=600_000)
    with pytest.raises(RingletError, match="for the player of 4 nodes at most 500000 cycles"):
        write_player(made, tmp_path / "x.html")


@pytest.fixture(scope="module")
def torus():
    return record(
        Scenario.from_dict(
            {
                "network": {"topology": "torus", "shape": [3, 2], "hop_delay": 4},
                "traffic": {"transaction": "nwrite64", "arrivals": "poisson", "load": "30 MB/s", "priorities": [0, 2]},
                "flow_control": {"protocol": "ppq"},
                "run": {"duration": "4 us", "warmup": 0, "seed": 3},
            }
        ),
        stop=2000,
    )


def test_a_network_has_an_overview_and_every_ring_opens(show, torus):
    shown = show(page(torus))
    assert shown.evaluate("ringlet.overview.parts.ring.size") == len(torus.layout.rings)
    assert shown.evaluate("ringlet.overview.parts.switch.size") == 6
    for number, ring in enumerate(torus.layout.rings):
        shown.select_option("#ring-choice", str(number))
        assert shown.evaluate("ringlet.recording.number") == number
        assert shown.evaluate("ringlet.recording.nodes") == len(ring.interfaces)
        texts = shown.evaluate(
            """() => {
                const { recording, explainer } = ringlet, texts = [];
                for (let node = 0; node < recording.nodes; node++) {
                    for (let cycle = 0; cycle < recording.cycles; cycle += 7) {
                        texts.push(explainer.explain(node, cycle));
                    }
                }
                return texts;
            }"""
        )
        assert not any(re.search(r"undefined|NaN|null|-\d", text) for text in texts)


def test_a_click_on_a_node_of_the_overview_opens_its_ring(show, torus):
    shown = show(page(torus))
    shown.evaluate("document.getElementById('node-4.0').dispatchEvent(new Event('click'))")
    assert text(shown, "#node") == "Node 4"
    assert shown.evaluate("ringlet.recording.number") == torus.layout.ring_of[4]


def test_a_packet_is_followed_from_ring_to_ring(show, torus):
    moved = torus.tables["transfers"]
    packet = int(np.bincount(moved["packet"]).argmax())
    start = int(torus.packets["generated"][packet])
    source = int(torus.packets["source"][packet])
    shown = show(page(torus), f"#cycle={start}&node={source}&packet={packet}")
    steps = shown.locator("#journey li").all_inner_texts()
    assert sum("moved by switch" in step for step in steps) == np.count_nonzero(moved["packet"] == packet)
    rings = set()
    for place in range(len(steps)):
        shown.locator("#journey button").nth(place).click()
        rings.add(shown.evaluate("ringlet.recording.number"))
    assert len(rings) > 1
    assert state(shown)["packet"] == packet


def test_loads_of_the_overview_are_those_of_the_recording(show, torus):
    shown = show(page(torus))
    runs, layout = torus.runs, torus.layout
    busy = shown.evaluate("ringlet.overview.ringLoads.map((loads) => Array.from(loads).reduce((a, b) => a + b, 0))")
    bin_cycles = shown.evaluate("ringlet.overview.bin")
    begin, end = np.maximum(runs["cycle"], 0), np.minimum(runs["cycle"] + runs["symbols"], torus.stop)
    for ring, load in zip(layout.rings, busy, strict=True):
        own = np.isin(runs["node"], ring.interfaces) & (runs["kind"] != 0)
        expected = (end - begin)[own].sum() / (bin_cycles * len(ring.interfaces))
        assert load == pytest.approx(expected, rel=1e-4)


def test_packets_are_coloured_by_priority(show, torus):
    shown = show(page(torus))
    before = shown.evaluate("Array.from(new Set(ringlet.recording.looks))")
    shown.select_option("#colour-by", "priority")
    after = shown.evaluate("Array.from(new Set(ringlet.recording.looks))")
    assert max(before) < 10 <= max(after)


@pytest.mark.parametrize("end", ["source", "destination"])
def test_packets_are_coloured_by_their_ends_and_the_address_says_so(show, sci, end):
    shown = show(sci, f"#cycle={START}&node=1&colour={end}")
    looks = shown.evaluate(
        """(end) => {
            const { recording } = ringlet, found = {};
            for (let node = 0; node < recording.nodes; node++) {
                for (let cycle = 0; cycle < recording.cycles; cycle++) {
                    const run = recording.runAt(node, cycle);
                    if (run < 0 || ![1, 2].includes(recording.kind(run))) continue;
                    const number = recording.packets[end][recording.runs.packet[run]];
                    (found[number] ??= new Set()).add(recording.looks[node * recording.cycles + cycle]);
                }
            }
            return Object.fromEntries(Object.entries(found).map(([number, looks]) => [number, [...looks]]));
        }""",
        end,
    )
    assert len(looks) > 1
    assert all(len(one) == 1 for one in looks.values())
    assert len({one[0] for one in looks.values()}) == len(looks)
    word = "from" if end == "source" else "to"
    legend = shown.inner_text(".legend")
    assert all(f"{word} node {number}" in legend for number in looks)
    assert "sent again" not in legend
    shown.press("body", "ArrowRight")
    wait_until(shown, f"location.hash.includes('colour={end}') && location.hash.includes('cycle={START + 1}')")
    shown.select_option("#colour-by", "kind")
    wait_until(shown, "!location.hash.includes('colour')")
    assert "from node" not in shown.inner_text(".legend")


def queues_of_the_page(shown):
    """Packets in each queue of each interface of the ring shown, every 7th cycle, as the blocks have them."""
    return shown.evaluate(
        """() => {
            const { blocks, recording } = ringlet, found = [];
            for (let node = 0; node < recording.nodes; node++) {
                for (let cycle = 0; cycle < recording.cycles; cycle += 7) {
                    const { receive, transmit, unanswered } = blocks.at(recording, node, cycle);
                    found.push({ node, cycle, receive, transmit, unanswered });
                }
            }
            return found;
        }"""
    )


@functools.cache
def refusing(start=0, stop=3000, hop_delay=3):
    """A recording of nodes that refuse packets, since they hold two at a time and serve them slowly."""
    return record(
        Scenario.from_dict(
            {
                "network": {"nodes": 4, "hop_delay": hop_delay},
                "queues": {"receive": 2, "service_time": "400 ns"},
                "traffic": {
                    "transaction": "send80",
                    "pattern": "hot-spot",
                    "hot_node": 2,
                    "hot_fraction": 0.5,
                    "arrivals": "poisson",
                    "load": "220 MB/s",
                },
            }
        ),
        start=start,
        stop=stop,
    )


def numbers_in(window, whole):
    """Numbers of a window's packets in a recording that has them all."""
    names = ("source", "flow", "message", "part", "response", "generated")
    keys = [list(zip(*(made.packets[name].tolist() for name in names), strict=True)) for made in (whole, window)]
    of_key = {key: number for number, key in enumerate(keys[0])}
    return [of_key[key] for key in keys[1]]


@pytest.mark.parametrize(
    ("start", "stop", "hop_delay"), [(0, 3000, 3), (1000, 4000, 3), (20_000, 23_000, "5 us")], ids=["0", "late", "long"]
)
def test_blocks_have_the_packets_of_each_queue_as_events_tell_them(show, start, stop, hop_delay):
    made, whole = refusing(start, stop, hop_delay), refusing(0, stop, hop_delay)
    numbers = numbers_in(made, whole)
    events, runs, lengths = whole.frame("events"), whole.frame("runs"), made.frame("transmit_lengths")
    assert (events["fate"] == "refused").sum() > 5
    sends = runs[(runs["activity"] == "send") & runs["kind"].isin(["send", "retry"])]
    generated, source = (whole.packets[name] for name in ("generated", "source"))
    before = 0
    held = {"receive": 0, "transmit": 0, "unanswered": 0}
    for one in queues_of_the_page(show(page(made))):
        node, cycle = one["node"], start + one["cycle"]
        names = {queue: [numbers[packet] for packet in one[queue]["packets"]] for queue in held}
        here = events[events["node"] == node]
        past, later = here[here["cycle"] <= cycle], here[here["cycle"] > cycle]
        sent = sends[(sends["node"] == node) & (sends["cycle"] + sends["symbols"] <= cycle)]
        times, in_vain, answered = (
            found["packet"].value_counts()
            for found in (
                sent,
                past[past["fate"] == "returned"],
                past[past["fate"].isin(["acknowledged", "returned"])],
            )
        )
        # What the window does not tell: what was sent, or accepted, before it and is not answered, or served, in it.
        told = {
            "receive": set(here[(here["fate"] == "accepted") & (here["cycle"] >= start)]["packet"])
            | set(later[later["fate"] == "delivered"]["packet"]),
            "unanswered": set(sent[sent["cycle"] + sent["symbols"] > start]["packet"])
            | set(later[later["fate"].isin(["acknowledged", "returned"])]["packet"]),
        }
        under_way = {packet for packet, count in times.items() if count > answered.get(packet, 0)}
        accepted = set(past[past["fate"] == "accepted"]["packet"]) - set(past[past["fate"] == "delivered"]["packet"])
        again = {packet for packet, count in in_vain.items() if count == times[packet]}
        fresh = set(np.flatnonzero((source == node) & (generated <= cycle)).tolist()) - set(times.index)
        assert set(names["unanswered"]) == under_way & told["unanswered"], (node, cycle)
        assert one["unanswered"]["count"] == len(names["unanswered"])
        earlier = set(names["unanswered"]) - set(sent[sent["cycle"] >= start]["packet"])
        before += len(earlier)
        assert set(names["receive"]) == accepted & told["receive"], (node, cycle)
        assert one["receive"]["count"] == len(accepted)
        # Who has not been sent, or was sent in vain, waits: at most those of the window that ever become head.
        assert set(names["transmit"]) <= fresh | again, (node, cycle)
        length = lengths[(lengths["node"] == node) & (lengths["cycle"] <= cycle)]["value"].iloc[-1]
        assert one["transmit"]["count"] == length + len(again & set(names["transmit"]))
        assert len(names["transmit"]) == len(set(names["transmit"])) <= one["transmit"]["count"]
        if start == 0:
            assert again <= set(names["transmit"])
            if cycle < 1500:
                assert len(names["transmit"]) == one["transmit"]["count"], one
        for queue in held:
            held[queue] = max(held[queue], len(names[queue]))
    assert min(held.values()) > 1
    assert (before > 0) == (start > 0)


@pytest.mark.parametrize("protocol", list(FLOW_CONTROL))
def test_blocks_have_no_more_names_than_packets(show, protocol):
    for one in queues_of_the_page(show(page(recording(protocol)))):
        for queue in ("receive", "transmit"):
            assert len(one[queue]["packets"]) <= one[queue]["count"], (queue, one)


def test_blocks_of_ports_have_no_more_names_than_packets(show):
    network = {"topology": "torus", "shape": [3, 2], "hop_delay": 4}
    late = record(Scenario.from_dict({"network": network, "traffic": {"arrivals": "saturated"}}), start=700, stop=2200)
    shown = show(page(late))
    for ring in late.layout.rings:
        shown.evaluate("(node) => (location.hash = `#cycle=700&node=${node}`)", ring.interfaces[0])
        wait_until(shown, f"ringlet.recording.ringName === {json.dumps(ring.name)}")
        for one in queues_of_the_page(shown):
            for queue in ("receive", "transmit"):
                assert len(one[queue]["packets"]) <= one[queue]["count"], (queue, ring.name, one)


def test_blocks_of_a_port_have_what_the_b_link_brings_and_takes(show, torus):
    shown = show(page(torus))
    moved, layout = torus.tables["transfers"], torus.layout
    row = int(np.argmin(moved["start_ps"]))
    entry, leaves, packet = (int(moved[name][row]) for name in ("entry", "exit", "packet"))
    end = int(np.ceil(moved["end_ps"][row] / torus.symbol_ps))
    assert layout.ring_of[entry] != layout.ring_of[leaves]
    heads = torus.frame("heads")
    # The switch passes it on some cycles after its B-Link is free again.
    there = int(heads[(heads["node"] == leaves) & (heads["value"] == packet)]["cycle"].iloc[0])
    assert there >= end
    asked = """([interface, cycle]) => {
        const place = ringlet.network.places[interface];
        location.hash = `#cycle=${cycle}&node=${interface}`;
        const ring = ringlet.network.ring(ringlet.network.ringOf(place));
        return ringlet.blocks.at(ring, place - ring.first, cycle);
    }"""
    during = shown.evaluate(asked, [entry, end - 1])
    assert during["moved"]["packet"] == packet
    assert packet in during["receive"]["packets"]
    assert packet not in shown.evaluate(asked, [entry, end])["receive"]["packets"]
    assert packet not in shown.evaluate(asked, [leaves, there - 1])["transmit"]["packets"]
    assert packet in shown.evaluate(asked, [leaves, there])["transmit"]["packets"]


@pytest.mark.parametrize("width", [390, 1280])
def test_blocks_show_the_chosen_node_and_a_click_on_a_packet_follows_it(show, sci, width):
    shown = show(sci, f"#cycle={START + 60}&node=1", viewport={"width": width, "height": 900})
    assert text(shown, "#blocks-name") == "Inside node 1"
    words = shown.get_attribute("#blocks", "aria-label")
    assert words.startswith("Block diagram of node 1; receive queue: ")
    assert "bypass FIFO: " in words
    shown.press("body", "ArrowDown")
    assert text(shown, "#blocks-name") == "Inside node 2"
    wait_until(shown, "document.querySelector('#blocks').getAttribute('aria-label').includes('node 2')")
    chip = shown.locator("#blocks [data-packet]").first
    packet = int(chip.get_attribute("data-packet"))
    chip.click()
    assert state(shown)["packet"] == packet
    # Words of a block stay inside of the drawing, and those of a row beside each other.
    boxes = shown.evaluate(
        """[...document.querySelectorAll("#blocks .title")].map((one) => {
            const { x, width } = one.getBBox();
            return [x, x + width];
        })"""
    )
    for one, other in pairwise(boxes[1:4]):
        assert one[1] < other[0]
    shown.press("body", "b")
    assert not shown.locator("#blocks").is_visible()


def test_without_echoes_no_block_waits_for_them(show):
    ring = {"network": {"nodes": 4, "echoes": False}, "traffic": {"arrivals": "saturated"}}
    shown = show(page(record(Scenario.from_dict(ring), stop=500)))
    assert shown.evaluate("ringlet.blocks.at(ringlet.recording, 0, 100).unanswered") is None
    assert "echo" not in shown.get_attribute("#blocks", "aria-label")


def test_a_window_without_echoes_has_the_block_that_waits_for_them_if_its_ring_has(show):
    ring = {"network": {"nodes": 4, "hop_delay": "5 us"}, "traffic": {"arrivals": "saturated"}}
    made = record(Scenario.from_dict(ring), stop=500)
    assert not made.frame("runs")["kind"].isin(["echo", "busy-echo"]).any()
    shown = show(page(made), "#cycle=400&node=0")
    assert shown.evaluate("ringlet.blocks.at(ringlet.recording, 0, 400).unanswered.count") > 1
    assert "sent, no echo yet: " in shown.get_attribute("#blocks", "aria-label")


BRIDGES = {
    "masters": {"masters": 2, "set_up": "1 us", "write_time": "0.5 us", "bridge_delay": "0.3 us"},
    "buffers": {"preset": "pentium", "streams": 3, "write_time": "0.4 us"},
}


def of_bridge(adapter, *, start=0, stop=4000, load="60 MB/s", arrivals="poisson"):
    traffic = {"transaction": "dmove64", "pattern": "uniform", "arrivals": arrivals}
    content = {
        "network": {"topology": "rings", "rings": [{"members": [0, 1, 2]}], "link_rate": "200 MB/s", "hop_delay": 3},
        "host": {"adapter": adapter, "store_delay": "0.2 us"},
        "flow_control": {"protocol": "none"},
        "queues": {"service_time": "0.3 us"},
        "traffic": traffic if load is None else traffic | {"load": load},
        "run": {"seed": 3},
    }
    return record(Scenario.from_dict(content), start=start, stop=stop)


def bridges_of(shown):
    """Contents of each bridge and its queues, every 7th cycle."""
    return shown.evaluate(
        """() => {
            const { blocks, recording } = ringlet, found = [];
            for (let node = 0; node < recording.nodes; node++) {
                for (let cycle = 0; cycle < recording.cycles; cycle += 7) {
                    const { bridge, transmit, unanswered } = blocks.at(recording, node, cycle);
                    const { waiting, setUp, bus, coming, storing } = bridge;
                    found.push({
                        node, cycle, waits: waiting.count, waiting: waiting.packets, setUp: setUp.packets,
                        bus: bus < 0 ? [] : [bus], coming: coming.packets, storing: storing.packets,
                        transmits: transmit.count, transmit: transmit.packets, unanswered: unanswered.packets,
                    });
                }
            }
            return found;
        }"""
    )


@pytest.mark.parametrize("arrivals", ["poisson", "saturated"])
@pytest.mark.parametrize("bridge", BRIDGES)
def test_each_packet_is_in_one_block_of_a_bridge_until_it_is_answered(show, bridge, arrivals):
    made = of_bridge(BRIDGES[bridge], load="60 MB/s" if arrivals == "poisson" else None, arrivals=arrivals)
    shown = show(page(made))
    packets, events, fills = made.packets, made.tables["events"], made.tables["fills"]
    answered = events["fate"] == 2
    end = dict(zip(events["packet"][answered].tolist(), events["cycle"][answered].tolist(), strict=True))
    slots = BRIDGES[bridge].get("masters") or BRIDGES[bridge]["streams"]
    moved = dict.fromkeys(("waiting", "setUp", "bus", "coming", "storing", "transmit", "unanswered"), 0)
    for found in bridges_of(shown):
        node, cycle = found["node"], found["cycle"]
        inside = [packet for name in moved if name != "storing" for packet in found[name]]
        due = [
            packet
            for packet in np.flatnonzero(packets["source"] == node).tolist()
            if packets["generated"][packet] <= cycle < end.get(packet, made.stop)
        ]
        assert sorted(inside) == due
        assert len(inside) - len(found["waiting"]) <= slots
        assert found["waits"] >= len(found["waiting"])
        assert found["transmits"] == len(found["transmit"])
        for name in moved:
            moved[name] += len(found[name])
    assert min(moved.values()) > 0
    # The bus has one packet after the other, each for as long as its data take.
    own = (fills["node"] == 0) & (fills["start_ps"] >= 0)
    assert (fills["start_ps"][own][1:] >= fills["end_ps"][own][:-1]).all()


def test_what_gets_no_buffer_in_the_window_is_counted(show):
    made = of_bridge(BRIDGES["buffers"], load="200 MB/s", stop=3000)
    last = [found for found in bridges_of(show(page(made))) if found["cycle"] > 2900]
    lengths = made.tables["slot_lengths"]
    for node in range(3):
        at_end = lengths["value"][lengths["node"] == node][-1]
        found = [one for one in last if one["node"] == node][-1]
        assert abs(found["waits"] - at_end) <= 1 < at_end
        assert not found["waiting"]


@pytest.mark.parametrize("bridge", BRIDGES)
def test_a_window_that_begins_late_has_what_is_in_a_bridge_then(show, bridge):
    whole = [one for one in bridges_of(show(page(of_bridge(BRIDGES[bridge], stop=4001)))) if one["cycle"] >= 2002]
    late = bridges_of(show(page(of_bridge(BRIDGES[bridge], start=2002, stop=4001))))
    assert len(late) == len(whole) > 800

    def lengths(one):
        # What had its buffer before the window is on its way into it, wherever it is.
        filled = sum(len(one[name]) for name in ("setUp", "bus", "coming"))
        return filled, len(one["waiting"]), one["waits"], one["transmits"]

    assert [lengths(one) for one in late] == [lengths(one) for one in whole]
    settled = [one for one in zip(late, whole, strict=True) if one[0]["cycle"] > 1000]
    for name in ("setUp", "bus", "coming"):
        assert all(len(found[name]) == len(expected[name]) for found, expected in settled)


@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize("bridge", BRIDGES)
def test_the_blocks_of_a_bridge_have_their_words_inside(show, bridge, width):
    shown = show(page(of_bridge(BRIDGES[bridge])), "#cycle=900&node=0", viewport={"width": width, "height": 900})
    words = shown.get_attribute("#blocks", "aria-label")
    assert f"wait for a {'master' if bridge == 'masters' else 'buffer'}: " in words
    assert "; bus: " in words
    for cycle in range(300, 3900, 300):
        shown.evaluate(f"ringlet.view.cycle = {cycle}; ringlet.draw()")
        outside = shown.evaluate(
            """() => {
                const boxes = [...document.querySelectorAll("#blocks > rect:not([data-packet], .room)")];
                const inside = (one, box) => one.left >= box.left - 0.5 && one.right <= box.right + 0.5
                    && one.top >= box.top - 0.5 && one.bottom <= box.bottom + 0.5;
                const words = [...document.querySelectorAll("#blocks > text:not([style*=start])")];
                return words.filter((one) => !boxes.some((box) =>
                    inside(one.getBoundingClientRect(), box.getBoundingClientRect()))).map((one) => one.textContent);
            }"""
        )
        assert not outside, cycle
