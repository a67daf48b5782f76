#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every component's state is whole: the runs of unmoved.py with --renew, which saves, destroys, makes anew and loads all components every so many
cycles. No counter may differ from tests/system/unmoved.json. A run with a part that cannot be saved is refused by name, and counted.

    tests/system/renewed.py COWARP [--cycles N] [--only PATTERN] [--every N [--from K]] [--each] [--most N] [--jobs N] [--most-refused N]

--each takes of each preset, system, persistency model and policy of control the run with the fewest cycles.
"""
import argparse
import collections
import json
import pathlib
import re
import sys
import tempfile

import unmoved

RENEWALS = 800  # A renewal takes some 20 ms, and runs end after unmoved.TIMEOUT_S.
ORACLES = ("--check-serial", "--check-persist")  # they hear a run from its beginning, and cannot be saved


def simulate(cowarp, run, folder, cycles):
    folder.mkdir()
    (folder / "words").write_bytes(b"".join((i * 2654435761 % 2**32).to_bytes(4, "little") for i in range(8192)))
    line = [word for word in unmoved.command(cowarp, run) if word not in ORACLES]
    line += ["--omit-host-seconds", "--stats", "stats.json", "--renew", str(cycles)]
    status, _, stderr = unmoved.execute(line, folder, {"COWARP_CACHE": str(cowarp.parent / "rtl"), **unmoved.os.environ})
    refused = re.search(r"state of (\w+).*cannot be saved|: (\S+) cannot be saved", stderr)
    if refused:
        return refused.group(1) or refused.group(2), None
    if not (folder / "stats.json").is_file():
        return None, f"has not ended in {unmoved.TIMEOUT_S} s" if status is None else f"status {status}: {stderr.strip()[:300]}"
    stats = json.loads((folder / "stats.json").read_text())
    return None, {"cycles": stats["cycles"], **{name: counter["value"] for name, counter in stats["counters"].items()}}


def named(run):
    """What the run is one of: its words that name a part of the machine."""
    return [word for word in run.split()[1:] if "=" not in word and word not in ("check-serial", "check-persist")
            or re.match(r"(preset|persistency|core[.](divergence|memory|lowering))=", word)]


def shortest_of_each(runs, cycles):
    """A run for each of what they name."""
    chosen = {}
    for run in sorted(runs, key=cycles):
        for word in named(run):
            chosen.setdefault(word, run)
    return [run for run in runs if run in set(chosen.values())]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cowarp", type=pathlib.Path)
    parser.add_argument("--cycles", type=int, default=701, help="a renewal after each so many; in longer runs after more")
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first of these runs")
    parser.add_argument("--each", action="store_true", help="one run of each part of the machine")
    parser.add_argument("--most", type=int, default=RENEWALS, help="renewals of a run")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--most-refused", type=int, default=10**6, help="more runs that cannot be saved are a fault")
    args = parser.parse_args()
    reference = json.loads(unmoved.REFERENCE.read_text())
    cowarp = args.cowarp.resolve()
    moved, refused = 0, collections.Counter()
    at, unknown = reference["known"].index("cycles"), [0] * len(reference["known"])

    def cycles(run):
        return reference["runs"].get(run, unknown)[at]

    runs = [run for run in unmoved.table() if re.search(args.only, run) and "fails" not in run.split()][args.first::args.every]
    runs = shortest_of_each(runs, cycles) if args.each else runs
    with tempfile.TemporaryDirectory(prefix="renewed-") as folder:
        def renew(run):
            return simulate(cowarp, run, pathlib.Path(folder) / str(runs.index(run)), max(args.cycles, cycles(run) // args.most | 1))
        for run, (part, found) in zip(runs, unmoved.runner.results(renew, runs, args.jobs)):
            if part:
                refused[part] += 1
                continue
            before = dict(zip(reference["known"], reference["runs"].get(run, [])))
            lines = [found] if isinstance(found, str) else [f"{name}: {before.get(name, 0)} -> {value}" for name, value in found.items()
                                                            if before.get(name, 0) != value and name in reference["known"]]
            moved += bool(lines)
            for line in lines[:3]:
                print(f"{run}: {line}")
    print(f"{len(runs)} runs, {moved} moved, {sum(refused.values())} refused" + "".join(f"; {part} {cnt}" for part, cnt in refused.most_common()))
    return int(moved > 0 or sum(refused.values()) > args.most_refused)


if __name__ == "__main__":
    sys.exit(unmoved.statsfile.run_main("renewed.py", main))
