#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cowarp run|exec --save FILE@CYCLE and --load FILE: a run goes on from there with equal counters, and nothing else is taken for it.

    saved_test.py COWARP SOURCE_DIR [unittest options]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

COWARP, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
# Runs with the cycle in which they are saved: one launch and many, what the host reads between launches, caches that write back, stalls, policies of control flow.
RUNS = {
    "vecadd": ("run vecadd --param n=20000", 900),
    "vecadd, at once": ("run vecadd --param n=20000", 0),
    "bfs": ("run bfs --param nodes=1500", 9000),
    "locks": ("run ht-h --variant fglock --param blocks=4 --param buckets=200 --stalls", 4000),
    "stencil": ("run laplace --param n=18 --preset gtx480", 3000),
    "volta": ("run vecadd --param n=20000 --preset qv100", 5300),
    "written back": ("run bfs --param nodes=1500 --set l1.global=write-back --set l1.bytes=2048 --set l1.ways=2", 9000),
    "adversary": ("run bfs --param nodes=1500 --set core.memory=adversary", 9000),
    "lanes that wait": (f"exec {SOURCE}/tests/system/apart.ptx --kernel apart --grid 3 --block 64 --arg zero:64 --arg zero:768 --set core.divergence=pdom-its", 300000),
    "its": ("run lps --preset thesis-tbc --set core.divergence=its --unit convergence_barriers=rtl --param n=18", 15000),
    "si": ("run nvrt --preset titanv --set core.count=2 --set core.divergence=si --set core.scoreboard=lane --param width=16 --param height=12 --param triangles=30 --param blocks=1", 20000),
    "dws": ("run lps --preset thesis-tbc --set core.divergence=dws --set core.scoreboard=lane --param n=18", 15000),
    "capri": ("run lps --preset thesis-tbc --set core.divergence=capri --param n=18", 15000),
    "lw": ("run lps --preset thesis-tbc --set core.divergence=lw --param n=18", 15000),
    "requests in a unit": ("run ht-h --variant fglock --param blocks=4 --param buckets=200 --set l2.mshrs=8 --set l2.mshr_merge=2 --set l2.write_miss=through --set l2.mshr_unit=on", 4000),
    "in a unit in RTL": ("run vecadd --param n=20000 --set l2.mshr_unit=on --unit l2_mshr=rtl", 900),
    "commands by a unit": ("run vecadd --param n=20000 --set dram.queue=4 --set dram.unit=on --unit dram_scheduler=rtl", 900),
    "ports of units": ("run ht-h --variant fglock --param blocks=4 --param buckets=200 --set noc.port_unit=on --set noc.out_flits=21", 4000),
    "slices": ("run ht-h --variant fglock --param blocks=4 --param buckets=200 --set l2.mshrs=8 --set l2.mshr_merge=2 --set l2.write_miss=through --set l2.slice_unit=on", 4000),
    "slices in RTL": ("run vecadd --param n=20000 --set l2.slice_unit=on --unit l2_slice=rtl", 900),
    "parts in RTL": ("run vecadd --param n=20000 --set noc.port_unit=on --set l2.tags_unit=on --unit partition=rtl", 900),
}


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="saved-")
        self.addCleanup(self.folder.cleanup)
        self.here = pathlib.Path(self.folder.name)

    def cowarp(self, words, *more):
        return subprocess.run([str(COWARP), *words.split(), *more], cwd=self.here, capture_output=True, text=True, check=False, timeout=120)

    def counters(self, words, *more):
        done = self.cowarp(words, "--omit-host-seconds", "--stats", "stats.json", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        stats = json.loads((self.here / "stats.json").read_text())
        return stats["cycles"], {name: counter["value"] for name, counter in stats["counters"].items()}


class GoesOn(Folder):
    def test_runs(self):
        for name, (words, cycle) in RUNS.items():
            with self.subTest(name):
                plain = self.counters(words)
                self.assertGreater(plain[0], cycle)
                self.assertEqual(self.counters(words, "--save", f"s@{cycle}"), plain)
                self.assertEqual(self.counters(words, "--load", "s"), plain)
                os.remove(self.here / "s")

    def test_save_again(self):
        """A run that was loaded can be saved once more."""
        words = "run vecadd --param n=20000"
        plain = self.counters(words)
        self.counters(words, "--save", "s@500")
        self.assertEqual(self.counters(words, "--load", "s", "--save", "t@1500"), plain)
        self.assertEqual(self.counters(words, "--load", "t"), plain)


class Refused(Folder):
    def setUp(self):
        super().setUp()
        self.words = "run vecadd --param n=20000"
        self.counters(self.words, "--save", "s@900")

    def refuse(self, said, words, *more):
        done = self.cowarp(words, *more)
        self.assertIn(done.returncode, (1, 2), done.stdout)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn(said, done.stderr)

    def test_other_runs(self):
        self.refuse("l2.latency was", self.words, "--set", "l2.latency=31", "--load", "s")
        self.refuse("seed", self.words, "--seed", "2", "--load", "s")
        self.refuse("transactional system is none", self.words, "--system", "getm", "--load", "s")
        self.refuse("was saved", self.words.replace("20000", "40000"), "--load", "s")

    def test_files(self):
        whole = (self.here / "s").read_bytes()
        for length in (0, 5, 19, 40, 300, len(whole) // 2, len(whole) - 1):
            (self.here / "cut").write_bytes(whole[:length])
            self.refuse("", self.words, "--load", "cut")
        (self.here / "long").write_bytes(whole + b"x")
        self.refuse("left over", self.words, "--load", "long")
        self.refuse("No such file", self.words, "--load", "absent")
        self.refuse("not a saved run", self.words, "--load", str(COWARP))

    def test_never_reached(self):
        self.refuse("not saved", self.words, "--save", "t@100000000")
        self.assertFalse((self.here / "t").exists())
        self.refuse("takes FILE@CYCLE", self.words, "--save", "t")
        self.refuse("takes FILE@CYCLE", self.words, "--save", "t@x")
        self.refuse("cuda makes other runs", "cuda --save t@100 -- /bin/true")
        self.refuse("crash makes other runs", "crash gpkvs --preset sbrp-near --persistency sbrp --points 5 --load t")
        self.refuse("cannot be saved", "run ht-h --system getm --param blocks=4 --check-serial", "--save", "t@100")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
