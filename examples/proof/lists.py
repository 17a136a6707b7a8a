"""The best list schedules of few jobs (docs/proofs.md, list_schedules). It returns what they prove, or the goal if that is less."""
from fractions import Fraction as F
from math import inf, lcm

from facts import Doubt, need

METRICS = {"makespan", "mcp", "idle_time", "over_deadline", "mean_response", "mean_wait", "mean_slowdown", "bounded_slowdown", "missed", "miss_rate", "cost", "unfinished"}


def list_schedules(facts, a, weights, goal):
    need(set(weights) <= METRICS, "it does not bound such a metric")
    return Lists(facts, {m: F(w) for m, w in weights.items()}, a.get("together", False)).least(F(goal))


class Lists:
    """The jobs that have to be placed, by position among them, and what they cost; times are whole numbers of a unit."""

    def __init__(self, facts, weights, together):
        never = facts.never
        need(never | facts.placed == set(range(len(facts.jobs))), "a job may be left out", Doubt)
        self.facts, self.together, self.jobs = facts, together, [facts.jobs[k] for k in sorted(facts.placed)]
        clusters, n = facts.clusters, len(self.jobs)
        need(facts.uniform and all(j.rectangle for j in self.jobs), "a job is no rectangle", Doubt)
        need(n <= 16 and max(0, len(clusters) - 2) * 3**n <= 2**28 and not (together and len(clusters) > 8), "too many jobs and clusters", Doubt)
        of = lambda metric: weights.get(metric, F(0))
        need(not of("mean_slowdown") or all(d > 0 for j in self.jobs for d in j.times.values()), "mean_slowdown of a job of no time", Doubt)
        if any(g.load > 0 for c in clusters for g in c.groups):
            idle = any(c.weights[2] for c in clusters)
            need(not any(of(m) for m in ("idle_time", "mean_slowdown", "bounded_slowdown")) and not (idle and of("mcp")), "background load", Doubt)
        times = [x for j in self.jobs for x in [j.head, j.arrival, *j.times.values(), j.due or F(0)]]
        self.unit = lcm(*(x.denominator for x in times), 1)
        dated = sum(j.due is not None for j in facts.jobs)
        late = of("missed") + (of("miss_rate") * 100 / dated if dated else 0)
        self.constant = of("unfinished") * len(never) + late * sum(facts.jobs[k].due is not None for k in never)
        mean = lambda metric: of(metric) / n
        self.makespan, self.idle, self.over, self.late = of("makespan"), of("idle_time"), of("over_deadline"), late
        self.shares = []  # by cluster: prices of makespan, idle time and time over deadlines for each job that it has
        for c in clusters:
            o, m, i = map(F, c.weights)
            self.shares.append([of("mcp") / n * x / (o + m + i) if o + m + i else F(0) for x in (m, i, o)])
        self.costs = {}  # by job and cluster: fixed, by wait, by what the response exceeds, and that
        for k, j in enumerate(self.jobs):
            for c, d in j.times.items():
                long = max(F(10), d)
                fixed = mean("mean_response") * d + mean("mean_slowdown") + mean("bounded_slowdown")
                if of("cost"):
                    fixed += of("cost") * j.sizes[c] * d * facts.rate(j, clusters[c])
                wait = mean("mean_response") + mean("mean_wait") + (mean("mean_slowdown") / d if d else 0)
                self.costs[k, c] = fixed, wait, mean("bounded_slowdown") / long, long

    def least(self, goal):
        if not self.jobs or self.constant >= goal:
            return self.constant
        if self.together:
            found = self.ends(range(len(self.facts.clusters)), goal)
            return min([last * self.makespan + cost for last, cost in found.get(2 ** len(self.jobs) - 1, [])], default=goal - self.constant) + self.constant
        best = {0: [(F(0), F(0))]}  # by set: the latest end, and the cost without the makespan of all
        for c in range(len(self.facts.clusters)):
            after = {}
            for own, ends in self.ends([c], goal).items():
                for rest, others in best.items():
                    if not own & rest:
                        for last, cost in ends:
                            after.setdefault(own | rest, []).extend((max(last, x), cost + y) for x, y in others)
            best = {jobs: undominated(ends) for jobs, ends in after.items()}
        return min([last * self.makespan + cost for last, cost in best.get(2 ** len(self.jobs) - 1, [])], default=goal - self.constant) + self.constant

    def ends(self, clusters, goal):
        """By set of jobs: how its lists on these clusters end, of which none costs as much as the goal: the latest end, and the cost but for that."""
        uses, capacity = self.uses(clusters)
        first = State(tuple((0,) * n for n in capacity), 0, {}, {c: (0, 0) for c in clusters}, F(0))
        layer, found = {(None,) * len(self.jobs): [first]}, {}
        while layer:
            after = {}
            for key, states in layer.items():
                placed = sum(1 << k for k, c in enumerate(key) if c is not None)
                for s in states:
                    found.setdefault(placed, []).append((F(max([last for last, _ in s.clusters.values()]), self.unit), s.cost + self.cluster_costs(key, s)))
                for k, j in enumerate(self.jobs):
                    if key[k] is None:
                        for c in clusters:
                            if (k, c) in uses:
                                for s in states:
                                    t = self.place(s, k, c, uses[k, c])
                                    if t and self.partial(key[:k] + (c,) + key[k + 1:], t) + self.constant < goal:
                                        after.setdefault(key[:k] + (c,) + key[k + 1:], []).append(t)
            layer = {key: self.kept(key, states) for key, states in after.items()}
        return {jobs: undominated(ends) for jobs, ends in found.items()}

    def uses(self, clusters):
        """What jobs hold: by job and cluster the numbers of units by resource; and the units that all jobs need at most, by resource."""
        place, uses, capacity, total = {}, {}, [], []
        def resource(name, most):
            if name not in place:
                place[name] = len(capacity)
                capacity.append(most)
                total.append(0)
            return place[name]
        for c in clusters:
            cluster = self.facts.clusters[c]
            resource(c, cluster.size)
            for k, j in enumerate(self.jobs):
                if c not in j.times:
                    continue
                uses[k, c] = {resource(c, 0): j.sizes[c]}
                for licence, copies in j.job.licences.items() if self.together else ():
                    pool = self.facts.instance.pool(licence, cluster)
                    if pool and copies:
                        uses[k, c][resource(pool[0], pool[1])] = copies
                for r, units in uses[k, c].items():
                    total[r] += units
        return uses, [min(c, t) for c, t in zip(capacity, total)]

    def place(self, s, k, c, uses):
        """The list with one job more; None if it waits for one that is not there."""
        j, u = self.jobs[k], self.unit
        d, start = int(j.times[c] * u), int(j.head * u)
        if self.together:
            if any(b not in s.ends for b in j.job.after):
                return None
            start = max([start] + [s.ends[b] for b in j.job.after])
        free, now = s.free, s.now
        if d:
            start = max([start, now] + [free[r][units - 1] for r, units in uses.items()])
            now = start
            free = tuple(tuple(sorted([max(start, x) for x in list(row)[uses.get(r, 0):]] + [start + d] * uses.get(r, 0))) for r, row in enumerate(free))
        end = start + d
        last, over = s.clusters[c]
        late = max(0, end - int(j.due * u)) if j.due is not None else 0
        clusters = {**s.clusters, c: (max(last, end), over + late)}
        fixed, wait, steep, long = self.costs[k, c]
        t, e = F(start, u), F(end, u)
        cost = fixed + wait * (t - j.arrival) + steep * max(F(0), e - j.arrival - long) + self.over * F(late, u)
        if j.due is not None and self.is_late(j, e):
            cost += self.late
        return State(free, now, {**s.ends, j.position: end}, clusters, s.cost + cost)

    def is_late(self, j, e):
        first, deadline = self.facts.instance.first, F(j.job.deadline)
        return e - j.due > F(19, 10) * F(1e-9) * (abs(j.due) + e) + F(3 + len(self.facts.jobs), 2**52) * (abs(deadline) + abs(first) + e)

    def cluster_costs(self, key, s):
        """What idle time and mcp cost."""
        total = F(0)
        for c, (last, over) in s.clusters.items():
            mine = [k for k, x in enumerate(key) if x == c]
            m, i, o = (x * len(mine) for x in self.shares[c])
            idle = self.facts.clusters[c].size * F(last, self.unit) - sum(self.jobs[k].sizes[c] * self.jobs[k].times[c] for k in mine)
            total += m * F(last, self.unit) + (i + self.idle) * idle + o * F(over, self.unit)
        return total

    def partial(self, key, s):
        """What every list costs that begins like this: idle time is never below 0."""
        total = s.cost + self.makespan * F(max(last for last, _ in s.clusters.values()), self.unit)
        for c, (last, over) in s.clusters.items():
            m, _, o = (x * sum(x == c for x in key) for x in self.shares[c])
            total += m * F(last, self.unit) + o * F(over, self.unit)
        return total

    def kept(self, key, states):
        """The lists than which no other is as good."""
        placed = [k for k, c in enumerate(key) if c is not None]
        awaited = [self.jobs[k].position for k in placed if self.together and any(f in self.facts.placed for f in self.jobs[k].job.followers)]
        numbered = [(s, [x for row in s.free for x in (max(s.now, y) for y in row)] + [x for c in s.clusters.values() for x in c] + [s.ends[b] for b in awaited] + [s.cost]) for s in states]
        numbered.sort(key=lambda x: x[1])
        kept = []
        for s, numbers in numbered:
            if not any(all(x <= y for x, y in zip(other, numbers)) for _, other in kept):
                kept.append((s, numbers))
        return [s for s, _ in kept]


class State:
    """A list: when units of each resource become free, the last start, ends, by cluster the latest end and the time over deadlines, and what its jobs cost."""

    def __init__(self, free, now, ends, clusters, cost):
        self.free, self.now, self.ends, self.clusters, self.cost = free, now, ends, clusters, cost


def undominated(ends):
    """The ends than which no other is as early and as cheap."""
    kept, cheapest = [], inf
    for last, cost in sorted(ends):
        if cost < cheapest:
            kept.append((last, cost))
            cheapest = cost
    return kept
