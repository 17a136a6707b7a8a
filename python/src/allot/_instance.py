"""Instances: reading, making, checking and showing them."""

from __future__ import annotations

import base64
import html
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union, cast

from . import _client
from ._client import parameters
from ._errors import InputError, below, fault_at
from ._table import Table, html_table, same

if TYPE_CHECKING:
    import pandas

    from .types import Cluster, InstanceDocument, Job

    Jobs = Union[Sequence[Job], Sequence[Mapping[str, Any]], "pandas.DataFrame"]
    Clusters = Union[Sequence[Cluster], Sequence[Mapping[str, Any]], Mapping[str, int]]

Path_ = Union[str, "os.PathLike[str]"]

SCHEMA = "allot/instance/1"
EMPTY = {"schema": "allot/solution/1", "jobs": []}


def file_document(data: bytes) -> Any:
    """The bytes of a file as the service takes them: a text, so that its SHA-256 is that of the file, or base64."""
    if not data.startswith(b"\x1f\x8b"):
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            pass
    return {"base64": base64.b64encode(data).decode("ascii")}


def param_of(inst: Instance) -> Any:
    """An instance as a parameter of a request. Raises TypeError for another value."""
    if not isinstance(inst, Instance):
        raise TypeError(f"expected an Instance, found {inst!r:.100}; allot.Instance.read reads one from a file")
    return inst._param


class Instance:
    """A batch of jobs and the clusters that may run them: a document ``allot/instance/1``, which does not change.

    Make one by :meth:`read`, :func:`allot.instance` or :func:`allot.import_`.
    """

    #: what import_ dropped and repaired, for people; empty: it was not imported
    report: str = ""

    def __init__(self, document: Mapping[str, Any] | bytes, *, checked: bool = False) -> None:
        self._document: InstanceDocument | None = None
        if isinstance(document, bytes):
            self._bytes = document
            self._param: Any = file_document(document)
        else:
            self._param = parameters(document)
            self._bytes = self._param.text
            if checked:
                self._document = cast("InstanceDocument", document)  # of the service; that of a caller may change
        if not checked:
            try:
                _client.default.request("check", {"instance": self._param, "solution": EMPTY})
            except InputError as e:
                raise below(e, "instance") from None

    @classmethod
    def read(cls, path: Path_) -> Instance:
        """Reads a file, also one compressed by gzip, and checks it. Raises InputError with the path of each fault, and OSError."""
        data = Path(path).read_bytes()
        try:
            return cls(data)
        except InputError as e:
            raise InputError("\n".join(f"{os.fspath(path)}: {line}" for line in str(e).splitlines()), e.faults) from None

    @property
    def document(self) -> InstanceDocument:
        """The document, as JSON has it. Do not change it."""
        if self._document is None:
            data = self._bytes
            if data.startswith(b"\x1f\x8b"):
                import gzip

                data = gzip.decompress(data)
            self._document = cast("InstanceDocument", json.loads(data))
        return self._document

    @property
    def name(self) -> str:
        return self.document.get("name", "")

    @property
    def objective(self) -> dict[str, float]:
        """Metric → weight: the weighted sum is minimised."""
        return dict(self.document.get("objective") or {"makespan": 1.0})

    @property
    def jobs(self) -> Table[Job]:
        """The jobs in queue order. A row is a dict of the fields that the instance states."""
        return Table(self.document["jobs"], same, ("id", "arrival", "processors", "work", "estimate"))

    @property
    def clusters(self) -> list[Cluster]:
        return self.document["clusters"]

    @property
    def processors(self) -> dict[str, int]:
        """Cluster → its processors, or its machines where it allocates whole machines."""
        return {
            c["id"]: sum(m.get("count", 1) * (1 if c.get("allocation") == "machine" else m.get("processors", 1)) for m in c["machines"])
            for c in self.clusters
        }

    def to_json(self) -> str:
        """The document as a text."""
        return json.dumps(self.document, ensure_ascii=False, indent=2) + "\n"

    def save(self, path: Path_) -> None:
        """Writes the very bytes whose SHA-256 solutions state."""
        Path(path).write_bytes(self._bytes)

    def __repr__(self) -> str:
        clusters = ", ".join(f"{name}: {n}" for name, n in list(self.processors.items())[:6])
        return f"<allot.Instance {self.name!r}: {len(self.document['jobs'])} jobs; processors {clusters}>"

    def _repr_html_(self) -> str:
        d = self.document
        objective = " + ".join(name if weight == 1 else f"{weight:g}·{name}" for name, weight in self.objective.items())
        head = f"<p><b>{html.escape(self.name or 'instance')}</b>: {len(d['jobs'])} jobs; minimise {html.escape(objective)}</p>"
        return head + html_table(["cluster", "processors"], list(self.processors.items())) + self.jobs._repr_html_()


def instance(*, clusters: Clusters, jobs: Jobs, objective: str | Mapping[str, float] | None = None, name: str | None = None, **fields: Any) -> Instance:
    """Makes an instance and checks it.

    clusters: the objects of the file format, or cluster → number of its processors, which are equal. jobs: mappings with the fields of the file format, or a DataFrame with
    such columns; missing values (None and NaN) leave the field out. Jobs without an id get their number, from 1, or the index of the DataFrame, and numbers as ids become
    texts. objective: a metric, or metric → weight; absent: makespan. fields: other fields of an instance. Raises InputError with the path of each fault.
    """
    document: dict[str, Any] = {"schema": SCHEMA}
    if name is not None:
        document["name"] = name
    document.update(fields)
    if objective is not None:
        document["objective"] = {objective: 1} if isinstance(objective, str) else dict(objective)
    if isinstance(clusters, Mapping):
        clusters = [{"id": str(c), "machines": [{"id": "node", "count": plain(n)}]} for c, n in clusters.items()]
    document["clusters"] = [mapping("clusters", "cluster", k, c) for k, c in enumerate(clusters)]
    document["jobs"] = frame_records(jobs) if hasattr(jobs, "columns") else [record(k, job) for k, job in enumerate(cast("Sequence[Mapping[str, Any]]", jobs))]
    return Instance(document)


def plain(value: Any) -> Any:
    """A number of numpy as one of Python."""
    item = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "ndim", 0) == 0 else value


def missing(value: Any) -> bool:
    return value is None or isinstance(value, float) and math.isnan(value) or type(value).__name__ in ("NAType", "NaTType")


def identifier(value: Any) -> Any:
    """An id; a whole number becomes a text."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def tidy(job: dict[str, Any], fallback: Any) -> dict[str, Any]:
    if missing(job.get("id")):
        job["id"] = fallback
    job["id"] = identifier(job["id"])
    if isinstance(job.get("after"), (list, tuple)):
        job["after"] = [identifier(plain(a)) for a in job["after"]]
    processors = job.get("processors")
    if isinstance(processors, float) and processors.is_integer():
        job["processors"] = int(processors)  # a column with missing values has no whole numbers
    return job


def record(k: int, job: Mapping[str, Any]) -> dict[str, Any]:
    """A job of a list."""
    return tidy(stated(mapping("jobs", "job", k, job).items()), k + 1)


def stated(fields: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The fields whose values are there. Of numpy's that shows only once they are values of Python."""
    return {name: value for name, value in ((n, plain(v)) for n, v in fields) if not missing(value)}


def mapping(path: str, kind: str, k: int, value: Any) -> dict[str, Any]:
    """The fields of an object of a list."""
    if not isinstance(value, Mapping):
        raise fault_at(f"{path}[{k}]", f"expected a mapping of the fields of a {kind}, found {value!r:.100}")
    return dict(value)


def frame_records(frame: Any) -> list[dict[str, Any]]:
    """The jobs of a DataFrame."""
    names = [str(c) for c in frame.columns]
    if twice := {c for c in names if names.count(c) > 1}:
        raise fault_at("jobs", f"expected different columns, found twice: {', '.join(sorted(twice))}")
    columns = [frame.iloc[:, k].tolist() for k in range(len(names))]
    index = frame.index.tolist()
    foreign = any(hasattr(v, "item") for c, kind in zip(columns, frame.dtypes) if str(kind) == "object" for v in c)
    if not foreign and not any(frame.isna().any()):  # there is nothing to leave out, and tolist has made numbers of Python
        return [tidy(dict(zip(names, row)), index[k]) for k, row in enumerate(zip(*columns))]
    return [tidy(stated(zip(names, row)), index[k]) for k, row in enumerate(zip(*columns))]


def import_(format: str | None, *paths: Path_, name: str | None = None, objective: str | None = None, **param: Any) -> Instance:
    """Makes an instance of files in a foreign format, such as "swf"; None: the one that they look like.

    param: options of ``allot import`` with _ for -. What was dropped and repaired stands in ``report`` of the instance.
    """
    if not paths:
        raise TypeError("expected the paths of the files, found none")
    params: dict[str, Any] = {"files": [file_document(Path(p).read_bytes()) for p in paths], "name": name or Path(paths[0]).name}
    if format is not None:
        params["format"] = format
    if objective is not None:
        params["objective"] = objective
    if param:
        params["param"] = param
    answer = _client.default.request("import", params)
    imported = Instance(answer["instance"], checked=True)
    imported.report = answer["text"]
    return imported


def processors_text(processors: Any) -> Any:
    """Processors as the file format has them: a text such as "0-3,7". Other values than lists of numbers stay what they are."""
    if isinstance(processors, str) or not isinstance(processors, Iterable):
        return processors
    parts: list[list[int]] = []
    for p in sorted({int(p) for p in processors}):
        if parts and parts[-1][1] == p - 1:
            parts[-1][1] = p
        else:
            parts.append([p, p])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def processors_list(text: str) -> list[int]:
    """The numbers of "0-3,7": [0, 1, 2, 3, 7]."""
    numbers: list[int] = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        numbers.extend(range(int(first), int(last or first) + 1))
    return numbers
