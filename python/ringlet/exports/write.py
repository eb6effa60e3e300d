"""A scenario as files of another tool: `rl.export`, and what `ringlet export` does."""

from pathlib import Path
from typing import TYPE_CHECKING

from ringlet import scenario as scenarios
from ringlet.errors import RingletError
from ringlet.exports.content import Exported
from ringlet.exports.formats import format_of
from ringlet.files import write_text

if TYPE_CHECKING:
    from ringlet.scenario import Scenario, ScenarioLike

STEM = "ring"
"""Beginning of the names of the files of a scenario that is no file."""


def export(scenario: "ScenarioLike", format: str, to: str | Path | None = None) -> dict[str, str]:
    """Returns flows and topology of a scenario as files of another tool, by their names: what `ringlet export` writes.

    >>> import ringlet as rl
    >>> messages = [{"source": 0, "destination": 2, "size": 64, "period": "10 us"}]
    >>> print(rl.export({"network": {"nodes": 4}, "messages": messages}, "csv")["ring-flows.csv"])
    name,source,destination,size_bytes,arrivals,period_us,deadline_us
    0-2,0,2,64,periodic,10,10
    <BLANKLINE>

    Args:
        scenario: or the path of its file, or what the file holds.
        format: `csv`, `graphml` or `saihu`.
        to: a folder in which the files are written, too; none of them may be there already.

    Raises:
        RingletError: a bad scenario, one that the format cannot say, or a file that is there already.
    """
    stem = Path(scenario).stem if isinstance(scenario, str | Path) else STEM
    files = exported(scenarios.Scenario.of(scenario), format, stem).files
    named = {f"{stem}{end}": text for end, text in files.items()}
    if to is not None:
        write(named, Path(to), "to")
    return named


def exported(scenario: "Scenario", name: str, stem: str) -> Exported:
    """Returns a scenario in a format.

    Raises:
        RingletError: the format cannot say what the scenario is.
    """
    return format_of(name).written(scenario, stem)


def write(files: dict[str, str], folder: Path, option: str) -> list[Path]:
    """Writes files into a folder, all or none of them, and returns their paths.

    Raises:
        RingletError: the folder is none, or one of the files is there already.
    """
    paths = [folder / name for name in files]
    if not folder.is_dir():
        raise RingletError.not_allowed(option, str(folder), "a folder that is there")
    for path in paths:
        if path.exists():
            raise RingletError.not_allowed(option, str(path), "a file that is not there yet")
    try:
        for path, text in zip(paths, files.values(), strict=True):
            write_text(path, text)
    except BaseException:
        # Those that are there would be refused when the same is written again.
        for path in paths:
            path.unlink(missing_ok=True)
        raise
    return paths
