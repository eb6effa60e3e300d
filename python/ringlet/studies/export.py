"""Tables as files: CSV or Parquet."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ringlet.errors import RingletError
from ringlet.files import writing

if TYPE_CHECKING:
    import pandas as pd

Format = Literal["csv", "parquet"]


def write_tables(
    tables: "Iterable[tuple[str, Iterator[pd.DataFrame]]]", about: Mapping[str, str], folder: Path, file_format: Format
) -> list[Path]:
    """Writes a file for each table that has rows, and returns the files.

    Args:
        tables: names, and the pieces of each table; a large one need not be in memory as a whole.
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
    written = []
    for name, pieces in tables:
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


def _write_csv(path: Path, pieces: "Iterable[pd.DataFrame]", about: Mapping[str, str]) -> None:
    del about  # its rows say it
    with path.open("w", encoding="utf-8", newline="") as file:
        for i, piece in enumerate(pieces):
            piece.to_csv(file, index=False, header=i == 0, lineterminator="\n")


def _write_parquet(path: Path, pieces: "Iterable[pd.DataFrame]", about: Mapping[str, str]) -> None:
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
