"""Strict reading of the three files: instance, solution and certificate (docs/reference/formats.md)."""
import gzip
import hashlib
import json
import re
from math import inf, isfinite

import power
from fields import CERTIFICATE, INSTANCE, SOLUTION


class Unreadable(Exception):
    """A file that cannot be read: exit status 2."""


LENGTHS = {"id": (1, 1000), "reason": (1, 100_000), "processors": (1, 1 << 20)}


class Number(str):
    """A number as it is written in the file."""


def read(path):
    """The object in the file and the SHA-256 of its uncompressed bytes (formats.md, What reading demands)."""
    try:
        with open(path, "rb") as f:
            data = f.read()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        value = json.loads(data.decode("utf-8"), object_pairs_hook=each_name_once, parse_int=Number, parse_float=Number, parse_constant=no_number)
    except (OSError, EOFError, ValueError, RecursionError) as e:
        raise Unreadable(f"{path}: {e}") from e
    return value, hashlib.sha256(data).hexdigest()


def each_name_once(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name twice in one object")
    return dict(pairs)


def no_number(text):
    raise ValueError(f"{text} is no number")


def schema(value):
    """What kind of file it is."""
    return value.get("schema") if isinstance(value, dict) else None


FORMATS = {"allot/instance/1": INSTANCE, "allot/solution/1": SOLUTION, "allot/proof/1": CERTIFICATE}


def shaped(value, path=""):
    """The same value with numbers as float or int, after the check of every field."""
    if schema(value) not in FORMATS:
        raise Unreadable(f"{path}: unknown schema")
    return fit(value, FORMATS[schema(value)], path, schema(value) == "allot/instance/1")


def fit(value, shape, path, bounded):
    """The value as its shape in fields.py asks for; `bounded` numbers are 0 or of a magnitude from 1e-18 to 1e18."""
    def need(true, expected):
        if not true:
            raise Unreadable(f"{path}: expected {expected}, found {value!r:.60}")

    if isinstance(shape, dict):
        need(isinstance(value, dict), "an object")
        if "*" in shape:
            return {name: fit(v, shape["*"], f"{path}.{name}", bounded) for name, v in value.items()}
        fields = {name.rstrip("!"): s for name, s in shape.items()}
        for name in value:
            need(name in fields, f"one of {', '.join(fields)}, not {name}")
        for name in shape:
            need(not name.endswith("!") or name[:-1] in value, f"the field {name[:-1]}")
        return {name: fit(v, fields[name], f"{path}.{name}", bounded) for name, v in value.items()}
    if isinstance(shape, list):
        need(isinstance(value, list), "a list")
        return [fit(v, shape[0], f"{path}[{k}]", bounded) for k, v in enumerate(value)]
    if shape == "any":
        return value
    if shape == "size":
        return fit(value, {"min!": "whole>0", "max!": "whole>0"} if isinstance(value, dict) else "whole>0", path, bounded)
    if shape == "one or by cluster":
        return fit(value, {"*": "number"} if isinstance(value, dict) else "number", path, bounded)
    if shape == "flag":
        need(isinstance(value, bool), "true or false")
    elif shape in ("id", "text", "reason", "processors") or shape.startswith("one of "):
        need(type(value) is str, "a text")
        need(not re.search("[\ud800-\udfff]", value), "UTF-8")
        size = len(value.encode())
        least, most = LENGTHS[shape] if shape in LENGTHS else (0, 100_000)
        need(least <= size <= most, f"a text of {least} to {most} bytes")
        if shape == "processors":
            return processors(value, path)
        need(not shape.startswith("one of ") or value in shape.split()[2:], shape)
    else:
        need(type(value) is Number, "a number")
        number = float(value)
        kind = shape.rstrip(">=0")
        need(isfinite(number), "a finite number")
        need(not shape.endswith(">0") or number > 0, "a number above 0")
        need(not shape.endswith(">=0") or number >= 0, "a number of at least 0")
        if kind == "whole":
            need(number == int(number) and number <= 2**31 - 1, "a whole number")
            return int(number)
        if kind == "seed":
            need(re.fullmatch(r"\d+", value), "a whole number")
            return int(value)
        need(not bounded or number == 0 or 1e-18 <= abs(number) <= 1e18, "0 or a number in [1e-18, 1e+18]")
        return number
    return value


def processors(text, path):
    """The runs of a set of processors, ascending (rules.md, Processors and machines)."""
    runs = []
    for part in text.split(","):
        found = re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", part)
        if not found:
            raise Unreadable(f"{path}: expected processors such as 0-3,7, found {text!r:.60}")
        first = int(found[1])
        last = int(found[2]) if found[2] else first
        if first > last:
            raise Unreadable(f"{path}: {part} runs backwards")
        runs.append((first, last))
    runs.sort()
    for (_, last), (first, _) in zip(runs, runs[1:]):
        if first <= last:
            raise Unreadable(f"{path}: processor {first} is named twice")
    return runs


NODES = {
    "": ("devices",),
    "machines": ("resources", "features", "closed"),
    "jobs": ("block", "resources", "machines", "per_machine", "features", "exclusive", "reservation", "running"),
}  # fields of docs/rules.md, Nodes


def of_nodes(instance):
    """The first field of nodes (docs/rules.md, Nodes) in an instance as it was read, as a path; None: there is none."""
    def of(value, path, names):
        return next((f"{path}{name}" for name in names if isinstance(value, dict) and name in value), None)

    def parts(value, name):
        found = value.get(name) if isinstance(value, dict) else None
        return enumerate(found) if isinstance(found, list) else ()

    found = [of(instance, "", NODES[""])]
    for c, cluster in parts(instance, "clusters"):
        found += [of(m, f"clusters[{c}].machines[{k}].", NODES["machines"]) for k, m in parts(cluster, "machines")]
    found += [of(j, f"jobs[{k}].", NODES["jobs"]) for k, j in parts(instance, "jobs")]
    return next((path for path in found if path), None)


def of_power(instance):
    """Whether the instance states something of power (docs/power.md)."""
    clusters = instance["clusters"]
    return "tariff" in instance or "horizon" in instance or any("power" in j for j in instance["jobs"]) or any(
        "tariff" in c or "power_cap" in c or any("power" in m for m in c["machines"]) for c in clusters)


def demands(instance, path=""):
    """What an instance has to obey beside the shapes of its fields (formats.md, What reading demands)."""
    def need(true, why):
        if not true:
            raise Unreadable(f"{path}: {why}")

    def unique(names, what):
        names = list(names)
        need(len(set(names)) == len(names), f"{what} has one id twice")
        return set(names)

    clusters, jobs = instance["clusters"], instance["jobs"]
    need(clusters and all(c["machines"] for c in clusters), "expected clusters with machines")
    need(sum(m.get("count", 1) * m.get("processors", 1) for c in clusters for m in c["machines"]) <= 2**24, "too many processors")
    cluster_ids, job_ids = unique((c["id"] for c in clusters), "clusters"), unique((j["id"] for j in jobs), "jobs")
    workflows = unique((w["id"] for w in instance.get("workflows", [])), "workflows")
    for c in clusters:
        ids = unique((m["id"] for m in c["machines"]), "machines")
        for m in c["machines"]:
            for k in re.finditer(r"\[(0|[1-9][0-9]*)\]$", m["id"]):
                group = m["id"][:k.start()]
                need(group not in ids or not any(g["id"] == group and 1 < g.get("count", 1) and int(k[1]) < g.get("count", 1) for g in c["machines"])
                     or m.get("count", 1) > 1, f"{m['id']} is a machine of a group too")
    licences = set(instance.get("licences", {})).union(*(c.get("licences", {}) for c in clusters), *(m.get("licences", []) for c in clusters for m in c["machines"]))
    for j in jobs:
        need("work" in j or "estimate" in j or j.get("runtime"), f"job {j['id']}: expected work, estimate or runtime")
        need(set(j.get("runtime", {})) <= cluster_ids, f"job {j['id']}: unknown cluster")
        need(j.get("workflow") is None or j["workflow"] in workflows, f"job {j['id']}: unknown workflow")
        need(j.get("user_class") is None or j["user_class"] in instance.get("user_classes", {}), f"job {j['id']}: unknown class")
        need(set(j.get("after", [])) <= job_ids, f"job {j['id']}: waits for an unknown job")
        need(not licences or set(j.get("licences", {})) <= licences, f"job {j['id']}: unknown licence")
        size = j.get("processors", 1)
        need(isinstance(size, int) or size["min"] <= size["max"], f"job {j['id']}: min above max")
    power.demands(instance, need)
    in_order({j["id"]: j.get("after", []) for j in jobs}, need)


def in_order(after, need):
    """Refuses a cycle."""
    waiting = {name: len(set(before)) for name, before in after.items()}
    followers = {name: [] for name in after}
    for name, before in after.items():
        for b in set(before):
            followers[b].append(name)
    ready = [name for name, n in waiting.items() if n == 0]
    for name in ready:
        for f in followers[name]:
            waiting[f] -= 1
            if waiting[f] == 0:
                ready.append(f)
    need(len(ready) == len(after), "jobs wait for each other in a cycle")
