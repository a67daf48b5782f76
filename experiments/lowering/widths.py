#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loads of shared memory by their width, beside those that ptxas makes of the same text.

    experiments/lowering/widths.py BUILD [FILE.ptx ...]

It takes the kernels of wide.cu, compiled by nvcc, those of the files, and without files the workloads'. It prints the kernels whose loads differ, each with
its loads of 8 or 16, 32, 64 and 128 bits, and at the end how many are alike. nvcc and ptxas have to be on the PATH or in
/usr/local/cuda/bin.
"""
import collections
import pathlib
import struct
import subprocess
import sys
import tempfile

import counts
import machine

LDS = 0x984
PLACES = {4: 1, 5: 2, 6: 3}  # by the field of the width, in three bits of the higher word from bit 9 on; the others are narrower


def theirs(path):
    """{kernel: loads by four widths}; none where ptxas refuses the text."""
    found = {}
    for name, words in machine.texts(path.read_text()).items():
        places = collections.Counter(PLACES.get(high >> 9 & 7, 0) for low, high in words if low & 0xFFF == LDS)
        found[name] = tuple(places[i] for i in range(4))
    return found


def main():
    build, files = counts.asked(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        small = pathlib.Path(folder) / "wide.ptx"
        source = pathlib.Path(__file__).resolve().with_name("wide.cu")
        subprocess.run(["nvcc", "-ptx", f"-arch={machine.ARCHITECTURE}", "-o", small, source], check=True)
        alike = collections.Counter()
        for path in [small, *files]:
            cards = theirs(path)
            for (_, name), numbers in counts.own(build, [path]).items():
                ours = numbers[3:]
                if name not in cards or not any(ours + cards[name]):
                    continue
                alike[ours == cards[name]] += 1
                if ours != cards[name]:
                    print(f"{path.name} {name}: {ours}, ptxas {cards[name]}")
    print(f"{alike[True]} of {alike.total()} kernels have the loads of shared memory that ptxas makes")
    return int(alike.total() == 0)


if __name__ == "__main__":
    sys.exit(main())
