#!/usr/bin/env python3
"""A second checker of schedules and certificates. It is written from the pages of docs alone and shares nothing with allot's own.

    check.py INSTANCE SOLUTION                  says ok, or wrong with the codes of docs/rules.md
    check.py INSTANCE CERTIFICATE [SOLUTION]    says verified, refuted or not certified (docs/proofs.md), and with a solution what it says of that
    check.py INSTANCE … INSTANCE …              several of them, one line each

The exit status is that of allot check: 0, 2 unreadable, 3 wrong or refuted, 4 not certified; of several the greatest.

Of instances with power (docs/power.md) it checks certificates alone: beside a schedule one is not certified, and a schedule alone is unreadable. It does not cover nodes (docs/rules.md, Nodes): of an instance with such a field a certificate is not certified, and a solution alone is unreadable. The
same goes for machine_prices, which prices what machines have, and for moldable: a certificate with such an argument is not certified. Sets of jobs that exclude each other
it covers.
"""
import sys
from fractions import Fraction as F

import certificate
import optimal
from figures import Metrics, is_objective, objective_of, stated_figures
from instance import Instance
from reading import Unreadable, demands, of_nodes, of_power, read, schema, shaped
from schedule import Schedule


class Checked:
    """A schedule, what is wrong with it and what it costs."""

    def __init__(self, instance, solution):
        self.instance, self.solution = instance, solution
        self.schedule = Schedule(instance, solution)
        self.weights = objective_of(solution, instance)
        self.metrics = Metrics(self.schedule, solution.get("loads") or None, self.weights)
        stated_figures(self.schedule, self.metrics, solution)
        owes, owed, status = self.schedule.owed(self.weights), solution.get("owed", 0), solution.get("status")
        otherwise_right = all(code == "wrong-status" for code, _ in self.schedule.violations)
        if status != "infeasible" and owed > owes and otherwise_right:
            self.schedule.wrong("wrong-bound")
        elif "bound" in solution and solution["jobs"] and owed >= owes and status != "infeasible":
            if optimal.refutes(self.schedule, self.metrics, self.weights, solution["bound"]):
                self.schedule.wrong("wrong-bound")
        if status == "optimal" and "bound" in solution and not self.schedule.violations:
            if owes > owed or not optimal.reaches(self.schedule, self.metrics, self.weights, solution["bound"], F(1, 10**4)):
                self.schedule.wrong("wrong-status")
        self.codes = sorted({code for code, _ in self.schedule.violations})

    def verdict(self):
        return "wrong: " + " ".join(self.codes) if self.codes else "ok"


def check(contents):
    """The line and the exit status for one instance and what belongs to it; contents are (path, value, SHA-256)."""
    path, spec, digest = contents[0]
    need_schema(path, spec, "allot/instance/1")
    field = of_nodes(spec)
    if field and any(schema(value) == "allot/proof/1" for _, value, _ in contents[1:]):
        return f"not certified: this checker does not cover nodes, and the instance has {field}", 4
    if field:
        raise Unreadable(f"{path}: {field}: expected an instance without fields of nodes, which this checker does not cover")
    spec = shaped(spec, path)
    demands(spec, path)
    instance = Instance(spec, digest)
    if not is_objective(instance.objective, instance):
        raise Unreadable(f"{path}: the objective has a metric that has not one value, or no arrival rate")
    others = {schema(value): shaped(value, path) for path, value, _ in contents[1:]}
    solution = others.get("allot/solution/1")
    if solution and of_power(spec):
        if "allot/proof/1" in others:
            return "not certified: this checker does not cover schedules of an instance with power", 4
        raise Unreadable(f"{path}: this checker does not cover schedules of an instance with power")
    checked = Checked(instance, solution) if solution else None
    if "allot/proof/1" in others:
        return certificate.check(instance, others["allot/proof/1"], checked)
    if not checked:
        raise Unreadable(f"{path}: expected a solution or a certificate beside it")
    return checked.verdict(), 3 if checked.codes else 0


def need_schema(path, value, name):
    if schema(value) != name:
        raise Unreadable(f"{path}: expected the schema {name}, found {schema(value)}")


def tasks(files):
    """The files from one instance to the next, read; an error in the place of a file that cannot be read."""
    task = []
    for path in files:
        try:
            content = (path, *read(path))
        except Unreadable as e:
            content = (path, e, None)
        if task and schema(content[1]) == "allot/instance/1":
            yield task
            task = []
        task.append(content)
    if task:
        yield task


def main(files):
    worst = 0
    for task in tasks(files):
        try:
            for _, value, _ in task:
                if isinstance(value, Unreadable):
                    raise value
            line, status = check(task)
        except Unreadable as e:
            line, status = f"unreadable: {e}", 2
        print(" ".join(line.split()))
        worst = max(worst, status)
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
