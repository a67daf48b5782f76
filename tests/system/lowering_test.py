#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""core.lowering=ptxas changes when instructions issue, and nothing else.

    tests/system/lowering_test.py COWARP [--every N] [--jobs N]

Runs of the table of unmoved.py are made in the order of the text and in that of an assembler. Each workload judges its own result and each
oracle its run. Beyond that, what is compared byte by byte is what a kernel has written, and the instructions that its threads have executed;
of programs whose threads race for a turn (locks, transactions, queues) the number of instructions follows from time, and is left out.

Then kernels made here: pairs of a load and a store that uses it, of which one warp takes the time of one load and not of sixteen; loads of four
words that issue as one; and kernels that go wrong, whose messages have to name the line of the text in either order.
"""
import argparse
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import unmoved
from unmoved import runner, statsfile

# Threads of these wait for each other, or for values that others write without a lock; or they write down the time.
RACES = {"bfs", "bfs2", "lock", "spin", "sto", "mgst", "wsreduce", "banks", "issue"}
PAIRS = 16
BEGINS = 5000 + 274  # cycles of a launch, and of its block until it begins
HEAD = ".version 7.0\n.target sm_70\n.address_size 64\n"


def runs():
    """Those of the table that no cycle and no deliberate fault ends."""
    return [run for run in unmoved.table() if "sabotage=" not in run and "max-cycles=" not in run and "core.divergence=dwf fails" not in run]


def is_exact(run):
    subject, *words = run.split()
    return subject in unmoved.PLAIN + unmoved.THESIS and subject not in RACES and "fails" not in words


def compare(cowarp, run, folder):
    """What is wrong; None: nothing."""
    folder.mkdir()
    text, lowered = (unmoved.simulate(cowarp, f"{run} core.lowering={way}", folder / way) for way in ("none", "ptxas"))
    for way, found in (("none", text), ("ptxas", lowered)):
        if isinstance(found, str):
            return f"core.lowering={way}: {found}"
    names = ["status"] + (["files", "thread_instructions"] if is_exact(run) else [])
    return "; ".join(f"{n}: {text[n]} in the order of the text, {lowered[n]} in the other" for n in names if text.get(n) != lowered.get(n)) or None


def execute(cowarp, folder, ptx, kernel, *words):
    """Exit status, standard output and error of `cowarp exec`."""
    path = folder / f"{kernel}.ptx"
    path.write_text(HEAD + ptx)
    done = subprocess.run([cowarp, "exec", str(path), "--kernel", kernel, "--preset", "qv100", *words], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def pairs():
    load_store = "".join(f"ld.global.u32 %r9, [%d1+{4096 * i}];\nst.shared.u32 [%r2+{128 * i}], %r9;\n" for i in range(PAIRS))
    return f""".visible .entry pairs(.param .u64 from, .param .u64 to) {{
.reg .u64 %d<9>; .reg .u32 %r<20>; .shared .align 4 .b8 tile[{128 * PAIRS}];
ld.param.u64 %d1, [from]; ld.param.u64 %d2, [to]; mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4; add.s64 %d1, %d1, %d3; add.s64 %d2, %d2, %d3;
mov.u32 %r3, tile; shl.b32 %r2, %r1, 2; add.s32 %r2, %r3, %r2;
{re.sub("%r9", lambda m, n=iter(range(2 * PAIRS)): f"%q{next(n) // 2}", load_store)}
bar.sync 0; xor.b32 %r4, %r1, 31; shl.b32 %r4, %r4, 2; add.s32 %r4, %r3, %r4; ld.shared.u32 %r5, [%r4+{128 * (PAIRS - 1)}];
st.global.u32 [%d2], %r5; ret; }}
""".replace(".reg .u32 %r<20>;", f".reg .u32 %r<20>; .reg .u32 %q<{PAIRS}>;")


def check_pairs(cowarp, folder):
    """16 loads at once: launch and begin of the block, one access to the DRAM and 50 cycles for the rest; in turn they take more than 16 accesses to the L2."""
    words = list(range(1000, 1000 + 1024 * PAIRS))
    (folder / "in").write_bytes(struct.pack(f"<{len(words)}I", *words))
    cycles, failures = {}, []
    for way in ("none", "ptxas"):
        status, out, err = execute(cowarp, folder, pairs(), "pairs", "--grid", "1", "--block", "32", "--arg", "in:in", "--arg", f"out:{way}:128",
                                   "--set", f"core.lowering={way}")
        found = re.search(r"simulated\s+(\d+) cycles", out)
        if status != 0 or not found:
            return [f"pairs: exit status {status}: {err.strip()}"]
        cycles[way] = int(found[1])
        got = list(struct.unpack("<32I", (folder / way).read_bytes()))
        if got != [words[1024 * (PAIRS - 1) + (lane ^ 31)] for lane in range(32)]:
            failures.append(f"pairs, core.lowering={way}: wrong result {got}")
    if cycles["none"] < BEGINS + PAIRS * 211:
        failures.append(f"pairs: {cycles['none']} cycles in the order of the text; {PAIRS} loads in turn take more")
    if cycles["ptxas"] > BEGINS + 600:
        failures.append(f"pairs: {cycles['ptxas']} cycles with the loads first; they are to wait together")
    print(f"{PAIRS} pairs: {cycles['none']} cycles in the order of the text, {cycles['ptxas']} in that of an assembler")
    return failures


# The load goes before the addition and the store that stand in front of it. Lines count from the head on.
WRONG = """.visible .entry wrong(.param .u64 p) {
.reg .u64 %d<9>; .reg .u32 %r<9>; .shared .align 4 .b8 room[64];
ld.param.u64 %d1, [p];
mov.u32 %r1, 7;
add.u32 %r2, %r1, %r1;
st.shared.u32 [room], %r2;
ld.global.u32 %r3, [%d1+4096];
st.global.u32 [%d1], %r3;
ret; }
"""
WRONG_LINE = 3 + 7


def check_lines(cowarp, folder):
    failures = []
    for way in ("none", "ptxas"):
        lowering = ("--set", f"core.lowering={way}")
        status, _, err = execute(cowarp, folder, WRONG, "wrong", "--grid", "1", "--block", "1", "--arg", "u64:8", *lowering)
        if status != 1 or f"wrong.ptx:{WRONG_LINE}" not in err:
            failures.append(f"fault, core.lowering={way}: status {status}, line {WRONG_LINE} wanted: {err.strip()}")
        status, out, err = execute(cowarp, folder, WRONG, "wrong", "--grid", "1", "--block", "1", "--arg", "zero:64", "--check", "memory", *lowering)
        if status != 1 or f"wrong.ptx:{WRONG_LINE}" not in out + err:
            failures.append(f"--check memory, core.lowering={way}: status {status}, line {WRONG_LINE} wanted: {err.strip()} {out.strip()}")
    return failures


# Four words of each thread, in another order than memory has them. WORDS is the room of the variable, STORE what precedes the loads.
WIDE = """.visible .entry wide(.param .u64 to) {
.reg .u64 %d<9>; .reg .u32 %r<20>; .reg .pred %p<2>; .shared .align 16 .b8 room[WORDS];
ld.param.u64 %d1, [to]; mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4; add.s64 %d1, %d1, %d3; mov.u32 %r3, room;
shl.b32 %r2, %r1, 2; add.s32 %r2, %r3, %r2; mul.lo.u32 %r4, %r1, %r1; setp.eq.u32 %p1, %r1, 0;
STORE
and.b32 %r10, %r1, 31; shl.b32 %r11, %r10, 4; add.s32 %r5, %r3, %r11;
ld.shared.u32 %r7, [%r5+4];
ld.shared.u32 %r8, [%r5];
ld.shared.u32 %r9, [%r5+8];
ld.shared.u32 %r6, [%r5+12];
mul.lo.u32 %r7, %r7, 3; mul.lo.u32 %r8, %r8, 5; mul.lo.u32 %r9, %r9, 7;
add.u32 %r6, %r6, %r7; add.u32 %r6, %r6, %r8; add.u32 %r6, %r6, %r9; st.global.u32 [%d1], %r6; ret; }
"""
WIDE_LAST = 3 + 10  # line of the last of the four
SMALL = ("--set", "core.count=1", "--set", "partition.count=1", "--set", "dram.sharing=1", "--set", "gpu.launch_cycles=0")


def check_wide(cowarp, folder):
    """The same values as one by one, in one access of the banks' four quarters; also when the machine is saved and made anew in the middle."""
    square = [t * t for t in range(128)]
    want = [square[4 * t + 3] + 3 * square[4 * t + 1] + 5 * square[4 * t] + 7 * square[4 * t + 2] for t in (t % 32 for t in range(128))]
    ptx = WIDE.replace("WORDS", "2048").replace("STORE", "st.shared.u32 [%r2], %r4; bar.sync 0;")
    cycles, failures = {}, []
    for way, options in (("none", ()), ("ptxas", ()), ("renewed", ("--renew", "3")), ("checked", ("--check", "memory,race,init"))):
        lowering = f"core.lowering={'none' if way == 'none' else 'ptxas'}"
        status, out, err = execute(cowarp, folder, ptx, "wide", "--grid", "1", "--block", "128", "--arg", f"out:{way}:512", "--set", lowering, *SMALL, *options)
        found = re.search(r"simulated\s+(\d+) cycles", out)
        if status != 0 or not found:
            return [f"wide, {way}: exit status {status}: {err.strip()}"]
        cycles[way] = int(found[1])
        if list(struct.unpack("<128I", (folder / way).read_bytes())) != want:
            failures.append(f"wide, {way}: wrong result")
    if len({cycles["ptxas"], cycles["renewed"], cycles["checked"]}) != 1:
        failures.append(f"wide: not the same cycles: {cycles}")
    if cycles["none"] < cycles["ptxas"] + 3 * 4 * 4 - 10:  # 4 warps: four loads of a lane 16 bytes apart meet in four passes each
        failures.append(f"wide: four loads as one take four passes of a warp, and in turn sixteen: {cycles}")
    return failures


def check_wide_lines(cowarp, folder):
    """The last of four loads that issue as one is beyond the block's memory, or reads what another thread writes: its own line is named."""
    beyond = WIDE.replace("WORDS", "12").replace("STORE", "")
    races = WIDE.replace("WORDS", "512").replace("STORE", "@%p1 st.shared.u32 [room+28], %r1;")
    failures = []
    for way in ("none", "ptxas"):
        for name, threads, ptx, options in (("beyond", 1, beyond, ()), ("check memory", 1, beyond, ("--check", "memory")),
                                            ("check race", 32, races, ("--check", "race"))):
            status, _, err = execute(cowarp, folder, ptx, "wide", "--grid", "1", "--block", str(threads), "--arg", "zero:128", "--set",
                                     f"core.lowering={way}", *SMALL, *options)
            lines = set(map(int, re.findall(r"wide\.ptx:(\d+): block", err)))
            if status != 1 or lines != {WIDE_LAST}:
                failures.append(f"wide, {name}, core.lowering={way}: status {status}, line {WIDE_LAST} wanted: {err.strip()}")
    return failures


# Sides of a branch with and without a jump at the end, and wide loads; under dwf the policy hears of a warp at each instruction of the text.
PROFILED = ("laplace --param n=18 --preset qv100", "namd --param cells=2 --param atoms=30 --preset qv100",
            "namd --param cells=2 --param atoms=30 --preset thesis-tbc --set core.divergence=dwf-wb")


def threads_by_line(cowarp, folder, run, way):
    """{line of the PTX: (warps, threads)} of a profile; dynamic warps form by time, so there threads alone."""
    done = subprocess.run([cowarp, "run", *run.split(), "--set", f"core.lowering={way}", "--profile", "profile"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    listing = (folder / "profile").read_text().partition("\nlisting\n")[2]
    rows = re.findall(r"^ +(\d+) +(\d+) .*\| +(\d+) ", listing, re.M)
    return {int(line): (0 if "dwf" in run else int(warps), int(threads)) for warps, threads, line in rows}


def check_profile(cowarp, folder):
    """A line has executed as often in either order, whichever instruction it issued with."""
    failures = []
    for run in PROFILED:
        text, lowered = (threads_by_line(cowarp, folder, run, way) for way in ("none", "ptxas"))
        failures += [f"profile, {run}: line {line}: {text.get(line)} in the order of the text, {lowered.get(line)} in the other"
                     for line in sorted({*text, *lowered}) if text.get(line) != lowered.get(line)]
        failures += [] if len(text) > 50 else [f"profile, {run}: {len(text)} lines"]
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cowarp", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth run: some of everything")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    parser.add_argument("--only", default="", metavar="PATTERN", help="runs whose name has this regular expression")
    args = parser.parse_args()
    cowarp = args.cowarp.resolve()
    chosen = [run for run in runs() if re.search(args.only, run)][::args.every]
    with tempfile.TemporaryDirectory(prefix="lowering-") as name:
        folder = pathlib.Path(name)
        found = runner.results(lambda i: compare(cowarp, chosen[i], folder / str(i)), range(len(chosen)), args.jobs, about=lambda i: (chosen[i], None))
        failures = [f"{run}: {what}" for run, what in zip(chosen, found) if what]
        failures += check_pairs(cowarp, folder) + check_lines(cowarp, folder) + check_wide(cowarp, folder)
        failures += check_wide_lines(cowarp, folder) + check_profile(cowarp, folder)
    print("\n".join(failures))
    exact = sum(map(is_exact, chosen))
    print(f"{len(chosen)} runs in two orders, {exact} of them compared byte by byte, {len(failures)} failures")
    return int(bool(failures) or not chosen)


if __name__ == "__main__":
    sys.exit(statsfile.run_main("lowering_test.py", main))
