"""Builds the wheels of all platforms into a folder: python wheels.py FOLDER [PLATFORM...]. It needs hatchling, Go and a clone. The same commit and compilers give the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from hatch_build import HERE, PLATFORMS, git, version

MOST = 20_000_000  # bytes of a wheel


def main(folder: str, *platforms: str) -> None:
    for platform in platforms or tuple(PLATFORMS):
        # The wheels of another commit stay: their names tell them apart.
        environment = {**os.environ, "ALLOT_PLATFORM": platform, "SOURCE_DATE_EPOCH": git("log", "-1", "--format=%ct")}
        words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(Path(folder).resolve())]
        subprocess.run(words, cwd=HERE, env=environment, check=True)
        wheel = Path(folder) / f"allot_opt-{version()}-py3-none-{PLATFORMS[platform][2]}.whl"
        size = wheel.stat().st_size
        print(f"{wheel.name}: {size / 1e6:.1f} MB", flush=True)
        if size > MOST:
            raise SystemExit(f"{wheel.name}: expected at most {MOST / 1e6:.0f} MB")


if __name__ == "__main__":
    main(*sys.argv[1:])
