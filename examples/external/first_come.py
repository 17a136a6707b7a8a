#!/usr/bin/env python3
"""First come, first served: each job in order of arrival goes where it ends first. A solver for allot in a few lines:
allot solve --solver 'exec:python3 examples/external/first_come.py' examples/tiny.json"""
import bisect
import json
import sys

instance = json.load(sys.stdin)
KNOWN = {"id", "arrival", "processors", "work", "runtime", "estimate", "reference_speed", "deadline"}  # of a job; what is absent has its default
for job in instance["jobs"]:
    beyond = sorted(set(job) - KNOWN) or ["moldable jobs"] * isinstance(job.get("processors"), dict)
    if beyond:
        sys.exit(print(json.dumps({"unsupported": ", ".join(beyond)})))

if "horizon" in instance:
    sys.exit(print(json.dumps({"unsupported": "a horizon"})))
clusters = {}  # id: speed, processors, and blocks of them as (when free, first, last), those that are free first before the others
for c in instance["clusters"]:
    speeds = {m.get("speed", 1) for m in c["machines"]}
    if len(speeds) > 1 or set(c) - {"id", "machines", "weights", "licences"} or "overheads" in instance:
        sys.exit(print(json.dumps({"unsupported": "clusters of anything but equal processors"})))
    size = sum(m.get("count", 1) * m.get("processors", 1) for m in c["machines"])
    clusters[c["id"]] = speeds.pop(), size, [(0, 0, size - 1)]


def take(free, wide):
    """Takes the processors that are free first, in blocks from first to last."""
    taken, blocks = [], []
    while wide > 0:
        time, first, last = free.pop(0)
        if last - first >= wide:
            bisect.insort(free, (time, first + wide, last))
            last = first + wide - 1
        wide -= last - first + 1
        taken.append((first, last))
    for first, last in sorted(taken):
        if blocks and blocks[-1][1] + 1 == first:
            first = blocks.pop()[0]
        blocks.append((first, last))
    return blocks


def ready(free, wide):
    """When so many processors are free."""
    for time, first, last in free:
        wide -= last - first + 1
        if wide <= 0:
            return time


solution = {"schema": "allot/solution/1", "jobs": [], "unscheduled": []}
for job in sorted(instance["jobs"], key=lambda j: j.get("arrival", 0)):
    wide, best = job.get("processors", 1), None
    # The work of a job that states none is that of its estimate; beside work or run times an estimate says nothing of how long the job takes.
    work = job["work"] if "work" in job else job.get("estimate", 0) * job.get("reference_speed", 1)
    for name, (speed, size, free) in clusters.items():
        if wide <= size and name in job.get("runtime", clusters):
            start = max(ready(free, wide), job.get("arrival", 0))
            end = start + (job["runtime"][name] if "runtime" in job else work / speed)
            best = min(best or (end, start, name), (end, start, name))
    if best is None:
        solution["unscheduled"].append({"job": job["id"], "reason": "fits no cluster"})
        continue
    end, start, name = best
    free = clusters[name][2]
    held = take(free, wide)
    for first, last in held:
        bisect.insort(free, (end, first, last))
    processors = ",".join(f"{first}-{last}" if first < last else str(first) for first, last in held)
    solution["jobs"].append({"job": job["id"], "cluster": name, "processors": processors, "start": start, "end": end})
print(json.dumps(solution))
