# SPDX-License-Identifier: Apache-2.0
"""The figures and tables of GETM (HPCA 2018), sections III and VI. Preset `getm` is the paper's Table II."""
from experiment import Experiment
from report import Claim, Table
from runs import Run, aborts_per_1k, counter, flits, gmean
from sweep import CONCURRENCIES, LABEL, Best, concurrency_name, ratios, sweep

WORKLOADS = ("ht-h", "ht-m", "ht-l", "atm", "cl", "clto", "bh-h", "cc", "ap")
SYSTEMS = {"warptm": "WarpTM", "eapg": "EAPG", "warptm-el": "WarpTM-EL", "getm": "GETM"}
TABLE_IV = {  # best concurrency and aborts per 1,000 commits, in the order of SYSTEMS
    "ht-h": ("2/2/8/8", "119/113/122/460"), "ht-m": ("8/4/8/8", "98/84/83/172"), "ht-l": ("8/4/8/8", "80/78/78/207"),
    "atm": ("4/4/4/4", "27/26/25/114"), "cl": ("2/2/4/4", "93/91/119/205"), "clto": ("4/2/4/4", "110/61/72/176"),
    "bh-h": ("2/2/8/inf", "93/86/145/865"), "cc": ("inf/inf/inf/inf", "6/5/1/38"), "ap": ("1/1/1/1", "231/237/204/9188")}


def best_all(get, systems, settings=(), preset="getm"):
    return {(w, s): Best(get, sweep(w, s, preset, settings)) for w in WORKLOADS for s in systems}


def sweep_all(systems, settings=(), preset="getm"):
    return [run for w in WORKLOADS for s in systems for run in sweep(w, s, preset, settings)]


def normalised(title, best, systems, value, base):
    """value of each system's best run over that of `base`."""
    def column(system):
        return SYSTEMS.get(system, "FGLock"), lambda w: value(best[w, system].stats) / value(best[w, base].stats)
    return ratios(title, WORKLOADS, [column(system) for system in systems])


def tx_cycles(stats):
    return counter(stats, "tx_exec_cycles") + counter(stats, "tx_wait_cycles")


def cycles(stats):
    return stats["cycles"]


def fig3(get):
    rows = {"exec": [], "wait": [], "both": []}
    for warps in CONCURRENCIES:
        stats = [get(Run("ht-h", system, warps)) for system in ("warptm", "warptm-el")]
        commits = counter(stats[0], "tx_committed")
        execs = [counter(s, "tx_thread_exec_cycles") / commits for s in stats]
        waits = [counter(s, "tx_thread_wait_cycles") / commits for s in stats]
        name = concurrency_name(warps)
        rows["exec"].append([name] + execs)
        rows["wait"].append([name] + waits)
        rows["both"].append([name] + [e + w for e, w in zip(execs, waits)])
    columns = ["warps per core", "WarpTM-LL", "WarpTM-EL"]
    return [Table(f"Figure 3: {title} per transaction, HT-H", columns, rows[key], "lines", "thread cycles")
            for key, title in (("exec", "transactional code"), ("wait", "waiting"), ("both", "total"))], []


def fig4(get):
    best = best_all(get, ("warptm", "warptm-el", "fglock"))
    return [normalised("Figure 4, top: cycles in transactions over WarpTM", best, ("warptm", "warptm-el"), tx_cycles, "warptm"),
            normalised("Figure 4, bottom: execution time over WarpTM", best, ("warptm", "warptm-el", "fglock"), cycles, "warptm")], []


def fig10(get):
    best = best_all(get, ("warptm", "eapg", "getm"))
    rows = []
    for w in WORKLOADS:
        base = tx_cycles(best[w, "warptm"].stats)
        row = [LABEL[w]]
        for s in ("warptm", "eapg", "getm"):
            row += [counter(best[w, s].stats, "tx_exec_cycles") / base, counter(best[w, s].stats, "tx_wait_cycles") / base]
        rows.append(row)
    columns = ["workload"] + [f"{label} {part}" for label in ("WarpTM", "EAPG", "GETM") for part in ("exec", "wait")]
    return [Table("Figure 10: execution and wait cycles of transactions over WarpTM", columns, rows, "bars", "ratio")], []


def fig11(get):
    best = best_all(get, ("warptm", "eapg", "getm", "fglock"))
    table = normalised("Figure 11: execution time over WarpTM", best, ("warptm", "eapg", "getm", "fglock"), cycles, "warptm")
    mean = table.rows[-1]
    row = {r[0]: r for r in table.rows}
    low = gmean(1 / row[name][3] for name in ("HT-L", "ATM", "CC"))
    slower = 100.0 * (mean[3] / mean[4] - 1.0)
    return [table], [
        Claim("getm.speedup.gmean", 1 / mean[3], abs(1 / mean[3] / 1.2 - 1) <= 0.15),
        Claim("getm.speedup.max", 1 / row["HT-H"][3], abs(1 / row["HT-H"][3] / 2.1 - 1) <= 0.15),
        Claim("getm.vs.fglock", slower, slower <= 7.0),
        Claim("getm.lowcontention", low, abs(low - 1) <= 0.15),
        Claim("eapg.slower", mean[2], mean[2] > 1.0)]


def fig12(get):
    best = best_all(get, ("warptm", "eapg", "getm"))
    table = normalised("Figure 12: crossbar flits over WarpTM", best, ("warptm", "eapg", "getm"), flits, "warptm")
    return [table], [Claim("getm.traffic", table.rows[-1][3], table.rows[-1][3] > 1.0)]


def fig13(get):
    best = best_all(get, ("getm",))
    rows = [[LABEL[w], counter(best[w, "getm"].stats, "vu_table_cycles") / counter(best[w, "getm"].stats, "vu_requests")]
            for w in WORKLOADS]
    worst = max(row[1] for row in rows)
    return [Table("Figure 13: metadata table cycles per request", ["workload", "cycles"], rows, "bars", "cycles")], [
        Claim("getm.cuckoo.latency", worst, 1.0 <= worst <= 1.15)]


SIZES = tuple((f"{2 ** bits // 1024}K entries", (("getm.table_rows", 2 ** bits // 1024 * 64),)) for bits in (11, 12, 13))
GRANULES = tuple((f"{size} B", (("tm.granule_bytes", size),)) for size in (16, 32, 64, 128))


def fig14_runs():
    runs = sweep_all(("warptm",))
    for _, settings in SIZES + GRANULES:
        runs += sweep_all(("getm",), settings)
    return runs


def fig14(get):
    base = best_all(get, ("warptm",))
    tables, means = [], {}
    for title, variants in (("metadata table size, GPU-wide", SIZES), ("granularity", GRANULES)):
        best = {name: best_all(get, ("getm",), settings) for name, settings in variants}
        tables.append(ratios(f"Figure 14: execution time over WarpTM by {title}", WORKLOADS, [
            (name, lambda w, name=name: best[name][w, "getm"].cycles / base[w, "warptm"].cycles) for name, _ in variants]))
        means.update(zip((name for name, _ in variants), tables[-1].rows[-1][1:]))
    fastest = min(("16 B", "32 B", "64 B", "128 B"), key=lambda name: means[name])
    return tables, [
        Claim("getm.table.2k", f"{means['2K entries']:.3f} / {means['4K entries']:.3f} / {means['8K entries']:.3f}",
              means["2K entries"] > means["4K entries"] and means["8K entries"] > 0.97 * means["4K entries"]),
        Claim("getm.granularity", fastest, means["32 B"] <= 1.02 * means[fastest])]


UNBOUNDED = (("getm.stall_lines", 16), ("getm.stall_entries", 16))


def fig15(get):
    best = best_all(get, ("getm",), UNBOUNDED)
    rows = [[LABEL[w], counter(best[w, "getm"].stats, "vu_stall_max")] for w in WORKLOADS]
    most = max(row[1] for row in rows)
    return [Table("Figure 15: most requests in all stall buffers at once, 16 x 16 entries each", ["workload", "requests"], rows, "bars",
                  "requests")], [Claim("getm.stall.max", most, most <= 12)]


def fig16(get):
    best = best_all(get, ("getm",), UNBOUNDED)
    rows = []
    for w in WORKLOADS:
        lines = counter(best[w, "getm"].stats, "vu_stall_line_cycles")
        rows.append([LABEL[w], counter(best[w, "getm"].stats, "vu_stall_request_cycles") / lines if lines else 0.0])
    return [Table("Figure 16: stalled requests per address", ["workload", "requests"], rows, "bars", "requests")], []


def fig17(get):
    small = best_all(get, ("warptm", "getm"))
    large = best_all(get, ("warptm", "getm"), preset="getm-56")

    def column(label, best, system):
        return label, lambda w: best[w, system].cycles / small[w, "warptm"].cycles
    table = ratios("Figure 17: execution time with 15 and 56 cores over WarpTM with 15", WORKLOADS, [
        column("WarpTM 15", small, "warptm"), column("GETM 15", small, "getm"), column("WarpTM 56", large, "warptm"),
        column("GETM 56", large, "getm")])
    here = table.rows[-1][3] / table.rows[-1][4]
    return [table], [Claim("getm.scale56", here, here > 1.0)]


def table4(get):
    best = best_all(get, SYSTEMS)
    rows, claims = [], []
    for w in WORKLOADS:
        found = [concurrency_name(best[w, s].run.warps) for s in SYSTEMS]
        aborts = [aborts_per_1k(best[w, s].stats) for s in SYSTEMS]
        rows.append([LABEL[w], "/".join(found), TABLE_IV[w][0], "/".join(f"{a:.0f}" for a in aborts), TABLE_IV[w][1]])
        paper = [float(text) for text in TABLE_IV[w][1].split("/")]
        ident = "tab4." + LABEL[w].replace("BH-H", "BH")
        claims.append(Claim(f"{ident}.conc", rows[-1][1], "/".join(found).replace("unlimited", "inf") == TABLE_IV[w][0]))
        claims.append(Claim(f"{ident}.aborts", rows[-1][3], all(abs(a / p - 1) <= 0.15 for a, p in zip(aborts, paper))))
    return [Table("Table IV: best concurrency and aborts per 1,000 commits, WarpTM/EAPG/WarpTM-EL/GETM",
                  ["workload", "concurrency", "paper", "aborts", "paper"], rows, "none")], claims


def rollover(get):
    best = best_all(get, ("getm",))
    rows = [[LABEL[w], best[w, "getm"].cycles / max(1, counter(best[w, "getm"].stats, "warpts_increments"))] for w in WORKLOADS]
    fast, slow = min(row[1] for row in rows), max(row[1] for row in rows)
    return [Table("Section V.B: cycles per increment of the largest warpts", ["workload", "cycles"], rows, "bars", "cycles")], [
        Claim("getm.rollover.fast", fast, abs(fast / 1265 - 1) <= 0.15), Claim("getm.rollover.slow", slow, abs(slow / 15836 - 1) <= 0.15)]


def ht_h_sweep():
    return [run for s in ("warptm", "warptm-el") for run in sweep("ht-h", s)]


EXPERIMENTS = [
    Experiment("getm.fig3", "WarpTM, lazy and eager: cycles per transaction over concurrency, HT-H", ht_h_sweep, fig3),
    Experiment("getm.fig4", "WarpTM, lazy and eager, and locks", lambda: sweep_all(("warptm", "warptm-el", "fglock")), fig4),
    Experiment("getm.fig10", "cycles in transactions", lambda: sweep_all(("warptm", "eapg", "getm")), fig10),
    Experiment("getm.fig11", "execution time", lambda: sweep_all(("warptm", "eapg", "getm", "fglock")), fig11),
    Experiment("getm.fig12", "crossbar traffic", lambda: sweep_all(("warptm", "eapg", "getm")), fig12),
    Experiment("getm.fig13", "metadata table latency", lambda: sweep_all(("getm",)), fig13),
    Experiment("getm.fig14", "metadata table size and granularity", fig14_runs, fig14),
    Experiment("getm.fig15", "stall buffer occupancy", lambda: sweep_all(("getm",), UNBOUNDED), fig15),
    Experiment("getm.fig16", "stalled requests per address", lambda: sweep_all(("getm",), UNBOUNDED), fig16),
    Experiment("getm.fig17", "15 and 56 cores",
               lambda: sweep_all(("warptm", "getm")) + sweep_all(("warptm", "getm"), preset="getm-56"), fig17),
    Experiment("getm.table4", "best concurrency and abort rates", lambda: sweep_all(SYSTEMS), table4),
    Experiment("getm.rollover", "speed of the logical clock", lambda: sweep_all(("getm",)), rollover),
]
