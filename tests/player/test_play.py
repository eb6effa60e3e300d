"""The player in a notebook: a frame that runs its own scripts, and reaches neither the notebook nor a network."""

import pytest

import ringlet as rl

RING = {"network": {"nodes": 4}, "traffic": {"arrivals": "saturated"}, "run": {"duration": "20 us"}}


def notebook(player: rl.Player) -> str:
    """A page that holds what a notebook shows, with a secret that the frame must not read."""
    return f"<body data-ready='true'><p id='secret'>token</p>{player._repr_html_()}</body>"


def test_a_notebook_plays_the_ring_in_a_frame_apart(show):
    page = show(notebook(rl.play(RING, stop="4 us")))
    frame = page.frames[1]
    frame.wait_for_selector("body[data-ready]")
    assert frame.evaluate("() => ringlet.recording.cycles") == 2000
    frame.click("#forward")
    assert frame.evaluate("() => ringlet.view.cycle") == 1
    frame.wait_for_timeout(400)  # a page with an address of its own would have written its cycle there
    assert frame.evaluate("() => { try { return parent.document.title; } catch (error) { return error.name; } }") == (
        "SecurityError"
    )


def test_the_frame_in_a_notebook_is_as_high_as_what_it_holds(show):
    page = show(notebook(rl.play(RING, stop="4 us")))
    inside = page.frames[1]
    inside.wait_for_selector("body[data-ready]")
    height = inside.evaluate("() => document.documentElement.getBoundingClientRect().height")
    page.wait_for_function(f"() => Math.abs(document.querySelector('iframe').clientHeight - {height}) < 3")


def test_a_result_is_played_again_as_it_was_run():
    result = rl.run(RING, seed=5)
    player = rl.play(result, start="2 us", stop="6 us")
    assert repr(player) == "<Player: 4 nodes, cycles 1000 to 3000, seed 5>"
    assert {moment.name for moment in player.moments} >= {"worst latency"}


def test_the_player_is_written_as_a_page(tmp_path):
    path = rl.play(RING, stop=500).write(tmp_path / "ring.html")
    assert "<canvas" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("window", "message"),
    [
        ({"start": "20 us", "stop": "10 us"}, "stop: '10 us' is not allowed; a time after the start, 20 us"),
        ({"start": "1 us", "stop": "1 s"}, "with 4 nodes at most 5000000 cycles (10 ms) after the start, 1 us"),
        ({"start": "soon"}, "start: 'soon' is not allowed; a quantity in ns"),
    ],
)
def test_a_wrong_window_is_named_as_it_was_given(window, message):
    with pytest.raises(rl.RingletError) as refused:
        rl.play(RING, **window)
    assert message in str(refused.value)
