#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every component's state is whole: the runs of unmoved.py with --renew, which saves, destroys, makes anew and loads all components every so many
cycles. No counter may differ from tests/system/unmoved.json. A run with a part that cannot be saved is refused by name, and counted.

    tests/system/renewed.py COWARP [--cycles N] [--only PATTERN] [--every N] [--jobs N] [--most-refused N]
"""
import argparse
import collections
import concurrent.futures
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cowarp", type=pathlib.Path)
    parser.add_argument("--cycles", type=int, default=701, help="a renewal after each so many; in longer runs after more, and at most 800 times")
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--most-refused", type=int, default=10**6, help="more runs that cannot be saved are a fault")
    args = parser.parse_args()
    reference = json.loads(unmoved.REFERENCE.read_text())
    cowarp = args.cowarp.resolve()
    runs = [run for run in unmoved.table() if re.search(args.only, run) and "fails" not in run.split()][::args.every]
    moved, refused = 0, collections.Counter()
    cycles, unknown = reference["known"].index("cycles"), [0] * len(reference["known"])
    with tempfile.TemporaryDirectory(prefix="renewed-") as folder, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        places = [pathlib.Path(folder) / str(i) for i in range(len(runs))]
        steps = [max(args.cycles, reference["runs"].get(run, unknown)[cycles] // RENEWALS | 1) for run in runs]
        for run, (part, found) in zip(runs, pool.map(simulate, [cowarp] * len(runs), runs, places, steps)):
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
    sys.exit(main())
