"""Says what a trace costs under EASY, and under EASY whose jobs may wait for a cheaper start, and how long its jobs wait.

    python3 bill.py TRACE.swf.gz TARIFF.csv IDLE BUSY HOURS

The trace is in the Standard Workload Format, the table has the columns time and value: seconds, and the price of a kWh. IDLE is the power of a processor that is
on, BUSY what a busy one takes more, in W. HOURS is for how long a job may stay out of the queue for a cheaper start; 24 hours of prices are known.

The answer is JSON: of each policy the cost, the energy in Ws, what jobs cost while they run, the mean wait and the start of each job.

This is a second computation of what allot policies --tariff says. It shares no code with allot, and the test beside it compares both, job by job. It is written to
be read, and needs Python 3 without packages. The rules are those of docs/power.md, "On line". All numbers are whole, as the trace and the prices are: there is no
rounding before the last division.
"""

import bisect
import csv
import gzip
import heapq
import json
import sys

KNOWN = 24 * 3600  # how long ahead prices are known, in seconds


class Job:
    """A job of the trace: a whole number of seconds each, and processors."""

    def __init__(self, number, arrival, length, processors, estimate):
        self.number, self.arrival, self.length, self.processors, self.estimate = number, arrival, length, processors, max(length, estimate)


def trace(path):
    """The processors of the machine, and its jobs in order of arrival. Jobs that do not run are left out."""
    processors, jobs = 0, []
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as lines:
        for line in lines:
            if line.startswith(";"):
                name, _, value = line[1:].partition(":")
                if name.strip() == "MaxProcs":
                    processors = int(value)
                continue
            fields = [int(float(x)) for x in line.split()]
            if not fields:
                continue
            asked = fields[7] if fields[7] > 0 else fields[4]  # what users ask for is what policies see
            if fields[3] > 0 and asked > 0:
                jobs.append(Job(fields[0], fields[1], fields[3], asked, fields[8]))
    first = min(job.arrival for job in jobs)  # time 0
    for job in jobs:
        job.arrival -= first
    jobs.sort(key=lambda job: job.arrival)  # equal arrivals stay in the order of the file
    return processors, jobs


class Prices:
    """Prices by time, in whole parts of the unit of cost."""

    def __init__(self, path):
        rows = list(csv.DictReader(open(path)))
        digits = max(len(row["value"].partition(".")[2]) for row in rows)
        self.parts = 10**digits
        self.times = [int(row["time"]) for row in rows]
        self.values = [round(float(row["value"]) * self.parts) for row in rows]
        self.sums, self.sizes = [0], [0]  # by step: what unit power costs from the first step to it, and the same of magnitudes
        for k in range(1, len(rows)):
            length = self.times[k] - self.times[k - 1]
            self.sums.append(self.sums[-1] + self.values[k - 1] * length)
            self.sizes.append(self.sizes[-1] + abs(self.values[k - 1]) * length)

    def _until(self, sums, values, time):
        k = bisect.bisect_right(self.times, time) - 1
        return sums[k] + values(k) * (time - self.times[k])

    def over(self, begin, end):
        """What unit power costs from one time to another."""
        return self._until(self.sums, lambda k: self.values[k], end) - self._until(self.sums, lambda k: self.values[k], begin)

    def magnitude(self, begin, end):
        """The magnitude of the price, added up."""
        return self._until(self.sizes, lambda k: abs(self.values[k]), end) - self._until(self.sizes, lambda k: abs(self.values[k]), begin)


def cheapest(prices, job, budget):
    """The first start, from the arrival to the arrival plus the budget, at which the job costs least by its estimate, its wait included: a second of it costs
    what a processor takes in it at the mean of the known prices. Prices that are not known yet count at the mean of those known."""
    arrival, known = job.arrival, job.arrival + KNOWN
    mean, level = prices.over(arrival, known), prices.magnitude(arrival, known)  # times KNOWN

    def cost(start):  # times KNOWN and processors
        end = start + job.estimate
        within = min(end, max(start, known))
        return (prices.over(start, within) * KNOWN + mean * (end - within)) * job.processors + level * (start - arrival)

    last = arrival + min(budget, KNOWN)
    starts = {arrival, last, known - job.estimate}  # between two of these times, cost is linear
    low, high = bisect.bisect_left(prices.times, arrival), bisect.bisect_right(prices.times, last + job.estimate)
    for time in prices.times[low:high]:
        starts |= {time, time - job.estimate}
    return min((cost(start), start) for start in starts if arrival <= start <= last)[1]


def easy(processors, jobs, joins):
    """The start of each job. The queue is in order of arrival; a job is in it from the time of its joins on. The first job that does not fit has a reservation at the
    first time at which enough processors are free by the estimates. A later one may start if it ends by then, or fits beside the first job then."""
    events = sorted(range(len(jobs)), key=lambda k: joins[k])
    starts, queue, running, free, at = [None] * len(jobs), [], [], processors, 0  # running: end, job

    def start(k, now):
        nonlocal free
        starts[k] = now
        free -= jobs[k].processors
        heapq.heappush(running, (now + jobs[k].length, k))

    while at < len(events) or running:
        now = min(([joins[events[at]]] if at < len(events) else []) + ([running[0][0]] if running else []))
        while running and running[0][0] == now:
            free += jobs[heapq.heappop(running)[1]].processors
        while at < len(events) and joins[events[at]] == now:
            bisect.insort(queue, events[at])
            at += 1
        while queue and jobs[queue[0]].processors <= free:
            start(queue.pop(0), now)
        if not queue or free == 0:
            continue
        shadow, beside = now, free
        for end, k in sorted((starts[k] + jobs[k].estimate, k) for _, k in running):
            if beside >= jobs[queue[0]].processors and end > shadow:
                break
            shadow, beside = end, beside + jobs[k].processors
        beside -= jobs[queue[0]].processors
        for k in queue[1:]:
            if jobs[k].processors > free:
                continue
            if now + jobs[k].estimate > shadow:
                if jobs[k].processors > beside:
                    continue
                beside -= jobs[k].processors
            start(k, now)
        queue = [k for k in queue if starts[k] is None]
    return starts


def main():
    processors, jobs = trace(sys.argv[1])
    prices = Prices(sys.argv[2])
    idle, busy, budget = int(sys.argv[3]), int(sys.argv[4]), round(float(sys.argv[5]) * 3600)
    schedules = [easy(processors, jobs, [job.arrival for job in jobs]), easy(processors, jobs, [cheapest(prices, job, budget) for job in jobs])]
    first = jobs[0].arrival
    last = max(start + job.length for starts in schedules for job, start in zip(jobs, starts))
    per = 3_600_000 * prices.parts  # W and s to kWh, parts to units of cost
    answer = []
    for starts in schedules:
        run = sum(busy * job.processors * prices.over(start, start + job.length) for job, start in zip(jobs, starts))
        answer.append(
            {
                "cost": (idle * processors * prices.over(first, last) + run) / per,
                "energy": idle * processors * (last - first) + sum(busy * job.processors * job.length for job in jobs),
                "jobs": run / per,
                "wait": sum(start - job.arrival for job, start in zip(jobs, starts)) / len(jobs),
                "starts": {str(job.number): start for job, start in zip(jobs, starts)},
            }
        )
    json.dump(answer, sys.stdout)


main()
