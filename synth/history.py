# SPDX-License-Identifier: Apache-2.0
"""Area, Fmax, cells and power of the units over the commits that changed synth/reference.json. Nothing is built: each commit carries its figures."""
import json
import subprocess

import plot
import report
import tools
import units
from units import Failed

FIGURES = (("area_mm2", "area, mm2 (180 nm)"), ("fmax_mhz", "Fmax, MHz (180 nm)"), ("cells", "cells"), ("power_mw", "power, mW"))


def git(folder, *arguments):
    tools.need("git", "git")
    done = subprocess.run(["git", "-C", str(folder), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"git {arguments[0]}: {tools.complaint(done.stderr)}; a history needs the project's git repository")
    return done.stdout


def commits(path):
    """(short hash, date, {name: figures}) of each commit that changed the file, the oldest first; and of the file as it is, when that differs."""
    folder, found, last = path.parent, [], None
    for line in reversed(git(folder, "log", "--format=%h %cs", "--", path.name).splitlines()):
        commit, date = line.split()
        try:
            last = json.loads(git(folder, "show", f"{commit}:./{path.name}"))
        except (json.JSONDecodeError, Failed):
            continue  # the commit that took it away, or half a merge
        found.append((commit, date, last))
    now = report.load_reference(path)
    if now != last:
        found.append(("now", "", now))
    return found


def points(found, stem):
    """One dictionary for each commit that changed a figure of the unit, at whatever size stood for it then."""
    out = []
    for commit, date, reference in found:
        kept = [(name, entry) for name, entry in reference.items() if name == stem or name == " ".join([stem, *units.STANDARD.get(stem, [])])]
        kept = kept or [(name, entry) for name, entry in reference.items() if name.split()[0] == stem]
        if not kept:
            continue
        name, entry = kept[0]
        point = {"commit": commit, "date": date, "size": name.partition(" ")[2],
                 "area_mm2": (entry["logic_um2"] + entry["sram_um2"]) / 1e6, **{key: entry.get(key) for key in ("fmax_mhz", "cells", "power_mw")}}
        if not out or any(point[key] != out[-1][key] for key in point if key not in ("commit", "date")):
            out.append(point)
    return out


def csv_text(series):
    head = ["unit", "commit", "date", "size", *(key for key, _ in FIGURES)]
    rows = [[stem, *(report.text_of(point[key], "{:.6g}") for key in head[1:])] for stem, points_of in series.items() for point in points_of]
    return "\n".join(",".join(row) for row in [head, *rows]) + "\n"


def draw(path, stems, out):
    found = commits(path)
    series = {stem: points(found, stem) for stem in stems}
    series = {stem: points_of for stem, points_of in series.items() if points_of}
    if not series:
        raise Failed(f"no commit of {path} has figures of {', '.join(stems)}")
    for stem, points_of in series.items():
        report.write(out / f"history-{stem}.svg", plot.panels_text(f"{stem} over the commits of {path.name}, estimates (docs/synthesis.md)",
                                                                   [p["commit"] for p in points_of], points_of, FIGURES))
    report.write(out / "history.csv", csv_text(series))
    rows = [(stem, len(p), p[-1]["commit"], *(f"{report.text_of(p[0][key])} -> {report.text_of(p[-1][key])}" for key, _ in FIGURES[:3]))
            for stem, p in series.items()]
    print(report.table(("unit", "changes", "last", *(label for _, label in FIGURES[:3])), rows))
    print(f"written {out}/history.csv and history-<unit>.svg")
