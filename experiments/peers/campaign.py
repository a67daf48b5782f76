#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs public CUDA programs, which a user has built, under `cowarp cuda`, and says of each whether its own check holds.

Usage: campaign.py FOLDER [--cowarp PATH] [--programs FILE] [--only REGEX] [--timed] [--seconds N] [--table FILE] [--options "..."]

FOLDER has the executables, under the names of programs.csv beside this file, and their inputs; each was linked with -cudart shared. What is
not there is passed over and counted. programs.csv has for each program its arguments, options of `cowarp cuda`
that it needs, the files that it reads, how often it launches (empty: that
depends on its input), what its own check says when it holds (a regular expression; empty: it has no check), and what it must not say.

Without --timed no time is simulated. --seconds ends a program (default 600). --options are further options of `cowarp cuda`. --table writes the
results as CSV, as campaign.csv beside this file has them. `refused` is a program that asks for what is not there, and is told its name; `waived` one
that says itself that the device is not for it. The exit status is 1 when a program was wrong or did not end."""
import csv
import pathlib
import re
import sys
import time

import programs


def run(row, settings):
    """(result, launches, work, seconds) of a program: work is cycles, or thread instructions where no time was simulated."""
    begin = time.monotonic()
    done, data = programs.simulate(row, settings, [] if settings.timed else ["--functional"])
    seconds = time.monotonic() - begin
    if done is None:
        return "did not end", None, None, seconds
    counters = data.get("counters", {})
    functional = counters.get("functional_launches", {}).get("value", 0)
    manifest = data.get("manifest", {})
    launches = sum(launch["times"] for launch in manifest.get("launches", [])) + manifest.get("launches_left_out", 0)
    work = counters.get("functional_thread_instructions", {}).get("value", 0) if functional else data.get("cycles", 0)
    return judge(row, done, launches), launches, work, seconds


def refusal(stderr):
    """What cowarp names that it does not run, of its last line of the kind; None: nothing."""
    why = [re.sub(r"^cowarp: (?:/\S*/)?", "", line) for line in stderr.splitlines() if line.startswith("cowarp: ") and "preset" not in line]
    named = [line for line in why if re.search(r"is not there; it answers|a call ends the program|cannot run|is part of the program", line)]
    return (named[-1] if named else None), why


def unexpected(row, said, launches):
    """What an output lacks or should not have; None: it is right, or the row says nothing of it."""
    if row["never"] and re.search(row["never"], said, re.MULTILINE):
        return f"says {row['never']}"
    if row["says"] and not re.search(row["says"], said, re.MULTILINE):
        return f"does not say {row['says']}"
    if row["launches"] and int(row["launches"]) != launches:
        return f"{launches} launches, not {row['launches']}"
    return None


def judge(row, done, launches):
    named, why = refusal(done.stderr)
    if done.returncode == 2 and (named is None or "part of the program" not in named):  # EXIT_WAIVED of cuda-samples
        return "waived: " + next((line for line in reversed(done.stdout.split("\n")) if line.strip()), "").strip()
    wrong = unexpected(row, done.stdout + done.stderr, launches)
    if named is not None and (done.returncode != 0 or wrong is not None):  # some programs end with 0 behind a launch that is refused
        return f"refused: {named}"
    if done.returncode != 0:
        return f"wrong: status {done.returncode}: " + (why[0] if why else "the program says so")
    if wrong is not None:
        return f"wrong: {wrong}"
    if row["says"] or row["never"]:
        return "right"
    failed = re.search(r"(\d+) launch(?:es have| has) failed", done.stderr)  # of which a program without a check may say nothing
    if failed is None:
        return "ended"
    return f"wrong: {failed[1]} launches failed" if named is None else f"refused: {named}"


def main():
    parser = programs.parser(__doc__, 600)
    parser.add_argument("--programs", type=pathlib.Path, default=programs.HERE / "programs.csv")
    parser.add_argument("--timed", action="store_true")
    settings = parser.parse_args()
    rows, absent = programs.chosen(programs.read(settings.programs)[1], settings)
    lines, bad = [], 0
    done = programs.runner.results(lambda row: run(row, settings), rows, 1, "programs", lambda row: (row["program"], None))
    for row, (result, launches, work, seconds) in zip(rows, done):
        bad += result.split(":")[0] not in ("right", "ended", "refused", "waived")
        lines.append([row["suite"], row["program"], result, launches, work, f"{seconds:.1f}"])
        print(*("-" if word is None else word for word in lines[-1]), sep="  ", flush=True)
    print(f"{len(lines)} programs, {bad} of them wrong or without an end; {len(absent)} are not in {settings.folder}")
    if settings.table is not None:
        with settings.table.open("w", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerows([["suite", "program", "result", "launches", "cycles" if settings.timed else "thread_instructions", "host_seconds"], *lines])
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(programs.statsfile.run_main("campaign.py", main))
