#!/usr/bin/env python3
"""First come, first served: each job in order of arrival goes where it ends first. A solver for allot in a few lines:
allot solve --solver 'exec:python3 examples/external/first_come.py' examples/tiny.json"""
import json
import sys

instance = json.load(sys.stdin)
KNOWN = {"id", "arrival", "processors", "work", "runtime", "deadline"}  # fields of a job; what is absent has its default
for job in instance["jobs"]:
    beyond = sorted(set(job) - KNOWN) or ["moldable jobs"] * isinstance(job.get("processors"), dict)
    if beyond:
        sys.exit(print(json.dumps({"unsupported": ", ".join(beyond)})))

clusters = {}  # id: speed, and when each processor is free
for c in instance["clusters"]:
    speeds = {m.get("speed", 1) for m in c["machines"]}
    if len(speeds) > 1 or set(c) - {"id", "machines", "weights", "licences"} or "overheads" in instance:
        sys.exit(print(json.dumps({"unsupported": "clusters of anything but equal processors"})))
    clusters[c["id"]] = speeds.pop(), [0] * sum(m.get("count", 1) * m.get("processors", 1) for m in c["machines"])

solution = {"schema": "allot/solution/1", "jobs": [], "unscheduled": []}
for job in sorted(instance["jobs"], key=lambda j: j.get("arrival", 0)):
    wide, best = job.get("processors", 1), None
    for name, (speed, free) in clusters.items():
        if wide <= len(free) and name in job.get("runtime", clusters):
            held = sorted(range(len(free)), key=free.__getitem__)[:wide]  # those that are free first
            start = max(free[held[-1]], job.get("arrival", 0))
            end = start + (job["runtime"][name] if "runtime" in job else job["work"] / speed)
            best = min(best or (end, start, name, held), (end, start, name, held))
    if best is None:
        solution["unscheduled"].append({"job": job["id"], "reason": "fits no cluster"})
        continue
    end, start, name, held = best
    for p in held:
        clusters[name][1][p] = end
    solution["jobs"].append({"job": job["id"], "cluster": name, "processors": ",".join(map(str, sorted(held))), "start": start, "end": end})
print(json.dumps(solution))
