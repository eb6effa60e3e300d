import pytest
from command_line import RING


@pytest.fixture
def folder(tmp_path):
    """A folder with the scenario `ring.toml`."""
    (tmp_path / "ring.toml").write_text(RING, encoding="utf-8")
    return tmp_path
