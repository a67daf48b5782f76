#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every policy of control flow on public CUDA programs that a user has built, on the two machines of figures.py: speed over the SIMT stack.

Usage: public.py FOLDER [--cowarp PATH] [--only REGEX] [--seconds N] [--table FILE] [--options "..."]

FOLDER has the executables, under the names of public.csv beside this file, and their inputs (experiments/peers/inputs.py); each was linked with
-cudart shared, and has its kernels as PTX. Prints a Markdown table, of a row per program, with `-` where a policy refuses a program, `wrong` where its own check fails,
and `no end` where it does not end. --table writes it as CSV. The exit status is 1 when the SIMT stack fails."""
import csv
import math
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[0]), str(HERE.parents[0] / "peers")]
import figures  # noqa: E402
import programs  # noqa: E402


def cycles(row, settings, machine, policy):
    """Cycles of the program, or what a cell says instead."""
    words = ["--preset", machine] + [word for key, value in sorted(dict(figures.MACHINES[machine] + policy).items()) for word in ("--set", f"{key}={value}")]
    done, data = programs.simulate(row, settings, words)
    if done is None or "watchdog" in done.stderr:
        return "no end"
    said = done.stdout + done.stderr
    refused = re.search(r"works on a static warp|set core\.|cannot run", done.stderr) is not None
    if done.returncode != 0 or "launch has failed" in said or "launches have failed" in said:
        return "-" if refused else "wrong"
    right = (not row["says"] or re.search(row["says"], said)) and not (row["never"] and re.search(row["never"], said))
    return data["cycles"] if right else "wrong"


def speeds(row, settings):
    """{(machine, policy): speed over the stack, or why there is none}."""
    found = {}
    for machine, names in figures.FITS.items():
        base = cycles(row, settings, machine, figures.PDOM)
        if isinstance(base, str):
            sys.exit(f"public.py: {row['program']}: {base} under core.divergence=pdom on {machine}; run it by itself")
        for name in names:
            took = cycles(row, settings, machine, figures.POLICIES[name])
            found[machine, name] = took if isinstance(took, str) else base / took
    return found


def gmean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else "-"


def cell(value):
    return value if isinstance(value, str) else f"{value:.2f}"


def main():
    settings = programs.parser(__doc__, 300).parse_args()
    _, rows = programs.read(HERE / "public.csv")
    there, absent = programs.chosen(rows, settings)
    if not there:
        sys.exit(f"public.py: {settings.folder} has none of the programs of {HERE / 'public.csv'}")
    table = {row["program"]: speeds(row, settings) for row in there}
    columns = [(machine, name) for machine, names in figures.FITS.items() for name in names]
    table["GMEAN"] = {column: gmean([of[column] for of in table.values() if not isinstance(of[column], str)]) for column in columns}
    lines = [["program"] + [f"{machine} {name}" for machine, name in columns]]
    lines += [[program] + [cell(of[column]) for column in columns] for program, of in table.items()]
    for number, line in enumerate(lines):
        print("| " + " | ".join(line) + " |" + ("\n" + "|---" * len(line) + "|" if number == 0 else ""))
    print(f"{len(there)} programs; {len(absent)} are not there")
    if settings.table:
        with open(settings.table, "w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows(lines)


if __name__ == "__main__":
    main()
