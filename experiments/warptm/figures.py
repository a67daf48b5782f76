# SPDX-License-Identifier: Apache-2.0
"""The figures of WarpTM and temporal conflict detection: Fung's thesis, chapter 6. Preset `thesis-warptm` is its Table 6.1. Averages are
arithmetic, as the thesis's are."""
import math

from energy import ACTIVITY, shares
from experiment import Experiment
from report import Claim, Table
from runs import Run, aborts_per_1k, counter, mean
from sweep import (ALIKE, LABEL, NO_LIMIT, SAME, Bests, above, all_above, all_below, at, at_least, at_most, below, climb_all, concurrency, concurrency_name, near,
                   near_gain, percent, programs, ratios)

WORKLOADS = ("ht-h", "ht-m", "ht-l", "atm", "cl", "clto", "bh-h", "bh-l", "cc", "ap")
READ_ONLY = ("cl", "clto", "bh-h", "bh-l")
PRESET = "thesis-warptm"
LIMITS = (1, 2, 4, 8, 0)
NO_TCD, WITH_TCD = ("tcd.mode", "off"), ("tcd.mode", "closed")
# Systems: a name of --system, and settings.
BASE, TCD, WARP, WARP_TCD = ("kilotm", (NO_TCD,)), ("kilotm", (WITH_TCD,)), ("warptm", (NO_TCD,)), ("warptm", (WITH_TCD,))
LOCKS, SERIAL = ("fglock", ()), ("serial", ())
NAMES = {BASE: "KiloTM-Base", TCD: "TCD", WARP: "WarpTM", WARP_TCD: "WarpTM+TCD", LOCKS: "FGLock"}
TABLE_6_4 = {  # best limit and aborts per 1,000 commits: Base/TCD/WarpTM/TCD+WarpTM, or Base/WarpTM where TCD changes nothing
    "ht-h": ("2/2", "50/107"), "ht-m": ("2/8", "7/84"), "ht-l": ("4/8", "2/63"), "atm": ("1/4", "1/27"),
    "cl": ("2/2/2/2", "84/55/149/97"), "clto": ("2/2/2/4", "85/49/102/99"), "bh-h": ("2/2/4/4", "23/23/53/56"),
    "bh-l": ("8/4/8/8", "7/5/17/20"), "cc": ("NL/NL", "6/6"), "ap": ("1/1", "264/318")}


def with_settings(system, *settings):
    return system[0], tuple(sorted(system[1] + settings))


def limited(workload, system, warps):
    return Run(workload, system[0], 1 if system[0] in NO_LIMIT else warps, PRESET, system[1])


def start(workload, system):
    """The run at the thesis's best limit, from which ours is looked for; of a system that Table 6.4 does not have, at its base's."""
    limits = TABLE_6_4[workload][0].split("/")
    of_four = limits if len(limits) == 4 else [limits[0], limits[0], limits[1], limits[1]]
    column = 2 * (system[0] == "warptm") + (WITH_TCD in system[1])
    return limited(workload, system, concurrency(of_four[column]))


def climb(*systems, workloads=WORKLOADS):
    return lambda get: climb_all(get, [start(w, s) for w in workloads for s in systems], LIMITS)


class Results:
    """results(workload, system): the fastest run, with .run, .stats and .cycles. results.beside(workload, system, *models): the faster one of
    the runs at the models' best limits."""

    def __init__(self, get):
        self.get, self.best = get, Bests(get, LIMITS)

    def __call__(self, workload, system):
        return self.best(start(workload, system))

    def runs_beside(self, workload, system, *models):
        return [limited(workload, system, warps) for warps in dict.fromkeys(self(workload, model).run.warps for model in models)]

    def beside(self, workload, system, *models):
        return min((self.get(run) for run in self.runs_beside(workload, system, *models)), key=lambda stats: stats["cycles"])


def over_locks(best, systems):
    return [(NAMES[s], lambda w, s=s: best(w, s).cycles / best(w, LOCKS).cycles) for s in systems]


def averages(title, columns, ylabel="ratio", workloads=WORKLOADS):
    return ratios(title, workloads, columns, ylabel, "AVG")


def fig6_10(get):
    best = Results(get)
    table = averages("Figure 6.10: execution time over FGLock", over_locks(best, (BASE, TCD, WARP, WARP_TCD)))
    base, _, warp, both = table.rows[-1][1:]
    reads = [row for row in table.rows if row[0] in [LABEL[w] for w in READ_ONLY]]
    tcd = mean(row[1] for row in reads) / mean(row[2] for row in reads)
    slow = programs(table, NAMES[BASE])

    def gained(over, system, workloads=WORKLOADS):
        return {LABEL[w]: percent(at(table, LABEL[w], NAMES[over]) / at(table, LABEL[w], NAMES[system])) for w in workloads}

    def share(system):
        return programs(table, NAMES[system], lambda time: 100 / time)
    return [table], [
        Claim("kilob.vs.fglock", 100 / base, near(40), each=share(BASE)),
        Claim("tcd.speedup", 100 * (tcd - 1), near_gain(37), each=gained(BASE, TCD, READ_ONLY), workloads=READ_ONLY),
        Claim("wtm.speedup", 100 * (base / warp - 1), near_gain(42), each=gained(BASE, WARP)),
        Claim("wtm_tcd.speedup", 100 * (base / both - 1), near_gain(65), each=gained(BASE, WARP_TCD)),
        Claim("wtm_tcd.vs.fglock", 100 / both, near(66), each=share(WARP_TCD)),
        Claim("kilob.BH-H", slow["BH-H"] / max(x for name, x in slow.items() if name != "BH-H"), above(1.0)),
        Claim("kilob.BH-L", slow["BH-L"] / slow["BH-H"], below(1.0), workloads=("bh-h", "bh-l")),
        Claim("wtm.CC", at(table, "CC", NAMES[WARP]) / slow["CC"], above(1.0), workloads=("cc",)),
        Claim("wtm.HT-M", at(table, "HT-M", NAMES[WARP]) / at(table, "HT-H", NAMES[WARP]) / (slow["HT-M"] / slow["HT-H"]), below(1.0),
              workloads=("ht-h", "ht-m")),
        Claim("kilob.CL", slow["CL"], near(2.2), workloads=("cl",)), Claim("wtm_tcd.CLto", share(WARP_TCD)["CLto"], near(90), workloads=("clto",))]


# Thesis 6.6.1, Table 6.3: watts.
TM_POWER = {LOCKS: 0.0, BASE: 0.918, TCD: 0.918 + 0.696, WARP: 2.512, WARP_TCD: 2.512 + 0.696}


def energy(stats, locks, system):
    return shares(stats, locks, TM_POWER[system])


def fig6_11(get):
    best = Results(get)

    def total(w, system):
        return sum(energy(best(w, system).stats, best(w, LOCKS).stats, system).values())
    table = averages("Figure 6.11: energy over FGLock, estimated from activity", [
        (NAMES[s], lambda w, s=s: total(w, s)) for s in (BASE, TCD, WARP, WARP_TCD)])
    parts = [[f"{LABEL[w]} {label}"] + list(energy(best(w, s).stats, best(w, LOCKS).stats, s).values())
             for w in WORKLOADS for label, s in (("FGL", LOCKS), ("Kilo", BASE), ("W+T", WARP_TCD))]
    base, both = table.rows[-1][1], table.rows[-1][4]
    saved = 100 * (1 - both / base)

    def part(w, system, *names):
        """Of the energy over that of the locks; without names all that is dynamic."""
        found = energy(best(w, system).stats, best(w, LOCKS).stats, system)
        return sum(found[name] for name in names or (*ACTIVITY, "TM units"))

    def mean_part(system, *names):
        return mean(part(w, system, *names) for w in WORKLOADS)
    dynamic, memory = {s: mean(part(w, s) / part(w, LOCKS) for w in WORKLOADS) for s in (BASE, WARP_TCD)}, ("network", "L2", "DRAM")
    units = tuple(100 * mean_part(s, "TM units") / mean_part(s) for s in (BASE, WARP_TCD))
    columns = ["run", "leakage", "clock", "TM units"] + list(ACTIVITY)
    reads = {name: mean(at(table, LABEL[w], name) for w in READ_ONLY) for name in (NAMES[BASE], NAMES[TCD])}
    return [table, Table("Figure 6.11: energy over FGLock by part, estimated from activity", columns, parts, "stacks", "ratio")], [
        Claim("kilob.energy", base, near(2.0), each=programs(table, NAMES[BASE]), worse=max), Claim("wtm_tcd.energy", saved, near(34)),
        Claim("tcd.energy", 100 * (1 - reads[NAMES[TCD]] / reads[NAMES[BASE]]), near_gain(30), workloads=READ_ONLY),
        Claim("wtm.energy", 100 * (1 - table.rows[-1][3] / base), near_gain(27)),
        Claim("wtm_tcd.energy.fglock", percent(both), near_gain(34), each=programs(table, NAMES[WARP_TCD], percent), worse=max),
        Claim("wtm_tcd.energy.CLto", at(table, "CLto", NAMES[WARP_TCD]), ALIKE, workloads=("clto",)),
        Claim("kilob.energy.dynamic", percent(dynamic[BASE]), near_gain(59)), Claim("wtm_tcd.energy.dynamic", percent(dynamic[WARP_TCD]), near_gain(18)),
        Claim("wtm_tcd.energy.memory", 100 * (1 - mean_part(WARP_TCD, *memory) / mean_part(BASE, *memory)), near_gain(29)),
        Claim("kilob.energy.core", mean_part(BASE, "core") / mean_part(LOCKS, "core"), below(1.0)),
        Claim("kilob.energy.units", units, (near_gain(3), near_gain(8)))]


def fig6_12(get):
    best = Results(get)
    table = averages("Figure 6.12: speedup over serialised transactions", [
        (NAMES[s], lambda w, s=s: best(w, SERIAL).cycles / best(w, s).cycles) for s in (BASE, WARP_TCD, LOCKS)], "speedup")
    base, both, locks = table.rows[-1][1:]
    return [table], [Claim("kilob.vs.cglock", base, near(104), each=programs(table, NAMES[BASE])),
                     Claim("wtm_tcd.vs.cglock", both, near(192), each=programs(table, NAMES[WARP_TCD])),
                     Claim("fglock.vs.cglock", locks, near(315), each=programs(table, NAMES[LOCKS]))]


# Thesis 6.7.3: a resolution with perfect accuracy and no overhead. Lanes are resolved one after the other, and a filter of this size hardly errs.
PERFECT = (("warptm.resolution", "scr-free"), ("warptm.scr_bits", 1048576))


def step(aggregate, coalesce, rate):
    return with_settings(WARP, *PERFECT, ("warptm.aggregate", aggregate), ("warptm.coalesce", coalesce),
                         *([("kilo.hazard_rate", rate)] if rate > 1 else []))


STEPS = {step("off", "off", 1): "+ resolution", step("on", "off", 1): "+ aggregation", step("on", "on", 1): "+ coalescing",
         step("on", "on", 2): "+ fast hazard detection"}


def beside(variants, models, also=(), workloads=WORKLOADS):
    """The runs of variants at the best limits of the models, after the searches for these, and for what else is shown."""
    def runs(get):
        yield from climb(LOCKS, *models, *also, workloads=workloads)(get)
        best = Results(get)
        yield [run for w in workloads for v in variants for run in best.runs_beside(w, v, *models)]
    return runs


def columns_beside(best, variants, *models):
    return [(name, lambda w, v=v: best.beside(w, v, *models)["cycles"] / best(w, LOCKS).cycles) for v, name in variants.items()]


def fig6_13(get):
    best = Results(get)
    table = averages("Figure 6.13: execution time over FGLock, WarpTM's optimizations one by one",
                     over_locks(best, (BASE,)) + columns_beside(best, STEPS, BASE, WARP))
    base, resolution, aggregation, coalescing, fast = table.rows[-1][1:]
    names = dict(zip(("base", "resolution", "aggregation", "coalescing", "fast"), table.columns[1:]))

    def over(w, one, other):
        return at(table, LABEL[w], names[one]) / at(table, LABEL[w], names[other])

    def gained(one, other):
        return {LABEL[w]: percent(over(w, one, other)) for w in WORKLOADS}
    def spent(w, name):
        """Energy over that of locks."""
        stats = best(w, BASE).stats if name == NAMES[BASE] else step_stats(w, name)
        return sum(energy(stats, best(w, LOCKS).stats, BASE).values())

    def step_stats(w, label):
        return best.beside(w, {name: v for v, name in STEPS.items()}[label], BASE, WARP)

    def accesses(w, label, *counters):
        return sum(counter(step_stats(w, label), name) for name in counters)

    def saved(w, *counters):
        return 100 * (1 - accesses(w, names["coalescing"], *counters) / max(1, accesses(w, names["aggregation"], *counters)))

    def within(w):
        stats = step_stats(w, names["resolution"])
        return counter(stats, "tx_aborted_intra_warp") / max(1, counter(stats, "tx_aborted"))
    contended = ("bh-h", "bh-l", "ap")
    inside = min(map(within, contended)) / max(1e-9, max(within(w) for w in WORKLOADS if w not in contended))
    less_energy = 100 * (1 - mean(spent(w, names["aggregation"]) for w in WORKLOADS) / mean(spent(w, names["base"]) for w in WORKLOADS))
    alone = tuple(over(w, "resolution", "base") for w in ("bh-h", "bh-l", "ht-h"))
    return [table], [
        Claim("wtm.aggregate", 100 * (base / aggregation - 1), near_gain(30), each=gained("base", "aggregation")),
        Claim("wtm.coalesce", 100 * (aggregation / coalescing - 1), near_gain(14), each=gained("aggregation", "coalescing")),
        Claim("wtm.resolution", alone, (below(1.0), below(1.0), above(1.0)), workloads=("bh-h", "bh-l", "ht-h")),
        Claim("wtm.coalesce.BH", tuple(percent(over(w, "aggregation", "coalescing")) for w in ("bh-h", "bh-l")), (SAME, SAME), workloads=("bh-h", "bh-l")),
        all_below("wtm.hazard.BH", ("bh-h", "bh-l"), lambda w: over(w, "fast", "coalescing")),
        Claim("wtm.ideal", 100 * (base / fast - 1), near_gain(49), each=gained("base", "fast")),
        Claim("wtm.aggregate.energy", less_energy, near_gain(17)),
        Claim("wtm.coalesce.accesses", (mean(saved(w, "cu_reads") for w in WORKLOADS), mean(saved(w, "cu_writes") for w in WORKLOADS)),
              (near_gain(40), near_gain(39))),
        Claim("wtm.coalesce.accesses.BH", tuple(saved(w, "cu_reads", "cu_writes") for w in ("bh-h", "bh-l")), (at_least(50.0),) * 2, workloads=("bh-h", "bh-l")),
        Claim("wtm.intra", inside, above(1.0), each={LABEL[w]: within(w) for w in WORKLOADS})]


RESOLUTIONS = {with_settings(WARP_TCD, ("warptm.resolution", name)): f"WarpTM+{label}" for name, label in (
    ("2pcr-free", "2PCR (no overhead)"), ("scr", "SCR"), ("scr-free", "SCR (no overhead)"))}


def at_papers(workload, system):
    """The run of a form of WarpTM+TCD at the thesis's limit for it. At our best limits, which are higher, other warps hide what a resolution costs."""
    return start(workload, WARP_TCD)._replace(settings=system[1])


def fig6_14_runs(get):
    yield from climb(LOCKS, BASE)(get)
    yield [at_papers(w, system) for w in WORKLOADS for system in (WARP_TCD, *RESOLUTIONS)]


def fig6_14(get):
    best = Results(get)
    forms = {WARP_TCD: "WarpTM+2PCR", **RESOLUTIONS}
    table = averages("Figure 6.14: execution time over FGLock by intra-warp conflict resolution, at the thesis's limits", over_locks(best, (BASE,)) + [
        (name, lambda w, s=system: get(at_papers(w, s))["cycles"] / best(w, LOCKS).cycles) for system, name in forms.items()])
    _, two, two_free, scr, scr_free = table.rows[-1][1:]

    def cost(form):
        return {LABEL[w]: percent(at(table, LABEL[w], f"WarpTM+{form}") / at(table, LABEL[w], f"WarpTM+{form} (no overhead)")) for w in WORKLOADS}
    differ = {LABEL[w]: abs(percent(at(table, LABEL[w], "WarpTM+SCR (no overhead)") / at(table, LABEL[w], "WarpTM+2PCR (no overhead)"))) for w in WORKLOADS}
    return [table], [Claim("2pcr.overhead", 100 * (two / two_free - 1), near_gain(2), each=cost("2PCR"), worse=max),
                     Claim("scr.overhead", 100 * (scr / scr_free - 1), near_gain(60), each=cost("SCR"), worse=max),
                     Claim("2pcr.CC", cost("2PCR")["CC"], near_gain(11), workloads=("cc",)),
                     Claim("resolution.same", max(differ.values()), SAME, each=differ, worse=max)]


TABLES = {with_settings(TCD, ("tcd.rows", 32)): "TCD-128",
          with_settings(TCD, ("tcd.rows", 2048), ("tcd.ways", 1)): "TCD-2K-1SubArray",
          with_settings(TCD, ("tcd.granule_bytes", 4)): "TCD-2K-WordAddr",
          with_settings(TCD, ("tcd.rows", 1024)): "TCD-4K"}


def fig6_15(get):
    best = Results(get)
    small, single, words, large = columns_beside(best, TABLES, TCD)
    table = averages("Figure 6.15: execution time over FGLock by organization of the last-written time table",
                     over_locks(best, (BASE,)) + [small, single] + over_locks(best, (TCD,)) + [words, large], workloads=READ_ONLY)
    table = table._replace(columns=["workload", "NoTCD", "TCD-128", "TCD-2K-1SubArray", "TCD-2K", "TCD-2K-WordAddr", "TCD-4K"])
    none, little, single, default, word, much = table.rows[-1][1:]
    return [table], [Claim(
        "tcd.sizes", (default / none, little / none, much / default, word / default), (below(1), below(1), at_least(0.97), above(1)),
        "2K {:.2f}, 128 {:.2f} of none; 4K {:.2f}, words {:.2f} of 2K".format),
        Claim("tcd.1sub", abs(percent(single / default)), SAME)]


# Twice the slices, of half the size and port each; a commit unit with all its tables in each. All else is as with six (thesis 6.7.6): two slices share a
# DRAM channel, and twelve crossbar ports of half the width carry what six do.
TWELVE = (("dram.sharing", 2), ("l2.bytes", 65536), ("l2.port_bytes", 32), ("noc.flit_bytes", 16), ("partition.count", 12))
CORES = (("core.count", 30),)
SIX_TO_NINE = near_gain(6)[0], near_gain(9)[1]


def other_machine(settings, label):
    """Table columns of locks, Kilo TM and WarpTM+TCD: (variant, its model, name)."""
    return [(with_settings(s, *settings), s, f"{NAMES[s]} - {label}") for s in (LOCKS, BASE, WARP_TCD)]


def machine_runs(settings, also=()):
    """also: further systems on the other machine."""
    def runs(get):
        yield from climb(LOCKS, BASE, WARP_TCD, *also)(get)
        best, pairs = Results(get), [(variant, model) for variant, model, _ in other_machine(settings, "")] + [(with_settings(s, *settings), s) for s in also]
        yield [run for w in WORKLOADS for variant, model in pairs for run in best.runs_beside(w, variant, model)]
    return runs


def machine_columns(best, settings, here, there):
    columns = []
    for variant, model, name in other_machine(settings, there):
        if model != LOCKS:
            columns.append((f"{NAMES[model]} - {here}", lambda w, m=model: best(w, m).cycles / best(w, LOCKS).cycles))
        columns.append((name, lambda w, v=variant, m=model: best.beside(w, v, m)["cycles"] / best(w, LOCKS).cycles))
    return columns


def gain_of_warps(best, workload):
    """Percent by which WarpTM is faster than Kilo TM with twelve slices."""
    base, warp = (best.beside(workload, with_settings(system, *TWELVE), system)["cycles"] for system in (BASE, WARP))
    return percent(base / warp)


def fig6_16(get):
    table = averages("Figure 6.16: execution time over FGLock with 6 L2 slices, by slices and port width",
                     machine_columns(Results(get), TWELVE, "6x64B", "12x32B"))
    locks, _, base, _, both = table.rows[-1][1:]
    best, warp = Results(get), with_settings(WARP, *TWELVE)
    gained = {LABEL[w]: gain_of_warps(best, w) for w in WORKLOADS}
    mean_time = mean(best.beside(w, warp, WARP)["cycles"] / best(w, LOCKS).cycles for w in WORKLOADS)
    return [table], [Claim("ports.wtm", percent(base / mean_time), near_gain(40), each=gained),
                     Claim("ports.fglock", percent(locks), near_gain(12), each=programs(table, table.columns[1], percent)),
                     Claim("ports.kilob", 100 * locks / base, near(49)), Claim("ports.wtm_tcd", 100 * locks / both, near(76))]


def fig6_17(get):
    """The thesis's locks do not end on HT-H with 30 cores, so their mean is of the others."""
    table = averages("Figure 6.17: execution time over FGLock with 15 cores", machine_columns(Results(get), CORES, "15", "30"))
    slower = {name: percent(time) for name, time in programs(table, table.columns[1]).items() if name != "HT-H"}
    hth = dict(zip(table.columns, table.rows[0]))
    return [table], [Claim("cores.fglock", mean(slower.values()), near_gain(9), each=slower, worse=max),
                     Claim("cores.CC", percent(1 / at(table, "CC", table.columns[1])), near_gain(13), workloads=("cc",)),
                     Claim("cores.HT-H", tuple(percent(hth[f"{NAMES[s]} - 30"] / hth[f"{NAMES[s]} - 15"]) for s in (BASE, WARP_TCD)), (SIX_TO_NINE,) * 2,
                           workloads=("ht-h",))]


UNMOVED = ("ht-m", "ht-l", "atm")  # 6.7.7: programs that 30 cores leave alone


def few_runs(get):
    yield from climb(LOCKS, BASE, WARP_TCD, workloads=UNMOVED)(get)
    yield from climb(BASE, WARP, workloads=("clto",))(get)
    best = Results(get)
    cores = [run for w in UNMOVED for s in (LOCKS, BASE, WARP_TCD) for run in best.runs_beside(w, with_settings(s, *CORES), s)]
    yield cores + [run for s in (BASE, WARP) for run in best.runs_beside("clto", with_settings(s, *TWELVE), s)]


def few(get):
    """What 6.7.6 and 6.7.7 say of single programs."""
    best = Results(get)

    def over_locks(w, system, settings=()):
        if not settings:
            return best(w, system).cycles / best(w, LOCKS).cycles
        return best.beside(w, with_settings(system, *settings), system)["cycles"] / best.beside(w, with_settings(LOCKS, *settings), LOCKS)["cycles"]
    rows = [[f"{LABEL[w]} {NAMES[s]}", over_locks(w, s), over_locks(w, s, CORES)] for w in UNMOVED for s in (BASE, WARP_TCD)]
    changes = {name: abs(percent(many / little)) for name, little, many in rows}
    gained = gain_of_warps(best, "clto")
    return [Table("Section 6.7.7: execution time over FGLock", ["run", "15 cores", "30 cores"], rows, "bars", "ratio"),
            Table("Section 6.7.6: gain of WarpTM over Kilo TM with twelve slices", ["workload", "percent"], [["CLto", gained]], "none")], [
        Claim("cores.same", max(changes.values()), at_most(15.0), each=changes, worse=max, workloads=UNMOVED),
        Claim("ports.wtm.CLto", gained, SAME, workloads=("clto",))]


def read_only_runs(_):
    yield [start(w, BASE) for w in READ_ONLY]


def read_only(get):
    shares = {w: 100 * counter(get(start(w, BASE)), "tx_read_only") / counter(get(start(w, BASE)), "tx_committed") for w in READ_ONLY}
    return [Table("Section 6.4: transactions that only read, Kilo TM at the thesis's limit", ["workload", "percent"], [[LABEL[w], x] for w, x in shares.items()],
                  "bars", "percent")], [Claim("tx.readonly", tuple(shares.values()), tuple(map(near, (40, 40, 85, 85))), workloads=READ_ONLY)]


def table6_4_runs(get):
    yield from climb(BASE, TCD, WARP, WARP_TCD)(get)
    yield [start(w, s) for w in WORKLOADS for s in (BASE, TCD, WARP, WARP_TCD)]


def table6_4(get):
    """A rate of aborts depends on the limit, so it is compared at the thesis's limit."""
    def place(w, system):
        return LIMITS.index(best(w, system).run.warps)

    def rate(w, system, base):
        return aborts_per_1k(get(start(w, system))) / aborts_per_1k(get(start(w, base)))
    best, rows, claims, bars, papers, every = Results(get), [], [], [], [], (BASE, TCD, WARP, WARP_TCD)
    for w in WORKLOADS:
        systems = every if w in READ_ONLY else (BASE, WARP)
        limits = "/".join(concurrency_name(best(w, s).run.warps) for s in systems)
        aborts = [aborts_per_1k(get(start(w, s))) for s in systems]
        rows.append([LABEL[w], limits, TABLE_6_4[w][0], "/".join(f"{a:.0f}" for a in aborts), TABLE_6_4[w][1]])
        paper = [float(x) for x in TABLE_6_4[w][1].split("/")]
        bars.append([LABEL[w]] + [dict(zip(systems, aborts)).get(s, math.nan) for s in every])
        papers += [(LABEL[w], NAMES[s], rate) for s, rate in zip(systems, paper)]
        claims.append(Claim(f"tab6.4.aborts.{LABEL[w]}", tuple(aborts), tuple(map(near, paper)), lambda *rates: "/".join(f"{x:.0f}" for x in rates)))
    return [Table("Table 6.4: best limit and aborts per 1,000 commits, Kilo base[/TCD]/WarpTM[/TCD+WarpTM]",
                  ["workload", "limit", "paper", "aborts at the paper's", "paper"], rows, "none"),
            Table("Table 6.4: aborts per 1,000 commits at the paper's limit", ["workload"] + [NAMES[s] for s in every], bars, "bars", "aborts per 1,000",
                  paper=papers)], claims + [
        Claim("wtm.limits", sum(place(w, WARP) > place(w, BASE) for w in ("ht-m", "ht-l", "atm", "bh-h")), at_least(4), workloads=("ht-m", "ht-l", "atm", "bh-h")),
        all_below("tcd.aborts", ("cl", "clto"), lambda w: rate(w, TCD, BASE)),
        all_above("wtm.aborts.more", [w for w in WORKLOADS if w != "cc"], lambda w: rate(w, WARP, BASE))]


EXPERIMENTS = [
    Experiment("warptm.fig6.10", "execution time over fine-grained locks", climb(LOCKS, BASE, TCD, WARP, WARP_TCD), fig6_10),
    Experiment("warptm.fig6.11", "energy over fine-grained locks, estimated", climb(LOCKS, BASE, TCD, WARP, WARP_TCD), fig6_11),
    Experiment("warptm.fig6.12", "speedup over serialised transactions", climb(LOCKS, BASE, WARP_TCD, SERIAL), fig6_12),
    Experiment("warptm.fig6.13", "WarpTM's optimizations one by one", beside(STEPS, (BASE, WARP)), fig6_13),
    Experiment("warptm.fig6.14", "intra-warp conflict resolution", fig6_14_runs, fig6_14),
    Experiment("warptm.fig6.15", "organization of the last-written time table", beside(TABLES, (TCD,), also=(BASE,), workloads=READ_ONLY),
               fig6_15),
    Experiment("warptm.fig6.16", "width of the L2's ports", machine_runs(TWELVE, (WARP,)), fig6_16),
    Experiment("warptm.fig6.17", "15 and 30 cores", machine_runs(CORES), fig6_17),
    Experiment("warptm.few", "cores and slices: single programs", few_runs, few),
    Experiment("warptm.readonly", "transactions that only read", read_only_runs, read_only),
    Experiment("warptm.table6.4", "best concurrency and abort rates", table6_4_runs, table6_4),
]
