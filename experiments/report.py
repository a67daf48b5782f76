# SPDX-License-Identifier: Apache-2.0
"""What an experiment leaves behind: a CSV, a Markdown table, a plot, and the paper's claims beside ours."""
import csv
import json
import math
import pathlib
from typing import Callable, NamedTuple


class Table(NamedTuple):
    """rows: lists that begin with the row's name; the other cells are numbers or text."""
    title: str
    columns: list
    rows: list
    kind: str = "bars"  # bars: one group per row, one bar per column; stacks: columns on each other; lines: one line per column; none
    ylabel: str = ""
    ranges: list = None  # of each cell the least and the greatest over the seeds, None for text; None with one seed


class Claim(NamedTuple):
    """A number of the paper beside ours, with one seed. value: ours, or a tuple of several; limits: of the value within which the claim holds, as
    (least, most), None for no limit; or one such pair for each of several values. text: shows the values, a function of them; searched: the
    values come out of the search for the best limit of warps, which only the first seed makes."""
    ident: str
    value: object
    limits: tuple
    text: Callable = None
    searched: bool = False

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


def write_csv(path, table):
    """With more than one seed, each column of numbers is followed by its least and its greatest ones."""
    wide = [bool(table.ranges) and any(row[i] for row in table.ranges) for i in range(len(table.columns))]
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([text for name, more in zip(table.columns, wide) for text in ([name, f"{name} min", f"{name} max"] if more else [name])])
        for i, row in enumerate(table.rows):
            ends = table.ranges[i] if table.ranges else [None] * len(row)
            writer.writerow([x for value, more, pair in zip(row, wide, ends) for x in ([value, *(pair or ("", ""))] if more else [value])])


def series_of(table):
    """(column, numbers) of the columns that hold numbers; a cell that holds none is NaN."""
    def number(value):
        return value if isinstance(value, (int, float)) else math.nan
    columns = [(column, [number(row[i]) for row in table.rows]) for i, column in enumerate(table.columns) if i > 0]
    return [(column, values) for column, values in columns if not all(math.isnan(value) for value in values)]


def draw_bars(axes, series):
    width = 0.8 / max(1, len(series))
    for i, (label, values) in enumerate(series):
        axes.bar([x - 0.4 + (i + 0.5) * width for x in range(len(values))], values, width, label=label)
    seen = [value for _, values in series for value in values if value > 0 and not math.isnan(value)]
    if seen and max(seen) > 50 * min(seen):
        axes.set_yscale("log")


def draw_stacks(axes, series):
    """Columns `SYSTEM PART`: one bar per system, its parts on each other, a colour per part, a hatch per system. Without systems, one bar."""
    systems = list(dict.fromkeys(column.rpartition(" ")[0] for column, _ in series)) if len(series) % 2 == 0 else [""]
    shared = len(systems) > 1 and all(sum(c.rpartition(" ")[0] == s for c, _ in series) == len(series) // len(systems) for s in systems)
    systems = systems if shared else [""]
    parts = list(dict.fromkeys(column.rpartition(" ")[2] if shared else column for column, _ in series))
    width = 0.8 / len(systems)
    base = {}
    for column, values in series:
        system, part = (column.rpartition(" ")[0], column.rpartition(" ")[2]) if shared else ("", column)
        places = [x - 0.4 + (systems.index(system) + 0.5) * width for x in range(len(values))]
        below = base.get(system, [0.0] * len(values))
        axes.bar(places, values, 0.9 * width, bottom=below, label=column, color=f"C{parts.index(part)}",
                 hatch=("", "//", "..", "xx")[systems.index(system) % 4], edgecolor="white", linewidth=0.5)
        base[system] = [a + b for a, b in zip(below, values)]


def plot(path, table):
    """Writes a PNG; False when matplotlib is not there."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    series, names = series_of(table), [row[0] for row in table.rows]
    figure, axes = plt.subplots(figsize=(max(9, 0.33 * len(names)), 4.5), layout="constrained")
    if table.kind == "lines":
        for label, values in series:
            axes.plot(range(len(names)), values, marker="o", label=label)
        axes.set_ylim(bottom=0)
        axes.set_xlabel(table.columns[0])
    else:
        (draw_stacks if table.kind == "stacks" else draw_bars)(axes, series)
        axes.set_xlim(-0.6, len(names) - 0.4)
    if table.ylabel == "ratio":
        axes.axhline(1.0, color="black", linewidth=0.8)
    axes.set_xticks(range(len(names)), names, rotation=90 if len(names) > 14 else 0)
    axes.set_title(table.title, fontsize="medium")
    axes.set_ylabel(table.ylabel)
    axes.grid(axis="y", alpha=0.4)
    axes.set_axisbelow(True)
    if len(series) > 1:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small")
    figure.savefig(path, dpi=100)
    plt.close(figure)
    return True


def load_claims(folder):
    with open(pathlib.Path(folder) / "claims.csv", newline="") as file:
        return {row["id"]: row for row in csv.DictReader(line for line in file if not line.startswith("#"))}


NO_VERDICTS = "Tiny inputs (--quick): these numbers mean nothing, so no claim is judged.\n"


def verdict_text(verdict):
    """crosses: with some seeds the claim holds, with others it does not."""
    return ("yes" if verdict["holds"] else "no") + (", crosses" if verdict["crosses"] else "")


def paper_text(row):
    """The paper's number with its unit, from a row of claims.csv."""
    return f"{row['value']} {row['unit']}".strip()


def claims_table(verdicts, paper, quick):
    """Without the column of verdicts for tiny inputs."""
    columns, rows = ["claim", "what", "paper", "here", "range", "holds"], []
    for verdict in verdicts:
        row = paper[verdict["claim"]]
        rows.append([verdict["claim"], row["what"], paper_text(row), verdict["here"], verdict["range"]] + ([] if quick else [verdict_text(verdict)]))
    return Table("Claims", columns[:5] if quick else columns, rows, "none")


def record(verdict, quick):
    """What NAME.json keeps of a verdict."""
    return {name: value for name, value in verdict._asdict().items() if not (quick and name in ("holds", "crosses"))}


def write(folder, name, tables, verdicts, paper, seeds, quick=False):
    """Writes name.csv, name.png (one per table), name.md and name.json into folder; returns the Markdown text. seeds: those of which tables and
    verdicts (spread.py) are made; quick: inputs were tiny, so no claim is judged."""
    folder, verdicts = pathlib.Path(folder), [record(verdict, quick) for verdict in verdicts]
    folder.mkdir(parents=True, exist_ok=True)
    text = [f"## {name}\n"] + [NO_VERDICTS] * quick
    if len(seeds) > 1:
        text.append(f"Medians of seeds {', '.join(map(str, seeds))}. In parentheses: the least and the greatest, where these digits differ.\n")
    for i, table in enumerate(tables):
        stem = name if len(tables) == 1 else f"{name}-{i + 1}"
        write_csv(folder / f"{stem}.csv", table)
        text.append(markdown(table))
        if table.kind != "none" and plot(folder / f"{stem}.png", table):
            text.append(f"![{table.title}]({stem}.png)\n")
    if verdicts:
        text.append(markdown(claims_table(verdicts, paper, quick)))
    (folder / f"{name}.md").write_text("\n".join(text))
    (folder / f"{name}.json").write_text(json.dumps(
        {"name": name, "quick": quick, "seeds": seeds, "claims": verdicts, "tables": [table._asdict() for table in tables]}, indent=1))
    return "\n".join(text)
