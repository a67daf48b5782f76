#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Accesses outside of allocations: bounds_test.py BUILD/cowarp [unittest arguments]."""
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

COWARP = ""
BASE = 0x100000000  # where device memory begins
ZONE = 256

# Lane i loads `type` at in + offset[i], and stores it at out + 16 i; what it had there is 0xee...
LOAD = """.version 7.0
.target sm_70
.address_size 64
.visible .entry load(.param .u64 in, .param .u64 offset, .param .u64 out)
{ .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .b16 %h<5>; .reg .b64 %w<5>;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [offset]; ld.param.u64 %rd3, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r1;
  mul.wide.u32 %rd4, %r1, 4; add.u64 %rd4, %rd2, %rd4; ld.global.s32 %rd5, [%rd4];
  mul.wide.u32 %rd6, %r1, 16; add.u64 %rd6, %rd3, %rd6; add.u64 %rd5, %rd1, %rd5;
  OPERATION
  ret; }
"""
OPERATIONS = {  # name: (text, bytes of each lane, format of what it leaves)
    "u8": ("ld.SPACEu8 %r4, [%rd5]; st.global.u32 [%rd6], %r4;", 1, "B"),
    "s16": ("ld.SPACEs16 %r4, [%rd5]; st.global.u32 [%rd6], %r4;", 2, "h"),
    "u32": ("ld.SPACEu32 %r4, [%rd5]; st.global.u32 [%rd6], %r4;", 4, "I"),
    "u64": ("ld.SPACEu64 %w1, [%rd5]; st.global.u64 [%rd6], %w1;", 8, "Q"),
    "v4": ("ld.SPACEv4.u32 {%r4, %r5, %r6, %r7}, [%rd5]; st.global.v4.u32 [%rd6], {%r4, %r5, %r6, %r7};", 16, "4I"),
    "atom": ("atom.SPACEadd.u32 %r4, [%rd5], 1; st.global.u32 [%rd6], %r4;", 4, "I"),
}


class Bounds(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, data):
        (self.folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())

    def read(self, name):
        return (self.folder / name).read_bytes()

    def run_it(self, *options):
        return subprocess.run([COWARP, *map(str, options)], capture_output=True, text=True, timeout=120, cwd=self.folder)

    def kernel(self, operation, space="global."):
        self.write("k.ptx", LOAD.replace("OPERATION", OPERATIONS[operation][0].replace("SPACE", space)))

    def load(self, data, offsets, *options, threads=None):
        self.write("in", data)
        self.write("offset", struct.pack(f"<{len(offsets)}i", *offsets))
        self.write("out", b"\xee" * 16 * len(offsets))
        return self.run_it("exec", "k.ptx", "--kernel", "load", "--grid", len(offsets) // (threads or len(offsets)), "--block",
                           threads or len(offsets), "--arg", "in:in", "--arg", "in:offset", "--arg", "inout:out", *options)

    def faults(self, words, data, offsets, *options):
        done = self.load(data, offsets, *options)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
        self.assertIn(words, done.stderr)
        self.assertEqual(self.read("out"), b"\xee" * 16 * len(offsets))  # nothing is written


class Faults(Bounds):
    def test_where_it_lies(self):
        """in is at BASE + ZONE, and has 1000 bytes; offset follows a red zone behind its padding."""
        data = bytes(1000)
        hint = "; --oob warn or --oob zero lets the run go on\n"
        at = f"argument 1 (in), 1000 bytes at 0x{BASE + ZONE:x}"
        self.kernel("u32")
        for offset, where in ((1000, f"just past the end of {at}"), (1012, f"12 bytes past the end of {at}"), (-4, f"4 bytes below {at}"),
                              (-512, f"512 bytes below {at}"), (1276, f"4 bytes below argument 2 (offset), 4 bytes at 0x{BASE + 1536:x}"),
                              (1028, f"28 bytes past the end of {at}")):
            self.faults(f"kernel load: k.ptx:10: block (0, 0, 0) thread (0, 0, 0): ld of 4 bytes at global address 0x{BASE + ZONE + offset:x}: "
                        f"not allocated: {where}{hint}", data, [offset])
        self.faults("thread (3, 0, 0): ld of 4 bytes at global address", data, [0, 996, 4, 1000, 8])
        self.faults("misaligned", data, [1002])  # first of all
        self.kernel("v4")
        self.faults(f"ld of 16 bytes at global address 0x{BASE + ZONE + 992:x}: not allocated: 8 of these bytes lie past the end of {at}{hint}",
                    data, [992])
        self.kernel("atom")
        self.faults("atom of 4 bytes", data, [1000])

    def test_the_row_above_the_first(self):
        """As srad_v2 of Rodinia reads it: signed indices, below the first buffer there is. The machine of its paper refuses it, and says what helps."""
        text = LOAD.replace("OPERATION", OPERATIONS["u32"][0].replace("SPACE", "")).replace("sm_70", "sm_20")
        rows = [-8192, -8188, 0, 4]
        machine = ("--preset", "gpgpusim-gtx480")
        for time in ((), ("--functional",)):
            self.write("k.ptx", text)
            self.faults(f"ld of 4 bytes at global address 0x{BASE + ZONE - 8192:x}: not allocated: 8192 bytes below "
                        "argument 1 (in), 8 bytes at 0x100000100; --oob warn or --oob zero lets the run go on\n", b"\x07\0\0\0\x09\0\0\0", rows, *machine, *time)
            done = self.load(b"\x07\0\0\0\x09\0\0\0", rows, *machine, *time, "--oob", "zero")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual([word[0] for word in struct.iter_unpack("<I12x", self.read("out"))], [0, 0, 7, 9])

    def test_to_the_byte(self):
        """The padding of an allocation, up to a multiple of 256, is no part of it, unless there are no red zones."""
        self.kernel("u8")
        for size in (1, 10, 255, 256, 257, 512):
            data = bytes(range(1, 256)) * 3
            self.assertEqual(self.load(data[:size], [size - 1]).returncode, 0)
            self.assertEqual(self.read("out")[0], data[size - 1])
            self.faults("just past the end of argument 1 (in)", data[:size], [size])
        self.assertEqual(self.load(bytes(10), [255], "--redzone", 0).returncode, 0)
        self.faults("past the end", bytes(10), [255], "--redzone", 1)

    def test_neighbours(self):
        """Without red zones the byte behind an allocation of 256 bytes is the first of the next one."""
        self.kernel("u8")
        self.assertEqual(self.load(bytes(256), [256], "--redzone", 0).returncode, 0)
        self.assertEqual(self.read("out")[0], 0)  # of the offset 256, its low byte
        self.assertEqual(self.load(bytes(256), [257], "--redzone", 0).returncode, 0)
        self.assertEqual(self.read("out")[0], 1)
        for zone in (1, 256, 5000, 1 << 20):
            self.faults("just past the end of argument 1 (in), 256 bytes", bytes(256), [256], "--redzone", zone)

    def test_what_the_host_copies_is_checked_as_well(self):
        self.write("two", bytes(8))
        self.write("s.txt", "load k.ptx\nalloc a 4\nalloc b 4\ncopy a+4 from two\nlaunch load grid 1 block 1 args a b a\n")
        self.kernel("u32")
        done = self.run_it("exec", "--script", "s.txt")
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_words(self):
        self.kernel("u32")
        for option, text, line in (("--oob", "warm", "--oob 'warm': unknown; did you mean 'warn'?"),
                                   ("--oob", "1", "--oob '1': unknown; takes fault, warn or zero"),
                                   ("--redzone", "-1", "--redzone '-1': a number of bytes from 0 to 1073741824"),
                                   ("--redzone", "1073741825", "--redzone '1073741825': a number of bytes from 0 to 1073741824")):
            done = self.load(bytes(4), [0], option, text)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"cowarp: {line}\n"))


class GoesOn(Bounds):
    def expected(self, operation, data, offsets):
        """(bytes of out, bytes of in afterwards, lanes outside), lane after lane. An atomic's lanes have different addresses, or the order counts."""
        _, size, form = OPERATIONS[operation]
        out, after, outside = bytearray(b"\xee" * 16 * len(offsets)), bytearray(data), 0
        for lane, offset in enumerate(offsets):
            inside = 0 <= offset <= len(data) - size
            outside += not inside
            values = struct.unpack_from("<" + form, data, offset) if inside else [0] * len(struct.unpack("<" + form, bytes(struct.calcsize(form))))
            packed = b"".join(struct.pack("<q", value)[:8] if size == 8 and value < 2**63 else struct.pack("<Q", value) if size == 8 else
                              struct.pack("<i" if value < 0 else "<I", value) for value in values)
            out[16 * lane:16 * lane + len(packed)] = packed
            if operation == "atom" and inside:
                struct.pack_into("<I", after, offset, (values[0] + 1) % 2**32)
        return bytes(out), bytes(after), outside

    def test_random_lanes(self):
        """Some lanes inside, some outside, of every width, at global and generic addresses, with every policy of threads. Red zones are so wide
        that what is outside of one allocation is not in another one."""
        rng = random.Random(11)
        machines = [[], ["--set", "core.divergence=dwf", "--set", "core.schedulers=1", "--set", "core.warps=32"], ["--set", "core.warp_width=64"], ["--preset", "thesis-tbc", "--set", "core.divergence=tbc"], ["--preset", "sbrp-near"]]
        some = 0
        for number in range(24):
            operation = rng.choice(list(OPERATIONS))
            size = OPERATIONS[operation][1]
            data = rng.randbytes(rng.randrange(1, 80) * 16)
            places = list(range(-64, len(data) // size + 64))
            offsets = [place * size for place in rng.sample(places * (1 + 128 // len(places)), 128)]
            if operation == "atom":
                offsets = [place * size for place in rng.sample(range(-300, len(data) // size + 300), 128)]
            if number % 6 == 0:  # whole warps outside
                offsets[32:64] = [-size * (i + 1) for i in range(32)]
            machine = machines[number % len(machines)]
            self.kernel(operation, rng.choice(["global.", ""]))
            done = self.load(data, offsets, "--oob", "zero", "--redzone", 4096, "--stats", "s.json", *machine, threads=64)
            self.assertEqual((done.returncode, done.stderr), (0, ""), (operation, machine))
            out, _, outside = self.expected(operation, data, offsets)
            self.assertEqual(self.read("out"), out, (operation, machine))
            counters = json.loads(self.read("s.json"))["counters"]
            self.assertEqual(counters["out_of_bounds"]["value"], outside)
            some += outside
        self.assertGreater(some, 300)

    def test_stores_and_atomics_are_dropped(self):
        """Neighbours keep their bytes, also those that touch: what lies in another allocation is inside."""
        self.write("k.ptx", LOAD.replace("OPERATION", "st.global.u32 [%rd5], %r1; red.global.add.u32 [%rd5+4], 5;").replace(
            "ld.param.u64 %rd1, [in]", "ld.param.u64 %rd1, [out]"))
        offsets = [-4, -8, 0, 8, 504, 508, 512, 516]
        done = self.load(bytes(8), offsets, "--oob", "warn", "--stats", "s.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        words = [0xeeeeeeee] * 32  # out has 128 bytes
        for lane, offset in enumerate(offsets):
            if 0 <= offset <= 124:
                words[offset // 4] = lane
        for offset in offsets:
            if 0 <= offset + 4 <= 124:
                words[offset // 4 + 1] = (words[offset // 4 + 1] + 5) % 2**32
        self.assertEqual(self.read("out"), struct.pack("<32I", *words))
        inside = sum(0 <= offset <= 124 for offset in offsets) + sum(0 <= offset + 4 <= 124 for offset in offsets)
        self.assertEqual(json.loads(self.read("s.json"))["counters"]["out_of_bounds"]["value"], 2 * len(offsets) - inside)
        notices = done.stderr.splitlines()
        self.assertEqual(len(notices), 1)  # both instructions are in one line of the PTX
        self.assertTrue(notices[0].endswith("it stores nothing"))

    def test_a_notice_for_each_line(self):
        self.write("k.ptx", LOAD.replace("OPERATION", "ld.global.u32 %r4, [%rd5];\n  ld.global.u32 %r5, [%rd5+4];\n  add.u32 %r4, %r4, %r5;\n"
                                                      "atom.global.add.u32 %r6, [%rd5], 1;\n st.global.u32 [%rd6], %r4;\n"))
        done = self.load(bytes(4), [4] * 256, "--oob", "warn", threads=64)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 3)
        self.assertEqual([line.split(": ")[1] for line in done.stderr.splitlines()], ["k.ptx:10", "k.ptx:11", "k.ptx:13"])
        self.assertEqual([line.rpartition("; ")[2] for line in done.stderr.splitlines()], ["it loads 0", "it loads 0", "it gives 0 and changes nothing"])
        self.assertIn(f"k.ptx:10: kernel load: ld of 4 bytes at global address 0x{BASE + ZONE + 4:x}: not allocated: just past the end of argument 1 (in), "
                      f"4 bytes at 0x{BASE + ZONE:x}", done.stderr)
        self.assertEqual(self.load(bytes(4), [4] * 256, "--oob", "zero", threads=64).stderr, "")

    def test_what_always_faults(self):
        """Misaligned addresses, shared memory, and transactions."""
        self.kernel("u32")
        self.faults("misaligned", bytes(4), [2], "--oob", "zero")
        self.write("k.ptx", LOAD.replace("OPERATION", "ld.shared.u32 %r4, [%r1+100000]; st.global.u32 [%rd6], %r4;"))
        self.faults("beyond the block's shared memory", bytes(4), [0], "--oob", "zero")
        transaction = LOAD.replace(".visible", ".extern .func tx_begin();\n.extern .func tx_commit();\n.visible").replace(
            "OPERATION", "call tx_begin; ld.global.u32 %r4, [%rd5]; st.global.u32 [%rd6], %r4; call tx_commit;")
        self.write("k.ptx", transaction)
        for system in ("getm", "warptm"):
            self.assertEqual(self.load(bytes(4), [0], "--oob", "zero", "--system", system).returncode, 0)
            done = self.load(bytes(4), [4], "--oob", "zero", "--system", system)
            self.assertEqual(done.returncode, 1)
            self.assertIn("just past the end of argument 1 (in)", done.stderr)
            self.assertNotIn("--oob", done.stderr)  # it would not help

    def test_no_cycle_moves_for_accesses_inside(self):
        self.kernel("u32")
        cycles = set()
        for oob in ("fault", "warn", "zero"):
            self.load(bytes(400), list(range(0, 400, 4)), "--oob", oob, "--stats", "s.json")
            cycles.add(json.loads(self.read("s.json"))["cycles"])
        self.assertEqual(len(cycles), 1)


if __name__ == "__main__":
    COWARP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
