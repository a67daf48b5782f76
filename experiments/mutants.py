# SPDX-License-Identifier: Apache-2.0
"""Wrong machines. A claim that holds says something only if some wrong machine would miss it. So each claim is judged once on machines on which it
should fail: a mechanism is off, another one stands in its place, or a parameter has a wrong value. `cowarp reproduce NAME --mutants
experiments/mutants.csv` makes the runs and renews the table. A claim that no machine there misses is weak (report.py), and does not count."""
import collections
import csv
import math
import sys
import zlib
from typing import Callable, NamedTuple

import spread
from report import load_mutants
from runs import RunFailed, Seeded


class Change(NamedTuple):
    """What is wrong with a machine. text: as the table has it; of: the run that is made instead of a run."""
    text: str
    of: Callable


def other(new, *old):
    """System `new` runs in the place of others."""
    return Change(f"{new} in place of {', '.join(old)}", lambda run: run._replace(system=new) if run.system in old else run)


def dropped(*beginnings):
    """Settings whose names begin so have no effect."""
    return Change(f"{' '.join(beginnings)} without effect", lambda run: run._replace(settings=tuple(s for s in run.settings if not s[0].startswith(beginnings))))


def with_pair(run, name, value):
    return run._replace(settings=tuple(sorted({**dict(run.settings), name: value}.items())))


def wrong(name, value, *systems):
    """A setting has this value whatever is asked; systems: all when none is named."""
    return Change(f"{name}={value}" + f" of {', '.join(systems)}" * bool(systems), lambda run: with_pair(run, name, value) if not systems or run.system in systems else run)


def scaled(name, default, factor, least, most):
    """A setting is taken as so many times what is asked."""
    def of(run):
        return with_pair(run, name, int(min(most, max(least, dict(run.settings).get(name, default) * factor))))
    return Change(f"{name} times {factor:g}", of)


def limits(turned):
    """Another limit of warps than is asked; 0 is none."""
    text = ", ".join(f"{new or 'none'} for {old or 'none'}" for old, new in turned.items())
    return Change(f"limits of warps: {text}", lambda run: run._replace(warps=turned.get(run.warps, run.warps)))


def model(new, old):
    """Another model of persistency; what only sbrp reads has no effect on it."""
    return Change(f"persistency {new} in place of {old}", lambda run: run._replace(persistency=new) if run.persistency == old else run)


def place(new, old):
    return Change(f"memory {new} in place of {old}", lambda run: run._replace(preset=run.preset.replace(f"-{old}", f"-{new}")))


def parameter(name, value):
    """A parameter of the workload; none: it is not set."""
    def of(run):
        params = {k: v for k, v in run.params if k != name} | ({} if value is None else {name: value})
        return run._replace(params=tuple(sorted(params.items())))
    return Change(f"{name} {'not set' if value is None else value}", of)


def where_param(text, workloads, name, value):
    """A parameter of these workloads has this value."""
    return Change(f"{name} {value} {text}", lambda run: parameter(name, value).of(run) if run.workload in workloads else run)


class Mutant(NamedTuple):
    """why: what the machine lacks, so that the claims must fail on it. changes: of Change, one after the other. claims: that are judged on it. same: the runs
    that a claim compares become the same run, so its number follows from the claim alone, and tiny inputs do; it counts only where it is 1, 100, or at most 0: no effect."""
    name: str
    why: str
    changes: tuple
    claims: str
    same: bool = False


SBRP_KEYS = ("pm.acquire", "pm.drain", "pm.flushed_line", "pm.kernel_end", "pm.pb_entries", "pm.release", "pm.urgent", "pm.window", "pm.window_form")
TURNED, FEW = {1: 0, 2: 4, 4: 2, 0: 1}, {1: 1, 2: 1, 4: 1, 8: 2, 16: 4, 0: 1}
EIGHT = {1: 8, 2: 8, 4: 8, 16: 8, 0: 8}  # one limit, so that nothing is searched
SNAPSHOTS, PDOM = ("sitm-ts", "sitm-oracle"), dropped("core.divergence", "core.lcp", "tbc.")
KILO_FORM = (("warptm.aggregate", "off"), ("warptm.coalesce", "off"), ("warptm.resolution", "none"))  # SI-TM's Kilo TM


def snapshots_are(form):
    """WarpTM with these settings runs in the place of snapshots."""
    def of(run):
        settings = tuple(sorted(tuple(s for s in run.settings if not s[0].startswith("si.")) + form))
        return run._replace(system="warptm", preset="si-tm-base", settings=settings) if run.system in SNAPSHOTS else run
    return Change(f"{'Kilo TM' if form else 'warptm'} in place of {', '.join(SNAPSHOTS)}", of)


def divergence(new, old):
    """Another mechanism of divergence, without the settings of the old one."""
    def of(run):
        kept = tuple(s for s in run.settings if not s[0].startswith(("core.divergence", "core.lcp", "tbc.")))
        return run._replace(settings=tuple(sorted((*kept, ("core.divergence", new))))) if ("core.divergence", old) in run.settings else run
    return Change(f"core.divergence={new} in place of {old}", of)


def where(text, fits, name, value):
    """A setting has this value in the runs that fit."""
    return Change(f"{name}={value} {text}", lambda run: with_pair(run, name, value) if fits(run) else run)


def small_l1(run):
    """The thesis says that the L1 takes up what TBC adds to the traffic (3.6.3)."""
    if ("core.divergence", "tbc") not in run.settings:
        return run
    return with_pair(with_pair(run, "l1.bytes", 1024), "l1.ways", 1) if run.workload == "bfs2" else PDOM.of(run)


GETM = (
    Mutant("getm-lazy", "nothing detects a conflict before the commit", (other("warptm", "getm", "eapg", "warptm-el"), dropped("getm.", "tm.granule", "eapg.")),
           "getm.speedup.gmean getm.HT-H.most eapg.slower getm.traffic getm.HT-H.limit getm.granularity.fine getm.scale56 getm.lazy.exec getm.lazy.limit getm.eager.tx getm.eager.time",
           same=True),
    Mutant("getm-lazy-whole", "nothing detects a conflict before the commit", (other("warptm", "warptm-el"),), "getm.lazy.wait"),
    Mutant("getm-few-warps", "limits of warps are taken for others", (limits(FEW),), "tab4.HT-H.conc tab4.HT-M.conc tab4.HT-L.conc tab4.ATM.conc tab4.CC.conc"),
    Mutant("getm-granules", "granules are four times as wide as asked", (Change("tm.granule_bytes times 4 of getm", lambda run: scaled("tm.granule_bytes", 32, 4, 4, 128).of(run)
           if run.system == "getm" else run),), "getm.lowcontention"),
    Mutant("getm-granules-eight", "granules are four times as wide as asked, and eight warps run transactions", (Change("tm.granule_bytes times 4 of getm", lambda run: scaled(
           "tm.granule_bytes", 32, 4, 4, 128).of(run) if run.system == "getm" else run), limits(EIGHT)), "getm.granularity getm.rollover.fast getm.rollover.slow"),
    Mutant("getm-small-table", "the table of metadata has 16 rows", (wrong("getm.table_rows", 16, "getm"), limits(EIGHT)), "getm.cuckoo.latency getm.rollover.slow"))
KILO = (
    Mutant("kilo-ideal", "Kilo TM has no cost", (other("ideal", "kilotm"), dropped("kilo.")), "kilo.vs.ideal.unlimited kilo.aborts.unlimited kilo.affected", same=True),
    Mutant("kilo-unlimited", "no limit of warps", (limits({1: 0, 2: 0, 4: 0}),), "kilo.limit.HT-L kilo.limit.mean kilo.limit.waits kilo.limit.commit kilo.limit.token", same=True),
    Mutant("kilo-serial", "one thread's transactions at a time", (other("serial", "ideal", "fglock"),), "ideal.vs.serial ideal.slower", same=True),
    Mutant("kilo-history-unwired", "the history has one size", (dropped("kilo.history"),), "kilo.lwh.512", same=True),
    Mutant("kilo-turned", "limits of warps are taken for others", (limits(TURNED),),
           "kilo.vs.serial kilo.limit.best kilo.tx.HT-H kilo.tx.HT-L kilo.entries kilo.entries.few kilo.limit.tx kilo.limit.stalls"),
    Mutant("kilo-alone", "Kilo TM has no limit of warps, Ideal TM has", (Change("limits of warps: none for 2 of kilotm", lambda run: run._replace(warps=0)
           if (run.system, run.warps) == ("kilotm", 2) else run),), "kilo.aborts.ideal kilo.vs.ideal"),
    Mutant("kilo-history", "the history is always the small one", tuple(where("where the history is read", lambda run: "kilo.hazard" not in dict(run.settings), name, 16) for name in ("kilo.history_rows", "kilo.history_sets")), "kilo.lwh.5k"),
    Mutant("kilo-other-tables", "the two hash tables have each other's sizes", (where_param("of ht-h", ("ht-h",), "buckets", 80000), where_param("of ht-m", ("ht-m",), "buckets", 8000)),
           "kilo.aborts.most kilo.aborts.least"),
    Mutant("kilo-few-bodies", "the tree that the bodies are put into is small", (where_param("of bh-h", ("bh-h",), "bodies", 16),), "kilo.entries.beyond"),
    Mutant("kilo-small-l2", "the L2 has an eighth of its bytes", (wrong("l2.bytes", 8192),), "kilo.validation.others"),
    Mutant("kilo-one-slice", "all words of a transaction are in one commit unit", (wrong("partition.count", 1, "kilotm"),), "kilo.buf8"),
    Mutant("kilo-all-serial", "one thread's transactions at a time", (other("serial", "ideal", "fglock"),), "ideal.HT-L"))
WARPTM = (
    Mutant("warptm-kilo", "a warp's transactions are not handled together", (other("kilotm", "warptm"), dropped("warptm.", "kilo.hazard_rate")),
           "wtm.speedup wtm.HT-M wtm.aggregate wtm.hazard.BH wtm.ideal", same=True),
    Mutant("warptm-kilo-two", "a warp's transactions are not handled together", (other("kilotm", "warptm"), dropped("warptm."), limits({1: 2, 4: 2, 8: 2, 0: 2})),
           "wtm.aborts.more", same=True),
    Mutant("warptm-locks", "transactions cost what locks cost", (other("fglock", "kilotm", "warptm", "serial"), dropped("tcd.", "warptm.", "kilo."), limits({2: 1, 4: 1, 8: 1, 0: 1})),
           "kilob.vs.fglock kilob.BH-H kilob.BH-L kilob.CL wtm_tcd.vs.fglock wtm_tcd.vs.cglock fglock.vs.cglock ports.kilob kilob.energy.core", same=True),
    Mutant("warptm-locks-whole", "transactions cost what locks cost", (other("fglock", "kilotm", "warptm"), dropped("tcd.", "warptm.", "kilo."), limits({2: 1, 4: 1, 8: 1, 0: 1})),
           "kilob.energy"),
    Mutant("warptm-no-tcd", "no temporal conflict detection", (wrong("tcd.mode", "off", "kilotm", "warptm"), dropped("tcd.rows", "tcd.ways", "tcd.granule")),
           "tcd.energy tcd.aborts tcd.sizes", same=True),
    Mutant("warptm-one-machine", "the other machine is the same one", (dropped("dram.sharing", "l2.", "noc.flit", "partition.count", "core.count"),),
           "ports.fglock cores.HT-H", same=True),
    Mutant("warptm-wide-ports", "the other machine is the same one", (dropped("dram.sharing", "l2.", "noc.flit", "partition.count"),), "ports.wtm.CLto"),
    Mutant("warptm-one-array", "the table of times is one sub-array of 32 rows", (where("where tcd.ways=1", lambda run: ("tcd.ways", 1) in run.settings, "tcd.rows", 32), limits({1: 2, 4: 2, 8: 2, 0: 2})),
           "tcd.1sub"),
    Mutant("warptm-few-bodies", "the tree that the bodies are put into is small", (where_param("of bh-h, bh-l", ("bh-h", "bh-l"), "bodies", 16),), "tx.readonly"))
TBC = (
    Mutant("tbc-pdom", "nothing regroups threads", (PDOM,), "tbc.faster dwf.cohe tbc.BFS2 dwf.slower dwfwb.eddies dwf.eddies.divg tbc.memory tbc.memory.MGST tbc.stalls "
           "tbc.DG.rrb tbc.rrb.STMCL tbc.outweigh dwfwb.cohe dwfwb.stalls dwfwb.divergence dwf.stalls.divg dwfwb.eddies.full tbc.waits", same=True),
    Mutant("tbc-dwf", "threads of all blocks are regrouped", (divergence("dwf", "tbc"),), "tbc.cohe tbc.efficiency tbc.BFS2.cores"),
    Mutant("tbc-no-l1", "BFS2 finds nothing in the L1 under TBC; others run without TBC", (Change("l1.bytes=1024 where bfs2 has TBC, TBC without effect elsewhere", small_l1),), "tbc.traffic"),
    Mutant("tbc-alone", "TBC does not regroup threads, others do", (Change("core.divergence=tbc without effect", lambda run: PDOM.of(run) if ("core.divergence", "tbc") in run.settings else run),),
           "tbc.efficiency.dwfwb"),
    Mutant("tbc-no-l2", "the small L2 has an eighth of its bytes", (where("where l2.ways=8", lambda run: ("l2.ways", 8) in run.settings, "l2.bytes", 16 * 1024),), "tbc.l2.cohe"))
SITM = (
    Mutant("sitm-kilo", "no snapshots", (snapshots_are(KILO_FORM),), "si.lists si.wasted si.versions.more si.trees si.graphs", same=True),
    Mutant("sitm-warptm", "no snapshots", (snapshots_are(()),), "si.commit si.shorter si.duration.oracle", same=True),
    Mutant("sitm-one-form", "Kilo TM resolves conflicts within a warp", (dropped("warptm."),), "si.wasted.kilo si.aborts.kilo", same=True),
    Mutant("sitm-no-intra", "conflicts within a warp are not seen", tuple(wrong(*pair, "warptm") for pair in KILO_FORM), "si.aborts.intra", same=True),
    Mutant("sitm-oracle", "times are as good as the whole graph", (other("sitm-oracle", "sitm-ts"), dropped("si.graph")), "si.loops si.close", same=True),
    Mutant("sitm-warptm-whole", "no snapshots", (snapshots_are(()),), "si.order si.energy si.energy.lists"),
    Mutant("sitm-kilo-whole", "no snapshots", (snapshots_are(KILO_FORM),), "si.energy.lists"),
    Mutant("sitm-near-memory", "memory is 216 cycles nearer", (wrong("l2.rop_latency", 24),), "si.length.BT-2"))
LOCALTM = (
    Mutant("localtm-one-detector", "all detectors are pRW-sig", (dropped("ltm.detect"),), "ltm.overhead ltm.code.sWO ltm.serial.sWO ltm.sWO.read_only ltm.SMDCD.read_only"),
    Mutant("localtm-single", "a single work-item goes on", (Change("ltm.serial single in place of multiple", lambda run: run._replace(
           settings=tuple((k, str(v).replace("multiple", "single")) for k, v in run.settings))),), "ltm.multiple.serial ltm.multiple.code"),
    Mutant("localtm-slow", "scratch-pad accesses are slow where several work-items go on",
           (where("where ltm.serial is multiple", lambda run: "multiple" in str(dict(run.settings).get("ltm.serial")), "ltm.latency", 64),), "ltm.multiple.overhead"))
SBRP = (
    Mutant("sbrp-epoch", "no persist buffer", (model("epoch", "sbrp"), dropped(*SBRP_KEYS)), "sbrp.misses.block sbrp.misses.little sbrp.misses.intra sbrp.red sbrp.bw.less"),
    Mutant("sbrp-far", "near memory is as far as the other", (place("far", "near"),), "sbrp.near.far sbrp.near.gpm"),
    Mutant("sbrp-scopes", "all scopes are the device's", (parameter("scope", 1),), "sbrp.scopes"),
    Mutant("sbrp-small-buffer", "a persist buffer has a sixteenth of its lines", (Change("pm.pb_entries divided by 16", lambda run: scaled(
           "pm.pb_entries", 256, 1 / 16, 1, 512).of(run) if run.persistency == "sbrp" else run),), "sbrp.pb50 sbrp.srad sbrp.recovery.slight"),
    Mutant("sbrp-narrow-window", "a window has a sixth of its lines", (Change("pm.window divided by 6", lambda run: with_pair(
           with_pair(run, "pm.window", max(1, dict(run.settings).get("pm.window", 6) // 6)), "pm.window_form", "exact") if run.persistency == "sbrp" else run),),
           "sbrp.window sbrp.srad sbrp.eadr.same"),
    Mutant("sbrp-eadr", "eADR makes a persist quicker under SBRP alone",
           (where("where sbrp has eADR", lambda run: run.persistency == "sbrp" and ("pm.latency", 600) in run.settings, "pm.latency", 1),), "sbrp.eadr.same"))
MUTANTS = GETM + KILO + WARPTM + TBC + SITM + LOCALTM + SBRP


class Counters(dict):
    """Made-up counters: each name's number is another power of the factor."""

    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def __missing__(self, name):
        return {"value": 1000.0 * self.factor ** (1 + zlib.crc32(name.encode()) % 97 / 97)}


def made_up(factor=1.0):
    return {"cycles": 1000.0 * factor ** 0.5, "counters": Counters(factor), "config": collections.defaultdict(lambda: 10)}


class Mutated(Seeded):
    """An experiment's view of a wrong machine: each of its runs is the changed one. given: a function of a changed run, its statistics, or None for those of
    the simulator."""

    def __init__(self, store, seed, mutant, given=lambda run: None):
        super().__init__(store, seed)
        self.mutant, self.given, self.asked = mutant, given, {}

    def of(self, run):
        run = super().of(run)
        for change in self.mutant.changes:
            run = change.of(run)
        return run

    def __call__(self, run):
        self.asked[self.of(run)] = None
        return self.given(self.of(run)) or self.store.get(self.of(run))


def numbers(experiment, get):
    """{claim: its values, written out to nine places, as no rounding moves them}, of those that are judged on the machine; nothing when the experiment cannot be made."""
    try:
        return {claim.ident: " ".join(f"{value:.9g}" for value in claim.numbers()) for claim in experiment.make(get)[1] if claim.ident in get.mutant.claims.split()}
    except (RunFailed, ArithmeticError, LookupError, ValueError):
        return {}


def needed(experiment, get):
    """The runs that the claims read, found with made-up statistics: each run's are moved in turn. A claim reads a part of an experiment's runs, and
    no other part need be made. No two runs have the same: else a ratio of two means over one base would not move with the base of one workload.
    None: all, where the runs follow from results."""
    def own(run):
        return 1 + zlib.crc32(" ".join(run.arguments()).encode()) % 997 / 997
    whole = Mutated(get.store, get.seed, get.mutant, lambda run: made_up(own(run)))
    before = numbers(experiment, whole)
    if not before or any(run.crash for run in whole.asked):
        return None

    def moved(run, factor):
        return numbers(experiment, Mutated(get.store, get.seed, get.mutant, lambda asked: made_up(own(asked) * (factor if asked == run else 1.0)))) != before
    return [run for run in whole.asked if any(moved(run, factor) for factor in (1000.0, 0.001))]


COLUMNS = ("claim", "mutant", "wrong", "here", "missed")


class Row(NamedTuple):
    """A claim on a wrong machine. wrong: how the machine differs; here: its number; missed: yes, no, or fails, when there is no number."""
    claim: str
    mutant: str
    wrong: str
    here: str
    missed: str


HEAD = """# SPDX-License-Identifier: Apache-2.0
# Each claim on machines that should miss it (mutants.py), with the first seed. missed: yes, no, or fails, when a run that the claim needs has not ended.
"""


def verdicts(experiment, get):
    """Of the claims that are judged on the machine."""
    try:
        return [spread.judged([claim]) for claim in experiment.make(get)[1] if claim.ident in get.mutant.claims.split()]
    except (RunFailed, ArithmeticError, LookupError, ValueError) as failure:
        print(f"cowarp reproduce: {experiment.name} on {get.mutant.name}: {str(failure) or type(failure).__name__}", file=sys.stderr)
        return []


def judged(experiment, get, jobs=1):
    """Rows of one experiment on one wrong machine. A number counts when it does not hang on the runs that were not made."""
    runs, text = needed(experiment, get), "; ".join(change.text for change in get.mutant.changes)
    get.store.make_all(runs or [], jobs)

    def with_others(factor):
        given = (lambda run: None) if runs is None else lambda run: None if run in runs else made_up(factor)
        return verdicts(experiment, Mutated(get.store, get.seed, get.mutant, given))
    found, again = with_others(1.0), {verdict.claim: verdict.values[0] for verdict in with_others(3.0)}

    def missed(verdict):
        known = not any(math.isnan(value) or (get.mutant.same and value > 0 and round(value, 9) not in (1, 100)) for value in verdict.values[0])
        known = known and verdict.claim in again and all(math.isclose(one, other) for one, other in zip(verdict.values[0], again[verdict.claim]))
        return "fails" if not known else "no" if verdict.holds else "yes"
    return [Row(verdict.claim, get.mutant.name, text, verdict.here, missed(verdict)) for verdict in found]


def gets_of(experiment, stores, seed, measured):
    """The views that an experiment is made with. stores: of whole inputs, and of tiny ones; measured: {claim: the name of the experiment that measures it}."""
    return [Mutated(stores[mutant.same], seed, mutant) for mutant in MUTANTS if any(measured.get(claim) == experiment.name for claim in mutant.claims.split())]


def renew(path, rows):
    """Writes the table: rows that are new in place of old ones, in the order of MUTANTS; rows that no mutant makes go."""
    kept = [Row(*(row[name] for name in COLUMNS)) for row in load_mutants(path)]
    known = {(row.claim, row.mutant): row for row in [*kept, *rows]}
    wanted = [(claim, mutant.name) for mutant in MUTANTS for claim in mutant.claims.split()]
    with open(path, "w", newline="", encoding="utf-8") as file:
        file.write(HEAD)
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *(known[key] for key in wanted if key in known)])
