#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What experiments/peers/campaign.py says of a program's end, and its table: campaign_test.py SOURCE [unittest arguments]."""
import csv
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(SOURCE / "experiments/peers"))

import campaign  # noqa: E402

CHECKED, UNCHECKED = {"says": "^PASS$", "never": "FAIL", "launches": "2"}, {"says": "", "never": "", "launches": ""}


def judged(row, status=0, out="", err="", launches=2):
    return campaign.judge(row, types.SimpleNamespace(returncode=status, stdout=out, stderr=err), launches)


class Judge(unittest.TestCase):
    def test_its_own_check(self):
        self.assertEqual(judged(CHECKED, out="sum 3\nPASS\n"), "right")
        self.assertEqual(judged(CHECKED, out="PASS\nFAIL\n"), "wrong: says FAIL")
        self.assertEqual(judged(CHECKED, out="PASSED\n"), "wrong: does not say ^PASS$")
        self.assertEqual(judged(CHECKED, out="PASS\n", launches=3), "wrong: 3 launches, not 2")
        self.assertEqual(judged(CHECKED, status=1, out="PASS\n"), "wrong: status 1: the program says so")

    def test_a_program_without_one(self):
        self.assertEqual(judged(UNCHECKED), "ended")
        self.assertEqual(judged(UNCHECKED, err="cowarp: ./p: 1 launch has failed\n"), "wrong: 1 launches failed")
        self.assertEqual(judged(UNCHECKED, err="cowarp: ./p: 12 launches have failed\n"), "wrong: 12 launches failed")
        self.assertEqual(judged(CHECKED, out="PASS\n", err="cowarp: ./p: 1 launch has failed\n"), "right", "a program may mean it")

    def test_what_is_not_there(self):
        self.assertEqual(judged(UNCHECKED, 1, err="cowarp: cuX is not there; it answers cudaErrorNotSupported\n"), "refused: cuX is not there; it answers cudaErrorNotSupported")
        self.assertEqual(judged(UNCHECKED, 2, out="needs a second card\n"), "waived: needs a second card")

    def test_a_launch_that_is_refused(self):
        told = "cowarp: kernel k cannot run: shfl.sync names others\ncowarp: ./p: 1 launch has failed\n"
        for row in (CHECKED, UNCHECKED):
            self.assertEqual(judged(row, out="FAIL\n", err=told), "refused: kernel k cannot run: shfl.sync names others")
        self.assertEqual(judged(CHECKED, out="PASS\n", err=told), "right", "it has tried something else")

    def test_table_has_what_the_folder_has(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "rows.csv").write_text("suite,program,arguments,options,inputs,launches,says,never\nS,there,,,,,ok,\nS,other,,,,,,\n")
            for program, text in (("there", ""), ("cowarp", "echo ok")):
                (folder / program).write_text(f"#!/bin/sh\n{text}\n")
                (folder / program).chmod(0o755)
            done = subprocess.run([sys.executable, SOURCE / "experiments/peers/campaign.py", folder, "--cowarp", folder / "cowarp", "--programs", folder / "rows.csv",
                                   "--table", folder / "table.csv"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("1 programs, 0 of them wrong or without an end; 1 are not in", done.stdout)
            row, = csv.DictReader((folder / "table.csv").read_text().splitlines())
            self.assertEqual((row["suite"], row["program"], row["result"]), ("S", "there", "right"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
