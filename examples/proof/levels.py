"""Trees of loads of machines, for qos_penalty, and proofs that no allocation is stable (docs/proofs.md, levels and Infeasible)."""
from fractions import Fraction as F
from math import ceil, inf

from facts import Doubt, down, need
from figures import minimised
from prices import common
from queueing import Task, View
from trees import INFINITE, check_tree, finite, rests, sums

MARGIN = 1 + F(1, 2**51)
DIGITS = 1 - F(1, 2**49)


def covered(facts):
    """The queueing view, if the instance asks for nothing that the kind does not cover."""
    instance = facts.instance
    view = View(instance, {"qos_penalty": 1})
    need(view.exists and facts.all_placed(), "there is no queueing view, or a job need not be placed", Doubt)
    groups = [g for c in instance.clusters for g in c.groups]
    slowest = min(g.bandwidth for g in groups)
    for j in instance.jobs:
        need(not j.after and j.max == 1, f"job {j.id} asks for more", Doubt)
        need(not j.runtime or all(c.id in j.runtime for c in instance.clusters), f"job {j.id} cannot run everywhere", Doubt)
        need(j.min_bandwidth <= slowest and (j.memory == 0 or all(g.memory == inf for g in groups)), f"job {j.id} asks for more", Doubt)
        listed = any(g.licences is not None for g in groups)
        need(not any(listed or name in instance.limited for name in j.licences), f"job {j.id} needs a licence", Doubt)
    need(not any(g.load > 0 for g in groups), "background load", Doubt)
    servers = view.servers()
    need(all(s.mu < inf and s.kappa < inf for s in servers), "a machine without a rate", Doubt)
    return view, servers


class Group:
    """Machines that are alike."""

    def __init__(self, tree, server, machines):
        self.server, self.machines, self.tree = server, machines, tree
        n, period = tree.n, tree.view.period
        self.most = 0
        while self.most < n and (self.most + 1) / period < server.mu:
            self.most += 1
        first = server.group.first
        self.tasks = [Task(tree.view, j, server.cluster, [(first, first)]) for j in tree.facts.instance.jobs]
        self.penalties = [[self.penalty(t, q) for t in self.tasks] for q in range(self.most + 1)]
        self.dead, self.out, self.sure = set(), {}, {}  # by load

    def wait(self, q):
        """W(q): proofs.md, levels, Loads."""
        if q == 0:
            return 0.0
        s = self.server
        capacity, top = F(s.mu) * F(self.tree.view.period), F(s.kappa) * F(s.mu) * q
        if capacity - q < capacity / 2**11:  # what is left of a nearly full machine is computed with one rounding
            return down(top * DIGITS / (capacity - q))
        return down(top / (capacity * MARGIN - q))

    def penalty(self, task, q):
        """Rounded down at each operation."""
        response = down(F(self.wait(q)) + F(task.service))
        cost = down(F(task.cost) * F(task.service if task.by_service else response))
        return down(over_down(response, task.limit) + over_down(cost, task.budget)) if finite_limits(response, task.limit, cost, task.budget) else inf


def finite_limits(response, limit, cost, budget):
    return (response <= limit or limit > 0) and (cost <= budget or budget > 0)


def over_down(y, limit):
    return F(0) if y <= limit else F(down(F(down(F(y) - F(limit))) / F(limit)))


class Tree:
    """A box is a list with (least, most) load for each machine."""

    def __init__(self, facts, a, goal):
        self.facts, self.goal, self.stated = facts, goal, a["prices"]
        self.view, servers = covered(facts)
        self.n = len(facts.jobs)
        need(len(servers) * (self.n + 1) <= 2**25, "too many machines", Doubt)
        self.groups, self.group_of = [], []
        for s in servers:
            if not self.groups or self.groups[-1].server.group is not s.group:
                self.groups.append(Group(self, s, []))
            self.groups[-1].machines.append(len(self.group_of))
            self.group_of.append(self.groups[-1])
        need(all(len(row) == self.n for row in self.stated), "expected a price for each job")
        need(all(abs(u) < 1e150 for row in self.stated for u in row), "a price is too large")
        values = [F(x) for g in self.groups for row in g.penalties for x in row if x < inf] + [F(u) for row in self.stated for u in row]
        self.scale = common(values)
        self.costs = {g: [[int(F(x) * self.scale) if x < inf else INFINITE for x in row] for row in g.penalties] for g in self.groups}
        self.prices = [[int(F(u) * self.scale) for u in row] for row in self.stated]
        self.targets = [ceil(goal * self.scale) - sum(row) for row in self.prices]
        self.cache = {}

    def level(self, k, group, q):
        """g of a level at the prices k, with what is known of it."""
        key = k, group, q
        if key not in self.cache:
            self.cache[key] = self.find(k, group, q)
        return self.cache[key]

    def find(self, k, group, q):
        if q in group.dead:
            return INFINITE
        if q == 0:
            return 0
        out, sure = group.out.get(q, ()), group.sure.get(q, ())
        if len(sure) > q:
            return INFINITE
        cost, u = self.costs[group][q], self.prices[k]
        values = [x - y for x, y in zip(cost, u)]
        free = sorted(v for j, v in enumerate(values) if j not in out and j not in sure) if out or sure else sorted(values)
        if len(free) < q - len(sure):
            return INFINITE
        total = sum(values[j] for j in sure) + sum(free[:q - len(sure)])
        return total if finite(2 * total) else INFINITE

    def order(self, box):
        """proofs.md, levels, Order."""
        box = list(box)
        for g in self.groups:
            for r in reversed(g.machines[:-1]):
                box[r] = max(box[r][0], box[r + 1][0]), box[r][1]
            for r in g.machines[1:]:
                box[r] = box[r][0], min(box[r][1], box[r - 1][1])
        return None if any(low > high for low, high in box) else box

    def totals(self, box, k):
        """with(r, q) for the loads of the box, and the least total."""
        tables = [{q: self.level(k, self.group_of[r], q) for q in range(low, high + 1)} for r, (low, high) in enumerate(box)]
        rest, least = rests(tables, self.n)
        return [{q: value + rest[r][q] for q, value in table.items()} for r, table in enumerate(tables)], least

    def narrow(self, box, k):
        """proofs.md, levels, Narrowing."""
        target = self.targets[k]
        while True:
            before, box = box, self.order(box)
            if box is None:
                return None
            totals, least = self.totals(box, k)
            if least >= target:
                return None
            found = []
            for (low, high), total in zip(box, totals):
                while low <= high and total[low] >= target:
                    low += 1
                while low <= high and total[high] >= target:
                    high -= 1
                if low > high:
                    return None
                found.append((low, high))
            if found == before:
                return found
            box = found

    def sieve(self, box, k):
        """proofs.md, levels, Root: what the root learns about each level."""
        totals, _ = self.totals(box, k)
        target, u = self.targets[k], self.prices[k]
        for g in self.groups:
            for q in range(g.most + 1):
                room = target - min((totals[r][q] for r in g.machines if q in totals[r]), default=INFINITE)
                if room <= 0:
                    g.dead.add(q)
                elif q > 0:
                    self.learn(g, q, room, u)
        self.cache.clear()

    def learn(self, g, q, room, u):
        out, sure = g.out.setdefault(q, set()), g.sure.setdefault(q, set())
        values = sorted((x - y if finite(x) else INFINITE, j) for j, (x, y) in enumerate(zip(self.costs[g][q], u)) if j not in out and j not in sure)
        z = q - len(sure)
        if not 0 < z <= len(values):
            return
        last, following = values[z - 1][0], values[z][0] if z < len(values) else INFINITE
        for v, j in values:
            if v >= last and v - last >= room:
                out.add(j)
            elif v < following and following - v >= room:
                sure.add(j)

    def root(self, positions):
        box = [(0, g.most) for g in self.group_of]
        for k in positions:
            need(k < len(self.prices), "no such prices")
            if box is not None:
                box = self.narrow(box, k)
            if box is not None:
                self.sieve(box, k)
        return box

    def split(self, box, s):
        need(s["what"] == "load" and s["of"] < len(self.group_of), "the split is of no machine")
        if box is None:
            return None, None
        r, at = s["of"], s["at"]
        low, high = list(box), list(box)
        low[r], high[r] = (box[r][0], min(box[r][1], at)), (max(box[r][0], at + 1), box[r][1])
        return tuple(self.order(b) if b[r][0] <= b[r][1] else None for b in (low, high))

    def leaf(self, box, node, at):
        """proofs.md, levels, Loads."""
        if box is None:
            return
        need(node.get("prices"), f"node {at} is open")
        listed = {tuple(x["at"]): x["places"] for x in node.get("loads", [])}
        for loads in self.choices(box, node["prices"][-1]):
            need(loads in listed, f"node {at} does not list the loads {loads}")
            need(self.dual(loads, listed[loads]) >= self.goal, f"the loads {loads} may cost less")

    def choices(self, box, k):
        """All loads in the box that add up to n, do not rise within a group, and may cost less than the target."""
        target, n = self.targets[k], self.n
        tables = [{q: self.level(k, self.group_of[r], q) for q in range(low, high + 1)} for r, (low, high) in enumerate(box)]
        _, after = sums(tables, n)
        stack = [((), 0, 0)]
        while stack:
            loads, used, cost = stack.pop()
            r = len(loads)
            if r == len(box):
                if used == n and cost < target:
                    yield loads
                continue
            for q, value in tables[r].items():
                if used + q > n or (r and self.group_of[r] is self.group_of[r - 1] and q > loads[-1]):
                    continue
                if cost + value + after[r + 1][n - used - q] < target:
                    stack.append((loads + (q,), used + q, cost + value))

    def dual(self, loads, places):
        """What the prices of the places prove of these loads."""
        need(len(places) == len(loads), "expected a price for each machine")
        total = sum(q * F(x) for q, x in zip(loads, places))
        for j in range(self.n):
            ways = [F(g.penalties[q][j]) - F(x) for g, q, x in zip(self.group_of, loads, places) if q > 0 and g.penalties[q][j] < inf]
            if not ways:
                return inf
            total += min(ways)
        return total


def proves(facts, a, goal):
    """proofs.md, levels."""
    tree = Tree(facts, a, goal)
    check_tree(a["nodes"], len(a["prices"]), tree.root(a.get("root", [])), tree.narrow, tree.split, tree.leaf)


def infeasible(facts, c):
    """proofs.md, Infeasible."""
    need(minimised(c["objective"]).get("qos_penalty", 0) > 0, "the objective has no qos_penalty")
    view, servers = covered(facts)
    n, stated = len(facts.jobs), c["infeasible"]
    if stated["condition"] == "room":
        most, needed = F(sum(1 for s in servers for q in range(1, n + 1) if q / view.period < s.mu)), F(n)
        holds = most < needed
    else:
        most, needed = sum(F(s.mu) for s in servers), F(view.rate)
        idle = view.rate - n / view.period > 1e-9 * view.rate
        holds = most <= (needed if idle else F(n) / F(view.period))
    need(F(stated["needed"]) == needed and abs(F(stated["most"]) - most) <= max(most, F(stated["most"])) / 10**9, "the numbers are others")
    need(holds, "the condition does not hold")
