"""CITATION.cff is about this version and its papers, the package has it, and `ringlet cite` prints it."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from ringlet.cli import main
from ringlet.papers import PAPERS

ROOT = Path(__file__).parents[2]
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
REFERENCES = yaml.safe_load(CITATION)["references"]


def test_the_package_has_the_file():
    assert (ROOT / "python/ringlet/CITATION.cff").read_text(encoding="utf-8") == CITATION


def test_it_names_the_version_that_cargo_builds():
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    assert yaml.safe_load(CITATION)["version"] == cargo["workspace"]["package"]["version"]


@pytest.mark.parametrize(("paper", "reference"), list(zip(PAPERS.values(), REFERENCES, strict=True)), ids=list(PAPERS))
def test_its_papers_are_those_that_are_reproduced(paper, reference):
    listed = paper.citation
    names = [f"{one['given-names']} {one['family-names']}" for one in reference["authors"]]
    assert listed.startswith(", ".join(names))
    assert f"“{reference['title']}”" in listed
    assert str(reference["year"]) in listed
    assert paper.name == f"{reference['authors'][0]['family-names'].lower()}{reference['year']}"


def cited(capsys, *words):
    assert main(["cite", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("work", ["ringlet", *PAPERS])
def test_bibtex_is_an_entry_with_balanced_braces_and_the_name_as_its_key(work, capsys):
    entry = cited(capsys, work)
    assert re.match(rf"@\w+{{{work},\n(  [a-z]+ = {{.*}},\n)+}}\n\Z", entry)
    depth = 0
    for letter in entry:
        depth += (letter == "{") - (letter == "}")
        assert depth >= 0
    assert depth == 0


def test_bibtex_of_a_paper(capsys):
    assert (
        cited(capsys, "richter1999")
        == """\
@incollection{richter1999,
  author = {Richter, H. and Kleber, R. and Ohlenroth, M.},
  title = {{SCI Rings, Switches, and Networks for Data Acquisition Systems}},
  booktitle = {SCI: Scalable Coherent Interface},
  editor = {Hellwagner, H. and Reinefeld, A.},
  chapter = {6},
  publisher = {Springer},
  year = {1999},
}
"""
    )


def test_apa(capsys):
    version = yaml.safe_load(CITATION)["version"]
    assert cited(capsys, "--format", "apa") == (
        "The ringlet authors. (n.d.). ringlet: simulator for register-insertion rings and networks of rings "
        f"(Version {version}) [Computer software].\n"
    )
    assert cited(capsys, "picker1994", "--format", "apa") == (
        "Picker, D., Fellman, R. D., & Chau, P. M. (1994). Enhancing SCI's Fairness Protocol for Increased Throughput. "
        "Department of Electrical and Computer Engineering, University of California, San Diego.\n"
    )


def test_the_citation_file(capsys):
    assert cited(capsys, "--format", "cff") == CITATION
    assert yaml.safe_load(cited(capsys, "todd2001", "--format", "cff")) == {"references": [REFERENCES[1]]}


def test_a_work_that_is_not_known_is_named_with_those_that_are(capsys):
    assert main(["cite", "tod2001"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("ringlet: WORK: 'tod2001' is not allowed; ringlet, picker1994, todd2001")
    assert told.endswith("did you mean 'todd2001'?\n")
