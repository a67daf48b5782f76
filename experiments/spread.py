# SPDX-License-Identifier: Apache-2.0
"""One result out of one per seed: the median of each number, and the range from the least to the greatest. A result that an input of the same
kind with other random numbers would not give is not a result."""
import math
import re
import statistics
from typing import NamedTuple

from report import cell

NUMBER = re.compile(r"\d+(?:\.\d+)?")


class Verdict(NamedTuple):
    """A claim over all seeds. holds: with the medians; crosses: within the range of the seeds lie values with which it holds and values with
    which it does not; values: one list per seed; limits: a pair per value, None where there is none. worst: the program with the worst median, and this;
    active: of the time of the claim's runs, the percent in which cores have a thread, and the least of a program; sizes: what other sizes of the inputs
    give; turns: one of them gives another verdict."""
    claim: str
    here: str
    range: str
    holds: bool
    crosses: bool
    values: list
    limits: list
    worst: str = "-"
    active: str = "-"
    sizes: str = "-"
    turns: bool = False


def middle(values):
    """The median of those that are numbers; NaN when none is."""
    known = [value for value in values if not math.isnan(value)]
    return statistics.median(known) if known else math.nan


def ends(values):
    known = [value for value in values if not math.isnan(value)]
    return (min(known), max(known)) if known else (math.nan, math.nan)


def middle_text(texts):
    """Of texts that differ in numbers alone, the text with each number's median, to as many decimals as the first text has; else the first."""
    if len({NUMBER.sub("#", text) for text in texts}) > 1:
        return texts[0]
    medians = iter([statistics.median(map(float, column)) for column in zip(*(NUMBER.findall(text) for text in texts))])
    return NUMBER.sub(lambda found: f"{next(medians):.{len(found[0].partition('.')[2])}f}", texts[0])


def merged(tables):
    """The table of all seeds: medians, with .ranges where there is more than one seed."""
    first = tables[0]
    if len(tables) == 1:
        return first
    rows, ranges = [], []
    for same in zip(*(table.rows for table in tables), strict=True):
        cells = list(zip(*same, strict=True))
        texts = [isinstance(column[0], str) for column in cells]
        rows.append([middle_text(column) if text else middle(column) for column, text in zip(cells, texts)])
        ranges.append([None if text else ends(column) for column, text in zip(cells, texts)])
    return first._replace(rows=rows, ranges=ranges)


def inside(value, limits):
    least, most = limits
    return not math.isnan(value) and (least is None or value >= least) and (most is None or value <= most)


def outside(low, high, limits):
    """No value from low to high is within the limits."""
    least, most = limits
    return math.isnan(low) or (least is not None and high < least) or (most is not None and low > most)


def range_text(claim, lows, highs, seeds):
    if seeds == 1:
        return "-"
    if len(lows) == 1 and not claim.text:
        return f"{cell(lows[0])}..{cell(highs[0])}"
    if any(letter.isalpha() for letter in claim.shown(lows)):  # a sentence twice would be hard to read
        return f"{'/'.join(map(cell, lows))} .. {'/'.join(map(cell, highs))}"
    return f"{claim.shown(lows)} .. {claim.shown(highs)}"


def worst_program(claims):
    """Of the programs whose mean or extreme a claim is: the one with the worst median over the seeds."""
    programs = [name for name, value in claims[0].each.items() if not math.isnan(value)]
    medians = {name: middle([claim.each.get(name, math.nan) for claim in claims]) for name in programs}
    if len(medians) < 2:
        return "-"
    name = claims[0].worse(medians, key=medians.get)
    return f"{name} {cell(float(medians[name]))}"


def activity(shares):
    """shares: pairs of a program and its percents of time in which cores have a thread. The mean of the programs', and the least."""
    means = {name: statistics.mean(percents) for name, percents in shares.items() if percents}
    if not means:
        return "-"
    least = min(means, key=means.get)
    mean = f"{statistics.mean(means.values()):.0f}"
    return f"{mean}, {least} {means[least]:.0f}" if len(means) > 1 else mean


def judged(claims, shares=None):
    """The verdict on one claim, from its values with each seed. shares: of the runs that it was made of, as for activity."""
    claim, limits = claims[0], claims[0].pairs()
    columns = list(zip(*(c.numbers() for c in claims), strict=True))
    middles, bounds = [middle(column) for column in columns], [ends(column) for column in columns]
    lows, highs = [low for low, _ in bounds], [high for _, high in bounds]
    always = all(inside(low, pair) and inside(high, pair) for low, high, pair in zip(lows, highs, limits))
    never = any(outside(low, high, pair) for low, high, pair in zip(lows, highs, limits))
    return Verdict(claim.ident, claim.shown(middles), range_text(claim, lows, highs, len(claims)),
                   all(map(inside, middles, limits)), not always and not never, [list(c.numbers()) for c in claims], [list(p) for p in limits],
                   worst_program(claims), activity({name: percents for name, percents in (shares or {}).items() if name in (claim.workloads or shares)}))
