"""solve and what it takes: criteria to stop, progress, and what is shown meanwhile."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Union

from . import _client
from ._functions import Solver, named
from ._instance import Instance, param_of
from ._show import show_for
from ._solution import Solution


@dataclass(frozen=True)
class MaxRuntime:
    """Stop after so many seconds."""

    seconds: float

    def __post_init__(self) -> None:
        if not 0 < self.seconds < math.inf:
            raise ValueError(f"expected a finite number of seconds > 0, found {self.seconds!r}")


@dataclass(frozen=True)
class MaxEvaluations:
    """Stop after so many evaluations of schedules: then the same seed gives the same result, on any machine."""

    evaluations: int

    def __post_init__(self) -> None:
        try:
            number = operator.index(self.evaluations)  # also one of numpy
        except TypeError:
            number = 0
        if isinstance(self.evaluations, bool) or number < 1:
            raise ValueError(f"expected a whole number of evaluations ≥ 1, found {self.evaluations!r}")
        object.__setattr__(self, "evaluations", number)


Stop = Union[MaxRuntime, MaxEvaluations, Iterable[Union[MaxRuntime, MaxEvaluations]], None]


def limits_of(stop: Stop) -> dict[str, Any]:
    """The limits of a run as the service takes them; the first that is reached ends it."""
    limits: dict[str, Any] = {}
    for one in (stop,) if isinstance(stop, (MaxRuntime, MaxEvaluations)) else stop or ():
        if isinstance(one, MaxRuntime):
            limits["time"] = min(float(one.seconds), limits.get("time", float("inf")))
        elif isinstance(one, MaxEvaluations):
            limits["evaluations"] = min(one.evaluations, limits.get("evaluations", one.evaluations))
        else:
            raise TypeError(f"expected MaxRuntime or MaxEvaluations, found {one!r}")
    return limits


@dataclass(frozen=True)
class Progress:
    """An improvement: a better schedule or a better bound."""

    elapsed: float
    evaluations: int
    objective: float | None = None
    bound: float | None = None
    gap: float | None = None  # in per cent
    left: int = 0  # jobs that the best schedule still leaves out
    solution: Solution | None = None  # where schedules was asked for

    def __str__(self) -> str:
        parts = [f"{self.elapsed:8.2f} s", "no schedule yet" if self.objective is None else f"objective {self.objective:.6g}"]
        if self.bound is not None:
            parts.append(f"bound {self.bound:.6g}")
        if self.gap is not None:
            parts.append(f"gap {self.gap:.3g} %")
        if self.left:
            parts.append(f"{self.left} jobs left out")
        return "  ".join(parts)


def progress_of(told: Mapping[str, Any], inst: Instance) -> Progress:
    solution = told.get("solution")
    return Progress(
        elapsed=told["elapsed"], evaluations=told["evaluations"], objective=told.get("objective"), bound=told.get("bound"),
        gap=told.get("gap_percent"), left=told["left"], solution=None if solution is None else Solution(solution, inst),
    )  # fmt: skip


def solve(
    inst: Instance,
    solver: Solver = "auto",
    *,
    stop: Stop = None,
    seed: int = 1,
    workers: int | None = None,
    objective: str | None = None,
    start: Solution | None = None,
    certify: bool = False,
    strict: bool = False,
    presolve: bool = True,
    schedules: bool = False,
    rolling: float | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    display: bool | str | None = None,
    **param: Any,
) -> Solution:
    """Schedules the jobs of an instance.

    solver: the name of one, as :func:`allot.solvers` lists them; a function that takes the instance and returns placements; or a class with ``decide(event)``.
    stop: MaxRuntime, MaxEvaluations, or several of them; absent: the solver ends when it has done its work. on_progress is called in this thread with each improvement;
    with schedules it gets the schedules too. display: True shows a bar of progress, on a terminal or in a notebook; "gantt" also a chart that improves, in a notebook. param: parameters of the solver.
    presolve: leave out of the instance what cannot bind before the solver gets it.

    Ctrl-C (KeyboardInterrupt) ends the run, and the best schedule so far is returned with ``stop == "cancelled"``; without any it is raised.
    A run that finds no schedule returns a Solution whose ``found`` is false. Raises InputError, Unsupported and WrongScheduleError.
    """
    params: dict[str, Any] = {"instance": param_of(inst), "seed": seed, **limits_of(stop)}
    for key, value in (("workers", workers), ("objective", objective), ("rolling", rolling), ("param", param or None)):
        if value is not None:
            params[key] = value
    for key, flag in (("certify", certify), ("strict", strict)):
        if flag:
            params[key] = True
    if not presolve:
        params["presolve"] = False
    if start is not None:
        params["start"] = start._raw()
    show, charts = show_for(display, seconds=params.get("time"))
    if schedules or charts:
        params["schedules"] = True

    def told(message: dict[str, Any]) -> None:
        improvement = progress_of(message, inst)
        if show is not None:
            best = improvement.solution if charts else None
            show.told(str(improvement), best.plot().text if best is not None and best.jobs else None)
        if on_progress is not None:
            on_progress(improvement)

    try:
        with named([solver], labels=False) as ((params["solver"],), functions):
            answer = _client.default.request("solve", params, told if on_progress or show else None, functions, show.tick if show else None)
        solution = Solution(answer.get("solution") or {}, inst, answer)
        if answer.get("interrupted") and not solution.found:
            raise KeyboardInterrupt
        if show is not None and solution.found:
            show.done(solution._headline(), solution.plot().text if charts and solution.jobs else None)
        return solution
    finally:
        if show is not None:
            show.close()
