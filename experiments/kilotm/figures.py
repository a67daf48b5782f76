# SPDX-License-Identifier: Apache-2.0
"""The figures of Kilo TM: Fung's thesis, chapter 4. Preset `thesis-kilotm` is its Table 4.4. Chapter 4 has one octree workload, of 30 K bodies.
Averages are arithmetic, as the thesis's are. Our cloth kernel takes 34 registers per thread (35 with locks); cores have as many more as its blocks of 512
threads need, still one block per core as in the thesis's Table 4.2."""
from experiment import Experiment
from report import Claim, Table
from runs import Run, counter, mean
import sweep
from sweep import (ALIKE, PLATEAU, SAME, above, at, at_least, at_most, below, concurrency_name, extreme, near, near_gain, of_each, percent, programs,
                   ratios)

WORKLOADS = ("ht-h", "ht-m", "atm", "cl", "bh-h", "cc", "ap")
LABEL = sweep.LABEL | {"ht-m": "HT-L"}  # thesis 4.3: 80 K buckets, chapter 6's HT-M
PRESET = "thesis-kilotm"
LIMITS = (1, 2, 4, 0)
TABLE_4_3 = {"ht-h": "1.0/4.0/1.39", "ht-m": "1.0/4.0/0.14", "atm": "3.0/2.0/0.03", "cl": "11.2/4.8/1.06", "bh-h": "4.3/0.82/0.15",
             "cc": "1.4/1.4/0.004", "ap": "15.7/6.2/0.32"}
TABLE_4_1 = {"ideal": (6.6, 5.9, 4.2, 9.4, 10.5, 33.4, 0.5), "fglock": (8.1, 6.5, 4.2, 8.8, 9.5, 51.0, 0.5)}  # thread instructions per cycle
MACHINE = {"cl": (("core.registers", 18432),)}
UNLIMITED = (("kilo.entries", 0),)  # thesis 4.4.1: commit units have unlimited capacity


def run(workload, system, warps=0, settings=()):
    settings = tuple(sorted(MACHINE.get(workload, ()) + (UNLIMITED if system == "kilotm" else ()) + tuple(settings)))
    return Run(workload, system, 1 if system in ("fglock", "serial") else warps, PRESET, settings)


def every(*pairs):
    """The runs of all workloads for pairs of (system, warps)."""
    return lambda get: [[run(w, system, warps) for w in WORKLOADS for system, warps in pairs]]


def averages(title, columns, ylabel="ratio"):
    return ratios(title, WORKLOADS, columns, ylabel, "AVG", LABEL)


def over(get, base, *columns):
    """Columns (label, system, warps) of cycles over those of base, a (system, warps)."""
    return [(label, lambda w, s=system, n=warps: get(run(w, s, n))["cycles"] / get(run(w, *base))["cycles"])
            for label, system, warps in columns]


def fig4_1(get):
    table = averages("Figure 4.1: speedup over serialised transactions", [
        ("Ideal TM", lambda w: get(run(w, "serial"))["cycles"] / get(run(w, "ideal"))["cycles"]),
        ("FG lock", lambda w: get(run(w, "serial"))["cycles"] / get(run(w, "fglock"))["cycles"])], "speedup")
    ideal, locks = table.rows[-1][1:]

    def over_locks(w):
        return at(table, LABEL[w], "Ideal TM") / at(table, LABEL[w], "FG lock")

    def ipc(system):
        return tuple(counter(stats, "thread_instructions") / stats["cycles"] for stats in (get(run(w, system)) for w in WORKLOADS))
    low = tuple(get(run("ht-m", system))["cycles"] / get(run("ht-h", system))["cycles"] for system in ("ideal", "fglock"))
    shown = lambda *values: "/".join(f"{value:.1f}" for value in values)
    return [table], [Claim("ideal.vs.serial", ideal, near(279), each=programs(table, "Ideal TM")),
                     Claim("ideal.vs.fglock", 100 * (ideal / locks - 1), near_gain(24), each={LABEL[w]: percent(over_locks(w)) for w in WORKLOADS}),
                     of_each("ideal.slower", ("bh-h", "cc"), over_locks, below(1.0), max, LABEL),
                     Claim("ideal.HT-L", low, (below(1.0), below(1.0)), workloads=("ht-h", "ht-m")),
                     Claim("tab4.1.ideal", ipc("ideal"), tuple(map(near, TABLE_4_1["ideal"])), shown),
                     Claim("tab4.1.fglock", ipc("fglock"), tuple(map(near, TABLE_4_1["fglock"])), shown)]


TWO_TO_THREE = near(2)[0], near(3)[1]


def fig4_6(get):
    table = averages("Figure 4.6: execution time over Ideal TM", over(
        get, ("ideal", 0), ("Kilo TM, 2 warps", "kilotm", 2), ("Kilo TM, unlimited", "kilotm", 0), ("FG lock", "fglock", 1)))
    two, unlimited, locks = table.rows[-1][1:]
    gained = {name: at(table, name, "Kilo TM, unlimited") / at(table, name, "Kilo TM, 2 warps") for name in programs(table, "FG lock")}
    return [table], [Claim("kilo.vs.ideal", 100 / two, near(52), each=programs(table, "Kilo TM, 2 warps", lambda time: 100 / time)),
                     Claim("kilo.vs.ideal.unlimited", unlimited, near(4.1), each=programs(table, "Kilo TM, unlimited"), worse=max),
                     Claim("kilo.vs.fglock", 100 * locks / two, near(59),
                           each={name: 100 * at(table, name, "FG lock") / at(table, name, "Kilo TM, 2 warps") for name in gained}),
                     Claim("kilo.limit.contended", tuple(gained[name] for name in ("HT-H", "CL", "BH-H")), (TWO_TO_THREE,) * 3, workloads=("ht-h", "cl", "bh-h")),
                     Claim("kilo.limit.ATM", gained["ATM"], near(2.3), workloads=("atm",)),
                     Claim("kilo.limit.HT-L", percent(gained["HT-L"]), near_gain(66), workloads=("ht-m",)),
                     Claim("kilo.limit.CC", -percent(gained["CC"]), near_gain(34), workloads=("cc",)),
                     Claim("kilo.limit.AP", abs(percent(gained["AP"])), SAME, workloads=("ap",)),
                     parted("kilo.affected", programs(table, "Kilo TM, unlimited"), ("HT-H", "HT-L", "CL", "BH-H"))]


def parted(ident, numbers, high):
    """A claim that some programs' numbers are above all others': the least of these over the greatest of the others."""
    others = extreme([number for name, number in numbers.items() if name not in high], max)
    return Claim(ident, extreme([numbers[name] for name in high], min) / others if others else float("nan"), above(1.0), each=numbers)


def ratio(stats):
    return counter(stats, "tx_aborted") / counter(stats, "tx_committed")


def fig4_7(get):
    columns = (("Ideal TM, 2", "ideal", 2), ("Kilo TM, 2", "kilotm", 2), ("Ideal TM, unlimited", "ideal", 0),
               ("Kilo TM, unlimited", "kilotm", 0))
    rows = [[LABEL[w]] + [ratio(get(run(w, s, n))) for _, s, n in columns] for w in WORKLOADS]
    ideal, kilo, ideal_unlimited, kilo_unlimited = (sum(row[i] for row in rows) for i in (1, 2, 3, 4))
    return [Table("Figure 4.7: aborts per commit", ["workload"] + [c[0] for c in columns], rows, "bars", "aborts per commit")], [
        Claim("kilo.aborts.ideal", kilo / ideal, ALIKE, each={row[0]: row[2] / row[1] for row in rows if row[1]}, worse=max),
        Claim("kilo.aborts.unlimited", kilo_unlimited / ideal_unlimited, above(1.0), each={row[0]: row[4] / row[3] for row in rows if row[3]}),
        parted("kilo.aborts.most", {row[0]: row[4] for row in rows}, ("HT-H", "CL")),
        parted("kilo.aborts.least", {row[0]: row[4] for row in rows}, ("HT-H", "CL", "BH-H", "AP"))]


BEST = {"ht-h": "1", "ht-m": "2", "atm": "2", "cl": "2", "bh-h": "2", "cc": "unlimited"}  # the thesis's best limits (4.4.1)


def fig4_8(get):
    table = averages("Figure 4.8: speedup of Kilo TM over serialised transactions", [
        (concurrency_name(n), lambda w, n=n: get(run(w, "serial"))["cycles"] / get(run(w, "kilotm", n))["cycles"]) for n in LIMITS],
        "speedup")
    means = dict(zip(table.columns[1:], table.rows[-1][1:]))

    def loss(w):
        """Percent more cycles at the thesis's best limit than at ours."""
        speeds = programs(table, BEST[w], rows=[LABEL[w]])[LABEL[w]], max(table.rows[WORKLOADS.index(w)][1:])
        return percent(speeds[1] / speeds[0])
    return [table], [Claim("kilo.vs.serial", means["2"], near(128), each=programs(table, "2")),
                     Claim("kilo.limit.best", tuple(map(loss, BEST)), (PLATEAU,) * len(BEST), lambda *values: "/".join(f"{x:.0f}" for x in values)),
                     Claim("kilo.limit.mean", means["2"] / max(speed for limit, speed in means.items() if limit != "2"), above(1.0))]


BARS = (("FGL", "fglock", 1), ("KL", "kilotm", 2), ("KL-UC", "kilotm", 0), ("IDEAL", "ideal", 0))


def fig4_9(get):
    rows = []
    for w in WORKLOADS:
        base = get(run(w, "ideal"))["cycles"]
        for label, system, warps in BARS:
            stats = get(run(w, system, warps))
            execution, wait = counter(stats, "tx_thread_exec_cycles"), counter(stats, "tx_thread_wait_cycles")
            threads = max(1, counter(stats, "threads_exited"))
            rows.append([f"{LABEL[w]} {label}", execution / threads / base, wait / threads / base, stats["cycles"] / base])
    columns = ["run", "transactions", "waiting", "execution time"]
    parts = Table("Figure 4.9: cycles of a thread in transactions and waiting, over Ideal TM's execution time", columns[:3],
                  [row[:3] for row in rows], "stacks", "ratio")

    def spent(bar, name):
        """The sum over the workloads of warp-cycles, over Ideal TM's execution time."""
        _, system, warps = next(pair for pair in BARS if pair[0] == bar)
        return sum(counter(get(run(w, system, warps)), name) / get(run(w, "ideal"))["cycles"] for w in WORKLOADS)

    def limited(name, base="KL-UC"):
        return spent("KL", name) / spent(base, name)
    return [parts, Table("Figure 4.9: the same beside the execution time", columns, rows, "none")], [
        Claim("kilo.limit.commit", limited("tx_commit_cycles"), below(1.0)), Claim("kilo.limit.token", limited("tx_wait_cycles"), above(1.0)),
        Claim("kilo.limit.tx", (limited("tx_exec_cycles"), limited("tx_exec_cycles", "IDEAL")), (below(1.0), below(1.0)))]


def fig4_10(get):
    rows = []
    for w in WORKLOADS:
        base = get(run(w, "ideal"))
        cores = base["config"]["core.count"]
        for label, system, warps in BARS:
            stats = get(run(w, system, warps))
            issue, active = counter(stats, "core_issue_cycles"), counter(stats, "core_active_cycles")
            total = cores * base["cycles"]
            rows.append([f"{LABEL[w]} {label}", issue / total, (active - issue) / total, (cores * stats["cycles"] - active) / total])
    table = Table("Figure 4.10: core cycles over Ideal TM's execution time", ["run", "issue", "no warp ready", "no warp"], rows, "stacks", "ratio")

    def waits(bar):
        return sum(at(table, f"{LABEL[w]} {bar}", "no warp ready") for w in WORKLOADS)

    def stalls(bar):
        """Cycles in which what is behind the issue stage holds a warp back, over Ideal TM's execution time."""
        _, system, warps = next(pair for pair in BARS if pair[0] == bar)
        return sum(counter(get(run(w, system, warps)), "core_stall") / get(run(w, "ideal"))["cycles"] for w in WORKLOADS)
    whole = [at(table, "AP KL", column) for column in table.columns[1:]]
    return [table], [Claim("kilo.AP.idle", 100 * whole[2] / sum(whole), near(90), workloads=("ap",)),
                     Claim("kilo.limit.waits", waits("KL") / waits("KL-UC"), below(1.0)),
                     Claim("kilo.limit.stalls", stalls("KL") / stalls("KL-UC"), below(1.0)),
                     parted("kilo.idle", {LABEL[w]: at(table, f"{LABEL[w]} KL", "no warp") / sum(at(table, f"{LABEL[w]} KL", column) for column in table.columns[1:])
                                          for w in WORKLOADS}, ("CC", "AP"))]


HAZARDS = {"perfect": (("kilo.hazard", "perfect"),), "LWH 5 kB": (), "LWH 512 B": (("kilo.history_rows", 16), ("kilo.history_sets", 16)),
           "BF array": (("kilo.hazard", "bloom-array"),)}


def fig4_11(get):
    table = averages("Figure 4.11: execution time over perfect hazard detection, 2 warps per core", [
        (name, lambda w, s=settings: get(run(w, "kilotm", 2, s))["cycles"] / get(run(w, "kilotm", 2, HAZARDS["perfect"]))["cycles"])
        for name, settings in HAZARDS.items()])
    large, small, array = table.rows[-1][2:5]
    most = max(row[4] for row in table.rows[:-1])
    return [table], [Claim("kilo.lwh.5k", large, at_most(1.05), each=programs(table, "LWH 5 kB"), worse=max),
                     Claim("kilo.lwh.512", 100 * (small - 1), near_gain(36), each=programs(table, "LWH 512 B", percent), worse=max),
                     Claim("kilo.bfarray", (array, most), (near(4.3), near(7.9)), "{:.2f}/{:.2f}".format)]


SIZES = (0, 1, 2, 4, 8, 16, 32)


def fig4_12(get):
    tables, least = [], 100.0
    for name, field in (("read", "cu_reads"), ("write", "cu_writes")):
        stats = {w: get(run(w, "kilotm", 2)) for w in WORKLOADS}
        share = {w: [100.0 * counter(s, f"{field}_{size}") / counter(s, "cu_accessed") for size in SIZES] for w, s in stats.items()}
        least = min([least] + [values[SIZES.index(8)] for values in share.values()])
        rows = [[str(size)] + [share[w][i] for w in WORKLOADS] for i, size in enumerate(SIZES)]
        tables.append(Table(f"Figure 4.12: commit unit entries whose {name} set fits in so many words, 2 warps per core",
                            ["words"] + [LABEL[w] for w in WORKLOADS], rows, "bars", "percent of accessed entries"))
    return tables, [Claim("kilo.buf8", least, at_least(90))]


def table4_3(get):
    rows, claims, bars, papers = [], [], [], []
    columns = ["words read", "words written", "aborts"]
    for w in WORKLOADS:
        stats = get(run(w, "kilotm", 0))
        commits = counter(stats, "tx_committed")
        ours = (counter(stats, "tx_read_words") / commits, counter(stats, "tx_write_words") / commits, ratio(stats))
        rows.append([LABEL[w], commits, "/".join(f"{x:.2f}" for x in ours), TABLE_4_3[w]])
        paper = [float(x) for x in TABLE_4_3[w].split("/")]
        bars.append([LABEL[w], *ours])
        papers += [(LABEL[w], column, value) for column, value in zip(columns, paper)]
        ident = "kilo.tx." + LABEL[w].replace("BH-H", "BH")
        claims.append(Claim(ident, ours, tuple(map(near, paper)), "{:.2f}/{:.2f}/{:.2f}".format))
    return [Table("Table 4.3: read set, write set, aborts per transaction, unlimited concurrency",
                  ["workload", "transactions", "here", "paper"], rows, "none"),
            Table("Table 4.3: of a transaction, unlimited concurrency", ["workload"] + columns, bars, "panels", "per transaction", paper=papers)], claims


SCHEMES = {"All": ("cu_all_cycles", "cu_entries_max"), "Accessed": ("cu_accessed_cycles", "cu_accessed_max"),
           "Used": ("cu_used_cycles", "cu_used_max"), "Needed": ("cu_needed_cycles", "cu_needed_max")}


def fig4_13(get):
    rows = []
    for w in WORKLOADS:
        stats = get(run(w, "kilotm", 2))
        config = stats["config"]
        unit_cycles = stats["cycles"] * config["clock.cu"] / config["clock.core"] * config["partition.count"]
        row = [LABEL[w]]
        for cycles, most in SCHEMES.values():
            row += [counter(stats, cycles) / unit_cycles, counter(stats, most)]
        rows.append(row)
    columns = ["workload"] + [f"{name} {what}" for name in SCHEMES for what in ("avg", "max")]
    table = Table("Figure 4.13: commit unit entries (All, Accessed) and buffers (Used, Needed) per unit, 2 warps per core", columns, rows,
                  "panels", "entries, buffers")
    entries = programs(table, "All avg")
    many = mean(entries[LABEL[w]] for w in WORKLOADS if w not in ("cc", "ap"))
    return [table], [Claim("kilo.entries", many, near(700), each=entries),
                     of_each("kilo.entries.few", ("cc", "ap"), lambda w: entries[LABEL[w]] / many, below(1.0), max, LABEL),
                     Claim("kilo.needed", max(programs(table, "Needed avg").values()), at_most(500), each=programs(table, "Needed avg"), worse=max),
                     Claim("kilo.entries.BH", (at(table, "BH-H", "All max"), at(table, "BH-H", "Accessed max")), (near(5116), near(4754)), workloads=("bh-h",)),
                     Claim("kilo.entries.beyond", at(table, "BH-H", "All max") / (2 * 32 * get(run("bh-h", "kilotm", 2))["config"]["core.count"]), above(1.0),
                           workloads=("bh-h",))]


LOW_HITS = ("HT-L", "ATM", "CL")  # whose validation misses more often without a limit (4.4.3)


def l2_hits(get):
    rows = []
    for w in WORKLOADS:
        row = [LABEL[w]]
        for warps in (2, 0):
            stats = get(run(w, "kilotm", warps))
            row.append(100.0 * (1 - counter(stats, "l2_validation_misses") / max(1, counter(stats, "l2_validation_reads"))))
        rows.append(row)
    worst = min(row[1] for row in rows)
    unlimited = {row[0]: row[2] for row in rows}
    return [Table("Section 4.4.3: validation accesses that hit in the L2", ["workload", "2 warps per core", "unlimited"], rows, "bars", "percent")], [
        Claim("kilo.l2hit", worst, at_least(90), each={row[0]: row[1] for row in rows}),
        Claim("kilo.l2hit.others", extreme([hits for name, hits in unlimited.items() if name not in LOW_HITS], min), at_least(90), each=unlimited),
        Claim("kilo.l2hit.unlimited", tuple(unlimited[name] for name in LOW_HITS), tuple(map(near, (70, 46, 62))), workloads=("ht-m", "atm", "cl"))]


HITS, GAINING = (("kilo.hazard", "perfect"), ("kilo.validation", "hits")), ("ATM", "CL")


def validation_runs(_):
    return [[run(w, "kilotm", 0, settings) for w in WORKLOADS for settings in (HITS[:1], HITS)]]


def validation(get):
    gains = {LABEL[w]: percent(get(run(w, "kilotm", 0, HITS[:1]))["cycles"] / get(run(w, "kilotm", 0, HITS))["cycles"]) for w in WORKLOADS}
    others = {name: abs(gained) for name, gained in gains.items() if name not in GAINING}
    return [Table("Section 4.4.3: gain when all accesses of validation hit in the L2", ["workload", "percent"], [list(row) for row in gains.items()], "bars",
                  "percent")], [
        Claim("kilo.validation.hits", tuple(gains[name] for name in GAINING), (near_gain(11), near_gain(17)), workloads=("atm", "cl")),
        Claim("kilo.validation.others", extreme(list(others.values()), max), SAME, each=others, worse=max)]


def fig4_11_runs(_):
    return [[run(w, "kilotm", 2, settings) for w in WORKLOADS for settings in HAZARDS.values()]]


BAR_RUNS = every(*((system, warps) for _, system, warps in BARS))
EXPERIMENTS = [
    Experiment("kilotm.fig4.1", "Ideal TM and locks over serialised transactions", every(("serial", 1), ("ideal", 0), ("fglock", 1)),
               fig4_1),
    Experiment("kilotm.fig4.6", "execution time over Ideal TM", every(("ideal", 0), ("kilotm", 2), ("kilotm", 0), ("fglock", 1)), fig4_6),
    Experiment("kilotm.fig4.7", "aborts per commit", every(("ideal", 0), ("ideal", 2), ("kilotm", 2), ("kilotm", 0)), fig4_7),
    Experiment("kilotm.fig4.8", "scaling with the concurrency limit", every(("serial", 1), *(("kilotm", n) for n in LIMITS)), fig4_8),
    Experiment("kilotm.fig4.9", "thread cycles", BAR_RUNS, fig4_9),
    Experiment("kilotm.fig4.10", "core cycles", BAR_RUNS, fig4_10),
    Experiment("kilotm.fig4.11", "hazard detection", fig4_11_runs, fig4_11),
    Experiment("kilotm.fig4.12", "sizes of read and write sets in commit units", every(("kilotm", 2)), fig4_12),
    Experiment("kilotm.fig4.13", "commit unit entries and buffers", every(("kilotm", 2)), fig4_13),
    Experiment("kilotm.table4.3", "transactions of the workloads", every(("kilotm", 0)), table4_3),
    Experiment("kilotm.l2", "L2 hits of validation accesses", every(("kilotm", 2), ("kilotm", 0)), l2_hits),
    Experiment("kilotm.validation", "validation that always hits in the L2", validation_runs, validation),
]
