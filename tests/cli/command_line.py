"""Runs the command in a process of its own, with a terminal of 100 columns that is none."""

import os
import signal
import subprocess
from pathlib import Path

import command_server
import psutil

COMMAND = command_server.COMMAND

RING = """
[network]
nodes = 4
[traffic]
pattern = "permutation"
destinations = [3, 3, 3, 1]
[run]
duration = "20 us"
"""

OMEGA = """
[network]
topology = "omega"
size = 4
connection = "long-ring"
"""

SET = """
messages_file = "set.csv"
[network]
nodes = 4
[queues]
receive = 5
service_time = "20 ns"
[run]
duration = "200 us"
"""

SET_CSV = """name,source,destination,size,period_us,deadline,priority
fast,0,2,64,2,1 us,2
bulk,1,3,2 KiB,20,,1
slow,3,2,4 KiB,50,,
"""


def ringlet(
    *words: object, folder: Path, timeout_s: float = 60, **environment: str
) -> subprocess.CompletedProcess[str]:
    hidden = ("FORCE_COLOR", "NO_COLOR", "RINGLET_DEBUG")
    inherited = {key: value for key, value in os.environ.items() if key not in hidden}
    given = {**inherited, "COLUMNS": "100", "TERM": "dumb", **environment}
    command = [str(word) for word in words]
    return subprocess.CompletedProcess(command, *command_server.run(command, folder, given, timeout_s))


def started(*arguments: object, folder: Path) -> psutil.Popen:
    """Starts the command in a process group of its own, which Ctrl-C reaches; its output is text in pipes."""
    return psutil.Popen(
        [COMMAND, *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=take_interrupts,
    )


def take_interrupts() -> None:
    """Takes back that a shell makes what it runs in the background ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
