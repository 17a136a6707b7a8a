#!/usr/bin/env python3
"""Verifies certificates (allot/proof/1) of three kinds: critical_path, area and prices_over_time. It shares nothing with allot's own checker.

    check.py INSTANCE CERTIFICATE …    prints verified, refuted or not certified for each pair; the exit status is 0, 3 or 4

It takes rigid jobs on clusters of equal machines. Times are the numbers of float64 that work/speed gives; all that follows is in exact fractions.
"""
import hashlib
import json
import sys
from bisect import bisect_right
from fractions import Fraction as F
from math import ceil


class Refuted(Exception):
    name, status = "refuted", 3


class Doubt(Refuted):
    name, status = "not certified", 4


def need(true, why, error=Refuted):
    if not true:
        raise error(why)


def known(thing, fields):
    return need(set(thing) <= set(fields.split()), f"fields beyond {fields}", Doubt) or thing


class Instance:
    def __init__(self, spec):
        known(spec, "schema name objective units clusters jobs")
        self.size, self.speed, self.jobs = [], [], []
        for c in spec["clusters"]:
            need(len(known(c, "id machines weights")["machines"]) == 1, "machines of several kinds", Doubt)
            m = known(c["machines"][0], "id count processors speed")
            self.size.append(m.get("count", 1) * m.get("processors", 1))
            self.speed.append(m.get("speed", 1))
        names, at = [c["id"] for c in spec["clusters"]], {j["id"]: k for k, j in enumerate(spec["jobs"])}
        self.first = min(F(j.get("arrival", 0)) for j in spec["jobs"])
        for j in spec["jobs"]:
            known(j, "id processors work runtime arrival deadline after")
            s = j.get("processors", 1)
            time = {}  # by cluster
            need(isinstance(s, int), "a choice of processors", Doubt)
            for c, name in enumerate(names):
                if s <= self.size[c] and name in j.get("runtime", names):
                    time[c] = F(j["runtime"][name]) if "runtime" in j else F(float(j["work"]) / self.speed[c])
            need(time, "a job that cannot run", Doubt)
            due = F(j["deadline"]) - self.first if "deadline" in j else None
            self.jobs.append(dict(size=s, time=time, least=min(time.values()), due=due, arrival=F(j.get("arrival", 0)) - self.first,
                                  after=[at[b] for b in j.get("after", [])], head=F(0), tail=F(0)))
        for _ in self.jobs:  # the longest chain has at most all jobs
            for j in self.jobs:
                j["head"] = max([j["arrival"]] + [self.jobs[b]["head"] + self.jobs[b]["least"] for b in j["after"]])
                for b in j["after"]:
                    self.jobs[b]["tail"] = max(self.jobs[b]["tail"], j["least"] + j["tail"])

    def critical_path(self, a, _):
        chain = a["jobs"]
        need(chain and all(0 <= k < len(self.jobs) for k in chain) and all(b in self.jobs[k]["after"] for b, k in zip(chain, chain[1:])), "a job does not wait for the one before it")
        return self.jobs[chain[0]]["arrival"] + sum(self.jobs[k]["least"] for k in chain)

    def area(self, a, _):
        need("licence" not in a, "licences", Doubt)
        chosen = a.get("jobs", list(range(len(self.jobs))))
        need(chosen and chosen == sorted(set(chosen)) and 0 <= chosen[0] and chosen[-1] < len(self.jobs), "expected ascending jobs")
        jobs, prices = [self.jobs[k] for k in chosen], [F(p) for p in a["prices"]]
        need(len(prices) == len(self.size) and min(prices) >= 0, "expected prices of at least 0")
        weight = [{w["size"]: w["weight"] for w in row} for row in a["weights"]] if "weights" in a else [{s: s for s in range(1, m + 1)} for m in self.size]
        most = [self.packed(m, [(s, w) for s, w in row.items() for _ in range(m // s)]) if "weights" in a else m for m, row in zip(self.size, weight)]
        work = sum(min(prices[c] * weight[c].get(j["size"], 0) * t for c, t in j["time"].items()) for j in jobs)
        need(any(p * m for p, m in zip(prices, most)), "no capacity")
        return min(j["head"] for j in jobs) + work / sum(p * m for p, m in zip(prices, most)) + min(j["tail"] for j in jobs)

    @staticmethod
    def packed(room, items):  # the most that items of a size and a value are worth that fit beside each other
        most = [F(0)] * (room + 1)
        for size, value in items:
            for r in range(room, size - 1, -1):
                most[r] = max(most[r], most[r - size] + value)
        return most[room]

    def prices_over_time(self, a, metric):
        limits, n, total = [F(t) for t in a["limits"]], len(self.jobs), F(0)
        need(limits[0] == 0 and all(x < y for x, y in zip(limits, limits[1:])) and len(limits) > 1, "expected ascending limits from 0")
        need([len(c["processor"]) for c in a["clusters"]] == [len(limits) - 1] * len(self.size), "prices are missing")
        buckets, price, paid = list(zip(limits, limits[1:])), {}, {}  # by cluster and size: the price in each bucket, and what is paid up to each limit
        for c, stated in enumerate(a["clusters"]):
            sizes = [j["size"] for j in self.jobs if c in j["time"]]
            for s in set(sizes):
                more = sum(F(z["price"]) for z in stated.get("sizes", []) if z["size"] == s)
                price[c, s], paid[c, s] = [max(F(0), s * F(p) + more) for p in stated["processor"]] + [F(0)], [F(0)]
                for p, (x, y) in zip(price[c, s], buckets):
                    paid[c, s].append(paid[c, s][-1] + p * (y - x))
            total -= sum((y - x) * self.packed(self.size[c], [(s, price[c, s][k]) for s in sizes]) for k, (x, y) in enumerate(buckets))
        pay = lambda key, t: paid[key][bisect_right(limits, t) - 1] + price[key][bisect_right(limits, t) - 1] * (t - limits[bisect_right(limits, t) - 1])
        for j in self.jobs:
            costs = []
            for c, t in j["time"].items():
                for start in [j["head"]] + limits + [x - t for x in limits] + ([j["due"] - t] if j["due"] is not None else []):
                    if start >= j["head"]:
                        cost = (start + t - j["arrival"]) / n if metric == "mean_response" else max(F(0), start + t - j["due"]) if j["due"] is not None else F(0)
                        costs.append(cost + pay((c, j["size"]), start + t) - pay((c, j["size"]), start))
            total += min(costs)
        return total

    def step(self, part, value):  # rounds up to what a best schedule can have
        n, unit, metric = len(self.jobs), F(part["step"]), part["metric"]
        times = [t for j in self.jobs for t in [j["arrival"], *j["time"].values()]]
        times += [j["due"] for j in self.jobs if j["due"] is not None and metric == "over_deadline"]
        off = max(abs(t - unit * round(t / unit)) for t in times) * {"makespan": n + 1, "mean_response": n + 2, "over_deadline": n * (n + 2)}[metric]
        unit = unit / n if metric == "mean_response" else unit
        return unit * ceil((value - off) / unit - F(1, 10**7)) - off

    def check(self, part):
        (kind, a), = part["by"].items()
        need((kind, part["metric"]) in [("critical_path", "makespan"), ("area", "makespan"), ("prices_over_time", "mean_response"),
                                        ("prices_over_time", "over_deadline")], f"{kind} for {part['metric']}", Doubt)
        value = getattr(self, kind)(a, part["metric"])
        value = self.step(part, value) if part.get("step", 0) > 0 else value
        need(value >= F(part["bound"]), f"{kind} proves {float(value)}")


def main(instance, certificate):
    with open(instance, "rb") as f, open(certificate, encoding="utf-8") as g:
        data, c = f.read(), json.load(g)
    need(c["instance_sha256"] == hashlib.sha256(data).hexdigest(), "the certificate is of another instance")
    low = known(c["objective"], "makespan mcp mean_response mean_wait over_deadline missed")  # metrics that are better when high enter negated
    need("bound" in c and "not_certified" not in c and min(low.values()) > 0, "nothing to check, or weights below 0", Doubt)
    parts = {p["metric"]: p for p in c.get("parts", []) if p["bound"] > 0}
    need(len({p["metric"] for p in c.get("parts", [])}) == len(c.get("parts", [])), "a metric twice")
    checker = Instance(json.loads(data))
    for p in parts.values():
        checker.check(p if "by" in p else dict(p, by={"nothing": {}}))
    need(sum(F(w) * F(parts[m]["bound"]) for m, w in c["objective"].items() if m in parts) >= F(c["bound"]), "the parts add up to less")


if __name__ == "__main__":
    status = 0
    for pair in zip(sys.argv[1::2], sys.argv[2::2]):
        try:
            main(*pair)
            print("verified")
        except Refuted as e:
            status = print(f"{e.name}: {e}") or e.status
    sys.exit(status)
