"""What is wrong is said, with its place."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import allot
from allot._client import Client

JOB = {"id": "a", "work": 1}


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"jobs": [JOB, {"id": "b", "work": -1}]}, "jobs[1].work"),
        ({"jobs": [JOB, JOB]}, "jobs[1].id"),
        ({"jobs": [{"id": "a"}]}, "jobs[0]"),
        ({"jobs": [{**JOB, "wrok": 3}]}, "jobs[0].wrok"),
        ({"jobs": [{**JOB, "after": ["b"]}]}, "jobs[0].after[0]"),
        ({"jobs": [{**JOB, "work": object()}]}, "jobs[0].work"),
        ({"jobs": [{**JOB, "deadline": float("inf")}]}, "jobs[0].deadline"),
        ({"jobs": ["a"]}, "jobs[0]"),
        ({"clusters": ["c"]}, "clusters[0]"),
        ({"clusters": [{"id": "c", "machines": [{"id": "m", "count": object()}]}]}, "clusters[0].machines[0].count"),
        ({"jobs": [{**JOB, "user": "\ud800"}]}, "jobs[0].user"),
        ({"clusters": {"c": 0}}, "clusters[0].machines[0].count"),
        ({"clusters": []}, "clusters"),
        ({"objective": "speed"}, "objective.speed"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_wrong_instances(changes: dict[str, Any], path: str) -> None:
    with pytest.raises(allot.InputError) as caught:
        allot.instance(**{"clusters": {"c": 2}, "jobs": [JOB], **changes})
    assert caught.value.path.startswith(path) and caught.value.code == "input"
    assert str(caught.value.faults[0]) in str(caught.value)


def test_all_faults_are_listed() -> None:
    with pytest.raises(allot.InputError) as caught:
        allot.instance(clusters={"c": 2}, jobs=[{"id": "a", "work": -1}, {"id": "b", "work": -2}])
    assert [f.path for f in caught.value.faults] == ["jobs[0].work", "jobs[1].work"]


def test_wrong_files(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    for data in (b"", b"{", b"\xff\xfe", b"[]", gzip.compress(b"{}")[:-9], gzip.compress(b"{}"), b'{"schema": "allot/instance/2"}'):
        bad.write_bytes(data)
        with pytest.raises(allot.InputError, match="bad.json"):
            allot.Instance.read(bad)
    with pytest.raises(FileNotFoundError):
        allot.Instance.read(tmp_path / "none.json")
    inst = allot.instance(clusters={"c": 2}, jobs=[JOB])
    for data in (b"", b"{", b"[1]", b"\xff"):
        bad.write_bytes(data)
        with pytest.raises(allot.InputError, match="bad.json"):
            allot.Solution.read(bad, inst)
        with pytest.raises(allot.InputError, match="bad.json"):
            allot.Certificate.read(bad)


def test_wrong_requests(tiny: allot.Instance) -> None:
    with pytest.raises(allot.InputError) as caught:
        allot.solve(tiny, "serach")
    assert caught.value.path == "solver" and "search" in str(caught.value)
    with pytest.raises(allot.InputError, match="did you mean"):
        allot.solve(tiny, "search", efort=3)
    with pytest.raises(allot.InputError):
        allot.solve(tiny, "exact").explain("nobody")
    with pytest.raises(allot.InputError):
        allot.policies(tiny, ["nobody"])
    with pytest.raises(allot.InputError):
        allot.solve(tiny, "exec:true")  # the package starts no other programs
    with pytest.raises(TypeError):
        allot.solve(tiny, 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        allot.compare(tiny, "minmin")
    with pytest.raises(TypeError):
        allot.solve(tiny, stop=5)  # type: ignore[arg-type]
    for wrong in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError):
            allot.MaxRuntime(wrong)
    with pytest.raises(ValueError):
        allot.MaxEvaluations(0)
    with pytest.raises(ValueError):
        allot.solve(tiny, display="chart")


def test_unsupported() -> None:
    queue = allot.instance(clusters={"c": 2}, jobs=[{"id": "a", "work": 3, "processors": 2}])
    with pytest.raises(allot.Unsupported):
        allot.solve(queue, "broker")

    def refuses(inst: allot.Instance) -> None:
        raise allot.Unsupported("not today")

    with pytest.raises(allot.Unsupported, match="not today"):
        allot.solve(queue, refuses)


def test_wrong_schedules_of_functions(tiny: allot.Instance) -> None:
    def overlapping(inst: allot.Instance) -> list[dict[str, Any]]:
        return [{"job": j["id"], "cluster": "right", "processors": [0, 1, 2][: 1 + k % 2], "start": 0} for k, j in enumerate(inst.jobs)]

    with pytest.raises(allot.WrongScheduleError) as caught:
        allot.solve(tiny, overlapping)
    assert caught.value.code == "wrong_schedule"


@pytest.mark.parametrize("answer", [3, "a", "\ud800", {"jobs": "\ud800"}, {"jobs": object()}, float("nan"), [3], [("a",)], [{"job": "zz", "cluster": "right", "processors": "0", "start": 0}]])
def test_no_schedules_of_functions(tiny: allot.Instance, answer: Any) -> None:
    with pytest.raises(allot.AllotError):
        allot.solve(tiny, lambda inst: answer)


def test_the_exception_of_a_function_is_the_cause(tiny: allot.Instance) -> None:
    def fails(inst: allot.Instance) -> None:
        raise KeyError("lost")

    with pytest.raises(allot.AllotError, match="KeyError: 'lost'") as caught:
        allot.solve(tiny, fails)
    assert isinstance(caught.value.__cause__, KeyError)

    class Fails:
        def decide(self, event: object) -> None:
            raise RuntimeError("cannot decide")

    with pytest.raises(allot.AllotError, match="cannot decide") as caught:
        allot.solve(tiny, Fails)
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_the_exception_of_on_progress(four: allot.Instance) -> None:
    """It ends the run, and the next one works."""

    def fails(progress: object) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        allot.solve(four, "search", stop=allot.MaxRuntime(600), on_progress=fails)
    assert allot.solve(four, "minmin").found


def test_no_bound_is_no_input_error() -> None:
    inst = allot.instance(clusters={"c": 2}, jobs=[{"id": "a", "work": 1}], objective={"utilisation": -1})
    try:
        assert allot.bound(inst).bound <= 0
    except allot.AllotError as e:
        assert e.code == "no_answer"


def test_commands_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(allot.AllotError, match="cannot start"):
        Client(str(tmp_path / "none")).request("solvers", {})
    with pytest.raises(allot.AllotError, match="expected .* to speak allot-service/1"):
        Client(sys.executable).request("solvers", {})


def test_a_service_that_dies_is_told_and_replaced(tiny: allot.Instance) -> None:
    with Client() as client:
        client.request("solvers", {})
        assert client.service is not None
        first = client.service.process

        def dies(progress: object) -> None:
            first.kill()

        with pytest.raises(allot.AllotError, match="has ended"):
            client.request("solve", {"instance": tiny._param, "solver": "search", "time": 600, "param": {"effort": 100000}}, dies)
        assert client.request("solve", {"instance": tiny._param})["status"]
        assert client.service.process.pid != first.pid


@pytest.mark.skipif(os.name != "posix", reason="waits as POSIX does")
def test_a_service_that_died_between_calls_is_replaced() -> None:
    with Client() as client:
        client.request("schema", {})
        assert client.service is not None
        client.service.process.kill()
        os.waitid(os.P_PID, client.service.process.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has been told
        assert client.request("schema", {})["names"]


@pytest.mark.parametrize("call", [allot.solve, allot.bound, allot.certify, lambda inst: allot.compare([inst]), lambda inst: allot.check(inst, None)])  # type: ignore[arg-type]
def test_an_instance_is_an_instance(call: Any) -> None:
    with pytest.raises(TypeError, match="expected an Instance, found 'batch.json'; allot.Instance.read reads one"):
        call("batch.json")


def test_nothing_is_started_by_the_import() -> None:
    code = "import allot, subprocess; from allot import _client; assert _client.default.service is None"
    subprocess.run([sys.executable, "-c", code], check=True)
