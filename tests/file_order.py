#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Order of the files in a folder. A README.md in a folder of csim/ or harness/ may list the folder's .c files from top to bottom, one per
line: as the first column of a table (| `x.c` | ...) or as a list (- `x.c`: ...), behind a line that begins with "From top to bottom" and
before the next heading. Then each file may use only the symbols of files that stand below it. This script compares the list with the
symbols of the object files. Every .c file has to be in the list; the entry `*.c` stands for all that have none of their own, and these
may not use each other either. Every folder of csim/ and harness/ that has .c files needs a list.

The script also looks that no floor of the core, a folder of csim/core, calls one above it. And it compares, by the same symbols, what a folder of csim uses of other folders with the order in tests/layers.py: a function that
is only declared below and defined above is a call upwards that no #include shows. And it compares the functions of csim that a folder of
harness calls with the folders that tests/layers.py names for it.

Usage: file_order.py SOURCE_DIR BUILD_DIR
"""
import collections
import functools
import pathlib
import re
import subprocess
import sys

from layers import HARNESS, floor, may_use

LIST = re.compile(r"^From top to bottom(.*?)(?=^#|\Z)", re.MULTILINE | re.DOTALL)
ENTRY = re.compile(r"^(?:\|\s*|[-*]\s+|\d+\.\s+)`([\w.*-]+\.c)`", re.MULTILINE)


def listed(folder):
    readme = folder / "README.md"
    found = LIST.search(readme.read_text()) if readme.is_file() else None
    return ENTRY.findall(found.group(1)) if found else []


@functools.lru_cache(maxsize=None)
def symbols(*objects):
    """Global symbols that these object files define, and those that they use and do not define."""
    defined, used = set(), set()
    for line in subprocess.run(["nm", "-g", *objects], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if len(words) >= 2 and len(words[-2]) == 1:
            (used if words[-2] in "Uvw" else defined).add(words[-1])
    return defined, used - defined


def rows(place, names, present, bad):
    """The row of the list in which each file stands."""
    bad += [f"{place}/README.md lists {name} {n} times" for name, n in collections.Counter(names).items() if n > 1]
    bad += [f"{place}/README.md lists {name}, which is not there" for name in names if name not in present and name != "*.c"]
    row = {name: at for at, name in enumerate(names)}
    rest = row.pop("*.c", None)
    for name in present:
        if name not in row and rest is None:
            bad.append(f"{place}/README.md does not list {name}")
        row.setdefault(name, rest)
    return row


def check(place, names, objects, bad):
    """objects: name of each .c file of the folder -> its object files. Returns the number of uses inside the folder."""
    row, known, owner, uses = rows(place, names, sorted(objects), bad), {}, {}, 0
    for name, found in objects.items():
        if not found:
            bad.append(f"{place}/{name} has no object file in the build directory")
            continue
        known[name] = symbols(*found)
        owner.update(dict.fromkeys(known[name][0], name))
    for name, (_, used) in sorted(known.items()):
        for symbol in sorted(used & owner.keys()):
            uses += 1
            other = owner[symbol]
            if row[name] is None or row[other] is None or row[other] > row[name]:
                continue
            where = "above" if row[other] < row[name] else "beside"
            bad.append(f"{place}/{name} calls {symbol} of {place}/{other}, which is {where} it")
    return uses


def check_csim(root, objects, bad):
    """Symbols of one folder of csim that the object files of another one use. Returns their number."""
    folder = {path: path.relative_to(root).parts[1] for path in objects
              if path.relative_to(root).parts[0] == "csim" and len(path.relative_to(root).parts) > 2}
    known = {path: symbols(*objects[path]) for path in folder}
    owner = {symbol: folder[path] for path, (defined, _) in known.items() for symbol in defined}
    uses = 0
    for path, (_, used) in sorted(known.items()):
        for symbol in sorted(used & owner.keys()):
            uses += 1
            if not may_use(folder[path], owner[symbol]):
                bad.append(f"{path.relative_to(root)} uses {symbol} of csim/{owner[symbol]}, which is not below it")
    check_floors(root, known, bad)
    return uses


def check_floors(root, known, bad):
    """A floor of the core calls itself and floors below it."""
    height = {path: floor(path.relative_to(root).parts[1:]) for path in known}
    owner = {symbol: path for path, (defined, _) in known.items() if height[path] is not None for symbol in defined}
    bad += [f"{path.relative_to(root)} uses {symbol} of {owner[symbol].relative_to(root)}, a floor above it"
            for path, (_, used) in sorted(known.items()) if height[path] is not None
            for symbol in sorted(used & owner.keys()) if height[owner[symbol]] > height[path]]


def check_harness(root, objects, bad):
    """Folders of csim and harness whose functions the object files of a folder of harness use."""
    known = {path: symbols(*found) for path, found in objects.items() if path.relative_to(root).parts[0] in ("csim", "harness")}
    owner = {symbol: path.relative_to(root).parts[:2] for path, (defined, _) in known.items() for symbol in defined}
    for path, (_, used) in sorted(known.items()):
        place = path.relative_to(root)
        if place.parts[0] != "harness":
            continue
        others, folders = HARNESS[place.parts[1]]
        allowed = {("harness", name) for name in (*others, place.parts[1])} | {("csim", name) for name in folders}
        if place.parts[1] in ("cli", "litmus", "cuda"):  # they call the public interface
            allowed.add(("harness", "api"))
        bad += [f"{place} calls {symbol} of {'/'.join(owner[symbol])}, which tests/layers.py does not name for it"
                for symbol in sorted(used & owner.keys()) if owner[symbol] not in allowed]


def compiled(root, build):
    """Source file -> its object files, one for each target that has it."""
    found = collections.defaultdict(list)
    for target in (build / "CMakeFiles").glob("*.dir"):
        for path in target.rglob("*.c.o"):
            source = root / path.relative_to(target).with_suffix("")
            if source.is_file():  # an old build directory has objects of files that have moved
                found[source].append(path)
    return found


def main():
    root, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    objects, bad, seen, uses = compiled(root, build), [], 0, 0
    for folder in sorted({path.parent for part in ("csim", "harness") for path in (root / part).rglob("*.c")}):
        place, names = folder.relative_to(root), listed(folder)
        if place.name == "csim":  # csim/program.c stands alone
            continue
        if not names:
            bad.append(f"{place} has no README.md with a list of its files, from top to bottom")
            continue
        seen += 1
        uses += check(place, names, {path.name: objects.get(path) for path in sorted(folder.glob("*.c"))}, bad)
    uses += check_csim(root, objects, bad)
    check_harness(root, objects, bad)
    print("\n".join(bad))
    print(f"{seen} folders, {uses} uses between their files, {len(bad)} wrong")
    return 1 if bad or uses == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
