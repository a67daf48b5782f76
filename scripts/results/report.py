#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs as one page to read: `cowarp report a.json... -o r.html` calls it. The page needs no network and no script. Exit status: 0 done, 2 the
request was wrong."""
import csv
import pathlib
import re
import shlex
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import charts  # noqa: E402  (after the path is set)
from advice import advise, at_stake, where  # noqa: E402
from causes import CONTENDED  # noqa: E402
from charts import escape  # noqa: E402
from diff import launch_text  # noqa: E402
from profile_file import read as read_profile  # noqa: E402
from report_lines import listings  # noqa: E402
from roofline import memory_chart, roof_rows, roofline  # noqa: E402
from report_style import STYLE  # noqa: E402
from statsfile import Parser, Wrong, beside, check_outputs, counted, grouped, load, refuse_twice, run_main, save, title  # noqa: E402

ISSUE = "issue_slots"  # whole of the counters of scheduler cycles, by what became of them
ABORT = "tx_aborted"  # of transactions; its parts are the causes
HOT = 20             # lines of PTX
POINTS = 400         # of a line over time
NUMBER = re.compile(r"[-+]?[0-9][0-9,.]*(e[-+]?\d+)?%?$|-$")
RATES_OVER_TIME = (("thread_instructions", "Thread instructions per cycle", "instructions / cycle"), ("l1_read_misses", "L1 read misses per cycle", "misses / cycle"),
                   ("l2_read_misses", "L2 read misses per cycle", "misses / cycle"), ("dram_busy_cycles", "DRAM bus cycles per core cycle, all channels", "cycles / cycle"),
                   ("tx_committed", "Transactions committed per cycle", "transactions / cycle"), ("tx_aborted", "Transactions aborted per cycle", "transactions / cycle"))
TRAFFIC = (("up to the partitions", "noc_up_flits"), ("down to the cores", "noc_down_flits"))
RATES = (("L1 hit rate", "l1_hit_rate"), ("L2 hit rate", "l2_hit_rate"), ("DRAM bytes per microsecond", "dram_bytes_per_us"),
         ("NoC bytes per microsecond", "noc_bytes_per_us"), ("accesses per memory instruction", "accesses_per_instruction"))


class RunOf:
    """A run, and the files beside its statistics that the manifest names. name: short and its own among those of the page."""

    def __init__(self, path, name):
        self.path, self.name, self.stats = path, name, load(path)
        self.counters, self.made = counted(self.stats), self.stats.get("manifest", {})
        self.samples = beside(self.stats, path, "--samples")
        profile = beside(self.stats, path, "--profile")
        self.kernels = read_profile(profile) if profile else {}

    def value(self, name):
        return self.counters.get(name, {}).get("value", 0)

    def ratio(self, name):
        return self.stats.get("derived", {}).get(name, {}).get("value")


def table(heads, rows, caption=""):
    """Columns of numbers stand at the right."""
    def mark(column):
        return ' class="n"' if column and all(NUMBER.match(str(row[column])) for row in rows) else ""
    marks = [mark(column) for column in range(len(heads))]
    head = "<tr>" + "".join(f'<th scope="col"{marks[i]}>{escape(text)}</th>' for i, text in enumerate(heads)) + "</tr>"
    body = "".join("<tr>" + f'<th scope="row">{escape(row[0])}</th>' + "".join(f"<td{marks[i]}>{escape(text)}</td>" for i, text in enumerate(row[1:], 1)) + "</tr>"
                   for row in rows)
    return f'<div class="scroll" tabindex="0"><table>{f"<caption>{escape(caption)}</caption>" if caption else ""}<thead>{head}</thead><tbody>{body}</tbody></table></div>'


def values_table(runs, rows):
    """rows: [(name, function of a run)]."""
    return table(["", *(run.name for run in runs)], [[name, *(grouped(value(run)) for run in runs)] for name, value in rows])


def section(name, heading, *body):
    return f'<section id="{name}"><h2>{escape(heading)}</h2>{"".join(body)}</section>' if any(body) else ""


def what_ran(runs):
    rows = [("workload", lambda run: title(run.stats)), ("result", lambda run: run.stats.get("check") or "not checked"),
            ("cycles", lambda run: run.stats["cycles"]), ("simulated microseconds", lambda run: run.stats.get("simulated_us")),
            ("thread instructions", lambda run: run.value("thread_instructions")), ("IPC (threads)", lambda run: run.ratio("ipc")),
            ("SIMD efficiency", lambda run: run.ratio("simd_efficiency")), ("seed", lambda run: run.stats["seed"]),
            ("units", lambda run: ", ".join(f"{unit} {backend}" for unit, backend in run.stats.get("units", {}).items()) or "none"),
            ("commit", lambda run: run.made.get("simulator", {}).get("commit", "unknown"))]
    errors = "".join(f'<p class="error">{escape(run.name)}: {escape(run.stats["error"])}</p>' for run in runs if run.stats.get("error"))
    again = "".join(f"<p>{escape(run.name)}: <code>cowarp {escape(shlex.join(run.made['repeat']))}</code></p>" for run in runs if run.made.get("repeat"))
    return section("ran", "What ran", errors, values_table(runs, rows), again, *map(launches, runs), *map(phases, runs))


def phases(run):
    found = run.stats.get("phases", [])
    return table(["phase", "cycles", "microseconds"], [[p["name"], grouped(p["cycles"]), grouped(p["simulated_us"])] for p in found],
                 f"Phases of {run.name}") if found else ""


def launches(run):
    found = run.made.get("launches", [])
    if not found:
        return ""
    text = "".join(f"<li><code>{escape(launch_text(launch))}</code>" + f" {launch['times']} times" * (launch["times"] > 1) + "</li>" for launch in found[:HOT])
    more = len(found) - HOT + run.made["launches_left_out"] if len(found) > HOT else 0
    return f"<details><summary>Launches of {escape(run.name)}</summary><ul>{text}</ul>{f'<p>and {more} more</p>' if more else ''}</details>"


def parts_of(runs, whole, prefix):
    """[(counter without the prefix, counter)] of the counters that say that they are parts of the whole, and that some run has counted."""
    names = dict.fromkeys(name for run in runs for name, entry in run.counters.items() if entry.get("part_of") == whole)
    return [(name.removeprefix(prefix).replace("_", " "), name) for name in names if any(run.value(name) for run in runs)]


def rows_of_samples(path):
    """[(end of the row in cycles, {counter: what it has counted in it})]; none of a file that is no such table."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = [{name: int(value) for name, value in row.items()} for row in csv.DictReader(file)]
        return [(row["end"], row) for row in rows if row["end"] > row["begin"]]
    except (OSError, ValueError, TypeError, LookupError, UnicodeDecodeError):
        return []


def thinned(rows):
    """Rows put together, so that a line has at most as many points as the eye can tell apart."""
    step = -(-len(rows) // POINTS)
    found = []
    for at in range(0, len(rows), step or 1):
        group = rows[at:at + step]
        found.append((group[-1][0], {name: sum(row[name] for _, row in group) for name in group[0][1] if name not in ("begin", "end")},
                      group[-1][1]["end"] - group[0][1]["begin"]))
    return found


def over_time(runs):
    """Rates of the samples: of each a chart with a line for each run."""
    sampled = [(run, thinned(rows_of_samples(run.samples))) for run in runs if run.samples]
    sampled = [(run, rows) for run, rows in sampled if rows]
    if not sampled:
        return section("time", "Over time", '<p class="none">Not recorded. Run with <code>--sample 1000 --samples FILE.csv</code>, and leave the file where it is.</p>')
    charts_of = []
    for name, what, unit in RATES_OVER_TIME:
        series = [(run.name, [(end, row[name] / span) for end, row, span in rows]) for run, rows in sampled if name in rows[0][1] and any(row[name] for _, row, _ in rows)]
        if series:
            charts_of.append(f"<h3>{escape(what)}</h3>" + charts.lines(what, series, "core cycles", unit))
    return section("time", "Over time", *charts_of)


def hot_lines(runs):
    body = []
    for run in runs:
        for kernel, counted_of in run.kernels.items():
            cells = [[f"{number}: {' '.join(text.split())}", share, f"{int(cycles):,}", f"{int(waits):,}", reason, at] for share, cycles, waits, reason, at, number, text in counted_of.hot[:HOT]]
            body.append(f"<h3>{escape(kernel)} in {escape(run.name)}</h3>" + table(["line of the PTX", "share", "cycles", "waited for", "most of it", "where"], cells))
            words = [[f"{CONTENDED[what]} {name}", f"{int(count):,}", share] for what, count, share, name in counted_of.words]
            body.append(table(["words that threads contend for", "events", "share of their kind"], words) if words else "")
    if not body:
        body = ['<p class="none">Not recorded. Run with <code>--profile FILE</code>, and leave the file where it is.</p>']
    return section("hot", "Hot lines", *body, *map(listings, runs))


def what_to_do(runs):
    body = []
    for run in runs:
        rows = [[where(a.kernel, a.lines), at_stake(a.share), a.evidence, a.what] for a in advise(run.stats, run.kernels)] if run.kernels else []
        body += [table(["where", "at stake", "why", "what may help"], rows, f"Advice on {run.name}")] if rows else []
    if not body:
        return ""
    return section("advice", "What may help", "<p>At stake is the share of scheduler cycles that would go if the change removed all that the rule sees. Other waits may take their place.</p>", *body)


def stall_stack(runs):
    parts = parts_of(runs, ISSUE, "issue_")
    if not parts:
        return section("stalls", "Where issue slots go", '<p class="none">Not recorded. Run with <code>--stalls</code>.</p>')
    rows = [(run.name, [run.value(name) for _, name in parts]) for run in runs]
    what = "<p>Every cycle of every warp scheduler is one of these: an instruction was issued, or the reason why none was.</p>"
    return section("stalls", "Where issue slots go", what, charts.stack_bars("Issue slots by what became of them", rows, [part for part, _ in parts], "scheduler cycles"),
                   values_table(runs, [(part, lambda run, name=name: run.value(name)) for part, name in parts]))


def roofs(runs):
    """Of each run a roofline of its kernels, on its machine."""
    body = []
    for run in runs:
        picture = roofline(run.stats)
        if picture:
            body += [f"<h3>{escape(run.name)}</h3>", picture, table(["kernel", "roof", "thread instructions / byte", "/ core cycle", "of the roof"], roof_rows(run.stats))]
    note = "" if all(run.stats.get("per_launch") for run in runs) else '<p class="none">One dot for each kernel: run with <code>--per launch</code>.</p>'
    return section("roofline", "Roofline", "<p>Flat: what the schedulers can issue. Slanted: what the level's bytes allow. A dot near its roof has no other way up than fewer bytes or fewer instructions.</p>", note, *body) if body else ""


def traffic(runs):
    rows = [(run.name, [run.value(counter) for _, counter in TRAFFIC]) for run in runs]
    bars = charts.stack_bars("Flits on the interconnect", rows, [name for name, _ in TRAFFIC], "flits", share=False) if any(map(sum, (v for _, v in rows))) else ""
    charted = "".join(f"<h3>{escape(run.name)}</h3>{memory_chart(run.stats)}" for run in runs)
    return section("memory", "Caches and traffic", charted, values_table(runs, [(name, lambda run, key=key: run.ratio(key)) for name, key in RATES]),
                   "<h3>Flits on the interconnect</h3>" * bool(bars), bars)


def transactions(runs):
    runs = [run for run in runs if run.value("tx_begun")]
    if not runs:
        return ""
    causes = parts_of(runs, ABORT, ABORT + "_")
    rows = [("begun", lambda run: run.value("tx_begun")), ("committed", lambda run: run.value("tx_committed")), ("aborted", lambda run: run.value(ABORT)),
            ("aborts per 1,000 commits", lambda run: run.ratio("aborts_per_1k_commits"))]
    rows += [(f"aborted: {part}", lambda run, name=name: run.value(name)) for part, name in causes]
    bars = charts.stack_bars("Aborts by cause", [(run.name, [run.value(name) for _, name in causes]) for run in runs], [part for part, _ in causes], "aborts",
                             share=False) if causes else ""
    return section("transactions", "Transactions", "<h3>Aborts by cause</h3>" * bool(bars), bars, values_table(runs, rows))


def configuration(runs):
    """What is not as in the preset, or not the same in all runs."""
    names = [name for name in runs[0].stats["config"]
             if len({str(run.stats["config"].get(name)) for run in runs}) > 1 or any(name in run.made.get("config_changed", {}) for run in runs)]
    if not names:
        return section("config", "Configuration", f"<p>As preset {escape(runs[0].stats['preset'])} has it.</p>")
    heads = ["parameter", *(run.name for run in runs), "preset " + "/".join(dict.fromkeys(run.stats["preset"] for run in runs))]
    rows = []
    for name in names:
        changed = [run.made.get("config_changed", {}).get(name) for run in runs]
        presets = dict.fromkeys(str(entry["preset"] if entry else run.stats["config"].get(name)) for entry, run in zip(changed, runs))
        rows.append([name, *(str(run.stats["config"].get(name)) for run in runs), "/".join(presets)])
    return section("config", "Configuration", table(heads, rows))


def all_counters(runs):
    names = dict.fromkeys(name for run in runs for name in run.counters)
    rows = []
    for name in names:
        entry = next(run.counters[name] for run in runs if name in run.counters)
        values = [run.counters.get(name, {}).get("value") for run in runs]
        if any(values):
            rows.append([name, *map(grouped, values), entry["unit"], entry["definition"]])
    return section("counters", "All counters", "<details><summary>Those that are not zero, with their definitions</summary>",
                   table(["counter", *(run.name for run in runs), "unit", "definition"], rows), "</details>")


def page(runs, heading):
    body = [what_ran(runs), over_time(runs), stall_stack(runs), what_to_do(runs), roofs(runs), traffic(runs), transactions(runs), hot_lines(runs), configuration(runs), all_counters(runs)]
    links = "".join(f'<a href="#{name}">{escape(text)}</a>' for name, text in (("ran", "What ran"), ("time", "Over time"), ("stalls", "Issue slots"), ("advice", "Advice"), ("roofline", "Roofline"), ("memory", "Memory"),
                    ("transactions", "Transactions"), ("hot", "Hot lines"), ("config", "Configuration"), ("counters", "Counters")) if f'id="{name}"' in "".join(body))
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<meta name="color-scheme" content="light dark"><title>{escape(heading)}</title><style>{STYLE}</style></head>'
            f'<body><a class="skip" href="#ran">To the report</a><header><h1>{escape(heading)}</h1><nav aria-label="Sections">{links}</nav></header>'
            f'<main>{"".join(body)}</main></body></html>\n')


def names_of(paths):
    """A short name for each file, its own among them."""
    stems = [pathlib.PurePath(path).stem for path in paths]
    return [stem if stems.count(stem) == 1 else str(path) for stem, path in zip(stems, paths)]


def main():
    parser = Parser(prog="cowarp report", description="Makes one HTML page of runs: what ran, where time went, memory, transactions, configuration; several side by side.",
                    epilog="It takes more from files that the runs have left beside their statistics: --samples, --profile.")
    parser.add_argument("files", nargs="+", metavar="FILE.json", help="what --stats has written")
    parser.add_argument("-o", "--out", required=True, metavar="FILE.html", help="the page; - is standard output")
    parser.add_argument("--title", help="its heading (workloads and names)")
    options = parser.parse_args()
    if options.out.endswith(".json"):
        raise Wrong(f"--out {options.out}: would replace statistics; name it .html")
    refuse_twice(options.files)
    check_outputs([("--out", options.out, "HTML")], [("the file", path) for path in options.files])
    runs = [RunOf(path, name) for path, name in zip(options.files, names_of(options.files))]
    workloads = dict.fromkeys(run.stats["workload"] or "a program" for run in runs)
    heading = options.title or (title(runs[0].stats) if len(runs) == 1 else f"{', '.join(workloads)}: {', '.join(run.name for run in runs)}")
    save(options.out, page(runs, heading))
    return 0


if __name__ == "__main__":
    sys.exit(run_main("cowarp report", main))
