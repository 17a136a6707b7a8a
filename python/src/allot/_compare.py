"""compare, policies and simulate."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from . import _client
from ._client import Raw, encode
from ._functions import Solver, named
from ._instance import Instance, Path_, file_document, param_of
from ._show import show_for
from ._solution import Picture, Solution
from ._solve import Stop, limits_of
from ._table import Table, cell, dataclass_of, html_table

if TYPE_CHECKING:
    from .types import BacktestAnswer, JobAnswer, PolicyReport, QueueAnswer, StartTable


@dataclass(frozen=True)
class Row:
    """The run of a solver on an instance. ``fault`` says why it has no schedule."""

    instance: str
    solver: str
    objective: float | None = None
    bound: float | None = None
    gap_percent: float | None = None
    status: str = "unknown"
    stop: str = ""
    elapsed_s: float = 0.0
    evaluations: int = 0
    fault: str = ""
    left: int = 0
    owed: int = 0
    metrics: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 1
    warning: str = ""
    allocates_by: str = ""
    caveats: Sequence[str] = ()


CHARTS = 4  # schedules beside each other
USUAL_COLUMNS = ("instance", "solver", "objective", "bound", "gap_percent", "status", "fault", "elapsed_s", "evaluations")


class Comparison(Table[Row]):
    """The rows of compare; with ``solutions`` the schedules too, in the same order."""

    def __init__(self, records: Sequence[Mapping[str, Any]], solutions: Sequence[Solution | None] = ()) -> None:
        super().__init__(records, dataclass_of(Row), USUAL_COLUMNS)
        self.solutions = list(solutions)

    def plot(self, **options: Any) -> Picture:
        """Gantt charts of the first schedules, four at most, beside each other on the same scale of time: a page. It needs ``solutions``. options are those of :meth:`Solution.plot`."""
        drawn = [(self[k], s) for k, s in enumerate(self.solutions) if s is not None and s.jobs][:CHARTS]
        if not drawn:
            raise ValueError("expected a schedule, found none; compare keeps schedules with solutions=True")
        options.setdefault("to", max(p.end for _, s in drawn for p in s.jobs))
        charts = "".join(
            f'<figure style="margin:0"><figcaption>{html.escape(f"{row.solver}, {row.instance}: {s._headline()}")}</figcaption>{s.plot(**options).text}</figure>' for row, s in drawn
        )
        page = f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>allot</title><body><div style="display:flex;flex-wrap:wrap;gap:1em">{charts}</div></body></html>'
        return Picture("html", page.encode("utf-8"))

    def _repr_html_(self) -> str:
        columns = [c for c in USUAL_COLUMNS if any(c in r for r in self.records)]
        return html_table(columns, [[r.get(c) for c in columns] for r in self.records])


def compare(
    instances: Instance | Iterable[Instance],
    solvers: Iterable[Solver] | None = None,
    *,
    stop: Stop = None,
    seed: int = 1,
    workers: int | None = None,
    objective: str | None = None,
    solutions: bool = False,
    on_progress: Callable[[Row], None] | None = None,
    display: bool | str | None = None,
) -> Comparison:
    """Runs solvers on the same instances; absent: all that support them.

    A solver is a name as in ``allot compare --solvers``, such as "search:effort=3" or "mine=muscle", a function or a class: see :func:`allot.solve`. A function that fails has
    the reason in its row. on_progress is called with rows as they come; of rows that come faster than it takes them some are left out. display: True shows a bar of progress, "gantt"
    in the end also the charts of the first four schedules, in a notebook. Ctrl-C ends the runs, and the rows so far are returned.
    """
    listed = [instances] if isinstance(instances, Instance) else list(instances)
    params: dict[str, Any] = {"instances": [Raw(encode(param_of(i))) for i in listed], "seed": seed, **limits_of(stop)}
    for key, value in (("workers", workers), ("objective", objective), ("solutions", solutions or None)):
        if value is not None:
            params[key] = value
    make = dataclass_of(Row)
    show, charts = show_for(display)
    if charts:
        params["solutions"] = True

    def told(message: dict[str, Any]) -> None:
        row = make(message["row"])
        if show is not None:
            show.ended = message["done"]
            show.told(f"{row.instance}  {row.solver}  {row.fault or cell(row.objective)}")
        if on_progress is not None:
            on_progress(row)

    try:
        with named(solvers or (), labels=True) as (names, functions):
            if solvers is not None:
                params["solvers"] = names
                if show is not None:
                    show.runs = len(listed) * len(names)
            answer = _client.default.request("compare", params, told if on_progress or show else None, functions, show.tick if show else None)
        table = comparison_of(answer, listed)
        if show is not None:
            show.done(f"{len(table)} runs", table.plot()._repr_html_() if charts and any(table.solutions) else None)
        return table
    finally:
        if show is not None:
            show.close()


def comparison_of(answer: Mapping[str, Any], listed: list[Instance]) -> Comparison:
    """The rows of the answer, with their solutions."""
    records = answer["rows"]
    found = answer.get("solutions") or []
    at, pairs = -1, []
    for k, solution in enumerate(found):  # the rows of an instance stand together, under a name that no other has
        at += k == 0 or records[k]["instance"] != records[k - 1]["instance"]
        pairs.append(None if solution is None else Solution(solution, listed[at]))
    return Comparison(records, pairs)


class PolicyComparison:
    """The answer of policies: ``text`` for people, ``report`` as JSON has it."""

    def __init__(self, answer: Mapping[str, Any]) -> None:
        self.report: PolicyReport = answer["report"]
        #: the report for people
        self.text: str = answer["text"]
        #: what reading the trace dropped and repaired
        self.data: str = answer.get("data", "")
        #: what went wrong although there is an answer
        self.warnings: list[str] = list(answer.get("warnings", ()))

    def rows(self) -> list[dict[str, Any]]:
        """A row for each policy and class of jobs: waits in the unit of the trace."""
        rows = []
        for group in cast("list[Any]", self.report["groups"]):
            for policy in group["policies"]:
                for one in policy["classes"]:
                    row = {"policy": policy["name"], "kind": one["kind"], "class": one["name"], "jobs": one["jobs"]}
                    row.update({f"wait_{k}": v for k, v in (one.get("wait") or {}).items()})
                    row.update({k: one[k] for k in ("bounded_slowdown", "stretch") if k in one})
                    rows.append(row)
        return rows

    def to_pandas(self) -> Any:
        """The rows as a DataFrame."""
        return Table(self.rows(), dict).to_pandas()

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        rows = [r for r in self.rows() if r["kind"] == "all"]
        columns = list(dict.fromkeys(c for r in rows for c in r if c not in ("kind", "class")))
        lines = self.text.split("\n\n")[0]
        return f"<p>{html.escape(lines)}</p>" + html_table(columns, [[r.get(c) for c in columns] for r in rows])


def policies(trace: Instance | Path_, policies: Iterable[Solver] | None = None, *, time: float | None = None, seed: int = 1, **options: Any) -> PolicyComparison:
    """Compares scheduling policies on a trace with the first of them: who waits less, who waits longer, and whether that is shown.

    trace: an instance, or the path of a file in the Standard Workload Format or of an instance, also compressed. policies: names as in ``allot policies --policies``, or classes
    with ``decide(event)``. time: seconds for each policy. options: load, warm_up, narrow, short, confidence, replicates, block, day, processors, as those of ``allot policies``.
    """
    params: dict[str, Any] = {"seed": seed, **options}
    if isinstance(trace, Instance):
        params["trace"] = trace._param
    else:
        params["trace"] = file_document(Path(trace).read_bytes())
        params.setdefault("name", Path(trace).name)
    if time is not None:
        params["time"] = time
    with named(policies or (), labels=True) as (names, functions):
        if policies is not None:
            params["policies"] = names
        return PolicyComparison(_client.default.request("policies", params, None, functions))


def simulate(
    inst: Instance | Path_,
    policies: Iterable[Solver] | None = None,
    *,
    submit: Mapping[str, Any] | None = None,
    job: str | None = None,
    at: float | None = None,
    solver: Solver | None = None,
    quantiles: bool = False,
    history: Instance | Path_ | None = None,
    backtest: bool = False,
    seed: int = 1,
    **options: Any,
) -> StartTable | JobAnswer | QueueAnswer | BacktestAnswer:
    """Forecasts when the jobs of a queue start under some policies; or, with submit, job or quantiles, when one job or all that wait would start.

    With backtest it measures how good such forecasts were on a trace: an instance, or the path of a file in the Standard Workload Format, of what sacct prints, or of an
    instance. The answer is the document that ``allot simulate --json`` prints. options: param, processors, runs, least, recent, trials, independent, arrivals, day; with backtest
    also samples, from_ and to.
    """
    params: dict[str, Any] = {"seed": seed, **{k.rstrip("_"): v for k, v in options.items()}}
    if isinstance(inst, Instance):
        params["instance"] = inst._param
    elif backtest:
        params["instance"] = file_document(Path(inst).read_bytes())
    else:
        raise TypeError(f"expected an Instance, or with backtest the path of a trace, found {inst!r}")
    for key, value in (("submit", submit), ("job", job), ("at", at), ("quantiles", quantiles or None), ("backtest", backtest or None)):
        if value is not None:
            params[key] = value
    if history is not None:
        params["history"] = history._param if isinstance(history, Instance) else file_document(Path(history).read_bytes())
    with named(policies or (), labels=True) as (names, functions), named([] if solver is None else [solver], labels=False) as (one, more):
        if policies is not None:
            params["policies"] = names
        if solver is not None:
            params["solver"] = one[0]
        return cast("StartTable | JobAnswer | QueueAnswer | BacktestAnswer", _client.default.request("simulate", params, None, {**functions, **more}))
