#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of bins (docs/coverage.md): each unit has one, few bins have a reason not to be reached, and lockstep refuses a bin that it does not reach.

A run of a GPU counts them by --bins. That lockstep reaches all is in rtl.UNIT: bins_test.py SOURCE BUILD [unittest arguments]."""
import csv
import json
import os
import pathlib
import subprocess
import sys
import unittest

SOURCE, BUILD = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
sys.path.insert(0, str(SOURCE / "scripts/unit"))

import bins  # noqa: E402
import facts  # noqa: E402

FEWEST, HOLES = 6, 0.02
FEWEST_OF_A_FILL = 4
PLANTED = BUILD / "bins_planted.txt"


class Bins(unittest.TestCase):
    def test_each_unit_has_bins_and_few_holes(self):
        units = sorted(path.stem for path in (facts.ROOT / "include/cowarp/unit").glob("*.h"))
        reached, missing = 0, 0
        for unit in units:
            text = bins.read(unit)
            found, holes = bins.names(text), bins.holes(text)
            self.assertGreaterEqual(len(found), FEWEST, f"tests/rtl/bins/{unit}.txt")
            self.assertEqual(set(holes) - set(found), set(), unit)
            reached, missing = reached + len(found) - len(holes), missing + len(holes)
        self.assertLessEqual(missing, HOLES * (reached + missing), "of all bins, too many have a reason not to be reached")
        self.assertEqual({path.stem for path in (facts.ROOT / "tests/rtl/bins").glob("*.txt")}, set(units))

    def test_each_unit_has_a_fill_stimulus(self):
        units = sorted(path.stem for path in (facts.ROOT / "include/cowarp/unit").glob("*.h"))
        folder = facts.ROOT / "tests/rtl/fill"
        self.assertEqual({path.stem for path in folder.glob("*.txt")}, set(units))
        for unit in units:
            found = bins.names((folder / f"{unit}.txt").read_text(encoding="utf-8"))
            self.assertGreaterEqual(len(found), FEWEST_OF_A_FILL, f"tests/rtl/fill/{unit}.txt")
            self.assertIn(f"cmocka_unit_test(test_{unit}__fills)", (facts.ROOT / f"tests/rtl/test_{unit}.c").read_text(encoding="utf-8"))

    def run_planted(self, text):
        """stall_buffer's lockstep with these bins alone."""
        PLANTED.write_text(text, encoding="utf-8")
        env = dict(os.environ, COWARP_LOCKSTEP_BINS=str(PLANTED), COWARP_LOCKSTEP_CYCLES="20000", COWARP_CACHE=str(BUILD / "rtl"),
                   COWARP_RTL_CXXFLAGS="-O1")
        done = subprocess.run([BUILD / "test_rtl_stall_buffer", "--gtest_filter=*c_equals_rtl"], env=env, capture_output=True, text=True,
                              timeout=200, check=False, cwd=BUILD)
        PLANTED.unlink()
        return done.returncode, done.stdout + done.stderr

    def test_lockstep_refuses_what_it_does_not_reach(self):
        status, text = self.run_planted("bin more_than_there_is: occupancy > LINES * ENTRIES\nbin any: 1\nbin full: occupancy == 16\n"
                                        "hole full: never\nbin idle: !pending\n")
        self.assertNotEqual(status, 0)
        self.assertIn("bin more_than_there_is: 0 cycles: never reached", text)
        self.assertIn("bin any: 1000 cycles or more: in every cycle", text)
        self.assertIn("bin idle: 1000 cycles or more\n", text)
        self.assertRegex(text, r"bin full: \d+ cycles(?: or more)?; a hole: never: called a hole, and reached")
        self.assertIn("stall_buffer: 4 bins, 3 not as", text)

    def test_lockstep_takes_a_hole(self):
        status, text = self.run_planted("bin more_than_there_is: occupancy > LINES * ENTRIES\nhole more_than_there_is: there is no place for them\n")
        self.assertEqual(status, 0, text)
        self.assertIn("bin more_than_there_is: 0 cycles; a hole: there is no place for them\n", text)

    def test_lockstep_refuses_a_name_that_there_is_not(self):
        status, text = self.run_planted("bin a: occupancy == LINE\n")
        self.assertNotEqual(status, 0)
        self.assertIn(":1: 'LINE' is no port, no parameter in its Verilog's spelling and no name of a let or reg above", text)

    def cowarp(self, *arguments):
        done = subprocess.run([BUILD / "cowarp", "run", "ht-h", "--param", "blocks=4", "--param", "buckets=20", "--quiet", *arguments],
                              env=dict(os.environ, COWARP_CACHE=str(BUILD / "rtl")), capture_output=True, text=True, timeout=200, check=False, cwd=BUILD)
        return done.returncode, done.stdout, done.stderr

    def test_a_run_counts_as_its_statistics_do(self):
        stats = json.loads(self.cowarp("--system", "getm", "--stats", "-")[1])["counters"]
        status, text, error = self.cowarp("--system", "getm", "--bins", "-")
        self.assertEqual((status, error), (0, ""))
        rows = list(csv.DictReader(text.splitlines()))
        self.assertEqual({row["unit"] for row in rows}, {"validation_unit", "ownership_table"})
        self.assertEqual([row["bin"] for row in rows if row["unit"] == "validation_unit"], bins.names(bins.read("validation_unit")))
        hits = {row["bin"]: int(row["cycles"]) for row in rows if row["unit"] == "validation_unit"}
        self.assertEqual(hits["a_request_stalls"], stats["vu_stalls"]["value"])
        self.assertEqual(hits["a_retry"], stats["vu_retries"]["value"])
        self.assertGreater(hits["a_retry"], 0)
        self.assertEqual(self.cowarp("--system", "getm", "--bins", "-", "--unit", "validation_unit=rtl")[1], text)

    def test_a_run_without_units_is_refused(self):
        status, _, error = self.cowarp("--system", "none", "--bins", "-")
        self.assertEqual((status, error), (2, "cowarp: bins: this GPU has no hardware units with bins; choose a system that has (cowarp list)\n"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
