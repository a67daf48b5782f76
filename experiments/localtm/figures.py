# SPDX-License-Identifier: Apache-2.0
"""The figures of GPU-LocalTM's improvements, sections 6 and 7. Preset `localtm` is its Table 3, with 8 of the 32 compute units and two work-groups
for each of them: units share nothing but global memory, which the transactions do not use. Means are geometric."""
import children
import schema
from experiment import Experiment
from report import Claim, Table
from runs import Run, RunFailed, counter
from sweep import SAME, above, all_above, all_below, at, at_least, at_most, below, every_number, how_many, of_each, percent, programs, ratios

LABEL = {"lht-hc": "HT-HC", "lht-lc": "HT-LC", "it-hc": "IT-HC", "it-lc": "IT-LC", "gc-hc": "GC-HC", "gc-lc": "GC-LC", "km-hc": "KM-HC", "km-lc": "KM-LC"}
ALL = tuple(LABEL)
DETECT = ("prw-sig", "swo-sig", "dcd", "smdcd")
SERIAL = ("ascending-single", "descending-single", "ascending-multiple", "descending-multiple")
NAME = {"prw-sig": "pRW-sig", "swo-sig": "sWO-sig", "dcd": "DCD", "smdcd": "SMDCD"}
EXACT = ("dcd", "smdcd")
BASE = "prw-sig", "ascending-single"  # GPU-LocalTM as it was
MACHINE, INPUT = (("core.count", 8),), (("groups", 16),)
PARTS = {"TXBegin": "ltm_begin_cycles", "TXCommit": "ltm_commit_cycles", "memory overheads": "ltm_overhead_cycles", "TX code": "ltm_tx_cycles",
         "other code": "ltm_other_cycles"}
MODES = {"work-group": "ltm_wg_serial", "wavefront": "ltm_wf_serial", "transactional": "ltm_transactional"}


def run(workload, detect, serial):
    settings = [*MACHINE, *(pair for pair in (("ltm.detect", detect), ("ltm.serial", serial)) if pair[1] not in BASE)]
    return Run(workload, "localtm", preset="localtm", warps=0, settings=tuple(sorted(settings)), params=INPUT)


def lock(workload):
    return Run(workload, "lds-lock", preset="localtm", warps=0, settings=MACHINE, params=INPUT)


def speedup(get, workload, detect, serial):
    return get(run(workload, *BASE))["cycles"] / get(run(workload, detect, serial))["cycles"]


def axis(which):
    """One axis of the design at a time: serialisations of pRW-sig, or detectors with ascending-single."""
    return [(serial, (BASE[0], serial)) for serial in SERIAL] if which == "serial" else [(NAME[detect], (detect, BASE[1])) for detect in DETECT]


def of_axis(which):
    return lambda get: [[run(w, *pair) for w in ALL for _, pair in axis(which)]]


def speedups(get, which, title):
    return ratios(title, ALL, [(name, lambda w, p=pair: speedup(get, w, *p)) for name, pair in axis(which)], "speedup", label=LABEL)


def value(table, workload, column):
    return at(table, LABEL[workload], column)


def fig2(get):
    table = speedups(get, "serial", "Figure 2: speedup over GPU-LocalTM by serialisation")

    def best_gain(single, multiple):
        return max(100 * (value(table, w, multiple) / value(table, w, single) - 1) for w in ALL)
    gained = {LABEL[w]: percent(value(table, w, "ascending-multiple") / value(table, w, "ascending-single")) for w in ALL}
    descending = min(value(table, w, f"descending-{choice}") / value(table, w, f"ascending-{choice}") for w in ALL for choice in ("single", "multiple"))
    return [table], [
        Claim("ltm.multiple", max(best_gain("ascending-single", "ascending-multiple"), best_gain("descending-single", "descending-multiple")), (15, 45), each=gained),
        Claim("ltm.multiple.most", how_many(gained.values(), lambda gain: gain > 0), at_least(5), each=gained),
        Claim("ltm.KM-HC", value(table, "km-hc", "ascending-multiple"), (None, 0.99), workloads=("km-hc",)),
        Claim("ltm.descending", descending, (0.95, None))]


def best(table, workload, columns):
    return max(columns, key=lambda name: value(table, workload, name))


def fig5(get):
    table = speedups(get, "detect", "Figure 5: speedup over GPU-LocalTM by conflict detection")
    names = tuple(NAME.values())
    order = {"lht-hc": ("sWO-sig",), "lht-lc": ("sWO-sig",), "gc-hc": ("sWO-sig",), "gc-lc": ("DCD", "SMDCD"), "it-hc": ("pRW-sig",)}
    as_said = sum(best(table, w, names) in wanted for w, wanted in order.items())

    def apart(w):
        """Percent between the two that have signatures, of which the sentence is; the next one turns to directories. IT-HC has a sentence of its own."""
        own, shared = (value(table, w, name) for name in ("pRW-sig", "sWO-sig"))
        return percent(max(own, shared) / min(own, shared))

    def directory(w):
        return max(value(table, w, name) for name in ("DCD", "SMDCD")) / max(value(table, w, name) for name in ("pRW-sig", "sWO-sig"))
    return [table], [
        of_each("ltm.IT_KM", ("it-lc", "km-hc", "km-lc"), apart, at_most(15), max, LABEL),
        all_above("ltm.sWO.read_only", ("lht-hc", "lht-lc", "gc-hc", "gc-lc"), lambda w: value(table, w, "sWO-sig"), LABEL),
        all_below("ltm.directories", tuple(w for w in ALL if w != "gc-lc"), directory, LABEL),
        all_above("ltm.directories.GC-LC", ("gc-lc",), directory, LABEL),
        Claim("ltm.cd", max(value(table, w, name) for w in ALL for name in names), (6, 12)),
        Claim("ltm.sWO", as_said, (len(order), None), lambda n: f"{n:.0f} of {len(order)} as the paper has them")]


def parts_of(which, title, counters, whole):
    """Stacked bars, one per workload and form. whole: what a bar is of, a function of (get, workload, pair)."""
    def make(get):
        rows = []
        for w in ALL:
            for name, pair in axis(which):
                try:
                    total, stats = whole(get, w, pair), get(run(w, *pair))
                    rows.append([f"{LABEL[w]} {name}", *(counter(stats, c) / total for c in counters.values())])
                except RunFailed:
                    rows.append([f"{LABEL[w]} {name}", *(float("nan") for _ in counters)])
        return Table(title, ["form", *counters], rows, "stacks", "share")
    return make


def cycles_of_base(get, w, _):
    return sum(counter(get(run(w, *BASE)), c) for c in PARTS.values())


def commits(get, w, pair):
    return sum(counter(get(run(w, *pair)), c) for c in MODES.values())


def mean_part(table, names, part):
    """The mean over the workloads and the forms of a part of the time."""
    cells = [at(table, f"{LABEL[w]} {name}", part) for w in ALL for name in names]
    return sum(cells) / len(cells)


def fig3(get):
    table = parts_of("serial", "Figure 3: wavefront cycles, of GPU-LocalTM's", PARTS, cycles_of_base)(get)

    def more(w):
        """Points of GPU-LocalTM's time by which the overheads are higher when several work-items go on."""
        return 100 * (at(table, f"{LABEL[w]} ascending-multiple", "memory overheads") - at(table, f"{LABEL[w]} ascending-single", "memory overheads"))
    return [table], [of_each("ltm.multiple.overhead", ALL, more, SAME, max, LABEL)]


def fig4(get):
    table = parts_of("serial", "Figure 4: transactions by mode and serialisation", MODES, commits)(get)

    def more(w, order):
        return at(table, f"{LABEL[w]} {order}-multiple", "work-group") - at(table, f"{LABEL[w]} {order}-single", "work-group")
    return [table], [of_each("ltm.multiple.serial", ("lht-lc", "gc-hc", "gc-lc"), lambda w: 100 * min(more(w, o) for o in ("ascending", "descending")),
                             above(0.0), min, LABEL)]


def fig6(get):
    table = parts_of("detect", "Figure 6: wavefront cycles, of GPU-LocalTM's", PARTS, cycles_of_base)(get)
    signatures, directories = ("pRW-sig", "sWO-sig"), ("DCD", "SMDCD")

    def code(w, names):
        return sum(at(table, f"{LABEL[w]} {name}", "TX code") for name in names)
    return [table], [
        Claim("ltm.overhead", mean_part(table, directories, "memory overheads") / mean_part(table, signatures, "memory overheads"), above(1.0)),
        Claim("ltm.code", mean_part(table, signatures, "TX code") / mean_part(table, directories, "TX code"), above(1.0)),
        all_below("ltm.code.sWO", ("lht-hc", "lht-lc", "gc-hc", "gc-lc"), lambda w: code(w, ("sWO-sig",)) / code(w, ("pRW-sig",)), LABEL),
        all_below("ltm.code.KM", ("km-hc", "km-lc"), lambda w: code(w, directories) / code(w, signatures), LABEL)]


def fig7(get):
    table = parts_of("detect", "Figure 7: transactions by mode and conflict detection", MODES, commits)(get)
    serialised = max(sum(at(table, f"{LABEL[w]} {NAME[d]}", mode) for mode in ("work-group", "wavefront")) for w in ("lht-lc", "it-lc") for d in EXACT)

    def serial(w, name):
        return sum(at(table, f"{LABEL[w]} {name}", mode) for mode in ("work-group", "wavefront"))
    return [table], [Claim("ltm.no_serial", 100 * serialised, (None, 0.5), workloads=("lht-lc", "it-lc")),
                     of_each("ltm.serial.sWO", ("lht-hc", "gc-hc", "gc-lc"), lambda w: 100 * (serial(w, "sWO-sig") - serial(w, "pRW-sig")), below(0.0), max, LABEL)]


READS = ("lht-hc", "lht-lc", "gc-hc", "gc-lc")  # which have transactions that only read (6)
MULTIPLE = BASE[0], "ascending-multiple"


def text(get):
    """What 6.1 and 7 say beside the figures."""
    def code(w):
        """Time in transactions when several work-items go on, over that when one does."""
        return counter(get(run(w, *MULTIPLE)), "ltm_tx_cycles") / counter(get(run(w, *BASE)), "ltm_tx_cycles")
    filtered = all_above("ltm.SMDCD.read_only", READS, lambda w: get(run(w, "dcd", BASE[1]))["cycles"] / get(run(w, "smdcd", BASE[1]))["cycles"], LABEL)
    each = {LABEL[w]: code(w) for w in ALL}
    claims = [filtered, Claim("ltm.multiple.code", how_many(each.values(), lambda ratio: ratio < 1.0), at_least(5), each=each, worse=max)]
    return [every_number("Sections 6.1 and 7: what the text says of single programs", claims)], claims


def text_runs(_):
    return [[run(w, *pair) for w in ALL for pair in (BASE, MULTIPLE)] + [run(w, detect, BASE[1]) for w in READS for detect in EXACT]]


def advice(get, workload, *more):
    """What `cowarp advise` says about a workload on this machine."""
    words = ["advise", workload, "--preset", "localtm", "--json", *more]
    done = children.run([get.store.binary, *words], text=True)
    if done.returncode != 0:
        raise RunFailed(words, done.stderr.strip())
    try:
        return schema.parsed(done.stdout, {"alone": dict}, f"'cowarp {' '.join(words)}'", "is --binary cowarp?")
    except schema.BadJson as bad:
        raise RunFailed(words, str(bad)) from None


def table3(get):
    """A register or byte count per combination, of the workload with the largest work-group."""
    tables = []
    for w in ("lht-hc", "it-hc", "gc-hc", "km-hc"):
        a = advice(get, w)
        rows = [[f"{line['detect']} {line['serial']}".strip() or "the kernel alone", line["vector_registers"], line["scalar_registers"], line["shared_bytes"],
                 line["groups"]] for line in (a["alone"], *a["combinations"])]
        tables.append(Table(f"Table 3: what a work-group of 256 takes, {LABEL[w][:2]}", ["", "vector registers", "scalar registers", "shared bytes",
                                                                                        "work-groups per unit"], rows, "none"))
    return tables, []


def every(_):
    return [[r for w in ALL for r in (*(run(w, d, s) for d in DETECT for s in SERIAL), lock(w))]]


def grid(get):
    columns = [(f"{NAME[d]} {s}", lambda w, d=d, s=s: speedup(get, w, d, s)) for d in DETECT for s in SERIAL]
    columns += [("lds-lock", lambda w: get(run(w, *BASE))["cycles"] / get(lock(w))["cycles"])]
    table = ratios("All combinations: speedup over GPU-LocalTM", ALL, columns, "speedup", label=LABEL)
    names = [name for name, _ in columns[:len(DETECT) * len(SERIAL)]]
    rows = []
    for w in ALL:
        first, choice = best(table, w, names), advice(get, w)["chosen"]
        name = f"{NAME[choice['detect']]} {choice['serial']}"
        rows.append([LABEL[w], first, value(table, w, first), name, value(table, w, name), value(table, w, name) / value(table, w, first)])
    return [table, Table("The best combination, and that of advise", ["workload", "best", "speedup", "advise", "speedup of advise", "of the best"],
                         rows, "none")], []


EXPERIMENTS = [
    Experiment("localtm.fig2", "speedup of the serialisations", of_axis("serial"), fig2),
    Experiment("localtm.fig3", "where the time goes, by serialisation", of_axis("serial"), fig3),
    Experiment("localtm.fig4", "modes of transactions, by serialisation", of_axis("serial"), fig4),
    Experiment("localtm.fig5", "speedup of the conflict detectors", of_axis("detect"), fig5),
    Experiment("localtm.fig6", "where the time goes, by conflict detection", of_axis("detect"), fig6),
    Experiment("localtm.fig7", "modes of transactions, by conflict detection", of_axis("detect"), fig7),
    Experiment("localtm.text", "what 6.1 and 7 say of single programs", text_runs, text),
    Experiment("localtm.table3", "resources of each combination", lambda get: [[run("it-lc", *BASE)]], table3),
    Experiment("localtm.grid", "all combinations, the lock, and the choice of advise", every, grid),
]
