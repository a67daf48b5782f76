#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reproduces tables and figures: `reproduce.py NAME ...` makes the runs that are missing and writes CSV, picture and table of each.
`cowarp reproduce` calls it. Exit status: 0 done, 1 a run failed, 2 the request was wrong."""
import csv
import importlib.util
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import expected  # noqa: E402  (after the path is set)
import fidelity  # noqa: E402
import gallery  # noqa: E402
import mutants  # noqa: E402
import report  # noqa: E402
import results  # noqa: E402
import silicon  # noqa: E402
import sizes  # noqa: E402
import spread  # noqa: E402
from command_words import hint  # noqa: E402
from runs import FIRST_SEED, PaperStore, RunFailed, Seeded, active_share, default_store  # noqa: E402
from statsfile import Parser, Wrong, run_main  # noqa: E402
from sweep import SLOW  # noqa: E402



SEEDS = 3  # unless --seeds says otherwise, but one with --quick

# --quick: inputs so small that all experiments are done in minutes.
CLOTHS = (("cloths", 1), ("height", 9), ("width", 9))
TABLE = (("blocks", 12), ("buckets", 400))
QUICK = {"ht-h": TABLE, "ht-m": TABLE, "ht-l": TABLE, "atm": (("accounts", 4000), ("blocks", 12), ("transfers", 3000)), "cl": CLOTHS,
         "clto": CLOTHS, "bh-h": (("blocks", 2), ("bodies", 300)), "bh-l": (("blocks", 2), ("bodies", 400)),
         "cc": (("height", 16), ("width", 20)), "ap": (("popular", 20), ("records", 300), ("support", 10)),
         "ll-1": (("threads", 40),), "ll-2": (("threads", 64),), "bt-1": (("elements", 100), ("removes", 100)),
         "bt-2": (("elements", 200), ("inserts", 20), ("removes", 20)), "karger-1": (("edges", 50), ("vertices", 20)),
         "karger-2": (("edges", 90), ("threads", 24), ("vertices", 30)), "rbt-1": (("elements", 100), ("inserts", 40), ("removes", 40)),
         "rbt-2": (("elements", 200), ("inserts", 60), ("removes", 60)),
         "vac-1": (("changing", 60), ("customers", 60), ("relations", 60)), "vac-2": (("changing", 20), ("relations", 100), ("reserving", 60)),
         "bfs2": (("degree", 6), ("nodes", 700)), "fcdt": (("height", 48), ("stages", 6), ("width", 56)),
         "hotsp": (("launches", 2), ("n", 20)), "lps": (("n", 18),), "mum": (("length", 12), ("queries", 70), ("reference", 500)),
         "mumpp": (("length", 12), ("queries", 70), ("reference", 500)), "namd": (("atoms", 30), ("cells", 2)),
         "nvrt": (("blocks", 2), ("height", 12), ("triangles", 60), ("width", 16)), "aes": (("kbytes", 3),), "backp": (("inputs", 160),),
         "cp": (("atoms", 30), ("blocks_x", 1), ("blocks_y", 2)), "dg": (("elements", 4),),
         "hrtwl": (("height", 50), ("points", 2), ("width", 60)), "lib": (("paths", 9),), "lkyt": (("cells", 1), ("height", 32), ("width", 40)),
         "mgst": (("n", 2000),), "nnc": (("blocks", 5), ("k", 3)), "ray": (("height", 30), ("width", 40)),
         "stmcl": (("candidates", 8), ("dims", 8), ("n", 700)), "sto": (("blocks", 2), ("words", 32)),
         "wp": (("height", 8), ("levels", 20), ("steps", 2), ("width", 16)),
         "gpkvs": (("blocks", 2), ("buckets", 512), ("pairs", 256), ("threads", 128)), "hm": (("buckets", 2), ("keys", 150), ("present", 100)),
         "srad": (("height", 32), ("width", 32)), "red": (("blocks", 4), ("launches", 2), ("n", 4096)),
         "mq": (("batch", 256), ("commands", 8), ("queues", 4)), "scan": (("arrays", 4),),
         **{w: (("groups", 2), ("wavefronts", 2)) for w in ("lht-hc", "lht-lc", "it-hc", "it-lc", "gc-hc", "gc-lc", "km-hc", "km-lc")}}


class WrongRequest(Exception):
    """What cannot be done; the text says what and what to do."""


def all_experiments():
    """Every experiment of every folder's figures.py, by name."""
    found = {}
    for path in sorted(HERE.glob("*/figures.py")):
        spec = importlib.util.spec_from_file_location(f"{path.parent.name}_figures", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for experiment in module.EXPERIMENTS:
            found[experiment.name] = experiment
    return found


def chosen(names, known):
    """The experiments named, a prefix such as `getm` or `all` standing for many; raises WrongRequest with a suggestion."""
    result = []
    for name in names:
        group = [e for e in known.values() if name in ("all", e.name, e.name.split(".")[0])]
        if not group:
            raise WrongRequest(f"no experiment is named '{name}'; " + hint(name, known, "see 'cowarp reproduce --list'"))
        result += [e for e in group if e not in result]
    return result


def parse(arguments):
    parser = Parser(prog="cowarp reproduce", description="Reproduces tables and figures of the papers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="getm.fig11, a paper (getm), or all")
    parser.add_argument("--list", action="store_true", help="list the experiments")
    parser.add_argument("--binary", default=os.environ.get("COWARP", HERE.parent / "build/cowarp"),
                        help="the simulator (default $COWARP or build/cowarp)")
    parser.add_argument("--out", help="folder for results (cowarp-out/experiments, or cowarp-out/experiments-quick); its folder runs keeps the runs, which else are in the cache")
    parser.add_argument("--quick", action="store_true", help="tiny inputs: shows that every experiment works, its numbers mean nothing")
    parser.add_argument("--seeds", type=int, metavar="N",
                        help=f"make everything with seeds 1 to N of the inputs and show medians with ranges ({SEEDS}; with --quick 1)")
    parser.add_argument("--sizes", action="store_true",
                        help="judge claims that hold with two other sizes of the inputs, too, where the papers do not state a size (one seed)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="simulations at a time (all cores)")
    parser.add_argument("--limit", type=int, default=1800, help="seconds that one simulation may take (1800)")
    parser.add_argument("--fidelity", metavar="FILE", help="also write the comparison with every claim, a page and a table beside it (.csv), from all results in --out; claims without one stay as they are there")
    parser.add_argument("--claims", action="store_true", help="print the papers' claims that are measured, ours beside them; NAME is how a claim's name begins")
    parser.add_argument("--why", action="store_true", help="with --claims: of the claims named all that is known, why they do not hold, and the commands that show it")
    parser.add_argument("--mutants", metavar="FILE", help="judge the claims on wrong machines instead, with the first seed, and renew their rows in FILE (experiments/mutants.csv)")
    parser.add_argument("--expected", action="store_true", help="print the claims of the results in --out beside those of docs/fidelity.csv; exit status 1 when one is judged otherwise")
    parser.add_argument("--figures", metavar="FOLDER", help="also write every figure beside the paper's as a picture, with a page README.md, from the same")
    parser.add_argument("--note", default="", help="a sentence at the top of these pages: which version the results are from")
    parser.add_argument("--runs-only", action="store_true", help="make the runs, write no results (for a cluster's nodes)")
    options = parser.parse_args(arguments)
    if options.seeds is None:
        options.seeds = 1 if options.quick else SEEDS
    options.store = pathlib.Path(options.out) / "runs" if options.out else default_store()
    options.out = options.out or ("cowarp-out/experiments-quick" if options.quick else "cowarp-out/experiments")
    return options


def make_runs(experiments, gets, jobs):
    """Makes what the experiments need with every Seeded of gets, those of all side by side and the slow ones first, so that all cores are busy to
    the end. Returns how many runs there were."""
    asked, made = [(get, iter(experiment.runs(get))) for experiment in experiments for get in gets], 0
    while asked:
        runs, going = [], []
        for get, batches in asked:
            try:
                runs += map(get.of, next(batches))
                going.append((get, batches))
            except (StopIteration, RunFailed):  # what failed will be said where it is missed
                pass
        made += gets[0].store.make_all(sorted(runs, key=lambda run: run.workload not in SLOW), jobs)
        asked = going
    return made


def of_each_seed(experiment, gets):
    """{seed: (tables, claims)}; says for which seeds there are none, and why."""
    made = {}
    for get in gets:
        get.read = {}
        try:
            made[get.seed] = experiment.make(get)
        except (RunFailed, ArithmeticError, LookupError, ValueError) as failure:  # the other seeds and experiments go on
            what = f"{experiment.name}, seed {get.seed}" if len(gets) > 1 else experiment.name
            print(f"cowarp reproduce: {what}: {str(failure) or type(failure).__name__}", file=sys.stderr)
    return made


def active_shares(gets):
    """{workload: percents of the time of its runs in which cores have a thread}."""
    shares = {}
    for get in gets:
        for run, stats in get.read.items():
            percent = active_share(stats)
            if percent is not None:
                shares.setdefault(run.workload, []).append(percent)
    return shares


def conclude(experiment, gets, options, papers):
    """Writes the experiment's results; 0, or 1 if a seed has none. papers: their claims, and the bars that they state."""
    made = of_each_seed(experiment, gets)
    if made:
        tables, shares = [spread.merged(same) for same in zip(*(tables for tables, _ in made.values()), strict=True)], active_shares(gets)
        verdicts = [spread.judged(same, shares) for same in zip(*(claims for _, claims in made.values()), strict=True)]
        if options.sizes and FIRST_SEED in made:
            verdicts = sizes.judged(experiment, gets[0], verdicts, options.jobs)
        print(results.write(options.out, experiment.name, tables, verdicts, *papers, list(made), options.quick))
    return 0 if len(made) == len(gets) else 1


def requested(options, known):
    """The experiments that are asked for; raises WrongRequest where the request is wrong."""
    experiments = chosen(options.names, known)
    if not pathlib.Path(options.binary).is_file():
        raise WrongRequest(f"no simulator at {options.binary}; build it first (./run), or say --binary")
    if options.jobs < 1 or options.limit < 1 or options.seeds < 1:
        raise WrongRequest("--jobs, --limit and --seeds must be at least 1")
    if options.quick and (options.fidelity or options.figures):
        raise WrongRequest("--fidelity and --figures compare full runs; leave out --quick")
    if options.mutants and (options.quick or options.sizes or options.runs_only):
        raise WrongRequest("--mutants makes runs of its own with whole inputs; leave out --quick, --sizes and --runs-only")
    if options.quick and options.sizes:
        raise WrongRequest("--sizes judges claims, and --quick judges none; leave out one of them")
    return experiments


def make_folder(path):
    """Before minutes of simulation; raises WrongRequest where nothing can be written."""
    try:
        pathlib.Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        raise WrongRequest(f"--out {path}: {failure.strerror}") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise WrongRequest(f"--out {path}: cannot be written")


def write_pages(options, known, papers):
    """The pages on all results in --out that the options ask for."""
    if options.fidelity:
        path = pathlib.Path(options.fidelity)
        pages = [path, path.with_suffix(".csv"), path.with_suffix(".svg")]
        made = fidelity.page(options.out, papers[0], HERE, options.note, [p.read_text() if p.exists() else "" for p in pages[:2]], silicon.judge())
        for page, text in zip(pages, made):
            page.write_text(text)
    if options.figures:
        gallery.write(options.figures, options.out, {name: experiment.what for name, experiment in known.items()}, papers[1], options.note)


def print_claims(beginnings):
    """The stored comparison; raises WrongRequest when no claim's name begins so."""
    paper = report.load_claims(HERE)
    rows = [row for row in fidelity.rows_of(stored(paper), paper, fidelity.load_reasons(HERE / "reasons.csv"))
            if not beginnings or row[0].startswith(tuple(beginnings))]
    if not rows:
        raise WrongRequest(f"no claim that is measured has a name that begins with '{', '.join(beginnings)}'")
    print(fidelity.claims_table(rows))
    for row in rows:
        if row.cause:
            print("\n".join(fidelity.item("- ", f"{row.claim}: {row.reason or fidelity.GROUPS[row.cause]}")))


def stored(paper):
    """Of each claim that is measured, what docs/fidelity.csv has."""
    return fidelity.judged_before("", (HERE.parent / "docs/fidelity.csv").read_text(), paper)[0]


def print_why(names):
    """All that is known of each claim named."""
    if not names:
        raise WrongRequest("--why tells of claims by their names: cowarp reproduce --claims --why si.max")
    paper, reasons = report.load_claims(HERE), fidelity.load_reasons(HERE / "reasons.csv")
    for name in names:
        if name not in paper:
            raise WrongRequest(f"no claim is named '{name}'; " + hint(name, paper, "see 'cowarp reproduce --claims'"))
        print("\n".join(fidelity.explained(name, paper, stored(paper), reasons)))


def make_mutants(experiments, stores, options):
    """Judges the experiments' claims on wrong machines, and renews the table after each experiment. 0, or 1 when some claim has no number there."""
    measured, rows = {claim: known[-1] for claim, known in stored(report.load_claims(HERE)).items()}, []
    for experiment in experiments:
        gets = mutants.gets_of(experiment, stores, FIRST_SEED, measured)
        if gets:
            made = [row for get in gets for row in mutants.judged(experiment, get, options.jobs)]
            mutants.renew(options.mutants, made)
            rows += made
            print("\n".join(f"{row.claim:<24} {row.mutant:<22} {row.here:<24} missed: {row.missed}" for row in made))
    return 1 if any(row.missed == "fails" for row in rows) else 0


def print_expected(folder):
    """The stored comparison beside the results of the folder; 1 when a claim is judged otherwise. Raises WrongRequest where there are none."""
    with open(HERE.parent / "docs/fidelity.csv", newline="", encoding="utf-8") as file:
        kept = {row["claim"]: row for row in csv.DictReader(file)}
    found = results.read(folder)
    if not found:
        raise WrongRequest(f"{folder} has no results; make them first, or say --out")
    text, differs = expected.page(found, kept, report.load_claims(HERE))
    print(text)
    return 1 if differs else 0


def main(arguments):
    options = parse(arguments)
    known = all_experiments()
    if options.list or not (options.claims or options.why or options.expected or options.names or options.fidelity or options.figures):
        for experiment in known.values():
            print(f"{experiment.name:<16} {experiment.what}")
        return 0
    try:
        if options.claims or options.why:
            (print_why if options.why else print_claims)(options.names)
            return 0
        if options.expected and not options.names:
            return print_expected(options.out)
        experiments = requested(options, known)
        make_folder(options.out)
        store = PaperStore(options.binary, options.store, options.limit, QUICK if options.quick else None)
        papers = report.load_claims(HERE), report.load_published(HERE)
        if options.mutants:
            return make_mutants(experiments, (store, PaperStore(options.binary, options.store, options.limit, QUICK)), options)
        gets = [Seeded(store, seed) for seed in range(FIRST_SEED, FIRST_SEED + options.seeds)]
        made = make_runs(experiments, gets, options.jobs)
        if options.runs_only:
            print(f"{made} runs made")
            return 0
        status = max((conclude(experiment, gets, options, papers) for experiment in experiments), default=0)
        write_pages(options, known, papers)
        return max(status, print_expected(options.out)) if options.expected else status
    except (results.NotComparable, WrongRequest, Wrong) as wrong:
        print(f"cowarp reproduce: {' '.join(str(wrong).split())}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        raise
    except OSError as failure:
        print(f"cowarp reproduce: {failure.filename or options.out}: {failure.strerror}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(run_main("cowarp reproduce", lambda: main(sys.argv[1:]), "interrupted; finished runs are kept"))
