#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/dpi under Verilator: the bench compares a unit's Verilog with its C model, and finds no difference; with a design that is broken on purpose
it finds one.

Usage: dpi_test.py SOURCE_DIR LIBCOWARP_DPI.SO"""
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE, LIBRARY = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
DPI = SOURCE / "examples/dpi"


def main():
    with tempfile.TemporaryDirectory() as folder:
        command = ["verilator", "--binary", "--timing", "--default-language", "1800-2017", "--top-module", "bench", "-CFLAGS", "-O0",
                   "-LDFLAGS", f"{LIBRARY} -Wl,-rpath,{LIBRARY.parent} -Wl,-rpath-link,{LIBRARY.parent}", DPI / "cowarp_units.sv", DPI / "bench.sv",
                   SOURCE / "rtl/priority_encoder/cw_priority_encoder.v"]
        made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if made.returncode:
            sys.exit(f"the bench cannot be built:\n{made.stdout[-3000:]}{made.stderr}")
        right, broken = (subprocess.run([f"{folder}/obj_dir/Vbench", *words], capture_output=True, text=True, check=False) for words in ([], ["+broken"]))
    subprocess.run(["c++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++", f"-I{SOURCE}/include", DPI / "cowarp_dpi.c"], check=True)
    met = re.search(r"5000 cycles, (\d+) with a bit beyond the lowest place, 0 wrong", right.stdout)
    if right.returncode or not met or int(met.group(1)) < 1000:
        sys.exit(f"the bench has status {right.returncode}:\n{right.stdout}{right.stderr}")
    if broken.returncode == 0 or "design and model differ" not in broken.stdout + broken.stderr or not re.search(r"cycle \d+: the design says", broken.stdout):
        sys.exit(f"with a broken design the bench has status {broken.returncode}:\n{broken.stdout}{broken.stderr}")
    print(f"2 runs; {met.group(1)} cycles with an index")


if __name__ == "__main__":
    main()
