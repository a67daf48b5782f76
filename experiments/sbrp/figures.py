# SPDX-License-Identifier: Apache-2.0
"""The figures of SBRP (Pandey et al., ASPLOS 2023), section 7, on the machine whose numbers the paper prints: the authors' simulator, presets
`sbrp-artifact-near` and `sbrp-artifact-far`. Presets `sbrp-near` and `sbrp-far` are what its text and Table 1 say; section 7.2's comparisons stand for
both. Times are those of all kernels of a workload, as in the authors' scripts. Means are geometric: README.md says why."""
import math
from typing import NamedTuple

from experiment import Experiment
from report import Claim, Table
from runs import NO_PERSISTENCY, NO_SYSTEM, Run, counter, gmean, mean
from sweep import LABEL, SAME, above, all_above, all_below, at, at_most, below, figure, gain, near, near_gain, of_each, percent, programs, ratios, rows_of

INTRA = ("gpkvs", "hm", "srad")  # order is needed within a thread alone (Table 2)
SCOPED = ("red", "mq", "scan")
ALL = INTRA + SCOPED


class Model(NamedTuple):
    persistency: str
    place: str  # of the persistent memory


GPM, NONE_FAR, NONE_NEAR = Model("gpm", "far"), Model(NO_PERSISTENCY, "far"), Model(NO_PERSISTENCY, "near")
EPOCH_FAR, SBRP_FAR, EPOCH_NEAR, SBRP_NEAR = Model("epoch", "far"), Model("sbrp", "far"), Model("epoch", "near"), Model("sbrp", "near")
NAME = {GPM: "GPM", EPOCH_FAR: "epoch-far", SBRP_FAR: "SBRP-far", EPOCH_NEAR: "epoch-near", SBRP_NEAR: "SBRP-near", NONE_FAR: "none, far",
        NONE_NEAR: "none, near"}
MODELS = (GPM, EPOCH_FAR, SBRP_FAR, EPOCH_NEAR, SBRP_NEAR)  # of Figure 6
PAIRS = {"far": (SBRP_FAR, EPOCH_FAR), "near": (SBRP_NEAR, EPOCH_NEAR)}
# Keys that are read by sbrp alone: other models' runs with them are the runs without.
OF_SBRP = ("pm.acquire", "pm.drain", "pm.flushed_line", "pm.kernel_end", "pm.pb_entries", "pm.release", "pm.urgent", "pm.window", "pm.window_form")
ARTIFACT, TEXT = "sbrp-artifact", "sbrp"  # machines
PROGRAMS = {(ARTIFACT, "red"): (("form", 1),)}  # as the authors wrote them, beside theirs; on the machine of the text as the paper shows them
FORM_OF = {ARTIFACT: "plus-one", TEXT: "exact"}
DEVICE_SCOPE = (("scope", 1),)  # of all releases and acquires
EADR = (("pm.latency", 600),)  # in cycles: as the artifact has it, 900 without the way back over the link


def preset_of(machine, place):
    """What the machine has anyway, of the settings that figures change."""
    bandwidth = 21000 if (machine, place) == (ARTIFACT, "far") else None
    return {("pm.drain", "window"), ("pm.pb_entries", 256), ("pm.window", 6), ("pm.window_form", FORM_OF[machine]),
            ("pm.read_mbps", bandwidth or 84000), ("pm.write_mbps", bandwidth or 42000)}


def run(workload, model, settings=(), params=(), machine=ARTIFACT, crash=""):
    """Runs of the same machine are one run, whatever figure they are for."""
    known = preset_of(machine, model.place)
    settings = tuple(sorted(pair for pair in settings if pair not in known and (model.persistency == "sbrp" or pair[0] not in OF_SBRP)))
    params = tuple(sorted(PROGRAMS.get((machine, workload), ()) + params))
    return Run(workload, NO_SYSTEM, preset=f"{machine}-{model.place}", settings=settings, params=params, persistency=model.persistency, crash=crash)


def every(models, *variants, workloads=ALL):
    """variants: settings."""
    return lambda get: [[run(w, model, settings) for w in workloads for model in models for settings in variants or ((),)]]


def speedup(get, workload, model, base, settings=(), params=(), machine=ARTIFACT):
    """Of the model over the other one, both with these settings; params are of the model's run alone."""
    return get(run(workload, base, settings, machine=machine))["cycles"] / get(run(workload, model, settings, params, machine))["cycles"]


# The comparisons of 7.2: a model over another one.
COMPARED = ((EPOCH_FAR, GPM), (SBRP_FAR, GPM), (SBRP_FAR, EPOCH_FAR), (SBRP_NEAR, EPOCH_NEAR), (EPOCH_NEAR, EPOCH_FAR), (SBRP_NEAR, SBRP_FAR),
            (SBRP_NEAR, GPM))


def over(model, base):
    return f"{NAME[model]} over {NAME[base]}"


def compared(get, title, machine=ARTIFACT):
    return ratios(title, ALL, [(over(model, base), lambda w, m=model, b=base: speedup(get, w, m, b, machine=machine)) for model, base in COMPARED],
                  "speedup")


def gains(table, column):
    """In percent, of the workloads."""
    return [gain(table, LABEL[w], column) for w in ALL]


SCAN = near_gain(6)[0], near_gain(7)[1]  # the paper has 6 to 7 percent


def fig6_runs(get):
    return [*every((*MODELS, NONE_FAR, NONE_NEAR))(get), [run(w, model, machine=TEXT) for w in ALL for model in MODELS]]


def fig6(get):
    bars = [(NAME[model], lambda w, m=model: speedup(get, w, m, EPOCH_FAR)) for model in (*MODELS, NONE_FAR, NONE_NEAR)]
    table = compared(get, "Section 7.2: one model over another")

    def average(model, base):
        return gain(table, "GMEAN", over(model, base))

    def average_and_most(model, base):
        return average(model, base), max(gains(table, over(model, base)))

    def each(model, base):
        return programs(table, over(model, base), percent)
    alike = {f"{LABEL['srad']} {place}": abs(gain(table, LABEL["srad"], over(*pair))) for place, pair in PAIRS.items()}

    def of_pairs(value):
        return tuple(value(over(*PAIRS[place])) for place in ("far", "near"))
    return [ratios("Figure 6: speedup over epoch-far", ALL, bars, "speedup"), table,
            compared(get, "Section 7.2: the same on the machine of the paper's text", TEXT)], [
        Claim("sbrp.far.gpm", average_and_most(SBRP_FAR, GPM), (near_gain(21), near_gain(121)), each=each(SBRP_FAR, GPM)),
        Claim("sbrp.far.epoch", average_and_most(SBRP_FAR, EPOCH_FAR), (near_gain(14), near_gain(90)), each=each(SBRP_FAR, EPOCH_FAR)),
        Claim("sbrp.near.epoch", average_and_most(SBRP_NEAR, EPOCH_NEAR), (near_gain(15), near_gain(68)), each=each(SBRP_NEAR, EPOCH_NEAR)),
        Claim("sbrp.epochfar.gpm", average_and_most(EPOCH_FAR, GPM), (near_gain(6), near_gain(16)), each=each(EPOCH_FAR, GPM)),
        all_above("sbrp.epochfar.always", ALL, lambda w: at(table, LABEL[w], over(EPOCH_FAR, GPM))),
        Claim("sbrp.srad", max(alike.values()), SAME, each=alike, worse=max, workloads=("srad",)),
        Claim("sbrp.epochnear.far", average(EPOCH_NEAR, EPOCH_FAR), near_gain(116), each=each(EPOCH_NEAR, EPOCH_FAR)),
        Claim("sbrp.near.far", average(SBRP_NEAR, SBRP_FAR), near_gain(119), each=each(SBRP_NEAR, SBRP_FAR)),
        Claim("sbrp.near.gpm", average(SBRP_NEAR, GPM), near_gain(165), each=each(SBRP_NEAR, GPM)),
        Claim("sbrp.red", of_pairs(lambda column: gain(table, "Red", column)), (near_gain(90), near_gain(68)), workloads=("red",)),
        Claim("sbrp.mq", gain(table, "MQ", over(SBRP_NEAR, EPOCH_NEAR)), near_gain(8), workloads=("mq",)),
        Claim("sbrp.scan", of_pairs(lambda column: gain(table, "Scan", column)), (SCAN, SCAN), workloads=("scan",)),
        Claim("sbrp.intra", of_pairs(lambda column: 100 * (gmean(at(table, LABEL[w], column) for w in INTRA) - 1)), (near_gain(3), near_gain(6)),
              workloads=INTRA)]


def fig7_runs(_):
    return [[run(w, model, params=params) for w in SCOPED for pair in PAIRS.values() for model in pair for params in ((), DEVICE_SCOPE)]]


def share(whole, buffers):
    """Percent of a speedup that is lost when all scopes are the device's. NaN where there is no speedup to be shared."""
    return 100 * (whole - buffers) / (whole - 1) if whole >= 1.01 else math.nan


def known_mean(values):
    return mean(value for value in values if not math.isnan(value))


def fig7(get):
    def scopes(w, place):
        return share(speedup(get, w, *PAIRS[place]), speedup(get, w, *PAIRS[place], params=DEVICE_SCOPE))
    rows = rows_of(SCOPED, [(place, lambda w, p=place: scopes(w, p)) for place in PAIRS])
    rows = [row + [known_mean(row[1:])] for row in rows]
    average = ["AVG"] + [known_mean(row[i] for row in rows) for i in (1, 2)] + [known_mean(value for row in rows for value in row[1:3])]
    speedups = figure("Figure 7: speedup of SBRP over epoch", SCOPED, [
        (f"{place}, {name}", lambda w, p=place, x=params: speedup(get, w, *PAIRS[p], params=x))
        for place in PAIRS for name, params in (("block scope", ()), ("device scope", DEVICE_SCOPE))], "speedup")
    return [Table("Figure 7: scopes' share of the speedup; the buffers have the rest", ["workload", *PAIRS, "both"], rows + [average], "bars", "percent"),
            speedups], [Claim("sbrp.scopes", average[3], near(77), each={f"{row[0]} {place}": row[i] for row in rows for i, place in enumerate(PAIRS, 1)})]


def fig8(get):
    """The paper says `normalized to epoch-far`. The authors' script divides by epoch-far's write misses."""
    def misses(divisor):
        return [(NAME[model], lambda w, m=model: counter(get(run(w, m)), "l1_pm_read_misses") / max(1, counter(get(run(w, EPOCH_FAR)), divisor)))
                for model in (EPOCH_FAR, SBRP_FAR, EPOCH_NEAR, SBRP_NEAR)]
    tables = [figure(f"Figure 8: L1 read misses on persistent memory over epoch-far's {name}", ALL, misses(divisor))
              for name, divisor in (("read misses", "l1_pm_read_misses"), ("write misses", "l1_pm_write_misses"))]

    def over_epoch_worst(w):
        return max(at(tables[0], LABEL[w], NAME[pair[0]]) / at(tables[0], LABEL[w], NAME[pair[1]]) for pair in PAIRS.values())
    return tables, [all_below("sbrp.misses.intra", ("gpkvs", "hm"), over_epoch_worst), all_below("sbrp.misses.block", ("red", "scan"), over_epoch_worst),
                    of_each("sbrp.misses.little", ("srad", "mq"), lambda w: over_epoch_worst(w) - over_epoch_worst("red"), above(0.0), min)]


def fig9(get):
    table = ratios("Figure 9: speedup over epoch-far with eADR", ALL, [
        ("SBRP-far", lambda w: speedup(get, w, SBRP_FAR, EPOCH_FAR, EADR)),
        ("SBRP-far without eADR over epoch-far without", lambda w: speedup(get, w, SBRP_FAR, EPOCH_FAR)),
        ("epoch-far without eADR", lambda w: get(run(w, EPOCH_FAR, EADR))["cycles"] / get(run(w, EPOCH_FAR))["cycles"])], "speedup")
    ratio = at(table, "GMEAN", "SBRP-far") / at(table, "GMEAN", table.columns[2])
    return [table], [Claim("sbrp.eadr", gain(table, "GMEAN", "SBRP-far"), near_gain(14), each=programs(table, "SBRP-far", percent)),
                     Claim("sbrp.eadr.same", abs(percent(ratio)), SAME)]


def over_epoch(get, title, variants, pair=(SBRP_NEAR, EPOCH_NEAR)):
    """SBRP over epoch, both with each of the settings. variants: {label: settings}."""
    return ratios(title, ALL, [(name, lambda w, s=settings: speedup(get, w, *pair, s)) for name, settings in variants.items()], "speedup")


def averages(table):
    return dict(zip(table.columns[1:], table.rows[-1][1:]))


def entries(count):
    return (("pm.pb_entries", count),)


LINES = {"12.5 %": entries(64), "25 %": entries(128), "50 %": entries(256), "100 %": entries(512)}  # of the L1's 512
PUBLISHED_LINES = {"32": entries(32), "64": entries(64), "128": entries(128), "256": entries(256)}  # the authors' configurations


def fig10a(get):
    table = over_epoch(get, "Figure 10(a): speedup of SBRP-near over epoch-near by the share of the L1's lines in the persist buffer", LINES)
    means = averages(table)
    return [table, over_epoch(get, "Figure 10(a): the same with the entries of the authors' configurations", PUBLISHED_LINES)], [
        Claim("sbrp.pb50", abs(100 * (means["50 %"] / means["100 %"] - 1)), at_most(1)),
        all_below("sbrp.pb.small", ("gpkvs",), lambda w: at(table, LABEL[w], "12.5 %") / at(table, LABEL[w], "50 %")),
        all_above("sbrp.pb.HM", ("hm",), lambda w: at(table, LABEL[w], "50 %") / at(table, LABEL[w], "100 %"))]


BANDWIDTHS = {f"{percent} %": (("pm.read_mbps", 840 * percent), ("pm.write_mbps", 420 * percent)) for percent in (50, 100, 200)}


def fig10b(get):
    table = over_epoch(get, "Figure 10(b): speedup of SBRP-near over epoch-near by the NVM's bandwidth", BANDWIDTHS)

    def grown(w):
        return at(table, LABEL[w], "200 %") / at(table, LABEL[w], "50 %")
    return [table], [Claim("sbrp.bw", tuple(gain(table, "GMEAN", name) for name in BANDWIDTHS), (near_gain(15), near_gain(15), near_gain(12))),
                     all_below("sbrp.bw.less", ("gpkvs", "hm", "red"), grown), all_above("sbrp.bw.more", ("srad", "mq", "scan"), grown)]


WINDOWS = {form: {str(lines): (("pm.window", lines), ("pm.window_form", form)) for lines in (2, 4, 6, 8, 10, 12)} for form in ("exact", "plus-one")}


def fig10c(get):
    tables = [over_epoch(get, f"Figure 10(c): speedup of SBRP-near over epoch-near by window, {form}", windows) for form, windows in WINDOWS.items()]
    means = averages(tables[0])
    best = max(means, key=means.get)
    return tables, [Claim("sbrp.window", (means["6"] / means[best], int(best)), ((0.99, None), (None, None)), "{:.3f} of the best, {:.0f} lines".format),
                    Claim("sbrp.window.ends", (means["2"] / means["6"], means["12"] / means["6"]), (below(1.0), below(1.0)))]


CRASHES = (50, 90, 99)  # percent of the crash-free time; the worst one counts


def crashes(get, workload, model):
    whole = get(run(workload, model))["cycles"]
    return [run(workload, model, crash=f"cycle:{whole * percent // 100}") for percent in CRASHES]


def fig11_runs(get):
    yield every(PAIRS["near"])(get)[0]
    yield [crash for w in ALL for model in PAIRS["near"] for crash in crashes(get, w, model)]


def recovery(get, workload, model):
    """Cycles after the crash that takes the longest to recover from."""
    return max(next(phase["cycles"] for phase in get(crash)["phases"] if phase["name"] == "recovery") for crash in crashes(get, workload, model))


def fig11(get):
    table = ratios("Figure 11: recovery time under SBRP-near over epoch-near's", ALL, [
        ("SBRP-near", lambda w: recovery(get, w, SBRP_NEAR) / recovery(get, w, EPOCH_NEAR))])
    parts = figure("Section 7.3: recovery time, of the crash-free run", ALL, [
        (NAME[model], lambda w, m=model: 100 * recovery(get, w, m) / get(run(w, m))["cycles"]) for model in (EPOCH_NEAR, SBRP_NEAR)], "percent")
    shares = [at(parts, LABEL[w], "SBRP-near") for w in ALL]
    return [table, parts], [
        Claim("sbrp.recovery", (abs(gain(table, "GMEAN", "SBRP-near")), gain(table, "gpKVS", "SBRP-near")), (at_most(3), near_gain(10))),
        Claim("sbrp.recovery.share", (min(shares), max(shares)), (near(0.7), near(42)), each=dict(zip(map(LABEL.get, ALL), shares)), worse=max),
        Claim("sbrp.recovery.most", shares[0] / max(shares[1:]), above(1.0), workloads=("gpkvs",)),
        of_each("sbrp.recovery.slight", ("scan", "hm"), lambda w: gain(table, LABEL[w], "SBRP-near"), SAME, max),
        of_each("sbrp.recovery.same", ("srad", "red", "mq"), lambda w: abs(gain(table, LABEL[w], "SBRP-near")), SAME, max)]


POLICIES = {name: (("pm.drain", name),) for name in ("window", "eager", "lazy")}


def policies(get):
    return [over_epoch(get, f"SBRP over epoch, {place}, by when lines leave the persist buffer", POLICIES, pair) for place, pair in PAIRS.items()], []


class Form(NamedTuple):
    settings: tuple = ()
    machine: str = TEXT


# Where the authors' simulator decides otherwise, one by one and together; and what the paper leaves open: acknowledgements and barriers.
FORMS = {"the text": Form(), "pm.ack=device": Form((("pm.ack", "device"),)), "pm.latency_unit=cycles": Form((("pm.latency_unit", "cycles"),)),
         "pm.window_form=plus-one": Form((("pm.window_form", "plus-one"),)), "pm.acquire=issue": Form((("pm.acquire", "issue"),)),
         "pm.urgent=window": Form((("pm.urgent", "window"),)), "l1.sectored=off": Form((("l1.sectored", "off"),)),
         "gpu.launch_cycles=5000": Form((("gpu.launch_cycles", 5000),)), "pm.barrier=none": Form((("pm.barrier", "none"),)),
         "pm.pb_entries=512": Form(entries(512)), "pm.release=buffer": Form((("pm.release", "buffer"),)),
         "l2.pm_miss=fetch": Form((("l2.pm_miss", "fetch"),)), "artifact": Form(machine=ARTIFACT)}


def forms_runs(_):
    return [[run(w, model, form.settings, machine=form.machine) for w in ALL for model in MODELS for form in FORMS.values()]]


def forms(get):
    """Which of our decisions, where paper and published simulator differ, move the paper's numbers."""
    def column(form, model, base):
        return lambda w: speedup(get, w, model, base, form.settings, machine=form.machine)
    tables = [ratios(over(*pair), ALL, [(name, column(form, *pair)) for name, form in FORMS.items()], "speedup") for pair in COMPARED]
    rows = [[name] + [averages(table)[name] for table in tables] for name in FORMS]
    return [Table("One model over another, GMEAN, by form", ["form"] + [over(*pair) for pair in COMPARED], rows, "bars", "speedup"), *tables], []


EXPERIMENTS = [
    Experiment("sbrp.fig6", "speedup of the models over epoch-far", fig6_runs, fig6),
    Experiment("sbrp.fig7", "share of the speedup due to scopes", fig7_runs, fig7),
    Experiment("sbrp.fig8", "L1 read misses on persistent memory", every((EPOCH_FAR, SBRP_FAR, EPOCH_NEAR, SBRP_NEAR)), fig8),
    Experiment("sbrp.fig9", "SBRP-far with eADR", every(PAIRS["far"], (), EADR), fig9),
    Experiment("sbrp.fig10a", "size of the persist buffer", every(PAIRS["near"], *LINES.values(), *PUBLISHED_LINES.values()), fig10a),
    Experiment("sbrp.fig10b", "bandwidth of the NVM", every(PAIRS["near"], *BANDWIDTHS.values()), fig10b),
    Experiment("sbrp.fig10c", "window of outstanding persists", every(PAIRS["near"], *WINDOWS["exact"].values(), *WINDOWS["plus-one"].values()), fig10c),
    Experiment("sbrp.fig11", "recovery time", fig11_runs, fig11),
    Experiment("sbrp.policies", "when lines leave the persist buffer", every((EPOCH_FAR, SBRP_FAR, EPOCH_NEAR, SBRP_NEAR), *POLICIES.values()), policies),
    Experiment("sbrp.forms", "the paper's machine, and the authors' simulator option by option", forms_runs, forms),
]
