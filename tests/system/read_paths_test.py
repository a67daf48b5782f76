#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which cache a load and an atomic of global memory meets, on each preset: micro rows, a line for each operator.

    tests/system/read_paths_test.py COWARP

A warp runs a loop of four loads, each of which needs the one before: memory holds zeros, which are added to the address. The time of 200 rounds
less that of 100, divided by 400, is that of a load that hits. It has to be, to a tenth of a cycle,

- that of `ld.global.ca` where the operator means the L1 and the machine has one for global memory;
- that of `ld.global.cg`, which goes to the L2, where it does not;
- another one for `.nc`, where the machine has a texture cache.

On qv100 the L1's time is also compared with what a TITAN V measures: 33.7 cycles, less than a cycle and the addition from it.

For atomics, one warp after the other adds to one word, and to 32 words of a line: cycles per warp are those of the L2's slice, whose key says so.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

OPERATORS = ("ld.global.ca", "ld.global", "ld.global.cg", "ld.global.cs", "ld.global.lu", "ld.global.cv", "ld.volatile.global", "ld.global.nc",
             "ld.global.ca.nc", "ld.global.cg.nc", "ld.global.nc.L1::no_allocate")
PAST = {"ld.global.cg", "ld.global.cs", "ld.global.lu", "ld.global.cv", "ld.volatile.global", "ld.global.cg.nc", "ld.global.nc.L1::no_allocate"}
NEARER = 20  # cycles at least from a cache of the core to the L2: two ways through the crossbar and the L2's delay
HEAD = ".version 7.8\n.target sm_70\n.address_size 64\n"


def chase(load):
    step = f"{load}.u64 %d2, [%d1]; add.s64 %d1, %d1, %d2;\n"
    return HEAD + f""".visible .entry k(.param .u64 in, .param .u32 n) {{ .reg .u64 %d<4>; .reg .pred %p; .reg .u32 %r<4>;
ld.param.u64 %d1, [in]; ld.param.u32 %r1, [n];
L: {step * 4} sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra L; ret; }}
"""


def adds(shift):
    return HEAD + f""".visible .entry k(.param .u64 in, .param .u32 n) {{ .reg .u64 %d<4>; .reg .pred %p; .reg .u32 %r<4>;
ld.param.u64 %d1, [in]; ld.param.u32 %r1, [n]; mov.u32 %r2, %laneid; mul.wide.u32 %d2, %r2, {shift}; add.s64 %d1, %d1, %d2;
L: red.global.add.u32 [%d1], 1; sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra L; ret; }}
"""


class Machine:
    def __init__(self, cowarp, folder, preset):
        self.cowarp, self.folder, self.preset = cowarp, folder, preset
        out = subprocess.run([cowarp, "config", "--preset", preset], capture_output=True, text=True, check=True).stdout
        self.keys = {f"{table}.{name}": value for table, tables in tomllib.loads(out).items() for name, value in tables.items()}

    def cycles(self, ptx, rounds, grid, block):
        path = self.folder / "k.ptx"
        path.write_text(ptx)
        done = subprocess.run([self.cowarp, "exec", str(path), "--kernel", "k", "--grid", str(grid), "--block", str(block), "--preset", self.preset,
                               "--arg", "zero:256", "--arg", f"u32:{rounds}"], capture_output=True, text=True)
        found = re.search(r"simulated\s+(\d+) cycles", done.stdout)
        assert done.returncode == 0 and found, f"{self.preset}: {done.stderr.strip()}"
        return int(found[1])

    def per_load(self, load):
        return (self.cycles(chase(load), 200, 1, 32) - self.cycles(chase(load), 100, 1, 32)) / 400

    def per_warp(self, shift):
        """L2 cycles of an addition by a warp; 32 warps keep the slice busy."""
        core = (self.cycles(adds(shift), 200, 4, 256) - self.cycles(adds(shift), 100, 4, 256)) / (32 * 100)
        return core * self.keys["clock.l2"] / self.keys["clock.core"]


def check_loads(m):
    found = {load: m.per_load(load) for load in OPERATORS}
    has_l1, has_texture = m.keys["l1.global"] != "off", m.keys["texture.bytes"] != 0
    failures = []
    for load, cycles in found.items():
        way = "ld.global.cg" if load in PAST or not has_l1 else "ld.global.ca"
        if "nc" in load.split(".") and has_texture:
            way = None
        elif "nc" in load.split(".") and m.keys["l1.read_only"] == "off":
            way = "ld.global.cg"
        good = abs(cycles - found[way]) < 0.1 if way else cycles < found["ld.global.cg"] - NEARER
        print(f"| {m.preset} | `{load}` | {cycles:.1f} | {way or 'texture cache'} |{'' if good else ' **wrong**'}")
        failures += [] if good else [f"{m.preset}: {load} takes {cycles:.1f} cycles, {way or 'the texture cache'} {found.get(way, 0):.1f}"]
    if has_l1 and found["ld.global.ca"] > found["ld.global.cg"] - NEARER:
        failures.append(f"{m.preset}: a hit of the L1 takes {found['ld.global.ca']:.1f} cycles of {found['ld.global.cg']:.1f}")
    return failures, found


def check_atomics(m):
    failures = []
    each = m.keys["l2.atomic_cycles"]
    for shift, sectors, what in ((0, 1, "one word"), (4, 4, "32 words of a line")):
        wanted = each * sectors
        cycles = m.per_warp(shift)
        print(f"| {m.preset} | additions of a warp to {what} | {cycles:.2f} | {wanted} |")
        if abs(cycles - wanted) > 0.1 * wanted:
            failures.append(f"{m.preset}: additions of a warp to {what} take {cycles:.2f} cycles of the L2, not {wanted}")
    return failures


def main():
    cowarp = pathlib.Path(sys.argv[1]).resolve()
    listed = json.loads(subprocess.run([cowarp, "list", "--json"], capture_output=True, text=True, check=True).stdout)
    presets = [p["name"] for p in listed["presets"]]
    failures = []
    print("| preset | operation | cycles | as |\n|---|---|---:|---|")
    with tempfile.TemporaryDirectory() as folder:
        for preset in presets:
            m = Machine(cowarp, pathlib.Path(folder), preset)
            wrong, found = check_loads(m)
            failures += wrong
            if preset == "qv100" and not 33.7 < found["ld.global.ca"] < 33.7 + 4.3 + 2.2:
                failures.append(f"qv100: {found['ld.global.ca']:.1f} cycles for a load of the L1 and an addition; a TITAN V takes 33.7 and 4.3")
            if preset == "qv100" and abs(found["ld.global.nc"] - found["ld.global.ca"]) > 0.1:
                failures.append("qv100: loads with .nc do not use the L1, which Volta has for all loads")
            if m.keys["l2.atomic_cycles"] != 0:
                failures += check_atomics(m)
    print("\n".join(failures))
    print(f"{len(presets)} presets, {len(failures)} failures")
    return int(bool(failures) or not presets)


if __name__ == "__main__":
    sys.exit(main())
