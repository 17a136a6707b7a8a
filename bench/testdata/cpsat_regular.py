#!/usr/bin/env python3
"""OR-Tools' CP-SAT on a project with one cluster and licence pools, in allot's JSON, for the objectives over_deadline or mean_response.

usage: cpsat_regular.py INSTANCE SECONDS WORKERS; prints: objective bound seconds

All times must be whole. A job that takes no time, waits for one job alone and has the same soft deadline weighs the deadline of that job again: it becomes a weight
and no job of the model.
"""
import json
import sys
import time

from ortools.sat.python import cp_model

with open(sys.argv[1]) as file:
    instance = json.load(file)
(metric,) = instance["objective"]
(cluster,) = instance["clusters"]
processors = sum(m.get("count", 1) * m.get("processors", 1) for m in cluster["machines"])
speed = cluster["machines"][0].get("speed", 1)
pools = {**instance.get("licences", {}), **cluster.get("licences", {})}
jobs = {j["id"]: j for j in instance["jobs"]}


def whole(x):
    if x != int(x):
        sys.exit(f"expected whole times, found {x}")
    return int(x)


length = {k: whole(j["runtime"][cluster["id"]] if "runtime" in j else j["work"] / speed) for k, j in jobs.items()}
due = {k: whole(j["deadline"]) for k, j in jobs.items() if "deadline" in j}
soft = {k for k in due if not jobs[k].get("deadline_hard")}
weight = dict.fromkeys(jobs, 1)
waited = {a for j in jobs.values() for a in j.get("after", [])}
for k in [k for k in jobs if length[k] == 0 and k in soft and k not in waited and not jobs[k].get("licences")]:
    after = jobs[k].get("after", [])
    if len(after) == 1 and after[0] in soft and due[after[0]] == due[k] and jobs[k].get("arrival", 0) == 0 and metric == "over_deadline":
        weight[after[0]] += weight[k]
        del jobs[k]

m = cp_model.CpModel()
horizon = max(whole(j.get("arrival", 0)) for j in jobs.values()) + sum(length[k] for k in jobs)
start, interval = {}, {}
for k, j in jobs.items():
    last = horizon - length[k]
    if j.get("deadline_hard") and k in due:
        last = min(last, due[k] - length[k])
    start[k] = m.new_int_var(whole(j.get("arrival", 0)), last, k)
    interval[k] = m.new_fixed_size_interval_var(start[k], length[k], k)
for k, j in jobs.items():
    for a in j.get("after", []):
        m.add(start[k] >= start[a] + length[a])
for pool, copies in pools.items():
    users = [k for k in jobs if jobs[k].get("licences", {}).get(pool, 0) > 0]
    m.add_cumulative([interval[k] for k in users], [jobs[k]["licences"][pool] for k in users], copies)
if sum(j.get("processors", 1) for j in jobs.values()) > processors:
    m.add_cumulative(list(interval.values()), [j.get("processors", 1) for j in jobs.values()], processors)
if metric == "over_deadline":
    terms = []
    for k in jobs:
        if k in soft:
            over = m.new_int_var(0, horizon, "over " + k)
            m.add(over >= start[k] + length[k] - due[k])
            terms.append(weight[k] * over)
    scale = 1
elif metric == "mean_response":
    terms = [start[k] + length[k] - whole(j.get("arrival", 0)) for k, j in jobs.items()]
    scale = len(jobs)
else:
    sys.exit(f"expected the objective over_deadline or mean_response, found {metric}")
scale *= instance["objective"][metric]
m.minimize(sum(terms))
solver = cp_model.CpSolver()
solver.parameters.max_time_in_seconds = float(sys.argv[2])
solver.parameters.num_workers = int(sys.argv[3])
began = time.time()
status = solver.solve(m)
found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
print(solver.objective_value / scale if found else None, solver.best_objective_bound / scale, round(time.time() - began, 2))
