#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""malloc, free, barriers of a grid and launches, as kernels call them: library_test.py BUILD/cowarp [unittest arguments]."""
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

COWARP = pathlib.Path()
PTX = pathlib.Path(__file__).with_name("library.ptx")
CHILDREN = pathlib.Path(__file__).with_name("children.ptx")
HEAP, HEADER = 8 << 20, 16  # bytes of a heap when nobody says, and in front of each piece
TIMES = ((), ("--functional",))


class Library(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="library-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_it(self, kernel, *options, ptx=PTX, grid=1, block=32, args=()):
        words = [word for arg in args for word in ("--arg", arg)]
        line = [COWARP, "exec", ptx, "--kernel", kernel, "--grid", grid, "--block", block, *words, *options]
        return subprocess.run([str(word) for word in line], capture_output=True, text=True, timeout=120, cwd=self.folder, check=False)

    def pieces(self, sizes, also, grid, *options):
        cnt = len(sizes)
        (self.folder / "sizes").write_bytes(struct.pack(f"<{cnt}Q", *sizes))
        done = self.run_it("pieces", *options, grid=grid, block=cnt // grid, args=("in:sizes", f"out:out:{16 * cnt}", f"u32:{also}"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        addresses = struct.unpack(f"<{2 * cnt}Q", (self.folder / "out").read_bytes())
        return addresses[:cnt], addresses[cnt:]

    def disjoint(self, addresses, sizes):
        for address in addresses:
            self.assertEqual(address % 16, 0)
        spans = sorted((address - HEADER, address + size) for address, size in zip(addresses, sizes) if address)
        for (_, end), (begin, _) in zip(spans, spans[1:]):
            self.assertLessEqual(end, begin)
        self.assertLess(spans[-1][1] - spans[0][0], HEAP)

    def test_pieces_do_not_overlap(self):
        dice = random.Random(3)
        sizes = [dice.choice((1, 8, 15, 16, 17, 48, 100, 4000)) for _ in range(256)]
        for time in TIMES:
            with self.subTest(time=time):
                addresses, _ = self.pieces(sizes, 0, 4, *time)
                self.assertNotIn(0, addresses)
                self.disjoint(addresses, sizes)

    def test_freed_pieces_are_taken_again(self):
        """12 MiB of pieces of 32 KiB, were they not."""
        sizes = 192 * [20000]
        for time in TIMES:
            with self.subTest(time=time):
                first, second = self.pieces(sizes, 1, 4, *time)
                self.assertNotIn(0, first + second)
                self.disjoint(second, sizes)
                self.assertLess(max(second) - min(first), HEAP)
                self.assertEqual(self.pieces(sizes, 1, 4, "--check", "memory,race,init", *time), (first, second))

    def test_a_full_heap_gives_null(self):
        """Pieces are powers of two with their header: of 2 MiB there are three in 8 MiB that has a head. Nothing is given for 0 bytes."""
        for time in TIMES:
            addresses, _ = self.pieces(32 * [1 << 20], 0, 1, *time)
            self.assertEqual(sum(address != 0 for address in addresses), 3)
            self.disjoint(addresses, 32 * [1 << 20])
            addresses, _ = self.pieces(31 * [HEAP] + [0], 0, 1, *time)
            self.assertEqual(set(addresses), {0})

    def line(self, mark):
        """The line of the text that ends with the mark."""
        return next(number for number, line in enumerate(PTX.read_text().splitlines(), 1) if line.endswith(f"; // {mark}") or line.endswith(f"}} // {mark}"))

    def wrong(self, kernel, number, mark, source, text, *options):
        for time in TIMES:
            done = self.run_it(kernel, "--quiet", *options, *time, block=1, args=(f"u32:{number}",) + (("zero:256",) if kernel == "wrong" else ()))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr.splitlines()[0], rf"kernel {kernel}: \S+library.ptx:{self.line(mark)}{source}: block \(0, 0, 0\) thread "
                             rf"\(0, 0, 0\): {text}$")

    def test_what_free_cannot_free_is_named(self):
        """The line is that of the call."""
        at, block = r"free of 0x\w+, ", "a block of 8 bytes"
        self.wrong("wrong", 1, "free", r" \(heap.cu:22\)", at + "whose header is overwritten: a write beyond a block of malloc, that of 8 bytes at .*")
        self.wrong("wrong", 3, "free", r" \(heap.cu:22\)", at + f"which malloc has not given: it lies 4 bytes behind the beginning of {block}")
        self.wrong("wrong", 4, "free", r" \(heap.cu:22\)", at + "which malloc has not given: it lies outside of the heap")
        self.wrong("wrong", 5, "again", r" \(heap.cu:22\)", at + "freed before; the block had 8 bytes")
        for time in TIMES:
            self.assertEqual(self.run_it("wrong", *time, block=1, args=("u32:0", "zero:256")).returncode, 0)
            self.assertEqual(self.run_it("wrong", *time, block=1, args=("u32:2", "zero:256")).returncode, 0)  # padding of its own

    def test_the_write_beyond_a_block_is_found(self):
        for number, mark, beyond in ((1, "beyond", 16), (2, "padding", 4)):
            text = rf"st of \d bytes at global address 0x\w+: {beyond} bytes beyond a block of malloc, of 8 bytes at 0x\w+"
            self.wrong("wrong", number, mark, r" \(heap.cu:21\)", text, "--check", "memory")
        for time in TIMES:
            done = self.run_it("wrong", *time, "--check", "memory", block=1, args=("u32:0", "zero:256"))
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_recursion_that_is_too_deep_is_named(self):
        self.wrong("recursion", 64, "deeper", "", "stack of recursion deeper than 64: a function is called inside 64 calls of it, and is expanded "
                   "no further")
        self.assertEqual(self.run_it("recursion", block=1, args=("u32:63",)).returncode, 0)

    def test_all_blocks_meet(self):
        for time in TIMES:
            for grid, block in ((1, 32), (2, 1), (15, 100), (60, 64)):
                with self.subTest(time=time, grid=grid):
                    cnt = grid * block
                    done = self.run_it("meet", "--cooperative", *time, grid=grid, block=block, args=(f"zero:{4 * cnt}", f"out:out:{4 * cnt}"))
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    got = struct.unpack(f"<{cnt}I", (self.folder / "out").read_bytes())
                    self.assertEqual(list(got), [4 * ((i + block) % cnt) for i in range(cnt)])

    def test_only_cooperative_launches_meet(self):
        done = self.run_it("meet", args=("zero:128", "out:out:128"))
        self.assertEqual(done.returncode, 0, done.stderr)
        got = struct.unpack("<32I", (self.folder / "out").read_bytes())
        self.assertEqual([word >> 24 for word in got], 32 * [2])  # two of the calls are counted, and each has answered 1
        done = self.run_it("asks", args=("out:out:4",))
        self.assertEqual(done.returncode, 1)
        self.assertIn("the launch is not cooperative (cudaLaunchCooperativeKernel, exec --cooperative)", done.stderr)
        self.assertEqual(self.run_it("asks", "--cooperative", args=("out:out:4",)).returncode, 0)

    def test_blocks_that_do_not_fit_are_refused(self):
        done = self.run_it("meet", "--cooperative", grid=1000, block=512, args=("zero:2048000", "out:out:2048000"))
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("meet: a cooperative launch of 1000 blocks; the cores have room for 45 at once", done.stderr)

    def log(self, kernel, most, *options, **more):
        """What the kernel's children have noted, in their order."""
        (self.folder / "log").write_bytes(bytes(4 * most + 4))
        args = ("inout:log", *more.pop("args"))
        done = self.run_it(kernel, *options, ptx=CHILDREN, args=args, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        words = struct.unpack(f"<{most + 1}I", (self.folder / "log").read_bytes())
        return list(words[1:1 + words[0]])

    def test_children_run_in_the_order_of_streams(self):
        """A child is over when its own children are; the tail comes behind all others, though it was launched first."""
        for time in TIMES + (("--check", "memory,race,init"), ("--renew", "300")):
            with self.subTest(time=time):
                self.assertEqual(self.log("parent", 20, *time, block=1, args=("u32:2",)), [12, 11, 10, 30, 20, 31, 21, 32, 22])

    def test_children_of_a_saved_run(self):
        """The run goes on in a child, whose parent and sisters are passed over."""
        whole = self.log("parent", 20, "--save", "run.saved@8000", block=1, args=("u32:2",))
        self.assertEqual(self.log("parent", 20, "--load", "run.saved", block=1, args=("u32:2",)), whole)
        self.assertEqual(len(whole), 9)

    def test_every_thread_launches(self):
        for time in TIMES:
            answers = ("u32:1", f"out:answers:{4 * 99}")
            noted = self.log("many", 96, *time, grid=3, args=answers)
            self.assertEqual(sorted(noted), list(range(96)))
            self.assertEqual(struct.unpack("<99I", (self.folder / "answers").read_bytes()), 99 * (0,))

    def test_launches_that_fail_are_told_to_the_kernel(self):
        """More than there is room for, and a grid without blocks: NULL, and the error once."""
        self.assertEqual(self.log("many", 8, "--functional", args=("u32:0", "out:answers:140")), [])
        self.assertEqual(struct.unpack("<35I", (self.folder / "answers").read_bytes()), (9, 9, 0) + 32 * (0xffffffff,))
        noted = self.log("many", 4096, "--functional", grid=3, block=1024, args=("u32:1", f"out:answers:{4 * 3075}"))
        answers = struct.unpack("<3075I", (self.folder / "answers").read_bytes())
        self.assertEqual((len(noted), len(set(noted)), answers.count(0xffffffff)), (2048, 2048, 1024))
        self.assertEqual([answers[3 + t] for t in noted], 2048 * [0])

    def test_what_is_no_kernel_is_not_launched(self):
        done = self.run_it("stranger", ptx=CHILDREN, block=1, args=("zero:8",))
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertRegex(done.stderr, "a kernel launches 0x1000, which is no kernel of .*children.ptx")

    def test_register_pools_are_a_notice(self):
        body = "setmaxnreg.dec.sync.aligned.u32 40; ld.param.u64 %a, [out]; st.global.u32 [%a], 7; ret;"
        text = f".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry pool(.param .u64 out) {{ .reg .b64 %a; {body} }}\n"
        (self.folder / "pool.ptx").write_text(text)
        done = self.run_it("pool", ptx="pool.ptx", args=("out:out:4",))
        self.assertEqual((done.returncode, (self.folder / "out").read_bytes()), (0, b"\7\0\0\0"))
        self.assertIn("left out: warps keep the registers that they begin with: setmaxnreg.dec.sync.aligned.u32\n", done.stderr)

    def test_other_functions_of_these_names(self):
        """One that the module defines is its own; one with other parameters is not known."""
        body = ".visible .entry k(.param .u64 out) { .reg .b64 %a<3>; ld.param.u64 %a1, [out]; BODY st.global.u64 [%a1], %a2; ret; }\n"
        call = "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 5; call.uni (r), malloc, (n); ld.param.b64 %a2, [r]; }"
        own = ".func (.param .b64 r) malloc(.param .b64 n) { .reg .b64 %x; ld.param.b64 %x, [n]; add.u64 %x, %x, 1; st.param.b64 [r], %x; ret; }\n"
        head = ".version 7.0\n.target sm_70\n.address_size 64\n"
        (self.folder / "own.ptx").write_text(head + own + body.replace("BODY", call))
        done = self.run_it("k", ptx="own.ptx", args=("out:out:8",))
        self.assertEqual((done.returncode, (self.folder / "out").read_bytes()), (0, bytes((6, 0, 0, 0, 0, 0, 0, 0))))
        other = ".extern .func (.param .b64 r) malloc(.param .b32 n);\n"
        (self.folder / "other.ptx").write_text(head + other + body.replace("BODY", call.replace("b64 n", "b32 n").replace("b64 [n]", "b32 [n]")))
        done = self.run_it("k", ptx="other.ptx", args=("out:out:8",))
        self.assertEqual(done.returncode, 2)
        self.assertIn("external function that this machine does not have: malloc", done.stderr)


if __name__ == "__main__":
    COWARP = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
