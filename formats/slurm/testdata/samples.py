#!/usr/bin/env python3
"""Reads the samples of Slurm's queues on its own, as the documentation words it, and writes what an import must say: samples.json.

Usage: samples.py FOLDER >samples.json   where FOLDER is data/slurm of the repository. It shares nothing with the reader in Go.
"""

import glob
import gzip
import json
import math
import os
import re
import sys


def load(folder, *names):
    for name in names:
        for path in (os.path.join(folder, name), os.path.join(folder, name + ".gz")):
            if os.path.exists(path):
                opener = gzip.open if path.endswith(".gz") else open
                with opener(path, "rt") as file:
                    return json.load(file)
    return None


def num(x):
    """A number of any version; None: not set or without a limit."""
    if isinstance(x, dict):
        return x["number"] if x.get("set", True) and not x.get("infinite") else None
    if x is None or x in (4294967294, 4294967295):
        return None
    return float(x)


def words(x):
    return [w.upper() for w in (x if isinstance(x, list) else [x]) if w]


def hosts(text):
    found = []
    for prefix, inner, plain in re.findall(r"([^,\[\]]+)\[([^\]]*)\]|([^,\[\]]+)", text):
        if plain:
            found.append(plain)
        for part in inner.split(",") if inner else []:
            low, _, high = part.partition("-")
            found += [prefix + str(n).zfill(len(low)) for n in range(int(low), int(high or low) + 1)]
    return found


CLOSED = {"DOWN", "DRAIN", "DRAINED", "FAIL", "MAINTENANCE", "NOT_RESPONDING", "UNKNOWN"}
ENDED = {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "COMPLETING", "OUT_OF_MEMORY", "PREEMPTED"}
YEAR = 365 * 24 * 3600


def memory(job, cpus):
    if num(job.get("memory_per_cpu")):
        return num(job["memory_per_cpu"])
    if num(job.get("memory_per_node")):
        return num(job["memory_per_node"]) / math.ceil(cpus / max(num(job["node_count"]) or 1, 1))
    text = job.get("tres_alloc_str") or job.get("tres_req_str") or ""
    match = re.search(r"(?:^|,)mem=([0-9.]+)([KMGT])", text)
    return float(match[1]) * {"K": 1 / 1024, "M": 1, "G": 1024, "T": 1024**2}[match[2]] / cpus if match else 0


def read(folder):
    jobs = load(folder, "squeue.json", "jobs.json")
    nodes = load(folder, "sinfo.json", "nodes.json")["nodes"]
    open_nodes = {n["name"]: n for n in nodes if not CLOSED & set(words(n["state"]) + words(n.get("state_flags")))}
    running_on = {h for j in jobs["jobs"] if "RUNNING" in words(j["job_state"]) for h in hosts(j.get("nodes") or "")}
    there = {n["name"]: n for n in nodes if n["name"] in open_nodes or n["name"] in running_on}
    now = num(jobs.get("last_update")) or 0
    for j in jobs["jobs"]:
        state = set(words(j["job_state"]))
        times = [j["submit_time"], j.get("last_sched_evaluation")]
        times += [j["start_time"]] if "RUNNING" in state else []
        times += [j["end_time"]] if ENDED & state else []
        now = max([now] + [num(t) or 0 for t in times])
    result = {"processors": sum(int(n.get("effective_cpus", n["cpus"])) for n in there.values()), "dropped": 0, "jobs": {}}
    accounts = any(j.get("account") for j in jobs["jobs"])
    for j in jobs["jobs"]:
        state = set(words(j["job_state"]))
        array, task, tasks = num(j.get("array_job_id")), num(j.get("array_task_id")), j.get("array_task_string") or ""
        ids = [str(j["job_id"])]
        limit = int(tasks.partition("%")[2] or num(j.get("array_max_tasks")) or 0)
        if array and task is not None:
            ids = ["%d_%d" % (array, task)]
        elif tasks:
            ids = []
            for part in tasks.partition("%")[0].split(","):
                span, _, step = part.partition(":")
                low, _, high = span.partition("-")
                ids += ["%d_%d" % (array, k) for k in range(int(low), int(high or low) + 1, int(step or 1))]
        held = j.get("hold") or num(j["priority"]) == 0 or j["state_reason"] in ("JobHeldUser", "JobHeldAdmin")
        cpus = int(num(j["cpus"]))
        on = hosts(j.get("nodes") or "")
        running = "RUNNING" in state
        if running:
            share = j.get("job_resources") or {}
            held_on = {a["name"]: a["cpus"]["count"] for a in share["nodes"]["allocation"]} if isinstance(share.get("nodes"), dict) else {}
            for a in share.get("allocated_nodes") or []:  # up to 23.02: cores, which have one thread here
                states = [c for s in a["sockets"].values() for c in s["cores"].values()]
                held_on[a["nodename"]] = sum(c.startswith("allocated") for c in states)
            held_on = {h: n for h, n in held_on.items() if h in there}
            cpus = sum(held_on.values())
        if ENDED & state or held or cpus == 0:
            result["dropped"] += len(ids)
            continue
        said = {"processors": cpus, "memory": memory(j, num(j["cpus"])), "user": j["user_name"], "queue": j["partition"]}
        said["group"] = j["account"] if accounts else j["group_name"]
        minutes = num(j["time_limit"])
        said["estimate"] = minutes * 60 if minutes else YEAR
        if running:
            said["on"] = held_on
            said["elapsed"] = now - num(j["start_time"])
            said["estimate"] = num(j["end_time"]) - now if minutes else YEAR + num(j["start_time"]) - now
        else:
            said["class"] = "priority %d" % num(j["priority"])
            said["arrival"] = max(0, (num(j["eligible_time"]) or 0) - now) if j["state_reason"] == "BeginTime" else 0
            shared = words(j.get("shared") or j.get("exclusive") or "")
            said["exclusive"] = "NONE" in shared or "TRUE" in shared
            if num(j.get("deadline")):
                said["deadline"] = num(j["deadline"]) - now
            said["after"] = sorted(re.findall(r"after\w+:(\d+)\(unfulfilled\)", j.get("dependency") or ""))
        said["licences"] = {}
        for part in filter(None, (j.get("licenses") or "").split(",")):
            name, _, copies = part.partition(":")
            said["licences"][name] = int(copies or 1)
        if limit and (array or 0):
            said["licences"]["array %d" % array] = 1
        for id in ids:
            result["jobs"][id] = said
    return result


# This script knows neither tiers nor limits: the queues that were recorded with plans have both.
folders = sorted(f for f in glob.glob(os.path.join(sys.argv[1], "*", "")) if "22.05-plan-" not in f)
json.dump({os.path.basename(f.rstrip("/")): read(f) for f in folders}, sys.stdout, sort_keys=True, separators=(",", ":"))
print()
