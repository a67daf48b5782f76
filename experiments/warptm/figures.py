# SPDX-License-Identifier: Apache-2.0
"""The figures of WarpTM and temporal conflict detection: Fung's thesis, chapter 6. Preset `thesis-warptm` is its Table 6.1."""
from experiment import Experiment
from report import Claim, Table
from runs import aborts_per_1k
from sweep import LABEL, Best, concurrency_name, ratios, sweep

WORKLOADS = ("ht-h", "ht-m", "ht-l", "atm", "cl", "clto", "bh-h", "bh-l", "cc", "ap")
READ_ONLY = ("cl", "clto", "bh-h", "bh-l")
PRESET = "thesis-warptm"
LIMITS = (1, 2, 4, 8, 0)
NO_TCD, TCD = ("tcd.mode", "off"), ("tcd.mode", "closed")
BASE, BASE_TCD, WARP, WARP_TCD = ("kilotm", (NO_TCD,)), ("kilotm", (TCD,)), ("warptm", (NO_TCD,)), ("warptm", (TCD,))
LOCKS, SERIAL = ("fglock", ()), ("serial", ())
NAMES = {BASE: "KiloTM-Base", BASE_TCD: "TCD", WARP: "WarpTM", WARP_TCD: "WarpTM+TCD", LOCKS: "FGLock"}
TABLE_6_4 = {"ht-h": "50/107", "ht-m": "7/84", "ht-l": "2/63", "atm": "1/27", "cl": "84/55/149/97", "clto": "85/49/102/99",
             "bh-h": "23/23/53/56", "bh-l": "7/5/17/20", "cc": "6", "ap": "264/318"}


def variant(name, *settings):
    """A system with further settings."""
    return name[0], tuple(sorted(name[1] + settings))


def runs_of(workload, name):
    return sweep(workload, name[0], PRESET, name[1], LIMITS)


def needs(*names, workloads=WORKLOADS):
    return lambda: [run for w in workloads for name in names for run in runs_of(w, name)]


class BestRuns:
    """The best run of each (workload, variant), found when asked for."""

    def __init__(self, get):
        self.get, self.found = get, {}

    def __call__(self, workload, name):
        if (workload, name) not in self.found:
            self.found[workload, name] = Best(self.get, runs_of(workload, name))
        return self.found[workload, name]


def against(best, base, names, labels=None):
    """Columns of cycles over those of base."""
    return [((labels or NAMES)[name], lambda w, n=name: best(w, n).cycles / best(w, base).cycles) for name in names]


def near(value, paper):
    return abs(value / paper - 1) <= 0.15


def fig6_10(get):
    best = BestRuns(get)
    table = ratios("Figure 6.10: execution time over FGLock", WORKLOADS, against(best, LOCKS, (BASE, BASE_TCD, WARP, WARP_TCD)))
    base, _, warp, both = table.rows[-1][1:]
    reads = ratios("", READ_ONLY, against(best, BASE, (BASE_TCD,), {BASE_TCD: ""})).rows[-1][1]
    return [table], [
        Claim("kilob.vs.fglock", 100 / base, near(100 / base, 40)),
        Claim("tcd.speedup", 100 * (1 / reads - 1), near(1 / reads, 1.37)),
        Claim("wtm.speedup", 100 * (base / warp - 1), near(base / warp, 1.42)),
        Claim("wtm_tcd.speedup", 100 * (base / both - 1), near(base / both, 1.65)),
        Claim("wtm_tcd.vs.fglock", 100 / both, near(100 / both, 66))]


def fig6_12(get):
    best = BestRuns(get)
    table = ratios("Figure 6.12: speedup over serialised transactions", WORKLOADS, [
        (NAMES[name], lambda w, n=name: best(w, SERIAL).cycles / best(w, n).cycles) for name in (BASE, WARP_TCD, LOCKS)], "speedup")
    base, both, locks = table.rows[-1][1:]
    return [table], [Claim("kilob.vs.cglock", base, near(base, 104)), Claim("wtm_tcd.vs.cglock", both, near(both, 192)),
                     Claim("fglock.vs.cglock", locks, near(locks, 315))]


def step(aggregate, coalesce, rate):
    return variant(WARP, ("warptm.resolution", "2pcr-free"), ("warptm.aggregate", aggregate), ("warptm.coalesce", coalesce),
                   ("kilo.hazard_rate", rate))


STEPS = {BASE: "KiloTM-Base", step("off", "off", 1): "+ resolution", step("on", "off", 1): "+ aggregation", step("on", "on", 1): "+ coalescing",
         step("on", "on", 2): "+ fast hazard detection"}


def fig6_13(get):
    table = ratios("Figure 6.13: execution time over FGLock, WarpTM's optimizations one by one", WORKLOADS,
                   against(BestRuns(get), LOCKS, STEPS, STEPS))
    _, resolution, aggregation, coalescing, _ = table.rows[-1][1:]
    return [table], [Claim("wtm.aggregate", 100 * (resolution / aggregation - 1), near(resolution / aggregation, 1.30)),
                     Claim("wtm.coalesce", 100 * (aggregation / coalescing - 1), near(aggregation / coalescing, 1.14))]


RESOLUTIONS = {BASE: "KiloTM-Base"}
RESOLUTIONS.update({variant(WARP_TCD, ("warptm.resolution", name)): f"WarpTM+{name}" for name in ("2pcr", "2pcr-free", "scr", "scr-free")})


def fig6_14(get):
    table = ratios("Figure 6.14: execution time over FGLock by intra-warp conflict resolution", WORKLOADS,
                   against(BestRuns(get), LOCKS, RESOLUTIONS, RESOLUTIONS))
    _, two, two_free, scr, scr_free = table.rows[-1][1:]
    cc = next(row for row in table.rows if row[0] == "CC")
    return [table], [Claim("2pcr.overhead", 100 * (two / two_free - 1), two / two_free <= 1.05),
                     Claim("scr.overhead", 100 * (scr / scr_free - 1), near(scr / scr_free, 1.60)),
                     Claim("2pcr.CC", 100 * (cc[2] / cc[3] - 1), near(cc[2] / cc[3], 1.11))]


TABLES = {BASE: "no TCD"}
TABLES.update({variant(BASE_TCD, ("tcd.rows", rows)): f"TCD-{4 * rows}" for rows in (32, 512, 1024)})


def fig6_15(get):
    table = ratios("Figure 6.15: execution time over FGLock by size of the last-written time table", READ_ONLY,
                   against(BestRuns(get), LOCKS, TABLES, TABLES))
    none, small, default, large = table.rows[-1][1:]
    return [table], [Claim("tcd.sizes", f"{none:.2f} / {small:.2f} / {default:.2f} / {large:.2f}",
                           default < none and small < none and large > 0.97 * default)]


CORES = ("core.count", 30)
MANY = {variant(LOCKS, CORES): "FGLock 30", BASE: "KiloTM-Base 15", variant(BASE, CORES): "KiloTM-Base 30", WARP_TCD: "WarpTM+TCD 15",
        variant(WARP_TCD, CORES): "WarpTM+TCD 30"}


def fig6_17(get):
    return [ratios("Figure 6.17: execution time over FGLock with 15 cores", WORKLOADS, against(BestRuns(get), LOCKS, MANY, MANY))], []


def table6_4(get):
    best, rows, claims = BestRuns(get), [], []
    for w in WORKLOADS:
        names = (BASE, BASE_TCD, WARP, WARP_TCD) if w in READ_ONLY else (BASE, WARP)
        limits = "/".join(concurrency_name(best(w, n).run.warps) for n in names)
        aborts = [aborts_per_1k(best(w, n).stats) for n in names]
        rows.append([LABEL[w], limits, "/".join(f"{a:.0f}" for a in aborts), TABLE_6_4[w]])
        paper = [float(x) for x in TABLE_6_4[w].split("/")]
        claims.append(Claim(f"tab6.4.aborts.{LABEL[w]}", rows[-1][2], all(near(a, p) for a, p in zip(aborts, paper))))
    return [Table("Table 6.4: best limit and aborts per 1,000 commits, Kilo base[/TCD]/WarpTM[/TCD+WarpTM]",
                  ["workload", "limit", "aborts", "paper"], rows, "none")], claims


EXPERIMENTS = [
    Experiment("warptm.fig6.10", "execution time over fine-grained locks", needs(BASE, BASE_TCD, WARP, WARP_TCD, LOCKS), fig6_10),
    Experiment("warptm.fig6.12", "speedup over serialised transactions", needs(BASE, WARP_TCD, LOCKS, SERIAL), fig6_12),
    Experiment("warptm.fig6.13", "WarpTM's optimizations one by one", needs(LOCKS, *STEPS), fig6_13),
    Experiment("warptm.fig6.14", "intra-warp conflict resolution", needs(LOCKS, *RESOLUTIONS), fig6_14),
    Experiment("warptm.fig6.15", "size of the last-written time table", needs(LOCKS, *TABLES, workloads=READ_ONLY), fig6_15),
    Experiment("warptm.fig6.17", "15 and 30 cores", needs(LOCKS, *MANY), fig6_17),
    Experiment("warptm.table6.4", "best concurrency and abort rates", needs(BASE, BASE_TCD, WARP, WARP_TCD), table6_4),
]
