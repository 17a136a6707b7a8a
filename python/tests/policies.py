"""Solvers and policies of the tests, by plain rules."""

from __future__ import annotations

import allot
from allot.types import OnlineAnswer, OnlineEvent, OnlineHeader, OnlineJob, OnlineStart


def one_after_the_other(inst: allot.Instance) -> list[tuple[str, str, range, float]]:
    """Rigid jobs one after the other on the first cluster, each as wide as it is; only for instances of work on equal processors of speed 1."""
    cluster, now, placed = inst.clusters[0]["id"], 0.0, []
    for job in inst.jobs:
        wide = job.get("processors", 1)
        assert isinstance(wide, int)
        now = max(now, job.get("arrival", 0.0))
        placed.append((job["id"], cluster, range(wide), now))
        now += job["work"] * job.get("tasks", wide) / wide
    return placed


class FirstCome:
    """First come, first served: the head of the queue starts where it ends first, as soon as it fits somewhere. The rule of examples/online/fcfs.py."""

    def __init__(self, header: OnlineHeader) -> None:
        self.clusters = [cluster["id"] for cluster in header["clusters"]]
        self.queue: list[OnlineJob] = []

    def decide(self, event: OnlineEvent) -> OnlineAnswer:
        if any(isinstance(job["processors"], dict) for job in event["arrived"]):
            raise allot.Unsupported("moldable jobs")
        self.queue = sorted(self.queue + event["arrived"], key=lambda job: job["number"])
        free, start = event["free"], list[OnlineStart]()
        for job in self.queue:
            wide, takes = job["processors"], job["estimates"]
            assert isinstance(wide, int)
            fits = [c for c in self.clusters if c in takes and wide <= free[c]]
            if not fits:
                break
            best = min(fits, key=lambda c: takes[c])
            free[best] -= wide
            start.append({"job": job["id"], "cluster": best})
        del self.queue[: len(start)]
        return {"start": start}
