#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/mutate on the stall buffer with a few mutants: mutation_test.py ROOT BUILD

One mutant turns push_ready_o round, so that whatever tells caught from survived must call it caught; the numbers of the report must add
up; and a second run, which has nothing left to do, must say the same.
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
COUNT = 4


def mutate():
    command = [sys.executable, os.path.join(ROOT, "scripts", "mutate"), "stall_buffer", "--count", str(COUNT), "--seed", "3", "--also",
               "inv:push_ready_o:0", "--cycles", "5000", "--build", BUILD, "--out", OUT]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stdout)
    return done.stdout


class Mutation(unittest.TestCase):
    def test_report(self):
        shutil.rmtree(OUT, ignore_errors=True)
        report = mutate()
        with open(os.path.join(OUT, "stall_buffer", "results.json"), encoding="utf-8") as f:
            results = json.load(f)["results"]
        harmful = results[str(COUNT + 1)]
        self.assertEqual((harmful["what"], harmful["mode"]), ("push_ready_o[0]", "inv"))
        self.assertEqual(harmful["lockstep"], "caught")
        self.assertLessEqual(harmful["cycle"], 1, "the output is compared in each cycle from the first on")
        row = re.search(r"^\| stall_buffer \| [^|]* \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|", report, re.M)
        mutants, caught, refuted, equivalent, survived = map(int, row.groups())
        self.assertEqual(mutants, COUNT + 1)
        self.assertEqual(caught + equivalent + survived, mutants)
        self.assertEqual(len(results), mutants)
        self.assertLessEqual(refuted, mutants)
        self.assertEqual(len(re.findall(r"^\| stall_buffer \| \w+\.v:", report, re.M)), survived, "survivors one by one")
        self.assertEqual(re.sub(r"\d+ s\b|\| \d+ \|$", "", mutate(), flags=re.M), re.sub(r"\d+ s\b|\| \d+ \|$", "", report, flags=re.M))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
