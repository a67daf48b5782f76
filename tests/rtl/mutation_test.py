#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/mutate on the stall buffer with a few mutants: mutation_test.py ROOT BUILD

Of two mutants it is known what must be said: pending_o turned round differs at once, and bit 4 of lines_used_o, which counts three lines,
is 0 in any case. A lockstep of no cycles notices nothing, so that the former must then survive, told apart by the prover. The numbers of
a report must be those of its mutants one by one; and a run that has nothing left to do must say the same again.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

ROOT, BUILD = sys.argv[1:3]
OUT = os.path.join(BUILD, "mutate-test")
COUNT = 1
HARMFUL, HARMLESS = "inv:pending_o:0", "const0:lines_used_o:4"


def mutate(cycles):
    """(the report, results in the order of the mutants)"""
    command = [sys.executable, os.path.join(ROOT, "scripts", "mutate"), "stall_buffer", "--count", str(COUNT), "--seed", "3", "--also", HARMFUL,
               "--also", HARMLESS, "--cycles", str(cycles), "--proof-seconds", "300", "--property-seconds", "1", "--build", BUILD, "--out", OUT]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stdout)
    with open(os.path.join(OUT, "stall_buffer", "results.json"), encoding="utf-8") as f:
        results = json.load(f)["results"]
    return done.stdout, [results[str(n)] for n in range(1, COUNT + 3)]


def verdict(result):
    if result["lockstep"] != "not caught":
        return result["lockstep"]
    return "equivalent" if result["proof"] == "equivalent" else "survived"


def without_times(report):
    return re.sub(r"\d+ s\b|\| \d+ \|$", "", report, flags=re.M)


class Mutation(unittest.TestCase):
    def check_numbers(self, report, results):
        row = re.search(r"^\| stall_buffer \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|", report, re.M)
        verdicts = [verdict(r) for r in results]
        refuted = sum(r["properties"] == "refuted" for r in results)
        counted = [len(results), verdicts.count("caught"), refuted, verdicts.count("equivalent"), verdicts.count("survived")]
        self.assertEqual(list(map(int, row.groups())), counted)
        self.assertEqual(len(re.findall(r"^\| stall_buffer \| \w+\.v:", report, re.M)), counted[-1], "survivors one by one")

    def test_report(self):
        shutil.rmtree(OUT, ignore_errors=True)
        report, results = mutate(5000)
        harmful, harmless = results[COUNT:]
        self.assertEqual((harmful["what"], harmful["mode"]), ("pending_o[0]", "inv"))
        self.assertEqual(verdict(harmful), "caught")
        self.assertLessEqual(harmful["cycle"], 1, "the output is compared in each cycle from the first on")
        self.assertEqual((harmless["what"], harmless["mode"]), ("lines_used_o[4]", "const0"))
        self.assertEqual(verdict(harmless), "equivalent")
        self.assertEqual(harmless["properties"], "not refuted")
        self.check_numbers(report, results)
        self.assertEqual(without_times(mutate(5000)[0]), without_times(report))

        report, results = mutate(0)
        harmful, harmless = results[COUNT:]
        self.assertEqual((verdict(harmful), harmful["proof"]), ("survived", "differs"))
        self.assertEqual(verdict(harmless), "equivalent")
        self.assertNotIn("caught", map(verdict, results))
        self.check_numbers(report, results)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
