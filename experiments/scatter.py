# SPDX-License-Identifier: Apache-2.0
"""One picture of all claims that are numbers: ours over the paper's, a panel for each paper."""
import io
import re

from pictures import MARK, OURS, STYLE, Figure, matplotlib

NUMBER = re.compile(r"\d+(?:\.\d+)?")
WIDE, HIGH, MARGIN = 2.3, 2.6, 1.6  # inches of a panel; how far beyond its dots an axis goes


def pairs(paper, here):
    """(the paper's, ours) of a claim's numbers, where both are as many numbers above 0 and nothing else."""
    theirs, ours = paper.split("/"), here.split("/")
    if len(theirs) != len(ours) or not all(NUMBER.fullmatch(text) for text in theirs + ours):
        return []
    return [(float(a), float(b)) for a, b in zip(theirs, ours) if float(a) > 0 and float(b) > 0]


def dots(rows, paper):
    """{paper: [(the paper's, ours, whether the claim holds)]}"""
    found = {}
    for row in rows:
        for pair in pairs(paper[row.claim]["value"], row.here):
            found.setdefault(paper[row.claim]["paper"], []).append((*pair, row.holds == "yes"))
    return found


def panel(axes, name, points):
    both = [value for point in points for value in point[:2]]
    ends = min(both) / MARGIN, max(both) * MARGIN
    axes.plot(ends, ends, color="#888888", linewidth=0.8)
    for holds, face, edge in ((True, OURS, OURS), (False, "none", MARK)):
        chosen = [point for point in points if point[2] == holds]
        axes.plot([x for x, _, _ in chosen], [y for _, y, _ in chosen], "o", markersize=3.5, markerfacecolor=face, markeredgecolor=edge, markeredgewidth=0.8)
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends, title=name, xlabel="the paper's", aspect="equal")


def scatter(rows, paper):
    """The SVG text."""
    found = dots(rows, paper)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDE * max(1, len(found)), HIGH), layout="constrained")
        for axes, (name, points) in zip(figure.subplots(1, max(1, len(found)), squeeze=False)[0], found.items()):
            panel(axes, name, points)
        figure.axes[0].set_ylabel("ours")
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"
