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
          0x4f7fffff, 0x4f800000, 0x7effffff, 0x7f000001, 0x7f7fffff, 0x7f800000, 0x7fc00001, 0x7f800001]
HARD64 = [0x0, 0x1, 0x000fffffffffffff, 0x0010000000000000, 0x3ca0000000000001, 0x3ff0000000000000, 0x3ff0000000000001, 0x36a0000000000000,
          0x47efffffe0000000, 0x47effffff0000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000001]
BOTH = ("add.rn.{t}", "sub.rn.{t}", "mul.rn.{t}", "div.rn.{t}", "min.{t}", "max.{t}", "fma.rn.{t}", "sqrt.rn.{t}", "rcp.rn.{t}", "abs.{t}", "neg.{t}")
OPS32 = (*BOTH, "add.rn.ftz.{t}", "mul.rn.ftz.{t}", "fma.rn.ftz.{t}", "fma.rn.sat.{t}", "add.rn.sat.{t}", "div.approx.{t}", "rsqrt.approx.{t}", "min.ftz.{t}")
CONVERTS = (("cvt.rzi.s32.f32", "f", "r"), ("cvt.rzi.u32.f32", "f", "r"), ("cvt.rn.f32.s32", "r", "f"), ("cvt.rn.f32.u32", "r", "f"),
            ("cvt.f64.f32", "f", "d"), ("cvt.rn.f32.f64", "d", "f"), ("cvt.rn.f64.s32", "r", "d"))
INTS = ("mul.hi.u32", "mul.hi.s32", "div.u32", "div.s32", "rem.u32", "rem.s32", "min.s32", "max.u32", "shl.b32", "shr.s32", "shr.u32", "and.b32")
BLOCKS = 2  # Of 1,024 threads: as many as there are pairs of a list.
SOURCES = {"add": 2, "sub": 2, "mul": 2, "div": 2, "min": 2, "max": 2, "fma": 3, "rem": 2, "shl": 2, "shr": 2, "and": 2}


def operations():
    """[(instruction with registers, register of the result)]; operands are %f1 to %f3, %d1 to %d3, %r1, %r2."""
    for form, (file, kind) in [*((op, ("f", "f32")) for op in OPS32), *((op, ("d", "f64")) for op in BOTH), *((op, ("r", "")) for op in INTS)]:
        op = form.format(t=kind)
        yield f"{op} %{file}0, {', '.join(f'%{file}{i + 1}' for i in range(SOURCES.get(op.split('.')[0], 1)))};", file
    for op, source, result in CONVERTS:
        yield f"{op} %{result}0, %{source}1;", result


def hard_kernel():
    """Each pair of a list's numbers meets in some thread, with a third one. It stores the bits of each result."""
    text, stores = [], 0
    for line, file in operations():
        text.append(line)
        text += {"f": ["mov.b32 %r0, %f0;"], "d": ["mov.b64 %b0, %d0;"], "r": []}[file]
        text.append(f"st.global.{'u64 [%o+' + str(8 * stores) + '], %b0' if file == 'd' else 'u32 [%o+' + str(8 * stores) + '], %r0'};")
        stores += 1
    loads = [f"{step.format(n=len(words))} rem.u32 %r7, %r8, {len(words)}; mul.wide.u32 %b1, %r7, {size}; add.u64 %b1, %b1, %{base}; ld.global.{kind} %{name}{i + 1}, [%b1];"
             for name, base, words, size, kind in (("f", "w", hard(HARD32, 31), 4, "f32"), ("d", "v", hard(HARD64, 63), 8, "f64"), ("r", "w", hard(HARD32, 31), 4, "u32"))
             for i, step in enumerate(("mov.u32 %r8, %r9;", "div.u32 %r8, %r9, {n};", "mul.lo.u32 %r8, %r9, 13;")) if (name, i) != ("r", 2)]
    return (".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry hard(.param .u64 words, .param .u64 doubles, .param .u64 out)\n{\n"
            ".reg .f32 %f<4>; .reg .f64 %d<4>; .reg .b32 %r<10>; .reg .b64 %b<2>, %w, %v, %o;\n"
            "ld.param.u64 %w, [words]; ld.param.u64 %v, [doubles]; ld.param.u64 %o, [out];\n"
            f"mov.u32 %r9, %ctaid.x; shl.b32 %r9, %r9, 10; mov.u32 %r8, %tid.x; add.u32 %r9, %r9, %r8; mul.wide.u32 %b1, %r9, {8 * stores}; add.u64 %o, %o, %b1;\n" + "\n".join([*loads, *text]) + "\nret;\n}\n"), stores


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
    wrong += len(bits) + (not refused)
    for line in bits:
        print(f"native code has other bits: {line}")
    if not refused:
        print("--functional=native without the plug-in is not refused, or --functional is")
    print(f"{len(runs)} runs of {counted} thread instructions, {wrong} differences")
    return 1 if wrong or counted == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
