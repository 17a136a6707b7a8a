"""Instances of lists and DataFrames."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest

import allot
from allot._instance import processors_list, processors_text
from allot._solution import gap_of

FIELDS = ("arrival", "work", "processors", "deadline", "user", "memory")


def drawn(r: random.Random, k: int) -> dict[str, object]:
    """A job with some of the fields."""
    job: dict[str, object] = {"id": f"j{k}", "work": r.choice([r.randint(1, 9), r.random() * 9 + 1])}
    for field, value in {"arrival": r.randint(0, 9), "processors": r.randint(1, 4), "deadline": r.randint(90, 99), "user": r.choice("xyz"), "memory": r.random()}.items():
        if r.random() < 0.7:
            job[field] = value
    return job


@pytest.mark.parametrize("seed", range(20))
def test_frame_and_list_are_the_same(seed: int) -> None:
    """The instance of a DataFrame is that of the list of its rows, whatever is missing."""
    pandas = pytest.importorskip("pandas")
    r = random.Random(seed)
    jobs = [drawn(r, k) for k in range(r.randint(1, 9))]
    made = allot.instance(clusters={"c": 4}, jobs=pandas.DataFrame(jobs))
    assert made.document["jobs"] == allot.instance(clusters={"c": 4}, jobs=jobs).document["jobs"] == jobs
    json.dumps(made.document)
    back = made.jobs.to_pandas()
    assert len(back) == len(jobs) and list(back["id"]) == [j["id"] for j in jobs]


def test_ids() -> None:
    pandas = pytest.importorskip("pandas")
    numpy = pytest.importorskip("numpy")

    def ids(jobs: Any) -> list[str]:
        return [j["id"] for j in allot.instance(clusters={"c": 4}, jobs=jobs).jobs]

    assert ids([{"work": 1}, {"work": 2}]) == ["1", "2"]
    assert ids([{"id": 7, "work": 1}, {"id": numpy.int64(8), "work": numpy.float32(2), "after": [7]}]) == ["7", "8"]
    assert ids(pandas.DataFrame({"work": [1, 2]})) == ["0", "1"]
    assert ids(pandas.DataFrame({"work": pandas.Series([1, numpy.int64(2)], dtype=object)})) == ["0", "1"]
    assert ids(pandas.DataFrame({"work": [1, 2]}, index=["x", "y"])) == ["x", "y"]
    assert ids(pandas.DataFrame({"id": [5, 6], "work": [1.0, 2.0], "processors": [math.nan, 2]})) == ["5", "6"]
    assert ids(pandas.DataFrame({"id": pandas.array([5, 6], dtype="Int64"), "work": pandas.array([1, None], dtype="Int64"), "estimate": [1, 2]})) == ["5", "6"]


def test_frames_that_are_wrong() -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(allot.InputError) as caught:
        allot.instance(clusters={"c": 4}, jobs=pandas.DataFrame({"work": [1], "arrival": pandas.to_datetime(["2026-01-01"])}))
    assert caught.value.path == "jobs[0].arrival"
    with pytest.raises(allot.InputError, match="twice: work"):
        allot.instance(clusters={"c": 4}, jobs=pandas.DataFrame([[1, 2]], columns=["work", "work"]))


def test_other_fields() -> None:
    inst = allot.instance(
        clusters=[{"id": "c", "machines": [{"id": "m", "count": 2, "processors": 4}]}, {"id": "d", "allocation": "machine", "machines": [{"id": "m", "count": 3, "processors": 4}]}],
        jobs=[{"work": 1}], objective={"makespan": 1, "cost": 2}, units={"time": "s"}, name="n",
    )  # fmt: skip
    assert inst.processors == {"c": 8, "d": 3} and inst.objective == {"makespan": 1, "cost": 2} and inst.document["units"]["time"] == "s"
    assert "n" in repr(inst) and inst.name == "n"


@pytest.mark.parametrize("seed", range(50))
def test_processors(seed: int) -> None:
    r = random.Random(seed)
    numbers = sorted(r.sample(range(20), r.randint(0, 20)))
    assert processors_list(processors_text(numbers)) == numbers
    assert processors_text("0-3") == "0-3" and processors_text(None) is None
    assert processors_text([7, 2, 1, 0, 2, 3]) == "0-3,7"


def test_numbers_as_ids() -> None:
    """They become texts, and the same number is the same id: a column with missing values has no whole numbers."""
    inst = allot.instance(clusters={"c": 2}, jobs=[{"id": 1.0, "work": 1}, {"id": 2, "work": 1, "after": [1]}, {"id": 3.0, "work": 1, "after": [2.0]}])
    assert [(job["id"], job.get("after")) for job in inst.jobs] == [("1", None), ("2", ["1"]), ("3", ["2"])]


@pytest.mark.parametrize(("objective", "bound", "gap"), [(10.0, 8.0, 20.0), (-10.0, -12.0, 20.0), (10.0, 10.0, 0.0), (0.0, 0.0, 0.0), (0.0, -1.0, None), (None, 1.0, None), (1.0, None, None)])
def test_gap(objective: float | None, bound: float | None, gap: float | None) -> None:
    assert gap_of(objective, bound) == gap


def test_large() -> None:
    """100,000 jobs in and out."""
    pandas = pytest.importorskip("pandas")
    n = 100_000
    frame = pandas.DataFrame({"id": [f"j{k}" for k in range(n)], "arrival": [float(k // 10) for k in range(n)], "work": [1.0 + k % 7 for k in range(n)], "processors": [1 + k % 3 for k in range(n)]})
    inst = allot.instance(clusters={"c": 64, "d": 64}, jobs=frame)
    sol = allot.solve(inst, "mct")
    out = sol.jobs.to_pandas().set_index("job")
    assert len(out) == n and set(out.index) == set(frame["id"])
    took = (out["end"] - out["start"]).loc[frame["id"]].to_numpy()
    assert abs(took - frame["work"].to_numpy()).max() < 1e-6 and (out["start"].loc[frame["id"]].to_numpy() >= frame["arrival"].to_numpy()).all()


def test_what_the_caller_changes_later_does_not_count() -> None:
    """An instance is what it was when it was made, and a solution is checked as it is now."""
    machines: list[Any] = [{"id": "m", "count": 2}]
    inst = allot.instance(clusters=[{"id": "c", "machines": machines}], jobs=[{"work": 3}])
    machines.append({"id": "n", "count": 5})
    assert inst.processors == {"c": 2}
    sol = allot.solve(inst, "minmin")
    assert allot.check(inst, sol).ok
    sol.document["jobs"][0]["end"] += 1
    assert not allot.check(inst, sol).ok


def test_tables_can_be_sent_to_other_processes() -> None:
    import pickle

    inst = allot.instance(clusters={"c": 2}, jobs=[{"work": 3}])
    sol, compared = allot.solve(inst, "minmin"), allot.compare(inst, ["minmin"])
    for table in (inst.jobs, sol.jobs, compared, allot.bound(inst).table()):
        assert list(pickle.loads(pickle.dumps(table))) == list(table)
    assert pickle.loads(pickle.dumps(sol)).objective == sol.objective


class Number:
    """A number as numpy has them."""

    ndim = 0

    def __init__(self, value: Any) -> None:
        self.value = value

    def item(self) -> Any:
        return self.value

    def tolist(self) -> Any:
        return self.value

    def __index__(self) -> int:
        return int(self.value)


def test_numbers_of_numpy() -> None:
    """They stand wherever a number may stand, also inside, and in parameters and plans."""
    clusters: list[Any] = [{"id": "c", "machines": [{"id": "m", "count": Number(2)}]}]
    objective: Any = {"makespan": Number(2)}
    inst = allot.instance(clusters=clusters, jobs=[{"runtime": {"c": Number(3)}, "after": Number([])}], objective=objective)
    assert inst.processors == {"c": 2} and inst.jobs[0]["runtime"] == {"c": 3}

    def plan(inst: allot.Instance) -> Any:
        return [("1", "c", [Number(1)], Number(4.0))]

    number: Any = Number(7)
    limit: Any = allot.MaxEvaluations(number)
    assert allot.solve(inst, plan, seed=number, stop=limit).objective == 14
    assert allot.solve(inst, "search", effort=Number(1.5), stop=limit).plot(width=Number(500)).text
    with pytest.raises(allot.InputError) as caught:
        allot.solve(inst, "search", effort=float("inf"))
    assert caught.value.path == "param.effort"
