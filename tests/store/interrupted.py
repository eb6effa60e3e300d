"""Writes and synchronisations of SQLite that fail, are cut short, or end their process.

SQLite looks up its system calls in a table that its own tests change in the same way (`xSetSystemCall` of its virtual
file system). Synchronisations are not in that table, but each open file has a table of methods, `xSync` among them.
"""

import ctypes
import errno
import os
import signal
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

HOWS = ("error", "broken", "full", "kill")
"""One call fails; it and all later ones do; the disk is full from there on; the process ends, data partly written."""

CALLS = ("pwrite64", "pwrite", "write", "ftruncate", "unlink")
"""System calls that change a file, by the names that SQLite gives them; not every system has each."""

SYNC = "sync"
"""Putting a file on the disk, which is no system call that SQLite has a name for."""

IOERR_FSYNC = 10 | 4 << 8
"""What SQLite returns if that fails (`SQLITE_IOERR_FSYNC`)."""


class _FileSystem(ctypes.Structure):
    """`sqlite3_vfs` (sqlite3.h), up to what is used."""

    _fields_ = [
        ("iVersion", ctypes.c_int),
        ("szOsFile", ctypes.c_int),
        ("mxPathname", ctypes.c_int),
        *((name, ctypes.c_void_p) for name in ("pNext", "zName", "pAppData")),
        ("xOpen", ctypes.c_void_p),
        *((f"method_{number}", ctypes.c_void_p) for number in range(1, 13)),
        ("xSetSystemCall", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)),
        ("xGetSystemCall", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)),
    ]


class _Methods(ctypes.Structure):
    """`sqlite3_io_methods`, all of version 3: what is beyond an older one's is not read."""

    _fields_ = [
        ("iVersion", ctypes.c_int),
        *((name, ctypes.c_void_p) for name in ("xClose", "xRead", "xWrite", "xTruncate", "xSync")),
        *((f"method_{number}", ctypes.c_void_p) for number in range(5, 18)),
    ]


class _File(ctypes.Structure):
    """`sqlite3_file`."""

    _fields_ = [("pMethods", ctypes.POINTER(_Methods))]


OPEN = (ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(_File), ctypes.c_int, ctypes.c_void_p)

SIGNATURES: dict[str, Any] = {
    "pwrite64": (ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64),
    "pwrite": (ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64),
    "write": (ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t),
    "ftruncate": (ctypes.c_int, ctypes.c_int, ctypes.c_int64),
    "unlink": (ctypes.c_int, ctypes.c_char_p),
    SYNC: (ctypes.c_int, ctypes.c_void_p, ctypes.c_int),
}


@dataclass
class Fault:
    """What becomes of one of the calls, and of those after it."""

    call: int
    """Its number, from 0; -1: of none."""
    how: str
    kept: float = 0.0
    """Share of the data of that call that is written."""


@cache
def _library() -> ctypes.CDLL | None:
    """The SQLite that Python uses, where it is a library of its own."""
    try:
        library = ctypes.CDLL("libsqlite3.so.0")
    except OSError:
        return None
    library.sqlite3_vfs_find.restype = ctypes.POINTER(_FileSystem)
    file_system = library.sqlite3_vfs_find(None)
    return library if file_system and file_system.contents.iVersion >= 3 else None


def is_possible() -> bool:
    """Whether the calls of this machine's SQLite can be interrupted."""
    import _sqlite3  # noqa: F401 -- it loads the library

    maps = Path("/proc/self/maps")
    return maps.exists() and "libsqlite3.so.0" in maps.read_text() and _library() is not None


class Interrupted:
    """Counts this process's calls from now on, and interrupts one; for a process that ends with its trial."""

    def __init__(self, fault: Fault) -> None:
        """Takes the place of the calls."""
        self.calls = 0
        """Calls so far."""
        self.names: list[str] = []
        """What they were."""
        self._fault = fault
        library = _library()
        assert library is not None
        file_system = library.sqlite3_vfs_find(None)
        self._kept_alive: list[object] = []
        for name in CALLS:
            address = file_system.contents.xGetSystemCall(ctypes.addressof(file_system.contents), name.encode())
            if address is None:
                continue
            prototype = ctypes.CFUNCTYPE(*SIGNATURES[name], use_errno=True)
            instead = prototype(self._instead_of(name, prototype(address)))
            self._kept_alive.append(instead)
            pointer = ctypes.cast(instead, ctypes.c_void_p)
            file_system.contents.xSetSystemCall(ctypes.addressof(file_system.contents), name.encode(), pointer)
        opened = ctypes.CFUNCTYPE(*OPEN)(self._opener(ctypes.CFUNCTYPE(*OPEN)(file_system.contents.xOpen)))
        self._kept_alive.append(opened)
        file_system.contents.xOpen = ctypes.cast(opened, ctypes.c_void_p)

    def _opener(self, real: Any) -> Any:
        """Gives each file that is opened its own table of methods, with another `xSync`."""
        prototype = ctypes.CFUNCTYPE(*SIGNATURES[SYNC])

        def opened(system: Any, name: Any, file: Any, flags: int, flags_out: Any) -> int:
            code = int(real(system, name, file, flags, flags_out))
            if code == 0 and file.contents.pMethods:
                methods = _Methods.from_buffer_copy(file.contents.pMethods.contents)
                instead = prototype(self._instead_of(SYNC, prototype(methods.xSync)))
                methods.xSync = ctypes.cast(instead, ctypes.c_void_p)
                self._kept_alive += [instead, methods]
                file.contents.pMethods = ctypes.pointer(methods)
            return code

        return opened

    def _instead_of(self, name: str, real: Any) -> Any:
        def call(*arguments: Any) -> int:
            number, fault = self.calls, self._fault
            self.calls += 1
            self.names.append(name)
            if fault.call < 0 or number < fault.call or (number > fault.call and fault.how == "error"):
                return int(real(*arguments))
            writes = "write" in name
            if number > fault.call and fault.how == "full" and not (writes and _extends(name, arguments)):
                return int(real(*arguments))
            if number == fault.call and writes and fault.how in ("full", "kill"):
                descriptor, data, size, *at = arguments
                kept = int(size * fault.kept)
                if kept and fault.how == "full":
                    return int(real(descriptor, data, kept, *at))
                if kept:
                    real(descriptor, data, kept, *at)
            if fault.how == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if fault.how == "full" and not writes:
                return int(real(*arguments))
            ctypes.set_errno(errno.ENOSPC if fault.how == "full" else errno.EIO)
            return IOERR_FSYNC if name == SYNC else -1

        return call


def _extends(name: str, arguments: tuple[Any, ...]) -> bool:
    """Whether a write goes beyond what its file has on the disk."""
    descriptor, _, size, *at = arguments
    end = (at[0] if at else os.lseek(descriptor, 0, os.SEEK_CUR)) + size
    return bool(end > os.fstat(descriptor).st_size)
