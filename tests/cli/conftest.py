import pytest
from command_line import OMEGA, RING, SET, SET_CSV


@pytest.fixture
def folder(tmp_path):
    """A folder with the scenario `ring.toml`, the network `omega.toml`, and the message set `set.toml`."""
    (tmp_path / "omega.toml").write_text(OMEGA, encoding="utf-8")
    (tmp_path / "ring.toml").write_text(RING, encoding="utf-8")
    (tmp_path / "set.toml").write_text(SET, encoding="utf-8")
    (tmp_path / "set.csv").write_text(SET_CSV, encoding="utf-8")
    return tmp_path
