"""Of any study: points are numbered without gaps, and every combination occurs once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ringlet.studies.axes import Space
from ringlet.studies.columns import axis_columns

AXES = st.lists(st.integers(1, 5), max_size=4)


@given(AXES)
def test_every_combination_occurs_once(lengths):
    space = Space([{f"key{i}": list(range(size))} for i, size in enumerate(lengths)])
    settings = [tuple(space.settings(point).items()) for point in range(space.points)]
    assert len(set(settings)) == space.points == np.prod([1, *lengths])
    assert settings == sorted(settings)


@given(AXES, st.data())
def test_columns_are_the_settings(lengths, data):
    space = Space([{f"key{i}": list(range(size))} for i, size in enumerate(lengths)])
    points = data.draw(st.lists(st.integers(0, space.points - 1), max_size=9))
    columns = axis_columns(space, np.array(points, dtype=np.int64))
    for row, point in enumerate(points):
        assert {key: int(column[row]) for key, column in columns.items()} == space.settings(point)


@given(AXES)
def test_crossings_are_points_with_one_axis_moved(lengths):
    space = Space([{f"key{i}": list(range(size))} for i, size in enumerate(lengths)])
    crossings = list(space.crossings(1000))
    assert len(crossings) == len(set(crossings)) == 1 + sum(size - 1 for size in lengths)
    assert all(sum(place > 0 for place in space.places(point)) <= 1 for point in crossings)
