# SPDX-License-Identifier: Apache-2.0
"""Whether a unit's figures are of the Verilog that is there. A unit's sources are the text that synthesis reads of its module and of all that it instantiates,
its parameters' defaults and its clock. Comments, layout, and what is under a macro that synthesis does not define, as properties, are left out: they
change no gate."""
import csv
import datetime
import hashlib
import json
import pathlib
import re
import subprocess

from units import verilog_folders

# What makes a figure; the others count, compare and print.
SCRIPTS = ("netlist.py", "buffers.py", "timing.py", "liberty.py", "sram.py", "compiler.py", "activity.py", "gating.py", "factors.py", "tools.py", "synth.py")
OLDER = pathlib.Path(__file__).resolve().parent / "older.csv"
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
CONDITION = re.compile(r"\s*`(ifdef|ifndef|else|elsif|endif)\b\s*(\w*)")


def without_comments(text):
    return TOKEN.sub(lambda found: found[0] if found[0].startswith('"') else " ", text)


def active(text, defined):
    """The lines that are left after `ifdef and its kin."""
    kept, stack = [], []  # stack: [is read, some branch was read]
    for line in text.splitlines():
        found = CONDITION.match(line)
        if not found:
            if all(reads for reads, _ in stack):
                kept.append(line)
            continue
        word, name = found.groups()
        if word in ("ifdef", "ifndef"):
            stack.append([(name in defined) == (word == "ifdef")] * 2)
        elif word == "endif":
            stack.pop()
        else:
            reads = not stack[-1][1] and (word == "else" or name in defined)
            stack[-1] = [reads, stack[-1][1] or reads]
    return "\n".join(kept)


def read_text(path, defined=()):
    return " ".join(active(without_comments(path.read_text()), defined).split())


def modules_of(unit):
    """{module: file} of the unit's module and of all modules below it."""
    known = {path.stem: path for folder in verilog_folders(unit) for path in sorted(folder.glob("cw_*.v"))}
    found, left = {}, [unit.top]
    while left:
        name = left.pop()
        if name in known and name not in found:
            found[name] = known[name]
            left += re.findall(r"\bcw_\w+", read_text(known[name]))
    return found


def digest(unit):
    params = {name: param.default for name, param in unit.params.items()}
    about = [sorted((name, read_text(path)) for name, path in modules_of(unit).items()), sorted(params.items()), [unit.clock.mhz, unit.clock.node_nm] if unit.clock else None]
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:12]


def scripts(folder=pathlib.Path(__file__).resolve().parent):
    """Of the text of the scripts that make figures."""
    return hashlib.sha256(b"".join((folder / name).read_bytes() for name in SCRIPTS)).hexdigest()[:12]


def last_commit(paths):
    """The commit that changed one of the files last; empty where there is no git."""
    try:
        done = subprocess.run(["git", "-C", str(paths[0].parent), "log", "-1", "--format=%h", "--", *map(str, paths)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()


def made(unit):
    """What reference.json says of the origin of a unit's figures: when they were made, of which sources, by which scripts, and which commit changed the
    sources last."""
    return {"date": datetime.date.today().isoformat(), "commit": last_commit(list(modules_of(unit).values())), "sources": digest(unit), "scripts": scripts()}


def is_older(unit, kept):
    """Whether the figures of reference.json are of other sources than the unit has."""
    return kept.get("sources") != digest(unit)


def known_older(path=OLDER):
    """{unit: why its figures are older than its Verilog}."""
    with path.open() as file:
        return {row["unit"]: row["why"] for row in csv.DictReader(line for line in file if not line.startswith("#"))}
