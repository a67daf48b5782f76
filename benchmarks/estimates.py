#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Estimated cycles beside timed ones, program by program (docs/functional.md, Estimates).

    benchmarks/estimates.py build/cowarp [--percent 1] [--only REGEX] [--csv FILE]

Runs each workload of estimates.csv twice, timed and with --estimate, and prints the cycles of both, what they differ by and half of the interval, both in percent, whether the
interval holds the timed cycles, the share of the warp instructions that were timed, and the processor seconds of both runs. Cycles are exact; seconds
are of this machine. Exit status 1 when a run fails, 0 whatever the estimates are.
"""
import argparse
import csv
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROWS = pathlib.Path(__file__).resolve().with_suffix(".csv")  # what has been measured so; its programs are the ones that are run
COLUMNS = ["program", "cycles", "estimate", "error_percent", "half_percent", "held", "timed_percent", "seconds_timed", "seconds_estimated"]


def programs():
    """Arguments of `cowarp run` of the rows of estimates.csv."""
    lines = [line for line in ROWS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [row["program"].removeprefix("run ") for row in csv.DictReader(lines) if row["program"].startswith("run ")]


def run(cowarp, words, folder):
    """Statistics of a run, and its processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    stats = pathlib.Path(folder) / "stats.json"
    done = subprocess.run([cowarp, "run", *words, "--quiet", "--stats", stats], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
    return json.loads(stats.read_text()), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def compare(cowarp, program, percent, folder):
    """A row of the table."""
    words = program.split()
    timed, seconds_timed = run(cowarp, words, folder)
    estimated, seconds_estimated = run(cowarp, [*words, "--estimate", str(percent)], folder)
    e, cycles = estimated["estimate"], timed["cycles"]
    share = e["timed_warp_instructions"] / (e["timed_warp_instructions"] + e["untimed_warp_instructions"])
    held = abs(e["cycles"] - cycles) <= max(e["half"], 1)
    return [program, cycles, round(e["cycles"]), f"{100 * (e['cycles'] / cycles - 1):+.2f}", f"{100 * e['half'] / e['cycles']:.2f}", "yes" if held else "no",
            f"{100 * share:.1f}", f"{seconds_timed:.1f}", f"{seconds_estimated:.1f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cowarp")
    parser.add_argument("--percent", type=float, default=1, help="what is asked of each estimate")
    parser.add_argument("--only", default="", metavar="REGEX", help="programs that it matches")
    parser.add_argument("--csv", metavar="FILE", help="the table as a file, too")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="estimates-") as folder:
        for program in (p for p in programs() if re.search(options.only, p)):
            rows.append(compare(options.cowarp, program, options.percent, folder))
            print("  ".join(f"{name} {value}" for name, value in zip(COLUMNS, rows[-1])), flush=True)
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as out:
            csv.writer(out, lineterminator="\n").writerows([COLUMNS, *rows])
    held = sum(row[5] == "yes" for row in rows)
    errors = [abs(float(row[3])) for row in rows]
    print(f"{len(rows)} programs; the interval holds {held}; mean error {sum(errors) / len(rows):.2f} percent, largest {max(errors):.2f}" if rows else "no program")
    return 0 if rows else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as failed:
        sys.exit(str(failed))
