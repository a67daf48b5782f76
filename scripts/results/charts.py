# SPDX-License-Identifier: Apache-2.0
"""Charts of a report as SVG inside HTML: colours come from the page's style sheet, so that they follow the reader's light or dark scheme, and every
mark says its number when one points at it. A table with the same numbers stands beside each."""
import html
import math

WIDTH = 760
BAR, GAP, TEXT = 22, 10, 12
PARTS = 12  # classes p0 to p11 of the style sheet


def escape(text):
    return html.escape(str(text))


def short(value):
    """A number in few letters: 12.3k."""
    for limit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit:
            return f"{value / limit:.3g}{letter}"
    return f"{value:.3g}"


def nice_step(span, ticks):
    """1, 2 or 5 times a power of ten, so that about `ticks` fit into span."""
    raw = span / ticks
    power = 10 ** math.floor(math.log10(raw))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * 0.999)


def ticks_of(low, high, ticks=5):
    if high <= low:
        return [low]
    step = nice_step(high - low, ticks)
    first = math.ceil(low / step - 1e-9)
    return [n * step for n in range(first, math.floor(high / step + 1e-9) + 1)]


def legend(names, line=False):
    marks = "".join(f'<li><span class="key {"l" if line else "p"}{i % PARTS}"></span>{escape(name)}</li>' for i, name in enumerate(names))
    return f'<ul class="legend">{marks}</ul>'


def stack_bars(title, rows, parts, unit, share=True):
    """A horizontal bar per row. rows: [(name, [value of each part])]. share: bars are of one length, and show percents."""
    left = min(24 + max((8 * len(name) for name, _ in rows), default=0), 260)
    width = WIDTH - left - 24
    most = max((sum(values) for _, values in rows), default=0) or 1
    height = len(rows) * (BAR + GAP) + GAP + 18
    out = [f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">']
    for tick in ([0, 25, 50, 75, 100] if share else ticks_of(0, most)):
        x = left + width * tick / (100 if share else most)
        label = f"{tick}%" if share else short(tick)
        out.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="4" y2="{height - 18}"/><text class="tick" x="{x:.1f}" y="{height - 4}" text-anchor="middle">{label}</text>')
    for number, (name, values) in enumerate(rows):
        y, x, total = GAP + number * (BAR + GAP), left, sum(values)
        out.append(f'<text x="{left - 8}" y="{y + BAR / 2 + 4}" text-anchor="end">{escape(name)}</text>')
        for part, value in enumerate(values):
            long = width * value / ((total if share else most) or 1)
            if value <= 0:
                continue
            what = f"{name}: {parts[part]} {value:,} {unit}, {100 * value / total:.1f}%"
            out.append(f'<rect class="p{part % PARTS}" x="{x:.2f}" y="{y}" width="{max(long, 0.5):.2f}" height="{BAR}"><title>{escape(what)}</title></rect>')
            label = f"{100 * value / total:.0f}%" if share else short(value)
            if long > 8 * len(label):
                out.append(f'<text class="on on{part % PARTS}" x="{x + long / 2:.2f}" y="{y + BAR / 2 + 4}" text-anchor="middle">{label}</text>')
            x += long
    out.append("</svg>")
    return legend(parts) + "".join(out)


def lines(title, series, x_label, y_label):
    """series: [(name, [(x, y)])], steps: y holds from the point before to this one's x."""
    points = [point for _, line in series for point in line]
    if not points:
        return ""
    right = max(x for x, _ in points) or 1
    top = max(y for _, y in points) or 1
    left, height, bottom = 64, 240, 40
    width, tall = WIDTH - left - 12, height - bottom - 10
    out = [f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">']
    for tick in ticks_of(0, top):
        y = 10 + tall * (1 - tick / top)
        out.append(f'<line class="grid" x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}"/><text class="tick" x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{short(tick)}</text>')
    for tick in ticks_of(0, right, 8):
        x = left + width * tick / right
        out.append(f'<text class="tick" x="{x:.1f}" y="{10 + tall + 16}" text-anchor="middle">{short(tick)}</text>')
    for number, (name, line) in enumerate(series):
        path, before = [], 0
        for x, y in line:
            place = 10 + tall * (1 - y / top)
            path.append(f"{left + width * before / right:.1f},{place:.1f} {left + width * x / right:.1f},{place:.1f}")
            before = x
        out.append(f'<polyline class="l{number % PARTS}" points="{" ".join(path)}"><title>{escape(name)}</title></polyline>')
    out.append(f'<text class="tick" x="{left + width / 2}" y="{height - 6}" text-anchor="middle">{escape(x_label)}</text>')
    out.append(f'<text class="tick" transform="translate(14 {10 + tall / 2}) rotate(-90)" text-anchor="middle">{escape(y_label)}</text></svg>')
    return (legend([name for name, _ in series], line=True) if len(series) > 1 else "") + "".join(out)
