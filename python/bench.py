"""Measures what the package takes: python bench.py [ROUNDS]. The figures of docs/python.md come from it."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import allot
from allot import _client


def median(rounds: int, work: Callable[[], object]) -> float:
    """Median milliseconds of a call."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return 1000 * statistics.median(times)


def python(code: str) -> float:
    """Milliseconds that a program takes."""
    return median(1, lambda: subprocess.run([sys.executable, "-c", code], check=True))


def main(rounds: int) -> None:
    nothing = statistics.median(python("pass") for _ in range(9))
    imported = statistics.median(python("import allot") for _ in range(9))
    print(f"import: {imported - nothing:.0f} ms")
    first = []
    for _ in range(9):
        with _client.Client() as client:
            first.append(median(1, lambda: client.request("schema", {})))
    print(f"the first call, which starts the process: {statistics.median(first):.0f} ms")

    inst = allot.instance(clusters={"c": 8, "d": 16}, jobs=[{"work": 1 + k % 9, "processors": 1 + k % 5} for k in range(40)])
    sol = allot.solve(inst, "minmin")
    print(f"a call that does nothing: {median(rounds, lambda: _client.default.request('schema', {})):.2f} ms")
    print(f"check of 40 jobs: {median(rounds, lambda: allot.check(inst, sol)):.2f} ms")
    print(f"solve of 40 jobs by minmin: {median(rounds, lambda: allot.solve(inst, 'minmin')):.2f} ms")
    print(f"the same by a function that has the answer: {median(rounds, lambda: allot.solve(inst, lambda asked: sol)):.2f} ms")

    n, parts = 100_000, [time.perf_counter()]
    jobs = [{"id": f"j{k}", "arrival": k / 10, "work": 1 + k % 7, "processors": 1 + k % 3} for k in range(n)]
    try:
        import pandas

        frame = pandas.DataFrame(jobs)
    except ImportError:
        frame = jobs
    parts[0] = time.perf_counter()
    large = allot.instance(clusters={"c": 64, "d": 64}, jobs=frame)
    parts.append(time.perf_counter())
    plan = allot.solve(large, "mct")
    parts.append(time.perf_counter())
    if frame is not jobs:
        plan.jobs.to_pandas()
    parts.append(time.perf_counter())
    made, solved, out = (b - a for a, b in zip(parts, parts[1:]))
    print(f"100,000 jobs: {made:.2f} s to the instance, checked; {solved:.2f} s to schedule them by mct; {out:.2f} s to the table; {parts[-1] - parts[0]:.2f} s in all")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
