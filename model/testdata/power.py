"""A second evaluator of power, by the rules as docs/power.md states them. It shares no code with package model.

Each line of the input is {"instance": …, "solution": …}: jobs in one piece. The answer has, a line each, energy, energy_cost, carbon and peak_power (null: not
measured, or not known), and the codes of the faults. Everything is counted in fractions.
"""
import bisect
import json
import sys
from fractions import Fraction as F


def number(x):
    """A value as the file states it: 0.1 is a tenth."""
    return F(repr(x)) if isinstance(x, float) else F(x)


def moment(x):
    """A point in time as the number that it is stored as, to which starts and ends are rounded."""
    return F(x)


def numbers(text):
    found = []
    for part in text.split(",") if text else []:
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


class Tariff:
    """The values of a tariff from begin to end. Before the first step of a list that does not repeat the first value holds."""
    def __init__(self, spec, begin, end):
        spec = spec or {}
        period = moment(spec["period"]) if "period" in spec else None
        per = number(spec.get("per", 1))
        self.times, self.steps = set(), {}
        for name in ("price", "carbon"):
            steps = [(moment(t), number(x) / per) for t, x in spec.get(name, [])]
            if not steps:
                continue
            if period:
                n = (begin - steps[0][0]) // period
                repeats = range(n, (end - steps[0][0]) // period + 1)
                steps = [(t + k * period, x) for k in repeats for t, x in steps]
            now = [x for t, x in steps if t <= begin] or [steps[0][1]]
            self.steps[name] = [(begin, now[-1])] + [(t, x) for t, x in steps if begin < t < end]
            self.times |= {t for t, _ in self.steps[name][1:]}

    def at(self, name, t):
        if name not in self.steps:
            return F(0)
        return self.steps[name][bisect.bisect_right(self.steps[name], t, key=lambda s: s[0]) - 1][1]

    def parts(self, begin, end):
        """Parts of a time in which nothing changes."""
        cuts = sorted({begin, end} | {t for t in self.times if begin < t < end})
        return list(zip(cuts, cuts[1:]))


def shortest(power, tariff, weigh, begin, end, first, last):
    """The way through the states: a list of (power, begin, end), or None."""
    off = power.get("off", [])
    ways = []  # from state, to state, time, power
    for k, o in enumerate(off):
        down, up = o.get("down", {}), o.get("up", {})
        ways.append((-1, k, moment(down.get("time", 0)), number(down.get("power", 0))))
        ways.append((k, -1, moment(up.get("time", 0)), number(up.get("power", 0))))
    base = {begin, end} | {t for t in tariff.times if begin < t < end}
    times = sorted({t for b in base for t in [b] + [b + sign * w[2] for w in ways for sign in (1, -1)] if begin <= t <= end})
    at = {t: k for k, t in enumerate(times)}
    sums = [F(0)]
    for a, b in zip(times, times[1:]):
        sums.append(sums[-1] + weigh(tariff, a) * (b - a))
    stays = lambda s: number(power.get("idle", 0)) if s < 0 else number(off[s].get("power", 0))
    labels = [dict() for _ in times]  # state → (cost, ways, states, begins, log)
    labels[0][first] = (F(0), 0, (), (), ())

    def offer(k, state, label):
        if state not in labels[k] or label < labels[k][state]:
            labels[k][state] = label
            return True
        return False

    for k, t in enumerate(times):
        if k:
            for s, (cost, n, states, begins, log) in labels[k - 1].items():
                offer(k, s, (cost + stays(s) * (sums[k] - sums[k - 1]), n, states, begins, log + ((stays(s), times[k - 1], t),)))
        again = True
        while again:
            again = False
            for source, target, takes, p in ways:
                to = at.get(t + takes)
                if source not in labels[k] or to is None:
                    continue
                cost, n, states, begins, log = labels[k][source]
                new = (cost + p * (sums[to] - sums[k]), n + 1, states + (target,), begins + (t,), log + ((p, t, times[to]),))
                again = offer(to, target, new) and takes == 0 or again
    goal = labels[-1].get(last)
    return goal and [x for x in goal[4] if x[1] < x[2]]


def suspended(power, begin, end, first, final):
    """The way of a machine that is suspended by a rule."""
    off, wait = power["off"][0], moment(power["suspend_after"])
    down, up = moment(off.get("down", {}).get("time", 0)), moment(off.get("up", {}).get("time", 0))
    length = end - begin
    marks = []
    if first < 0:
        if not final and length < wait:
            return [(number(power.get("idle", 0)), begin, end)]
        if not final and length < wait + down + up:
            return None
        marks += [(number(power.get("idle", 0)), begin, begin + wait), (number(off.get("down", {}).get("power", 0)), begin + wait, begin + wait + down)]
        begin += wait + down
    elif not final and length < up:
        return None
    if final:
        marks.append((number(off.get("power", 0)), begin, end))
    else:
        marks += [(number(off.get("power", 0)), begin, end - up), (number(off.get("up", {}).get("power", 0)), end - up, end)]
    return [(p, a, min(b, end)) for p, a, b in marks if a < min(b, end)]


def judge(instance, solution):
    jobs = {j["id"]: j for j in instance["jobs"]}
    faults = set()
    arrivals = [moment(j.get("arrival", 0)) for j in instance["jobs"]]
    begin = min(arrivals, default=F(0))
    end = max([begin] + [moment(p["end"]) for p in solution["jobs"]])
    if "horizon" in instance:
        begin, end = moment(instance["horizon"].get("from", 0)), moment(instance["horizon"]["to"])
        for p in solution["jobs"]:
            if moment(p["start"]) < begin or moment(p["end"]) > end:
                faults.add("horizon")
    tariffs = [c.get("tariff", instance.get("tariff")) for c in instance["clusters"]]
    priced = all(t and "price" in t for t in tariffs)
    carboned = all(t and "carbon" in t for t in tariffs)
    stated = any("power" in m for c in instance["clusters"] for m in c["machines"]) or any("power" in j for j in instance["jobs"])
    objective = instance.get("objective", {})
    weights = {name: number(objective.get(name, 0)) for name in ("energy", "energy_cost", "carbon")}
    if not any(weights.values()):
        weights["energy_cost" if priced else "energy"] = F(1)

    def weigh(tariff, t):
        return weights["energy"] + weights["energy_cost"] * tariff.at("price", t) + weights["carbon"] * tariff.at("carbon", t)

    draws, known = [], True  # (cluster, power, begin, end)
    for c, cluster in enumerate(instance["clusters"]):
        tariff = Tariff(tariffs[c], begin, end)
        whole = cluster.get("allocation") == "machine"
        machines = []
        for m in cluster["machines"]:
            for _ in range(m.get("count", 1)):
                machines.append((m, 1 if whole else m.get("processors", 1)))
        owner = [k for k, (_, units) in enumerate(machines) for _ in range(units)]
        uses = [[] for _ in machines]
        running = []
        for p in solution["jobs"]:
            if p["cluster"] != cluster["id"] or moment(p["start"]) == moment(p["end"]):
                continue
            for q in numbers(p["processors"]):
                machine = machines[owner[q]][0]
                own = jobs[p["job"]].get("power", machine.get("power", {}).get("busy", 0))
                running.append((number(own), moment(p["start"]), moment(p["end"])))
                a, b = max(begin, moment(p["start"])), min(end, moment(p["end"]))
                if a < b:
                    draws.append((c, number(own), a, b))
                    uses[owner[q]].append((a, b))
        idle = sum(number(m.get("power", {}).get("idle", 0)) for m, _ in machines)
        caps = [(moment(t), number(x)) for t, x in cluster.get("power_cap", [])]
        for t in {t for t, _ in caps} | {a for _, a, _ in running}:
            now = [x for u, x in caps if u <= t]
            if now and any(a <= t < b for _, a, b in running) and idle + sum(p for p, a, b in running if a <= t < b) > now[-1]:
                faults.add("power-cap")
        for (machine, _), used in zip(machines, uses):
            power = machine.get("power")
            if power is None:
                continue
            states = {o["name"]: k for k, o in enumerate(power.get("off", []))}
            state, last = states.get(power.get("begin"), -1), states.get(power.get("end"), -1)
            serves = []
            for a, b in sorted(used):
                if serves and a <= serves[-1][1]:
                    serves[-1][1] = max(serves[-1][1], b)
                else:
                    serves.append([a, b])
            draws += [(c, number(power.get("idle", 0)), a, b) for a, b in serves]
            at = begin
            for a, b, final in [(a, b, False) for a, b in serves] + [(end, end, True)]:
                target = last if final else -1
                if a > at or state != target:
                    if "suspend_after" in power:
                        way = suspended(power, at, a, state, final)
                    else:
                        way = shortest(power, tariff, weigh, at, a, state, target)
                    if way is None:
                        known = False
                        faults.add("asleep")
                    else:
                        draws += [(c, p, x, y) for p, x, y in way]
                at, state = b, -1
    answer = {"energy": None, "energy_cost": None, "carbon": None, "peak_power": None, "faults": sorted(faults)}
    if not stated or not known:
        return answer
    views = [Tariff(t, begin, end) for t in tariffs]
    answer["energy"] = float(sum(p * (b - a) for _, p, a, b in draws))
    for metric, name, has in (("energy_cost", "price", priced), ("carbon", "carbon", carboned)):
        if has:
            answer[metric] = float(sum(p * views[c].at(name, x) * (y - x) for c, p, a, b in draws for x, y in views[c].parts(a, b)))
    answer["peak_power"] = float(max((sum(p for _, p, a, b in draws if a <= t < b) for t in {a for _, _, a, _ in draws}), default=0))
    return answer


for line in sys.stdin:
    case = json.loads(line)
    print(json.dumps(judge(case["instance"], case["solution"])))
