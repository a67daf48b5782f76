#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Launches without time give what timed launches give: functional_test.py BUILD/cowarp [unittest arguments].

Workloads check their own results, which the machine does not know. Kernels that are executed from PTX are compared byte by byte with a timed
run, whose result the other tests compare with hosts. The runs are those of unmoved.py, each workload, variant and mechanism once.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import unmoved

COWARP = pathlib.Path()
ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "tests/ptx_exec/kernels.ptx"
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

    def refused(self, text, *words, status=1):
        done, _, _ = self.once(*words, name=str(len(list(pathlib.Path(self.folder.name).iterdir()))))
        self.assertEqual((done.returncode, done.stderr.splitlines()[:1]), (status, [f"cowarp: {text}"]))
        return done

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


if __name__ == "__main__":
    COWARP = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
