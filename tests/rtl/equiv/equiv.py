#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves that a C model and its Verilog are equal, transition by transition, for reduced parameters.

    equiv.py ROOT NAME PROGRAM LIBRARY

PROGRAM is tests/rtl/equiv/NAME.cpp, which has the C model compiled in (symbolic.h), linked with LIBRARY.
tests/rtl/equiv/NAME.conf is read, one job a line, # starts a comment:

    model FILE                                  the C file, below csim/
    top MODULE                                  the Verilog module
    prove [NAME=VALUE ...]                      equal in every case, from every state of the invariant
    refute [NAME=VALUE ...] MODULE: s/OLD/NEW/  a broken copy of the Verilog (OLD once in MODULE.v) must not be equal,
    refute [NAME=VALUE ...] FILE.c: s/OLD/NEW/  nor a broken copy of the C model

What is proved is proved for the parameters of its line. Exit status 0: all as expected.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "formal"))
import prove  # noqa: E402


def elaborate(sources, top, params, smt2):
    settings = "".join(f"chparam -set {n} {v} {top}; " for n, v in params)
    script = (f"read_verilog {' '.join(prove.used_sources(sources, top))}; {settings}hierarchy -check -top {top}; proc; flatten; "
              f"opt -keepdc; memory -nordff; async2sync; dffunmap; opt_clean; setundef -undriven -anyseq; write_smt2 -stbv -wires {smt2}")
    result = prove.run(["yosys", "-q", "-p", script])
    if result.returncode != 0:
        sys.exit(f"error: yosys: {result.stdout.strip()}")


def compile_broken_model(root, name, library, directory, model, old, new):
    """A program whose C model is a copy with one place changed."""
    with open(os.path.join(root, "csim", model)) as f:
        text = f.read()
    if text.count(old) != 1:
        sys.exit(f"error: '{old}' is not exactly once in csim/{model}")
    copy, program = os.path.join(directory, "model.c"), os.path.join(directory, "equiv")
    with open(copy, "w") as f:
        f.write(text.replace(old, new))
    result = prove.run(["g++", "-std=gnu++20", "-O1", "-fpermissive", "-w", f'-DCW_MODEL="{copy}"',
                        *(f"-I{os.path.join(root, d)}" for d in ("include", "csim", "tests/rtl/equiv")),
                        os.path.join(root, "tests/rtl/equiv", name + ".cpp"), library, "-lz3", "-o", program])
    if result.returncode != 0:
        sys.exit(f"error: the broken model does not compile: {result.stdout.strip()[-2000:]}")
    return program


def job(root, name, program, library, model, top, line):
    start, mutation = time.time(), None
    found = re.match(r"(.*?)\s([\w/.]+): s/(.*)/(.*)/$", line)
    text = found.group(1) if found else line
    kind, *words = text.split()
    params = [w.split("=") for w in words]
    with tempfile.TemporaryDirectory() as directory:
        if found and found.group(2).endswith(".c"):
            program = compile_broken_model(root, name, library, directory, model, found.group(3), found.group(4))
        elif found:
            mutation = found.groups()[1:]
        smt2 = os.path.join(directory, "rtl.smt2")
        elaborate(prove.mutated_sources(root, directory, mutation), top, params, smt2)
        result = subprocess.run([program, smt2, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    expected = 0 if kind == "prove" else 1
    passed = result.returncode == expected and (kind == "prove") == bool(found is None)
    print(f"{'ok  ' if passed else 'FAIL'} {line} ({time.time() - start:.1f} s)")
    report = result.stdout.splitlines()
    print("\n".join("       " + l for l in (report if kind == "prove" or not passed else report[:1])), flush=True)
    return passed


def main():
    if len(sys.argv) != 5:
        sys.exit("usage: equiv.py ROOT NAME PROGRAM LIBRARY")
    root, name, program, library = sys.argv[1:]
    with open(os.path.join(root, "tests/rtl/equiv", name + ".conf")) as f:
        lines = [l.split("#")[0].strip() for l in f]
    facts = dict(l.split() for l in lines if l.startswith(("model ", "top ")))
    jobs = [l for l in lines if l.startswith(("prove ", "refute "))]
    results = [job(root, name, program, library, facts["model"], facts["top"], l) for l in jobs]
    print(f"{sum(results)} of {len(results)} jobs as expected")
    sys.exit(0 if results and all(results) else 1)


if __name__ == "__main__":
    main()
