"""Solvers and policies that are Python: the service calls them, and they answer."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import queue
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, Union

from ._errors import Unsupported

if TYPE_CHECKING:
    from ._instance import Instance
    from ._solution import Solution
    from .types import OnlineAnswer, OnlineEvent

    class Policy(Protocol):
        """An on-line policy: what it decides at an event. A class whose objects are such is a policy wherever a name of one is."""

        def decide(self, event: OnlineEvent) -> OnlineAnswer | None: ...


Solver = Union[str, Callable[..., Any], "type[Policy]"]


class Run:
    """What a solver written as a function gets beside the instance, if it takes two arguments."""

    def __init__(self, params: Mapping[str, Any], tell: Callable[[Mapping[str, Any]], None], start: Solution | None) -> None:
        #: the seed of random draws
        self.seed: int = params.get("seed", 1)
        #: how many threads it may use
        self.workers: int = params.get("workers", 1)
        #: seconds that it may take; None: no limit
        self.time: float | None = params.get("time")
        #: how many schedules it may try; None: no limit
        self.evaluations: int | None = params.get("evaluations")
        #: a solution to start from, or None
        self.start = start
        self._tell = tell
        self._ended = threading.Event()

    @property
    def cancelled(self) -> bool:
        """Whether the answer is no longer needed."""
        return self._ended.is_set()

    def improved(self, placements: Any) -> None:
        """Tells of a schedule on the way. The best one counts, also if the function does not end in time."""
        self._tell({"solution": schedule_of(placements)})


def schedule_of(answer: Any) -> Any:
    """The answer of a solver as the service wants it: a solution, its document, or a list of placements."""
    from ._instance import processors_text
    from ._solution import Placement, Solution

    if answer is None:
        return None
    if isinstance(answer, Solution):  # of the instance as the service has sent it, whose bytes need not be those of a file
        return {k: v for k, v in answer.document.items() if k != "instance_sha256"}
    if isinstance(answer, Mapping):
        return dict(answer)
    if not isinstance(answer, Iterable) or isinstance(answer, (str, bytes)):
        raise TypeError(f"expected a solution or a list of placements, found {answer!r:.100}")
    placements = []
    for one in answer:
        if isinstance(one, Placement):
            placement = one.document()
        elif isinstance(one, Mapping):
            placement = dict(one)
        elif isinstance(one, tuple) and len(one) in (4, 5):
            placement = dict(zip(("job", "cluster", "processors", "start", "end"), one))
        else:
            raise TypeError(f"expected a placement: a mapping, or a tuple (job, cluster, processors, start), found {one!r:.100}")
        if "processors" in placement:
            placement["processors"] = processors_text(placement["processors"])
        placements.append(placement)
    return {"placements": placements}


def takes(function: Callable[..., Any]) -> int:
    """How many arguments a function takes by place; 9: any number."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return 9
    return sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)


def writable(text: str) -> str:
    """The text without what UTF-8 cannot state."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class Function:
    """A function or class that the service may call by a name."""

    def __init__(self, target: Callable[..., Any]) -> None:
        self.target = target
        self.failure: BaseException | None = None  # the last exception that it raised

    def solve(self, params: Mapping[str, Any], tell: Callable[[Mapping[str, Any]], None]) -> tuple[Run, Callable[[], Any]]:
        from ._instance import Instance
        from ._solution import Solution

        inst = Instance(params["instance"], checked=True)
        run = Run(params, tell, Solution(params["start"], inst) if params.get("start") else None)
        arguments = (inst, run) if takes(self.target) >= 2 else (inst,)
        return run, lambda: schedule_of(self.target(*arguments))


class Policies:
    """Answers the calls of a service: of solvers each in a thread of its own, of a policy all in one."""

    def __init__(self, answer: Callable[[Mapping[str, Any]], None]) -> None:
        self.answer = answer
        self.runs: dict[int, Run] = {}  # by the number of the call
        self.queues: dict[int, queue.SimpleQueue[dict[str, Any] | None]] = {}  # by the number of the policy

    def call(self, message: dict[str, Any], function: Function | None) -> None:
        """Takes a call. From the one thread that reads."""
        number = message["call"]
        if message.get("cancel"):
            run = self.runs.get(number)
            if run is not None:
                run._ended.set()
        elif message["method"] == "solve" and function is not None:
            threading.Thread(target=self.solve, args=(number, message["params"], function), name="allot-solver", daemon=True).start()
        elif message["method"] == "open" and function is not None:
            calls = self.queues[message["policy"]] = queue.SimpleQueue()
            calls.put(message)
            threading.Thread(target=self.decide, args=(message["policy"], calls, function), name="allot-policy", daemon=True).start()
        elif message.get("policy") in self.queues:
            self.queues[message["policy"]].put(message)
        else:
            missing = {"call": number, "error": f"there is no function {message.get('function')!r}"}
            threading.Thread(target=self.answer, args=(missing,), daemon=True).start()  # the reader never waits for the writer

    def end(self) -> None:
        """Tells all functions that nobody waits for them any more."""
        for run in list(self.runs.values()):
            run._ended.set()
        for calls in list(self.queues.values()):
            calls.put(None)

    def attempt(self, number: int, function: Function, work: Callable[[], Any]) -> bool:
        """Answers a call by what work returns, or by its exception."""
        try:
            self.answer({"call": number, "result": work()})
        except Unsupported as e:
            self.answer({"call": number, "unsupported": writable(str(e))})
        except BaseException as e:
            function.failure = e
            self.answer({"call": number, "error": writable(f"{type(e).__name__}: {e}")})
        else:
            return True
        return False

    def solve(self, number: int, params: dict[str, Any], function: Function) -> None:
        run: list[Run] = []

        def work() -> Any:
            one, result = function.solve(params, lambda told: self.answer({"call": number, **told}))
            run.append(one)
            self.runs[number] = one
            return result()

        try:
            self.attempt(number, function, work)
        finally:
            self.runs.pop(number, None)

    def decide(self, policy: int, calls: queue.SimpleQueue[dict[str, Any] | None], function: Function) -> None:
        made: list[Any] = []

        def work(message: dict[str, Any]) -> Any:
            if message["method"] == "open":
                made.append(function.target(message["params"]) if takes(function.target) >= 1 else function.target())
                return None
            if message["method"] == "decide":
                return made[0].decide(message["params"])
            end = getattr(made[0], "close", None)
            if end is not None:
                end()
            return None

        while (message := calls.get()) is not None:
            if not self.attempt(message["call"], function, lambda: work(message)) or message["method"] == "close":
                break
        self.queues.pop(policy, None)


def is_policy(solver: object) -> bool:
    """Whether it is a class with a method decide."""
    return isinstance(solver, type) and callable(getattr(solver, "decide", None))


def name_of(solver: object) -> str:
    """What a function or class is called in tables."""
    named = getattr(solver, "__name__", None) or type(solver).__name__
    return re.sub(r"\W+", "", named) or "function"


_taken: set[str] = set()  # names of functions that requests under way use
_taking = threading.Lock()


def forget() -> None:
    """Forgets the requests under way, which are those of the parent, in a child that was forked."""
    global _taken, _taking
    _taken, _taking = set(), threading.Lock()


def free(name: str, taken: set[str]) -> str:
    """The name, or with the first number that is free: the same in each run."""
    return next(n for k in itertools.count(1) if (n := name if k == 1 else f"{name}-{k}") not in taken)


@contextlib.contextmanager
def named(solvers: Iterable[Solver], labels: bool) -> Iterator[tuple[list[str], dict[str, Function]]]:
    """The names of solvers as the service takes them, and the functions among them by their names there.

    With labels each function goes by its own name in the answer.
    """
    if isinstance(solvers, str):
        raise TypeError(f"expected a list of solvers, found the text {solvers!r}")
    names: list[str] = []
    functions: dict[str, Function] = {}
    shown: set[str] = set()
    try:
        for solver in solvers:
            if isinstance(solver, str):
                names.append(solver)
                continue
            if not callable(solver):
                raise TypeError(f"expected the name of a solver, a function or a class with decide, found {solver!r:.100}")
            with _taking:
                own = free(name_of(solver), _taken)
                _taken.add(own)
            functions[own] = Function(solver)
            call = f"{'call-online' if is_policy(solver) else 'call'}:{own}"
            label = free(name_of(solver), shown)
            shown.add(label)
            names.append(f"{label}={call}" if labels else call)
        yield names, functions
    finally:
        with _taking:
            _taken.difference_update(functions)
