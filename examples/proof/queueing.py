"""The queueing view of an instance and the penalty of a schedule (docs/rules.md, The queueing view), in float64.

Rates are exact fractions, because near a full server the last digit of a rate decides the wait.
"""
from fractions import Fraction as F
from math import inf, sqrt


LAST, NEARLY = F(1, 2**50), F(1, 2**10)


class Server:
    """A machine as a G/G/1 server."""

    def __init__(self, cluster, group, k, view):
        queue = group.queue or {}
        self.key, self.group, self.cluster = (cluster.id, group.name(k)), group, cluster
        mean, variance, rate, cv, servers = view.moments
        speed = group.speed
        self.mu = queue.get("service_rate", speed / mean if mean else inf)
        arrivals = queue.get("arrival_variance", float(cv * (servers / F(rate)) ** 2))
        service = queue.get("service_variance", float(variance / F(speed) ** 2))
        self.kappa = (arrivals + service) / 2

    def wait(self, rate, jobs, period, lack):
        """W at an exact rate, with what all rates lack of λ (rules.md, Nearly full servers)."""
        if self.mu == inf:
            return self.kappa * float(rate)
        if jobs / period >= self.mu:  # in float64
            return inf
        mu = F(self.mu)
        if mu - rate < NEARLY * mu:
            own = jobs / F(period)
            left = mu - (own if rate <= own * (1 + LAST) else rate) - lack
        else:
            left = mu - rate
        return self.kappa * float(rate) / float(left / mu) if left > 0 else inf


class View:
    """The queueing view; `exists` says whether the instance has one."""

    def __init__(self, instance, objective=None):
        self.instance, self.exists = instance, False
        stated = instance.spec.get("queueing")
        queues = any(g.queue is not None for c in instance.clusters for g in c.groups)
        if stated is None and not queues and "qos_penalty" not in instance.objective and "qos_penalty" not in (objective or {}):
            return
        stated = stated or {}
        arrivals = sorted(F(j.arrival) for j in instance.jobs)
        n = len(arrivals)
        spread = arrivals[-1] - arrivals[0] if n else F(0)
        self.rate = stated.get("rate") or (float((n - 1) / spread) if spread else None)
        if not self.rate or not n:
            return
        self.period = stated.get("period") or n / self.rate
        cv2 = F(1)  # the square of cv
        if "cv" in stated:
            cv2 = F(stated["cv"]) ** 2
        elif n >= 3 and spread:
            gaps, mean = [y - x for x, y in zip(arrivals, arrivals[1:])], spread / (n - 1)
            cv2 = sum((g - mean) ** 2 for g in gaps) / (n - 2) / mean**2
        self.k, self.by_service = stated.get("k", 1.645), stated.get("charge") == "service"
        works, mean = [j.tasks * F(self.work(j)) for j in instance.jobs], 0.0
        for j in instance.jobs:
            mean += (j.tasks * self.work(j)) / n
        variance = sum((w - F(mean)) ** 2 + (F(j.work_cv) * w) ** 2 for w, j in zip(works, instance.jobs)) / n
        self.moments = mean, variance, self.rate, cv2, sum(c.machines for c in instance.clusters)
        self.exists = True

    @staticmethod
    def work(job):
        """The work of a task as it is known: by the estimate."""
        return job.work if job.estimated_work is None else job.estimated_work

    def known(self, job):
        """The work and the run times of a job as they are known."""
        if job.estimated_work is None or not job.runtime:
            return self.work(job), job.runtime
        times = {}
        for c in self.instance.clusters:
            if c.id in job.runtime:
                q = -(-job.tasks // job.sizes(c)[1])
                times[c.id] = (q * job.estimated_work) / min(g.speed for g in c.groups)
        return None, times

    def service(self, job, cluster, runs):
        """S of a job on processors, and their cost per time."""
        held = cluster.held_groups(runs)
        work, runtime = self.known(job)
        time = self.instance.execution_time(job, cluster, runs, job.tasks, min(g.bandwidth for g in held), work, runtime)
        return time * (1 + self.k * job.work_cv), float(sum(n * F(g.cost) for g, n in held.items()))

    def servers(self):
        """All servers in the order of the file."""
        return [Server(c, g, k, self) for c in self.instance.clusters for g in c.groups for k in range(g.count)]


class Task:
    """A placed job on its server."""

    def __init__(self, view, job, cluster, runs):
        self.service, self.cost = view.service(job, cluster, runs)
        self.limit = inf if job.deadline is None else job.deadline - job.arrival
        self.budget = inf if job.budget is None else job.budget
        self.by_service = view.by_service

    def penalty(self, wait):
        response = wait + self.service
        return over(response, self.limit) + over(self.cost * (self.service if self.by_service else response), self.budget)

    def error(self, wait):
        """How far rounding may have led its penalty astray. What is clearly below its limit has no error."""
        response, off = wait + self.service, 2**-50 * (wait + self.service)
        charged, off_charged = (self.service, 2**-50 * self.service) if self.by_service else (response, off)
        return exceeded_by(response, off, self.limit) + exceeded_by(self.cost * charged, self.cost * off_charged, self.budget)

    def kinks(self):
        """The waits at which it begins to pay more, with the slope that is added there."""
        if self.limit < inf:
            yield self.limit - self.service, 1 / self.limit if self.limit > 0 else inf
        if self.budget < inf and self.cost > 0 and not self.by_service:
            yield self.budget / self.cost - self.service, self.cost / self.budget if self.budget > 0 else inf


def over(y, limit):
    """x(y, limit)."""
    return 0.0 if y <= limit else (y - limit) / limit if limit > 0 else inf


def exceeded_by(y, off, limit):
    """The error of x(y, limit) where y is off by so much."""
    return off / limit if limit > 0 and y + off > limit else 0.0


class Busy:
    """A server with jobs, and the rate that it has at least, exactly."""

    def __init__(self, server, tasks, period):
        self.server, self.tasks, self.period = server, tasks, period
        self.least = len(tasks) / F(period)
        self.most = F(server.mu) * (1 - F(1, 10**12)) if server.mu < inf else None
        self.kinks = sorted(k for t in tasks for k in t.kinks())

    @property
    def spare(self):
        """What it can take of the idle rate."""
        return max(F(0), self.most - self.least)

    def penalty(self, rate, lack=F(0)):
        """The sum over its jobs, and how far off it may be."""
        wait = self.server.wait(rate, len(self.tasks), self.period, lack)
        if wait == inf:
            return inf, 0.0
        return sum(t.penalty(wait) for t in self.tasks), sum(t.error(wait) for t in self.tasks)

    def rate(self, price):
        """The greatest rate up to which one more unit of rate costs at most `price`, at least its own; by what it leaves, which float64 holds well."""
        mu, kappa, slope = self.server.mu, self.server.kappa, 0.0
        within = lambda left: max(self.least, min(self.most, F(mu) - F(left)))
        for wait, more in self.kinks + [(inf, 0.0)]:
            left = 0.0 if wait == inf else mu if wait <= 0 else kappa * mu / (kappa * mu + wait) * mu  # at the kink
            if slope > 0 and kappa > 0:
                here = mu * min(1.0, sqrt(kappa * slope / price)) if price > 0 and slope < inf else mu
                if here > left:
                    return within(here)
            if F(mu) - F(left) >= self.most:
                return within(0.0)
            slope += more
            if price == 0 and slope > 0 and F(mu) - F(left) >= self.least:
                return within(left)
        return within(0.0)


def qos_penalty(view, placed, loads):
    """The sum over the placed jobs, with the stated loads (or None), and how far rounding may have led it astray."""
    servers, tasks = view.servers(), {}
    for p in placed:
        piece = p.pieces[0]
        tasks.setdefault(server_of(piece), []).append(Task(view, p.job, piece.cluster, piece.runs))
    busy = [Busy(s, tasks[s.key], view.period) for s in servers if s.key in tasks]
    idle = F(view.rate) - len(placed) / F(view.period)
    if idle <= F(view.rate) / 10**9 or not busy:
        idle = F(0)
    if loads is not None:
        return at_loads(view, servers, busy, loads, idle)
    if any(b.server.mu < inf and b.least >= F(b.server.mu) for b in busy):
        return inf, 0.0
    if not idle or any(s.mu == inf for s in servers):  # an endless rate takes all
        return added(busy)
    idle -= sum(F(s.mu) * (1 - F(1, 10**12)) for s in servers if s.key not in tasks)
    if idle <= 0:
        return added(busy)
    if sum(b.spare for b in busy) < idle:
        return inf, 0.0
    return shared(busy, idle)


def server_of(piece):
    """The machine of its lowest-numbered processor."""
    lowest = min(piece.runs)[0]
    (group, k), = piece.cluster.shares([(lowest, lowest)])
    return piece.cluster.id, group.name(k)


def at_loads(view, servers, busy, loads, idle):
    """The penalty at stated rates; where there is an idle rate, what they lack of λ is taken from what is left."""
    stated = {}
    for load in loads:
        stated.setdefault((load["cluster"], load["machine"]), F(load["rate"]))
    least = {b.server.key: b.least for b in busy}
    rates = {s.key: max(stated.get(s.key, F(0)), least.get(s.key, F(0))) for s in servers}
    lack = max(F(0), F(view.rate) - sum(rates.values())) if idle else F(0)
    return added(busy, lambda b: rates[b.server.key], lack)


def added(busy, rate=lambda b: b.least, lack=F(0)):
    """The penalties of the servers at their rates, and how far off the sum may be."""
    parts = [b.penalty(rate(b), lack) for b in busy]
    value = sum(p for p, _ in parts)
    return value, sum(e for _, e in parts) + 2**-50 * value if value < inf else 0.0


def shared(busy, idle):
    """The least sum of penalties when the busy servers take the idle rate: at one price of a unit of rate for all."""
    taken = lambda price: sum(b.rate(price) - b.least if b.spare else F(0) for b in busy)
    if taken(0.0) >= idle:
        return added(busy)
    low, high = 1e-300, 1e300
    for _ in range(200):
        middle = sqrt(low) * sqrt(high)
        low, high = (middle, high) if taken(middle) < idle else (low, middle)
    value, error = added(busy, lambda b: b.rate(high) if b.spare else b.least)
    return value, error + 1e-11 * value


def loads_are_wrong(view, placed, loads):
    """rules.md, Stated loads."""
    if not view.exists:
        return True
    servers = {s.key: s for s in view.servers()}
    keys = [(load["cluster"], load["machine"]) for load in loads]
    if len(set(keys)) < len(keys) or not set(keys) <= set(servers):
        return True
    rates, counts = {key: load["rate"] for key, load in zip(keys, loads)}, {}
    for p in placed:
        key = server_of(p.pieces[0])
        counts[key] = counts.get(key, 0) + 1
    for key, server in servers.items():
        rate, least = F(rates.get(key, 0.0)), counts.get(key, 0) / F(view.period)
        taken = max(rates.get(key, 0.0), counts.get(key, 0) / view.period)  # in float64
        if rate < least * (1 - LAST) or (taken > 0 and server.mu < inf and taken >= server.mu):
            return True
    total, own, slack = sum(map(F, rates.values())), len(placed) / F(view.period), len(servers) * LAST
    most = max(F(view.rate), own)
    least = own if F(view.rate) - own <= F(view.rate) / 10**9 else most
    return not least * (1 - slack) <= total <= most * (1 + slack)
