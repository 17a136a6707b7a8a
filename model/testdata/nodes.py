"""A second checker of schedules on nodes, by the rules as docs/rules.md states them. It shares no code with package model.

Each line of the input is {"instance": …, "solution": …}: one cluster of machines with one speed, rigid jobs that state their work. The answer has, a
line each, the faults and the metrics device_utilisation and stranded. Everything is counted in fractions.
"""
import json
import sys
from fractions import Fraction as F


def number(x):
    return F(repr(x)) if isinstance(x, float) else F(x)


def numbers(text):
    found = []
    for part in text.split(",") if text else []:
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


class Machine:
    def __init__(self, name, group, first):
        self.name, self.size = name, group.get("processors", 1)
        self.processors = range(first, first + self.size)
        self.has = {r: number(x) for r, x in group.get("resources", {}).items()}
        self.features = set(group.get("features", []))
        self.closed = [(number(c.get("from", 0)), number(c["to"]) if "to" in c else None, c.get("for")) for c in group.get("closed", [])]


def machines_of(cluster):
    found, first = [], 0
    for group in cluster["machines"]:
        count = group.get("count", 1)
        for k in range(count):
            found.append(Machine(group["id"] if count == 1 else f'{group["id"]}[{k}]', group, first))
            first += found[-1].size
    return found


def open_to(machine, reservation, start, end):
    """Whether a job may run there from start to end; a job that takes no time only starts."""
    def closed_at(t):
        return [c for c in machine.closed if c[0] <= t and (c[1] is None or t < c[1])]
    instants = {start} if reservation else set()
    if start < end:
        instants |= {start} | {x for c in machine.closed for x in (c[0], c[1]) if x is not None and start <= x < end}
    for t in instants:
        now = closed_at(t)
        if start < end and any(c[2] is None or c[2] != reservation for c in now):
            return False
        if reservation and not any(c[2] == reservation for c in now):
            return False
    return True


class Use:
    """What a job uses of a machine."""
    def __init__(self, job, start, end, processors, blocks, held, devices):
        self.job, self.start, self.end, self.processors, self.blocks, self.held, self.devices = job, start, end, processors, blocks, held, devices


def check(instance, solution):
    faults = []
    machines = machines_of(instance["clusters"][0])
    kinds = set(instance.get("devices", []))
    uses = {m.name: [] for m in machines}
    jobs = {j["id"]: j for j in instance["jobs"]}
    placed, ends, taken = set(), [], []
    arrivals = [number(j.get("arrival", 0)) for j in instance["jobs"]]
    for p in solution["jobs"] or []:
        j = jobs[p["job"]]
        placed.add(p["job"])
        start, end = number(p["start"]), number(p["end"])
        ends.append(end)
        work = number(j["work"]) if "work" in j else number(j["estimate"])
        if end - start != work:
            faults.append("length")
        if start < number(j.get("arrival", 0)):
            faults.append("early")
        held = numbers(p["processors"])
        if len(held) != j.get("processors", 1):
            faults.append("processors")
        for other_start, other_end, other in taken:
            if start < end and other_start < other_end and start < other_end and other_start < end and set(held) & other:
                faults.append("overlap")
        taken.append((start, end, set(held)))
        until = min(end, start + number(j.get("estimate", work)))
        block = j.get("block", 1)
        need = {r: number(x) for r, x in j.get("resources", {}).items() if x}
        running = j.get("running")
        if running:
            on = runs_already(running, machines, kinds, p, j, start, end, held, uses, faults)
            for r, by_machine in p.get("devices", {}).items():
                for name in by_machine or {}:
                    if name not in on:
                        faults.append("device elsewhere")
            continue
        on = {}
        for m in machines:
            there = len([q for q in held if q in m.processors])
            if not there:
                continue
            on[m.name] = there // block
            if there % block:
                faults.append("block")
            for names in j.get("features", []):
                if not m.features & set(names):
                    faults.append("feature")
            if not open_to(m, j.get("reservation"), start, until):
                faults.append("closed")
            blocks = there // block
            devices = {}
            for r, x in need.items():
                if r in kinds:
                    named = numbers(p.get("devices", {}).get(r, {}).get(m.name, ""))
                    if len(named) != (blocks if x < 1 else blocks * x) or any(d >= m.has.get(r, 0) for d in named):
                        faults.append("device count")
                    devices[r] = {d: min(x, F(1)) for d in named}
            uses[m.name].append(Use(j, start, end, there, blocks, {r: x * blocks for r, x in need.items()}, devices))
        for r, by_machine in p.get("devices", {}).items():
            if by_machine is not None and (r not in kinds or r not in need):
                faults.append("device named")
            for name in by_machine or {}:
                if name not in on:
                    faults.append("device elsewhere")
        wanted = j.get("machines")
        if wanted:
            least, most = (wanted, wanted) if isinstance(wanted, int) else (wanted["min"], wanted["max"])
            if not least <= len(on) <= most:
                faults.append("machines")
        if "per_machine" in j and any(n != j["per_machine"] for n in on.values()):
            faults.append("per machine")
    for u in solution.get("unscheduled") or []:
        placed.add(u["job"])
    if placed != set(jobs):
        faults.append("missing")
    left = {u["job"] for u in solution.get("unscheduled") or []}
    if any(jobs[k].get("running") for k in left):
        faults.append("running job left out")
    for m in machines:
        for u in uses[m.name]:
            together = [v for v in uses[m.name] if v is u or u.start < u.end and v.start < v.end and v.start <= u.start < v.end]
            for r in {r for v in together for r in v.held}:
                if sum(v.held.get(r, 0) for v in together) > m.has.get(r, 0):
                    faults.append("resource")
            for r in kinds:
                for d in u.devices.get(r, {}):
                    if sum(v.devices.get(r, {}).get(d, 0) for v in together) > 1:
                        faults.append("device twice")
            if any(v is not u and (u.job.get("exclusive") or v.job.get("exclusive")) for v in together):
                faults.append("exclusive")
    first = min(arrivals)
    last = max(ends + [first])
    return faults, utilisation(machines, uses, kinds, last - first), stranded(instance, machines, uses, kinds, first, last)


def runs_already(running, machines, kinds, p, j, start, end, held, uses, faults):
    """A job that runs already: it is where it is, and holds what it holds. The machines that it uses."""
    if start != 0 or sorted(held) != sorted(numbers(running["processors"])):
        faults.append("moved")
    on = set()
    for m in machines:
        there = len([q for q in held if q in m.processors])
        if not there:
            continue
        on.add(m.name)
        amounts = {r: number(x) for r, x in running.get("holds", {}).get(m.name, {}).items() if x}
        devices = {}
        for r in kinds:
            named = numbers(p.get("devices", {}).get(r, {}).get(m.name, ""))
            mine = numbers(running.get("devices", {}).get(r, {}).get(m.name, ""))
            if sorted(named) != sorted(mine):
                faults.append("device moved")
            if r in amounts:
                devices[r] = {d: amounts[r] / len(mine) for d in mine}
        uses[m.name].append(Use(j, start, end, there, 0, amounts, devices))
    for r, by_machine in p.get("devices", {}).items():
        if by_machine is not None and r not in running.get("devices", {}):
            faults.append("device named")
    return on


def utilisation(machines, uses, kinds, length):
    devices = sum(m.has.get(r, 0) for m in machines for r in kinds)
    held = sum(u.held.get(r, 0) * (u.end - u.start) for m in machines for u in uses[m.name] for r in kinds)
    return 100 * held / (devices * length) if devices * length else 0


def stranded(instance, machines, uses, kinds, first, last):
    if last == first:
        return 0
    wanted = [j for j in instance["jobs"] if any(j.get("resources", {}).get(r) for r in kinds)]
    total = F(0)
    for m in machines:
        times = sorted({first, last} | {t for u in uses[m.name] for t in (u.start, u.end) if first <= t <= last})
        for a, b in zip(times, times[1:]):
            here = [u for u in uses[m.name] if u.start <= a and b <= u.end]
            free = {r: [1 - sum(u.devices.get(r, {}).get(d, 0) for u in here) for d in range(int(m.has.get(r, 0)))] for r in kinds}
            left = {r: x - sum(u.held.get(r, 0) for u in here) for r, x in m.has.items()}
            processors = m.size - sum(u.processors for u in here)

            def fits(j):
                if j.get("block", 1) > processors or any(not m.features & set(names) for names in j.get("features", [])):
                    return False
                for r, x in j["resources"].items():
                    x = number(x)
                    if x > left.get(r, 0):
                        return False
                    if r in kinds and x:
                        each, count = (x, 1) if x < 1 else (F(1), x)
                        if len([f for f in free[r] if f >= each]) < count:
                            return False
                return True

            if not any(fits(j) for j in wanted):
                total += (b - a) * sum(f for r in kinds for f in free[r])
    return total / (last - first)


for line in sys.stdin:
    case = json.loads(line)
    faults, used, free = check(case["instance"], case["solution"])
    print(json.dumps({"faults": sorted(set(faults)), "device_utilisation": float(used), "stranded": float(free)}))
