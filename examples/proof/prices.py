"""Prices of processor time that change with time (docs/proofs.md, prices_over_time). Sums are in whole numbers of a unit in which all that occurs is whole."""
from bisect import bisect_right
from collections import Counter
from fractions import Fraction as F
from math import gcd

from facts import Doubt, need


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
        need(len(prices["processor"]) == buckets, "expected a price for each bucket")
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

    def until(self, t):
        b = bisect_right(self.limits, t) - 1
        return self.upto[b] + self.rates[b] * (t - self.limits[b])

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


def prices_over_time(facts, a, metric):
    """proofs.md, prices_over_time."""
    limits, n = limits_of(a), len(facts.jobs)
    rates = tariffs(facts, a["clusters"], len(limits) - 1)
    need(facts.all_placed() and facts.all_rectangles(), "a job need not be placed, or is no rectangle", Doubt)
    small(facts, limits)
    share = n if metric == "mean_response" else 1
    times = limits + [t for j in facts.jobs for t in (j.head, j.arrival, j.due or F(0), *j.times.values())]
    unit, price = common(times), common(y for of in rates for row in of.values() for y in row)
    whole = lambda t: int(t * unit)
    limits = [whole(t) for t in limits]
    total, paid = 0, {}
    for c, of in enumerate(rates):
        of = {s: [int(y * price) for y in row] for s, row in of.items()}
        numbers = sizes(facts, c)
        for s, row in of.items():
            paid[c, s] = Paid(limits, row, 0)
        for b, (x, y) in enumerate(zip(limits, limits[1:])):
            total -= share * (y - x) * most_paid(facts.clusters[c].size, numbers, {s: row[b] for s, row in of.items()})
    for j in facts.jobs:
        head, arrival, due = whole(j.head), whole(j.arrival), None if j.due is None else whole(j.due)
        costs = []
        for c in j.runs:
            d, pays = whole(j.times[c]), paid[c, j.sizes[c]]
            for t in starts(head, limits, d, due):
                cost = t + d - arrival if metric == "mean_response" else 0 if due is None else max(0, t + d - due)
                costs.append(cost * price + share * pays.between(t, t + d))
        total += min(costs)
    return F(total, share * unit * price)
