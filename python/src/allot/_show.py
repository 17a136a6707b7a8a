"""What solve and compare show while they work: a bar of progress with a line, or a chart in a notebook."""

from __future__ import annotations

import html
import os
import sys
import time
from typing import Any

WIDTH = 24  # characters of the bar


class Show:
    """A bar and a line on standard error, rewritten on a terminal. Elsewhere each news is a line of its own, without a bar."""

    def __init__(self, seconds: float | None = None, runs: int | None = None) -> None:
        """The work takes so many seconds, or so many runs; without both nobody knows how much is left, and the bar only moves."""
        self.seconds, self.runs, self.ended = seconds, runs, 0
        self.began = time.monotonic()
        self.line = ""
        self.terminal = sys.stderr.isatty()
        self.written = False

    def share(self) -> float | None:
        """The share of the work that is done; None: not known."""
        if self.runs:
            return min(1.0, self.ended / self.runs)
        if self.seconds:
            return min(1.0, (time.monotonic() - self.began) / self.seconds)
        return None

    def told(self, line: str, picture: str | None = None) -> None:
        """Shows a line in place of the last one, and a picture where there is room for it."""
        self.line = line
        if self.terminal:
            self.draw(self.bar())
        else:
            sys.stderr.write(line.strip() + "\n")
            self.written = True

    def tick(self) -> None:
        """Moves the bar."""
        if self.terminal:
            self.draw(self.bar())

    def done(self, line: str, picture: str | None = None) -> None:
        """Shows the last line."""
        self.line = line
        if self.terminal:
            self.draw("")
        else:
            sys.stderr.write(line + "\n")

    def bar(self) -> str:
        share = self.share()
        if share is not None:
            full = int(share * WIDTH)
            return f"[{'#' * full}{'-' * (WIDTH - full)}] {100 * share:3.0f} %  "
        at = int(8 * (time.monotonic() - self.began)) % WIDTH
        return f"[{'-' * at}#{'-' * (WIDTH - 1 - at)}]  "

    def draw(self, bar: str) -> None:
        try:
            columns = os.get_terminal_size(sys.stderr.fileno()).columns
        except (OSError, ValueError):
            columns = 80
        sys.stderr.write(f"\r{bar + self.line.strip():<{columns - 1}.{columns - 1}}")
        sys.stderr.flush()
        self.written = True

    def close(self) -> None:
        """Leaves the line."""
        if self.terminal and self.written:
            sys.stderr.write("\n")
        sys.stderr.flush()


class Cell(Show):
    """A bar and a line, and perhaps a picture below, in a cell of a notebook."""

    def __init__(self, seconds: float | None = None, runs: int | None = None) -> None:
        super().__init__(seconds, runs)
        from IPython.display import HTML, display

        self.html: Any = HTML
        self.top: Any = display(HTML(""), display_id=True)  # type: ignore[no-untyped-call]
        self.below: Any = display(HTML(""), display_id=True)  # type: ignore[no-untyped-call]
        self.last = 0.0

    def show(self, bar: str, picture: str | None = None) -> None:
        if self.top is not None:
            self.top.update(self.html(f"<p>{bar} {html.escape(self.line)}</p>"))
        if self.below is not None and picture is not None:
            self.below.update(self.html(picture))
        self.last = time.monotonic()

    def bar(self) -> str:
        share = self.share()
        value = "" if share is None else f' value="{share:.3f}"'
        return f'<progress max="1"{value}></progress>'

    def told(self, line: str, picture: str | None = None) -> None:
        self.line = line
        self.show(self.bar(), picture)

    def tick(self) -> None:
        if self.share() is not None and time.monotonic() - self.last >= 0.3:  # without a share the browser moves the bar
            self.show(self.bar())

    def done(self, line: str, picture: str | None = None) -> None:
        self.line = line
        self.show("", picture)
        self.line = ""

    def close(self) -> None:
        """Takes the bar away where the work has ended early."""
        if self.line:
            self.show("")


def in_notebook() -> bool:
    """Whether a notebook shows what display() gets: IPython with a kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def show_for(display: bool | str | None, seconds: float | None = None) -> tuple[Show | None, bool]:
    """What display asks for, and whether pictures are shown."""
    if display not in (None, False, True, "gantt"):
        raise ValueError(f'expected display to be True, False or "gantt", found {display!r}')
    if not display:
        return None, False
    return (Cell(seconds), display == "gantt") if in_notebook() else (Show(seconds), False)
