#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of the GPU see a unit's mistakes: gpu_bins_test.py SOURCE COWARP [--kept]

The run beside each broken copy below must name the unit, the port and the cycle. The first copy passes the run `eapg`, in which no bank is
full. With --kept instead: tests/rtl/gpu_bins.txt says what scripts/gpu_bins finds."""
import pathlib
import re
import runpy
import subprocess
import sys
import tempfile

# unit, old, new, run of scripts/gpu_bins, port
BROKEN = [
    ("conflict_address_table", "localparam CNT_W = SET_W + 4;", "localparam CNT_W = SET_W + 3;", "eapg-small", "empty_o"),
    ("conflict_address_table", "refuse  = write_q && !write_remove_q && !known && full", "refuse  = 1'b0", "eapg-small", "upd_refused_o"),
    ("writer_table", "claim && !own && !owner_any", "claim && !own", "sitm-ts", None),
]


def main():
    source, command = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    script = source / "scripts/gpu_bins"
    if sys.argv[3:] == ["--kept"]:
        return subprocess.run([script, "--check", "--cowarp", command], check=False).returncode
    runs, wrong = runpy.run_path(str(script))["RUNS"], 0
    for unit, old, new, name, port in BROKEN:
        text = (source / f"rtl/{unit}/cw_{unit}.v").read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{unit}: '{old}' is not there once"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / f"cw_{unit}.v"
            path.write_text(text.replace(old, new), encoding="utf-8")
            done = subprocess.run([command, "run", *runs[name].split(), "--unit", f"{unit}=lockstep:{path}"], cwd=folder, capture_output=True, text=True,
                                  timeout=280, check=False)
        said = re.search(rf"lockstep: \S+ \({unit}\): cycle \d+: (\w+) is", done.stderr)
        caught = done.returncode == 1 and said is not None and port in (None, said[1])
        print(f"{unit}, {new}: {'caught at ' + said[1] if caught else 'NOT CAUGHT: ' + done.stderr.strip()[-300:]}")
        wrong += not caught
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
