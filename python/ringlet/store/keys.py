"""The key of a run in the store: a hash of its content."""

import hashlib
import json
from typing import Any


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
