"""What is shown while a call works."""

from __future__ import annotations

import io
import re
import signal
import sys
import time
import types
from typing import Any

import pytest

import allot
from allot import _show


class Terminal(io.StringIO):
    """Standard error that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Not a fixture, as pytest takes standard error once more when the test begins."""
    fake = Terminal()
    monkeypatch.setattr(sys, "stderr", fake)
    return fake


class Handle:
    """A cell's output that can be changed."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def update(self, text: str) -> None:
        self.texts.append(text)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> list[Handle]:
    """A notebook, as far as the package uses it: the handles of what it displays."""
    handles: list[Handle] = []

    def display(text: str, display_id: bool) -> Handle:
        handles.append(Handle())
        return handles[-1]

    module: Any = types.ModuleType("IPython")
    shown: Any = types.ModuleType("IPython.display")
    module.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    shown.HTML, shown.display = str, display
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", shown)
    return handles


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, four: allot.Instance) -> None:
    """With a limit of time the bar fills; the last line has no bar and says what was found."""
    terminal = on_terminal(monkeypatch)
    sol = allot.solve(four, "search", stop=allot.MaxRuntime(0.6), display=True)
    lines = terminal.getvalue().rstrip("\n").split("\r")
    shares = [int(m[1]) for line in lines if (m := re.match(r"\[#*-*\] +(\d+) %  ", line))]
    assert shares and shares == sorted(shares)
    assert any("objective" in line for line in lines) and all(len(line) <= 80 for line in lines)
    assert lines[-1].strip() == sol._headline()[:79] and terminal.getvalue().endswith("\n")


def test_the_bar_follows_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, now = on_terminal(monkeypatch), [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    show = _show.Show(seconds=10)
    show.told("objective 5")
    for now[0] in (102.5, 109.9, 300):
        show.tick()
    show.done("optimal")
    show.close()
    lines = [line.rstrip() for line in terminal.getvalue().split("\r")]
    assert lines == [
        "", f"[{'-' * 24}]   0 %  objective 5", f"[{'#' * 6}{'-' * 18}]  25 %  objective 5", f"[{'#' * 23}-]  99 %  objective 5", f"[{'#' * 24}] 100 %  objective 5", "optimal",
    ]  # fmt: skip


def test_a_bar_that_only_moves(monkeypatch: pytest.MonkeyPatch, four: allot.Instance) -> None:
    """Where nobody knows how much is left, the bar states no share."""
    terminal = on_terminal(monkeypatch)
    allot.solve(four, "search", stop=allot.MaxEvaluations(20000), display=True)
    assert re.search(r"\r\[-*#-*\]  ", terminal.getvalue()) and not re.search(r"\] +\d+ %", terminal.getvalue())


def test_no_bar_in_a_file(capsys: pytest.CaptureFixture[str], four: allot.Instance) -> None:
    sol = allot.solve(four, "search", stop=allot.MaxEvaluations(2000), display="gantt")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) >= 2 and lines[-1] == sol._headline() and not any("[" in line or "\r" in line for line in lines)


def test_interrupt_with_a_bar(monkeypatch: pytest.MonkeyPatch, four: allot.Instance) -> None:
    """Ctrl-C while the bar moves: the best so far comes back, and the line is ended."""
    terminal = on_terminal(monkeypatch)
    pressed: list[bool] = []

    def interrupt(progress: allot.Progress) -> None:
        if progress.objective is not None and not pressed:
            pressed.append(True)
            signal.raise_signal(signal.SIGINT)

    sol = allot.solve(four, "search", stop=allot.MaxRuntime(600), on_progress=interrupt, display=True)
    assert sol.stop == "cancelled" and sol.found and terminal.getvalue().endswith("\n")


def test_a_bar_in_a_notebook(notebook: list[Handle], four: allot.Instance) -> None:
    sol = allot.solve(four, "search", stop=allot.MaxRuntime(0.7), display="gantt")
    top, below = notebook
    shares = [float(m[1]) for text in top.texts if (m := re.search(r'<progress max="1" value="([\d.]+)">', text))]
    assert shares and shares == sorted(shares) and "<progress" not in top.texts[-1] and sol._headline() in top.texts[-1]
    assert below.texts and all("<svg" in text for text in below.texts)


def test_compare_counts_its_runs(notebook: list[Handle], four: allot.Instance) -> None:
    solvers = ["mct", "minmin", "olb", "maxmin", "muscle"]
    table = allot.compare(four, solvers, display="gantt")
    top, below = notebook
    assert "<progress" not in top.texts[-1] and "5 runs" in top.texts[-1]
    assert len(below.texts) == 1 and below.texts[0].count("&lt;svg") == 4  # as many as can be told apart
    assert all(f"{s}, four" in below.texts[0] for s in solvers[:4])
    assert "<svg" in table.plot().text


def test_shares() -> None:
    show = _show.Show(runs=4)
    assert show.share() == 0 and _show.Show().share() is None
    show.ended = 3
    assert show.share() == 0.75 and show.bar() == "[##################------]  75 %  "


def test_wrong_display(tiny: allot.Instance) -> None:
    with pytest.raises(ValueError, match="expected display to be"):
        allot.solve(tiny, "exact", display="bar")
