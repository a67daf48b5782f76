#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows docs/api.md against a finished build: docs_api.py PAGE SOURCE_DIR BUILD_DIR.

The commands run in an empty folder, in which include, examples and build stand for those of the source tree and the build. A fenced block is:
    c FILE    a whole program; it is written to FILE, and a later command must compile it
    c         a fragment; it is not compiled, so it has no main
    sh        commands, run by bash; any that fails ends the test
    text      after sh: lines that are in the output, ... is anything
Every library that the page names must be in the build."""
import pathlib
import re
import subprocess
import sys
import tempfile

from docs_page import compare, steps


def check_names(text, build):
    named = set(re.findall(r"build/(lib\w+\.a)", text))
    missing = sorted(name for name in named if not (build / name).is_file())
    if missing or not named:
        raise AssertionError(f"names no library of the build: {', '.join(missing) or 'no name at all'}")


def write_program(folder, path, body):
    if "/" in path or "int main(" not in body:
        raise AssertionError(f"{path}: expected a whole program and a plain file name")
    (folder / path).write_text(body)


def run(folder, body):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", body], cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=240, check=False)
    if done.returncode != 0 or "warning:" in done.stdout:
        raise AssertionError(f"exit status {done.returncode}, or a warning:\n{done.stdout}")
    return done.stdout


def follow(page, source, build):
    text = page.read_text()
    written, commands, compared, output = [], "", 0, None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for link, target in {"include": source / "include", "examples": source / "examples", "build": build}.items():
            (folder / link).symlink_to(target)
        for line, language, path, body in steps(text):
            try:
                if language == "c" and path:
                    write_program(folder, path, body)
                    written.append(path)
                elif language == "c" and "int main(" not in body:
                    continue
                elif language == "sh":
                    output = run(folder, body)
                    commands += body
                elif language == "text" and output is not None:
                    compare(body, output)
                    compared += 1
                else:
                    raise AssertionError(f"a block of {language} is no step here; a whole program needs a file name")
            except AssertionError as e:
                sys.exit(f"{page.name}:{line}: {e}")
    left_out = [path for path in written if not re.search(rf"\bcc .*\b{re.escape(path)}\b", commands)]
    if left_out or not written or compared == 0:
        sys.exit(f"{page.name}: {compared} outputs compared; programs that no command compiles: {', '.join(left_out) or 'none is there'}")
    check_names(text, build)
    print(f"{page.name}: {len(written)} programs written, {compared} outputs compared")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: docs_api.py PAGE SOURCE_DIR BUILD_DIR")
    follow(*(pathlib.Path(a).resolve() for a in sys.argv[1:]))
