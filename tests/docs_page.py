#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows a page of the documentation step by step in a copy of the source tree: docs_page.py PAGE SOURCE_DIR BUILD_DIR.

A fenced block is a step by what stands behind its fence:
    diff   a patch, for patch -p1
    sh     commands, run by bash from the top folder; any that fails ends the test
    text   after sh: lines that are in the output, ... is anything
Other blocks are refused, so that no step is left out by a slip. The page must have a step of each kind."""
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent / "system"))
import tree_copy  # noqa: E402

FENCE = re.compile(r"^(`{3,})(\w+)(?: (\S+))?\n(.*?)^\1$", re.M | re.S)


def steps(text):
    """(line, language, path, body) of each block."""
    found = [(text.count("\n", 0, m.start()) + 1, m[2], m[3], m[4]) for m in FENCE.finditer(text)]
    if len(re.findall(r"^`{3,}", FENCE.sub("", text), re.M)) > 0:
        raise AssertionError("a fence is not closed, or has no language")
    return found


def apply_patch(tree, body):
    done = subprocess.run(["patch", "-p1", "--forward", "--no-backup-if-mismatch"], cwd=tree, input=body, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise AssertionError(f"the patch does not apply:\n{done.stdout}")


def compare(expected, output):
    lines = output.splitlines()
    for wanted in expected.splitlines():
        pattern = re.compile(".*".join(re.escape(part) for part in wanted.split("...")))
        if not any(pattern.fullmatch(line) for line in lines):
            raise AssertionError(f"not in the output: {wanted}\n{output}")


def follow(page, source, build):
    kinds, output = set(), None
    blocks = steps(page.read_text())
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder) / "tree"
        tree_copy.copy(source, build, tree)
        tree_copy.run(tree, ["cmake", "--build", "build", "--target", "cowarp"])
        for line, language, path, body in blocks:
            start, before = time.monotonic(), output
            output = None
            try:
                if path:
                    raise AssertionError(f"{path} belongs into examples/")
                if language == "diff":
                    apply_patch(tree, body)
                elif language == "sh":
                    output = tree_copy.run(tree, "set -euo pipefail\n" + body, shell=True)
                elif language == "text" and before is not None:
                    compare(body, before)
                else:
                    raise AssertionError(f"a block of {language} is no step here")
            except AssertionError as e:
                sys.exit(f"{page.name}:{line}: {e}")
            kinds.add(language)
            print(f"{page.name}:{line}: {language} ({time.monotonic() - start:.1f} s)", flush=True)
    if kinds != {"diff", "sh", "text"}:
        sys.exit(f"{page.name}: steps of {', '.join(sorted(kinds)) or 'no kind'} only")
    print(f"{page.name}: {len(blocks)} steps followed")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: docs_page.py PAGE SOURCE_DIR BUILD_DIR")
    follow(*(pathlib.Path(a).resolve() for a in sys.argv[1:]))
