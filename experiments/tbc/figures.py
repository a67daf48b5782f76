# SPDX-License-Identifier: Apache-2.0
"""The figures of thread block compaction: Fung's thesis, chapter 3. Preset `thesis-tbc` is its Table 3.2. Its TBC has likely-convergence points in
loops and gives the oldest block priority. Means of IPC are harmonic, as the thesis's are. NVRT is wrong under DWF, as in the thesis, and fails its
own check: this one cell is `-`, and DWF's means have one workload less."""
from experiment import Experiment
from report import Claim, Table
from runs import NO_SYSTEM, Run, counter, flits, gmean, mean
from sweep import (ALIKE, LABEL, SAME, above, all_above, all_below, at, at_least, at_most, below, every_number, figure, gain, harmonic_ratios, near,
                   near_gain, of_each, percent, programs, rows_of)

DIVG = ("bfs2", "fcdt", "hotsp", "lps", "mum", "mumpp", "namd", "nvrt")
COHE = ("aes", "backp", "cp", "dg", "hrtwl", "lib", "lkyt", "mgst", "nnc", "ray", "stmcl", "sto", "wp")
ALL = DIVG + COHE
GROUPS = {"HM DIVG": DIVG, "HM COHE": COHE, "HM all": ALL}
PRESET = "thesis-tbc"
# Mechanisms: settings.
PDOM, DWF, DWF_WB = (), (("core.divergence", "dwf"),), (("core.divergence", "dwf-wb"),)
LCP = (("core.lcp", "loop"),)
TBC_NO_LCP = (("core.divergence", "tbc"),)
TBC = AGE = TBC_NO_LCP + LCP
RRB, SRR = TBC + (("tbc.priority", "rrb"),), TBC + (("tbc.priority", "srr"),)
MECHANISMS = {"DWF": DWF, "DWF-WB": DWF_WB, "TBC": TBC}
PRIORITIES = {"AGE": AGE, "RRB": RRB, "SRR": SRR}
SMALL_L2 = (("l2.bytes", 128 * 1024), ("l2.ways", 8))


# Inputs that give every core several rounds of blocks, or what the thesis's inputs give it (MUM, NVRT, WP). Table 3.1's number of instructions where
# a run takes some seconds; where that is 569 millions and more, a part of it.
INPUTS = {
    "fcdt": (("height", 288), ("width", 384)), "lps": (("n", 121),), "mum": (("queries", 30720), ("texture", 1)), "mumpp": (("queries", 17280), ("texture", 1)),
    "namd": (("cells", 7),), "nvrt": (("blocks", 90), ("height", 128), ("width", 128)), "aes": (("kbytes", 320),), "backp": (("inputs", 134784),),
    "cp": (("atoms", 50), ("blocks_x", 15), ("blocks_y", 32)), "dg": (("elements", 300),), "hrtwl": (("frames", 2), ("points", 60)),
    "lib": (("paths", 4096),), "lkyt": (("cells", 90), ("height", 192), ("width", 256)), "mgst": (("n", 200000),), "nnc": (("blocks", 200),),
    "ray": (("height", 312), ("width", 312)), "stmcl": (("candidates", 3), ("n", 65536)), "sto": (("blocks", 90),), "wp": (("steps", 15),)}
# Our kernels take other numbers of registers than the thesis's. Cores have as many as its blocks per core (Table 3.1) take here: how many blocks
# there are decides what a block's wait costs. Of workloads with several kernels it is the longest one. aes, dg, hrtwl, mgst and nnc have 16,384:
# their numbers of blocks agree with the thesis's, or differ from kernel to kernel.
REGISTERS = {"bfs2": 20480, "fcdt": 32640, "hotsp": 18432, "lps": 29184, "mum": 30720, "mumpp": 21888, "namd": 21504, "nvrt": 32256, "backp": 18432,
             "cp": 22528, "lib": 20480, "lkyt": 24640, "ray": 17664, "stmcl": 26624, "sto": 8192, "wp": 11264}


def run(workload, settings):
    machine = (("core.registers", REGISTERS[workload]),) if workload in REGISTERS else ()
    return Run(workload, NO_SYSTEM, preset=PRESET, settings=tuple(sorted(machine + settings)), params=INPUTS.get(workload, ()))


def every(*mechanisms, workloads=ALL):
    return lambda get: [[run(w, settings) for w in workloads for settings in mechanisms]]


def ipc(stats):
    """Over the whole time: a core without a block counts (3.6.1)."""
    return counter(stats, "thread_instructions") / stats["cycles"]


def over_pdom(get, measure, mechanisms, more=()):
    """Columns of a measure over that of PDOM, both with the settings `more`."""
    return [(name, lambda w, settings=settings: measure(get(run(w, settings + more))) / measure(get(run(w, PDOM + more))))
            for name, settings in mechanisms.items()]


def of(table, column, workloads):
    """Percent of gain of each workload in a column of ratios."""
    return programs(table, column, percent, [LABEL[w] for w in workloads])


def ratio(table, column, base=None):
    """A function of a workload: its number in the column, or this over the one in the column `base`."""
    return lambda w: at(table, LABEL[w], column) / (at(table, LABEL[w], base) if base else 1.0)


def simd_efficiency(stats):
    return counter(stats, "thread_instructions") / (stats["config"]["core.warp_width"] * counter(stats, "warp_instructions"))


CLASSES = {"W1-4": "simd_w1_4", "W5-8": "simd_w5_8", "W9-12": "simd_w9_12", "W13-16": "simd_w13_16", "W17-20": "simd_w17_20",
           "W21-24": "simd_w21_24", "W25-28": "simd_w25_28", "W29-32": "simd_w29_32", "Stall": "core_stall", "W0_Mem": "core_w0_mem",
           "W0_Idle": "core_w0_idle"}
STALLS = {"Const": "mem_stall_const", "Texture": "mem_stall_texture", "SharedMem": "mem_stall_shared", "CoalesceStall": "mem_stall_coalesce",
          "GlobalLocalMem": "mem_stall_global"}


def stalls(stats):
    """Cycles; at least one, since others are divided by it."""
    return max(1, sum(counter(stats, name) for name in STALLS.values()))


def active(stats):
    return counter(stats, "core_active_cycles")


def stack(stats):
    """Entries of the deepest stack: of a warp, or of a block. A run has one kind of them."""
    return max(counter(stats, "simt_stack_max"), counter(stats, "block_stack_max"))


# The thesis says neither of which workloads Figure 3.1 is nor which mean it has. Here it is of the workloads that all three run correctly. An
# arithmetic mean of stalls over PDOM's cannot be the thesis's 2.7: Figures 3.11 and 3.12 write 34, 13, 12, 6 and 4 above bars of DWF, of 20.
# Their sum would depend on how large the inputs are. So the mean is geometric.
COMPARED = {"PDOM": PDOM, "DWF": DWF, "TBC": TBC}
WITHOUT_NVRT = tuple(w for w in ALL if w != "nvrt")


def fig3_1(get):
    efficiency = [[name, mean(100 * simd_efficiency(get(run(w, settings))) for w in WITHOUT_NVRT)] for name, settings in COMPARED.items()]
    stalled = [[name, gmean(value(w) for w in WITHOUT_NVRT)] for name, value in over_pdom(get, stalls, COMPARED)]
    tables = [Table("Figure 3.1(a): SIMD efficiency, mean of all workloads but NVRT", ["mechanism", "SIMD efficiency"], efficiency, "bars", "percent"),
              Table("Figure 3.1(b): memory stalls over PDOM, geometric mean of all workloads but NVRT", ["mechanism", "stalls"], stalled, "bars", "ratio")]
    each = {LABEL[w]: stalls(get(run(w, DWF))) / stalls(get(run(w, PDOM))) for w in WITHOUT_NVRT}
    return tables, [Claim("dwf.stalls", at(tables[1], "DWF", "stalls"), near(2.7), each=each, worse=max),
                    Claim("tbc.stalls", at(tables[1], "TBC", "stalls") / at(tables[1], "DWF", "stalls"), below(1.0))]


def class_of(percent):
    """Thesis 3.1."""
    return "DIVG" if percent < 76 else "COHE"


def fig3_2(get):
    rows = []
    for w in ALL:
        percent = 100 * simd_efficiency(get(run(w, PDOM)))
        rows.append([LABEL[w], percent, class_of(percent), "DIVG" if w in DIVG else "COHE"])
    return [Table("Figure 3.2: SIMD efficiency under PDOM, and the class: DIVG below 76 percent",
                  ["workload", "SIMD efficiency", "class here", "class in the thesis"], rows, "bars", "percent")], [
        Claim("tbc.classes", sum(row[2] == row[3] for row in rows if row[0] != "NNC"), at_least(20))]  # 3.1: NNC's blocks fill half a warp


def fig3_4(get):
    table = figure("Figure 3.4: IPC over PDOM", DIVG + ("ray", "wp"), over_pdom(get, ipc, {"DWF": DWF, "DWF-WB": DWF_WB}))
    return [table], [
        Claim("dwfwb.NVRT", gain(table, "NVRT", "DWF-WB"), near_gain(60), workloads=("nvrt",)),
        all_above("dwf.faster", ("bfs2", "fcdt", "mumpp"), ratio(table, "DWF")),
        all_below("dwf.slower", ("hotsp", "lps", "namd"), ratio(table, "DWF")),
        all_above("dwfwb.recovers", ("hotsp", "lps", "namd"), ratio(table, "DWF-WB")),
        Claim("dwfwb.MUMpp", (at(table, "MUMpp", "DWF-WB"), ratio(table, "DWF-WB", "DWF")("mumpp")), (below(1.0), below(1.0)), workloads=("mumpp",)),
        all_below("dwfwb.eddies", ("ray", "wp"), ratio(table, "DWF-WB"))]


STACKS = {"PDOM": PDOM, "PDOM-LCP": LCP, "TBC": TBC_NO_LCP, "TBC-LCP": TBC}
WITH_LCP = ("nvrt", "mum")  # where the thesis has found points that are not the post-dominators (3.4)


def fig3_9(get):
    def gained(name):
        return f"{name}-LCP over {name}", lambda w: ipc(get(run(w, STACKS[f"{name}-LCP"]))) / ipc(get(run(w, STACKS[name])))
    gains = figure("Figure 3.9: speedup by likely-convergence points", WITH_LCP, [gained("PDOM"), gained("TBC")])
    others = {name: settings for name, settings in STACKS.items() if name != "PDOM"}
    entries = figure("Figure 3.9: deepest stack", WITH_LCP, [(name, lambda w, s=s: stack(get(run(w, s)))) for name, s in STACKS.items()], "entries")
    entries = entries._replace(paper=[(LABEL[w], "TBC-LCP", TABLE_3_3[w]) for w in WITH_LCP])
    claims = [Claim(f"tbc.lcp.{LABEL[w]}", tuple(gain(gains, LABEL[w], f"{name}-LCP over {name}") for name in ("TBC", "PDOM")), tuple(map(near_gain, paper)),
                    workloads=(w,)) for w, paper in (("nvrt", (30, 14)), ("mum", (2, 5)))]
    depths = tuple(ratio(entries, f"{name}-LCP", name)(w) for w, name in (("nvrt", "PDOM"), ("nvrt", "TBC"), ("mum", "PDOM"), ("mum", "TBC")))
    claims.append(Claim("tbc.lcp.stack", depths, (below(1.0), below(1.0), below(1.0), above(1.0))))
    return [gains, figure("Figure 3.9: IPC over PDOM", WITH_LCP, over_pdom(get, ipc, others)), entries], claims


def fig3_10(get):
    table = harmonic_ratios("Figure 3.10: IPC over PDOM", GROUPS, over_pdom(get, ipc, MECHANISMS))
    tbc = at(table, "HM DIVG", "TBC")
    return [table], [
        Claim("tbc.divg", gain(table, "HM DIVG", "TBC"), near_gain(22), each=of(table, "TBC", DIVG), workloads=DIVG),
        Claim("tbc.all", gain(table, "HM all", "TBC"), near_gain(10), each=of(table, "TBC", ALL)),
        Claim("tbc.vs.dwf", tuple(100 * (tbc / at(table, "HM DIVG", name) - 1) for name in ("DWF", "DWF-WB")), (near_gain(17), near_gain(6)), workloads=DIVG),
        Claim("dwf.divg", gain(table, "HM DIVG", "DWF"), near_gain(4), each=of(table, "DWF", DIVG), workloads=DIVG),
        Claim("tbc.cohe", gain(table, "HM COHE", "TBC"), at_least(-1.0), each=of(table, "TBC", COHE), workloads=COHE),
        Claim("dwfwb.all", gain(table, "HM all", "DWF-WB"), near_gain(0), each=of(table, "DWF-WB", ALL)),
        all_above("tbc.faster", ("bfs2", "fcdt", "mum", "mumpp", "nvrt"), ratio(table, "TBC")),
        all_below("dwf.cohe", ("hrtwl", "lkyt", "ray", "sto", "wp"), ratio(table, "DWF")),
        all_below("tbc.behind.dwfwb", ("hotsp", "lps", "namd", "nvrt"), ratio(table, "TBC", "DWF-WB")),
        all_above("tbc.BFS2", ("bfs2",), ratio(table, "TBC", "DWF"))]


BARS = {"PDOM": PDOM, "DWF-WB": DWF_WB, "DWF": DWF, "TBC": TBC}


def counts(get, name, settings, base=PDOM):
    """A function of a workload: a counter with the settings over the same with those of the base."""
    return lambda w: counter(get(run(w, settings)), name) / max(1, counter(get(run(w, base)), name))


def claims_3_11(get):
    return [all_below("dwf.eddies.divg", ("hotsp", "namd"), counts(get, "simd_w29_32", DWF)),
            all_above("tbc.memory", ("bfs2", "mum"), counts(get, "core_w0_mem", TBC)),
            all_below("tbc.behind.efficiency", ("namd", "nvrt"), lambda w: simd_efficiency(get(run(w, TBC))) / simd_efficiency(get(run(w, DWF_WB))))]


def claims_3_12(get):
    return [all_below("dwf.eddies.cohe", ("hrtwl", "mgst", "ray", "wp"), counts(get, "simd_w29_32", DWF)),
            all_above("tbc.memory.MGST", ("mgst",), counts(get, "core_w0_mem", TBC))]


def breakdown(number, workloads, top, claims):
    """Figures 3.11 and 3.12. top: where the axis of (b) ends, as the thesis's does. claims: a function of what gives a run's statistics."""
    bars = {(w, name): f"{LABEL[w]} {name}" for w in workloads for name in BARS}

    def parts(get, title, fields, total, top=0):
        def part(field):
            return lambda bar: counter(get(run(bar[0], BARS[bar[1]])), field) / total(get(run(bar[0], PDOM)))
        columns = [(name, part(field)) for name, field in fields.items()]
        return Table(title, ["run", *fields], rows_of(bars, columns, bars), "stacks", "ratio", top=top)

    def make(get):
        return [parts(get, f"Figure {number}(a): cycles of cores with a thread, over PDOM's", CLASSES, active),
                parts(get, f"Figure {number}(b): stalls of the memory pipeline, over PDOM's", STALLS, stalls, top)], claims(get)
    return make


def fig3_13(get):
    table = harmonic_ratios("Figure 3.13: IPC over PDOM by the priority of blocks", GROUPS, over_pdom(get, ipc, PRIORITIES))
    least = programs(table, "SRR", lambda over: 100 * over)

    def best_other(w):
        return max(at(table, LABEL[w], name) for name in ("RRB", "SRR")) / at(table, LABEL[w], "AGE")
    return [table], [
        Claim("tbc.srr", min(least.values()), at_least(95), each=least),
        Claim("tbc.age", at(table, "HM all", "AGE") / max(at(table, "HM all", name) for name in ("RRB", "SRR")), above(1.0)),
        all_above("tbc.age.lone", ("lps", "namd", "lib"), best_other),
        all_below("tbc.rrb.STMCL", ("stmcl",), ratio(table, "RRB", "AGE"))]


def traffic(stats):
    """Bytes between the cores and what is outside of them, both directions, in whole flits."""
    return flits(stats) * stats["config"]["noc.flit_bytes"]


def fig3_14(get):
    table = figure("Figure 3.14: bytes between a core and the memory outside, over PDOM", ALL, over_pdom(get, traffic, PRIORITIES))
    return [table], [  # the thesis names DG as the exception under AGE, and LKYT as the one under SRR
        Claim("tbc.traffic", max(gain(table, LABEL[w], "AGE") for w in ALL if w != "dg"), at_most(7),
              each=of(table, "AGE", [w for w in ALL if w != "dg"]), worse=max),
        Claim("tbc.DG", at(table, "DG", "AGE"), near(2.67), workloads=("dg",)),
        Claim("tbc.LKYT", at(table, "LKYT", "SRR"), near(2.12), workloads=("lkyt",)), all_below("tbc.DG.rrb", ("dg",), ratio(table, "RRB", "AGE"))]


ALL_MECHANISMS = {"DWF": DWF, "DWF-WB": DWF_WB, "TBC-AGE": AGE, "TBC-SRR": SRR, "TBC-RRB": RRB}


def fig3_15_runs(_):
    return [[run(w, settings + more) for w in ALL for settings in (PDOM, *ALL_MECHANISMS.values()) for more in ((), SMALL_L2)]]


def fig3_15(get):
    large, small = (harmonic_ratios(f"Section 3.6.4: IPC over PDOM, L2 of {size} per channel", GROUPS, over_pdom(get, ipc, ALL_MECHANISMS, more))
                    for size, more in (("1 MB", ()), ("128 KB", SMALL_L2)))
    rows = [[f"{group}, {size}"] + [at(table, group, name) for name in ALL_MECHANISMS] for group in ("HM DIVG", "HM COHE")
            for size, table in (("1 MB", large), ("128 KB", small))]
    moved = {name: abs(percent(at(small, "HM COHE", name) / at(large, "HM COHE", name))) for name in ALL_MECHANISMS}

    def kept(name):
        return lambda w: at(small, LABEL[w], name) / at(large, LABEL[w], name)
    robust = min(kept(name)("mumpp") for name in ("DWF-WB", "TBC-AGE")) / kept("DWF")("mumpp")
    means = Table("Figure 3.15: IPC over PDOM with the same L2, per memory channel", ["workloads, L2", *ALL_MECHANISMS], rows, "bars", "ratio")
    return [means, small], [
        Claim("tbc.l2", (gain(small, "HM DIVG", "TBC-RRB"), gain(small, "HM DIVG", "TBC-AGE")), (near_gain(15), near_gain(13.5)),
              each=of(small, "TBC-RRB", DIVG), workloads=DIVG),
        Claim("dwf.l2.MUMpp", (gain(large, "MUMpp", "DWF"), gain(small, "MUMpp", "DWF")), (near_gain(28), near_gain(-4)), workloads=("mumpp",)),
        Claim("tbc.l2.cohe", max(moved.values()), SAME, workloads=COHE),
        all_below("tbc.l2.memory", ("mum", "mumpp"), kept("TBC-AGE")), Claim("tbc.l2.robust", robust, above(1.0), workloads=("mumpp",))]


BRANCHY = ("lps", "mum", "namd")  # 3.6.1: where stalls undo what DWF merges
EDDIES = ("hotsp", "namd", "hrtwl", "mgst", "ray", "wp")  # 3.6.1: where starvation eddies part full warps
HARMLESS = {"dg": AGE, "lkyt": SRR}  # 3.6.3: traffic that hits in the L2


def text_runs(get):
    yield from every(*BARS.values())(get)
    yield [run(w, settings) for w, settings in HARMLESS.items()]


def text(get):
    """What 3.6 says of single programs beside its figures."""
    def over(measure, new, old):
        return lambda w: measure(get(run(w, new))) / measure(get(run(w, old)))

    def waits(stats):
        return counter(stats, "core_w0_mem") + counter(stats, "core_w0_idle")

    def depth(w):
        return stack(get(run(w, TBC)))
    claims = [
        all_above("tbc.outweigh", ("fcdt", "mumpp", "nvrt", "hrtwl"), over(ipc, TBC, PDOM)),
        all_above("dwfwb.cohe", ("hrtwl", "lkyt", "sto"), over(ipc, DWF_WB, DWF)),
        of_each("tbc.efficiency", ALL, over(simd_efficiency, TBC, PDOM), at_least(0.95), min),
        all_above("dwf.stalls.divg", BRANCHY, over(stalls, DWF, PDOM)),
        all_below("dwfwb.stalls", BRANCHY, over(stalls, DWF_WB, DWF)),
        all_above("dwfwb.divergence", EDDIES, counts(get, "simd_w29_32", DWF_WB, DWF)),
        all_below("dwfwb.eddies.full", ("ray", "wp"), counts(get, "simd_w29_32", DWF_WB)),
        all_above("tbc.waits", ("hotsp", "lps", "namd", "nvrt"), over(waits, TBC, DWF_WB)),
        of_each("tbc.BFS2.cores", ("bfs2",), over(active, TBC, DWF), ALIKE, min),
        of_each("tbc.traffic.harmless", tuple(HARMLESS), lambda w: over(ipc, HARMLESS[w], PDOM)(w), at_least(0.95), min)]
    return [every_number("Section 3.6: what the text says of single programs", claims)], claims + [
        Claim("tbc.efficiency.dwfwb", mean(simd_efficiency(get(run(w, TBC))) for w in DIVG) / mean(simd_efficiency(get(run(w, DWF_WB))) for w in DIVG),
              at_least(0.95), workloads=DIVG),
        Claim("tbc.stack.cohe", tuple(map(depth, COHE)), tuple(near(TABLE_3_3[w]) for w in COHE), workloads=COHE)]


TABLE_3_1 = {  # threads of a block, blocks per core, millions of instructions
    "bfs2": ("512, 256", "2", 28), "fcdt": ("2 of 32x6", "5, 4", 1700), "hotsp": ("16x16", "2", 157), "lps": ("32x4", "6", 81),
    "mum": ("256", "4", 69), "mumpp": ("192", "3", 140), "namd": ("2 of 64", "7", 3800), "nvrt": ("32x6", "3", 700), "aes": ("256", "2", 30),
    "backp": ("2 of 16x16", "4, 4", 193), "cp": ("16x8", "8", 126), "dg": ("84, 112, 256", "4, 5, 6", 569), "hrtwl": ("512", "1", 8900),
    "lib": ("2 of 64", "8, 8", 162), "lkyt": ("175", "5, 5, 1", 6800),
    "mgst": ("96, 2 of 32, 2 of 128, 2 of 256, 208", "1, 3, 8, 3, 4, 2, 4", 2300), "nnc": ("16", "5, 8, 8, 8", 6), "ray": ("16x8", "3", 65),
    "stmcl": ("512", "2", 941), "sto": ("128", "1", 131), "wp": ("8x8", "4", 216)}
TABLE_3_3 = {"bfs2": 3, "fcdt": 5, "hotsp": 2, "lps": 5, "mum": 13, "mumpp": 14, "namd": 5, "nvrt": 5, "aes": 1, "backp": 2, "cp": 1, "dg": 2,
             "hrtwl": 5, "lib": 1, "lkyt": 3, "mgst": 38, "nnc": 3, "ray": 9, "stmcl": 3, "sto": 1, "wp": 8}


def table3_1(get):
    """docs/workloads.md has the registers that ours take."""
    rows = []
    for w in ALL:
        stats, (shape, resident, _) = get(run(w, PDOM)), TABLE_3_1[w]
        blocks = counter(stats, "blocks_finished")
        rows.append([LABEL[w], shape, counter(stats, "threads_exited") / blocks, resident, blocks, counter(stats, "thread_instructions") / 1e6])
    columns = ["workload", "block, thesis", "threads per block", "blocks per core, thesis", "blocks", "M instructions"]
    bars = Table("Table 3.1: millions of thread instructions", ["workload", "M instructions"], [[row[0], row[-1]] for row in rows], "bars", "millions",
                 paper=[(LABEL[w], "M instructions", count) for w, (_, _, count) in TABLE_3_1.items()])
    return [Table("Table 3.1: shapes and counts of the inputs of these figures", columns, rows, "none"), bars], []


def table3_3(get):
    deepest = {w: stack(get(run(w, TBC))) for w in ALL}
    table = Table("Table 3.3: deepest stack of a block under TBC", ["workload", "entries"], [[LABEL[w], n] for w, n in deepest.items()], "bars",
                  "entries", paper=[(LABEL[w], "entries", n) for w, n in TABLE_3_3.items()])
    return [table], [Claim("tbc.stack", tuple(deepest[w] for w in DIVG), tuple(near(TABLE_3_3[w]) for w in DIVG), workloads=DIVG),
                     Claim("tbc.stack.16", sum(n < 16 for n in deepest.values()), at_least(11))]


EXPERIMENTS = [
    Experiment("tbc.fig3.1", "SIMD efficiency and memory stalls of PDOM, DWF and TBC", every(*COMPARED.values(), workloads=WITHOUT_NVRT), fig3_1),
    Experiment("tbc.fig3.2", "SIMD efficiency of the workloads, and their class", every(PDOM), fig3_2),
    Experiment("tbc.fig3.4", "DWF with and without warp barriers", every(PDOM, DWF, DWF_WB, workloads=DIVG + ("ray", "wp")), fig3_4),
    Experiment("tbc.fig3.9", "likely-convergence points: speedup and depth of stacks", every(*STACKS.values(), workloads=WITH_LCP), fig3_9),
    Experiment("tbc.fig3.10", "IPC of DWF, DWF-WB and TBC over PDOM", every(PDOM, *MECHANISMS.values()), fig3_10),
    Experiment("tbc.fig3.11", "core cycles and memory stalls, divergent workloads", every(*BARS.values(), workloads=DIVG), breakdown("3.11", DIVG, 5, claims_3_11)),
    Experiment("tbc.fig3.12", "core cycles and memory stalls, coherent workloads", every(*BARS.values(), workloads=COHE), breakdown("3.12", COHE, 3, claims_3_12)),
    Experiment("tbc.fig3.13", "which block's warps issue first", every(PDOM, *PRIORITIES.values()), fig3_13),
    Experiment("tbc.fig3.14", "bytes between cores and memory", every(PDOM, *PRIORITIES.values()), fig3_14),
    Experiment("tbc.fig3.15", "a smaller L2", fig3_15_runs, fig3_15),
    Experiment("tbc.text", "what 3.6 says of single programs", text_runs, text),
    Experiment("tbc.table3.1", "shapes and counts of the workloads", every(PDOM), table3_1),
    Experiment("tbc.table3.3", "deepest stacks of blocks", every(TBC), table3_3),
]
