# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of a unit: the bins of tests/rtl/bins/UNIT.txt (docs/coverage.md), which harness/rtl/bins.h reads and counts."""
import re

import facts

FILE, RUNS = "tests/rtl/bins/{}.txt", "tests/rtl/gpu_bins.txt"
STATEMENT = re.compile(r"^(bin|hole) (\w+)(?:\[(\d+)(?:\.\.(\d+))?\])?: *(.*(?:\n .*)*)", re.M)
GROUP = re.compile(r"^# (.*)$|^bin (\w+)(?:\[(\d+)\.\.(\d+)\])?", re.M)


def read(name):
    path = facts.ROOT / FILE.format(name)
    return path.read_text(encoding="utf-8") if path.exists() else ""


def names(text):
    """The names of all bins, of an array each: "distance[3]"."""
    found = []
    for kind, name, first, last, _ in STATEMENT.findall(text):
        if kind == "bin":
            found += [f"{name}[{n}]" for n in range(int(first), int(last) + 1)] if last else [name]
    return found


def holes(text):
    """{bin: why nothing reaches it}"""
    return {f"{name}[{n}]" if n else name: " ".join(reason.split()) for kind, name, n, _, reason in STATEMENT.findall(text) if kind == "hole"}


def in_runs(name):
    """([(words of `cowarp run`, bins reached, of)], bins that none of these runs reaches): what scripts/gpu_bins has kept of GPU runs."""
    words, missing = dict(facts.items(facts.section(RUNS, "runs"))), dict(facts.items(facts.section(RUNS, "not reached")))
    rows = [row for _, rows in facts.tables(facts.section(RUNS, "units")) for row in rows if row[0] == name]
    return [(words[run], int(have), int(count)) for _, run, have, count in rows], [one for one in missing.get(name, "none").split(", ") if one != "none"]


def run_lines(name):
    runs, missing = in_runs(name)
    if not runs:
        return ["  no run is kept: it is inside another unit"]
    found = [facts.wrap(f"`cowarp run {words}` reaches {have} of {count}", "  ") for words, have, count in runs]
    return found + ([facts.wrap(f"no such run reaches: {', '.join(missing)}", "  ")] if missing else [])


def lines(name):
    """For `cowarp unit`: the bins in the file's groups, then the holes, then what runs of the GPU reach."""
    text = read(name)
    all_bins, missing = names(text), holes(text)
    if not all_bins:
        return []
    found = [f"  random lockstep reaches {len(all_bins) - len(missing)} of {len(all_bins)}"]
    groups = []
    for head, bin_name, first, last in GROUP.findall(text):
        if head:
            groups.append((head, []))
        else:
            groups[-1][1].append(bin_name.replace("_", " ") + (f" {first} to {last}" if last else ""))
    found += [facts.wrap(f"{head}: {', '.join(inside)}", "  ") for head, inside in groups if inside]
    found += [facts.wrap(f"not reached: {bin_name}: {reason}", "  ") for bin_name, reason in missing.items()]
    return found + run_lines(name)
