#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of all combinations of some parameters, as a table and a plot: `cowarp sweep` calls it. Exit status: 0 all runs are done, 1 some have
failed (they have their rows), 2 the request was wrong, 130 interrupted."""
import argparse
import csv
import io
import itertools
import json
import os
import pathlib
import re
import shutil
import sys
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "experiments")]

import children  # noqa: E402  (after the path is set)
import runner  # noqa: E402
import schema  # noqa: E402
from command_words import hint  # noqa: E402
from runs import RunFailed, Store, default_store  # noqa: E402
from stats import WHO, columns_of, fill_config, row  # noqa: E402
from statsfile import Parser, Wrong, check_outputs, run_main, save  # noqa: E402

POINTS_MAX = 100_000
LIST_VERSION = 1
LIST = {"version": int, "workload": str, "folder": str, "files": [str], "axes": [{"name": str, "values": [str]}],
        "points": [{"words": [str], "place": [[str]], "workload": str, "system": str, "seed": int}]}


class Axis(NamedTuple):
    name: str
    values: list  # of str


class Point(NamedTuple):
    """One run. words: of the command, without its statistics; place: (name, value) of each axis; seed: of the inputs; wrong: never, a wrong result fails."""
    words: tuple
    place: tuple
    workload: str
    system: str
    seed: int
    wrong: bool = False

    def arguments(self):
        return list(self.words)

    def beside(self, _):
        return []


def store_of(options, files):
    try:
        return Store(options.binary, options.store, options.limit, files)
    except OSError as error:
        raise Wrong(f"{error.filename}: {error.strerror}; --store names a folder for finished runs") from None


def numbers_of(text, name):
    """A:B, A:B:+S or A:B:xF as a list; raises Wrong."""
    parts = text.split(":")
    try:
        low, high = int(parts[0], 0), int(parts[1], 0)
        step = parts[2] if len(parts) == 3 else "+1"
        by = int(step[1:], 0)
    except (ValueError, IndexError):
        raise Wrong(f"--vary {name}={text}: expected numbers A:B, A:B:+STEP or A:B:xFACTOR") from None
    if len(parts) > 3 or step[0] not in "+x" or low > high or by < (2 if step[0] == "x" else 1) or (step[0] == "x" and low < 1):
        raise Wrong(f"--vary {name}={text}: expected A up to B, A:B:+STEP from 1 on or A:B:xFACTOR from 2 on")
    found = []
    while low <= high:
        found.append(str(low))
        if len(found) > POINTS_MAX:
            raise Wrong(f"--vary {name}={text}: more than {POINTS_MAX} values")
        low = low * by if step[0] == "x" else low + by
    return found


def axis_of(text):
    name, equals, values = text.partition("=")
    if not equals or not name or not values:
        raise Wrong(f"--vary '{text}': expected NAME=VALUE,VALUE or NAME=A:B:xFACTOR, as in tx-warps=1,2,4 or getm.table_rows=128:1024:x2")
    ranged = ":" in values and values[0].isdigit() and "," not in values
    found = numbers_of(values, name) if ranged else values.split(",")
    if "" in found or len(set(found)) < len(found):
        raise Wrong(f"--vary '{text}': a value is empty, or there twice")
    return Axis(name, found)


def asked(binary, *words):
    """What the command says; raises Wrong where it is none."""
    try:
        done = children.run([binary, *words], text=True, errors="replace")
    except OSError as error:
        raise Wrong(f"--binary {binary}: {error.strerror}") from None
    if done.returncode:
        said = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[0]
        raise Wrong(f"'{binary} {' '.join(words)}': {said.removeprefix('cowarp: ')}; is --binary cowarp?")
    return done.stdout


def known_params(binary, workload):
    """The names of its parameters; None: it is a PTX file, a script or a program. Raises Wrong for a workload that there is not."""
    if workload.endswith(".ptx") or workload in ("exec", "cuda"):
        return None
    try:
        listed = schema.parsed(asked(binary, "list", "--json"), schema.LISTED, f"'{binary} list --json'", "is --binary cowarp?")
    except schema.BadJson as bad:
        raise Wrong(str(bad)) from None
    found = {entry["name"]: [param["name"] for param in entry["params"]] for entry in listed["workloads"]}
    if workload not in found:
        raise Wrong(f"unknown workload '{workload}'; " + hint(workload, found, "'cowarp list' shows all, and the name of a PTX file ends with .ptx"))
    return found[workload]


def kind_of(options):
    """The sub-command that makes the runs."""
    return options.workload if options.workload in ("exec", "cuda") else "exec" if options.workload.endswith(".ptx") else "run"


def script_of(rest):
    """The file of --script, or None."""
    given = [own if equals else following for (option, equals, own), following in zip((word.partition("=") for word in rest), rest[1:] + [None]) if option == "--script"]
    return given[0] if given else None


def target_of(options):
    """What the runs are of, by which tables and pictures are called: a workload, a file, or a program."""
    if options.workload == "cuda":
        return options.program[0]
    return script_of(options.rest) or "exec" if options.workload == "exec" else options.workload


def refuse_shared(names):
    """Options that name a file which a run writes: the runs of a sweep are made side by side, and each leaves its statistics in the store."""
    written = [name for name in names if name in ("stats", "wave", "record", "record-branches", "profile", "samples", "bins", "timeline", "konata", "pm", "image")]
    if written:
        raise Wrong(f"--{written[0]}: all runs would share it; leave it out")


def options_of(binary, kind):
    """Names of the options of `cowarp run` or `cowarp exec` that take a value."""
    return re.findall(r"^  --([\w-]+) [A-Z]", asked(binary, "help", kind), re.MULTILINE)


def check_axis(binary, axis, params, kind):
    """Raises Wrong for a name that means nothing."""
    if params and axis.name in params:
        return
    if "." not in axis.name:
        if axis.name not in options_of(binary, kind):
            raise Wrong(f"--vary {axis.name}: is no option of 'cowarp {kind}'" + f", no parameter ({', '.join(params)})" * bool(params) +
                        " and no key of 'cowarp config'")
        refuse_shared([axis.name])
        return
    told = children.run([binary, "config", axis.name], text=True, errors="replace")
    if told.returncode:
        raise Wrong(f"--vary {axis.name}: {told.stderr.strip().removeprefix('cowarp: ')}")


def check_rest(options):
    """Raises Wrong for an option that no run would take: better once, and now."""
    kind = kind_of(options)
    known = re.findall(r"^  --([\w-]+)", asked(options.binary, "help", kind), re.MULTILINE)
    for word in options.rest:
        name = word.partition("=")[0].removeprefix("--")
        if re.match(r"-[A-Za-z]", word):
            raise Wrong(f"unknown option '{word}' of {kind}; options begin with two dashes, see 'cowarp help {kind}'")
        if word.startswith("--") and name not in known:
            raise Wrong(f"unknown option '--{name}' of {kind}; " + hint(f"--{name}", [f"--{option}" for option in known], f"see 'cowarp help {kind}'"))


def counted_names(binary):
    """Names of all counters and ratios: a run has those of every mechanism, so a small one tells them."""
    text = asked(binary, "run", "vecadd", "--param", "n=32", "--quiet", "--stats", "-")
    try:
        stats = schema.parsed(text, schema.STATS, f"'{binary} run vecadd --stats -'", "is --binary cowarp?")
    except schema.BadJson as bad:
        raise Wrong(str(bad)) from None
    return ["cycles", "simulated_us", *stats["counters"], *stats.get("derived", {})]


def check_names(options, axes):
    """Raises Wrong for a name of --plot or --show that no run will have: better now than after all of them."""
    shown = [name for name in options.show.split(",") if name not in ("cycles", "seed", "error", *WHO, *(axis.name for axis in axes))]
    shown = [name for name in shown if "." not in name and name != "host_seconds"]  # phase.NAME, param.NAME, a key
    if not shown and options.plot in ([], ["cycles"]):
        return
    known = counted_names(options.binary)
    for option, names in (("--plot", options.plot), ("--show", shown)):
        for name in names:
            if name not in known:
                raise Wrong(f"{option} {name}: no run has such a counter; " + hint(name, known, "'cowarp stats FILE.json --all' shows the names"))


def word_of(name, value, params):
    if params and name in params:
        return f"--param={name}={value}"
    return f"--set={name}={value}" if "." in name else f"--{name}={value}"


def points_of(options, axes, params):
    kind, target = kind_of(options), target_of(options)
    seeds = [str(n) for n in range(1, options.seeds + 1)] if "seed" not in (axis.name for axis in axes) else [None]
    points = []
    for values in itertools.product(*(axis.values for axis in axes), seeds):
        place = tuple(zip((axis.name for axis in axes), values))
        words = [kind, *([options.workload] if options.workload != kind else []), *options.rest, *(word_of(name, value, params) for name, value in place)]
        words += [f"--seed={values[-1]}"] if values[-1] not in (None, "1") else []
        words += ["--", *options.program] if options.program else []
        given = dict(place)
        points.append(Point(tuple(words), place, pathlib.PurePath(target).stem, given.get("system", "run"), int(values[-1] or given.get("seed", 1))))
    return points


def input_files(options):
    """Those that the words name: PTX, configuration, arguments, a script and what stands in it, a program and its arguments; and those of --input."""
    found = [options.workload] if options.workload.endswith(".ptx") else []
    if options.workload == "exec":
        found.append(script_of(options.rest))
    if options.program:
        found.append(shutil.which(options.program[0]) or options.program[0])
    if found and not os.path.isfile(found[0]):
        raise Wrong(f"{found[0]}: there is no such file")
    found += options.input + options.program[1:] + (words_in(found[0]) if options.workload == "exec" else [])
    absent = [path for path in options.input if not os.path.isfile(path)]
    if absent:
        raise Wrong(f"--input {absent[0]}: there is no such file")
    for option, value in zip(options.rest, options.rest[1:] + [""]):
        name, equals, own = option.partition("=")
        value = own if equals else value
        if name in ("--config", "--lcp-profile", "--resource-usage"):
            found.append(value)
        if name in ("--arg", "--symbol"):
            found.append(value.partition("=")[2] if name == "--symbol" else value.partition(":")[2])
        if name in ("--unit",) and ":" in value:
            found.append(value.partition(":")[2])
    return list(dict.fromkeys(path for path in found if os.path.isfile(path)))


def words_in(script):
    """Those of a script that may name files: the last part of `in:FILE` or `in:FILE:BYTES`, too."""
    text = pathlib.Path(script).read_text(encoding="utf-8", errors="surrogateescape")
    words = [word.strip('"') for word in re.findall(r'"[^"]*"|[^\s#"]+', text)]
    return words + [part for word in words if ":" in word for part in (word.partition(":")[2], word.partition(":")[2].rpartition(":")[0])]


def attempt(store, point):
    """None, or why there is no result: a request that the command refuses is a row, too."""
    try:
        store.get(point)
    except RunFailed as failed:
        return failed.reason
    return None


def make_all(store, points, jobs):
    """{point: None or the reason why it has failed}. Ctrl-C leaves what is finished in the store."""
    missing, failed = [point for point in points if not store.path(point).exists()], {}
    try:
        for point, future in runner.each(lambda point: attempt(store, point), missing, jobs, "runs", store.about):
            failed[point] = future.result()
    except children.Stopped:
        print(f"cowarp sweep: interrupted; {len(failed)} of {len(missing)} missing runs are done and kept, the same command goes on", file=sys.stderr)
        raise
    return {point: failed[point] if point in failed else attempt(store, point) for point in points}


def table_of(store, reasons):
    """One row per run. A run that has failed has the reason, and no counters."""
    rows = []
    done = [point for point, reason in reasons.items() if reason is None]
    for point, reason in reasons.items():
        found = {**dict(point.place), "seed": point.seed}
        if reason is None:
            stats = store.get(point)
            found.update((name, value) for name, value in row(store.path(point), stats, False).items() if name != "file" and name not in found)
        else:
            found["error"] = reason
        rows.append({**found, "command": " ".join(["cowarp", *point.words])})
    fill_config([line for line, reason in zip(rows, reasons.values()) if reason is None], [store.get(point) for point in done])
    return rows


def print_table(rows, axes, shown):
    known = {name for line in rows for name in line}
    unknown = [name for name in shown if name not in known]
    if unknown and any(line.get("cycles") for line in rows):
        raise Wrong(f"--show {unknown[0]}: no run has such a counter; 'cowarp stats FILE.json --all' shows the names")
    columns = [axis.name for axis in axes] + ["seed"] * (len({line["seed"] for line in rows}) > 1 and "seed" not in [a.name for a in axes]) + shown + ["error"]
    columns = [name for name in columns if any(line.get(name) not in (None, "") for line in rows)]
    cells = [columns] + [[str(line.get(name, "") if line.get(name) is not None else "") for name in columns] for line in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    for line in cells:
        print("  ".join(cell.ljust(width) if columns[i] == "error" else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths))).rstrip())


def write_csv(path, rows):
    out = io.StringIO()
    writer = csv.DictWriter(out, [*[name for name in columns_of(rows) if name != "command"], "command"], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    save(path, out.getvalue())


def write_list(path, options, axes, points):
    """For a cluster: each job makes one run of it."""
    save(path, json.dumps({"version": LIST_VERSION, "workload": target_of(options), "folder": os.getcwd(), "files": input_files(options),
                           "axes": [axis._asdict() for axis in axes], "points": [point._asdict() for point in points]}, indent=1) + "\n")


def read_list(options):
    """(axes, points, input files) of a list; raises Wrong. From now on the current folder is the one in which its names hold."""
    try:
        data = schema.load(options.list, LIST, "'cowarp sweep WORKLOAD --vary ... --list FILE' writes one")
    except schema.BadJson as bad:
        raise Wrong(f"--list {str(bad).replace(';', ', so it is no list of this version;', 1)}") from None
    if data["version"] != LIST_VERSION or any(len(pair) != 2 for point in data["points"] for pair in point["place"]):
        raise Wrong(f"--list {options.list}: is no list of this version; 'cowarp sweep WORKLOAD --vary ... --list FILE' writes one")
    axes = [Axis(axis["name"], axis["values"]) for axis in data["axes"]]
    points = [Point(tuple(point["words"]), tuple(map(tuple, point["place"])), point["workload"], point["system"], point["seed"]) for point in data["points"]]
    options.workload, files, folder = data["workload"], data["files"], data["folder"]
    if not os.path.isdir(folder):
        raise Wrong(f"--list {options.list}: was made in {folder}, which is not there")
    for name in ("csv", "svg", "store"):
        if getattr(options, name) not in (None, "-"):
            setattr(options, name, os.path.abspath(getattr(options, name)))
    os.chdir(folder)
    return axes, points, files


def make_one(options):
    _, points, files = read_list(options)
    if not 0 <= options.one < len(points):
        raise Wrong(f"--one {options.one}: {options.list} has runs 0 to {len(points) - 1}")
    print(attempt(store_of(options, files), points[options.one]) or "done")
    return 0


def parse(arguments):
    end = arguments.index("--") if "--" in arguments else len(arguments)
    parser = Parser(prog="cowarp sweep", usage="cowarp sweep WORKLOAD|FILE.ptx|exec --script FILE|cuda --vary NAME=VALUES ... [OPTIONS] [-- PROGRAM [ARGUMENT ...]]",
                    description="Makes the runs of all combinations of some parameters. Every other option goes to 'cowarp run', or for a PTX file or a script to 'cowarp exec', "
                                "for a CUDA program to 'cowarp cuda'.",
                    epilog="VALUES are A,B,C or numbers A:B, A:B:+STEP, A:B:xFACTOR. NAME is an option (tx-warps, system, preset, ...), seed, a parameter of the "
                           "workload, or a key of 'cowarp config'. Finished runs are kept: the same command goes on where it was stopped.")
    parser.add_argument("workload", nargs="?", metavar="WORKLOAD|FILE.ptx|exec|cuda")
    parser.add_argument("--vary", action="append", default=[], metavar="NAME=VALUES", help="an axis; each repetition multiplies the runs")
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="every point with seeds 1 to N of the inputs (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="runs at a time (all cores)")
    parser.add_argument("--limit", type=int, default=1800, metavar="S", help="seconds that one run may take (1800)")
    parser.add_argument("--csv", metavar="FILE", help="one row per run with all counters; - is standard output")
    parser.add_argument("--json", metavar="FILE", help="the same as a list of objects; - is standard output")
    parser.add_argument("--plot", action="append", default=[], metavar="COUNTER", help="draw this counter, ratio, or cycles over the first axis of numbers")
    parser.add_argument("--svg", metavar="FILE", help="where the plot goes (WORKLOAD-COUNTER.svg)")
    parser.add_argument("--show", default="cycles", metavar="NAME,NAME", help="what the table shows of each run (cycles)")
    parser.add_argument("--store", metavar="FOLDER", help="where finished runs are kept (runs in $COWARP_CACHE or ~/.cache/cowarp)")
    parser.add_argument("--input", action="append", default=[], metavar="FILE", help="a file that the runs read and no word of them names: another one makes other runs")
    parser.add_argument("--list", metavar="FILE", help="write the runs as a list for a cluster, and make none; without a workload: take the runs from it")
    parser.add_argument("--one", type=int, metavar="N", help="of such a list make run N alone, from 0 on")
    parser.add_argument("--binary", default=os.environ.get("COWARP", HERE.parents[1] / "build/cowarp"), help=argparse.SUPPRESS)
    options, options.rest = parser.parse_known_args(arguments[:end])
    options.program = arguments[end + 1:] if options.workload == "cuda" else []
    options.rest += [] if options.workload == "cuda" else arguments[end + 1:]
    options.binary = os.path.abspath(options.binary)
    if not os.access(options.binary, os.X_OK):
        raise Wrong(f"no simulator at {options.binary}; build it first (./run), or say --binary")
    options.store = options.store or default_store()
    return options


def plots_of(options):
    """[(counter, file)]"""
    stem = pathlib.PurePath(target_of(options)).stem
    return [(name, options.svg if options.svg and len(options.plot) == 1 else f"{stem}-{name}.svg") for name in options.plot]


def check_files(options, inputs):
    """Raises Wrong where what is written cannot be, or meets something else."""
    if options.svg and len(options.plot) != 1:
        raise Wrong("--svg names the file of one plot; give one --plot COUNTER too" if not options.plot else "--svg names the file of one plot, and there are several")
    if options.list == "-":
        raise Wrong("--list -: a list is a file, which the jobs read; name it")
    if len(set(options.plot)) < len(options.plot):
        raise Wrong("--plot: a counter is there twice")
    check_outputs([("--csv", options.csv, "CSV"), ("--json", options.json, "JSON"), *((f"--plot {name}:", path, "SVG") for name, path in plots_of(options)), ("--list", options.list, "JSON")],
                  [("the file", path) for path in inputs])


def check(options):
    if options.workload is None:
        raise Wrong("needs a workload, a PTX file, exec or cuda; see 'cowarp help sweep'")
    if options.workload == "cuda" and not options.program:
        raise Wrong("cuda needs a program: cowarp sweep cuda --vary NAME=VALUES ... -- PROGRAM [ARGUMENT ...]")
    if options.workload == "exec" and script_of(options.rest) is None:
        raise Wrong("exec needs --script FILE; a PTX file stands in its place: cowarp sweep FILE.ptx ...")
    if not options.vary:
        raise Wrong("needs --vary NAME=VALUES; see 'cowarp help sweep'")
    check_files(options, input_files(options))
    if options.seeds < 1 or options.jobs < 1 or options.limit < 1:
        raise Wrong("--seeds, --jobs and --limit take numbers from 1 on")
    given = [word.partition("=")[0].removeprefix("--") for word in options.rest if word.startswith("--")]
    if "seed" in given:
        raise Wrong("--seed: give --vary seed=... or --seeds N")
    refuse_shared(given)


def refuse_double(rest, names):
    """A word that goes to every run and says what an axis says: --grid 8 beside --vary grid=4,8, --set K=V or --param K=V beside --vary K=..."""
    for word, following in zip(rest, rest[1:] + [""]):
        option, equals, own = word.partition("=")
        if not option.startswith("--"):
            continue
        said = option.removeprefix("--")
        if said in ("set", "param"):
            said = (own if equals else following).partition("=")[0]
        if said in names:
            raise Wrong(f"'{said}' is set twice, by --vary and by {word if equals else f'{word} {following}'}; leave one of them out")


def requested(options):
    """(axes, points); raises Wrong."""
    check(options)
    axes = [axis_of(text) for text in options.vary]
    names = [axis.name for axis in axes]
    refuse_double(options.rest, names)
    check_rest(options)
    if len(set(names)) < len(names):
        raise Wrong("--vary: one name is there twice; give all its values in one")
    params = known_params(options.binary, options.workload)
    for axis in axes:
        check_axis(options.binary, axis, params, kind_of(options))
    total = options.seeds
    for axis in axes:
        total *= len(axis.values)
    check_names(options, axes)
    if total > POINTS_MAX:
        raise Wrong(f"{total} runs are more than {POINTS_MAX}; vary less at once")
    return axes, points_of(options, axes, params)


def main():
    options = parse(sys.argv[1:])
    if options.one is not None and options.list and options.workload is None:
        return make_one(options)
    if options.one is not None:
        raise Wrong("--one is of a list; give --list FILE, and no workload")
    if options.list and options.workload is None:
        listed = os.path.abspath(options.list)
        axes, points, files = read_list(options)
        options.list = None
        check_files(options, [listed, *files])
        check_names(options, axes)
    else:
        axes, points = requested(options)
        files = input_files(options)
        if options.list:
            write_list(options.list, options, axes, points)
            print(f"{len(points)} runs in {options.list}")
            return 0
    return make_table(options, axes, points, store_of(options, files))


def make_table(options, axes, points, store):
    reasons = make_all(store, points, options.jobs)
    rows = table_of(store, reasons)
    if "-" not in (options.csv, options.json, options.svg):
        print_table(rows, axes, options.show.split(","))
    if options.csv:
        write_csv(options.csv, rows)
    if options.json:
        save(options.json, json.dumps(rows, indent=1) + "\n")
    for name, path in plots_of(options):
        from plot import draw  # matplotlib takes a while to load
        save(path, draw(rows, axes, name, units_of(store, reasons), target_of(options)))
        if path != "-":
            print(f"plot in {path}", file=sys.stderr if "-" in (options.csv, options.json) else sys.stdout)
    failed = sum(reason is not None for reason in reasons.values())
    if failed:
        print(f"cowarp sweep: {failed} of {len(points)} runs have failed; the column error says why", file=sys.stderr)
    return 1 if failed else 0


def units_of(store, reasons):
    """{name: unit} of the counters and ratios of a run that has ended well."""
    for point, reason in reasons.items():
        if reason is None:
            stats = store.get(point)
            return {"cycles": "core cycles", "simulated_us": "microseconds",
                    **{name: entry["unit"] for part in ("counters", "derived") for name, entry in stats[part].items()}}
    raise Wrong("no run has ended well, so there is nothing to draw")


if __name__ == "__main__":
    sys.exit(run_main("cowarp sweep", main))
