"""Sets of jobs with hard deadlines that exclude each other (docs/proofs.md, Jobs that exclude each other, and the last row of machine_prices). No machine has closed times or resources here."""
from fractions import Fraction as F
from itertools import combinations, product
from math import ceil, inf

import windows
from facts import Doubt, need


def exclude(facts, sets):
    """Raises the number of jobs that every schedule owes by those of the sets, which need not be placed."""
    free, lefts = set(), []
    for found in sets:
        lefts.append(left_out(facts, found, free))
        facts.owed += lefts[-1]
    facts.oblige(free)
    return lefts


def choices(sets, lefts):
    """All choices of just so many jobs of each set."""
    return [sorted(k for some in chosen for k in some) for chosen in product(*(combinations(found["jobs"], n) for found, n in zip(sets, lefts)))]


def left_out(facts, found, free):
    """How many jobs of the set every schedule leaves out at least."""
    listed, a = found["jobs"], found.get("by")
    need(all(x < y for x, y in zip(listed, listed[1:])), "expected ascending jobs")
    need(all(k < len(facts.jobs) and k in facts.due_to_place and k not in free for k in listed), "a job is not owed, never placed, unknown or in two sets")
    jobs = [facts.jobs[k] for k in listed]
    need((a is None) != ("windows" not in found), "expected either prices or windows")
    if a is None:
        need(all(facts.end_by(j) is not None for j in jobs), "a job that may end at any time")
        free.update(listed)
        facts.place(listed)
        ends = [facts.jobs[k].last for k in facts.placed]
        u, off = windows.refute(facts, found["windows"])
        need(all((e + off) / u < found["windows"]["makespan"] + 1 for e in ends), "a job may end later")
        facts.oblige(free)
        return 1
    need(all(j.job.hard and j.due is not None for j in jobs), "a job without a hard deadline")
    need(not a.get("closed") or all(j.job.estimate is None for j in jobs), "this checker does not cover what jobs hold by their estimates", Doubt)
    free.update(listed)
    groups = a["groups"]
    need(len(groups) == len(facts.clusters) and all(len(row) == len(c.groups) for row, c in zip(groups, facts.clusters)), "expected prices of each group")
    need(not any(p.get("resources") for row in groups for p in row), "prices of resources that there are not")
    start, end = F(a.get("from", 0)), F(a.get("to", 0))
    need(start < end, "expected an interval")
    worth = sum(g.count * machine(p, g) for row, c in zip(groups, facts.clusters) for p, g in zip(row, c.groups))
    more = sum(min(F(1), pays(facts, j, groups, start, end)) for j in jobs) - (end - start) * worth
    need(more > 0, "the jobs hold no more than there is")
    return ceil(more)


def machine(prices, group):
    """What a machine of the group is worth."""
    memory = F(prices.get("memory", 0))
    need(not memory or group.memory < inf, "the memory is not limited")
    return group.per * F(prices.get("processor", 0)) + (memory * F(group.memory) * (1 + F(1, 2**52)) if memory else 0)


def pays(facts, j, groups, start, end):
    """The least that the job pays in the interval if it is in time."""
    least = []
    for c in facts.clusters:
        offers = facts.instance.offers(j.job, c)
        rates = [F(p.get("processor", 0)) + F(p.get("memory", 0)) * F(j.job.memory) for p, (room, _) in zip(groups[c.position], offers) if room]
        time = in_time(facts, j, c, start, end)
        if rates and time is not None:
            least.append(min(rates) * time)
    return min(least, default=F(0))


def in_time(facts, j, c, start, end):
    """The least processor time of the job on the cluster in the interval; None: it holds none there."""
    short = facts.slack(j, j.job.deadline)
    if not (j.rectangle and facts.uniform):
        if c.position not in j.least_on:
            return None
        inside = j.head >= start and j.due + short <= end and j.least > 0
        return j.area(c) * max(F(0), 1 - short / j.least) if inside else F(0)
    if c.position not in j.runs:
        return None
    time = j.times[c.position]

    def common(begin):
        return max(F(0), min(end, begin + time - short) - max(start, begin))

    return j.sizes[c.position] * min(common(j.head), common(j.due + 2 * short - time))
