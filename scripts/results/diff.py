#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What differs between two runs: `cowarp diff a.json b.json` calls it. Exit status: 0 done, with --exit-code 1 when they differ, 2 the request
was wrong."""
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from statsfile import OUTCOME, Parser, Wrong, counted, grouped, load, run_main, title  # noqa: E402  (after the path is set)

# Options whose effect stands elsewhere in the manifest, or in the statistics.
SEEN = ("param", "set", "system", "variant", "preset", "config", "seed", "unit", "persistency", "control", "mech", "tx-warps", "arg", "symbol", "grid", "block", "shared",
        "kernel", "pm", "lcp-profile")
WHO = ("workload", "variant", "system", "persistency", "control", "preset", "seed")


def change(before, after):
    """Relative, of the first; None: one of them is no number, or the first is zero."""
    if not all(isinstance(value, (int, float)) for value in (before, after)) or not before:
        return None
    return after / before - 1


def flat_files(made):
    """{role and name: digest}. Two builds have their files in other folders, so the name goes without one."""
    return {f"{entry['role']} {pathlib.PurePath(entry['path']).name}": entry["sha256"] for entry in made.get("files", [])}


def launch_text(launch):
    shape = " x ".join(str(n) for n in launch["grid"]) + " blocks of " + " x ".join(str(n) for n in launch["block"])
    return f"{launch['kernel']}({', '.join(launch['args'])}), {shape}" + f", {launch['dynamic_shared_bytes']} bytes" * bool(launch["dynamic_shared_bytes"])


def flat(stats):
    """{what: value} of how the run was made."""
    made = stats.get("manifest", {})
    found = {name: stats.get(name) for name in WHO}
    found.update(("unit " + name, backend) for name, backend in stats.get("units", {}).items())
    found.update(("mechanism " + name, "on") for name in stats.get("mechanisms", []))
    found.update(("param " + name, value) for name, value in made.get("params", {}).items())
    found.update(("config " + name, value) for name, value in stats["config"].items())
    found.update((name, digest[:12] if digest else "absent") for name, digest in flat_files(made).items())
    found.update((f"simulator {name}", str(value)[:12]) for name, value in made.get("simulator", {"version": stats["version"]}).items())
    for word in made.get("repeat") or []:
        name, _, value = word.removeprefix("--").partition("=")
        if word.startswith("--") and name not in SEEN:
            found[f"option {name}"] = value or "given"
    for number, launch in enumerate(made.get("launches", []), 1):
        found[f"launch {number}"] = launch_text(launch) + (f", {launch['times']} times" if launch["times"] > 1 else "")
    return found


def made_differently(a, b):
    """[(what, in a, in b)], in the order of the files; None where one has no such thing."""
    before, after = flat(a), flat(b)
    return [(name, before.get(name), after.get(name)) for name in dict.fromkeys([*before, *after]) if before.get(name) != after.get(name)]


def counted_differently(a, b, every=False):
    """[(name, in a, in b, relative change or None, entry)], greatest change first. every: equal ones and those of other mechanisms, too."""
    before, after = counted(a, every), counted(b, every)
    names = dict.fromkeys([*before, *after])
    found = [(name, before.get(name, {}).get("value"), after.get(name, {}).get("value"), before.get(name) or after.get(name)) for name in names]
    rows = [(name, x, y, change(x, y), entry) for name, x, y, entry in found if every or (x or 0) != (y or 0)]
    return sorted(rows, key=lambda line: -abs(line[3]) if line[3] is not None else (-float("inf") if line[1] != line[2] else 0))


def outcomes(a, b):
    """The same form, of what stands beside the counters."""
    phases = [{f"phase {phase['name']}": phase["cycles"] for phase in stats.get("phases", [])} for stats in (a, b)]
    before, after = ({**{name: stats.get(name) for name in OUTCOME}, **own} for stats, own in zip((a, b), phases))
    units = {"cycles": "cycles", "simulated_us": "microseconds"}
    return [(name, before.get(name), after.get(name), change(before.get(name), after.get(name)), {"unit": units.get(name, ""), "definition": ""})
            for name in dict.fromkeys([*before, *after]) if before.get(name) != after.get(name)]


def percent(relative):
    return "" if relative is None else f"{100 * relative:+.2f}%" if abs(relative) < 10 else f"x {relative + 1:,.1f}"


def show_rows(heading, rows):
    if not rows:
        return
    cells = [(name, grouped(before), grouped(after), percent(relative), entry["unit"], entry["definition"]) for name, before, after, relative, entry in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(5)]
    print(f"\n{heading}")
    for line in cells:
        print("  " + "  ".join([line[0].ljust(widths[0]), *(line[i].rjust(widths[i]) for i in (1, 2, 3)), line[4].ljust(widths[4]), line[5]]).rstrip())


def show(names, stats, every):
    made, ended, rows = made_differently(*stats), outcomes(*stats), counted_differently(*stats, every)
    for name, run in zip(names, stats):
        print(f"{name}: {title(run)}")
    print("\nmade differently" if made else "\nmade alike")
    width = max((len(name) for name, _, _ in made), default=0)
    for name, before, after in made:
        print(f"  {name.ljust(width)}  {'-' if before is None else before} -> {'-' if after is None else after}")
    if not ended and not any(line[1] != line[2] for line in rows):
        print("\nevery counter is equal")
    both = [line for line in rows if None not in line[1:3]]
    show_rows("counters, the greatest change first", ended + both)
    for place, name in enumerate(names):
        show_rows(f"counters of {name} alone", [line for line in rows if line[2 - place] is None])


def as_json(names, stats, every):
    return {"files": names, "made": [{"what": what, "before": before, "after": after} for what, before, after in made_differently(*stats)],
            "counters": [{"name": name, "before": before, "after": after, "change": relative, "unit": entry["unit"], "definition": entry["definition"]}
                         for name, before, after, relative, entry in outcomes(*stats) + counted_differently(*stats, every)]}


def main():
    parser = Parser(prog="cowarp diff", description="Says what differs between two runs: how they were made, then counters, the greatest change first.",
                    usage="cowarp diff A.json B.json [OPTIONS]", epilog="Counters of mechanisms that neither run has are left out.")
    parser.add_argument("files", nargs="*", metavar="FILE.json", help="what --stats has written, of two runs")
    parser.add_argument("--all", action="store_true", help="also counters that are equal, and those of other mechanisms")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--exit-code", action="store_true", help="end with 1 when something has been counted differently")
    options = parser.parse_args()
    if len(options.files) != 2:
        raise Wrong(f"needs two files, A.json and B.json, and has {len(options.files)}")
    stats = [load(path) for path in options.files]
    if "-" not in options.files and os.path.samefile(*options.files):
        print(f"cowarp diff: {options.files[0]} and {options.files[1]} are the same file", file=sys.stderr)
    if options.json:
        print(json.dumps(as_json(options.files, stats, options.all), indent=1))
    else:
        show(options.files, stats, options.all)
    differs = bool(outcomes(*stats) or counted_differently(*stats))
    return 1 if options.exit_code and differs else 0


if __name__ == "__main__":
    sys.exit(run_main("cowarp diff", main))
