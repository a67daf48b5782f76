# SPDX-License-Identifier: Apache-2.0
"""Tables and claims, and the papers' numbers."""
import csv
import math
import pathlib
from typing import Callable, NamedTuple


class Table(NamedTuple):
    """rows: lists that begin with the row's name; the other cells are numbers or text."""
    title: str
    columns: list
    rows: list
    kind: str = "bars"  # its picture: bars: a panel of bars per column; panels: the same, each with its own axis; stacks: columns on each other; none
    ylabel: str = ""
    ranges: list = None  # of each cell the least and the greatest over the seeds, None for text; None with one seed
    paper: tuple = ()    # (row, column, value) of the numbers that the paper has in a table of its own
    top: float = 0       # of stacks: where the axis ends, as the paper's does; a higher bar has its height beside it; 0: above the highest


class Claim(NamedTuple):
    """A number of the paper beside ours, with one seed. value: ours, or a tuple of several; limits: of the value within which the claim holds, as
    (least, most), None for no limit; or one such pair for each of several values. text: shows the values, a function of them. each: what the (first)
    value is a mean or an extreme of, by program; worse: min or max, which of them is the worst. workloads: those that the claim is about, if not all of
    the experiment."""
    ident: str
    value: object
    limits: tuple
    text: Callable = None
    each: dict = {}
    worse: Callable = min
    workloads: tuple = ()

    def numbers(self):
        return self.value if isinstance(self.value, tuple) else (self.value,)

    def pairs(self):
        return self.limits if isinstance(self.value, tuple) else (self.limits,)

    def shown(self, values):
        return self.text(*values) if self.text else "/".join(map(cell, values))


def cell(value):
    if isinstance(value, float) and math.isnan(value):
        return "-"
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return str(value)


def ranged(value, ends):
    """A cell, with the range over the seeds where it shows in the digits."""
    low, high = map(cell, ends or (0, 0))
    return cell(value) if low == high else f"{cell(value)} ({low}..{high})"


def markdown(table):
    lines = [f"### {table.title}", "", "| " + " | ".join(table.columns) + " |",
             "|---|" + "---:|" * (len(table.columns) - 1)]
    for i, row in enumerate(table.rows):
        ends = table.ranges[i] if table.ranges else [None] * len(row)
        lines.append("| " + " | ".join(map(ranged, row, ends)) + " |")
    return "\n".join(lines) + "\n"


def write_csv(path, table, mark=""):
    """With more than one seed, each column of numbers is followed by its least and its greatest ones. mark: a line of comment before all."""
    wide = [bool(table.ranges) and any(row[i] for row in table.ranges) for i in range(len(table.columns))]
    with open(path, "w", newline="") as file:
        file.write(f"# {mark}\n" if mark else "")
        writer = csv.writer(file)
        writer.writerow([text for name, more in zip(table.columns, wide) for text in ([name, f"{name} min", f"{name} max"] if more else [name])])
        for i, row in enumerate(table.rows):
            ends = table.ranges[i] if table.ranges else [None] * len(row)
            writer.writerow([x for value, more, pair in zip(row, wide, ends) for x in ([value, *(pair or ("", ""))] if more else [value])])


def load_claims(folder):
    """{claim: its row}. weak: also of a claim that no wrong machine misses of those that it was judged on; untried: it was judged on none."""
    with open(pathlib.Path(folder) / "claims.csv", newline="") as file:
        claims = {row["id"]: row for row in csv.DictReader(line for line in file if not line.startswith("#"))}
    tried = {}
    for row in load_mutants(pathlib.Path(folder) / "mutants.csv"):
        tried.setdefault(row["claim"], []).append(row)
    for ident, claim in claims.items():
        judged = [row for row in tried.get(ident, []) if row["missed"] != "fails"]
        claim["untried"] = not judged
        claim["mutants"] = [f"{row['mutant']} ({row['wrong']}): {row['here']}, missed: {row['missed']}" for row in judged]
        if judged and all(row["missed"] == "no" for row in judged):
            claim["weak"] = claim.get("weak") or f"No wrong machine that was tried misses it: {', '.join(row['mutant'] for row in judged)}."
    return claims


def load_mutants(path):
    """Rows of a table of mutants.py; none where there is no table."""
    if not pathlib.Path(path).exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def load_published(folder):
    """{experiment: {(row, column): (value, where it is stated)}} of the bars of figures that the papers' text states."""
    found = {}
    with open(pathlib.Path(folder) / "published.csv", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            found.setdefault(row["experiment"], {})[row["row"], row["column"]] = float(row["value"]), row["where"]
    return found
