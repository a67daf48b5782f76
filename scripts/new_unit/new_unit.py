#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the skeleton of a hardware unit: contract, Verilog, C model, lockstep test with its bins, proof, datasheet, scenario and view. It is a buffer of
one item, and builds and passes its tests as it stands; docs/adding-a-unit.md leads on from there."""
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "results"))

import command_words  # noqa: E402  (after the path is set)

LENGTH_MAX = 40

# template -> path in the tree
FILES = {
    "contract.h.in": "include/cowarp/unit/{}.h",
    "verilog.v.in": "rtl/{0}/cw_{0}.v",
    "model.c.in": "csim/unit/{}.c",
    "test.c.in": "tests/rtl/test_{}.c",
    "testplan.txt.in": "tests/rtl/testplan/{}.txt",
    "bins.txt.in": "tests/rtl/bins/{}.txt",
    "formal.conf.in": "tests/rtl/formal/{}.conf",
    "datasheet.md.in": "docs/units/{}.md",
    "stimulus.stim.in": "waves/{}.stim",
    "view.gtkw.in": "waves/{}.gtkw",
}

# Stems that would meet another file or name: csim/unit/unit.c, tests/rtl/test_rtl_provider.c, rtl/lib, the prefix of error modules.
TAKEN = {"unit", "units", "lib", "provider", "rtl_provider", "error", "h3", "h3_hash"}


class Refused(Exception):
    pass


def check_name(root, name):
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise Refused(f"{name!r}: a unit's name is lower-case words joined by single underscores, as in 'stall_buffer'")
    if len(name) > LENGTH_MAX:
        raise Refused(f"{name!r}: longer than {LENGTH_MAX} characters")
    if name.startswith("cw_"):
        raise Refused(f"'{name}': the prefix cw_ is added where it belongs; give '{name[3:]}'")
    if name in TAKEN:
        raise Refused(f"'{name}': the name is taken")
    modules = sorted(root.glob(f"rtl/*/cw_{name}.v"))
    if modules:
        raise Refused(f"'{name}': {modules[0].relative_to(root)} exists")


def write(root, name):
    words = name.replace("_", " ")
    marks = {"name": name, "NAME": name.upper(), "words": words, "Words": words.capitalize()}
    files = {root / path.format(name): HERE / template for template, path in FILES.items()}
    for path in files:
        if path.exists():
            raise Refused(f"{path.relative_to(root)} exists; nothing was written")
    for path, template in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        text = re.sub(r"@(name|NAME|words|Words)@", lambda m: marks[m[1]], template.read_text())
        with open(path, "x", encoding="utf-8") as f:
            f.write(text)
    return [path.relative_to(root) for path in files]


class Parser(command_words.Parser):
    def stop(self, text):
        sys.exit(refuse(text, 2))


def main():
    parser = Parser(prog="cowarp new-unit", description=__doc__)
    parser.add_argument("name", metavar="NAME", help="of the unit, as in 'stall_buffer'")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path("."), help="source tree (default: where you stand)")
    args = parser.parse_args()
    try:
        if not (args.root / "include/cowarp/unit.h").is_file():
            raise Refused(f"{args.root} is not the source tree: it has no include/cowarp/unit.h; stand there, or name it by --root")
        check_name(args.root, args.name)
        for path in write(args.root, args.name):
            print(path)
    except Refused as e:
        sys.exit(refuse(e, 2))
    except OSError as e:
        sys.exit(refuse(f"{e.filename}: {os.strerror(e.errno)}", 1))
    print(f"\ncmake --build build && ctest --test-dir build -R '\\.{args.name}'")


def refuse(text, status):
    print(f"cowarp: new-unit: {text}", file=sys.stderr)
    return status


if __name__ == "__main__":
    try:
        main()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
