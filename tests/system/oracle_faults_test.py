#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that the oracles name a machine that is broken on purpose.

    tests/system/oracle_faults_test.py COWARP [--only PATTERN] [--in PATTERN]   each fault of oracle_faults.txt on its run; --in: by its file
    tests/system/oracle_faults_test.py COWARP --search [--only PATTERN]   each on all runs: prints those that name it
    tests/system/oracle_faults_test.py --table                     what each is, and where it is seen

A fault is a change of one piece of the source. A copy of the tree is built with it; a piece of Verilog is given to the unbroken command
(--unit NAME=rtl:FILES). The run must end with status 1 and with words of the oracle about durability or about what a load has found or a transaction has stored; that a
result is wrong, that the machine stands still or that an assertion fails is not enough. A machine that stands still because of a fault has written nothing
wrong: then the watchdog's report has to say what it waits for. Without a fault the oracle must call the same run right.
"""
import argparse
import atexit
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests/system"), str(ROOT / "tests/litmus")]
import memory  # noqa: E402
import serial_test  # noqa: E402
import tree_copy  # noqa: E402
from unmoved import SMALL  # noqa: E402

LIST = ROOT / "tests/system/oracle_faults.txt"
MACHINE = "--preset sbrp-near --check-persist"
SLOW = "--set pm.wpq=1 --set pm.write_mbps=2000"  # one partition waits while another does not
# What a run's first word stands for; its second one is the seed, or the options of the machine; `epoch` behind them is the model.
MACHINES = {"": "", "small": "--set l1.bytes=1024 --set l1.ways=8", "lazy": "--set pm.drain=lazy"}
WORKLOADS = ("gpkvs", "hm", "srad", "red", "mq", "scan")
SERIAL = ("ht-h", "cl", "bh-h", "ap", "bt-1", "bt-2", "rbt-1", "rbt-2", "karger-1", "vac-1", "ll-2")
SYSTEMS = ("getm", "kilotm", "sitm-ts")
NAMED = re.compile(r"is durable before one that is ordered before it|a dfence is complete before|a load finds an old value"
                   r"|performs a store|has not performed the store|bytes of line 0x|has written|is durable in cycle"
                   r"|a result that PTX's memory model does not allow|not serializable: cycle of|transaction \d+ \(core \d+ warp \d+ lane \d+\) (loads|commits|read) ")
TIMEOUT_S = 120


def read():
    """The faults: name, what, file, old and new text, run."""
    faults = []
    for number, line in enumerate(LIST.read_text().split("\n"), 1):
        word, _, rest = line.partition(" ")
        if line.startswith(" ") and faults and "-" in faults[-1]:
            faults[-1]["+" if "+" in faults[-1] else "-"] += "\n" + line
        elif word == "fault":
            faults.append({"fault": rest})
        elif word in ("what", "in", "-", "+", "seen", "stands", "says") and faults and word not in faults[-1]:
            faults[-1][word] = rest
        elif line and not line.startswith("#"):
            sys.exit(f"{LIST.name}:{number}: not understood: {line}")
    for f in faults:
        f["verilog"] = f["in"].endswith(".v")
        text = (ROOT / f["in"]).read_text()
        if text.count(f["-"]) != 1:
            sys.exit(f"{LIST.name}: {f['fault']}: {f['in']} has its text {text.count(f['-'])} times")
    return faults


@functools.lru_cache
def suite():
    """A folder with the litmus tests of memory, which goes with this process."""
    folder = tempfile.TemporaryDirectory(prefix="memory-")
    atexit.register(folder.cleanup)
    for name, text in memory.tests().items():
        pathlib.Path(folder.name, f"{name}.lit").write_text(text)
    return folder.name


def command(cowarp, run):
    """A run: `memory PRESET`, the litmus tests of memory, with `hostile` under an adversary, with `small` in L1s from which lines go, with `evicting` in an L2 that keeps few lines, with `slice` in unit l2_slice; WORKLOAD or `draw|together|fences|handover SEED`, then words of MACHINES and `epoch`; or WORKLOAD and a transactional system; or `order HOW` and such a system, see serial_test.py."""
    words = run.split()
    if words[0] == "order":
        return [str(cowarp)] + serial_test.command(words[2], suite(), 3, 1, 2, 1, serial_test.triple("WTB", words[1], (300, 500, 0, 1500)))
    if words[0] == "memory":
        line = [str(cowarp), "litmus", "--memory", str(suite()), "--preset", words[1], "--runs", "4", "--quiet"]
        evicting = ["--set", "l2.bytes=4096", "--set", "l2.ways=1"] if "evicting" in words else []
        slices = ["--set", "l2.slice_unit=on"] if "slice" in words else []
        line += evicting + slices + (["--set", "core.memory=adversary"] if "hostile" in words else [])
        return line + (MACHINES["small"].split() if "small" in words else [])
    if len(words) > 1 and words[1] in SYSTEMS:
        return [str(cowarp), "run", words[0], "--system", words[1], "--check-serial"] + [
            w for p in SMALL[words[0]].split() for w in ("--param", p)]
    model = "epoch" if "epoch" in words else "sbrp"
    more = [MACHINES.get(w, "") for w in words[1:]] + ([SLOW] if words[0] != "handover" else [])
    machine = MACHINE.split() + ["--persistency", model] + " ".join(more).split()
    if words[0] in WORKLOADS:
        line = ["run", words[0]] + [w for p in SMALL[words[0]].split() for w in ("--param", p)]
    else:
        line = ["exec", str(ROOT / "tests/system/persist.ptx"), "--kernel", "draw" if words[0] == "together" else words[0], "--grid", "8", "--block", "64"]
        for arg in ("pm:words:2048", "pm:flags:256", "zero:256", "u32:511", "u32:100", f"u32:{int(words[1]) + (words[0] == 'together') * 2**31}"):
            line += ["--arg", arg]
    return [str(cowarp)] + line + machine + ["--max-cycles", "20000000"]


def does(cowarp, run, unit=None):
    """Status, and the oracle's words of a violation or None."""
    try:
        done = subprocess.run(command(cowarp, run) + (unit or []), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=TIMEOUT_S, check=False, errors="replace")
    except subprocess.TimeoutExpired:
        return -1, None
    for line in done.stdout.split("\n"):
        if done.returncode == 1 and NAMED.search(line):
            return 1, line.strip()
    return done.returncode, None


def stands(cowarp, f, unit=None):
    """Status, and what the watchdog's report says of the fault, or None."""
    with tempfile.NamedTemporaryFile(prefix="stands-") as stats:
        done = subprocess.run(command(cowarp, f["stands"]) + (unit or []) + ["--stats", stats.name], capture_output=True, text=True, timeout=TIMEOUT_S,
                              check=False)
        report = json.loads(pathlib.Path(stats.name).read_text() or "{}").get("report") or ""
    found = re.search(f["says"], report) if done.returncode == 1 and ": deadlock at cycle " in done.stderr else None
    return done.returncode, found and found[0]


def run_of(f):
    return f.get("seen") or f["stands"]


def all_runs(f):
    if "/tm/" in f["in"]:
        return [f"{w} {s}" for w in SERIAL for s in SYSTEMS]
    if run_of(f).startswith("memory "):
        return [f"memory {preset}{more}" for more in ("", " hostile", " evicting", " slice", " evicting slice") for preset in ("getm", "gtx480", "sbrp-near")]
    runs = [f"{k} {s}{m}" for m in ("", " lazy", " small") for s in range(1, 3) for k in ("together", "fences", "handover")]
    runs += [w + m for m in ("", " small") for w in WORKLOADS] + ["draw 1"]
    return runs + [r + " epoch" for r in runs]


class Broken:
    """The command with a fault."""

    def __init__(self, cowarp, tree):
        self.cowarp, self.tree = cowarp, tree
        self.built = False

    def prepare(self, f):
        """The command and the unit's words."""
        text = (ROOT / f["in"]).read_text().replace(f["-"], f["+"])
        if f["verilog"]:
            unit = pathlib.Path(f["in"]).stem
            path = self.tree.parent / f"{f['fault']}" / f"{unit}.v"
            path.parent.mkdir()
            path.write_text(text)
            return self.cowarp, ["--unit", f"{unit[3:]}=rtl:{path}"]
        if not self.built:
            tree_copy.copy(ROOT, self.cowarp.parent, self.tree)
            tree_copy.run(self.tree, ["cmake", "--build", "build", "--target", "cowarp", "kernels"])
            self.built = True
        (self.tree / f["in"]).write_text(text)
        try:
            tree_copy.run(self.tree, ["cmake", "--build", "build", "--target", "cowarp"])
        finally:
            (self.tree / f["in"]).write_text((ROOT / f["in"]).read_text())
        return self.tree / "build/cowarp", None


def table(faults):
    kinds = {"core": "core", "mech": "mechanism", "adapt": "adapter", "mem": "memory", "unit": "unit, C"}
    return [f"| {f['fault']} | {'unit, Verilog' if f['verilog'] else kinds[f['in'].split('/')[1]]} | {f['what']} | {run_of(f)} |" for f in faults]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("cowarp", nargs="?", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--in", dest="folder", default="")
    parser.add_argument("--search", action="store_true")
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    faults = read()
    if args.table:
        print("\n".join(table(faults)))
        return 0
    wrong = 0
    faults = [f for f in faults if re.search(args.only, f["fault"]) and re.search(args.folder, f["in"])]
    for run in sorted({run_of(f) for f in faults if not args.search}):
        status, text = does(args.cowarp, run)
        if status != 0:
            print(f"{run}: status {status} without a fault: {text}")
            wrong += 1
    with tempfile.TemporaryDirectory(prefix="faults-", dir=args.cowarp.resolve().parent) as folder:
        broken = Broken(args.cowarp.resolve(), pathlib.Path(folder) / "tree")
        for f in faults:
            try:
                cowarp, unit = broken.prepare(f)
            except AssertionError as error:
                print(f"{f['fault']}: {error}", flush=True)
                wrong += 1
                continue
            if args.search:
                found = []
                for run in all_runs(f):
                    if not found:
                        status, text = does(cowarp, run, unit)
                        found += [run] if text else []
                print(f"{f['fault']}: {', '.join(found) or 'NOBODY'}", flush=True)
                continue
            status, text = stands(cowarp, f, unit) if "stands" in f else does(cowarp, run_of(f), unit)
            print(f"{f['fault']}: {text or f'NOT NAMED, status {status}'}", flush=True)
            wrong += text is None
    print(f"{wrong} wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
