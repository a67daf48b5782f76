#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rates and latencies of instructions on presets of cards, launches, and the room of the L1: pipes_test.py BUILD/cowarp [unittest arguments].

Rates are those of NVIDIA's CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions": results per cycle and core. 32 warps execute as many
independent instructions as hide any latency. Latencies are those that Jia and others measured on Volta: of a chain of dependent instructions of one warp."""
import functools
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

COWARP = ""
FEW = ("--set", "core.count=2")  # a block runs on one core, and a machine of 80 takes long to make
CHAINS, STEPS = 8, 32  # of independent instructions; instructions of each
HEAD = """.version 7.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<24>; .reg .f32 %f<10>; .reg .f64 %d<10>; .reg .b64 %a<5>; .reg .b64 %t<3>;
    ld.param.u64 %a1, [out];
    mov.u32 %r10, %tid.x;
    mul.wide.u32 %a2, %r10, 16;
    add.u64 %a3, %a1, %a2;
"""
# What waits for a result, by the kind of its register, in a pipe that the card has for this kind.
USES = {"r": "    xor.b32 %r20, %r20, %r{i};\n", "f": "    add.f32 %f9, %f9, %f{i};\n", "d": "    add.f64 %d9, %d9, %d{i};\n"}
# What is executed; results per cycle and core, by preset; cycles to a dependent instruction on Volta, or None where nobody has measured it.
ROWS = {
    "add.s32 %r{i}, %r{i}, %r10;": ({"qv100": 64, "rtx2080ti": 64, "rtx4070": 64, "h100": 64}, 4),
    "and.b32 %r{i}, %r{i}, %r10;": ({"qv100": 64, "rtx4070": 64}, 4),
    "shl.b32 %r{i}, %r{i}, 1;": ({"qv100": 64}, 4),
    "min.s32 %r{i}, %r{i}, %r10;": ({"qv100": 64, "rtx2080ti": 64}, 5),
    "max.f32 %f{i}, %f{i}, %f8;": ({"qv100": 64}, 5),
    "mul.lo.s32 %r{i}, %r{i}, %r10;": ({"qv100": 64, "rtx2080ti": 64, "rtx4070": 64, "h100": 64}, 5),
    "mad.lo.s32 %r{i}, %r{i}, %r10, %r11;": ({"qv100": 64, "rtx4070": 64}, 5),
    "fma.rn.f32 %f{i}, %f{i}, %f8, %f8;": ({"qv100": 64, "rtx2080ti": 64, "rtx4070": 128, "h100": 128}, 4),
    "fma.rn.f64 %d{i}, %d{i}, %d8, %d8;": ({"qv100": 32, "rtx2080ti": 2, "rtx4070": 2, "h100": 64}, 8),
    "fma.rn.f16x2 %r{i}, %r{i}, %r10, %r11;": ({"qv100": 64}, 6),
    "popc.b32 %r{i}, %r{i};": ({"qv100": 16, "rtx2080ti": 16, "rtx4070": 16, "h100": 16}, 10),
    "brev.b32 %r{i}, %r{i};": ({"qv100": 16}, 10),
    "cvt.rn.f32.s32 %f{i}, %r{i};": ({"qv100": 16, "rtx4070": 16, "h100": 16}, None),
    "ex2.approx.ftz.f32 %f{i}, %f{i};": ({"qv100": 16, "rtx2080ti": 16, "rtx4070": 16, "h100": 16}, 21),
    "ld.global.u32 %r{i}, [%a1];": ({"qv100": 32, "rtx2080ti": 16, "rtx4070": 16}, None),
    "mov.u32 %r{i}, %laneid;": ({"qv100": 32, "rtx4070": 16}, None),  # in the load/store unit (Nsight Compute's guide), so at its lanes
    "bar.sync 0;": ({"qv100": 16, "rtx4070": 16, "h100": 16}, None),
    "shfl.sync.bfly.b32 %r{i}, %r{i}, 1, 31, -1;": ({"qv100": 32}, None),
}


@functools.cache
def took(preset, body, threads):
    """Cycles from the first warp's first instruction of the body to the last one's last."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "k.ptx").write_text(HEAD + "    bar.sync 0;\n    mov.u64 %t1, %clock64;\n" + body + "    membar.cta;\n    mov.u64 %t2, %clock64;\n"
                                    "    st.global.v2.u64 [%a3+64], {%t1, %t2};\n    ret;\n}\n")
        subprocess.run([COWARP, "exec", "k.ptx", "--kernel", "k", "--grid", "1", "--block", str(threads), "--preset", preset, *FEW, "--quiet", f"--arg=out:o.bin:{16 * threads + 64}"],
                       check=True, cwd=folder, capture_output=True)
        times = list(struct.iter_unpack("<QQ", (path / "o.bin").read_bytes()[64:]))
    return max(end for _, end in times) - min(begin for begin, _ in times)


class Pipes(unittest.TestCase):
    def cycles(self, preset, insn, chains, threads, steps=CHAINS * STEPS):
        """From the first warp's first instruction to the last one's last; no steps: what the measuring itself takes."""
        body = "".join("    " + insn.format(i=step % chains) + "\n" for step in range(steps))
        uses = "".join(use.format(i=i) for kind, use in USES.items() for i in range(8) if f"%{kind}{{i}}" in insn.split(",")[0])
        return took(preset, body + uses, threads)

    def test_rates(self):
        for insn, (rates, _) in ROWS.items():
            for preset, rate in rates.items():
                with self.subTest(insn, preset=preset):
                    empty = self.cycles(preset, insn, CHAINS, 1024, steps=0)
                    found = 1024 * CHAINS * STEPS / (self.cycles(preset, insn, CHAINS, 1024) - empty)
                    self.assertLess(abs(found / rate - 1), 0.12, f"{found:.1f} results a cycle, not {rate}")

    def test_global_and_shared_memory_take_turns(self):
        """One unit with 16 lanes cannot take a warp's access in less than two cycles, whatever memory it is to."""
        pairs = 64
        body = "".join(f"    ld.global.u32 %r{i % 4}, [%a1];\n    ld.shared.u32 %r{4 + i % 4}, [%r11];\n" for i in range(pairs))
        head = "    .shared .align 4 .b8 w[4096];\n    mov.u32 %r11, w;\n    mad.lo.u32 %r11, %r10, 4, %r11;\n"
        found = (took("rtx2080ti", head + body, 1024) - took("rtx2080ti", head, 1024)) / (2 * pairs * 32)
        self.assertLess(1.97, found, "cycles for each access")

    def test_latencies(self):
        for insn, (_, latency) in ROWS.items():
            if latency is None:
                continue
            with self.subTest(insn):
                found = (self.cycles("qv100", insn, 1, 32) - self.cycles("qv100", insn, 1, 32, steps=0)) / (CHAINS * STEPS)
                self.assertLess(abs(found - latency), 0.6, f"{found:.1f} cycles, not {latency}")


# A lane takes one of PATHS paths, each a loop of dependent additions.
PATH = """    setp.ne.u32 %p1, %r2, {i};
    @%p1 bra NEXT{i};
    mov.u32 %r3, 0;
AGAIN{i}:
    add.f32 %f1, %f1, %f1;
    add.f32 %f1, %f1, %f1;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p2, %r3, 500;
    @%p2 bra AGAIN{i};
    bra.uni END;
NEXT{i}:
"""
PATHS = """.version 7.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .b32 %r<4>; .reg .f32 %f<2>; .reg .b64 %a<3>; .reg .b64 %t<3>; .reg .pred %p<3>;
    ld.param.u64 %a1, [out];
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, {mask};
    mov.f32 %f1, 0f3f800000;
    mul.wide.u32 %a2, %r1, 16;
    add.u64 %a2, %a1, %a2;
    bar.sync 0;
    mov.u64 %t1, %clock64;
{paths}END:
    add.f32 %f1, %f1, %f1;
    membar.cta;
    mov.u64 %t2, %clock64;
    st.global.v2.u64 [%a2+64], {{%t1, %t2}};
    st.global.f32 [%a1], %f1;
    ret;
}}
"""


class Branches(unittest.TestCase):
    def cycles(self, paths, *words):
        with tempfile.TemporaryDirectory() as folder:
            text = PATHS.format(mask=paths - 1, paths="".join(PATH.format(i=i) for i in range(paths)))
            (pathlib.Path(folder) / "k.ptx").write_text(text)
            subprocess.run([COWARP, "exec", "k.ptx", "--kernel", "k", "--grid", "1", "--block", "32", "--preset", "h100", *FEW, *words, "--quiet", "--arg=out:o.bin:576"],
                           check=True, cwd=folder, capture_output=True)
            times = list(struct.iter_unpack("<QQ", (pathlib.Path(folder) / "o.bin").read_bytes()[64:]))
        return max(end for _, end in times) - min(begin for begin, _ in times)

    def test_paths(self):
        """Cards of five generations take 31.7 to 31.9 times as long for 32 paths of a warp as for one (Dale 2026)."""
        for words in ((), ("--set", "core.divergence=its")):
            with self.subTest(words):
                found = self.cycles(32, *words) / self.cycles(1, *words)
                self.assertLess(abs(found / 31.8 - 1), 0.03, f"{found:.2f} times")


EMPTY = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n"
# Thread n reads words n, n + 256 ... of 64 KB, twice.
TWICE = """.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 at)
{
    .reg .b32 %r<6>; .reg .b64 %a<4>; .reg .pred %p<2>;
    ld.param.u64 %a1, [at];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
AGAIN:
    shl.b32 %r3, %r2, 8;
    add.u32 %r3, %r3, %r1;
    and.b32 %r3, %r3, 16383;
    mul.wide.u32 %a2, %r3, 4;
    add.u64 %a3, %a1, %a2;
    ld.global.u32 %r4, [%a3];
    add.u32 %r2, %r2, 1;
    setp.ne.u32 %p1, %r2, 128;
    @%p1 bra AGAIN;
    st.global.u32 [%a3], %r4;
    ret;
}
"""

# One thread follows indices through memory; OP is the access of its second part, which is timed.
STEP = "    mul.wide.u32 %a2, %r1, 4;\n    add.u64 %a3, %a1, %a2;\n    OP\n" * 16
CHASE = """.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 at, .param .u64 out, .param .u32 n)
{
    .reg .b32 %r<5>; .reg .b64 %a<8>; .reg .pred %p<2>;
    ld.param.u64 %a1, [at];
    ld.param.u64 %a5, [out];
    ld.param.u32 %r3, [n];
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
    mov.u64 %a6, %clock64;
NEXT:
STEP    add.u32 %r2, %r2, 16;
    setp.lt.u32 %p1, %r2, %r3;
    @%p1 bra NEXT;
    st.global.u32 [%a5+8], %r1;
    mov.u64 %a7, %clock64;
    sub.u64 %a7, %a7, %a6;
    st.global.u64 [%a5], %a7;
    ret;
}
"""
# A load that hits the L2, and one that misses it: Accel-Sim's microbenchmarks of a TITAN V and gpu-benches of a V100; Jia et al. 2019 and mt4g; Luo et al. 2024.
MEMORY = {"titanv": (211, 440), "qv100": (211, 440), "rtx2080ti": (188, 484), "rtx4070": (273, 541), "h100": (261, 479)}


class Memory(unittest.TestCase):
    def chase(self, preset, op, *words):
        """Cycles of a step through 1,024 lines, 4 KB apart."""
        lines, apart = 1024, 1024
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "k.ptx").write_text(CHASE.replace("STEP", STEP.replace("OP", op)))
            indices = [0] * (lines * apart)
            for i in range(lines):
                indices[i * apart] = (i + 1) % lines * apart
            (path / "c.bin").write_bytes(struct.pack(f"<{len(indices)}I", *indices))
            subprocess.run([COWARP, "exec", "k.ptx", "--kernel", "k", "--grid", "1", "--block", "1", "--preset", preset, *FEW, "--quiet", "--arg", "in:c.bin", "--arg", "out:o.bin:64",
                            f"--arg=u32:{lines}", *words], check=True, cwd=folder, capture_output=True)
            return struct.unpack("<Q", (path / "o.bin").read_bytes()[:8])[0] / lines

    def test_latencies_of_the_l2_and_of_dram(self):
        for preset, wanted in MEMORY.items():
            address = self.chase(preset, "cvt.u32.u64 %r1, %a3; and.b32 %r1, %r1, 0;") - 4  # of the and
            for host_copies, cycles in zip(("on", "off"), wanted):
                with self.subTest(preset, host_copies=host_copies):
                    found = self.chase(preset, "ld.global.cg.u32 %r1, [%a3];", "--set", f"l2.host_copies={host_copies}") - address
                    self.assertLess(abs(found / cycles - 1), 0.05, f"{found:.1f} cycles, not {cycles}")


class Launches(unittest.TestCase):
    def launch(self, text, preset, *words):
        """The statistics."""
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "k.ptx").write_text(text)
            subprocess.run([COWARP, "exec", *words, "--preset", preset, "--quiet", "--stats", "s.json", "--per", "launch"], check=True, cwd=folder, capture_output=True)
            return json.loads((pathlib.Path(folder) / "s.json").read_text())

    def test_blocks_begin_one_after_the_other(self):
        """An H100 takes so many cycles for empty kernels. Blocks of 256 and 512 threads go out one a cycle; of larger ones a core has two at a time."""
        for blocks, threads, cycles in ((1024, 256, 5055), (4096, 256, 8314), (4096, 512, 8118), (4096, 768, 9710), (4096, 1024, 10034)):
            found = self.launch(EMPTY, "h100", "k.ptx", "--kernel", "k", "--grid", str(blocks), "--block", str(threads))["cycles"]
            self.assertLess(abs(found / cycles - 1), 0.025, (blocks, threads, found))

    def test_launches_back_to_back_overlap(self):
        """Nothing is copied between the first two. A TITAN V takes 7,258 cycles for an empty kernel; 1.3 us behind another one its block begins, in 274."""
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "s.txt"
            script.write_text("load k.ptx\nalloc a 64 from zeros\nlaunch k grid 1 block 32\nlaunch k grid 1 block 32\ncopy a to b\nlaunch k grid 1 block 32\n")
            (pathlib.Path(folder) / "k.ptx").write_text(EMPTY)
            (pathlib.Path(folder) / "zeros").write_bytes(bytes(64))
            subprocess.run([COWARP, "exec", "--script", "s.txt", "--preset", "titanv", "--quiet", "--stats", "s.json", "--per", "launch"], check=True, cwd=folder, capture_output=True)
            launches = json.loads((pathlib.Path(folder) / "s.json").read_text())["per_launch"]
        for launch, wanted in zip(launches, (7258, 1890 + 274, 7258), strict=True):
            self.assertLess(abs(launch["cycles"] - wanted), 50, launches)

    def test_shared_memory_takes_room_of_the_l1(self):
        """64 KB of 128 fit beside nothing, and beside 4 KB for each of eight blocks, and not beside 96 KB."""
        words = ["k.ptx", "--kernel", "k", "--grid", "1", "--block", "256", "--arg", "zero:65536"]
        for shared, times in ((0, 1), (4096, 1), (98304, 2)):
            found = self.launch(TWICE, "titanv", *words, "--shared", str(shared))["counters"]["l1_fetched_sectors"]["value"]
            self.assertEqual(found, times * 65536 // 32, shared)


if __name__ == "__main__":
    COWARP = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
