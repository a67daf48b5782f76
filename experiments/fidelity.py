# SPDX-License-Identifier: Apache-2.0
"""docs/fidelity.md: every claim of the papers that an experiment has measured, beside ours, with the reason where we differ."""
import csv
import pathlib
import re
import textwrap

from report import Table, markdown
from results import NotComparable, paper_text, read, verdict_text


def load_reasons(path):
    if not pathlib.Path(path).exists():
        return {}
    with open(path, newline="") as file:
        return {row["id"]: row["reason"] for row in csv.DictReader(line for line in file if not line.startswith("#"))}


WIDEST = 200  # columns of a line of a document


def fitting(row):
    """The row of a table, what is claimed cut so that the line is not wider than a document's may be."""
    others = sum(len(text) for i, text in enumerate(row) if i != 1) + 3 * len(row) + 1
    return [row[0], textwrap.shorten(row[1], max(WIDEST - others, 20), placeholder=" ...")] + row[2:]


def item(mark, text):
    """An item of a list, in lines that fit the page."""
    return textwrap.wrap(text, 158, initial_indent=mark, subsequent_indent=" " * len(mark), break_long_words=False, break_on_hyphens=False)


def seeds_text(counts):
    """How many seeds the results are from; counts: of each experiment."""
    least, most = min(counts), max(counts)
    return f"{least} seed{'s' * (least > 1)}" if least == most else f"{least} to {most} seeds"


def summary(verdicts, counts):
    """The lines that say how many claims hold and how sure that is. verdicts: as verdict_text gives them."""
    holding = [verdict for verdict in verdicts if verdict.startswith("yes")]
    doubtful = sum("crosses" in verdict for verdict in verdicts)
    text = (f"{len(verdicts)} claims are measured, with {seeds_text(counts)} of their inputs; {len(holding)} hold. A claim holds when its direction agrees "
            "and, where it is a number, its size agrees within 15 percent. Of a gain or a loss, the percents must agree. A best limit of warps per core agrees "
            "when the paper's takes at most 15 percent more cycles here than ours. Rates of aborts are those at the paper's limits.")
    if max(counts) > 1:
        text += (" The number here is the median of the seeds, beside it are the least and the greatest. Where they cross a limit of the claim, so that "
                 f"another seed may give another verdict, the last column says so: {doubtful} of the claims, {sum('crosses' in v for v in holding)} of "
                 "them among those that hold. The best limit of warps per core is looked for with the first seed and taken for the others.")
    return item("", text)


def page_of_rows(rows, lines, missing, note):
    """The Markdown text. rows: (claim, what, paper, here, range, holds, reason) of each claim; lines: the summary; missing: the claims that no
    experiment measures."""
    text = ["<!-- SPDX-License-Identifier: Apache-2.0 -->", "# The papers' claims beside ours", "",
            "After this page you know which claims of the papers hold here, and why the others do not. `cowarp reproduce NAME ... --fidelity",
            "docs/fidelity.md` writes it; do not edit it by hand. `experiments/reasons.csv` has the reasons.", "",
            *(item("", note) + [""] if note else []), *lines, "",
            markdown(Table("Claims", ["claim", "what", "paper", "here", "range", "holds"], [fitting(row[:6]) for row in rows], "none")),
            "### Reasons", ""]
    for row in rows:
        if row[6]:
            text += item("- ", f"**{row[0]}** {row[6]}")
    text += ["", "### Not measured", "", *item("", f"No experiment measures these yet: {', '.join(missing)}."), ""]
    return "\n".join(text)


def judged_before(page, paper):
    """{claim: (here, range, verdict)} of an earlier page, and the numbers of seeds that it names."""
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("| ")]
    seeds = re.search(r"with (\d+)(?: to (\d+))? seeds? of their inputs", " ".join(page.split()))
    return {row[0]: tuple(row[3:]) for row in cells if len(row) == 6 and row[0] in paper}, [int(count) for count in seeds.groups() if count] if seeds else []


def page(folder, paper, reasons_path, note, before=""):
    """The Markdown text, from the *.json that reproduce.py left in folder. before: the page as it was; claims that are not measured anew stay as
    they are. note: a sentence about the origin of all, may be empty."""
    found, reasons = [result for result in read(folder) if result["claims"]], load_reasons(reasons_path)
    if not found:
        raise NotComparable(f"{folder} holds no result with a claim; name experiments (see --list), or their folder with --out")
    known, counts = judged_before(before, paper)
    for verdict in (verdict for result in found for verdict in result["claims"]):
        known[verdict["claim"]] = verdict["here"], verdict["range"], verdict_text(verdict)
    rows = []
    for ident, row in paper.items():
        if ident in known:
            here, spread, verdict = known[ident]
            why = "" if verdict.startswith("yes") else reasons.get(ident, "not explained yet")
            rows.append([ident, f"{row['place']}: {row['what']}", paper_text(row), here, spread, verdict, why])
    lines = summary([row[5] for row in rows], counts + [len(result["seeds"]) for result in found])
    return page_of_rows(rows, lines, [ident for ident in paper if ident not in known], note)
