"""Takes a file: its scenario is checked before anything is written."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tomli_w

from ringlet import scenario
from ringlet.errors import RingletError
from ringlet.files import write_text
from ringlet.imports.content import TABLE, Answers, Imported
from ringlet.imports.formats import Format


def read(file: Path, form: Format, answers: Answers) -> Imported:
    """Returns what a file says, as a scenario that has been checked.

    Raises:
        RingletError: the file cannot be read, or is not what its format says; or its scenario is refused.
    """
    if file.is_dir():
        raise RingletError.not_allowed(str(file), "<a directory>", form.what)
    try:
        with file.open("rb"):
            pass
    except (OSError, ValueError) as error:
        raise RingletError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    found = form.read(file, answers)
    if answers.link_rate is not None:
        found.scenario["network"]["link_rate"] = answers.link_rate
    with TemporaryDirectory() as folder:
        if found.table is not None:
            (Path(folder) / "table.csv").write_text(found.table, encoding="utf-8", newline="")
        try:
            scenario.Scenario.from_dict(with_table(found.scenario, "table.csv"), base_dir=Path(folder)).network_spec(1)
        except RingletError as error:
            raise RingletError(*(one.replace(f"{folder}/", "") for one in error.args)).behind(
                f"{file}: as a scenario it is refused: "
            ) from None
    return found


def with_table(content: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Returns a scenario in which the table has its name."""
    return {
        key: with_table(value, name) if isinstance(value, Mapping) else name if value == TABLE else value
        for key, value in content.items()
    }


def write(found: Imported, file: Path, source: Path) -> list[Path]:
    """Writes the scenario, and its table beside it, `X-table.csv` where `X.csv` is the source; returns both.

    Raises:
        RingletError: one of them is there already.
    """
    table = file.with_suffix(".csv")
    if table.resolve() == source.resolve():
        table = file.with_name(f"{file.stem}-table.csv")
    files = [file] if found.table is None else [table, file]
    for one in files:
        if one.exists() or one == source:
            raise RingletError.not_allowed("--to", str(one), "a file that is not there yet")
    text = f"# from {source.name}, by ringlet import\n" + tomli_w.dumps(with_table(found.scenario, table.name))
    if found.table is not None:
        write_text(table, found.table)
    write_text(file, text)
    return files
