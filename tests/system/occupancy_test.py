#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many blocks a core holds: occupancy_test.py BUILD/cowarp [unittest arguments].

What the command says is compared with a computation here, from the rules of docs/model.md, and with the machine: in a kernel whose blocks wait
for each other, as many blocks as the command says go on, and one more waits for ever."""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

COWARP = ""
HEAD = ".version 7.0\n.target sm_70\n.address_size 64\n"

# Each block counts itself, and waits until all are there.
MEET = """.visible .entry meet(.param .u64 count, .param .u32 all) DIRECTIVES
{ .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [count]; ld.param.u32 %r1, [all]; mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0;
  @%p1 red.global.add.u32 [%rd1], 1;
L: ld.volatile.global.u32 %r3, [%rd1]; setp.lt.u32 %p2, %r3, %r1; @%p2 bra L;
  ret; }
"""
# DIRECTIVES of a kernel with a known number of registers that live at once: all loads come before the first use, and that in reverse order.
LIVE = 60


def wide(live):
    return (".visible .entry wide(.param .u64 data) DIRECTIVES\n{ .reg .b32 %r<" + str(live + 2) + ">; .reg .b64 %rd<4>;\nld.param.u64 %rd1, [data];\n" +
            "".join(f"ld.global.u32 %r{i}, [%rd1+{4 * i}];\n" for i in range(live)) + f"mov.u32 %r{live}, 0;\n" +
            "".join(f"add.u32 %r{live}, %r{live}, %r{i};\n" for i in reversed(range(live))) + f"st.global.u32 [%rd1], %r{live};\nret; }}\n")


WIDE = wide(LIVE)

PTXAS = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'meet' for 'sm_80'
ptxas info    : Function properties for meet
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 0 barriers, 364 bytes cmem[0]
ptxas info    : Compile time = 36.072 ms
ptxas info    : Compiling entry function 'another' for 'sm_80'
ptxas info    : Used 7 registers, 364 bytes cmem[0]
"""
CUOBJDUMP = """
Fatbin elf code:
================
arch = sm_80
code version = [1,7]

Resource usage:
 Common:
  GLOBAL:0
 Function another:
  REG:7 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:364 TEXTURE:0 SURFACE:0 SAMPLER:0
 Function meet:
  REG:40 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:364 TEXTURE:0 SURFACE:0 SAMPLER:0
"""


def up(n, unit):
    return -(-n // unit) * unit


def expected(registers, threads, shared, grid, machine):
    """(blocks of a core, the resources that allow no more), from docs/model.md."""
    warps = up(threads, 32) // 32
    block = {"registers": warps * up(registers * 32, 64), "shared memory": up(shared, 128), "warps": warps, "blocks": 1}
    room = {name: machine[name] // need for name, need in block.items() if need}
    blocks = min(room.values())
    of_grid = up(grid, machine["cores"]) // machine["cores"]
    if of_grid < blocks:
        return of_grid, ["grid"]
    return blocks, [name for name in block if room.get(name) == blocks]


class Occupancy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def run_it(self, *options):
        return subprocess.run([COWARP, "exec", "k.ptx", *map(str, options)], capture_output=True, text=True, timeout=120, cwd=self.folder)

    def fails(self, line, *options, status=2):
        done = self.run_it(*options)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (status, "", f"cowarp: {line}\n"))

    def entry(self, *options, notice=""):
        done = self.run_it("--stats", "s.json", *options)
        self.assertEqual((done.returncode, done.stderr), (0, notice))
        entries = json.loads((self.folder / "s.json").read_text())["occupancy"]
        self.assertEqual(len(entries), 1)
        return {**entries[0], "stdout": done.stdout}

    def meet(self, grid, threads, *options, all_of_them=None):
        return ["--kernel", "meet", "--grid", grid, "--block", threads, "--arg", "zero:4", "--arg", f"u32:{all_of_them or grid}", *options]

    def wide(self, directives, *options, threads=64):
        self.write("k.ptx", HEAD + WIDE.replace("DIRECTIVES", directives))
        return self.entry("--kernel", "wide", "--grid", 64, "--block", threads, "--arg", "zero:4096", *options)


class Machine(Occupancy):
    def test_as_many_blocks_as_said_run_at_once(self):
        """On random machines with one core. In the first three cases what is rounded up decides."""
        self.write("k.ptx", HEAD + MEET.replace("DIRECTIVES", ""))
        rng = random.Random(5)
        limits = set()
        for number in range(16):
            threads, registers, shared = rng.randrange(1, 257), rng.choice([2, 9, 24, 33, 63]), rng.choice([0, 1638, 2340, 8000])
            machine = {"registers": rng.choice([8192, 16384, 32768]), "shared memory": rng.choice([16384, 49152]), "warps": rng.choice([16, 48]),
                       "blocks": rng.choice([3, 8, 16]), "cores": 1}
            if number < 3:
                threads, (registers, shared) = 32, [(9, 1638), (9, 2340), (21, 0)][number]
                machine = {"registers": 8192, "shared memory": 16384, "warps": 48, "blocks": 16, "cores": 1}
            blocks, limit = expected(registers, threads, shared, 10**6, machine)
            if blocks == 0:
                continue
            options = ["--registers", registers, "--shared", shared, "--set", f"core.registers={machine['registers']}", "--set",
                       f"core.shared_bytes={machine['shared memory']}", "--set", f"core.warps={machine['warps']}", "--set",
                       f"core.blocks={machine['blocks']}", "--set", "core.count=1", "--max-cycles", 30000]
            entry = self.entry(*self.meet(blocks, threads, *options))
            self.assertEqual((entry["blocks_per_core"], entry["limit"]), (blocks, limit))
            self.assertEqual((entry["registers"], entry["registers_from"], entry["threads"]), (registers, "options", threads))
            self.assertIn(f"  occupancy     {blocks} block{'s' * (blocks != 1)} of {threads} threads per core, {registers} registers each; limit: "
                          f"{', '.join(limit)}\n", entry["stdout"])
            done = self.run_it(*self.meet(blocks + 1, threads, *options))
            self.assertEqual(done.returncode, 1, done.stdout)
            limits.update(limit)
        self.assertEqual(limits, {"registers", "shared memory", "warps", "blocks"})

    def test_a_small_grid(self):
        self.write("k.ptx", HEAD + MEET.replace("DIRECTIVES", ""))
        entry = self.entry(*self.meet(7, 32, "--set", "core.count=3"))
        self.assertEqual((entry["blocks_per_core"], entry["by_grid"], entry["limit"], entry["by_blocks"]), (3, 3, ["grid"], 8))
        entry = self.entry(*self.meet(24, 32, "--set", "core.count=3"))
        self.assertEqual((entry["blocks_per_core"], entry["by_grid"], entry["limit"]), (8, 8, ["blocks"]))

    def test_equal_launches_are_one_entry(self):
        self.write("k.ptx", HEAD + MEET.replace("DIRECTIVES", ""))
        self.write("s.txt", "load k.ptx\nalloc a 4\n" + "launch meet grid 2 block 32 args a u32:2\n" * 3 +
                   "launch meet grid 2 block 64 registers 50 args a u32:2\n")
        done = subprocess.run([COWARP, "exec", "--script", "s.txt", "--stats", "s.json"], capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        stats = json.loads((self.folder / "s.json").read_text())
        self.assertEqual([(e["threads"], e["launches"], e["registers_from"]) for e in stats["occupancy"]], [(32, 3, "liveness"), (64, 1, "launch")])
        self.assertEqual([line.split(":")[0] for line in done.stdout.splitlines() if "occupancy" in line], ["  occupancy     meet"] * 2)

    def test_words(self):
        self.write("k.ptx", HEAD + MEET.replace("DIRECTIVES", ""))
        for text in ("0", "65537", "-3", "x"):
            self.fails(f"--registers '{text}': a thread has 1 to 65536 registers", *self.meet(1, 32, "--registers", text))
        self.fails("meet: kernel meet: a block needs 33024 registers (1032 per thread), a core has 32768 (core.registers)",
                   *self.meet(1, 32, "--registers", 1032), status=2)


class Directives(Occupancy):
    def test_registers_that_live_at_once(self):
        entry = self.wide("")
        self.assertEqual((entry["registers_from"], entry["registers"]), ("liveness", entry["live_registers"]))
        self.assertTrue(LIVE + 2 <= entry["registers"] <= LIVE + 4, entry["registers"])  # the values, their sum, an address

    def test_maxnreg_caps(self):
        entry = self.wide(".maxnreg 20")
        self.assertEqual((entry["registers"], entry["registers_from"]), (20, ".maxnreg"))
        self.assertGreater(entry["live_registers"], LIVE)
        entry = self.wide(".maxnreg 200")
        self.assertEqual((entry["registers"], entry["registers_from"]), (entry["live_registers"], "liveness"))

    def test_minnctapersm_makes_room(self):
        """The most registers with which so many of the largest blocks fit, as a compiler finds them; blocks of a launch may be smaller."""
        machine = {"registers": 32768, "shared memory": 16384, "warps": 48, "blocks": 8, "cores": 15}
        for threads, blocks in ((256, 3), (256, 6), (192, 8), (96, 7), (1024, 1)):
            cap = max(r for r in range(1, 200) if expected(r, threads, 0, 10**6, machine)[0] >= blocks)
            entry = self.wide(f".maxntid {threads}, 1, 1 .minnctapersm {blocks}", threads=64)
            live = entry["live_registers"]
            self.assertEqual(entry["registers"], min(cap, live), (threads, blocks))
            self.assertEqual(entry["registers_from"], "liveness" if live <= cap else ".minnctapersm" if blocks > 1 else ".maxntid")
            self.assertGreaterEqual(self.wide(f".reqntid {threads} .minnctapersm {blocks}", threads=threads)["by_registers"], blocks)

    def test_minnctapersm_that_cannot_be(self):
        """Without the size of a block, or with more threads than a core has, a compiler ignores it."""
        for directives in (".minnctapersm 8", ".maxntid 1024 .minnctapersm 2", ".maxntid 64 .minnctapersm 9"):
            entry = self.wide(directives)
            self.assertNotEqual(entry["registers_from"], ".minnctapersm", directives)
        self.assertEqual(self.wide(".maxntid 256 .minnctapersm 6 .maxnreg 12")["registers_from"], ".maxnreg")

    def test_a_block_that_is_too_large(self):
        self.write("k.ptx", HEAD + WIDE.replace("DIRECTIVES", ".maxntid 16, 4, 1"))
        shape = ["--kernel", "wide", "--grid", 1, "--arg", "zero:4096", "--block"]
        self.entry(*shape, "64")
        self.entry(*shape, "2,2,16")
        self.fails("wide: the kernel takes blocks of at most 64 threads (.maxntid), not of 13 x 5 x 1", *shape, "13,5")
        self.write("k.ptx", HEAD + WIDE.replace("DIRECTIVES", ".reqntid 16, 4"))
        self.entry(*shape, "16,4")
        self.fails("wide: the kernel requires blocks of 16 x 4 x 1 threads (.reqntid), not of 64 x 1 x 1", *shape, "64")

    def test_what_lives_at_once_refuses_no_launch(self):
        """Of 92 loads ptxas keeps 61 registers (-v, sm_75), with which 1,024 threads run on a card of 64 K. The PTX alone would say 95."""
        one = {"registers": 65536, "shared memory": 16384, "warps": 64, "blocks": 8, "cores": 15}
        self.write("k.ptx", HEAD + wide(92).replace("DIRECTIVES", ""))
        shape = ["--kernel", "wide", "--grid", 2, "--arg", "zero:4096", "--set", "core.registers=65536", "--set", "core.warps=64", "--block"]
        entry = self.entry(*shape, 1024)
        self.assertGreater(expected(94, 512, 0, 10**6, one)[0], 0)
        self.assertEqual(expected(94, 1024, 0, 10**6, one)[0], 0)
        self.assertEqual((entry["registers"], entry["registers_from"], entry["by_registers"]), (64, "block", 1))
        entry = self.entry(*shape, 512)
        self.assertEqual((entry["registers"], entry["registers_from"]), (entry["live_registers"], "liveness"))
        self.write("k.ptx", HEAD + wide(300).replace("DIRECTIVES", ""))
        entry = self.entry(*shape, 64)
        self.assertEqual((entry["registers"], entry["registers_from"]), (255, "thread"))

    def test_registers_mean_nothing_without_time(self):
        """More than a core has for one block; and more blocks that wait for each other than registers are there for."""
        self.write("k.ptx", HEAD + MEET.replace("DIRECTIVES", ""))
        for options in ((), ("--cooperative",)):
            for registers in (1032, 200):
                done = self.run_it(*self.meet(8 * 15, 32, "--registers", registers, "--functional", *options))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
            done = self.run_it(*self.meet(8 * 15 + 1, 32, "--functional", *options))
            self.assertNotEqual(done.returncode, 0)


class Usage(Occupancy):
    def setUp(self):
        super().setUp()
        self.write("k.ptx", HEAD + MEET.replace("DIRECTIVES", ".maxnreg 3"))

    def test_both_forms(self):
        for text in (PTXAS, CUOBJDUMP, PTXAS.replace("\n", "\r\n"), "make: entering\n" + PTXAS + "done\n", PTXAS + PTXAS):
            self.write("usage", text)
            entry = self.entry(*self.meet(1, 32, "--resource-usage", "usage"))
            self.assertEqual((entry["registers"], entry["registers_from"]), (40, "resource usage"))
        entry = self.entry(*self.meet(1, 32, "--resource-usage", "usage", "--registers", 50))
        self.assertEqual((entry["registers"], entry["registers_from"]), (50, "options"))

    def test_a_kernel_that_is_not_there(self):
        self.write("usage", PTXAS.replace("'meet'", "'meat'"))
        entry = self.entry(*self.meet(1, 32, "--resource-usage", "usage"),
                           notice="cowarp: usage says nothing of kernel meet; its registers are those that live at once in its PTX\n")
        self.assertEqual((entry["registers"], entry["registers_from"]), (3, ".maxnreg"))

    def test_damaged_files(self):
        lines = PTXAS.splitlines(keepends=True)
        for text, line in (("", "usage: says no kernel's registers; it takes what ptxas -v or cuobjdump --dump-resource-usage prints"),
                           ("hello\n", "usage: says no kernel's registers; it takes what ptxas -v or cuobjdump --dump-resource-usage prints"),
                           ("".join(lines[:4]), "usage:2: the registers of 'meet' are missing; no line says them"),
                           ("".join(lines[:4] + lines[6:]), "usage:2: the registers of 'meet' are missing; no line says them"),
                           (lines[4], "usage:1: 40 registers, but no line above says of which kernel"),
                           (PTXAS.replace("40", "4x"), "usage:5: '4x registers, used 0' is no number of registers from 1 to 65536"),
                           (PTXAS.replace("40", "0"), "usage:5: '0 registers, used 0 ' is no number of registers from 1 to 65536"),
                           (PTXAS.replace("40", "99999999999999999999"),
                            "usage:5: '99999999999999999999' is no number of registers from 1 to 65536"),
                           (CUOBJDUMP.replace("REG:40", "REG:"), "usage:13: ' STACK:0 SHARED:0 LO' is no number of registers from 1 to 65536"),
                           (PTXAS + CUOBJDUMP.replace("REG:40", "REG:41"),
                            "usage:21: 'meet' has 41 registers here and 40 in line 5; keep those of one architecture")):
            self.write("usage", text)
            self.fails(line, *self.meet(1, 32, "--resource-usage", "usage"))
        self.fails("none: cannot be opened: No such file or directory", *self.meet(1, 32, "--resource-usage", "none"))

    def test_a_run_says_which_file_it_has_read(self):
        self.write("usage", PTXAS)
        self.entry(*self.meet(1, 32, "--resource-usage", "usage"))
        inputs = json.loads((self.folder / "s.json").read_text())["manifest"]["files"]
        self.assertIn(("resource-usage", "usage"), [(entry["role"], entry["path"]) for entry in inputs])


if __name__ == "__main__":
    COWARP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
