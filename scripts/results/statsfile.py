# SPDX-License-Identifier: Apache-2.0
"""Statistics files (`--stats`) as the commands over finished runs read them: cowarp stats, diff, rerun, sweep and report."""
import os
import pathlib
import sys

import children
import schema
from command_words import Parser

__all__ = ["Parser"]  # of the file beside this one, for the others here

HINT = "give files that --stats has written"
# What of a run stands beside its counters and is compared like them.
OUTCOME = ("check", "error", "cycles", "simulated_us")


class Wrong(Exception):
    """A request that cannot be met; the text is one line: what, where, what to do."""


def load(path):
    """The statistics in a file; raises Wrong where there are none."""
    try:
        return schema.load(path, schema.STATS, HINT)
    except schema.BadJson as bad:
        raise Wrong(str(bad)) from None


def load_kept(path):
    """What a store of finished runs has of one."""
    try:
        return schema.load(path, schema.KEPT, "remove it, and it is made again")
    except schema.BadJson as bad:
        raise Wrong(str(bad)) from None


def refuse_twice(paths):
    """Raises Wrong when two names are of one file: of the same run twice there is nothing to compare."""
    seen = {}
    for path in paths:
        place = os.path.realpath(path)
        if place in seen and not is_special(path):
            raise Wrong(f"{path}: is there twice" + f", as {seen[place]} too" * (seen[place] != path) + "; give each run once")
        seen[place] = path


def beside(stats, path, option):
    """The path that the run's command line gave with the option, when that file is still there; else None."""
    made = stats.get("manifest", {})
    words = made.get("command") or []
    for word, after in zip(words, words[1:] + [""]):
        name, equals, value = word.partition("=")
        value = value if equals else after
        if name == option:
            for folder in (made.get("directory") or ".", pathlib.Path(path).parent):
                if (pathlib.Path(folder) / value).is_file():
                    return pathlib.Path(folder) / value
    return None


def manifest(stats, path):
    if not isinstance(stats.get("manifest"), dict):
        raise Wrong(f"{path}: has no manifest; it is of an older version, make it again")
    return stats["manifest"]


def counted(stats, every=False):
    """{name: entry} of the counters that something in the run's GPU counts. every: also those of mechanisms that it does not have, which
    are zero."""
    counting = stats.get("counting")
    return {name: entry for name, entry in stats["counters"].items() if every or counting is None or entry.get("of", counting) in (counting, *counting)}


def title(stats):
    """What was run, in a few words."""
    words = [stats["workload"] or "a program"]
    if stats.get("variant"):
        words.append(f"({stats['variant']})")
    words.append(f"system {stats['system']}, preset {stats['preset']}")
    if stats.get("persistency", "none") != "none":
        words.append(f"persistency {stats['persistency']}")
    return " ".join(words)


def grouped(value):
    """A number as a person reads it."""
    if isinstance(value, bool) or value is None:
        return "-" if value is None else str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1e3 else f"{value:.4g}"
    return str(value)


# Endings that promise what a file is like inside; as the command itself has them (harness/cli/outputs.c).
FORMATS = {".json": "JSON", ".csv": "CSV", ".svg": "SVG", ".html": "HTML", ".htm": "HTML", ".fst": "FST", ".vcd": "VCD", ".gtkw": "a view of GTKWave",
           ".ptx": "PTX", ".png": "PNG", ".pdf": "PDF", ".toml": "TOML", ".stim": "a stimulus", ".gz": "gzip", ".zip": "ZIP", ".xz": "xz", ".zst": "Zstandard"}


def check_output(path, option="", form=None):
    """Raises Wrong for a file that cannot be written: better now than after minutes of simulation. form: what is written, one of FORMATS' values;
    None: any. None and `-` are no files."""
    if path in (None, "-"):
        return
    said, place = f"{option} {path}".strip(), pathlib.Path(os.path.realpath(path))
    ending = FORMATS.get(pathlib.PurePath(path).suffix.lower())
    if "\0" in str(path) or not str(path):
        raise Wrong(f"{option}: is not a file name")
    if form and ending and ending != form:
        raise Wrong(f"{said}: the name promises {ending}, and {form} is written; give it another ending")
    if place.is_dir():
        raise Wrong(f"{said}: is a folder; name a file")
    if not place.parent.is_dir():
        raise Wrong(f"{said}: its folder is not there")
    if not os.access(place if place.exists() else place.parent, os.W_OK):
        raise Wrong(f"{said}: cannot be written")


def is_special(path):
    """A pipe or a device, which takes what comes."""
    return os.path.exists(path) and not os.path.isfile(path)


def check_outputs(outputs, inputs=()):
    """Raises Wrong when two things that are written go to one place, or a file that is read would be replaced. outputs: (option, path, form) as
    check_output takes them; inputs: (what it is, path)."""
    seen = {}
    for what, path in inputs:
        if path is not None and path != "-" and not is_special(path):
            seen.setdefault(os.path.realpath(path), (what, path, True))
    for option, path, form in outputs:
        if path is None:
            continue
        check_output(path, option, form)
        place = path if path == "-" else os.path.realpath(path)
        if path != "-" and is_special(path):
            continue
        if place in seen:
            other, name, read = seen[place]
            if read:
                raise Wrong(f"{option} {path}: is {other} {name}, which is read; it would be replaced, so give {option} another name")
            raise Wrong(f"{other} {name} and {option} {path}: the same file; give each its own")
        seen[place] = (option, path, False)


def save(path, text):
    """The file is whole or as it was. `-` is standard output."""
    if path == "-":
        sys.stdout.write(text)
        return
    check_output(path)
    place = pathlib.Path(os.path.realpath(path))
    partial = place.with_name(f"{place.name}.cowarp-{os.getpid()}")
    try:
        if place.exists() and not place.is_file():  # a pipe, a device
            place.write_text(text)
            return
        partial.write_text(text)
        partial.replace(place)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise Wrong(f"{path}: {error.strerror}") from None


def run_main(program, main, interrupted=""):
    """Exit status of a command: of main, 2 for a Wrong request, 1 for what went wrong outside it, 130 or 143 for a signal. interrupted: what to say then."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="surrogateescape")  # names of files may be no text
    children.catch_signals()
    try:
        status = main()
        sys.stdout.flush()
        return status
    except Wrong as wrong:
        print(f"{program}: {' '.join(str(wrong).split())}", file=sys.stderr)
        return 2
    except children.Stopped as stopped:
        if interrupted:
            print(f"{program}: {interrupted}", file=sys.stderr)
        return stopped.status
    except OSError as error:
        if isinstance(error, BrokenPipeError):  # the reader has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        if error.filename is None:  # a write to standard output
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"{program}: {error.filename or 'standard output'}: {error.strerror}", file=sys.stderr)
        return 1
    finally:
        children.end()
