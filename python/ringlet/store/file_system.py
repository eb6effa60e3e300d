"""The file system of a store: local to this machine, or shared by several."""

import os
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")
"""Linux's list of mounted file systems; other systems have none, and all places count as this machine's there."""

NETWORK = frozenset(
    [
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "fuse.ceph",
        "fuse.glusterfs",
        "fuse.juicefs",
        "fuse.sshfs",
        "gfs2",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "ocfs2",
        "orangefs",
        "panfs",
        "pvfs2",
        "smb2",
        "smb3",
        "smbfs",
    ]
)
"""File systems that several machines share. SQLite's write-ahead log needs memory that all processes share: one
machine's."""


def is_on_network(path: Path, mounts: Path = MOUNTS) -> bool:
    """Returns whether a file is on a file system that other machines may use at the same time, if known."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        real = os.path.realpath(path)
    except OSError:
        return False
    deepest, kind = "", ""
    for line in lines:
        before, _, after = line.partition(" - ")
        # A space in a name is written in octal.
        mount = before.split()[4].encode(errors="surrogateescape").decode("unicode_escape", "surrogateescape")
        if (real == mount or real.startswith(f"{mount.rstrip('/')}/")) and len(mount) >= len(deepest):
            deepest, kind = mount, after.split()[0]
    return kind in NETWORK
