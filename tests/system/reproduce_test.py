#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests experiments/: kept runs, failures, sweeps, the command. Usage: reproduce_test.py SOURCE_DIR COWARP"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT, COWARP = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(ROOT / "experiments"))

import report  # noqa: E402
import reproduce  # noqa: E402
from runs import Run, RunFailed, Store, gmean  # noqa: E402
from sweep import Best, sweep  # noqa: E402

# A stand-in for the simulator: cycles are known beforehand, `bad` fails its check, `gone` dies without statistics.
FAKE = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
while [ $# -gt 0 ]; do
    case $1 in --stats) out=$2;; --tx-warps) warps=$2;; bad) check=failed;; gone) echo "cowarp: gone: no memory" >&2; exit 1;; esac
    shift
done
echo "{\\"check\\": \\"${check:-passed}\\", \\"cycles\\": $(( (${warps:-0} - 4) * (${warps:-0} - 4) + 100 ))}" > "$out"
"""


class StoreTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.fake = self.path / "cowarp"
        self.fake.write_text(FAKE)
        self.fake.chmod(0o755)
        self.store = Store(self.fake, self.path / "runs", 20)

    def tearDown(self):
        self.folder.cleanup()

    def calls(self):
        return len((self.path / "calls").read_text().splitlines())

    def test_a_finished_run_is_kept(self):
        runs = sweep("ht-h", "getm")
        self.assertEqual(self.store.make_all(runs + runs, 2), 6)
        self.assertEqual(self.store.make_all(runs, 2), 0)
        self.assertEqual(self.store.get(runs[0])["cycles"], 109)
        self.assertEqual(self.calls(), 6)

    def test_another_simulator_makes_its_own_runs(self):
        self.store.get(Run("ht-h", "getm"))
        self.fake.write_text(FAKE + "# changed\n")
        Store(self.fake, self.path / "runs", 20).get(Run("ht-h", "getm"))
        self.assertEqual(self.calls(), 2)

    def test_every_part_of_a_run_names_its_file(self):
        runs = [Run("ht-h", "getm"), Run("ht-m", "getm"), Run("ht-h", "eapg"), Run("ht-h", "getm", 4), Run("ht-h", "getm", 8, "x"),
                Run("ht-h", "getm", settings=(("a", 1),)), Run("ht-h", "getm", params=(("a", 1),))]
        self.assertEqual(len({self.store.path(run) for run in runs}), len(runs))

    def test_the_fastest_of_a_sweep(self):
        best = Best(self.store.get, sweep("ht-h", "getm"))
        self.assertEqual((best.run.warps, best.cycles), (4, 100))

    def test_failures_are_reported_and_kept(self):
        for name, text in (("bad", "its check failed"), ("gone", "no memory")):
            with self.assertRaisesRegex(RunFailed, text):
                self.store.get(Run(name, "getm"))
        calls = self.calls()
        with self.assertRaises(RunFailed):
            self.store.get(Run("gone", "getm"))
        self.assertEqual(self.calls(), calls)
        with self.assertRaises(RunFailed):
            Best(self.store.get, sweep("bad", "getm"))

    def test_half_written_runs_are_not_results(self):
        run = Run("ht-h", "getm")
        self.store.path(run).with_suffix(".123.partial").write_text('{"check": "pas')
        self.assertEqual(self.store.get(run)["check"], "passed")


class ReportTest(unittest.TestCase):
    def test_tables(self):
        table = report.Table("T", ["w", "a"], [["x", 1.25], ["y", 12345.6]])
        self.assertIn("| x | 1.25 |", report.markdown(table))
        self.assertIn("| y | 12346 |", report.markdown(table))
        self.assertAlmostEqual(gmean([2.0, 8.0]), 4.0)

    def test_claims_have_an_entry(self):
        paper = report.load_claims(ROOT / "experiments")
        self.assertGreater(len(paper), 100)
        for path in (ROOT / "experiments").glob("*/figures.py"):
            for word in __import__("re").findall(r'Claim\("([^"{]+)"', path.read_text()):
                self.assertIn(word, paper, path)


class CommandTest(unittest.TestCase):
    def command(self, *words):
        return subprocess.run([COWARP, "reproduce", *words], capture_output=True, text=True, check=False)

    def test_names(self):
        names = [line.split()[0] for line in self.command("--list").stdout.splitlines()]
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("getm.fig11", names)
        known = reproduce.all_experiments()
        self.assertEqual(names, list(known))

    def test_wrong_names(self):
        done = self.command("getm.fig111")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^cowarp reproduce: no experiment is named 'getm.fig111'; did you mean 'getm.fig11'\?\n$")
        self.assertEqual(self.command("getm.fig11", "--jobs", "0").returncode, 2)
        self.assertEqual(self.command("getm.fig11", "--binary", os.devnull + "/x").returncode, 2)

    def test_a_real_run(self):
        with tempfile.TemporaryDirectory() as folder:
            run = Run("ht-h", "getm", 4, params=(("blocks", 4), ("buckets", 100)))
            stats = Store(COWARP, folder, 60).get(run)
            self.assertEqual(stats["counters"]["tx_committed"]["value"], 4 * 192)
            self.assertEqual(stats["config"]["tm.warps"], 4)
            self.assertEqual(len(list(pathlib.Path(folder).glob("*.partial"))), 0)
            json.dumps(stats)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
