# SPDX-License-Identifier: Apache-2.0
"""What an experiment leaves behind: a CSV, a Markdown table, a plot, and the paper's claims beside ours."""
import csv
import json
import pathlib
from typing import NamedTuple


class Table(NamedTuple):
    """rows: lists that begin with the row's name; the other cells are numbers or text."""
    title: str
    columns: list
    rows: list
    kind: str = "bars"  # bars: one group per row, one bar per column; lines: one line per column over the rows; none: no plot
    ylabel: str = ""


class Claim(NamedTuple):
    """A number of the paper beside ours. paper: as experiments/claims.csv has it; holds: the claim's direction holds here."""
    ident: str
    ours: object
    holds: bool
    note: str = ""


def cell(value):
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return str(value)


def markdown(table):
    lines = [f"### {table.title}", "", "| " + " | ".join(table.columns) + " |",
             "|---|" + "---:|" * (len(table.columns) - 1)]
    lines += ["| " + " | ".join(cell(value) for value in row) + " |" for row in table.rows]
    return "\n".join(lines) + "\n"


def write_csv(path, table):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.columns)
        writer.writerows(table.rows)


def plot(path, table):
    """Writes a PNG; False when matplotlib is not there."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(9, 4), layout="constrained")
    names = [row[0] for row in table.rows]
    series = [(column, [row[i] if isinstance(row[i], (int, float)) else float("nan") for row in table.rows])
              for i, column in enumerate(table.columns) if i > 0 and any(isinstance(row[i], (int, float)) for row in table.rows)]
    if table.kind == "lines":
        for label, values in series:
            axes.plot(range(len(names)), values, marker="o", label=label)
        axes.set_ylim(bottom=0)
    else:
        width = 0.8 / max(1, len(series))
        for i, (label, values) in enumerate(series):
            axes.bar([x + i * width for x in range(len(names))], values, width, label=label)
    offset = 0 if table.kind == "lines" else 0.4 - 0.4 / max(1, len(series))
    axes.set_xticks([x + offset for x in range(len(names))], names)
    axes.set_title(table.title)
    axes.set_ylabel(table.ylabel)
    axes.grid(axis="y", alpha=0.4)
    axes.legend(fontsize="small")
    figure.savefig(path, dpi=100)
    plt.close(figure)
    return True


def load_claims(folder):
    with open(pathlib.Path(folder) / "claims.csv", newline="") as file:
        return {row["id"]: row for row in csv.DictReader(line for line in file if not line.startswith("#"))}


def claims_table(claims, paper):
    rows = []
    for claim in claims:
        row = paper[claim.ident]
        rows.append([claim.ident, row["what"], f"{row['value']} {row['unit']}".strip(), cell(claim.ours),
                     "holds" if claim.holds else "differs", claim.note])
    return Table("Claims", ["claim", "what", "paper", "here", "", "why"], rows, "none")


def write(folder, name, tables, claims, paper):
    """Writes name.csv, name.png (one per table), name.md and name.json into folder; returns the Markdown text."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    text = [f"## {name}\n"]
    for i, table in enumerate(tables):
        stem = name if len(tables) == 1 else f"{name}-{i + 1}"
        write_csv(folder / f"{stem}.csv", table)
        text.append(markdown(table))
        if table.kind != "none" and plot(folder / f"{stem}.png", table):
            text.append(f"![{table.title}]({stem}.png)\n")
    if claims:
        text.append(markdown(claims_table(claims, paper)))
    (folder / f"{name}.md").write_text("\n".join(text))
    (folder / f"{name}.json").write_text(json.dumps(
        {"name": name, "claims": [claim._asdict() for claim in claims],
         "tables": [table._asdict() for table in tables]}, indent=1))
    return "\n".join(text)
