#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs, whose words on the simulated GPU have to be those of the host: cprog.py BUILD/cowarp [options].

Two generators make C: csmith, and own.py beside this file. gcc compiles a batch of programs for this host, which gives the expectation; clang-14
compiles it for nvptx64 at several levels, and nvcc, where there is one, what csmith makes. cowarp runs each result in time and without. A
difference is told as one line with the seed, and a command that shows it again.
"""
import argparse
import hashlib
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "scripts/results"))
import children
import own
import runner
import statsfile

HERE = pathlib.Path(__file__).resolve().parent
CSMITH = ("csmith --no-argc --quiet --no-packed-struct --no-return-unions --no-return-structs --no-arg-unions --no-arg-structs "
          "--max-funcs 4 --max-block-depth 3 --max-block-size 3 --max-array-len-per-dim 5 --max-array-dim 2")
HOST = "gcc -std=gnu11 -O0 -w -fwrapv -fno-strict-aliasing -ffp-contract=off -fexcess-precision=16 -msse4.1"
GPU = ("clang-14 -x c -std=gnu11 --target=nvptx64-nvidia-cuda -Xclang -target-cpu -Xclang sm_70 -Xclang -target-feature -Xclang +ptx63 -ffreestanding -w "
       "-fwrapv -fno-strict-aliasing -ffp-contract=off -fno-math-errno -Xclang -fnative-half-type "
       "-Xclang -fallow-half-arguments-and-returns -S")
NVCC = "nvcc -x cu -std=c++17 -w -ptx -arch=compute_75 --fmad=false"
HOST_CPP = "g++ -x c++ -std=gnu++17 -O0 -w -fpermissive -fwrapv -fno-strict-aliasing"
FLAGS = f"-I {HERE} -I {HERE / 'csmith'} -I /usr/include/csmith"
MODES = {"timed": [], "functional": ["--functional=steps"], "native": ["--functional=native"]}
EXTRA = []  # what the user has cowarp told besides
WORDS = 32  # of a program
# Each program in a process of its own: one that does not end soon has no expectation, and is passed over.
HOST_MAIN = """
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
DECLARATIONS
int main(void)
{
    uint32_t *out = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    static void (*const program[])(uint32_t *) = {PROGRAMS};
    for (unsigned i = 0; i < sizeof program / sizeof program[0]; i++) {
        memset(out, 0, 132);
        const pid_t child = fork();
        if (child == 0) {
            setitimer(ITIMER_VIRTUAL, &(struct itimerval){{0, 0}, {0, MICROSECONDS}}, 0);
            program[i](out);
            out[32] = 1;
            _exit(0);
        }
        waitpid(child, 0, 0);
        fwrite(out, 4, 33, stdout);
    }
}
"""


def run(command, cwd=None, timeout=300):
    return children.run(command.split() if isinstance(command, str) else command, text=True, cwd=cwd, timeout=timeout)


def set_at_run_time(text):
    """Addresses in initial values of variables, which clang-14 cannot put out for nvptx where they have an offset, are set by main instead."""
    begin = []

    def move(m):
        kind, name, sizes = m["kind"].replace("const ", ""), m["name"], m["sizes"]
        value = re.sub(r"&(\w+(?:\[\d+\])*(?:\.f\d+)*)", r"(&\1 + cp_zero)", m["value"])
        begin.append(f"    {{ {kind}value{sizes} = {value}; __builtin_memcpy((void *)&{name}, (void *)&value, sizeof value); }}\n")
        return f"static {kind}{name}{sizes};"
    text = re.sub(r"^static (?P<kind>[^=(]*?)(?P<name>g_\d+)(?P<sizes>(?:\[\d+\])*) = (?P<value>.*?&.*?);", move, text, flags=re.M)
    return text.replace("crc32_gentab();\n", "crc32_gentab();\n" + "".join(begin), 1)


def csmith_program(folder, seed, *more):
    """One of csmith's, under names of its own; main becomes the program's function. None: csmith has none of that seed. It leaves a file there."""
    done = run([*CSMITH.split(), "--seed", str(seed), *more], folder)
    if done.returncode != 0:  # one of its own assertions: of some seeds with --no-return-unions
        return None
    text = done.stdout if more else set_at_run_time(done.stdout)
    text = re.sub(r"\b([gSU]_?|func_)(\d+)\b", lambda m: f"{m[1]}{m[2]}_of_{seed}", text)
    text = re.sub(r"^(#include.*|static long __undefined;)$", "", text, flags=re.M)
    name = f"cp_{'nvcc' if more else 'csmith'}_{seed}"
    return re.sub(r"int main \(void\)", f"CP_ENTRY void {name}(uint32_t *out)", text).replace("return 0;\n}", "return;\n}")


def nvcc_program(folder, seed):
    """The same in C++, as nvcc takes it: without volatile structs and unions, and without an address with an offset as a variable's initial value."""
    text = csmith_program(folder, seed, "--lang-cpp", "--no-volatiles", "--no-unions")
    if text is None or re.search(r"^static .*= [^;]*&\w+[\[.]", text, flags=re.M):
        return None
    text = re.sub(r"^( *)((?:struct|union) \w+& operator=)", r"\1CP_DEVICE \2", text, flags=re.M)
    return re.sub(r"^(static |inline )", r"CP_DEVICE \1", text, flags=re.M)


class CompilerFails(Exception):
    """It has a mistake of its own, or does not take what a generator makes."""


class Batch:
    """Programs of one generator in one file."""

    def __init__(self, kind, seeds, folder):
        self.kind, self.folder = kind, pathlib.Path(folder)
        make = {"csmith": csmith_program, "nvcc": nvcc_program, "own": lambda _, seed: own.Program(seed).text()}[kind]
        head = '#include "cprog.h"\n' if kind == "own" else '#include "csmith.h"\n'
        self.source = self.folder / "programs.c"
        programs = {seed: text for seed in seeds if (text := make(self.folder, seed)) is not None}
        self.seeds = list(programs)
        self.names = [f"cp_{kind}_{seed}" for seed in programs]
        self.source.write_text(head + "\n".join(programs.values()))

    def expectation(self, microseconds):
        """The host's words of each program, or None of one that does not end."""
        declared = "".join(f"void {name}(uint32_t *);\n" for name in self.names)
        main = HOST_MAIN.replace("DECLARATIONS", declared).replace("PROGRAMS", ", ".join(self.names)).replace("MICROSECONDS", str(microseconds))
        (self.folder / "host.c").write_text(main)
        compiler = HOST_CPP if self.kind == "nvcc" else HOST
        built = run(f"{compiler} {FLAGS} -c -o programs.o programs.c", self.folder)
        if built.returncode == 0:
            built = run(f"{HOST} -o host host.c programs.o -lm", self.folder)
        if built.returncode != 0:
            raise CompilerFails(f"the host's compiler: {built.stderr[:2000]}")
        data = children.run([self.folder / "host"], timeout=300).stdout
        words = struct.unpack(f"<{len(data) // 4}I", data)
        each = [words[i:i + WORDS + 1] for i in range(0, len(words), WORDS + 1)]
        return [list(e[:WORDS]) if e[WORDS] == 1 else None for e in each]

    def compile(self, level):
        """PTX of all programs; level: O0 to O3, or nvcc."""
        path = self.folder / f"{level}.ptx"
        built = run(f"{NVCC} {FLAGS} -o {path} {self.source}" if level == "nvcc" else f"{GPU} -{level} {FLAGS} -o {path} {self.source}")
        if built.returncode != 0:
            raise CompilerFails(f"{level}: {built.stderr[:2000]}")
        text = re.sub(rf"\.visible \.func (cp_{self.kind}_\d+)\(", r".visible .entry \1(", path.read_text())
        path.write_text(text)
        return path

    def with_right_shifts(self, level):
        """clang-14 makes `(int64_t)x << 31` of an int32_t a product with -2^31, and of 16 bits with -2^15; other products with these stand there, too.
        The PTX with the opposite of each, or None where there is none."""
        product = r"(mul\.wide\.s(?:32\s+%\w+, %\w+, -2147483648|16\s+%\w+, %\w+, -32768);)"
        text, cnt = re.subn(product, self.negated, (self.folder / f"{level}.ptx").read_text())
        (self.folder / f"{level}_shifts.ptx").write_text(text)
        return f"{level}_shifts" if cnt > 0 else None

    @staticmethod
    def negated(m):
        to = re.search(r"%\w+", m[1])[0]
        return f"{m[1]} neg.s{'64' if '.s32' in m[1] else '32'} {to}, {to};"

    def results(self, cowarp, level, wanted, mode):
        """The machine's words of the programs in wanted; of a single one that fails, what is said."""
        threads = 32 if self.kind == "own" else 1
        script = [f"load {level}.ptx", f"alloc out {4 * WORDS * len(self.names)}"]
        script += [f"launch {self.names[i]} grid 1 block {threads} args out+{4 * WORDS * i}" for i in wanted]
        (self.folder / "script").write_text("\n".join(script + ["copy out to out.bin"]) + "\n")
        try:
            done = run([cowarp, "exec", "--script", "script", *MODES[mode], *EXTRA], self.folder, timeout=600)
        except subprocess.TimeoutExpired:
            done = subprocess.CompletedProcess([], -1, "", "did not end in 600 s")
        if done.returncode == 0:
            words = struct.unpack(f"<{WORDS * len(self.names)}I", (self.folder / "out.bin").read_bytes())
            return {i: list(words[WORDS * i:WORDS * (i + 1)]) for i in wanted}
        if len(wanted) == 1:
            return {wanted[0]: f"status {done.returncode}: {done.stderr.strip()[-300:]}"}
        half = len(wanted) // 2
        return {**self.results(cowarp, level, wanted[:half], mode), **self.results(cowarp, level, wanted[half:], mode)}


def judge(cowarp, kind, seeds, *how):
    """(programs that were compared, runs of them, lines about differences, what compilers said of programs that they do not take)."""
    try:
        return judge_batch(cowarp, kind, seeds, *how)
    except CompilerFails as failure:
        if len(seeds) == 1:
            return 0, 0, [], [f"{kind} seed {seeds[0]} is passed over: {str(failure).splitlines()[0]}"]
    halves = [judge(cowarp, kind, part, *how) for part in (seeds[:len(seeds) // 2], seeds[len(seeds) // 2:])]
    return tuple(a + b for a, b in zip(*halves))


def judge_batch(cowarp, kind, seeds, levels, modes, microseconds, keep=None):
    """The same, of programs that all compile in one file."""
    lines, passed_over, runs, again = [], [], 0, f" --with='{' '.join(EXTRA)}'" if EXTRA else ""
    with tempfile.TemporaryDirectory() as folder:
        batch = Batch(kind, seeds, keep or folder)
        expected = batch.expectation(microseconds)
        wanted = [i for i, words in enumerate(expected) if words is not None]
        for level in levels if wanted else []:
            batch.compile(level)
            for mode in modes:
                got = batch.results(cowarp, level, wanted, mode)
                runs += len(wanted)
                bad = [i for i in wanted if got[i] != expected[i]]
                shifts = batch.with_right_shifts(level) if bad else None
                other = batch.results(cowarp, shifts, bad, mode) if shifts else {}
                for i in bad:
                    if other.get(i) == expected[i]:
                        passed_over.append(f"{kind} seed {batch.seeds[i]} is passed over: {level}: clang-14 makes a shift by 31 or 15 bits a negative product")
                    else:
                        what = got[i] if isinstance(got[i], str) else next(
                            f"word {w} is {a:#x}, not {b:#x}" for w, (a, b) in enumerate(zip(got[i], expected[i])) if a != b)
                        seed = batch.seeds[i]
                        lines.append(f"{kind} seed {seed}, {level}, {mode}: {what}\n    again: {sys.argv[0]} {cowarp} --kind {kind} "
                                     f"--seeds {seed}:{seed + 1} --levels {level} --modes {mode} --keep FOLDER{again}")
    return len(wanted), runs, lines, passed_over


class Journal:
    """Batches that are done, a line each, so that a campaign that was ended goes on where it was. Only what this cowarp has run counts: the file
    begins anew for another one, or for other options. A batch with a difference is not done."""

    def __init__(self, path, o):
        digest = hashlib.sha256(pathlib.Path(o.cowarp).read_bytes())
        for source in sorted(f for f in HERE.rglob("*.*") if f.suffix in (".py", ".h")):
            digest.update(source.read_bytes())
        head = f"{digest.hexdigest()[:16]} batch {o.batch} microseconds {o.microseconds} with '{o.extra}'"
        self.path, self.lock = path and pathlib.Path(path), threading.Lock()
        old = self.path.read_text().splitlines() if path and self.path.exists() else []
        self.done = dict(line.rsplit(" = ", 1) for line in old[1:] if line.endswith(".")) if old[:1] == [head] else {}
        if path and old[:1] != [head]:
            self.path.write_text(head + "\n")

    @staticmethod
    def name(kind, seeds, levels, modes):
        return f"{kind} {seeds.start}:{seeds.stop} {','.join(levels)} {','.join(modes)}"

    def counts(self, batch):
        """Programs, runs, passed over, of a batch that is done; else None."""
        found = self.done.get(self.name(*batch))
        return [int(n) for n in found.rstrip(".").split()] if found else None

    def note(self, batch, result):
        """Its line ends with a full stop: one that was cut off counts for nothing."""
        if self.path and not result[2]:
            with self.lock, self.path.open("a") as file:
                file.write(f"{self.name(*batch)} = {result[0]} {result[1]} {len(result[3])}.\n")


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("cowarp", type=lambda path: str(pathlib.Path(path).resolve()))
    p.add_argument("--kind", choices=["csmith", "own", "both", "nvcc"], default="both", help="nvcc: csmith's C++, by nvcc")
    p.add_argument("--seeds", default="1:151", metavar="A:B", help="of each generator, B excluded")
    p.add_argument("--levels", default="O0,O2,O3", help="of clang: O0, O1, O2, O3")
    p.add_argument("--modes", help=f"of {', '.join(MODES)}; default: all that the build has")
    p.add_argument("--rotate", action="store_true", help="one level and one mode of each batch, in turn")
    p.add_argument("--batch", type=int, default=25, help="programs of one file")
    p.add_argument("--microseconds", type=int, default=3000, help="a program that takes longer on the host is passed over")
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--journal", metavar="FILE", help="what is done stands there, and is not done again")
    p.add_argument("--minutes", type=float, default=1e9, help="no batch begins later")
    p.add_argument("--with", dest="extra", default="", metavar="OPTIONS", help="further options of cowarp, such as '--preset qv100'")
    p.add_argument("--keep", metavar="FOLDER", help="leaves the files of the (one) batch there")
    o = p.parse_args()
    if o.modes is None:
        has_native = pathlib.Path(o.cowarp).parent.joinpath("lib/cowarp/libcowarp_native.so").is_file()
        o.modes = ",".join(mode for mode in MODES if mode != "native" or has_native)
    return o


def main():
    o = options()
    for tool in ["gcc", "nvcc" if o.kind == "nvcc" else "clang-14"] + (["csmith"] if o.kind != "own" else []):
        if shutil.which(tool) is None:
            print(f"skipped: no {tool}; ./setup installs it")
            return 77
    EXTRA.extend(o.extra.split())
    first, end = (int(n) for n in o.seeds.split(":"))
    if o.keep:
        pathlib.Path(o.keep).mkdir(parents=True, exist_ok=True)
    levels, modes, work = ["nvcc"] if o.kind == "nvcc" else o.levels.split(","), o.modes.split(","), []
    for at in range(first, end, o.batch):
        for kind in ["csmith", "own"] if o.kind == "both" else [o.kind]:
            one = len(work) // 2 if o.rotate else None
            work.append((kind, range(at, min(at + o.batch, end)), [levels[one % len(levels)]] if o.rotate else levels,
                         [modes[(one + one // len(levels) + len(work)) % len(modes)]] if o.rotate else modes))
    return campaign(o, work)


def campaign(o, work):
    journal, end = Journal(o.journal, o), time.monotonic() + 60 * o.minutes
    programs = runs = wrong = passed_over = old = left = 0

    def one(batch):
        if time.monotonic() > end:
            return None
        done = judge(o.cowarp, *batch, o.microseconds, o.keep)
        journal.note(batch, done)
        return done
    before = [journal.counts(batch) for batch in work]
    now = runner.results(one, [batch for batch, counts in zip(work, before) if counts is None], o.jobs, "batches", lambda batch: (journal.name(*batch), None))
    for counts in before:
        done = (counts[0], counts[1], [], [None] * counts[2]) if counts else next(now)
        if done is None:
            left += 1
            continue
        programs, runs, wrong, passed_over = programs + done[0], runs + done[1], wrong + len(done[2]), passed_over + len(done[3])
        old += counts[0] if counts else 0
        for line in (done[2] + done[3]) if counts is None else []:
            print(line, flush=True)
    print(f"{programs} programs, {runs} runs of them, {wrong} wrong" + (f"; {old} of them were done before" if old else "")
          + (f"; {left} batches are left" if left else ""))
    return 1 if wrong > 0 or programs <= 10 * passed_over else 0  # a compiler that takes hardly anything judges nothing


if __name__ == "__main__":
    sys.exit(statsfile.run_main("cprog.py", main, "interrupted; --journal FILE keeps what is done"))
