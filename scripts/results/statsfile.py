# SPDX-License-Identifier: Apache-2.0
"""Statistics files (`--stats`) as the commands over finished runs read them: cowarp stats, diff, rerun, sweep and report."""
import argparse
import json
import os
import pathlib
import sys

MEMBERS = ("version", "workload", "system", "preset", "seed", "cycles", "config", "counters")
# What of a run stands beside its counters and is compared like them.
OUTCOME = ("check", "error", "cycles", "simulated_us")


class Wrong(Exception):
    """A request that cannot be met; the text is one line: what, where, what to do."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message):
        self.exit(2, f"{self.prog}: {message}; see '{self.prog} --help'\n")


def load(path):
    """The statistics in a file; raises Wrong where there are none."""
    try:
        data = json.loads(pathlib.Path(path).read_bytes())
    except OSError as error:
        raise Wrong(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise Wrong(f"{path}: is no JSON; give files that --stats has written") from None
    missing = [name for name in MEMBERS if name not in data] if isinstance(data, dict) else MEMBERS
    if missing:
        raise Wrong(f"{path}: has no member '{missing[0]}'; give files that --stats has written")
    return data


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


def check_output(path):
    """Raises Wrong for a file that cannot be written: better now than after minutes of simulation. None and `-` are none."""
    if path in (None, "-"):
        return
    place = pathlib.Path(os.path.realpath(path))
    if place.is_dir():
        raise Wrong(f"{path}: is a folder; name a file")
    if not place.parent.is_dir():
        raise Wrong(f"{path}: its folder is not there")
    if not os.access(place if place.exists() else place.parent, os.W_OK):
        raise Wrong(f"{path}: cannot be written")


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


def run_main(program, main):
    """Exit status of a command: of main, 2 for a Wrong request, 130 for Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="surrogateescape")  # names of files may be no text
    try:
        return main()
    except Wrong as wrong:
        print(f"{program}: {' '.join(str(wrong).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        if isinstance(error, BrokenPipeError):  # the reader has seen enough
            sys.stderr.close()
            return 0
        print(f"{program}: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
