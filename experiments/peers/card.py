#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs whole public CUDA programs, which a user has built, on the preset of a card, and compares their cycles with the card's.

Usage: card.py FOLDER [--cowarp PATH] [--rows FILE] [--preset NAME] [--only REGEX] [--seconds N] [--table FILE] [--options "..."]

FOLDER has the executables, under the names of v100.csv beside this file, and their inputs (inputs.py); each was linked with -cudart shared. What is
not there is passed over and counted. v100.csv has for each row the published cycles, and cowarp's when the file was made; --table writes it anew.
Prints a Markdown table, the mean of |here / card - 1| in percent, the same of the other simulator over the same rows, and the correlation of
logarithms. The exit status is 1 when a program failed."""
import argparse
import csv
import json
import math
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

import campaign


def cycles_of(row, folder, settings):
    """(why it failed or None, core cycles of all launches)."""
    with tempfile.TemporaryDirectory() as place:
        stats = pathlib.Path(place) / "stats.json"
        command = [settings.cowarp, "cuda", "--preset", settings.preset, "--stats", stats, *shlex.split(settings.options), "--", folder / row["program"],
                   *shlex.split(row["arguments"])]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=settings.seconds)
        except subprocess.TimeoutExpired:
            return f"did not end in {settings.seconds:g} s", 0
        if done.returncode != 0 or not stats.is_file():
            return f"status {done.returncode}: {done.stderr.strip().splitlines()[-1:]}", 0
        return None, json.loads(stats.read_text())["cycles"]


def error(rows, column):
    return statistics.fmean(abs(int(row[column]) / int(row["card_cycles"]) - 1) for row in rows) * 100


def summary(rows):
    here, card = ([math.log(int(row[column])) for row in rows] for column in ("cowarp_cycles", "card_cycles"))
    together = f", correlation of logarithms {statistics.correlation(here, card):.3f}" if len(rows) > 2 else ""
    return f"{len(rows)} programs: mean error {error(rows, 'cowarp_cycles'):.1f} percent (Accel-Sim {error(rows, 'accelsim_cycles'):.1f}){together}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cowarp", default="cowarp")
    parser.add_argument("--rows", type=pathlib.Path, default=pathlib.Path(__file__).parent / "v100.csv")
    parser.add_argument("--preset", default="qv100")
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--options", default="")
    settings = parser.parse_args()
    settings.cowarp = campaign.place_of(settings.cowarp)
    folder, lines = settings.folder.resolve(), settings.rows.read_text().splitlines(keepends=True)
    comments = [line for line in lines if line.startswith("#")]
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    ended, failed, absent = [], 0, 0
    print("| suite | program | arguments | card | Accel-Sim | cowarp | ratio |\n|---|---|---|---:|---:|---:|---:|")
    for row in rows:
        if not re.search(settings.only, row["program"]):
            continue
        if not (folder / row["program"]).is_file():
            absent += 1
            continue
        why, cycles = cycles_of(row, folder, settings)
        if why is not None:
            print(f"{row['program']}: {why}", file=sys.stderr)
            failed += 1
            continue
        row["cowarp_cycles"] = cycles
        ended.append(row)
        card = int(row["card_cycles"])
        print(f"| {row['suite']} | `{row['program']}` | {row['arguments']} | {card:,} | {int(row['accelsim_cycles']):,} | {cycles:,} | {cycles / card:.2f} |", flush=True)
    print(f"\n{summary(ended) if ended else 'nothing ran'}; {failed} failed, {absent} are not in {settings.folder}")
    if settings.table is not None:
        with settings.table.open("w", newline="") as file:
            file.writelines(comments)
            table = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            table.writeheader()
            table.writerows(rows)
    return 1 if failed or not ended else 0


if __name__ == "__main__":
    sys.exit(main())
