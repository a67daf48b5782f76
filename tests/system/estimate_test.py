#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Estimated cycles against timed runs, and results against what they have to be: estimate_test.py BUILD/cowarp [unittest arguments]."""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

COWARP = pathlib.Path()
ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS, WAITING = ROOT / "tests/system/estimate.ptx", ROOT / "tests/system/functional.ptx"
SMALL = ("--set", "core.count=2", "--set", "l2.bytes=16384")  # a wave is a few blocks, and few of them fill the L2


class Estimate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="estimate-")
        self.addCleanup(self.folder.cleanup)

    def run_it(self, *words):
        """The finished process, and its statistics."""
        stats = pathlib.Path(self.folder.name) / "stats.json"
        stats.unlink(missing_ok=True)
        done = subprocess.run([str(word) for word in (COWARP, *words, "--stats", stats)], cwd=self.folder.name, capture_output=True, text=True,
                              timeout=300, check=False)
        return done, json.loads(stats.read_text()) if stats.is_file() else {}

    def both(self, *words, bound="1%"):
        """Statistics of the timed run and of the estimated one."""
        pair = []
        for option in ((), ("--estimate", bound)):
            done, stats = self.run_it(*words, *option)
            self.assertEqual(done.returncode, 0, done.stderr)
            pair.append(stats)
        return pair

    def kernel(self, name, blocks, block, args, *options, ptx=KERNELS):
        return "exec", ptx, "--kernel", name, "--grid", blocks, "--block", block, *(part for arg in args for part in ("--arg", arg)), *options

    def words(self, name="out"):
        data = (pathlib.Path(self.folder.name) / name).read_bytes()
        return struct.unpack(f"<{len(data) // 4}I", data)

    def near(self, timed, estimated, percent):
        self.assertLess(abs(estimated["cycles"] / timed["cycles"] - 1), percent / 100)

    def test_a_launch_is_timed_in_part(self):
        timed, estimated = self.both("run", "vecadd", "--param", "n=524288", *SMALL)
        e = estimated["estimate"]
        self.near(timed, estimated, 1.5)
        self.assertEqual((e["timed_launches"], e["partly_timed_launches"], e["untimed_launches"]), (0, 1, 0))
        self.assertLess(e["timed_warp_instructions"], 0.5 * timed["warp_instructions"])
        self.assertEqual(e["timed_warp_instructions"] + e["untimed_warp_instructions"], timed["warp_instructions"])
        self.assertEqual(e["timed_warp_instructions"], estimated["warp_instructions"])
        self.assertLess(abs(e["cycles"] - estimated["cycles"]), 1)
        self.assertGreater(e["half"], 0)
        self.assertNotIn("estimate", timed)

    def test_blocks_that_stand_still_lose_nothing(self):
        """Those in the machine keep their local memory while others run without time, and every block runs once."""
        blocks = 2000
        (pathlib.Path(self.folder.name) / "count").write_bytes(bytes(4))
        done, stats = self.run_it(*self.kernel("squares", blocks, 64, (f"out:out:{256 * blocks}", "inout:count"), *SMALL, "--set", "l1.bytes=1536", "--estimate", "20%"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(stats["estimate"]["partly_timed_launches"], 1)
        self.assertEqual(self.words(), tuple(140 + 8 * i for i in range(64 * blocks)))
        self.assertEqual(self.words("count"), (64 * blocks,))

    def test_blocks_of_another_kind_are_timed_too(self):
        """A second half of one lane that waits for memory, behind a first half that counts: one ratio for both would be far off."""
        timed, estimated = self.both(*self.kernel("halves", 4000, 64, ("zero:1024000",), *SMALL))
        self.near(timed, estimated, 2)
        self.assertLess(estimated["warp_instructions"], 0.6 * timed["warp_instructions"])

    def test_launches_are_left_out(self):
        script = pathlib.Path(self.folder.name) / "script"
        script.write_text(f"load {KERNELS}\nalloc b 65536\nalloc n 4\n" + "launch squares grid 256 block 64 args b n\n" * 60)
        timed, estimated = self.both("exec", "--script", script)
        e = estimated["estimate"]
        self.near(timed, estimated, 3)
        self.assertEqual(e["timed_launches"] + e["partly_timed_launches"] + e["untimed_launches"], 60)
        self.assertGreater(e["untimed_launches"], 30)

    def test_few_blocks_are_timed_to_the_end(self):
        timed, estimated = self.both("run", "reduction")
        self.assertEqual(estimated["cycles"], timed["cycles"])
        self.assertEqual((estimated["estimate"]["half"], estimated["estimate"]["untimed_warp_instructions"]), (0, 0))

    def test_blocks_that_wait_for_earlier_ones_are_timed_to_the_end(self):
        """Those that are left out would wait for ever for those that stand still."""
        done, stats = self.run_it(*self.kernel("chain", 2000, 1, ("out:out:8000",), *SMALL, "--estimate", "20%"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.words(), tuple(range(1, 2001)))
        self.assertEqual(stats["estimate"]["untimed_warp_instructions"], 0)

    def test_transactions_are_timed_to_the_end(self):
        timed, estimated = self.both("run", "ht-h", "--param", "blocks=20")
        self.assertEqual(estimated["cycles"], timed["cycles"])
        self.assertEqual(estimated["estimate"]["untimed_warp_instructions"], 0)

    def test_the_summary_says_what_was_timed(self):
        done, _ = self.run_it("run", "vecadd", "--param", "n=524288", *SMALL, "--estimate", "5")
        self.assertRegex(done.stdout, r"\n  estimated     within \d\.\d\d %: \d+ to \d+ cycles; \d+\.\d\d % of the instructions were timed\n"
                                      r"  launches      1: 0 timed, 1 timed in part, 0 without time\n")

    def test_what_makes_no_sense_is_refused(self):
        def says(text, *words):
            done, _ = self.run_it(*words)
            self.assertEqual((done.returncode, done.stderr), (2, f"cowarp: {text}\n"))
        for bad in ("0", "51", "nan", "1%%", "x", "-1"):
            says(f"--estimate '{bad}': not a percentage from 0.01 to 50, such as 1%", "run", "vecadd", "--estimate", bad)
        says("an estimate leaves out parts of the run, and a wave file needs all of it; choose one of them", "run", "vecadd", "--estimate", "1", "--wave",
             "w.fst")
        says("an estimate leaves out parts of the run, and a run with functional launches (--functional, --launches) needs all of it; choose one of them",
             "run", "vecadd", "--estimate", "1", "--functional")
        says("crash needs all of its runs; leave --estimate out", "crash", "gpkvs", "--points", "5", "--preset", "sbrp-near", "--persistency", "sbrp",
             "--estimate", "1")


if __name__ == "__main__":
    COWARP = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
