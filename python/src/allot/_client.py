"""The client of ``allot serve --stdio``: one process that serves many calls of many threads."""

from __future__ import annotations

import atexit
import collections
import itertools
import json
import os
import queue
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import IO, Any

from . import _command
from . import _functions
from ._errors import AllotError, error_of, fault_at
from ._functions import Function, Policies

PROTOCOL = "allot-service/1"
LONGEST = 1 << 30  # bytes of a line that the service takes


class Raw:
    """A value that is JSON already, on one line."""

    def __init__(self, text: bytes) -> None:
        self.text = text


def stated(value: Any) -> Any:
    """A value as JSON can state it: numbers and arrays of numpy as those of Python, and any mapping as a dict."""
    if isinstance(value, Mapping):
        return dict(value)
    if callable(getattr(value, "tolist", None)):
        return value.tolist()
    raise TypeError(f"objects of type {type(value).__name__} are none of JSON")


def encode(value: Any) -> bytes:
    """A value as JSON on one line. Objects and lists may hold Raw. Raises TypeError or ValueError where JSON cannot state the value."""
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, Mapping) and any(isinstance(v, (Raw, list)) for v in value.values()):
        return b"{" + b",".join(encode(str(k)) + b":" + encode(v) for k, v in value.items()) + b"}"
    if isinstance(value, list) and any(isinstance(v, Raw) for v in value):
        return b"[" + b",".join(map(encode, value)) + b"]"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=stated).encode("utf-8")


def parameters(params: Mapping[str, Any]) -> Raw:
    """Parameters as JSON. Raises InputError with the place of a value that JSON cannot state."""
    try:
        return Raw(encode(params))
    except (TypeError, ValueError) as e:
        path = place(params, "") or ""
        raise fault_at(path, f"expected a value that JSON can state: {e}") from None


def place(value: Any, path: str) -> str | None:
    """Where a value is, at or below path, that JSON cannot state; None: there is none."""
    if isinstance(value, Mapping):
        items: Iterable[tuple[str, Any]] = ((f"{path}.{k}" if path else str(k), v) for k, v in value.items())
    elif isinstance(value, (list, tuple)):
        items = ((f"{path}[{k}]", v) for k, v in enumerate(value))
    else:
        try:
            encode(value)
            return None
        except (TypeError, ValueError):
            return path
    return next((found for where, v in items if (found := place(v, where)) is not None), None)


class Request:
    """A request under way. The reader fills it, and the caller waits for it."""

    def __init__(self) -> None:
        self.told: collections.deque[dict[str, Any]] = collections.deque()
        self.last: dict[str, Any] | None = None
        self.event = threading.Event()

    def wait(self, on_progress: Callable[[dict[str, Any]], None] | None, tick: Callable[[], None] | None = None) -> dict[str, Any]:
        while self.last is None:
            if tick is not None:
                tick()
            self.event.wait(0.1)  # not for ever: an interrupt that is no signal, as all are on Windows, does not end a wait
            self.event.clear()
            while self.told:
                told = self.told.popleft()
                if on_progress is not None:
                    on_progress(told)
        return self.last


class Client:
    """A process ``allot serve --stdio``. It starts on the first request, ends with the interpreter, and is started again if it dies.

    All methods may be called from several threads at a time.
    """

    def __init__(self, command: str | None = None) -> None:
        self.command = command
        self.lock = threading.Lock()
        self.service: Service | None = None
        _clients.add(self)

    def request(
        self,
        method: str,
        params: Mapping[str, Any],
        on_progress: Callable[[dict[str, Any]], None] | None = None,
        functions: Mapping[str, Function] | None = None,
        tick: Callable[[], None] | None = None,
    ) -> dict[str, Any]:
        """Sends a request and waits for its result.

        on_progress is called in this thread, and so is tick, ten times a second. A KeyboardInterrupt ends the request early, and its result is what the service has until then; a second one is raised.
        """
        with self.lock:
            if self.service is None or self.service.ended.is_set() or self.service.process.poll() is not None:
                self.service = Service(self.command or _command.find())
            service = self.service
        return service.request(method, params, on_progress, dict(functions or {}), tick)

    def version(self) -> str:
        """The version of the command."""
        self.request("schema", {})
        assert self.service is not None
        return str(self.service.greeting["version"])

    def close(self) -> None:
        """Ends the process. What runs is cancelled."""
        with self.lock:
            service, self.service = self.service, None
        if service is not None:
            service.close()

    def forget(self) -> None:
        """Leaves the process to the parent, in a child that was forked."""
        self.lock = threading.Lock()
        service, self.service = self.service, None
        if service is not None:
            service.forget()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Service:
    """A running process."""

    def __init__(self, command: str) -> None:
        apart: dict[str, Any] = {"start_new_session": True}  # Ctrl-C is for Python only
        if sys.platform == "win32":
            apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
        pipe = subprocess.PIPE
        try:
            self.process = subprocess.Popen([command, "serve", "--stdio"], stdin=pipe, stdout=pipe, stderr=pipe, **apart)
        except OSError as e:
            raise AllotError(f"cannot start {command}: {e}") from e
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self.stdin: IO[bytes] = self.process.stdin
        self.stdout: IO[bytes] = self.process.stdout
        self.stderr: IO[bytes] = self.process.stderr
        self.ended = threading.Event()
        self.numbers = itertools.count(1)
        self.writing = threading.Lock()  # a line is written whole
        self.lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.requests: dict[int, Request] = {}
        self.functions: dict[str, Function] = {}
        self.policies = Policies(self.answer)
        self.complaints: collections.deque[bytes] = collections.deque(maxlen=40)
        self.threads = [
            threading.Thread(target=work, name=f"allot-{work.__name__}", daemon=True) for work in (self.listen, self.read, self.write)
        ]
        try:
            self.begin(command)
        except BaseException:  # also Ctrl-C: no process is left
            self.process.kill()
            self.process.wait()
            raise

    def begin(self, command: str) -> None:
        """Reads the first line and starts the threads."""
        self.threads[0].start()
        line = self.stdout.readline()
        try:
            self.greeting = json.loads(line)
            spoken = self.greeting["protocol"]
        except (ValueError, KeyError, TypeError):
            spoken = None
        if spoken != PROTOCOL:
            self.stdin.close()
            self.process.wait()
            self.threads[0].join()
            raise AllotError(f"expected {command} to speak {PROTOCOL}, found {spoken or line[:200]!r}{self.said()}")
        for thread in self.threads[1:]:
            thread.start()

    def request(
        self,
        method: str,
        params: Mapping[str, Any],
        on_progress: Callable[[dict[str, Any]], None] | None,
        functions: dict[str, Function],
        tick: Callable[[], None] | None = None,
    ) -> dict[str, Any]:
        request, number = Request(), next(self.numbers)
        line = encode({"id": number, "method": method, "params": parameters(params), "progress": on_progress is not None})
        if len(line) >= LONGEST:
            raise AllotError(f"expected a request of at most {LONGEST} bytes, found {len(line)}", "too_large")
        with self.lock:
            self.requests[number] = request
            self.functions.update(functions)
        interrupted = False
        try:
            self.send(line)
            if self.ended.is_set():
                raise self.death()
            while True:
                try:
                    answer = request.wait(on_progress, tick)
                    break
                except KeyboardInterrupt:
                    if interrupted:
                        raise
                    interrupted = True
                    self.send(encode({"cancel": number}))
        except BaseException:
            if request.last is None:
                self.send(encode({"cancel": number}))
            raise
        finally:
            with self.lock:
                self.requests.pop(number, None)
                for name in functions:
                    self.functions.pop(name, None)
        if "result" in answer:
            result: dict[str, Any] = answer["result"]
            if interrupted:
                result["interrupted"] = True
            return result
        if interrupted:
            raise KeyboardInterrupt
        error = answer["error"] if isinstance(answer["error"], AllotError) else error_of(answer["error"])
        raise error from next((f.failure for f in functions.values() if f.failure is not None), None)

    def send(self, line: bytes) -> None:
        """Sends a line from the thread of a caller. Another thread writes it, as Ctrl-C might stop this one in the middle."""
        self.lines.put(line)

    def answer(self, value: Mapping[str, Any]) -> None:
        """Sends a line from a thread of our own."""
        self.put(encode(value))

    def put(self, line: bytes) -> None:
        with self.writing:
            try:
                self.stdin.write(line + b"\n")
                self.stdin.flush()
            except (OSError, ValueError):
                pass  # it has ended, and the reader tells so

    def write(self) -> None:
        """Writes lines until there are no more."""
        while (line := self.lines.get()) is not None:
            self.put(line)

    def listen(self) -> None:
        """Keeps what the process says about errors."""
        for line in self.stderr:
            self.complaints.append(line)

    def read(self) -> None:
        """Reads lines until the process ends."""
        try:
            for line in self.stdout:
                self.take(json.loads(line))
        except Exception as e:  # no line of JSON, or a thread that cannot start: nobody may be left to wait for ever
            self.complaints.append(f"{type(e).__name__}: {e}".encode("utf-8", "replace"))
            self.process.kill()
        self.ended.set()
        self.lines.put(None)
        self.threads[0].join(1)
        with self.lock:
            left = list(self.requests.values())
        self.policies.end()
        for request in left:
            request.last = {"error": self.death()}
            request.event.set()

    def take(self, message: dict[str, Any]) -> None:
        """Does what a line asks for."""
        if "call" in message:
            with self.lock:
                function = self.functions.get(message.get("function", ""))
            self.policies.call(message, function)
            return
        with self.lock:
            # An error without an id is about a line that could not be read. No line of ours is such, so nobody is left to wait for ever.
            told = list(self.requests.values()) if message["id"] is None else filter(None, [self.requests.get(message["id"])])
        for request in told:
            if "progress" in message:
                request.told.append(message["progress"])
            else:
                request.last = message
            request.event.set()

    def said(self) -> str:
        text = b"".join(self.complaints).decode("utf-8", "replace").strip()
        return f"; it said:\n{text}" if text else ""

    def death(self) -> AllotError:
        try:
            self.process.wait(1)  # it has closed its output, and ends
        except subprocess.TimeoutExpired:
            pass
        return AllotError(f"the process allot serve has ended (status {self.process.poll()}){self.said()}")

    def close(self) -> None:
        """Ends the process, by force where it does not end by itself."""
        self.lines.put(None)
        self.threads[2].join(1)
        if self.writing.acquire(timeout=1):
            try:
                self.stdin.close()
            except OSError:
                pass
            self.writing.release()
        else:
            self.process.kill()
        try:
            self.process.wait(6)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for thread in self.threads[:2]:
            thread.join(1)
        self.stdout.close()
        self.stderr.close()

    def forget(self) -> None:
        null = os.open(os.devnull, os.O_RDWR)
        for pipe in (self.stdin, self.stdout, self.stderr):
            os.dup2(null, pipe.fileno())
        os.close(null)
        self.process.returncode = 0  # it is no child of this process


_clients: weakref.WeakSet[Client] = weakref.WeakSet()
default = Client()


def _close_all() -> None:
    for client in list(_clients):
        client.close()


def _forget_all() -> None:
    _functions.forget()
    for client in list(_clients):
        client.forget()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
