"""Two players in lock-step."""

import time

import pytest
from recordings import recording

from browser import opened
from ringlet.errors import RingletError
from ringlet.player import page_of_both, write_both

NAMES = ("flow control none", "flow control sci")


@pytest.fixture
def pair(browser, tmp_path):
    """The frames of the left and of the right player, opened at a cycle and a node, and the page around them."""
    file = write_both(recording("none"), recording("sci"), tmp_path / "both.html", names=NAMES)
    usual = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "no-preference"}
    with opened(browser, file, "#cycle=1220&node=2&colour=source", ready="body[data-ready]", **usual) as shown:
        yield [frame for frame in shown.frames if frame != shown.main_frame], shown


def shows(frame, expression="ringlet.view.cycle"):
    return frame.evaluate(expression)


def wait_until(condition):
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_both_open_where_the_address_says(pair):
    (left, right), _ = pair
    at = "`${ringlet.view.cycle + ringlet.recording.meta.start} ${ringlet.view.node} ${ringlet.network.colourBy}`"
    wait_until(lambda: [shows(one, at) for one in (left, right)] == ["1220 2 source"] * 2)
    assert left.inner_text("h1") == NAMES[0]
    assert right.inner_text("h1") == NAMES[1]
    # The links over time, too.
    in_sight = "ringlet.spacetime.left <= ringlet.view.cycle && ringlet.view.cycle < ringlet.spacetime.left + "
    for one in (left, right):
        wait_until(lambda one=one: shows(one, f"{in_sight}ringlet.spacetime.shown"))


def test_a_step_in_either_is_one_in_both_and_in_the_address(pair):
    (left, right), shown = pair
    wait_until(lambda: shows(right, "ringlet.view.node") == 2)
    before = shows(left)
    left.click("#forward")
    wait_until(lambda: shows(right) == before + 1)
    right.click("#forward")
    right.click("#forward")
    wait_until(lambda: shows(left) == shows(right) == before + 3)
    right.select_option("#colour-by", "destination")
    wait_until(lambda: left.input_value("#colour-by") == "destination")
    wait_until(lambda: "cycle=1223&node=2&colour=destination" in shown.evaluate("location.hash"))


def test_who_was_used_last_leads(pair):
    (left, right), _ = pair
    wait_until(lambda: shows(right, "ringlet.view.node") == 2)
    before = shows(right)
    left.click("#play")
    wait_until(lambda: shows(right) >= before + 2)
    assert right.inner_text("#play") == "Pause"
    right.click("#play")
    wait_until(lambda: left.inner_text("#play") == "Play")
    assert right.inner_text("#play") == "Play"
    wait_until(lambda: shows(left) == shows(right))


def test_recordings_of_other_windows_are_refused():
    with pytest.raises(RingletError, match="second: 4 nodes and ports in cycles 0 to 1500; allowed beside"):
        page_of_both(recording("none"), recording("sci", start=0), names=NAMES)
