"""What docs/python.md and the README of the package show is so, and the notebook runs."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import allot


def pages(root: Path) -> Any:
    spec = importlib.util.spec_from_file_location("pages", root / "python" / "pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["pages"] = module
    spec.loader.exec_module(module)
    return module


def run(code: str, names: dict[str, Any]) -> str:
    """What a cell writes, and its last value."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            if value is not None:
                print(repr(value))
    return out.getvalue()


def matches(shown: str, found: str) -> bool:
    """Whether the page shows what was found; … stands for anything."""
    pattern = ".*".join(re.escape(part) for part in shown.split("…"))
    return re.fullmatch(pattern, found, re.S) is not None


def test_matches() -> None:
    assert matches("a … c\n", "a b c\n") and not matches("a\n", "b\n") and not matches("a.c\n", "abc\n")


def test_page(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    pandas.set_option("display.width", 100)
    (tmp_path / "data").symlink_to(root / "data")
    monkeypatch.chdir(tmp_path)
    cells = pages(root).cells((root / "docs/python.md").read_text(encoding="utf-8"))
    assert len(cells) == 7
    names: dict[str, Any] = {}
    for cell in cells:
        found = run(cell.code, names)
        assert matches(cell.shown, found), f"{cell.code}\nshown:\n{cell.shown}\nfound:\n{found}"
    assert (tmp_path / "plan.svg").stat().st_size > 1000


def test_readme(root: Path) -> None:
    (cell,) = pages(root).cells((root / "python/README.md").read_text(encoding="utf-8"))
    assert run(cell.code, {}).split()[0] in ("optimal", "feasible")


def test_notebook_is_current(root: Path) -> None:
    assert (root / "docs/python.ipynb").read_text(encoding="utf-8") == pages(root).notebook(), "run python pages.py"


def test_notebook(root: Path, tmp_path: Path) -> None:
    """It runs from the first cell to the last, shows charts, and the live one has improved in its place."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    (tmp_path / "data").symlink_to(root / "data")
    book = nbformat.read(root / "docs/python.ipynb", as_version=4)
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [[o.get("data", {}).get("text/html", "") for o in cell.outputs] for cell in book.cells if cell.cell_type == "code"]
    assert len(shown) == 5
    assert any("<iframe srcdoc=" in h for h in shown[0]) and any("longest_first" in h for h in shown[1])
    assert any("<svg" in h and "objective" in h for h in shown[4])


def test_a_chart_of_the_page(four: allot.Instance, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a notebook a line tells of the progress."""
    allot.solve(four, "search", stop=allot.MaxEvaluations(2000), display="gantt")
    assert "objective" in capsys.readouterr().err
