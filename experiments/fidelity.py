# SPDX-License-Identifier: Apache-2.0
"""docs/fidelity.md and docs/fidelity.csv: every claim of the papers that an experiment has measured, beside ours, with the reason where we differ."""
import csv
import io
import pathlib
import re
import textwrap
from typing import NamedTuple

from report import Table, markdown
from results import HEADS, NotComparable, paper_text, read, shown, verdict_text


CAUSES = {"input": "The paper's input is not public", "paper": "The paper contradicts its simulator, or itself", "ours": "What is ours differs"}
UNDECIDED, UNKNOWN = "decided", "unknown"  # further groups of claims that do not hold
GROUPS = CAUSES | {UNDECIDED: "Another seed or size gives another verdict", UNKNOWN: "Not explained yet"}


class Row(NamedTuple):
    """A claim as the page has it. worst, active, sizes: as of spread.Verdict; cause: a key of GROUPS, and reason, of a claim that does not hold."""
    claim: str
    what: str
    paper: str
    here: str
    range: str
    worst: str
    active: str
    sizes: str
    holds: str
    cause: str
    reason: str


def load_reasons(path):
    """{claim: (cause, reason)}; raises NotComparable on a cause that is none of CAUSES."""
    if not pathlib.Path(path).exists():
        return {}
    with open(path, newline="") as file:
        rows = {row["id"]: (row["cause"], row["reason"]) for row in csv.DictReader(line for line in file if not line.startswith("#"))}
    for ident, (cause, _) in rows.items():
        if cause not in CAUSES:
            raise NotComparable(f"{path}: '{cause}' is no cause of {ident}; it may be {', '.join(CAUSES)}")
    return rows


WIDEST = 200  # columns of a line of a document


def fitting(row):
    """The row of a table, what is claimed cut so that the line is not wider than a document's may be."""
    row = list(row)
    others = sum(len(text) for i, text in enumerate(row) if i != 1) + 3 * len(row) + 1
    return [row[0], textwrap.shorten(row[1], max(WIDEST - others, 20), placeholder=" ...")] + row[2:]


def item(mark, text):
    """An item of a list, in lines that fit the page."""
    return textwrap.wrap(text, 158, initial_indent=mark, subsequent_indent=" " * len(mark), break_long_words=False, break_on_hyphens=False)


def seeds_text(counts):
    """How many seeds the results are from; counts: of each experiment."""
    least, most = min(counts), max(counts)
    return f"{least} seed{'s' * (least > 1)}" if least == most else f"{least} to {most} seeds"


def counted(rows):
    """A line that says of how many claims each cause is known."""
    groups = [row.cause for row in rows if row.cause]
    parts = [f"{title[0].lower() + title[1:]}: {groups.count(cause)}" for cause, title in GROUPS.items() if cause in groups]
    return f"Of the {len(groups)} others: {'; '.join(parts)}." if groups else "None is left."


def sized(rows):
    """Lines about the claims that were judged with other sizes of their inputs; none when none was."""
    tried, turned = [row for row in rows if row.sizes != "-"], [row for row in rows if "turns" in row.holds]
    text = (f"{len(tried)} claims that hold were judged with two other sizes of the inputs, too, where the size is ours. "
            f"{len(turned)} of them turn with one of these, and do not count as held.")
    return ["", *item("", text)] if tried else []


def summary(rows, counts):
    """The lines that say how many claims hold and how sure that is."""
    verdicts = [row.holds for row in rows]
    holding, doubtful = verdicts.count("yes"), [verdict for verdict in verdicts if "crosses" in verdict]
    text = (f"{len(verdicts)} claims are measured, with {seeds_text(counts)} of their inputs; {holding} hold. {counted(rows)}")
    rules = ("A claim holds when its direction agrees and, where it is a number, its size agrees within 15 percent. Of a gain or a loss, the percents must "
             "agree. A best limit of warps per core agrees when the paper's takes at most 15 percent more cycles here than ours. Rates of aborts are those "
             "at the paper's limits. Where the paper says `the same` or `unchanged`, we allow 5 percent.")
    if max(counts) > 1:
        rules += (" The number here is the median of the seeds, beside it are the least and the greatest. Where they cross a limit of the claim, so that "
                  f"another seed may give another verdict, the last column says so, and the claim does not count as held: {len(doubtful)} claims, of which "
                  f"{len([verdict for verdict in doubtful if verdict.startswith('yes')])} hold with the median. The best limit of warps per core is looked "
                  "for with the first seed and taken for the others.")
    columns = ("`worst` is the program that is farthest on the wrong side of a mean. `active` is the percent of the cores' time in which they have a thread, "
               "and the least of a program: idle cores can decide a ratio.")
    return [*item("", text), "", *item("", rules), "", *item("", columns), *sized(rows)]


DECIDED = "The median of the seeds holds, and another seed gives another verdict."
TURNED = "It holds, and with another size of the input it does not"
COLUMNS = ("claim", "here", "range", "worst", "active", "sizes", "holds")  # of the table beside the page


def of_papers(rows, paper):
    """A table of how many claims of each paper are measured and hold."""
    names = dict.fromkeys(paper[row.claim]["paper"] for row in rows)
    of = {name: [row.holds for row in rows if paper[row.claim]["paper"] == name] for name in names}
    return markdown(Table("Papers", ["paper", "measured", "hold"], [[name, len(holds), holds.count("yes")] for name, holds in of.items()], "none")).split("\n")[2:]


def grouped(rows):
    """Lines: the claims that do not hold, by cause; those of one reason stand together."""
    text = []
    for cause, title in GROUPS.items():
        reasons = {}
        for row in rows:
            if row.cause == cause:
                reasons.setdefault(row.reason, []).append(row.claim)
        if reasons:
            text += [f"### {title} ({sum(map(len, reasons.values()))})", ""]
        for reason, claims in reasons.items():
            text += item("- ", ", ".join(f"**{claim}**" for claim in claims) + f" {reason}".rstrip())
        text += [""] if reasons else []
    return text


SILICON = ("{} claims are areas and powers, from `synth/reference.json`, which `cowarp synth --renew-reference` renews (docs/synthesis.md). Powers assume an access "
           "in every clock, as the papers do.")
NO_UNIT = "No unit holds these, so only the SRAM model would stand beside the paper's size: {}."


def page_of_rows(rows, lines, missing, note, paper, no_unit=(), table="docs/fidelity.csv"):
    """The Markdown text. lines: the summary; missing: the claims that no experiment measures; no_unit: those of them that are no claims about anything of
    ours; table: the file that has the rows."""
    return "\n".join([
        "<!-- SPDX-License-Identifier: Apache-2.0 -->", "# The papers' claims beside ours", "",
        "A model is worth what it gives back of the papers. After this page you know which claims of the papers hold here, and why the others do not.", "",
        "    build/cowarp reproduce --claims          # each claim: the paper's number, ours, its range, whether it holds",
        "    build/cowarp reproduce --claims sbrp     # those whose names begin so",
        "    build/cowarp reproduce NAME ... --fidelity docs/fidelity.md   # measures, and writes this page and the table", "",
        *item("", f"Do not edit this page by hand. `{table}` is the table, and `experiments/reasons.csv` has the reasons."), "",
        *(item("", note) + [""] if note else []), *lines, "", *of_papers(rows, paper), "## Why a claim does not hold", "", *grouped(rows),
        "## Not measured", "", *item("", "These have no result here: their experiment has not been made since they were written down, or none measures them: "
                                     f"{', '.join(ident for ident in missing if ident not in no_unit)}."),
        *(["", *item("", NO_UNIT.format(", ".join(no_unit)))] if no_unit else []), ""])


def claims_table(rows):
    """The rows of a page as a table to read."""
    return markdown(Table("Claims", ["claim", "what", "paper", *HEADS, "holds"], [fitting(row[:9]) for row in rows], "none"))


def judged_before(page, table, paper):
    """{claim: (here, range, worst, active, sizes, verdict)} of an earlier table, and the numbers of seeds that its page names."""
    seeds = re.search(r"with (\d+)(?: to (\d+))? seeds? of their inputs", " ".join(page.split()))
    known = {row["claim"]: tuple(row.get(name) or "-" for name in COLUMNS[1:]) for row in csv.DictReader(table.splitlines())}
    return {claim: known[claim] for claim in known if claim in paper}, [int(count) for count in seeds.groups() if count] if seeds else []


def why(ident, sizes, verdict, reasons):
    """(cause, reason) of a claim that does not hold; empty for one that does."""
    if verdict == "yes":
        return "", ""
    if "turns" in verdict:
        return UNDECIDED, f"{TURNED}: {sizes}."
    return reasons.get(ident, (UNDECIDED, DECIDED) if verdict.startswith("yes") else (UNKNOWN, ""))


def rows_of(known, paper, reasons):
    """A row of each claim that is measured, in the order of the papers' file."""
    return [Row(ident, f"{row['place']}: {row['what']}", paper_text(row), *known[ident], *why(ident, known[ident][4], known[ident][5], reasons))
            for ident, row in paper.items() if ident in known]


def page(folder, paper, reasons_path, note, before=("", ""), silicon=({}, ())):
    """The Markdown text and the table as CSV, from the *.json that reproduce.py left in folder. before: page and table as they were; claims that are not
    measured anew stay as they are. note: a sentence about the origin of all, may be empty. silicon: as silicon.judge gives it."""
    found, reasons = [result for result in read(folder) if result["claims"]], load_reasons(reasons_path)
    if not found and not (silicon[0] and before[1]):
        raise NotComparable(f"{folder} holds no result with a claim; name experiments (see --list), or their folder with --out")
    known, counts = judged_before(*before, paper)
    for verdict in (verdict for result in found for verdict in result["claims"] if verdict["claim"] in paper):
        known[verdict["claim"]] = *shown(verdict), verdict_text(verdict)
    known |= silicon[0]
    rows, table = rows_of(known, paper, reasons), io.StringIO()
    csv.writer(table, lineterminator="\n").writerows([COLUMNS, *((row.claim, *row[3:9]) for row in rows)])
    lines = summary(rows, counts + [len(result["seeds"]) for result in found])
    lines += ["", *item("", SILICON.format(len(silicon[0])))] if silicon[0] else []
    return page_of_rows(rows, lines, [ident for ident in paper if ident not in known], note, paper, silicon[1]), table.getvalue()
