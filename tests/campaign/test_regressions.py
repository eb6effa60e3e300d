"""Cases on which a campaign has failed, shrunk: none fails again."""

from pathlib import Path

import pytest

from campaign import case
from campaign.kinds import KINDS

FILES = sorted(Path(__file__).with_name("regressions").glob("*.toml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_failed_once_does_not_fail_again(file, tmp_path):
    kind, seed, kept = case.from_toml(file)
    KINDS[kind].try_case(kept, tmp_path, seed)
