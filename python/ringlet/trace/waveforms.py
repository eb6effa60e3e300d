"""VCD and FST files, for GTKWave and Surfer."""

from pathlib import Path
from typing import TYPE_CHECKING

from ringlet._engine import __version__, write_fst
from ringlet.lazy import library
from ringlet.trace.recording import Recording
from ringlet.trace.signals import changes, scopes, time_ps

if TYPE_CHECKING:
    import vcd
    import vcd.writer
else:
    vcd = library("vcd")


def write_vcd(recording: Recording, path: Path) -> None:
    """Writes a Value Change Dump (IEEE 1364)."""
    recorded = changes(recording)
    start = int(time_ps(recording, recording.start))
    with (
        path.open("w", encoding="ascii") as file,
        vcd.VCDWriter(file, timescale="1 ps", date="", version=_version(), init_timestamp=start) as writer,
    ):
        variables: list[tuple[vcd.writer.VectorVariable, str]] = []
        for scope, signals in scopes(recording):
            for name, width in signals:
                variable = writer.register_var(scope, name, "wire", size=width)
                assert isinstance(variable, vcd.writer.VectorVariable)
                variables.append((variable, "x" * width))
        columns = (recorded.time_ps.tolist(), recorded.signal.tolist(), recorded.value.tolist())
        for time, signal, value in zip(*columns, strict=True):
            variable, unknown = variables[signal]
            writer.change(variable, time, value if value >= 0 else unknown)
        writer.close(int(time_ps(recording, recording.stop)))


def write_fst_file(recording: Recording, path: Path) -> None:
    """Writes a Fast Signal Trace (GTKWave's compressed format)."""
    recorded = changes(recording)
    write_fst(
        path,
        _version(),
        int(time_ps(recording, recording.start)),
        int(time_ps(recording, recording.stop)),
        [(scope, list(signals)) for scope, signals in scopes(recording)],
        recorded.time_ps,
        recorded.signal,
        recorded.value,
    )


def _version() -> str:
    return f"ringlet {__version__}"
