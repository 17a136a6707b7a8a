"""check, bound, certify and verify."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _client
from ._instance import Instance, param_of
from ._solution import Certificate, Solution
from ._solve import MaxRuntime
from ._table import Table, dataclass_of, same

if TYPE_CHECKING:
    from .types import Part, Violation


@dataclass(frozen=True)
class Report:
    """What the checker found. It is true where the schedule keeps all rules."""

    ok: bool
    violations: list[Violation] = field(default_factory=list)
    more: int = 0  # violations that are not listed
    objective: float | None = None
    metrics: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.ok


@dataclass(frozen=True)
class Bound:
    """A proved lower bound of the objective, of schedules that owe ``owed`` jobs, as every schedule owes as many at least. ``parts`` lists what each method proved of each metric."""

    bound: float
    objective: str
    elapsed_s: float
    parts: list[Part]
    certificate: Certificate | None = None
    owed: int = 0

    def __float__(self) -> float:
        return self.bound

    def table(self) -> Table[Part]:
        """The parts as a table."""
        return Table(self.parts, same, ("metric", "method", "value", "best"))


@dataclass(frozen=True)
class Verdict:
    """What verifying a certificate has shown. It is true where the certificate holds; ``optimal`` says whether it proves the solution optimal."""

    verdict: str
    bound: float | None = None
    objective: float | None = None
    gap_percent: float | None = None
    optimal: bool = False
    reason: str = ""
    step: str = ""
    why: str = ""

    def __bool__(self) -> bool:
        return self.verdict == VERIFIED


VERIFIED = "verified"


def check(inst: Instance, solution: Solution) -> Report:
    """Checks a solution against its instance, by code that no solver shares."""
    return dataclass_of(Report)(_client.default.request("check", {"instance": param_of(inst), "solution": solution._raw()}))


def _prove(method: str, inst: Instance, stop: MaxRuntime | None, objective: str | None, on_progress: Callable[[float], None] | None) -> dict[str, Any]:
    params: dict[str, Any] = {"instance": param_of(inst)}
    if stop is not None:
        if not isinstance(stop, MaxRuntime):
            raise TypeError(f"expected MaxRuntime, found {stop!r}")
        params["time"] = stop.seconds
    if objective is not None:
        params["objective"] = objective
    told = (lambda message: on_progress(message["bound"])) if on_progress is not None else None
    return _client.default.request(method, params, told)


def _bound_of(answer: Mapping[str, Any], certificate: Certificate | None = None) -> Bound:
    return Bound(float(answer["bound"]), answer["objective"], answer["elapsed_s"], answer["parts"] or [], certificate, answer.get("owed", 0))


def bound(inst: Instance, *, stop: MaxRuntime | None = None, objective: str | None = None, on_progress: Callable[[float], None] | None = None) -> Bound:
    """Proves a lower bound. Without stop it works for about a second, and the result depends only on the instance. AllotError with code no_answer: none is known."""
    return _bound_of(_prove("bound", inst, stop, objective, on_progress))


def certify(inst: Instance, *, stop: MaxRuntime | None = None, objective: str | None = None, on_progress: Callable[[float], None] | None = None) -> Bound:
    """Proves a lower bound that has a certificate."""
    answer = _prove("certify", inst, stop, objective, on_progress)
    return _bound_of(answer["bound"], Certificate(answer["certificate"]))


def verify(inst: Instance, certificate: Certificate, solution: Solution | None = None, *, objective: str | None = None) -> Verdict:
    """Verifies a certificate in exact numbers, and whether it proves the solution optimal."""
    params: dict[str, Any] = {"instance": param_of(inst), "certificate": certificate.document}
    if solution is not None:
        params["solution"] = solution._raw()
    if objective is not None:
        params["objective"] = objective
    return dataclass_of(Verdict)(_client.default.request("verify", params))
