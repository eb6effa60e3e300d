"""Server of commands: a process that has loaded ringlet and its libraries, and forks itself for each command.

A command that is forked is a process of its own, with its own folder, environment and output, but need not load
anything: that takes longer than most of what tests ask for. `tests/cli/test_start.py` and those that send signals, or
close what a command writes to, start it as a person does.
"""

import array
import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import IO, Any

COMMAND = Path(sys.executable).parent / "ringlet"

CAN_FORK = sys.platform == "linux"
"""Other systems have libraries that a fork breaks, or no fork at all."""

READ_BY_THE_INTERPRETER = ("PYTHON", "LC_", "LANG", "LD_", "MPL")
"""Beginnings of the names of variables that a process reads when it starts, or loads a library."""

ENVIRONMENT = dict(os.environ)
"""Environment of the server: that of the tests, before one of them changes it."""

OUTPUTS = 2
"""Files that a command writes to: stdout, stderr."""

MOST_BYTES = 1 << 20


def run(words: list[str], folder: Path, environment: dict[str, str], timeout_s: float = 600) -> tuple[int, str, str]:
    """Runs a command and returns its exit code, and what it wrote to stdout and to stderr."""
    if not CAN_FORK or _read_at_the_start(environment) != _read_at_the_start(ENVIRONMENT):
        done = subprocess.run(
            [COMMAND, *words],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout_s,
        )
        return done.returncode, done.stdout, done.stderr
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        server = _server()
        request = json.dumps({"words": words, "folder": str(folder), "environment": environment}).encode()
        assert len(request) < MOST_BYTES
        files = array.array("i", [stdout.fileno(), stderr.fileno()])
        server.sendmsg([request], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
        child = int(server.recv(MOST_BYTES))
        server.settimeout(timeout_s)
        try:
            code = int(server.recv(MOST_BYTES))
        except TimeoutError:
            os.kill(child, signal.SIGKILL)
            server.settimeout(None)
            server.recv(MOST_BYTES)
            raise subprocess.TimeoutExpired(["ringlet", *words], timeout_s) from None
        return code, _text(stdout), _text(stderr)


def _read_at_the_start(environment: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(READ_BY_THE_INTERPRETER)}


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


@cache
def _server() -> socket.socket:
    """Starts the server of this process; it ends with it, since the socket is closed then."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        server = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())],
            env=ENVIRONMENT,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    # The server ends when nobody can ask it any more.
    atexit.register(lambda: (ours.close(), server.wait()))
    return ours


def serve(requests: socket.socket) -> None:
    """Forks a process for each request, and answers with its number and, when it has ended, its exit code."""
    while True:
        request, files, _, _ = socket.recv_fds(requests, MOST_BYTES, OUTPUTS)
        if not request:
            return
        child = os.fork()
        if child == 0:
            requests.close()
            _be(json.loads(request), files)
        requests.send(str(child).encode())
        for file in files:
            os.close(file)
        _, status = os.waitpid(child, 0)
        requests.send(str(os.waitstatus_to_exitcode(status)).encode())


def _be(request: dict[str, Any], files: list[int]) -> None:
    """Is the command, and ends."""
    # What the server would do at its end is not the command's to do.
    atexit._clear()
    for number, file in enumerate(files, start=1):
        os.dup2(file, number)
        os.close(file)
    os.setsid()
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    # Worker processes load the program again.
    main = ModuleType("__main__")
    main.__file__ = str(COMMAND)
    sys.modules["__main__"], sys.argv, sys.path[0] = main, [str(COMMAND), *request["words"]], str(COMMAND.parent)
    from ringlet.cli import main as command

    # As in a program: `sys.exit`, what is to be done at its end, and the exit code.
    code: object = 1
    try:
        code = command()
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
    threading._shutdown()
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def load() -> None:
    """Loads what commands need."""
    import importlib
    import pkgutil

    import ringlet.cli
    import ringlet.cli.app
    from ringlet.plots.undocumented import load_matplotlib

    for module in pkgutil.iter_modules(ringlet.cli.__path__, "ringlet.cli."):
        importlib.import_module(module.name)
    load_matplotlib()
    for name in ("numpy", "pandas", "scipy.optimize", "scipy.stats", "ringlet.studies", "ringlet.simulation"):
        importlib.import_module(name)


if __name__ == "__main__":
    load()
    serve(socket.socket(fileno=int(sys.argv[1])))
