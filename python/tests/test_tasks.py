"""What the package does, against the command and against plain rules."""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

import allot
from allot import _command
from allot._solve import limits_of

from .policies import FirstCome, one_after_the_other


def command(*words: str) -> str:
    return subprocess.run([_command.find(), *words], check=True, capture_output=True, text=True).stdout


def random_instance(seed: int, jobs: int = 12) -> allot.Instance:
    """Rigid jobs that arrive over time, for two clusters of equal processors."""
    r = random.Random(seed)
    return allot.instance(
        clusters={"c": 4, "d": 6},
        jobs=[{"id": f"j{k}", "arrival": r.randint(0, 30), "work": r.randint(1, 20), "processors": r.randint(1, 4)} for k in range(jobs)],
        name=f"random-{seed}",
    )


def test_solve_as_the_command(root: Path, tmp_path: Path, four: allot.Instance) -> None:
    """The same seed gives the same schedule as on the command line, and the command accepts what is saved."""
    sol = allot.solve(four, "search", stop=allot.MaxEvaluations(2000), seed=7, effort=2)
    ours, theirs = tmp_path / "ours.json", tmp_path / "theirs.json"
    sol.save(ours)
    command("solve", "--solver", "search", "--param", "effort=2", "--evals", "2000", "--seed", "7", "-o", str(theirs), str(root / "examples/four.json"))
    assert json.loads(ours.read_text()) == json.loads(theirs.read_text())
    assert "ok" in command("check", str(root / "examples/four.json"), str(ours))
    assert sol.document["instance_sha256"] == hashlib.sha256((root / "examples/four.json").read_bytes()).hexdigest()
    assert sol.objective == sol.metrics["makespan"]
    assert sol.bound is not None and sol.objective is not None and sol.gap == pytest.approx(100 * (sol.objective - sol.bound) / sol.objective)
    assert (sol.status, sol.stop, sol.evaluations) == ("feasible", "evaluations", 2000)
    again = allot.Solution.read(ours, four)
    assert allot.check(four, again) and again.document == sol.document


def test_optimum(tiny: allot.Instance) -> None:
    sol = allot.solve(tiny, "exact")
    assert (sol.status, sol.objective, sol.bound, sol.gap) == ("optimal", 5, 5, 0)
    assert sol.found and sol and not sol.unscheduled
    assert sorted(p.job for p in sol.jobs) == ["a", "b", "c"]
    a = next(p for p in sol.jobs if p.job == "a")
    assert (a.cluster, a.processors, a.processor_list, a.start, a.end) == ("right", "0-1", [0, 1], 0, 3)


def test_the_file_of_an_instance(tmp_path: Path) -> None:
    """An instance that is made has the SHA-256 of the file that save writes."""
    inst = random_instance(1)
    inst.save(tmp_path / "i.json")
    sol = allot.solve(inst, "minmin")
    assert sol.document["instance_sha256"] == hashlib.sha256((tmp_path / "i.json").read_bytes()).hexdigest()
    read = allot.Instance.read(tmp_path / "i.json")
    assert read.document == inst.document and allot.check(read, sol).ok
    assert json.loads(inst.to_json()) == inst.document


def test_progress(four: allot.Instance) -> None:
    """Improvements get better and better, come in the thread of the caller, and have schedules that the checker accepts."""
    told: list[allot.Progress] = []
    sol = allot.solve(four, "search", stop=allot.MaxEvaluations(20000), schedules=True, on_progress=told.append)
    best = [p.objective for p in told if p.objective is not None]
    assert best and best == sorted(best, reverse=True)
    assert sol.objective is not None and sol.objective <= best[-1] and "objective" in str(told[-1])
    with_schedules = [p for p in told if p.solution is not None]
    assert with_schedules
    for p in with_schedules:
        assert p.solution is not None and p.solution.objective == p.objective
        assert allot.check(four, p.solution).ok


@pytest.mark.parametrize("seed", range(4))
def test_function_as_solver(seed: int) -> None:
    """A plan of a function is checked and valued as any other; its makespan is the sum of its times."""
    inst = random_instance(seed)
    sol = allot.solve(inst, one_after_the_other)
    now = 0.0
    for job in inst.jobs:
        now = max(now, job.get("arrival", 0.0)) + job["work"]
    assert sol.objective is not None and allot.check(inst, sol).ok
    assert max(p.end for p in sol.jobs) == pytest.approx(now)
    assert sol.document["solver"] == "call:one_after_the_other"


def test_function_with_a_run(tiny: allot.Instance) -> None:
    """A function that takes two arguments is told of the limits and may hand over schedules on the way."""
    seen: list[allot.Run] = []

    def refine(inst: allot.Instance, run: allot.Run) -> None:
        seen.append(run)
        run.improved(allot.solve(inst, "olb"))  # a request of its own, while the service waits
        run.improved(allot.solve(inst, "exact"))

    sol = allot.solve(tiny, refine, seed=9, stop=allot.MaxRuntime(600))
    assert sol.objective == 5 and seen[0].seed == 9
    assert seen[0].time is not None and 0 < seen[0].time <= 600 and not seen[0].cancelled


def test_compare(four: allot.Instance, tiny: allot.Instance) -> None:
    def copy(inst: allot.Instance) -> allot.Solution:
        return allot.solve(inst, "minmin")

    def broken(inst: allot.Instance) -> None:
        raise ZeroDivisionError("no luck")

    rows: list[allot.Row] = []
    solvers: list[Any] = ["minmin", "mine=search:effort=3", copy, broken]
    table = allot.compare([four, tiny], solvers, stop=allot.MaxEvaluations(300), solutions=True, on_progress=rows.append)
    assert [(r.solver, r.instance) for r in table] == [(s, i.name) for i in (four, tiny) for s in ("minmin", "mine", "copy", "broken")]
    assert rows and all(any(r.solver == t.solver and r.objective == t.objective for t in table) for r in rows)
    by = {(r.instance, r.solver): r for r in table}
    for inst in (four, tiny):
        assert by[inst.name, "copy"].objective == by[inst.name, "minmin"].objective
        assert "ZeroDivisionError: no luck" in by[inst.name, "broken"].fault
    for row, sol in zip(table, table.solutions):
        assert (sol is None) == (row.solver == "broken")
        if sol is not None:
            assert sol.objective == row.objective and allot.check(sol.instance, sol).ok
    assert "copy" in table._repr_html_()


def test_two_functions_of_one_name(tiny: allot.Instance) -> None:
    solvers = [lambda inst, by=by: allot.solve(inst, by) for by in ("minmin", "exact")]
    assert [r.solver for r in allot.compare(tiny, solvers)] == ["lambda", "lambda-2"]


@pytest.mark.parametrize("seed", range(4))
def test_policy_class(seed: int) -> None:
    """A policy in Python starts each job when the built-in one does."""
    inst = random_instance(seed, jobs=40)
    ours, theirs = allot.solve(inst, FirstCome), allot.solve(inst, "fcfs")
    assert {(p.job, p.cluster, p.start) for p in ours.jobs} == {(p.job, p.cluster, p.start) for p in theirs.jobs}


def test_policies() -> None:
    """On a trace the policy of the class has the same waits as the built-in one."""
    inst = allot.instance(clusters={"c": 8}, jobs=[{"arrival": 400 * k, "work": 90 * (k % 7 + 1) ** 2, "estimate": 90 * (k % 7 + 1) ** 2, "processors": k % 5 + 1} for k in range(1500)])
    report = allot.policies(inst, ["fcfs", FirstCome, "easy"], replicates=100)
    waits = {r["policy"]: {k: v for k, v in r.items() if k != "policy"} for r in report.rows() if r["kind"] == "all"}
    assert waits["fcfs"] == waits["FirstCome"] != waits["easy"]
    assert waits["easy"]["wait_mean"] < waits["fcfs"]["wait_mean"]
    assert str(waits["fcfs"]["jobs"]) in report.text and "easy" in report._repr_html_()


def test_trace_by_its_path(root: Path) -> None:
    report = allot.policies(root / "data/swf/KTH-SP2-1996-2.swf.gz", ["easy", "easy:order=sjf"], replicates=100)
    assert report.report["jobs"] == 28481 and "shown to be better than easy" in repr(report)


def test_bound_and_certificate(four: allot.Instance, tiny: allot.Instance, tmp_path: Path) -> None:
    found = allot.certify(tiny)
    best = allot.solve(tiny, "exact")
    assert float(allot.bound(tiny)) == found.bound <= 5
    assert found.certificate is not None
    verdict = allot.verify(tiny, found.certificate, best)
    assert verdict and verdict.bound == found.bound and verdict.optimal == (found.bound == 5)
    found.certificate.save(tmp_path / "c.json")
    assert allot.verify(tiny, allot.Certificate.read(tmp_path / "c.json"))
    assert not allot.verify(four, found.certificate)  # of another instance
    certified = allot.solve(tiny, "minmin", certify=True)
    assert certified.certificate is not None and allot.verify(tiny, certified.certificate)
    proved = allot.solve(tiny, "exact", certify=True)
    assert proved.certificate is not None
    assert allot.verify(tiny, proved.certificate, proved).optimal
    assert [p["value"] for p in found.table()]


def test_check_says_what_is_wrong(tiny: allot.Instance) -> None:
    sol = allot.solve(tiny, "exact")
    document = json.loads(json.dumps(sol.document))
    document["jobs"][1]["start"] += 1
    report = allot.check(tiny, allot.Solution(document, tiny))
    assert not report and report.violations[0]["job"] == document["jobs"][1]["job"]


def test_pictures_and_reasons(tiny: allot.Instance, tmp_path: Path) -> None:
    sol = allot.solve(tiny, "exact")
    assert "<svg" in sol.plot().text and "<html" in sol.plot(format="html").text
    assert sol.plot(format="png").data.startswith(b"\x89PNG") and "<svg" in sol.plot("utilisation").text
    sol.plot(title="mine", from_=0, to=3).save(tmp_path / "p.svg")
    assert "mine" in (tmp_path / "p.svg").read_text(encoding="utf-8")
    assert sol.explain("c")["job"] == "c"
    for shown in (sol, sol.jobs, tiny, tiny.jobs, sol.plot()):
        assert "<" in (shown._repr_html_() or "")
    assert "http://" not in sol._repr_html_().replace("http://www.w3.org", "") and "src=" not in sol._repr_html_().replace("srcdoc=", "")


def test_import(root: Path) -> None:
    inst = allot.import_("swf", root / "data/swf/KTH-SP2-1996-2.swf.gz", jobs=100)
    assert len(inst.jobs) == 100 and inst.name == "KTH-SP2-1996-2" and "100" in inst.report
    assert allot.import_(None, root / "data/swf/KTH-SP2-1996-2.swf.gz", jobs=100).document == inst.document


def test_simulate() -> None:
    inst = random_instance(3)
    start = allot.simulate(inst, ["fcfs", FirstCome])
    assert start["jobs"]  # type: ignore[typeddict-item]
    answer = allot.simulate(inst, submit={"id": "new", "work": 5, "processors": 2}, at=10, solver="easy")
    assert answer["job"] == "new"  # type: ignore[typeddict-item]


def test_backtest(root: Path) -> None:
    """Forecasts are measured on an instance and on a file alike, at as many jobs as asked for."""
    told: Any = allot.simulate(root / "data/swf/KTH-SP2-1996-2.swf.gz", backtest=True, samples=5, runs=3, from_=0.01, to=0.02, trials=0)
    assert len(told["samples"]) == 5 and told["runs"] == 3 and told["groups"]
    inst = allot.instance(clusters={"c": 8}, jobs=[{"arrival": 40 * k, "work": 90 * (k % 7 + 1), "estimate": 900, "processors": k % 5 + 1} for k in range(50)])
    told = allot.simulate(inst, backtest=True, runs=3, samples=100)
    assert all(s["submitted"] >= 0.1 * 49 * 40 for s in told["samples"])
    with pytest.raises(TypeError, match="backtest"):
        allot.simulate(root / "examples/tiny.json")
    with pytest.raises(allot.InputError, match="samples: expected it only with backtest"):
        allot.simulate(inst, samples=3)


def test_steps(tiny: allot.Instance) -> None:
    """The steps place what the schedule places, by the solver's name and by its solution."""
    sol = allot.solve(tiny, "minmin")
    steps = sol.steps()
    assert steps == allot.steps(tiny, "minmin")
    placed = {p["job"]: (p["cluster"], p["start"], p["end"]) for s in steps for p in s.get("placed", ())}
    assert placed == {p.job: (p.cluster, p.start, p.end) for p in sol.jobs}
    about = sol.steps("b")
    assert about and all(s in steps for s in about) and len(about) < len(steps)
    with pytest.raises(allot.InputError, match="search does not state its steps"):
        allot.steps(tiny, "search")


def test_lists(capsys: pytest.CaptureFixture[str]) -> None:
    names = [s.name for s in allot.solvers()]
    assert "search" in names and allot.solvers("search")["name"] == "search"
    assert "instance" in allot.schema() and allot.schema("instance")["$id"] == "allot/instance/1"
    allot.show_versions()
    assert allot.__version__ in capsys.readouterr().out


def test_start_and_limits(four: allot.Instance) -> None:
    first = allot.solve(four, "minmin")
    better = allot.solve(four, "search", start=first, stop=[allot.MaxRuntime(600), allot.MaxEvaluations(500)])
    assert better.objective is not None and first.objective is not None and better.objective <= first.objective
    assert better.stop == "evaluations"


def test_several_limits_of_a_kind() -> None:
    """The first that is reached ends a run."""
    stop: list[Any] = [allot.MaxEvaluations(500), allot.MaxRuntime(2), allot.MaxEvaluations(100), allot.MaxRuntime(3)]
    assert limits_of(stop) == {"time": 2.0, "evaluations": 100} and limits_of(None) == {}


def test_names_do_not_become_html() -> None:
    """Whatever a name is, a notebook shows it as a text, and pages are shown in a frame of their own that reaches nothing outside."""
    name = """<script>alert("1")</script>'&"""
    inst = allot.instance(name=name, clusters={name + "c": 2}, jobs=[{"id": name + "j", "work": 1, "user": name}])
    sol = allot.solve(inst, "minmin")
    page = sol.plot(format="html")
    for shown in (inst, inst.jobs, sol, sol.jobs, allot.compare(inst, ["minmin"]), sol.plot(), page):
        text = shown._repr_html_()
        assert text and "<script>alert" not in text, shown
    assert "<script>alert" not in page.text and 'sandbox="allow-scripts"' in (page._repr_html_() or "")
