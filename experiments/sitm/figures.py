# SPDX-License-Identifier: Apache-2.0
"""Figures and tables of snapshot isolation (Chen, Peng, Irving, ISCA 2017), section 7, without SITM_Oracle. Presets `si-tm` and
`si-tm-base` are Table 2. The paper's KiloTM is WarpTM without intra-warp conflict resolution."""
from experiment import Experiment
from report import Claim, Table
from runs import Run, counter
from sweep import at_least, near, ratios

LABEL = {"ll-1": "LL-1", "ll-2": "LL-2", "bt-1": "BT-1", "bt-2": "BT-2", "karger-1": "GC-1", "karger-2": "GC-2", "rbt-1": "RBT-1", "rbt-2": "RBT-2",
         "vac-1": "VAC-1", "vac-2": "VAC-2"}
WORKLOADS = tuple(LABEL)
# More words than a log holds by default, when each lane of a warp takes its own way through a tree.
LOGS = {workload: (("tm.log_entries", 2048),) for workload in ("karger-2", "vac-1", "vac-2")}
VERSIONS = (2, 3, 4, 6, 8, 12, 16)
KILO = (("warptm.aggregate", "off"), ("warptm.coalesce", "off"), ("warptm.resolution", "none"))
SYSTEMS = {"WarpTM": ("warptm", "si-tm-base", ()), "KiloTM": ("warptm", "si-tm-base", KILO), "SITM_TS": ("sitm-ts", "si-tm", ())}
CAUSES = {"WarpTM": ("intra_warp", "validation", "early"), "KiloTM": ("intra_warp", "validation", "early"),
          "SITM_TS": ("single_writer", "loop", "write_write", "table")}


def run(workload, name, settings=()):
    system, preset, own = SYSTEMS[name]
    return Run(workload, system, 2, preset, tuple(sorted(own + LOGS.get(workload, ()) + tuple(settings))))


def systems_runs(_):
    yield [run(w, name) for w in WORKLOADS for name in SYSTEMS]


def speedups(get, names):
    return ratios("Figure 13: speedup over WarpTM", WORKLOADS,
                  [(n, lambda w, n=n: get(run(w, "WarpTM"))["cycles"] / get(run(w, n))["cycles"]) for n in names], "speedup", label=LABEL)


def fig13(get):
    table = speedups(get, ("KiloTM", "SITM_TS"))
    kilo, snapshots = table.rows[-1][1:]
    return [table], [Claim("si.max", max(row[2] for row in table.rows[:-1]), near(4.5)),
                     Claim("si.order", (kilo, snapshots / kilo), (at_least(1.0), at_least(1.0)))]


def table3(get):
    def of(w, name):
        return counter(get(run(w, "WarpTM")), name)
    rows = [[LABEL[w], of(w, "tx_begun"), of(w, "tx_read_words") / of(w, "tx_committed"), of(w, "tx_write_words") / of(w, "tx_committed")]
            for w in WORKLOADS]
    paper = {"LL-1": (100, 114, 4), "LL-2": (200, 240, 4), "BT-1": (1000, 33, 8), "BT-2": (100, 36, 6), "GC-1": (None, 37, 3), "GC-2": (None, 52, 5),
             "RBT-1": (200, 47, 14), "RBT-2": (400, 47, 14), "VAC-1": (150, 92, 4), "VAC-2": (140, 144, 12)}
    columns = ["workload", "transactions", "words read", "words written"]
    stated = tuple((row, column, value) for row, values in paper.items() for column, value in zip(columns[1:], values) if value is not None)
    return [Table("Table 3: transactions under WarpTM", columns, rows, "none", paper=stated)], []


def fig16(get):
    columns, rows = ["workload"] + [f"{n} {cause}" for n, causes in CAUSES.items() for cause in causes], []
    for w in WORKLOADS:
        base = max(1, counter(get(run(w, "WarpTM")), "tx_aborted"))
        rows.append([LABEL[w]] + [counter(get(run(w, n)), f"tx_aborted_{cause}") / base for n, causes in CAUSES.items() for cause in causes])
    return [Table("Figure 16: aborts by cause, over WarpTM's aborts", columns, rows, "stacks", "ratio")], []


def fig20_runs(_):
    yield [run(w, "SITM_TS", (("si.versions", n),)) for w in WORKLOADS for n in VERSIONS]


def fig20(get):
    def cycles(w, n):
        return get(run(w, "SITM_TS", (("si.versions", n),)))["cycles"]
    table = ratios(f"Figure 20: speedup over {VERSIONS[0]} versions", WORKLOADS,
                   [(f"{n} versions", lambda w, n=n: cycles(w, VERSIONS[0]) / cycles(w, n)) for n in VERSIONS], "speedup", label=LABEL)
    mean = dict(zip(VERSIONS, table.rows[-1][1:]))
    enough = min(n for n in VERSIONS if mean[n] >= 0.95 * max(mean.values()))
    return [table], [Claim("si.versions", enough, (8, 8))]


def fig21(get):
    rows = []
    for w in WORKLOADS:
        stats = get(run(w, "SITM_TS"))
        attempts = counter(stats, "tx_committed") + counter(stats, "tx_aborted")
        rows.append([LABEL[w], attempts / (counter(stats, "si_versions") + 1), (counter(stats, "tx_committed") - counter(stats, "tx_read_only")) /
                     max(1, counter(stats, "si_versions"))])
    return [Table("Figure 21: attempts that read a snapshot, and commits that share a version", ["workload", "attempts", "commits"], rows, "panels",
                  "transactions")], []


# The published forms of the rules and of what the tables keep let wrong results through (csim/mech/snapshot/README.md): they have no time.
FORMS = {"times 1 apart": (("si.step", 1),), "times 100 apart": (("si.step", 100),), "a version per warp": (("si.merge_warps", 1),),
         "copies over the bus": (("si.copy", "bus"),)}


def forms_runs(_):
    yield [run(w, "SITM_TS", settings) for w in WORKLOADS for settings in ((), *FORMS.values())]


def forms(get):
    def column(of):
        return [(name, lambda w, s=s: of(get(run(w, "SITM_TS", s))) / of(get(run(w, "SITM_TS")))) for name, s in FORMS.items()]
    return [ratios("Cycles of other forms of SITM_TS", WORKLOADS, column(lambda s: s["cycles"]), label=LABEL)], []


EXPERIMENTS = [Experiment("sitm.fig13", "speedup of snapshot isolation over WarpTM", systems_runs, fig13),
               Experiment("sitm.table3", "the transactions of SI-TM's workloads", systems_runs, table3),
               Experiment("sitm.fig16", "aborts by cause", systems_runs, fig16),
               Experiment("sitm.fig20", "speedup over the number of versions", fig20_runs, fig20),
               Experiment("sitm.fig21", "how many share a snapshot, and a version", systems_runs, fig21),
               Experiment("sitm.forms", "the step between logical times, merged beside single commits, RowClone beside the data bus", forms_runs, forms)]
