"""Finds the command allot."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ._errors import AllotError


def find() -> str:
    """The path of the command: the one in the wheel, else what ALLOT names, else the first in PATH."""
    inside = Path(__file__).parent / "bin" / ("allot.exe" if sys.platform == "win32" else "allot")
    if inside.is_file():
        return str(inside)
    import shutil  # takes long to load, and is not needed with a wheel

    for path in (os.environ.get("ALLOT"), shutil.which("allot")):
        if path:
            return path
    raise AllotError("the command allot is not there: install a wheel that brings it along, let ALLOT name it, or put it into PATH")
