#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The store of examples/pm_store.c survives power failures, and without its fences it does not: pm_store_test.py STORE UNORDERED_STORE"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

STORE, UNORDERED = "", ""
SLOTS = 1024
POINTS = range(600, 5200, 180)  # core cycles; a put of all slots takes about 5,300


class Store(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "store.pm")

    def run_it(self, store, *cycles):
        """What a process says: exit status, and the numbers of its lines."""
        r = subprocess.run([store, self.file, *map(str, cycles)], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(r.stderr, "")
        found = re.search(r"found: (\d+) pairs, (\d+) puts to undo", r.stdout)
        recovered = re.search(r"recovered: (\d+) pairs, (\d+) of them wrong", r.stdout)
        return r.returncode, [int(n) for m in (found, recovered) if m for n in m.groups()], "power has failed" in r.stdout

    def test_a_store_that_is_new(self):
        self.assertEqual(self.run_it(STORE), (0, [0, 0, 0, 0], False))
        self.assertEqual(self.run_it(STORE), (0, [SLOTS, 0, SLOTS, 0], False))

    def test_a_failure_at_any_time(self):
        undone = set()
        self.run_it(STORE)
        for cycles in POINTS:
            status, _, failed = self.run_it(STORE, cycles)
            self.assertEqual((status, failed), (0, True), cycles)
            status, numbers, failed = self.run_it(STORE)
            self.assertEqual((status, failed, numbers[2:]), (0, False, [SLOTS, 0]), cycles)
            undone.add(numbers[1])
        self.assertGreater(len(undone), 5)  # the failures came at different moments of the puts

    def test_a_failure_in_the_recovery_too(self):
        self.run_it(STORE)
        self.run_it(STORE, 5000)
        left = []
        for cycles in (2500, 2800):
            status, numbers, failed = self.run_it(STORE, cycles)
            self.assertEqual((status, len(numbers), failed), (0, 2, True))
            left.append(numbers[1])
        status, numbers, _ = self.run_it(STORE)
        self.assertEqual((status, numbers[2:]), (0, [SLOTS, 0]))
        self.assertTrue(0 < numbers[1] < left[0], (left, numbers))  # some puts were undone by the recoveries that were stopped

    def test_without_fences_it_is_lost(self):
        self.run_it(UNORDERED)
        for cycles in POINTS:
            self.assertEqual(self.run_it(UNORDERED, cycles)[0], 0)
            status, numbers, _ = self.run_it(UNORDERED)
            if status != 0:
                self.assertGreater(numbers[3], 0)
                return
        self.fail("nobody has noticed that the fences are missing")


if __name__ == "__main__":
    STORE, UNORDERED = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
