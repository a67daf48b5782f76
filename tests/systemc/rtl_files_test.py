#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The file list of each unit is exactly what the unit needs: Icarus elaborates the unit from these files alone, and does not when any one of
them is missing; the FuseSoC core names the same files, with the unit's parameters. Usage: rtl_files_test.py SOURCE_DIR FILES_DIR"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys

import yaml

UNKNOWN = re.compile(r"Unknown module type: (\w+)|Unable to find the root module \"(\w+)\"")


def missing(top, files):
    """The modules that Icarus misses; None when it elaborates."""
    result = subprocess.run(["iverilog", "-g2005", "-t", "null", "-s", top, *map(str, files)], capture_output=True, text=True)
    return None if result.returncode == 0 else {name for pair in UNKNOWN.findall(result.stderr) for name in pair if name}


def check_list(unit, folder):
    top = f"cw_{unit}"
    files = [pathlib.Path(line) for line in (folder / f"{top}.f").read_text().splitlines()]
    if (lost := missing(top, files)) is not None:
        return [f"{top}.f: does not elaborate; missing {sorted(lost)}"], 1
    wrong = []
    for path in files:
        if path.stem != top and missing(top, [other for other in files if other != path]) != {path.stem}:
            wrong.append(f"{top}.f: {path.name} is not needed")
    return wrong, len(files) + 1


def check_core(unit, folder):
    top = f"cw_{unit}"
    text = (folder / f"{top}.core").read_text()
    core = yaml.safe_load(text.removeprefix("CAPI=2:\n"))
    listed = [pathlib.Path(line).name for line in (folder / f"{top}.f").read_text().splitlines()]
    wrong = []
    if not text.startswith("CAPI=2:\n") or not core["name"].startswith(f"cowarp:unit:{unit}:"):
        wrong.append(f"{top}.core: head")
    if core["filesets"]["rtl"]["files"] != listed or not all((folder / name).is_file() for name in listed):
        wrong.append(f"{top}.core: its files are not those of {top}.f")
    verilog = (folder / f"{top}.v").read_text()
    head = verilog[verilog.index(f"module {top}"):]
    declared = set(re.findall(r"\bparameter\s+(\w+)", head[:head.index(") (")])) if "#(" in head.split("(", 1)[0] + "(" else set()
    for target in core["targets"].values():
        if target["toplevel"] != top or set(target["parameters"]) != declared or set(core["parameters"]) != declared:
            wrong.append(f"{top}.core: parameters {sorted(core['parameters'])}, the module has {sorted(declared)}")
    return wrong


def main():
    root, folder = map(pathlib.Path, sys.argv[1:3])
    units = sorted(path.stem for path in (root / "include/cowarp/unit").glob("*.h"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda unit: check_list(unit, folder), units))
    wrong = [line for lines, _ in results for line in lines] + [line for unit in units for line in check_core(unit, folder)]
    lists = {path.stem for path in folder.glob("*.f")}
    if lists != {f"cw_{unit}" for unit in units}:
        wrong.append(f"file lists {sorted(lists)}, units {units}")
    print("\n".join(wrong))
    print(f"{len(units)} units, {sum(count for _, count in results)} elaborations, {len(wrong)} wrong")
    return 1 if wrong or not units else 0


if __name__ == "__main__":
    sys.exit(main())
