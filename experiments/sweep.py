# SPDX-License-Identifier: Apache-2.0
"""The workloads by the papers' names, and concurrency sweeps: each system at the number of transactional warps per core at which it is fastest, as the papers compare them."""
from report import Table
from runs import Run, RunFailed, gmean

LABEL = {"ht-h": "HT-H", "ht-m": "HT-M", "ht-l": "HT-L", "atm": "ATM", "cl": "CL", "clto": "CLto", "bh-h": "BH-H", "bh-l": "BH-L",
         "cc": "CC", "ap": "AP"}
CONCURRENCIES = (1, 2, 4, 8, 16, 0)


def concurrency_name(warps):
    return "unlimited" if warps == 0 else str(warps)


def sweep(workload, system, preset="getm", settings=(), concurrencies=CONCURRENCIES):
    if system in ("fglock", "cglock", "serial"):
        concurrencies = concurrencies[:1]
    return [Run(workload, system, warps, preset, tuple(settings)) for warps in concurrencies]


class Best:
    """The fastest of a sweep's runs: .run, .stats, .cycles. Runs that did not end are left out; all of them failing is an error."""

    def __init__(self, get, runs):
        self.run, self.stats, self.failed = None, None, []
        for run in runs:
            try:
                stats = get(run)
            except RunFailed as failure:
                self.failed.append(str(failure))
                continue
            if self.stats is None or stats["cycles"] < self.stats["cycles"]:
                self.run, self.stats = run, stats
        if self.stats is None:
            raise RunFailed(self.failed[0])
        self.cycles = self.stats["cycles"]


def ratios(title, workloads, columns, ylabel="ratio"):
    """columns: (label, function of a workload). One row per workload, and a row of geometric means."""
    rows = [[LABEL[w]] + [value(w) for _, value in columns] for w in workloads]
    rows.append(["GMEAN"] + [gmean(row[i] for row in rows) for i in range(1, len(columns) + 1)])
    return Table(title, ["workload"] + [label for label, _ in columns], rows, "bars", ylabel)
