#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mma.sync, wmma, ldmatrix, stmatrix and movmatrix against matrices of the host: matrix_test.py BUILD/cowarp [unittest arguments].

The host multiplies whole matrices, and deals elements to lanes by the formulas of the PTX ISA ("Matrix Fragments for mma"), which are written
here element by element. Numbers are small integers, so every order of a sum gives the same bits. Of wmma the ISA leaves open which lane has
what, so matrices are compared as memory has them.
"""
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

COWARP = ""
HEAD = ".version 7.8\n.target sm_90\n.address_size 64\n"


def half(value):
    return struct.unpack("<H", struct.pack("<e", value))[0]


def single(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


CODE = {"f16": half, "bf16": lambda v: single(v) >> 16, "tf32": single, "s8": lambda v: v & 0xff, "u8": lambda v: v & 0xff,
        "f32": single, "s32": lambda v: v & 0xffffffff, "f64": lambda v: struct.unpack("<Q", struct.pack("<d", v))[0]}
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "s8": 8, "u8": 8, "f32": 32, "s32": 32, "f64": 64}

# (row, column) of element i of lane 4 g + t: A, B and C by shape and width of an element.
A = {("m16n8k8", 16): lambda g, t, i: (g if i < 2 else g + 8, 2 * t + i % 2),
     ("m16n8k16", 16): lambda g, t, i: (g if i < 2 or 4 <= i < 6 else g + 8, 2 * t + i % 2 + (8 if i >= 4 else 0)),
     ("m16n8k4", 32): lambda g, t, i: (g if i == 0 else g + 8, t),
     ("m16n8k8", 32): lambda g, t, i: (g if i in (0, 2) else g + 8, t if i < 2 else t + 4),
     ("m8n8k16", 8): lambda g, t, i: (g, 4 * t + i),
     ("m16n8k16", 8): lambda g, t, i: (g if i < 4 else g + 8, 4 * t + i % 4),
     ("m16n8k32", 8): lambda g, t, i: (g if i < 4 or 8 <= i < 12 else g + 8, 4 * t + i % 4 + (16 if i >= 8 else 0)),
     ("m8n8k4", 64): lambda g, t, i: (g, t)}
B = {("m16n8k8", 16): lambda g, t, i: (2 * t + i, g),
     ("m16n8k16", 16): lambda g, t, i: (2 * t + i % 2 + (8 if i >= 2 else 0), g),
     ("m16n8k4", 32): lambda g, t, i: (t, g),
     ("m16n8k8", 32): lambda g, t, i: (t if i == 0 else t + 4, g),
     ("m8n8k16", 8): lambda g, t, i: (4 * t + i, g),
     ("m16n8k16", 8): lambda g, t, i: (4 * t + i, g),
     ("m16n8k32", 8): lambda g, t, i: (4 * t + i % 4 + (16 if i >= 4 else 0), g),
     ("m8n8k4", 64): lambda g, t, i: (t, g)}
FORMS = [(s, e, e, c) for s, e, cs in (("m16n8k8", "f16", ("f32", "f16")), ("m16n8k16", "f16", ("f32", "f16")), ("m16n8k8", "bf16", ("f32",)),
                                       ("m16n8k16", "bf16", ("f32",)), ("m16n8k4", "tf32", ("f32",)), ("m16n8k8", "tf32", ("f32",)),
                                       ("m8n8k4", "f64", ("f64",))) for c in cs]
FORMS += [(s, a, b, "s32") for s in ("m8n8k16", "m16n8k16", "m16n8k32") for a in ("s8", "u8") for b in ("s8", "u8")]


# wmma: shape, elements, types of D and C; registers of A and B by shape and elements.
SHAPES = ("m16n16k16", "m8n32k16", "m32n8k16")
WMMA = [(shape, "f16", d, c) for shape in SHAPES for d in ("f16", "f32") for c in ("f16", "f32")]
WMMA += [(shape, kind, c, c) for shape in SHAPES for kind, c in (("bf16", "f32"), ("s8", "s32"), ("u8", "s32"))]
WMMA += [("m16n16k8", "tf32", "f32", "f32"), ("m8n8k4", "f64", "f64", "f64")]
REGISTERS = {"f16": {shape: (8, 8) for shape in SHAPES}, "bf16": {"m16n16k16": (4, 4), "m8n32k16": (2, 8), "m32n8k16": (8, 2)},
             "s8": {"m16n16k16": (2, 2), "m8n32k16": (1, 4), "m32n8k16": (4, 1)}, "tf32": {"m16n16k8": (4, 4)}, "f64": {"m8n8k4": (1, 1)}}
REGISTERS["u8"] = REGISTERS["s8"]
SUM_REGISTERS = {"f16": 4, "f32": 8, "s32": 8, "f64": 2}


def in_memory(matrix, kind, layout, stride):
    """Bytes of a matrix in rows or columns that are `stride` elements apart."""
    lines = matrix if layout == "row" else [list(column) for column in zip(*matrix)]
    return b"".join(CODE[kind](value).to_bytes(BITS[kind] // 8, "little") for line in lines for value in line + [1] * (stride - len(line)))


def words_of(data):
    data += bytes(-len(data) % 4)
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def sizes(shape):
    m, rest = shape[1:].split("n")
    n, k = rest.split("k")
    return int(m), int(n), int(k)


def registers(matrix, place, kind, count):
    """Per lane the words of `count` elements."""
    words = []
    for lane in range(32):
        bits = 0
        for i in range(count):
            row, column = place(lane // 4, lane % 4, i)
            bits |= CODE[kind](matrix[row][column]) << BITS[kind] * i
        words += [bits >> 32 * w & 0xffffffff for w in range(count * BITS[kind] // 32)]
    return words


def of_sum(m):
    return lambda g, t, i: (g if i < 2 else g + 8, 2 * t + i % 2) if m == 16 else (g, 2 * t + i)


class Matrix(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="matrix-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def execute(self, text, size, inputs, *options):
        (self.folder / "k.ptx").write_text(HEAD + text)
        args = []
        for i, words in enumerate(inputs):
            (self.folder / f"in{i}").write_bytes(struct.pack(f"<{len(words)}I", *words))
            args += ["--arg", f"in:in{i}"]
        line = [COWARP, "exec", "k.ptx", "--kernel", "k", "--grid", "1", "--block", "32", *args, "--arg", f"out:out:{size}", *options]
        done = subprocess.run(line, cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        data = (self.folder / "out").read_bytes()
        return list(struct.unpack(f"<{len(data) // 4}I", data))

    def multiply(self, shape, a, b, c, aliased):
        """PTX: loads the fragments of three buffers, multiplies, stores the fourth."""
        m, n, k = sizes(shape)
        wide = a == "f64"
        kind, letter = ("u64", "q") if wide else ("u32", "r")
        counts = [m * k * BITS[a] // 32 // (64 if wide else 32), k * n * BITS[b] // 32 // (64 if wide else 32), m * n * BITS[c] // 32 // (64 if wide else 32)]
        names = [[f"%{x}{i}" for i in range(count)] for x, count in zip(("a", "b", "c"), counts)]
        results = [f"%d{i}" for i in range(counts[2])]
        if aliased == "sum":
            results = names[2]
        elif aliased == "factors":
            results = (names[0] + names[1])[:counts[2]] if len(names[0] + names[1]) >= counts[2] else (names[0] + names[1] + results)[:counts[2]]
        real = {"f32": ".b32", "f16": ".b32", "s32": ".b32", "f64": ".f64"}
        text = (".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3) {\n.reg .b64 %p<9>; .reg .b32 %t, %o;\n"
                f".reg {'.f64' if wide else '.b32'} %a<9>, %b<9>; .reg {real[c]} %c<9>, %d<9>;\nmov.u32 %t, %laneid;\n")
        for i, regs in enumerate(names):
            text += f"ld.param.u64 %p0, [p{i}]; mul.lo.u32 %o, %t, {len(regs) * (8 if wide else 4)}; cvt.u64.u32 %p1, %o; add.u64 %p0, %p0, %p1;\n"
            text += "".join(f"ld.global.{'f64' if wide else 'b32'} {r}, [%p0+{(8 if wide else 4) * j}];\n" for j, r in enumerate(regs))
        lists = ["{" + ", ".join(regs) + "}" for regs in (results, *names)]
        text += f"mma.sync.aligned.{shape}.row.col.{c}.{a}.{b}.{c} {', '.join(lists)};\n"
        text += f"ld.param.u64 %p0, [p3]; mul.lo.u32 %o, %t, {len(results) * (8 if wide else 4)}; cvt.u64.u32 %p1, %o; add.u64 %p0, %p0, %p1;\n"
        text += "".join(f"st.global.{'f64' if wide else 'b32'} [%p0+{(8 if wide else 4) * j}], {r};\n" for j, r in enumerate(results))
        return text + "ret; }\n", [32 * count * (2 if wide else 1) for count in counts]

    def test_every_shape(self):
        dice = random.Random(5)
        for shape, a, b, c in FORMS:
            m, n, k = sizes(shape)
            low = {"s8": (-128, 127), "u8": (0, 255), "f16": (-5, 5), "bf16": (-9, 9), "tf32": (-99, 99), "f64": (-999, 999)}
            matrix = [[[dice.randint(*low[kind]) for _ in range(columns)] for _ in range(rows)]
                      for kind, rows, columns in ((a, m, k), (b, k, n), ("f16", m, n))]
            want = [[matrix[2][i][j] + sum(matrix[0][i][x] * matrix[1][x][j] for x in range(k)) for j in range(n)] for i in range(m)]
            for aliased in ("none", "sum", *(("factors",) if c in ("f16", "s32") else ())):
                with self.subTest(shape=shape, a=a, b=b, c=c, aliased=aliased):
                    text, words = self.multiply(shape, a, b, c, aliased)
                    inputs = [registers(matrix[0], A[shape, BITS[a]], a, m * k // 32), registers(matrix[1], B[shape, BITS[b]], b, k * n // 32),
                              registers(matrix[2], of_sum(m), c, m * n // 32)]
                    self.assertEqual([len(i) for i in inputs], words)
                    got = self.execute(text, 4 * words[2], inputs)
                    self.assertEqual(got, registers(want, of_sum(m), c, m * n // 32))
                    self.assertEqual(self.execute(text, 4 * words[2], inputs, "--functional"), got)

    def wmma(self, shape, kind, d, c, layouts, strides, space):
        """PTX: A, B and C by wmma.load from three buffers, D by wmma.store into the fourth; or by way of shared memory."""
        a_cnt, b_cnt = REGISTERS[kind][shape]
        real = {"f16": ".b32", "f32": ".f32", "s32": ".b32", "f64": ".f64"}
        factor = ".f64" if kind == "f64" else ".b32"
        lists = {x: "{" + ", ".join(f"%{x}{i}" for i in range(n)) + "}" for x, n in zip("abcd", (a_cnt, b_cnt, SUM_REGISTERS[c], SUM_REGISTERS[d]))}
        text = (".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3) {\n.reg .b64 %p<9>; .reg .b32 %s<9>;\n"
                f".reg {factor} %a<9>, %b<9>; .reg {real[c]} %c<9>; .reg {real[d]} %d<9>;\n")
        text += "".join(f"ld.param.u64 %p{i}, [p{i}]; mov.u32 %s{i}, {stride};\n" for i, stride in enumerate(strides))
        for i, (x, element) in enumerate(zip("abc", (kind, kind, c))):
            text += f"wmma.load.{x}.sync.aligned.{layouts[i]}.{shape}{space}.{element} {lists[x]}, [%p{i}+16], %s{i};\n"
        types = f"{d}.{c}" if kind == "f16" else f"{d}.{kind}.{kind}.{c}"
        text += f"wmma.mma.sync.aligned.{layouts[0]}.{layouts[1]}.{shape}.{types} {lists['d']}, {lists['a']}, {lists['b']}, {lists['c']};\n"
        return text + f"wmma.store.d.sync.aligned.{layouts[3]}.{shape}{space}.{d} [%p3+16], {lists['d']}, %s3;\nret; }}\n"

    def test_wmma(self):
        dice = random.Random(7)
        for i, (shape, kind, d, c) in enumerate(WMMA):
            m, n, k = sizes(shape)
            low = {"s8": (-128, 127), "u8": (0, 255), "f16": (-5, 5), "bf16": (-9, 9), "tf32": (-99, 99), "f64": (-999, 999)}
            matrix = [[[dice.randint(*low[x]) for _ in range(columns)] for _ in range(rows)] for x, rows, columns in ((kind, m, k), (kind, k, n), ("f16", m, n))]
            want = [[matrix[2][x][y] + sum(matrix[0][x][z] * matrix[1][z][y] for z in range(k)) for y in range(n)] for x in range(m)]
            for code in (0, 15, dice.randrange(1, 15)):
                layouts = ["col" if code >> bit & 1 else "row" for bit in range(4)]
                shapes = ((m, k), (k, n), (m, n), (m, n))
                strides = [shape_of[0 if layout == "col" else 1] + dice.choice((0, 8, 24)) for shape_of, layout in zip(shapes, layouts)]
                with self.subTest(shape=shape, kind=kind, d=d, c=c, layouts=layouts, strides=strides):
                    kinds = (kind, kind, c, d)
                    text = self.wmma(shape, kind, d, c, layouts, strides, ("", ".global")[i % 2])
                    inputs = [words_of(bytes(16) + in_memory(x, y, layout, stride)) for x, y, layout, stride in zip(matrix, kinds, layouts, strides)]
                    expected = bytes(16) + in_memory(want, d, layouts[3], strides[3])
                    for options in ((), ("--functional",)):
                        got = b"".join(word.to_bytes(4, "little") for word in self.execute(text, len(expected), inputs, *options))
                        line, gap = (m if layouts[3] == "col" else n) * BITS[d] // 8, strides[3] * BITS[d] // 8
                        for at in range(16, len(expected), gap):
                            self.assertEqual(got[at:at + line], expected[at:at + line])
                            self.assertEqual(got[at + line:at + gap], bytes(gap - line))  # between the lines nothing is written

    def test_wmma_in_place(self):
        """D in the registers of C, A and B: each is read before it is written. Without a stride lines adjoin."""
        text = """.visible .entry k(.param .u64 p0, .param .u64 p1) { .reg .b64 %p<3>; .reg .b32 %a<8>;
  .shared .align 16 .b8 room[512]; .reg .b32 %x, %t;
  ld.param.u64 %p0, [p0]; ld.param.u64 %p1, [p1];
  wmma.load.a.sync.aligned.row.m16n16k16.f16 {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, [%p0];
  wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {%a1, %a0, %a3, %a2}, {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7},
    {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, {%a0, %a1, %a2, %a3};
  wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [room], {%a1, %a0, %a3, %a2};
  bar.warp.sync 0xffffffff;
  wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 {%a0, %a1, %a2, %a3}, [room], 16;
  wmma.store.d.sync.aligned.row.m16n16k16.f16 [%p1], {%a0, %a1, %a2, %a3};
  ret; }
"""
        dice = random.Random(8)
        a = [[dice.randint(-4, 4) for _ in range(16)] for _ in range(16)]
        got = self.execute(text, 512, [words_of(in_memory(a, "f16", "row", 16))])
        want = [[sum(a[x][z] * a[y][z] for z in range(16)) for y in range(16)] for x in range(16)]  # B, of columns, is A's transpose
        product = in_memory(want, "f16", "row", 16)
        left = [[row - sum_of for row, sum_of in zip(line, wanted)] for line, wanted in zip(self.halves(got), want)]
        self.assertEqual(sorted(sum(left, [])), sorted(sum(a, [])))  # C is A's fragment, whose elements may be anywhere
        self.assertEqual(len(product), 512)

    def halves(self, words):
        values = struct.unpack("<256e", struct.pack("<128I", *words))
        return [[int(value) for value in values[16 * row:16 * row + 16]] for row in range(16)]

    def test_matrices_are_stored_and_turned(self):
        dice = random.Random(9)
        for count in (1, 2, 4):
            for trans in ("", ".trans"):
                with self.subTest(count=count, trans=trans):
                    words = [dice.randrange(1 << 32) for _ in range(32 * count)]
                    starts = dice.sample(range(32), 32)
                    regs = ", ".join(f"%d{i}" for i in range(count))
                    text = ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2) {\n.reg .b64 %p<9>; .reg .b32 %t, %o, %d<5>, %x;\n"
                    text += ".shared .align 16 .b8 room[528];\nmov.u32 %t, %laneid; ld.param.u64 %p0, [p0]; mul.wide.u32 %p1, %t, 4; add.u64 %p2, %p0, %p1; mov.u32 %x, room;\n"
                    text += "mad.lo.u32 %o, %t, 16, %x;" + "".join(f"st.shared.u32 [%o+{16 + 4 * i}], 0; " for i in range(4))
                    text += "".join(f"ld.global.u32 %d{i}, [%p2+{128 * i}];\n" for i in range(count))
                    text += "ld.param.u64 %p0, [p1]; add.u64 %p0, %p0, %p1; ld.global.u32 %o, [%p0]; add.u32 %o, %x, %o; bar.warp.sync 0xffffffff;\n"
                    text += f"stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [%o+16], {{{regs}}};\nbar.warp.sync 0xffffffff;\n"
                    text += "ld.param.u64 %p0, [p2]; mul.wide.u32 %p1, %t, 16; add.u64 %p0, %p0, %p1; mad.lo.u32 %o, %t, 16, %x;\n"
                    text += "".join(f"ld.shared.u32 %d0, [%o+{16 + 4 * i}]; st.global.u32 [%p0+{4 * i}], %d0;\n" for i in range(4)) + "ret; }\n"
                    got = self.execute(text, 512, [words, [16 * s for s in starts]])
                    halves = [0] * 256
                    for i in range(count):
                        for lane in range(32):
                            for e in range(2):
                                row, column = (2 * (lane % 4) + e, lane // 4) if trans else (lane // 4, 2 * (lane % 4) + e)
                                halves[8 * starts[8 * i + row] + column] = words[32 * i + lane] >> 16 * e & 0xffff
                    self.assertEqual(got, [halves[2 * i] | halves[2 * i + 1] << 16 for i in range(128)])
        words = [dice.randrange(1 << 32) for _ in range(32)]
        text = """.visible .entry k(.param .u64 p0, .param .u64 p1) { .reg .b64 %p<4>; .reg .b32 %r<3>;
  mov.u32 %r0, %laneid; mul.wide.u32 %p2, %r0, 4; ld.param.u64 %p0, [p0]; ld.param.u64 %p1, [p1]; add.u64 %p0, %p0, %p2; add.u64 %p1, %p1, %p2;
  ld.global.u32 %r1, [%p0]; movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1; st.global.u32 [%p1], %r1; ret; }
"""
        matrix = [[words[4 * row + column // 2] >> 16 * (column % 2) & 0xffff for column in range(8)] for row in range(8)]
        self.assertEqual(self.execute(text, 128, [words]), [matrix[2 * t][g] | matrix[2 * t + 1][g] << 16 for g in range(8) for t in range(4)])

    def test_a_tensor_unit(self):
        """Eight steps of a wmma follow each other at the unit's interval; the results do not depend on it."""
        text = self.wmma("m16n16k16", "f16", "f32", "f32", ["row"] * 4, [16] * 4, "")
        lines = text.split("\n")
        at = next(i for i, line in enumerate(lines) if line.startswith("wmma.mma"))
        once = lines[at].replace("{%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}", "{%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}", 1)
        long = "\n".join(lines[:at] + 30 * [once] + lines[at:])
        inputs = [words_of(in_memory([[(x * y) % 5 for y in range(20)] for x in range(16)], kind, "row", 20)) for kind in ("f16", "f16", "f32")]
        cycles, results = {}, []
        for interval in (2, 20, 40):
            options = ("--set", "fu.mma_latency=12", "--set", f"fu.mma_interval={interval}", "--stats", "s.json")
            results.append(self.execute(long, 16 + 1024, inputs, *options))
            cycles[interval] = json.loads((self.folder / "s.json").read_text())["cycles"]
        self.assertEqual(cycles[40] - cycles[20], 20 * (31 * 8 - 1))  # between the first step and the last one
        self.assertGreater(cycles[20], cycles[2])
        self.assertEqual(results, 3 * [self.execute(long, 16 + 1024, inputs)])

    def test_matrices_are_loaded(self):
        dice = random.Random(6)
        halves = [dice.randrange(1 << 16) for _ in range(8 * 8 * 4 + 64)]
        starts = dice.sample(range(32), 32)  # rows of 16 bytes, in any order
        words = [halves[2 * i] | halves[2 * i + 1] << 16 for i in range(len(halves) // 2)]
        for count in (1, 2, 4):
            for trans in ("", ".trans"):
                with self.subTest(count=count, trans=trans):
                    regs = [f"%d{i}" for i in range(count)]
                    text = ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2) {\n.reg .b64 %p<9>; .reg .b32 %t, %o, %d<5>, %x;\n"
                    text += ".shared .align 16 .b8 room[1024];\nmov.u32 %t, %laneid; ld.param.u64 %p0, [p0]; mul.wide.u32 %p1, %t, 4; add.u64 %p2, %p0, %p1; mov.u64 %p3, room; add.u64 %p3, %p3, %p1;\n"
                    text += "".join(f"ld.global.u32 %x, [%p2+{128 * i}]; st.shared.u32 [%p3+{128 * i}], %x;\n" for i in range(5))
                    text += "bar.sync 0; ld.param.u64 %p0, [p1]; add.u64 %p0, %p0, %p1; ld.global.u32 %o, [%p0]; cvt.u32.u64 %x, %p3; mov.u32 %x, room; add.u32 %x, %x, %o;\n"
                    text += f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{', '.join(regs)}}}, [%x+16];\n"
                    text += f"ld.param.u64 %p0, [p2]; mul.wide.u32 %p1, %t, {4 * count}; add.u64 %p0, %p0, %p1;\n"
                    text += "".join(f"st.global.u32 [%p0+{4 * i}], {r};\n" for i, r in enumerate(regs)) + "ret; }\n"
                    got = self.execute(text, 128 * count, [words, [16 * s for s in starts]])
                    want = []
                    for lane in range(32):
                        for i in range(count):
                            rows = [halves[8 * (starts[8 * i + r] + 1):][:8] for r in range(8)]
                            g, t = lane // 4, lane % 4
                            pair = (rows[2 * t][g], rows[2 * t + 1][g]) if trans else (rows[g][2 * t], rows[g][2 * t + 1])
                            want.append(pair[0] | pair[1] << 16)
                    self.assertEqual(got, want)


if __name__ == "__main__":
    COWARP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
