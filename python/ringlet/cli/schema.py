"""`ringlet schema`: the keys of a scenario, a study or requirements, for an editor, and of the JSON of a run."""

import click

from ringlet import advice, figures, studies, verification
from ringlet.cli import output
from ringlet.scenario import json_schema


@click.command
@click.argument(
    "what",
    metavar="[WHAT]",
    type=click.Choice(["scenario", "study", "requirements", "schedulability", "verification", "result"]),
    default="scenario",
    help="scenario, study, requirements of 'ringlet advise', schedulability: its study, verification: the "
    "report of 'ringlet verify', or result: the JSON of 'ringlet run'. Default: scenario.",
)
def command(what: str) -> None:
    """Print the JSON Schema of a kind of files, with which an editor completes and checks them.

    It comes from the model that checks the files; that of results, with units and meanings, from the registry of
    figures that makes them. Editors with a TOML language server take it from a first line in the
    file: #:schema ./ringlet.schema.json

    \b
    Examples:
        ringlet schema > ringlet.schema.json
        ringlet schema study > study.schema.json
        ringlet schema requirements > requirements.schema.json
        ringlet schema schedulability > schedulability.schema.json
        ringlet schema verification
        ringlet schema result
    """
    if what == "study":
        output.write_json(studies.study_schema(), indent=2)
    elif what == "schedulability":
        output.write_json(studies.schedulability_schema(), indent=2)
    elif what == "verification":
        output.write_json(verification.json_schema(), indent=2)
    elif what == "result":
        output.write_json(figures.result_schema(), indent=2)
    elif what == "requirements":
        output.write_json(advice.json_schema(), indent=2)
    else:
        output.write_json(json_schema(), indent=2)
