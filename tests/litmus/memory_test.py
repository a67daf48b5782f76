#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Litmus tests of PTX's memory model: memory_test.py BUILD/cowarp [--all] [unittest arguments].

The tests of memory.py: what each of them says of its outcome is what the enumerator says, and no machine shows a result that is not allowed.
With --all every preset runs them, with each value of l1.global."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import memory

COWARP, ALL = "", False
MACHINES = [("getm",), ("gtx480",), ("thesis-tbc",), ("sbrp-near",), ("sbrp-near", "--set", "l1.global=on")]
SLIPS = [  # text, line, column, words
    ("thread T0 block 0 warp 0\n  X = 1\n", 2, 3, "unknown statement 'X'"),
    ("thread T0 block 0 warp 0\n  st.acquire.gpu X = 1\n", 2, 5, "expected an order, as in '.relaxed.gpu'"),
    ("thread T0 block 0 warp 0\n  st.relaxed X = 1\n", 2, 14, "expected '.cta', '.gpu' or '.sys' and found 'X'"),
    ("thread T0 block 0 warp 0\n  ld X\n", 2, 7, "expected '->' and found 'the end of the line'"),
    ("thread T0 block 0 warp 0\n  ld X -> a\n  ld Y -> a\n", 3, 11, "there is a 'a' already"),
    ("thread T0 block 0 warp 0\n  fence\n", 2, 8, "expected an order, as in '.acq_rel.gpu'"),
    ("thread T0 block 0 warp 0\n  atom.relaxed.gpu.add X = 1 -> a\n", 2, 19, "expected '.exch' and found '.'"),
    ("thread T0 block 0 warp 0\n  st X = 1\nthread T1 block 0 warp 1\n  st.volatile X = 1\n", 4, 19, "X = 1 is written already"),
    ("st X = 1\n", 1, 1, "an operation before the first thread"),
    ("thread T0 block 0 warp 0\n" + 13 * "  fence.sc.gpu\n", 14, 3, "more than 12 operations"),
    ("thread T0 block 0 warp 0\n  ld.u16.v2 X -> a\n", 2, 9, "expected '.nc', '.v2' or '.v4', '.u8' to '.u64' in this order"),
    ("thread T0 block 0 warp 0\n  st.u16 X+1 = 1\n", 2, 11, "not at a multiple of 2 bytes, or behind the place's 16 bytes"),
    ("thread T0 block 0 warp 0\n  ld.v4.u64 X -> a, b, c, d\n", 2, 13, "a vector of more than 16 bytes"),
    ("thread T0 block 0 warp 0\n  st.u8 X = 256\n", 2, 13, "256 is more than 255"),
    ("thread T0 block 0 warp 0\n  ld X -> a\nthread T1 block 1 warp 0\n  if a = 1 st X = 1\n", 4, 6, "expected what this thread has read and found 'a'"),
    ("thread T0 block 0 warp 0\n  ld.u8 X -> a\n  ld Y[a] -> b\n", 3, 8, "'a' has 1 bytes, and 4 are needed"),
    ("thread T0 block 0 warp 0\n  ld X -> a\n  if a = 1 fence.sc.gpu\n", 3, 12, "expected 'ld' or 'st' and found 'fence'"),
]
# What the specification's own words say of these, beyond the shapes of memory.py.
SAID = [
    "line X Y\nthread T0 block 0 warp 0\n  st X = 1\n  st.release.gpu Y = 1\nthread T1 block 1 warp 0\n  ld.acquire.gpu Y -> a\n  ld X -> b\nnever a = 1, b = 0\n",
    "thread T0 block 0 warp 0\n  st X = 1\n  st X = 2\n  ld X -> a\nnever a = 1\nnever a = 0\nnever X = 1\n",
    # a fence before a weak flag is no release pattern
    "thread T0 block 0 warp 0\n  st X = 1\n  fence.acq_rel.gpu\n  st F = 1\nthread T1 block 1 warp 0\n  ld.acquire.gpu F -> a\n  ld X -> b\nmay a = 1, b = 0\n",
    # a release, and a strong write of the same thread behind it
    "thread T0 block 0 warp 0\n  st X = 1\n  st.release.gpu F = 1\n  st.relaxed.gpu F = 2\nthread T1 block 1 warp 0\n  ld.acquire.gpu F -> a\n  ld X -> b\n"
    "never a = 2, b = 0\n",
    # what stands between the release and the write is not handed over
    "thread T0 block 0 warp 0\n  st.release.gpu F = 1\n  st X = 1\n  st.relaxed.gpu F = 2\nthread T1 block 1 warp 0\n  ld.acquire.gpu F -> a\n  ld X -> b\n"
    "may a = 2, b = 0\n",
    # weak accesses with fences of kind sc between them
    "thread T0 block 0 warp 0\n  st X = 1\n  fence.sc.gpu\n  ld Y -> a\nthread T1 block 1 warp 0\n  st Y = 1\n  fence.sc.gpu\n  ld X -> b\nnever a = 0, b = 0\n",
    # an exchange and a store of its place
    "thread T0 block 0 warp 0\n  atom.relaxed.gpu.exch X = 1 -> a\nthread T1 block 1 warp 0\n  st.relaxed.gpu X = 2\nnever a = 0, X = 0\nmay a = 2, X = 1\nmay a = 0, X = 2\n",
]


def cowarp(*args):
    return subprocess.run([COWARP, "litmus", "--memory", *map(str, args)], capture_output=True, text=True, timeout=600)


class Memory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="memory-")
        cls.suite = pathlib.Path(cls.folder.name, "suite")
        cls.suite.mkdir()
        cls.texts = memory.tests()
        for i, text in enumerate(SAID):
            cls.texts[f"said_{i}"] = text
        for name, text in cls.texts.items():
            (cls.suite / f"{name}.lit").write_text(text)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def write(self, text):
        path = pathlib.Path(self.folder.name, "slip.lit")
        path.write_text(text)
        return path

    def test_the_suite(self):
        self.assertGreaterEqual(len(self.texts), 200)
        self.assertEqual(len(set(self.texts.values())), len(self.texts))
        never = sum("never" in text for text in self.texts.values())
        self.assertTrue(80 < never < len(self.texts) - 80, never)

    def test_conditions(self):
        """`cowarp litmus` refuses a test whose condition the enumerator does not bear out; the other way round each of them is refused."""
        r = cowarp(self.suite, "--states")
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual([line for line in r.stdout.splitlines() if line[0] != " "], sorted(self.texts))
        for name in list(memory.tests())[::8]:
            text = self.texts[name]
            other = text.replace("never", "may") if "never" in text else text.replace("may", "never")
            r = cowarp(self.write(other), "--states")
            self.assertEqual(r.returncode, 1, name)
            self.assertRegex(r.stderr, "the condition in line [0-9]+ is wrong: PTX (allows|does not allow) such a state")

    def machines(self):
        if not ALL:
            return MACHINES
        presets = json.loads(subprocess.run([COWARP, "list", "--json"], capture_output=True, text=True, check=True).stdout)["presets"]
        return [(p["name"], "--set", f"l1.global={value}") for p in presets for value in ("off", "on", "write-back")]

    def share(self, machine):
        """All tests with --all; else a part of them for each machine, each test on one or more."""
        paths = sorted(self.suite.glob("*.lit"))
        return [self.suite] if ALL else paths[MACHINES.index(machine)::len(MACHINES)]

    def test_machines(self):
        for machine in self.machines():
            with self.subTest(machine=machine):
                r = cowarp(*self.share(machine), "--preset", *machine, "--runs", 2, "--quiet")
                self.assertEqual(r.returncode, 0, r.stdout[-600:] + r.stderr)
                shown, allowed = map(int, re.search(r"(\d+) of (\d+) allowed states shown, and no other\n$", r.stdout).groups())
                self.assertGreater(shown, allowed / 2)

    def test_weak_outcomes_are_shown(self):
        """Where a scope is too narrow or an order is missing, machines with L1s do show it; else they would not see a broken fence either."""
        for name, preset in (("mp_01_relacq_cta", "sbrp-near"), ("mp_01_relaxed_gpu", "gtx480")):
            r = cowarp(self.suite / f"{name}.lit", "--preset", preset, "--runs", 48)
            self.assertIn("4 of 4 allowed states shown", r.stdout)

    def test_adversary(self):
        """It shows what the machine does not show by itself, the same with each seed, and nothing that PTX does not allow."""
        names = ("lb_01_relaxed_gpu", "corr_01_weak", "mp_01_weak", "bar_mp", "shared_cumulative_far", "mp_00_fence_cta", "sb_01_sc_sys")
        few = pathlib.Path(self.folder.name, "few")
        few.mkdir()
        for name in names:
            (few / f"{name}.lit").write_text(self.texts[name])
        line = [few, "--preset", "getm", "--set", "core.memory=adversary", "--runs", 12, "--missing"]
        r = cowarp(*line)
        self.assertEqual(r.returncode, 0, r.stdout + r.stderr)
        self.assertEqual(r.stdout, cowarp(*line).stdout)
        for name in names[:3]:
            self.assertRegex(r.stdout, f"{name} .* 4 of 4 allowed states shown")
        plain = cowarp(few, "--preset", "getm", "--runs", 12)
        self.assertRegex(plain.stdout, "lb_01_relaxed_gpu .* 3 of 4 allowed states shown")

    def test_exec_adversary(self):
        """A kernel without a fence has other results in some order, and is told so with the seed that shows it; one with a fence has not."""
        kernel = (".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry mp(.param .u64 m, .param .u64 out)\n{\n"
                  ".reg .b64 %m, %o; .reg .b32 %r<4>; .reg .pred %p;\n"
                  "ld.param.u64 %m, [m]; ld.param.u64 %o, [out]; mov.u32 %r1, %ctaid.x; setp.ne.u32 %p, %r1, 0; @%p bra B;\n"
                  "st.global.u32 [%m], 1; st.RELEASE.gpu.global.u32 [%m+256], 1; ret;\n"
                  "B: ld.ACQUIRE.gpu.global.u32 %r2, [%m+256]; setp.eq.u32 %p, %r2, 0; @%p bra B;\n"
                  "ld.relaxed.gpu.global.u32 %r3, [%m]; st.global.u32 [%o], %r3; ret;\n}\n")
        path = pathlib.Path(self.folder.name, "mp.ptx")
        line = [COWARP, "exec", path, "--kernel", "mp", "--grid", "2", "--block", "1", "--arg", "zero:1024", "--arg", "zero:4"]
        def run(text, *more):
            path.write_text(text)
            return subprocess.run([*line, *more], capture_output=True, text=True)
        r = run(kernel.replace("RELEASE", "relaxed").replace("ACQUIRE", "relaxed"), "--adversary", "40")
        self.assertEqual(r.returncode, 1, r.stdout)
        found = re.search(r"byte 0 of --arg 'zero:4': 0x1 on the machine as it is, 0x0 with seed (\d+)\n.*--set core.memory_seed=(\d+)\n", r.stderr)
        self.assertTrue(found and found[1] == found[2], r.stderr)
        r = run(kernel.replace("RELEASE", "release").replace("ACQUIRE", "acquire"), "--adversary", "40")
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertIn("40 runs, all with the results of the machine as it is", r.stdout)
        for wrong in ("0", "x"):
            self.assertEqual(run(kernel, "--adversary", wrong).returncode, 2)

    def test_races_of_sizes(self):
        """The axioms say nothing of them, so there is no verdict; nor of tests with more pieces than the enumerator takes."""
        for text, words in (("thread T0 block 0 warp 0\n  st.u64 X = 1\nthread T1 block 1 warp 0\n  ld.relaxed.gpu X -> a\n", "race, of which PTX says nothing"),
                            ("thread T0 block 0 warp 0\n  st.v4.u8 X = 1, 2, 3, 4\n" + "".join(f"  st X = {k}\n" for k in (5, 6, 7)), "more than 12 pieces")):
            r = cowarp(self.write(text), "--states")
            self.assertEqual((r.returncode, r.stdout, r.stderr.count("\n")), (1, "", 1), r.stderr)
            self.assertIn(words, r.stderr)

    def test_missing_says_why(self):
        """Of each allowed state that is not shown, what the machine would have to do."""
        few = pathlib.Path(self.folder.name, "why")
        few.mkdir()
        why = {"lb_01_relaxed_gpu": "X = 1, Y = 1, a = 1, b = 1; needs the store to X in T1 to be performed before the load of Y: needs more runs, or the adversary",
               "shared_flag_relaxed": "needs the load of X in T1 to be performed before the load of F: an access of shared memory is performed where it stands in its warp",
               "iriw_0123_fence_gpu": "needs two threads that see stores in different orders: here a store is performed for all at once, in its L2 slice",
               "sb_01_sc_gpu": "an interleaving gives it: needs more runs"}
        for name in why:
            (few / f"{name}.lit").write_text(self.texts[name])
        out = cowarp(few, "--preset", "getm", "--runs", 1, "--missing").stdout
        for name, words in why.items():
            self.assertRegex(out, rf"{name} +not shown: .*{re.escape(words)}")

    def test_slips(self):
        for text, line, column, words in SLIPS:
            r = cowarp(self.write(text), "--states")
            self.assertEqual((r.returncode, r.stdout, r.stderr.count("\n")), (2, "", 1), text + r.stderr)
            self.assertIn(f"slip.lit:{line}:{column}: ", r.stderr)
            self.assertIn(words, r.stderr)


if __name__ == "__main__":
    COWARP = sys.argv.pop(1)
    ALL = "--all" in sys.argv
    sys.argv = [word for word in sys.argv if word != "--all"]
    unittest.main()
