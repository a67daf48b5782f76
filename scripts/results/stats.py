#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Statistics files to read, or as one table: `cowarp stats a.json...` calls it. Exit status: 0 done, 1 a file cannot be written, 2 the request
was wrong."""
import csv
import io
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from explain import key_of, said  # noqa: E402  (after the path is set)
from statsfile import Parser, Wrong, check_outputs, counted, grouped, load, refuse_twice, run_main, save, title  # noqa: E402

WHO = ("workload", "variant", "system", "persistency", "control", "preset", "seed", "check", "error")


def row(path, stats, every):
    """One run as a row of a table: {column: value}."""
    found = {"file": str(path), **{name: stats.get(name) for name in WHO}}
    made = stats.get("manifest", {})
    found.update((f"param.{name}", value) for name, value in made.get("params", {}).items())
    found.update((name, entry["value"]) for name, entry in made.get("config_changed", {}).items())
    found.update((name, stats[name]) for name in ("cycles", "simulated_us", "host_seconds") if name in stats)
    found.update((f"phase.{phase['name']}", phase["cycles"]) for phase in stats.get("phases", []))
    found.update((name, entry["value"]) for name, entry in counted(stats, every).items())
    found.update((name, entry["value"]) for name, entry in stats.get("derived", {}).items())
    return found


def fill_config(rows, files):
    """A parameter that some run has changed has its value in every row."""
    for table_row, stats in zip(rows, files):
        for name in {name for other in files for name in other.get("manifest", {}).get("config_changed", {})}:
            table_row.setdefault(name, stats["config"].get(name))


def columns_of(rows):
    """All columns, in the order in which the rows first have them."""
    return list(dict.fromkeys(name for table_row in rows for name in table_row))


def write_table(out, rows):
    writer = csv.DictWriter(out, columns_of(rows), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def lines_of(named, every):
    """The summary's lines as cells, the names first and then a value for each run."""
    lines = [["", *(title(stats) for stats in named.values())]] if len(named) > 1 else []
    lines += [[name, *(grouped(stats.get(name)) for stats in named.values())] for name in ("check", "cycles", "simulated_us", "host_seconds")]
    sets = [counted(stats, every) for stats in named.values()]
    for part, tables in (("counters", sets), ("ratios", [stats.get("derived", {}) for stats in named.values()])):
        owner = None
        for name in dict.fromkeys(name for table in tables for name in table):
            entry = next(table[name] for table in tables if name in table)
            values = [table.get(name, {}).get("value") for table in tables]
            if not every and not any(values):
                continue
            heading = entry.get("of", "machine") if part == "counters" else part
            lines += [[heading + ":"]] if heading != owner else []
            owner = heading
            lines.append([f"  {name}", *(grouped(value) for value in values), entry["unit"]])
    return lines


def show(named, every):
    lines = lines_of(named, every)
    widths = [max(len(line[i]) for line in lines if i < len(line)) for i in range(len(named) + 1)]
    if len(named) == 1:
        print(title(next(iter(named.values()))))
    for line in lines:
        cells = [line[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])] + line[len(named) + 1:]
        print("  ".join(cells).rstrip())


def frame(text):
    """What a folded stack may have in a frame."""
    return "".join("_" if char in ";\n\r" else char for char in text)


def folded(path, stats):
    """Cycles of schedulers as folded stacks, for programs that draw flame graphs: run, kernel, line, cause, place."""
    if "waits" not in stats:
        raise Wrong(f"{path}: says nothing of waits; make it again with --stalls")
    stacks = {}
    for wait in stats["waits"]:
        line = [f"line {wait['line']}"] if "line" in wait else []
        place, cause = key_of(wait) if key_of(wait)[1] else ("", wait["cause"])
        frames = [title(stats), wait["kernel"], *line, said("idle" if cause == "no_warp" else cause), *([said(place)] if place else [])]
        stack = ";".join(map(frame, frames))
        stacks[stack] = stacks.get(stack, 0) + wait["cycles"]
    return "".join(f"{stack} {cycles}\n" for stack, cycles in stacks.items() if cycles)


def main():
    parser = Parser(prog="cowarp stats", description="Shows statistics files, or makes one table of them with a row for each run.",
                    epilog="Counters of mechanisms that no run has are left out.")
    parser.add_argument("files", nargs="*", metavar="FILE.json", help="what --stats has written")
    parser.add_argument("--csv", nargs="?", const="-", metavar="FILE", help="one row per run, all counters and ratios as columns (standard output)")
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="the same as a list of objects")
    parser.add_argument("--folded", nargs="?", const="-", metavar="FILE", help="cycles of schedulers by line and cause as folded stacks, for flame graphs")
    parser.add_argument("--all", action="store_true", help="also counters that are zero, and those of other mechanisms")
    options = parser.parse_args()
    for name, path in (("--csv", options.csv), ("--folded", options.folded), ("--json", None if options.files else options.json)):
        if path is not None and path.endswith(".json"):
            raise Wrong(f"{name} {path}: would be written, and is a statistics file by its name; put {name} behind the files, or write {name}=FILE")
    if not options.files:
        raise Wrong("needs FILE.json; see 'cowarp help stats'")
    refuse_twice(options.files)
    check_outputs([("--csv", options.csv, "CSV"), ("--json", options.json, "JSON"), ("--folded", options.folded, "stacks")], [("the file", path) for path in options.files])
    files = [load(path) for path in options.files]
    if options.folded is not None:
        save(options.folded, "".join(folded(path, stats) for path, stats in zip(options.files, files)))
    if options.csv is None and options.json is None and options.folded is None:
        show(dict(zip(options.files, files)), options.all)
        return 0
    rows = [row(path, stats, options.all) for path, stats in zip(options.files, files)]
    fill_config(rows, files)
    if options.csv is not None:
        out = io.StringIO()
        write_table(out, rows)
        save(options.csv, out.getvalue())
    if options.json is not None:
        save(options.json, json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(run_main("cowarp stats", main))
