#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functional launches in native code are those of the interpreter: native_test.py BUILD/cowarp [--all].

Each run of functional_test.py that is executed both ways leaves the same files, says the same, and counts the same. Without --all each 24th one is
executed. Workloads show verdicts and few bits, so a kernel has each operation on numbers that are hard to get right, and shows all bits. In a build
without LLVM there is nothing to compare.
"""
import argparse
import itertools
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import functional_test
import unmoved

COUNTED = ("functional_launches", "functional_thread_instructions", "functional_warp_instructions")


def outcome(cowarp, words, how):
    """What anybody can see of a run but its host seconds."""
    with tempfile.TemporaryDirectory(prefix="native-") as name:
        folder = pathlib.Path(name)
        done = functional_test.execute([cowarp, *words, f"--functional={how}", "--stats", "stats.json"], folder)
        stats = folder / "stats.json"
        counters = json.loads(stats.read_text())["counters"] if stats.is_file() else {}
        said = [line for line in done.stdout.splitlines() if not line.startswith("  host ")]
        return {"exit status": done.returncode, "output": said, "error": done.stderr, "counters": {k: v["value"] for k, v in counters.items()},
                "files": functional_test.results(folder)}


# Zeros, subnormals, one and its neighbours, large and small ones, those at which integers end, infinities, NaNs with a payload; of both signs.
HARD32 = [0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x33800001, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x4b000001, 0x4effffff, 0x4f000000,
          0x4f7fffff, 0x4f800000, 0x7effffff, 0x7f000001, 0x7f7fffff, 0x7f800000, 0x7fc00001, 0x7f800001,
          # Two of half precision: a fused sum of the first two is halfway between two others but for its last bits.
          0x3c013c01, 0x0ffe0ffe, 0x7bff0001, 0x04003c00, 0x7c0003ff, 0x7e017d01, 0x78005bff]
HARD64 = [0x0, 0x1, 0x000fffffffffffff, 0x0010000000000000, 0x3ca0000000000001, 0x3ff0000000000000, 0x3ff0000000000001, 0x36a0000000000000,
          0x47efffffe0000000, 0x47effffff0000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000001]
BOTH = ("add.rn.{t}", "sub.rn.{t}", "mul.rn.{t}", "div.rn.{t}", "min.{t}", "max.{t}", "fma.rn.{t}", "sqrt.rn.{t}", "rcp.rn.{t}", "abs.{t}", "neg.{t}")
OPS32 = (*BOTH, "add.rn.ftz.{t}", "mul.rn.ftz.{t}", "fma.rn.ftz.{t}", "fma.rn.sat.{t}", "add.rn.sat.{t}", "div.approx.{t}", "rsqrt.approx.{t}", "min.ftz.{t}")
CONVERTS = (*((f"cvt.{how}.f32.f32", "f", "f") for how in ("rni", "rzi", "rmi", "rpi", "sat", "ftz", "ftz.sat", "rmi.sat")), ("cvt.rmi.f64.f64", "d", "d"),
            *((f"cvt.{how}.{to}.f32", "f", "r") for how in ("rni", "rmi", "rpi", "rmi.ftz") for to in ("s32", "u32")),
            ("ex2.approx.ftz.f32", "f", "f"), ("lg2.approx.ftz.f32", "f", "f"), ("cvt.f32.f16", "h", "f"), ("cvt.rn.f16.f32", "f", "h"), ("cvt.rn.ftz.f16.f32", "f", "h"), ("ex2.approx.f32", "f", "f"), ("lg2.approx.f32", "f", "f"),
            ("bfind.u32", "r", "r"), ("bfind.shiftamt.u32", "r", "r"), ("cvt.rzi.s32.f32", "f", "r"), ("cvt.rzi.u32.f32", "f", "r"), ("cvt.rn.f32.s32", "r", "f"), ("cvt.rn.f32.u32", "r", "f"),
            ("cvt.f64.f32", "f", "d"), ("cvt.rn.f32.f64", "d", "f"), ("cvt.rn.f64.s32", "r", "d"),
            *((f"cvt.rn.f{to}.{kind}64", "b", "f" if to == 32 else "d") for to in (32, 64) for kind in "su"))
INTS = ("mul.hi.u32", "mul.hi.s32", "div.u32", "div.s32", "rem.u32", "rem.s32", "min.s32", "max.u32", "shl.b32", "shr.s32", "shr.u32", "and.b32")
HALVES = (*(f"{op}.f16x2 %r0, %r1, %r2;" for op in ("add.rn", "sub.rn", "mul.rn", "min", "max")),
          *(f"{op}.f16 %h0, %h1, %h2; mov.b32 %r0, {{%h0, %h1}};" for op in ("add.rn", "sub.rn", "mul.rn", "min", "max")),
          *(f"fma.rn.f16x2 %r0, {operands};" for operands in ("%r1, %r2, %r1", "%r2, %r4, %r1")), "fma.rn.f16 %h0, %h2, %h1, %h1; cvt.u32.u16 %r0, %h0;",
          "mov.b32 {%h0, %h3}, %r1; cvt.u32.u16 %r0, %h0; cvt.u32.u16 %r3, %h3; mad.lo.u32 %r0, %r3, 3, %r0;", "mov.b32 {_, %h3}, %r1; cvt.u32.u16 %r0, %h3;",
          "mov.b64 %b1, {%h2, %h1, 7, %h2}; cvt.u32.u64 %r0, %b1; shr.u64 %b1, %b1, 32; cvt.u32.u64 %r3, %b1; mad.lo.u32 %r0, %r3, 3, %r0;",
          "mov.b64 {%h0, _, _, %h3}, %b1; mov.b32 %r0, {%h3, %h0};",
          *(f"copysign.f{bits} %{file}0, %{file}1, %{file}2; {get}" for bits, file, get in ((32, "f", "mov.b32 %r0, %f0;"), (64, "d", "mov.b64 {_, %r0}, %d0;"))))
BLOCKS = 3  # Of 1,024 threads: as many as there are pairs of a list.
# Across lanes, and where lanes have bytes of their own. %p1 differs between lanes.
ACROSS = (*(f"shfl.sync.{mode}.b32 %r0|%p2, %r1, {b}, {c}, -1; @%p2 add.u32 %r0, %r0, 1;" for mode, b, c in
            (("up", 3, 0), ("down", 5, 31), ("bfly", 16, 31), ("idx", 7, 31), ("bfly", 3, 0x181f), ("down", 1, 0x1c1f))),
          *(f"shfl.sync.{mode}.b32 %r0|%p2, %r1, %r2, {c}, {mask}; @%p2 add.u32 %r0, %r0, 1;" for mode in ("up", "down", "bfly", "idx")
            for c, mask in (("31", "-1"), ("%r4", "%r5"), ("%r4", "%r6"))),
          *(f"vote.sync.ballot.b32 %r0, {p}, {mask};" for p, mask in (("%p1", "%r5"), ("%p1", "%r6"), ("%p1", "-1"), ("!%p1", "-1"))),
          *(f"vote.sync.{mode}.pred %p2, {p}, -1; selp.u32 %r0, 1, 2, %p2;" for mode in ("all", "any", "uni") for p in ("%p1", "!%p1", "%p3")),
          *(f"{put} [%l+{at}], {value}; {get} {result}, [%l+{at}];" for put, get, value, result, at in
            (("st.local.u32", "ld.local.u32", "%r1", "%r0", 8), ("st.local.u8", "ld.local.s8", "%r1", "%r0", 13), ("st.local.u16", "ld.local.u16", "%r2", "%r0", 18))),
          # A load at a generic address of local memory is left to the core, so it sees where native code has stored.
          *(f"st.local.{kind} [%l+{at}], {value}; ld.u32 %r0, [%g+{other}];" for kind, at, value, other in
            (("u32", 8, "%r1", 8), ("u64", 16, "%b2", 20), ("u8", 13, "%r1", 12))),
          "st.local.v2.u32 [%l+8], {%r1, %r2}; ld.local.v2.u32 {%r3, %r0}, [%l+8];", "st.local.u64 [%l+16], %b2; ld.local.u32 %r0, [%l+20];",
          "st.local.v2.u64 [%l], {%b2, %b2}; ld.local.u64 %b1, [%l+8]; cvt.u32.u64 %r0, %b1;", "@%p1 st.local.u32 [%l], %r1; ld.local.u32 %r0, [%l];",
          # Lanes' vectors one behind the other, and the same bytes by single words; %s is 16 bytes from lane to lane.
          "st.shared.v4.u32 [%s], {%r1, %r2, %r5, %r6}; ld.shared.u32 %r0, [%s+8];", "st.shared.v4.u32 [%s], {%r1, %r2, %r5, %r6}; ld.shared.u32 %r0, [%s+12];",
          "st.shared.v2.u64 [%s], {%b2, %w}; ld.shared.u32 %r0, [%s+4];", "st.shared.v2.u32 [%t], {%r1, %r2}; ld.shared.u32 %r0, [%t+4];",
          "st.shared.u32 [%s], %r2; st.shared.u32 [%s+12], %r1; ld.shared.v4.u32 {%r0, %r3, %r3, %r3}, [%s];",
          "st.shared.u32 [%s], %r2; st.shared.u32 [%s+12], %r1; ld.shared.v4.u32 {%r3, %r3, %r3, %r0}, [%s];",
          "st.shared.u32 [%t], %r2; st.shared.u32 [%t+4], %r1; ld.shared.v2.s16 {%h0, %h1}, [%t]; cvt.u32.u16 %r0, %h1; cvt.u16.u32 %h1, %r1;",
          "ld.global.v2.u32 {%r3, %r0}, [%w];", "ld.global.v4.u32 {%r3, %r3, %r3, %r0}, [%y];", "ld.global.v2.u32 {%r0, %r3}, [%y+8];",
          *(f"ld.const.{kind} %r0, [{place}];" for kind in ("u32", "s16", "u8") for place in ("%c", "%k+4")), "ld.const.v2.u32 {%r3, %r0}, [%k];",
          "mov.u32 %r0, 0; @%p1 ld.const.u32 %r0, [%c];",
          # Lanes that lie apart: %z is in the words, %q of the warp's own bytes, of which several lanes have the same.
          *(f"ld.global.{kind} %r0, [%z+{at}];" for kind, at in (("u32", 4), ("s16", 2), ("u16", 6), ("u8", 7), ("s8", 3))),
          "ld.global.s8 %h3, [%z+3]; cvt.u32.u16 %r0, %h3;", "ld.global.s8 %h3, [%z+3]; mov.b32 %r0, {%h3, %h1};", "ld.global.v2.u32 {%r3, %r0}, [%z];", "ld.global.v4.u16 {%h3, %h3, %h3, %h0}, [%z]; cvt.u32.u16 %r0, %h0;",
          "ld.global.u64 %b1, [%z]; cvt.u32.u64 %r0, %b1; shr.u64 %b1, %b1, 32; cvt.u32.u64 %r3, %b1; mad.lo.u32 %r0, %r3, 3, %r0;",
          *(f"mov.u32 %r0, 77; selp.u64 %b1, %z, 1, %p1; @%p1 ld.global.{kind} %r0, [%b1];" for kind in ("u32", "s8")),
          "mov.u64 %b1, 77; selp.u64 %y, %z, 1, %p1; @%p1 ld.global.u64 %b1, [%y]; cvt.u32.u64 %r0, %b1;",
          "and.b32 %r3, %r9, 31; setp.lt.u32 %p2, %r3, 11; mov.u64 %b1, 77; selp.u64 %y, %z, 1, %p2; @%p2 ld.global.u64 %b1, [%y]; cvt.u32.u64 %r0, %b1;",
          "selp.u64 %b1, %z, %v, %p1; ld.global.u32 %r0, [%b1];",  # In two allocations
          *(f"st.shared.{kind} [%q+{at}], {value}; ld.shared.u32 %r0, [%q+{at // 4 * 4}];" for kind, at, value in
            (("u8", 5, "%r1"), ("u16", 2, "%r1"), ("u32", 4, "%r2"), ("u64", 0, "%b2"), ("v2.u32", 0, "{%r2, %r1}"))),
          "@%p1 st.shared.u32 [%q], %r1; ld.shared.u32 %r0, [%q];", "@%p1 st.shared.u64 [%q], %b2; ld.shared.s16 %r0, [%q+4];")
# %r9 is the number of the thread, %o where its results go.
DECLARED = (".version 7.0", ".target sm_80", ".address_size 64", ".const .align 8 .b32 table[8] = {1, 2147483648, 3, 4294967295, 5, 65537, 7, 8};",
            ".visible .entry hard(.param .u64 words, .param .u64 doubles, .param .u64 out)", "{",
            ".reg .f32 %f<4>; .reg .f64 %d<4>; .reg .b16 %h<4>; .reg .b32 %r<10>, %s, %t, %q; .reg .b64 %b<3>, %w, %v, %o, %l, %c, %k, %y, %z, %g; .reg .pred %p<4>;",
            ".shared .align 16 .b8 rows[16384]; .local .align 16 .b8 array[64];", "ld.param.u64 %w, [words]; ld.param.u64 %v, [doubles]; ld.param.u64 %o, [out];",
            "mov.u32 %r9, %ctaid.x; shl.b32 %r9, %r9, 10; mov.u32 %r8, %tid.x; add.u32 %r9, %r9, %r8;")
PLACES = ("cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2; mov.b64 %b1, %d1; cvt.u64.u32 %b2, %r1; mul.lo.u64 %b2, %b2, 4294967299; mul.lo.u32 %r4, %r2, 257;",
          "and.b32 %r3, %r9, 3; setp.eq.u32 %p1, %r3, 1; setp.ge.u32 %p3, %r9, 0;",  # Some lanes, all lanes
          "or.b32 %r5, %r9, -1; and.b32 %r6, %r9, 16; shl.b32 %r6, 65535, %r6;",  # Membermasks: all, the half of the lane
          "mov.u64 %l, array; cvta.local.u64 %g, %l; mov.u64 %k, table; shl.b32 %r3, %r3, 3; cvt.u64.u32 %c, %r3; add.u64 %c, %c, %k;",
          "mov.u32 %r3, %tid.x; mov.u32 %t, rows; mad.lo.u32 %s, %r3, 16, %t; mad.lo.u32 %t, %r3, 8, %t;",  # 16 and 8 bytes from lane to lane
          "rem.u32 %r3, %r3, 8; mul.wide.u32 %y, %r3, 16; add.u64 %y, %y, %w;",
          "mul.lo.u32 %r3, %r9, 7; rem.u32 %r3, %r3, 26; mul.wide.u32 %z, %r3, 8; add.u64 %z, %z, %w;",
          "mov.u32 %r3, %tid.x; mov.u32 %q, rows; and.b32 %r7, %r3, 992; mad.lo.u32 %q, %r7, 16, %q; rem.u32 %r3, %r3, 5; mad.lo.u32 %q, %r3, 8, %q;")
# The second warp waits for the first one, which takes several turns: its lanes for as many numbers, so that they part in the loop.
POLLS = """.version 7.0
.target sm_70
.address_size 64
.visible .entry polls(.param .u64 out)
{
.reg .b32 %r<7>; .reg .b64 %o, %w; .reg .pred %p<3>; .shared .align 4 .b32 flag;
mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32; mov.u32 %r2, 0; mov.u32 %r4, 0; and.b32 %r5, %r1, 31; mul.lo.u32 %r5, %r5, 6000; add.u32 %r5, %r5, 1;
setp.eq.u32 %p2, %r1, 0; @%p2 st.volatile.shared.u32 [flag], %r2;
bar.sync 0;
@%p1 bra WAIT;
WORK: add.u32 %r2, %r2, 1; st.volatile.shared.u32 [flag], %r2; setp.lt.u32 %p2, %r2, 200000; @%p2 bra WORK;
bra DONE;
WAIT: add.u32 %r4, %r4, 1; ld.volatile.shared.u32 %r3, [flag]; setp.lt.u32 %p2, %r3, %r5; @%p2 bra WAIT;
DONE: ld.param.u64 %o, [out]; mul.wide.u32 %w, %r1, 4; add.u64 %o, %o, %w; st.global.u32 [%o], %r4;
ret;
}
"""
# Lanes part: a condition of two, two sides with memory, sides in sides of which one stops the code in between, loops of other lengths, a side that
# ends. The clock shows in which order warps have had their turns, one of which ends within the loop.
PARTS = """.version 7.0
.target sm_70
.address_size 64
.visible .entry parts(.param .u64 out)
{
.reg .b32 %r<12>, %s; .reg .b64 %o, %g, %w; .reg .pred %p<6>; .shared .align 4 .b8 rows[512]; .local .align 4 .b8 own[8];
mov.u32 %r1, %tid.x; mov.u32 %s, rows; mad.lo.u32 %s, %r1, 4, %s; mov.u64 %g, own; cvta.local.u64 %g, %g; st.u32 [%g], %r1; st.u32 [%g+4], 5;
mov.u32 %r9, %ctaid.x; mad.lo.u32 %r1, %r9, 128, %r1; mul.lo.u32 %r2, %r1, 2654435761; mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r10, 0;
and.b32 %r8, %r1, 7; mad.lo.u32 %r8, %r8, 100, 3500; st.shared.u32 [%s], %r1;
LOOP: mad.lo.u32 %r2, %r2, 1664525, 1013904223; shr.u32 %r5, %r2, 24;
setp.lt.u32 %p1, %r5, 100; @%p1 bra MORE;
setp.gt.u32 %p2, %r5, 200; @%p2 bra LESS;
MORE: add.u32 %r3, %r3, 1;
LESS: and.b32 %r6, %r2, 0x100000; setp.eq.u32 %p3, %r6, 0; @%p3 bra EVEN;
st.shared.u32 [%s], %r3; add.u32 %r3, %r3, %r5; @%p1 xor.b32 %r3, %r3, %r5; not.pred %p4, %p1; bra MEET;
EVEN: ld.shared.u32 %r7, [%s]; add.u32 %r3, %r3, %r7; setp.ne.u32 %p4, %r5, 77; @%p4 bra MEET;
ld.u32 %r7, [%g]; add.u32 %r3, %r3, %r7;
MEET: selp.u32 %r7, 3, 1, %p4; add.u32 %r3, %r3, %r7;
setp.gt.u32 %p1, %r5, 128; @%p1 bra HIGH;
setp.gt.u32 %p2, %r5, 64; @!%p2 bra LOW;
ld.u32 %r7, [%g+4]; add.u32 %r3, %r3, %r7; setp.eq.u32 %p5, %r5, 99; @%p5 bra LOW; xor.b32 %r3, %r3, 3; @%p3 ld.u32 %r7, [%g]; add.u32 %r3, %r3, %r7;
LOW: sub.u32 %r3, %r3, %r4; bra JOIN;
HIGH: setp.gt.u32 %p2, %r5, 192; @%p2 bra JOIN; setp.gt.u32 %p2, %r5, 160; @%p2 bra JOIN; setp.gt.u32 %p2, %r5, 144; @%p2 bra JOIN; add.u32 %r10, %r10, %r3;
JOIN: setp.lt.u32 %p2, %r4, 3490; @%p2 bra NEXT; setp.ne.u32 %p1, %r5, 255; @%p1 bra NEXT; bra DONE;
NEXT: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r8; @%p1 bra LOOP;
DONE: mov.u32 %r7, %clock; add.u32 %r3, %r3, %r10; ld.param.u64 %o, [out]; mul.wide.u32 %w, %r1, 8; add.u64 %o, %o, %w; st.global.v2.u32 [%o], {%r3, %r7};
ret;
}
"""
# Lanes that lie apart in a loop, in which one of them at last steps beside what it may access.
STRAYS = """.version 7.0
.target sm_70
.address_size 64
.visible .entry strays(.param .u64 out)
{{
.reg .b32 %r<5>; .reg .b64 %o, %a, %b; .reg .pred %p<3>;
mov.u32 %r1, %tid.x; ld.param.u64 %o, [out]; mul.lo.u32 %r2, %r1, 7; and.b32 %r2, %r2, 31; mul.wide.u32 %a, %r2, 8; add.u64 %a, %a, %o; mov.u32 %r3, 0;
LOOP: setp.eq.u32 %p1, %r3, 3; setp.eq.and.u32 %p1, %r1, 5, %p1; add.u64 %b, %o, {stray}; selp.u64 %b, %b, %a, %p1;
{access} add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 5; @%p2 bra LOOP;
st.global.u32 [%a], %r4;
ret;
}}
"""
STRAY_BYTES = 256
STRAYING = [(stray, access) for stray in (STRAY_BYTES, 2) for access in ("ld.global.u32 %r4, [%b];", "st.global.u32 [%b], %r3;")]
# Blocks of their own bytes, enough of them for two threads, which share code.
APART = """.version 7.0
.target sm_70
.address_size 64
.visible .entry apart(.param .u64 out)
{
.reg .b32 %r<6>; .reg .b64 %o, %a; .reg .pred %p<2>;
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; ld.param.u64 %o, [out]; mul.wide.u32 %a, %r2, 256; add.u64 %o, %o, %a; mov.u32 %r3, 0; mov.u32 %r5, %r2;
LOOP: mad.lo.u32 %r4, %r1, 7, %r3; and.b32 %r4, %r4, 63; mul.wide.u32 %a, %r4, 4; add.u64 %a, %a, %o;
ld.global.u32 %r4, [%a]; mad.lo.u32 %r5, %r5, 5, %r4; add.u32 %r5, %r5, %r1; st.global.u32 [%a], %r5;
add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 200; @%p1 bra LOOP;
ret;
}
"""
SOURCES = {"add": 2, "sub": 2, "mul": 2, "div": 2, "min": 2, "max": 2, "fma": 3, "rem": 2, "shl": 2, "shr": 2, "and": 2}


def operations():
    """[(instruction with registers, register of the result)]; operands are %f1 to %f3, %d1 to %d3, %r1, %r2, %h1."""
    for form, (file, kind) in [*((op, ("f", "f32")) for op in OPS32), *((op, ("d", "f64")) for op in BOTH), *((op, ("r", "")) for op in INTS)]:
        op = form.format(t=kind)
        yield f"{op} %{file}0, {', '.join(f'%{file}{i + 1}' for i in range(SOURCES.get(op.split('.')[0], 1)))};", file
    for op, source, result in CONVERTS:
        yield f"{op} %{result}0, %{source}1;", result
    for line in (*HALVES, *ACROSS):
        yield line, "r"


def hard_kernel():
    """Each pair of a list's numbers meets in some thread, with a third one. It stores the bits of each result."""
    text, stores = [], 0
    for line, file in operations():
        text.append(line)
        text += {"f": ["mov.b32 %r0, %f0;"], "d": ["mov.b64 %b0, %d0;"], "r": [], "h": ["cvt.u32.u16 %r0, %h0;"]}[file]
        text.append(f"st.global.{'u64 [%o+' + str(8 * stores) + '], %b0' if file == 'd' else 'u32 [%o+' + str(8 * stores) + '], %r0'};")
        stores += 1
    loads = [f"{step.format(n=len(words))} rem.u32 %r7, %r8, {len(words)}; mul.wide.u32 %b1, %r7, {size}; add.u64 %b1, %b1, %{base}; ld.global.{kind} %{name}{i + 1}, [%b1];"
             for name, base, words, size, kind in (("f", "w", hard(HARD32, 31), 4, "f32"), ("d", "v", hard(HARD64, 63), 8, "f64"), ("r", "w", hard(HARD32, 31), 4, "u32"))
             for i, step in enumerate(("mov.u32 %r8, %r9;", "div.u32 %r8, %r9, {n};", "mul.lo.u32 %r8, %r9, 13;")) if (name, i) != ("r", 2)]
    lines = [*DECLARED, f"mul.wide.u32 %b1, %r9, {8 * stores}; add.u64 %o, %o, %b1;", *loads, *PLACES, *text, "ret;", "}", ""]
    return "\n".join(lines), stores


def hard(words, sign):
    return list(itertools.chain(words, (word | 1 << sign for word in words)))


def hard_bits(cowarp, how):
    """What the kernel stores, and its number of operations."""
    text, stores = hard_kernel()
    with tempfile.TemporaryDirectory(prefix="native-") as name:
        folder = pathlib.Path(name)
        (folder / "hard.ptx").write_text(text)
        (folder / "words").write_bytes(struct.pack(f"<{2 * len(HARD32)}I", *hard(HARD32, 31)))
        (folder / "doubles").write_bytes(struct.pack(f"<{2 * len(HARD64)}Q", *hard(HARD64, 63)))
        done = subprocess.run([cowarp, "exec", "hard.ptx", "--kernel", "hard", "--grid", str(BLOCKS), "--block", "1024", "--arg", "in:words", "--arg", "in:doubles",
                                               "--arg", f"out:out:{BLOCKS * 1024 * 8 * stores}", f"--functional={how}"], cwd=folder, capture_output=True, text=True, check=False)
        return ((folder / "out").read_bytes() if done.returncode == 0 else done.stderr), stores


def compare_bits(cowarp):
    """Differences, one for each operation, with its first thread."""
    (steps, stores), (native, _) = hard_bits(cowarp, "steps"), hard_bits(cowarp, "native")
    if isinstance(steps, str) or isinstance(native, str):
        return [f"{steps if isinstance(steps, str) else native}"]
    lines, found = [line for line, _ in operations()], {}
    for at in range(BLOCKS * 1024 * stores):
        if steps[8 * at:8 * at + 8] != native[8 * at:8 * at + 8]:
            found.setdefault(at % stores, at // stores)
    return [f"{lines[op]} in thread {thread}" for op, thread in found.items()]


def executed_alike(cowarp, kernel, text, grid, block, size, *options):
    """What a kernel leaves, says and counts; options: of both."""
    with tempfile.TemporaryDirectory(prefix="native-") as name:
        path = pathlib.Path(name) / "kernel.ptx"
        path.write_text(text)
        words = ["exec", path, "--kernel", kernel, "--grid", str(grid), "--block", str(block), "--arg", f"out:out:{size}", *options]
        steps, native = (outcome(cowarp, words, how) for how in ("steps", "native"))
        return steps["exit status"] == 0 and steps == native


def strays_alike(cowarp, stray, access):
    """A lane that lies beside an allocation, or is not aligned, ends both ways in the same fault."""
    with tempfile.TemporaryDirectory(prefix="native-") as name:
        path = pathlib.Path(name) / "kernel.ptx"
        path.write_text(STRAYS.format(stray=stray, access=access))
        words = ["exec", path, "--kernel", "strays", "--grid", "1", "--block", "32", "--arg", f"out:out:{STRAY_BYTES}"]
        steps, native = (outcome(cowarp, words, how) for how in ("steps", "native"))
        return steps["exit status"] == 1 and steps == native


def coefficients(path):
    """Numbers of a source in the hexadecimal form: powers lie so close to what is right that no float shows a last digit."""
    return re.findall(r"0x1(?:\.[0-9a-f]+)?p[+-]?\d+", (pathlib.Path(__file__).resolve().parents[2] / path).read_text())


def refuses_what_is_not_there(cowarp):
    """A copy of the build without the plug-in: who asks for native code by name is told, others run."""
    with tempfile.TemporaryDirectory(prefix="native-") as name:
        folder = pathlib.Path(name)
        for path in cowarp.parent.iterdir():
            if path.name not in ("lib", cowarp.name):
                (folder / path.name).symlink_to(path)
        (folder / "lib/cowarp").mkdir(parents=True)
        for path in (cowarp.parent / "lib/cowarp").iterdir():
            if path.name != "libcowarp_native.so":
                (folder / "lib/cowarp" / path.name).symlink_to(path)
        shutil.copy2(cowarp, folder / cowarp.name)
        words = [folder / cowarp.name, "run", "vecadd", "--param", "n=256"]
        asked, plain = (functional_test.execute([*words, how], folder) for how in ("--functional=native", "--functional"))
        return asked.returncode == 2 and "libcowarp_native.so cannot be loaded" in asked.stderr and (plain.returncode, plain.stderr) == (0, "")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("cowarp", type=lambda path: pathlib.Path(path).resolve())
    p.add_argument("--all", action="store_true")
    p.add_argument("--only", default="", help="runs whose line in unmoved.txt has this text")
    o = p.parse_args()
    if not (o.cowarp.parent / "lib/cowarp/libcowarp_native.so").is_file():
        print("no native code in this build")
        return 77
    runs = [run for run in functional_test.runs() if o.only in run]
    if not o.all and not o.only:
        runs = runs[5::24]
    wrong = counted = 0
    for run in runs:
        words = unmoved.command(o.cowarp, run)[1:]
        steps, native = (outcome(o.cowarp, words, how) for how in ("steps", "native"))
        counted += steps["counters"].get(COUNTED[1], 0)
        for what in steps:
            if steps[what] != native[what]:
                wrong += 1
                print(f"{run}: {what} differs: {str(steps[what])[:300]} by steps, {str(native[what])[:300]} in native code")
    bits = compare_bits(o.cowarp)
    refused = refuses_what_is_not_there(o.cowarp)
    polled = executed_alike(o.cowarp, "polls", POLLS, 1, 64, 256)
    parted = executed_alike(o.cowarp, "parts", PARTS, 2, 128, 2048)
    apart = executed_alike(o.cowarp, "apart", APART, 64, 64, 64 * 256, "--threads", "2")
    strayed = [stray for stray in STRAYING if not strays_alike(o.cowarp, *stray)]
    here, there = coefficients("csim/exec/powers.h"), coefficients("harness/native/powers.c")
    same = here == there and len(here) > 20
    wrong += len(bits) + (not refused) + (not polled) + (not parted) + (not apart) + len(strayed) + (not same)
    for line in bits:
        print(f"native code has other bits: {line}")
    if not polled:
        print("native code polls memory in another way than steps")
    if not parted:
        print("lanes that part do something else in native code than in steps")
    if not apart:
        print("native code of two threads does something else than steps")
    for stray, access in strayed:
        print(f"native code does not end as steps where a lane of {access} lies at {stray} behind the allocation's begin")
    if not same:
        print("harness/native/powers.c has other coefficients than csim/exec/powers.h")
    if not refused:
        print("--functional=native without the plug-in is not refused, or --functional is")
    print(f"{len(runs)} runs of {counted} thread instructions, {wrong} differences")
    return 1 if wrong or counted == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
