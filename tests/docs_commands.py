#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows the commands of a page against a finished build: docs_commands.py PAGE SOURCE_DIR BUILD_DIR.

The commands run in an empty folder, in which examples, include, kernels, python, tests and build stand for those of the source tree and the build.
A fenced block is:
    LANGUAGE FILE   a file; a later command must name it
    sh              commands, run by bash; any that fails ends the test
    text            after sh: lines that are in the output, ... is anything
    sh PROGRAM      commands for those who have the program; they run where it is, and are left out where it is not
The page must have a command and an output that is compared."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from docs_page import compare, steps

LINKS = ("examples", "include", "kernels", "python", "tests")


def write_file(tree, path, body):
    target = (tree / path).resolve()
    if tree.resolve() not in target.parents:
        raise AssertionError(f"{path} is outside of the tree")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(body)


def run(folder, body, build):
    env = {**os.environ, "COWARP_LIBRARY": str(build / "libcowarp.so"), "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", body], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=240, check=False, env=env)
    if done.returncode != 0:
        raise AssertionError(f"exit status {done.returncode}:\n{done.stdout}")
    return done.stdout


class Page:
    def __init__(self, folder, build):
        self.folder, self.build = folder, build
        self.written, self.commands, self.compared, self.output, self.left_out = [], "", 0, None, []

    def step(self, language, path, body):
        if language == "sh" and path and shutil.which(path) is None:
            self.left_out.append(path)
            self.output = None
        elif language == "sh":
            self.output = run(self.folder, body, self.build)
            self.commands += body
        elif path:
            write_file(self.folder, path, body)
            self.written.append(path)
        elif language == "text" and self.output is not None:
            compare(body, self.output)
            self.compared += 1
        elif language != "text" or not self.left_out:
            raise AssertionError(f"a block of {language} is no step here; a file needs a name")


def follow(page, source, build):
    with tempfile.TemporaryDirectory() as name:
        done = Page(pathlib.Path(name).resolve(), build)
        for link in LINKS:
            (done.folder / link).symlink_to(source / link)
        (done.folder / "build").symlink_to(build)
        for line, language, path, body in steps(page.read_text()):
            try:
                done.step(language, path, body)
            except AssertionError as e:
                sys.exit(f"{page.name}:{line}: {e}")
    unused = [path for path in done.written if not re.search(rf"\b{re.escape(path)}\b", done.commands)]
    if unused or not done.commands or done.compared == 0:
        sys.exit(f"{page.name}: {done.compared} outputs compared; files that no command names: {', '.join(unused) or 'none'}")
    print(f"{page.name}: {len(done.written)} files, {done.compared} outputs compared, left out: {', '.join(done.left_out) or 'nothing'}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: docs_commands.py PAGE SOURCE_DIR BUILD_DIR")
    follow(*(pathlib.Path(a).resolve() for a in sys.argv[1:]))
