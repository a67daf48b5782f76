#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows docs/adding-a-mechanism.md against a finished build: docs_mechanism.py PAGE SOURCE_DIR BUILD_DIR.

A fenced block is:
    LANGUAGE PATH   a file, or its next part: parts of one path are joined with an empty line. The file must be the repository's
    cmake PATH      lines that are in the repository's file
    ptx FILE        a file for the commands
    sh              commands, run by bash; any that fails ends the test
    text            after sh: lines that are in the output, ... is anything

The page's C files are compiled, with warnings as errors, and linked to the libraries of the build in the place of the repository's. The
commands run in an empty folder, where build/PROGRAM is that program; the page's command that builds it stands for what this script does."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from docs_page import compare, steps

PROGRAM = "cowarp_tracer"
LIBRARIES = ("cowarp_session", "cowarp_fatbin", "cowarp_workloads", "cowarp_litmus", "cowarp", "cowarp_waves", "cowarp_rtl", "cowarp_csim")
WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]


def call(command, folder, **more):
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def files_of(blocks):
    """Path -> text, from its parts."""
    found = {}
    for _, language, path, body in blocks:
        if path and "/" in path and language != "cmake":
            found[path] = found[path] + "\n" + body if path in found else body
    return found


def check_files(files, source):
    for path, text in files.items():
        if not (source / path).is_file():
            raise AssertionError(f"{path} is not in the repository")
        if (source / path).read_text() != text:
            raise AssertionError(f"{path} differs from the repository's")
    folders = {pathlib.Path(path).parent for path in files}
    for folder in folders:
        missing = {p.name for p in (source / folder).iterdir() if p.is_file()} - {pathlib.Path(path).name for path in files}
        if missing:
            raise AssertionError(f"the page does not show {', '.join(sorted(missing))} of {folder}")


def build_program(files, source, build, folder):
    """Compiles and links what the page says. The other objects and the libraries are the build's."""
    objects = []
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    for path in [folder / p for p in files if p.endswith(".c")] + [build / f"mechs_{PROGRAM}.c"]:
        objects.append(folder / (path.stem + ".o"))
        call(["cc", *WARNINGS, "-O1", "-I", source / "include", "-I", source / "csim", "-c", path, "-o", objects[-1]], folder)
    command = sorted((build / "CMakeFiles/cowarp_command.dir").rglob("*.o"))
    libraries = [build / f"lib{name}.a" for name in LIBRARIES]
    (folder / "build").mkdir()
    for part in ("share", "lib"):  # what comes with cowarp is looked for beside the program
        (folder / "build" / part).symlink_to(build / part)
    call(["cc", "-o", folder / "build" / PROGRAM, *objects, *command, *libraries, "-lmd", "-lz", "-llz4", "-lzstd", "-lm", "-lpthread", "-ldl"], folder)


def run_commands(body, folder):
    """Without the command that builds the program: build_program has done that."""
    body, cnt = re.subn(rf"^cmake --build build --target {PROGRAM}$", "", body, flags=re.M)
    output = call(["bash", "-euo", "pipefail", "-c", body], folder) if body.strip() else ""
    return output, cnt


def follow(page, source, build):
    blocks = steps(page.read_text())
    files = files_of(blocks)
    built, compared, output = 0, 0, None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_files(files, source)
        build_program(files, source, build, folder)
        for line, language, path, body in blocks:
            before, output = output, None
            try:
                if path in files:
                    continue
                if language == "cmake" and path:
                    if body not in (source / path).read_text():
                        raise AssertionError(f"{path} does not have these lines")
                elif path and "/" not in path:
                    (folder / path).write_text(body)
                elif language == "sh":
                    output, cnt = run_commands(body, folder)
                    built += cnt
                elif language == "text" and before is not None:
                    compare(body, before)
                    compared += 1
                else:
                    raise AssertionError(f"a block of {language} is no step here")
            except AssertionError as e:
                sys.exit(f"{page.name}:{line}: {e}")
    if not files or built != 1 or compared == 0:
        sys.exit(f"{page.name}: {len(files)} files, the program is built {built} times, {compared} outputs compared")
    print(f"{page.name}: {len(files)} files, {len(blocks)} blocks, {compared} outputs compared")


if __name__ == "__main__":
    if len(sys.argv) != 4 or shutil.which("cc") is None:
        sys.exit("usage: docs_mechanism.py PAGE SOURCE_DIR BUILD_DIR, with a C compiler 'cc'")
    try:
        follow(*(pathlib.Path(a).resolve() for a in sys.argv[1:]))
    except AssertionError as error:
        sys.exit(str(error))
