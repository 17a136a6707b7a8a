"""Errors, as the service states them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Fault:
    """One thing wrong with the input: where, as a JSON path such as ``jobs[3].work``, and what was expected and found."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class AllotError(Exception):
    """Any error of allot. ``code`` names its kind as the service does: ``no_answer`` or ``busy``, for example."""

    def __init__(self, message: str, code: str = "failure") -> None:
        super().__init__(message)
        self.code = code


class InputError(AllotError, ValueError):
    """The input is wrong. ``faults`` lists what is wrong, and ``path`` is the place of the first fault."""

    def __init__(self, message: str, faults: tuple[Fault, ...] = ()) -> None:
        super().__init__(message, "input")
        self.faults = faults

    @property
    def path(self) -> str:
        return self.faults[0].path if self.faults else ""


class WrongScheduleError(AllotError):
    """The checker refuses a schedule."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "wrong_schedule")


class Unsupported(AllotError):
    """A solver cannot honour what the instance asks for. A solver or policy of your own raises it too, with the reason."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "unsupported")


def fault_at(path: str, message: str) -> InputError:
    """An error with one fault."""
    fault = Fault(path, message)
    return InputError(str(fault), (fault,))


def error_of(error: Mapping[str, Any]) -> AllotError:
    """The exception for an error of the service."""
    code, message = str(error["code"]), str(error["message"])
    if code == "input":
        return InputError(message, tuple(Fault(str(f["path"]), str(f["message"])) for f in error.get("faults", ())))
    if code == "wrong_schedule":
        return WrongScheduleError(message)
    if code == "unsupported":
        return Unsupported(message)
    return AllotError(message, code)


def below(error: InputError, path: str) -> InputError:
    """The error with paths that begin below path: the error of an instance is told by its own paths."""

    def cut(text: str) -> str:
        return text[len(path) :].lstrip(".") if text.startswith(path) else text

    faults = tuple(Fault(cut(f.path), f.message) for f in error.faults)
    return InputError("\n".join(map(str, faults)) or str(error), faults)
