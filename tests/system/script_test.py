#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scripts of several launches: script_test.py BUILD/cowarp [unittest arguments]."""
import json
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from waiting import LONG_S, is_busy, wait_for  # noqa: E402

COWARP = ""
HERE = pathlib.Path(__file__).resolve().parent
PTX, OTHERS = HERE / "script/kernels.ptx", HERE.parent / "ptx_exec/kernels.ptx"


def words(*values):
    return struct.pack(f"<{len(values)}I", *[v & 0xffffffff for v in values])


class Script(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, data):
        (self.folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())

    def run_it(self, script, *options):
        self.write("s.txt", script)
        return subprocess.run([COWARP, "exec", "--script", "s.txt", *options], capture_output=True, text=True, timeout=60, cwd=self.folder)

    def passes(self, script, *options):
        done = self.run_it(script, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def fails(self, status, script, place, *says, options=()):
        done = self.run_it(script, *options)
        self.assertEqual(done.returncode, status, done.stderr)
        line = done.stderr.split("\n")[0]
        self.assertTrue(line.startswith(f"cowarp: {place}: "), done.stderr)
        for word in says:
            self.assertIn(word, line)
        if status == 2:
            self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
        return done


class Launches(Script):
    """What one launch leaves to the next. Five blocks go on five of fifteen cores; those cores fetch the kernel and its parameters, which are a line."""

    def fills(self, *options):
        """Lines that the instruction and the constant caches fetch in each of four launches, as shares of the first launch's."""
        self.passes(f"load {PTX}\nalloc data 640\nalloc changed 4\nalloc rounds 8\n" + 4 * "launch down grid 5 block 32 args data changed rounds\n",
                    "--preset", "gpgpusim-gtx480", "--per", "launch", "--stats", "s.json", *options)
        counters = [launch["counters"] for launch in json.loads((self.folder / "s.json").read_text())["per_launch"]]
        self.assertEqual(counters[0]["const_fills"], 5)
        self.assertEqual(counters[0]["icache_fills"] % 5, 0)
        return [[c.get(name, 0) / counters[0][name] for c in counters] for name in ("icache_fills", "const_fills")]

    def test_blocks_go_behind_the_last_one(self):
        """GPGPU-Sim: three launches on cores that have seen none, the fourth where the first was, with its instructions and parameters."""
        self.assertEqual(self.fills(), [[1, 1, 1, 0], [1, 1, 1, 0]])

    def test_parameters_at_addresses_of_their_own(self):
        """No launch finds those of another one, though the fourth finds the instructions."""
        self.assertEqual(self.fills("--set", "const.params=on"), [[1, 1, 1, 0], [1, 1, 1, 1]])

    def test_every_core_gets_as_many_blocks(self):
        """After a launch that fills all caches, five blocks end in one cycle. The next five begin behind them, not on the core behind the first."""
        self.write("k.ptx", ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry nothing()\n{\nret;\n}\n")
        script = "load k.ptx\nlaunch nothing grid 15 block 32\n" + 3 * "launch nothing grid 5 block 32\n"
        for dispatch, equal in (("behind", True), ("turn", False)):
            self.passes(script, "--preset", "gpgpusim-gtx480", "--set", f"gpu.dispatch={dispatch}", "--per", "core", "--stats", "s.json")
            of_core = json.loads((self.folder / "s.json").read_text())["per_core"]["warp_instructions"]
            self.assertEqual(sum(of_core), 30)
            self.assertEqual(of_core == 15 * [2], equal, of_core)


class Runs(Script):
    LOOP = f"""
        # counts 5, 0, 3, 1 and 60 zeros down
        load {PTX}
        alloc data 256 from data.bin     # 4 words; the others begin as zeros
        alloc changed 4 fill 7
        alloc rounds 8 zero
        until changed == 0 max 6
            set changed 0
            launch down grid 2 block 32 args data changed rounds+4
        end
        copy rounds to rounds.bin
        copy data to after.bin
        compare rounds with wanted.bin
        """

    def test_the_example_of_the_documentation(self):
        """On a random graph, with the levels that a search here finds."""
        page = (HERE.parents[1] / "docs/command.md").read_text().split("### Scripts")[1]
        lines = [line[4:] for line in page[:page.index("| statement")].splitlines() if line.startswith("    ")]
        rng = random.Random(7)
        graph = [[rng.randrange(256) if rng.random() < 0.35 else node for _ in range(4)] for node in range(256)]
        level, queue = {0: 0}, [0]
        for at in queue:  # node i reads its neighbours' levels, so an edge leads from the neighbour to it
            for node in range(256):
                if at in graph[node] and node not in level:
                    level[node] = level[at] + 1
                    queue.append(node)
        self.assertTrue(20 < len(level) < 256 and max(level.values()) > 3)
        self.write("graph.bin", words(*[n for row in graph for n in row]))
        self.write("wanted.bin", words(*[level.get(node, -1) for node in range(256)]))
        self.write("bfs.ptx", PTX.read_bytes())
        self.assertIn("passed: 1 comparison", self.passes("\n".join(lines)))

    COUNT = """.version 6.0
.target sm_50
.address_size 64
.extern .func tx_begin();
.extern .func tx_commit();
.visible .entry count(.param .u64 w)
{
.reg .b32 %r<4>; .reg .b64 %d<4>;
ld.param.u64 %d1,[w];
call.uni tx_begin, ();
ld.volatile.global.u32 %r1,[%d1]; add.u32 %r1,%r1,1; st.volatile.global.u32 [%d1],%r1;
call.uni tx_commit, ();
ret;
}
"""

    def test_memory_in_versions(self):
        self.write("count.ptx", self.COUNT)
        self.write("wanted.bin", words(7 + 2 * 64))
        script = "load count.ptx\nalloc w 4{} fill 7\nlaunch count grid 1 block 64 args w\nlaunch count grid 2 block 32 args w\ncompare w with wanted.bin\n"
        self.passes(script.format(" version"), "--system", "sitm-ts")
        self.passes(script.format(" version"), "--system", "getm")  # which keeps none: as without the word
        self.fails(2, script.format(""), "s.txt:3", "has no memory with versions", options=["--system", "sitm-ts"])

    # Each thread follows its own pointer of a table: out[i] = **(table + 8 i); node(head): sum over a list of {next, value}; and a pointer
    # that is a variable of the program.
    POINTERS = """.version 8.0
.target sm_75
.address_size 64
.global .align 8 .u64 head;
.visible .entry rows(.param .u64 t, .param .u64 o)
{
.reg .b32 %r<4>; .reg .b64 %d<8>;
ld.param.u64 %d1,[t]; ld.param.u64 %d2,[o]; mov.u32 %r1,%tid.x; mul.wide.u32 %d3,%r1,8; add.s64 %d3,%d1,%d3; ld.global.u64 %d4,[%d3];
ld.global.u32 %r2,[%d4]; mul.wide.u32 %d5,%r1,4; add.s64 %d5,%d2,%d5; st.global.u32 [%d5],%r2;
ret;
}
.visible .entry list(.param .u64 o)
{
.reg .b32 %r<4>; .reg .b64 %d<8>; .reg .pred %p<2>;
ld.param.u64 %d2,[o]; mov.u32 %r1,0; ld.global.u64 %d1,[head];
L: setp.eq.u64 %p1,%d1,0; @%p1 bra E; ld.global.u32 %r2,[%d1+8]; add.u32 %r1,%r1,%r2; ld.global.u64 %d1,[%d1]; bra L;
E: st.global.u32 [%d2],%r1;
ret;
}
"""

    def test_arrays_of_pointers(self):
        self.write("p.ptx", self.POINTERS)
        self.passes("load p.ptx\nalloc a 64 fill 11\nalloc b 64 fill 22\nset b+60 33\nalloc table 32\nalloc o 16\nset table a\nset table+8 b b+60 a+4\n"
                    "launch rows grid 1 block 4 args table o\ncopy o to out.bin\n")
        self.assertEqual((self.folder / "out.bin").read_bytes(), words(11, 22, 33, 11))

    def test_structures_with_pointers(self):
        """A list of three nodes {next, value}, the first one made in one line, and a pointer of the program at its head."""
        self.write("p.ptx", self.POINTERS)
        self.write("wanted.bin", words(1 + 20 + 300))
        self.passes("load p.ptx\nalloc n 48\nset n n+32 1\nset n+32 n+16 20\nset n+24 300\nalloc o 4\nsymbol head address n\n"
                    "launch list grid 1 block 1 args o\ncompare o with wanted.bin\n")
        self.write("wanted.bin", words(300))
        self.passes("load p.ptx\nalloc n 48\nset n n+32 1\nset n+32 n+16 20\nset n+24 300\nalloc o 4\nsymbol head address n+16\n"
                    "launch list grid 1 block 1 args o\ncompare o with wanted.bin\n")

    def test_addresses_that_are_wrong(self):
        for line, says in (("set t a x", "'x': no alloc above makes it"), ("set t+4 a", "stands at a multiple of 8, not at 4"),
                           ("set t 1 a", "stands at a multiple of 8, not at 4"), ("set t a a a", "the values have 24 bytes, and there is room for 16"),
                           ("set t a+65", "there are 64 bytes"), ("set t", "a number is missing"), ("set t 1 2x", "'2x' is no number of 32 bits"),
                           ("symbol head address", "a name is missing"), ("symbol head address b", "'b': no alloc above"),
                           ("symbol head address a a", "'a' is too much")):
            self.write("p.ptx", self.POINTERS)
            self.fails(2, f"load p.ptx\nalloc a 64\nalloc t 16\n{line}\nlaunch list grid 1 block 1 args t\n", "s.txt:4", says)

    def test_a_loop(self):
        self.write("data.bin", words(5, 0, 3, 1))
        self.write("wanted.bin", words(0, 6))  # five that change something, and one that finds nothing to do
        out = self.passes(self.LOOP, "--stats", "s.json")
        self.assertEqual((self.folder / "rounds.bin").read_bytes(), words(0, 6))
        self.assertEqual((self.folder / "after.bin").read_bytes(), bytes(256))
        self.assertIn("result        passed: 1 comparison", out)
        stats = json.loads((self.folder / "s.json").read_text())
        self.assertEqual((stats["check"], stats["workload"]), ("passed", "s.txt"))

    def test_a_loop_that_reaches_its_most(self):
        self.write("data.bin", words(6))
        self.write("wanted.bin", words(0, 6))
        done = self.fails(1, self.LOOP, "s.txt:7", "changed is 1 after 6 rounds")
        self.assertFalse((self.folder / "after.bin").exists())
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_loops_in_loops(self):
        self.write("three.bin", words(3))
        self.passes(f"load {PTX}\nalloc x 128 zero\nalloc y 128 fill 1\nalloc c 4 fill 1\nalloc d 4 fill 1\nalloc n 4\nalloc m 4\n"
                    # y takes two rounds: one that counts it down, one that finds nothing; in each, x is counted down from 3, in four rounds
                    "until d == 0 max 5\n copy x from three.bin\n set d 0\n launch down grid 1 block 32 args y d m\n"
                    " until c == 0 max 5\n  set c 0\n  launch down grid 1 block 32 args x c n\n end\nend\n"
                    "copy n to n.bin\ncopy m to m.bin\n")
        self.assertEqual((self.folder / "n.bin").read_bytes(), words(8))
        self.assertEqual((self.folder / "m.bin").read_bytes(), words(2))

    def test_what_has_to_stand_before_args(self):
        """A word of launch behind args is told as such, unless a buffer has that name."""
        head = f"load {PTX}\nalloc a 8\n"
        for word in ("shared", "registers", "grid", "block"):
            self.fails(2, head + f"launch shared_word grid 1 block 1 args a u32:1 {word} 256\n", "s.txt:3", f"'{word}' has to stand before args",
                       "[shared N] [registers N] [args ...]")
        self.passes(head + "alloc shared 8\nlaunch shared_word grid 1 block 1 shared 256 registers 9 args shared u32:1\n")
        for number in ("0", "65537", "-1"):
            self.fails(2, head + f"launch shared_word grid 1 block 1 registers {number} args a u32:1\n", "s.txt:3", "a thread has 1 to 65536")

    def test_arguments_as_of_exec(self):
        self.passes(f'load {PTX}\nlaunch shared_word grid 1 block 1 shared 256 args "out:two words.bin:8" u32:77\n'
                    f"launch shared_word grid 1,1 block 1,1,1 shared 256 args zero:8 u32:0x10\n")
        self.assertEqual((self.folder / "two words.bin").read_bytes(), words(77, 77))

    def test_several_files_and_offsets(self):
        self.write("in.bin", words(1, 2, 3))
        self.passes(f"load {PTX}\nload {OTHERS}\nalloc a 16 fill -1\ncopy a+4 from in.bin\ncopy a+8 to tail.bin\nset a+12 4294967295\n"
                    "launch reverse grid 1 block 4 args local:16 a\ncopy a to a.bin\n")
        self.assertEqual((self.folder / "tail.bin").read_bytes(), words(2, 3))
        self.assertEqual((self.folder / "a.bin").read_bytes(), words(-1, 2, 1, -1))

    def test_variables(self):
        self.write("factors.bin", words(10, 20))
        self.write("sums.bin", words(0, 7))
        self.write("five.bin", words(1, 2, 3, 4, 5))
        self.passes(f"load {OTHERS}\nload {PTX}\nsymbol factors from factors.bin\nsymbol sum_of from sums.bin\nalloc out 40\n"
                    "launch by_value grid 1 block 1 args bytes:five.bin out\ncopy out to out.bin\n")
        self.assertEqual((self.folder / "out.bin").read_bytes(), words(10, 20, 3, 4, 7, 1, 2, 3, 4, 5))
        head = f"load {OTHERS}\n"
        self.fails(2, head + "symbol factor from five.bin\nlaunch fault grid 1 block 1\n", "s.txt:2", "has no variable 'factor'")
        self.fails(2, f"load {PTX}\n" + head + "symbol factors from five.bin\nlaunch fault grid 1 block 1\n", "s.txt:3", "has 16 bytes; 20")
        self.fails(2, head + f"load {PTX}\nsymbol factors from five.bin\nlaunch fault grid 1 block 1\n", "s.txt:3", "has 16 bytes; 20")
        self.fails(2, head + "symbol factors from five.bin\nlaunch fault grid 1 block 1\n", "s.txt:2", "has 16 bytes; 20")
        self.fails(2, head + "symbol factors\n", "s.txt:2", "expected 'from'")
        self.fails(2, "symbol factors from five.bin\n", "s.txt:1", "write load")

    def test_a_file_that_the_script_writes_first(self):
        self.passes(f"load {PTX}\nalloc a 8 fill 9\nalloc b 8\nalloc r 4\nalloc c 4\nlaunch down grid 1 block 2 args a c r\ncopy a to mid.bin\n"
                    "copy b from mid.bin\ncompare b with mid.bin\ncopy b to b.bin\n")
        self.assertEqual((self.folder / "b.bin").read_bytes(), words(8, 8))

    def test_comparisons(self):
        head = f"load {PTX}\nalloc a 12 from a.bin\nalloc c 4\nalloc r 4\nalloc z 128\nlaunch down grid 1 block 1 args z c r\n"
        self.write("a.bin", words(1, 2, 3))
        self.write("b.bin", words(1, 5, 7))
        self.fails(1, head + "compare a with b.bin\n", "s.txt:7", "2 of 3 words of a differ from b.bin, first word 1: is 2, the file has 5")
        self.write("tail.bin", words(2, 3))
        self.assertIn("2 comparisons", self.passes(head + "compare a with a.bin\ncompare a+4 with tail.bin\n"))
        self.write("odd.bin", b"\1\2\3")
        self.write("other.bin", b"\1\2\4")
        self.fails(1, f"load {PTX}\nalloc a 3 from odd.bin\nalloc z 128\nalloc c 4\nlaunch down grid 1 block 1 args z c c\ncompare a with other.bin\n",
                   "s.txt:6", "1 of 3 bytes of a", "first byte 2: is 3, the file has 4")

    def test_floats(self):
        head = f"load {PTX}\nalloc a 16 from a.bin\nalloc c 4\nalloc r 4\nalloc z 128\nlaunch down grid 1 block 1 args z c r\n"
        nan, inf = float("nan"), float("inf")
        self.write("a.bin", struct.pack("<4f", 1000.0, 0.001, nan, inf))
        for values, tolerance, says in (((1000.5, 0.0015, nan, inf), "1e-3", None), ((1000.5, 0.0015, nan, inf), "4e-4", "2 of 4 floats"),
                                        ((1000.5, 0.001, 1.0, inf), "1", "first float 2: is nan, the file has 1"),
                                        ((1000.0, 0.001, nan, 3e38), "1", "first float 3: is inf"),
                                        ((1000.0, 0.001, nan, -inf), "1", "the file has -inf"), ((1000.0, 0.001, nan, inf), "0", None)):
            self.write("b.bin", struct.pack("<4f", *values))
            if says is None:
                self.passes(head + f"compare a with b.bin float {tolerance}\n")
            else:
                self.fails(1, head + f"compare a with b.bin float {tolerance}\n", "s.txt:7", says)

    def test_errors_of_a_run_have_their_line(self):
        self.fails(1, f"load {OTHERS}\nlaunch fault grid 1 block 1\n", "s.txt:2", "fault")
        self.fails(2, f"load {OTHERS}\nlaunch fualt grid 1 block 1\n", "s.txt:2", "did you mean 'fault'")
        self.fails(2, f"load {OTHERS}\nlaunch fault grid 1 block 1 args u32:1\n", "s.txt:2", "takes 0 arguments, given 1")
        self.fails(2, f"load {OTHERS}\nload {OTHERS}\nlaunch fault grid 1 block 1\n", "s.txt:3", "2 of the loaded files have a kernel 'fault'")
        self.write("bad.ptx", "not PTX\n")
        self.fails(2, "load bad.ptx\nlaunch k grid 1 block 1\n", "s.txt:1", "bad.ptx:1:1")
        self.fails(1, f"load {PTX}\nalloc a 67108864\nlaunch down grid 1 block 1 args a a a\n", "s.txt:2", "memory", options=["--set", "mem.mbytes=16"])

    def test_a_rerun_writes_no_files(self):
        self.write("data.bin", words(5))
        self.write("wanted.bin", words(0, 6))
        self.passes(self.LOOP + "launch down grid 1 block 1 args out:z.bin:128 changed rounds\n", "--stats", "s.json")
        for name in ("after.bin", "rounds.bin", "z.bin"):
            (self.folder / name).unlink()
        made = json.loads((self.folder / "s.json").read_text())["manifest"]
        self.assertEqual({entry["path"] for entry in made["files"]} >= {"s.txt", "data.bin", "wanted.bin"}, True, made["files"])
        done = subprocess.run([COWARP, "rerun", "s.json"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertEqual([name for name in ("after.bin", "rounds.bin", "z.bin") if (self.folder / name).exists()], [])
        done = subprocess.run([COWARP, "exec", "k.ptx", "--kernel", "k", "--grid", "1", "--block", "1", "--no-files"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--no-files goes with --script", done.stderr)

    def test_ctrl_c(self):
        self.write("s.txt", f"load {OTHERS}\nalloc f 4\nlaunch endless grid 1 block 32 args f\n")
        process = subprocess.Popen([COWARP, "exec", "--script", "s.txt", "--set", "watchdog.livelock_cycles=4000000000"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertTrue(wait_for(lambda: process.poll() is not None or is_busy(process)))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=LONG_S)[0], "")
        self.assertEqual(process.returncode, 130)


class Mistakes(Script):
    """Everything here is found before anything is simulated."""

    def test_statements(self):
        self.write("four.bin", words(1))
        self.write("a.ptx", ".version 7.0\n")
        head = "load a.ptx\nalloc a 8\n"
        for line, *says in (
                ("alocc b 8", "unknown statement 'alocc'", "did you mean 'alloc'"), ("frobnicate", "docs/command.md"),
                ("load", "a file is missing", "load FILE.ptx"), ("load nowhere.ptx", "nowhere.ptx: cannot be opened", "No such file"),
                ("load a.ptx b", "'b' is too much"), ("load \"a.ptx", "does not end"), ("alloc b", "missing", "alloc NAME BYTES"),
                ("alloc 2b 8", "'2b' is no name"), ("alloc a 8", "is there already"), ("alloc b 0", "from 1 to 2^34"), ("alloc b 8K", "'8K'"),
                ("alloc b 6 fill 1", "no multiple of 4"), ("alloc b 8 fill", "a number is missing"), ("alloc b 8 fill 4294967296", "32 bits"),
                ("alloc b 3 from four.bin", "four.bin has 4 bytes, and there is room for 3"), ("alloc b 8 form four.bin", "'form' is too much"),
                ("copy a", "expected 'from'"), ("copy a form four.bin", "expected 'from', not 'form'"), ("copy aa from four.bin", "did you mean 'a'"),
                ("copy a+5 from four.bin", "room for 3"), ("copy a+8 from four.bin", "do not fit"), ("copy a+x from four.bin", "'x' is no number"),
                ("copy a to no/such/x", "no/such"), ("copy a to", "a file is missing"), ("set a+5 1", "'a+5': there are 8 bytes"), ("set a", "a number"),
                ("set a x", "'x': no alloc above makes it"), ("launch", "a kernel is missing"), ("launch k", "expected 'grid'"), ("launch k grid", "needs a size"),
                ("launch k grid 0 block 1", "grid '0'", "numbers from 1 on"), ("launch k grid 1 block 1,1,1,1", "block '1,1,1,1'"),
                ("launch k grid 1 block 1 shared x", "'x'"), ("launch k grid 1 block 1 a", "expected 'args'"),
                ("launch k grid 1 block 1 args b", "no alloc above"), ("launch k grid 1 block 1 args u32:x", "'u32:x'", "not a value of type u32"),
                ("launch k grid 1 block 1 args in:nowhere", "'in:nowhere'", "No such file"), ("launch k grid 1 block 1 args u3:1", "unknown kind"),
                ("until a == 1 max 3", "expected '0', not '1'"), ("until a == 0", "expected 'max'"), ("until a == 0 max 0", "from 1 to"),
                ("until a+6 == 0 max 1", "do not fit"), ("until a == 0 max 2", "until has no end"), ("end", "no until above"),
                ("compare a", "expected 'with'"), ("compare a with four.bin", "four.bin has 4 bytes, and there have to be 8"),
                ("compare a+4 with four.bin float", "tolerance"), ("compare a+4 with four.bin float -1", "tolerance"),
                ("compare a+4 with four.bin float 1 2", "'2' is too much"),
                ("compare a with nowhere.bin", "No such file"), ("set a 1" + " x" * 260, "more than 256 words")):
            with self.subTest(line):
                self.fails(2, head + "# a comment\n" + line + "\n", "s.txt:4", *says)

    def test_scripts(self):
        self.write("a.ptx", ".version 7.0\n")
        self.fails(2, "", "s.txt", "launches nothing")
        self.fails(2, "load a.ptx\0\n", "s.txt", "a byte of zero")
        self.fails(2, "launch k grid 1 block 1\n", "s.txt:1", "write load FILE.ptx first")
        self.fails(2, "load a.ptx\nalloc a 4\nuntil a == 0 max 1\nalloc b 4\nend\n", "s.txt:4", "above the loop")
        self.write("x", words(1))
        self.fails(2, "load a.ptx\nalloc a 4\ncopy a to x\nlaunch k grid 1 block 1 args in:x\n", "s.txt:4", "line 3 writes this file")

    def test_what_is_read_is_not_replaced(self):
        self.write("a.ptx", ".version 7.0\n")
        self.write("x", words(1))
        head = "load a.ptx\nalloc a 4 from x\n"
        self.fails(2, head + "copy a to ./x\nlaunch k grid 1 block 1\n", "s.txt:3", "is read in line 2, and would be replaced")
        self.fails(2, head + "launch k grid 1 block 1 args out:x:4\n", "s.txt:3", "is read in line 2")
        self.fails(2, "load a.ptx\nlaunch k grid 1 block 1 args in:x out:x:4\n", "s.txt:2", "is read in line 2")
        self.fails(2, head + "copy a to a.ptx\nlaunch k grid 1 block 1\n", "s.txt:3", "is read in line 1")
        self.fails(2, head + "copy a to s.txt\nlaunch k grid 1 block 1\n", "s.txt:3", "(--script), and would be replaced")
        self.fails(2, head + "copy a to y.json\nlaunch k grid 1 block 1\n", "s.txt:3", "y.json is the file of --stats y.json", options=["--stats", "y.json"])
        self.assertEqual((self.folder / "x").read_bytes(), words(1))

    def test_command_lines(self):
        for options, said in ((["--kernel", "k"], "leave out --kernel"), (["--arg", "u32:1"], "leave out --arg"), (["a.ptx"], "leave out 'a.ptx'")):
            self.fails(2, "", "--script", said, options=options)
        done = subprocess.run([COWARP, "exec", "--script", "nowhere.txt"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (2, "cowarp: --script: nowhere.txt: cannot be opened: No such file or directory\n"))


if __name__ == "__main__":
    COWARP = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
