# SPDX-License-Identifier: Apache-2.0
"""docs/fidelity.md and docs/fidelity.csv: every claim of the papers that an experiment has measured, beside ours, with the reason where we differ."""
import csv
import io
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
    holding, doubtful = verdicts.count("yes"), [verdict for verdict in verdicts if "crosses" in verdict]
    text = (f"{len(verdicts)} claims are measured, with {seeds_text(counts)} of their inputs; {holding} hold. A claim holds when its direction agrees "
            "and, where it is a number, its size agrees within 15 percent. Of a gain or a loss, the percents must agree. A best limit of warps per core agrees "
            "when the paper's takes at most 15 percent more cycles here than ours. Rates of aborts are those at the paper's limits.")
    if max(counts) > 1:
        text += (" The number here is the median of the seeds, beside it are the least and the greatest. Where they cross a limit of the claim, so that "
                 f"another seed may give another verdict, the last column says so, and the claim does not count as held: {len(doubtful)} claims, of which "
                 f"{doubtful.count('yes, crosses')} hold with the median. The best limit of warps per core is looked for with the first seed and taken for the others.")
    return item("", text)


UNDECIDED = "The median of the seeds holds, and another seed gives another verdict."
COLUMNS = ("claim", "here", "range", "holds")  # of the table beside the page


def page_of_rows(rows, lines, missing, note, table="docs/fidelity.csv"):
    """The Markdown text. rows: (claim, what, paper, here, range, holds, reason) of each claim; lines: the summary; missing: the claims that no
    experiment measures; table: the file that has the rows."""
    text = ["<!-- SPDX-License-Identifier: Apache-2.0 -->", "# The papers' claims beside ours", "",
            "A model is worth what it gives back of the papers. After this page you know which claims of the papers hold here, and why the others do not.", "",
            "    build/cowarp reproduce --claims          # each claim: the paper's number, ours, its range, whether it holds",
            "    build/cowarp reproduce --claims sbrp     # those whose names begin so",
            "    build/cowarp reproduce NAME ... --fidelity docs/fidelity.md   # measures, and writes this page and the table", "",
            *item("", f"Do not edit this page by hand. `{table}` is the table, and `experiments/reasons.csv` has the reasons."), "",
            *(item("", note) + [""] if note else []), *lines, "", "## Why a claim does not hold", ""]
    reasons = {}
    for row in rows:
        if row[6]:
            reasons.setdefault(row[6], []).append(row[0])
    for reason, claims in reasons.items():  # claims of one reason stand together
        text += item("- ", ", ".join(f"**{claim}**" for claim in claims) + f" {reason}")
    text += ["", "## Not measured", "", *item("", f"No experiment measures these yet: {', '.join(missing)}."), ""]
    return "\n".join(text)


def claims_table(rows):
    """The rows of a page as a table to read."""
    return markdown(Table("Claims", ["claim", "what", "paper", "here", "range", "holds"], [fitting(row[:6]) for row in rows], "none"))


def judged_before(page, table, paper):
    """{claim: (here, range, verdict)} of an earlier table, and the numbers of seeds that its page names."""
    seeds = re.search(r"with (\d+)(?: to (\d+))? seeds? of their inputs", " ".join(page.split()))
    known = {row["claim"]: (row["here"], row["range"], row["holds"]) for row in csv.DictReader(table.splitlines())}
    return {claim: known[claim] for claim in known if claim in paper}, [int(count) for count in seeds.groups() if count] if seeds else []


def rows_of(known, paper, reasons):
    """A row of each claim that is measured, in the order of the papers' file."""
    return [[ident, f"{row['place']}: {row['what']}", paper_text(row), *known[ident],
             "" if known[ident][2] == "yes" else reasons.get(ident, UNDECIDED if known[ident][2].startswith("yes") else "not explained yet")] for ident, row in paper.items() if ident in known]


def page(folder, paper, reasons_path, note, before=("", "")):
    """The Markdown text and the table as CSV, from the *.json that reproduce.py left in folder. before: page and table as they were; claims that are not
    measured anew stay as they are. note: a sentence about the origin of all, may be empty."""
    found, reasons = [result for result in read(folder) if result["claims"]], load_reasons(reasons_path)
    if not found:
        raise NotComparable(f"{folder} holds no result with a claim; name experiments (see --list), or their folder with --out")
    known, counts = judged_before(*before, paper)
    for verdict in (verdict for result in found for verdict in result["claims"]):
        known[verdict["claim"]] = verdict["here"], verdict["range"], verdict_text(verdict)
    rows, table = rows_of(known, paper, reasons), io.StringIO()
    csv.writer(table, lineterminator="\n").writerows([COLUMNS, *([row[0], *row[3:6]] for row in rows)])
    lines = summary([row[5] for row in rows], counts + [len(result["seeds"]) for result in found])
    return page_of_rows(rows, lines, [ident for ident in paper if ident not in known], note), table.getvalue()
