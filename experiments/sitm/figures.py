# SPDX-License-Identifier: Apache-2.0
"""Figures and tables of snapshot isolation (Chen, Peng, Irving, ISCA 2017), sections 2 and 7. Presets `si-tm` and `si-tm-base` are Table 2. The
paper's KiloTM is WarpTM without intra-warp conflict resolution. SITM_TS has the exact graph beside its times, which counts loops and moves no
cycle."""
import math
import statistics

from energy import ACTIVITY, event_joules, joules
from experiment import Experiment
from report import Claim, Table
from runs import Run, counter, gmean
from sweep import above, all_above, all_below, at, at_least, at_most, below, near, programs, ratios, rows_of

LABEL = {"ll-1": "LL-1", "ll-2": "LL-2", "bt-1": "BT-1", "bt-2": "BT-2", "karger-1": "GC-1", "karger-2": "GC-2", "rbt-1": "RBT-1", "rbt-2": "RBT-2",
         "vac-1": "VAC-1", "vac-2": "VAC-2"}
WORKLOADS = tuple(LABEL)
# More words than a log holds by default, when each lane of a warp takes its own way through a tree, or a list is long.
LOGS = {workload: (("tm.log_entries", 2048),) for workload in ("ll-2", "karger-2", "vac-1", "vac-2")}
VERSIONS = (2, 3, 4, 6, 8, 12, 16)
KILO = (("warptm.aggregate", "off"), ("warptm.coalesce", "off"), ("warptm.resolution", "none"))
SYSTEMS = {"WarpTM": ("warptm", "si-tm-base", ()), "KiloTM": ("warptm", "si-tm-base", KILO), "SITM_TS": ("sitm-ts", "si-tm", (("si.graph", "on"),)),
           "SITM_Oracle": ("sitm-oracle", "si-tm", ())}
SNAPSHOTS = ("SITM_TS", "SITM_Oracle")
CAUSES = {"WarpTM": ("intra_warp", "validation", "early"), "KiloTM": ("intra_warp", "validation", "early"),
          "SITM_TS": ("single_writer", "loop", "write_write", "table"), "SITM_Oracle": ("loop", "write_write")}
# Watts of what transactions need. Thesis Table 6.3 for Kilo TM, WarpTM and temporal conflict detection; SI-TM Table 1 for the tables of snapshots,
# beside Kilo TM's commit units and logs. SITM_Oracle's have no cost but for the version index table.
TM_WATTS = {"WarpTM": 2.512 + 0.696, "KiloTM": 0.918 + 0.696, "SITM_TS": 0.918 + 0.0315 + 0.0378 + 0.0032 + 2.33, "SITM_Oracle": 0.918 + 0.0032}
# The joules of an event are those with which the thesis's locks take the thesis's power.
CALIBRATION = [Run(workload, "fglock", preset="thesis-warptm") for workload in ("ht-h", "ht-l", "atm", "cl", "cc")]
# Beside the paper's workloads: programs whose transactions have other conflicts.
OTHERS = {"ht-h": (), "atm": (("blocks", 30),), "cl": (("cloths", 4),), "bh-h": (("bodies", 3000),), "cc": (("height", 60), ("width", 80))}


def run(workload, name, settings=()):
    system, preset, own = SYSTEMS[name]
    return Run(workload, system, 2, preset, tuple(sorted(own + LOGS.get(workload, ()) + tuple(settings))))


def systems_runs(_):
    yield [run(w, name) for w in WORKLOADS for name in SYSTEMS]


def speedups(get, names):
    return ratios("Figure 13: speedup over WarpTM", WORKLOADS,
                  [(n, lambda w, n=n: get(run(w, "WarpTM"))["cycles"] / get(run(w, n))["cycles"]) for n in names], "speedup", label=LABEL)


def fig13(get):
    table = speedups(get, ("KiloTM",) + SNAPSHOTS)
    kilo, snapshots, ideal = table.rows[-1][1:]
    gained = {row[0]: row[2] / row[1] for row in table.rows[:-1]}  # of snapshots over Kilo TM
    lists = gmean(gained[LABEL[w]] for w in LISTS)
    return [table], [Claim("si.max", max(row[2] for row in table.rows[:-1]), near(4.5), each=programs(table, "SITM_TS")),
                     Claim("si.order", (kilo, snapshots / kilo, ideal / snapshots), (at_least(1.0),) * 3, each=programs(table, "KiloTM")),
                     Claim("si.lists", lists / gmean(x for name, x in gained.items() if name not in map(LABEL.get, LISTS)), above(1.0), each=gained),
                     all_above("si.slowest", WORKLOADS, lambda w: min(at(table, LABEL[w], name) for name in ("KiloTM", *SNAPSHOTS)), LABEL),
                     all_above("si.trees", ("bt-1", "bt-2", "rbt-1", "rbt-2"), lambda w: gained[LABEL[w]], LABEL),
                     all_above("si.graphs", ("karger-1", "karger-2"), lambda w: gained[LABEL[w]], LABEL)]


LISTS = ("ll-1", "ll-2")
CLOSE = ("bt-1", "bt-2", "rbt-1", "rbt-2", "vac-1")  # where SITM_TS may be close to SITM_Oracle (7.1)


def correlation(pairs):
    """Of the logarithms; NaN where one of the two does not vary."""
    one, other = zip(*((math.log(x), math.log(y)) for x, y in pairs))
    try:
        return statistics.correlation(one, other)
    except statistics.StatisticsError:
        return math.nan


def mean_below(ident, table, *columns, base=None):
    """A claim that the means of some columns are below 1, or below that of the column `base`: the greatest decides."""
    row = dict(zip(table.columns, table.rows[-1]))
    column = max(columns, key=row.get)
    return Claim(ident, row[column] / (row[base] if base else 1.0), below(1.0), worse=max,
                 each={name: value / (at(table, name, base) if base else 1.0) for name, value in programs(table, column).items()})


def conflict_run(w):
    return run(w, "SITM_Oracle")._replace(params=OTHERS.get(w, ()))


def fig2_runs(_):
    yield [conflict_run(w) for w in WORKLOADS + tuple(OTHERS)]


def fig2(get):
    rows = []
    for w in WORKLOADS + tuple(OTHERS):
        pairs, reads, writes, both = (counter(get(conflict_run(w)), f"si_pairs{kind}") for kind in ("", "_read_write", "_write_write", "_both"))
        rows.append([LABEL.get(w, w.upper())] + [100 * n / max(1, pairs) for n in (reads - both, both, writes - both)] + [
            (reads - both) / max(1, reads + writes - both)])
    columns = ["workload", "read and write only", "both", "two writes only"]
    return [Table("Figure 2: conflicts of pairs of attempts that run at the same time, in percent of the pairs", columns, [row[:4] for row in rows],
                  "stacks", "percent"),
            Table("Figure 2: of the pairs in conflict, those of reads and writes only", ["workload", "share"], [[r[0], r[4]] for r in rows], "bars",
                  "ratio")], []


def energy_of(stats, per_event, name):
    return joules(stats, per_event, TM_WATTS[name])


def fig14_runs(get):
    yield CALIBRATION
    yield from systems_runs(get)


def fig14(get):
    per_event = event_joules([get(r) for r in CALIBRATION])

    def parts(w, name):
        return energy_of(get(run(w, name)), per_event, name)

    def total(w, name):
        return sum(parts(w, name).values())
    rows = [[f"{LABEL[w]} {name}"] + [x / total(w, "WarpTM") for x in parts(w, name).values()] for w in WORKLOADS for name in SYSTEMS]
    table = ratios("Figure 14: energy over WarpTM's, estimated from events", WORKLOADS,
                   [(n, lambda w, n=n: total(w, n) / total(w, "WarpTM")) for n in SYSTEMS if n != "WarpTM"], label=LABEL)
    return [table, Table("Figure 14: energy over WarpTM's by part", ["run", "leakage", "clock", "TM units"] + list(ACTIVITY), rows, "none", "ratio")], [
        mean_below("si.energy", table, "SITM_TS"), all_below("si.energy.lists", LISTS, lambda w: total(w, "SITM_TS") / total(w, "KiloTM"), LABEL)]


def fig15(get):
    def wasted(w, name):
        return counter(get(run(w, name)), "tx_aborted_cycles")
    table = ratios("Figure 15: cycles of aborted attempts, over WarpTM's", WORKLOADS,
                   [(n, lambda w, n=n: wasted(w, n) / wasted(w, "WarpTM")) for n in SYSTEMS if n != "WarpTM"], label=LABEL)

    def speed(w, name, base="WarpTM"):
        return get(run(w, base))["cycles"] / get(run(w, name))["cycles"]

    def length_of_aborted(w, name):
        stats = get(run(w, name))
        return counter(stats, "tx_aborted_cycles") / max(1, counter(stats, "tx_aborted"))
    shorter = {LABEL[w]: length_of_aborted(w, "SITM_TS") / length_of_aborted(w, "WarpTM") for w in WORKLOADS}
    others = tuple(w for w in WORKLOADS if w not in CLOSE)
    near_oracle = {group: gmean(speed(w, "SITM_TS", "SITM_Oracle") for w in group) for group in (CLOSE, others)}
    return [table], [
        mean_below("si.wasted.kilo", table, "KiloTM"), mean_below("si.wasted", table, *SNAPSHOTS, base="KiloTM"),
        Claim("si.inverse", correlation([(speed(w, n), wasted(w, n) / wasted(w, "WarpTM")) for w in WORKLOADS for n in SYSTEMS if n != "WarpTM"]), at_most(-0.36)),
        Claim("si.gap", correlation([(speed(w, "SITM_Oracle", "SITM_TS"), wasted(w, "SITM_TS") / max(1, wasted(w, "SITM_Oracle"))) for w in WORKLOADS]),
              at_least(0.63)),
        Claim("si.close", near_oracle[CLOSE] / near_oracle[others], above(1.0)),
        Claim("si.shorter", gmean(shorter.values()), below(1.0), each=shorter, worse=max)]


def spent(stats):
    """Cycles of warps per thread attempt: in the cores, in the commit units, and waiting for a version."""
    attempts = counter(stats, "tx_committed") + counter(stats, "tx_aborted")
    waits = counter(stats, "si_commit_waits") + counter(stats, "si_version_waits")
    return {"cores": counter(stats, "tx_exec_cycles") / attempts, "commit units": (counter(stats, "tx_commit_cycles") - waits) / attempts,
            "waits for a version": waits / attempts}


def fig17(get):
    def parts(w, name):
        base = sum(spent(get(run(w, "WarpTM"))).values())
        return {part: cycles / base for part, cycles in spent(get(run(w, name))).items()}

    def over(title, value):
        """Of the systems over WarpTM."""
        return ratios(title, WORKLOADS, [(n, lambda w, n=n: value(w, n) / value(w, "WarpTM")) for n in SYSTEMS if n != "WarpTM"], label=LABEL)
    whole = over("", lambda w, name: sum(parts(w, name).values()))
    units = over("", lambda w, name: parts(w, name)["commit units"] + parts(w, name)["waits for a version"])
    means = dict(zip(whole.columns, whole.rows[-1]))
    return [by_system("Figure 17: warp cycles per attempt, over WarpTM's", ["cores", "commit units", "waits for a version"], parts, "ratio")], [
        mean_below("si.commit", units, *SNAPSHOTS),
        all_below("si.duration.oracle", ("bt-1", "bt-2", "rbt-1", "rbt-2", "vac-1", "vac-2"), lambda w: at(whole, LABEL[w], "SITM_Oracle"), LABEL),
        Claim("si.duration", max(means[name] for name in SNAPSHOTS) / min(1.0, means["KiloTM"]), below(1.0), each=programs(whole, "SITM_TS"), worse=max)]


def snapshot_runs(_):
    yield [run(w, name) for w in WORKLOADS for name in SNAPSHOTS]


def loops_of(get, w, name):
    return counter(get(run(w, name)), "si_exact_loops")


def fig18(get):
    def per_loop(w, name):
        loops = loops_of(get, w, name)
        return counter(get(run(w, name)), "tx_aborted_loop") / loops if loops else math.nan
    table = ratios("Figure 18: aborts by a loop, per loop", WORKLOADS, [(n, lambda w, n=n: per_loop(w, n)) for n in SNAPSHOTS], label=LABEL)
    apart = {name: ts / oracle for name, ts, oracle in table.rows[:-1] if oracle and not math.isnan(ts / oracle)}
    others = [x for name, x in apart.items() if name != "BT-1"]
    return [table], [Claim("si.perloop.BT-1", apart.get("BT-1", math.nan) / max(others) if others and max(others) else math.nan, above(1.0), each=apart),
                     Claim("si.perloop.others", gmean(others) if others and min(others) > 0 else math.nan, near(1.0), each=apart)]


def fig19(get):
    rows = [[LABEL[w]] + [loops_of(get, w, name) for name in SNAPSHOTS] for w in WORKLOADS]
    return [Table("Figure 19: possible loops", ["workload"] + list(SNAPSHOTS), rows, "bars", "loops")], [
        Claim("si.loops", sum(row[1] for row in rows) / sum(row[2] for row in rows), below(1.0), each={r[0]: r[1] / r[2] for r in rows if r[2]}, worse=max)]


def length(stats):
    """Cycles of an attempt of a thread, its commit included: the paper does not define the length, and waits for a retry would make LL-1's 37 times as long."""
    return counter(stats, "tx_thread_exec_cycles") / (counter(stats, "tx_committed") + counter(stats, "tx_aborted"))


LENGTHS = {"LL-1": 17646, "LL-2": 59876, "BT-1": 327025, "BT-2": 26910, "GC-1": 80859, "GC-2": 84249, "RBT-1": 86501, "RBT-2": 131218, "VAC-1": 241258,
           "VAC-2": 338872}


def table3_runs(_):
    yield [run(w, "WarpTM") for w in WORKLOADS]


def table3(get):
    def of(w, name):
        return counter(get(run(w, "WarpTM")), name)
    rows = [[LABEL[w], of(w, "tx_begun"), of(w, "tx_read_words") / of(w, "tx_committed"), of(w, "tx_write_words") / of(w, "tx_committed")]
            for w in WORKLOADS]
    paper = {"LL-1": (100, 114, 4), "LL-2": (200, 240, 4), "BT-1": (1000, 33, 8), "BT-2": (100, 36, 6), "GC-1": (None, 37, 3), "GC-2": (None, 52, 5),
             "RBT-1": (200, 47, 14), "RBT-2": (400, 47, 14), "VAC-1": (150, 92, 4), "VAC-2": (140, 144, 12)}
    columns = ["workload", "transactions", "words read", "words written"]
    stated = tuple((row, column, value) for row, values in paper.items() for column, value in zip(columns[1:], values) if value is not None)
    lengths = [[LABEL[w], length(get(run(w, "WarpTM")))] for w in WORKLOADS]
    claims = [Claim(f"si.tx.{name}", (read, written), tuple(map(near, paper[name][1:])), "{:.0f}/{:.1f}".format) for name, _, read, written in rows]
    return [Table("Table 3: transactions under WarpTM", columns, rows, "none", paper=stated),
            Table("Table 3: mean length of a transaction under WarpTM", ["workload", "cycles"], lengths, "bars", "cycles",
                  paper=tuple((name, "cycles", cycles) for name, cycles in LENGTHS.items()))], claims + [
        Claim(f"si.length.{name}", cycles, near(LENGTHS[name])) for name, cycles in lengths]


def by_system(title, columns, values, ylabel):
    """A bar of parts for each workload and system. values: of (workload, system), by column."""
    rows = [[f"{LABEL[w]} {name}"] + [values(w, name).get(column, 0.0) for column in columns] for w in WORKLOADS for name in SYSTEMS]
    return Table(title, ["run"] + list(columns), rows, "stacks", ylabel)


def fig16(get):
    def aborts(w, name):
        base = max(1, counter(get(run(w, "WarpTM")), "tx_aborted"))
        return {cause: counter(get(run(w, name)), f"tx_aborted_{cause}") / base for cause in CAUSES[name]}
    def all_aborts(name, cause=""):
        return sum(counter(get(run(w, name)), f"tx_aborted{cause}") for w in WORKLOADS)

    def fewer(w):
        return counter(get(run(w, "SITM_Oracle")), "tx_aborted") / max(1, counter(get(run(w, "WarpTM")), "tx_aborted"))
    oftener = sum(counter(get(run(w, "WarpTM")), "tx_aborted") > counter(get(run(w, "KiloTM")), "tx_aborted") for w in WORKLOADS)
    return [by_system("Figure 16: aborts by cause, over WarpTM's aborts", list(dict.fromkeys(c for name in SYSTEMS for c in CAUSES[name])), aborts,
                      "ratio")], [Claim("si.aborts.kilo", oftener, at_least(6)),
                                  Claim("si.aborts.intra", 100 * all_aborts("WarpTM", "_intra_warp") / all_aborts("WarpTM"), at_least(50)),
                                  all_below("si.aborts.oracle", ("ll-1", "ll-2", "karger-1", "karger-2"), fewer, LABEL)]


def fig20_runs(_):
    yield [run(w, "SITM_TS", (("si.versions", n),)) for w in WORKLOADS for n in VERSIONS]


def fig20(get):
    def cycles(w, n):
        return get(run(w, "SITM_TS", (("si.versions", n),)))["cycles"]
    table = ratios(f"Figure 20: speedup over {VERSIONS[0]} versions", WORKLOADS,
                   [(f"{n} versions", lambda w, n=n: cycles(w, VERSIONS[0]) / cycles(w, n)) for n in VERSIONS], "speedup", label=LABEL)
    mean = dict(zip(VERSIONS, table.rows[-1][1:]))
    enough = min(n for n in VERSIONS if mean[n] >= 0.95 * max(mean.values()))
    return [table], [Claim("si.versions", enough, (8, 8)), Claim("si.versions.more", mean[8], above(1.0), each=programs(table, "8 versions"))]


def fig21(get):
    columns, rows = ["workload"], []
    for name in SNAPSHOTS:
        columns += [f"{name} attempts", f"{name} commits"]
    for w in WORKLOADS:
        row = [LABEL[w]]
        for stats in (get(run(w, name)) for name in SNAPSHOTS):
            attempts, versions = counter(stats, "tx_committed") + counter(stats, "tx_aborted"), counter(stats, "si_versions")
            row += [attempts / (versions + 1), (counter(stats, "tx_committed") - counter(stats, "tx_read_only")) / max(1, versions)]
        rows.append(row)
    return [Table("Figure 21: attempts that read a snapshot, and commits that share a version", columns, rows, "panels", "transactions")], []


STEPS, NARROW = (1, 3, 10, 30, 100, 255), 10


def step_run(w, step, bits=24):
    return run(w, "SITM_TS", (("si.step", step),) + ((("si.time_bits", bits),) if bits != 24 else ()))


def step_runs(_):
    yield [step_run(w, step, bits) for w in WORKLOADS for step in STEPS for bits in (24, NARROW)]


def step(get):
    """A small step refuses edges for want of a number between two times; a large one uses numbers up."""
    def cycles(bits):
        return [(f"step {n}", lambda w, n=n: get(step_run(w, n, bits))["cycles"] / get(step_run(w, 10))["cycles"]) for n in STEPS]

    def per_commit(name, bits, by):
        return [(f"step {n}", lambda w, n=n: by * counter(get(step_run(w, n, bits)), name) / counter(get(step_run(w, n, bits)), "tx_committed"))
                for n in STEPS]

    def table(title, columns, ylabel):
        return Table(title, ["workload"] + [name for name, _ in columns], rows_of(WORKLOADS, columns, LABEL), "bars", ylabel)
    return [ratios("Cycles by si.step, over those of step 10", WORKLOADS, cycles(24), label=LABEL),
            table("Aborts for a refused edge, per commit, by si.step", per_commit("tx_aborted_loop", 24, 1), "aborts"),
            ratios(f"Cycles with times of {NARROW} bits, over those of step 10 and 24 bits", WORKLOADS, cycles(NARROW), label=LABEL),
            table(f"Times that times of {NARROW} bits run over, per 1,000 commits", per_commit("si_rollovers", NARROW, 1000), "times")], []


# The published forms of the rules and of what the tables keep let wrong results through (csim/mech/snapshot/README.md): sitm.published has them.
FORMS = {"times 1 apart": (("si.step", 1),), "times 100 apart": (("si.step", 100),), "a version per warp": (("si.merge_warps", 1),),
         "copies over the bus": (("si.copy", "bus"),)}


def forms_runs(_):
    yield [run(w, "SITM_TS", settings) for w in WORKLOADS for settings in ((), *FORMS.values())]


def forms(get):
    def column(of):
        return [(name, lambda w, s=s: of(get(run(w, "SITM_TS", s))) / of(get(run(w, "SITM_TS")))) for name, s in FORMS.items()]
    return [ratios("Cycles of other forms of SITM_TS", WORKLOADS, column(lambda s: s["cycles"]), label=LABEL)], []


# Figure 7 as printed, and section 5: the tables forget a transaction at its commit.
PUBLISHED = (("si.retain", "published"), ("si.rules", "published"))


def published_run(w):
    return run(w, "SITM_TS", PUBLISHED)._replace(wrong=True)


def published_runs(_):
    yield [r for w in WORKLOADS for r in (run(w, "WarpTM"), run(w, "SITM_TS"), published_run(w))]


def published(get):
    def speedup(w, other):
        return get(run(w, "WarpTM"))["cycles"] / get(other)["cycles"]

    def is_right(w):
        return float(get(published_run(w)).get("check") == "passed")
    return [ratios("Figure 13 with the rules as published: speedup over WarpTM", WORKLOADS,
                   [("SITM_TS", lambda w: speedup(w, run(w, "SITM_TS"))), ("as published", lambda w: speedup(w, published_run(w)))], "speedup", label=LABEL),
            Table("Whether the result is right with the rules as published: 1 or 0", ["workload", "right"], rows_of(WORKLOADS, [("right", is_right)], LABEL),
                  "none")], []


EXPERIMENTS = [Experiment("sitm.fig2", "conflicts of transactions that run at the same time", fig2_runs, fig2),
               Experiment("sitm.table3", "the transactions of SI-TM's workloads", table3_runs, table3),
               Experiment("sitm.fig13", "speedup of snapshot isolation over WarpTM", systems_runs, fig13),
               Experiment("sitm.fig14", "energy over WarpTM's, estimated", fig14_runs, fig14),
               Experiment("sitm.fig15", "cycles of aborted attempts", systems_runs, fig15),
               Experiment("sitm.fig16", "aborts by cause", systems_runs, fig16),
               Experiment("sitm.fig17", "time in cores and commit units", systems_runs, fig17),
               Experiment("sitm.fig18", "aborts per loop", snapshot_runs, fig18),
               Experiment("sitm.fig19", "possible loops", snapshot_runs, fig19),
               Experiment("sitm.fig20", "speedup over the number of versions", fig20_runs, fig20),
               Experiment("sitm.fig21", "how many share a snapshot, and a version", snapshot_runs, fig21),
               Experiment("sitm.step", "the step between logical times: refused edges beside times that run over", step_runs, step),
               Experiment("sitm.forms", "the step between logical times, merged beside single commits, RowClone beside the data bus", forms_runs, forms),
               Experiment("sitm.published", "speedup with the paper's rules as printed, and whether the results are right", published_runs, published)]
