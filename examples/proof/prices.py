"""Prices of processor time that change with time (docs/proofs.md, prices_over_time). Sums are in whole numbers of a unit in which all that occurs is whole."""
from bisect import bisect_right
from collections import Counter
from fractions import Fraction as F
from math import gcd, inf

from facts import Doubt, need
from instance import ceil_div


def common(values):
    """The least common denominator."""
    unit = 1
    for v in values:
        unit = unit * v.denominator // gcd(unit, v.denominator)
    return unit


def limits_of(a):
    """The limits of the buckets, exactly."""
    limits = [F(x) for x in a["limits"]]
    need(len(limits) >= 2 and limits[0] == 0 and all(x < y for x, y in zip(limits, limits[1:])), "expected ascending limits from 0")
    return limits


def tariffs(facts, stated, buckets, divisors=None):
    """By cluster: what a job of a size pays per time in each bucket, y(s, b), as fractions, divided by the divisor of the cluster."""
    need(len(stated) == len(facts.clusters), "expected prices for each cluster")
    found = []
    for c, prices in enumerate(stated):
        extra = {z["size"]: z["price"] for z in prices.get("sizes", [])}
        need(len(extra) == len(prices.get("sizes", [])), "a size twice")
        need(len(prices.get("processor", [])) == buckets, "expected a price for each bucket")
        need(all(abs(x) < 1e150 for x in [*prices["processor"], *extra.values()]), "a price is too large")
        divisor = 1 if divisors is None else divisors[c]
        processor = [F(x) for x in prices["processor"]]
        found.append({s: [max(F(0), s * x + F(extra.get(s, 0.0))) / divisor if divisor else F(0) for x in processor] for s in sizes(facts, c)})
    return found


def sizes(facts, c):
    """The sizes of the jobs that can run on a cluster, with their numbers."""
    return Counter(j.sizes[c] for j in facts.jobs if c in j.runs)


def most_paid(room, numbers, price):
    """κ: the most that jobs which run at once can pay; numbers: size → jobs, price: size → what one pays."""
    items = []
    for s, n in numbers.items():
        n = min(n, room // s)
        take = 1
        while n > 0 and price[s] > 0:
            take = min(take, n)
            items.append((take * s, take * price[s]))
            n, take = n - take, 2 * take
    if sum(s for s, _ in items) <= room:
        return sum(v for _, v in items)
    best = [0] * (room + 1)
    for s, v in items:
        if s <= room:
            best[s:] = [max(x, y + v) for x, y in zip(best[s:], best)]
    return best[room]


class Paid:
    """What a job of a size on a cluster pays up to each time, in whole numbers: times in units of time, rates in units of price."""

    def __init__(self, limits, rates, after):
        self.limits, self.rates, self.upto = limits, rates + [after], [0]
        for x, y, rate in zip(limits, limits[1:], rates):
            self.upto.append(self.upto[-1] + rate * (y - x))
        self.known = dict(zip(limits, self.upto))  # jobs of a size ask for the same times

    def until(self, t):
        paid = self.known.get(t)
        if paid is None:
            b = bisect_right(self.limits, t) - 1
            paid = self.known[t] = self.upto[b] + self.rates[b] * (t - self.limits[b])
        return paid

    def between(self, t, end):
        return self.until(end) - self.until(t)


def starts(head, limits, length, due):
    """The starts among which the least is."""
    found = {head, *limits, *(x - length for x in limits)}
    if due is not None:
        found.add(due - length)
    return [t for t in found if t >= head]


def small(facts, limits):
    need(len(facts.jobs) <= 2**15 and len(limits) <= 2**12, "too many jobs or limits", Doubt)


def group_ways(facts, j, c, most, v, link, loosest):
    """proofs.md, Ways to run a job, on equal processors: (size, d, exact, None) of a rectangle, (size, T, False, A) of a loose way."""
    job, found, n = j.job, [], 1 if c.whole else j.job.min
    while n <= most:
        k, last = ceil_div(job.tasks, n), most
        if k > 1:
            last = min(last, (job.tasks - 1) // (k - 1))
        time = job.busy(c, k, v) + job.transfer(link)
        if time < inf:
            if len(found) == 64:
                return loosest()
            if k == 1 or n == 1:
                found.append((n, F(time), True, None))
            else:
                area = job.tasks * F(job.busy(c, 1, v)) if job.runtime else job.tasks * F(job.work) / F(v) + n * (F(job.busy(c, 0, v)) + F(job.transfer(link)))
                found.append((last, F(time), False, area * (1 - F(1, 2**51)) ** 2))
        n = last + 1
    return found


def ways(facts, j, c, group=None):
    """proofs.md, Ways to run a job, on a cluster or a group of its machines."""
    if j.spreads:
        return [(0, j.least, False, j.area(c))] if c.position in j.least_on else []
    if c.position not in j.runs:
        return []
    if group is not None:
        most = min(1 if c.whole else j.job.max, facts.instance.offers(j.job, c)[group][0])
        machines = c.groups[group]
        return group_ways(facts, j, c, most, machines.speed, machines.bandwidth, lambda: [(most, j.least_on[c.position], False, j.area(c))])
    least, most = (1, 1) if c.whole else (j.job.min, min(j.job.max, c.size))
    if least == most and (least == 1 or j.job.tasks <= least):
        return [(least, j.least_on[c.position], c.uniform, None)]
    loosest = lambda: [(most, j.least_on[c.position], False, j.area(c))]
    return group_ways(facts, j, c, most, c.speed, c.bandwidth, loosest) if c.uniform else loosest()


class Part:
    """Machines with prices of their own: a cluster, or a group of one, of which `machines` are alike."""

    def __init__(self, facts, c, prices, group=None):
        self.c, self.group = c, group
        self.size, self.machines = (c.size, 1) if group is None else (1 if c.whole else c.groups[group].per, c.groups[group].count)
        self.prices = prices


def parts_of(facts, stated, metric):
    need(len(stated) == len(facts.clusters), "expected prices for each cluster")
    found, never = [], facts.never
    for c, p in zip(facts.clusters, stated):
        if "groups" not in p:
            found.append(Part(facts, c, p))
            continue
        need(not p.get("processor") and not p.get("sizes") and len(p["groups"]) == len(c.groups), "expected prices for each group, and no others")
        for j in facts.jobs:
            alone = (1 if c.whole else j.job.max) == 1 or j.job.span == "machine"
            need(j.position in never or not j.spreads and (alone or c.position not in j.runs), "a job may hold processors of several machines", Doubt)
        found += [Part(facts, c, {"processor": row}, g) for g, row in enumerate(p["groups"])]
    return found


def prices_over_time(facts, a, metric):
    """proofs.md, prices_over_time."""
    dated, slow = metric == "missed", metric in ("mean_slowdown", "slowdown_without_deadline", "bounded_slowdown")
    never = facts.never
    parts = parts_of(facts, a["clusters"], metric)
    need(not slow or not any(g.load for c in facts.clusters for g in c.groups), "background load may change slowdowns", Doubt)
    chosen = [j for j in facts.jobs if j.position not in never and (not dated or j.due is not None) and (metric != "slowdown_without_deadline" or j.due is None)]
    jobs = [j for j in chosen if dated or j.position in facts.placed]
    n, others = len(chosen), len(chosen) - len(jobs)
    found = []  # by job: (part, size, d or A/s, earliest, latest, loose, A without s)
    for j in jobs:
        s = F(0)
        if dated:
            end = j.head + j.least
            s = F(19, 10) * F(1e-9) * (abs(j.due) + end) + F(3 + j.chain, 2**52) * (F(j.job.deadline) + facts.instance.first + end)
        own = []
        for k, part in enumerate(parts):
            for size, time, exact, area in ways(facts, j, part.c, part.group):
                need(exact or not slow, "a slowdown of a job whose time is not known", Doubt)
                need(area is None or metric != "mean_wait", "the wait of a loose way", Doubt)
                need(not slow or metric == "bounded_slowdown" or time > 0, "a slowdown of a job that takes no time", Doubt)
                length = time if area is None else area / size if size else F(0)
                first, last = j.head if area is None else j.head + max(F(0), time - length), None
                if not dated and j.last < inf:
                    last = j.last - length
                    if first > last:
                        continue
                if dated:
                    end = j.due + s
                    if first > end - length:
                        continue
                    if area is None:
                        last, length = end + s - length, max(F(0), length - s)
                    else:
                        share = max(F(0), 1 - s / time) if time else F(0)
                        area, length = area * share, length * share
                        last = end - length
                own.append((k, size, length, first, last, area is not None, area if area is not None and not size else F(0), time))
        found.append(own)
    need(jobs or dated, "no job counts")
    limits = limits_of(a)
    need(len(facts.jobs) <= 2**15 and len(limits) <= 2**12, "too many jobs or limits", Doubt)
    total, paid = F(0), {}
    for k, part in enumerate(parts):
        extra = {z["size"]: z["price"] for z in part.prices.get("sizes", [])}
        need(len(extra) == len(part.prices.get("sizes", [])), "a size twice")
        rates = part.prices.get("processor", [])
        need(len(rates) == len(limits) - 1, "expected a price for each bucket")
        need(all(abs(x) < 1e150 for x in [*rates, *extra.values()]), "a price is too large")
        rates = [F(x) for x in rates]
        numbers = Counter(w[1] for own in found for w in own if w[0] == k and not w[5])
        loose = any(w[0] == k and w[5] for own in found for w in own)
        rows = {s: [max(F(0), s * x + F(extra.get(s, 0.0))) for x in rates] for s in numbers}
        plain = [max(F(0), x) for x in rates]
        paid[k] = plain
        for s, row in rows.items():
            paid[k, s] = Paid(limits, row, 0)
        for b, (x, y) in enumerate(zip(limits, limits[1:])):
            price = {s: row[b] for s, row in rows.items()}
            if loose:  # what is left is worth plain: so each rectangle is worth what it pays beyond that
                best = plain[b] * part.size + most_paid(part.size, numbers, {s: p - s * plain[b] for s, p in price.items()})
            else:
                best = most_paid(part.size, numbers, price)
            total -= part.machines * (y - x) * best
    for j, own in zip(jobs, found):
        costs = [F(1)] if dated else []
        for k, size, length, first, last, loose, area, time in own:
            if loose:
                head = bisect_right(limits, j.head) - 1
                rates, least = [], None
                for b, x in enumerate(paid[k] + [F(0)]):
                    least = x if least is None or b <= head else min(least, x)
                    rates.append(least)
                pays = Paid(limits, [size * x for x in rates[:-1]], 0)
            else:
                pays = paid[k, size]
            long = max(time, 10) if metric == "bounded_slowdown" else time
            due = {"mean_response": j.arrival, "mean_wait": j.arrival + length, "over_deadline": j.due, "missed": None}.get(metric, j.arrival + long)
            weight = {"mean_response": F(1, n), "mean_wait": F(1, n), "over_deadline": F(1), "missed": F(0)}.get(metric) if not slow else F(1, n) / long
            tries = starts(first, limits, length, due) + ([last] if last is not None else [])
            for t in tries:
                if last is not None and t > max(first, last):
                    continue
                end = t + length
                held = area * rates[bisect_right(limits, t) - 1] if loose and not size else pays.between(t, end)
                costs.append(held + (0 if due is None else weight * max(F(0), end - due)))
        need(costs, "nothing can run a job", Doubt)
        total += min(costs)
    if slow:
        total += 1
    if dated:
        total += sum(j.due is not None and j.position in never for j in facts.jobs)
    return total
