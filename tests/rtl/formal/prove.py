#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves a unit's properties (`ifdef FORMAL in its Verilog) for reduced parameters.

    prove.py ROOT UNIT

reads tests/rtl/formal/UNIT.conf, one job a line, # starts a comment:

    induction DEPTH [SOLVER] [NAME=VALUE ...]   proof: base case of DEPTH cycles and induction step
    bmc DEPTH [SOLVER] [NAME=VALUE ...]         no counterexample within DEPTH cycles after power-up
    cover DEPTH [SOLVER] [NAME=VALUE ...]       every cover statement is reached within DEPTH cycles
    refute DEPTH [SOLVER] [NAME=VALUE ...] MODULE: s/OLD/NEW/
                                                a broken copy (OLD once in MODULE.v) must have a counterexample

What is proved is proved for the parameters of its line. SOLVER is cvc4 (default) or z3, through yosys-smtbmc, or abc: Yosys' ABC on
an And-Inverter graph of the unit with its memories in flip-flops, not for cover. Exit status 0: all as expected.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile
import time


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def mutated_sources(root, directory, mutation):
    """Paths of all Verilog; with (module, old, new), that module is a changed copy in directory."""
    sources = sorted(glob.glob(os.path.join(root, "rtl", "*", "*.v")))
    if not mutation:
        return sources
    module, old, new = mutation
    path = next(p for p in sources if os.path.basename(p) == module + ".v")
    text = open(path).read()
    if text.count(old) != 1:
        sys.exit(f"error: '{old}' is not exactly once in {path}")
    copy = os.path.join(directory, module + ".v")
    with open(copy, "w") as f:
        f.write(text.replace(old, new))
    return [copy if p == path else p for p in sources]


def used_sources(sources, top):
    """The files of top and of every module it names, transitively."""
    by_name = {os.path.basename(p)[:-2]: p for p in sources}
    seen, todo = [], [top]
    while todo:
        name = todo.pop()
        if name in seen or name not in by_name:
            continue
        seen.append(name)
        todo += re.findall(r"\bcw_\w+", open(by_name[name]).read())
    return [by_name[n] for n in seen]


def elaborate(sources, top, params, path):
    """Writes the unit with its properties to path: SMT-LIB for *.smt2, AIGER for *.aig."""
    settings = "".join(f"chparam -set {n} {v} {top}; " for n, v in params)
    script = (f"read_verilog -formal -sv -DFORMAL {' '.join(used_sources(sources, top))}; {settings}"
              f"hierarchy -check -top {top}; proc; flatten; opt -keepdc; memory -nordff -nomap; ")
    if path.endswith(".aig"):
        script += (f"chformal -cover -remove; delete -output; memory_map; async2sync; dffunmap; opt_clean; techmap; "
                   f"setundef -undriven -anyseq; opt_expr -keepdc; opt_merge; aigmap; opt_clean; write_aiger -zinit {path}")
    else:
        script += f"async2sync; dffunmap; opt_clean; setundef -undriven -anyseq; write_smt2 -wires {path}"
    result = run(["yosys", "-q", "-p", script])
    # A name that does not exist is an undriven wire to Yosys, and a property over it says nothing.
    if result.returncode != 0 or "implicitly declared" in result.stdout:
        sys.exit(f"error: yosys: {result.stdout.strip()}")


def parse(line):
    mutation = None
    found = re.match(r"(.*?)\s(\w+): s/(.*)/(.*)/$", line)
    if found:
        line, mutation = found.group(1), found.groups()[1:]
    words = line.split()
    kind, depth, rest = words[0], words[1], words[2:]
    solver = rest.pop(0) if rest and "=" not in rest[0] else "cvc4"
    return kind, depth, solver, [w.split("=") for w in rest], mutation


def abc(kind, depth, aig):
    """Whether ABC finds what kind says. The assumptions are folded into the one output, which is 1 when a property fails."""
    ready = f"read {aig}; fold; orpos"
    frames = int(depth) + (kind != "induction")  # of cycles 0 to DEPTH, or the step's DEPTH cycles after any state
    base = run(["yosys-abc", "-c", f"{ready}; bmc3 -F {frames}"]).stdout
    if kind == "refute":
        return "asserted in frame" in base
    passed = f"No output asserted in {frames} frames" in base
    if kind == "induction" and passed:
        base = run(["yosys-abc", "-c", f"{ready}; ind -F {frames + 1}"]).stdout
        passed = "Networks are equivalent" in base
    if not passed:
        print("\n".join(base.splitlines()[-4:]))
    return passed


def job(root, unit, line):
    kind, depth, solver, params, mutation = parse(line)
    start = time.time()
    with tempfile.TemporaryDirectory() as directory:
        smt2 = os.path.join(directory, unit + (".aig" if solver == "abc" else ".smt2"))
        elaborate(mutated_sources(root, directory, mutation), "cw_" + unit, params, smt2)
        smtbmc = ["yosys-smtbmc", "--noprogress", "-s", solver, "-t", depth]
        if solver == "abc":
            passed = abc(kind, depth, smt2)
        elif kind == "cover":
            passed = run(smtbmc + ["-c", smt2]).returncode == 0
        else:
            result = run(smtbmc + [smt2])
            passed = result.returncode == 0
            if kind == "refute":
                passed = "Assert failed" in result.stdout
            elif kind == "induction" and passed:
                result = run(smtbmc + ["-i", smt2])
                passed = result.returncode == 0
            if not passed and kind != "refute":
                print("\n".join(result.stdout.splitlines()[-12:]))
    print(f"{'ok  ' if passed else 'FAIL'} {line} ({time.time() - start:.1f} s)", flush=True)
    return passed


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: prove.py ROOT UNIT")
    root, unit = sys.argv[1:]
    lines = [l.split("#")[0].strip() for l in open(os.path.join(root, "tests/rtl/formal", unit + ".conf"))]
    results = [job(root, unit, l) for l in lines if l]
    print(f"{sum(results)} of {len(results)} jobs as expected")
    sys.exit(0 if results and all(results) else 1)


if __name__ == "__main__":
    main()
