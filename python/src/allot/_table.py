"""Tables: rows as dataclasses, as a DataFrame, and as HTML."""

from __future__ import annotations

import functools
import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

if TYPE_CHECKING:
    import pandas

R = TypeVar("R")

SHOWN = 20  # rows that a notebook shows


class Table(Sequence[R], Generic[R]):
    """Rows of one kind, made of records of the service when they are asked for."""

    def __init__(self, records: Sequence[Mapping[str, Any]], make: Callable[[Mapping[str, Any]], R], columns: Sequence[str] = ()) -> None:
        self.records = records
        self._make = make
        self._columns = list(columns)

    @overload
    def __getitem__(self, k: int) -> R: ...
    @overload
    def __getitem__(self, k: slice) -> Table[R]: ...
    def __getitem__(self, k: int | slice) -> R | Table[R]:
        if isinstance(k, slice):
            return Table(self.records[k], self._make, self._columns)
        return self._make(self.records[k])

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[R]:
        return map(self._make, self.records)

    @property
    def columns(self) -> list[str]:
        """The fields that a record has, first those that are usual."""
        found = {name: None for record in self.records for name in record}
        return [c for c in self._columns if c in found] + [c for c in found if c not in self._columns]

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a DataFrame. What a record leaves out is missing there."""
        try:
            import pandas
        except ImportError as e:
            raise ImportError("to_pandas needs pandas, which is not installed: pip install pandas") from e
        columns = self.columns
        frame: pandas.DataFrame = pandas.DataFrame({c: [record.get(c) for record in self.records] for c in columns}, columns=columns)
        return frame

    def __repr__(self) -> str:
        kind = type(self[0]).__name__ if self.records else "row"
        return f"<allot.Table of {len(self)} × {kind}>"

    def _repr_html_(self) -> str:
        columns = [c for c in self.columns if not any(isinstance(r.get(c), (Mapping, list)) for r in self.records[:SHOWN])]
        return html_table(columns, [[record.get(c) for c in columns] for record in self.records[:SHOWN]], len(self) - SHOWN)


def cell(value: object) -> str:
    """A value for people."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def html_table(columns: Sequence[str], rows: Sequence[Sequence[object]], left: int = 0) -> str:
    """A table in HTML; left: how many rows it does not show."""
    head = "".join(f"<th>{html.escape(c)}</th>" for c in columns)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell(v))}</td>" for v in row) + "</tr>" for row in rows)
    more = f"<p>and {left} more</p>" if left > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def dataclass_of(kind: Callable[..., R]) -> Callable[[Mapping[str, Any]], R]:
    """A function that makes rows of a dataclass: fields that the record has, others by default; what the class does not know stays in the record."""
    return functools.partial(row, kind)


def row(kind: Callable[..., R], record: Mapping[str, Any]) -> R:
    known = kind.__dataclass_fields__  # type: ignore[attr-defined]
    return kind(**{k: v for k, v in record.items() if k in known})


def same(record: Mapping[str, Any]) -> Any:
    """The record itself, as a row."""
    return record
