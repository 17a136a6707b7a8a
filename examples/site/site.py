"""Reads the accounting of a Slurm and says when each job started, and when it would have started under a simple policy.

    python3 site.py sacct.txt nodes.txt partitions.txt fcfs|easy [PARTITION]

The files are what sacct -P, scontrol show node and scontrol show partition print. A line of the answer is a job: its id, its arrival, the wait that sacct states
and the start under the policy, in seconds; times count from the first arrival. With a PARTITION, only its jobs count, as with sacct -r PARTITION.

This is a second reading of the same files. It shares no code with allot, and the test beside it compares both, start by start. It is written to be read, and
needs Python 3 without packages. The rules are those of golden/README.md, "On nodes". Each partition has a queue and nodes of its own.
"""

import calendar
import re
import sys
import time


class Node:
    """What is free of a node: processors, memory in MB, and the numbers of its GPUs."""

    def __init__(self, processors, memory, gpus):
        self.processors, self.memory, self.gpus = processors, memory, frozenset(gpus)

    def copy(self):
        return Node(self.processors, self.memory, self.gpus)


class Job:
    """A job: its times, and what it asks of each of its nodes. In a schedule it has a start, and the nodes and GPUs that it holds."""

    start, held = None, None


# What the files say.


def records(path, first):
    """The records that scontrol prints, as dictionaries; each begins with a word first=NAME."""
    found = []
    for word in open(path).read().split():
        key, _, value = word.partition("=")
        if key == first:
            found.append({})
        if found:
            found[-1][key] = value
    return found


def hosts(text):
    """The names in a list of nodes such as cpu[001-003,7],login."""
    names = []
    for prefix, inside, plain in re.findall(r"([^,\[\]]+)\[([^\]]*)\]|([^,\[\]]+)", text):
        if plain:
            names.append(plain)
        for part in inside.split(",") if inside else []:
            low, _, high = part.partition("-")
            names += [prefix + str(k).zfill(len(low)) for k in range(int(low), int(high or low) + 1)]
    return names


def megabytes(text):
    """An amount of memory such as 3000M or 4G."""
    return float(text.rstrip("KMGT")) * {"K": 1 / 1024, "M": 1, "G": 1024, "T": 1024**2}.get(text[-1], 1)


def seconds(text):
    """A clock time of sacct in seconds; None: it states none."""
    if text in ("", "Unknown", "None"):
        return None
    return calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%S"))


def read_system(nodes, partitions):
    """The nodes of each partition, in the order of the file of nodes."""
    system = {}
    order = {}
    for r in records(nodes, "NodeName"):
        gpus = re.search(r"gpu(?::[^:,(]+)?:(\d+)", r.get("Gres", ""))
        order[r["NodeName"]] = Node(int(r.get("CPUEfctv", r["CPUTot"])), float(r["RealMemory"]), range(int(gpus.group(1)) if gpus else 0))
    for r in records(partitions, "PartitionName"):
        of = set(hosts(r["Nodes"]))
        system[r["PartitionName"]] = [node for name, node in order.items() if name in of]
    return system


def read_jobs(path, partition):
    """The jobs that ran, by arrival."""
    lines = open(path).read().splitlines()
    names = lines[0].split("|")
    jobs = []
    for line in lines[1:]:
        row = dict(zip(names, line.split("|")))
        began, ended = seconds(row["Start"]), seconds(row["End"])
        if "." in row["JobID"] or began is None or ended is None or ended <= began or partition not in ("", row["Partition"]):
            continue
        job = Job()
        job.id, job.partition, job.began, job.length = row["JobID"], row["Partition"], began, ended - began
        job.arrival = seconds(row["Submit"])
        eligible = seconds(row["Eligible"])
        if eligible is not None and eligible <= began:
            job.arrival = max(job.arrival, eligible)
        job.estimate = job.length
        if row["TimelimitRaw"].isdigit():
            job.estimate = max(job.length, 60 * int(row["TimelimitRaw"]))
        held = dict(word.split("=") for word in row["AllocTRES"].split(","))
        job.nodes = int(row["NNodes"])
        job.processors = int(row["NCPUS"]) // job.nodes
        job.memory = megabytes(held.get("mem", "0M")) / job.nodes
        job.gpus = int(held.get("gres/gpu", 0)) // job.nodes
        jobs.append(job)
    return sorted(jobs, key=lambda job: job.arrival)  # rows of one arrival stay in the order of the file


# What fits where.


def copy_of(room):
    return {partition: [node.copy() for node in nodes] for partition, nodes in room.items()}


def place(room, job):
    """The nodes on which the job fits, the first with room, and the GPUs that it takes there; None: it does not fit."""
    found = []
    for k, node in enumerate(room[job.partition]):
        if node.processors >= job.processors and node.memory >= job.memory and len(node.gpus) >= job.gpus:
            found.append((k, frozenset(sorted(node.gpus)[: job.gpus])))
            if len(found) == job.nodes:
                return found
    return None


def take(room, job, held):
    for k, gpus in held:
        node = room[job.partition][k]
        node.processors, node.memory, node.gpus = node.processors - job.processors, node.memory - job.memory, node.gpus - gpus


def give(room, job, held):
    for k, gpus in held:
        node = room[job.partition][k]
        node.processors, node.memory, node.gpus = node.processors + job.processors, node.memory + job.memory, node.gpus | gpus


def both(a, b):
    """What is free in both rooms."""
    return {p: [Node(min(x.processors, y.processors), min(x.memory, y.memory), x.gpus & y.gpus) for x, y in zip(a[p], b[p])] for p in a}


# When jobs start.


class Schedule:
    def __init__(self, system):
        self.free, self.now, self.queue, self.running = copy_of(system), 0, [], []

    def begin(self, job, held):
        take(self.free, job, held)
        job.start, job.held = self.now, held
        self.running.append(job)

    def heads(self):
        """Starts the jobs at the head of the queue, as long as they fit."""
        while self.queue:
            held = place(self.free, self.queue[0])
            if held is None:
                return
            self.begin(self.queue.pop(0), held)

    def backfill(self):
        """Starts jobs behind the head that do not delay it, by the estimates."""
        head, behind = self.queue[0], self.queue[1:]
        room, shadow = copy_of(self.free), None
        for end in sorted({job.start + job.estimate for job in self.running}):
            for job in self.running:
                if job.start + job.estimate == end:
                    give(room, job, job.held)
            if place(room, head) is not None:
                shadow = end
                break
        waiting = [head]
        for job in behind:
            held = place(self.free, job)
            late = self.now + job.estimate > shadow
            if held is not None and late:
                without = copy_of(room)
                take(without, job, held)
                if place(without, head) is None:
                    beside = copy_of(room)
                    take(beside, head, place(room, head))
                    held = place(both(beside, self.free), job)
            if held is None:
                waiting.append(job)
                continue
            if late:
                take(room, job, held)
            self.begin(job, held)
        self.queue = waiting

    def run(self, jobs, easy):
        coming = list(jobs)
        while coming or self.running:
            ends = [job.start + job.length for job in self.running]
            self.now = min(ends + [job.arrival for job in coming[:1]])
            for job in [job for job in self.running if job.start + job.length == self.now]:
                self.running.remove(job)
                give(self.free, job, job.held)
            while coming and coming[0].arrival == self.now:
                self.queue.append(coming.pop(0))
            self.heads()
            if easy and self.queue:
                self.backfill()


def main(sacct, nodes, partitions, policy, partition=""):
    jobs = read_jobs(sacct, partition)
    system = read_system(nodes, partitions)
    for name in system:
        Schedule(system).run([job for job in jobs if job.partition == name], policy == "easy")
    zero = jobs[0].arrival
    for job in jobs:
        print(job.id, job.arrival - zero, job.began - job.arrival, job.start - zero)


main(*sys.argv[1:])
