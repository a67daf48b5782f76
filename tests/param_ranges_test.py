#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/param_ranges.py notices what it is there for: it fails with each of some ranges changed in a copy of the source tree.

Usage: param_ranges_test.py SOURCE_DIR"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

LIST, UNIT = "include/cowarp/unit/last_written_table.h", "csim/unit/last_written_table.c"
# file (its name), text, what it becomes, what param_ranges.py has to say
PLANTED = [
    (LIST, "P(time_w, TIME_W, 64, 4, 64,", "P(time_w, TIME_W, 64, 5, 64,", "last_written_table: the Verilog takes TIME_W = 4; the list says 5 to 64"),
    (LIST, "P(time_w, TIME_W, 64, 4, 64,", "P(time_w, TIME_W, 64, 3, 64,", "last_written_table: the Verilog refuses TIME_W = 3; the list says 3 to 64"),
    (LIST, "P(time_w, TIME_W, 64, 4, 64,", "P(time_w, TIME_W, 60, 4, 64,", "last_written_table: TIME_W is 64 by default in Verilog, 60 in the list"),
    (LIST, "P(ways, WAYS, 4, 1, 4,", "P(ways, WAYS, 4, 1, 5,", "last_written_table: the Verilog refuses WAYS = 5; the list says 1 to 5"),
    ("cw_last_written_table.v", "BLOCK_W > 16 ||", "BLOCK_W > 17 ||", "last_written_table: the Verilog takes BLOCK_W = 17; the list says 0 to 16"),
    ("cw_last_written_table.v", "if (TIME_W < 4 || TIME_W > 64)", "if (0)", "last_written_table: the Verilog takes TIME_W = 3"),
    ("cw_last_written_table.v", "TIME_W  = 64   // 4 .. 64", "TIME_W  = 64   // 4 .. 32", "the comment on TIME_W in the Verilog says 4 .. 32, the list 4 to 64"),
    ("cw_last_written_table.v", "time_w_must_be_4_to_64", "time_w_must_be_4_to_32", "cw_error_last_written_table_time_w_must_be_4_to_32 is the message for TIME_W"),
    ("cw_order_masks.v", "cw_error_order_masks_warps_must_be", "cw_order_masks_warps_must_be", "order_masks: the Verilog does not refuse any value of WARPS"),
    (UNIT, "if (cw_unit_params_check(&cw_last_written_table_unit, p, NULL) != CW_OK", "if (p->ways == 0", "last_written_table: create of the C model does not check"),
    (UNIT, "p, NULL) != CW_OK", "p, NULL) != CW_OK || p->ways > 3", "last_written_table: create of the C model has a range of its own"),
]


def run(root):
    done = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("param_ranges.py"), root], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main():
    source, failed = pathlib.Path(sys.argv[1]), 0
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for part in ("include/cowarp/unit", "rtl", "csim/unit"):
            shutil.copytree(source / part, root / part)
        for name, before, after, wanted in PLANTED:
            path = root / name if "/" in name else next((root / "rtl").rglob(name))
            whole = path.read_text()
            if before not in whole:
                failed += 1
                print(f"{name} has no '{before}' any more")
            path.write_text(whole.replace(before, after, 1))
            status, text = run(root)
            path.write_text(whole)
            if status != 1 or wanted not in text:
                failed += 1
                print(f"{name} with '{after}': exit status {status}, expected '{wanted}' in: {text}")
        status, text = run(root)
        if status != 0:
            failed += 1
            print(f"the tree as it is: {text}")
    print(f"{1 + len(PLANTED)} trees checked, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
