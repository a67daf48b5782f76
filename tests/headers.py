#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Public headers compile alone, as C11 and as C++, and every C file compiles without a warning under clang as it does under gcc.
Usage: headers.py SOURCE_DIR [--clang BUILD_DIR]  (with --clang: the second check, with the includes and macros of that build)"""
import concurrent.futures
import json
import pathlib
import shlex
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


def build_flags(build):
    """{source: the -I and -D of its first compilation in the build}."""
    flags = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = [word for word in shlex.split(entry["command"]) if word.startswith(("-I", "-D"))]
        flags.setdefault(pathlib.Path(entry["file"]).resolve(), words)
    return flags


def clang_commands(root, build):
    """Every C file as the build compiles it, and those that only clang compiles. A file that neither does is an error."""
    flags = build_flags(build) | {root / "tests/fuzz/fuzz_ptx.c": [f"-I{root / d}" for d in ("include", "csim")]}
    flags[root / "tests/fuzz/fuzz_fatbin.c"] = [f"-I{root / d}" for d in ("harness", "csim")]
    flags |= {source: ['-DFATBIN=""'] for source in (root / "tests/cuda").glob("*.c")}  # tests compile these, as users compile theirs
    example = root / "examples/abort_predictor"  # tests/docs_page.py puts it into a tree, as a reader does
    flags |= {source: [f"-I{d}" for d in (example / "include", root / "include", root / "csim", example / "csim", root / "harness", root / "tests", root / "tests/rtl", root / "harness/rtl")]
              for source in example.rglob("*.c")}
    for folder in ("csim", "harness", "kernels", "tests", "examples", "benchmarks"):
        for source in sorted((root / folder).rglob("*.c")):
            if source not in flags:
                sys.exit(f"{source.relative_to(root)}: no target of the build compiles it")
            yield ["clang-14"] + C_WARNINGS + flags[source] + [str(source)]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    commands = list(clang_commands(root, pathlib.Path(sys.argv[3])) if "--clang" in sys.argv[2:] else header_commands(root))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failures = [text for text in pool.map(compile_one, commands) if text]
    print("\n".join(failures))
    print(f"{len(commands)} compilations, {len(failures)} failed")
    return 1 if failures or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
