#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of 128 bits as nvcc makes it of words with carries, against Python's integers: wide_test.py BUILD/cowarp [unittest arguments]."""
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

COWARP = ""
PTX = pathlib.Path(__file__).resolve().parents[1] / "ptx_exec/wide.ptx"
THREADS, WORD = 1024, 1 << 128


def signed(v):
    return v - WORD if v >> 127 else v


def results(a, b):
    x, y = signed(a), signed(b)
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)  # C rounds to zero
    return [v % WORD for v in (a // b, a % b, quotient, x - quotient * y, a * b, a - b, (x < y) + 2 * (a < b))]


def operand(rng):
    """Of any width, with runs of ones and zeros, since carries go through those."""
    v = rng.getrandbits(rng.randint(1, 128))
    if rng.random() < .4:
        v ^= (1 << rng.randint(0, 128)) - (1 << rng.randint(0, 64))
    return v % WORD


class Wide(unittest.TestCase):
    def check(self, *options):
        rng = random.Random(43)
        pairs = [(operand(rng), operand(rng) or 1) for _ in range(THREADS)]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "in").write_bytes(b"".join(v.to_bytes(16, "little") for pair in pairs for v in pair))
            done = subprocess.run([COWARP, "exec", PTX, "--kernel", "wide", "--grid", "8", "--block", str(THREADS // 8), "--arg", "in:in", "--arg",
                                   f"out:out:{THREADS * 112}", *options], capture_output=True, text=True, timeout=120, cwd=path)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            data = (path / "out").read_bytes()
        got = [int.from_bytes(data[i:i + 16], "little") for i in range(0, len(data), 16)]
        for t, (a, b) in enumerate(pairs):
            self.assertEqual([hex(v) for v in got[7 * t:7 * t + 7]], [hex(v) for v in results(a, b)], f"{a:#x}, {b:#x}")

    def test_timed(self):
        self.check()

    def test_functional(self):
        self.check("--functional")


if __name__ == "__main__":
    COWARP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
