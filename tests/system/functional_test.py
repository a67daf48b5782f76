#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Launches without time give what timed launches give: functional_test.py BUILD/cowarp [unittest arguments].

Workloads check their own results, which the machine does not know. Kernels that are executed from PTX are compared byte by byte with a timed
run, whose result the other tests compare with hosts. The runs are those of unmoved.py, each workload, variant and mechanism once.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import unmoved

COWARP = pathlib.Path()
ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS, WAITING = ROOT / "tests/ptx_exec/kernels.ptx", ROOT / "tests/system/functional.ptx"
NEEDS_TIME = ("check-serial", "check-persist")
WORDS = b"".join((i * 2654435761 % 2**32).to_bytes(4, "little") for i in range(8192))
ENDLESS = ("spin", "endless", "fault")  # have no result
OTHERS = ("odds", "wide", "banks", "issue")  # what they write depends on the order of blocks, or is a time


def runs():
    """Each subject with each variant, system and persistency model once, whatever the machine."""
    chosen = {}
    for run in unmoved.table():
        words = [word for word in run.split() if word not in NEEDS_TIME]
        if "fails" in words or any(word.startswith(("sabotage=", "max-cycles=")) or word.endswith(("=rtl", "=lockstep")) for word in words):
            continue
        kind = tuple(word for word in words if "=" not in word or word.startswith("persistency="))
        chosen.setdefault(kind, " ".join(words))
    return [run for run in chosen.values() if run.split()[0] not in ENDLESS]


def execute(line, folder):
    (folder / "words").write_bytes(WORDS)
    return subprocess.run([str(word) for word in line], cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def results(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name in ("out", "words")}


class Functional(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="functional-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        path = pathlib.Path(self.folder.name) / name
        path.mkdir()
        return path

    def once(self, *words, name="run"):
        """Exit status, standard output, error, counters of a functional run."""
        folder = self.path(name)
        done = execute([COWARP, *words, "--functional", "--stats", "stats.json"], folder)
        stats = folder / "stats.json"
        counters = {k: v["value"] for k, v in json.loads(stats.read_text())["counters"].items()} if stats.is_file() else {}
        return done, counters, folder

    def kernel(self, name, ptx=WAITING, grid=1, block=64, args=(), options=()):
        """A functional run of one kernel: as once; `out` is its file of that name."""
        words = [part for arg in args for part in ("--arg", arg)]
        name_of_run = str(len(list(pathlib.Path(self.folder.name).iterdir())))
        return self.once("exec", ptx, "--kernel", name, "--grid", grid, "--block", block, *words, *options, name=name_of_run)

    def words(self, folder):
        data = (folder / "out").read_bytes()
        return list(struct.unpack(f"<{len(data) // 4}I", data))

    def test_judges_of_durability_need_time(self):
        """Without time no store is ever not durable: each crash would recover, and each litmus test pass."""
        machine = ["--preset", "sbrp-near", "--persistency", "sbrp"]
        for words, option in ((["crash", "gpkvs", "--points", "5", "--functional"], "functional"),
                              (["crash", "gpkvs", "--points", "5", "--launches", "0:1"], "launches"),
                              (["litmus", ROOT / "tests/litmus", "--functional"], "functional")):
            done = execute([COWARP, *words, *machine], pathlib.Path(self.folder.name))
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, rf"^cowarp: {words[0]} judges when stores become durable, [^\n]*leave --{option} out\n$")

    def test_every_workload_has_its_result(self):
        for i, run in enumerate(runs()):
            with self.subTest(run=run):
                line = unmoved.command(COWARP, run)[1:]
                done, counters, folder = self.once(*line, name=str(i))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertGreater(counters["functional_thread_instructions"], 0)
                self.assertEqual([k for k, v in counters.items() if v and not k.startswith("functional_")], [])
                if line[0] != "exec":
                    self.assertIn("passed", done.stdout)
                elif run.split()[0] not in OTHERS:
                    timed = self.path(f"{i}-timed")
                    execute([COWARP, *line], timed)
                    self.assertNotEqual(results(timed), {})
                    self.assertEqual(results(folder), results(timed))

    def test_blocks_that_wait_for_each_other(self):
        for blocks in (1, 2, 40, 90):
            with self.subTest(blocks=blocks):
                done, _, folder = self.kernel("meet", grid=blocks, args=("zero:4", f"out:out:{256 * blocks}"))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.words(folder), [blocks] * 64 * blocks)
        done, _, folder = self.kernel("backwards", grid=60, block=1, args=("out:out:240",))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.words(folder), list(range(60, 0, -1)))

    def test_warps_that_wait_for_each_other_and_for_the_clock(self):
        done, counters, folder = self.kernel("later", args=("out:out:8",))
        self.assertEqual((done.returncode, self.words(folder)), (0, [77, 77]))
        self.assertGreater(counters["functional_warp_instructions"], 300000)

    def test_waiting_for_ever_is_said(self):
        done, _, _ = self.kernel("meet", grid=10000, args=("zero:4", "out:out:2560000"))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Acowarp: meet: deadlock: lanes spin .*; 0 of 10000 blocks are done\n")
        self.assertRegex(done.stderr, r"core 0 warp \d+ block \(\d+, 0, 0\) spins at .*functional.ptx:22: lanes 0x00000001 have polled memory \d+ times")
        done, _, _ = self.kernel("apart")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Acowarp: apart: deadlock: nothing can ever happen again; 0 of 1 blocks are done\n")
        self.assertRegex(done.stderr, r"waits for barrier 1: 32 of 64 threads arrived")
        done, _, _ = self.kernel("spin", ptx=KERNELS, args=("zero:4",))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"SIMT deadlock.*while lanes 0x[0-9a-f]{8} of the same warp wait")

    def test_a_limit_ends_it(self):
        done, counters, _ = self.kernel("busy", args=("zero:4",), options=("--max-cycles", 1000000))
        self.assertEqual((done.returncode, done.stderr), (1, "cowarp: busy: not finished after 1000000 warp instructions\n"))
        self.assertLess(counters["functional_warp_instructions"], 1300000)  # a turn more at the most

    def test_faults_are_those_of_a_timed_run(self):
        for name, args in (("fault", ()), ("traps", ())):
            with self.subTest(name=name):
                done, _, folder = self.kernel(name, ptx=KERNELS, block=40, args=args)
                timed = execute([COWARP, "exec", KERNELS, "--kernel", name, "--grid", 1, "--block", 40], folder)
                self.assertEqual((done.returncode, done.stderr), (1, timed.stderr))
                self.assertIn("kernel " + name, done.stderr)

    def test_some_launches_take_time(self):
        script = f"load {KERNELS}\n" + "alloc b 2880\n" + "launch position grid 3,2,2 block 5,3,2 args b\n" * 4
        (pathlib.Path(self.folder.name) / "script").write_text(script)
        cycles = {}
        for text in ("0:4", "1:2", "3:", "9:"):
            folder = self.path(text.replace(":", "-"))
            line = [COWARP, "exec", "--script", "../script", "--launches", text, "--stats", "stats.json", "--per", "launch"]
            done = execute(line, folder)
            told = "cowarp: --launches 9:...: the run has 4 launches, of which the first is 0, so none has taken time\n"
            self.assertEqual((done.returncode, done.stderr), (1, told) if text == "9:" else (0, ""))
            stats = json.loads((folder / "stats.json").read_text())
            cycles[text] = [launch["cycles"] for launch in stats["per_launch"]]
            functional = [launch["counters"].get("functional_launches", 0) for launch in stats["per_launch"]]
            self.assertEqual([c == 0 for c in cycles[text]], [bool(f) for f in functional])
        self.assertEqual([[c > 0 for c in each] for each in cycles.values()],
                         [[True] * 4, [False, True, False, False], [False] * 3 + [True], [False] * 4])
        self.assertEqual(cycles["1:2"][1], cycles["0:4"][0])  # a functional launch leaves the machine as it was made

    def test_what_makes_no_sense_is_refused(self):
        def says(text, *words):
            done, _, _ = self.kernel("busy", args=("zero:4",), options=words)
            self.assertEqual((done.returncode, done.stderr), (2, f"cowarp: {text}\n"))
        says("functional launches take no time, and a wave file needs it; name launches that take time (--launches A:B)", "--wave", "w.fst")
        says("functional launches take no time, and counts of stalls needs it; name launches that take time (--launches A:B)", "--stalls")
        says("--functional and --launches; give one of them: --launches has all other launches functional", "--launches", "1:2")


if __name__ == "__main__":
    COWARP = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
