"""Tables as files: CSV or Parquet."""

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ringlet.errors import RingletError
from ringlet.files import writing
from ringlet.store.store import with_seed

if TYPE_CHECKING:
    import pandas as pd

    from ringlet.studies.result import SweepResult

Format = Literal["csv", "parquet"]

PARTS: tuple[Literal["nodes", "priorities", "messages"], ...] = ("nodes", "priorities", "messages")


def export(result: "SweepResult", folder: Path, file_format: Format = "csv") -> list[Path]:
    """Writes `summary`, `points`, `nodes` and, where there are any, `priorities`, `messages` and `failures`.

    Every row has its point, replication, seed, version of the code and the digest of its scenario; the rows of `points`
    and `summary` have the whole resolved scenario as JSON, too. Parquet files hold study and versions as metadata.

    Returns the files.

    Raises:
        RingletError: Parquet without pyarrow.
        OSError: the folder cannot be written.
    """
    if file_format == "parquet":
        try:
            import pyarrow  # noqa: F401 - asked for before anything is written
        except ImportError:
            raise RingletError("format: parquet needs pyarrow: pip install 'ringlet[parquet]'") from None
    folder.mkdir(parents=True, exist_ok=True)
    about = {"study": json.dumps(result.study.to_dict()), "ringlet": result.engine}
    written = []
    for name, pieces in _tables(result):
        first = next(pieces, None)
        path = folder / f"{name}.{file_format}"
        if first is None or first.empty:
            # Not one of an earlier sweep into the same folder.
            path.unlink(missing_ok=True)
            continue
        write = _write_csv if file_format == "csv" else _write_parquet
        with writing(path) as aside:
            write(aside, chain([first], pieces), about)
        written.append(path)
    return written


def _tables(result: "SweepResult") -> "Iterator[tuple[str, Iterator[pd.DataFrame]]]":
    scenarios = list(result.scenarios_json())
    points = result.points.assign(scenario=scenarios)
    # The rows of a point follow each other: the first one has the seed of its first replication.
    first = points.drop_duplicates("point")[["point", "scenario"]]
    summary = result.summary.merge(first, on="point") if len(result.summary) else result.summary
    yield "summary", iter([summary])
    yield "points", iter([points])
    for part in PARTS:
        yield part, result.part_tables(part)
    yield "failures", iter([result.failures])


def scenario_text(content: str, seed: int) -> str:
    """Returns a stored scenario as JSON, with a seed."""
    return json.dumps(with_seed(json.loads(content), seed), separators=(",", ":"))


def _write_csv(path: Path, pieces: "Iterable[pd.DataFrame]", about: dict[str, Any]) -> None:
    del about  # its rows say it
    with path.open("w", encoding="utf-8", newline="") as file:
        for i, piece in enumerate(pieces):
            piece.to_csv(file, index=False, header=i == 0, lineterminator="\n")


def _write_parquet(path: Path, pieces: "Iterable[pd.DataFrame]", about: dict[str, Any]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    try:
        for piece in pieces:
            table = pa.Table.from_pandas(piece, preserve_index=False)
            if writer is None:
                metadata = {**(table.schema.metadata or {}), **{key: value.encode() for key, value in about.items()}}
                writer = pq.ParquetWriter(path, table.schema.with_metadata(metadata))
            writer.write_table(table.cast(writer.schema))
    finally:
        if writer is not None:
            writer.close()
