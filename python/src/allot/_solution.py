"""Solutions, their placements and pictures."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from . import _client
from ._client import Raw, parameters
from ._errors import InputError
from ._instance import Instance, Path_, file_document, param_of, processors_list
from ._table import Table, cell, dataclass_of

if TYPE_CHECKING:
    from .types import CertificateDocument, Explained, Piece, SolutionDocument, Step

TOLERANCE = 1e-9  # up to which numbers are equal
INTERACTIVE = 2000  # jobs up to which a notebook shows a chart that one can move in


@dataclass(frozen=True)
class Placement:
    """Where and when a job runs. Of a job on several clusters, ``pieces`` says it."""

    job: str
    start: float
    end: float
    cluster: str | None = None
    processors: str | None = None
    pieces: list[Piece] | None = None
    devices: dict[str, dict[str, str]] | None = None

    @property
    def processor_list(self) -> list[int]:
        """The numbers of the processors."""
        return processors_list(self.processors or "")

    def document(self) -> dict[str, Any]:
        return {k: v for k, v in asdict(self).items() if v is not None}


class Picture:
    """A picture, which a notebook shows. ``format`` is svg, html, text, png or pdf."""

    def __init__(self, format: str, data: bytes) -> None:
        self.format = format
        self.data = data

    @property
    def text(self) -> str:
        """The picture as a text; of png and pdf it is none."""
        return self.data.decode("utf-8")

    def save(self, path: Path_) -> None:
        Path(path).write_bytes(self.data)

    def __repr__(self) -> str:
        return self.text if self.format == "text" else f"<allot.Picture {self.format}, {len(self.data)} bytes>"

    def _repr_html_(self) -> str | None:
        if self.format == "svg":
            return self.text
        if self.format == "html":
            # In a frame, so that styles and names of the page and of the notebook keep apart.
            return f'<iframe srcdoc="{html.escape(self.text)}" sandbox="allow-scripts" style="width:100%;height:32em;border:0"></iframe>'
        return None

    def _repr_png_(self) -> bytes | None:
        return self.data if self.format == "png" else None


class Solution:
    """A schedule of an instance: a document ``allot/solution/1``, with what is proved about it."""

    def __init__(self, document: Mapping[str, Any], instance: Instance, run: Mapping[str, Any] | None = None) -> None:
        self.document = cast("SolutionDocument", document)
        self.instance = instance
        self._run = dict(run or {})

    @classmethod
    def read(cls, path: Path_, instance: Instance) -> Solution:
        """Reads a solution of the instance from a file. It is not checked: see :func:`allot.check`."""
        return cls(read_object(path), instance)

    @property
    def status(self) -> str:
        """What is proved: feasible or optimal; of a run without a schedule unknown or infeasible."""
        return str(self._run.get("status") or self.document.get("status") or "unknown")

    @property
    def stop(self) -> str:
        """Why the run ended: done, time, evaluations or cancelled."""
        return str(self._run.get("stop") or self.document.get("stop") or "")

    @property
    def reason(self) -> str:
        """Why the instance is infeasible, where that is proved."""
        return str(self._run.get("reason", ""))

    @property
    def warning(self) -> str:
        """What went wrong although there is a solution."""
        return str(self._run.get("warning", ""))

    @property
    def found(self) -> bool:
        """Whether there is a schedule."""
        return bool(self.document)

    def __bool__(self) -> bool:
        return self.found

    @property
    def objective(self) -> float | None:
        """The value of the objective; None: there is no schedule, or the value is not finite."""
        return self.document.get("objective")

    @property
    def bound(self) -> float | None:
        """The proved lower bound of the objective; None: none is known."""
        return self.document.get("bound")

    @property
    def owed(self) -> int:
        """Proved: every schedule owes at least so many jobs. The bound is of schedules that owe no more."""
        return self.document.get("owed", 0)

    @property
    def gap(self) -> float | None:
        """How far the objective may be from the best, in per cent of the objective; None: not known."""
        return gap_of(self.objective, self.bound)

    @property
    def metrics(self) -> dict[str, Any]:
        """Metric → value, or cluster → value."""
        return cast("dict[str, Any]", self.document.get("metrics", {}))

    @property
    def evaluations(self) -> int | None:
        """How many schedules the run evaluated."""
        return cast("int | None", self._run.get("evaluations"))

    @property
    def jobs(self) -> Table[Placement]:
        """The jobs that are placed."""
        records = cast("list[Mapping[str, Any]]", self.document.get("jobs", []))
        return Table(records, dataclass_of(Placement), ("job", "cluster", "processors", "start", "end"))

    @property
    def unscheduled(self) -> dict[str, str]:
        """The jobs that are not placed, with the reason."""
        return {u["job"]: u["reason"] for u in self.document.get("unscheduled", [])}

    @property
    def certificate(self) -> Certificate | None:
        """The certificate of the bound, if solve was asked for one."""
        text = self._run.get("certificate")
        return None if text is None else Certificate(text)

    def _raw(self) -> Raw:
        return parameters(self.document)

    def plot(self, quantity: str | None = None, *, format: str = "svg", **options: Any) -> Picture:
        """Draws the Gantt chart, or a quantity over time as ``allot plot`` does. format: svg, html (a page that one can move in), text, png or pdf.

        options: view, width, height, title, colour, rows, from_, to, period, as the options of ``allot gantt`` and ``allot plot``.
        """
        params = {k.rstrip("_"): v for k, v in options.items() if v is not None}
        if quantity is not None:
            params["plot"] = quantity
        answer = _client.default.request("draw", {**params, "format": format, "instance": self.instance._param, "solutions": [self._raw()]})
        return Picture(format, answer["text"].encode("utf-8") if "text" in answer else base64.b64decode(answer["base64"]))

    def explain(self, job: str) -> Explained:
        """Why the job runs where and when it does."""
        return cast("Explained", _client.default.request("explain", {"job": job, "instance": self.instance._param, "solution": self._raw()}))

    def steps(self, job: str | None = None) -> list[Step]:
        """How the solver came to the schedule, step by step; with job only the steps about it. The solver runs again. See also :func:`allot.steps`."""
        params = {"trace": True, "instance": self.instance._param, "solution": self._raw(), **({} if job is None else {"job": job})}
        return cast("list[Step]", _client.default.request("explain", params)["steps"])

    def save(self, path: Path_) -> None:
        """Writes the solution as a file that ``allot check`` reads."""
        Path(path).write_text(json.dumps(self.document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")

    def _headline(self) -> str:
        parts = [f"{self.status}"]
        if self.objective is not None:
            parts.append(f"objective {cell(self.objective)}")
        if self.bound is not None:
            parts.append(f"bound {cell(self.bound)}")
        if self.gap is not None:
            parts.append(f"gap {self.gap:.3g} %")
        if self.unscheduled:
            parts.append(f"{len(self.unscheduled)} jobs not scheduled")
        return ", ".join(parts)

    def __repr__(self) -> str:
        return f"<allot.Solution of {self.instance.name!r}: {self._headline()}>"

    def _repr_html_(self) -> str:
        head = f"<p>{html.escape(self._headline())}</p>"
        if not self.jobs:
            return head
        picture = self.plot(format="html" if len(self.jobs) <= INTERACTIVE else "svg")
        return head + (picture._repr_html_() or "")


def read_object(path: Path_) -> dict[str, Any]:
    """Reads a file with an object of JSON."""
    try:
        document = json.loads(Path(path).read_bytes())
    except ValueError as e:
        raise InputError(f"{path}: not JSON: {e}") from e
    if not isinstance(document, dict):
        raise InputError(f"{path}: expected an object, found {document!r:.100}")
    return document


def steps(inst: Instance, solver: str, job: str | None = None, *, seed: int = 1) -> list[Step]:
    """The steps by which a solver makes its schedule: the rule that decided, the scores of the clusters, and what was placed; with job only those about it.

    Solvers that decide step by step state them, such as muscle, minmin and easy; others raise InputError, which names those that do.
    """
    params = {"trace": True, "solver": solver, "seed": seed, "instance": param_of(inst), **({} if job is None else {"job": job})}
    return cast("list[Step]", _client.default.request("explain", params)["steps"])


def gap_of(objective: float | None, bound: float | None) -> float | None:
    """The gap in per cent, as the command states it."""
    if objective is None or bound is None:
        return None
    difference = objective - bound
    if difference <= TOLERANCE * abs(objective):
        return 0.0
    return 100 * difference / abs(objective) if objective else None


class Certificate:
    """The certificate of a bound: a document that ``allot.verify`` and ``allot check --proof`` verify."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = cast("CertificateDocument", document)

    @classmethod
    def read(cls, path: Path_) -> Certificate:
        return cls(read_object(path))

    def save(self, path: Path_) -> None:
        Path(path).write_text(json.dumps(self.document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")

    def __repr__(self) -> str:
        return f"<allot.Certificate of the bound {self.document.get('bound')}>"


__all__ = ["Certificate", "Picture", "Placement", "Solution", "file_document", "gap_of", "steps"]
