#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functional launches in native code are those of the interpreter: native_test.py BUILD/cowarp [--all].

Each run of functional_test.py that is executed both ways leaves the same files, says the same, and counts the same. Without --all each 24th one is
executed. In a build without LLVM there is nothing to compare.
"""
import argparse
import json
import pathlib
import sys
import tempfile

import functional_test
import unmoved

COUNTED = ("functional_launches", "functional_thread_instructions", "functional_warp_instructions")


def outcome(cowarp, words, how):
    """What anybody can see of a run but its host seconds."""
    with tempfile.TemporaryDirectory(prefix="native-") as name:
        folder = pathlib.Path(name)
        done = functional_test.execute([cowarp, *words, f"--functional={how}", "--stats", "stats.json"], folder)
        stats = folder / "stats.json"
        counters = json.loads(stats.read_text())["counters"] if stats.is_file() else {}
        said = [line for line in done.stdout.splitlines() if not line.startswith("  host ")]
        return {"exit status": done.returncode, "output": said, "error": done.stderr, "counters": {k: v["value"] for k, v in counters.items()},
                "files": functional_test.results(folder)}


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("cowarp", type=lambda path: pathlib.Path(path).resolve())
    p.add_argument("--all", action="store_true")
    p.add_argument("--only", default="", help="runs whose line in unmoved.txt has this text")
    o = p.parse_args()
    if not (o.cowarp.parent / "lib/cowarp/libcowarp_native.so").is_file():
        print("no native code in this build")
        return 77
    runs = [run for run in functional_test.runs() if o.only in run]
    if not o.all and not o.only:
        runs = runs[5::24]
    wrong = counted = 0
    for run in runs:
        words = unmoved.command(o.cowarp, run)[1:]
        steps, native = (outcome(o.cowarp, words, how) for how in ("steps", "native"))
        counted += steps["counters"].get(COUNTED[1], 0)
        for what in steps:
            if steps[what] != native[what]:
                wrong += 1
                print(f"{run}: {what} differs: {str(steps[what])[:300]} by steps, {str(native[what])[:300]} in native code")
    print(f"{len(runs)} runs of {counted} thread instructions, {wrong} differences")
    return 1 if wrong or counted == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
