"""Builds the command into the wheel, as tools/release builds that of an archive.

ALLOT_PLATFORM names the platform of the wheel, a key of PLATFORMS; absent: this machine. The same commit and compilers give the same bytes.
"""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

# The wheels: GOOS, GOARCH and the tag of the platform. The command is a static program on Linux and needs macOS 12 or Windows 10, as Go does.
PLATFORMS = {
    "manylinux/amd64": ("linux", "amd64", "manylinux_2_17_x86_64"),
    "manylinux/arm64": ("linux", "arm64", "manylinux_2_17_aarch64"),
    "musllinux/amd64": ("linux", "amd64", "musllinux_1_1_x86_64"),
    "musllinux/arm64": ("linux", "arm64", "musllinux_1_1_aarch64"),
    "macos/amd64": ("darwin", "amd64", "macosx_12_0_x86_64"),
    "macos/arm64": ("darwin", "arm64", "macosx_12_0_arm64"),
    "windows/amd64": ("windows", "amd64", "win_amd64"),
    "windows/arm64": ("windows", "arm64", "win_arm64"),
}


def git(*words: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *words], check=True, capture_output=True, text=True).stdout.strip()


def version() -> str:
    """The tag of the commit, else 0.0.0.devTIME of the commit, in UTC."""
    tag = re.fullmatch(r"v(\d+\.\d+\.\d+)", git("tag", "--points-at", "HEAD", "--list", "v*.*.*"))
    if tag:
        return tag[1]
    when = datetime.datetime.fromtimestamp(int(git("log", "-1", "--format=%ct")), datetime.timezone.utc)
    return f"0.0.0.dev{when:%Y%m%d%H%M%S}"


def this_platform() -> str:
    """The platform of this machine."""
    machine = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine().lower())
    system = {"win32": "windows", "darwin": "macos"}.get(sys.platform, "manylinux" if platform.libc_ver()[0] == "glibc" else "musllinux")
    if f"{system}/{machine}" not in PLATFORMS:
        raise SystemExit(f"there is no wheel for {sys.platform} on {platform.machine()}")
    return f"{system}/{machine}"


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds the command, the licences and the tag to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return  # the command is then found by ALLOT or PATH
        system, processor, tag = PLATFORMS[os.environ.get("ALLOT_PLATFORM") or this_platform()]
        folder = Path(tempfile.mkdtemp(prefix="allot-wheel-"))
        self.folder = folder
        program = "allot.exe" if system == "windows" else "allot"
        words = ["go", "-C", "tools", "run", "./release", "-C", str(ROOT), "-o", str(folder), "-bare", "-platforms", f"{system}/{processor}"]
        subprocess.run(words, cwd=ROOT, check=True)
        licences = folder / "THIRD-PARTY-LICENCES"
        info = f"allot_opt-{self.metadata.version}.dist-info/licenses"
        build_data["force_include"][str(folder / program)] = f"allot/bin/{program}"
        build_data["force_include"][str(ROOT / "LICENSE")] = f"{info}/LICENSE"
        build_data["force_include"][str(licences)] = f"{info}/THIRD-PARTY-LICENCES"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{tag}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "folder"):
            for path in self.folder.iterdir():
                path.unlink()
            self.folder.rmdir()
