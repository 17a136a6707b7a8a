"""What the tests share: a small instance, and the folder of the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

import allot

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def root() -> Path:
    return ROOT


@pytest.fixture
def tiny() -> allot.Instance:
    return allot.Instance.read(ROOT / "examples" / "tiny.json")


@pytest.fixture
def four() -> allot.Instance:
    return allot.Instance.read(ROOT / "examples" / "four.json")
