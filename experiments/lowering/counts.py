#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Static instructions and registers of kernels, beside what ptxas makes of the same text.

    experiments/lowering/counts.py BUILD [FILE.ptx ...] > experiments/lowering/counts.csv

Without files it takes the workloads' kernels that call no mechanism. It prints a table, and to standard error what docs/model.md quotes. ptxas has to be on the PATH or in /usr/local/cuda/bin. Loops are not unrolled there, as they are not here, and
subroutines for rare values do not count.
"""
import argparse
import math
import os
import pathlib
import subprocess
import sys

import machine


def own(build, files):
    """{(file, kernel): (micro-operations, slots, words, loads of shared memory by four widths)}"""
    out = subprocess.run([build / "ptx_slots", "qv100", *files], capture_output=True, text=True)
    if out.returncode != 0:
        sys.exit(out.stderr.strip())
    rows = (line.split() for line in out.stdout.splitlines())
    return {(pathlib.Path(path), name): tuple(map(int, numbers)) for path, name, *numbers in rows}


def spread(ratios):
    """Geometric mean, and the mean of what they are off."""
    logs = [math.log(r) for r in ratios]
    return math.exp(sum(logs) / len(logs)), 100 * (math.exp(sum(map(abs, logs)) / len(logs)) - 1)


def asked(about):
    """The build, and the files that the command line names or else the workloads'. The toolkit is on the PATH then."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    os.environ["PATH"] += os.pathsep + "/usr/local/cuda/bin"
    return args.build.resolve(), args.files or sorted((args.build / "kernels").glob("*.ptx"))


def main():
    build, files = asked(__doc__)
    mine, rows, refused = own(build, files), [], []
    for path in files:
        theirs = machine.assemble(path.read_text())
        if isinstance(theirs, str):
            refused.append(f"{path.name}: {theirs}")
            continue
        for name, (codes, registers) in theirs.items():
            if (path, name) in mine:
                ops, slots, words = mine[path, name][:3]
                rows.append((path.stem, name, ops, slots, len(codes), words, registers))
    rows.sort(key=lambda row: row[4])
    print("file,kernel,ptx,issue_slots,ptxas,live_words,registers")
    for row in rows:
        print(",".join(map(str, row)))
    for what, number, other in (("PTX", 2, 4), ("issue slots", 3, 4), ("live words", 5, 6)):
        mean, off = spread([row[number] / row[other] for row in rows])
        print(f"{what} beside ptxas, {len(rows)} kernels: geometric mean {mean:.2f}, off by {off:.0f} percent", file=sys.stderr)
    for line in refused:
        print(f"without: {line}", file=sys.stderr)
    return int(len(rows) == 0)


if __name__ == "__main__":
    sys.exit(main())
