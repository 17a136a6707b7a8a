"""allot: which job runs when, and on which cluster.

Solve a batch and know how far the result is from the best, check schedules, compare solvers, also your own, and queueing policies on a trace. docs/python.md shows how.
The work is done by one process of the command ``allot``, which the first call starts and which ends with Python.
"""

from __future__ import annotations

from ._compare import Comparison, PolicyComparison, Row, compare, policies, simulate
from ._errors import AllotError, Fault, InputError, Unsupported, WrongScheduleError
from ._functions import Run
from ._instance import Instance, import_, instance, processors_list, processors_text
from ._lists import SolverInfo, schema, show_versions, solvers
from ._prove import Bound, Report, Verdict, bound, certify, check, verify
from ._solution import Certificate, Picture, Placement, Solution, steps
from ._solve import MaxEvaluations, MaxRuntime, Progress, solve
from ._table import Table

__all__ = [
    "AllotError", "Bound", "Certificate", "Comparison", "Fault", "InputError", "Instance", "MaxEvaluations", "MaxRuntime", "Picture", "Placement",
    "PolicyComparison", "Progress", "Report", "Row", "Run", "Solution", "SolverInfo", "Table", "Unsupported", "Verdict", "WrongScheduleError", "bound",
    "certify", "check", "compare", "import_", "instance", "policies", "processors_list", "processors_text", "schema", "show_versions", "simulate",
    "solve", "solvers", "steps", "verify",
]  # fmt: skip


def __getattr__(name: str) -> str:
    if name == "__version__":  # looked up when asked for, as that takes longer than the import
        import importlib.metadata

        return importlib.metadata.version("allot-opt")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
