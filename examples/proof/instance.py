"""The instance as the rules see it: machines, jobs, the time rule, and where a job can run (docs/rules.md, docs/trust.md)."""
from bisect import bisect_right
from fractions import Fraction as F
from heapq import heapify, heapreplace
from math import inf, nextafter

MEMORY_SLACK = 1 + F(1, 2**52)


def ulp(t):
    """The distance from t ≥ 0 to the next larger float64 (rules.md, Numbers)."""
    return F(nextafter(t, inf)) - F(t)


def ceil_div(a, b):
    return -(-a // b)


class Group:
    """Machines of one kind. With allocation machine each is one processor of speed processors*speed (rules.md, Processors and machines)."""

    def __init__(self, spec, whole, first, position):
        self.spec = spec
        self.id, self.count = spec["id"], spec.get("count", 1)
        self.per = 1 if whole else spec.get("processors", 1)
        self.speed = spec.get("processors", 1) * spec.get("speed", 1.0) if whole else spec.get("speed", 1.0)
        self.first, self.last = first, first + self.count * self.per - 1  # its processors
        self.position = position  # of its first machine in the cluster
        self.memory = spec.get("memory", inf)
        self.bandwidth = spec.get("bandwidth", inf)
        self.cost = spec.get("cost", 0.0)
        self.licences = set(spec["licences"]) if "licences" in spec else None
        self.load = spec.get("background", {}).get("load", 0.0)
        self.queue = spec.get("queue")

    def runs(self, licence):
        return self.licences is None or licence in self.licences

    def name(self, k):
        """The name of its k-th machine."""
        return self.id if self.count == 1 else f"{self.id}[{k}]"


class Cluster:
    def __init__(self, spec, instance, position):
        self.spec, self.id, self.position = spec, spec["id"], position
        self.whole = spec.get("allocation") == "machine"
        weights = spec.get("weights", instance.get("weights", {}))
        self.weights = [F(weights.get(name, 1.0)) for name in ("over_deadline", "makespan", "idle_time")]
        self.own_pools = spec.get("licences", {})
        network = spec.get("network", {})
        self.latency, self.message_bandwidth = network.get("latency", 0.0), network.get("bandwidth", inf)
        self.context_switch = spec.get("overheads", instance.get("overheads", {})).get("context_switch", 0.0)
        self.groups, first, machines = [], 0, 0
        for m in spec["machines"]:
            self.groups.append(Group(m, self.whole, first, machines))
            first, machines = self.groups[-1].last + 1, machines + self.groups[-1].count
        self.size, self.machines = first, machines
        self.firsts = [g.first for g in self.groups]
        self.uniform = len({(g.speed, g.bandwidth) for g in self.groups}) == 1
        self.speed = max(g.speed for g in self.groups)
        self.bandwidth = max(g.bandwidth for g in self.groups)

    def shares(self, runs):
        """How many processors of each machine the runs hold: (group, machine in the group) → number."""
        held = {}
        for first, last in runs:
            while first <= last:
                group = self.groups[bisect_right(self.firsts, first) - 1]
                k = (first - group.first) // group.per
                end = min(last, group.first + (k + 1) * group.per - 1)
                held[group, k] = held.get((group, k), 0) + end - first + 1
                first = end + 1
        return held

    def held_groups(self, runs):
        """How many processors of each group the runs hold."""
        held = {}
        for group in self.groups:
            n = sum(max(0, min(last, group.last) - max(first, group.first) + 1) for first, last in runs)
            if n:
                held[group] = n
        return held


class Job:
    def __init__(self, spec, position, names):
        size = spec.get("processors", 1)
        self.position, self.id = position, spec["id"]
        self.min, self.max = (size, size) if isinstance(size, int) else (size["min"], size["max"])
        self.tasks = spec.get("tasks", self.max)
        self.arrival = spec.get("arrival", 0.0)
        self.estimate = spec.get("estimate")
        self.estimated_work = None if self.estimate is None else self.estimate * spec.get("reference_speed", 1.0)
        self.stated_work = spec.get("work")
        self.work = spec["work"] if "work" in spec else self.estimated_work or 0.0
        self.work_cv = spec.get("work_cv", 0.0)
        self.runtime = spec.get("runtime") or None
        self.span = spec.get("span", "cluster")
        self.memory = spec.get("memory", 0.0)
        self.data = spec.get("input", 0.0) + spec.get("output", 0.0)
        self.exact_data = F(spec.get("input", 0.0)) + F(spec.get("output", 0.0))
        self.message = spec.get("message", 0.0)
        self.min_bandwidth = spec.get("min_bandwidth", 0.0)
        self.deadline, self.budget = spec.get("deadline"), spec.get("budget")
        self.hard = self.deadline is not None and spec.get("deadline_hard", False)
        self.licences = {name: n for name, n in spec.get("licences", {}).items() if n > 0}
        self.workflow = spec.get("workflow")
        self.after = sorted({names[b] for b in spec.get("after", [])})
        self.followers = []

    def sizes(self, cluster):
        """The least and the most processors on a cluster."""
        return (1, 1) if cluster.whole else (self.min, self.max)

    def busy(self, cluster, b, speed, work=None, runtime=None):
        """How long a processor with b tasks is busy, in float64 (rules.md, The time rule)."""
        runtime = runtime or self.runtime
        if runtime:
            return (b * runtime[cluster.id]) / ceil_div(self.tasks, self.sizes(cluster)[1])
        overhead = cluster.context_switch
        if self.message > 0:
            overhead = (cluster.context_switch + cluster.latency) + self.message / cluster.message_bandwidth
        return (b * (self.work if work is None else work)) / speed + overhead

    def transfer(self, bandwidth):
        return 0.0 if self.runtime else self.data / bandwidth

    def late(self, end):
        """rules.md, Late."""
        return self.deadline is not None and F(end) > F(self.deadline) + 2 * ulp(end)


def shared(tasks, speeds):
    """Tasks of the fullest processor of each speed, when processors (speed → number) share the tasks (rules.md, The time rule, Sharing)."""
    processors = sum(speeds.values())
    if len(speeds) == 1:
        return {v: ceil_div(tasks, processors) for v in speeds}
    least = 1 if tasks >= processors else 0
    given = lambda t: {v: max(least, int(t * v)) for v in speeds}  # all tasks that end by t
    count = lambda level: sum(level[v] * n for v, n in speeds.items())
    low, high = 0.0, tasks / min(speeds.values())
    for _ in range(100):  # the tasks that end by `low` are given in any case
        middle = (low + high) / 2
        low, high = (middle, high) if count(given(middle)) <= tasks else (low, middle)
    level = given(low)
    left, fullest = tasks - count(level), dict(level)
    queue = [[F(level[v] + 1) / F(v), v, level[v], n] for v, n in speeds.items()]  # next: n processors of speed v with so many tasks
    heapify(queue)
    while left > 0:
        _, v, b, n = queue[0]
        left -= n
        fullest[v] = b + 1
        heapreplace(queue, [F(b + 2) / F(v), v, b + 1, n])
    return fullest


class Instance:
    def __init__(self, spec, digest):
        self.spec, self.digest = spec, digest
        self.clusters = [Cluster(c, spec, k) for k, c in enumerate(spec["clusters"])]
        names = {j["id"]: k for k, j in enumerate(spec["jobs"])}
        self.jobs = [Job(j, k, names) for k, j in enumerate(spec["jobs"])]
        for j in self.jobs:
            for b in j.after:
                self.jobs[b].followers.append(j.position)
        self.job_at, self.cluster_at = names, {c.id: c for c in self.clusters}
        self.grid_pools = spec.get("licences", {})
        self.limited = set(self.grid_pools).union(*(c.own_pools for c in self.clusters))  # licences that a pool names
        self.first = F(min((j.arrival for j in self.jobs), default=0.0))  # the earliest arrival
        self.size = sum(c.size for c in self.clusters)
        self.workflows = spec.get("workflows", [])
        self.objective = spec.get("objective") or {"makespan": 1.0}

    def execution_time(self, job, cluster, runs, tasks, bandwidth, work=None, runtime=None):
        """D of a piece, in float64. `bandwidth` is the least of all machines that the whole job holds (rules.md, The time rule)."""
        held = cluster.held_groups(runs)
        speeds = {}
        for group, n in held.items():
            speeds[group.speed] = speeds.get(group.speed, 0) + n
        if runtime or job.runtime:
            fullest = {cluster.speed: ceil_div(tasks, sum(speeds.values()))}
        else:
            fullest = shared(tasks, speeds)
        busy = max(job.busy(cluster, b, v, work, runtime) for v, b in fullest.items() if b > 0)
        return busy if runtime else busy + job.transfer(bandwidth)

    def pool(self, licence, cluster):
        """The pool from which jobs on the cluster draw, as a key and its copies; None if the licence is unlimited (rules.md, Licences)."""
        if licence in cluster.own_pools:
            return (licence, cluster.position), cluster.own_pools[licence]
        if licence in self.grid_pools:
            return (licence, None), self.grid_pools[licence]
        return ((licence, None), 0) if licence in self.limited else None

    def copies(self, licence):
        """Copies in all pools."""
        return self.grid_pools.get(licence, 0) + sum(c.own_pools.get(licence, 0) for c in self.clusters)

    def offers(self, job, cluster):
        """How many processors a machine of each group offers to the job (trust.md, What can run): [(offered, machines)]."""
        found = []
        for g in cluster.groups:
            usable = g.bandwidth >= job.min_bandwidth and all(g.runs(name) for name in job.licences)
            room = g.per
            if job.memory > 0 and g.memory < inf:
                room = min(room, int(F(g.memory) * MEMORY_SLACK / F(job.memory)))
            found.append((room if usable else 0, g.count))
        return found

    def gives(self, job, cluster):
        """How many processors the cluster can give the job while nothing else runs; of one machine for the span machine (proofs.md, What can run)."""
        if job.runtime and cluster.id not in job.runtime:
            return 0
        for name, n in job.licences.items():
            pool = self.pool(name, cluster)
            if pool and pool[1] < n:
                return 0
        offers = self.offers(job, cluster)
        return max(room for room, _ in offers) if job.span == "machine" else sum(room * n for room, n in offers)

    def can_run(self, job, cluster):
        """Alone on the cluster (proofs.md, What can run)."""
        return self.gives(job, cluster) >= job.sizes(cluster)[0]

    def spread_over(self, job):
        """The clusters on which the job can run as one of several (proofs.md, What can run)."""
        if job.span != "grid" or job.max < 2 or job.tasks < 2:
            return set()
        given, found = [self.gives(job, c) for c in self.clusters], set()
        for c, g in enumerate(given):
            others = sum(sorted(given[:c] + given[c + 1:], reverse=True)[:job.tasks - 1])
            if g > 0 and others > 0 and g + others >= job.min:
                found.add(c)
        return found
