"""The record of a run that a store keeps, and its key: a hash of its content."""

import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ringlet import limits
from ringlet.errors import RingletError
from ringlet.figures import row_of_run
from ringlet.store.figures import Layout, pack


@dataclass(frozen=True, slots=True)
class Record:
    """A finished run, ready to be stored: small enough to travel from where it was computed."""

    layout: Layout
    """Names of the figures."""
    figures: bytes
    """The totals, packed."""
    document: bytes
    """The document of the run but for its scenario, as compressed JSON."""
    wall_s: float
    """Wall-clock time of the run."""

    @classmethod
    def of(cls, document: Mapping[str, Any], *, wall_s: float) -> "Record":
        """Makes the record of a run's document; its timing is left out, as every run has another one."""
        content = {key: value for key, value in document.items() if key != "scenario"}
        return cls.of_figures(row_of_run(document), content, wall_s=wall_s)

    @classmethod
    def of_figures(cls, figures: Mapping[str, float], content: Mapping[str, Any], *, wall_s: float) -> "Record":
        """Makes the record of figures by name, and a document that goes with them."""
        layout, packed = pack(figures)
        text = json.dumps(content, allow_nan=False, separators=(",", ":"))
        return cls(layout, packed, compress(text), wall_s)


def compress(text: str) -> bytes:
    """Returns a text as the store keeps it."""
    return zlib.compress(text.encode())


def decompress(content: bytes) -> str:
    """Returns the text again.

    Raises:
        RingletError: it is larger than any document, as only a store from elsewhere may have it.
    """
    unpacking = zlib.decompressobj()
    text = unpacking.decompress(content, limits.FILE_BYTES)
    if unpacking.unconsumed_tail:
        raise RingletError(f"store: a document takes more than {limits.FILE_BYTES >> 20} MiB when it is unpacked")
    return text.decode()


def canonical_json(content: Any) -> str:  # noqa: ANN401 - anything that JSON takes
    """Returns JSON that is the same for the same content."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def scenario_digest(scenario_json: str) -> str:
    """Returns the SHA-256 of a resolved scenario without its seed, given as `canonical_json`, in hexadecimal."""
    return hashlib.sha256(scenario_json.encode()).hexdigest()


def result_key(digest: str, seed: int, engine: str) -> str:
    """Returns the key of a run: the SHA-256 of the scenario's digest, the seed, and
    `ringlet.simulation.engine_version()`."""
    return hashlib.sha256(f"{digest} {seed} {engine}".encode()).hexdigest()
