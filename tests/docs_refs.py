#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every source that the code and the documents cite has a row in docs/references.md, and every row is cited. Usage: docs_refs.py SOURCE_DIR

What counts as a citation is found by its form, not from a list of names:
    [word]                 in a comment, in a source of a machine parameter, in a document; not an index, not a link
    Word and Word YYYY     authors and year, also "Word et al., VENUE YYYY" and "Word (YYYY)"
    VENUE YYYY             capitals and a year
    Word's algorithm       an author
    name Table II          a name before Table, Figure, Example, a section's number or a Roman numeral with a letter
    a capitalised name     in the source of a machine parameter (csim/**/*.def, SET(...) of a preset)
    the column paper       of experiments/claims.csv"""
import csv
import pathlib
import re
import sys

FOLDERS = ("csim", "include", "rtl", "harness", "kernels", "benchmarks", "experiments", "synth", "docs", "tests")
CODE = (".c", ".h", ".cpp", ".def", ".cl", ".v", ".py", ".csv")
MONTHS = "January February March April May June July August September October November December".split()
# Words with a capital before "Table", a section or a year that begin a sentence or name a part of a source; [table] is TOML's.
NO_NAMES = set("A After All And As At Before Both By Example Figure For From Here How If In It Its Like Of On See So Table Tables Figures "
               "Section That The Their These This Those To Under What When Where With Since Until Version Debian Copyright "
               "table".split() + MONTHS)
PLACE = r"(?:Tables? (?:[IVX]+\b|\d)|Figures? \d|Examples? \d|sections? (?:[IVX]+\b|\d)|[IVX]+\.[A-Z]\b)"
BRACKET = re.compile(r"(?<!\]\s)(?<![\w\])`\[])\[([A-Za-z][A-Za-z-]{2,}[A-Za-z0-9-]*)\](?![\[(\w+])")
PTX_ADDRESS = re.compile(r"\b(?:ld|st)\.[a-z0-9.]+ (?:%\w+, )?\Z")  # a parameter's address in a string of PTX
BRACKET_FOLDERS = {"csim", "include", "rtl", "docs"}
YEAR = re.compile(r"\b([A-Z][a-z]+(?:(?:, [A-Z][a-z]+)* and [A-Z][a-z]+)?)(?: et al\.)?,? \(?((?:18|19|20)\d\d)\b(?![-.:/]\d)")
ET_AL = re.compile(r"\b([A-Z][a-z]+)(?: et al\b|'s (?:algorithm|total order|xorshift\w*)\b)")
PAIR = re.compile(r"\b([A-Z][a-z]+(?:, [A-Z][a-z]+)* and [A-Z][a-z]+)(?:'s)?(?=,? (?:on|in|GPU|CUDA|H3|[A-Z]{2,}|\(?(?:19|20)\d\d))")
VENUE = re.compile(r"\b([A-Z]{2,}|[A-Z][a-z]+[A-Z]\w*) ((?:19|20)\d\d)\b")
PLACED = re.compile(r"\b([A-Z][A-Za-z]+(?:-[A-Za-z]+)*(?: (?:TM|(?:19|20)\d\d))?|thesis)(?:'s)?,? (?=" + PLACE + ")"
                    r"|\b([Tt]hesis|[A-Z][a-z]+ (?:19|20)\d\d),? (?=\d\.\d)")
SOURCE_DEF = re.compile(r'^[XE]\(.*, "([^"]*)", "[^"]*"\)')
SOURCE_SET = re.compile(r'SET\(\w+, [^,]+, "([^"]*)"\)')
# Capitalised words in a parameter's source that are units, parts of a source or of the machine.
SOURCE_WORDS = set("Table Figure KB MB GB MHz B DRAM ROP SIMD LLC CU RCID ID IDs HT-H".split())
CAPITALISED = re.compile(r"(?<![\w.=-])[A-Z][\w-]*")
NUMBERED = re.compile(r"[IVX]+|[A-Z]+\d\w*")  # a section, a part number


def rows(page):
    """The short names, row by row."""
    found = []
    for line in page.read_text().splitlines():
        if line.startswith("| `"):
            found.append([name.strip("[]") for name in re.findall(r"`([^`]+)`", line.split("|")[1])])
    return found


def comments(path, text):
    """The parts of a file that are prose, everything else blanked, so that lines keep their numbers."""
    if path.suffix in (".c", ".h", ".cpp", ".def", ".cl"):
        keep = [m.span() for m in re.finditer(r"/\*.*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"", text, re.S)]
    elif path.suffix == ".v":
        keep = [m.span() for m in re.finditer(r"//[^\n]*", text)]
    elif path.suffix == ".md":
        text = re.sub(r"(?ms)^```.*?^```|^    [^\n]*", lambda m: re.sub(r"[^\n]", " ", m[0]), text)
        keep = [(0, len(text))]
    else:
        keep = [(0, len(text))]
    kept = [c if c == "\n" else " " for c in text]
    for start, end in keep:
        kept[start:end] = text[start:end]
    # The star or the slashes that begin a comment's line are not prose.
    return re.sub(r"(?m)^(\s*)(\*|//)", lambda m: m[1] + " " * len(m[2]), "".join(kept))


def without(source, names):
    """A parameter's source without the short names in it."""
    for name in sorted(names, key=len, reverse=True):
        source = source.replace(name, "")
    return source.replace("[]", "")


def citations(root, path, text, names):
    """(position, name) of what has the form of a citation."""
    prose = comments(path, text)
    joined = re.sub(r"\n *", lambda m: " " * len(m[0]), prose)
    if path.relative_to(root).parts[0] in BRACKET_FOLDERS:
        for m in BRACKET.finditer(prose):
            if not re.search(r"/[*/] *$", text[:m.start()]) and not PTX_ADDRESS.search(text[:m.start()]):
                yield m.start(1), m[1]
    single = re.sub(r" +", " ", joined)
    for pattern in (ET_AL, PAIR):
        for m in pattern.finditer(single):
            yield None, m[1]
    for m in PLACED.finditer(single):
        yield None, m[1] or m[2]
    for m in YEAR.finditer(single):
        yield None, f"{m[1]} {m[2]}"
    for m in VENUE.finditer(single):
        yield None, f"{m[1]} {m[2]}"
    for line in text.splitlines():
        sources = [m[1] for m in SOURCE_SET.finditer(line)]
        found = SOURCE_DEF.match(line) if path.suffix == ".def" else None
        for source in sources + ([found[1]] if found else []):
            for m in CAPITALISED.finditer(without(source, names)):
                if m[0] not in SOURCE_WORDS and not NUMBERED.fullmatch(m[0]):
                    yield None, m[0]


def known(name, names):
    """A citation is known when it is a short name, or a short name with a year or a possessive behind it."""
    stripped = re.sub(r" (18|19|20)\d\d$", "", name)
    if {name, stripped, stripped.lower()} & names or NUMBERED.fullmatch(stripped):
        return True
    return stripped.split(" ")[0] in NO_NAMES or (stripped != name and stripped.split(" ")[-1] in NO_NAMES)


def line_of(text, position, name):
    if position is None:
        position = max(text.find(name), text.find(name.split(" ")[0]), 0)
    return text.count("\n", 0, position) + 1


def main():
    root = pathlib.Path(sys.argv[1])
    table = rows(root / "docs/references.md")
    names = {name for row in table for name in row}
    bad, cited, seen, prose = [], set(), 0, []
    paths = [p for folder in FOLDERS for p in sorted((root / folder).rglob("*")) if p.suffix in CODE + (".md",)]
    for path in paths + [root / "README.md"]:
        if path.name in ("references.md", "glossary.md", pathlib.Path(__file__).name):
            continue
        text = path.read_text(errors="replace")
        prose.append(re.sub(r"\s+[*/]*\s*", " ", text))
        for position, name in citations(root, path, text, names):
            seen += 1
            if not known(name, names):
                bad.append(f"{path.relative_to(root)}:{line_of(text, position, name)}: {name} has no row in docs/references.md")
    claims = [line for line in (root / "experiments/claims.csv").read_text().splitlines() if not line.startswith("#")]
    for row in csv.DictReader(claims):
        seen += 1
        if row["paper"] not in names:
            bad.append(f"experiments/claims.csv: {row['paper']} has no row in docs/references.md")
    everything = "\n".join(prose)
    for row in table:
        if not any(re.search(r"(?<![\w-])" + re.escape(name) + r"(?![\w-])", everything) for name in row):
            bad.append(f"docs/references.md: nothing cites {row[0]}")
    if not table or seen < 100:
        bad.append(f"{len(table)} rows and {seen} citations: the search is broken")
    print("\n".join(sorted(set(bad))))
    print(f"{len(table)} sources, {seen} citations")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
