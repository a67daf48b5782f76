#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Limits that only go down, tests/ratchets.txt. Who needs more room makes room first.

    ratchets.py check       counts; exit status 1 when a count has risen, or has fallen and the file still says the old one
    ratchets.py count       prints the counts as lines of the file

A line of the file is: name, limit, grain, what is counted. A count is compared as rounded up to its grain, so that a page may lose a word without
an edit of the file. Other tests ask limit(NAME) for their bound: it stands nowhere else.
"""
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
FILE = ROOT / "tests/ratchets.txt"
FUNCTION = re.compile(r"^[a-z][\w *]*\([^;{]*\)\n\{", re.MULTILINE)
FRAGMENT = re.compile(r"/\* ?[a-z][^*]*\*/")
GPU_LOOP = re.compile(r"for \([^;]*;[^;]*\b(?:core_count|partition_count|mech_cnt)\b")


def lines():
    """{name: (limit, grain, what)}"""
    found = {}
    for text in FILE.read_text().splitlines():
        if text and not text.startswith("#"):
            name, limit, grain, what = text.split(maxsplit=3)
            found[name] = int(limit), int(grain), what
    return found


def limit(name):
    return lines()[name][0]


def sources(folder, *suffixes):
    return [path.read_text() for path in sorted((ROOT / folder).rglob("*")) if path.suffix in suffixes]


def words():
    """As tests/docs_links.py counts them."""
    tops = [top for top in sorted(ROOT.iterdir()) if top.name.split("-")[0] not in ("build", ".git")]
    pages = [p for top in tops for p in ([top] if top.suffix == ".md" else sorted(top.rglob("*.md")) if top.is_dir() else [])]
    return sum(len(p.read_text().replace("<!-- SPDX-License-Identifier: Apache-2.0 -->\n", "\n", 1).split()) for p in pages)


def readers(header):
    return sum(f'#include "{header}"' in text for text in sources("csim", ".c", ".h"))


def functions_of(folder, parameter):
    return sum(parameter in found.group(0) for text in sources(folder, ".c") for found in FUNCTION.finditer(text))


def files_with(word, but):
    return sum(word in path.read_text() for path in (ROOT / "csim").rglob("*.[ch]") if but not in path.parents)


COUNTS = {
    "pages.words": words,
    "core_state.readers": lambda: readers("core/core_state.h"),
    "core_state.lines": lambda: (ROOT / "csim/core/core_state.h").read_text().count("\n"),
    "core.whole": lambda: functions_of("csim/core", "struct cw_core *"),
    "partition.namers": lambda: files_with("struct cw_partition", ROOT / "csim/mem"),
    "gpu.loops": lambda: sum(len(GPU_LOOP.findall(text)) for text in sources("csim/gpu", ".c")),
    "file.lines": lambda: max(text.count("\n") for folder in ("csim", "harness") for text in sources(folder, ".c", ".h", ".cpp")),
    "comments.fragments": lambda: sum(len(FRAGMENT.findall(text)) for text in sources("csim", ".c", ".h")),
}


def rounded(value, grain):
    return math.ceil(value / grain) * grain


def check():
    wrong = []
    known = lines()
    for name, (most, grain, _) in known.items():
        value = COUNTS[name]()
        if value > most:
            wrong.append(f"{name} is {value}, more than {most}: make room first (tests/ratchets.txt)")
        elif rounded(value, grain) < most:
            wrong.append(f"{name} has fallen to {value}: write {rounded(value, grain)} for {most} into tests/ratchets.txt")
    wrong += [f"{name}: has no line in tests/ratchets.txt" for name in COUNTS if name not in known]
    print("\n".join(wrong) or f"{len(known)} limits kept")
    return bool(wrong)


def count():
    for name, (_, grain, what) in lines().items():
        print(f"{name} {rounded(COUNTS[name](), grain)} {grain} {what}")


if __name__ == "__main__":
    if sys.argv[1:] == ["count"]:
        count()
    elif sys.argv[1:] == ["check"]:
        sys.exit(check())
    else:
        sys.exit(__doc__)
