#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs public CUDA programs, which a user has built, on the preset gpgpusim-gtx480, and compares their cycles with GPGPU-Sim's.

Usage: compare.py FOLDER [--cowarp PATH] [--kernels FILE] [--only REGEX] [--seconds N] [--jobs N] [--table FILE] [--options "..."]

FOLDER has the executables, under the names of gpgpusim.csv beside this file, and their inputs; each was linked with -cudart shared. What is not
there is passed over and counted. gpgpusim.csv has a row for each kernel of each program: how often it is launched, its registers, and
GPGPU-Sim's cycles and thread instructions, summed over the launches. Programs get the same registers.

A kernel that executes more than three percent more or fewer instructions than the file says is of other PTX, or has another input. It is named
and not compared.
Kernels are compared by IPC (Pearson's correlation) and by the mean of |cycles here / cycles there - 1|. --table writes a row for each program.
The exit status is 1 when a program failed or did not launch what the file says."""
import math
import pathlib
import statistics
import sys
import tempfile

import programs

PRESET = "gpgpusim-gtx480"
RACES = 0.03  # threads of bfs race for nodes: who comes first decides how many instructions there are
HEAD = ["| program | launches | GPGPU-Sim, cycles | ratio |", "|---|---:|---:|---:|"]


def by_program(rows):
    """{(program, arguments): its rows, one for each kernel}, in the order of the file."""
    found = {}
    for row in rows:
        found.setdefault((row["program"], row["arguments"]), []).append(row)
    return found


def usage(rows):
    """The registers of the kernels, as ptxas prints them."""
    return "".join(f"ptxas info : Compiling entry function '{row['kernel']}' for 'sm_20'\nptxas info : Used {row['registers']} registers\n" for row in rows)


def run(rows, settings):
    """(why it failed or None, {kernel: [launches, cycles, thread instructions]})."""
    with tempfile.TemporaryDirectory() as place:
        registers = pathlib.Path(place) / "usage.txt"
        registers.write_text(usage(rows))
        done, data = programs.simulate(rows[0], settings, ["--preset", PRESET, "--resource-usage", registers, "--per", "launch"])
    why = programs.failure(done, settings)
    sums = {}
    for launch in data.get("per_launch", []) if why is None else []:
        of = sums.setdefault(launch["kernel"], [0, 0, 0])
        for place, number in enumerate((1, launch["cycles"], launch["counters"]["thread_instructions"])):
            of[place] += number
    return why, sums


def compare(rows, sums):
    """([(cycles there, cycles here, IPC there, IPC here)] of the kernels that are the same, what is wrong, what is other PTX)."""
    pairs, wrong, other = [], [], []
    for row in rows:
        launches, cycles, work = sums.get(row["kernel"], (0, 0, 0))
        there, wanted = int(row["cycles"]), int(row["thread_instructions"])
        if launches != int(row["launches"]):
            wrong.append(f"{row['kernel']} was launched {launches} times, not {row['launches']}")
        elif abs(work - wanted) > RACES * wanted:
            other.append(f"{row['kernel']} executes {work} thread instructions, not {wanted}: it is made of other PTX, or has another input")
        else:
            pairs.append((there, cycles, wanted / there, work / cycles))
    return pairs, wrong, other


def correlation(a, b):
    """Pearson's, or nan where one of the lists does not vary."""
    try:
        return statistics.correlation(a, b)
    except statistics.StatisticsError:
        return math.nan


def conclusion(pairs, what):
    if not pairs:
        return f"0 {what} compared"
    ratios = [here / there for there, here, *_ in pairs]
    mean = statistics.geometric_mean(ratios)
    return (f"{len(pairs)} {what}: IPC correlation {correlation([p[2] for p in pairs], [p[3] for p in pairs]):.3f}, mean absolute error of cycles "
            f"{100 * sum(abs(r - 1) for r in ratios) / len(ratios):.1f} percent, geometric mean {mean:.3f}")


def whole(pairs, rows):
    """A program as one pair: cycles and instructions of its compared kernels, summed."""
    there, here = sum(p[0] for p in pairs), sum(p[1] for p in pairs)
    work = sum(p[0] * p[2] for p in pairs)
    return there, here, work / there, work / here


def main():
    parser = programs.parser(__doc__, 600)
    parser.add_argument("--kernels", type=pathlib.Path, default=programs.HERE / "gpgpusim.csv")
    parser.add_argument("--jobs", type=int, default=1)
    settings = parser.parse_args()
    there, absent = (by_program(rows) for rows in programs.chosen(programs.read(settings.kernels)[1], settings))
    kernels, wholes, lines, bad = [], [], [], 0
    results = programs.runner.results(lambda key: run(there[key], settings), there, settings.jobs, "programs", lambda key: (" ".join(key), None))
    for (program, arguments), (failure, sums) in zip(there, results):
        rows = there[program, arguments]
        pairs, wrong, other = compare(rows, sums) if failure is None else ([], [failure], [])
        bad += bool(wrong)
        for words in wrong + other:
            print(f"{program}: {words}", flush=True)
        if pairs:
            kernels += pairs
            wholes.append(whole(pairs, rows))
            lines.append(f"| {program} | {sum(int(row['launches']) for row in rows)} | {wholes[-1][0]} | {wholes[-1][1] / wholes[-1][0]:.2f} |")
            print(lines[-1], flush=True)
    print(conclusion(kernels, "kernels"))
    print(conclusion(wholes, "programs") + f"; {bad} failed, {len(absent)} are not in {settings.folder}")
    if settings.table is not None:
        settings.table.write_text("\n".join(HEAD + lines) + "\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(programs.statsfile.run_main("compare.py", main))
