"""Public files of other tools: what is taken of each is what the table beside them says."""

import hashlib
import os
import tomllib
from pathlib import Path

import pytest

PUBLIC = Path(__file__).parent / "public"
FILES = tomllib.loads((PUBLIC / "files.toml").read_text(encoding="utf-8"))["file"]
FOLDER = os.environ.get("RINGLET_PUBLIC_FILES")
LICENCES = {"MIT", "BSD-2-Clause", "BSD-3-Clause", "BSD-3-Clause with an acknowledgement", "MIT OR Apache-2.0"}
"""Licences of the files that are kept: all let a file be copied with its licence."""


def path_of(one, path):
    """Returns where a file is; skips the test where it is not kept and its repository is not here."""
    if "kept" in one:
        return PUBLIC / Path(path).relative_to(Path(one["path"]).parent)
    if FOLDER is None:
        pytest.skip("RINGLET_PUBLIC_FILES is not set: files of public repositories are not kept here")
    return Path(FOLDER) / one["repository"].removeprefix("github.com/") / path


@pytest.mark.parametrize("one", FILES, ids=[f"{one['path']}" for one in FILES])
def test_a_public_file_is_taken(one, imported):
    if one["path"].endswith(".otf2"):
        pytest.importorskip("otf2", reason="archives of OTF2 are not tested without otf2 (pip install 'ringlet[otf2]')")
    for path, sha256 in one["sha256"].items():
        assert hashlib.sha256(path_of(one, path).read_bytes()).hexdigest() == sha256, path
    _, scenario, printed = imported(path_of(one, one["path"]), *one["options"])
    lines = printed.splitlines()
    assert [line.removeprefix("taken: ") for line in lines if line.startswith("taken: ")] == one["taken"]
    # What cantools remarks is in the words of its version.
    said = [line.removeprefix("left out: ") for line in lines if line.startswith("left out: ")]
    assert [line for line in said if not line.startswith("cantools: ")] == one["left_out"]
    assert str(scenario.network.nodes) in one["taken"][0]


def test_each_file_that_is_kept_has_a_licence_that_lets_it_be_copied():
    kept = [one for one in FILES if "kept" in one]
    files = [path_of(one, path) for one in kept for path in one["sha256"]]
    others = {PUBLIC / "README.md", PUBLIC / "files.toml", *PUBLIC.glob("LICENSE.*")}
    assert sorted(files) == sorted({path for path in PUBLIC.rglob("*") if path.is_file()} - others)
    assert {one["licence"] for one in kept} <= LICENCES
    # Each is of a repository or a package, whose licence stands beside it.
    table = (PUBLIC / "README.md").read_text(encoding="utf-8")
    for one in kept:
        assert Path(one["path"]).name in table
    licences = [path.name for path in others if path.name.startswith("LICENSE")]
    assert len(licences) == len({one.get("repository") or one["package"] for one in kept})
    assert all(name in table for name in licences)


def test_messages_of_a_kcd_file_have_their_sender_and_receiver(imported):
    _, scenario, _ = imported(
        PUBLIC / "the_homer.kcd", "--period", "10 ms", "--sender", "leave-out", "--receiver", "leave-out"
    )
    names = scenario.network.node_names
    found = {one.name: (names[one.source], names[one.destination]) for one in scenario.periodic_messages}
    # Of the others the file names no sender or no receiver; two doors send without data.
    assert found == {
        "ABS": ("Brake ACME", "BodyComputer"),
        "Gear_Motor ACME": ("Gearbox", "Motor ACME"),
        "Gear_Motor alternative supplier": ("Gearbox", "Motor alternative supplier"),
    }


def test_a_graph_whose_links_are_drawn_one_way_is_a_ring_where_the_user_says_so(tmp_path, imported, refused):
    # As yEd and the Internet Topology Zoo have cables: directed, each once, in the order in which they were drawn.
    nodes = "".join(f'<node id="{node}"/>' for node in "abcd")
    links = "".join(f'<edge source="{a}" target="{b}"/>' for a, b in ("ab", "cb", "cd", "ad"))
    file = tmp_path / "drawn.graphml"
    graph = f'<graph edgedefault="directed">{nodes}{links}</graph>'
    file.write_text(f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{graph}</graphml>', encoding="utf-8")
    said = "--both-ways says that links lead both ways"
    assert "not a ring: node 'a' has links to 2 nodes; --ring says which nodes are the ring" in refused(file)
    assert said in refused(file)
    message = refused(file, "--ring", "a,b,c,d")
    assert f"--ring, after 'b': in {file} the link leads from 'c' to 'b'; {said}" in message
    content, _, _ = imported(file, "--both-ways")
    assert content["network"]["node_names"] == ["a", "b", "c", "d"]
