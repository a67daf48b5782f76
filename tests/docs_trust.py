#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The README and docs/for-architects.md say how far the numbers can be trusted, in numbers that other files have: docs_trust.py SOURCE_DIR. The claims are the rows of
docs/fidelity.csv, and docs/fidelity.md counts them and has a reason for each that does not hold; the ratios of cycles are the last column over the second of docs/measured.md's table of whole programs."""
import csv
import pathlib
import re
import sys


def number(text):
    return int(text.replace(",", ""))


def ratios(page):
    """Ours over GPGPU-Sim's, of the programs of which there is one there."""
    rows = re.search(r"^\| program \| GPGPU-Sim \|.*?(?=\n\n)", page, re.MULTILINE | re.DOTALL).group(0).splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return [f"{number(row[-1]) / number(row[1]):.2f}" for row in cells if row[1]]


def main():
    source = pathlib.Path(sys.argv[1])
    readme, fidelity, model, table = ((source / name).read_text() for name in ("README.md", "docs/fidelity.md", "docs/measured.md", "docs/fidelity.csv"))
    rows = list(csv.DictReader(table.splitlines()))
    failing = [row["claim"] for row in rows if row["holds"] != "yes"]
    explained = re.findall(r"\*\*([^*\s]+)\*\*", fidelity.partition("## Why a claim does not hold")[2])
    measured, hold = len(rows), len(rows) - len(failing)
    said, architects = (" ".join(text.split()) for text in (readme, (source / "docs/for-architects.md").read_text()))
    wanted = [f"Of {measured} claims of the papers that are measured here, {hold} hold", "GPGPU-Sim's cycles: {}, {} and {}".format(*ratios(model))]
    also = [f"Of the {measured} that are measured, {hold} hold", "Three whole programs take {}, {} and {} of its cycles".format(*ratios(model))]
    missing = [text for text in wanted if text not in said]
    missing_there = [text for text in also if text not in architects]
    if f"{measured} claims are measured" not in fidelity or f"; {hold} hold." not in fidelity or sorted(explained) != sorted(failing):
        print("docs/fidelity.md is not about the claims of docs/fidelity.csv: 'cowarp reproduce NAME --fidelity docs/fidelity.md' writes both")
        return 1
    for text in missing:
        print(f"README.md does not say '{text}'")
    for text in missing_there:
        print(f"docs/for-architects.md does not say '{text}'")
    print(f"{len(wanted + also)} sentences about trust")
    return 1 if missing or missing_there else 0


if __name__ == "__main__":
    sys.exit(main())
