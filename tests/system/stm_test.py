#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Transactions in software (kernels/include/stm.h) against their results, on several machines and seeds; then with mistakes put into them.

    tests/system/stm_test.py COWARP CLANG FLAG...      the command that turns OpenCL C into PTX, without input and output

The kernels of stm.cl have results that no execution but a serial one can leave: their check does not ask the STM. Each line of MISTAKES is a piece of
stm.h that occurs once, what stands there instead, and the kernel of stm.cl that must notice: by its result, or by not ending.
"""
import array
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS, PRESETS, SEEDS = ("tl2", "pr"), ("getm", "si-tm-base", "gtx480"), (1, 2, 3)
BLOCKS, THREADS, LINE = 4, 64, 32
COUNT = BLOCKS * THREADS
SHARED_BYTES = 4 * (96 + 2 * 2**20)  # STM_WORDS of stm_layout.h
MAX_CYCLES = 6_000_000
SMALL = {"ll-1": "threads=24", "ll-2": "threads=40", "bt-1": "elements=100 removes=64", "bt-2": "elements=60 inserts=40 removes=40",
         "karger-1": "vertices=20 edges=60", "karger-2": "vertices=30 edges=70", "atm": "accounts=60 transfers=600 blocks=4",
         "ht-h": "blocks=3 buckets=40", "ht-m": "blocks=3 buckets=400", "ht-l": "blocks=3 buckets=4000"}
WAIT = "        for (uint wait = 0; wait < 24 && t->shared[STM_FAULT] == 0; wait++)\n            FENCE_DEVICE();\n"  # where a race is that the timing hides
MISTAKES = (
    ("tl2 equal", "t->doomed = is != was || (is & 1) || is >> 1 > t->begin;", "t->doomed = is != was || (is & 1);\n        t->begin = is >> 1;", "each read is taken for the beginning"),
    ("tl2 equal", "is >> 1 > t->begin;\n    } else {", "(is & 1);\n    } else {", "no comparison with the time of the beginning"),
    ("tl2 equal", "        value = *at;\n        FENCE_DEVICE();\n        is = *stm_tl2_orec(t, hash);", WAIT + "        value = *at;\n        is = was;", "the orec is not looked at again after the load"),
    ("tl2 skew", "good = version == t->begin + 1 || stm_tl2_validate(t);", "good = 1;", "no validation of what was read at the commit"),
    ("tl2 skew", "if ((orec & 1) || orec >> 1 > t->begin)\n            return 0;", "if (!(orec & 1) && orec >> 1 > t->begin)\n            return 0;",
     "a lock of another one does not matter to what was read"),
    ("tl2 ticket", "        if (good)\n            stm_write_back(t);\n        stm_tl2_release(t, good, version);",
     "        stm_tl2_release(t, good, version);\n" + WAIT + "        if (good)\n            stm_write_back(t);", "released before it is written back"),
    ("tl2 cross", "t->idle = how == HOW_STM_TL2 ? stm_idle(t) : 0;", "t->idle = 0;", "no back-off: neighbours take each other's orecs for ever"),
    ("pr equal", "good = stm_pr_validate(t);", "good = 1;", "no validation of what was read"),
    ("pr skew", "good = stm_pr_validate(t);", "good = 1;", "no validation of what was read"),
    ("pr farskew", "good = stm_pr_validate(t);", "good = 1;", "no validation of what was read"),
    ("pr ticket", "*orec = changed ? old + (1ul << 32) : old;", "*orec = old;", "versions stay as they are"),
    ("pr cross", "|| stm_pr_owner(old) > t->me)\n            return 0;", "|| stm_pr_owner(old) != 0)\n            return 0;", "nothing is ever stolen"),
    ("pr ticket", "        if (good == 1)\n            stm_write_back(t);\n        if (good != 2) {\n            stm_pr_release(t, good);",
     "        if (good != 2)\n            stm_pr_release(t, good);\n" + WAIT + "        if (good == 1)\n            stm_write_back(t);\n        if (good != 2) {", "released before it is written back"),
    ("pr skew", "            verdict = 2;", "            return 0;", "no waiting for lower priorities: neighbours abort each other for ever"),
)


def compiled(compiler, folder, name, source, header=None, macros=()):
    """The PTX of a kernel in this folder; header: an stm.h of its own."""
    (folder / f"{name}.cl").write_text(source)
    if header is not None:
        (folder / "stm.h").write_text(header)
    ptx = folder / f"{name}.ptx"
    subprocess.run([*compiler, *macros, "-S", folder / f"{name}.cl", "-o", ptx], check=True)
    return ptx


def wrong_words(kernel, data, out):
    """What no serial order leaves; None: nothing."""
    if kernel == "ticket":
        return None if sorted(out) == list(range(COUNT)) and data[0] == COUNT else f"{COUNT - len(set(out))} numbers are missing, the counter is {data[0]}"
    if kernel == "equal":
        last = {data[k * LINE] for k in range(2)}
        return None if not any(out) and last == {24 * BLOCKS} else f"{sum(out)} threads saw a state that never was, at the end the words are {last}"
    if kernel == "cross":
        return None if all(data[2 * p * LINE] == data[(2 * p + 1) * LINE] and data[2 * p * LINE] // 2 == p for p in range(COUNT // 2)) else "words of one transaction differ"
    cleared = [data[2 * p * LINE] + data[(2 * p + 1) * LINE] for p in range(COUNT // 2)]
    return None if cleared == [1] * (COUNT // 2) and sum(out) == COUNT // 2 else f"{cleared.count(2)} pairs cleared both words"


def carried_out(cowarp, ptx, kernel, kind, preset="getm", seed=1):
    """What is wrong with a run of one of the kernels of stm.cl; None: nothing."""
    data, out = ptx.with_suffix(".data"), ptx.with_suffix(".out")
    done = subprocess.run([cowarp, "exec", ptx, "--kernel", f"{kernel}_{kind}", "--grid", str(BLOCKS), "--block", str(THREADS), "--preset", preset, "--seed", str(seed),
                           "--max-cycles", str(MAX_CYCLES), "--arg", f"out:{data}:{4 * COUNT * LINE}", "--arg", f"out:{out}:{4 * COUNT}", "--arg", f"zero:{SHARED_BYTES}"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return f"status {done.returncode}: {done.stderr.strip()[:200]}"
    return wrong_words(kernel, *(array.array("I", path.read_bytes()) for path in (data, out)))


def workload(cowarp, name, kind, preset, seed, kernels=None):
    line = [cowarp, "run", name, "--system", f"stm-{kind}", "--preset", preset, "--seed", str(seed), "--max-cycles", str(4 * MAX_CYCLES)]
    for word in SMALL[name].split():
        line += ["--param", word]
    done = subprocess.run(line, env={**os.environ, **({} if kernels is None else {"COWARP_KERNEL_DIR": str(kernels)})}, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def overflow(cowarp, compiler, folder, kind):
    """A log that is too small is named in one line."""
    source = (ROOT / "kernels/list/kernel.cl").read_text().replace("#define STM_READS  1024", "#define STM_READS  8")
    (folder / "body.h").write_text((ROOT / "kernels/list/body.h").read_text())
    compiled(compiler, folder, "list", source)
    status, said = workload(cowarp, "ll-1", kind, "getm", 1, folder)
    return [] if status == 1 and "has read more words than its log holds: STM_READS" in said else [f"overflow, {kind}: status {status}\n{said}"]


def main(cowarp, *compiler):
    wrong, checks = [], 0
    source, header = (ROOT / "tests/system/stm.cl").read_text(), (ROOT / "kernels/include/stm.h").read_text()
    with tempfile.TemporaryDirectory(prefix="stm-") as name:
        folder = pathlib.Path(name)
        ptx = compiled(compiler, folder, "right", source)
        for kind in KINDS:
            for preset in PRESETS:
                for kernel in ("ticket", "skew", "farskew", "equal", "cross"):
                    said = carried_out(cowarp, ptx, kernel, kind, preset)
                    wrong += [] if said is None else [f"{kernel}, {kind}, {preset}: {said}"]
                    checks += 1
                for load in SMALL:
                    for seed in SEEDS:
                        status, said = workload(cowarp, load, kind, preset, seed)
                        wrong += [] if status == 0 else [f"{load}, {kind}, {preset}, seed {seed}: status {status}\n{said}"]
                        checks += 1
            wrong += overflow(cowarp, compiler, folder, kind)
        for where, piece, instead, what in MISTAKES:
            kind, kernel = where.split()
            if header.count(piece) != 1:
                wrong.append(f"stm.h has {header.count(piece)} of '{piece}', and should have one")
                continue
            said = carried_out(cowarp, compiled(compiler, folder, "wrong", source, header.replace(piece, instead)), kernel, kind)
            print(f"{where}: {what}: {said or 'not noticed'}")
            wrong += [f"{where}: {what}: not noticed"] if said is None else []
    print(*wrong, f"{checks} runs, {len(MISTAKES)} mistakes, {len(wrong)} complaints", sep="\n")
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
