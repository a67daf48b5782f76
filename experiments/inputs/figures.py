# SPDX-License-Identifier: Apache-2.0
"""The inputs of the workloads. The authors' inputs are not public, and what a paper says of one leaves parameters open. Each experiment here looks
for the values of them with which a workload's transactions are nearest to those of a paper's table: Fung's thesis, Table 4.3, under Kilo TM, with
unlimited concurrency, on the machine of its Table 4.4; or SI-TM's Table 3, under WarpTM on the machine of its Table 2. INPUTS of runs.py is what
the figures use."""
import itertools
import math
from typing import NamedTuple

from experiment import Experiment
from report import Table
from runs import FIRST_SEED, INPUTS, Run, RunFailed, counter

METRICS = {"transactions": lambda c: c("tx_committed"), "words read": lambda c: c("tx_read_words") / c("tx_committed"),
           "words written": lambda c: c("tx_write_words") / c("tx_committed"), "aborts": lambda c: c("tx_aborted") / c("tx_committed"),
           "read-only": lambda c: c("tx_read_only") / c("tx_committed")}


class Machine(NamedTuple):
    """What a paper measured its table on. whose: the row of the paper's own numbers; title: how the table names the machine."""
    whose: str
    system: str
    warps: int
    preset: str
    title: str


THESIS = Machine("thesis", "kilotm", 0, "thesis-kilotm", "transactions under Kilo TM, unlimited concurrency")
SI_TM = Machine("SI-TM", "warptm", 2, "si-tm-base", "transactions under WarpTM, 2 warps per core")


class Target(NamedTuple):
    """paper: the metrics that the paper states (thesis Table 4.3; read-only shares 6.4; SI-TM Table 3); digit: the last one printed of aborts. space:
    the values of each parameter that is left open, the workload's default first. settings: what the kernel needs of the machine. fixed: parameters
    that another search has found."""
    paper: dict
    digit: float
    space: dict
    settings: tuple = ()
    machine: Machine = THESIS
    fixed: dict = {}


def words(threads, read, written, space, fixed=None):
    """A row of SI-TM's Table 3."""
    return Target({"transactions": threads, "words read": read, "words written": written}, 0.01, space, (("tm.log_entries", 2048),), SI_TM, fixed or {})


POINTERS, QUERIES = {"pointers": (0, 1)}, {"queries": (4, 1, 2, 3, 6, 8)}


TARGETS = {
    "ap": Target({"transactions": 4550, "words read": 15.7, "words written": 6.2, "aborts": 0.32}, 0.01,
                 {"fanout": (16, 8, 20, 24, 32, 64), "limit": (16, 2, 4, 6, 8, 32), "popular": (91, 60, 80, 96), "support": (30, 20, 25, 40), "passes": (3, 2)}),
    "bh-h": Target({"transactions": 264106, "words read": 4.3, "words written": 0.82, "aborts": 0.15, "read-only": 0.85}, 0.01,
                   {"blocks": (0, 15, 30, 45, 60)}),
    "cc": Target({"transactions": 114677, "words read": 1.4, "words written": 1.4, "aborts": 0.004}, 0.001,
                 {"noise": (48, 16, 24, 32, 40, 64, 96), "period": (10, 2, 5, 20)}),
    "cl": Target({"transactions": 60200, "words read": 11.2, "words written": 4.8, "aborts": 1.06, "read-only": 0.40}, 0.01,
                 {"group": (8, 1, 2, 4, 16, 32)}, (("core.registers", 18432),)),
    "ll-1": words(100, 114, 4, POINTERS), "ll-2": words(200, 240, 4, POINTERS),
    "bt-1": words(1000, 33, 8, POINTERS), "bt-2": words(100, 36, 6, POINTERS),
    # The text has half as many operations as the table has threads.
    "rbt-1": words(200, 47, 14, POINTERS | {"inserts": (50, 100), "removes": (50, 100)}),
    "rbt-2": words(400, 47, 14, POINTERS | {"inserts": (100, 200), "removes": (100, 200)}),
    # One program: with pointers the two distances are 0.17 and 0.09, without 0.25 and 0.03.
    "vac-1": words(150, 92, 4, POINTERS | QUERIES), "vac-2": words(140, 144, 12, QUERIES, {"pointers": 1}),
}


def defaults(target):
    return {name: values[0] for name, values in target.space.items()}


def run_of(workload, params, seed):
    target = TARGETS[workload]
    machine = target.machine
    return Run(workload, machine.system, machine.warps, machine.preset, target.settings, tuple(sorted((params | target.fixed).items())), seed)


def mix(workload, stats):
    """The metrics of a run that the paper states of the workload."""
    return {name: METRICS[name](lambda field: counter(stats, field)) for name in TARGETS[workload].paper}


def distance(workload, ours):
    """The mean over the metrics of |ln(ours / paper)|: 0.1 is about ten percent in each. Aborts that the paper would print as 0 count as half a
    digit."""
    target = TARGETS[workload]
    least = {"aborts": target.digit / 2}
    return sum(abs(math.log(max(ours[name], least.get(name, 1e-9)) / value)) for name, value in target.paper.items()) / len(target.paper)


class Search:
    """Takes one parameter after the other, tries all its values with the others as they are best so far, and goes round until nothing is better.
    tried: the distance of each choice of values; inf where the run did not end. With the first seed only, for all seeds."""

    def __init__(self, get, workload):
        self.get, self.workload, self.target = get, workload, TARGETS[workload]
        self.best, self.tried = defaults(self.target), {}

    def _try(self, params):
        try:
            ours = mix(self.workload, self.get(run_of(self.workload, params, FIRST_SEED)))
            return distance(self.workload, ours), ours
        except RunFailed:
            return math.inf, None

    def batches(self):
        """Lists of runs, until the best is known; each must have been made before the next is asked for."""
        names, unchanged = itertools.cycle(self.target.space), 0
        while unchanged < len(self.target.space):
            name = next(names)
            choices = [self.best | {name: value} for value in self.target.space[name]]
            yield [run_of(self.workload, params, FIRST_SEED) for params in choices]
            for params in choices:
                self.tried.setdefault(tuple(sorted(params.items())), self._try(params))
            nearest = min(choices, key=lambda params: self.tried[tuple(sorted(params.items()))][0])
            unchanged = unchanged + 1 if nearest == self.best else 1
            self.best = nearest


def shown(params):
    return " ".join(f"{name}={value}" for name, value in sorted(params.items()))


def used(workload):
    """The values that the figures use."""
    return defaults(TARGETS[workload]) | dict(INPUTS.get(workload, ()))


def runs(workload):
    def batches(get):
        search = Search(get, workload)
        yield from search.batches()
        yield [run_of(workload, params, 0) for params in (defaults(TARGETS[workload]), used(workload), search.best)]
    return batches


def row(name, workload, ours):
    return [name] + list(ours.values()) + [distance(workload, ours)]


def make(workload):
    def tables(get):
        search, target = Search(get, workload), TARGETS[workload]
        for _ in search.batches():
            pass
        columns = list(target.paper) + ["distance"]
        chosen = {"default": defaults(target), "figures": used(workload), "nearest": search.best}
        rows = [[target.machine.whose] + list(target.paper.values()) + [0.0]]
        rows += [row(f"{name}: {shown(params)}", workload, mix(workload, get(run_of(workload, params, 0)))) for name, params in chosen.items()]
        tried = sorted(((near, params, ours) for params, (near, ours) in search.tried.items()), key=lambda one: (one[0], one[1]))
        every = [row(shown(dict(params)), workload, ours) if ours else [shown(dict(params))] + [math.nan] * len(columns) for _, params, ours in tried]
        return [Table(f"Input of {workload}: {target.machine.title}", ["input"] + columns, rows, "none"),
                Table("Every input tried, with the first seed", ["input"] + columns, every, "none")], []
    return tables


def name_of(workload):
    return workload if TARGETS[workload].machine == SI_TM else workload.split("-")[0]


EXPERIMENTS = [Experiment(f"inputs.{name_of(w)}", f"search for the input of {w} whose transactions are nearest to {TARGETS[w].machine.whose}'s", runs(w), make(w))
               for w in TARGETS]
