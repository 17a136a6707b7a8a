"""Certificates: the order of the checks, steps and sums (docs/proofs.md, The format)."""
from fractions import Fraction as F
from math import ceil

import conflicts
import counts
import kinds
import levels
import lists
import optimal
import partitions
import power
import prices
import windows
from facts import Doubt, Facts, Refuted, need
from figures import HIGH, is_objective, minimised
from queueing import View

KINDS = {
    "critical_path": (("makespan",), kinds.critical_path),
    "area": (("makespan",), kinds.area),
    "pigeonhole": (("makespan",), kinds.pigeonhole),
    "energetic": (("makespan",), kinds.energetic),
    "windows": (("makespan",), windows.windows),
    "each_alone": (("mean_response", "mean_wait", "mcp", "mean_slowdown", "slowdown_without_deadline", "bounded_slowdown", "over_deadline", "missed", "miss_rate", "unfinished", "finished",
                    "data_moved", "work_done", "cost", "over_budget", "workflow_failures"), kinds.each_alone),
    "prices_over_time": (("mean_response", "mean_wait", "mean_slowdown", "slowdown_without_deadline", "bounded_slowdown", "over_deadline", "missed"), prices.prices_over_time),
    "area_levels": (("mcp",), kinds.area_levels),
    "counts": (("mcp",), counts.proves),
    "partitions": (("mcp",), partitions.partitions),
    "levels": (("qos_penalty",), levels.proves),
    "time_of_use": (("energy", "energy_cost", "carbon"), power.time_of_use),
}
SUMS = {"priced_power": {"energy", "energy_cost", "carbon", "mean_wait", "mean_response", "over_deadline"}, "list_schedules": lists.METRICS}
TREES = ("counts", "levels")  # they prove a goal or nothing


def check(instance, certificate, checked=None):
    """The line for a certificate, perhaps with a checked solution, and the exit status (proofs.md, at the beginning)."""
    weights = checked.weights if checked else instance.objective
    facts = Facts(instance, weights)
    try:
        proved(facts, certificate, weights)
        verdict, status = "verified", 0
    except (Refuted, Doubt) as e:
        verdict, status = f"{e.verdict}: {e}", e.status
    if not checked:
        return verdict, status
    owes, owed, right = checked.schedule.owed(weights), certificate.get("owed", 0), not checked.codes
    bound = certificate.get("bound")
    of_it = minimised(certificate["objective"]) == minimised(weights)
    if status != 3 and of_it and right and "infeasible" not in certificate and owes < owed:
        verdict, status = "refuted: the schedule owes less", 3
    if status != 3 and of_it and bound is not None and right and owes == owed and optimal.refutes(checked.schedule, checked.metrics, weights, bound):
        verdict, status = "refuted: the schedule costs less", 3
    if status == 0 and bound is not None and right and owes == owed and optimal.reaches(checked.schedule, checked.metrics, weights, bound):
        verdict += "; optimal"
    if checked.codes:
        verdict, status = f"{verdict}; {checked.verdict()}", 3
    return verdict, status


def proved(facts, c, weights):
    """The steps 1 to 6 of proofs.md, The format: raises Refuted at the first step that fails, and Doubt at the end; `weights` is the objective asked for."""
    instance, doubts = facts.instance, []
    need(c["instance_sha256"] == instance.digest, "it is of another instance")
    need(c["objective"] and is_objective(c["objective"], instance), "expected an objective")
    need(minimised(c["objective"]) == minimised(weights), "it is of another objective", Doubt)
    if "infeasible" in c:
        need("bound" not in c and not c.get("parts") and not c.get("choices"), "infeasible, and a bound or parts")
        levels.infeasible(facts, c)
        need("stated" not in c and "not_certified" not in c, c.get("not_certified", "a bound is stated"), Doubt)
        return
    if "bound" not in c:
        need("not_certified" in c, "there is no bound")
        raise Doubt(c["not_certified"])
    sets = c.get("owed_by") or []
    lefts = conflicts.exclude(facts, sets)
    need(c.get("owed", 0) <= facts.owed, f"every schedule is only known to owe {facts.owed} jobs")
    need(c.get("owed", 0) == facts.owed, f"every schedule owes {facts.owed} jobs", Doubt)
    if not c.get("choices"):
        add_up(facts, c, c.get("parts", []), doubts)
    else:
        need(not c.get("parts"), "parts beside choices")
        used = 0
        for left in conflicts.choices(sets, lefts):
            if facts.leaving(left):
                found = [x for x in c["choices"] if x["left"] == left]
                need(found, f"nothing is proved where {left} are left out")
                used += 1
                add_up(facts, c, found[0].get("parts", []), doubts)
        need(used == len(c["choices"]), "a choice twice, or that no schedule makes")
    if doubts:
        raise doubts[0]
    need("stated" not in c and "not_certified" not in c, c.get("not_certified", "a higher bound is stated"), Doubt)


def add_up(facts, c, listed, doubts):
    """Steps 5 and 6: the parts are proved, and add up to the bound."""
    instance, parts = facts.instance, {}
    for part in listed:
        for metric in covered(part, minimised(c["objective"])):
            need(metric not in parts, f"{metric} has two parts")
            parts[metric] = part
    for part in listed:
        try:
            check_part(facts, part)
        except Doubt as e:
            doubts.append(e)
    if "bound" in c:
        total = F(0)
        for metric, w in minimised(c["objective"]).items():
            if "sum" in parts.get(metric, {}):
                total += F(parts[metric]["bound"]) if metric == parts[metric]["metric"] else 0
                continue
            if w > 0:
                signed = power.may_be_negative(instance, metric)
                need(metric in parts or not signed, f"{metric} may be negative, and has no part")
                least = F(parts[metric]["bound"]) if metric in parts else F(0)
                total += w * (least if signed else max(F(0), least))
                continue
            most = optimal.largest(instance, metric, facts.never)
            need(most is not None, f"{metric} has no largest value", Doubt)
            total += w * most
        need(total >= F(c["bound"]), f"the parts add up to {float(total)}")


def covered(part, weights):
    """The metrics of a part (proofs.md, The sum of the parts)."""
    if "sum" not in part:
        return [part["metric"]]
    kind = next(iter(part.get("by") or {}), "")
    need(kind in SUMS and "step" not in part and not part.get("lacks"), "no kind for sums of metrics")
    need(part["metric"] in part["sum"], "a sum without the metric of its part")
    for metric, w in part["sum"].items():
        need(metric in SUMS[kind] and w > 0 and weights.get(metric) == F(w), f"{metric} does not belong to the sum")
    return list(part["sum"])


def check_part(facts, part):
    """Step 4: the part is proved by its kind, at least to its goal."""
    if "sum" not in part and part["bound"] <= 0 and not power.may_be_negative(facts.instance, part["metric"]):
        return
    need(part.get("by") is not None, "nothing proves the part", Doubt)
    by = part["by"]
    need(len(by) == 1, "expected one kind")
    (kind, argument), = by.items()
    need(kind not in ("machine_prices", "moldable", "priced_power") and not part.get("lacks"), f"this checker does not cover {kind}", Doubt)
    if kind == "list_schedules":
        goal = goal_of(facts, part)
        need(lists.list_schedules(facts, argument, part.get("sum", {part["metric"]: 1}), goal) >= goal, "list schedules prove less")
        return
    metrics, prove = KINDS[kind]
    need(part["metric"] in metrics, f"{kind} proves nothing of {part['metric']}")
    goal = goal_of(facts, part)
    if kind in TREES:
        prove(facts, argument, goal)
    else:
        value = prove(facts, argument, part["metric"])
        need(value >= goal, f"{kind} proves {float(value)}, not {float(goal)}")


def goal_of(facts, part):
    """What the kind has to prove (proofs.md, Steps)."""
    bound, u, n, metric = F(part["bound"]), F(part.get("step", 0)), len(facts.jobs), part["metric"]
    if u == 0:
        return bound
    need(metric in ("makespan", "mean_response", "mean_wait", "over_deadline", "missed"), f"{metric} has no step")
    if metric == "missed":
        need(u == 1, "expected a step of 1")
        unit, allowance = F(1), F(0)
    else:
        need(facts.all_rectangles(), "a job is no rectangle", Doubt)
        means = metric in ("mean_response", "mean_wait")
        need(not means or facts.all_placed(), "a job need not be placed", Doubt)
        times = [j.arrival for j in facts.jobs] + [d for j in facts.jobs for d in j.times.values()]
        if metric == "over_deadline":
            times += [j.due for j in facts.jobs if j.due is not None]
        off = max(abs(t - u * round(t / u)) for t in times)
        unit, allowance = (u / n, (n + 2) * off) if means else (u, ((n + 1) if metric == "makespan" else n * (n + 2)) * off)
    return (ceil((bound + allowance) / unit) - 1 + F(1, 10**7)) * unit + allowance
