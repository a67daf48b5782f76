# SPDX-License-Identifier: Apache-2.0
"""The workloads by the papers' names, and the search for the number of transactional warps per core at which a system is fastest, since the
papers compare each system at its own."""
import functools
import math
import sys

from report import Claim, Table
from runs import FIRST_SEED, RunFailed, gmean, hmean, mean

LABEL = {"ht-h": "HT-H", "ht-m": "HT-M", "ht-l": "HT-L", "atm": "ATM", "cl": "CL", "clto": "CLto", "bh-h": "BH-H", "bh-l": "BH-L",
         "cc": "CC", "ap": "AP",
         "bfs2": "BFS2", "fcdt": "FCDT", "hotsp": "HOTSP", "lps": "LPS", "mum": "MUM", "mumpp": "MUMpp", "namd": "NAMD", "nvrt": "NVRT",
         "aes": "AES", "backp": "BACKP", "cp": "CP", "dg": "DG", "hrtwl": "HRTWL", "lib": "LIB", "lkyt": "LKYT", "mgst": "MGST", "nnc": "NNC",
         "ray": "RAY", "stmcl": "STMCL", "sto": "STO", "wp": "WP",
         "gpkvs": "gpKVS", "hm": "HM", "srad": "SRAD", "red": "Red", "mq": "MQ", "scan": "Scan"}
CONCURRENCIES = (1, 2, 4, 8, 16, 0)
SLOW = ("bh-l",)  # workloads of which a run takes more than ten seconds
NO_LIMIT = ("fglock", "cglock", "serial")  # systems to which the number means nothing


def concurrency_name(warps):
    return "unlimited" if warps == 0 else str(warps)


def concurrency(name):
    """Of a paper's table: a number, or inf for none."""
    return 0 if name in ("inf", "NL") else int(name)


class Climb:
    """Looks for the fastest of `limits`: tries all of them, or, for workloads of SLOW, climbs from `start` until both neighbours of the fastest
    are slower. A run that did not end is slower than any other; where none has ended, all limits are tried. The first seed looks for all seeds:
    its search takes up to six runs, and then each further seed takes one."""

    def __init__(self, start, limits=CONCURRENCIES):
        self.start = start
        self.limits = (start.warps,) if start.system in NO_LIMIT else limits
        self.cycles, self.stats, self.failed = {}, {}, None

    def _run(self, place):
        return self.start._replace(warps=self.limits[place], seed=FIRST_SEED)

    def _fastest(self):
        return min(self.cycles, key=self.cycles.get) if self.cycles else self.limits.index(self.start.warps)

    def wanted(self):
        """Runs to be made next; none when the fastest is known."""
        top = self._fastest()
        every = self.start.workload not in SLOW or (self.cycles and not self.stats)
        places = range(len(self.limits)) if every else (top, top - 1, top + 1)
        return [self._run(place) for place in places if 0 <= place < len(self.limits) and place not in self.cycles]

    def learn(self, get):
        for run in self.wanted():
            place = self.limits.index(run.warps)
            try:
                self.stats[place] = get(run)
                self.cycles[place] = self.stats[place]["cycles"]
            except RunFailed as failure:
                self.cycles[place], self.failed = float("inf"), failure

    def best(self):
        """The run that was the fastest, with the seed of the experiment. A climb on which no run ended is an error."""
        if not self.stats:
            raise self.failed
        return self.start._replace(warps=self.limits[min(self.stats, key=lambda place: self.cycles[place])])


class Best:
    """The fastest run of a climb, with the seed of `get`: .run, .stats, .cycles."""

    def __init__(self, get, start, limits=CONCURRENCIES):
        climb = Climb(start, limits)
        while climb.wanted():
            climb.learn(get)
        self.run = climb.best()
        self.stats = get(self.run)
        self.cycles = self.stats["cycles"]


class Bests:
    """Best of each start, found when it is first asked for."""

    def __init__(self, get, limits=CONCURRENCIES):
        self.get, self.limits, self.found = get, limits, {}

    def __call__(self, start):
        if start not in self.found:
            self.found[start] = Best(self.get, start, self.limits)
        return self.found[start]


def climb_all(get, starts, limits=CONCURRENCIES):
    """Lists of runs, as an experiment's `runs` gives them, until the fastest of every start is known; at last these, with the seed of `get`."""
    every = climbs = [Climb(start, limits) for start in dict.fromkeys(starts)]
    while climbs := [climb for climb in climbs if climb.wanted()]:
        yield [run for climb in climbs for run in climb.wanted()]
        for climb in climbs:
            climb.learn(get)
    yield [climb.best() for climb in every if climb.stats]


@functools.cache
def say(text):
    """Once, in however many figures the run is missed."""
    print(f"cowarp reproduce: {text}", file=sys.stderr)


def value_or_nan(value, workload):
    try:
        return value(workload)
    except RunFailed as failure:
        say(str(failure))
        return math.nan


def rows_of(workloads, columns, label=LABEL):
    """columns: (label, function of a workload). One row per workload, NaN where a run has not ended."""
    return [[label[w]] + [value_or_nan(value, w) for _, value in columns] for w in workloads]


def figure(title, workloads, columns, ylabel="ratio"):
    """Bars without means."""
    return Table(title, ["workload"] + [name for name, _ in columns], rows_of(workloads, columns), "bars", ylabel)


def ratios(title, workloads, columns, ylabel="ratio", average="GMEAN", label=LABEL):
    """columns: (label, function of a workload). One row per workload, and one of means: geometric (GMEAN), or arithmetic as the thesis's
    chapters on transactions have them (AVG), over the workloads of which all runs have ended."""
    rows = rows_of(workloads, columns, label)
    middle = gmean if average == "GMEAN" else mean
    whole = [row for row in rows if not any(math.isnan(x) for x in row[1:])]
    rows.append([average] + [middle([row[i] for row in whole]) for i in range(1, len(columns) + 1)])
    return Table(title, ["workload"] + [label for label, _ in columns], rows, "bars", ylabel)


def harmonic_ratios(title, groups, columns, ylabel="ratio", label=LABEL):
    """The same with harmonic means, as the thesis's chapter 3 has them. groups: {name of a row of means: its workloads}, which may overlap. A mean
    leaves out only the workloads whose run of this column has not ended: the thesis compares a mechanism that runs all with one that fails on
    one workload."""
    workloads = list(dict.fromkeys(w for group in groups.values() for w in group))
    rows = dict(zip(workloads, rows_of(workloads, columns, label)))

    def middle(group, i):
        return hmean(rows[w][i] for w in group if not math.isnan(rows[w][i]))
    means = [[name] + [middle(group, i) for i in range(1, len(columns) + 1)] for name, group in groups.items()]
    return Table(title, ["workload"] + [label for label, _ in columns], list(rows.values()) + means, "bars", ylabel)


def programs(table, column, value=lambda number: number, rows=None):
    """{program: value of the number} of a column, without rows of means. rows: those that count, all if None."""
    place = table.columns.index(column)
    return {row[0]: value(row[place]) for row in table.rows if not row[0].startswith(("GMEAN", "AVG", "HM ")) and (rows is None or row[0] in rows)}


def percent(ratio):
    """A ratio as a gain."""
    return 100 * (ratio - 1)


def extreme(values, choose):
    """min or max; NaN when one is NaN, so that a run that failed does not pass for a right one."""
    return math.nan if not values or any(map(math.isnan, values)) else choose(values)


def how_many(values, fits):
    """Of the numbers; NaN when one is NaN."""
    values = list(values)
    return math.nan if any(map(math.isnan, values)) else sum(map(fits, values))


def of_each(ident, workloads, value, limits, choose, label=LABEL):
    """A claim about several programs: the extreme one decides. value: a function of a workload; choose: min where all are to be large, max where all
    are to be small."""
    each = {label[w]: value_or_nan(value, w) for w in workloads}
    return Claim(ident, extreme(list(each.values()), choose), limits, each=each, worse=choose, workloads=tuple(workloads))


def every_number(title, claims):
    """A table of what claims about several programs are an extreme of."""
    return Table(title, ["claim, program", "number"], [[f"{claim.ident}, {name}", number] for claim in claims for name, number in claim.each.items()], "none")


def all_above(ident, workloads, value, label=LABEL):
    return of_each(ident, workloads, value, above(1.0), min, label)


def all_below(ident, workloads, value, label=LABEL):
    return of_each(ident, workloads, value, below(1.0), max, label)


def at(table, row, column):
    return next(cells for cells in table.rows if cells[0] == row)[table.columns.index(column)]


def gain(table, row, column):
    """In percent."""
    return 100 * (at(table, row, column) - 1)


# Limits of a claim, (least, most).
def near(paper):
    """Within 15 percent of the paper's number."""
    return 0.85 * paper, 1.15 * paper


def near_gain(percent):
    """Of an effect in percent: within 15 percent of the paper's, or a point, since the papers print whole percents. Taken as a ratio and judged
    by `near`, no effect at all would pass for a small one."""
    margin = max(0.15 * abs(percent), 1.0)
    return percent - margin, percent + margin


def near_speedup(ratio):
    """The same of an effect that the paper prints as a ratio."""
    return tuple(1 + end / 100 for end in near_gain(percent(ratio)))


def at_least(least):
    return least, None


def at_most(most):
    return None, most


ALIKE = (0.95, 1.05)  # a ratio of what a paper calls the same, about the same or comparable, without a number
SAME = at_most(5.0)  # percent: what a paper calls the same, or unchanged, without a number
PLATEAU = at_most(15.0)  # percent more cycles at the paper's best limit of warps than at ours: by `near`, it is as good


def above(bound):
    return math.nextafter(bound, math.inf), None


def below(bound):
    return None, math.nextafter(bound, -math.inf)
