"""The kinds of proof about makespans, single jobs and areas (docs/proofs.md, The kinds). Each function returns what it proves."""
from fractions import Fraction as F
from math import gcd, inf

from facts import Doubt, need
from instance import MEMORY_SLACK


def critical_path(facts, a, metric):
    """proofs.md, critical_path."""
    chain = a["jobs"]
    need(chain and all(k in facts.placed for k in chain), "a job need not be placed")
    jobs = [facts.jobs[k] for k in chain]
    need(all(b in j.job.after for b, j in zip(chain, jobs[1:])), "a job does not wait for the one before it")
    end = jobs[0].arrival
    for j in jobs:
        end = max(end, j.head) + j.least
    return end


def head(jobs):
    return min(j.head for j in jobs)


def tail(jobs):
    return min(j.tail for j in jobs)


def by_cluster(facts, prices):
    """Prices, one for each cluster."""
    need(len(prices) == len(facts.clusters) and all(p >= 0 for p in prices), "expected a price for each cluster")
    return [F(p) for p in prices]


def capacity_of(facts, a, prices):
    """The capacity of processors and memory, and the price of a processor of a job on a cluster (proofs.md, area, prices and memory)."""
    total = sum(p * c.size for p, c in zip(prices, facts.clusters))
    if "memory" not in a:
        return total, lambda j, c: prices[c]
    memory = by_cluster(facts, a["memory"])
    for price, c in zip(memory, facts.clusters):
        if price:
            need(all(g.memory < inf for g in c.groups), f"the memory of {c.id} is unlimited")
            total += price * sum(F(g.memory) * g.count for g in c.groups) * MEMORY_SLACK
    return total, lambda j, c: prices[c] + memory[c] * F(j.job.memory)


def copies(facts, licence):
    """The copies of a licence in all pools (proofs.md, area)."""
    need(licence in facts.instance.limited, f"the licence {licence} is unlimited or unknown")
    return facts.instance.copies(licence)


def area(facts, a, metric):
    """proofs.md, area."""
    jobs = facts.chosen(a["jobs"] if "jobs" in a else sorted(facts.placed))
    if "licence" in a:
        need(not {"prices", "memory", "weights"} & set(a), "a licence excludes prices")
        capacity = copies(facts, a["licence"])
        work = sum(j.job.licences.get(a["licence"], 0) * j.least for j in jobs)
    elif "weights" in a:
        need("memory" not in a, "weights exclude memory")
        prices = by_cluster(facts, a.get("prices", []))
        need(len(a["weights"]) == len(prices), "expected weights for each cluster")
        weights = [{w["size"]: w["weight"] for w in row} for row in a["weights"]]
        need(all(len(w) == len(row) for w, row in zip(weights, a["weights"])), "a size twice")
        need(facts.uniform and all(j.rectangle for j in jobs), "a job is no rectangle")
        need(all(c.size * (len(w) + 1) <= 2**27 for c, w in zip(facts.clusters, weights)), "too many sizes", Doubt)
        capacity = sum(p * packed(c.size, w) for p, c, w in zip(prices, facts.clusters, weights) if p)
        work = sum(min(prices[c] * weights[c].get(j.sizes[c], 0) * j.times[c] for c in j.runs) for j in jobs)
    else:
        need("prices" in a, "expected prices or a licence")
        capacity, rate = capacity_of(facts, a, by_cluster(facts, a["prices"]))
        work = sum(min(rate(j, c) * j.area(facts.clusters[c]) for c in j.least_on) for j in jobs)
    need(capacity > 0, "there is no capacity")
    return head(jobs) + F(work) / capacity + tail(jobs)


def packed(room, weights):
    """The most that a multiset of sizes weighs that fits into the room."""
    best = [0] * (room + 1)
    items = [(s, w) for s, w in weights.items() if s <= room and w > 0]
    for r in range(1, room + 1):
        best[r] = max([best[r - 1]] + [best[r - s] + w for s, w in items if s <= r])
    return best[room]


def pigeonhole(facts, a, metric):
    """proofs.md, pigeonhole."""
    jobs = facts.chosen(a["jobs"])
    q = -(-len(jobs) // facts.instance.size)
    return head(jobs) + sum(sorted(j.least for j in jobs)[:q]) + tail(jobs)


def energetic(facts, a, metric):
    """proofs.md, energetic: it proves its makespan or nothing."""
    latest, x, y = F(a["makespan"]), F(a["from"]), F(a["to"])
    need(x < y, "expected from < to")
    need(("prices" in a) != ("licence" in a), "expected either prices or a licence")
    if "prices" in a:
        capacity, rate = capacity_of(facts, a, by_cluster(facts, a["prices"]))
        need(facts.all_rectangles(), "a job is no rectangle", Doubt)
        ways = lambda j: [(rate(j, c) * j.sizes[c], j.times[c]) for c in j.runs]
    else:
        need("memory" not in a, "a licence excludes memory")
        capacity = copies(facts, a["licence"])
        ways = lambda j: [(j.job.licences.get(a["licence"], 0), j.least)]
    total = F(0)
    for j in (facts.jobs[k] for k in sorted(facts.placed)):
        end = min(latest - j.tail, j.last)
        needs = [amount * max(F(0), min(y - x, t, j.head + t - x, y - (end - t))) for amount, t in ways(j) if j.head + t <= end]
        if not needs:
            return latest
        total += min(needs)
    need(total > capacity * (y - x), "the jobs fit into the interval")
    return latest


def each_alone(facts, a, metric):
    """proofs.md, each_alone: what is known of each job alone."""
    jobs, never = [facts.jobs[k] for k in sorted(facts.placed)], facts.never
    end = lambda j: j.head + j.least
    dated = [j for j in facts.jobs if j.due is not None]
    missed = sum(j.position in never or facts.surely_late(j) for j in dated)
    return {
        "mean_response": lambda: least_mean(facts, never, lambda j: end(j) - j.arrival),
        "mean_wait": lambda: least_mean(facts, never, lambda j: j.head - j.arrival),
        "mcp": lambda: least_mean(facts, never, lambda j: min(performance(facts, j, c) for c in j.least_on)),
        "mean_slowdown": lambda: any(j.least > 0 for j in jobs),
        "slowdown_without_deadline": lambda: any(j.least > 0 for j in jobs if j.due is None),
        "bounded_slowdown": lambda: bool(jobs),
        "over_deadline": lambda: sum((max(F(0), end(j) - j.due) for j in jobs if j.due is not None), F(0)),
        "missed": lambda: missed,
        "miss_rate": lambda: F(100 * missed, max(1, len(dated))),
        "unfinished": lambda: len(never),
        "finished": lambda: len(jobs),
        "data_moved": lambda: sum(F(j.job.data) for j in jobs),
        "work_done": lambda: sum(F(j.job.tasks * j.job.work) for j in jobs),
        "cost": lambda: sum(facts.price(j) for j in jobs),
        "over_budget": lambda: sum(j.job.budget is not None and facts.sure(j) > F(j.job.budget) for j in jobs),
        "workflow_failures": lambda: sum(fails(facts, never, w) for w in facts.instance.workflows),
    }[metric]()


def least_mean(facts, never, value):
    """proofs.md, each_alone, Least mean."""
    values = [value(facts.jobs[k]) for k in facts.placed]
    for x in sorted(value(j) for j in facts.jobs if j.position not in facts.placed and j.position not in never):
        if not values or x * len(values) >= sum(values):
            break
        values.append(x)
    return sum(values, F(0)) / max(1, len(values))


def performance(facts, j, c):
    """The least cp that the job leaves cluster c (proofs.md, each_alone, mcp)."""
    over, makespan, _ = facts.clusters[c].weights
    end, total = j.head + j.least_on[c], sum(facts.clusters[c].weights)
    late = max(F(0), end - j.due) if j.due is not None else 0
    return (makespan * end + over * late) / total if total else F(0)


def fails(facts, never, workflow):
    """Whether the workflow fails in every schedule (proofs.md, each_alone, workflow_failures)."""
    jobs = [j for j in facts.jobs if j.job.workflow == workflow["id"]]
    deadline, budget = workflow.get("deadline"), workflow.get("budget")
    if any(j.position in never or deadline is not None and facts.surely_late(j, deadline) for j in jobs):
        return True
    return budget is not None and sum(map(facts.sure, jobs)) > F(budget)


def area_levels(facts, a, metric):
    """proofs.md, area_levels: dynamic programming over sets of used clusters and numbers of jobs given out."""
    need(facts.all_placed() and not any(j.spreads for j in facts.jobs), "a job need not be placed, or may spread", Doubt)
    p = len(facts.jobs)
    used = sorted(set().union(*(j.runs for j in facts.jobs)))
    need(len(used) <= 20 and 2 ** len(used) * len(used) * (p * p + 1) <= 2**30, "too many clusters", Doubt)
    factors = []
    for c in (facts.clusters[k] for k in used):
        o, m, i = c.weights
        factors.append(m / ((o + m + i) * F(c.speed) * c.size) if o + m + i else F(0))
    work = sorted(min(j.area(facts.clusters[c]) * F(facts.clusters[c].speed) for c in j.runs) for j in facts.jobs)
    sums = [F(0)]
    for w in work:
        sums.append(sums[-1] + w)
    unit = 1
    for x in sums:
        unit = unit * x.denominator // gcd(unit, x.denominator)
    scale = 1
    for f in factors:
        scale = scale * f.denominator // gcd(scale, f.denominator)
    sums, factors = [int(x * unit) for x in sums], [int(f * scale) for f in factors]
    least = {0: {0: 0}}  # by set of used clusters and number of jobs given out
    for group in range(1 << len(used)):
        for given, cost in least.get(group, {}).items():
            for k, f in enumerate(factors):
                if group >> k & 1:
                    continue
                to = least.setdefault(group | 1 << k, {})
                for end in range(given, p + 1):
                    value = cost + (end - given) * (sums[end] - sums[given]) * f
                    if end not in to or value < to[end]:
                        to[end] = value
    return F(least[(1 << len(used)) - 1][p], p * unit * scale)
