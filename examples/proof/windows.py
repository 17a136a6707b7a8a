"""The kind windows (docs/proofs.md): a makespan refuted by narrowing windows of starts to a contradiction."""
from fractions import Fraction as F
from math import floor, inf

from facts import Doubt, need
from instance import MEMORY_SLACK
from kinds import copies, packed


class Contradiction(Exception):
    """Some window is empty, or a resource is held beyond its capacity."""


class Windows:
    """The windows of all numbers, in units: jobs, the end, pairs."""

    def __init__(self, facts, a, off):
        self.facts, self.a, self.n, self.u = facts, a, len(facts.jobs), F(a["unit"])
        half = F(1, 2) if a.get("nearest") else 0
        units = lambda t: floor(t / self.u + half)
        jobs, end = [facts.jobs[k] for k in sorted(facts.placed)], a["makespan"]
        need(end + sum(units(j.least) + units(j.arrival) for j in jobs) <= 2**30, "too many units", Doubt)
        self.length = {self.n: 0, **{j.position: units(j.least) for j in jobs}}
        self.low = {j.position: units(j.arrival) for j in jobs}
        ends = {j.position: min(end, inf if j.last == inf else floor((j.last + off) / self.u)) for j in jobs}
        self.high = {j.position: ends[j.position] - units(j.least) for j in jobs}
        order = [k for k in facts.order() if k in facts.placed]
        for k in order:
            self.low[k] = max([self.low[k]] + [self.low[b] + self.length[b] for b in facts.jobs[k].job.after])
        for k in reversed(order):
            self.high[k] = min([self.high[k]] + [self.high[s] - self.length[k] for s in facts.jobs[k].job.followers if s in facts.placed])
        self.low[self.n], self.high[self.n] = max(self.low[k] + self.length[k] for k in order), end
        pairs = a.get("pairs", [])
        need(len(pairs) % 2 == 0, "half a pair")
        self.pairs = list(zip(pairs[::2], pairs[1::2]))
        for p, (x, y) in enumerate(self.pairs):
            need(x in facts.placed and y in facts.placed and self.apart(x, y), f"jobs {x} and {y} may overlap")
            self.low[self.n + 1 + p], self.high[self.n + 1 + p] = 0, 1
        self.resources = []
        for r in a.get("resources", []):
            self.resources.append(self.resource(r))

    def apart(self, a, b):
        """Whether the jobs, which take time, never run at the same time."""
        x, y = self.facts.jobs[a], self.facts.jobs[b]
        if a == b or not (self.length[a] and self.length[b]):
            return False
        return all(self.clash(x, self.facts.clusters[c], y, self.facts.clusters[d]) for c in x.runs for d in y.runs)

    def clash(self, x, c, y, d):
        instance = self.facts.instance
        for name in x.job.licences.keys() & y.job.licences.keys():
            pool = instance.pool(name, c)
            if pool and pool == instance.pool(name, d) and x.job.licences[name] + y.job.licences[name] > pool[1]:
                return True
        if c is not d:
            return False
        p, q = x.sizes[c.position], y.sizes[c.position]
        most = max(g.memory for g in c.groups)
        if p + q > c.size:
            return True
        first, second = (max(room for room, _ in instance.offers(j.job, c)) for j in (x, y))
        beside = most == inf or F(x.job.memory) + F(y.job.memory) <= F(most) * MEMORY_SLACK
        return not beside and first > 0 and second > 0 and -(-p // first) - (-q // second) > sum(g.count for g in c.groups)

    def waits(self, a, b):
        return any(k == b or self.waits(k, b) for k in self.facts.jobs[a].job.after)

    def resource(self, r):
        """The capacity, and by job what it holds."""
        facts, clusters = self.facts, r.get("clusters") or []
        kinds = [name for name in ("licence", "memory", "jobs", "weights") if r.get(name)]
        need(len(kinds) < 2 and not (clusters and kinds and kinds[0] in ("jobs", "weights")), "two kinds of resource")
        kind = kinds[0] if kinds else "clusters"
        if kind == "jobs":
            for j in facts.chosen(r["jobs"]):
                for k in r["jobs"]:
                    need(k >= j.position or self.waits(j.position, k) or self.waits(k, j.position) or self.apart(j.position, k), "two jobs may overlap")
            return 1, {k: 1 for k in r["jobs"] if self.length[k]}
        if kind == "weights":
            sizes, of = [w["size"] for w in r["weights"]], r.get("of", 0)
            need(of < len(self.resources) and all(x < y for x, y in zip(sizes, sizes[1:])), "expected a resource before, and ascending sizes")
            capacity, held = self.resources[of]
            need(capacity * (len(sizes) + 1) <= 2**27, "too many sizes", Doubt)
            weighs = lambda amount: max([(w["size"], w["weight"]) for w in r["weights"] if w["size"] <= amount], default=(0, 0))[1]
            return packed(capacity, {w["size"]: w["weight"] for w in r["weights"]}), {k: weighs(amount) for k, amount in held.items()}
        need(len(set(clusters)) == len(clusters) and all(c < len(facts.clusters) for c in clusters), "expected each cluster once")
        listed = [facts.clusters[c] for c in clusters]
        if kind == "licence" and not clusters:
            capacity = copies(facts, r["licence"])
            return capacity, self.held(lambda j: j.job.licences.get(r["licence"], 0))
        if kind == "licence":
            pools = [facts.instance.pool(r["licence"], c) for c in listed]
            need(all(pools), "the licence is unlimited or unknown")
            capacity, on = sum(dict(pools).values()), lambda j, c: j.job.licences.get(r["licence"], 0)
        elif kind == "memory":
            parts, whole = r["memory"], {}
            for c in listed:
                need(all(g.memory < inf for g in c.groups), "the memory is unlimited")
                whole[c.position] = sum(F(g.memory) * g.count for g in c.groups)
            capacity = parts * len(listed)
            on = lambda j, c: min(parts, floor(parts * j.sizes[c] * F(j.job.memory) / whole[c])) if whole[c] else 0
        else:
            capacity, on = sum(c.size for c in listed), lambda j, c: j.sizes[c]
        return capacity, self.held(lambda j: min(on(j, c) if c in clusters else 0 for c in j.runs))

    def held(self, amount):
        found = {k: amount(self.facts.jobs[k]) for k in self.facts.placed if self.length[k]}
        return {k: x for k, x in found.items() if x > 0}

    def up(self, x, value):
        self.low[x] = max(self.low[x], value)
        self.settle(x)

    def down(self, x, value):
        self.high[x] = min(self.high[x], value)
        self.settle(x)

    def settle(self, x):
        if self.low[x] > self.high[x]:
            raise Contradiction

    def before(self, a, b):
        self.up(b, self.low[a] + self.length[a])
        self.down(a, self.high[b] - self.length[a])

    def steps(self, steps, clauses):
        k = 0
        while k < len(steps):
            code = steps[k]
            need(code < 5 and k + (2, 1, 1, 2, 3)[code] < len(steps), "expected a step")
            numbers = steps[k + 1:k + 1 + (2, 1, 1, 2, 3)[code]]
            (self.precedence, self.pair, lambda c: self.clause(clauses, c), self.time, self.interval)[code](*numbers)
            k += 1 + len(numbers)

    def precedence(self, a, b):
        placed = self.facts.placed
        need(a in placed and (b == self.n or b in placed and a in self.facts.jobs[b].job.after), "expected a job and one that waits for it")
        self.before(a, b)

    def pair(self, p):
        need(p < len(self.pairs), "expected a pair")
        (a, b), x = self.pairs[p], self.n + 1 + p
        cannot = [self.low[i] + self.length[i] > self.high[k] for i, k in ((a, b), (b, a))]
        if cannot[0]:
            self.down(x, 0)
        if cannot[1]:
            self.up(x, 1)
        if self.low[x] == 1:
            self.before(a, b)
        elif self.high[x] == 0:
            self.before(b, a)

    def clause(self, clauses, k):
        need(k in clauses, "expected a clause before")
        left = [(x, least, v) for x, least, v in clauses[k] if (self.high[x] >= v if least else self.low[x] <= v)]
        if not left:
            raise Contradiction
        if len(left) == 1:
            x, least, v = left[0]
            (self.up if least else self.down)(x, v)

    def at(self, r):
        need(r < len(self.resources), "expected a resource")
        return self.resources[r]

    def time(self, r, t):
        capacity, held = self.at(r)
        then = {j for j in held if self.high[j] <= t < self.low[j] + self.length[j]}
        total = sum(held[j] for j in then)
        if total > capacity:
            raise Contradiction
        for j in held.keys() - then:
            low, high = self.low[j], self.high[j]
            if total + held[j] > capacity and low + self.length[j] > t:
                self.up(j, t + 1)
            if total + held[j] > capacity and high <= t:
                self.down(j, t - self.length[j])

    def interval(self, r, x, y):
        capacity, held = self.at(r)
        need(x < y, "expected an interval")
        inside = lambda j, start: min(start + self.length[j], y) - max(start, x)
        least = {j: max(0, min(self.length[j], y - x, self.low[j] + self.length[j] - x, y - self.high[j])) for j in held}
        spare = capacity * (y - x) - sum(held[j] * i for j, i in least.items())
        if spare < 0:
            raise Contradiction
        moves = []
        for j in held:
            most = least[j] + spare // held[j] if held[j] else inf
            if inside(j, self.low[j]) > most:
                moves.append((self.up, j, y - most))
            if inside(j, self.high[j]) > most:
                moves.append((self.down, j, x + most - self.length[j]))
        for move, j, value in moves:
            move(j, value)

    def literals(self, clause):
        need(len(clause) % 2 == 0, "half a literal")
        found = [(k // 2, k % 2 == 0, v) for k, v in zip(clause[::2], clause[1::2])]
        need(all(x in self.low for x, _, _ in found), "expected a number with a window")
        return found

    def lemma(self, lemma, clauses):
        """Take a lemma; the literals of its clause, if it has one."""
        if not lemma.get("clause"):
            self.steps(lemma.get("steps") or [], clauses)
            return None
        literals, low, high = self.literals(lemma["clause"]), dict(self.low), dict(self.high)
        try:
            for x, least, v in literals:
                (self.down if least else self.up)(x, v - 1 if least else v + 1)
            self.steps(lemma.get("steps") or [], clauses)
            need(False, "the clause does not follow")
        except Contradiction:
            self.low, self.high = low, high
        return literals


def windows(facts, a, metric):
    """proofs.md, windows: it proves the makespan that follows from the refuted one, or nothing."""
    u, off = refute(facts, a)
    return (a["makespan"] + 1) * u - off


def refute(facts, a):
    """Refutes a makespan of so many units; the unit and e."""
    need(a["unit"] > 0, "expected a unit above 0")
    need(facts.placed, "expected a job")
    need(facts.all_rectangles(), "a job is no rectangle", Doubt)
    u, off = F(a["unit"]), F(0)
    if a.get("nearest"):
        times = [j.arrival for j in facts.jobs] + [d for j in facts.jobs for d in j.times.values()]
        off = (len(facts.jobs) + 1) * max(abs(t - u * round(t / u)) for t in times)
    w, clauses, contradiction = Windows(facts, a, off), {}, False
    try:
        for x in w.low:
            w.settle(x)
        for k, lemma in enumerate(a.get("lemmas", [])):
            literals = w.lemma(lemma, clauses)
            if literals is not None:
                clauses[k] = literals
    except Contradiction:
        contradiction = True
    need(contradiction, "the lemmas do not lead to a contradiction")
    return u, off
