#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The file list of each unit is exactly what the unit needs: Icarus elaborates the unit from these files alone, and does not when any one of
them is missing; the FuseSoC core, with those that it depends on, names the same files, and the module's parameters. Usage: rtl_files_test.py SOURCE_DIR FILES_DIR"""
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


def load_core(module, folder):
    text = (folder / f"{module}.core").read_text()
    if not text.startswith("CAPI=2:\n"):
        sys.exit(f"{module}.core: does not begin with CAPI=2:")
    return yaml.safe_load(text.removeprefix("CAPI=2:\n"))


def core_files(module, folder, seen):
    """Files of a core and of all that it depends on."""
    core = load_core(module, folder)
    if module not in seen:
        seen.add(module)
        for name in core["filesets"]["rtl"].get("depend", []):
            core_files(name.split(":")[2], folder, seen)
    return {f"{name}.v" for name in seen}


def check_core(unit, folder):
    top = f"cw_{unit}"
    core = load_core(top, folder)
    listed = {pathlib.Path(line).name for line in (folder / f"{top}.f").read_text().splitlines()}
    head = (folder / f"{top}.v").read_text()
    head = head[head.index(f"module {top}"):]
    declared = set(re.findall(r"\bparameter\s+(\w+)", head[:head.index(") (")]))
    wrong = []
    if core_files(top, folder, set()) != listed or not all((folder / name).is_file() for name in listed):
        wrong.append(f"{top}.core: its files with those of its dependences are not those of {top}.f")
    if core["name"].split(":")[:3] != ["cowarp", "rtl", top] or core["filesets"]["rtl"]["files"] != [f"{top}.v"]:
        wrong.append(f"{top}.core: name or files")
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
