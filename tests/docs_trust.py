#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The README says how far the numbers can be trusted, in numbers that two other pages have: docs_trust.py SOURCE_DIR. The claims are those of
docs/fidelity.md; the ratios of cycles are the last column over the second of docs/model.md's table of whole programs."""
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
    readme, fidelity, model = ((source / name).read_text() for name in ("README.md", "docs/fidelity.md", "docs/model.md"))
    measured, hold = re.search(r"(\d+) claims are measured.*?; (\d+) hold", " ".join(fidelity.split())).groups()
    said = " ".join(readme.split())
    wanted = [f"Of {measured} claims of the papers that are measured here, {hold} hold", "GPGPU-Sim's cycles: {}, {} and {}".format(*ratios(model))]
    missing = [text for text in wanted if text not in said]
    for text in missing:
        print(f"README.md does not say '{text}'")
    print(f"{len(wanted)} sentences about trust")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
