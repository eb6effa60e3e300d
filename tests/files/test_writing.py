"""Files are written whole or not at all, and errors name them."""

import os
import resource
import stat
import subprocess
import sys
import threading

import pytest

import ringlet as rl
from ringlet.files import write_text, writing
from ringlet.trace.formats import write
from ringlet.trace.record import record


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_when_it_is_whole(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("before", encoding="utf-8")
    with writing(path) as aside:
        aside.write_text("after", encoding="utf-8")
        assert path.read_text(encoding="utf-8") == "before"
        assert aside.suffix == ".csv"
    assert path.read_text(encoding="utf-8") == "after"
    assert names(tmp_path) == ["table.csv"]


def half_write(path):
    with writing(path) as aside:
        aside.write_text("half", encoding="utf-8")
        raise ZeroDivisionError


def test_an_error_leaves_the_file_of_before_and_nothing_else(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("before", encoding="utf-8")
    with pytest.raises(ZeroDivisionError):
        half_write(path)
    assert path.read_text(encoding="utf-8") == "before"
    assert names(tmp_path) == ["table.csv"]


def test_a_link_is_replaced_and_what_it_leads_to_is_not_written(tmp_path):
    (tmp_path / "mine").write_text("mine", encoding="utf-8")
    link = tmp_path / "report.html"
    link.symlink_to(tmp_path / "mine")
    write_text(link, "report")
    assert not link.is_symlink()
    assert link.read_text(encoding="utf-8") == "report"
    assert (tmp_path / "mine").read_text(encoding="utf-8") == "mine"


def test_a_pipe_is_written_and_stays_one(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    write_text(pipe, "trace")
    reader.join()
    assert found == ["trace"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_files_are_as_readable_as_others(tmp_path):
    write_text(tmp_path / "a", "")
    (tmp_path / "b").write_text("", encoding="utf-8")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write_text(tmp_path / "nowhere" / "a", "")
    assert caught.value.filename == str(tmp_path / "nowhere" / "a")


COMMANDS = {
    "plot": (["plot", "ring.toml", "--out", "."], "nodes.svg"),
    "trace": (["trace", "ring.toml", "--format", "player", "--out", "ring.html"], "ring.html"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_is_said_with_the_file_and_leaves_no_part_of_it(tmp_path, command):
    (tmp_path / "ring.toml").write_text('[network]\nnodes = 4\n[run]\nduration = "4 us"\n', encoding="utf-8")
    words, file = COMMANDS[command]
    before = names(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "ringlet", *words],
        cwd=tmp_path,
        env={**os.environ, "MPLCONFIGDIR": str(tmp_path.parent), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        # No file grows beyond it.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, 8_000)),
    )
    assert done.returncode in (1, 2), done.stderr
    assert done.stderr.startswith(f"ringlet: {file}: "), done.stderr
    assert "File too large" in done.stderr
    assert names(tmp_path) == before


def test_a_device_is_written_and_stays_where_it_is(tmp_path):
    formats = {"trace.csv": "csv", "trace.vcd": "vcd", "trace.json": "perfetto"}
    for name in ("half-way", *formats):
        (tmp_path / name).symlink_to(os.devnull)
    ring = {"network": {"nodes": 4}, "run": {"duration": "1 us", "warmup": 0}}
    rl.Simulation(ring).save(tmp_path / "half-way")
    recording = record(rl.Scenario.from_dict(ring))
    for name, file_format in formats.items():
        write(recording, tmp_path / name, file_format)
    assert all(path.is_symlink() and path.is_char_device() for path in tmp_path.iterdir())
