#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs public CUDA programs, which a user has built, on the preset of a card, and compares their cycles with the card's.

Usage: card.py FOLDER [--cowarp PATH] [--rows FILE] [--preset NAME] [--only REGEX] [--seconds N] [--table FILE] [--options "..."]

FOLDER has the executables, under the names of v100.csv beside this file, and their inputs (inputs.py); each was linked with -cudart shared. What is
not there is passed over and counted. v100.csv has for each row the published cycles, and cowarp's when the file was made; --table writes it anew.
Other files beside this one have kernels of cards.cu (--rows titanv.csv --preset titanv): of those, one launch counts, and --only may name arguments.
Prints a Markdown table, the mean of |here / card - 1| in percent, the same of the other simulator over the same rows, and the correlation of
logarithms. The exit status is 1 when a program failed."""
import csv
import math
import pathlib
import statistics
import sys

import programs

HEAD = ["| program | card | ratio | Accel-Sim's |", "|---|---:|---:|---:|"]
HEAD_KERNELS = ["| kernel | card | ratio | note |", "|---|---:|---:|---|"]
APART = ("floor", "micro", "unmeasured")  # notes of rows that do not count; micro: keys of the preset were chosen by it


def line(row):
    """A row of the table in docs/measured.md. Programs that are there twice differ in their first argument."""
    card = int(row["card_cycles"])
    if "launch" in row:
        return f"| {row['arguments']} | {card} | {int(row['cowarp_cycles']) / card:.2f} | {row['note']} |"
    name = row["program"] + (f" {row['arguments'].split()[0]}" if row["twice"] else "")
    return f"| {name} | {card} | {int(row['cowarp_cycles']) / card:.2f} | {int(row['accelsim_cycles']) / card:.2f} |"


def error(rows, column):
    """The mean of |cycles / card's - 1|, in percent."""
    return statistics.fmean(abs(int(row[column]) / int(row["card_cycles"]) - 1) for row in rows) * 100


def counted(rows):
    """The rows of kernels that have been run, and say something about the card."""
    return [row for row in rows if row["cowarp_cycles"] and row["note"] not in APART]


def brief(preset, rows):
    """How the line of a card in docs/measured.md begins."""
    rows = counted(rows)
    return f"| `{preset}` | {len(rows)} | {error(rows, 'cowarp_cycles'):.1f} |"


def summary(rows):
    if rows and "launch" in rows[0]:
        rows = counted(rows)
        return f"{len(rows)} rows: mean error {error(rows, 'cowarp_cycles'):.1f} percent" if rows else "no rows that count"
    here, card = ([math.log(int(row[column])) for row in rows] for column in ("cowarp_cycles", "card_cycles"))
    together = f", correlation of logarithms {statistics.correlation(here, card):.3f}" if len(rows) > 2 else ""
    return f"{len(rows)} programs: mean error {error(rows, 'cowarp_cycles'):.1f} percent (Accel-Sim {error(rows, 'accelsim_cycles'):.1f}){together}"


def read(path):
    """As programs.read; `twice` of a row: whether another one has its program."""
    comments, rows = programs.read(path)
    names = [row["program"] for row in rows]
    return comments, [{**row, "twice": names.count(row["program"]) > 1} for row in rows]


def launches(row, data):
    """The cycles of the row's launches: of all when it says cold, and else of the second half."""
    cycles = [launch["cycles"] for launch in data["per_launch"]]
    return sum(cycles if row["launch"] == "cold" else cycles[len(cycles) // 2:])


def run(row, settings):
    """(cycles, None), or (None, why there are none)."""
    words, total = ["--preset", settings.preset], 0
    if "launch" in row:
        words += ["--per", "launch", *(["--set", "l2.host_copies=off"] if row["launch"] == "cold" else [])]
    once = " 1" if row.get("launch") == "cold" else ""
    for arguments in row["arguments"].split(" + "):
        done, data = programs.simulate({**row, "arguments": arguments + once}, settings, words)
        why = programs.failure(done, settings)
        if why is not None:
            return None, why
        total += launches(row, data) if "launch" in row else data["cycles"]
    return total, None


def main():
    parser = programs.parser(__doc__, 1800)
    parser.add_argument("--rows", type=pathlib.Path, default=programs.HERE / "v100.csv")
    parser.add_argument("--preset", default="qv100")
    settings = parser.parse_args()
    comments, rows = read(settings.rows)
    there, absent = programs.chosen(rows, settings)
    ended, failed = [], 0
    print("\n".join(HEAD_KERNELS if "launch" in rows[0] else HEAD))
    for row in there:
        cycles, why = run(row, settings)
        if why is not None:
            print(f"{row['program']} {row['arguments']}: {why}", file=sys.stderr)
            failed += 1
            continue
        row["cowarp_cycles"] = cycles
        ended.append(row)
        print(line(row), flush=True)
    print(f"\n{summary(ended) if ended else 'nothing ran'}; {failed} failed, {len(absent)} are not in {settings.folder}")
    if settings.table is not None:
        with settings.table.open("w", newline="") as file:
            file.writelines(comments)
            table = csv.DictWriter(file, [name for name in rows[0] if name != "twice"], lineterminator="\n", extrasaction="ignore")
            table.writeheader()
            table.writerows(rows)
    return 1 if failed or not ended else 0


if __name__ == "__main__":
    sys.exit(programs.statsfile.run_main("card.py", main))
