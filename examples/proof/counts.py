"""Trees of numbers of jobs and buckets of makespans, for mcp (docs/proofs.md, counts)."""
from fractions import Fraction as F
from functools import lru_cache
from math import ceil, floor, inf

from facts import Doubt, need
from prices import Paid, common, limits_of, most_paid, sizes, small, starts, tariffs
from trees import INFINITE, check_tree, rests


def grid(facts, limits):
    """The unit of times on which allot's checker counts (proofs.md, What is rounded, and where)."""
    longest = max((d for j in facts.jobs for d in j.times.values()), default=F(0))
    largest = max([limits[-1]] + [j.head for j in facts.jobs]) + 2 * longest
    dues = [j.due for j in facts.jobs if j.due is not None]
    largest = max([largest] + [-d for d in dues])
    x = largest.numerator.bit_length() - largest.denominator.bit_length() - 2
    while F(2) ** x <= largest:
        x += 1
    return F(2) ** (x - 50)


class Priced:
    """What a list of prices makes of each number of jobs and bucket of a cluster: g(c, n, k), in whole numbers of a unit of value."""

    def __init__(self, tree, stated):
        facts, unit = tree.facts, tree.unit
        self.p = len(facts.jobs)
        need(len(stated["jobs"]) == self.p, "expected a price for each job")
        need(all(abs(u) < 1e150 for u in stated["jobs"]), "a price is too large")
        rates = tariffs(facts, stated["clusters"], len(tree.limits) - 1, [sum(c.weights) for c in facts.clusters])
        u = [F(x) / unit for x in stated["jobs"]]  # in units of time
        weights = [w for of in tree.weights for w in of]
        after = [[s * h / c.size for s in of] for of, h, c in zip(rates, tree.heights, facts.clusters)]
        self.scale = common([y for of in rates for row in of.values() for y in row] + u + weights + tree.heights + [y for row in after for y in row])
        whole = lambda x: int(x * self.scale)
        self.u, self.h, self.costs = [whole(x) for x in u], [], []
        for c, of in enumerate(rates):
            of = {s: [whole(y) for y in row] for s, row in of.items()}
            paid = {s: Paid(tree.limits, row, whole(s * tree.heights[c] / facts.clusters[c].size)) for s, row in of.items()}
            self.h.append(self.heights(tree, c, of))
            self.costs.append(self.lowest(tree, c, paid))
        self.target = ceil(self.p * (tree.goal / unit * self.scale - sum(self.u)))
        self.g = lru_cache(None)(self.find)
        self.best = lru_cache(None)(self.find_best)

    def heights(self, tree, c, of):
        """h(k) for each bucket k from 1: the least of H·t − K(t)."""
        numbers, H, at = sizes(tree.facts, c), int(tree.heights[c] * self.scale), [0]
        for b, (x, y) in enumerate(zip(tree.limits, tree.limits[1:])):
            most = most_paid(tree.facts.clusters[c].size, numbers, {s: row[b] for s, row in of.items()})
            at.append(at[-1] + H * (y - x) - most * (y - x))
        return [None] + [min(pair) for pair in zip(at, at[1:])] + [at[-1]]

    def lowest(self, tree, c, paid):
        """c(j, k) for each bucket k from 1, with the price p·u(j) of the job; None where it does not exist."""
        o, _, i = (int(w * self.scale) for w in tree.weights[c])
        rows = [[] for _ in range(len(tree.limits) + 1)]
        for j, (head, due, times) in enumerate(tree.jobs):
            if c not in times:
                continue
            d, size = times[c], tree.facts.jobs[j].sizes[c]
            ends = sorted((t + d, paid[size].between(t, t + d) + (o * max(0, t + d - due) if due is not None else 0)) for t in starts(head, tree.limits, d, due))
            least, at = None, 0
            for k in range(1, len(tree.limits) + 1):
                limit = tree.limits[k] if k < len(tree.limits) else inf
                while at < len(ends) and ends[at][0] <= limit:
                    least = ends[at][1] if least is None else min(least, ends[at][1])
                    at += 1
                if least is not None:
                    rows[k].append((least - i * size * d, self.p * self.u[j]))
        return rows

    def find(self, c, n, k):
        """g(c, n, k) for n ≥ 1."""
        row = self.costs[c][k]
        if len(row) < n:
            return INFINITE
        return n * self.h[c][k] + sum(sorted([n * cost - u for cost, u in row])[:n])

    def find_best(self, c, n, first, last):
        """g(c, n) over a range of buckets."""
        return 0 if n == 0 else min(self.g(c, n, k) for k in range(first, last + 1))


class Tree:
    """A box is a list with (least n, most n, first k, last k) for each cluster."""

    def __init__(self, facts, a, goal):
        self.facts, self.goal, self.stated = facts, goal, a["prices"]
        limits = limits_of(a)
        small(facts, limits)
        need(len(facts.clusters) * len(limits) * (len(facts.jobs) + 1) <= 2**24, "too many jobs", Doubt)
        self.unit = grid(facts, limits)
        self.limits = [floor(x / self.unit) for x in limits]
        self.jobs = [(floor(j.head / self.unit), None if j.due is None else ceil(j.due / self.unit), {c: floor(d / self.unit) for c, d in j.times.items()}) for j in facts.jobs]
        self.weights = [[w / sum(c.weights) if sum(c.weights) else F(0) for w in c.weights] for c in facts.clusters]
        self.heights = [m + i * c.size for (_, m, i), c in zip(self.weights, facts.clusters)]
        self.priced = {}
        self.p, self.buckets = len(facts.jobs), len(limits)

    def prices(self, k):
        if k not in self.priced:
            self.priced[k] = Priced(self, self.stated[k])
        return self.priced[k]

    def narrow(self, box, k):
        """proofs.md, counts, Narrowing."""
        prices = self.prices(k)
        tables = [{n: prices.best(c, n, first, last) for n in range(low, high + 1)} for c, (low, high, first, last) in enumerate(box)]
        rest, least = rests(tables, self.p)
        if least >= prices.target:
            return None
        found = []
        for c, (low, high, first, last) in enumerate(box):
            out = lambda n: tables[c][n] + rest[c][n] >= prices.target
            while low <= high and out(low):
                low += 1
            while low <= high and out(high):
                high -= 1
            if low > high:
                return None
            out_k = lambda k: all(prices.g(c, n, k) + rest[c][n] >= prices.target for n in range(max(1, low), high + 1))
            while first < last and out_k(first):
                first += 1
            while first < last and out_k(last):
                last -= 1
            found.append((low, high, first, last))
        return found

    def split(self, box, s):
        """proofs.md, counts, Split."""
        need(s["of"] < len(self.facts.clusters) and s["what"] in ("jobs", "bucket"), "the split is of no cluster")
        if box is None:
            return None, None
        return self.part(box, s, low=True), self.part(box, s, low=False)

    def part(self, box, s, low):
        least, most, first, last = box[s["of"]]
        if s["what"] == "jobs":
            least, most = (least, min(most, s["at"])) if low else (max(least, s["at"] + 1), most)
        else:
            first, last = (first, min(last, s["at"])) if low else (max(first, s["at"] + 1), last)
            if first > last:
                most, first, last = 0, 1, self.buckets
        box = list(box)
        box[s["of"]] = least, most, first, last
        few, many = sum(b[0] for b in box), sum(b[1] for b in box)
        box = [(max(b[0], self.p - (many - b[1])), min(b[1], self.p - (few - b[0])), b[2], b[3]) for b in box]
        return None if any(b[0] > b[1] for b in box) else box

    @staticmethod
    def leaf(box, node, at):
        need(not node.get("loads"), f"node {at} has loads")
        need(box is None, f"the leaf {at} is open")


def proves(facts, a, goal):
    """proofs.md, counts."""
    need(facts.all_placed() and facts.all_rectangles(), "a job need not be placed, or is no rectangle", Doubt)
    idle = any(c.weights[2] > 0 for c in facts.clusters)
    need(not (idle and any(g.load > 0 for c in facts.clusters for g in c.groups)), "background load", Doubt)
    tree = Tree(facts, a, goal)
    root = [(0, tree.p, 1, tree.buckets) for _ in facts.clusters]
    check_tree(a["nodes"], len(a["prices"]), root, tree.narrow, tree.split, tree.leaf)
