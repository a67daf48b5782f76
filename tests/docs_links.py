#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Documents point at things that exist, and fit a screen. Usage: docs_links.py SOURCE_DIR

Checked in every *.md of the tree:
    relative links and pictures: the file or folder is there, and so is the heading behind a #
    paths of the tree in backticks or prose: the file is there; <unit>, * and a folder x stand for any text
    lines of at most 200 columns, outside of fenced blocks
    words, as wc counts them behind the licence line: of all pages together, of a page outside of fenced blocks, of the pages that lead a reader to the others
Fenced and indented blocks are left out of the first two. A file that an example brings (examples/abort_predictor) counts as there."""
import pathlib
import re
import sys

import ratchets

TOP = "benchmarks|cmake|csim|docs|examples|experiments|harness|include|kernels|rtl|scripts|synth|tests|waves"
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(rf"(?<![\w/.$-])((?:{TOP})/[\w/.<>*-]*[\w>*]\.(?:c|h|def|v|py|md|cpp|cl|conf|csv|txt|sh|gtkw|stim|cmake|json|in))(?![\w<])")
COLUMNS = 200
WORDS, PAGE_WORDS, LEADING_WORDS = ratchets.limit("pages.words"), 3000, 1500  # a page that needs more is two, or repeats another one
LISTS = {"CHANGELOG.md": 5400}  # pages that are looked up and not read: a line for each change
LICENCE = "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"  # no word of the page
LEADING = re.compile(r"README\.md|docs/for-[a-z-]+\.md")
OTHERS = {"build", ".git"}  # not walked into at all: other tests make and remove folders there


def prose(text):
    """The text with fenced and indented blocks blanked; lines keep their numbers."""
    text = re.sub(r"(?ms)^(`{3,}).*?^\1$", lambda m: re.sub(r"[^\n]", "", m[0]), text)
    return re.sub(r"(?m)^    [^\n]*", "", text)


def unfenced(text):
    return re.sub(r"(?ms)^(`{3,}).*?^\1$", lambda m: re.sub(r"[^\n]", "", m[0]), text)


def headings(path):
    found = set()
    for line in unfenced(path.read_text()).splitlines():
        if line.startswith("#"):
            found.add(re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-"))
    return found


def too_long(name, text):
    """What is wrong with the length of a page, or None. Fenced blocks are programs that a test writes and runs."""
    words, most = len(unfenced(text).split()), LEADING_WORDS if LEADING.fullmatch(name) else LISTS.get(name, PAGE_WORDS)
    return f"{words} words, of at most {most}: say it once, and link to it elsewhere" if words > most else None


def broken_link(page, target):
    """What is wrong with a link of the page, or None."""
    if re.match(r"[a-z]+:", target):
        return None
    name, _, heading = target.partition("#")
    path = page.parent / name if name else page
    if not path.exists():
        return f"no {name}"
    if heading and heading not in headings(path):
        return f"no heading #{heading} in {path.name}"
    return None


def exists(root, path):
    pattern = re.sub(r"<[^>]*>|(?<=/)x(?=/)", "*", path)
    return (root / path).exists() if pattern == path and "*" not in path else any(root.glob(pattern))


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    bad, links, paths, words = [], 0, 0, 0
    tops = [top for top in sorted(root.iterdir()) if top.name.split("-")[0] not in OTHERS]
    pages = [p for top in tops for p in ([top] if top.suffix == ".md" else sorted(top.rglob("*.md")) if top.is_dir() else [])]
    for page in pages:
        name, text = str(page.relative_to(root)), page.read_text().replace(LICENCE, "\n", 1)
        words += len(text.split())
        long = too_long(name, text)
        if long:
            bad.append(f"{name}: {long}")
        for number, line in enumerate(prose(text).splitlines(), 1):
            for m in LINK.finditer(line):
                links += 1
                wrong = broken_link(page, m[1])
                if wrong:
                    bad.append(f"{name}:{number}: {wrong}")
            for m in PATH.finditer(LINK.sub("", line)):
                paths += 1
                if not exists(root, m[1]) and not any(root.glob(f"examples/*/{m[1]}")):
                    bad.append(f"{name}:{number}: no {m[1]}")
        for number, line in enumerate(unfenced(text).splitlines(), 1):
            if len(line) > COLUMNS:
                bad.append(f"{name}:{number}: {len(line)} columns")
    if len(pages) < 20 or links < 30 or paths < 50:
        bad.append(f"{len(pages)} pages, {links} links, {paths} paths: the search is broken")
    if words > WORDS:
        bad.append(f"all pages together have {words} words, of at most {WORDS}: say it once, and link to it elsewhere")
    for line in bad:
        print(line)
    print(f"{len(pages)} pages, {words} words, {links} links, {paths} paths of the tree")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
