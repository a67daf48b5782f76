# SPDX-License-Identifier: Apache-2.0
"""What the tree, or the installed one, says of its hardware units: the contracts, and the files of results that scripts write.

Such a file has sections between <!-- NAME --> and <!-- end of NAME -->. A section has tables of rows `| cell | cell |`, and lists of items `- head: text`."""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "scripts/results"), str(ROOT / "synth")]

import units  # noqa: E402
from statsfile import Wrong  # noqa: E402

COLUMNS = 120
CELLS = re.compile(r"(?<!\\)\|")
PORT = re.compile(r"\b(INW|OUTW|IN|OUT)\((.*)\)$")


def section(path, name):
    """The text of a section of a file of results; raises Wrong where it is not there."""
    found = re.search(rf"<!-- {re.escape(name)} -->\n(.*?)<!-- end of {re.escape(name)} -->", (ROOT / path).read_text(encoding="utf-8"), re.S)
    if found is None:
        raise Wrong(f"{path} has no section '{name}'")
    return found[1]


def cells(line):
    return [cell.strip().replace("\\|", "|") for cell in CELLS.split(line)[1:-1]]


def tables(text):
    """[(column names, rows)] of the tables of a section, in order."""
    found, inside = [], False
    for line in text.splitlines():
        if not line.startswith("|"):
            inside = False
        elif not inside:
            found.append((cells(line), []))
            inside = True
        elif not line.startswith("|---"):
            found[-1][1].append(cells(line))
    return found


def items(text):
    """[(head, text)] of the items of a list, each on one line."""
    found = []
    for line in re.split(r"\n(?=- |\n)", text):
        head, colon, rest = " ".join(line.split()).removeprefix("- ").partition(": ")
        if line.startswith("- ") and colon:
            found.append((head, rest))
    return found


def contract(name):
    return (ROOT / "include/cowarp/unit" / f"{name}.h").read_text(encoding="utf-8")


def meaning(text):
    """The comment at the top of a contract: what the unit is, and what a cycle means."""
    comment = re.search(r"/\*\n(.*?)\*/", text, re.S)[1]
    return "\n".join(re.sub(r"^ \*( |$)", "", line).rstrip() for line in comment.splitlines()).strip()


def split_comma(text):
    """Arguments of a macro: commas inside of parentheses do not part them."""
    parts, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


def ports(text):
    """(direction, name, width, what) of each port; a row of ("", "", "", group) begins a group."""
    body = re.search(r"#define\s+CW_\w+_PORTS\(IN, OUT, INW, OUTW\)((?:.*\\\n)*.*)", text)[1]
    found = []
    for line in re.sub(r" *\\\n", "\n", body).split("\n"):
        code, comment = re.sub(r"/\*.*?(\*/|$)|^[^/]*\*/", "", line).strip(), re.search(r"(?:/\*|^(?=[^/]*\*/))\s*(.*?)\s*(?:\*/|$)", line)
        port, said = PORT.search(code), comment[1] if comment else ""
        if port:
            words = split_comma(port[2])
            found.append([port[1][:3].rstrip("W").lower(), words[0], words[-1].replace("p->", ""), said])
        elif said and "/*" not in line:  # goes on from the line above
            found[-1][3] += " " + said
        elif said:
            found.append(["", "", "", said])
    return found


def wrap(text, indent):
    return textwrap.fill(text, COLUMNS, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def chosen(names, known):
    """The names, each of which must be known; all when none is given."""
    for name in names:
        if name not in known:
            raise Wrong(f"unknown unit '{name}'; {units.suggestion(name, known)}")
    return names or sorted(known)
