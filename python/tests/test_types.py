"""The types of the documents are those of the schemas."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_current(root: Path) -> None:
    subprocess.run([sys.executable, str(root / "python" / "generate_types.py"), "--check"], check=True)


def test_every_field_has_a_type(root: Path) -> None:
    """The fields of a document are those of its schema."""
    import json

    import allot.types

    for name, kind in (("instance", allot.types.InstanceDocument), ("solution", allot.types.SolutionDocument), ("proof", allot.types.CertificateDocument)):
        schema = json.loads((root / "schema" / f"{name}.schema.json").read_text(encoding="utf-8"))
        assert set(kind.__annotations__) == set(schema["properties"])
