"""What is missing, what is an id, and what people see of tables: at the edges."""

from __future__ import annotations

import math
import random
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import allot
from allot._table import SHOWN, Table, cell, html_table, same


class Cells(HTMLParser):
    """The cells of a table, row by row, and the paragraphs below it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.below: list[str] = []
        self.into: list[str] | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.into = self.rows[-1]
        if tag == "p":
            self.below.append("")
            self.into = self.below

    def handle_data(self, data: str) -> None:
        if self.into is not None:
            self.into[-1] += data

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "p"):
            self.into = None


def empty_values() -> list[Any]:
    """All that says that a value is not there."""
    pandas = pytest.importorskip("pandas")
    numpy = pytest.importorskip("numpy")
    return [None, math.nan, numpy.float32("nan"), numpy.float64("nan"), numpy.datetime64("NaT"), numpy.timedelta64("NaT"), pandas.NA, pandas.NaT]


def test_what_is_missing() -> None:
    """A field whose value is not there is left out, whatever says so, in a list and in a DataFrame; an id that is not there is the number, or the index."""
    pandas = pytest.importorskip("pandas")
    for value in empty_values():
        for field in ("id", "user", "deadline", "work"):
            fields = {"id": "a", "user": "u", "deadline": 50, "work": 2, "processors": 1}
            want = {name: v for name, v in fields.items() if name != field}
            job = {**fields, field: value}
            if field == "work":
                job["runtime"] = want["runtime"] = {"c": 3}
            [made] = allot.instance(clusters={"c": 4}, jobs=[job]).document["jobs"]
            assert made == {"id": "1", **want}, f"{field} is {value!r}"
            frame = pandas.DataFrame({name: pandas.Series([v], dtype=object, index=["row"]) for name, v in job.items()})
            [made] = allot.instance(clusters={"c": 4}, jobs=frame).document["jobs"]
            assert made == {"id": "row", **want}, f"{field} of a column is {value!r}"


def test_columns_with_missing_values() -> None:
    """Whatever the kind of the column, the rows that lack a value have none, and the others keep theirs."""
    pandas = pytest.importorskip("pandas")
    for column in (
        pandas.Series([3, None]), pandas.Series([3, None], dtype="Int64"), pandas.Series([3, None], dtype="Float64"), pandas.Series([3, pandas.NaT], dtype=object),
        pandas.Series([3, pandas.NA], dtype=object), pandas.Series([3, math.nan], dtype="float32"),
    ):  # fmt: skip
        jobs = allot.instance(clusters={"c": 4}, jobs=pandas.DataFrame({"work": [1, 2], "processors": column})).jobs
        assert [job.get("processors") for job in jobs] == [3, None], column.dtype
    times = pandas.DataFrame({"work": [1], "arrival": pandas.to_datetime([None])})
    assert "arrival" not in allot.instance(clusters={"c": 4}, jobs=times).jobs[0]
    names = pandas.DataFrame({"work": [1, 2], "user": pandas.Series(["x", None], dtype="string")})
    assert [job.get("user") for job in allot.instance(clusters={"c": 4}, jobs=names).jobs] == ["x", None]


@pytest.mark.parametrize("value", [True, False, 1.5, math.inf, [1], {"a": 1}, b"x"])
def test_what_is_no_id(value: Any) -> None:
    """A truth, a fraction or a list is refused, and not made a text: the fault has its path."""
    numpy = pytest.importorskip("numpy")
    pandas = pytest.importorskip("pandas")
    values = [value, *([numpy.bool_(value)] if isinstance(value, bool) else [])]
    for v in values:
        for jobs, path in (
            ([{"work": 1}, {"id": v, "work": 1}], "jobs[1].id"),
            ([{"id": "a", "work": 1}, {"work": 1, "after": ["a", v]}], "jobs[1].after[1]"),
            ([{"id": "a", "work": 1}, {"work": 1, "after": ("a", v)}], "jobs[1].after[1]"),
            (pandas.DataFrame({"id": pandas.Series(["a", v], dtype=object), "work": [1, 1]}), "jobs[1].id"),
        ):
            with pytest.raises(allot.InputError) as caught:
                allot.instance(clusters={"c": 4}, jobs=jobs)
            assert caught.value.path == path, f"{v!r}: {caught.value}"


def test_whole_numbers_are_ids() -> None:
    """Whatever type they have; the greatest and least too."""
    numpy = pytest.importorskip("numpy")
    for value in (0, -3, 2**70, 4.0, -0.0, numpy.int8(-4), numpy.uint64(2**63), numpy.float32(16777216)):
        [job, after] = allot.instance(clusters={"c": 4}, jobs=[{"id": value, "work": 1}, {"id": "next", "work": 1, "after": [value]}]).jobs
        assert job["id"] == str(int(value)) and after.get("after") == [str(int(value))]


def test_the_name_of_a_trace(root: Path, tmp_path: Path) -> None:
    """Is that of its file, without the folder, unless another is given."""
    trace = tmp_path / "month.swf"
    trace.write_text("; MaxProcs: 4\n" + "".join(f"{k} {k * 10} -1 30 {1 + k % 3} -1 -1 {1 + k % 3} 60 -1 1 1 1 1 1 -1 -1 -1\n" for k in range(1, 40)))

    def named(report: Any) -> str:
        """The name that heads the figures of the report for people."""
        found = re.search(r"^(.*): \d+ jobs on ", report.text, re.MULTILINE)
        assert found is not None, report.text
        return found[1]

    for path in (trace, str(trace)):
        assert named(allot.policies(path, ["fcfs"], replicates=100)) == "month"
        assert allot.import_("swf", path).name == "month"
    assert named(allot.policies(trace, ["fcfs"], name="march", replicates=100)) == "march"
    assert allot.import_("swf", trace, name="march").name == "march"
    batch = allot.Instance.read(root / "examples" / "backfilling.json")
    assert named(allot.policies(batch, ["fcfs"], replicates=100)) == batch.name


@pytest.mark.parametrize("number", [0, 1, SHOWN - 1, SHOWN, SHOWN + 1, SHOWN + 2, 3 * SHOWN])
def test_rows_that_are_not_shown(number: int) -> None:
    """A notebook shows the first rows and says how many there are besides; it says nothing where it shows all."""
    table = Table([{"job": f"j{k}", "n": k} for k in range(number)], same)
    page = Cells(table._repr_html_())
    shown = min(number, SHOWN)
    assert page.rows == [["job", "n"] if number else [], *([f"j{k}", str(k)] for k in range(shown))]
    assert page.below == ([f"and {number - shown} more"] if number > shown else [])


def test_rows_that_html_table_leaves_out() -> None:
    """The sentence stands below the table only where something is left out."""
    for left, below in ((-5, []), (0, []), (1, ["and 1 more"]), (2, ["and 2 more"])):
        page = Cells(html_table(["a"], [["x"]], left))
        assert page.rows == [["a"], ["x"]] and page.below == below
    assert Cells(html_table(["a"], [["x"]])).below == []


def test_tables_of_results_show_all() -> None:
    """Of a table that is not cut nothing is left out, whatever its length."""
    inst = allot.instance(clusters={"c": 2}, jobs=[{"work": k + 1} for k in range(SHOWN + 3)])
    page = Cells(inst.jobs._repr_html_())
    assert len(page.rows) == SHOWN + 1 and page.below == ["and 3 more"]
    page = Cells(inst._repr_html_())
    assert page.below[0].startswith("instance: 23 jobs") and page.below[1:] == ["and 3 more"]
    compared = Cells(allot.compare(inst, ["minmin", "maxmin"])._repr_html_())
    assert len(compared.rows) == 3 and compared.below == []


def test_digits_of_cells() -> None:
    """A number has six digits and no more; what is whole is shown in full."""
    worked: list[tuple[Any, str]] = [
        (2 / 3, "0.666667"), (1.0, "1"), (123456.7, "123457"), (1234567.0, "1.23457e+06"), (0.1 + 0.2, "0.3"), (-1e-9 / 3, "-3.33333e-10"), (math.inf, "inf"),
        (1234567, "1234567"), (True, "True"), ("2.50", "2.50"), (None, ""),
    ]  # fmt: skip
    for value, text in worked:
        assert cell(value) == text
    r = random.Random(1)
    for _ in range(500):
        value = r.choice([-1, 1]) * r.random() * 10.0 ** r.randint(-12, 12)
        text = cell(value)
        assert abs(float(text) - value) <= 5.000001e-6 * abs(value), f"{value!r} is shown as {text}"
        assert len(re.sub(r"e.*|\D", "", text).lstrip("0")) <= 6
    page = Cells(html_table(["a", "b"], [[1 / 3, None], [10**12, 1e12]]))
    assert page.rows[1:] == [["0.333333", ""], ["1000000000000", "1e+12"]]
