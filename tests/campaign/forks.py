"""Commands in processes of their own that are forked from one in which all is imported: a tenth of the time."""

import atexit
import json
import subprocess
import sys
from functools import cache
from pathlib import Path

_SERVER = """
import contextlib, gc, importlib, io, json, os, sys
from ringlet.cli import main

def warm_up():
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for words in json.loads(sys.stdin.readline()):
            main(words)
    gc.freeze()

def request():
    # Returns what a child is to do; None in the parent when there is no more.
    for line in sys.stdin:
        child = os.fork()
        if not child:
            return json.loads(line)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(code, flush=True)

warm_up()
if asked := request():
    folder, words = asked
    os.chdir(folder)
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    sys.path.insert(0, folder)
    sys.dont_write_bytecode = True
    importlib.invalidate_caches()
    code = main(words)
    sys.stdout.flush()
    os._exit(code)
"""


@cache
def _server(warm_up: tuple[tuple[str, ...], ...]) -> subprocess.Popen[str]:
    """The process that forks: its environment is that of the first trial, and no package has been looked for in it."""
    server = subprocess.Popen([sys.executable, "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin is not None
    server.stdin.write(f"{json.dumps(warm_up)}\n")
    atexit.register(server.kill)
    return server


def forked(folder: Path, *words: str, warm_up: tuple[tuple[str, ...], ...]) -> subprocess.CompletedProcess[str]:
    """Runs a command of ringlet in a folder, whose packages are found.

    Args:
        folder: where it runs.
        words: the command's.
        warm_up: commands like it, which import what it needs and look for no package.
    """
    server = _server(warm_up)
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(f"{json.dumps([str(folder), words])}\n")
    server.stdin.flush()
    code = int(server.stdout.readline())
    out, err = ((folder / name).read_text(encoding="utf-8") for name in ("out", "err"))
    return subprocess.CompletedProcess(words, code, out, err)
