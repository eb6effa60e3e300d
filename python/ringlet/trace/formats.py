"""The formats of an export."""

from collections.abc import Callable, Mapping
from pathlib import Path

from ringlet.errors import RingletError
from ringlet.files import writing
from ringlet.trace.perfetto import write_perfetto
from ringlet.trace.recording import Recording
from ringlet.trace.tabular import write_csv, write_parquet
from ringlet.trace.waveforms import write_fst_file, write_vcd

FORMATS: Mapping[str, Callable[[Recording, Path], None]] = {
    "vcd": write_vcd,
    "fst": write_fst_file,
    "perfetto": write_perfetto,
    "csv": write_csv,
    "parquet": write_parquet,
}
"""Writers of all formats by name."""


def write(recording: Recording, path: Path | str, file_format: str) -> Path:
    """Writes a recording to a file in one of the `FORMATS` and returns its path.

    Raises:
        RingletError: no such format, or the file cannot be written.
    """
    if file_format not in FORMATS:
        raise RingletError.not_allowed("--format", file_format, ", ".join(FORMATS))
    path = Path(path)
    try:
        with writing(path) as aside:
            FORMATS[file_format](recording, aside)
    except OSError as error:
        raise RingletError(f"{path}: cannot be written: {error.strerror or error}") from error
    return path
