#!/usr/bin/env python3
"""Tunes with SMAC (pip install "smac>=2"): python3 tune.py. The last line it prints is the best configuration."""

import json
import os
import subprocess
from pathlib import Path

from ConfigSpace import ConfigurationSpace
from smac import AlgorithmConfigurationFacade, Scenario

FOLDER = Path(__file__).resolve().parent
ALLOT = os.environ.get("ALLOT", "allot")


def words(configuration):
    """Return a configuration as allot reads it. Parameters that do not matter beside the others are absent."""
    return [f"{name}={value}" for name, value in dict(configuration).items()]


def cost(configuration, instance, seed=0):
    """Run allot once and return what is to be minimised."""
    command = [ALLOT, "tune", "run", str(FOLDER), "0", instance, str(seed), instance, *words(configuration)]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:  # it has said why; SMAC would take an exception for a bad configuration and go on
        os._exit(1)
    return float(done.stdout)


def main():
    """Tune."""
    subprocess.run([ALLOT, "version"], check=True, stdout=subprocess.DEVNULL)
    given = json.loads((FOLDER / "scenario.json").read_text())
    space = ConfigurationSpace.from_json(FOLDER / "configspace.json")
    space.seed(given["seed"])
    scenario = Scenario(
        space,
        name="allot",
        output_directory=FOLDER / "smac3_output",
        deterministic=given["deterministic"],
        n_trials=given["runs"],
        n_workers=given["jobs"],
        instances=sorted(given["features"]),
        instance_features=given["features"],
        seed=given["seed"],
        crash_cost=1e15,
    )
    best = AlgorithmConfigurationFacade(scenario, cost, overwrite=True).optimize()
    print(*words(best[0] if isinstance(best, list) else best))


if __name__ == "__main__":
    main()
