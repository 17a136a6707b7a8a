#!/usr/bin/env python3
"""EASY backfilling as an on-line policy, on one cluster of equal processors: the first job that does not fit gets a reservation,
and a later job may start if by the estimates it does not delay that one.

    allot policies --policies 'easy,exec-online:python3 examples/online/easy.py' data/swf/KTH-SP2-1996-2.swf.gz
"""
import bisect
import json
import math
import sys

KNOWN = {"id", "number", "arrival", "processors", "tasks", "estimate", "estimates", "reference_speed", "user", "group", "queue", "user_class",
         "deadline", "after", "input", "output", "message"}


def refuse(why):
    sys.exit(print(json.dumps({"unsupported": why})))


def reservation(now, free, wide, running):
    """The earliest estimated end at which the processors suffice, and how many are left then. A job that has outlived its estimate is
    taken to end one time unit from now."""
    late = max(now + 1, math.nextafter(now, math.inf))
    ends = sorted((end if end > now else late, processors) for end, _, processors in running)
    for k, (shadow, processors) in enumerate(ends):
        free += processors
        if free >= wide and (k + 1 == len(ends) or ends[k + 1][0] > shadow):  # all that end by then count
            return shadow, free - wide


header = json.loads(sys.stdin.readline())
if len(header["clusters"]) > 1 or len({machine.get("speed", 1) for machine in header["clusters"][0]["machines"]}) > 1:
    refuse("all but one cluster of equal processors")
cluster = header["clusters"][0]["id"]
queue, running, end_of = [], [], {}  # running is sorted: estimated end, id, processors
for line in sys.stdin:
    event = json.loads(line)
    if "end" in event:
        break
    now, free, start = event["now"], event["free"][cluster], []
    for job in event["arrived"]:
        if set(job) - KNOWN or isinstance(job["processors"], dict):
            refuse("all but rigid jobs")
    for job in event["ended"]:
        running.remove(end_of.pop(job))
    if event["arrived"]:
        queue = sorted(queue + event["arrived"], key=lambda job: job["number"])  # one that waited for others goes where it belongs
    shadow, extra, left = math.inf, math.inf, []
    for k, job in enumerate(queue):
        if free == 0 and shadow < math.inf:  # nobody else can start
            left.extend(queue[k:])
            break
        wide, end = job["processors"], now + job["estimates"][cluster]
        if wide <= free and (end <= shadow or wide <= extra):
            if end > shadow:
                extra -= wide
            free -= wide
            start.append({"job": job["id"], "cluster": cluster})
            end_of[job["id"]] = entry = (end, job["id"], wide)
            bisect.insort(running, entry)
            continue
        left.append(job)
        if shadow == math.inf:
            shadow, extra = reservation(now, free, wide, running)
    queue = left
    print(json.dumps({"start": start}), flush=True)
