"""What all kinds of certificates use (docs/proofs.md, What all kinds use): least times, heads, tails, rectangles, areas. Fractions throughout."""
from fractions import Fraction as F
from math import inf, nextafter

from instance import ceil_div


class Refuted(Exception):
    """A step of the certificate is wrong."""
    verdict, status = "refuted", 3


class Doubt(Exception):
    """The checker does not cover it."""
    verdict, status = "not certified", 4


def need(true, why, error=Refuted):
    if not true:
        raise error(why)


def down(x):
    """The largest float64 that is at most the fraction."""
    try:
        y = float(x)
    except OverflowError:
        return inf
    return nextafter(y, -inf) if F(y) > x else y


def up(x):
    """The smallest float64 that is at least the fraction."""
    return -down(-x)


COUNTING = {"work_done", "finished", "unfinished", "missed", "miss_rate", "data_moved", "workflow_failures"}  # what is left out


def owes(job, weights):
    """Whether a schedule that leaves the job out owes it (rules.md, Leaving jobs out)."""
    return not job.hard or not any(w and metric in COUNTING for metric, w in weights.items())


class Known:
    """A job as the kinds see it; clusters are positions."""

    def __init__(self, job, facts):
        instance = facts.instance
        self.job, self.position = job, job.position
        self.arrival = F(job.arrival) - instance.first
        self.due = None if job.deadline is None else F(job.deadline) - instance.first
        self.spread = instance.spread_over(job)  # the clusters on which it can run as one of several
        self.spreads = bool(self.spread)
        self.runs = {c.position for c in instance.clusters if instance.can_run(job, c)}
        self.placeable = self.spreads or bool(self.runs)
        self.rigid = job.min == job.max
        self.sizes = {c.position: job.sizes(c)[1] for c in instance.clusters}
        self.least_on = {c.position: F(self.lowest(c)) for c in instance.clusters
                         if c.position in self.spread or c.position in self.runs}
        self.least = min(self.least_on.values(), default=None)
        self.times = {}  # d(j, c) where it can run
        for c in (instance.clusters[k] for k in sorted(self.runs)):
            b = ceil_div(job.tasks, self.sizes[c.position])
            self.times[c.position] = F(job.busy(c, b, c.speed) + job.transfer(c.bandwidth))
        self.rectangle = self.rigid and not self.spreads and all(self.sizes[c] == 1 or job.tasks <= self.sizes[c] for c in self.runs)
        self.head = self.tail = F(0)

    def lowest(self, c):
        """least(j, c)."""
        job = self.job
        if c.position in self.spread:
            b = 1
        elif c.whole:
            b = job.tasks
        else:
            b = ceil_div(job.tasks, min(job.max, c.size)) if c.uniform else 1
        return job.busy(c, b, c.speed) + job.transfer(c.bandwidth)

    def area(self, c):
        """area(j, c): processor time that it holds at least."""
        job, size = self.job, self.sizes[c.position]
        if c.uniform and self.rigid and c.position not in self.spread and (job.tasks <= size or job.tasks % size == 0):
            return size * self.times[c.position]
        short = 1 - F(1, 2**51)
        if job.runtime:
            return job.tasks * F(job.busy(c, 1, c.speed)) * short
        return job.tasks * F(job.work) / F(c.speed) * short


class Facts:
    """The jobs with their heads and tails, and which of them have to be placed by the objective."""

    def __init__(self, instance, weights):
        self.instance, self.clusters = instance, instance.clusters
        self.jobs = [Known(j, self) for j in instance.jobs]
        self.uniform = all(c.uniform for c in self.clusters)
        order, self.held = self.order(), None
        for k in order:
            j = self.jobs[k]
            j.chain = 1 + max([self.jobs[b].chain for b in j.job.after], default=0)
            j.before = set(j.job.after).union(*(self.jobs[b].before for b in j.job.after))
            j.head = max([j.arrival] + [self.jobs[b].head + (self.jobs[b].least or 0) for b in j.job.after])
            if len(j.job.after) > 1 and len(self.jobs) <= 4096 and all(self.jobs[b].least is not None for b in j.before):
                held = F(self.after_all(j))
                if held > j.head:
                    j.head, j.chain = held, 1 + len(j.before)
        never, owed = self.unplaceable(), {j.position for j in instance.jobs if owes(j, weights)}
        self.owed = len(never & owed)  # by every schedule
        self.never, self.first_never, self.owes, self.due_to_place = never, never, owed, owed - never
        self.oblige(set())

    def oblige(self, free):
        """Which jobs have to be placed, their tails and latest ends; those that are free need not be."""
        self.place(self.due_to_place - free)

    def place(self, jobs):
        """Takes these jobs to have to be placed, and those that they wait for."""
        self.placed = set(jobs)
        for k in reversed(self.order()):
            j = self.jobs[k]
            if k not in self.never and any(s in self.placed for s in j.job.followers):
                self.placed.add(k)
            j.tail = max([self.jobs[s].least + self.jobs[s].tail for s in j.job.followers if s in self.placed], default=F(0))
            after = [self.jobs[s].last - self.jobs[s].least for s in j.job.followers if s in self.placed]
            j.last = min([inf if k in self.never else self.latest_end(j)] + after)

    def leaving(self, left):
        """Takes just these jobs of the sets to be left out (proofs.md, Choices); False: no schedule that owes no more does."""
        self.never = set(self.first_never) | set(left)
        for k in self.order():
            if any(b in self.never for b in self.jobs[k].job.after):
                self.never.add(k)
        self.due_to_place = self.owes - self.never
        self.oblige(set())
        return len(self.never & self.owes) <= self.owed

    def end_by(self, j):
        """When the job has to end for its own sake: its hard deadline, or the end of the horizon if that is earlier; None: at any time."""
        found = [j.job.deadline] if j.job.hard and j.job.deadline is not None else []
        if self.instance.spec.get("horizon"):
            found.append(self.instance.spec["horizon"]["to"])
        return min(found, default=None)

    def latest_end(self, j):
        """proofs.md, What all kinds use, last(j), without the jobs that wait for it."""
        by = self.end_by(j)
        if by is None:
            return inf
        return F(up(F(by) - self.instance.first + self.slack(j, by, len(self.jobs))))

    def resources(self):
        """By resource its capacity and what each job holds, rounded down (proofs.md, What all kinds use, Work ahead)."""
        found = []
        for prices in ([F(1)] * len(self.clusters), [F(c.speed) for c in self.clusters]):
            found.append((sum(p * c.size for p, c in zip(prices, self.clusters)),
                          [down(min(p * j.area(c) for p, c in zip(prices, self.clusters) if c.position in j.least_on)) if j.least_on else 0 for j in self.jobs]))
        for name in sorted(self.instance.limited):
            if self.instance.copies(name):
                found.append((F(self.instance.copies(name)), [down(j.job.licences.get(name, 0) * (j.least or F(0))) for j in self.jobs]))
        return found

    def after_all(self, j):
        """The time by which what the jobs that j waits for hold has been held."""
        if self.held is None:
            self.held = self.resources()
        before, best = sorted(((down(self.jobs[b].head), b) for b in j.before), reverse=True), 0.0
        for capacity, held in self.held:
            work = F(0)
            for start, b in before:
                work += F(held[b])
                best = max(best, down(F(start) + work / capacity))
        return best

    def order(self):
        """The jobs such that each comes after those that it waits for."""
        waiting = [len(j.job.after) for j in self.jobs]
        order = [k for k, n in enumerate(waiting) if n == 0]
        for k in order:
            for f in self.jobs[k].job.followers:
                waiting[f] -= 1
                if waiting[f] == 0:
                    order.append(f)
        return order

    def all_placed(self):
        return len(self.placed) == len(self.jobs)

    def all_rectangles(self):
        return self.uniform and all(j.rectangle for j in self.jobs)

    def chosen(self, positions):
        """The jobs of a set, which is a list of ascending positions of jobs that have to be placed."""
        need(positions and all(x < y for x, y in zip(positions, positions[1:])), "expected ascending jobs")
        need(all(k in self.placed for k in positions), "a job need not be placed")
        return [self.jobs[k] for k in positions]

    def surely_late(self, j, deadline=None, own=True):
        """proofs.md, each_alone, Surely late; without a given deadline or, if that counts, one of its own it is not."""
        if deadline is None and own:
            deadline = j.job.deadline
        if deadline is None or j.least is None:
            return False
        return j.head + j.least - (F(deadline) - self.instance.first) > self.slack(j, deadline)

    def slack(self, j, deadline, jobs=None):
        """By how much the job may end after the deadline without being surely late, or if so many jobs add up."""
        end, due = j.head + j.least, F(deadline) - self.instance.first
        return F(19, 10) * F(1e-9) * (abs(due) + end) + F(3 + (j.chain if jobs is None else jobs), 2**52) * (F(deadline) + self.instance.first + end)

    def price(self, j):
        """proofs.md, each_alone, Price."""
        return min(j.area(c) * self.rate(j, c) for c in self.clusters if c.position in j.least_on)

    def rate(self, j, c):
        """κ: the least cost of a processor of c on which it can hold one, by speed where speeds or bandwidths differ."""
        plain = c.uniform or j.job.runtime
        return min(F(g.cost) * (1 if plain else F(c.speed) / F(g.speed)) for g, (room, _) in zip(c.groups, self.instance.offers(j.job, c)) if room)

    def sure(self, j):
        """proofs.md, each_alone, Price: what it costs, less what the rules tolerate."""
        if not j.least:
            return F(0)
        clock = self.instance.first + j.head + j.least
        return self.price(j) * max(F(0), 1 - F(2, 10**9) - clock / j.least / 2**50)

    def unplaceable(self):
        """Jobs that are never placed (proofs.md, What a verified certificate means)."""
        found = set()
        for k in self.order():
            j = self.jobs[k]
            if not j.placeable or self.surely_late(j, self.end_by(j), False) or any(b in found for b in j.job.after):
                found.add(k)
        return found
