# SPDX-License-Identifier: Apache-2.0
"""docs/fidelity.md: every claim of the papers that an experiment has measured, beside ours, with the reason where we differ."""
import csv
import json
import pathlib

from report import Claim, Table, cell, markdown


def load_reasons(path):
    if not pathlib.Path(path).exists():
        return {}
    with open(path, newline="") as file:
        return {row["id"]: row["reason"] for row in csv.DictReader(line for line in file if not line.startswith("#"))}


def page(folder, paper, reasons_path, note):
    """The Markdown text, from the *.json that reproduce.py left in folder; note: a sentence about their origin, may be empty."""
    reasons, rows, measured, holding = load_reasons(reasons_path), [], set(), 0
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        result = json.loads(path.read_text())
        for values in result["claims"]:
            claim = Claim(**values)
            measured.add(claim.ident)
            holding += claim.holds
            row = paper[claim.ident]
            why = "" if claim.holds else claim.note or reasons.get(claim.ident, "not explained yet")
            rows.append([claim.ident, f"{row['place']}: {row['what']}", f"{row['value']} {row['unit']}".strip(), cell(claim.ours),
                         "yes" if claim.holds else "no", why])
    missing = [ident for ident in paper if ident not in measured]
    text = ["<!-- SPDX-License-Identifier: Apache-2.0 -->", "# The papers' claims beside ours", "",
            "Made by `cowarp reproduce NAME ... --fidelity docs/fidelity.md`; do not edit by hand. Reasons are kept in "
            "`experiments/reasons.csv`.", "",
            *([note, ""] if note else []),
            f"{len(rows)} claims measured, {holding} hold. A claim holds when direction and, where it is a number, size within 15 percent "
            "agree; of a gain or a loss, its percents.", "",
            markdown(Table("Claims", ["claim", "what", "paper", "here", "holds", "reason"], rows, "none")),
            f"Not measured by an experiment yet: {', '.join(missing)}.", ""]
    return "\n".join(text)
