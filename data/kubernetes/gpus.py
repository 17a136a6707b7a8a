"""Makes gpus.json: a made-up cluster of 20 nodes with 8 GPUs each in the form of `kubectl get nodes,pods -A -o json`.

Run as `python3 gpus.py | gzip -9n > gpus.json.gz`. The same bytes each time.
"""

import json
import random
from datetime import datetime, timedelta, timezone

NOW = datetime(2026, 11, 24, 9, 0, tzinfo=timezone.utc)
rng = random.Random(7)


def stamp(hours_ago):
    return (NOW - timedelta(hours=hours_ago)).strftime("%Y-%m-%dT%H:%M:%SZ")


def node(name, product):
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "nvidia.com/gpu.product": product}},
        "spec": {},
        "status": {
            "allocatable": {"cpu": "96", "memory": "768Gi", "nvidia.com/gpu": "8", "pods": "110"},
            "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": stamp(0)}],
        },
    }


def pod(name, team, gpus, hours, *, on=None, ago=0.0, group=None, product=None, cpu=None):
    annotations = {"allot.dev/runtime": f"{int(hours * 3600)}s"}
    labels = {}
    if group:
        labels["pod-group.scheduling.sigs.k8s.io"] = group
    spec = {"containers": [{"name": "main", "resources": {
        "requests": {"cpu": str(cpu or 10 * gpus), "memory": f"{64 * gpus}Gi"}, "limits": {"nvidia.com/gpu": str(gpus)}}}]}
    if product:
        spec["nodeSelector"] = {"nvidia.com/gpu.product": product}
    if on:
        spec["nodeName"] = on
    status = {"phase": "Running", "startTime": stamp(ago)} if on else {"phase": "Pending"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {
        "name": name, "namespace": team, "creationTimestamp": stamp(ago + 0.1 if on else ago), "annotations": annotations, "labels": labels},
        "spec": spec, "status": status}


products = ["NVIDIA-A100-SXM4-80GB"] * 14 + ["NVIDIA-H100-80GB-HBM3"] * 6
nodes = [node(f"gpu-{k + 1:02d}", product) for k, product in enumerate(products)]
items = list(nodes)
teams = ["vision", "speech", "language"]

# What runs: on three nodes a pod that prepares data, with 2 GPUs and nearly all processors; on the others one to three pods on most nodes, of 1 to 8 GPUs, so that free GPUs are scattered.
for k, n in enumerate(nodes):
    free = 8
    if k % 7 == 3:
        ago = round(rng.uniform(1, 5), 2)
        items.append(pod(f"prepare-{k + 1:02d}", "speech", 2, round(ago + rng.uniform(3, 6), 2), on=n["metadata"]["name"], ago=ago, cpu=88))
        continue
    for m in range(rng.choice([1, 2, 2, 3])):
        gpus = rng.choice([1, 2, 2, 3, 4, 4, 8])
        if gpus > free:
            continue
        free -= gpus
        ago = round(rng.uniform(0.2, 9), 2)
        items.append(pod(f"run-{k + 1:02d}-{m}", rng.choice(teams), gpus, round(ago + rng.uniform(0.3, 8), 2), on=n["metadata"]["name"], ago=ago))

# What waits: a gang of four whole nodes, one of eight pods of four GPUs, and thirty single pods.
for m in range(4):
    items.append(pod(f"pretrain-{m}", "language", 8, 6, ago=2.0, group="pretrain"))
for m in range(8):
    items.append(pod(f"finetune-{m}", "vision", 4, 3, ago=1.5, group="finetune"))
for m in range(30):
    gpus = rng.choice([1, 1, 2, 2, 4, 8])
    items.append(pod(f"job-{m:02d}", rng.choice(teams), gpus, round(rng.uniform(0.5, 6), 2), ago=round(1.4 - 0.04 * m, 2),
                     product=rng.choice([None, None, None, products[-1]])))
groups = [{"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": {"name": name, "namespace": team}, "spec": {"minMember": size}}
          for name, team, size in [("pretrain", "language", 4), ("finetune", "vision", 8)]]
print(json.dumps({"apiVersion": "v1", "kind": "List", "items": items + groups}, indent=1))
