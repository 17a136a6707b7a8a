"""The fields of the three formats, as the tables of docs/reference/formats.md list them. A name that ends with ! is required; "*" stands for free names."""

WEIGHTS = {"over_deadline": "number>=0", "makespan": "number>=0", "idle_time": "number>=0"}
OVERHEADS = {"context_switch": "number>=0"}
POOLS = {"*": "whole>=0"}

TARIFF = {"price": [["number"]], "carbon": [["number"]], "period": "number>0", "per": "number>0"}
WAY = {"time": "number>=0", "power": "number>=0"}
POWER = {
    "idle": "number>=0", "busy": "number>=0", "off": [{"name!": "id", "power": "number>=0", "down": WAY, "up": WAY}], "begin": "text", "end": "text",
    "suspend_after": "number>=0",
}
MACHINE = {
    "id!": "id", "count": "whole>0", "processors": "whole>0", "speed": "number>0", "memory": "number>=0", "bandwidth": "number>0", "cost": "number>=0",
    "licences": ["id"], "background": {"load!": "number>=0", "mean!": "number>0"},
    "queue": {"service_rate": "number>0", "arrival_variance": "number>=0", "service_variance": "number>=0"},
    "power": POWER,
}
CLUSTER = {
    "id!": "id", "allocation": "one of processor machine", "weights": WEIGHTS, "licences": POOLS,
    "network": {"latency": "number>=0", "bandwidth": "number>0"}, "overheads": OVERHEADS, "machines!": [MACHINE],
    "tariff": TARIFF, "power_cap": [["number"]],
}
JOB = {
    "id!": "id", "arrival": "number>=0", "processors": "size", "tasks": "whole>0", "work": "number>=0", "work_cv": "number>=0",
    "runtime": {"*": "number>=0"}, "estimate": "number>=0", "reference_speed": "number>0", "span": "one of machine cluster grid",
    "memory": "number>=0", "input": "number>=0", "output": "number>=0", "message": "number>=0", "min_bandwidth": "number>=0",
    "deadline": "number>=0", "deadline_hard": "flag", "budget": "number>=0", "licences": POOLS,
    "user": "id", "group": "id", "queue": "id", "user_class": "id", "workflow": "id", "after": ["text"], "power": "number>=0",
}
INSTANCE = {
    "schema!": "text", "name": "text", "units": {"time": "text", "work": "text", "data": "text", "memory": "text", "cost": "text"},
    "objective": {"*": "number"}, "weights": WEIGHTS, "user_classes": {"*": "number>=0"}, "licences": POOLS,
    "queueing": {"rate": "number>0", "cv": "number>=0", "period": "number>0", "k": "number>=0", "charge": "one of response service"},
    "overheads": OVERHEADS, "workflows": [{"id!": "id", "deadline": "number>=0", "budget": "number>=0"}], "clusters!": [CLUSTER], "jobs!": [JOB],
    "tariff": TARIFF, "horizon": {"from": "number>=0", "to!": "number>0"},
}

SOLUTION = {
    "schema!": "text", "instance": "text", "instance_sha256": "text", "solver": "text", "version": "text", "seed": "seed>=0", "parameters": {"*": "any"},
    "status": "one of unknown feasible optimal infeasible", "stop": "one of done time evaluations cancelled", "minimised": {"*": "number"},
    "objective": "number", "bound": "number", "owed": "whole>=0", "metrics": {"*": "one or by cluster"},
    "jobs!": [{"job!": "id", "cluster": "text", "processors": "processors", "start!": "number>=0", "end!": "number>=0",
               "pieces": [{"cluster!": "id", "processors!": "processors", "tasks!": "whole>0", "start!": "number>=0", "end!": "number>=0"}]}],
    "unscheduled": [{"job!": "id", "reason!": "reason"}], "loads": [{"cluster!": "id", "machine!": "id", "rate!": "number>=0"}],
    "stats": {"evaluations": "seed>=0", "elapsed": "number>=0"},
}

JOBS = ["whole>=0"]
PRICES_OF_TIME = [{"processor": ["number"], "groups": [["number"]], "sizes": [{"size!": "whole>0", "price!": "number"}]}]
NODES = [{
    "prices": ["whole>=0"],
    "split": {"of!": "whole>=0", "what!": "one of jobs bucket load", "at!": "whole>=0", "low!": "whole>=0", "high!": "whole>=0"},
    "loads": [{"at!": ["whole>=0"], "places!": ["number"]}],
}]
KINDS = {
    "critical_path": {"jobs!": JOBS},
    "area": {"jobs": JOBS, "prices": ["number>=0"], "memory": ["number>=0"], "weights": [[{"size!": "whole>0", "weight!": "whole>=0"}]], "licence": "text"},
    "pigeonhole": {"jobs!": JOBS},
    "energetic": {"makespan!": "number>=0", "from!": "number", "to!": "number", "prices": ["number>=0"], "memory": ["number>=0"], "licence": "text"},
    "each_alone": {},
    "prices_over_time": {"limits!": ["number>=0"], "clusters!": PRICES_OF_TIME},
    "area_levels": {},
    "counts": {"limits!": ["number>=0"], "prices!": [{"jobs!": ["number"], "clusters!": PRICES_OF_TIME}], "nodes!": NODES},
    "list_schedules": {"together": "flag"},
    "partitions": {"orders": "whole>=0", "functions": [{"weights!": [[{"size!": "whole>0", "weight!": "whole>=0"}]]}]},
    "moldable": {"makespan!": "number>=0"},
    "windows": {"unit!": "number>=0", "nearest": "flag", "makespan!": "whole>=0", "pairs": ["whole>=0"], "lemmas": [{"clause": ["whole>=0"], "steps": ["whole>=0"]}],
                "resources": [{"clusters": ["whole>=0"], "licence": "text", "memory": "whole>=0", "jobs": ["whole>=0"], "of": "whole>=0", "weights": [{"size!": "whole>0", "weight!": "whole>=0"}]}]},
    "machine_prices": {"groups!": [[{"processor": "number>=0", "memory": "number>=0", "resources": ["number>=0"]}]], "closed": "flag", "from": "number", "to": "number"},
    "time_of_use": {"unit!": "number>=0", "scale!": "number>=0", "fine!": "whole>0",
                    "nodes!": [{"prices": ["number"], "at": "whole>=0", "limit": "flag", "low": "whole>=0", "high": "whole>=0"}]},
    "priced_power": {"times!": ["number>=0"], "clusters!": [["number>=0"]], "cells": "whole>0", "looks": "whole>0"},
    "levels": {"prices!": [["number"]], "root": ["whole>=0"], "nodes!": NODES},
}
PARTS = [{"metric!": "id", "bound!": "number", "method": "text", "step": "number>=0", "lacks": "flag", "sum": {"*": "number"}, "by": KINDS}]
CERTIFICATE = {
    "schema!": "text", "instance": "text", "instance_sha256!": "text", "objective!": {"*": "number"}, "bound": "number", "owed": "whole>=0", "owed_by": [{"jobs!": ["whole>=0"], "by": KINDS["machine_prices"], "windows": KINDS["windows"]}],
    "infeasible": {"condition!": "one of room rate", "most!": "number", "needed!": "number"},
    "parts": PARTS, "choices": [{"left!": ["whole>=0"], "parts": PARTS}],
    "stated": "number", "not_certified": "text",
}
