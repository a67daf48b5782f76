#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Strict order of transactions, by --check-serial: serial_test.py COWARP [SEEDS].

tests/system/transactions.ptx interprets programs. Three threads, in blocks of their own or in warps of one block:

    writer    x = 1
    witness   reads y, after the writer's transaction: in its thread, or behind a barrier, or when it has seen a flag or an atomic
    between   reads x, waits, y = 1

A witness that reads 0 stands before `between`; if that has read 0, it stands before the writer. Both together are the order of nobody. So the words
that the program leaves say what is right, beside the oracle. Random programs have the same parts in any mixture; each system has to pass.
"""
import itertools
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

COWARP = ""
SEEDS = 8
KERNEL = pathlib.Path(__file__).resolve().parent / "transactions.ptx"
SYSTEMS = {"getm": "getm", "kilotm": "getm", "warptm": "getm", "eapg": "getm", "warptm-el": "getm", "ideal": "getm", "serial": "getm",
           "sitm-ts": "si-tm", "sitm-oracle": "si-tm"}
NOTHING, BARRIER, STORE, POLL, ADD, RED = range(6)
LOADS, STORES, WAITS = 1, 2, 4
X, Y = 0, 32  # in lines of their own


def step(before=NOTHING, flag=0, delay=0, ops=(), transaction=True):
    """ops: (kind, word or iterations)."""
    words = [kind | (arg << 16 if kind == WAITS else arg << 8) for kind, arg in ops]
    return struct.pack("<8I", before | flag << 8, delay, *(words + [0] * 5)[:5], 0 if transaction else 1)


def triple(order, how, delays):
    """The program of blocks of one thread in that order of W, T, B (writer, witness, between)."""
    first, second, third, inside = delays
    nothing = step(transaction=False)
    reads = ((LOADS, Y),)
    parts = {"W": step(delay=first, ops=((STORES, X),)) + (step(delay=second, ops=reads) if how == "thread" else
                                                           step(STORE if how == "flag" else ADD, transaction=False)),
             "T": nothing + (nothing if how == "thread" else step(POLL if how == "flag" else ADD, delay=second, ops=reads)),
             "B": step(delay=third, ops=((LOADS, X), (WAITS, inside), (STORES, Y))) + nothing}
    return b"".join(parts[p] for p in order)


def drawn(seed):
    """A random program: blocks, threads of one, steps, lanes that run, bytes."""
    r = random.Random(seed)
    block = r.choice((1, 1, 64, 96))
    blocks, steps, lanes, words, stride = r.choice((1, 2, 3, 4)), r.choice((1, 2, 3, 4)), 3 if block > 1 and r.random() < .2 else 1, r.choice((2, 3, 4, 6)), r.choice((1, 32))
    barrier = [r.random() < .3 for _ in range(steps)]
    out = b""
    for _ in range(blocks * block):
        for i in range(steps):
            before = BARRIER if barrier[i] else r.choice((NOTHING,) * 5 + (STORE, POLL, ADD, RED))
            ops = []
            for _ in range(5):
                kind = r.choice((0, LOADS, LOADS, STORES, STORES, LOADS | STORES, WAITS))
                ops.append((kind, r.choice((1, 20, 100, 300)) if kind == WAITS else r.randrange(words) * stride % 256))
            out += step(before, r.randrange(3) + (3 if before in (ADD, RED) else 0), r.choice((0, 0, 50, 200, 700)), ops, r.random() < .9)
    return blocks, block, steps, lanes, out


def command(system, folder, blocks, block, steps, lanes, program, seed=1):
    """The command line of a run, whose files are in the folder."""
    folder = pathlib.Path(folder)
    (folder / "program.bin").write_bytes(program)
    words = "version:1024" if system.startswith("sitm") else "zero:1024"
    line = ["exec", str(KERNEL), "--kernel", "mix", "--grid", str(blocks), "--block", str(block), "--system", system, "--preset", SYSTEMS[system],
            "--check-serial", "--seed", str(seed)] + (["--tx-warps", "0"] if system != "serial" else [])
    for arg in (words, "zero:64", f"in:{folder / 'program.bin'}", f"out:{folder / 'out.bin'}:{blocks * block * steps * 20}", f"u32:{steps}", f"u32:{lanes}"):
        line += ["--arg", arg]
    return line


class Serial(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="serial-")
        self.addCleanup(self.folder.cleanup)

    def run_program(self, system, *program, options=()):
        """Status, and the five words that each step of each thread has loaded."""
        done = subprocess.run([COWARP] + command(system, self.folder.name, *program) + list(options), capture_output=True, text=True, timeout=100)
        out = (pathlib.Path(self.folder.name) / "out.bin").read_bytes() if done.returncode == 0 else b""
        return done, struct.unpack(f"<{len(out) // 4}I", out)

    def shows(self, system, how, delays=((0, 300), (0,), (0, 100), (500, 1500))):
        """The programs that show the order of nobody, or that the oracle calls wrong."""
        bad = []
        orders = ["WTB", "BWT"] if how == "thread" else ["WTB", "TBW", "BWT"]
        for order, d in itertools.product(orders, itertools.product(*delays)):
            done, out = self.run_program(system, 3, 1, 2, 1, triple(order, how, d))
            if done.returncode != 0:
                bad.append((order, d, (done.stdout + done.stderr)[-600:]))
        return bad

    def test_of_a_thread(self):
        for system in SYSTEMS:
            with self.subTest(system=system):
                self.assertEqual(self.shows(system, "thread"), [])

    def test_the_words_say_so_too(self):
        """Without the oracle: not both loads give 0."""
        for system in SYSTEMS:
            done, out = self.run_program(system, 3, 1, 2, 1, triple("WTB", "thread", (400, 0, 0, 700)))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertFalse(out[5] == 0 and out[20] == 0, (system, out))

    def test_of_an_atomic(self):
        for system in SYSTEMS:
            if system != "getm":
                with self.subTest(system=system):
                    self.assertEqual(self.shows(system, "atomic", ((0, 300), (500,), (0,), (500, 1500))), [])

    def test_real_time(self):
        """The witness waits and begins when the writer has long ended, but nobody has told it. Then 0,0 has an order, though not that of time."""
        shown = {}
        for system, order, (w, t, inside) in itertools.product(SYSTEMS, ("WTB", "BWT"), ((0, 500, 800), (300, 900, 1500))):
            parts = {"W": step(delay=w, ops=((STORES, X),)), "T": step(delay=t, ops=((LOADS, Y),)),
                     "B": step(ops=((LOADS, X), (WAITS, inside), (STORES, Y)))}
            done, out = self.run_program(system, 3, 1, 1, 1, b"".join(parts[p] for p in order), options=["--real-time"])
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            both = out[5 * order.index("T")] == 0 and out[5 * order.index("B")] == 0
            self.assertIn(f"; out of real-time order: {int(both)}" + (", as transaction " if both else "\n"), done.stdout, (system, order))
            shown[system] = shown.get(system, 0) + both
        self.assertTrue(shown["getm"] > 0 and shown["sitm-oracle"] > 0 and shown["serial"] == 0, shown)

    def test_random(self):
        for system, seed in itertools.product(SYSTEMS, range(SEEDS)):
            with self.subTest(system=system, seed=seed):
                done, _ = self.run_program(system, *drawn(seed))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    COWARP = os.path.abspath(sys.argv[1])
    if len(sys.argv) > 2 and sys.argv[2].isdigit():
        SEEDS = int(sys.argv.pop(2))
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
