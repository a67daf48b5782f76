#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Host speed of the simulator, per workload and unit backend, beside GPGPU-Sim where that was measured.

    benchmarks/speed.py build/cowarp [--runs 7] [--only TEXT] [--markdown] [--json FILE]

Each line is the fastest of --runs runs, all lines by turns: host noise only ever adds, and meets all of them. "host s" goes from the first launch to the
last one's end; "cpu s" is the user time of the whole process, which other load on the machine disturbs less; MB is the peak resident set.
GPGPU-Sim's seconds are of version 4.2, GTX480 configuration, one thread, on the same class of machine. docs/speed.md says what follows.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

def rtl(*units):
    return [word for unit in units for word in ("--unit", unit + "=rtl")]


def divergence(workload, mechanism, *more):
    return [workload, "--preset", "thesis-tbc", "--set", "core.divergence=" + mechanism, *more]


def persistency(workload, preset, model, *more):
    return [workload, "--preset", preset, "--persistency", model, *more]


def snapshots(workload, system, *more):
    return [workload, "--preset", "si-tm-base" if system == "warptm" else "si-tm", "--system", system, *more]


SI_UNITS = rtl("postdate_unit", "writer_table", "version_index_table", "row_copy_engine")
SBRP_UNITS = rtl("persist_buffer", "order_masks")
TBC_UNITS = rtl("thread_compactor", "block_stack")
LOCALTM_UNITS = rtl("bank_detector", "tcm_select", "shadow_address")

# name, arguments of cowarp run, GPGPU-Sim's host seconds for this kernel, how many times faster cowarp is to be
RUNS = [
    ("ht-h fglock", ["ht-h", "--system", "fglock"], 10.8, 100),
    ("vecadd 65,536", ["vecadd", "--param", "n=65536"], 2.1, 50),
    ("vecadd 1,048,576", ["vecadd", "--param", "n=1048576"], 53.6, 50),
    ("laplace 100^3", ["laplace"], 115.0, 50),
    ("vecadd 1,048,576, functional", ["vecadd", "--param", "n=1048576", "--functional"], None, None),
    ("laplace 100^3, functional", ["laplace", "--functional"], None, None),
    ("ht-h getm, C", ["ht-h", "--system", "getm"], None, None),
    ("ht-h getm, RTL", ["ht-h", "--system", "getm", "--unit", "validation_unit=rtl"], None, None),
    ("ht-h getm, lockstep", ["ht-h", "--system", "getm", "--unit", "validation_unit=lockstep"], None, None),
    ("atm getm, C", ["atm", "--system", "getm"], None, None),
    ("atm getm, RTL", ["atm", "--system", "getm", "--unit", "validation_unit=rtl"], None, None),
    ("ht-h kilotm, C", ["ht-h", "--system", "kilotm"], None, None),
    ("ht-h kilotm, RTL", ["ht-h", "--system", "kilotm", *rtl("commit_unit", "hazard_unit")], None, None),
    ("ht-h warptm, C", ["ht-h", "--system", "warptm"], None, None),
    ("ht-h warptm, RTL", ["ht-h", "--system", "warptm",
                          *rtl("commit_unit", "hazard_unit", "first_read_table", "last_written_table", "ownership_table")], None, None),
    ("ll-2 warptm", snapshots("ll-2", "warptm"), None, None),
    ("ll-2 sitm-ts, C", snapshots("ll-2", "sitm-ts"), None, None),
    ("ll-2 sitm-ts, RTL", snapshots("ll-2", "sitm-ts", *SI_UNITS), None, None),
    ("ll-2 sitm-oracle", snapshots("ll-2", "sitm-oracle"), None, None),
    ("rbt-2 warptm", snapshots("rbt-2", "warptm"), None, None),
    ("rbt-2 sitm-ts, C", snapshots("rbt-2", "sitm-ts"), None, None),
    ("rbt-2 sitm-ts, RTL", snapshots("rbt-2", "sitm-ts", *SI_UNITS), None, None),
    ("rbt-2 sitm-oracle", snapshots("rbt-2", "sitm-oracle"), None, None),
    ("bfs2 pdom", divergence("bfs2", "pdom"), None, None),
    ("bfs2 dwf", divergence("bfs2", "dwf"), None, None),
    ("bfs2 tbc, C", divergence("bfs2", "tbc"), None, None),
    ("bfs2 tbc, RTL", divergence("bfs2", "tbc", *TBC_UNITS), None, None),
    ("lps pdom", divergence("lps", "pdom"), None, None),
    ("lps dwf", divergence("lps", "dwf"), None, None),
    ("lps tbc, C", divergence("lps", "tbc"), None, None),
    ("lps tbc, RTL", divergence("lps", "tbc", *TBC_UNITS), None, None),
    ("nvrt pdom", divergence("nvrt", "pdom"), None, None),
    ("nvrt dwf-wb", divergence("nvrt", "dwf-wb"), None, None),  # nvrt is wrong under dwf
    ("nvrt tbc, C", divergence("nvrt", "tbc"), None, None),
    ("nvrt tbc, RTL", divergence("nvrt", "tbc", *TBC_UNITS), None, None),
    ("gpkvs none", persistency("gpkvs", "sbrp-near", "none"), None, None),
    ("gpkvs epoch-far", persistency("gpkvs", "sbrp-far", "epoch"), None, None),
    ("gpkvs sbrp-near, C", persistency("gpkvs", "sbrp-near", "sbrp"), None, None),
    ("gpkvs sbrp-near, RTL", persistency("gpkvs", "sbrp-near", "sbrp", *SBRP_UNITS), None, None),
    ("red none", persistency("red", "sbrp-near", "none"), None, None),
    ("red epoch-far", persistency("red", "sbrp-far", "epoch"), None, None),
    ("red sbrp-near, C", persistency("red", "sbrp-near", "sbrp"), None, None),
    ("red sbrp-near, RTL", persistency("red", "sbrp-near", "sbrp", *SBRP_UNITS), None, None),
    ("km-hc localtm, C", ["km-hc", "--preset", "localtm"], None, None),
    ("km-hc localtm, RTL", ["km-hc", "--preset", "localtm", *LOCALTM_UNITS], None, None),
]
# Processor time with all units of the system in RTL over that with C models: at most so much is wanted.
RATIOS = {
    "ht-h getm": 1.15,
    "atm getm": 1.15,
    "ht-h kilotm": 1.5,
    "ht-h warptm": 1.5,
    "ll-2 sitm-ts": 1.5,
    "rbt-2 sitm-ts": 1.5,
    "bfs2 tbc": 1.15,
    "lps tbc": 1.15,
    "nvrt tbc": 1.15,
    "gpkvs sbrp-near": 1.2,
    "red sbrp-near": 1.2,
    "km-hc localtm": 1.5,
}

COLUMNS = ["run", "host s", "cpu s", "sim us", "kcycles/s", "Mthread-i/s", "kwarp-i/s", "MB", "GPGPU-Sim s", "faster", "aim"]


def run_once(command, folder):
    """One run in a child of its own, so that its resources are its own: (statistics, user seconds, peak MB)."""
    path = os.path.join(folder, "stats.json")
    child = subprocess.Popen(command + ["--stats", path], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"speed.py: {' '.join(command)}: exit status {child.returncode}")
    with open(path) as file:
        return json.load(file), usage.ru_utime, usage.ru_maxrss / 1024


def by_turns(cowarp, chosen, runs):
    """Results of `runs` runs of each line. All lines take turns, so that what slows the machine down for a while meets all of them."""
    results = [[] for _ in chosen]
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(runs):
            for line, (_, arguments, _, _) in zip(results, chosen):
                line.append(run_once([cowarp, "run"] + arguments, folder))
    return results


def counter(stats, name):
    return stats["counters"][name]["value"]


def row_of(run, results):
    name, _, peer, aim = run
    if len({r["cycles"] for r, _, _ in results}) != 1:
        sys.exit(f"speed.py: {name}: runs differ in their cycles")
    stats = min((r for r, _, _ in results), key=lambda r: r["host_seconds"])
    return {"name": name, "host_seconds": stats["host_seconds"], "cpu_seconds": min(u for _, u, _ in results),
            "simulated_us": stats["simulated_us"], "cycles": stats["cycles"],
            "thread_instructions": stats["thread_instructions"] + counter(stats, "functional_thread_instructions"),
            "warp_instructions": stats["warp_instructions"] + counter(stats, "functional_warp_instructions"), "peak_mbytes": max(m for _, _, m in results),
            "gpgpusim_seconds": peer, "aim_times": aim}


def cells(row):
    s = row["host_seconds"]
    peer, aim = row["gpgpusim_seconds"], row["aim_times"]
    return [row["name"], f"{s:.3f}", f"{row['cpu_seconds']:.3f}", f"{row['simulated_us']:.1f}", f"{row['cycles'] / s / 1e3:.0f}",
            f"{row['thread_instructions'] / s / 1e6:.1f}", f"{row['warp_instructions'] / s / 1e3:.0f}", f"{row['peak_mbytes']:.0f}",
            f"{peer}" if peer else "", f"{peer / s:.0f} x" if peer else "", f"{aim} x" if aim else ""]


def print_line(values, widths, markdown):
    if markdown:
        print("| " + " | ".join(values) + " |", flush=True)
    else:
        print("  ".join(v.ljust(w) if i == 0 else v.rjust(w) for i, (v, w) in enumerate(zip(values, widths))), flush=True)


def print_ratios(rows):
    seconds = {row["name"]: row["cpu_seconds"] for row in rows}
    for workload, wanted in RATIOS.items():
        c, in_rtl = seconds.get(f"{workload}, C"), seconds.get(f"{workload}, RTL")
        if c and in_rtl:
            print(f"\n{workload}: all units in RTL take {in_rtl / c:.2f} times the processor time of C models (wanted: {wanted})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cowarp")
    parser.add_argument("--runs", type=int, default=7, help="runs per line, the fastest counts (default 7)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only lines whose name contains TEXT")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    parser.add_argument("--json", metavar="FILE", help="write the measurements to FILE as well")
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs must be at least 1")
    widths = [20] + [max(9, len(c)) for c in COLUMNS[1:]]
    chosen = [run for run in RUNS if options.only in run[0]]
    rows = [row_of(run, results) for run, results in zip(chosen, by_turns(os.path.abspath(options.cowarp), chosen, options.runs))]
    print_line(COLUMNS, widths, options.markdown)
    if options.markdown:
        print("|---|" + "---:|" * (len(COLUMNS) - 1))
    for row in rows:
        print_line(cells(row), widths, options.markdown)
    print_ratios(rows)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
