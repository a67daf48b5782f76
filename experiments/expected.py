# SPDX-License-Identifier: Apache-2.0
"""Results beside those that docs/fidelity.csv keeps: what was expected, what was measured, and whether it is the same (`cowarp reproduce --expected`).

Fewer seeds than those of the table give a number inside its range, but for what has moved since. So a number is as expected within the range or NEAR of
it, and a claim that was judged the other way differs, however near its number is."""
import re

from report import Table, markdown
from results import paper_text, verdict_text

NEAR = 0.05  # of the number


def numbers(text):
    """A text's numbers, and what stands between them."""
    parts = re.split(r"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)", text)
    return [float(part) for part in parts[1::2]], parts[0::2]


def is_near(measured, expected, spread):
    """Whether the measured text has the expected one's words, and its numbers or such that lie near the range."""
    (ours, words), (theirs, same) = numbers(measured), numbers(expected)
    if words != same or not ours:
        return measured == expected
    low_high = numbers(spread)[0]
    low, high = low_high if len(ours) == 1 and len(low_high) == 2 else (None, None)
    return all(min(b, low if low is not None else b) - NEAR * abs(b) <= a <= max(b, high if high is not None else b) + NEAR * abs(b) for a, b in zip(ours, theirs))


def judge(verdict, kept):
    """as expected, moved: the number is another one, differs: the claim is judged otherwise; new: it was not there."""
    if kept is None:
        return "new"
    if verdict_text(verdict).split(",")[0] != kept["holds"].split(",")[0]:
        return "differs"
    return "as expected" if is_near(verdict["here"], kept["here"], kept["range"]) else "moved"


def table_of(found, kept, paper):
    """(table, how many claims differ) of results as results.read gives them. kept: rows of docs/fidelity.csv by claim."""
    rows = []
    for result in found:
        for verdict in result["claims"]:
            before = kept.get(verdict["claim"])
            rows.append([verdict["claim"], paper_text(paper[verdict["claim"]]), before["here"] if before else "-", before["holds"] if before else "-",
                         verdict["here"], verdict_text(verdict), judge(verdict, before)])
    return Table("Expected and measured", ["claim", "paper", "expected", "holds", "measured", "holds", "verdict"], rows, "none"), sum(row[-1] == "differs" for row in rows)


def page(found, kept, paper):
    table, differs = table_of(found, kept, paper)
    counts = {word: sum(row[-1] == word for row in table.rows) for word in ("as expected", "moved", "differs", "new")}
    return markdown(table) + "\n" + ", ".join(f"{count} {word}" for word, count in counts.items() if count), differs
