#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes random litmus tests of persistency, none like another one or like one beside this script.

Usage: generate.py FOLDER [--seed S] [--count N]"""
import argparse
import pathlib

import program


def write(folder, seed, count):
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("random_*.lit"):
        old.unlink()
    known = {program.canonical(program.parse(path.read_text())) for path in pathlib.Path(__file__).parent.glob("*.lit")}
    for i, text in enumerate(program.random_programs(seed, count, known)):
        (folder / f"random_{i:03}.lit").write_text(f"# seed {seed}, {i}\n{text}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    given = parser.parse_args()
    write(given.folder, given.seed, given.count)
