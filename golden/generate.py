#!/usr/bin/env python3
"""Writes the workloads of a thousand jobs into the folder workloads.

    python3 generate.py

Each is drawn with a seed of its own, so the files come out the same to the byte. The workloads of up to 12 jobs are made by hand.
"""
import math
import os
import random

JOBS = 1000


def write(name, rule, machine, jobs):
    """Writes a workload; a job is its submit time, run time, processors and estimate."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "workloads", name + ".swf")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"; Version: 2.2\n; Workload: {name}\n; Rule: {rule}\n; MaxJobs: {len(jobs)}\n; MaxProcs: {machine}\n")
        for number, (submit, run, processors, estimate) in enumerate(jobs, 1):
            file.write(f"{number} {submit} -1 {run} {processors} -1 -1 {processors} {estimate} -1 1 -1 -1 -1 -1 -1 -1 -1\n")


def width(draw, machine):
    """Processors of a job: often a power of two, at most the machine."""
    exponent = draw.random() * math.log2(machine)
    return 2 ** round(exponent) if draw.random() < 0.7 else max(1, int(2**exponent))


def run_time(draw):
    """A run time between a second and some hours, short ones more often."""
    return max(1, int(math.exp(draw.random() * 9)))


def round_up(time):
    """The next of the times that users like to ask for."""
    return next((nice for nice in (60, 300, 900, 1800, 3600, 7200, 14400, 28800) if nice >= time), 28800)


def arrivals(draw, machine, shapes, load):
    """Submit times between which the jobs would use the given share of the machine."""
    gap = sum(run * processors for run, processors in shapes) / len(shapes) / machine / load
    times, now = [], 0.0
    for _ in shapes:
        times.append(int(now))
        now -= math.log(1 - draw.random()) * gap
    return times


def workload(seed, name, rule, machine, load, estimate, change=lambda draw, job: job):
    """Draws and writes a workload; estimate gives the estimate of a run time, change has the last word on a job."""
    draw = random.Random(seed)
    shapes = [(run_time(draw), width(draw, machine)) for _ in range(JOBS)]
    times = arrivals(draw, machine, shapes, load) if load else [0] * JOBS
    jobs = []
    for submit, (run, processors) in zip(times, shapes):
        jobs.append(change(draw, (submit, run, processors, estimate(draw, run))))
    write(name, rule, machine, jobs)


def odd(draw, job):
    """Submits to the minute, and now and then no time, no estimate or more processors than there are."""
    submit, run, processors, estimate = job
    submit -= submit % 60
    if draw.random() < 0.1:
        run = 0
    if draw.random() < 0.1:
        estimate = draw.choice((-1, 0))
    if draw.random() < 0.02:
        processors = 100
    return submit, run, processors, estimate


def round_estimate(_, run):
    """The next round time for half of the jobs, by their run times, and the run time for the others."""
    return run if run % 2 else round_up(run)


def late(draw, run):
    """An estimate that is too short for one job in seven."""
    return max(1, int(run * draw.random())) if draw.random() < 1 / 7 else round_up(run)


if __name__ == "__main__":
    workload(1, "thousand-exact", "A thousand jobs with exact estimates, load 0.7.", 128, 0.7, lambda draw, run: run)
    workload(2, "thousand-early", "A thousand jobs that end early, as users ask for round times, load 0.7.", 128, 0.7, lambda draw, run: round_up(run * (1 + 2 * draw.random())))
    workload(3, "thousand-late", "A thousand jobs of which one in seven outlives its estimate, load 0.7.", 100, 0.7, late)
    workload(4, "thousand-odd", "A thousand jobs submitted to the minute, with run times of 0, absent estimates and jobs too wide.", 64, 0.65, late, odd)
    workload(5, "thousand-wide", "A thousand jobs on a large machine, load 0.75.", 1024, 0.75, round_estimate)
    batches = iter(range(JOBS))
    workload(6, "thousand-batches", "A thousand jobs in ten batches, each submitted at once.", 128, None, round_estimate, lambda draw, job: (next(batches) // 100 * 50000, *job[1:]))
