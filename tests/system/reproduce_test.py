#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests experiments/: kept runs, failures, climbs, every experiment on made-up statistics, the command. Usage: reproduce_test.py SOURCE_DIR
COWARP"""
import collections
import contextlib
import io
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
from experiment import Experiment  # noqa: E402
from runs import Run, RunFailed, Store, gmean  # noqa: E402
from sweep import CONCURRENCIES, Best, climb_all, near, near_gain, ratios  # noqa: E402

# A stand-in for the simulator: cycles are known beforehand, `bad` fails its check, `gone` dies without statistics.
FAKE = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
while [ $# -gt 0 ]; do
    case $1 in --stats) out=$2;; --tx-warps) warps=$2;; bad) check=failed;; gone) echo "cowarp: gone: no memory" >&2; exit 1;; esac
    shift
done
echo "{\\"check\\": \\"${check:-passed}\\", \\"cycles\\": $(( (${warps:-0} - 4) * (${warps:-0} - 4) + 100 ))}" > "$out"
"""


def sweep(workload):
    return [Run(workload, "getm", warps) for warps in CONCURRENCIES]


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
        runs = sweep("ht-h")
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

    def test_the_fastest_is_found(self):
        # workload, start, how many runs it takes, the fastest: the last one is the wrong top of a curve with two, as climbs may find it
        for workload, warps, runs, top in (("ht-h", 1, 6, 4), ("bh-l", 4, 3, 4), ("bh-l", 1, 4, 4), ("bh-l", 16, 5, 4), ("bh-l", 0, 2, 0)):
            folder = self.path / f"{workload}-from-{warps}"
            store = Store(self.fake, folder, 20)
            best = Best(store.get, Run(workload, "getm", warps))
            self.assertEqual((best.run.warps, best.cycles), (top, 100 if top == 4 else 116))
            self.assertEqual(len(list(folder.iterdir())), runs)

    def test_climbs_go_on_side_by_side(self):
        starts = [Run("ht-h", "getm", 4), Run("bh-l", "getm", 1), Run("atm", "fglock", 7)]
        batches = [[(run.workload, run.warps) for run in batch] for batch in climb_all(self.store.get, starts)]
        self.assertEqual(batches[0], [("ht-h", n) for n in CONCURRENCIES] + [("bh-l", 1), ("bh-l", 2), ("atm", 7)])
        self.assertEqual(batches[1:], [[("bh-l", 4)], [("bh-l", 8)]])

    def test_experiments_make_their_runs_together(self):
        both = [Experiment(name, "", lambda get, w=w: climb_all(get, [Run(w, "getm", 1)]), None)
                for name, w in (("x.a", "ht-h"), ("x.b", "bh-l"), ("x.c", "bh-l"))]
        self.assertEqual(reproduce.make_runs(both, self.store, 1), 6 + 4)
        order = [line.split()[1] for line in (self.path / "calls").read_text().splitlines()]
        self.assertEqual(order[:2], ["bh-l", "bh-l"])
        self.assertEqual(self.calls(), 10)

    def test_runs_that_differ_in_nothing_are_made_once(self):
        self.assertEqual(self.store.make_all([Run("ht-h", "fglock", 1), Run("ht-h", "fglock", 2)], 2), 1)

    def test_sizes_may_be_replaced(self):
        store = Store(self.fake, self.path / "runs", 20, {"ht-h": (("blocks", 3),)})
        store.get(Run("ht-h", "getm"))
        self.assertIn("--param blocks=3", (self.path / "calls").read_text())
        self.assertNotEqual(store.path(Run("ht-h", "getm")), self.store.path(Run("ht-h", "getm")))

    def test_averages_leave_out_what_did_not_end(self):
        def column(workload):
            return self.store.get(Run("gone" if workload == "atm" else workload, "getm", 4))["cycles"]
        with contextlib.redirect_stderr(io.StringIO()) as said:
            table = ratios("T", ("ht-h", "atm"), [("a", column), ("b", lambda w: {"ht-h": 3.0, "atm": 5.0}[w])], average="AVG")
        self.assertEqual(table.rows[-1], ["AVG", 100.0, 3.0])
        self.assertIn("| ATM | - | 5 |", report.markdown(table))
        self.assertIn("no memory", said.getvalue())

    def test_failures_are_reported_and_kept(self):
        for name, text in (("bad", "its check failed"), ("gone", "no memory")):
            with self.assertRaisesRegex(RunFailed, text):
                self.store.get(Run(name, "getm"))
        calls = self.calls()
        with self.assertRaises(RunFailed):
            self.store.get(Run("gone", "getm"))
        self.assertEqual(self.calls(), calls)
        with self.assertRaisesRegex(RunFailed, "its check failed"):
            Best(self.store.get, Run("bad", "getm", 4))

    def test_half_written_runs_are_not_results(self):
        run = Run("ht-h", "getm")
        self.store.path(run).with_suffix(".123.partial").write_text('{"check": "pas')
        self.assertEqual(self.store.get(run)["check"], "passed")


class Numbers(dict):
    """Counters of a run that never was: small numbers that depend on the name alone."""

    def __missing__(self, name):
        return {"value": 1 + sum(name.encode()) % 97}


class ExperimentsTest(unittest.TestCase):
    """Every experiment with made-up statistics: its code runs to the end, asks for no run that it has not announced, and the claims of GETM
    and of the thesis's chapters 4 and 6 are all made by one of them."""
    ELSEWHERE = ("area.", "kilo.area", "tab6.3.", "tbc.", "dwf.", "si.", "ltm.", "sbrp.")  # other papers, and reports of synth/

    def test_every_experiment_and_claim(self):
        paper, made = report.load_claims(ROOT / "experiments"), collections.Counter()
        stats = {"cycles": 1000, "counters": Numbers(), "config": collections.defaultdict(lambda: 10)}
        for experiment in reproduce.all_experiments().values():
            announced = set()

            def get(run):
                self.assertIn(" ".join(run.arguments()), announced, experiment.name)
                return stats
            for batch in experiment.runs(get):
                announced |= {" ".join(run.arguments()) for run in batch}
            tables, claims = experiment.make(get)
            self.assertTrue(tables, experiment.name)
            for table in tables:
                self.assertTrue(all(len(row) == len(table.columns) for row in table.rows), table.title)
            made.update(claim.ident for claim in claims)
        self.assertEqual([name for name, times in made.items() if times > 1 or name not in paper], [])
        self.assertEqual([name for name in paper if name not in made and not name.startswith(self.ELSEWHERE)], [])


class NearTest(unittest.TestCase):
    def test_a_number(self):
        self.assertTrue(near(1.14 * 59, 59) and near(0.86 * 59, 59))
        self.assertFalse(near(1.16 * 59, 59) or near(0.84 * 59, 59))

    def test_an_effect_is_not_near_none(self):
        self.assertFalse(near_gain(1.0, 1.14) or near_gain(1.0, 1.02) or near_gain(1.0, 1.6))
        self.assertFalse(near_gain(0.982, 1.02), "the other direction")
        self.assertTrue(near_gain(1.12, 1.14) and near_gain(1.16, 1.14) and near_gain(1.025, 1.02))
        self.assertFalse(near_gain(1.11, 1.14) or near_gain(1.17, 1.14))


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

    def test_an_experiment(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.command("kilotm.fig4.12", "--quick", "--out", folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("Figure 4.12", (pathlib.Path(folder) / "kilotm.fig4.12.md").read_text())
            self.assertEqual(len(list((pathlib.Path(folder) / "runs").iterdir())), 7)
            rows = (pathlib.Path(folder) / "kilotm.fig4.12-2.csv").read_text().splitlines()
            self.assertEqual(len(rows), 8)
            least = [float(row.split(",")[1]) for row in rows[1:]]
            self.assertEqual(least, sorted(least))
            self.assertEqual(self.command("--quick", "--fidelity", folder + "/f.md").returncode, 2)

    def test_tiny_inputs_give_no_verdicts(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.command("kilotm.l2", "--quick", "--out", folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            page = (pathlib.Path(folder) / "kilotm.l2.md").read_text()
            self.assertIn("| kilo.l2hit |", page)
            for text in (done.stdout, page):
                self.assertEqual(len([line for line in text.splitlines() if line.startswith("Tiny inputs (--quick): these numbers mean nothing")]), 1)
                self.assertNotRegex(text, r"verdict|holds|differs|yes")
            result = json.loads((pathlib.Path(folder) / "kilotm.l2.json").read_text())
            self.assertEqual((result["quick"], [claim for claim in result["claims"] if "holds" in claim]), (True, []))
            wrong = self.command("--fidelity", folder + "/f.md", "--out", folder)
            self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
            self.assertRegex(wrong.stderr, r"^cowarp reproduce: .* holds results of tiny inputs \(kilotm.l2\); [^\n]*\n$")
            self.assertFalse((pathlib.Path(folder) / "f.md").exists())

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
