# SPDX-License-Identifier: Apache-2.0
"""docs/fidelity.md: every claim of the papers that an experiment has measured, beside ours, with the reason where we differ."""
import csv
import json
import pathlib
import textwrap

from report import Claim, Table, cell, markdown


class NotComparable(Exception):
    """Results that say nothing about the papers' claims; the text says which and what to do."""


def results(folder):
    """What reproduce.py left in the folder, one dict per experiment, in the order of their names."""
    found = [json.loads(path.read_text()) for path in sorted(pathlib.Path(folder).glob("*.json"))]
    for result in found:
        if result.get("quick"):
            raise NotComparable(f"{folder} holds results of tiny inputs ({result['name']}); make full runs, or name their folder with --out")
    return found


def load_reasons(path):
    if not pathlib.Path(path).exists():
        return {}
    with open(path, newline="") as file:
        return {row["id"]: row["reason"] for row in csv.DictReader(line for line in file if not line.startswith("#"))}


def item(mark, text):
    """An item of a list, in lines that fit the page."""
    return textwrap.wrap(text, 158, initial_indent=mark, subsequent_indent=" " * len(mark), break_long_words=False, break_on_hyphens=False)


def page_of_rows(rows, missing, note):
    """The Markdown text. rows: (claim, what, paper, here, holds, reason) of each claim; missing: those that no experiment measures."""
    holding = sum(row[4] == "yes" for row in rows)
    text = ["<!-- SPDX-License-Identifier: Apache-2.0 -->", "# The papers' claims beside ours", "",
            "After this page you know which claims of the papers hold here, and why the others do not. `cowarp reproduce NAME ... --fidelity",
            "docs/fidelity.md` writes it; do not edit it by hand. `experiments/reasons.csv` has the reasons.", "",
            *(item("", note) + [""] if note else []),
            *item("", f"{len(rows)} claims are measured, {holding} hold. A claim holds when its direction agrees and, where it is a number, "
                      "its size agrees within 15 percent. Of a gain or a loss, the percents must agree."), "",
            markdown(Table("Claims", ["claim", "what", "paper", "here", "holds"], [row[:5] for row in rows], "none")),
            "### Reasons", ""]
    for row in rows:
        if row[5]:
            text += item("- ", f"**{row[0]}** {row[5]}")
    text += ["", "### Not measured", "", *item("", f"No experiment measures these yet: {', '.join(missing)}."), ""]
    return "\n".join(text)


def page(folder, paper, reasons_path, note):
    """The Markdown text, from the *.json that reproduce.py left in folder; note: a sentence about their origin, may be empty."""
    reasons, rows = load_reasons(reasons_path), []
    for result in results(folder):
        for values in result["claims"]:
            claim = Claim(**values)
            row = paper[claim.ident]
            why = "" if claim.holds else claim.note or reasons.get(claim.ident, "not explained yet")
            rows.append([claim.ident, f"{row['place']}: {row['what']}", f"{row['value']} {row['unit']}".strip(), cell(claim.ours),
                         "yes" if claim.holds else "no", why])
    measured = {row[0] for row in rows}
    return page_of_rows(rows, [ident for ident in paper if ident not in measured], note)
