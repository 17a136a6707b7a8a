"""Reads the cells of docs/python.md, and writes the notebook of its five tasks: python pages.py"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "python.md"
NOTEBOOK = ROOT / "docs" / "python.ipynb"


@dataclass(frozen=True)
class Cell:
    words: str  # what stands before the program
    code: str
    shown: str  # what the page says that it writes


def cells(text: str) -> list[Cell]:
    """The programs of a page."""
    found = re.findall(r"(?:(?<=\n\n)|^)((?:(?!```)[^\n]*\n)*?)\n?```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", text, re.S)
    return [Cell(words.strip().rpartition("\n\n")[2], code, shown) for words, code, shown in found]


def notebook() -> str:
    """The five tasks as a notebook, without outputs."""
    page = PAGE.read_text(encoding="utf-8")
    tasks = page.partition("## Five tasks")[2].partition("\n## ")[0]
    parts: list[tuple[str, str]] = [("markdown", "# allot in Python: five tasks\n\nMade of docs/python.md, which says more. Start it in the folder of a clone.")]
    for cell in cells(tasks):
        parts += [("markdown", re.sub(r"\]\((?!http)[^)]*\)", "]", cell.words).replace("[", "").replace("]", "")), ("code", cell.code.strip())]
    written = []
    for k, (kind, text) in enumerate(parts):
        one: dict[str, object] = {"cell_type": kind, "id": f"cell-{k}", "metadata": {}, "source": text.splitlines(keepends=True)}
        if kind == "code":
            one.update(execution_count=None, outputs=[])
        written.append(one)
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}
    return json.dumps({"cells": written, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    NOTEBOOK.write_text(notebook(), encoding="utf-8")
