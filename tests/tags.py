#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One tag, one type. Two structs of one name in two headers compile until one file includes both, and a reader or a debugger has to guess
before that. This script reads csim, harness and include. A struct, enum or union has one definition there if
  - its tag begins with cw_, wherever it is defined, or
  - a C header defines it. A .c file may name its own types as other .c files do (struct entry), but not as a header does.

Usage: tags.py SOURCE_DIR"""
import collections
import pathlib
import re
import sys

DEFINITION = re.compile(r"^[ \t]*(?:(?:typedef|static|const|extern) +)*(?:struct|union|enum) (\w+)\s*\{", re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def definitions(root):
    """{tag: [(path, line)]}"""
    found = collections.defaultdict(list)
    for top in ("csim", "harness", "include"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".c", ".h", ".cpp", ".def"):
                continue
            text = COMMENT.sub(lambda m: "\n" * m[0].count("\n"), path.read_text(errors="replace"))
            for match in DEFINITION.finditer(text):
                found[match[1]].append((path.relative_to(root), text.count("\n", 0, match.start(1)) + 1))
    return found


def public(tag, places):
    # The headers of harness/systemc are C++: the tags in a class are its own.
    return tag.startswith("cw_") or any(path.suffix == ".h" and path.parts[:2] != ("harness", "systemc") for path, _ in places)


def main():
    found = definitions(pathlib.Path(sys.argv[1]).resolve())
    double = {tag: places for tag, places in found.items() if len(places) > 1 and public(tag, places)}
    bad = [f"{path}:{line}: a second definition of {tag}, which {places[0][0]}:{places[0][1]} defines"
           for tag, places in sorted(double.items()) for path, line in places[1:]]
    print("\n".join(bad))
    print(f"{len(found)} tags, {len(bad)} wrong")
    return 1 if bad or not found else 0


if __name__ == "__main__":
    sys.exit(main())
