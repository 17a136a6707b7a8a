"""All ways to share few jobs among the clusters, for mcp (docs/proofs.md, partitions). It returns what they prove."""
from fractions import Fraction as F
from itertools import permutations
from math import inf, lcm

from facts import Doubt, need


def partitions(facts, a, metric):
    p, clusters = len(facts.jobs), facts.clusters
    need(facts.all_rectangles() and facts.all_placed(), "a job is no rectangle, or need not be placed", Doubt)
    loads = any(g.load > 0 for c in clusters for g in c.groups)
    need(not (loads and any(c.weights[2] for c in clusters)), "idle time beside background load", Doubt)
    orders, functions = a.get("orders", 0), a.get("functions", [])
    need(p <= 16 and orders <= 8 and len(clusters) * 3**p <= 2**28 and len(clusters) * p * 2**p * (len(functions) + 1) <= 2**31, "too many jobs", Doubt)
    costs = [Sets(facts, c, [of["weights"] for of in functions], orders).costs() for c in range(len(clusters))]
    best = [0] + [inf] * (2**p - 1)  # by set: the least cost of its jobs on the clusters so far
    for cost in costs:
        after = list(best)
        for whole in range(2**p):
            part = whole
            while part:
                after[whole] = min(after[whole], best[whole ^ part] + cost[part])
                part = (part - 1) & whole
        best = after
    need(best[-1] < inf, "no way to share the jobs is possible", Doubt)
    return best[-1] / F(p)


def most_weight(capacity, weights):
    """The most that any number of jobs of the listed sizes weigh that fit together."""
    most = [0] * (capacity + 1)
    for room in range(1, capacity + 1):
        most[room] = max([0] + [most[room - s] + w for s, w in weights.items() if s <= room])
    return most[capacity]


class Sets:
    """The sets of jobs on a cluster, as numbers in binary digits."""

    def __init__(self, facts, c, functions, orders):
        self.facts, self.c, self.orders, cluster = facts, c, orders, facts.clusters[c]
        o, m, i = (w / sum(cluster.weights) if sum(cluster.weights) else F(0) for w in map(F, cluster.weights))
        self.over, self.height, self.idle, self.size = o, m + i * cluster.size, i, cluster.size
        self.jobs = facts.jobs
        self.unit = lcm(*(x.denominator for j in self.jobs for x in [j.head, *j.times.values(), j.due or F(0)]))
        sizes = [j.sizes[c] for j in self.jobs]
        self.shares = [{s: F(s, self.size) for s in sizes}]
        for by_cluster in functions:
            need(len(by_cluster) == len(facts.clusters), "expected weights for each cluster")
            listed = [e["size"] for e in by_cluster[c]]
            need(len(set(listed)) == len(listed), "a size is named twice")
            weights = {e["size"]: e.get("weight", 0) for e in by_cluster[c]}
            capacity = most_weight(self.size, weights)
            if capacity:
                self.shares.append({s: F(weights.get(s, 0), capacity) if s <= self.size else F(0) for s in sizes})

    def both(self, makespan, late):
        return self.height * makespan + self.over * late

    def costs(self):
        c, known, costs = self.c, [(F(0), F(0), F(0))], [F(0)]
        for number in range(1, 2 ** len(self.jobs)):
            jobs = [j for k, j in enumerate(self.jobs) if number >> k & 1]
            if any(c not in j.times for j in jobs):
                known.append(None)
                costs.append(inf)
                continue
            makespan, late = self.by_shares(jobs)
            smaller = [known[number & ~(1 << k)] for k in range(len(self.jobs)) if number >> k & 1]
            makespan, late = max([makespan] + [x[0] for x in smaller]), max([late] + [x[1] for x in smaller])
            both = max([self.both(makespan, late)] + [x[2] for x in smaller])
            if len(jobs) <= self.orders:
                ends = {self.in_order(order) for order in permutations(self.plain(jobs))}
                ends = [(F(x, self.unit), F(y, self.unit)) for x, y in ends]
                makespan, late = max(makespan, min(x for x, _ in ends)), max(late, min(y for _, y in ends))
                both = max(both, min(self.both(*x) for x in ends))
            known.append((makespan, late, both))
            costs.append(len(jobs) * (both - self.idle * sum(j.sizes[c] * j.times[c] for j in jobs)))
        return costs

    def by_shares(self, jobs):
        c = self.c
        ends = sorted(j.head + j.times[c] for j in jobs)
        for share in self.shares:
            at = min(j.head for j in jobs)
            for k, x in enumerate(sorted(share[j.sizes[c]] * j.times[c] for j in jobs)):
                at += x
                ends[k] = max(ends[k], at)
        dues = sorted(inf if j.due is None else j.due for j in jobs)
        alone = sum(max(F(0), j.head + j.times[c] - j.due) for j in jobs if j.due is not None)
        return ends[-1], max(alone, sum(max(F(0), t - d) for t, d in zip(ends, dues) if d < inf))

    def plain(self, jobs):
        """Head, time, size and due date of each job, in whole units."""
        c, u = self.c, self.unit
        return [(int(j.head * u), int(j.times[c] * u), j.sizes[c], None if j.due is None else int(j.due * u)) for j in jobs]

    def in_order(self, order):
        """The makespan, and the time over deadlines, of jobs that start as soon as there is room and not before the one before."""
        running, start, latest, late = [], 0, 0, 0
        for head, time, size, due in order:
            start = max(start, head)
            if time > 0:
                running = [x for x in running if x[0] > start]
                while sum(x[1] for x in running) > self.size - size:
                    start = min(x[0] for x in running)
                    running = [x for x in running if x[0] > start]
                running.append((start + time, size))
            latest = max(latest, start + time)
            if due is not None and start + time > due:
                late += start + time - due
        return latest, late
