#!/usr/bin/env python3
"""OR-Tools CP-SAT as a solver for allot:

    allot compare --time 10s --solvers 'search,exec:python3 examples/external/cpsat.py' examples/multicluster.json

It takes rigid jobs on clusters of equal processors, with execution times by speed or by cluster (unrelated machines), and any weighted
sum of makespan, mcp, over_deadline and mean_response; what else an instance asks for it refuses with the word. It needs
OR-Tools 9.9 or later: pip install ortools. Where allot sets no time limit it takes a minute, or --limit
SECONDS; --scale N sets how many units of the model a unit of time has.

Every job has an optional interval on each cluster that it can run on; an interval takes its processors of the cluster's capacity.
CP-SAT counts in whole numbers, so times are scaled and execution times rounded up. Each solution is rebuilt from
CP-SAT's order of starts in the instance's own numbers: no job starts later than in the rounded model (see rebuild), so that the
schedule is right and tight.
"""
import argparse
import fractions
import json
import math
import os
import sys
import time

BEGAN = time.monotonic()  # what is imported and built below takes of the time, too

try:
    from ortools.sat.python import cp_model
except ImportError:
    print(json.dumps({"unsupported": "needs OR-Tools: pip install ortools"}))
    sys.exit()

JOB = {"id", "arrival", "processors", "tasks", "work", "work_cv", "runtime", "estimate", "reference_speed", "deadline", "budget",
       "user_class", "span", "message"}
CLUSTER = {"id", "machines", "weights", "licences", "network"}
METRICS = {"makespan", "mcp", "over_deadline", "mean_response"}


def refuse(word):
    """Refuses the instance, in the way that allot understands."""
    print(json.dumps({"unsupported": word}))
    sys.exit()


class Instance:
    """What the model needs of an instance: capacities, weights and the execution time of every job on every cluster."""

    def __init__(self, data):
        self.jobs, self.clusters = data["jobs"], data["clusters"]
        self.objective = data.get("objective", {"makespan": 1})
        for metric, weight in self.objective.items():
            if weight and (metric not in METRICS or weight < 0):
                refuse("objective " + metric + (" with a negative weight" if weight < 0 else ""))
        if data.get("overheads", {}).get("context_switch"):
            refuse("overheads")
        self.capacity, self.speed, self.weights = [], [], []
        for c in self.clusters:
            self.read_cluster(c, data)
        for job in self.jobs:
            self.check_job(job)
        self.size = [job.get("processors", 1) for job in self.jobs]
        self.arrival = [job.get("arrival", 0) for job in self.jobs]
        self.deadline = [job.get("deadline", math.inf) for job in self.jobs]
        self.duration = [[self.time_of(k, i) for i in range(len(self.clusters))] for k in range(len(self.jobs))]

    def read_cluster(self, c, data):
        if set(c) - CLUSTER:
            refuse(", ".join(sorted(set(c) - CLUSTER)) + " of a cluster")
        if any("background" in m for m in c["machines"]):
            refuse("background load")
        speeds = {m.get("speed", 1) for m in c["machines"]}
        if len(speeds) > 1:
            refuse("machines of different speed in one cluster")
        w = c.get("weights", data.get("weights", {}))
        self.capacity.append(sum(m.get("count", 1) * m.get("processors", 1) for m in c["machines"]))
        self.speed.append(speeds.pop())
        self.weights.append([w.get(name, 1) for name in ("over_deadline", "makespan", "idle_time")])

    def check_job(self, job):
        if isinstance(job.get("processors", 1), dict):
            refuse("moldable jobs")
        if set(job) - JOB:
            refuse(", ".join(sorted(set(job) - JOB)))
        if job.get("message"):
            refuse("messages")
        if job.get("span") == "machine" and job.get("processors", 1) > 1:
            refuse("span machine")
        if job.get("span") == "grid" and job.get("processors", 1) > max(self.capacity):
            refuse("jobs that must spread over the grid")

    def time_of(self, k, i):
        """The execution time of job k on cluster i; None: it cannot run there."""
        job = self.jobs[k]
        if self.size[k] > self.capacity[i]:
            return None
        if "runtime" in job:
            return job["runtime"].get(self.clusters[i]["id"])
        work = job["work"] if "work" in job else job["estimate"] * job.get("reference_speed", 1)
        return -(-job.get("tasks", self.size[k]) // self.size[k]) * work / self.speed[i]

    def hosts(self, k):
        return [i for i, t in enumerate(self.duration[k]) if t is not None]


def only_loads(inst):
    """Where each processor is a machine of its own, all jobs are there from the beginning and the makespan is all that counts, only the
    loads of the machines matter, not the order of their jobs."""
    return {m for m, w in inst.objective.items() if w} <= {"makespan"} and max(inst.capacity) == 1 and len(set(inst.arrival)) < 2


def scale_of(inst, asked):
    """Units of the model in a unit of time: 1 where all times are whole, else so many that the horizon has 100,000, for CP-SAT is the slower
    the larger numbers are; loads can be as exact as you like."""
    times = [t for row in inst.duration for t in row if t is not None] + inst.arrival
    if asked:
        return asked
    if all(float(t).is_integer() for t in times):
        return 1
    longest = max(inst.arrival) + sum(max(inst.duration[k][i] for i in inst.hosts(k)) for k in range(len(inst.jobs)) if inst.hosts(k))
    return (1e9 if only_loads(inst) else 1e5) / (longest or 1)


class Model:
    """The CP-SAT model of an instance."""

    def __init__(self, inst, scale):
        self.inst, self.scale, self.cp = inst, scale, cp_model.CpModel()
        self.placed = [k for k in range(len(inst.jobs)) if inst.hosts(k)]
        self.first = math.floor(min(inst.arrival) * scale) if inst.jobs else 0
        self.arrival = [math.ceil(a * scale - 1e-6) - self.first for a in inst.arrival]
        self.time = [[None if t is None else math.ceil(t * scale - 1e-6) for t in row] for row in inst.duration]
        self.horizon = max([self.arrival[k] for k in self.placed], default=0) + \
            sum(max(t for t in self.time[k] if t is not None) for k in self.placed)
        self.on = {k: {i: self.cp.new_bool_var(f"on_{k}_{i}") for i in inst.hosts(k)} for k in self.placed}
        for k in self.placed:
            self.cp.add_exactly_one(self.on[k].values())
        self.start, self.end = {}, {}
        if not only_loads(inst):
            self.add_intervals()
        self.last = [self.cp.new_int_var(0, self.horizon, f"last_{i}") for i in range(len(inst.clusters))]
        self.busy = [sum(inst.size[k] * self.time[k][i] * self.on[k][i] for k in self.placed if i in self.on[k])
                     for i in range(len(inst.clusters))]
        for i, last in enumerate(self.last):
            self.cp.add(inst.capacity[i] * last >= self.busy[i])  # the energy of the jobs: redundant with intervals, and strong
        self.cp.minimize(self.objective())

    def add_intervals(self):
        intervals = [[] for _ in self.inst.clusters]
        for k in self.placed:
            self.start[k] = self.cp.new_int_var(self.arrival[k], self.horizon, f"start_{k}")
            self.end[k] = self.cp.new_int_var(self.arrival[k], self.horizon, f"end_{k}")
            for i, on in self.on[k].items():
                interval = self.cp.new_optional_interval_var(self.start[k], self.time[k][i], self.end[k], on, f"run_{k}_{i}")
                intervals[i].append((interval, self.inst.size[k]))
        for i, capacity in enumerate(self.inst.capacity):
            if capacity == 1:
                self.cp.add_no_overlap([interval for interval, _ in intervals[i]])
            else:
                self.cp.add_cumulative([interval for interval, _ in intervals[i]], [size for _, size in intervals[i]], capacity)

    def objective(self):
        weights, terms = {m: w for m, w in self.inst.objective.items() if w}, []
        for i, last in enumerate(self.last):
            for k in self.placed:
                if k in self.end and i in self.on[k]:
                    self.cp.add(last >= self.end[k]).only_enforce_if(self.on[k][i])
        if "makespan" in weights:
            makespan = self.cp.new_int_var(0, self.horizon, "makespan")
            self.cp.add_max_equality(makespan, self.last)
            terms.append(weights["makespan"] / self.scale * makespan)
        late = self.tardiness() if weights.keys() & {"over_deadline", "mcp"} else {}
        if "over_deadline" in weights:
            terms += [weights["over_deadline"] / self.scale * late[k] for k in late]
        if "mean_response" in weights and self.placed:
            each = weights["mean_response"] / self.scale / len(self.placed)
            terms += [each * (self.end[k] - self.arrival[k]) for k in self.placed]
        if "mcp" in weights and self.placed:
            terms += self.mcp(weights["mcp"], late)
        return sum(terms)

    def tardiness(self):
        late = {}
        for k in self.placed:
            if self.inst.deadline[k] < math.inf:
                deadline = math.floor(self.inst.deadline[k] * self.scale + 1e-6) - self.first
                if deadline < self.horizon:
                    late[k] = self.cp.new_int_var(0, self.horizon + max(0, -deadline), f"late_{k}")
                    self.cp.add(late[k] >= self.end[k] - deadline)
        return late

    def mcp(self, weight, late):
        """The mean comprehensive performance, eq. 7 of MUSCLE: the mean over the jobs of cp of their clusters."""
        terms = []
        for i, (w_over, w_makespan, w_idle) in enumerate(self.inst.weights):
            total = w_over + w_makespan + w_idle
            here = [k for k in self.placed if i in self.on[k]]
            if not total or not here:
                continue
            exact = [fractions.Fraction(w).limit_denominator(1000) for w in (w_over, w_makespan, w_idle)]
            unit = math.lcm(*(f.denominator for f in exact))
            over, makespan, idle = (int(f * unit) for f in exact)
            overs = []
            for k in here:
                if k in late:
                    mine = self.cp.new_int_var(0, 2 * self.horizon, f"late_{k}_{i}")
                    self.cp.add(mine >= late[k]).only_enforce_if(self.on[k][i])
                    overs.append(mine)
            top = (idle * self.inst.capacity[i] + makespan) * self.horizon + over * 2 * self.horizon * len(overs)
            cost, count = self.cp.new_int_var(0, top, f"cp_{i}"), self.cp.new_int_var(0, len(here), f"jobs_{i}")
            self.cp.add(cost == idle * (self.inst.capacity[i] * self.last[i] - self.busy[i]) + makespan * self.last[i] + over * sum(overs))
            self.cp.add(count == sum(self.on[k][i] for k in here))
            if top * len(here) > 1 << 61:
                refuse("numbers so large; try a smaller --scale")
            product = self.cp.new_int_var(0, top * len(here), f"cost_{i}")
            self.cp.add_multiplication_equality(product, [cost, count])
            terms.append(weight / (total * unit * len(self.placed) * self.scale) * product)
        return terms

    def hint(self, solution):
        """Starts the search from a schedule."""
        index = {job["id"]: k for k, job in enumerate(self.inst.jobs)}
        cluster = {c["id"]: i for i, c in enumerate(self.inst.clusters)}
        for p in solution["jobs"]:
            k = index[p["job"]]
            for i, on in self.on[k].items():
                self.cp.add_hint(on, i == cluster[p["cluster"]])
            if k in self.start:
                self.cp.add_hint(self.start[k], max(self.arrival[k], math.ceil(p["start"] * self.scale) - self.first))


def ranges(processors):
    """Processors as allot writes them: 0-3,7."""
    parts, processors = [], sorted(processors)
    for p in processors:
        if parts and parts[-1][1] == p - 1:
            parts[-1][1] = p
        else:
            parts.append([p, p])
    return ",".join(f"{a}-{b}" if a < b else str(a) for a, b in parts)


def rebuild(inst, order):
    """The schedule of (start, job, cluster) in order of start: each job gets the processors that are free first. By induction none
    starts later than in the model: whoever holds a processor then ran in the model at that time too, and left enough of them."""
    free = [[0.0] * capacity for capacity in inst.capacity]
    jobs = []
    for _, k, i in sorted(order):
        held = sorted(range(len(free[i])), key=free[i].__getitem__)[:inst.size[k]]
        start = max(inst.arrival[k], free[i][held[-1]])
        end = start + inst.duration[k][i]
        for p in held:
            free[i][p] = end
        jobs.append({"job": inst.jobs[k]["id"], "cluster": inst.clusters[i]["id"], "processors": ranges(held), "start": start, "end": end})
    left = [{"job": job["id"], "reason": "fits no cluster"} for k, job in enumerate(inst.jobs) if not inst.hosts(k)]
    return {"schema": "allot/solution/1", "jobs": jobs, "unscheduled": left}


class Printer(cp_model.CpSolverSolutionCallback):
    """Writes every solution at once, a line each: what is written when the time is up counts."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def on_solution_callback(self):
        m, order = self.model, []
        for k in m.placed:
            i = next(i for i, on in m.on[k].items() if self.boolean_value(on))
            order.append((self.value(m.start[k]) if k in m.start else 0, k, i))
        print(json.dumps(rebuild(m.inst, order)), flush=True)


def main():
    parser = argparse.ArgumentParser(description="CP-SAT for allot: the instance on standard input, solutions on standard output")
    parser.add_argument("--scale", type=float, default=0, help="units of the model in a unit of time; default: by the instance")
    parser.add_argument("--limit", type=float, default=60, help="seconds to take where allot sets no limit; default: 60")
    asked = parser.parse_args()
    inst = Instance(json.load(sys.stdin))
    if not any(inst.hosts(k) for k in range(len(inst.jobs))):
        print(json.dumps(rebuild(inst, [])))
        return
    model = Model(inst, scale_of(inst, asked.scale))
    if "ALLOT_START" in os.environ:
        with open(os.environ["ALLOT_START"], encoding="utf-8") as file:
            model.hint(json.load(file))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = int(os.environ.get("ALLOT_WORKERS", 1))
    solver.parameters.random_seed = int(os.environ.get("ALLOT_SEED", 1)) % (1 << 31)
    limit = float(os.environ.get("ALLOT_TIME", asked.limit))
    solver.parameters.max_time_in_seconds = max(0.01, limit - (time.monotonic() - BEGAN))
    status = solver.solve(model.cp, Printer(model))
    print(solver.status_name(status), f"{solver.objective_value:g} {solver.best_objective_bound:g}" if status in (2, 4) else "", file=sys.stderr)
    if status == cp_model.MODEL_INVALID:
        sys.exit(model.cp.validate())


if __name__ == "__main__":
    main()
