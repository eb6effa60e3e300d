"""Every key of a TOML document is found in its line."""

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringlet.scenario.file.positions import key_of, line_of

DOCUMENT = '''# a comment with [brackets] = and "quotes"
title = """two
lines"""
[network]
nodes = 4 # network.nodes
"quoted.key" = 1
shape = [
  2,
  # between
  3,
]
[traffic]
transaction = {sizes = {"80" = 0.4, "16" = 0.6}}
matrix = [[0.5, 0.5],
          [1.5, 0.0]]
when = 1979-05-27 07:32:00
run.duration = '1 "ms"'
[[messages]]
name = 'a'
[[messages]]
name = "b # no comment"
size = 4
[messages.inner]
x = 1
[[network.rings]]
members = [0, "s.0"]
[[network.rings]]
members = [1,
 "s.1"]
'''

LINES = {
    "title": 2,
    "network": 4,
    "network.nodes": 5,
    'network."quoted.key"': 6,
    "network.shape": 7,
    "network.shape[0]": 8,
    "network.shape[1]": 10,
    "traffic": 12,
    "traffic.transaction.sizes.80": 13,
    "traffic.matrix": 14,
    "traffic.matrix[1]": 15,
    "traffic.matrix[1][0]": 15,
    "traffic.when": 16,
    "traffic.run.duration": 17,
    "messages": 18,
    "messages[0].name": 19,
    "messages[1]": 20,
    "messages[1].name": 21,
    "messages[1].inner.x": 24,
    "network.rings[0].members[1]": 26,
    "network.rings[1].members[1]": 29,
    # What is missing would stand behind what is there.
    "network.topology": 4,
    "messages[1].period": 20,
    "run.seed": None,
}


@pytest.mark.parametrize("key", LINES)
def test_a_key_stands_in_its_line(key):
    assert line_of(DOCUMENT, key_of(f"{key}: 4 is not allowed")) == LINES[key]
    assert line_of(DOCUMENT.replace("\n", "\r\n"), key_of(f"{key}: x")) == LINES[key]


@pytest.mark.parametrize("message", ["m.csv, line 3: no", "--set: no", "a b: c", "", "/tmp/a.toml: no such file", "x"])
def test_what_begins_with_no_key_names_none(message):
    assert key_of(message) is None


NAMES = st.text("ab_1", min_size=1, max_size=3) | st.sampled_from(["a.b", 'q"', "é", "#", "\\"])


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(NAMES, st.dictionaries(NAMES, st.integers() | st.text("ab\n#'\"]", max_size=5), max_size=3)))
def test_any_document_is_followed_to_its_end(tables):
    def text(value):
        return repr(value) if isinstance(value, int) else '"' + value.replace('"', '\\"').replace("\n", "\\n") + '"'

    def quoted(name):
        return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'

    lines, expected = [], {}
    for outer, inner in tables.items():
        lines.append(f"[{quoted(outer)}]")
        expected[outer,] = len(lines)
        for name, value in inner.items():
            lines.append(f"{quoted(name)} = [{text(value)}, {{x = {text(value)}}}]")
            expected[outer, name] = expected[outer, name, 1, "x"] = len(lines)
    document = "\n".join(lines)
    assert list(tomllib.loads(document)) == list(tables)
    for key, line in expected.items():
        assert line_of(document, key) == line
