#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The TLM-2.0 platform answers as the C driver does, in the same cycles: a stream recorded from a run of the whole GPU, through the four-phase
protocol with and without back-pressure and through b_transport, into the unit of the getm preset and into a small one whose tables overflow. Usage: replay_test.py BUILD_DIR"""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

SMALL = ["--tx-warps", "4"] + [word for text in ("table_rows=8", "stash=1", "max_swaps=4", "bloom_rows=4", "stall_lines=2", "spill_after=1")
                               for word in ("--set", "getm." + text)]
# name, platform, options of the run, lines of the recording to replay, outcomes (enum cw_vu_outcome) that it must show, whether it must use
# the overflow area
STREAMS = [("getm", "systemc_platform", [], 100000, {0, 1, 2}, False), ("small", "systemc_platform_small", SMALL, 9000, {0, 1}, True)]
PRESSURE = [[], ["2", "9"], ["blocking"]]  # as it comes; every 2nd answer is held for 9 cycles; b_transport, which cannot hold an answer


def run(*command, good=0):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60)
    if result.returncode != good:
        sys.exit(f"{' '.join(map(str, command))}: exit status {result.returncode}, not {good}\n{result.stdout[-500:]}{result.stderr[-1000:]}")
    return result


def compare(build, stim, platform, pressure, outcomes, overflows):
    driver = run(build / "systemc_replay_c", stim, *(word for word in pressure if word != "blocking"))
    c = driver.stdout.splitlines()
    systemc = run(build / platform, stim, *pressure).stdout.splitlines()
    if c != systemc:
        line = next((i for i, (a, b) in enumerate(zip(c, systemc)) if a != b), min(len(c), len(systemc)))
        sys.exit(f"{platform} {pressure}: {len(c)} answers of the C driver, {len(systemc)} of SystemC; the first difference is in line {line + 1}:"
                 f"\nC       {c[line:line + 1]}\nSystemC {systemc[line:line + 1]}")
    seen = collections.Counter(int(line.split()[2]) for line in c)
    if len(c) < 1000 or not outcomes <= set(seen):
        sys.exit(f"{platform}: {len(c)} answers with outcomes {dict(seen)}: this stream shows too little")
    if overflows and int(re.search(r"(\d+) accesses", driver.stderr).group(1)) < 100:
        sys.exit(f"{platform}: the overflow area is not used: {driver.stderr}")
    return c


def check_recording(build, folder):
    """With one partition there is one unit, so what it decided is what was recorded and what it retried."""
    stim, stats = folder / "one.stim", folder / "one.json"
    run(build / "cowarp", "run", "ht-h", "--system", "getm", "--quiet", "--tx-warps", "2", "--set", "partition.count=1", "--stats", stats,
        "--record", f"partition0.validation_unit={stim}")
    recorded = sum(" send req " in line for line in stim.read_text().splitlines())
    value = {name: int(re.search(rf'"{name}": {{"value": (\d+)', stats.read_text()).group(1)) for name in ("vu_requests", "vu_retries")}
    if recorded == 0 or value["vu_requests"] != recorded + value["vu_retries"]:
        sys.exit(f"{recorded} requests recorded, statistics {value}")
    print(f"{recorded} requests recorded, all that the unit was sent")


def main():
    build = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for name, platform, options, lines, outcomes, overflows in STREAMS:
            stim = pathlib.Path(folder) / f"{name}.stim"
            run(build / "cowarp", "run", "ht-h", "--system", "getm", "--quiet", "--record", f"partition0.validation_unit={stim}", *options)
            stim.write_text("".join(stim.read_text().splitlines(keepends=True)[:lines]))
            timings = [compare(build, stim, platform, pressure, outcomes, overflows) for pressure in PRESSURE]
            if timings[0] == timings[1] or timings[0] != timings[2]:
                sys.exit(f"{name}: back-pressure changed nothing")
            print(f"{name}: {sum(map(len, timings))} answers equal, cycle by cycle")
        check_recording(build, pathlib.Path(folder))
        # a recording for other parameters than the module's is refused
        message = run(build / "systemc_platform", stim, good=2).stderr
        if "other parameters" not in message:
            sys.exit(f"unexpected message: {message}")
        # errors of the recording option
        for setting, words in (("nonsense", "expected an instance and a file"), (f"partition99.validation_unit={folder}/x", "no such unit instance")):
            result = run(build / "cowarp", "run", "ht-h", "--system", "getm", "--record", setting, good=2)
            if words not in result.stderr:
                sys.exit(f"--record {setting}: {result.stderr}")
        if (pathlib.Path(folder) / "x").exists():
            sys.exit("a recording of nothing left a file")


if __name__ == "__main__":
    main()
