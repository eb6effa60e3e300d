"""Tables as files: CSV or Parquet."""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ringlet.errors import RingletError
from ringlet.files import writing
from ringlet.lazy import library
from ringlet.studies.table import Columns

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq
else:
    pa = library("pyarrow")
    pq = library("pyarrow.parquet")

Format = Literal["csv", "parquet"]


def write_tables(
    tables: Iterable[tuple[str, Columns]],
    names: Sequence[str],
    about: Mapping[str, str],
    folder: Path,
    file_format: Format,
) -> list[Path]:
    """Writes a file for each table that has rows, and returns the files.

    Args:
        tables: the name and the next rows of a table: one need not be in memory as a whole.
        names: of all tables, in the order in which their files are returned.
        about: metadata of Parquet files.
        folder: made if it is not there; a file of an earlier table of a name goes.
        file_format: of the files.

    Raises:
        RingletError: Parquet without pyarrow.
        OSError: the folder cannot be written.
    """
    if file_format == "parquet":
        try:
            import pyarrow  # noqa: F401 - imported before anything is written
        except ImportError:
            raise RingletError("format: parquet needs pyarrow: pip install 'ringlet[parquet]'") from None
    folder.mkdir(parents=True, exist_ok=True)
    paths = {name: folder / f"{name}.{file_format}" for name in names}
    writers: dict[str, Callable[[Columns], None]] = {}
    with ExitStack() as files:
        for name, rows in tables:
            if not len(rows):
                continue
            if name not in writers:
                aside = files.enter_context(writing(paths[name]))
                write = _csv if file_format == "csv" else _parquet
                writers[name] = files.enter_context(write(aside, about))
            writers[name](rows)
    for name, path in paths.items():
        if name not in writers:
            # Not one of an earlier sweep into the same folder.
            path.unlink(missing_ok=True)
    return [path for name, path in paths.items() if name in writers]


@contextmanager
def _csv(path: Path, about: Mapping[str, str]) -> Iterator[Callable[[Columns], None]]:
    del about  # its rows say it
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")

        def write(rows: Columns) -> None:
            if file.tell() == 0:
                writer.writerow(rows.by_name)
            # A cell is empty where there is no number.
            writer.writerows(["" if cell != cell else cell for cell in row] for row in rows.rows())

        yield write


@contextmanager
def _parquet(path: Path, about: Mapping[str, str]) -> Iterator[Callable[[Columns], None]]:
    writer = None

    def write(rows: Columns) -> None:
        nonlocal writer
        table = pa.Table.from_pandas(rows.frame(), preserve_index=False)
        if writer is None:
            metadata = {**(table.schema.metadata or {}), **{key: value.encode() for key, value in about.items()}}
            writer = pq.ParquetWriter(path, table.schema.with_metadata(metadata))
        writer.write_table(table.cast(writer.schema))

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()
