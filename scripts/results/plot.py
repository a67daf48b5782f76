# SPDX-License-Identifier: Apache-2.0
"""A counter over the parameters of a sweep, and cycles here over cycles there, as SVG. The same table gives the same bytes."""
import io
import math

try:
    import matplotlib
    from matplotlib.figure import Figure
except ImportError:
    raise SystemExit("cowarp: plots need python3-matplotlib; run ./setup") from None

from statsfile import Wrong

STYLE = {"svg.hashsalt": "cowarp", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9, "axes.axisbelow": True, "axes.grid": True,
         "grid.alpha": 0.4, "axes.spines.top": False, "axes.spines.right": False}
COLOURS = ("#2a6f97", "#f0a13a", "#8ab17d", "#b56576", "#6d597a", "#e9c46a", "#457b9d", "#7f5539")
MARKERS = "osD^vPX*"
LESS_IS_BETTER = ("cycles", "simulated_us", "host_seconds", "tx_aborted", "energy")


def is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def power_of_two(value):
    return value > 0 and value == int(value) and int(value) & (int(value) - 1) == 0


def spread(rows, name):
    """(median, least, greatest) over the seeds, NaN where no run has ended."""
    values = sorted(float(line[name]) for line in rows if line.get(name) not in (None, ""))
    if not values:
        return math.nan, math.nan, math.nan
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2, values[0], values[-1]


def series_of(rows, x, others):
    """{label: {value of x: rows}} in the order of the sweep."""
    found = {}
    for line in rows:
        label = ", ".join(f"{name} {line[name]}" for name in others)
        found.setdefault(label, {}).setdefault(line[x], []).append(line)
    return found


def draw_lines(axes, series, name, ticks):
    for number, (label, places) in enumerate(series.items()):
        x = sorted(places, key=float)
        middle, low, high = zip(*(spread(places[value], name) for value in x))
        errors = [[m - l for m, l in zip(middle, low)], [h - m for m, h in zip(middle, high)]]
        axes.errorbar([float(value) for value in x], middle, yerr=errors if any(map(any, errors)) else None, label=label or None, capsize=3, linewidth=1.5,
                      marker=MARKERS[number % len(MARKERS)], markersize=4.5, color=COLOURS[number % len(COLOURS)])
    values = [float(tick) for tick in ticks]
    if len(values) > 2 and all(map(power_of_two, values)):
        axes.set_xscale("log", base=2)
        axes.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    if len(values) <= 16:
        axes.set_xticks(values, list(ticks))


def draw_bars(axes, series, name, ticks):
    width = 0.8 / len(series)
    for number, (label, places) in enumerate(series.items()):
        middle, low, high = zip(*(spread(places.get(value, []), name) for value in ticks))
        errors = [[m - l for m, l in zip(middle, low)], [h - m for m, h in zip(middle, high)]]
        x = [at + (number - (len(series) - 1) / 2) * width for at in range(len(ticks))]
        axes.bar(x, middle, 0.94 * width, yerr=errors if any(value > 0 for pair in errors for value in pair) else None, capsize=3, label=label or None,
                 color=COLOURS[number % len(COLOURS)])
    axes.set_xticks(range(len(ticks)), list(ticks))


def draw(rows, sweep_axes, name, units, workload):
    """The SVG's text. name: a counter, a ratio or cycles; units: {name: unit}. Raises Wrong for another name."""
    if name not in units:
        raise Wrong(f"--plot {name}: no run has such a counter; 'cowarp stats FILE.json --all' shows the names")
    names = [axis.name for axis in sweep_axes]
    numeric = [axis for axis in sweep_axes if all(map(is_number, axis.values)) and len(axis.values) > 1]
    x = (numeric or sweep_axes)[0]
    series = series_of(rows, x.name, [other for other in names if other != x.name])
    seeds = len({line["seed"] for line in rows}) if "seed" not in names else 1
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.0, 4.2), layout="constrained")
        axes = figure.add_subplot()
        (draw_lines if numeric else draw_bars)(axes, series, name, x.values)
        axes.set_xlabel(x.name)
        axes.set_ylabel(f"{name} ({units[name]})" + " - less is better" * (name in LESS_IS_BETTER))
        axes.set_ylim(bottom=0)
        if seeds > 1:
            axes.set_title(f"{workload}: medians of {seeds} seeds, lines from the least to the greatest", fontsize=9)
        else:
            axes.set_title(workload, fontsize=9)
        if len(series) > 1:
            axes.legend(frameon=False, fontsize=8)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def scatter(series, x_label, y_label, title):
    """The SVG's text: points of each series on logarithmic axes, and the line on which both are equal. series: {label: [(x, y)]}"""
    points = [value for line in series.values() for point in line for value in point]
    low, high = min(points, default=1) / 1.5, max(points, default=1) * 1.5
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(5.2, 5.0), layout="constrained")
        axes = figure.add_subplot()
        axes.plot([low, high], [low, high], color="#888888", linewidth=1)
        for number, (label, line) in enumerate(series.items()):
            axes.plot([x for x, _ in line], [y for _, y in line], linestyle="", label=label, marker=MARKERS[number % len(MARKERS)], markersize=5,
                      color=COLOURS[number % len(COLOURS)])
        axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high), xlabel=x_label, ylabel=y_label, aspect="equal")
        axes.set_title(title, fontsize=9)
        if len(series) > 1:
            axes.legend(frameon=False, fontsize=8)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()
