"""The wheel of a commit is always the same."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest


@pytest.mark.skipif(importlib.util.find_spec("hatchling") is None, reason="hatchling builds the wheel")
def test_the_same_bytes(root: Path, tmp_path: Path) -> None:
    """Built twice, at other times and into other folders, it has the same bytes."""
    texts = []
    for k, zone in enumerate(("UTC", "Asia/Tokyo")):
        folder = tmp_path / f"dist-{k}"
        environment = {**os.environ, "TZ": zone, "SOURCE_DATE_EPOCH": "1790000000", "TMPDIR": str(tmp_path)}
        subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], cwd=root / "python", env=environment, check=True, capture_output=True)
        (wheel,) = folder.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            assert {i.date_time for i in archive.infolist()} == {(2026, 9, 21, 14, 13, 20)}
            assert any(name.startswith("allot/bin/allot") for name in archive.namelist())
        texts.append(wheel.read_bytes())
    assert texts[0] == texts[1]
