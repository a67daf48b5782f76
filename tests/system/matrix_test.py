#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mma.sync and ldmatrix against matrices of the host: matrix_test.py BUILD/cowarp [unittest arguments].

The host multiplies whole matrices, and deals elements to lanes by the formulas of the PTX ISA ("Matrix Fragments for mma"), which are written
here element by element. Numbers are small integers, so every order of a sum gives the same bits.
"""
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
