#!/usr/bin/env python3
"""The rules of README.md as a program: fcfs, easy and conservative in the plainest form.

    python3 reference.py POLICY WORKLOAD.swf      prints the schedule: job,start,end,processors

It shares no code with allot. It is slow and meant to be read: each rule stands in one place.
"""
import sys

STEP = 1  # s from now at which a job that has outlived its estimate is taken to end


class Job:
    def __init__(self, fields):
        self.number, self.submit, self.run, self.processors = fields[0], fields[1], fields[3], fields[7]
        self.estimate = fields[8] if fields[8] > 0 else self.run  # no estimate: the run time is known
        self.start = self.end = None
        self.reserved = None  # conservative: start of the reservation


def read(path):
    """The processors of the machine, and the jobs in the order of the queue."""
    machine, jobs = 0, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            key, _, value = line.lstrip(";").partition(":")
            if line.startswith(";"):
                machine = int(value) if key.strip() == "MaxProcs" else machine
            elif line.strip():
                jobs.append(Job([int(x) for x in line.split()]))
    jobs.sort(key=lambda j: (j.submit, j.number))
    return machine, jobs


class System:
    """What a policy sees: the time, the free processors, the running jobs and the queue in order."""

    def __init__(self, machine):
        self.now, self.machine, self.free = 0, machine, machine
        self.running, self.queue, self.ended = [], [], []
        self.wake = None  # time at which the policy wants to be asked even if nothing happens

    def start(self, job):
        job.start = self.now
        job.end = self.now + job.run  # also where that is past its estimate
        self.free -= job.processors
        self.queue.remove(job)
        self.running.append(job)

    def expected_end(self, job):
        """When a running job is taken to end: by its estimate, or soon if it has outlived that."""
        end = job.start + job.estimate
        return end if end > self.now else self.now + STEP


def simulate(machine, jobs, decide):
    """Goes from instant to instant. At each: all ends, then all arrivals, then one decision."""
    system, coming = System(machine), list(jobs)
    while True:
        times = [j.end for j in system.running]
        times += [j.submit for j in coming if j.processors <= machine]  # a refused job makes no instant
        times += [system.wake] if system.wake is not None else []
        if not times:
            return
        system.now, system.wake = min(times), None
        system.ended = [j for j in system.running if j.end == system.now]
        for job in system.ended:
            system.running.remove(job)
            system.free += job.processors
        while coming and coming[0].submit <= system.now:
            job = coming.pop(0)
            if job.processors <= machine:  # else it is refused
                system.queue.append(job)
        decide(system)


def fcfs(system):
    """The head of the queue starts while it fits."""
    while system.queue and system.queue[0].processors <= system.free:
        system.start(system.queue[0])


def easy(system):
    """As fcfs; then later jobs start that do not delay the head, by the estimates."""
    fcfs(system)
    if not system.queue:
        return
    head = system.queue[0]
    shadow, extra = shadow_time(system, head)
    for job in system.queue[1:]:
        if job.processors > system.free:
            continue
        if system.now + job.estimate <= shadow:
            system.start(job)
        elif job.processors <= extra:
            extra -= job.processors
            system.start(job)


def shadow_time(system, head):
    """The earliest expected end at which the head fits, and the processors that it then leaves."""
    free = system.free
    for end in sorted({system.expected_end(j) for j in system.running}):
        free += sum(j.processors for j in system.running if system.expected_end(j) == end)
        if free >= head.processors:
            return end, free - head.processors


class Plan:
    """The processors that nobody holds or has reserved, from now on: steps of [time, free]."""

    def __init__(self, now, free):
        self.steps = [[now, free]]  # the last step has no end

    def step_at(self, time):
        """The index of the step that begins at the time, which is made if there is none."""
        k = len(self.steps)
        while self.steps[k - 1][0] > time:
            k -= 1
        if self.steps[k - 1][0] < time:
            self.steps.insert(k, [time, self.steps[k - 1][1]])
            return k
        return k - 1

    def add(self, start, end, processors):
        begin = self.steps[0][0]  # what is past does not count
        first, last = self.step_at(max(start, begin)), self.step_at(max(end, begin))
        for step in self.steps[first:last]:
            step[1] += processors

    def earliest(self, processors, length):
        """The first time from which the processors are free for the length."""
        start = None
        for time, free in self.steps:
            if start is not None and time >= start + length:
                return start
            if free < processors:
                start = None
            elif start is None:
                start = time
        return start


def length(job):
    """What a reservation holds: the estimate, and a second for a job of no time."""
    return max(job.estimate, STEP)


def conservative(system):
    """Every queued job has a reservation; one that is due starts."""
    now = system.now
    late = any(j.start + j.estimate <= now for j in system.running)
    afresh = late or any(j.start + length(j) < now for j in system.ended)
    early = any(j.start + length(j) > now for j in system.ended)
    plan = Plan(now, system.machine)
    for job in system.running:
        plan.add(now, system.expected_end(job), -job.processors)
    for job in system.queue:
        if afresh:
            job.reserved = None
        elif job.reserved is not None:
            plan.add(job.reserved, job.reserved + length(job), -job.processors)
    for job in list(system.queue):
        if job.reserved is not None and early:
            plan.add(job.reserved, job.reserved + length(job), job.processors)
            job.reserved = None
        if job.reserved is None:
            job.reserved = plan.earliest(job.processors, length(job))
            plan.add(job.reserved, job.reserved + length(job), -job.processors)
    for job in list(system.queue):
        if job.reserved == now and job.processors <= system.free:
            system.start(job)
    if not late:
        system.wake = min((j.reserved for j in system.queue if j.processors <= system.free), default=None)


POLICIES = {"fcfs": fcfs, "easy": easy, "conservative": conservative}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in POLICIES:
        sys.exit(__doc__)
    MACHINE, JOBS = read(sys.argv[2])
    simulate(MACHINE, JOBS, POLICIES[sys.argv[1]])
    print("job,start,end,processors")
    for JOB in sorted(JOBS, key=lambda j: j.number):
        if JOB.start is not None:
            print(f"{JOB.number},{JOB.start},{JOB.end},{JOB.processors}")
