#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where a run's time goes, or what makes two take different times: `cowarp explain` calls it. Exit status: 0 done, 2 the request was wrong.

A run's cycles are divided among what its schedulers have done or waited for (`waits`). Schedulers without a warp, while others have some, wait for
nobody: so cycles = a v, with a cycles that a scheduler has a warp, or nobody has, and v the cycles for each of these. The difference is
mean(v) (a' - a) + mean(a) (v' - v), without a rest. The first term has a part for each cause and line, and the second one is the cause `idle`."""
import dataclasses
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from advice import LEAST, advise, at_stake, where  # noqa: E402  (after the path is set)
from causes import CAUSES, CONTENDED, key_of, said  # noqa: E402
from profile_file import read as read_profile  # noqa: E402
from statsfile import Parser, Wrong, beside, grouped, load, refuse_twice, run_main, title  # noqa: E402

# What else to look at, when it has changed.
EVIDENCE = {"issued": ("warp_instructions",), "dram": ("l2_read_misses", "dram_reads", "dram_busy_cycles"), "l2": ("l1_read_misses", "l2_reads", "l2_stalls"),
            "l1": ("mem_accesses", "l1_reads", "l1_stalls"), "noc_up": ("noc_up_flits",), "noc_down": ("noc_down_flits", "l1_read_misses"),
            "shared": ("shared_conflict_cycles",), "back_off": ("tx_aborted",), "commit": ("tx_committed", "tx_aborted"), "barrier": ("barriers",),
            "idle": ("blocks_finished",)}
NAMED = 0.95
LINES = 5
CAUSES_SHOWN = 3  # of a kernel


def spread(rows):
    """The end of a launch: cores that have nothing on its way wait for those that have."""
    of = {}
    for row in rows:
        if row["cause"] == "drain":
            of.setdefault(row["kernel"], {}).setdefault(row.get("at"), 0)
            of[row["kernel"]][row.get("at")] += row["cycles"]
    for row in rows:
        places = of.get(row["kernel"], {})
        placed = sum(cycles for at, cycles in places.items() if at)
        if row["cause"] != "drain" or not placed:
            yield row
        elif row.get("at"):
            yield row | {"cycles": row["cycles"] * (1 + places.get(None, 0) / placed)}


class Times:
    """A run's cycles by cause and line; slots: schedulers of the machine."""

    def __init__(self, stats, path):
        rows = stats.get("waits")
        if rows is None:
            raise Wrong(f"{path}: says nothing of waits; make it again with --stalls")
        slots = stats["config"]["core.count"] * stats["config"]["core.schedulers"]
        self.cycles = stats["cycles"]
        if sum(row["cycles"] for row in rows) != self.cycles * slots or not self.cycles:
            raise Wrong(f"{path}: its waits do not add up to its cycles; make it again, from its beginning and with --stalls")
        self.of = {}
        for row in spread(rows):
            if row["cause"] != "no_warp":
                key = (*key_of(row), row["kernel"], row.get("line"))
                self.of[key] = self.of.get(key, 0) + row["cycles"] / slots
        self.busy = sum(self.of.values())
        self.stretch = self.cycles / self.busy


def parts(a, b):
    """{(cause, who waits, kernel, line): cycles of the difference}; they add up to it."""
    stretch, busy = (a.stretch + b.stretch) / 2, (a.busy + b.busy) / 2
    found = {key: stretch * (b.of.get(key, 0) - a.of.get(key, 0)) for key in dict.fromkeys([*a.of, *b.of])}
    return found | {("idle", "", None, None): busy * (b.stretch - a.stretch)}


def summed(found, name):
    """{name of the key: cycles}, the greatest first."""
    sums = {}
    for key, cycles in found.items():
        sums[name(key)] = sums.get(name(key), 0) + cycles
    return dict(sorted(sums.items(), key=lambda pair: -abs(pair[1])))


def changed(cause, stats):
    """[(counter, before, after)] of those that go with the cause."""
    values = [(name, *(run["counters"].get(name, {}).get("value", 0) for run in stats)) for name in EVIDENCE.get(cause, ())]
    return [(name, before, after) for name, before, after in values if abs(after - before) > 0.01 * max(before, after)]


def explain(stats, paths):
    """What `--json` writes."""
    a, b = (Times(run, path) for run, path in zip(stats, paths))
    found = parts(a, b)
    causes, whole = summed(found, lambda key: key[0]), sum(abs(cycles) for cycles in summed(found, lambda key: key[0]).values())
    rows, covered = [], 0.0
    for cause, cycles in causes.items():
        if not cycles or covered >= NAMED * whole:
            break
        covered += abs(cycles)
        own = {key: value for key, value in found.items() if key[0] == cause}
        lines = summed({key: value for key, value in own.items() if key[3] is not None}, lambda key: key[2:])
        rows.append({"cause": cause, "what": said(cause), "cycles": round(cycles, 1), "share": round(cycles / (b.cycles - a.cycles), 4) if b.cycles != a.cycles else None,
                     "waits": {who: round(value, 1) for who, value in summed(own, lambda key: key[1]).items() if who and value},
                     "lines": [{"kernel": kernel, "line": line, "cycles": round(value, 1)} for (kernel, line), value in list(lines.items())[:LINES] if value],
                     "counters": [{"name": name, "before": before, "after": after} for name, before, after in changed(cause, stats)]})
    return {"files": paths, "cycles": [a.cycles, b.cycles], "difference": b.cycles - a.cycles, "named": round(covered / whole, 4) if whole else 1.0, "causes": rows}


def show(found, stats):
    before, after = found["cycles"]
    for path, run in zip(found["files"], stats):
        print(f"{path}: {title(run)}")
    print(f"\n{before:,} -> {after:,} cycles, {found['difference']:+,} ({100 * (after / before - 1):+.2f}%)")
    if not found["causes"]:
        print("\nno cause differs")
        return
    print(f"\ncauses, the greatest first, with {100 * found['named']:.0f}% of all that differs")
    for row in found["causes"]:
        share = "" if row["share"] is None else f"{100 * row['share']:+.0f}%"
        print(f"  {row['cycles']:+14,.0f}  {share:>6}  {row['cause'] + ':':<18} {row['what']}")
        if row["waits"]:
            print(" " * 27 + "of which " + ", ".join(f"{CAUSES.get(who, who)} {value:+,.0f}" for who, value in row["waits"].items()))
        for line in row["lines"]:
            print(f"{line['cycles']:+41,.0f}  {line['kernel']}, line {line['line']}")
        for counter in row["counters"]:
            print(f"{'':27}{counter['name']} {grouped(counter['before'])} -> {grouped(counter['after'])}")


def causes_of(run):
    """The causes of one run, the greatest first: rows with shares of its cycles, until NAMED of them are covered."""
    sums, rows, covered = summed(run.of, lambda key: key[0]), [], 0.0
    for cause, cycles in sums.items():
        if covered >= NAMED * run.busy:
            break
        covered += cycles
        lines = summed({key: value for key, value in run.of.items() if key[0] == cause and key[3] is not None}, lambda key: key[2:])
        rows.append({"cause": cause, "what": said(cause), "share": round(cycles / run.busy, 4),
                     "lines": [{"kernel": kernel, "line": line, "share": round(value / run.busy, 4)} for (kernel, line), value in list(lines.items())[:LINES]]})
    return rows


def kernels_of(run):
    """The kernels, the longest first: rows with shares of the run's cycles, and with each one's greatest causes."""
    rows = []
    for kernel, cycles in summed(run.of, lambda key: key[2]).items():
        causes = summed({key: value for key, value in run.of.items() if key[2] == kernel}, lambda key: key[0])
        rows.append({"kernel": kernel, "share": round(cycles / run.busy, 4),
                     "causes": [{"cause": cause, "what": said(cause), "share": round(value / run.busy, 4)} for cause, value in list(causes.items())[:CAUSES_SHOWN]]})
    return rows


def explain_one(stats, path):
    """What `--json` writes of one run. Advice needs its profile, too."""
    run, profile = Times(stats, path), beside(stats, path, "--profile")
    kernels = read_profile(profile) if profile else {}
    return {"file": path, "cycles": stats["cycles"], "causes": causes_of(run), "kernels": kernels_of(run),
            "advice": [dataclasses.asdict(advice) for advice in advise(stats, kernels)] if profile else None,
            "words": [{"kernel": name, "what": what, "count": int(count), "share": share, "name": word} for name, kernel in kernels.items() for what, count, share, word in kernel.words]}


def show_one(found, stats):
    print(f"{found['file']}: {title(stats)}\n\n{found['cycles']:,} cycles; of those in which a scheduler has a warp, or nobody has:")
    for row in found["causes"]:
        print(f"  {100 * row['share']:5.1f}%  {row['cause'] + ':':<18} {row['what']}")
        for line in row["lines"]:
            if line["share"] >= LEAST:
                print(f"{100 * line['share']:14.1f}%  {line['kernel']}, line {line['line']}")
    if len(found["kernels"]) > 1:
        print("\nkernels, with their greatest causes")
    for row in found["kernels"] if len(found["kernels"]) > 1 else []:
        print(f"{100 * row['share']:7.1f}%  {row['kernel']}: " + ", ".join(f"{cause['what']} {100 * cause['share']:.1f}%" for cause in row["causes"]))
    if found["words"]:
        print("\nwords that threads contend for: events of the kind, and the word's share of them")
    for row in found["words"]:
        print(f"{row['count']:14,}  {row['share']:>7}  {row['kernel']}: {CONTENDED[row['what']]} {row['name']}")
    if found["advice"] is None:
        print("\nadvice needs counts of lines: run with --profile FILE, and leave the file where it is")
    elif not found["advice"]:
        print("\nno advice: no rule sees what could save 3% of the cycles")
    else:
        print("\nadvice, with the share of the run's scheduler cycles that is at stake")
    for advice in found["advice"] or []:
        print(f"  {at_stake(advice['share']):>9}  {where(advice['kernel'], advice['lines'])}: {advice['evidence']}\n{'':13}{advice['what']}")


def main():
    parser = Parser(prog="cowarp explain", description="Says where a run's time goes, with advice; or which causes and lines make two runs take different times.",
                    epilog="Runs are made with --stalls; advice needs --profile, too. Cycles are those of the whole machine: all causes add up to the difference.")
    parser.add_argument("files", nargs="+", metavar="FILE.json", help="what --stats has written; one: where its time goes, and what may save some of it")
    parser.add_argument("--json", action="store_true", help="as JSON")
    options = parser.parse_args()
    refuse_twice(options.files)
    if len(options.files) > 2:
        raise Wrong(f"{len(options.files)} files; give one run, or two to compare")
    stats = [load(path) for path in options.files]
    one = len(stats) == 1
    found = explain_one(stats[0], options.files[0]) if one else explain(stats, options.files)
    if options.json:
        print(json.dumps(found, indent=1))
    elif one:
        show_one(found, stats[0])
    else:
        show(found, stats)
    return 0


if __name__ == "__main__":
    sys.exit(run_main("cowarp explain", main))
