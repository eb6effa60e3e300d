"""The JSON Schemas with which an editor completes and checks files."""

import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from ringlet.advice.requirements import json_schema as requirements_schema
from ringlet.figures.document_schema import result_schema
from ringlet.scenario import json_schema
from ringlet.studies.schedulability import schedulability_schema
from ringlet.studies.study import study_schema

EXAMPLES = Path(__file__).parents[2] / "examples"
KINDS = {
    "scenario": (
        json_schema,
        sorted([*EXAMPLES.glob("*.toml"), *EXAMPLES.glob("c/*.toml"), *EXAMPLES.glob("todd2001/*.toml")]),
    ),
    "study": (study_schema, sorted(EXAMPLES.glob("studies/*.toml"))),
    "requirements": (requirements_schema, sorted(EXAMPLES.glob("requirements/*.toml"))),
    "schedulability": (schedulability_schema, sorted(EXAMPLES.glob("schedulability/*.toml"))),
}


def test_no_example_is_without_a_kind():
    assert sorted(path for _, examples in KINDS.values() for path in examples) == sorted(EXAMPLES.rglob("*.toml"))


@pytest.mark.parametrize("kind", KINDS)
def test_the_schema_takes_every_example_and_every_example_names_it(kind):
    schema, examples = KINDS[kind]
    validator = Draft202012Validator(schema())
    assert examples
    for path in examples:
        text = path.read_text(encoding="utf-8")
        validator.validate(tomllib.loads(text))
        place = "../" * (len(path.relative_to(EXAMPLES).parts) - 1) or "./"
        assert text.startswith(f"#:schema {place}{kind}.schema.json\n"), path


@pytest.mark.parametrize(
    ("key", "quantity", "taken"),
    [
        ("duration", "10 us", True),
        ("duration", "1.5e3ns", True),
        ("duration", "10", False),
        ("duration", "10 us later", False),
        ("duration", "1 MB/s", False),
    ],
)
def test_the_schema_says_how_a_quantity_is_written(key, quantity, taken):
    content = {"network": {"nodes": 4}, "run": {key: quantity}}
    assert Draft202012Validator(json_schema()).is_valid(content) == taken


def test_every_schema_has_an_identifier_of_its_own():
    schemas = (*(schema() for schema, _ in KINDS.values()), result_schema())
    assert len({schema["$id"] for schema in schemas}) == len(schemas)
    for schema in schemas:
        Draft202012Validator.check_schema(schema)
