#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Public headers compile alone, as C11 and as C++, and every C file compiles without a warning under clang as it does under gcc.
Usage: headers.py SOURCE_DIR [--clang]  (with --clang: the second check)"""
import concurrent.futures
import pathlib
import subprocess
import sys

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
C_WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror", "-O1", "-fsyntax-only", "-ffp-contract=off"]


def compile_one(command):
    result = subprocess.run(command, capture_output=True, text=True)
    return None if result.returncode == 0 else " ".join(command) + "\n" + result.stderr


def header_commands(root):
    for header in sorted((root / "include").rglob("*.h")):
        for compiler in (["gcc", "-x", "c", "-std=c11"], ["g++", "-x", "c++", "-std=c++17"], ["clang-14", "-x", "c", "-std=c11"]):
            yield compiler + WARNINGS + ["-I", str(root / "include"), str(header)]


def clang_commands(root):
    include = [f"-I{root / d}" for d in ("include", "csim", "harness", "harness/rtl", "tests")]
    include += [f"-I{d}" for d in sorted(root.glob("tests/mech/*/include"))]
    define = ['-DCW_SOURCE_DIR="."', '-DCW_BINARY_DIR="."', '-DCW_RTL_PREBUILT_DIR="."', '-DCOWARP_KERNEL_DIR="."', '-DCOWARP_WAVE_PLUGIN="."',
              '-DCW_PYTHON="."', "-DCW_UNITS=CW_UNIT_NAMED(stall_buffer)", "-DCW_UNIT=stall_buffer"]
    for folder in ("csim", "harness", "kernels", "tests", "examples", "benchmarks"):
        for source in sorted((root / folder).rglob("*.c")):
            yield ["clang-14"] + C_WARNINGS + include + define + [str(source)]


def main():
    root = pathlib.Path(sys.argv[1])
    commands = list(clang_commands(root) if "--clang" in sys.argv[2:] else header_commands(root))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failures = [text for text in pool.map(compile_one, commands) if text]
    print("\n".join(failures))
    print(f"{len(commands)} compilations, {len(failures)} failed")
    return 1 if failures or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
