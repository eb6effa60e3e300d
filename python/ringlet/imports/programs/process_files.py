"""Files of a trace that has one for each process of a program, numbered from 0."""

import re
from pathlib import Path

from ringlet.errors import RingletError


def process_files(file: Path, named: re.Pattern[str], allowed: str) -> list[Path]:
    """Returns the files of all processes, in their order.

    Args:
        file: one of them.
        named: names of the files, as groups: what is before the number, the number, and what is behind it.
        allowed: words for these names.

    Raises:
        RingletError: the file has another name, or the one of a process is missing.
    """
    match = named.fullmatch(file.name)
    if match is None:
        raise RingletError.not_allowed(str(file), file.name, allowed)
    found = {}
    for one in file.parent.iterdir():
        other = named.fullmatch(one.name)
        if other is not None and (other[1], other[3]) == (match[1], match[3]):
            found[int(other[2])] = one
    missing = next((process for process in range(len(found)) if process not in found), None)
    if missing is not None:
        raise RingletError.not_allowed(str(file.parent), f"<no file of process {missing}>", "a file of each process")
    return [found[process] for process in range(len(found))]
