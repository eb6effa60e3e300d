"""`ringlet verify`: from a message set to a report that is signed, and a report computed again."""

import hashlib
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringlet import report as reports
from ringlet import scenario as scenarios
from ringlet import studies, theory, verification
from ringlet.cli import output
from ringlet.cli.arguments import (
    PATH,
    as_json,
    check_folder,
    load,
    on_executor,
    on_workers,
    options_named,
    refusing,
    set_keys,
)
from ringlet.cli.failures import VERDICT_FAILS, CommandError
from ringlet.cli.interrupts import keeping
from ringlet.cli.progress import counting
from ringlet.cli.tables import MISSING, SHOWN_NODES, Table, column
from ringlet.errors import RingletError
from ringlet.files import write_text, writing
from ringlet.scenario.activities.messages.activity import MessageKeys
from ringlet.scenario.file.kinds import read_scenario

if TYPE_CHECKING:
    from ringlet.scenario import Scenario
    from ringlet.verification import Verification

Record = Mapping[str, Any]

CSV = ".csv"

JSON_FILE, HTML_FILE, PDF_FILE = "verification.json", "verification.html", "verification.pdf"

MOST_REASONS = 8
"""Reasons why deadlines are not guaranteed that are printed; the report has all."""

OPTIONS = {
    "tolerance": "--tolerance",
    "trials": "--trials",
    "workers": "--workers",
    "executor": "--executor",
    "flow_control.protocol": "--protocol",
}


@click.command
@click.argument(
    "message_set",
    metavar="[SET]",
    type=PATH,
    required=False,
    help="Scenario with messages, loops or flows with deadlines, in TOML; or a CSV file of messages, with --network.",
)
@click.option(
    "--network", metavar="FILE", type=PATH, help="Scenario whose network and queues a CSV file of SET is for."
)
@click.option(
    "--protocol",
    "protocols",
    metavar="NAME",
    multiple=True,
    help="Flow control to verify; may be repeated, the verdict is of the first. Default: the scenario's, and beside it "
    "all others that can run the set.",
)
@set_keys
@click.option("--failures/--no-failures", default=True, show_default=True, help="Look at each single failure, too.")
@click.option(
    "--trials",
    metavar="N",
    type=int,
    default=100,
    show_default=True,
    help="Trials of other phases in each case, and as many again for its breakdown.",
)
@click.option("--tolerance", type=float, default=0.05, show_default=True, help="Relative error of load factors.")
@click.option("--all-factors", is_flag=True, help="Compute load factors with each failure, too.")
@click.option("--rate", metavar="RATE", help="Most that each node's background traffic sends, such as '20 MB/s'.")
@click.option("--burst", metavar="SIZE", help="What it may send at once beyond that, such as '1 KiB'.")
@click.option(
    "--losses",
    metavar="COUNT",
    type=int,
    default=0,
    help="Packets and echoes that are lost at most, at whatever places, in all bounds; default: 0.",
)
@click.option("--offsets", is_flag=True, help="Bound responses for the offsets of the file, where that is proven.")
@click.option(
    "--survives", is_flag=True, help="End with exit code 3 also unless all is guaranteed with each single failure."
)
@click.option("--check", metavar="REPORT", type=PATH, help="Compute a report, its JSON, again, and compare each line.")
@click.option("--out", metavar="DIR", type=PATH, help="Folder for report and store; default: out/ and the set's name.")
@on_workers
@on_executor
@as_json
def command(
    message_set: Path | None,
    network: Path | None,
    protocols: Sequence[str],
    overrides: Sequence[str],
    failures: bool,
    trials: int,
    tolerance: float,
    all_factors: bool,
    rate: str | None,
    burst: str | None,
    losses: int,
    offsets: bool,
    survives: bool,
    check: Path | None,
    out: Path | None,
    workers: int | None,
    executor: str | None,
    json: bool,
) -> int:
    """Verify a message set, and write a report that can be handed in.

    Under each protocol, without a failure and with each single failure of a link, switch or station: a proven bound of
    each response, the worst in the set's own phases (exact where the simulation comes back to a state), the longest
    that a search of other phases finds, the 99th percentile, and how much faster the set may run. Where a deadline is
    not guaranteed it says why, and what helps: sizes of queues, options, priorities, link rates, offsets, protocols,
    each of them tried.

    The verdict is of the scenario's protocol, or of the first --protocol, and the exit code 3 unless all its deadlines
    are guaranteed without a failure. DIR gets verification.json, verification.html and, where reportlab is installed,
    verification.pdf, with the SHA-256 of each input, and the scenarios in the worst phases. Its store keeps what is
    finished: the same command goes on after an interruption.

    --check computes a report again from the scenario that it holds, and names the first line that differs; the exit
    code is 1 then. With SET it has to be of these files, too. Where HTML and PDF lie beside it they are compared as
    well.

    \b
    Examples:
        ringlet verify avionics.toml
        ringlet verify avionics.toml --protocol sci --protocol dfc --trials 1000 --workers 2
        ringlet verify avionics.csv --network ring.toml --no-failures
        ringlet verify avionics.toml --losses 2
        ringlet verify --check out/avionics/verification.json
        ringlet verify avionics.toml --check out/avionics/verification.json
    """
    if check is None and message_set is None:
        raise RingletError("SET: missing; a scenario with messages, or a CSV file of messages with --network")
    if network is not None and (message_set is None or message_set.suffix.lower() != CSV):
        raise RingletError.not_allowed("--network", str(network), "a file beside a SET that is a CSV file of messages")
    loaded = None if message_set is None else _load(message_set, network, overrides)
    inputs = None if loaded is None or message_set is None else _inputs(message_set, network, loaded)
    named = network or message_set
    if check is not None:
        return _check(check, loaded, inputs, workers=workers, executor=executor, json=json)
    if loaded is None or inputs is None or message_set is None or named is None:
        raise AssertionError("a set was given")
    folder = Path("out") / message_set.stem if out is None else out
    check_folder(folder)
    store = folder / studies.STORE_FILE
    said = ["--failures" if failures else "--no-failures", "--trials", str(trials), "--tolerance", f"{tolerance:g}"]
    said += ["--all-factors"] if all_factors else []
    said += [word for key, value in (("--rate", rate), ("--burst", burst)) if value for word in (key, value)]
    said += ["--losses", str(losses)] if losses else []
    said += ["--offsets"] if offsets else []
    assumed = theory.checked(rate, burst, 0, losses, offsets=offsets)
    with refusing(named, overrides, **OPTIONS), keeping(store), counting("verifying") as progress:
        found = verification.verified_set(
            loaded,
            protocols or None,
            failures=failures,
            trials=trials,
            tolerance=tolerance,
            all_factors=all_factors,
            assumed=assumed,
            store=store,
            inputs=inputs,
            command=_command(inputs, protocols, overrides, said),
            progress=progress,
            workers=workers,
            executor=executor,
        )
    files, lacks = _write(found, folder)
    code = 0 if found.holds and (found.survives or not survives) else VERDICT_FAILS
    if json:
        output.write_json(found.document)
        return code
    _tell(found.document)
    if lacks is not None:
        output.write_line(lacks, style="yellow")
    output.write_line(f"the report: {', '.join(map(str, files))}")
    return code


def _load(message_set: Path, network: Path | None, overrides: Sequence[str]) -> "Scenario":
    """Reads a scenario with messages, or the scenario of a network with the messages of a CSV file."""
    if message_set.suffix.lower() != CSV:
        return load(message_set, overrides)
    if network is None:
        raise RingletError(f"{message_set}: needs --network, a scenario with the network that its messages are for")
    content, overridden = read_scenario(network, overrides)
    kept = {key: value for key, value in content.items() if key != "messages"}
    return scenarios.Scenario.from_file(network, {**kept, "messages_file": str(message_set.absolute())}, overridden)


def _inputs(message_set: Path, network: Path | None, scenario: "Scenario") -> list[dict[str, str]]:
    """Returns the names and the SHA-256 of all files that were read."""
    files = [message_set] if network is None else [message_set, network]
    beside = MessageKeys.in_file(scenario).messages_file
    if network is None and beside is not None:
        files.append(scenario.folder / beside)
    matrix = getattr(scenario.traffic, "matrix_file", None)
    if matrix is not None:
        files.append(scenario.folder / matrix)
    return [{"name": file.name, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()} for file in files]


def _command(
    inputs: Sequence[Mapping[str, str]], protocols: Sequence[str], overrides: Sequence[str], said: Sequence[str]
) -> str:
    """Returns the command that computes the same, whatever folder, workers or machine."""
    words = ["ringlet", "verify", inputs[0]["name"]]
    if inputs[0]["name"].lower().endswith(CSV):
        words += ["--network", inputs[1]["name"]]
    for name in protocols:
        words += ["--protocol", name]
    for override in overrides:
        words += ["--set", override]
    return shlex.join([*words, *said])


def _write(found: "Verification", folder: Path) -> tuple[list[Path], str | None]:
    """Writes the report and its scenarios; returns the files of the report, and why there is no PDF, if so."""
    text = verification.document_text(found.document)
    write_text(folder / JSON_FILE, text)
    write_text(folder / HTML_FILE, reports.html_report(found.document, text))
    for name, content in found.scenarios.items():
        write_text(folder / name, content)
    files = [folder / JSON_FILE, folder / HTML_FILE]
    try:
        page = reports.pdf_report(found.document, text)
    except RingletError as error:
        return files, str(error)
    with writing(folder / PDF_FILE) as aside:
        aside.write_bytes(page)
    return [*files, folder / PDF_FILE], None


def _tell(document: Record) -> None:
    """Writes the tables and sentences for a person."""
    output.write_table(_by_case(document))
    output.write_line()
    output.write_table(_by_message(document["cases"][0]))
    for name, why in document["refused"].items():
        output.write_line(f"{name} cannot run this set: {why}")
    if sizes := document["queues"].get(document["judged"]):
        words = ", ".join(f"{key} = {size}" for key, size in sizes.items())
        output.write_line(f"queues that all bounds need: {words}")
    for one in document["reasons"][:MOST_REASONS]:
        output.write_line(f"{verification.named(one['messages'])}: {one['why']}", style="yellow")
    if len(document["reasons"]) > MOST_REASONS:
        output.write_line(f"and {len(document['reasons']) - MOST_REASONS} more reasons in the report", style="yellow")
    for line in (*document["helps"], *document["verdicts"]):
        output.write_line(line)


def _by_case(document: Record) -> Table:
    """Returns a row for each protocol and failure."""
    rows = Table(
        (
            "\nprotocol",
            "\nguaranteed",
            "missed in\nthese phases",
            "missed\nsearched",
            "largest\nbound %",
            "largest\nfound %",
            "searched\nfactor",
            "guaranteed\nfactor",
        ),
        words=("\nfailure",),
    )
    cases = document["cases"]
    shares = [[_share(case, key) for case in cases] for key in ("bound_us", "searched_us")]
    factors = [
        [(case.get("breakdown") or {}).get(key) for case in cases] for key in ("searched_factor", "guaranteed_factor")
    ]
    columns = [column(values) for values in (*shares, *factors)]
    names = ["none", *(one["what"] for one in document["failures"])]
    for i, case in enumerate(cases):
        messages = case["messages"]
        late = sum(bool(one["missed"]) for one in messages)
        searched = sum((one["searched_us"] or 0.0) > one["deadline_us"] for one in messages)
        counts = (str(late), str(searched)) if messages else (MISSING, MISSING)
        guaranteed = f"{sum(one['guaranteed'] for one in messages)}/{verification.counting(document, case)}"
        rows.add_row(case["protocol"], guaranteed, *counts, *(each[i] for each in columns), names[case["failure"]])
    return rows


def _share(case: Record, key: str) -> float | None:
    """Returns the largest share of a deadline in percent; None where there is none, or one is missing."""
    shares = [None if one[key] is None else 100 * one[key] / one["deadline_us"] for one in case["messages"]]
    known = [share for share in shares if share is not None]
    return max(known) if known and (len(known) == len(shares) or key != "bound_us") else None


def by_margin(case: Record) -> list[Record]:
    """Returns the messages of a case, the one that is closest to its deadline first."""

    def share(one: Record) -> float:
        worst = max(one["searched_us"] or 0.0, one["these_phases_us"] or 0.0)
        used: float = (worst if one["bound_us"] is None else one["bound_us"]) / one["deadline_us"]
        return used

    return sorted(case["messages"], key=lambda one: (one["bound_us"] is not None, -share(one), one["name"]))


def _by_message(case: Record) -> Table:
    """Returns the messages under the protocol that is judged, closest to their deadlines first."""
    shown = by_margin(case)[:SHOWN_NODES]
    exact = "exact\nus" if case["exact"] is not None else "these phases\nus"
    keys = ("deadline_us", "bound_us", "these_phases_us", "searched_us", "p99_us")
    rows = Table(
        ("message", "deadline\nus", "bound\nus", exact, "searched\nus", "p99\nus", "margin\nus", "\nguaranteed"),
    )
    columns = [column(one[key] for one in shown) for key in keys]
    columns.append(column(None if one["bound_us"] is None else one["deadline_us"] - one["bound_us"] for one in shown))
    for i, one in enumerate(shown):
        rows.add_row(one["name"], *(each[i] for each in columns), "yes" if one["guaranteed"] else "no")
    if len(case["messages"]) > len(shown):
        rows.add_row(f"... {len(case['messages']) - len(shown)} more", style="dim")
    return rows


def _check(
    report: Path,
    scenario: "Scenario | None",
    inputs: Sequence[Mapping[str, str]] | None,
    *,
    workers: int | None,
    executor: str | None,
    json: bool,
) -> int:
    """Computes a report again and says whether every line is the same."""
    verification.read_report(report)
    with options_named(OPTIONS), counting("computing again") as progress:
        found = verification.check_report(
            report, inputs=inputs, scenario=scenario, progress=progress, workers=workers, executor=executor
        )
    if found.difference is not None:
        one = found.difference
        raise CommandError(
            f"{report}, line {one.line}: {one.theirs or '<nothing>'} differs; computed again: {one.ours or '<nothing>'}"
        )
    pages = Pages() if found.version is not None else _pages(report, found.verification)
    if pages.differ is not None:
        raise CommandError(pages.differ)
    of_files = "the inputs were not given, and their SHA-256 not compared" if inputs is None else "inputs are the same"
    by = "" if found.version is None else f", by another version than the report's, {found.version}"
    if json:
        output.write_json({"schema": 1, "same": True, "inputs_compared": inputs is not None, "made_by": found.version})
    else:
        beside = f"; so are {' and '.join(pages.same)}" if pages.same else ""
        output.write_line(f"{report}: every line is the same, computed again{by}{beside}; {of_files}")
        if pages.open is not None:
            output.write_line(pages.open, style="yellow")
        for line in found.verification.document["verdicts"]:
            output.write_line(line)
    return 0


@dataclass(slots=True)
class Pages:
    """The pages beside a report, beside those that it makes."""

    same: list[str] = field(default_factory=list)
    """Names of those that are the same."""
    differ: str | None = None
    """Message on the first page that differs; None: no page does."""
    open: str | None = None
    """Why one was not compared."""


def _pages(report: Path, found: "Verification") -> Pages:
    """Compares HTML and PDF beside a report, where they are there, with those that it makes."""
    text, pages = verification.document_text(found.document), Pages()
    html, pdf = report.with_suffix(".html"), report.with_suffix(".pdf")
    if html.is_file():
        theirs = html.read_text(encoding="utf-8", errors="replace").split("\n")
        ours = reports.html_report(found.document, text).split("\n")
        lines = enumerate(zip_longest(theirs, ours), 1)
        line = next((number for number, (one, other) in lines if one != other), None)
        if line is not None:
            pages.differ = f"{html}, line {line}: differs from the page that {report.name} makes"
            return pages
        pages.same.append(html.name)
    if pdf.is_file():
        try:
            same = pdf.read_bytes() == reports.pdf_report(found.document, text)
        except RingletError as error:
            pages.open = f"{pdf.name} was not compared ({error})"
            return pages
        if not same:
            pages.differ = f"{pdf}: differs from the document that {report.name} makes"
            return pages
        pages.same.append(pdf.name)
    return pages
