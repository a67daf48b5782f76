#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Host speed of the simulator: seconds from launch to finish, simulated time, cycles and instructions per host second, peak memory, per
workload and unit backend, beside GPGPU-Sim 4.2 (GTX480 configuration, one thread, same class of machine) where that was measured.

    benchmarks/speed.py build/cowarp [--repeat 3] [--json FILE]

Runs are pinned to one core. The best of the repeats is shown: host noise only ever adds.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

# name, arguments, GPGPU-Sim host seconds for the same shape of kernel
RUNS = [
    ("ht-h, fine-grained locks", ["ht-h", "--system", "fglock"], 10.8),
    ("vecadd, 65,536 elements", ["vecadd", "--param", "n=65536"], 2.1),
    ("vecadd, 1,048,576 elements", ["vecadd", "--param", "n=1048576"], 53.6),
    ("laplace, 100^3", ["laplace"], 115.0),
    ("ht-h, GETM, C units", ["ht-h", "--system", "getm"], None),
    ("ht-h, GETM, RTL units", ["ht-h", "--system", "getm", "--unit", "validation_unit=rtl"], None),
    ("ht-h, GETM, lockstep", ["ht-h", "--system", "getm", "--unit", "validation_unit=lockstep"], None),
    ("atm, GETM, C units", ["atm", "--system", "getm"], None),
]


def run_once(command, path):
    subprocess.run(command + ["--stats", path], check=True, stdout=subprocess.DEVNULL,
                   preexec_fn=lambda: os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]}))
    with open(path) as file:
        return json.load(file)


def peak_mbytes(command):
    """Peak resident set of one run, in a child of its own so that earlier runs do not count."""
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    return int(subprocess.run([sys.executable, "-c", code] + command, check=True, capture_output=True, text=True).stdout) / 1024


def measure(cowarp, arguments, repeat):
    command = [cowarp, "run"] + arguments
    with tempfile.TemporaryDirectory() as folder:
        results = [run_once(command, os.path.join(folder, "stats.json")) for _ in range(repeat)]
    best = min(results, key=lambda r: r["host_seconds"])
    return best, peak_mbytes(command)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cowarp")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json")
    options = parser.parse_args()
    rows = []
    print("| run | host s | simulated us | kcycles/s | M thread instr/s | k warp instr/s | peak MB | GPGPU-Sim s | times faster |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name, arguments, peer in RUNS:
        r, memory = measure(os.path.abspath(options.cowarp), arguments, options.repeat)
        s = r["host_seconds"]
        row = dict(name=name, host_seconds=s, simulated_us=r["simulated_us"], cycles=r["cycles"],
                   thread_instructions=r["thread_instructions"], warp_instructions=r["warp_instructions"], peak_mbytes=memory,
                   gpgpusim_seconds=peer)
        rows.append(row)
        print(f"| {name} | {s:.3f} | {r['simulated_us']:.1f} | {r['cycles'] / s / 1e3:.0f} | {r['thread_instructions'] / s / 1e6:.1f} | "
              f"{r['warp_instructions'] / s / 1e3:.0f} | {memory:.0f} | {peer if peer else ''} | {f'{peer / s:.0f}' if peer else ''} |",
              flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
