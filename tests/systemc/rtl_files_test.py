#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The file list of each unit is exactly what the unit needs: Icarus elaborates the unit from these files alone, and does not when any one of
them is missing; the FuseSoC core, with those that it depends on, names the same files, and the module's parameters.

Every core, of units and of what is inside them, is then used as FuseSoC would: the files of the core and of its dependences, alone in a folder,
its toplevel and its parameters, in Verilator as its target lint says, and in Icarus. Usage: rtl_files_test.py SOURCE_DIR FILES_DIR"""
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

ONLY_WITH = {"cw_secded": "-DCW_RAM_ECC"}  # modules that a unit has with a macro
UNKNOWN = re.compile(r"Unknown module type: (\w+)|Unable to find the root module \"(\w+)\"")


def missing(top, files, macro=None):
    """The modules that Icarus misses; None when it elaborates."""
    result = subprocess.run(["iverilog", "-g2005", *([macro] if macro else []), "-t", "null", "-s", top, *map(str, files)], capture_output=True, text=True)
    return None if result.returncode == 0 else {name for pair in UNKNOWN.findall(result.stderr) for name in pair if name}


def check_list(unit, folder):
    top = f"cw_{unit}"
    files = [pathlib.Path(line) for line in (folder / f"{top}.f").read_text().splitlines()]
    if (lost := missing(top, files)) is not None:
        return [f"{top}.f: does not elaborate; missing {sorted(lost)}"], 1
    wrong = []
    for path in files:
        if path.stem != top and missing(top, [other for other in files if other != path], ONLY_WITH.get(path.stem)) != {path.stem}:
            wrong.append(f"{top}.f: {path.name} is not needed")
    return wrong, len(files) + 1


def load_core(module, folder):
    text = (folder / f"{module}.core").read_text()
    if not text.startswith("CAPI=2:\n"):
        sys.exit(f"{module}.core: does not begin with CAPI=2:")
    return yaml.safe_load(text.removeprefix("CAPI=2:\n"))


def core_files(module, folder, seen):
    """Files of a core and of all that it depends on, by vendor, library, name and version."""
    core = load_core(module, folder)
    if module not in seen:
        seen[module] = core["filesets"]["rtl"]["files"]
        for name in core["filesets"]["rtl"].get("depend", []):
            below = name.split(":")[2]
            if load_core(below, folder)["name"] != name:
                sys.exit(f"{module}.core: depends on {name}, and {below}.core is another one")
            core_files(below, folder, seen)
    return {name for files in seen.values() for name in files}


def elaborate(core, files, folder):
    """What Verilator, as target lint has it, and Icarus say against these files alone; empty: nothing."""
    target = core["targets"]["lint"]
    values = {name: core["parameters"][name]["default"] for name in target.get("parameters", [])}
    tool = target["tools"][target["default_tool"]]
    if (target["default_tool"], tool["mode"], core["filesets"]["rtl"]["file_type"]) != ("verilator", "lint-only", "verilogSource-2005"):
        return f"target lint is {target}"
    with tempfile.TemporaryDirectory() as alone:
        for name in files:
            shutil.copy(folder / name, alone)
        commands = [["verilator", "--lint-only", *tool["verilator_options"], "--top-module", target["toplevel"],
                     *(f"-G{name}={value}" for name, value in values.items())],
                    ["iverilog", "-g2005", "-Wall", "-t", "null", "-s", target["toplevel"], *(f"-P{target['toplevel']}.{n}={v}" for n, v in values.items())]]
        for command in commands:
            done = subprocess.run([*command, *sorted(files)], capture_output=True, text=True, cwd=alone)
            if done.returncode != 0 or done.stderr.strip():
                return f"{command[0]}: {done.stderr.strip().splitlines()[0]}"
    return ""


def check_use(module, folder):
    """And the tools do notice when a file is not there, or when the toplevel is another module."""
    core, wrong, seen = load_core(module, folder), [], {}
    files = core_files(module, folder, seen)
    if any(target["toplevel"] != module or set(target["filesets"]) != {"rtl"} for target in core["targets"].values()):
        wrong.append(f"{module}.core: a target's toplevel or filesets")
    verilog = (folder / f"{module}.v").read_text().splitlines()[0]
    if verilog != f"// SPDX-License-Identifier: {core.get('license')}":
        wrong.append(f"{module}.core: license {core.get('license')}, its Verilog begins with '{verilog}'")
    if said := elaborate(core, files, folder):
        wrong.append(f"{module}.core: {said}")
    below = sorted(set(seen) - {module, *ONLY_WITH})
    if below and not elaborate(core, files - set(seen[below[0]]), folder):
        wrong.append(f"{module}.core: elaborates without a file of its dependences")
    core["targets"]["lint"]["toplevel"] = "cw_other"
    if not elaborate(core, files, folder):
        wrong.append(f"{module}.core: any toplevel will do")
    return wrong


def check_core(unit, folder):
    top = f"cw_{unit}"
    core = load_core(top, folder)
    listed = {pathlib.Path(line).name for line in (folder / f"{top}.f").read_text().splitlines()}
    head = (folder / f"{top}.v").read_text()
    head = head[head.index(f"module {top}"):]
    declared = set(re.findall(r"\bparameter\s+(\w+)", head[:head.index(") (")]))
    wrong = []
    if core_files(top, folder, {}) != listed or not all((folder / name).is_file() for name in listed):
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
        cores = sorted(path.stem for path in folder.glob("*.core"))
        wrong += [line for lines in pool.map(lambda module: check_use(module, folder), cores) for line in lines]
    if set(cores) != {path.stem for path in folder.glob("*.v")}:
        wrong.append("there is not one core for each Verilog file")
    lists = {path.stem for path in folder.glob("*.f")}
    if lists != {f"cw_{unit}" for unit in units}:
        wrong.append(f"file lists {sorted(lists)}, units {units}")
    print("\n".join(wrong))
    print(f"{len(units)} units, {sum(count for _, count in results)} elaborations of file lists; {len(cores)} cores; {len(wrong)} wrong")
    return 1 if wrong or not units else 0


if __name__ == "__main__":
    sys.exit(main())
