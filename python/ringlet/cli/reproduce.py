"""`ringlet reproduce`: papers, published beside obtained."""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ringlet import papers as all_papers
from ringlet import report as reports
from ringlet.cli import output
from ringlet.cli.arguments import PATH, as_json, check_folder, completed_from, on_workers
from ringlet.cli.progress import counting, reproducing
from ringlet.cli.tables import Table
from ringlet.files import write_text

if TYPE_CHECKING:
    from ringlet.papers import Reproduction, Row


def _papers() -> Iterable[str]:
    return all_papers.PAPERS


@click.command
@click.argument(
    "papers",
    metavar="[PAPER]...",
    nargs=-1,
    help="Papers to reproduce, such as picker1994; default: all.",
    shell_complete=completed_from(_papers),
)
@click.option("--quick", is_flag=True, help="Fewer seeds: a check, not a result.")
@click.option(
    "--out",
    metavar="DIR",
    type=PATH,
    help="Folder for the report with its figures, the rows, and the scenario files; default: write nothing.",
)
@click.option("--claims", is_flag=True, help="Test the papers' sentences as laws, in place of their figures.")
@click.option("--brief", is_flag=True, help="Say in two sentences what came out, without the rows.")
@as_json
@on_workers
def command(
    papers: Sequence[str],
    quick: bool,
    out: Path | None,
    claims: bool,
    brief: bool,
    json: bool,
    workers: int | None,
) -> None:
    """Reproduce the tables and figures of papers: published beside obtained, and whether they agree.

    The rule of agreement is one for all rows and is printed with them. With --out, DIR/report.html shows everything,
    and DIR/scenarios holds the scenario files to run one by one.

    With --claims, the sentences of the papers are tested on drawn scenarios, and each is shown with what was found;
    --out writes DIR/claims.md.

    \b
    Examples:
        ringlet reproduce picker1994 --out out
        ringlet reproduce --quick --json
        ringlet reproduce todd2001 --claims
    """
    if claims:
        _test_claims(papers, quick=quick, out=out, brief=brief, json=json, workers=workers)
        return
    # matplotlib logs about its fonts.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)

    all_papers.check_papers(papers)
    if out is not None:
        check_folder(out)
    named = [all_papers.PAPERS[name] for name in dict.fromkeys(papers or all_papers.PAPERS)]
    full_s, quick_s = sum(paper.full_s for paper in named), sum(paper.quick_s for paper in named)
    takes = f"{quick_s:z.0f} s" if quick else f"{full_s:z.0f} s, with --quick {quick_s:z.0f} s,"
    click.echo(f"{', '.join(paper.name for paper in named)}: about {takes} of processor time", err=True)
    with reproducing() as progress:
        reproduction = all_papers.reproduce(papers, quick=quick, out=out, workers=workers, progress=progress)
    report = None
    if out is not None:
        report = reports.write_report(reproduction, out, moments=reports.write_players(reproduction.scenarios(), out))
    if json:
        output.write_json(reproduction.to_dict())
        return
    if brief:
        write_brief(reproduction, report)
        return
    write_rows(reproduction)
    if report is not None:
        output.write_line(f"report: {report}")


QUICK_EFFORT = 0.2
"""Factor on the scenarios that tests of claims draw with --quick."""


def _test_claims(
    papers: Sequence[str], *, quick: bool, out: Path | None, brief: bool, json: bool, workers: int | None
) -> None:
    """Tests the sentences of papers and writes what was found."""
    all_papers.check_papers(papers)
    if out is not None:
        check_folder(out)
    with counting("testing claims") as progress:
        verdicts = all_papers.examine(papers, effort=QUICK_EFFORT if quick else 1.0, workers=workers, progress=progress)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        write_text(out / "claims.md", all_papers.claims_page(verdicts))
    if json:
        output.write_json(all_papers.claims_document(verdicts))
        return
    if not brief:
        styles = {"holds": None, "broken": "red", "cannot be said": "yellow"}
        for each in verdicts:
            claim = each.claim
            section = f"Section {claim.section}" if claim.section[:1].isdigit() else claim.section
            output.write_line(f"{claim.id} ({section}) {each.word}: {claim.claim}", style=styles[each.word])
            output.write_line(f"    {each.evidence}")
            if each.reason:
                output.write_line(f"    why: {each.reason}")
        output.write_line()
    counts = Counter(each.word for each in verdicts)
    output.write_line(
        f"{len(verdicts)} claims: {counts['holds']} hold, {counts['broken']} are broken, "
        f"{counts['cannot be said']} cannot be said"
    )


def write_brief(reproduction: "Reproduction", report: Path | None = None) -> None:
    """Writes what came out, in two sentences for those who know neither the paper nor its figures.

    Args:
        reproduction: what was simulated.
        report: the page that shows it, if it was written.
    """
    names = "; ".join(paper.title for paper in reproduction.papers)
    seeds = ", with few seeds" if reproduction.quick else ""
    counts = reproduction.verdicts
    click.echo(f"{reproduction.wall_s:z.0f} s", err=True)
    output.write_line(
        f"{names}, simulated again{seeds}: of {len(reproduction.rows)} published figures {counts['agrees']} came out "
        f"again, {counts['possible']} may, by what the text leaves open, and {counts['differs']} differ."
    )
    where = "'--out DIR' writes a report that shows" if report is None else f"Open {report} in a browser to see"
    output.write_line(f"{where} each figure beside the published one, and the reason where they differ.")


def _reasons(rows: "Sequence[Row]") -> dict[str, list[str]]:
    """Returns why rows do not agree, each reason once, with the ids of its rows; the report says more."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if not row.agrees:
            name, ours = row.figure.id.partition(".")[2], reports.possible_range(row)
            reasons.setdefault(row.reason or row.detail, []).append(f"{name} ({ours})" if ours else name)
    return reasons


def write_rows(reproduction: "Reproduction") -> None:
    """Writes published beside obtained figures, why some do not agree, the rule, and how many rows each class has."""
    for paper in reproduction.papers:
        other = (f"preset {paper.other_preset}",) if paper.other_preset else ()
        rows = Table(
            ("row", "published", "obtained", *other, "unit", "verdict"),
            title=f"{paper.title} ({paper.units})" if paper.units else paper.title,
        )
        for row in paper.rows:
            rows.add_row(
                row.figure.id,
                reports.published(row),
                reports.obtained(row),
                *([reports.obtained_other(row)] if row.other else []),
                reports.unit(row),
                row.verdict,
                style={"agrees": None, "possible": "yellow", "differs": "red"}[row.verdict],
            )
        output.write_table(rows)
        output.write_line()
        for reason, names in _reasons(paper.rows).items():
            output.write_line(f"{', '.join(names)}: {reason}")
        output.write_line()
        output.write_line(paper.presets)
    output.write_line(all_papers.RULE)
    quick = " (quick: few seeds)" if reproduction.quick else ""
    counts = reproduction.verdicts
    output.write_line(
        f"Of {len(reproduction.rows)} rows {counts['agrees']} agree, {counts['possible']} are possible, "
        f"{counts['differs']} differ{quick}"
    )
    click.echo(f"{reproduction.wall_s:z.0f} s", err=True)
