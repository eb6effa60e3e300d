"""Writing scenario files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ringlet.files import write_text


def write_scenario(content: Mapping[str, Any], file: Path) -> None:
    """Writes what a scenario file holds as TOML.

    Raises:
        OSError: it cannot be written; the error names the file.
    """
    # Loaded where a file is written only.
    import tomli_w

    write_text(file, tomli_w.dumps(content))
