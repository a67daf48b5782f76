#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels as a card has run them, beside the same kernels here: `cowarp validate CARD.csv -- ./program` calls it. Exit status: 0 done, 1 the program
failed or a file cannot be written, 2 the request was wrong."""
import json
import math
import os
import pathlib
import re
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import card_rows  # noqa: E402  (after the path is set)
import runner  # noqa: E402
import schema  # noqa: E402
from card_rows import ALL, CORE_CYCLES, COUNTERS, CYCLES, TIME, base_name  # noqa: E402
from statsfile import Parser, Wrong, check_outputs, run_main, save  # noqa: E402

COMPARED = {"file": str, "kernel": str, "launch": int, "family": str, "card": schema.Each(schema.NUMBER), "here": schema.Each(schema.NUMBER)}
REPORT = {"rows": [COMPARED]}
STATS = {**schema.STATS, "per_launch": [{"kernel": str, "cycles": int, "counters": schema.Each(int)}]}
HINT = "give one that `cowarp cuda --stats FILE --per launch` has written"
OTHERS = "others"


class Map:
    """Which launches here are those of a kernel there. Without a file: those of the same name."""

    def __init__(self, path):
        self.path, self.rules = path, []
        if path is None:
            return
        lines = card_rows.lines_of(path)
        heading = lines[0][1] if lines else []
        if not {"card", "kernel"} <= set(heading):
            raise Wrong(f"{path}: needs a heading with the columns card and kernel, and may have family")
        for line, cells in lines[1:]:
            cell = dict(zip(heading, cells))
            try:
                self.rules.append((re.compile(cell.get("card", "")), re.compile(cell.get("kernel", "")), cell.get("family") or OTHERS))
            except re.error as error:
                raise Wrong(f"{path}:{line}: is no regular expression: {error}") from None

    def find(self, row, launches):
        """(family, the launches of its kernel); None: the map has no line for it."""
        name = base_name(row.kernel)
        if self.path is None:
            return name, [launch for launch in launches if base_name(launch["kernel"]) == name]
        for card, kernel, family in self.rules:
            if card.fullmatch(name) or card.fullmatch(row.kernel):
                return family, [launch for launch in launches if kernel.fullmatch(base_name(launch["kernel"])) or kernel.fullmatch(launch["kernel"])]
        return None


def there(row, config):
    """The card's values in units of this machine: cycles of its clock where the card's table has times alone."""
    found = {name: value for name, value in row.values.items() if name in COUNTERS}
    if CYCLES in row.values:
        found[CYCLES] = row.values[CYCLES]
    elif CORE_CYCLES in row.values:
        found[CYCLES] = row.values[CORE_CYCLES] / config["core.count"]
    elif TIME in row.values:
        found[CYCLES] = row.values[TIME] * config["clock.core"] / 1e3
    return found


def here(launches, config):
    """Means over launches, which have taken time."""
    def mean(name):
        return sum(launch["counters"].get(name, 0) for launch in launches) / len(launches)
    burst = config["dram.burst_bytes"]
    return {CYCLES: sum(launch["cycles"] for launch in launches) / len(launches), "dram_read_bytes": mean("dram_reads") * burst,
            "dram_write_bytes": mean("dram_writes") * burst, **{name: mean(name) for name in COUNTERS if not name.startswith("dram_")}}


def compare(rows, stats, named, file):
    """(rows of both, how many of the card have no launch here)."""
    found, without = [], 0
    for row in rows:
        match = named.find(row, stats["per_launch"])
        if match is None or (named.path is None and not match[1]):
            without += 1
            continue
        family, launches = match
        if not launches:
            raise Wrong(f"{row.place}: kernel {base_name(row.kernel)}: {named.path} has a line for it, and no launch here fits that line")
        if row.launch > len(launches):
            raise Wrong(f"{row.place}: launch {row.launch} of kernel {base_name(row.kernel)}; here it is launched {len(launches)} times")
        timed = [launch for launch in (launches if row.launch == ALL else [launches[row.launch - 1]]) if launch["cycles"] != 0]
        if not timed:
            raise Wrong(f"{row.place}: kernel {base_name(row.kernel)}: what it stands beside has run without time here (--launches, --functional)")
        values = here(timed, stats["config"])
        card = there(row, stats["config"])
        found.append({"file": file, "kernel": base_name(row.kernel), "launch": row.launch, "family": family, "card": card,
                      "here": {name: values[name] for name in card}})
    return found, without


def merged(rows):
    """Tables of one profiler may have the same launch twice, with other metrics: nothing that stands in two rows is counted twice."""
    found = {}
    for row in rows:
        known = found.setdefault((row.kernel, row.launch), row)
        known.values.update({name: value for name, value in row.values.items() if name not in known.values})
    return list(found.values())


def ratios(rows, name):
    return [row["here"][name] / row["card"][name] for row in rows if row["card"].get(name) and row["here"].get(name)]


def correlation(rows):
    """Of the logarithms of cycles; None where there are none to correlate."""
    logs = [[math.log(row[side][CYCLES]) for row in rows if row["card"].get(CYCLES)] for side in ("card", "here")]
    try:
        return statistics.correlation(*logs)
    except statistics.StatisticsError:
        return None


def summary(rows):
    of = ratios(rows, CYCLES)
    if not of:
        return {"rows": len(rows)}
    return {"rows": len(of), "mean_error": sum(abs(ratio - 1) for ratio in of) / len(of), "geometric_mean": statistics.geometric_mean(of),
            "correlation_of_logs": correlation(rows)}


def by_counter(rows):
    """{counter: (rows, mean error, rows within 15 percent)}"""
    found = {}
    for name in COUNTERS:
        of = ratios(rows, name)
        if of:
            found[name] = {"rows": len(of), "mean_error": sum(abs(ratio - 1) for ratio in of) / len(of), "within_15_percent": sum(abs(ratio - 1) <= 0.15 for ratio in of)}
    return found


def families(rows):
    names = dict.fromkeys(row["family"] for row in rows)
    return {name: [row for row in rows if row["family"] == name] for name in names}


def report(rows, without):
    return {"rows": rows, "without_launch": without, "all": summary(rows), "families": {name: summary(of) for name, of in families(rows).items()},
            "counters": by_counter(rows)}


def said(part):
    if "mean_error" not in part:
        return "no cycles to compare"
    r = part["correlation_of_logs"]
    return (f"{part['rows']} rows, mean error {100 * part['mean_error']:.1f} percent, geometric mean {part['geometric_mean']:.2f}"
            + (f", r of logarithms {r:.3f}" if r is not None else ""))


def show(found):
    rows = found["rows"]
    heads = ["kernel", "launch", "family", "card", "here", "ratio", *[name for name in COUNTERS if ratios(rows, name)]]
    table = [heads]
    for row in rows:
        cells = [f"{row[side].get(CYCLES, math.nan):,.0f}" for side in ("card", "here")]
        shares = [ratios([row], name) for name in [CYCLES, *heads[6:]]]
        table.append([row["kernel"], str(row["launch"] or "all"), row["family"], *cells, *[f"{share[0]:.2f}" if share else "-" for share in shares]])
    width = [max(len(line[i]) for line in table) for i in range(len(heads))]
    for line in table:
        print("  ".join(text.ljust(width[i]) if i in (0, 2) else text.rjust(width[i]) for i, text in enumerate(line)).rstrip())
    if len(found["families"]) > 1:
        for name, part in found["families"].items():
            print(f"{name}: {said(part)}")
    print(f"all: {said(found['all'])}")
    for name, part in found["counters"].items():
        print(f"{name}: {part['rows']} rows, mean error {100 * part['mean_error']:.1f} percent, {part['within_15_percent']} within 15 percent")
    if found["without_launch"]:
        print(f"{found['without_launch']} rows of the card have no launch here")


def draw(found):
    """A scatter picture of cycles, as SVG."""
    import plot  # noqa: PLC0415  (it needs matplotlib, which the table does not)
    return plot.scatter({name: [(row["card"][CYCLES], row["here"][CYCLES]) for row in of if row["card"].get(CYCLES)] for name, of in families(found["rows"]).items()},
                        "cycles on the card", "cycles here", said(found["all"]))


def simulate(options, more, program):
    """The statistics of the program's run."""
    with tempfile.TemporaryDirectory() as folder:
        stats = pathlib.Path(folder) / "stats.json"
        words = [os.environ.get("COWARP", "cowarp"), "cuda", *more, "--stats", str(stats), "--per", "launch", "--", *program]
        status = runner.one(words, " ".join(["cowarp cuda --", *program]), stdout=sys.stderr, stderr=None).returncode
        if status != 0 or not stats.is_file():
            print(f"cowarp validate: {program[0]} ended with status {status}, so nothing was compared", file=sys.stderr)
            return None
        data = stats.read_text()
        if options.stats is not None:
            save(options.stats, data)
        return read_stats(data, str(stats))


def read_stats(text, name):
    try:
        return schema.parsed(text, STATS, name, HINT)
    except schema.BadJson as bad:
        raise Wrong(str(bad)) from None


def earlier(paths):
    rows = []
    for path in paths:
        try:
            rows += schema.load(path, REPORT, "give one that --json has written")["rows"]
        except schema.BadJson as bad:
            raise Wrong(str(bad)) from None
    return rows


def parse():
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    parser = Parser(prog="cowarp validate", usage="cowarp validate CARD.csv ... [OPTIONS] -- PROGRAM [ARGUMENT ...]",
                    description="Kernels as a card has run them, beside the same kernels here: cycles, counters, errors.",
                    epilog="Other options go to `cowarp cuda`: --preset, --set and the like, as --name=value. CARD.csv is what nvprof --csv or ncu --csv writes, or a table with the columns "
                           "kernel and cycles, time_us or counters (--metrics). Launches of a kernel are counted in their order.")
    parser.add_argument("files", nargs="*", metavar="CARD.csv", help="what a profiler has measured on a card")
    parser.add_argument("--map", metavar="FILE.csv", help="columns card, kernel (regular expressions of names there and here) and family; other rows are left out")
    parser.add_argument("--run", metavar="STATS.json", help="a run that is there, in the place of a program: --stats with --per launch has written it")
    parser.add_argument("--also", metavar="FILE.json", action="append", default=[], help="rows of an earlier --json stand beside the new ones")
    parser.add_argument("--stats", metavar="FILE.json", help="keeps the statistics of the run")
    parser.add_argument("--plot", metavar="FILE.svg", help="a picture: cycles here over cycles of the card")
    parser.add_argument("--json", metavar="FILE.json", help="the comparison as JSON")
    parser.add_argument("--metrics", action="store_true", help="lists the metrics that have a counter here")
    options, more = parser.parse_known_args(words[:at])
    return options, more, words[at + 1:]


def check(options, more, program):
    stray = next((word for word in more if not word.startswith("--") or (word.partition("=")[1] == "" and word != "--quiet")), None)
    if stray is not None:
        raise Wrong(f"{stray}: options of cowarp cuda are given as --name=value")
    if not options.files and not options.also:
        raise Wrong("needs a table of a card; see 'cowarp help validate'")
    if options.files and (not program) == (options.run is None):
        raise Wrong("needs a program behind --, or --run STATS.json, and not both")
    inputs = [("the card's table", path) for path in options.files] + [("--map", options.map), ("--run", options.run)] + [("--also", path) for path in options.also]
    check_outputs([("--stats", options.stats, "JSON"), ("--plot", options.plot, "SVG"), ("--json", options.json, "JSON")], inputs)


def compare_files(options, more, program):
    """(rows of both, how many of the card have no launch here); None: the program failed."""
    tables = [(path, merged(card_rows.read(path))) for path in options.files]
    named = Map(options.map)  # both before the simulation, which takes long
    if options.run is not None:
        try:
            stats = read_stats(pathlib.Path(options.run).read_text(encoding="utf-8"), options.run)
        except OSError as error:
            raise Wrong(f"{options.run}: {error.strerror}") from None
    else:
        stats = simulate(options, more, program)
    if stats is None:
        return None
    rows, without = [], 0
    for path, table in tables:
        found, left = compare(table, stats, named, path)
        rows, without = rows + found, without + left
    return rows, without


def main():
    options, more, program = parse()
    if options.metrics:
        for name, (ours, _) in {**card_rows.METRICS, **card_rows.PLAIN}.items():
            print(f"{name}  {ours}")
        return 0
    check(options, more, program)
    compared = compare_files(options, more, program) if options.files else ([], 0)
    if compared is None:
        return 1
    rows, without = compared[0] + earlier(options.also), compared[1]
    if not rows:
        raise Wrong(f"{options.files[0]}: none of its {without} rows is of a kernel that was launched here; --map FILE.csv says which kernel is which")
    found = report(rows, without)
    if options.plot is not None:
        save(options.plot, draw(found))
    if options.json is not None:
        save(options.json, json.dumps(found, indent=1) + "\n")
    if options.json != "-" and options.plot != "-":
        show(found)
    return 0


if __name__ == "__main__":
    sys.exit(run_main("cowarp validate", main, "interrupted; nothing was compared"))
