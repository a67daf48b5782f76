# SPDX-License-Identifier: Apache-2.0
"""Every transactional workload under every transactional system, on one machine: cycles over those of the workload's locks, or why there are none.
The machine is that of SI-TM's Table 2: preset `si-tm-base`, and for `sitm-ts`, whose tables take a part of the L2, and its ideal form `si-tm`."""
import math

from experiment import Experiment
from report import Table
from runs import Run, RunFailed

LOCKS = {"fglock": ("ht-h", "ht-m", "ht-l", "atm", "cl", "clto", "bh-h", "bh-l", "cc", "ap"),
         "cglock": ("ll-1", "ll-2", "bt-1", "bt-2", "karger-1", "karger-2", "rbt-1", "rbt-2", "vac-1", "vac-2")}
LOCK_OF = {workload: lock for lock, workloads in LOCKS.items() for workload in workloads}
SYSTEMS = ("getm", "kilotm", "warptm", "warptm-el", "eapg", "ideal", "serial", "sitm-ts", "sitm-oracle")
SNAPSHOTS = ("sitm-ts", "sitm-oracle")
REDO_LOGS = ("getm", "kilotm", "warptm", "warptm-el", "eapg") + SNAPSHOTS
# Of these, defaults in place of the figures' inputs.
DEFAULTS = {workload: (("pointers", 0),) for workload in ("ll-1", "ll-2", "bt-1", "bt-2", "rbt-1", "rbt-2", "vac-1", "vac-2")}
# Of those whose defaults take minutes under one system or another.
SIZES = {"cl": (("cloths", 4),), "clto": (("cloths", 4),), "bh-h": (("bodies", 10000),), "bh-l": (("bodies", 20000),),
         "cc": (("height", 60), ("width", 80)), **DEFAULTS, "ap": (("fanout", 16), ("limit", 2), ("passes", 2), ("popular", 96))}
# Their transactions read more words than a log holds by default, when each lane of a warp takes its own way through a tree.
LOGS = {workload: (("tm.log_entries", 2048),) for workload in ("karger-2", "vac-1", "vac-2")}
# What no input changes: the system cannot run the workload.
REFUSED = {("ap", system): "atomics outside transactions on words that transactions share" for system in SNAPSHOTS}


def run_of(workload, system):
    settings = LOGS.get(workload, ()) if system in REDO_LOGS else ()
    return Run(workload, system, 2, "si-tm" if system in SNAPSHOTS else "si-tm-base", settings, params=SIZES.get(workload, ()))


def all_runs(_):
    yield [run_of(workload, system) for workload in LOCK_OF for system in (LOCK_OF[workload],) + SYSTEMS if (workload, system) not in REFUSED]


def reason_of(text):
    """A few words for what a run that failed has said."""
    for sign, words in (("deadlock", "no progress"), ("not done after", "too slow"), ("log is full", "log overflow")):
        if sign in text:
            return words
    return text.split(";")[0]


def outcome(get, workload, system):
    """(cycles, what happened); NaN without a right result."""
    if (workload, system) in REFUSED:
        return math.nan, f"refused: {REFUSED[workload, system]}"
    try:
        return float(get(run_of(workload, system))["cycles"]), "passed"
    except RunFailed as failure:
        return math.nan, reason_of(failure.reason)


def matrix(get):
    cycles, words = [], []
    for workload, lock in LOCK_OF.items():
        base = outcome(get, workload, lock)[0]
        found = [outcome(get, workload, system) for system in SYSTEMS]
        cycles.append([f"{workload} ({lock})"] + [c / base for c, _ in found])
        words.append([workload] + [what for _, what in found])
    return [Table("Cycles over those of the workload's locks", ["workload (locks)"] + list(SYSTEMS), cycles, "panels", "ratio"),
            Table("What happened", ["workload"] + list(SYSTEMS), words, "none")], []


EXPERIMENTS = [Experiment("matrix.locks", "every transactional workload under every transactional system, over its locks", all_runs, matrix)]
