"""Many calls at a time, and what ends them."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import allot
from allot import _client

posix = pytest.mark.skipif(os.name != "posix", reason="signals and forks of POSIX")


def test_threads_get_their_own_answers() -> None:
    """Each answer is that of its question, whatever runs beside it."""

    def ask(k: int) -> None:
        r = random.Random(k)
        inst = allot.instance(clusters={"c": 1}, jobs=[{"id": f"{k}-{j}", "work": r.randint(1, 50)} for j in range(r.randint(1, 20))])
        total = sum(job["work"] for job in inst.jobs)
        if k % 4 == 0:
            own = threading.get_ident()

            def told(progress: allot.Progress) -> None:
                assert threading.get_ident() == own

            sol = allot.solve(inst, "search", stop=allot.MaxEvaluations(200), on_progress=told)
        elif k % 4 == 1:
            sol = allot.solve(inst, lambda asked: [(j["id"], "c", "0", start) for j, start in zip(asked.jobs, starts(asked))])
        else:
            sol = allot.solve(inst, "minmin")
        assert sol.objective == total and {p.job for p in sol.jobs} == {j["id"] for j in inst.jobs}
        assert allot.check(inst, sol).ok

    def starts(inst: allot.Instance) -> list[float]:
        now = [0.0]
        for job in inst.jobs:
            now.append(now[-1] + job["work"])
        return now

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(ask, range(160)))
    service = _client.default.service
    assert service is not None and not service.requests and not service.functions and not service.policies.queues and not service.policies.runs


def test_interrupt_returns_the_best_so_far(four: allot.Instance) -> None:
    """Ctrl-C in the middle of a run: its best schedule comes back."""
    pressed: list[bool] = []

    def interrupt(progress: allot.Progress) -> None:
        if progress.objective is not None and not pressed:
            pressed.append(True)
            signal.raise_signal(signal.SIGINT)

    sol = allot.solve(four, "search", stop=allot.MaxRuntime(600), on_progress=interrupt)
    assert sol.stop == "cancelled" and sol.found and allot.check(four, sol).ok


@posix
def test_interrupt_while_it_waits(four: allot.Instance) -> None:
    begun, main = threading.Event(), threading.main_thread().ident
    assert main is not None

    def press() -> None:
        begun.wait()
        signal.pthread_kill(main, signal.SIGINT)

    def told(progress: allot.Progress) -> None:
        if progress.objective is not None and not begun.is_set():
            begun.set()

    threading.Thread(target=press).start()
    sol = allot.solve(four, "search", stop=allot.MaxRuntime(600), on_progress=told)
    assert sol.stop == "cancelled" and sol.found


def test_interrupt_of_a_function(tiny: allot.Instance) -> None:
    """A function that does not end keeps nobody waiting; what it has told of counts."""
    hold = threading.Event()
    pressed: list[bool] = []

    def endless(inst: allot.Instance, run: allot.Run) -> None:
        run.improved(allot.solve(inst, "exact"))
        hold.wait()

    def interrupt(progress: allot.Progress) -> None:
        if not pressed:
            pressed.append(True)
            signal.raise_signal(signal.SIGINT)

    try:
        sol = allot.solve(tiny, endless, stop=allot.MaxRuntime(600), on_progress=interrupt)
        assert sol.objective == 5
    finally:
        hold.set()


def test_interrupt_without_anything_is_raised(tiny: allot.Instance) -> None:
    hold = threading.Event()

    def endless(inst: allot.Instance) -> None:
        signal_main()
        hold.wait()

    def signal_main() -> None:
        import _thread

        _thread.interrupt_main()

    try:
        with pytest.raises(KeyboardInterrupt):
            allot.solve(tiny, endless)
    finally:
        hold.set()


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ends(pid: int) -> bool:
    """Waits for the end of a process, for a minute at most."""
    for _ in range(6000):
        if not alive(pid):
            return True
        time.sleep(0.01)
    return False


WORK = """
    import sys, threading, allot
    from allot import _client
    inst = allot.instance(clusters={"c": 4, "d": 4}, jobs=[{"work": 1 + k % 5, "processors": 1 + k % 3} for k in range(60)])
    print(_client.default.service.process.pid, flush=True)

    def slow(inst):
        threading.Event().wait()

    def work(k):
        while True:
            if k == 0:
                allot.solve(inst, "search", stop=allot.MaxRuntime(600), on_progress=lambda p: None)
            elif k == 1:
                allot.solve(inst, slow)
            elif k == 2:
                allot.policies(inst, ["fcfs", "easy"])
            else:
                allot.check(inst, allot.solve(inst, "minmin"))

    for k in range(4):
        threading.Thread(target=work, args=(k,), daemon=True).start()
    threading.Event().wait()
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_killed_python_leaves_nothing(tmp_path: Path) -> None:
    """Python is killed at random moments: its process of allot ends, and no file is left. ALLOT_KILLS says how often."""
    r = random.Random(1)
    for _ in range(int(os.environ.get("ALLOT_KILLS", "5"))):
        child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(WORK)], stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp_path)})
        assert child.stdout is not None
        pid = int(child.stdout.readline())
        assert alive(pid)
        time.sleep(r.random() * 0.3)
        child.kill()
        child.wait()
        child.stdout.close()
        assert ends(pid), f"process {pid} is left"
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("last", ["", "raise SystemExit(3)", "raise RuntimeError", "import os; os.kill(os.getpid(), 15)"])
def test_the_end_of_python(last: str) -> None:
    code = f"import allot\nfrom allot import _client\nallot.schema()\nprint(_client.default.service.process.pid, flush=True)\n{last}\n"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ends(int(child.stdout)) and "RuntimeError" in last or "Traceback" not in child.stderr


@posix
def test_a_forked_child_has_a_process_of_its_own(tiny: allot.Instance) -> None:
    code = """
        import os, allot
        from allot import _client
        allot.schema()
        mine = _client.default.service.process.pid
        child = os.fork()
        if child == 0:
            allot.schema()
            ok = _client.default.service.process.pid != mine
            _client.default.close()
            os._exit(0 if ok else 1)
        assert os.waitpid(child, 0)[1] == 0
        allot.schema()
        assert _client.default.service.process.pid == mine
    """
    subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], check=True)


@posix
def test_its_own_group() -> None:
    """Ctrl-C on a terminal reaches Python only."""
    allot.schema()
    assert _client.default.service is not None
    assert os.getpgid(_client.default.service.process.pid) != os.getpgid(0)


@posix
def test_interrupt_while_the_process_starts(tmp_path: Path) -> None:
    """Ctrl-C before the first line: no process is left, and the next call starts one that answers."""
    command = tmp_path / "allot"
    command.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nkill -INT {os.getpid()}\nexec cat\n")
    command.chmod(0o755)
    with pytest.raises(KeyboardInterrupt):
        with _client.Client(str(command)) as client:
            client.request("schema", {})
    assert ends(int((tmp_path / "pid").read_text()))
    client.command = None
    assert client.request("schema", {})["names"]
    client.close()


@posix
def test_a_killed_process(tiny: allot.Instance) -> None:
    """The calls under way say how it has ended, the next one starts another, and no thread of the old one is left."""
    with _client.Client() as client:
        client.request("schema", {})
        first = client.service
        assert first is not None
        begun = threading.Event()

        def told(message: object) -> None:
            if not begun.is_set():
                begun.set()
                os.kill(first.process.pid, signal.SIGKILL)

        with pytest.raises(allot.AllotError, match="status -9"):
            client.request("solve", {"solver": "search", "time": 600, "instance": tiny._param}, told)
        assert client.request("schema", {})["names"] and client.service is not first
        for thread in first.threads:
            thread.join(60)
            assert not thread.is_alive()


@posix
def test_a_line_that_cannot_be_taken() -> None:
    """Where the reader fails, nobody waits for ever and no process is left."""
    with _client.Client() as client:
        client.request("schema", {})
        service = client.service
        assert service is not None

        def fail(message: object) -> None:
            raise RuntimeError("cannot start a thread")

        service.take = fail  # type: ignore[method-assign]
        with pytest.raises(allot.AllotError, match="cannot start a thread"):
            client.request("schema", {})
        assert ends(service.process.pid)


@posix
def test_names_in_a_forked_child() -> None:
    """A child takes over neither the names of functions under way nor who holds their lock."""
    from allot import _functions

    def busy() -> None: ...

    with _functions.named([busy], labels=False), _functions._taking:
        child = os.fork()
        if child == 0:
            with _functions.named([busy], labels=False) as (names, _):
                os._exit(0 if names == ["call:busy"] else 1)
        assert os.waitpid(child, 0)[1] == 0
