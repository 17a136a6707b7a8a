"""The kinds of proof about makespans, single jobs and areas (docs/proofs.md, The kinds). Each function returns what it proves."""
from fractions import Fraction as F
from math import gcd

from facts import Doubt, need


def critical_path(facts, a, metric):
    """proofs.md, critical_path."""
    chain = a["jobs"]
    need(chain and all(k in facts.placed for k in chain), "a job need not be placed")
    jobs = [facts.jobs[k] for k in chain]
    need(all(b in j.job.after for b, j in zip(chain, jobs[1:])), "a job does not wait for the one before it")
    return jobs[0].arrival + sum(j.least for j in jobs)


def head(jobs):
    return min(j.head for j in jobs)


def tail(jobs):
    return min(j.tail for j in jobs)


def by_cluster(facts, prices):
    """Prices, one for each cluster."""
    need(len(prices) == len(facts.clusters) and all(p >= 0 for p in prices), "expected a price for each cluster")
    return [F(p) for p in prices]


def copies(facts, licence):
    """The copies of a licence in all pools (proofs.md, area)."""
    need(licence in facts.instance.limited, f"the licence {licence} is unlimited or unknown")
    return facts.instance.copies(licence)


def area(facts, a, metric):
    """proofs.md, area."""
    jobs = facts.chosen(a["jobs"] if "jobs" in a else sorted(facts.placed))
    if "licence" in a:
        need("prices" not in a and "weights" not in a, "a licence excludes prices")
        capacity = copies(facts, a["licence"])
        work = sum(j.job.licences.get(a["licence"], 0) * j.least for j in jobs)
    elif "weights" in a:
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
        prices = by_cluster(facts, a["prices"])
        capacity = sum(p * c.size for p, c in zip(prices, facts.clusters))
        work = sum(min(prices[c] * j.area(facts.clusters[c]) for c in j.least_on) for j in jobs)
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
        prices = by_cluster(facts, a["prices"])
        need(facts.all_rectangles(), "a job is no rectangle", Doubt)
        capacity = sum(p * c.size for p, c in zip(prices, facts.clusters))
        ways = lambda j: [(prices[c] * j.sizes[c], j.times[c]) for c in j.runs]
    else:
        capacity = copies(facts, a["licence"])
        ways = lambda j: [(j.job.licences.get(a["licence"], 0), j.least)]
    total = F(0)
    for j in (facts.jobs[k] for k in sorted(facts.placed)):
        end = latest - j.tail
        needs = [amount * max(F(0), min(y - x, t, j.head + t - x, y - (end - t))) for amount, t in ways(j) if j.head + t <= end]
        if not needs:
            return latest
        total += min(needs)
    need(total > capacity * (y - x), "the jobs fit into the interval")
    return latest


def each_alone(facts, a, metric):
    """proofs.md, each_alone."""
    jobs, n = [facts.jobs[k] for k in sorted(facts.placed)], len(facts.jobs)
    if metric in ("mean_response", "mean_wait"):
        need(facts.all_placed(), "a job need not be placed", Doubt)
        return sum(j.head + (j.least if metric == "mean_response" else 0) - j.arrival for j in jobs) / F(n)
    jobs = [j for j in jobs if j.due is not None]
    if metric == "missed":
        return sum(map(facts.surely_late, jobs))
    return sum((max(F(0), j.head + j.least - j.due) for j in jobs), F(0))


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
