#!/usr/bin/env python3
"""First come, first served as an on-line policy: the head of the queue starts where it ends first, as soon as it fits somewhere.

    allot policies --policies 'fcfs,exec-online:python3 examples/online/fcfs.py' data/swf/KTH-SP2-1996-2.swf.gz
"""
import json
import sys

KNOWN = {"id", "number", "arrival", "processors", "tasks", "estimate", "estimates", "reference_speed", "user", "group", "queue", "user_class",
         "deadline", "after", "input", "output", "message"}

header = json.loads(sys.stdin.readline())
clusters = [cluster["id"] for cluster in header["clusters"]]
queue = []
for line in sys.stdin:
    event = json.loads(line)
    if "end" in event:
        break
    for job in event["arrived"]:
        if set(job) - KNOWN or isinstance(job["processors"], dict):
            sys.exit(print(json.dumps({"unsupported": "all but rigid jobs on clusters"})))
    if event["arrived"]:
        queue = sorted(queue + event["arrived"], key=lambda job: job["number"])  # one that waited for others goes where it belongs
    free, start = event["free"], []
    for job in queue:
        wide, takes = job["processors"], job["estimates"]
        fits = [cluster for cluster in clusters if cluster in takes and wide <= free[cluster]]
        if not fits:
            break
        best = min(fits, key=takes.get)  # of equals the first
        free[best] -= wide
        start.append({"job": job["id"], "cluster": best})
    del queue[:len(start)]
    print(json.dumps({"start": start}), flush=True)
