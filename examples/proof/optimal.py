"""When a bound proves a schedule optimal, and when a schedule refutes a bound (docs/rules.md, Optimal)."""
from fractions import Fraction as F
from math import inf

from figures import BILLIONTH, ROOT_8, ROUNDING, minimised
from instance import ulp

UNLIMITED = F(10) ** 300
COUNTS = {"missed", "unfinished", "finished", "miss_rate", "over_budget", "workflow_failures"}  # numbers of jobs or workflows


def largest(instance, metric, never=()):
    """The largest value of a metric that is better when high, or None (rules.md, Optimal; proofs.md, The sum of the parts, without jobs that are never placed)."""
    if metric in ("utilisation", "processor_usage", "licence_usage"):
        return F(100)
    values = {"finished": lambda j: 1, "data_moved": lambda j: j.data, "work_done": lambda j: j.tasks * j.work}
    if metric not in values:
        return None
    return sum((F(values[metric](j)) for j in instance.jobs if j.position not in never), F(0))


def terms(instance, metrics, weights):
    """|w|·x of each metric, with its weight and name, and whether each has a largest value (rules.md, Optimal)."""
    found = []
    for name, w in minimised(weights).items():
        x = metrics.get(name).value
        if w < 0:
            most = largest(instance, name)
            if most is None:
                return None
            x = most - x
        found.append((abs(w) * x, w, name))
    return found


def reaches(schedule, metrics, weights, bound, tolerance=F(0)):
    """Whether the bound reaches the objective, in exact numbers (rules.md, Optimal and Rounded ends), with a further relative tolerance."""
    objective = metrics.objective(weights)
    if objective.value == inf:
        return False
    parts = terms(schedule.instance, metrics, weights)
    if parts is None or (schedule.coarse() and any(x for x, _, _ in parts)):
        return False
    short, counted, allowed = schedule.rounding(), [], F(0)
    for x, w, name in parts:
        z = F(0)
        if w > 0 and name not in COUNTS:
            most = lowered(schedule, metrics, name, short)
            z = min(x, w * most) if most < UNLIMITED else z
        if x > z:
            counted.append(x)
        allowed += z
    least = min(counted, default=F(0))
    if least and len(parts) > 1 and allowed > least / 10**6:
        return False
    allowed = (BILLIONTH + tolerance) * least + (min(allowed, least / 10**6) if least else allowed)
    gap = objective.value + sum(abs(w) * against(metrics, name) for _, w, name in parts) - F(bound)
    return gap <= allowed and (not (short and least) or -gap <= allowed)


def against(metrics, name):
    """What is added to a metric that has no exact form: its rounding error against the claim, or for qos_penalty in favour of it (rules.md, Optimal)."""
    figure = metrics.get(name)
    return -2 * ROUNDING * figure.magnitude if name == "qos_penalty" else figure.error


def refutes(schedule, metrics, weights, bound):
    """Whether the bound exceeds the objective by more than rounding and durations that differ from the time rule account for (rules.md, A bound that is refuted)."""
    objective = metrics.objective(weights)
    if objective.value == inf:
        return False
    off = schedule.deviation()
    parts = terms(schedule.instance, metrics, weights)
    least = min((x for x, _, _ in parts or [] if x > 0), default=F(0))
    lowered = sum(abs(w) * change(schedule, metrics, name, off) for name, w in minimised(weights).items())
    rounding = objective.error + ROUNDING * (objective.magnitude + abs(objective.value))
    return F(bound) > objective.value + BILLIONTH * least + lowered + rounding


def lowered(schedule, metrics, name, s):
    """What S can change of a metric, where no job's part of it falls below 0 (rules.md, Rounded ends)."""
    if name == "over_deadline":
        return sum((min(s, max(F(0), F(p.end) - F(p.job.deadline))) for p in metrics.jobs if p.job.deadline is not None), F(0))
    if name in ("mean_wait", "mean_response") and metrics.finishing:
        part = lambda p: F(p.start if name == "mean_wait" else p.end) - F(p.job.arrival)
        return sum(min(s, max(F(0), part(p))) for p in metrics.finishing) / len(metrics.finishing)
    return change(schedule, metrics, name, s)


def change(schedule, metrics, name, s):
    """By how much a metric changes at most if each start and each end moves by at most s (rules.md, How much times can change a metric)."""
    if s == 0:
        return F(0)
    instance, jobs = schedule.instance, metrics.jobs
    dated = [p for p in jobs if p.job.deadline is not None]
    if name in ("makespan", "mean_response", "mean_wait"):
        return s
    if name == "over_deadline":
        return s * sum(F(p.end) + s > F(p.job.deadline) for p in dated)
    if name == "idle_time":
        return 2 * s * instance.size
    if name in ("mcp", "balance"):
        most = F(0)
        for c in instance.clusters:
            w_over, w_makespan, w_idle = c.weights
            if sum(c.weights):
                most = max(most, s * (w_idle * 2 * c.size + w_makespan + w_over * len(instance.jobs)) / sum(c.weights))
        return most if name == "mcp" else ROOT_8 * most
    if name == "cost":
        return s * sum(F(g.cost) * g.count * g.per for c in instance.clusters for g in c.groups)
    if name in ("mean_slowdown", "bounded_slowdown"):
        total = F(0)
        for p in jobs:
            bounded = name == "bounded_slowdown"
            length, response = max(p.length, F(10)) if bounded else p.length, F(p.end) - F(p.job.arrival)
            if length > 0 and not (bounded and response + s <= length - 2 * s):
                if length <= 2 * s:
                    return UNLIMITED
                total += s * (1 + 2 * response / length) / (length - 2 * s)
        return total / len(metrics.finishing) if metrics.finishing else total
    if name in ("missed", "unfinished", "finished", "miss_rate"):
        near = sum(abs(F(p.end) - F(p.job.deadline)) <= s + 4 * ulp(p.end) for p in dated)
        all_dated = sum(j.deadline is not None for j in instance.jobs)
        return F(100 * near, all_dated) if name == "miss_rate" and all_dated else F(near)
    if name == "over_budget":
        return F(len(instance.jobs))
    if name == "workflow_failures":
        return F(len(instance.workflows))
    return F(0) if name in ("qos_penalty", "data_moved", "work_done") else UNLIMITED
