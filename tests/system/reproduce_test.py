#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests experiments/: kept runs, failures, climbs, every experiment on made-up statistics, the command. Usage: reproduce_test.py SOURCE_DIR
COWARP"""
import collections
import contextlib
import csv
import importlib.util
import io
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree

ROOT, COWARP = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(ROOT / "experiments"))

import report  # noqa: E402
import fidelity  # noqa: E402
import gallery  # noqa: E402
import mutants  # noqa: E402
import getm.figures as getm_figures  # noqa: E402
import pictures  # noqa: E402
import reproduce  # noqa: E402
import results  # noqa: E402
import scatter  # noqa: E402
import silicon  # noqa: E402
import sizes  # noqa: E402
import spread  # noqa: E402
from experiment import Experiment  # noqa: E402
from report import Claim, Table  # noqa: E402
from runs import NO_SYSTEM, PaperStore, Run, RunFailed, Seeded, active_share, gmean, hmean  # noqa: E402
from sweep import (CONCURRENCIES, Best, Bests, above, all_above, all_below, at_least, at_most, below, climb_all, harmonic_ratios, how_many, near,  # noqa: E402
                   near_gain, ratios)

# A stand-in for the simulator: cycles are known beforehand, `bad` fails its check, `gone` dies without statistics. Another seed's runs take so
# many cycles more, and with seed 2 another limit is the best.
FAKE = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
while [ $# -gt 0 ]; do
    case $1 in --stats) out=$2;; --tx-warps) warps=$2;; --seed) seed=$2;; bad) check=failed;; gone) echo "cowarp: gone: no memory" >&2; exit 1;;
    stopped) echo "cowarp: stopped: interrupted" >&2; exit 130;; esac
    shift
done
top=4; [ "${seed:-1}" -eq 2 ] && top=8
echo "{\\"check\\": \\"${check:-passed}\\", \\"cycles\\": $(( (${warps:-0} - top) * (${warps:-0} - top) + 99 + ${seed:-1} ))}" > "$out"
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
        self.store = PaperStore(self.fake, self.path / "runs", 20)

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
        PaperStore(self.fake, self.path / "runs", 20).get(Run("ht-h", "getm"))
        self.assertEqual(self.calls(), 2)

    def test_every_part_of_a_run_names_its_file(self):
        runs = [Run("ht-h", "getm"), Run("ht-m", "getm"), Run("ht-h", "eapg"), Run("ht-h", "getm", 4), Run("ht-h", "getm", 8, "x"),
                Run("ht-h", "getm", settings=(("a", 1),)), Run("ht-h", "getm", params=(("a", 1),)), Run("ht-h", "getm", seed=2), Run("ht-h", "getm", persistency="sbrp"),
                Run("ht-h", "getm", crash="9")]
        self.assertEqual(len({self.store.path(run) for run in runs}), len(runs))
        self.assertEqual(self.store.path(Run("ht-h", "getm", seed=1)), self.store.path(runs[0]), "the default seed")

    def test_the_fastest_is_found(self):
        # workload, start, how many runs it takes, the fastest: the last one is the wrong top of a curve with two, as climbs may find it
        for workload, warps, runs, top in (("ht-h", 1, 6, 4), ("bh-l", 4, 3, 4), ("bh-l", 1, 4, 4), ("bh-l", 16, 5, 4), ("bh-l", 0, 2, 0)):
            folder = self.path / f"{workload}-from-{warps}"
            store = PaperStore(self.fake, folder, 20)
            best = Best(store.get, Run(workload, "getm", warps))
            self.assertEqual((best.run.warps, best.cycles), (top, 100 if top == 4 else 116))
            self.assertEqual(len(list(folder.iterdir())), runs)

    def test_climbs_go_on_side_by_side(self):
        starts = [Run("ht-h", "getm", 4), Run("bh-l", "getm", 1), Run("atm", "fglock", 7)]
        batches = [[(run.workload, run.warps) for run in batch] for batch in climb_all(self.store.get, starts)]
        self.assertEqual(batches[0], [("ht-h", n) for n in CONCURRENCIES] + [("bh-l", 1), ("bh-l", 2), ("atm", 7)])
        self.assertEqual(batches[1:], [[("bh-l", 4)], [("bh-l", 8)], [("ht-h", 4), ("bh-l", 4), ("atm", 7)]])

    def test_the_first_seed_looks_for_the_best_limit(self):
        start, first, second = Run("ht-h", "getm", 1), Seeded(self.store, 1), Seeded(self.store, 2)
        batches = [[(run.warps, run.seed) for run in map(second.of, batch)] for batch in climb_all(second, [start])]
        self.assertEqual(batches, [[(warps, 1) for warps in CONCURRENCIES], [(4, 2)]])
        self.assertEqual((Best(first, start).cycles, Bests(second)(start).cycles), (100, 117))
        self.assertEqual(self.calls(), 7, "six limits, and the best one with the second seed")

    def test_experiments_make_their_runs_together(self):
        both = [Experiment(name, "", lambda get, w=w: climb_all(get, [Run(w, "getm", 1)]), None)
                for name, w in (("x.a", "ht-h"), ("x.b", "bh-l"), ("x.c", "bh-l"))]
        self.assertEqual(reproduce.make_runs(both, [Seeded(self.store, 1)], 1), 6 + 4)
        order = [line.split()[1] for line in (self.path / "calls").read_text().splitlines()]
        self.assertEqual(order[:2], ["bh-l", "bh-l"])
        self.assertEqual(self.calls(), 10)
        self.assertEqual(reproduce.make_runs(both, [Seeded(self.store, seed) for seed in (1, 2, 3)], 1), 2 * 2)
        self.assertEqual(self.calls(), 14)

    def test_runs_that_differ_in_nothing_are_made_once(self):
        self.assertEqual(self.store.make_all([Run("ht-h", "fglock", 1), Run("ht-h", "fglock", 2)], 2), 1)
        self.assertEqual(self.store.make_all([Run("lps", NO_SYSTEM, 1), Run("lps", NO_SYSTEM, 2)], 2), 1)

    def test_a_run_without_transactions_names_no_system(self):
        run = Run("lps", NO_SYSTEM, preset="thesis-tbc", settings=(("core.divergence", "tbc"),))
        self.assertEqual(" ".join(run.arguments()), "run lps --preset thesis-tbc --set core.divergence=tbc")

    def test_a_model_of_persistency(self):
        run = Run("red", NO_SYSTEM, preset="sbrp-far", persistency="sbrp")
        self.assertEqual(" ".join(run.arguments()), "run red --preset sbrp-far --persistency sbrp")

    def test_a_crash_keeps_its_image_beside_the_runs(self):
        run = Run("red", NO_SYSTEM, preset="sbrp-far", crash="cycle:90")
        self.store.get(run)
        said = (self.path / "calls").read_text().partition(" --stats")[0]
        self.assertEqual(said, f"crash red --points cycle:90 --preset sbrp-far --image {self.store.path(run).with_suffix('.pm')}")

    def test_sizes_may_be_replaced(self):
        store = PaperStore(self.fake, self.path / "runs", 20, {"ht-h": (("blocks", 3),)})
        store.get(Run("ht-h", "getm"))
        self.assertIn("--param blocks=3", (self.path / "calls").read_text())
        self.assertNotEqual(store.path(Run("ht-h", "getm")), self.store.path(Run("ht-h", "getm")))

    def test_inputs_of_the_figures(self):
        store = PaperStore(self.fake, self.path / "runs", 20, inputs={"ap": (("fanout", 4),)})
        store.get(Run("ap", "getm"))
        store.get(Run("ap", "getm", params=(("fanout", 8),)))
        store.get(Run("cc", "getm"))
        said = [line.partition("--param ")[2].split()[:1] for line in (self.path / "calls").read_text().splitlines()]
        self.assertEqual(said, [["fanout=4"], ["fanout=8"], []])
        self.assertEqual(self.store.path(Run("cc", "getm")), store.path(Run("cc", "getm")))

    def test_averages_leave_out_what_did_not_end(self):
        def column(workload):
            return self.store.get(Run("gone" if workload == "atm" else workload, "getm", 4))["cycles"]
        with contextlib.redirect_stderr(io.StringIO()) as said:
            table = ratios("T", ("ht-h", "atm"), [("a", column), ("b", lambda w: {"ht-h": 3.0, "atm": 5.0}[w])], average="AVG")
        self.assertEqual(table.rows[-1], ["AVG", 100.0, 3.0])
        self.assertIn("| ATM | - | 5 |", report.markdown(table))
        self.assertIn("no memory", said.getvalue())

    def test_a_harmonic_mean_leaves_out_its_own_columns_failures(self):
        def column(workload):
            return {"ht-h": 1.0, "atm": 2.0, "cc": 4.0}[workload]

        def failing(workload):
            return self.store.get(Run("bad", "getm"))["cycles"] if workload == "cc" else column(workload)
        groups = {"HM two": ("ht-h", "atm"), "HM one": ("cc",), "HM all": ("ht-h", "atm", "cc")}
        with contextlib.redirect_stderr(io.StringIO()):
            table = harmonic_ratios("T", groups, [("a", column), ("b", failing)])
        self.assertEqual([row[0] for row in table.rows], ["HT-H", "ATM", "CC", *groups])
        self.assertEqual([row[1] for row in table.rows], [1.0, 2.0, 4.0, 4 / 3, 4.0, 12 / 7])
        self.assertEqual([row[2] for row in table.rows[:2] + table.rows[-1:]], [1.0, 2.0, 4 / 3])
        self.assertIn("| CC | 4 | - |", report.markdown(table))
        self.assertTrue(math.isnan(table.rows[-2][2]), "the mean of nothing")

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

    def test_an_interrupted_run_is_made_again(self):
        for calls in (1, 2):
            with self.assertRaisesRegex(RunFailed, "interrupted"):
                self.store.get(Run("stopped", "getm"))
            self.assertEqual(self.calls(), calls)

    def test_half_written_runs_are_not_results(self):
        run = Run("ht-h", "getm")
        self.store.path(run).with_suffix(".123.partial").write_text('{"check": "pas')
        self.assertEqual(self.store.get(run)["check"], "passed")


class Numbers(dict):
    """Counters of a run that never was: small numbers that depend on the name alone."""

    def __missing__(self, name):
        return {"value": 1 + sum(name.encode()) % 97}


class ExperimentsTest(unittest.TestCase):
    """Every experiment with made-up statistics: its code runs to the end, asks for no run that it has not announced, and the claims of GETM,
    of SBRP and of the thesis's chapters 3, 4 and 6 are all made by one of them."""
    OTHER_LIMITS = ("getm.cuckoo.latency", "getm.table.2k", "getm.granularity", "getm.scale56", "kilo.lwh.5k", "tcd.sizes",
                    "tab6.4.aborts.CC", "tbc.cohe", "sbrp.scan", "sbrp.window", "si.order",
                    "ltm.sWO", "ltm.KM-HC", "ltm.descending", "ltm.no_serial", "kilo.limit.contended", "cores.HT-H")  # claims in words, "about" and "6-7"
    ELSEWHERE = ("area.", "kilo.area", "tab6.3.", "si.area", "sbrp.area")  # reports of synth/

    def check_limits(self, verdict, text):
        """A number in a figures.py and the one in claims.csv are the same: two limits of a value lie around the paper's, one limit is it."""
        self.assertEqual(len(verdict.limits), len(verdict.values[0]), verdict)
        if verdict.claim.endswith(".conc"):  # compared by its cycles
            self.assertEqual(verdict.limits, [[None, 15.0]] * 4, verdict)
            self.assertIn((verdict.claim, text.replace(" (all)", "")), self.best_limits())
            return
        numbers = text.replace(">", "").replace("<", "").split("/")
        for number, (least, most) in zip(text.split("/"), verdict.limits):  # a direction is the same one
            self.assertTrue({">": most is None, "<": least is None}.get(number[:1], True), verdict.claim)
        if len(numbers) != len(verdict.limits) or verdict.claim in self.OTHER_LIMITS:
            self.assertIn(verdict.claim, self.OTHER_LIMITS)
            return
        for number, (least, most) in zip(numbers, verdict.limits):
            around = (least + most) / 2 if None not in (least, most) else least if most is None else most
            if verdict.claim == "getm.vs.fglock":  # an effect that may be smaller than the paper's, or as much larger as any
                around /= 1.15
            self.assertAlmostEqual(around, float(number), msg=verdict.claim)

    @staticmethod
    def best_limits():
        """The claims on best limits with the limits from which Table IV is made, written as claims.csv has them."""
        found = set()
        for workload, (limits, _) in getm_figures.TABLE_IV.items():
            names = limits.replace("inf", "unlimited").split("/")
            claim = f"tab4.{getm_figures.LABEL[workload].replace('BH-H', 'BH')}.conc"
            found |= {(claim, "/".join(names))} | ({(claim, names[0])} if len(set(names)) == 1 else set())
        return found

    def test_every_experiment_and_claim(self):
        paper, published, made = report.load_claims(ROOT / "experiments"), report.load_published(ROOT / "experiments"), collections.Counter()
        self.assertLessEqual(set(published), set(reproduce.all_experiments()))
        stats = {"cycles": 1000, "counters": Numbers(), "config": collections.defaultdict(lambda: 10), "phases": [{"name": "recovery", "cycles": 500}]}
        for experiment in reproduce.all_experiments().values():
            verdicts = []
            for seed in (1, 2):
                announced = set()

                class Announced:
                    binary = COWARP  # for what is asked of the command itself

                    def get(self, run):
                        test.assertIn(" ".join(run.arguments()), announced, f"{experiment.name}, seed {seed}")
                        return stats
                test, get = self, Seeded(Announced(), seed)
                for batch in experiment.runs(get):
                    announced |= {" ".join(get.of(run).arguments()) for run in batch}
                    self.assertEqual([run for run in batch if run.workload not in reproduce.QUICK], [], experiment.name)
                tables, claims = experiment.make(get)
                self.assertTrue(tables, experiment.name)
                for table in tables:
                    self.assertTrue(all(len(row) == len(table.columns) for row in table.rows), table.title)
                verdicts.append(claims)
            made.update(claim.ident for claim in verdicts[0])
            drawn = {(row[0], column) for table in tables for row in table.rows for column in table.columns[1:]}
            self.assertEqual([place for place in published.get(experiment.name, {}) if place not in drawn], [], experiment.name)
            self.assertEqual([place for table in tables for place in table.paper if place[:2] not in drawn], [], experiment.name)
            for same in zip(*verdicts, strict=True):
                verdict = spread.judged(same)
                self.assertFalse(verdict.crosses, verdict)
                self.check_limits(verdict, paper[verdict.claim]["value"])
        self.assertEqual([name for name, times in made.items() if times > 1 or name not in paper], [])
        self.assertEqual([name for name in paper if name not in made and not name.startswith(self.ELSEWHERE)], [])


def load_figures(folder):
    spec = importlib.util.spec_from_file_location(f"{folder}_figures", ROOT / f"experiments/{folder}/figures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class MatrixTest(unittest.TestCase):
    """Every transactional workload under every system, on small inputs: what can run ends with a right result."""

    def test_outcomes(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([COWARP, "reproduce", "matrix", "--quick", "--out", folder], capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            cycles, words = json.loads((pathlib.Path(folder) / "matrix.locks.json").read_text())["tables"]
        self.assertEqual(len(words["rows"]), 20)
        refused = {("ap", "sitm-ts"), ("ap", "sitm-oracle")}
        for row, ratios in zip(words["rows"], cycles["rows"]):
            for system, said, ratio in zip(words["columns"][1:], row[1:], ratios[1:]):
                expected = "refused: " if (row[0], system) in refused else "passed"
                self.assertTrue(said.startswith(expected), (row[0], system, said))
                self.assertEqual(said == "passed", ratio > 0, (row[0], system, ratio))


class CompactionTest(unittest.TestCase):
    """The figures of the thesis's chapter 3, from made-up runs: TBC takes 0.8 times PDOM's time on the divergent workloads and as long on the others,
    DWF 1.25 times and twice, DWF-WB as long. With a smaller L2 all take 2000 cycles, DWF 4000. NVRT fails under DWF."""
    DIVERGENT, COHERENT = {"pdom": 1000, "dwf": 1250, "dwf-wb": 1000, "tbc": 800}, {"pdom": 1000, "dwf": 2000, "dwf-wb": 1000, "tbc": 1000}
    SMALL = {"pdom": 2000, "dwf": 4000, "dwf-wb": 2000, "tbc": 2000}
    COUNTERS = {"thread_instructions": 6400, "warp_instructions": 400, "core_active_cycles": 500, "core_stall": 100, "simd_w1_4": 300,
                "core_w0_mem": 100, "mem_stall_const": 5, "mem_stall_shared": 15, "simt_stack_max": 7, "noc_up_flits": 10, "noc_down_flits": 30}

    def setUp(self):
        self.figures = load_figures("tbc")

    def get(self, run):
        settings = dict(run.settings)
        mechanism = settings.get("core.divergence", "pdom")
        self.assertEqual((run.preset, run.system), ("thesis-tbc", NO_SYSTEM))
        if (run.workload, mechanism) == ("nvrt", "dwf"):
            raise RunFailed([], "its check failed")
        cycles = (self.SMALL if "l2.bytes" in settings else self.DIVERGENT if run.workload in self.figures.DIVG else self.COHERENT)[mechanism]
        more = {"mem_stall_shared": 35 if mechanism == "dwf" else 15, "noc_up_flits": 30 if run.workload == "dg" and mechanism == "tbc" else 10,
                "simt_stack_max": 0 if mechanism == "tbc" else 7, "block_stack_max": 9 if mechanism == "tbc" else 0}
        counters = collections.defaultdict(int, self.COUNTERS | more)
        return {"cycles": cycles, "config": {"core.warp_width": 32, "noc.flit_bytes": 32},
                "counters": {name: {"value": counters[name]} for name in [*counters, *self.figures.CLASSES.values(), *self.figures.STALLS.values()]}}

    def made(self, name):
        with contextlib.redirect_stderr(io.StringIO()):
            tables, claims = next(e for e in self.figures.EXPERIMENTS if e.name == name).make(self.get)
        return tables, {claim.ident: claim.numbers() for claim in claims}

    def row(self, table, name):
        return dict(zip(table.columns[1:], next(row for row in table.rows if row[0] == name)[1:]))

    def near(self, ours, expected):
        self.assertEqual(len(ours), len(expected))
        for one, other in zip(ours, expected):
            self.assertAlmostEqual(one, other)

    def test_means_and_their_claims(self):
        (table,), claims = self.made("tbc.fig3.10")
        self.assertEqual(len(table.rows), 8 + 13 + 3)
        self.near(claims["tbc.divg"] + claims["tbc.cohe"] + claims["dwf.divg"], (25, 0, -20))
        self.near(claims["tbc.all"], (100 * (21 / (8 * 0.8 + 13) - 1),))
        self.near(claims["tbc.vs.dwf"], (56.25, 25))
        unknown = [(row[0], name) for row in table.rows for name, x in zip(table.columns[1:], row[1:]) if math.isnan(x)]
        self.assertEqual(unknown, [("NVRT", "DWF")])
        self.near([claims[name][0] for name in ("tbc.faster", "dwf.cohe", "tbc.behind.dwfwb", "tbc.BFS2")], (1.25, 0.5, 1.25, 1.25 / 0.8))
        self.near(claims["dwfwb.all"], (0,))

    def test_directions_of_named_programs(self):
        _, claims = self.made("tbc.fig3.4")
        self.near([claims[name][0] for name in ("dwf.faster", "dwf.slower", "dwfwb.recovers", "dwfwb.eddies")], (0.8, 0.8, 1.0, 1.0))
        self.near(claims["dwfwb.MUMpp"], (1.0, 1.25))
        _, claims = self.made("tbc.fig3.11")
        self.near([claims[name][0] for name in ("dwf.eddies.divg", "tbc.memory")], (0, 1.0))  # no run has a full warp
        self.assertTrue(math.isnan(claims["tbc.behind.efficiency"][0]) or claims["tbc.behind.efficiency"][0] == 1.0)

    def test_classes_are_counted(self):
        _, claims = self.made("tbc.fig3.2")
        self.assertEqual(claims["tbc.classes"], (8,), "with 50 percent all are divergent, and NNC does not count")

    def test_stalls_are_those_of_runs_that_all_mechanisms_get_right(self):
        (efficiency, stalls), claims = self.made("tbc.fig3.1")
        self.assertEqual(efficiency.rows, [["PDOM", 50.0], ["DWF", 50.0], ["TBC", 50.0]])
        self.near(claims["dwf.stalls"], (2.0,))
        self.near([row[1] for row in stalls.rows], (1.0, 2.0, 1.0))

    def test_parts_are_over_pdoms_total(self):
        (cycles, stalls), _ = self.made("tbc.fig3.11")
        self.assertEqual(len(cycles.rows), 8 * 4)
        bar = self.row(cycles, "BFS2 DWF")
        self.assertEqual((bar["W1-4"], bar["Stall"], bar["W0_Mem"], bar["W0_Idle"], sum(bar.values())), (0.6, 0.2, 0.2, 0.0, 1.0))
        self.assertEqual(list(self.row(stalls, "BFS2 PDOM").items()),
                         [("Const", 0.25), ("Texture", 0.0), ("SharedMem", 0.75), ("CoalesceStall", 0.0), ("GlobalLocalMem", 0.0)])
        self.assertEqual(self.row(stalls, "LPS DWF")["SharedMem"], 1.75)
        self.assertTrue(all(math.isnan(value) for value in self.row(stalls, "NVRT DWF").values()))

    def test_traffic_without_the_thesiss_exceptions(self):
        (table,), claims = self.made("tbc.fig3.14")
        self.near(claims["tbc.traffic"] + claims["tbc.DG"] + claims["tbc.LKYT"], (0, 1.5, 1))
        self.assertEqual(self.row(table, "DG"), {"AGE": 1.5, "RRB": 1.5, "SRR": 1.5})

    def test_a_smaller_l2_is_compared_with_its_own_pdom(self):
        (means, small), claims = self.made("tbc.fig3.15")
        self.near(claims["tbc.l2"] + claims["dwf.l2.MUMpp"], (0, 0, -20, -50))
        self.assertEqual([row[0] for row in means.rows], ["HM DIVG, 1 MB", "HM DIVG, 128 KB", "HM COHE, 1 MB", "HM COHE, 128 KB"])
        self.near([row[1] for row in means.rows], (0.8, 0.5, 0.5, 0.5))
        self.assertEqual(self.row(small, "LPS")["TBC-RRB"], 1.0)

    def test_stacks(self):
        tables, claims = self.made("tbc.fig3.9")
        self.assertEqual(self.row(tables[2], "MUM"), {"PDOM": 7, "PDOM-LCP": 7, "TBC": 9, "TBC-LCP": 9})
        self.near(claims["tbc.lcp.NVRT"], (0, 0))
        (table,), claims = self.made("tbc.table3.3")
        self.assertEqual((claims["tbc.stack"], len(table.rows)), ((9,) * 8, 21))

    def test_classes(self):
        """Thesis 3.1."""
        self.assertEqual([self.figures.class_of(percent) for percent in (75.9, 76.0)], ["DIVG", "COHE"])
        self.assertEqual(set(self.figures.TABLE_3_1), set(self.figures.ALL))
        self.assertEqual(set(self.figures.TABLE_3_3), set(self.figures.ALL))


class PersistencyTest(unittest.TestCase):
    """The figures of SBRP, from made-up runs: near memory halves the time of every model, SBRP takes 0.8 times epoch's, GPM 1.25 times. Red with
    releases of device scope takes as long under SBRP as under epoch, in far memory 0.9 times. MQ and Scan lose nothing. A window of 6 is the best one."""
    TIMES = {"none": 500, "gpm": 1250, "epoch": 1000, "sbrp": 800}

    def setUp(self):
        self.figures, self.made = load_figures("sbrp"), []

    def get(self, run):
        self.made.append(run)
        settings = dict(run.settings)
        cycles, scopes = self.TIMES[run.persistency], 200 if "near" in run.preset else 100
        if run.persistency == "sbrp":
            cycles += 10 * abs(settings.get("pm.window", 6) - 6) + (scopes if (run.workload, run.params) == ("red", (("form", 1), ("scope", 1))) else 0)
            cycles += 80 if settings.get("pm.pb_entries") == 64 else 0
        if run.crash:  # the later, the longer; SBRP's recovery takes a tenth more
            after = int(run.crash.removeprefix("cycle:")) * 100 // cycles
            return {"phases": [{"name": "recovery", "cycles": after * (11 if run.persistency == "sbrp" else 10)}]}
        return {"cycles": cycles * (1 if "near" in run.preset else 2),
                "counters": {"l1_pm_read_misses": {"value": cycles}, "l1_pm_write_misses": {"value": 0 if run.workload == "mq" else 100}}}

    def of(self, name):
        tables, claims = next(e for e in self.figures.EXPERIMENTS if e.name == name).make(self.get)
        return tables, {claim.ident: claim.numbers() for claim in claims}

    def near(self, ours, expected):
        self.assertEqual(len(ours), len(expected))
        for one, other in zip(ours, expected):
            self.assertAlmostEqual(one, other)

    def test_speedups_and_their_claims(self):
        (bars, compared, text), claims = self.of("sbrp.fig6")
        self.assertEqual(compared.rows, text.rows, "the made-up runs are the same on both machines")
        self.assertEqual([row[0] for row in bars.rows], ["gpKVS", "HM", "SRAD", "Red", "MQ", "Scan", "GMEAN"])
        self.near(bars.rows[-1][1:], (0.8, 1.0, 1.25, 2.0, 2.5, 2.0, 4.0))
        self.near(compared.rows[0][1:], (1.25, 1.5625, 1.25, 1.25, 2.0, 2.0, 3.125))
        self.near(claims["sbrp.far.gpm"] + claims["sbrp.near.epoch"] + claims["sbrp.epochnear.far"], (56.25, 56.25, 25, 25, 100))
        self.near(claims["sbrp.red"] + claims["sbrp.mq"] + claims["sbrp.scan"] + claims["sbrp.intra"], (25,) * 7)
        self.near(claims["sbrp.epochfar.always"] + claims["sbrp.srad"], (1.25, 25))

    def test_what_is_lost_without_scopes_is_theirs(self):
        (shares, speedups), claims = self.of("sbrp.fig7")
        far = 100 * (1.25 - 1 / 0.9) / 0.25
        self.near(shares.rows[0][1:], (far, 100, (far + 100) / 2))
        self.near(shares.rows[-1][1:] + list(claims["sbrp.scopes"]), (far / 3, 100 / 3, (far + 100) / 6, (far + 100) / 6))
        self.near(speedups.rows[0][1:], (1.25, 1 / 0.9, 1.25, 1.0))

    def test_no_speedup_has_no_parts(self):
        self.near((self.figures.share(1.5, 1.1), self.figures.share(1.5, 1.6)), (80, -20))
        self.assertTrue(math.isnan(self.figures.share(1.009, 1.0)) and math.isnan(self.figures.share(0.9, 0.8)))

    def test_read_misses(self):
        (by_reads, by_writes), claims = self.of("sbrp.fig8")
        self.near(claims["sbrp.misses.intra"] + claims["sbrp.misses.block"] + claims["sbrp.misses.little"], (0.8, 0.8, 0.0))
        self.assertEqual(by_reads.rows[0][1:], [1.0, 0.8, 1.0, 0.8])
        self.assertEqual((by_writes.rows[0][1:], by_writes.rows[4][1:]), ([10.0, 8.0, 10.0, 8.0], [1000.0, 800.0, 1000.0, 800.0]))

    def test_the_persist_buffer_and_the_window(self):
        (paper, published), claims = self.of("sbrp.fig10a")
        self.near(paper.rows[-1][1:] + published.rows[-1][1:], (1000 / 880, 1.25, 1.25, 1.25, 1.25, 1000 / 880, 1.25, 1.25))
        self.near(claims["sbrp.pb50"], (0,))
        (exact, _), claims = self.of("sbrp.fig10c")
        self.near(exact.rows[-1][1:], [1000 / (800 + more) for more in (40, 20, 0, 20, 40, 60)])
        self.assertEqual(claims["sbrp.window"], (1.0, 6))

    def test_the_worst_crash_counts(self):
        (recovery, parts), claims = self.of("sbrp.fig11")
        self.near(recovery.rows[-1][1:], (1.1,))
        self.near(parts.rows[0][1:], (99.0, 11 * 99 / 8))
        self.near(claims["sbrp.recovery"] + claims["sbrp.recovery.share"], (10, 10, 11 * 99 / 8, 11 * 99 / 8))
        self.assertEqual({run.crash for run in self.made if run.workload == "mq" and run.persistency == "epoch"},
                         {"", "cycle:500", "cycle:900", "cycle:990"})

    def test_runs_of_one_machine_are_one_run(self):
        run, epoch, sbrp = self.figures.run, self.figures.EPOCH_NEAR, self.figures.SBRP_NEAR
        self.assertEqual(run("red", sbrp, (("pm.window", 6),)), run("red", sbrp))
        self.assertEqual(run("red", epoch, (("pm.window", 2), ("pm.latency", 600))), run("red", epoch, self.figures.EADR))
        self.assertEqual(run("red", sbrp, (("pm.window", 2),)).settings, (("pm.window", 2),))

    def test_the_machines_values(self):
        """What run() leaves out is what the presets have, and what epoch's runs leave out is what the other models do not read."""
        with tempfile.TemporaryDirectory() as folder:
            store = PaperStore(COWARP, folder, 60)
            for model in (self.figures.SBRP_NEAR, self.figures.SBRP_FAR):
                for machine in (self.figures.ARTIFACT, self.figures.TEXT):
                    config = store.get(self.figures.run("vecadd", model, params=(("n", 32),), machine=machine))["config"]
                    known = self.figures.preset_of(machine, model.place)
                    self.assertEqual({(name, config[name]) for name, _ in known}, known, (model, machine))


class InputsTest(unittest.TestCase):
    """A workload with two parameters, whose transactions are the thesis's at a=3, b=20, and which does not end at a=4."""

    def setUp(self):
        self.inputs = load_figures("inputs")
        self.inputs.TARGETS["toy"] = self.inputs.Target({"transactions": 100, "aborts": 0.02}, 0.01, {"a": (1, 2, 3, 4), "b": (10, 20, 40)})
        self.made = []

    def get(self, run):
        self.made.append(run)
        a, b = (dict(run.params)[name] for name in "ab")
        if a == 4:
            raise RunFailed([], "deadlock")
        return {"counters": {name: {"value": value} for name, value in (("tx_committed", 100 + 50 * abs(a - 3)), ("tx_aborted", 0.1 * b * (4 - a)))}}

    def test_the_search_goes_round_until_nothing_is_better(self):
        search = self.inputs.Search(self.get, "toy")
        batches = list(search.batches())
        self.assertEqual(search.best, {"a": 3, "b": 20})
        self.assertEqual([len(batch) for batch in batches], [4, 3, 4])
        self.assertTrue(all(run.seed == 1 and run.warps == 0 and run.system == "kilotm" for batch in batches for run in batch))
        self.assertEqual(len(search.tried), 9, "a at b=10 and at b=20, b at a=3")
        self.assertEqual(sum(near == float("inf") for near, _ in search.tried.values()), 2)

    def test_the_distance(self):
        self.assertEqual(self.inputs.distance("toy", {"transactions": 100, "aborts": 0.02}), 0.0)
        self.assertAlmostEqual(self.inputs.distance("toy", {"transactions": 200, "aborts": 0.02}), math.log(2) / 2)
        self.assertAlmostEqual(self.inputs.distance("toy", {"transactions": 50, "aborts": 0.04}), math.log(2))
        self.assertAlmostEqual(self.inputs.distance("toy", {"transactions": 100, "aborts": 0.0}), math.log(4) / 2, msg="0.00 means less than 0.005")

    def test_the_tables(self):
        made, tried = self.inputs.make("toy")(Seeded(self, 2))[0]
        self.assertEqual([row[0] for row in made.rows], ["thesis", "default: a=1 b=10", "figures: a=1 b=10", "nearest: a=3 b=20"])
        self.assertEqual((tried.rows[0][0], tried.rows[0][-1]), ("a=3 b=20", 0.0))
        self.assertEqual([row[-1] for row in tried.rows[:7]], sorted(row[-1] for row in tried.rows[:7]))
        self.assertTrue(all(math.isnan(row[-1]) for row in tried.rows[7:]))
        self.assertEqual([run.seed for run in self.made[-3:]], [2, 2, 2])

    def test_the_figures_have_the_nearest(self):
        """The first of each search in inputs/searches.csv is what INPUTS has, and the distance is that of its words."""
        found = {}
        for row in fidelity.rows_without_comments(ROOT / "experiments/inputs/searches.csv"):
            found.setdefault(row.pop("workload"), []).append(row)
        for name, rows in found.items():
            nearest = min(rows, key=lambda row: float(row["distance"]))
            params = {key: int(value) for key, value in (word.split("=") for word in nearest["input"].split())}
            self.assertEqual(params | self.inputs.TARGETS[name].fixed, dict(self.inputs.INPUTS[name]), name)
            for row in rows:
                ours = {metric: float(row[metric]) for metric in self.inputs.TARGETS[name].paper}
                self.assertAlmostEqual(self.inputs.distance(name, ours), float(row["distance"]), 2, (name, row["input"]))
        self.assertEqual(set(found), {name for name, target in self.inputs.TARGETS.items() if target.machine == self.inputs.SI_TM})

    def test_defaults_are_the_workloads(self):
        """The first value of each parameter is what `cowarp list` says."""
        said = json.loads(subprocess.run([COWARP, "list", "--json"], capture_output=True, text=True, check=True).stdout)
        workloads = {workload["name"]: {param["name"]: param["default"] for param in workload["params"]} for workload in said["workloads"]}
        for name, params in self.inputs.INPUTS.items():
            self.assertEqual([key for key, _ in params if key not in workloads[name]], [], name)
            self.assertEqual(list(params), sorted(params), name)
        for name, params in reproduce.QUICK.items():
            self.assertEqual([key for key, _ in params if key not in workloads[name]], [], name)
            self.assertEqual(list(params), sorted(params), name)
        for name, target in self.inputs.TARGETS.items():
            if name != "toy":
                self.assertEqual(self.inputs.defaults(target), {key: workloads[name][key] for key in target.space}, name)


def within(value, limits):
    return spread.inside(value, limits)


class NearTest(unittest.TestCase):
    def test_a_number(self):
        self.assertTrue(within(1.14 * 59, near(59)) and within(0.86 * 59, near(59)))
        self.assertFalse(within(1.16 * 59, near(59)) or within(0.84 * 59, near(59)))

    def test_an_effect_is_not_near_none(self):
        self.assertFalse(within(0, near_gain(14)) or within(0, near_gain(2)) or within(0, near_gain(60)))
        self.assertFalse(within(-1.8, near_gain(2)), "the other direction")
        self.assertTrue(within(12, near_gain(14)) and within(16, near_gain(14)) and within(2.5, near_gain(2)))
        self.assertFalse(within(11, near_gain(14)) or within(17, near_gain(14)))

    def test_bounds(self):
        self.assertTrue(within(90, at_least(90)) and within(7, at_most(7)) and within(1.001, above(1)) and within(0.999, below(1)))
        self.assertFalse(within(89.9, at_least(90)) or within(7.1, at_most(7)) or within(1, above(1)) or within(1, below(1)))
        self.assertFalse(within(float("nan"), (None, None)))


class SpreadTest(unittest.TestCase):
    """Three seeds; the claim is that the value is within 15 percent of 100."""

    def verdict(self, *values, limits=near(100), **more):
        return spread.judged([Claim("x", value, limits, **more) for value in values])

    def test_the_median_decides_and_a_range_over_a_limit_is_marked(self):
        for values, holds, crosses in (((110, 90, 100), True, False), ((110, 90, 120), True, True), ((121, 90, 120), False, True),
                                       ((121, 130, 120), False, False), ((80, 120, 121), False, True), ((80, 100, 120), True, True)):
            verdict = self.verdict(*values)
            self.assertEqual((verdict.holds, verdict.crosses), (holds, crosses), values)
        self.assertEqual((self.verdict(110, 90, 120).here, self.verdict(110, 90, 120).range), ("110", "90..120"))
        self.assertEqual((self.verdict(110).range, self.verdict(110).crosses), ("-", False))

    def test_one_side(self):
        self.assertTrue(self.verdict(6, 8, 5, limits=at_most(7)).crosses)
        self.assertFalse(self.verdict(8, 9, 7.5, limits=at_most(7)).crosses)
        self.assertTrue(self.verdict(89, 91, 92, limits=at_least(90)).crosses)

    def test_several_values(self):
        pairs = (near(100), near(10))
        self.assertEqual(self.verdict((100, 10), (110, 10), (90, 11), limits=pairs)[1:5], ("100/10", "90/10 .. 110/11", True, False))
        self.assertTrue(self.verdict((100, 10), (120, 10), (90, 11), limits=pairs).crosses)
        sure = self.verdict((100, 20), (120, 21), (90, 22), limits=pairs)
        self.assertEqual((sure.holds, sure.crosses), (False, False), "what one value decides, the other one cannot change")
        text = self.verdict((1, 2), (3, 4), (5, 6), limits=pairs, text="{:.1f} of {:.0f}".format)
        self.assertEqual((text.here, text.range), ("3.0 of 4", "1/2 .. 5/6"))

    def test_what_is_not_known(self):
        nan = float("nan")
        self.assertEqual((self.verdict(nan, nan, nan).holds, self.verdict(nan, nan, nan).crosses), (False, False))
        self.assertEqual((self.verdict(nan, 90, 92).here, self.verdict(nan, 90, 92).holds), ("91", True))

    def test_tables(self):
        tables = [Table("T", ["w", "a", "b"], [["x", float(value), text], ["y", 1, "c"]])
                  for value, text in ((1, "2/30.5"), (5, "4/10.5"), (3, "3/11.0"))]
        table = spread.merged(tables)
        self.assertEqual((table.rows, table.ranges), ([["x", 3.0, "3/11.0"], ["y", 1, "c"]], [[None, (1.0, 5.0), None], [None, (1, 1), None]]))
        self.assertIn("| x | 3 (1..5) | 3/11.0 |\n| y | 1 | c |", report.markdown(table))
        with tempfile.TemporaryDirectory() as folder:
            report.write_csv(pathlib.Path(folder) / "t.csv", table)
            self.assertEqual((pathlib.Path(folder) / "t.csv").read_text().splitlines(),
                             ["w,a,a min,a max,b", "x,3.0,1.0,5.0,3/11.0", "y,1,1,1,c"])
        self.assertEqual(spread.middle_text(["8 warps", "no limit"]), "8 warps")
        self.assertIs(spread.merged(tables[:1]), tables[0])


class ProgramsTest(unittest.TestCase):
    """What stands beside a claim: the worst program, and how long the cores were active."""

    def test_the_worst_program_is_that_of_the_medians(self):
        seeds = [Claim("x", 1.0, above(1.0), each={"A": a, "B": b}) for a, b in ((0.9, 1.5), (1.4, 1.1), (1.3, 1.2))]
        self.assertEqual(spread.judged(seeds).worst, "B 1.2")
        self.assertEqual(spread.judged([claim._replace(worse=max) for claim in seeds]).worst, "A 1.3")
        self.assertEqual(spread.judged([Claim("x", 1.0, above(1.0), each={"A": 1.0, "B": math.nan})]).worst, "-", "one of them is no choice")

    def test_a_program_that_failed_does_not_pass(self):
        def value(workload):
            if workload == "lps":
                raise RunFailed([], "its check failed")
            return 2.0 if workload == "dg" else 3.0
        with contextlib.redirect_stderr(io.StringIO()):
            for workloads, holds in ((("dg", "ray"), True), (("dg", "ray", "lps"), False), (("lps", "dg"), False)):
                self.assertEqual(spread.judged([all_above("x", workloads, value)]).holds, holds, workloads)
        self.assertTrue(math.isnan(how_many([1.0, math.nan], bool)), "nor is it counted")
        self.assertEqual(how_many([1.0, -1.0, 2.0], lambda x: x > 0), 2)
        self.assertEqual(all_above("x", ("ray", "dg"), value).value, 2.0)
        self.assertEqual(all_below("x", ("dg", "ray"), value).value, 3.0)

    def test_activity(self):
        stats = {"cycles": 100, "config": {"core.count": 4}, "counters": {"core_active_cycles": {"value": 300}}}
        self.assertEqual(active_share(stats), 75.0)
        self.assertIsNone(active_share({"cycles": 100, "config": {}, "counters": {}}))
        self.assertEqual(spread.activity({"lps": [100.0, 80.0], "dg": [30.0]}), "60, dg 30")
        self.assertEqual((spread.activity({"lps": [90.0]}), spread.activity({})), ("90", "-"))
        verdict = spread.judged([Claim("x", 1.0, above(1.0), workloads=("lps",))], {"lps": [90.0], "dg": [30.0]})
        self.assertEqual(verdict.active, "90", "of the programs that the claim is about")

    def test_what_a_search_only_tries_does_not_count(self):
        class Store:
            def get(self, run):
                return run
        get = Seeded(Store(), 1)
        get(Run("dg", "getm", seed=1))
        get(Run("dg", "getm"))
        self.assertEqual(list(get.read), [Run("dg", "getm")])


class SizesTest(unittest.TestCase):
    """Two programs under PDOM, TBC and DWF. TBC gains on dg, but not with 240 elements; on lps with every size."""

    class Store:
        inputs = {"lps": (("n", 121),)}

        def __init__(self):
            self.made = []

        def path(self, run):
            return ROOT  # all runs are there

        def make_all(self, runs, jobs):
            self.made += runs

        def get(self, run):
            mechanism, elements = dict(run.settings).get("m", "pdom"), dict(run.params).get("elements", 300)
            faster = mechanism == "tbc" and not (run.workload == "dg" and elements == 240)
            return {"cycles": 800 if faster else 1000, "counters": {"c": {"value": 5}}}

    @staticmethod
    def make(get):
        def gain(workload, mechanism="tbc"):
            return get(Run(workload, NO_SYSTEM))["cycles"] / get(Run(workload, NO_SYSTEM, settings=(("m", mechanism),)))["cycles"]
        both = [gain("dg"), gain("lps"), gain("dg", "dwf"), gain("mum")]
        return [], [Claim("dg", both[0], above(1.0)), Claim("lps", both[1], above(1.0)), Claim("dwf", both[2], above(1.0)), Claim("mum", both[3], above(1.0)),
                    Claim("none", get(Run("dg", NO_SYSTEM))["counters"]["c"]["value"], above(100.0))]

    def setUp(self):
        self.experiment, self.store = Experiment("x", "", None, self.make), self.Store()
        self.get = Seeded(self.store, 1)
        verdicts = [spread.judged([claim]) for claim in self.make(self.get)[1]]
        self.verdicts = {verdict.claim: verdict for verdict in sizes.judged(self.experiment, self.get, verdicts, 1)}

    def test_a_verdict_that_a_size_turns_says_so(self):
        told = {name: (verdict.holds, verdict.sizes, verdict.turns) for name, verdict in self.verdicts.items()}
        self.assertEqual(told, {"dg": (True, "1 and 1.25", True), "lps": (True, "1.25 and 1.25", False), "dwf": (False, "-", False),
                                "mum": (True, "-", False), "none": (False, "-", False)})

    def test_it_does_not_count_as_held(self):
        paper = {"dg": {"place": "3.6", "what": "w", "value": ">1", "unit": "", "paper": "fung-thesis"}}
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            results.write(folder, "x", [Table("T", ["w", "a"], [["x", 1]], "none")], [self.verdicts["dg"]], paper, {}, [1])
            page, table, _ = fidelity.page(folder, paper, folder, "")
        self.assertEqual(table, 'claim,here,range,worst,active,sizes,holds,experiment\ndg,1.25,-,-,-,1 and 1.25,"yes, turns",x\n')
        self.assertIn("1 claims are measured, with 1 seed of their inputs; 0 hold.", page)
        self.assertIn("1 of them turn with one of these", " ".join(page.split()))
        row = fidelity.rows_of(fidelity.judged_before("", table, paper)[0], paper, {})[0]
        self.assertEqual((row.cause, row.reason), ("decided", "It holds, and with another size of the input it does not: 1 and 1.25."))

    def test_only_what_moves_a_claim_that_holds_is_made_again(self):
        made = {(run.workload, dict(run.settings).get("m", "pdom"), run.params) for run in self.store.made}
        dg, lps = ((("elements", 240),), (("elements", 480),)), ((("n", 96),), (("n", 110),))
        self.assertEqual(made, {(w, m, params) for w, other in (("dg", dg), ("lps", lps)) for m in ("pdom", "tbc") for params in other})

    def test_sizes_are_parameters_of_the_workloads(self):
        said = json.loads(subprocess.run([COWARP, "list", "--json"], capture_output=True, text=True, check=True).stdout)
        known = {workload["name"]: {param["name"] for param in workload["params"]} for workload in said["workloads"]}
        figures = {**load_figures("tbc").INPUTS, **{w: load_figures("localtm").INPUT for w in load_figures("localtm").ALL}}
        for workload, others in sizes.OTHERS.items():
            self.assertEqual(len({*others, tuple(sorted(figures.get(workload, ())))}), 3, f"{workload}: three sizes")
            self.assertEqual([name for other in others for name, _ in other if name not in known[workload]], [], workload)

    def test_a_failed_run_of_another_size_is_no_verdict(self):
        whole = self.Store.get

        def failing(store, run):
            if dict(run.params).get("elements") == 240:
                raise RunFailed(run.arguments(), "not done")
            return whole(store, run)
        with unittest.mock.patch.object(self.Store, "get", failing), contextlib.redirect_stderr(io.StringIO()) as said:
            self.setUp()
        self.assertEqual((self.verdicts["dg"].sizes, self.verdicts["dg"].turns), ("1.25", False))
        self.assertIn("x, another size: cowarp run dg", said.getvalue())


class FidelityTest(unittest.TestCase):
    def page(self, *values, seeds=None):
        paper = report.load_claims(ROOT / "experiments")
        verdict = spread.judged([Claim("kilo.vs.ideal", value, near(52)) for value in values])
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            results.write(folder, "kilotm.fig4.6", [Table("T", ["w", "a"], [["x", 1]], "none")], [verdict], paper, {}, seeds or list(range(1, 1 + len(values))))
            return self.both(folder, paper, ROOT / "experiments")

    def both(self, folder, paper, sources, before=("", "")):
        """The page, then its table as `cowarp reproduce --claims` shows it; what is written is kept in self.written."""
        self.written = fidelity.page(folder, paper, sources, "", before)[:2]
        known, _ = fidelity.judged_before("", self.written[1], paper)
        return self.written[0] + fidelity.claims_table(fidelity.rows_of(known, paper, fidelity.load_reasons(pathlib.Path(sources) / "reasons.csv")))

    def test_a_range_stands_beside_its_value(self):
        page = self.page(50.0, 52.5, 51.0)
        self.assertIn("| 52 percent | 51 | 50..52.5 | - | - | - | yes |", page)
        self.assertIn("1 claims are measured, with 3 seeds of their inputs; 1 hold.", page)
        self.assertIn("- hold (1): kilo.vs.ideal\n", page)

    def test_a_range_that_crosses_says_so(self):
        page = self.page(50.0, 62.5, 51.0)
        self.assertIn("| 51 | 50..62.5 | - | - | - | yes, crosses |", page)
        self.assertIn("; 0 hold.", page)
        self.assertIn("- another seed or size gives another verdict (1): kilo.vs.ideal\n", page)
        self.assertIn("| 62.5 | 51..63 | - | - | - | no, crosses |", self.page(63.0, 62.5, 51.0))

    def test_misses_stand_in_groups(self):
        paper = {name: {"place": "1", "what": "w", "value": "1", "unit": "", "paper": "p", "config": ""} for name in "abcd"}
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            sources = pathlib.Path(folder) / "sources"
            sources.mkdir()
            reasons = sources / "reasons.csv"
            reasons.write_text("id,cause,here,shows,reason\na,input,5,,A scene.\nb,ours,5,cowarp run x; cowarp run y,Of {b} a queue.\nc,ours,5,,A queue.\n")
            (sources / "papers.csv").write_text("paper,title,holds,misses,reason\np,The paper,Nothing.,All {a} of {b}.,Weather.\nq,Another,a,b,c\n")
            verdicts = [spread.judged([Claim(name, 5.0, near(1))]) for name in "abcd"]
            results.write(folder, "x", [Table("T", ["w", "a"], [["x", 1]], "none")], verdicts, paper, {}, [1])
            page, table, _ = fidelity.page(folder, paper, sources, "")
            why = fidelity.explained("b", paper, fidelity.judged_before("", table, paper)[0], fidelity.load_reasons(reasons))
            reasons.write_text("id,cause,here,shows,reason\na,ours,5,,A queue, and another.\n")
            with self.assertRaisesRegex(fidelity.NotComparable, "a has more columns"):
                fidelity.load_reasons(reasons)
            reasons.write_text("id,cause,here,shows,reason\na,weather,5,,Rain.\n")
            with self.assertRaisesRegex(results.NotComparable, "'weather' is no cause of a; it may be input, paper, ours"):
                fidelity.page(folder, paper, sources, "")
        self.assertIn("Of the 4 others: the paper's input is not public: 1; what is ours differs: 2; not explained yet: 1.", " ".join(page.split()))
        screen = page.split("## The paper\n")[1].split("## ")[0]
        self.assertIn("Does not hold: All 5 of 5.\n", screen)
        self.assertEqual([line for line in screen.splitlines() if line.startswith("- ")],
                         ["- the paper's input is not public (1): a", "- what is ours differs (2): b c", "- not explained yet (1): d"])
        self.assertNotIn("Another", page)
        self.assertEqual(why[-4:], ["  reason    Of 5 a queue.", "  measure   cowarp reproduce x", "  shows     cowarp run x", "  shows     cowarp run y"])

    def test_reasons_name_commands_that_are_there(self):
        reasons = fidelity.load_reasons(ROOT / "experiments/reasons.csv")
        named = {command for reason in reasons.values() for command in reason.shows.split("; ") if command}
        self.assertEqual([command for command in named if not command.startswith(("cowarp reproduce ", "cowarp run ", "cowarp sweep ", "cowarp synth "))], [])
        self.assertEqual([ident for ident, reason in reasons.items() if not reason.shows], [])
        units = {path.stem for path in (ROOT / "include/cowarp/unit").glob("*.h")}
        self.assertEqual([command for command in named if command.startswith("cowarp synth ") and command.split()[2] not in units], [])
        experiments, config = set(reproduce.all_experiments()), subprocess.run([COWARP, "config", "--json"], capture_output=True, text=True, check=True).stdout
        self.assertEqual([command for command in named if command.startswith("cowarp reproduce ") and command.split()[2] not in experiments], [])
        keys = {words[i + 1].split("=")[0] for words in map(str.split, named) for i, word in enumerate(words) if word == "--set"}
        self.assertEqual([key for key in keys if f'"{key}"' not in config], [])

    def test_what_says_too_little_does_not_count(self):
        paper = {name: {"place": "1", "what": "w", "value": "1", "unit": "", "paper": "p", "config": "", "weak": weak} for name, weak in (("a", ""), ("b", "Anything would do."))}
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            verdicts = [spread.judged([Claim(name, 1.0, near(1))]) for name in "ab"]
            results.write(folder, "x", [Table("T", ["w", "a"], [["x", 1]], "none")], verdicts, paper, {}, [1])
            page, table, _ = fidelity.page(folder, paper, folder, "")
        self.assertIn("; 1 hold. Of the 1 others: it holds, and says too little: 1.", " ".join(page.split()))
        self.assertIn('b,1,-,-,-,-,"yes, weak",x', table)
        paper["b"]["weak"] = ""
        self.assertEqual([row.holds for row in fidelity.rows_of(fidelity.judged_before("", table, paper)[0], paper, {})], ["yes", "yes"])

    def test_a_picture_has_each_number_that_stands_beside_another(self):
        rows = {"1.2": ("1.1", 1), "3/4": ("5/6", 2), "3/4 ": ("5", 0), ">1.0": ("2", 0), "7": ("7; the paper's", 0), "0": ("1", 0)}
        for value, (here, count) in rows.items():
            self.assertEqual(len(scatter.pairs(value, here)), count, (value, here))

    def test_lines_fit_a_document(self):
        row = fidelity.Row("ident", "a claim of many words " * 20, "", "1.234 of the fastest, 32 B", "1.23/16 .. 1.45/64", "HT-H 1.9", "93, dg 34", "-", "no, crosses", "x", "", "")
        line = next(line for line in fidelity.claims_table([row]).splitlines() if line.startswith("| ident"))
        self.assertLessEqual(len(line), 200)
        self.assertGreater(len(line), 185)
        self.assertIn("a claim of many words", line)
        self.assertEqual(fidelity.fitting(("ident", "short", "", "1", "2", "-", "-", "-", "yes"))[1], "short")

    def test_one_seed_has_no_range(self):
        page = self.page(51.0)
        self.assertIn("| 51 | - | - | - | - | yes |", page)
        self.assertIn("with 1 seed of their inputs", page)
        self.assertNotIn("crosses", page.split("yes |")[0].split("### Claims")[1])

    def test_what_is_not_measured_anew_stays(self):
        paper, _ = report.load_claims(ROOT / "experiments"), self.page(50.0, 62.5, 51.0)
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            verdict = spread.judged([Claim("ideal.vs.serial", 100.0, near(279))])
            results.write(folder, "kilotm.fig4.1", [Table("T", ["w", "a"], [["x", 1]], "none")], [verdict], paper, {}, [1])
            page = self.both(folder, paper, folder, self.written)
            again = self.both(folder, paper, folder, self.written)
        self.assertEqual(page, again)
        self.assertIn("| 52 percent | 51 | 50..62.5 | - | - | - | yes, crosses |", page)
        self.assertIn("| 279 x | 100 | - | - | - | - | no |", page)
        self.assertIn("2 claims are measured, with 1 to 3 seeds of their inputs; 0 hold.", page)
        self.assertNotIn("ideal.vs.serial", self.written[0].split("## Not measured")[1])
        self.assertNotIn("kilo.vs.ideal ", self.written[0].split("## Not measured")[1])

    def test_results_that_cannot_be_compared(self):
        for text, said in (('{"name": "a", "claims": []}', "older version"), ('{"name": "a", "claims": [], "seeds": [1], "quick": false}', "no result"),
                           ('{"name": "a", "claims": [], "seeds": [1], "quick": true}', "tiny inputs")):
            with tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "a.json").write_text(text)
                with self.assertRaisesRegex(results.NotComparable, said):
                    fidelity.page(folder, {}, folder, "")


class MutantsTest(unittest.TestCase):
    """Wrong machines: how they differ, and that each claim that holds is missed by one."""
    def changed(self, name, run):
        for change in next(m for m in mutants.MUTANTS if m.name == name).changes:
            run = change.of(run)
        return run

    def test_a_machine_differs_as_its_name_says(self):
        run = Run("ht-h", "getm", 8, settings=(("getm.table_rows", 128), ("tm.granule_bytes", 16)))
        self.assertEqual(self.changed("getm-lazy", run), Run("ht-h", "warptm", 8))
        self.assertEqual(self.changed("getm-lazy", run._replace(system="fglock")).system, "fglock")
        self.assertEqual(dict(self.changed("getm-granules", run).settings)["tm.granule_bytes"], 64)
        self.assertEqual(self.changed("getm-granules", Run("ht-h", "getm")).settings, (("tm.granule_bytes", 128),))
        self.assertEqual(self.changed("getm-granules", Run("ht-h", "warptm")).settings, ())
        self.assertEqual(self.changed("getm-few-warps", run).warps, 2)
        self.assertEqual([self.changed("kilo-turned", Run("atm", "kilotm", warps)).warps for warps in (1, 2, 4, 0)], [0, 4, 2, 1])
        self.assertEqual(self.changed("sitm-kilo", Run("ll-1", "sitm-ts", 2, "si-tm", (("si.graph", "on"),))), Run("ll-1", "warptm", 2, "si-tm-base", mutants.KILO_FORM))
        sbrp = Run("red", NO_SYSTEM, preset="sbrp-near", settings=(("pm.pb_entries", 64), ("pm.queue", 8)), persistency="sbrp")
        self.assertEqual(self.changed("sbrp-epoch", sbrp), sbrp._replace(persistency="epoch", settings=(("pm.queue", 8),)))
        self.assertEqual(self.changed("sbrp-far", sbrp).preset, "sbrp-far")
        self.assertEqual(dict(self.changed("sbrp-small-buffer", sbrp).settings)["pm.pb_entries"], 4)
        self.assertEqual(self.changed("sbrp-scopes", sbrp).params, (("scope", 1),))

    def judged(self, value, results, same=False, limits=(None, 5.0)):
        """Of a claim, a function of what gives a run's cycles; results: of the workloads whose runs may be made."""
        mutant = mutants.Mutant("m", "w", (mutants.dropped("x."), mutants.limits({0: 1})), "a", same)
        made = []

        class Store:
            def make_all(self, runs, jobs):
                made.extend(run.workload for run in runs)

            def get(self, run):
                test.assertEqual((run.warps, run.seed), (1, 1))
                return {"cycles": results[run.workload]}
        test = self
        experiment = Experiment("e", "", lambda _: [], lambda get: ([], [
            Claim("a", value(lambda w: get(Run(w, "getm", 0))["cycles"]), limits), Claim("b", 1.0, limits)]))
        return [(row.claim, row.mutant, row.wrong, row.missed) for row in mutants.judged(experiment, mutants.Mutated(Store(), 1, mutant))], made

    def rows(self, value, same=False, limits=(None, 5.0)):
        return self.judged(lambda cycles: cycles("w"), {"w": value}, same, limits)[0]

    def test_only_what_a_claim_reads_is_made(self):
        rows, made = self.judged(lambda cycles: cycles("u") * 0 + cycles("v") / cycles("w"), {"v": 12, "w": 2})
        self.assertEqual((rows[0][-1], made), ("yes", ["v", "w"]))

    def test_the_base_of_two_means_is_made(self):
        def means(cycles):
            one, other = ((cycles(a) / cycles("b") + cycles(b) / cycles("c")) for a, b in ("uv", "xy"))
            return one / other
        rows, made = self.judged(means, {"u": 6, "v": 30, "x": 1, "y": 3, "b": 2, "c": 4})
        self.assertEqual((rows[0][-1], sorted(made)), ("yes", list("bcuvxy")))

    def test_a_number_that_hangs_on_what_was_not_made_is_none(self):
        def smaller(cycles):
            return min(cycles("v"), cycles("w") / 1e6)
        rows, made = self.judged(smaller, {"w": 5e12})
        self.assertEqual((rows[0][-1], made), ("fails", ["w"]))

    def test_a_claim_is_missed_held_or_has_no_number(self):
        wrong = "x. without effect; limits of warps: 1 for none"
        self.assertEqual(self.rows(7.0), [("a", "m", wrong, "yes")])
        self.assertEqual(self.rows(3.0), [("a", "m", wrong, "no")])
        self.assertEqual(self.rows(math.nan), [("a", "m", wrong, "fails")])

    def test_tiny_inputs_count_where_there_is_no_effect(self):
        self.assertEqual([self.rows(value, True, (1.2, None))[0][-1] for value in (1.0, 0.0, -3.0, 1.1, 100.0)], ["yes", "yes", "yes", "fails", "no"])

    def test_the_table_has_what_the_machines_make(self):
        rows = report.load_mutants(ROOT / "experiments/mutants.csv")
        known = {m.name: ("; ".join(c.text for c in m.changes), m.claims.split()) for m in mutants.MUTANTS}
        self.assertEqual(len(known), len(mutants.MUTANTS))
        for row in rows:
            self.assertEqual(row["wrong"], known[row["mutant"]][0], row)
            self.assertIn(row["claim"], known[row["mutant"]][1], row)
            self.assertIn(row["missed"], ("yes", "no", "fails"), row)
        paper = report.load_claims(ROOT / "experiments")
        self.assertEqual([claim for _, claims in known.values() for claim in claims if claim not in paper], [])

    def test_a_claim_counts_when_a_wrong_machine_misses_it(self):
        with open(ROOT / "docs/fidelity.csv", newline="", encoding="utf-8") as file:
            held = [row["claim"] for row in csv.DictReader(file) if row["holds"] == "yes"]
        missed = {row["claim"] for row in report.load_mutants(ROOT / "experiments/mutants.csv") if row["missed"] == "yes"}
        self.assertEqual([claim for claim in held if claim not in missed], [])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "claims.csv").write_text("id,weak\na,\nb,\nc,\nd,\n")
            (path / "mutants.csv").write_text("claim,mutant,wrong,here,missed\na,m,w,1,no\na,n,w,2,yes\nb,m,w,1,no\nb,n,w,-,fails\nc,m,w,-,fails\n")
            found = report.load_claims(path)
        self.assertEqual([found[name]["weak"] for name in "abcd"], ["", "No wrong machine that was tried misses it: m.", "", ""])
        self.assertEqual([found[name]["untried"] for name in "abcd"], [False, False, True, True])

    def test_rows_are_renewed_in_their_order(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.csv"
            new = [mutants.Row("tbc.BFS2", "tbc-pdom", "w", "1", "yes"), mutants.Row("getm.lazy.wait", "getm-lazy-whole", "w", "3", "no"), mutants.Row("x", "y", "z", "1", "no")]
            mutants.renew(path, new)
            mutants.renew(path, [new[0]._replace(here="2")])
            self.assertEqual([(row["claim"], row["here"]) for row in report.load_mutants(path)], [("getm.lazy.wait", "3"), ("tbc.BFS2", "2")])


class SiliconTest(unittest.TestCase):
    """Areas and powers, from synth/reference.json."""

    def test_the_rule_is_that_of_others(self):
        """15 percent, of each number of a claim."""
        for mine, holds in (([1.149, 2.0], "yes"), ([1.151, 2.0], "no"), ([1.0, 1.69], "no"), ([1.0, None], "no"), ([0.851, 2.3], "yes")):
            row = silicon.verdict("x", list(zip(mine, (1.0, 2.0))), "text")
            self.assertEqual(row, ("text", "-", "-", "-", "-", holds), mine)

    def test_the_page_has_what_the_reference_gives(self):
        """When this fails: cowarp reproduce --fidelity docs/fidelity.md --out FOLDER, with a folder without results."""
        judged, no_unit = silicon.judge()
        rows = {row["claim"]: tuple(row[name] for name in fidelity.COLUMNS[1:]) for row in csv.DictReader((ROOT / "docs/fidelity.csv").read_text().splitlines())}
        self.assertEqual({ident: rows.get(ident) for ident in judged}, {ident: (*row, "synth") for ident, row in judged.items()})
        self.assertFalse(set(no_unit) & set(rows))
        paper = report.load_claims(ROOT / "experiments")
        self.assertLessEqual({*judged, *no_unit}, set(paper))
        for ident in no_unit:
            self.assertIn(ident, (ROOT / "docs/fidelity.md").read_text().split("No unit holds these")[1])

    def test_a_page_is_made_without_a_run(self):
        paper, before = report.load_claims(ROOT / "experiments"), [(ROOT / f"docs/fidelity.{end}").read_text() for end in ("md", "csv")]
        with tempfile.TemporaryDirectory() as folder:
            page, table, _ = fidelity.page(folder, paper, ROOT / "experiments", "", before, ({"kilo.area": ("0.4", "-", "-", "-", "-", "yes")}, ()))
            self.assertIn("kilo.area,0.4,-,-,-,-,yes,synth\n", table)
            self.assertEqual(len(table.splitlines()), 1 + len(before[1].splitlines()))
            self.assertIn("1 claims are areas and powers, from", page)
            with self.assertRaisesRegex(results.NotComparable, "holds no result"):
                fidelity.page(folder, paper, ROOT / "experiments", "", before)


class GalleryTest(unittest.TestCase):
    """Pictures and their page, from made-up results of two experiments: one with a bar that the paper states, one without any."""
    PUBLISHED = {"x.bars": {("b", "B"): (4.0, "Section 9")}}
    WHAT = {"x.bars": "bars", "x.parts": "parts"}
    PAPER = {"c": {"place": "Fig 1", "what": "a claim", "value": "2", "unit": "x"}}

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def results(self, seeds, folder="out"):
        tables = [[Table("Bars", ["row", "A", "B"], [["a", 1.0 * seed, 2.0], ["b", float("nan"), 2.0]], "bars", "ratio")] for seed in seeds]
        claims = [[Claim("c", float(seed), near(2))] for seed in seeds]
        parts = Table("Parts", ["row", "S in", "S out", "T in", "T out"], [["a", 1.0, 2.0, 3.0, 4.0], ["b <&>", 2.0, 2.0, 2.0, 2.0]], "stacks")
        for name, made, judged in (("x.bars", [spread.merged([t[0] for t in tables])], [spread.judged([c[0] for c in claims])]), ("x.parts", [parts], [])):
            results.write(self.path / folder, name, made, judged, self.PAPER, self.PUBLISHED, list(seeds))
        return self.path / folder

    def write(self, folder, name="figures"):
        gallery.write(self.path / name, folder, self.WHAT, self.PUBLISHED, "A note.")
        return {path.name: path.read_text() for path in (self.path / name).iterdir()}

    def test_what_is_not_made_anew_stays(self):
        both, new = self.write(self.results((1, 2))), self.results((1,), "new")
        (new / "x.bars.json").unlink()
        after = self.write(new)
        self.assertEqual(sorted(after), sorted(both))
        self.assertEqual(after["x.bars.svg"], both["x.bars.svg"])
        self.assertEqual(after["README.md"].split("### x.bars")[1], both["README.md"].split("### x.bars")[1])
        self.assertIn("with 1 to 2 seeds", " ".join(after["README.md"].split()))

    def picture(self, seeds, paper=None):
        """The panels of made-up bars, with the numbers that the paper states in column B."""
        table = spread.merged([Table("Bars", ["row", "A", "B"], [["a", 1.0 * seed, 2.0], ["b", float("nan"), 2.0]], "bars", "ratio") for seed in seeds])
        return pictures.figure_of(table, paper or {}, len(seeds)).axes

    def bars(self, axes):
        """{label of the bars: heights, NaN for an unknown one}."""
        return {group.get_label(): [bar.get_height() for bar in group] for group in axes.containers if hasattr(group, "patches")}

    def words(self, axes):
        return [text.get_text() for text in axes.texts]

    def test_the_papers_bar_stands_beside_ours(self):
        first, second = self.picture((2,), {("b", "B"): 4.0})
        self.assertEqual(self.bars(second), {"here": [2.0, 2.0], "paper": [4.0]})
        self.assertEqual(self.words(second), ["4", "2", "2"])
        paper, here = (group.patches[-1] for group in second.containers)
        self.assertAlmostEqual(paper.get_x() + paper.get_width(), here.get_x(), msg="side by side, for row b")
        self.assertEqual(self.bars(first)["here"][0], 2.0)
        self.assertEqual(self.words(first), ["2", "", "-"], "b is not known")

    def test_parts_stand_on_each_other(self):
        parts = Table("Parts", ["row", "S in", "S out", "T in", "T out"], [["a", 1.0, 2.0, 3.0, 4.0], ["b", 2.0, 2.0, 2.0, 2.0]], "stacks")
        panels = pictures.figure_of(parts, {}, 1).axes
        self.assertEqual([axes.get_title("right") for axes in panels], ["S", "T"])
        self.assertEqual([self.bars(axes) for axes in panels], [{"in": [1.0, 2.0], "out": [2.0, 2.0]}, {"in": [3.0, 2.0], "out": [4.0, 2.0]}])
        self.assertEqual([bar.get_y() for bar in panels[1].containers[1]], [3.0, 2.0])

    def test_many_parts_and_high_bars(self):
        rows = [["low"] + [0.1] * 11, ["high"] + [1.0] * 11, ["none"] + [float("nan")] * 11]
        parts = Table("Parts", ["row"] + [f"P{i}" for i in range(11)], rows, "stacks")
        axes = pictures.figure_of(parts, {}, 1).axes[0]
        self.assertEqual(len({group.patches[0].get_facecolor() for group in axes.containers}), 11, "a colour for each")
        self.assertEqual(self.words(axes), ["-"])
        axes = pictures.figure_of(parts._replace(top=5), {}, 1).axes[0]
        self.assertEqual((axes.get_ylim()[1], self.words(axes)), (5.0, ["11", "-"]))

    def test_each_bar_stands_on_the_axis(self):
        for smallest in (0.3, 1.0, 7.0):
            table = Table("T", ["row", "S in", "S out"], [["a", smallest, 1000.0], ["b", 2 * smallest, 900.0]], "panels")
            for axes in pictures.figure_of(table._replace(columns=["row", "in", "out"], kind="bars"), {}, 1).axes:
                self.assertEqual(axes.get_yscale(), "log")
                self.assertLess(axes.get_ylim()[0], smallest)

    def test_which_way_is_better(self):
        for title, ylabel, better in (("Figure 11: execution time over WarpTM", "ratio", "lower is better"), ("Figure 12: crossbar flits over WarpTM", "ratio", "lower is better"),
                                      ("Figure 4.1: speedup over serialised transactions", "speedup", "higher is better"),
                                      ("Speed-up of GETM over WarpTM by further L2 cycles of each validation, GMEAN", "ratio", "higher is better"),
                                      ("SBRP-near over epoch-near", "speedup", "higher is better"), ("Figure 3.4: IPC over PDOM", "ratio", "higher is better"),
                                      ("Figure 7: scopes' share of the speedup; the buffers have the rest", "percent", ""),
                                      ("Table 3.1: millions of thread instructions", "millions", "")):
            axes = pictures.figure_of(Table(title, ["row", "S"], [["a", 1.0]], "bars", ylabel), {}, 1).axes[0]
            self.assertEqual(axes.get_xlabel(), better, title)

    def test_the_range_is_drawn(self):
        def lines(axes):
            return [[tuple(end[1] for end in segment) for segment in part.get_segments()] for part in axes.collections]
        self.assertEqual(lines(self.picture((2,))[0]), [])
        self.assertEqual(lines(self.picture((1, 2, 3))[0])[0][0], (1.0, 3.0))
        self.assertEqual(lines(self.picture((1, 2, 3))[1]), [], "the seeds do not differ")

    def test_the_head_is_readable(self):
        """The title, the legend and the first panel's name are beside each other, however many panels there are and however long the title is."""
        for columns, kind, title in ((1, "bars", "T"), (8, "bars", "A title of a hundred characters " * 3), (11, "stacks", "T")):
            names = [f"W{20 + i}-{i}" for i in range(columns)]
            table = Table(title, ["row"] + names, [["a"] + [2.0] * columns, ["b"] + [1.0] * columns], kind, "ratio")
            figure = pictures.figure_of(table, {("a", "W20-0"): 2.0}, 3)
            figure.draw_without_rendering()
            boxes = [text.get_window_extent() for text in figure.texts] + [figure.legends[0].get_window_extent()]
            boxes += [axes.get_tightbbox() for axes in figure.axes]
            self.assertEqual(len(boxes), (columns if kind == "bars" else 1) + 2)
            for i, box in enumerate(boxes):
                self.assertTrue(0 <= box.x0 and 0 <= box.y0 and box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1, (title, i))
                self.assertEqual([other for other in boxes[i + 1:] if box.overlaps(other)], [], (title, i))

    def test_files(self):
        files = self.write(self.results((1, 3, 2)))
        self.assertEqual(sorted(files), ["README.md", "x.bars.svg", "x.parts.svg"])
        self.assertIn(pictures.PAPER, files["x.bars.svg"])
        self.assertNotIn(pictures.PAPER, files["x.parts.svg"])
        for name in ("x.bars.svg", "x.parts.svg"):
            self.assertIn("SPDX-License-Identifier", files[name])
            xml.etree.ElementTree.fromstring(files[name])
        self.assertIn("b &lt;&amp;&gt;", files["x.parts.svg"])

    def test_the_page(self):
        page = self.write(self.results((1, 2, 3)))["README.md"]
        self.assertEqual(__import__("re").findall(r"!\[[\w.]+\]\((.*?)\)", page), ["x.bars.svg", "x.parts.svg"])
        self.assertIn("A note.", page)
        self.assertIn("### x.bars: bars\n\n![x.bars](x.bars.svg)\n\n### x.parts: parts\n\n![x.parts](x.parts.svg)\n", page)
        self.assertLessEqual(max(map(len, page.splitlines())), 200)

    def test_the_same_results_give_the_same_bytes(self):
        folder = self.results((1, 2, 3))
        first = self.write(folder)
        self.assertEqual(first, self.write(folder, "again"))
        program = (f"import sys; sys.path.insert(0, {str(ROOT / 'experiments')!r}); import gallery; "
                   f"gallery.write({str(self.path / 'other')!r}, {str(folder)!r}, {self.WHAT!r}, {self.PUBLISHED!r}, 'A note.')")
        subprocess.run([sys.executable, "-c", program], env=os.environ | {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C"}, check=True)
        self.assertEqual(first, {path.name: path.read_text() for path in (self.path / "other").iterdir()})
        self.assertNotRegex("".join(first.values()), r"20[23]\d-|\d\d:\d\d:\d\d")

    def test_heights_of_very_different_size(self):
        def scale(values, kind="bars"):
            rows = [[f"r{i}", value, value] for i, value in enumerate(values)]
            return pictures.figure_of(Table("T", ["row", "S in", "S out"], rows, kind), {}, 1).axes[0].get_yscale()
        self.assertEqual([scale(values) for values in ([1.0, 51.0], [1.0, 50.0], [0.0, 0.0])], ["log", "linear", "linear"])
        self.assertEqual(scale([1.0, 9188.0], "stacks"), "linear")

    def test_nothing_to_draw(self):
        (self.path / "empty").mkdir()
        with self.assertRaisesRegex(results.NotComparable, "no result with a picture"):
            self.write(self.path / "empty")
        self.assertFalse((self.path / "figures").exists())


class ReportTest(unittest.TestCase):
    def test_tables(self):
        table = report.Table("T", ["w", "a"], [["x", 1.25], ["y", 12345.6]])
        self.assertIn("| x | 1.25 |", report.markdown(table))
        self.assertIn("| y | 12346 |", report.markdown(table))
        self.assertAlmostEqual(gmean([2.0, 8.0]), 4.0)
        self.assertAlmostEqual(hmean([2.0, 8.0]), 3.2)

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
        for words, said in ((("--sizes",), "leave out one of them"), (("--seeds", "0"), "must be at least 1"), (("--seeds", "many"), "--seeds 'many': is not a whole number"), (("--sedes", "3"), "did you mean '--seeds'")):
            done = self.command("kilotm.l2", "--quick", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, rf"^cowarp reproduce: [^\n]*{said}[^\n]*\n$")

    def test_an_experiment(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.command("kilotm.fig4.12", "--quick", "--out", folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("Figure 4.12", (pathlib.Path(folder) / "kilotm.fig4.12.md").read_text())
            self.assertEqual(len(list((pathlib.Path(folder) / "runs").iterdir())), 7)
            mark, *rows = (pathlib.Path(folder) / "kilotm.fig4.12-2.csv").read_text().splitlines()
            self.assertEqual((mark, len(rows)), ("# " + results.TINY, 8))
            least = [float(row.split(",")[1]) for row in rows[1:]]
            self.assertEqual(least, sorted(least))
            self.assertIn("](kilotm.fig4.12-1.svg)", (pathlib.Path(folder) / "kilotm.fig4.12.md").read_text())
            for picture in pathlib.Path(folder).glob("*.svg"):
                self.assertIn(">" + results.TINY + "<", picture.read_text())
            self.assertTrue("percent of accessed" in (pathlib.Path(folder) / "kilotm.fig4.12-1.svg").read_text())
            self.assertEqual(self.command("--quick", "--fidelity", folder + "/f.md").returncode, 2)

    def test_the_pages_are_written_on_request(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            with contextlib.redirect_stdout(io.StringIO()):
                verdict = spread.judged([Claim("ideal.vs.serial", 279.0, near(279))])
                table = Table("Figure 4.1", ["workload", "Ideal TM", "FG lock"], [["AVG", 279.0, 225.0]])
                results.write(folder / "out", "kilotm.fig4.1", [table], [verdict], report.load_claims(ROOT / "experiments"), {}, [1])
            done = self.command("--out", str(folder / "out"), "--figures", str(folder / "a/b"), "--fidelity", str(folder / "f.md"))
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            areas = len(silicon.judge()[0])
            rows = (folder / "f.csv").read_text().splitlines()
            self.assertEqual((rows[0], len(rows)), ("claim,here,range,worst,active,sizes,holds,experiment", areas + 2))
            self.assertIn("ideal.vs.serial,279,-,-,-,-,yes,kilotm.fig4.1", rows)
            self.assertIn(f"{areas + 1} claims are measured, with 1 seed of their inputs; 1 hold.", (folder / "f.md").read_text())
            self.assertEqual(sorted(path.name for path in (folder / "a/b").iterdir()), ["README.md", "kilotm.fig4.1.svg"])
            self.assertIn(pictures.PAPER, (folder / "a/b/kilotm.fig4.1.svg").read_text())
            for words, said in ((("--quick",), "leave out --quick"), (("--out", str(folder / "none")), "no result with a picture")):
                done = self.command(*words, "--figures", str(folder / "c"))
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, rf"^cowarp reproduce: [^\n]*{said}[^\n]*\n$")
                self.assertFalse((folder / "c").exists())

    def test_the_claims_are_printed(self):
        rows = [line.split(",")[0] for line in (ROOT / "docs/fidelity.csv").read_text().splitlines()[1:]]
        for words, wanted in (((), rows), (("sbrp", "ltm.cd"), [row for row in rows if row.startswith(("sbrp", "ltm.cd"))])):
            done = self.command("--claims", *words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual([line.split("|")[1].strip() for line in done.stdout.splitlines() if line.startswith("| ")][1:], wanted)
            failing = [line.split("|")[1].strip() for line in done.stdout.splitlines() if line.startswith("| ") and line.split("|")[9].strip() not in ("holds", "yes")]
            self.assertEqual([line[2:].split(":")[0] for line in done.stdout.splitlines() if line.startswith("- ")], failing)
        wrong = self.command("--claims", "zz")
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertEqual(wrong.stderr, "cowarp reproduce: no claim that is measured has a name that begins with 'zz'\n")

    def test_one_claim_is_explained(self):
        done = self.command("--claims", "--why", "getm.vs.fglock", "kilo.area")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        table = {row["claim"]: row for row in csv.DictReader((ROOT / "docs/fidelity.csv").read_text().splitlines())}
        for text in ("getm.vs.fglock", f"ours      {table['getm.vs.fglock']['here']}", "cause     What is ours differs", "measure   cowarp reproduce getm.fig11", "ours      not measured"):
            self.assertIn(text, done.stdout)
        wrong = self.command("--claims", "--why", "getm.vs.lock")
        self.assertEqual((wrong.returncode, wrong.stderr), (2, "cowarp reproduce: no claim is named 'getm.vs.lock'; did you mean 'getm.vs.fglock'?\n"))

    def check_no_verdicts(self, folder, stdout):
        page = (folder / "kilotm.fig4.12.md").read_text()
        self.assertIn("| kilo.buf8 |", page)
        for text in (stdout, page):
            self.assertEqual(len([line for line in text.splitlines() if line.startswith("Tiny inputs (--quick): these numbers mean nothing")]), 1)
            self.assertNotRegex(text, r"verdict|holds|differs|crosses|yes")
        claims = json.loads((folder / "kilotm.fig4.12.json").read_text())["claims"]
        self.assertEqual([claim for claim in claims if "holds" in claim or "crosses" in claim], [])
        wrong = self.command("--fidelity", str(folder / "f.md"), "--out", str(folder))
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertRegex(wrong.stderr, r"^cowarp reproduce: .* holds results of tiny inputs \(kilotm.fig4.12\); [^\n]*\n$")
        self.assertFalse((folder / "f.md").exists() or (folder / "f.csv").exists())

    def check_ranges(self, folder, stdout):
        self.assertIn("Medians of seeds 1, 2, 3.", stdout)
        result = json.loads((folder / "kilotm.fig4.12.json").read_text())
        values = sorted(value for value, in result["claims"][0]["values"])
        self.assertEqual((result["seeds"], len(values)), ([1, 2, 3], 3))
        self.assertEqual(result["claims"][0]["here"], report.cell(values[1]))
        self.assertEqual(result["claims"][0]["range"], f"{report.cell(values[0])}..{report.cell(values[2])}")
        self.assertTrue(any(pair and pair[0] < pair[1] for row in result["tables"][0]["ranges"] for pair in row), "another seed is another input")

    def test_tiny_inputs_with_three_seeds(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            done = self.command("kilotm.fig4.12", "--quick", "--seeds", "3", "--out", name)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.check_no_verdicts(folder, done.stdout)
            self.check_ranges(folder, done.stdout)
            self.assertEqual(len(list((folder / "runs").iterdir())), 3 * 7)
            self.assertEqual(self.command("kilotm.fig4.12", "--quick", "--seeds", "2", "--out", name, "--runs-only").stdout, "0 runs made\n")

    def test_a_real_run_without_transactions(self):
        with tempfile.TemporaryDirectory() as folder:
            run = Run("lps", NO_SYSTEM, preset="thesis-tbc", settings=(("core.divergence", "tbc"), ("core.lcp", "loop")), params=(("n", 18),))
            stats = PaperStore(COWARP, folder, 60).get(run)
            self.assertEqual((stats["preset"], stats["control"], stats["mechanisms"]), ("thesis-tbc", "tbc", []))
            self.assertEqual(stats["config"]["core.lcp"], "loop")

    def test_a_real_run(self):
        with tempfile.TemporaryDirectory() as folder:
            run = Run("ht-h", "getm", 4, params=(("blocks", 4), ("buckets", 100)))
            stats = PaperStore(COWARP, folder, 60).get(run)
            self.assertEqual(stats["counters"]["tx_committed"]["value"], 4 * 192)
            self.assertEqual(stats["config"]["tm.warps"], 4)
            self.assertEqual(len(list(pathlib.Path(folder).glob("*.partial"))), 0)
            json.dumps(stats)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
