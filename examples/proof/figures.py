"""Every metric of a schedule, in exact numbers, and the violations of what a solution states of them (docs/reference/metrics.md, docs/rules.md)."""
from fractions import Fraction as F
from functools import cached_property
from math import inf, isqrt

import power
import queueing

ONE_VALUE = """makespan idle_time over_deadline mcp balance mean_response mean_wait mean_slowdown slowdown_without_deadline bounded_slowdown finished
unfinished missed miss_rate data_moved work_done utilisation processor_usage licence_usage mean_partition cost over_budget workflow_failures qos_penalty""".split()
BY_CLUSTER = """cp cluster_slowdown_without_deadline cluster_missed cluster_miss_rate cluster_processor_usage cluster_licence_usage workload_share
load_share job_share""".split()
HIGH = {"finished", "data_moved", "work_done", "utilisation", "processor_usage", "licence_usage"}  # better when high
ROOT_8 = F(2.8284271247461903)
BILLIONTH, ROUNDING = F(1, 10**9), F(1, 10**14)


def is_objective(weights, instance=None):
    """Whether each name is a metric that has one value; qos_penalty needs a queueing view, and metrics of power need it stated (formats.md, What reading demands)."""
    if not all(name in ONE_VALUE or name in power.METRICS and instance and power.measured(instance, name) for name in weights):
        return False
    return "qos_penalty" not in weights or not instance or queueing.View(instance, weights).exists


def minimised(weights):
    """The weights of the sum that is minimised: the sign of a metric that is better when high changes (rules.md, The objective)."""
    return {name: -F(w) if name in HIGH else F(w) for name, w in weights.items() if w != 0}


def objective_of(solution, instance):
    """The objective to which a solution refers: the one that it states in `minimised`, if that is one, or the instance's own."""
    stated = solution.get("minimised")
    return instance.objective if stated is None or not is_objective(stated, instance) else stated or {"makespan": 1.0}


class Figure:
    """A value with the sum of the magnitudes of what was added up; `error` bounds how far a value that is not exact may be off; `terms` is what the
    magnitudes of the terms of an objective add up to."""

    def __init__(self, value, magnitude=0, error=0, terms=0):
        self.value, self.magnitude, self.error, self.terms = value, magnitude, error, terms

    def is_stated(self, stated):
        """rules.md, What is compared with which tolerance."""
        if self.value == inf:
            return False
        stated = F(stated)
        return abs(stated - self.value) <= BILLIONTH * max(abs(stated), abs(self.value)) + ROUNDING * (self.magnitude + self.terms)


def share(a, b, factor=1):
    """factor·a/b; nothing over nothing is 0."""
    return Figure(factor * a / b if b else F(0))


def mean(values):
    """The mean; 0 of nothing."""
    values = list(values)
    return Figure(sum(values) / len(values) if values else F(0))


def usage(events, capacity):
    """100·mean of active/min(capacity, active + requested) over the times in which a job runs or waits; events: (time, active, requested)."""
    events, total, length, active, asked, last = sorted(events), F(0), F(0), 0, 0, F(0)
    for time, a, q in events:
        level = min(capacity, active + asked)
        if level > 0:
            total += (time - last) * F(active, level)
            length += time - last
        active, asked, last = active + a, asked + q, time
    return total, length


class Metrics:
    """The metrics of the placed jobs of a schedule."""

    def __init__(self, schedule, loads=None, objective=None):
        self.instance, self.schedule, self.loads = schedule.instance, schedule, loads
        self.first = self.instance.first
        self.jobs = list(schedule.placed.values())
        self.view = queueing.View(self.instance, objective)
        self.finishing = [p for p in self.jobs if not (p.job.hard and p.late)]  # F of metrics.md

    def at(self, t):
        return F(t) - self.first

    def known(self, name):
        """Whether the metric is there for this instance."""
        return name in ONE_VALUE + BY_CLUSTER and (name != "qos_penalty" or self.view.exists)

    def get(self, name, cluster=None):
        """The figure of a metric (of a cluster)."""
        key = name, cluster and cluster.id
        if key not in self.memory:
            self.memory[key] = getattr(self, name)(cluster) if cluster else getattr(self, name)()
        return self.memory[key]

    @cached_property
    def memory(self):
        return {}

    # Of a cluster (metrics.md, Of a cluster).

    def home(self, cluster):
        return [p for p in self.jobs if p.home is cluster]

    def pieces(self, cluster=None):
        return [q for p in self.jobs for q in p.pieces if cluster in (None, q.cluster)]

    def cluster_makespan(self, cluster):
        return max((self.at(q.end) for q in self.pieces(cluster)), default=F(0))

    def idle(self, cluster):
        pieces, makespan = self.pieces(cluster), self.cluster_makespan(cluster)
        busy = sum((q.time for q in pieces), F(0))
        return Figure(cluster.size * makespan - busy, cluster.size * makespan + busy)

    def lateness(self, jobs):
        late = sum((max(F(0), F(p.end) - F(p.job.deadline)) for p in jobs if p.job.deadline is not None), F(0))
        return Figure(late)

    def cp(self, cluster):
        w_over, w_makespan, w_idle = cluster.weights
        total = w_over + w_makespan + w_idle
        if total == 0:
            return Figure(F(0))
        idle, makespan, over = self.idle(cluster), self.cluster_makespan(cluster), self.lateness(self.home(cluster))
        return Figure((w_idle * idle.value + w_makespan * makespan + w_over * over.value) / total,
                      (w_idle * idle.magnitude + w_makespan * makespan + w_over * over.value) / total)

    def cluster_slowdown_without_deadline(self, cluster):
        return self.slowdown(p for p in self.home(cluster) if p.job.deadline is None)

    def cluster_missed(self, cluster):
        return Figure(F(sum(p.late for p in self.home(cluster))))

    def cluster_miss_rate(self, cluster):
        count = sum(p.job.deadline is not None for p in self.home(cluster))
        return Figure(F(100 * sum(p.late for p in self.home(cluster)), count) if count else F(0))

    def cluster_processor_usage(self, cluster):
        return self.processors_used(self.pieces(cluster), cluster.size)

    def cluster_licence_usage(self, cluster):
        return self.copies_used(cluster)

    def workload_share(self, cluster):
        part, total = (sum((q.tasks * F(q.job.work) for q in pieces), F(0)) for pieces in (self.pieces(cluster), self.pieces()))
        return share(part, total, 100)

    def load_share(self, cluster):
        load = lambda job: F(job.estimated_work if job.estimated_work is not None else job.work)
        part, total = (sum((load(p.job) for p in jobs), F(0)) for jobs in (self.home(cluster), self.jobs))
        return share(part, total, 100)

    def job_share(self, cluster):
        return Figure(F(100 * len(self.home(cluster)), len(self.jobs)) if self.jobs else F(0))

    # Of the whole schedule.

    def makespan(self):
        return Figure(max((self.at(p.end) for p in self.jobs), default=F(0)))

    def idle_time(self):
        parts = [self.idle(c) for c in self.instance.clusters]
        return Figure(sum(p.value for p in parts), sum(p.magnitude for p in parts))

    def over_deadline(self):
        return self.lateness(self.jobs)

    def mcp(self):
        if not self.jobs:
            return Figure(F(0))
        parts = [(self.cp(c), len(self.home(c))) for c in self.instance.clusters]
        return Figure(sum(cp.value * n for cp, n in parts) / len(self.jobs), max(cp.magnitude for cp, _ in parts))

    def balance(self):
        n = len(self.instance.clusters)
        if n == 1:
            return Figure(F(0))
        mcp, parts = self.mcp(), [self.cp(c) for c in self.instance.clusters]
        magnitude = ROOT_8 * max(p.magnitude for p in parts)
        few = len(self.jobs) + len(self.pieces()) + n + len(ONE_VALUE) + len(BY_CLUSTER) + 8
        return Figure(root(sum((p.value - mcp.value) ** 2 for p in parts) / (n - 1)), magnitude, magnitude * (ROUNDING + F(few, 2**52)))

    def mean_response(self):
        return mean(F(p.end) - F(p.job.arrival) for p in self.finishing)

    def mean_wait(self):
        return mean(F(p.start) - F(p.job.arrival) for p in self.finishing)

    @staticmethod
    def slowdown(jobs):
        """Mean of response/length over the jobs that take time."""
        return mean((F(p.end) - F(p.job.arrival)) / p.length for p in jobs if p.length > 0)

    def mean_slowdown(self):
        return self.slowdown(self.finishing)

    def slowdown_without_deadline(self):
        return self.slowdown(p for p in self.finishing if p.job.deadline is None)

    def bounded_slowdown(self):
        return mean(max(F(1), (F(p.end) - F(p.job.arrival)) / max(p.length, F(10))) for p in self.finishing)

    def finished(self):
        return Figure(F(len(self.finishing)))

    def unfinished(self):
        return Figure(F(len(self.instance.jobs) - len(self.finishing)))

    def missed(self):
        placed = self.schedule.placed
        return Figure(F(sum(j.position not in placed or placed[j.position].late for j in self.instance.jobs if j.deadline is not None)))

    def miss_rate(self):
        count = sum(j.deadline is not None for j in self.instance.jobs)
        return Figure(100 * self.missed().value / count if count else F(0))

    def data_moved(self):
        return Figure(sum((p.job.exact_data for p in self.finishing), F(0)))

    def work_done(self):
        return Figure(sum((p.job.tasks * F(p.job.work) for p in self.finishing), F(0)))

    def utilisation(self):
        return share(sum((q.time for q in self.pieces()), F(0)), self.instance.size * self.makespan().value, 100)

    def processors_used(self, pieces, size):
        events = []
        for q in pieces:
            arrival, start, end = self.at(q.job.arrival), self.at(q.start), self.at(q.end)
            events += [(arrival, 0, q.size), (start, q.size, -q.size), (end, -q.size, 0)]
        return self.used([usage(events, size)])

    def processor_usage(self):
        return self.processors_used(self.pieces(), self.instance.size)

    @staticmethod
    def used(parts):
        """100·the mean of the usages of those parts that are asked for at some time."""
        return Figure(100 * mean(total / length for total, length in parts if length > 0).value)

    def copies_used(self, cluster=None):
        pools, copies = {}, {}
        for p in self.jobs:
            for (name, owner), (n, most) in p.draws(self.instance).items():
                if cluster and owner != cluster.position:
                    continue
                arrival, start, end = self.at(p.job.arrival), self.at(p.start), self.at(p.end)
                events = [(arrival, 0, n), (start, n, -n), (end, -n, 0)]
                pools.setdefault((name, owner), []).extend(events)
                copies[name, owner] = most
        return self.used([usage(events, copies[pool]) for pool, events in pools.items()])

    def licence_usage(self):
        return self.copies_used()

    def mean_partition(self):
        events = [(self.at(q.start), q.size, 0) for q in self.pieces()] + [(self.at(q.end), -q.size, 0) for q in self.pieces()]
        for p in self.jobs:
            if p.length > 0:
                events += [(self.at(p.start), 0, 1), (self.at(p.end), 0, -1)]
        total, length, active, running, last = F(0), F(0), 0, 0, F(0)
        for time, a, j in sorted(events):
            if running > 0:
                total += (time - last) * F(active, running)
                length += time - last
            active, running, last = active + a, running + j, time
        return share(total, length)

    def cost_of(self, p):
        return sum((q.time_cost for q in p.pieces), F(0))

    @staticmethod
    def charged(p):
        return sum(q.charged for q in p.pieces)

    def cost(self):
        return Figure(sum((self.cost_of(p) for p in self.jobs), F(0)))

    def over_budget(self):
        return Figure(F(sum(p.job.budget is not None and self.charged(p) > p.job.budget for p in self.jobs)))

    def workflow_failures(self):
        return Figure(F(sum(self.fails(w) for w in self.instance.workflows)))

    def fails(self, w):
        jobs = [j for j in self.instance.jobs if j.workflow == w["id"]]
        placed = [self.schedule.placed[j.position] for j in jobs if j.position in self.schedule.placed]
        if len(placed) < len(jobs):
            return True
        return ("deadline" in w and any(p.end > w["deadline"] for p in placed)) or ("budget" in w and sum(map(self.charged, placed)) > w["budget"])

    def qos_penalty(self):
        value, error = queueing.qos_penalty(self.view, self.jobs, self.loads)
        return Figure(inf, 0) if value == inf else Figure(F(value), len(self.jobs), F(error))

    # The objective.

    def objective(self, weights):
        """The weighted sum that is minimised (rules.md, The objective)."""
        value = magnitude = error = terms = F(0)
        for name, w in minimised(weights).items():
            f = self.get(name) if self.known(name) else Figure(inf, 0)
            if f.value == inf:
                return Figure(inf, 0)
            value, magnitude, error = value + w * f.value, magnitude + abs(w) * f.magnitude, error + abs(w) * f.error
            terms += abs(w * f.value)
        return Figure(value, magnitude, error, terms)


def root(x):
    """√x to 30 digits more than float64 has."""
    if x == 0:
        return F(0)
    scale = 1 << max(0, 400 + x.denominator.bit_length() - x.numerator.bit_length())
    return F(isqrt(x.numerator * scale * scale // x.denominator), scale)


def stated_figures(schedule, metrics, solution):
    """Violations of what the solution states: loads, metrics, objective and status."""
    wrong = schedule.wrong
    if solution.get("loads") and queueing.loads_are_wrong(metrics.view, list(schedule.placed.values()), solution["loads"]):
        wrong("loads")
    for name, stated in solution.get("metrics", {}).items():
        if not metrics.known(name) or isinstance(stated, dict) != (name in BY_CLUSTER):
            wrong("wrong-metric")
            continue
        for cluster, value in stated.items() if isinstance(stated, dict) else [(None, stated)]:
            if cluster is not None and cluster not in schedule.instance.cluster_at:
                wrong("wrong-metric")
            elif not metrics.get(name, schedule.instance.cluster_at.get(cluster)).is_stated(value):
                wrong("wrong-metric")
    weights = objective_of(solution, schedule.instance)
    if not is_objective(solution.get("minimised", {}), schedule.instance):
        wrong("wrong-objective")
    elif "objective" in solution and not metrics.objective(weights).is_stated(solution["objective"]):
        wrong("wrong-objective")
    status = solution.get("status")
    if (status == "infeasible" and solution["jobs"]) or (status == "optimal" and "bound" not in solution):
        wrong("wrong-status")
