#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operations across the lanes of tiles of a warp, as nvcc makes them, and barriers that threads name one by one: lanes_test.py BUILD/cowarp.

What each thread has to store is worked out here, tile by tile.
"""

import os
import struct
import subprocess
import sys
import tempfile
import unittest

COWARP = ""
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptx_exec")
POLICIES = [(), ("--set", "core.divergence=pdom"), ("--preset", "thesis-tbc", "--set", "core.divergence=tbc")]


def value(t):
    return t * t % 101 - 20


def tile_of(t, size, block):
    """The threads of t's tile that there are: a block's last tile may have fewer."""
    start = t - t % block % size
    return range(start, min(start + size, t - t % block + block))


class Lanes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_kernel(self, file, kernel, grid, block, words, *options, status=0):
        r = subprocess.run([COWARP, "exec", os.path.join(FOLDER, file), "--kernel", kernel, "--grid", str(grid), "--block", str(block),
                            "--arg", f"out:out.bin:{4 * words}", *options], capture_output=True, text=True, timeout=240,
                           cwd=self.folder.name)
        self.assertEqual(r.returncode, status, r.stderr)
        self.stderr = "".join(line + "\n" for line in r.stderr.splitlines() if "works on a static warp" not in line)  # of tbc
        if status != 0:
            return []
        with open(os.path.join(self.folder.name, "out.bin"), "rb") as f:
            return list(struct.unpack(f"{words}i", f.read()))

    def check(self, kernel, grid, block, columns, want, file="tiles.ptx"):
        n = grid * block
        for options in POLICIES:
            got = self.run_kernel(file, kernel, grid, block, columns * n, *options)
            self.assertEqual([got[i::n] for i in range(n)], [list(want(t)) for t in range(n)], (kernel, options))

    def test_tiles_of_eight(self):
        def want(t):
            tile = [value(k) for k in tile_of(t, 8, 64)]
            ballot = sum(1 << i for i, v in enumerate(tile) if v > 0)
            return (sum(tile), max(tile), ballot, any(v == 5 for v in tile) + 2 * all(v > -15 for v in tile),
                    tile[(t % 8 + 3) % 8])
        self.check("tiles8", 3, 64, 5, want)
        self.assertEqual(self.stderr, "")

    def test_tiles_of_which_some_are_at_work(self):
        def want(t):
            rank = t % 128 // 4
            v = [value(k) for k in tile_of(t, 4, 128)]
            for i in range(rank % 5):
                v = [v[k ^ (1 + i % 3)] + rank for k in range(4)]
            if rank % 3 != 0:
                v = [k + sum(v) for k in v]
            return (v[t % 4],)
        self.check("some_tiles", 2, 128, 1, want)

    def test_scans_of_sixteen(self):
        def want(t):
            return (sum(value(k) for k in tile_of(t, 16, 96) if k <= t),)
        self.check("scan16", 2, 96, 1, want)

    def test_peers(self):
        def want(t):
            tile = tile_of(t, 8, 64)
            same = [k for k in tile if c_remainder(value(k), 3) == c_remainder(value(t), 3)]
            return (len(same) + (100 if same[0] == t else 0), sum(value(k) for k in tile), 1)
        self.check("peers", 2, 64, 3, want)

    def test_a_tree_over_lanes_that_are_not_there(self):
        for block in (1, 7, 16, 24, 32):
            for options in POLICIES:
                got = self.run_kernel("tiles.ptx", "tree", 2, block, 2, *options)
                # The last lanes of a whole warp read themselves where the tree reaches beyond it, and do not count for lane 0.
                self.assertEqual(got, [sum(value(t) for t in range(block))] * 2, (block, options))
                lines = [line for line in self.stderr.splitlines() if "does not take part: the value is 0" in line]
                places = [line.split(": block")[0] for line in lines]
                self.assertEqual(len(set(places)), len(places), self.stderr)  # each line of the file once
                self.assertEqual(bool(places), block < 32, self.stderr)
                self.assertEqual(len(lines), len(self.stderr.splitlines()), self.stderr)

    def test_each_thread_names_a_barrier_under_dwf(self):
        for policy in ("dwf", "dwf-wb"):
            got = self.run_kernel("lanes.ptx", "two_barriers", 2, 128, 256, "--preset", "thesis-tbc", "--set", f"core.divergence={policy}")
            self.assertEqual(got, [t // 128 * 128 + (t % 128 ^ 62) for t in range(256)])

    def test_a_warp_that_names_two_barriers(self):
        for options in POLICIES:
            self.run_kernel("lanes.ptx", "two_barriers", 2, 128, 256, *options, status=1)
            self.assertRegex(self.stderr, r"lanes\.ptx:\d+: .*thread \(1, 0, 0\): the thread comes to barrier 5, and others of its warp to "
                                          r"barrier 4: .*core\.divergence=dwf")


def c_remainder(a, b):
    return a - int(a / b) * b


if __name__ == "__main__":
    COWARP = os.path.abspath(sys.argv.pop(1))
    unittest.main()
