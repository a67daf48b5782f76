# SPDX-License-Identifier: Apache-2.0
"""A table as a picture: the paper's bars, where it states them, beside ours with the range over the seeds. Every picture has the same shape: a
panel per column, or per system where the columns are parts of one, over the same rows. The same table gives the same bytes: no date, no random
names, and the viewer's fonts."""
import io
import math
import re
from typing import NamedTuple

try:
    import matplotlib
    from matplotlib.figure import Figure
except ImportError:
    raise SystemExit("cowarp reproduce: the pictures need python3-matplotlib; run ./setup") from None

from report import cell

OURS, PAPER, MARK = "#2a6f97", "#f0a13a", "#b3261e"
PARTS = ("#2a6f97", "#f4c095", "#8ab17d", "#b56576", "#6d597a", "#bdbdbd", "#e9c46a", "#457b9d")
# Where there are more parts: eight grades of one thing, and others.
GRADES = ("#d8e6f3", "#b7d0e6", "#94bad9", "#72a2ca", "#528bb9", "#3674a5", "#1f5d8d", "#0b4570", "#f4c095", "#b56576", "#bdbdbd")
FEW = 14  # rows whose names fit side by side, and whose bars have room for their numbers
LETTERS = 130  # of names that stand side by side
NARROW = {"columnspacing": 0.9, "handlelength": 1.0, "handletextpad": 0.4}  # a legend of many parts
HEAD = 0.45  # inches above the panels: a line for the title, and one for what the colours mean
# What a picture's title and axis say that it shows. A share, or a mix, is neither good nor bad.
NEITHER, MORE = re.compile(r"share of the speedup|fits in|of a transaction|class|pairs of attempts"), re.compile(r"speed-?up|\bIPC\b|efficiency|hit in the", re.I)
LESS = re.compile(r"\b(time|cycles|aborts|flits|energy|stalls|stalled|misses|most requests|bytes|deepest|conflicts)\b")
STYLE = {"svg.hashsalt": "cowarp", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 8, "axes.axisbelow": True, "axes.grid": True,
         "axes.grid.axis": "y", "grid.alpha": 0.4, "axes.spines.top": False, "axes.spines.right": False}


class Panel(NamedTuple):
    """parts: (name, ours per row, range per row or None); on each other if there are several. paper: per row, NaN where it states none."""
    name: str
    parts: list
    paper: list


def number(value):
    return float(value) if isinstance(value, (int, float)) else math.nan


def columns_of(table):
    """(name, values, ranges) of the columns that hold numbers."""
    found = []
    for i, name in enumerate(table.columns[1:], 1):
        values = [number(row[i]) for row in table.rows]
        if not all(map(math.isnan, values)):
            found.append((name, values, [row[i] for row in table.ranges] if table.ranges else [None] * len(values)))
    return found


def panels_of(table, paper):
    """paper: {(row, column): value}. Of stacks, columns `SYSTEM PART` make a panel per system, or all columns one."""
    columns = columns_of(table)
    if table.kind != "stacks":
        return [Panel(name, [("", values, ranges)], [paper.get((row[0], name), math.nan) for row in table.rows]) for name, values, ranges in columns]
    systems = list(dict.fromkeys(name.rpartition(" ")[0] for name, _, _ in columns))
    if len(systems) == 1 or len(systems) * 2 != len(columns):
        systems = [""]
    none = [math.nan] * len(table.rows)
    return [Panel(system, [(name[len(system):].strip(), values, None) for name, values, _ in columns if name.startswith(system + " " * bool(system))],
                  none) for system in systems]


def known(values):
    return [value for value in values if not math.isnan(value)]


def is_wide(panels):
    """Whether the largest bar is 50 times the smallest, so that one would not see the small ones. Stacks stay, or one would not see how long each
    part is."""
    seen = [value for panel in panels if len(panel.parts) == 1 for value in known(panel.parts[0][1] + panel.paper) if value > 0]
    return bool(seen) and max(seen) > 50 * min(seen)


def below_all(panels):
    """Where a logarithmic axis begins: a power of ten below the smallest bar, which would else not be seen."""
    seen = [value for panel in panels if len(panel.parts) == 1 for value in known(panel.parts[0][1] + panel.paper) if value > 0]
    return 10.0 ** (math.ceil(math.log10(min(seen))) - 1)


def unknown(axes, place):
    axes.text(place, 0.03, "-", transform=axes.get_xaxis_transform(), ha="center")


def draw_series(axes, places, values, width, colour, label, ranges=None, size=7):
    """Bars with their numbers where there is room, a line over the range of the seeds, and - where the value is not known."""
    ends = [pair if pair and not any(map(math.isnan, pair)) else (value, value) for pair, value in zip(ranges or [None] * len(values), values)]
    spread = [[value - low for value, (low, _) in zip(values, ends)], [high - value for value, (_, high) in zip(values, ends)]]
    seen = any(part > 0 for side in spread for part in side)
    bars = axes.bar(places, values, width, color=colour, label=label, yerr=spread if seen else None, capsize=2, error_kw={"linewidth": 0.8})
    if len(values) <= FEW:
        axes.bar_label(bars, [cell(value) for value in values], padding=1, fontsize=size)
    for place, value in zip(places, values):
        if math.isnan(value):
            unknown(axes, place)


def draw_bars(axes, panel):
    """One value per row: the paper's bar, if it states any in this panel, and ours."""
    _, values, ranges = panel.parts[0]
    rows = range(len(values))
    if not known(panel.paper):
        draw_series(axes, rows, values, 0.6, OURS, "here", ranges)
        return
    stated = [i for i in rows if not math.isnan(panel.paper[i])]
    draw_series(axes, [i - 0.2 for i in stated], [panel.paper[i] for i in stated], 0.4, PAPER, "paper", size=6)
    draw_series(axes, [i + 0.2 for i in rows], values, 0.4, OURS, "here", ranges, size=6)


def draw_stacks(axes, panel, top):
    """Bars above top (0: none) are cut off there, with their height beside them; - where the values are not known."""
    below, colours = [0.0] * len(panel.paper), PARTS if len(panel.parts) <= len(PARTS) else GRADES
    for colour, (name, values, _) in zip(colours, panel.parts):
        tall = [0.0 if math.isnan(value) else value for value in values]
        axes.bar(range(len(tall)), tall, 0.7, bottom=below, color=colour, label=name)
        below = [a + b for a, b in zip(below, tall)]
    if top:
        axes.set_ylim(0, top)
    for place, height in enumerate(below):
        if all(math.isnan(values[place]) for _, values, _ in panel.parts):
            unknown(axes, place)
        elif 0 < top < height:
            axes.text(place, top, f"{height:.2g}", ha="center", va="bottom", fontsize=6)


def sense(table):
    """Which way is better, in words; "" where neither is."""
    text = f"{table.title} {table.ylabel}"
    if NEITHER.search(text):
        return ""
    return "higher is better" if MORE.search(text) else "lower is better" if LESS.search(text) else ""


def figure_of(table, paper, seeds, mark=""):
    """The matplotlib figure. paper: {(row, column): value} of the bars that the paper states; seeds: how many the table is made of; mark: what one
    must know before one looks at it."""
    rows, panels = [row[0] for row in table.rows], panels_of(table, paper)
    many = any(len(panel.parts) > len(PARTS) for panel in panels)
    turned = len(rows) > FEW or sum(len(str(row)) + 2 for row in rows) > LETTERS
    height = HEAD + 0.3 + (2.6 if many else 1.3) * len(panels) + (max(0.6, 0.07 * max(len(str(row)) for row in rows)) if turned else 0)
    figure = Figure(figsize=(9, height), layout="constrained")
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - HEAD / height))
    own = table.kind == "panels"
    all_axes = figure.subplots(len(panels), 1, sharex=True, sharey=not own, squeeze=False)[:, 0]
    for axes, panel in zip(all_axes, panels):
        if len(panel.parts) > 1:
            draw_stacks(axes, panel, table.top)
        else:
            draw_bars(axes, panel)
        axes.set_title(panel.name, loc="right", fontsize=8)
        axes.set_ylabel(table.ylabel)
        if is_wide([panel] if own else panels):
            axes.set_yscale("log")
            axes.set_ylim(bottom=below_all([panel] if own else panels))
        if table.ylabel == "ratio":
            axes.axhline(1.0, color="black", linewidth=0.8, linestyle="--")
    all_axes[-1].set_xticks(range(len(rows)), rows, rotation=90 if turned else 0)
    all_axes[-1].set_xlabel(sense(table), loc="right", fontsize=8)
    handles = {name: handle for axes in all_axes for handle, name in zip(*axes.get_legend_handles_labels())}
    over = f" (median of {seeds} seeds, line from the least to the greatest)" if seeds > 1 else ""
    figure.legend(handles.values(), [name + over * (name == "here") for name in handles], loc="upper left", ncols=len(handles), frameon=False,
                  bbox_to_anchor=(0, 1 - 0.5 * HEAD / height), borderaxespad=0, **(NARROW if many else {}))
    figure.text(0.01, 1 - 0.05 / height, table.title, va="top", fontsize=10)
    if mark:
        figure.text(0.99, 1 - 0.05 / height, mark, va="top", ha="right", fontsize=8, color=MARK)
    return figure


def draw(table, paper, seeds, mark=""):
    """The SVG text of figure_of."""
    file = io.StringIO()
    with matplotlib.rc_context(STYLE):
        figure_of(table, paper, seeds, mark).savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    head, _, rest = file.getvalue().partition("<!DOCTYPE")
    return f"{head}<!-- SPDX-License-Identifier: Apache-2.0 -->\n<!DOCTYPE{rest}"
