#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functional launches on several host threads give what one thread gives: threads_test.py BUILD/cowarp [unittest arguments]."""
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import functional_test

COWARP = pathlib.Path()
PTX = pathlib.Path(__file__).resolve().parent / "threads.ptx"
BLOCKS = 40
WORKLOADS = ("laplace", "srad", "ray")  # Of hundreds of blocks each


class Threads(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="threads-")
        self.addCleanup(self.folder.cleanup)
        self.count = 0

    def run_in(self, *words):
        """Exit status, output without host seconds, errors, counters, files of a run."""
        self.count += 1
        folder = pathlib.Path(self.folder.name) / str(self.count)
        folder.mkdir()
        done = functional_test.execute([COWARP, *words, "--stats", "stats.json"], folder)
        said = [line for line in done.stdout.splitlines() if not line.startswith("  host ")]
        stats = folder / "stats.json"
        counters = re.findall(r'"(functional_\w+)": \{"value": (\d+)', stats.read_text()) if stats.is_file() else []
        return done.returncode, said, done.stderr, counters, functional_test.results(folder)

    def kernel(self, threads, name, *args, how="--functional", options=()):
        words = [part for arg in args for part in ("--arg", arg)]
        return self.run_in("exec", PTX, "--kernel", name, "--grid", BLOCKS, "--block", 96, *words, how, "--threads", threads, *options)

    def test_results_are_those_of_one_thread(self):
        alone = self.kernel(1, "apart", f"out:out:{4 * 96 * BLOCKS}", "u32:1000")
        self.assertEqual((alone[0], len(alone[4]["out"])), (0, 4 * 96 * BLOCKS), alone[2])
        self.assertGreater(len(set(alone[4]["out"])), 200)
        self.assertEqual(dict(alone[3])["functional_launches"], "1")
        for threads, how in ((2, ""), (3, "=steps"), (7, "=native"), (256, ""), ("all", "")):
            with self.subTest(threads=threads, how=how):
                self.assertEqual(self.kernel(threads, "apart", f"out:out:{4 * 96 * BLOCKS}", "u32:1000", how="--functional" + how), alone)

    def test_blocks_run_side_by_side(self):
        """A block that hears of a later one only by a race ends, which it does not when blocks run one after the other."""
        alone = self.kernel(1, "hears", "zero:4", options=("--max-cycles", 4000000))
        self.assertEqual((alone[0], alone[2]), (1, "cowarp: hears: not finished after 4000000 warp instructions\n"))
        both = self.kernel(2, "hears", "zero:4")
        self.assertEqual((both[0], both[2]), (0, ""))

    def test_sums_are_whole(self):
        alone = self.kernel(1, "sums", "out:out:32")
        self.assertEqual((alone[0], len(alone[4]["out"])), (0, 32), alone[2])
        for _ in range(3):
            self.assertEqual(self.kernel(4, "sums", "out:out:32"), alone)

    def test_what_blocks_learn_of_each_other_is_in_their_order(self):
        for name, args in (("tickets", ("zero:4", f"out:out:{4 * 96 * BLOCKS}")), ("places", (f"out:out:{4 * BLOCKS}",))):
            with self.subTest(kernel=name):
                alone = self.kernel(1, name, *args)
                self.assertEqual(alone[0], 0, alone[2])
                self.assertEqual(self.kernel(4, name, *args), alone)

    def test_the_first_block_that_fails_is_told(self):
        alone = self.kernel(1, "fails", "u32:1", "u32:9")
        self.assertEqual(alone[0], 1)
        self.assertRegex(alone[2], r"block \(9, 0, 0\) thread .*address 0x24")
        for load, wait, says in ((1, 9, re.escape(alone[2])), (3, 1, r".*nothing can ever happen again; 9 of 40 blocks are done\n"),
                                 (1, 3, re.escape(alone[2]))):
            for _ in range(2):
                with self.subTest(load=load, wait=wait):
                    done = self.kernel(5, "fails", f"u32:{load}", f"u32:{wait}")
                    self.assertEqual(done[0], 1)
                    self.assertRegex(done[2], r"\A" + says)

    def test_the_user_is_heard_while_others_work(self):
        line = [COWARP, "exec", PTX, "--kernel", "lasts", "--grid", BLOCKS, "--block", 96, "--arg", "zero:4", "--functional", "--threads", 8]
        with subprocess.Popen([str(word) for word in line], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
            time.sleep(1)
            self.assertIsNone(run.poll())
            run.send_signal(signal.SIGINT)
            try:
                self.assertIn("lasts: interrupted", run.communicate(timeout=30)[1])
            finally:
                run.kill()

    def test_workloads_and_estimates(self):
        for name in WORKLOADS:
            with self.subTest(workload=name):
                alone = self.run_in("run", name, "--functional")
                self.assertEqual(alone[0], 0, alone[2])
                self.assertEqual(self.run_in("run", name, "--functional", "--threads", 3), alone)
        words = ("run", "vecadd", "--param", "n=262144", "--set", "core.count=2", "--estimate", "5%")
        alone, both = self.run_in(*words), self.run_in(*words, "--threads", 2)
        self.assertEqual(alone[0], 0, alone[2])
        self.assertNotEqual(dict(alone[3])["functional_warp_instructions"], "0")
        self.assertEqual(both, alone)

    def test_what_makes_no_sense_is_refused(self):
        for threads in ("0", "-1", "257", "two"):
            with self.subTest(threads=threads):
                done = self.kernel(threads, "places", f"out:out:{4 * BLOCKS}")
                self.assertEqual((done[0], done[2]), (2, f"cowarp: --threads '{threads}': it is a number from 1 to 256, or all\n"))
        done = self.run_in("run", "vecadd", "--threads", 2)
        self.assertEqual((done[0], done[2]), (2, "cowarp: --threads: timed launches use one; it goes with --functional, --launches or --estimate\n"))


if __name__ == "__main__":
    COWARP = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
