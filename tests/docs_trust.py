#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The README and docs/for-architects.md say how far the numbers can be trusted, in numbers that other files have: docs_trust.py SOURCE_DIR. The claims are
the rows of docs/fidelity.csv, and docs/fidelity.md counts and names them; each reason of experiments/reasons.csv is one of the number that the table has now;
the ratios of cycles are the last column over the second of docs/measured.md's table of whole programs; the error beside a card, and the table, are those of experiments/peers/v100.csv, and the lines of other cards those of their files there."""
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


CHOSEN = "no claim any more: inputs were chosen by it"  # a mark of docs/fidelity.md
SLACK = 0.15  # of a number, by which it may have moved since its reason was found
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def moved(then, now):
    """Whether one of a text's numbers is another one now."""
    before, after = ([float(text) for text in NUMBER.findall(part)] for part in (then, now))
    return len(before) != len(after) or any(abs(a - b) > SLACK * max(abs(a), abs(b), 1.0) for a, b in zip(before, after))


def rows_of(path):
    return list(csv.DictReader(line for line in path.read_text().splitlines() if not line.startswith("#")))


def stale(reasons, rows):
    """Lines: reasons of numbers that have moved, of claims that hold, and numbers in texts that no claim has. rows: of the table, by claim."""
    wrong = []
    for row in reasons:
        now = rows.get(row["id"])
        if now is None or now["holds"] == "yes":
            wrong.append(f"experiments/reasons.csv: {row['id']} {'holds' if now else 'is not measured'}; take its reason out")
        elif moved(row["here"], now["here"]):
            wrong.append(f"experiments/reasons.csv: the reason of {row['id']} is of {row['here']}, and it is {now['here']} now; look at it again")
    return wrong


def unknown_numbers(texts, rows):
    """Lines: {CLAIM} of a text, and no claim of this name is measured."""
    return [f"{name}: {{{ident}}} is no claim that is measured" for name, text in texts for ident in re.findall(r"\{([\w.-]+)(?::\w+)?\}", text) if ident not in rows]


def named(page):
    """{"hold" or the cause: names} of all lines of docs/fidelity.md that list claims, and those whose count is wrong."""
    found, wrong = {}, []
    for mark, count, names in re.findall(r"^- ([^\n(]+) \((\d+)\): ((?:[^\n]+\n)(?:  [^\n]+\n)*)", page, re.MULTILINE):
        found.setdefault(mark, []).extend(names.split())
        wrong += [mark] * (int(count) != len(names.split()))
    return found, wrong


def main():
    source = pathlib.Path(sys.argv[1])
    readme, fidelity, model, table = ((source / name).read_text() for name in ("README.md", "docs/fidelity.md", "docs/measured.md", "docs/fidelity.csv"))
    rows = [row for row in csv.DictReader(table.splitlines()) if row["holds"] != "chosen"]  # by these, inputs were chosen
    failing = [row["claim"] for row in rows if row["holds"] != "yes"]
    measured, hold = len(rows), len(rows) - len(failing)
    said, architects = (" ".join(text.split()) for text in (readme, (source / "docs/for-architects.md").read_text()))
    sys.path.insert(0, str(source / "experiments/peers"))
    import card  # noqa: PLC0415  (after the path is set)
    cards = card.read(source / "experiments/peers/v100.csv")[1]
    wanted = [f"Of {measured} claims of the papers that are measured here, {hold} hold", "GPGPU-Sim's cycles: {}, {} and {}".format(*ratios(model)),
              f"{len(cards)} CUDA programs are {card.error(cards, 'cowarp_cycles'):.1f} percent off a V100"]
    also = [f"Of the {measured} that are measured, {hold} hold", "Three whole programs take {}, {} and {} of its cycles".format(*ratios(model))]
    missing = [text for text in wanted if text not in said]
    missing_there = [text for text in also if text not in architects]
    known, reasons, (lists, miscounted) = {row["claim"]: row for row in rows}, rows_of(source / "experiments/reasons.csv"), named(fidelity)
    others = sorted(name for mark, names in lists.items() if mark not in ("hold", CHOSEN) for name in names)
    if (f"{measured} claims are measured" not in fidelity or f"; {hold} hold." not in fidelity or miscounted or others != sorted(failing)
            or sorted(lists.get("hold", [])) != sorted(set(known) - set(failing))):
        print("docs/fidelity.md is not about the claims of docs/fidelity.csv: 'cowarp reproduce NAME --fidelity docs/fidelity.md' writes both")
        return 1
    about = [(f"experiments/papers.csv, {row['paper']}", row["holds"] + row["misses"] + row["reason"]) for row in rows_of(source / "experiments/papers.csv")]
    texts = about + [(f"experiments/reasons.csv, {row['id']}", row["reason"]) for row in reasons]
    of_card = [card.summary(cards), *card.HEAD, *map(card.line, cards),
               *(card.brief(name, card.read(source / f"experiments/peers/{name}.csv")[1]) for name in ("titanv", "rtx2080ti", "rtx4070", "h100"))]
    wrong = (stale(reasons, known) + unknown_numbers(texts, known)
             + [f"docs/measured.md does not say '{text}', which a file of experiments/peers does" for text in of_card if text not in " ".join(model.split())])
    print("\n".join(wrong)) if wrong else None
    for text in missing:
        print(f"README.md does not say '{text}'")
    for text in missing_there:
        print(f"docs/for-architects.md does not say '{text}'")
    print(f"{len(wanted + also)} sentences about trust")
    return 1 if missing or missing_there or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
