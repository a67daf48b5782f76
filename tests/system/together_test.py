#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What else is in a PTX file makes no difference to a kernel.

    tests/system/together_test.py COWARP PTX_SAME [--seed N] [--orders N]

Every PTX file of the repository and of the build is put together with all the others, behind one header, in random orders and in prefixes of
these. Names that two files define are renamed in one of them. Then a kernel of each has to be what it is without any other kernel: PTX_SAME
compares all that the machine is given of it; and kernels of many kinds are run, whose results and counters have to be equal.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import unmoved

ROOT = unmoved.ROOT
HEADER = ".version 9.0\n.target sm_90\n.address_size 64\n"
DIRECTIVES = re.compile(r"^\s*\.(version|target|address_size)\b[^\n]*\n", re.M)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
WORD = re.compile(r"(?<![\w$.%])[A-Za-z_$][\w$]*")
# Kernels with shared memory of all kinds, local memory, calls, branch tables, transactions.
RUNS = ("position", "buffers", "reverse", "dynamic", "fault fails", "tile", "loops", "lock", "jump", "banks", "atomics", "odds", "issue",
        "wide getm check-serial", "together_dynamic", "together_static", "together_function", "together_second")

# Kernels of one file that share its variables and functions, each in another way.
OWN = """
.extern .shared .align 16 .b8 t_dyn[];
.shared .align 4 .b8 t_flag[4];
.shared .align 4 .b8 t_room[100];
.shared .align 16 .b8 t_wide[48];
.func (.param .b32 r) t_add(.param .b32 a) {
 .reg .b32 %r<4>; .shared .align 4 .b8 t_inner[4]; ld.param.b32 %r1, [a]; st.shared.u32 [t_inner], 7; ld.shared.u32 %r2, [t_inner];
 add.u32 %r3, %r1, %r2; st.param.b32 [r], %r3; ret; }
""" + "".join(""".visible .entry together_%s(.param .u64 o) {
 .reg .b32 %%r<20>; .reg .b64 %%d<9>; .reg .pred %%p; .shared .align 1 .b8 t_own[%d];
 ld.param.u64 %%d1, [o]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%d2, %%r1, 4; add.u64 %%d1, %%d1, %%d2; shl.b32 %%r2, %%r1, 2;
 %s
 bar.sync 0; st.global.u32 [%%d1], %%r9; ret; }
""" % row for row in (
    ("static", 3, "st.shared.u32 [t_flag], 1; st.shared.v4.u32 [t_wide+16], {1, 2, 3, 4}; mov.u32 %r3, t_room; mov.u32 %r4, t_wide;"
                  "sub.u32 %r9, %r4, %r3; st.shared.u8 [t_own+2], 5; ld.shared.u32 %r5, [t_wide+24]; add.u32 %r9, %r9, %r5;"),
    ("dynamic", 1, "st.shared.u8 [t_own], %r1; mov.u32 %r3, t_dyn; add.u32 %r3, %r3, %r2; st.shared.u32 [%r3], %r1; ld.shared.u32 %r9, [%r3];"),
    ("second", 77, "st.shared.u32 [t_flag], 3; st.shared.u8 [t_own+76], 9; mov.u32 %r3, t_dyn; add.u32 %r3, %r3, %r2; st.shared.u32 [%r3], %r2;"
                   "ld.shared.u32 %r9, [%r3]; ld.shared.u32 %r8, [t_flag]; add.u32 %r9, %r9, %r8;"),
    ("function", 9, "{ .param .b32 p; .param .b32 b; st.param.b32 [p], %r1; call (b), t_add, (p); ld.param.b32 %r9, [b]; }"
                    "st.shared.u8 [t_own+8], 1; mov.u32 %r3, t_dyn; st.shared.u32 [%r3], 1;"),
))
OWN_WANTS = {"together_static": lambda n: 108 + 3, "together_dynamic": lambda n: n, "together_second": lambda n: 4 * n + 3,
             "together_function": lambda n: n + 7}


def top_level_names(text):
    """What a file defines: kernels, functions with a body, variables of the module."""
    names, depth, statement = set(), 0, ""
    text = re.sub(r'"[^"\n]*"', '""', COMMENT.sub(" ", text))
    for piece in re.split(r"([{};])", text):
        if piece == "{":
            if depth == 0 and "=" not in statement:
                names |= set(re.findall(r"\.(?:entry|func)\b(?:\s*\([^)]*\))?\s*([\w$]+)", statement))
            depth += 1
        elif piece == "}":
            depth -= 1
            statement = ""
        elif piece == ";":
            statement = ""
        elif depth == 0:
            statement = piece
            if re.search(r"\.(global|const|shared)\b", piece.partition("=")[0]) and not re.search(r"\.(entry|func)\b", piece):
                rest = re.sub(r"\.align\s+\d+", " ", piece.partition("=")[0])
                names |= set(re.findall(r"(?<![.\w$%])([A-Za-z_$][\w$]*)\s*(?:\[[^\]]*\]\s*)*$", rest))
    return names


def one_kernel(text, rng):
    """The text with one of its kernels and those that it may launch: what the kernels of a file leave behind for each other is seen by that."""
    text = COMMENT.sub(" ", text)
    kernels, depth, begin = [], 0, 0  # the name and [begin, end) of each
    for m in re.finditer(r'"[^"\n]*"|[{};]', text):
        depth += {"{": 1, "}": -1}.get(m[0], 0)
        if depth == 0 and m[0] in "};":
            name = re.search(r"\.entry\s+([\w$]+)", text[begin:m.end()])
            if name:
                kernels.append((name[1], begin, m.end()))
            begin = m.end()
    keep, new = set(), {rng.choice(kernels)[0]} if kernels else set()
    while new:
        keep |= new
        named = set().union(*(WORD.findall(text[begin:end]) for name, begin, end in kernels if name in new))
        new = {name for name, _, _ in kernels if name in named} - keep
    for name, begin, end in reversed(kernels):
        if name not in keep:
            text = text[:begin] + re.sub(r"[^\n]", "", text[begin:end]) + text[end:]
    return text


class File:
    def __init__(self, name, text):
        self.name, self.text = name, DIRECTIVES.sub("\n", text)
        self.names = top_level_names(self.text)
        self.has_memory = re.search(r"^\s*(\.visible\s+|\.extern\s+|\.weak\s+)*\.(global|const)\b", self.text, re.M) is not None

    def renamed(self, taken, suffix):
        """The text with another name for each that is taken."""
        clash = self.names & taken
        return WORD.sub(lambda m: m[0] + suffix if m[0] in clash else m[0], self.text) if clash else self.text


def files(cowarp):
    paths = [*(ROOT / "tests").glob("ptx*/*.ptx"), *(ROOT / "tests/system").glob("*.ptx"), *(ROOT / "benchmarks").rglob("*.ptx"),
             *(cowarp.parent / "kernels").glob("*.ptx")]
    paths = [p for p in sorted(paths) if p.name != "broken.ptx"]
    return [File(str(p), p.read_text()) for p in paths] + [File("own", HEADER + OWN)]


def join(subject, others):
    """The files behind one header, in that order; the names of the subject stay."""
    taken, parts = set(subject.names), []
    for i, f in enumerate(others):
        if f is subject:
            parts.append(f.text)
            continue
        parts.append(f.renamed(taken, f"__{i}"))
        taken |= {name + f"__{i}" if name in taken else name for name in f.names}
    return HEADER + "\n".join(parts)


def compare_all(ptx_same, all_files, folder, rng, orders):
    """Of every file a kernel alone, and the file in random company, before it and behind it."""
    failed = kernels = 0
    for subject in all_files:
        for _ in range(orders):
            (folder / "alone.ptx").write_text(HEADER + one_kernel(subject.text, rng))
            others = [f for f in all_files if f is not subject]
            rng.shuffle(others)
            others = others[:rng.randrange(1, len(others) + 1)]
            others.insert(rng.randrange(1, len(others) + 1), subject)
            (folder / "together.ptx").write_text(join(subject, others))
            done = subprocess.run([ptx_same, folder / "alone.ptx", folder / "together.ptx"], capture_output=True, text=True)
            if done.returncode != 0:
                failed += 1
                print(f"{subject.name} among {len(others)} files: {done.stdout[:2000]}{done.stderr[:300]}")
            kernels += int((re.search(r"(\d+) kernels", done.stdout) or [0, 0])[1])
    return failed, kernels


def run(cowarp, name, ptx, folder):
    """Counters of a run with its PTX from the file, by the means of unmoved.py."""
    if name.startswith("together_"):
        row = f"ptx={ptx} kernel={name} grid=2 block=32 arg=out:out:128" + ("" if name == "together_static" else " shared=128")
    else:
        row = unmoved.SMALL[name.split()[0]]
    old = unmoved.SMALL.get(name.split()[0])
    unmoved.SMALL[name.split()[0]] = re.sub(r"ptx=\S+", f"ptx={ptx}", row)
    try:
        found = unmoved.simulate(cowarp, name, folder)
    finally:
        unmoved.SMALL[name.split()[0]] = old
    if name in OWN_WANTS and not isinstance(found, str):
        words = (folder / "out").read_bytes()
        got = [int.from_bytes(words[i:i + 4], "little") for i in range(0, 128, 4)]
        if got != [OWN_WANTS[name](n) for n in range(32)]:
            return f"the result is wrong: {got}"
    return found


def source_of(name, all_files):
    path = re.search(r"ptx=(\S+)", unmoved.SMALL.get(name.split()[0], "ptx=own"))
    return next(f for f in all_files if f.name.endswith(path[1]))


def run_all(cowarp, all_files, folder, rng):
    """Counters move with the addresses of buffers, which lie behind the module's variables: the company has none."""
    failed = 0
    plain = [f for f in all_files if not f.has_memory]
    assert len(plain) > 5, "too few files without variables"
    for number, name in enumerate(RUNS):
        subject = source_of(name, all_files)
        company = [f for f in plain if f is not subject]
        texts = [join(subject, [subject])]
        for _ in range(2):
            rng.shuffle(company)
            texts.append(join(subject, company[:len(company) // 2] + [subject] + company[len(company) // 2:]))
        results = []
        for k, text in enumerate(texts):
            path = folder / f"{number}.{k}.ptx"
            path.write_text(text)
            results.append(run(cowarp, name, path, folder / f"{number}.{k}"))
        for found in results[1:]:
            if isinstance(results[0], str) or isinstance(found, str) or without_place(found) != without_place(results[0]):
                failed += 1
                print(f"{name}: {difference(results[0], found)}")
    return failed


def without_place(found):
    """The lines of the file are in the text of an error."""
    return {key: value for key, value in found.items() if key != "stdout"}


def difference(a, b):
    if isinstance(a, str) or isinstance(b, str):
        return f"alone {a if isinstance(a, str) else 'well'}, together {b if isinstance(b, str) else 'well'}"
    return ", ".join(f"{key}: {a.get(key)} -> {b.get(key)}" for key in sorted({*a, *b}) if a.get(key) != b.get(key))[:600]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cowarp", type=pathlib.Path)
    parser.add_argument("ptx_same", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--orders", type=int, default=2)
    args = parser.parse_args()
    rng, cowarp = random.Random(args.seed), args.cowarp.resolve()
    all_files = files(cowarp)
    with tempfile.TemporaryDirectory(prefix="together-") as folder:
        failed, kernels = compare_all(args.ptx_same.resolve(), all_files, pathlib.Path(folder), rng, args.orders)
        failed += run_all(cowarp, all_files, pathlib.Path(folder), rng)
    print(f"seed {args.seed}: {len(all_files)} files, {kernels} kernels compared, {len(RUNS)} runs, {failed} failed")
    return int(failed > 0 or kernels == 0)


if __name__ == "__main__":
    sys.exit(main())
