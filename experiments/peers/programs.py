# SPDX-License-Identifier: Apache-2.0
"""What the scripts beside this file share: public CUDA programs in a folder, each a row of a CSV file, run under `cowarp cuda`."""
import argparse
import csv
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts/results"))
import children
import runner
import statsfile

__all__ = ["runner", "statsfile"]  # of the folder above, for the others here

HERE = pathlib.Path(__file__).resolve().parent


def place_of(program):
    """The absolute path of a program that is named as in a shell: programs run in a folder of their own, where a relative path leads elsewhere."""
    found = shutil.which(program)
    if found is None:
        sys.exit(f"{program}: no such program; --cowarp names it")
    return str(pathlib.Path(found).resolve())


def parser(doc, seconds):
    """With the options that all have. doc: of the script."""
    found = argparse.ArgumentParser(description=doc.split("\n\n")[0])
    found.add_argument("folder", type=pathlib.Path)
    found.add_argument("--cowarp", default="cowarp", type=place_of)
    found.add_argument("--only", default="")
    found.add_argument("--seconds", type=float, default=seconds)
    found.add_argument("--table", type=pathlib.Path)
    found.add_argument("--options", default="", type=shlex.split)
    return found


def read(path):
    """(lines of comment, rows) of a CSV file."""
    lines = path.read_text().splitlines(keepends=True)
    return [line for line in lines if line.startswith("#")], list(csv.DictReader(line for line in lines if not line.startswith("#")))


def chosen(rows, settings):
    """(the rows of --only whose program is in the folder, the other rows of --only)."""
    there, absent = [], []
    for row in rows:
        if re.search(settings.only, row["program"]) or re.search(settings.only, row["arguments"]):
            (there if (settings.folder / row["program"]).is_file() else absent).append(row)
    return there, absent


def simulate(row, settings, words):
    """(what children.run has returned, statistics) of a row's program; words: options of `cowarp cuda`. (None, {}): it did not end."""
    folder = settings.folder.resolve()
    with tempfile.TemporaryDirectory() as place:
        stats = pathlib.Path(place) / "stats.json"
        command = [settings.cowarp, "cuda", *words, *shlex.split(row.get("options", "")), *settings.options, "--stats", stats, "--", folder / row["program"],
                   *shlex.split(row["arguments"])]
        try:
            done = children.run(command, cwd=folder, text=True, errors="replace", timeout=settings.seconds)
        except subprocess.TimeoutExpired:
            return None, {}
        return done, json.loads(stats.read_text()) if stats.is_file() else {}


def failure(done, settings):
    """Why a run is nothing to compare, or None."""
    if done is None:
        return f"did not end in {settings.seconds:g} s"
    return f"status {done.returncode}: " + (done.stderr.splitlines() or ["the program says so"])[-1] if done.returncode != 0 else None
