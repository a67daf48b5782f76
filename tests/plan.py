#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The plan of ./check, tests/plan.txt.

    plan.py minutes TIER               about how many minutes ./check of this tier takes here: quick, landing or all; without the build
    plan.py minutes TIER --build       the same with the build
    plan.py left-out                   the campaigns, each with its reason
    plan.py check BUILD                the test check.plan: every test has its labels and a time limit that it can keep
    plan.py measure BUILD PATTERN      runs tests one by one and prints their seconds of a processor beside those of the plan
"""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PLAN = ROOT / "tests/plan.txt"
TIERS = {"quick": ["quick", "landing"], "quick-only": ["quick"], "landing": ["landing"], "campaign": ["campaign"]}
LIMIT_S = 600  # no test may ask for more
SLOWER = 4  # than the plan says, at least, a test may be before its limit ends it
BUDGET_S = {"quick": 120, "landing": 2800}  # of a processor: a minute of two, and 23; landing has the build in it


class Line:
    def __init__(self, tier, seconds, processors, pattern="", *reason):
        self.tier, self.seconds, self.processors, self.pattern, self.reason = tier, float(seconds), int(processors), pattern, " ".join(reason)


def plan():
    lines = [Line(*text.split()) for text in PLAN.read_text().splitlines() if text and not text.startswith("#")]
    return [line for line in lines if line.pattern], {line.tier: line.seconds for line in lines if not line.pattern}


def tests(build, *words):
    """Name and properties of the tests of a build."""
    listed = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", *words], capture_output=True, text=True, check=True).stdout)
    return {t["name"]: {"command": t.get("command"), **{p["name"]: p["value"] for p in t.get("properties", [])}} for t in listed["tests"]}


def line_of(lines, name):
    return next((line for line in lines if re.fullmatch(line.pattern, name)), None)


def seconds_of(lines, names):
    return {tier: sum(line_of(lines, n).seconds for n in names if tier == "all" or tier in TIERS[line_of(lines, n).tier])
            for tier in ("quick", "landing", "all")}


def minutes(tier, build):
    _, numbers = plan()
    seconds = numbers[tier] + (numbers["build"] if build else 0)
    print(max(1, round(seconds / 60 / (os.cpu_count() or 1))))


def left_out():
    for line in plan()[0]:
        if line.tier == "campaign":
            print(f"{line.pattern}: {line.reason}")


def check(build):
    lines, numbers = plan()
    found = tests(build)
    faults = []
    used = set()
    for name, has in found.items():
        line = line_of(lines, name)
        if line is None:
            faults.append(f"{name}: has no line in tests/plan.txt")
            continue
        used.add(line)
        labels = [label for label in has.get("LABELS", []) if label in ("quick", "landing", "campaign")]
        if sorted(labels) != sorted(TIERS[line.tier]):
            faults.append(f"{name}: is labelled {labels}, its line says {line.tier}")
        limit = has.get("TIMEOUT", 0)
        if not 0 < limit <= LIMIT_S:
            faults.append(f"{name}: has a time limit of {limit} s, not of 1 to {LIMIT_S} s")
        elif line.seconds * SLOWER / line.processors > limit:
            faults.append(f"{name}: takes {line.seconds:g} s and has a limit of {limit:g} s, which a slow machine would not keep")
    for line in lines:
        if line not in used and line.pattern != ".*":
            faults.append(f"{line.pattern}: no test has this name")
        if (line.tier == "campaign") != bool(line.reason):
            faults.append(f"{line.pattern}: a campaign has a reason, and nothing else has")
    for tier, seconds in (seconds_of(lines, found) if not faults else {}).items():
        if abs(seconds - numbers[tier]) > max(10, seconds / 10):
            faults.append(f"the line `{tier}` says {numbers[tier]:g} s, its tests sum up to {seconds:.0f} s")
        whole = seconds + (numbers["build"] if tier == "landing" else 0)
        if whole > BUDGET_S.get(tier, whole):
            faults.append(f"{tier} takes {whole:.0f} s of a processor and has {BUDGET_S[tier]} s")
    print("\n".join(faults) or f"{len(found)} tests as planned")
    return bool(faults)


def measure(build, pattern):
    lines, _ = plan()
    for name, has in tests(build, "-R", pattern, "-FA", ".*").items():
        environment = {**os.environ, **dict(word.split("=", 1) for word in has.get("ENVIRONMENT", []))}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(has["command"], cwd=has.get("WORKING_DIRECTORY", build), env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"{took:8.1f} s, planned {line_of(lines, name).seconds:g}: {name}{'' if done.returncode == 0 else ' FAILED'}", flush=True)


def main():
    verb, *words = sys.argv[1:] or [""]
    if verb == "minutes" and words[:1] and words[0] in ("quick", "landing", "all"):
        return minutes(words[0], words[1:] == ["--build"])
    if verb == "left-out" and not words:
        return left_out()
    if verb == "check" and len(words) == 1:
        return check(*words)
    if verb == "measure" and len(words) == 2:
        return measure(*words)
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())
