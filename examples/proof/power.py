"""Energy, energy_cost and carbon of one machine with states, within a horizon (docs/power.md; docs/proofs.md, time_of_use). All in whole numbers."""
from fractions import Fraction as F
from math import inf

from facts import Doubt, need

METRICS = ("energy", "energy_cost", "carbon", "peak_power")
LISTS = {"energy_cost": "price", "carbon": "carbon"}
INTERVALS, CELLS, FAR, FAR_BITS = 1 << 20, 1 << 28, 1 << 60, 62
ON = "idle"


def tariff_of(instance, cluster):
    """The tariff of a cluster: its own, or that of the instance; None: none."""
    return cluster.spec.get("tariff", instance.spec.get("tariff"))


def measured(instance, metric):
    """Whether a metric of power may be minimised (power.md, What is measured)."""
    stated = any("power" in m for c in instance.spec["clusters"] for m in c["machines"]) or any("power" in j for j in instance.spec["jobs"])
    if not stated or metric != "peak_power" and "horizon" not in instance.spec:
        return False
    return metric not in LISTS or all(LISTS[metric] in (tariff_of(instance, c) or {}) for c in instance.clusters)


def may_be_negative(instance, metric):
    """Whether a value of a tariff is below 0 of which the metric is made."""
    return metric in LISTS and any(value < 0 for c in instance.clusters for _, value in (tariff_of(instance, c) or {}).get(LISTS[metric], []))


def demands(instance, need):
    """What the fields of power have to obey (power.md, What an instance states)."""
    clusters, jobs = instance["clusters"], instance["jobs"]
    horizon = instance.get("horizon")
    need(horizon is None or horizon.get("from", 0) < horizon["to"], "the horizon ends before it begins")
    begin = min((j.get("arrival", 0) for j in jobs), default=0) if horizon is None else horizon.get("from", 0)
    stated = any("power" in m for c in clusters for m in c["machines"]) or any("power" in j for j in jobs)

    def steps(pairs):
        need(pairs and all(len(p) == 2 and p[0] >= 0 for p in pairs), "expected pairs of time and value")
        need(all(a[0] < b[0] for a, b in zip(pairs, pairs[1:])), "expected ascending times")

    tariffs = [c["tariff"] for c in clusters if "tariff" in c] + ([instance["tariff"]] if "tariff" in instance else [])
    for tariff in tariffs:
        lists = [tariff[name] for name in ("price", "carbon") if name in tariff]
        need(lists, "a tariff without price and carbon")
        for pairs in lists:
            steps(pairs)
            period = tariff.get("period", 0)
            need(not period or pairs[-1][0] - pairs[0][0] < period, "a list longer than its period")
    for c in clusters:
        tariff = c.get("tariff", instance.get("tariff"))
        for name in ("price", "carbon"):
            late = tariff and not tariff.get("period") and name in tariff and tariff[name][0][0] > begin
            need(not late or not jobs and horizon is None, "a tariff that begins late")
        idle = sum(F(m.get("power", {}).get("idle", 0)) * m.get("count", 1) for m in c["machines"])
        if "power_cap" in c:
            steps(c["power_cap"])
            need(all(F(cap) * (1 + F(1, 2**52)) >= idle for _, cap in c["power_cap"]), "a cap below the idle power")
        for m in c["machines"]:
            need(not stated or m.get("background", {}).get("load", 0) == 0, "background load beside power")
            p = m.get("power", {})
            names = [off["name"] for off in p.get("off", [])]
            need(len(set(names)) == len(names) and not {ON, ""} & set(names), "a state twice")
            ends = [p.get(at, ON) or ON for at in ("begin", "end")]
            need(all(at == ON or at in names and horizon is not None for at in ends), "a state that is unknown, or without a horizon")
            if "suspend_after" in p:
                need(names and ends[1] == ON and ends[0] in (ON, names[0]), "suspend_after beside other states")


def covered(facts):
    """The one machine, if the instance asks for nothing that the kind does not cover."""
    instance = facts.instance
    need("horizon" in instance.spec and len(facts.clusters) == 1 and facts.clusters[0].size == 1, "several processors, or no horizon", Doubt)
    need(facts.all_placed(), "a job need not be placed", Doubt)
    cluster = facts.clusters[0]
    group = cluster.groups[0]
    power = group.spec.get("power", {})
    need("power_cap" not in cluster.spec and "suspend_after" not in power and not group.load, "a cap, a rule, or background load", Doubt)
    for j in instance.jobs:
        need(j.min == j.max == 1 and not j.hard and not j.after, f"job {j.id} asks for more", Doubt)
        need(not j.memory or group.memory == inf, f"job {j.id} needs memory", Doubt)
        need(group.licences is None and not set(j.licences) & instance.limited or not j.licences, f"job {j.id} needs a licence", Doubt)
        need(j.arrival <= instance.spec["horizon"].get("from", 0), f"job {j.id} arrives later", Doubt)
    return power


class Machine:
    """The instance in intervals and whole units of cost."""

    def __init__(self, facts, a, metric):
        power = covered(facts)
        need(a["unit"] > 0 and a["scale"] > 0 and 1 <= a["fine"] <= 1 << 20, "expected a unit, a scale and parts above 0")
        self.unit, self.scale, self.fine = F(a["unit"]), F(a["scale"]), a["fine"]
        horizon = facts.instance.spec["horizon"]
        self.start = F(horizon.get("from", 0))
        self.intervals = self.whole(F(horizon["to"]) - self.start)
        self.count_jobs(facts, power)
        rates = self.rates(tariff_of(facts.instance, facts.clusters[0]), metric)
        row = lambda *powers: [(r * sum(map(F, powers))).__floor__() for r in rates]
        off = power.get("off", [])
        self.idle = row(power.get("idle", 0))
        self.busy = row(power.get("idle", 0), self.each)
        self.rest = [row(s.get("power", 0)) for s in off]
        ways = [[row(s.get(way, {}).get("power", 0)) for s in off] for way in ("down", "up")]
        most = max((abs(x) for r in (self.idle, self.busy, *self.rest, *ways[0], *ways[1]) for x in r), default=0)
        need(most < FAR and most <= FAR // 4 // self.fine // (self.intervals + 1), "costs are too large", Doubt)
        self.times = [[self.whole(F(s.get(way, {}).get("time", 0))) for s in off] for way in ("down", "up")]
        self.busy = sums(self.busy)
        self.ways = [[sums(r) for r in rows] for rows in ways]
        names = [s["name"] for s in off]
        state = lambda name: names.index(name) + 1 if name in names else 0
        self.begin, self.end = state(power.get("begin", ON)), state(power.get("end", ON))

    def whole(self, time):
        """A length of time in intervals."""
        n = time / self.unit
        need(n.denominator == 1, "a time is no multiple of the unit")
        need(0 <= n <= INTERVALS, "too many intervals", Doubt)
        return int(n)

    def count_jobs(self, facts, power):
        self.each, self.counts, stated = power.get("busy", 0), {}, False
        for j in facts.jobs:
            n = self.whole(j.times[0])
            if n == 0:
                continue
            own = facts.instance.spec["jobs"][j.position].get("power", power.get("busy", 0))
            need(not stated or own == self.each, "jobs of different power", Doubt)
            self.each, stated = own, True
            self.counts[n] = self.counts.get(n, 0) + 1
        self.sizes = sorted(self.counts)
        self.work = sum(n * k for n, k in self.counts.items())
        need(self.work <= self.intervals and (self.work + 1) * (self.intervals + 1) <= CELLS, "too much work", Doubt)

    def rates(self, tariff, metric):
        """By interval, what a unit of power costs in whole units."""
        each = self.unit * self.scale
        if metric == "energy":
            return [each] * self.intervals
        each /= F(tariff.get("per") or 1)
        pairs = tariff[LISTS[metric]]
        period = F(tariff.get("period") or 0)
        first = F(pairs[0][0])
        shift = (self.start - first) // period * period if period else F(0)
        begins, value, more = {}, pairs[0][1], True  # the steps within the horizon, and the value at its begin
        while more:
            for time, x in pairs:
                at = (F(time) + shift - self.start) / self.unit
                if at <= 0:
                    value = x
                elif at < self.intervals:
                    need(at.denominator == 1, "a step of the tariff is at no multiple of the unit")
                    begins[int(at)] = x
            shift += period
            more = period > 0 and first + shift - self.start < self.intervals * self.unit
        rates = []
        for t in range(self.intervals):
            value = begins.get(t, value)
            rates.append(F(value) * each)
        return rates

    def least(self, prices, fixed):
        """The least cost in parts of what the machine may do in a leaf; inf: it may do nothing."""
        n = self.intervals
        forced = sums([fixed.get((t, False)) is True for t in range(n)])
        barred = sums([fixed.get((t, False)) is False for t in range(n)])
        crossed = sums([fixed.get((t, True)) is True for t in range(n)])
        unbegun = [fixed.get((t, True)) is False for t in range(n)] + [False]
        states = range(1, len(self.rest) + 1)
        rows = []  # by time, state and work done
        none = [inf] * (self.work + 1)

        def lower(row, before, shift, cost):
            for u in range(shift, self.work + 1):
                x = before[u - shift] + cost
                if x < row[u]:
                    row[u] = x

        for t in range(n + 1):
            now = [none[:] for _ in range(len(states) + 1)]
            rows.append(now)
            if t == 0:
                now[self.begin][0] = 0
            rests = lambda k: t >= k and forced[t] == forced[t - k]
            if t > 0 and rests(1):
                lower(now[0], rows[t - 1][0], 0, self.fine * self.idle[t - 1])
                for s in states:
                    lower(now[s], rows[t - 1][s], 0, self.fine * self.rest[s - 1][t - 1])
            for k, price in zip(self.sizes, prices):
                if t >= k and barred[t] == barred[t - k] and not unbegun[t - k] and crossed[t] == crossed[t - k + 1]:
                    lower(now[0], rows[t - k][0], k, self.fine * (self.busy[t] - self.busy[t - k]) + price)
            for way, source, target in ((0, lambda s: 0, lambda s: s), (1, lambda s: s, lambda s: 0)):
                for s in states:  # the ways down that take time, then those up
                    k, cost = self.times[way][s - 1], self.ways[way][s - 1]
                    if rests(k) and (way == 1 or k > 0):
                        lower(now[target(s)], rows[t - k][source(s)], 0, self.fine * (cost[t] - cost[t - k]))
            for s in states:
                if self.times[0][s - 1] == 0:
                    lower(now[s], now[0], 0, 0)
        return rows[n][self.end][self.work]


def sums(row):
    """The sums of a row up to each position."""
    found = [0]
    for x in row:
        found.append(found[-1] + x)
    return found


def time_of_use(facts, a, metric):
    """proofs.md, time_of_use: the least of what the leaves prove."""
    m = Machine(facts, a, metric)
    nodes = a["nodes"]
    need(nodes, "there is no root")
    fixed, named, proved = {0: {}}, set(), []
    for at, node in enumerate(nodes):
        need(at in fixed, f"node {at} is no child of a node before it")
        own = fixed.pop(at)
        low, high = node.get("low", 0), node.get("high", 0)
        if low == 0 and high == 0:
            prices = node.get("prices", [])
            need(len(prices) == len(m.sizes), "expected a price for each length of jobs")
            need(all(p == int(p) and abs(F(p)) * (m.work + 1) <= FAR // 4 for p in prices), "a price is not whole, or too large")
            least = m.least([int(p) for p in prices], own)
            if least < inf:
                paid = sum(int(p) * m.counts[k] for p, k in zip(prices, m.sizes))
                proved.append(F(-((paid - least) // m.fine)) / m.scale)
            continue
        need(node.get("at", 0) < m.intervals and "prices" not in node, "expected an interval of the horizon and no prices")
        split = (node.get("at", 0), node.get("limit", False))
        for child, side in ((low, False), (high, True)):
            need(at < child < len(nodes) and child not in named, f"node {child} is named twice or before its parent")
            need(split not in own, "a node above has split by it")
            named.add(child)
            fixed[child] = {**own, split: side}
    return min(proved, default=inf)
