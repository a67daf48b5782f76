# SPDX-License-Identifier: Apache-2.0
"""A contract as a testplan: each sentence of include/cowarp/unit/UNIT.h, and what tests/rtl/testplan/UNIT.txt says beside it.

A sentence begins at its number in brackets, [3], and goes on to the next number or to the end of its paragraph. A line of the plan is

    NUMBER | what shows it | a broken copy that something names

Both are lists with semicolons. What shows a sentence: `test NAME`, the function test_UNIT__NAME of tests/rtl/test_UNIT.c, on C model and
Verilog; `property N` of the unit's Verilog. Broken copies: `twin N`, the same mistake in both; `copy WHAT`, a copy of the Verilog in
tests/rtl/test_UNIT.c, which lockstep must notice; `mutant N`, one of which the .conf says that it violates property N. A sentence that demands
something of the unit's user has `user` in both places."""
import re

import facts
from statsfile import Wrong

HEADER, PLAN = "include/cowarp/unit/{}.h", "tests/rtl/testplan/{}.txt"
TAG = re.compile(r"\[(\d+)\] ")
NEXT = re.compile(r"[.?!]\)? (?=[A-Z`\"(])")  # a sentence ends, and another one begins
PIECE = re.compile(r"\n *\n|\n *- ")  # paragraphs, and items of lists
LEAD = 60  # characters before the first number of a paragraph: what it is about, "Retry."


def comments(text):
    """The comments of a header, without their frames; a line end of a macro is none."""
    found = re.findall(r"/\*(.*?)\*/", text, re.S)
    return [re.sub(r"(?m)^ \* ?|\\$", "", comment) for comment in found]


def pieces(comment):
    return [" ".join(piece.split()) for piece in PIECE.split(comment)]


def sentences(text):
    """[(number, sentence)] of a header's text, in its order."""
    found = []
    for piece in (piece for comment in comments(text) for piece in pieces(comment)):
        parts = TAG.split(piece)
        found += [(int(number), sentence.strip()) for number, sentence in zip(parts[1::2], parts[2::2])]
    return found


def unnumbered(text):
    """What the comment on top says without a number. Its first paragraph may, which says what the unit is, and what leads to a number."""
    found = []
    for piece in pieces(comments(text)[1])[1:]:
        lead, *parts = TAG.split(piece)
        found += [lead] if len(lead) > LEAD or (lead and not parts and not lead.endswith(":")) else []
        for sentence in parts[1::2]:
            found += NEXT.split(sentence.strip())[1:]
    return found


def rows(text):
    """[(number, what shows it, broken copies)] of a plan's text: lists of (kind, name)."""
    found = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != 3 or not cells[0].isdigit():
            raise Wrong(f"'{line}' is not NUMBER | what shows it | broken copies")
        parted = [[(word.split(" ", 1) + [""])[:2] for word in map(str.strip, cell.split(";")) if word] for cell in cells[1:]]
        found.append((int(cells[0]), *parted))
    return found


def read(form, name):
    path = facts.ROOT / form.format(name)
    return path.read_text(encoding="utf-8") if path.exists() else ""


def lines(name):
    """The plan for `cowarp unit`: each sentence, then what shows it and which copies are named."""
    plan = {number: (shown, copies) for number, shown, copies in rows(read(PLAN, name))}
    found = []
    for number, sentence in sentences(read(HEADER, name)):
        shown, copies = plan.get(number, ([], []))
        found.append(facts.wrap(f"{number}. {sentence}", "  "))
        told = ["; ".join(f"{kind} {what}".strip() for kind, what in cell) for cell in (shown, copies)]
        found.append(facts.wrap("a demand on the user" if told[0] == "user" else f"{told[0]}; broken: {told[1]}", "     "))
    return found
