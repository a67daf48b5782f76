#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ptxas makes of short sides of branches, and how long it waits for a guard.

    experiments/lowering/guards.py

For each kind of instruction: the longest side, in lines of PTX, to which ptxas gives guards in the place of a branch. Then for each architecture the
cycles from a comparison to what its predicate guards, as the machine code says them. ptxas has to be on the PATH or in /usr/local/cuda/bin.
"""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import machine

BRA, EXIT, ISETP = 0x947, 0x94D, 0x20C
HEAD = """.version 8.0
.target {architecture}
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n)
{{
.reg .pred %p<9>; .reg .b32 %r<99>; .reg .f32 %f<99>; .reg .b64 %rd<9>;
ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;
ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd3+4096]; ld.global.u32 %r9, [%rd3+8192]; setp.ge.s32 %p1, %r9, %r1;
"""
TAIL = "\nst.global.f32 [%rd3], %f1;\nst.global.u32 [%rd3+16], %r9;\nret;\n}\n"
LINES = {"addition": "add.f32 %f1, %f1, %f2;", "store": "st.global.f32 [%rd3+{at}], %f2;", "product": "mad.lo.s32 %r9, %r9, %r2, %r1;",
         "atomic": "red.global.add.f32 [%rd3+{at}], %f2;", "root": "sqrt.approx.ftz.f32 %f1, %f1;", "division": "div.rn.f32 %f1, %f1, %f2;"}


def assemble(architecture, body):
    """(low word, high word) of each instruction."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = pathlib.Path(folder) / "a.ptx", pathlib.Path(folder) / "a.cubin"
        path.write_text(HEAD.format(architecture=architecture) + body + TAIL)
        done = subprocess.run(["ptxas", f"-arch={architecture}", str(path), "-o", str(out)], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr.strip())
        return list(struct.iter_unpack("<QQ", machine.sections(out.read_bytes())[".text.k"]))


def branches(words):
    """Whether there is a branch in front of the end."""
    codes = [low & 0xFFF for low, _ in words]
    return BRA in codes[:codes.index(EXIT)]


def longest(line, two):
    """Lines of the longest side without a branch; two: of each of two sides."""
    for n in range(1, 30):
        side = "\n".join(line.format(at=16384 + 128 * i) for i in range(n))
        other = f"\nbra M;\nL:\n{side}\nM:" if two else "\nL:"
        if branches(assemble("sm_75", f"@%p1 bra L;\n{side}{other}")):
            return n - 1
    return None


def wait(architecture):
    """Cycles from the comparison to the instruction that its predicate guards: the low four bits of what controls the issue."""
    words = assemble(architecture, "setp.lt.s32 %p2, %r9, %r2;\n@%p2 add.f32 %f1, %f1, %f2;")
    at = max(i for i, (low, _) in enumerate(words) if low & 0xFFF == ISETP)
    return words[at][1] >> 41 & 15


def main():
    os.environ["PATH"] += os.pathsep + "/usr/local/cuda/bin"
    print("side of,one,each of two")
    for name, line in LINES.items():
        print(f"{name},{longest(line, False)},{longest(line, True)}")
    print("\narchitecture,cycles to a guard")
    for architecture in ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90"):
        print(f"{architecture},{wait(architecture)}")


if __name__ == "__main__":
    main()
