#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Litmus tests of persistency: litmus_test.py BUILD/cowarp [unittest arguments].

The tests beside this script and as many random ones, no two alike. Their durable states are those of a second enumerator (program.py). No
model shows another one, in C, RTL and lockstep; the model none does, and so does each sabotage of sbrp. Slips in a test are told with line and
column."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import program

COWARP = ""
HERE = pathlib.Path(__file__).parent
SEED, COUNT = 12, 60
FOUND_BY = {  # sabotage: a test that shows it
    "drop-ofence": "conflict",
    "ignore-fsm": "ofence_twice",
    "early-ack": "ofence",
    "release-before-drain": "handover_device",
    "device-as-block": "chain_device",
}
SLIPS = [  # text, line, column, words
    ("thread T0 block 0 warp 0\n    X = 1\n    ofence now\n", 3, 12, "'now' is too much"),
    ("X = 1\n", 1, 1, "an operation before the first thread"),
    ("thread T0 block 0\n", 1, 18, "expected 'warp' and found 'the end of the line'"),
    ("thread T0 block 8 warp 0\n", 1, 17, "8 is more than 7"),
    ("thread T0 block 0 warp 0\nthread T0 block 0 warp 1\n", 2, 8, "there is a thread 'T0' already"),
    ("thread T0 block 0 warp 0\n  X = 0\n", 2, 7, "0 is what every place has at the beginning"),
    ("thread T0 block 0 warp 0\n  X = 1\n  X = 1\n", 3, 7, "X = 1 is written already"),
    ("thread T0 block 0 warp 0\n  X = x\n", 2, 7, "expected a number and found 'x'"),
    ("thread T0 block 0 warp 0\n  X = 4294967296\n", 2, 7, "4294967296 is more than 4294967295"),
    ("thread T0 block 0 warp 0\n  X 1\n", 2, 5, "expected '=' and found '1'"),
    ("thread T0 block 0 warp 0\n  release F = 1\n", 2, 11, "expected 'block' or 'device' and found 'F'"),
    ("thread T0 block 0 warp 0\n  release block ofence = 1\n", 2, 17, "expected the name of a place and found 'ofence'"),
    ("thread T0 block 0 warp 0\n  X = 1\n  release block X = 2\n", 3, 17, "declare it with 'persistent X'"),
    ("thread T0 block 0 warp 0\n  release block F = 1\n  F = 2\n", 3, 3, "'F' is not persistent; only a release writes it"),
    ("thread T0 block 0 warp 0\n  read block F -> a\n  read block F -> a\n", 3, 19, "there is a 'a' already"),
    ("thread T0 block 0 warp 0\n  X = 1\nshared F\n", 3, 1, "'shared' comes before the first thread"),
    ("line X Y\nline Y Z\n", 2, 6, "'Y' has been declared in line 1"),
    ("thread T0 block 0 warp 0\n  X = 1\nnever Y = 1\n", 3, 7, "there is no 'Y'"),
    ("thread T0 block 0 warp 0\n  release block F = 1\nnever F = 1\n", 3, 7, "'F' is not persistent"),
    ("thread T0 block 0 warp 0\n  X = 1\nmay X = 1, \n", 3, 12, "expected the name of a place or result"),
    ("thread T0 block 0 warp 0\n  wait block F = 1\n", 2, 3, "nobody releases F = 1"),
    ("thread A block 0 warp 0\n  wait block F = 1\nthread B block 0 warp 0\n  release block F = 1\n", 2, 3, "B is of the same warp"),
    ("thread A block 0 warp 0\n  wait device F = 1\nthread B block 1 warp 0\n  release block F = 1\n", 2, 3, "needs device scope on both sides"),
    ("shared F\nthread A block 0 warp 0\n  read device F -> a\nthread B block 1 warp 0\n  release device F = 1\n", 5, 3, "A is of another block"),
    ("thread T0 block 0 warp 0\n", 1, 1, "the test has no operation"),
    ("thread T0 block 0 warp 0\n  X = 1\n  fence X\n", 3, 9, "expected 'block' or 'device' and found 'X'"),
    ("thread T0 block 0 warp 0\n  volatile = 1\n", 2, 12, "expected the name of a place and found '='"),
    ("thread T0 block 0 warp 0\n  release device F = 1\n  atomic F = 2\n", 3, 3, "'F' is not persistent; only a release writes it"),
    ("thread T0 block 0 warp 0\n  " + "X" * 40 + " = 1\n", 2, 3, "a word of more than 31 characters"),
    ("thread T0 block 0 warp 0\n  X = 1 \x00\n", 2, 1, "is no text"),
]


def cowarp(*args):
    return subprocess.run([COWARP, "litmus", *map(str, args)], capture_output=True, text=True, timeout=300)


def read(folder):
    return {path.stem: program.parse(path.read_text()) for path in sorted(folder.glob("*.lit"))}


class Litmus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.random = pathlib.Path(cls.folder.name, "random")
        subprocess.run([sys.executable, HERE / "generate.py", cls.random, "--seed", str(SEED), "--count", str(COUNT)], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def write(self, text):
        path = pathlib.Path(self.folder.name, "slip.lit")
        path.write_text(text)
        return path

    def passes(self, *args, warned=()):
        """`warned`: the tests, and no others, whose scopes --check-persist finds too narrow."""
        r = cowarp(*args)
        self.assertEqual(r.returncode, 0, r.stdout[-600:] + r.stderr)
        found = [re.match(r"cowarp: the acquire at (\w+):\d+ .* from the release at \1:\d+ .* no order", line) for line in r.stderr.splitlines()]
        self.assertTrue(all(found), r.stderr)
        self.assertEqual({m[1] for m in found}, set(warned), r.stderr)
        return r.stdout

    def test_no_two_alike(self):
        known = {}
        for folder in (HERE, self.random):
            for name, p in read(folder).items():
                form = program.canonical(p)
                self.assertNotIn(form, known, f"{name} is like {known.get(form)}")
                known[form] = name
        self.assertGreaterEqual(len(known), 120)

    def test_states_are_those_of_the_second_enumerator(self):
        for folder in (HERE, self.random):
            states, name = {}, None
            for line in self.passes(folder, "--states").splitlines():
                if line.startswith(" "):
                    self.assertNotIn(program.state_of(line), states[name])
                    states[name].add(program.state_of(line))
                else:
                    name = line
                    states[name] = set()
            for name, p in read(folder).items():
                self.assertEqual(states[name], program.allowed(p), name)

    def test_a_condition_that_is_wrong(self):
        for line, words in (("never X = 1, Y = 0", "in line 5 is wrong: Box 2 allows such a state"),
                            ("may X = 0, Y = 1", "in line 5 is wrong: Box 2 does not allow such a state")):
            r = cowarp(self.write(f"thread T0 block 0 warp 0\n  X = 1\n  ofence\n  Y = 1\n{line}\n"), "--states")
            self.assertEqual(r.returncode, 1)
            self.assertIn(words, r.stderr)

    def test_models(self):
        for preset, model in (("sbrp-near", "sbrp"), ("sbrp-far", "sbrp"), ("sbrp-near", "epoch"), ("sbrp-near", "gpm")):
            out = self.passes(HERE, self.random, "--preset", preset, "--persistency", model, "--check-persist", "--runs", 6,
                              warned=["scope_bug_release"] if model == "sbrp" else [])
            shown, allowed = map(int, re.search(r"(\d+) of (\d+) allowed states shown, and no other\n$", out).groups())
            self.assertGreater(shown, allowed / 3, (preset, model))  # it has seen much of what may be

    def test_lanes_apart(self):
        for model in ("sbrp", "epoch"):
            self.passes(HERE, self.random, "--preset", "sbrp-near", "--persistency", model, "--control", "its", "--check-persist", "--runs", 2,
                        warned=["scope_bug_release"] if model == "sbrp" else [])

    def test_small_buffers(self):
        for setting in ("pm.pb_entries=3", "pm.window=1", "pm.drain=eager", "pm.drain=lazy"):
            self.passes(HERE, "--preset", "sbrp-near", "--persistency", "sbrp", "--set", setting, "--runs", 4)

    def test_verilog(self):
        for backend in ("rtl", "lockstep"):
            units = [word for unit in ("persist_buffer", "order_masks") for word in ("--unit", f"{unit}={backend}")]
            self.passes(HERE, "--preset", "sbrp-near", "--persistency", "sbrp", "--set", "core.count=6", "--runs", 2, "--quiet", *units)

    def test_equal_seeds_give_equal_runs(self):
        args = [HERE / "counter.lit", "--preset", "sbrp-near", "--persistency", "sbrp", "--runs", 3]
        self.assertEqual(self.passes(*args, "--seed", 5), self.passes(*args, "--seed", 5))
        self.assertNotEqual(self.passes(*args, "--seed", 5), self.passes(*args, "--seed", 6))

    def wrong(self, test, *args):
        r = cowarp(HERE / f"{test}.lit", "--preset", "sbrp-near", "--runs", 40, *args)
        self.assertEqual(r.returncode, 1, (test, args, r.stdout))
        self.assertRegex(r.stdout, rf"^{test} +wrong: .* = \d+; launch \d+ of seed 1, instance \d+, where became durable\n  in cycle \d+ ")
        self.assertRegex(r.stderr, r"^cowarp: .*: a durable state that Box 2 does not allow\n$")

    def test_none_orders_nothing(self):
        for test in ("ofence", "handover_block", "handover_device", "undo_log"):
            self.wrong(test, "--persistency", "none")

    def test_sabotages(self):
        for sabotage, test in FOUND_BY.items():
            self.wrong(test, "--persistency", "sbrp", "--sabotage", sabotage)

    def test_both_judges_agree(self):
        """--check-persist and the enumerator share nothing, and call the same tests wrong on machines that keep too little order."""
        found = []
        for i, sabotage in enumerate(FOUND_BY):
            for path in sorted(self.random.glob("*.lit"))[i::len(FOUND_BY)]:
                line = [path, "--preset", "sbrp-near", "--runs", 6, "--quiet", "--persistency", "sbrp", "--sabotage", sabotage]
                states, graph = cowarp(*line), cowarp(*line, "--check-persist")
                said = path.read_text(), sabotage, states.stdout, graph.stderr
                self.assertLessEqual(states.returncode, graph.returncode, said)
                # the contract of sbrp makes a fence block an oFence, and states do not show when a dfence was complete
                if "fence block" not in said[0] and "a dfence is complete before" not in said[3]:
                    self.assertEqual(states.returncode, graph.returncode, said)
                found += [path.stem] * states.returncode
                if states.returncode == 1:
                    self.assertIn("a durable state that Box 2 does not allow", states.stderr)
                    self.assertRegex(graph.stderr, "is durable before one that is ordered before it|a dfence is complete before")
        self.assertGreaterEqual(len(found), 3)

    def test_slips(self):
        for text, line, column, words in SLIPS:
            r = cowarp(self.write(text), "--states")
            self.assertEqual((r.returncode, r.stdout, r.stderr.count("\n")), (2, "", 1), text + r.stderr)
            self.assertIn(f"slip.lit:{line}:{column}: ", r.stderr)
            self.assertIn(words, r.stderr)

    def test_bad_requests(self):
        empty = pathlib.Path(self.folder.name, "empty")
        empty.mkdir(exist_ok=True)
        for args, words in (([], "litmus needs a file or a folder"), ([empty], "the folder has no file *.lit"), (["nowhere.lit"], "nowhere.lit"),
                            ([HERE / "ofence.lit", "--runs", "0"], "--runs '0'"),
                            ([HERE / "ofence.lit", "--launches", "4"], "--launches: litmus has all launches in time; give --runs N")):
            r = cowarp(*args)
            self.assertEqual((r.returncode, r.stderr.count("\n")), (2, 1), r.stderr)
            self.assertIn(words, r.stderr)


if __name__ == "__main__":
    COWARP = sys.argv.pop(1)
    unittest.main()
