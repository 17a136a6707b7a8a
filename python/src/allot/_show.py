"""What solve shows while it works: a line of progress, or a Gantt chart in a notebook."""

from __future__ import annotations

import html
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._solution import Solution
    from ._solve import Progress


class Show:
    """A line on standard error, which each improvement rewrites."""

    schedules = False

    def improved(self, progress: Progress) -> None:
        sys.stderr.write(f"\r{progress!s:<78}")
        sys.stderr.flush()

    def done(self, solution: Solution) -> None:
        sys.stderr.write(f"\r{solution._headline():<78}")

    def close(self) -> None:
        sys.stderr.write("\n")
        sys.stderr.flush()


class Cell(Show):
    """A line, or a chart, in a cell of a notebook."""

    def __init__(self, chart: bool) -> None:
        from IPython.display import HTML, display

        self.schedules = chart
        self.html: Any = HTML
        self.handle: Any = display(HTML(""), display_id=True)  # type: ignore[no-untyped-call]

    def show(self, text: str, picture: str = "") -> None:
        if self.handle is not None:
            self.handle.update(self.html(f"<p>{html.escape(text)}</p>{picture}"))

    def improved(self, progress: Progress) -> None:
        solution = progress.solution
        if not self.schedules:
            self.show(str(progress))
        elif solution is not None and solution.jobs:
            self.show(str(progress), solution.plot().text)

    def done(self, solution: Solution) -> None:
        self.show(solution._headline(), solution.plot().text if self.schedules and solution.jobs else "")

    def close(self) -> None:
        pass


def in_notebook() -> bool:
    """Whether a notebook shows what display() gets."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def show_for(display: bool | str | None) -> Show | None:
    """What display asks for."""
    if display not in (None, False, True, "gantt"):
        raise ValueError(f'expected display to be True, False or "gantt", found {display!r}')
    if not display:
        return None
    return Cell(display == "gantt") if in_notebook() else Show()
