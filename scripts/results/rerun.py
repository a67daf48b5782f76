#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a run again from its statistics file, and says whether it counted the same: `cowarp rerun a.json` calls it. Exit status: 0 every
counter is equal, 1 one is not or the run failed otherwise than before, 2 the run cannot be made again."""
import hashlib
import os
import pathlib
import shlex
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import runner  # noqa: E402  (after the path is set)
from diff import counted_differently, flat_files, outcomes, percent  # noqa: E402  (after the path is set)
from statsfile import Parser, Wrong, check_outputs, grouped, load, manifest, run_main, save  # noqa: E402

PM = "persistent-memory"
SHOWN = 20  # differences


def digest(path):
    """None: there is no such file."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def is_the_simulators(entry, made):
    """Whether the simulator has found the file itself, and not been given it: Verilog, and the kernels of its workloads. What then differs is
    known when the run has been made."""
    return entry["role"] == "verilog" or (entry["role"] == "module" and made["repeat"][0] != "exec")


def folder_of(made, name):
    """Where the run's relative names hold."""
    folder = made.get("directory")
    if folder is None:
        return pathlib.Path.cwd()
    if not os.path.isdir(folder):
        raise Wrong(f"{name}: the run was made in {folder}, which is not there; run 'cowarp {shlex.join(made['repeat'])}' where its files are")
    return pathlib.Path(folder)


def check_files(made, folder):
    """Notes about files that have changed; raises Wrong where one has to be as it was."""
    notes = []
    for entry in made["files"]:
        if is_the_simulators(entry, made) or (now := digest(folder / entry["path"])) == entry["sha256"]:
            continue
        if entry["role"] == PM:
            was = "was not there" if entry["sha256"] is None else "was another one"
            raise Wrong(f"{entry['path']}: this persistent memory {was} when the run began; put it back as it was, and run again")
        if now is None:
            raise Wrong(f"{entry['path']}: is not there, and the run reads it")
        notes.append(f"{entry['role']} {entry['path']}: has changed since")
    return notes


def words_of(made, folder, scratch):
    """The command's words, with a copy of persistent memory: a run writes it."""
    words = []
    for word in made["repeat"]:
        if word.startswith("--pm="):
            old = folder / word[len("--pm="):]
            if old.exists():
                shutil.copyfile(old, scratch / "pm")
            word = f"--pm={scratch / 'pm'}"
        words.append(word)
    return words


def build_of(made):
    """What makes a build another one: its sources and its compiler, or of an older version the program's bytes. The commit alone does not."""
    simulator = made["simulator"]
    return (simulator["sources"], simulator["compiler"]) if "sources" in simulator and "compiler" in simulator else simulator["sha256"]


def build_text(made, other):
    """The commit, and what tells it from the other where the commits are one."""
    mine, others = made["simulator"], other["simulator"]
    if mine["commit"] != others["commit"]:
        return mine["commit"]
    if mine.get("sources") != others.get("sources"):
        return f"{mine['commit']}, sources {(mine.get('sources') or 'unknown')[:12]}"
    return f"{mine['commit']}, {mine.get('compiler', 'another compiler')}"


def build_notes(was, now):
    """Of what is not named on the command line."""
    notes = []
    if build_of(was) != build_of(now):
        notes.append(f"simulator: another build ({build_text(was, now)}, now {build_text(now, was)})")
    before, after = (flat_files({"files": [entry for entry in made["files"] if is_the_simulators(entry, made)]}) for made in (was, now))
    for name in dict.fromkeys([*before, *after]):
        if before.get(name) != after.get(name):
            notes.append(f"{name}: {'has changed' if name in before and name in after else 'is new' if name in after else 'is not used now'}")
    return notes


def conclude(old, new, notes, quiet):
    rows = outcomes(old, new) + counted_differently(old, new)
    rows = [line for line in rows if line[0] != "simulated_us"]
    if not quiet:
        for note in notes:
            print(f"  note: {note}")
    if not rows:
        if not quiet:
            print(f"  equal: {grouped(new['cycles'])} cycles and all {len(new['counters'])} counters, check {new.get('check') or 'none'}")
        return 0
    print(f"  different: {len(rows)} of {len(new['counters'])} counters")
    for name, before, after, relative, _ in rows[:SHOWN]:
        print(f"    {name}: {grouped(before)} -> {grouped(after)} {percent(relative)}".rstrip())
    if len(rows) > SHOWN:
        print(f"    and {len(rows) - SHOWN} more; --stats FILE and 'cowarp diff' show them all")
    return 1


def make(binary, made, name, keep):
    """(statistics of the new run, notes)."""
    folder = folder_of(made, name)
    notes = check_files(made, folder)
    with tempfile.TemporaryDirectory(prefix="cowarp-rerun-") as scratch:
        out = pathlib.Path(scratch) / "stats.json"
        words = [binary, *words_of(made, folder, pathlib.Path(scratch)), "--quiet", f"--stats={out}"]
        try:
            done = runner.one(words, f"cowarp rerun {name}", cwd=folder, text=True, errors="surrogateescape")
        except OSError as error:
            raise Wrong(f"--binary {binary}: {error.strerror}") from None
        if not out.exists():
            said = (done.stderr.strip().splitlines() or ["no message"])[-1].removeprefix("cowarp: ")
            raise Wrong(f"{name}: the run has ended without statistics: {said}")
        new = load(out)
        if keep:
            save(keep, out.read_text())
    return new, notes


def main():
    parser = Parser(prog="cowarp rerun", description="Makes the run of a statistics file again and says whether every counter is equal.",
                    epilog="The run writes none of its other files. A persistent memory is copied first.")
    parser.add_argument("file", metavar="FILE.json", help="what --stats has written")
    parser.add_argument("--stats", metavar="NEW.json", help="keep the statistics of the new run")
    parser.add_argument("--quiet", action="store_true", help="nothing but differences")
    parser.add_argument("--binary", default=os.environ.get("COWARP", HERE.parents[1] / "build/cowarp"), help="the simulator (the one that was called)")
    options = parser.parse_args()
    check_outputs([("--stats", options.stats, "JSON")], [("the file", options.file)])
    options.quiet |= options.stats == "-"  # where the new statistics go
    old = load(options.file)
    made = manifest(old, options.file)
    if not made.get("repeat"):
        raise Wrong(f"{options.file}: was made by a program that calls the library; run that program again")
    if not options.quiet:
        print(f"{options.file}: cowarp {shlex.join(made['repeat'])}", flush=True)
    new, notes = make(os.path.abspath(options.binary), made, options.file, options.stats)
    return conclude(old, new, notes + build_notes(made, manifest(new, options.file)), options.quiet)


if __name__ == "__main__":
    sys.exit(run_main("cowarp rerun", main, "interrupted; nothing has been written"))
