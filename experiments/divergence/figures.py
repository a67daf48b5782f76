# SPDX-License-Identifier: Apache-2.0
"""Every policy of control flow on the workloads of chapter 3, on two machines: speed over the SIMT stack (pdom) of the same machine. thesis-tbc is that of
the thesis, whose warps wait for their previous instruction, as those of the policies that make warps anew do. Independent threads have a scoreboard of
registers by lane there, and the last column shows what that alone brings a SIMT stack. titanv is a Volta with the warps and the scheduler that the
policies with a stack for several warps need; dynamic warp formation, which needs one scheduler, does not fit there. Both are slices, four cores
and one or two memory partitions, and the inputs are as small, so that all of it takes minutes."""
from experiment import Experiment
from report import Table
from runs import NO_SYSTEM, Run, gmean
from sweep import LABEL, rows_of

WORKLOADS = ("bfs2", "fcdt", "hotsp", "lps", "mum", "mumpp", "namd", "nvrt", "aes", "backp", "cp", "dg", "hrtwl", "lib", "lkyt", "mgst", "nnc", "ray",
             "stmcl", "sto", "wp")
LANE = (("core.scoreboard", "lane"),)
MACHINES = {"thesis-tbc": (("core.count", 4), ("partition.count", 1)),
            "titanv": (("core.blocks", 16), ("core.count", 4), ("core.scheduler", "lrr"), ("core.warps", 32), ("partition.count", 2))}
INPUTS = {
    "bfs2": (("degree", 6), ("nodes", 700)), "fcdt": (("height", 48), ("stages", 6), ("width", 56)), "hotsp": (("launches", 2), ("n", 20)),
    "lps": (("n", 18),), "mum": (("length", 12), ("queries", 70), ("reference", 500)), "mumpp": (("length", 12), ("queries", 70), ("reference", 500)),
    "namd": (("atoms", 30), ("cells", 2)), "nvrt": (("blocks", 2), ("height", 12), ("triangles", 60), ("width", 16)), "aes": (("kbytes", 3),),
    "backp": (("inputs", 160),), "cp": (("atoms", 30), ("blocks_x", 1), ("blocks_y", 2)), "dg": (("elements", 4),),
    "hrtwl": (("height", 50), ("points", 2), ("width", 60)), "lib": (("paths", 9),), "lkyt": (("cells", 1), ("height", 32), ("width", 40)),
    "mgst": (("n", 2000),), "nnc": (("blocks", 5), ("k", 3)), "ray": (("height", 30), ("width", 40)), "stmcl": (("candidates", 8), ("dims", 8), ("n", 700)),
    "sto": (("blocks", 2), ("words", 32)), "wp": (("height", 8), ("levels", 20), ("steps", 2), ("width", 16))}


def policy(name, *more):
    return tuple(sorted((("core.divergence", name),) + tuple(pair for group in more for pair in group)))


PDOM = policy("pdom")
POLICIES = {"dwf": policy("dwf"), "dwf-wb": policy("dwf-wb"), "tbc": policy("tbc"), "capri": policy("capri"), "lw": policy("lw"),
            "pdom-its": policy("pdom-its"), "its": policy("its", LANE), "si": policy("si", LANE), "dws": policy("dws", LANE),
            "pdom, lane": policy("pdom", LANE)}
FITS = {"thesis-tbc": tuple(POLICIES), "titanv": tuple(name for name in POLICIES if not name.startswith("dwf"))}


def run(machine, workload, settings):
    return Run(workload, NO_SYSTEM, preset=machine, settings=tuple(sorted(MACHINES[machine] + settings)), params=INPUTS[workload])


def all_runs(_):
    yield [run(machine, w, settings) for machine in MACHINES for w in WORKLOADS
           for settings in (PDOM,) + tuple(POLICIES[name] for name in FITS[machine])]


def speed(get, machine, name):
    return lambda w: get(run(machine, w, PDOM))["cycles"] / get(run(machine, w, POLICIES[name]))["cycles"]


def every(get):
    columns = [(f"{machine} {name}", speed(get, machine, name)) for machine in MACHINES for name in FITS[machine]]
    rows = rows_of(WORKLOADS, columns)
    rows.append(["GMEAN"] + [gmean(row[i] for row in rows if row[i] == row[i]) for i in range(1, len(columns) + 1)])
    return [Table("Speed over PDOM of the same machine, by policy", ["workload"] + [name for name, _ in columns], rows, "bars", "ratio")], []


EXPERIMENTS = [Experiment("divergence.all", "every policy of control flow on the workloads of chapter 3, on two machines, over the SIMT stack", all_runs, every)]
