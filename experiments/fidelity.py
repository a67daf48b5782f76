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
from scatter import scatter


CAUSES = {"input": "The paper's input is not public", "paper": "The paper contradicts its simulator, or itself", "ours": "What is ours differs"}
UNDECIDED, WEAK, UNKNOWN = "decided", "weak", "unknown"  # further groups of claims that do not count as held
CHOSEN = "chosen"  # a group, and a verdict, of what counts neither as held nor as missed
GROUPS = CAUSES | {UNDECIDED: "Another seed or size gives another verdict", WEAK: "It holds, and says too little", UNKNOWN: "Not explained yet",
                   CHOSEN: "No claim any more: inputs were chosen by it"}


class Row(NamedTuple):
    """A claim as the page has it. worst, active, sizes: as of spread.Verdict; experiment: what measures it; cause: a key of GROUPS, and reason, of a claim
    that does not count as held."""
    claim: str
    what: str
    paper: str
    here: str
    range: str
    worst: str
    active: str
    sizes: str
    holds: str
    experiment: str
    cause: str
    reason: str


class Reason(NamedTuple):
    """Why a claim does not hold. here: the number that this explains; shows: the command that shows it, may be empty."""
    cause: str
    here: str
    shows: str
    reason: str


NUMBER = re.compile(r"\{([\w.-]+):?(here|range|worst|)\}")  # of a claim, in a text


def rows_without_comments(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def load_reasons(path):
    """{claim: Reason}; raises NotComparable on a cause that is none of CAUSES, and on a row with more columns than there are."""
    if not pathlib.Path(path).exists():
        return {}
    read_rows = rows_without_comments(path)
    for row in read_rows:
        if None in row:  # what stands behind a comma that is not quoted would be lost
            raise NotComparable(f"{path}: {row['id']} has more columns than {', '.join(Reason._fields)}; quote a text that has a comma")
    rows = {row["id"]: Reason(*(row.get(name) or "" for name in Reason._fields)) for row in read_rows}
    for ident, reason in rows.items():
        if reason.cause not in CAUSES:
            raise NotComparable(f"{path}: '{reason.cause}' is no cause of {ident}; it may be {', '.join(CAUSES)}")
    return rows


def filled(text, known):
    """The text with the numbers of claims in place of {CLAIM} and {CLAIM:COLUMN}, so that none of them can be an old one. known: as of judged_before."""
    def number(found):
        return known[found[1]][COLUMNS.index(found[2] or "here") - 1] if found[1] in known else "?"
    return NUMBER.sub(number, text)


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
    groups = [row.cause for row in rows if row.cause and row.cause != CHOSEN]
    parts = [f"{title[0].lower() + title[1:]}: {groups.count(cause)}" for cause, title in GROUPS.items() if cause in groups]
    return f"Of the {len(groups)} others: {'; '.join(parts)}." if groups else "None is left."


def sized(rows):
    """Lines about the claims that were judged with other sizes of their inputs; none when none was."""
    tried, turned = [row for row in rows if row.sizes != "-"], [row for row in rows if "turns" in row.holds]
    text = (f"{len(tried)} claims that hold were judged with two other sizes of the inputs, too, where the size is ours. "
            f"{len(turned)} of them turn with one of these, and do not count as held.")
    return ["", *item("", text)] if tried else []


RULES = ("A claim holds when its direction agrees and, where it is a number, its size agrees within 15 percent; of a gain or a loss, the percents must agree. A "
         "best limit of warps per core agrees when the paper's takes at most 15 percent more cycles here than ours. Rates of aborts are those at the paper's "
         "limits. Where the paper says `the same`, we allow 5 percent. What no wrong machine misses does not count (`weak`, `experiments/mutants.csv`). The number is the median of the "
         "seeds. Where their range crosses a limit of the claim, the claim does not count either.")


def summary(rows, counts):
    """The lines that say how many claims hold and how sure that is."""
    judged = [row for row in rows if row.cause != CHOSEN]
    holding, chosen = [row.holds for row in judged].count("yes"), len(rows) - len(judged)
    text = f"{len(judged)} claims are measured, with {seeds_text(counts)} of their inputs; {holding} hold. {counted(rows)}"
    text += f" By {chosen} numbers more, inputs were chosen; so they are no claims." if chosen else ""
    return [*item("", text), "", *item("", RULES), *sized(rows)]


DECIDED = "The median of the seeds holds, and another seed gives another verdict."
TURNED = "It holds, and with another size of the input it does not"
COLUMNS = ("claim", "here", "range", "worst", "active", "sizes", "holds", "experiment")  # of the table beside the page


def of_papers(rows, paper):
    """A table of how many claims of each paper are measured and hold."""
    names = dict.fromkeys(paper[row.claim]["paper"] for row in rows)
    of = {name: [row.holds for row in rows if paper[row.claim]["paper"] == name and row.cause != CHOSEN] for name in names}
    return markdown(Table("Papers", ["paper", "measured", "hold"], [[name, len(holds), holds.count("yes")] for name, holds in of.items()], "none")).split("\n")[2:]


def names_line(mark, rows):
    return item("- ", f"{mark} ({len(rows)}): {' '.join(row.claim for row in rows)}") if rows else []


def screen(about, rows, known):
    """Lines on one paper: what holds, what does not, and the one reason; then the claims' names by cause. about: its row of papers.csv."""
    text = [f"## {about['title']}", ""]
    for mark, name in (("holds", "Holds"), ("misses", "Does not hold"), ("reason", "The reason")):
        text += item("", f"{name}: {filled(about[mark], known)}") + [""]
    text += names_line("hold", [row for row in rows if row.holds == "yes"])
    for cause, title in GROUPS.items():
        text += names_line(title[0].lower() + title[1:], [row for row in rows if row.cause == cause])
    return text + [""]


def screens(rows, paper, papers, known):
    text = []
    for about in papers:
        own = [row for row in rows if paper[row.claim]["paper"] == about["paper"]]
        text += screen(about, own, known) if own else []
    return text


UNTRIED = "{} of those that hold have not been judged on a wrong machine yet: {}."
SILICON = ("{} claims are areas and powers, from `synth/reference.json`, which `cowarp synth --renew-reference` renews (docs/synthesis.md). Powers assume an access "
           "in every clock, as the papers do.")
NO_UNIT = "No unit holds these, or most of their sum, so only the SRAM model would stand beside the paper's size: {}."


def page_of_rows(rows, lines, missing, note, paper, about, no_unit=()):
    """The Markdown text. lines: the summary; missing: the claims that no experiment measures; about: lines on each paper; no_unit: those of the missing
    that are no claims about anything of ours."""
    return "\n".join([
        "<!-- SPDX-License-Identifier: Apache-2.0 -->", "# The papers' claims beside ours", "",
        "A model is worth what it gives back of the papers. After this page you know what of each paper holds here, what does not, and the one reason.", "",
        "    build/cowarp reproduce --claims sbrp              # claims whose names begin so: the paper's number, ours, its range, whether it holds",
        "    build/cowarp reproduce --claims --why si.max      # one claim: why it does not hold, and the commands that measure and show it",
        "    build/cowarp reproduce NAME ... --fidelity docs/fidelity.md   # measures, and writes this page, its table and its picture", "",
        *item("", "Do not edit this page by hand. `docs/fidelity.csv` is the table. `experiments/reasons.csv` has the reasons, `experiments/papers.csv` the sentences."), "",
        *(item("", note) + [""] if note else []), *lines, "", *of_papers(rows, paper),
        "A dot of the picture is a number of a paper, to the right, and ours, upwards. A full dot is of a claim that holds.", "",
        "![Ours over the papers' numbers](fidelity.svg)", "", *about,
        "## Not measured", "", *item("", "No experiment has measured these since they were written down; `--why NAME` says which one would: "
                                     f"{' '.join(ident for ident in missing if ident not in no_unit) or 'none'}."),
        *(["", *item("", NO_UNIT.format(" ".join(no_unit)))] if no_unit else []), ""])


def claims_table(rows):
    """The rows of a page as a table to read."""
    return markdown(Table("Claims", ["claim", "what", "paper", *HEADS, "holds"], [fitting(row[:9]) for row in rows], "none"))


def judged_before(page, table, paper):
    """{claim: (here, range, worst, active, sizes, verdict, experiment)} of an earlier table, and the numbers of seeds that its page names."""
    seeds = re.search(r"with (\d+)(?: to (\d+))? seeds? of their inputs", " ".join(page.split()))
    known = {row["claim"]: tuple(row.get(name) or "-" for name in COLUMNS[1:]) for row in csv.DictReader(table.splitlines())}
    return {claim: known[claim] for claim in known if claim in paper}, [int(count) for count in seeds.groups() if count] if seeds else []


def why(ident, sizes, verdict, reasons, claim):
    """(cause, reason) of a claim that does not count as held; empty for one that does. claim: its row of claims.csv."""
    if verdict == "yes":
        return "", ""
    if verdict == CHOSEN:
        return CHOSEN, f"{claim['chosen']} looks for the input by this number."
    if "turns" in verdict:
        return UNDECIDED, f"{TURNED}: {sizes}."
    if verdict == WEAKLY:
        return WEAK, claim.get("weak") or ""
    found = reasons.get(ident)
    return (found.cause, found.reason) if found else (UNDECIDED, DECIDED) if verdict.startswith("yes") else (UNKNOWN, "")


WEAKLY = "yes, weak"


def counting(verdict, row):
    """The verdict on a claim, of which claims.csv may say that it is weak, or that an input was chosen by it."""
    if row.get("chosen"):
        return CHOSEN
    return WEAKLY if verdict in ("yes", WEAKLY) and row.get("weak") else "yes" if verdict == WEAKLY else verdict


def rows_of(known, paper, reasons):
    """A row of each claim that is measured, in the order of the papers' file."""
    rows = []
    for ident, row in paper.items():
        if ident in known:
            *middle, verdict, experiment = known[ident]
            verdict = counting(verdict, row)
            cause, reason = why(ident, middle[4], verdict, reasons, row)
            rows.append(Row(ident, f"{row['place']}: {row['what']}", paper_text(row), *middle, verdict, experiment, cause, filled(reason, known)))
    return rows


def page(folder, paper, sources, note, before=("", ""), silicon=({}, ())):
    """The Markdown text, the table as CSV and the picture, from the *.json that reproduce.py left in folder. sources: the folder of reasons.csv and
    papers.csv. before: page and table as they were; claims that are not measured anew stay as they are. note: a sentence about the origin of all, may be
    empty. silicon: as silicon.judge gives it."""
    found, reasons = [result for result in read(folder) if result["claims"]], load_reasons(pathlib.Path(sources) / "reasons.csv")
    if not found and not (silicon[0] and before[1]):
        raise NotComparable(f"{folder} holds no result with a claim; name experiments (see --list), or their folder with --out")
    known, counts = judged_before(*before, paper)
    for result in found:
        for verdict in (verdict for verdict in result["claims"] if verdict["claim"] in paper):
            known[verdict["claim"]] = *shown(verdict), verdict_text(verdict), result["name"]
    known |= {claim: (*row, "synth") for claim, row in silicon[0].items()}
    rows, table = rows_of(known, paper, reasons), io.StringIO()
    csv.writer(table, lineterminator="\n").writerows([COLUMNS, *((row.claim, *row[3:10]) for row in rows)])
    lines = summary(rows, counts + [len(result["seeds"]) for result in found])
    untried = [row.claim for row in rows if row.holds == "yes" and paper[row.claim].get("untried")]
    lines += ["", *item("", UNTRIED.format(len(untried), " ".join(untried)))] if untried else []
    lines += ["", *item("", SILICON.format(len(silicon[0])))] if silicon[0] else []
    papers = pathlib.Path(sources) / "papers.csv"
    about = screens(rows, paper, rows_without_comments(papers) if papers.exists() else [], known)
    missing = [ident for ident in paper if ident not in known]
    return page_of_rows(rows, lines, missing, note, paper, about, silicon[1]), table.getvalue(), scatter([row for row in rows if row.cause != CHOSEN], paper)


def measures(experiment):
    """The command that measures what an experiment of this name does."""
    if experiment == "synth":
        return "cowarp synth --renew-reference"
    return f"cowarp reproduce {experiment}" if experiment not in ("", "-") else "no experiment does"


def explained(ident, paper, known, reasons):
    """Lines: all that is known of one claim, and the commands. Raises NotComparable when there is none of this name."""
    if ident not in paper:
        raise NotComparable(f"no claim is named '{ident}'; 'cowarp reproduce --claims' lists them")
    claim = paper[ident]
    lines = [ident, f"  claim     {claim['what']}", f"  stands    {claim['paper']}, {claim['place']}" + f"; {claim['config']}" * bool(claim["config"]),
             f"  paper     {paper_text(claim)}"]
    if ident not in known:
        return lines + ["  ours      not measured", f"  measure   {measures(claim.get('experiment') or '')}"]
    row = next(row for row in rows_of(known, paper, reasons) if row.claim == ident)
    lines += [f"  {name:<9} {getattr(row, field)}" for name, field in (("ours", "here"), ("range", "range"), ("worst", "worst"), ("active", "active"), ("sizes", "sizes"),
                                                                       ("holds", "holds")) if getattr(row, field) != "-"]
    lines += [f"  mutant    {line}" for line in claim.get("mutants", [])]
    if row.cause:
        lines += [f"  cause     {GROUPS[row.cause]}"] + ["\n".join(textwrap.wrap(row.reason, 110, initial_indent="  reason    ", subsequent_indent=" " * 12))] * bool(row.reason)
    lines.append(f"  measure   {measures(row.experiment)}")
    shows = reasons[ident].shows if ident in reasons else ""
    return lines + [f"  shows     {command}" for command in shows.split("; ") if command]
