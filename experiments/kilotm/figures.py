# SPDX-License-Identifier: Apache-2.0
"""The figures of Kilo TM: Fung's thesis, chapter 4. Preset `thesis-kilotm` is its Table 4.4. Chapter 4 has one octree workload, of 30 K bodies."""
from experiment import Experiment
from report import Claim, Table
from runs import Run, counter
from sweep import LABEL, concurrency_name, ratios

WORKLOADS = ("ht-h", "ht-l", "atm", "cl", "bh-h", "cc", "ap")
PRESET = "thesis-kilotm"
LIMITS = (1, 2, 4, 0)
TABLE_4_3 = {"ht-h": "1.0/4.0/1.39", "ht-l": "1.0/4.0/0.14", "atm": "3.0/2.0/0.03", "cl": "11.2/4.8/1.06", "bh-h": "4.3/0.82/0.15",
             "cc": "1.4/1.4/0.004", "ap": "15.7/6.2/0.32"}


def run(workload, system, warps=0, settings=()):
    return Run(workload, system, 1 if system in ("fglock", "serial") else warps, PRESET, tuple(settings))


def every(*pairs):
    """The runs of all workloads for pairs of (system, warps)."""
    return [run(w, system, warps) for w in WORKLOADS for system, warps in pairs]


def over(get, base, *columns):
    """Columns (label, system, warps) of cycles over those of base, a (system, warps)."""
    return [(label, lambda w, s=system, n=warps: get(run(w, s, n))["cycles"] / get(run(w, *base))["cycles"])
            for label, system, warps in columns]


def fig4_1(get):
    table = ratios("Figure 4.1: speedup over serialised transactions", WORKLOADS, [
        ("Ideal TM", lambda w: get(run(w, "serial"))["cycles"] / get(run(w, "ideal"))["cycles"]),
        ("FG lock", lambda w: get(run(w, "serial"))["cycles"] / get(run(w, "fglock"))["cycles"])], "speedup")
    ideal, locks = table.rows[-1][1:]
    return [table], [Claim("ideal.vs.serial", ideal, abs(ideal / 279 - 1) <= 0.15),
                     Claim("ideal.vs.fglock", 100 * (ideal / locks - 1), abs(ideal / locks / 1.24 - 1) <= 0.15)]


def fig4_6(get):
    table = ratios("Figure 4.6: execution time over Ideal TM", WORKLOADS, over(
        get, ("ideal", 0), ("Kilo TM, 2 warps", "kilotm", 2), ("Kilo TM, unlimited", "kilotm", 0), ("FG lock", "fglock", 1)))
    two, unlimited, locks = table.rows[-1][1:]
    return [table], [Claim("kilo.vs.ideal", 100 / two, abs(100 / two / 52 - 1) <= 0.15),
                     Claim("kilo.vs.ideal.unlimited", unlimited, abs(unlimited / 4.1 - 1) <= 0.15),
                     Claim("kilo.vs.fglock", 100 * locks / two, abs(locks / two / 0.59 - 1) <= 0.15)]


def ratio(stats):
    return counter(stats, "tx_aborted") / counter(stats, "tx_committed")


def fig4_7(get):
    columns = (("Ideal TM, 2", "ideal", 2), ("Kilo TM, 2", "kilotm", 2), ("Ideal TM, unlimited", "ideal", 0),
               ("Kilo TM, unlimited", "kilotm", 0))
    rows = [[LABEL[w]] + [ratio(get(run(w, s, n))) for _, s, n in columns] for w in WORKLOADS]
    return [Table("Figure 4.7: aborts per commit", ["workload"] + [c[0] for c in columns], rows, "bars", "aborts per commit")], []


def fig4_8(get):
    table = ratios("Figure 4.8: speedup of Kilo TM over serialised transactions", WORKLOADS, [
        (concurrency_name(n), lambda w, n=n: get(run(w, "serial"))["cycles"] / get(run(w, "kilotm", n))["cycles"]) for n in LIMITS],
        "speedup")
    two = table.rows[-1][2]
    return [table], [Claim("kilo.vs.serial", two, abs(two / 128 - 1) <= 0.15)]


BARS = (("FGL", "fglock", 1), ("KL", "kilotm", 2), ("KL-UC", "kilotm", 0), ("IDEAL", "ideal", 0))


def fig4_9(get):
    rows = []
    for w in WORKLOADS:
        base = get(run(w, "ideal"))["cycles"]
        for label, system, warps in BARS:
            stats = get(run(w, system, warps))
            execution, wait = counter(stats, "tx_thread_exec_cycles"), counter(stats, "tx_thread_wait_cycles")
            threads = max(1, counter(stats, "threads_exited"))
            rows.append([f"{LABEL[w]} {label}", stats["cycles"] / base, execution / threads, wait / threads])
    return [Table("Figure 4.9: execution time over Ideal TM, and thread cycles in transactions and waiting, per thread",
                  ["run", "time", "in transactions", "waiting"], rows, "none")], []


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
    return [Table("Figure 4.10: core cycles over Ideal TM's execution time", ["run", "issue", "no warp ready", "no warp"], rows, "none")], []


HISTORIES = (("perfect", (("kilo.history_sets", 4096),)), ("5 kB", ()), ("512 B", (("kilo.history_rows", 16), ("kilo.history_sets", 16))))


def fig4_11(get):
    table = ratios("Figure 4.11: execution time over perfect hazard detection", WORKLOADS, [
        (name, lambda w, s=settings: get(run(w, "kilotm", 2, s))["cycles"] / get(run(w, "kilotm", 2, HISTORIES[0][1]))["cycles"])
        for name, settings in HISTORIES])
    large, small = table.rows[-1][2:4]
    return [table], [Claim("kilo.lwh.5k", large, large <= 1.05), Claim("kilo.lwh.512", 100 * (small - 1), abs(small / 1.36 - 1) <= 0.15)]


def table4_3(get):
    rows, claims = [], []
    for w in WORKLOADS:
        stats = get(run(w, "kilotm", 0))
        commits = counter(stats, "tx_committed")
        ours = (counter(stats, "tx_read_words") / commits, counter(stats, "tx_write_words") / commits, ratio(stats))
        rows.append([LABEL[w], commits, "/".join(f"{x:.2f}" for x in ours), TABLE_4_3[w]])
        paper = [float(x) for x in TABLE_4_3[w].split("/")]
        ident = "kilo.tx." + LABEL[w].replace("BH-H", "BH")
        claims.append(Claim(ident, rows[-1][2], all(abs(a / b - 1) <= 0.15 for a, b in zip(ours, paper))))
    return [Table("Table 4.3: read set, write set, aborts per transaction, unlimited concurrency",
                  ["workload", "transactions", "here", "paper"], rows, "none")], claims


def fig4_13(get):
    rows = [[LABEL[w]] + [counter(get(run(w, "kilotm", n)), "cu_entries_max") for n in LIMITS] for w in WORKLOADS]
    return [Table("Figure 4.13: most entries in one commit unit", ["workload"] + [concurrency_name(n) for n in LIMITS], rows, "bars",
                  "entries")], []


def l2_hits(get):
    rows = []
    for w in WORKLOADS:
        stats = get(run(w, "kilotm", 2))
        reads, misses = counter(stats, "l2_reads"), counter(stats, "l2_read_misses")
        rows.append([LABEL[w], 100.0 * (reads - misses) / reads])
    worst = min(row[1] for row in rows)
    return [Table("Section 4.4.3: reads that hit in the L2, 2 warps per core", ["workload", "percent"], rows, "bars", "percent")], [
        Claim("kilo.l2hit", worst, worst >= 90)]


EXPERIMENTS = [
    Experiment("kilotm.fig4.1", "Ideal TM and locks over serialised transactions", lambda: every(("serial", 1), ("ideal", 0), ("fglock", 1)),
               fig4_1),
    Experiment("kilotm.fig4.6", "execution time over Ideal TM", lambda: every(("ideal", 0), ("kilotm", 2), ("kilotm", 0), ("fglock", 1)),
               fig4_6),
    Experiment("kilotm.fig4.7", "aborts per commit", lambda: every(("ideal", 0), ("ideal", 2), ("kilotm", 2), ("kilotm", 0)), fig4_7),
    Experiment("kilotm.fig4.8", "scaling with the concurrency limit", lambda: every(("serial", 1), *(("kilotm", n) for n in LIMITS)),
               fig4_8),
    Experiment("kilotm.fig4.9", "thread cycles", lambda: every(*((s, n) for _, s, n in BARS)), fig4_9),
    Experiment("kilotm.fig4.10", "core cycles", lambda: every(*((s, n) for _, s, n in BARS)), fig4_10),
    Experiment("kilotm.fig4.11", "hazard detection", lambda: [run(w, "kilotm", 2, s) for w in WORKLOADS for _, s in HISTORIES], fig4_11),
    Experiment("kilotm.fig4.13", "commit unit entries", lambda: every(*(("kilotm", n) for n in LIMITS)), fig4_13),
    Experiment("kilotm.table4.3", "transactions of the workloads", lambda: every(("kilotm", 0)), table4_3),
    Experiment("kilotm.l2", "L2 hits", lambda: every(("kilotm", 2)), l2_hits),
]
