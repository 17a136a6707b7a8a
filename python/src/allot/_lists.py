"""solvers, schema and show_versions."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast, overload

from . import _client, _command
from ._table import Table, dataclass_of

if TYPE_CHECKING:
    from .types import Parameter, SolverPage


@dataclass(frozen=True)
class SolverInfo:
    """A solver: its name, what it does, where it is from, and its parameters."""

    name: str
    doc: str
    source: str
    online: bool = False
    parameters: tuple[Parameter, ...] = ()
    allocates_by: str = ""
    absent: str = ""


@overload
def solvers() -> Table[SolverInfo]: ...
@overload
def solvers(name: str) -> SolverPage: ...
def solvers(name: str | None = None) -> Table[SolverInfo] | SolverPage:
    """Lists the solvers, or describes one in full: what it supports and refuses too."""
    if name is not None:
        return cast("SolverPage", _client.default.request("solvers", {"name": name})["solver"])
    records: list[dict[str, Any]] = _client.default.request("solvers", {})["solvers"]
    return Table(records, dataclass_of(SolverInfo), ("name", "online", "doc", "source"))


@overload
def schema() -> list[str]: ...
@overload
def schema(name: str) -> dict[str, Any]: ...
def schema(name: str | None = None) -> list[str] | dict[str, Any]:
    """The JSON Schema of a file format, or the names of all."""
    if name is None:
        return list(_client.default.request("schema", {})["names"])
    return cast("dict[str, Any]", _client.default.request("schema", {"name": name})["schema"])


def show_versions() -> None:
    """Prints what a report of a fault should state."""
    import importlib.metadata
    import platform

    def installed(name: str) -> str:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            return "not installed"

    print(f"allot-opt: {installed('allot-opt')}")
    print(f"command:   {_client.default.version()}, {_client.default.command or _command.find()}")
    print(f"python:    {platform.python_version()} ({sys.platform}, {platform.machine()})")
    for name in ("pandas", "ipython"):
        print(f"{name + ':':<11}{installed(name)}")
