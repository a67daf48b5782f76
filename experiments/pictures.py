# SPDX-License-Identifier: Apache-2.0
"""A table as an SVG picture: the paper's bars, where it states them, beside ours with the range over the seeds. Every picture has the same shape:
a panel per column, or per system where the columns are parts of one, over the same rows. The same table gives the same bytes: no date, no font
measured, numbers rounded."""
import math
from typing import NamedTuple
from xml.sax.saxutils import escape

from report import cell

OURS, PAPER = "#2a6f97", "#f0a13a"
PARTS = ("#2a6f97", "#f4c095", "#8ab17d", "#b56576", "#6d597a", "#bdbdbd", "#e9c46a", "#457b9d")
WIDTH, LEFT, RIGHT, TOP, PANEL, GAP = 860, 62, 14, 68, 92, 34
FEW = 14  # rows whose names fit side by side, and whose bars have room for their numbers


def at(number):
    return f"{number:.1f}"


class Axis(NamedTuple):
    """From a value to its height in a panel, from 0 at the bottom to PANEL."""
    low: float
    high: float
    log: bool

    def height(self, value):
        if self.log:
            return PANEL * math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        return PANEL * max(value, self.low) / self.high

    def ticks(self):
        if self.log:
            exponents = range(round(math.log10(self.low)), round(math.log10(self.high)) + 1)
            return [10.0 ** i for i in exponents][::max(1, len(exponents) // 4)]
        step = self.high / 4
        return [i * step for i in range(5)]


def axis_of(values, stacked):
    """An axis for all of them: from 0 to a round number; or, where the largest is 50 times the smallest, from one power of ten to another, unless
    bars are stacked, of which one could then not see how long each is."""
    known = [value for value in values if value > 0 and not math.isnan(value)]
    low, high = min(known, default=1.0), max(known, default=1.0)
    if high > 50 * low and not stacked:
        bottom = math.floor(math.log10(low) - 0.05)
        return Axis(10.0 ** bottom, 10.0 ** max(math.ceil(math.log10(high)), bottom + 1), True)
    unit = 10.0 ** math.floor(math.log10(high))
    return Axis(0.0, next(n * unit for n in (1, 1.2, 1.6, 2, 3, 4, 6, 8, 10, 20) if n * unit >= high), False)


class Svg:
    """Elements in the order in which they are drawn."""

    def __init__(self):
        self.lines = []

    def text(self, x, y, words, size=10, anchor="middle", more=""):
        self.lines.append(f'<text x="{at(x)}" y="{at(y)}" font-size="{size}" text-anchor="{anchor}"{more}>{escape(str(words))}</text>')

    def box(self, x, y, width, height, colour, name=None):
        inside = f"><title>{escape(name)}</title></rect>" if name else "/>"
        self.lines.append(f'<rect x="{at(x)}" y="{at(y)}" width="{at(width)}" height="{at(height)}" fill="{colour}"{inside}')

    def line(self, x, y, x2, y2, colour="#000", more=""):
        self.lines.append(f'<line x1="{at(x)}" y1="{at(y)}" x2="{at(x2)}" y2="{at(y2)}" stroke="{colour}"{more}/>')

    def document(self, height, title):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{at(height)}" viewBox="0 0 {WIDTH} {at(height)}" '
                'font-family="sans-serif" role="img">')
        return "\n".join(["<!-- SPDX-License-Identifier: Apache-2.0 -->", head, f"<title>{escape(title)}</title>",
                          f'<rect width="{WIDTH}" height="{at(height)}" fill="#fff"/>', *self.lines, "</svg>", ""])


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


def seen_values(panel):
    """What an axis must show: ours, the ends of their ranges, the paper's; of stacks the heights."""
    if len(panel.parts) > 1:
        return [sum(v for v in column if not math.isnan(v)) for column in zip(*(values for _, values, _ in panel.parts))]
    _, values, ranges = panel.parts[0]
    return values + panel.paper + [end for pair in ranges or () if pair for end in pair]


def draw_axis(svg, axis, top, ratio):
    for value in axis.ticks():
        y = top + PANEL - axis.height(value)
        svg.line(LEFT, y, WIDTH - RIGHT, y, "#ddd")
        svg.text(LEFT - 5, y + 3, f"{value:.4g}", 9, "end")
    if ratio and axis.low <= 1 <= axis.high:
        y = top + PANEL - axis.height(1)
        svg.line(LEFT, y, WIDTH - RIGHT, y, "#555", ' stroke-dasharray="4 3"')


def draw_bar(svg, axis, base, value, place, colour, name, few):
    """place: (left end, width). Says the number above the bar where there is room, and - where the value is not known."""
    x, width = place
    if math.isnan(value):
        svg.text(x + width / 2, base - 2, "-", 9)
        return
    tall = axis.height(value)
    svg.box(x, base - tall, width, tall, colour, f"{name}: {cell(value)}")
    if few:
        svg.text(x + width / 2, base - tall - 3, cell(value), 8, more=' stroke="#fff" stroke-width="2" paint-order="stroke"')


def draw_range(svg, axis, base, x, ends):
    if not ends or any(map(math.isnan, ends)) or ends[0] == ends[1]:
        return
    low, high = (base - axis.height(end) for end in ends)
    svg.line(x, low, x, high)
    for y in (low, high):
        svg.line(x - 3, y, x + 3, y)


def draw_bars(svg, axis, panel, rows, top):
    """One value per row: the paper's bar, if it states any in this panel, and ours with its range."""
    step, base, (_, values, ranges) = (WIDTH - LEFT - RIGHT) / len(rows), top + PANEL, panel.parts[0]
    beside = not all(map(math.isnan, panel.paper))
    for i, row in enumerate(rows):
        width = (0.4 if beside else 0.6) * step
        x, few = LEFT + (i + (0.1 if beside else 0.2)) * step, len(rows) <= FEW
        if beside and not math.isnan(panel.paper[i]):
            draw_bar(svg, axis, base, panel.paper[i], (x, width), PAPER, f"{row}, paper", few)
        x += width * beside
        draw_bar(svg, axis, base, values[i], (x, width), OURS, f"{row}, here", few)
        draw_range(svg, axis, base, x + 0.85 * width, ranges[i])


def draw_stacks(svg, axis, panel, rows, top):
    step = (WIDTH - LEFT - RIGHT) / len(rows)
    for i, row in enumerate(rows):
        below = 0.0
        for colour, (name, values, _) in zip(PARTS, panel.parts):
            if not math.isnan(values[i]):
                tall = axis.height(below + values[i]) - axis.height(below)
                svg.box(LEFT + (i + 0.15) * step, top + PANEL - axis.height(below) - tall, 0.7 * step, tall, colour,
                        f"{row}, {' '.join(filter(None, (panel.name, name)))}: {cell(values[i])}")
                below += values[i]


def draw_names(svg, rows, base):
    """The rows' names below the last panel; returns how much room they take."""
    step = (WIDTH - LEFT - RIGHT) / len(rows)
    for i, row in enumerate(rows):
        x = LEFT + (i + 0.5) * step
        if len(rows) <= FEW:
            svg.text(x, base + 14, row, 10)
        else:
            svg.text(x + 3, base + 6, row, 9, "end", f' transform="rotate(-90 {at(x + 3)} {at(base + 6)})"')
    return 24 if len(rows) <= FEW else 12 + 5.5 * max(len(str(row)) for row in rows)


def draw_legend(svg, entries):
    """entries: (colour, words), below the title."""
    x = LEFT
    for colour, words in entries:
        svg.box(x, 31, 10, 10, colour)
        svg.text(x + 14, 40, words, 10, "start")
        x += 30 + 5.6 * len(words)


def legend_of(panels, seeds):
    if len(panels[0].parts) > 1:
        return [(colour, name) for colour, (name, _, _) in zip(PARTS, panels[0].parts)]
    ours = (OURS, f"here: median of {seeds} seeds, line from the least to the greatest" if seeds > 1 else "here: one seed")
    stated = any(not math.isnan(value) for panel in panels for value in panel.paper)
    return [(PAPER, "paper"), ours] if stated else [ours]


def draw(table, paper, seeds):
    """The SVG text. paper: {(row, column): value} of the bars that the paper states; seeds: how many the table is made of."""
    svg, rows, panels = Svg(), [row[0] for row in table.rows], panels_of(table, paper)
    svg.text(LEFT, 20, table.title, 13, "start", ' font-weight="bold"')
    draw_legend(svg, legend_of(panels, seeds))
    own, stacked = table.kind == "panels", table.kind == "stacks"
    shared = axis_of([value for panel in panels for value in seen_values(panel)], stacked)
    top = TOP
    for panel in panels:
        axis = axis_of(seen_values(panel), stacked) if own else shared
        svg.text(WIDTH - RIGHT, top - 13, " - ".join(filter(None, (panel.name, table.ylabel))), 10, "end", ' font-style="italic"')
        draw_axis(svg, axis, top, table.ylabel == "ratio")
        (draw_stacks if len(panel.parts) > 1 else draw_bars)(svg, axis, panel, rows, top)
        svg.line(LEFT, top + PANEL, WIDTH - RIGHT, top + PANEL)
        top += PANEL + GAP
    base = top - GAP
    return svg.document(base + draw_names(svg, rows, base) + 6, table.title)
