"""The rules of a schedule (docs/rules.md, What makes a schedule wrong): every violation of them, as pairs (code, job)."""
from fractions import Fraction as F
from math import inf

from facts import owes
from instance import MEMORY_SLACK, ulp

BILLIONTH = F(1, 10**9)


class Piece:
    """A part of a placed job that can be resolved: its cluster and processors exist."""

    def __init__(self, job, cluster, runs, tasks, start, end):
        self.job, self.cluster, self.runs, self.tasks, self.start, self.end = job, cluster, runs, tasks, start, end
        self.size = sum(last - first + 1 for first, last in runs)
        self.shares = cluster.shares(runs)  # (group, machine) → processors

        self.length = F(end) - F(start)
        self.background = any(g.load > 0 for g, _ in self.shares)

    @property
    def time(self):
        """Processor time that it holds."""
        return self.size * self.length

    @property
    def rate(self):
        """The cost of its processors per time."""
        return sum(n * F(g.cost) for (g, _), n in self.shares.items())

    @property
    def charged(self):
        """What it costs in float64, which decides whether a budget is exceeded (metrics.md, cost)."""
        rate = 0.0
        for first, last in self.runs:
            for g in self.cluster.groups:
                n = min(last, g.last) - max(first, g.first) + 1
                if n > 0:
                    rate += g.cost * n
        return (self.end - self.start) * rate

    @property
    def time_cost(self):
        return self.length * self.rate


class Placed:
    """A placed job with those of its pieces that can be resolved."""

    def __init__(self, job, start, end, pieces, complete):
        self.job, self.start, self.end, self.pieces, self.complete = job, start, end, pieces, complete
        self.clusters = {p.cluster for p in pieces}
        self.bandwidth = min((g.bandwidth for p in pieces for g, _ in p.shares), default=inf)
        self.length = F(end) - F(start)
        self.late = job.late(end)
        self.home = pieces[0].cluster if pieces else None

    def draws(self, instance):
        """The pools from which it draws: (licence, cluster or None) → (copies drawn, copies of the pool)."""
        found = {}
        for cluster in self.clusters:
            for name, n in self.job.licences.items():
                pool = instance.pool(name, cluster)
                if pool:
                    found[pool[0]] = (n, pool[1])
        return found


class Schedule:
    """A solution, resolved against its instance; `violations` has what is wrong with it, but for figures (see figures.py)."""

    def __init__(self, instance, solution):
        self.instance, self.violations = instance, []
        self.placed, self.left_out = {}, set()  # by position of the job
        self.durations = {}  # by piece: the execution time
        stated = solution.get("instance_sha256")
        if stated and stated != instance.digest:
            self.wrong("wrong-instance")
        seen = set()
        for p in solution["jobs"]:
            self.resolve(p, seen)
        for u in solution.get("unscheduled", []):
            self.leave_out(u, seen)
        if not (solution.get("status") == "infeasible" and not solution["jobs"]):
            for j in instance.jobs:
                if j.id not in seen:
                    self.wrong("missing-job", j)
        for p in self.placed.values():
            self.check_shape(p)
            self.check_times(p)
            self.check_alone(p)
        self.check_overlap()
        self.check_memory()
        self.check_licences()

    def wrong(self, code, job=None):
        self.violations.append((code, job.id if job else None))

    def resolve(self, p, seen):
        """Names, times and processors of a placement. What cannot be resolved is left out of all other rules."""
        job = self.instance.job_at.get(p["job"])
        if job is None:
            return self.wrong("unknown-job")
        job, pieces = self.instance.jobs[job], p.get("pieces")
        if pieces and (p.get("cluster") or p.get("processors")):
            self.wrong("pieces", job)
        if job.position in self.placed:
            return self.wrong("duplicate-job", job)
        seen.add(job.id)
        if p["start"] > p["end"]:
            return self.wrong("bad-time", job)
        if not pieces:
            pieces = [dict(cluster=p.get("cluster"), processors=p.get("processors", []), tasks=job.tasks, start=p["start"], end=p["end"])]
        resolved = [self.resolve_piece(job, piece) for piece in pieces]
        found = [piece for piece in resolved if piece]
        if found:
            self.placed[job.position] = Placed(job, p["start"], p["end"], found, len(found) == len(resolved))

    def resolve_piece(self, job, p):
        cluster = self.instance.cluster_at.get(p["cluster"])
        if cluster is None:
            return self.wrong("unknown-cluster", job)
        if p["start"] > p["end"]:
            return self.wrong("bad-time", job)
        if not p["processors"]:
            return self.wrong("processor-count", job)
        if p["processors"][-1][1] >= cluster.size:
            return self.wrong("foreign-processor", job)
        if p["tasks"] > job.tasks:
            return self.wrong("tasks", job)
        return Piece(job, cluster, p["processors"], p["tasks"], p["start"], p["end"])

    def leave_out(self, u, seen):
        job = self.instance.job_at.get(u["job"])
        if job is None:
            return self.wrong("unknown-job")
        job = self.instance.jobs[job]
        if job.position in self.placed or job.position in self.left_out:
            self.wrong("duplicate-job", job)
        seen.add(job.id)
        self.left_out.add(job.position)
        if not u["reason"]:
            self.wrong("no-reason", job)

    def check_shape(self, p):
        """processor-count, tasks, pieces, span: of jobs all of whose pieces can be resolved."""
        if not p.complete:
            return
        job, cluster = p.job, p.home
        size = sum(piece.size for piece in p.pieces)
        least, most = job.sizes(cluster) if len(p.clusters) == 1 else (job.min, job.max)
        if not least <= size <= most:
            self.wrong("processor-count", job)
        uneven = False
        for c in p.clusters:
            here = [piece for piece in p.pieces if piece.cluster is c]
            tasks, processors = sum(piece.tasks for piece in here), sum(piece.size for piece in here)
            uneven |= tasks >= processors and any(piece.tasks < piece.size for piece in here)
            uneven |= tasks <= processors and any(piece.tasks > piece.size for piece in here)
        if uneven or sum(piece.tasks for piece in p.pieces) != job.tasks:
            self.wrong("tasks", job)
        if any(piece.start != p.start for piece in p.pieces) or max(piece.end for piece in p.pieces) != p.end:
            self.wrong("pieces", job)
        machines = {(piece.cluster, m) for piece in p.pieces for m in piece.shares}
        if (len(p.clusters) > 1 and job.span != "grid") or (len(machines) > 1 and job.span == "machine"):
            self.wrong("span", job)

    def check_times(self, p):
        """ineligible, early-start, precedence, hard-deadline, and the machines and duration of each piece."""
        job = p.job
        if p.start < job.arrival:
            self.wrong("early-start", job)
        for b in job.after:
            if b not in self.placed or p.start < self.placed[b].end:
                self.wrong("precedence", job)
        if job.hard and p.late:
            self.wrong("hard-deadline", job)
        for piece in p.pieces:
            if job.runtime and piece.cluster.id not in job.runtime:
                self.wrong("ineligible", job)
                continue
            groups = {g for g, _ in piece.shares}
            if any(g.bandwidth < job.min_bandwidth for g in groups):
                self.wrong("bandwidth", job)
            if any(not g.runs(name) for g in groups for name in job.licences):
                self.wrong("licence", job)
            time = F(self.instance.execution_time(job, piece.cluster, piece.runs, piece.tasks, p.bandwidth))
            self.durations[piece] = time
            if not lasts(piece, time):
                self.wrong("wrong-end", job)

    def check_overlap(self):
        """Two pieces that hold a processor at the same time, by a sweep over the starts on each cluster."""
        for cluster in self.instance.clusters:
            pieces = sorted((q for p in self.placed.values() for q in p.pieces if q.cluster is cluster and q.end > q.start), key=lambda q: q.start)
            running = []
            for piece in pieces:
                running = [q for q in running if q.end > piece.start]
                if any(first <= y and x <= last for q in running for x, y in q.runs for first, last in piece.runs):
                    self.wrong("overlap", piece.job)
                running.append(piece)

    def check_alone(self, p):
        """All pieces of a job of which one takes no time need processors and memory as if they ran alone, together (rules.md, A placement)."""
        if all(q.end > q.start for q in p.pieces):
            return
        memory = {}
        for k, q in enumerate(p.pieces):
            for r in p.pieces[:k]:
                if r.cluster is q.cluster and any(a <= y and x <= b for a, b in q.runs for x, y in r.runs):
                    self.wrong("overlap", p.job)
            for machine, n in q.shares.items():
                memory[machine] = memory.get(machine, 0) + n * F(p.job.memory)
        if any(g.memory < inf and need > F(g.memory) * MEMORY_SLACK for (g, _), need in memory.items()):
            self.wrong("memory", p.job)

    def check_memory(self):
        """rules.md, Memory."""
        uses = {}  # by cluster and machine: (start, end, memory)
        for p in self.placed.values():
            if p.job.memory == 0:
                continue
            for piece in p.pieces:
                for (group, k), n in piece.shares.items():
                    if group.memory == inf:
                        continue
                    if piece.end > piece.start:
                        uses.setdefault((group, k), []).append((piece.start, piece.end, n * F(p.job.memory), p.job))
        for (group, _), held in uses.items():
            for job in exceeded(held, F(group.memory) * MEMORY_SLACK):
                self.wrong("memory", job)

    def check_licences(self):
        """rules.md, Licences: copies of a pool at any time."""
        uses, copies = {}, {}
        for p in self.placed.values():
            for pool, (n, most) in p.draws(self.instance).items():
                copies[pool] = most
                if p.end > p.start:
                    uses.setdefault(pool, []).append((p.start, p.end, n, p.job))
                elif n > most:
                    self.wrong("licence", p.job)
        for pool, held in uses.items():
            for job in exceeded(held, copies[pool]):
                self.wrong("licence", job)

    def owed(self, weights):
        """The number of jobs that it leaves out and owes (rules.md, Leaving jobs out)."""
        return sum(owes(self.instance.jobs[k], weights) for k in self.left_out)

    def deviation(self):
        """By how much the durations of the jobs differ from the time rule, in all (rules.md, A bound that is refuted)."""
        off = F(0)
        for p in self.placed.values():
            short = [self.durations[q] - q.length for q in p.pieces if q in self.durations]
            long = [q.length - self.durations[q] for q in p.pieces if q in self.durations and not q.background]
            off += max([F(0)] + short + long)
        return off

    def rounding(self):
        """S of rules.md, Rounded ends: what rounding of the ends accounts for, if durations differ from the time rule at all."""
        if not self.deviation():
            return F(0)
        last = max(p.end for p in self.placed.values())
        return min(2 * ulp(last), max(F(0), F(last) - self.instance.first) / 10**6)

    def coarse(self):
        """Whether the clock is too coarse to tell schedules apart (rules.md, Rounded ends)."""
        return self.deviation() > sum(p.length for p in self.placed.values()) / 10**5


def lasts(piece, time):
    """rules.md, Duration."""
    length = piece.length
    rounding = (ulp(piece.start) + ulp(piece.end)) / 2
    most = 2 * time if piece.background else time
    return time - BILLIONTH * time - rounding <= length <= most + BILLIONTH * most + rounding and (time == 0 or length > 0)


def exceeded(held, most):
    """The jobs at whose start more than `most` is held; held has (start, end, amount, job)."""
    events = sorted([(start, 1, n, job) for start, _, n, job in held] + [(end, 0, -n, None) for _, end, n, _ in held], key=lambda e: e[:2])
    total, at, jobs, found = 0, None, [], []
    for time, begins, n, job in events + [(inf, 0, 0, None)]:
        if time != at:
            if jobs and total > most:
                found += jobs
            at, jobs = time, []
        total += n
        if begins:
            jobs.append(job)
    return found
