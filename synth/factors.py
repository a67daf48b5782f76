#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""By how much logic shrinks and speeds up from osu018 to smaller nodes, measured: all units were mapped onto libraries of those nodes by this flow.

factors.csv has a row for each library: osu018's figure over the library's, as median, least and greatest of the units. Between the nodes of two
libraries the logarithm of a factor is interpolated over the logarithm of the node; libraries of one node count with their geometric mean. The
libraries' files are not part of this repository. A row is measured again by

    cowarp synth --no-gates --out A                                                     # osu018
    cowarp synth --no-gates --out B --liberty FILE --liberty-node NM [--dont-use PATTERN]
    synth/factors.py A/table.json B/table.json"""
import csv
import functools
import json
import math
import pathlib
import statistics
import sys
from dataclasses import dataclass

TABLE = pathlib.Path(__file__).resolve().parent / "factors.csv"
KINDS = ("area", "delay", "energy")
BASE_NM = 180
FO4_FROM_NM = 45


@dataclass(frozen=True)
class Span:
    """How often osu018's figure is the node's: as one number, and the least and greatest of any unit in any library that it rests on."""
    value: float
    least: float
    greatest: float


def log_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


@functools.lru_cache(maxsize=None)
def rows():
    with TABLE.open(encoding="utf-8") as file:
        return [{**row, "node_nm": int(row["node_nm"])} for row in csv.DictReader(line for line in file if not line.startswith("#"))]


def measured(kind):
    """node -> Span, osu018's own included."""
    spans = {BASE_NM: Span(1.0, 1.0, 1.0)}
    for node in sorted({row["node_nm"] for row in rows() if row[kind]}):
        here = [row for row in rows() if row["node_nm"] == node and row[kind]]
        spans[node] = Span(log_mean(float(row[kind]) for row in here), min(float(row[f"{kind}_least"]) for row in here),
                           max(float(row[f"{kind}_greatest"]) for row in here))
    return spans


PITCH_NM = {180: 480.0, 130: 340.0, 90: 240.0, 65: 200.0, 45: 170.0, 40: 160.0, 32: 126.0, 7: 54.0}  # contacted gate pitch, high-performance processes
VOLT = {180: 1.8, 130: 1.3, 90: 1.2, 65: 1.1, 45: 1.0, 40: 1.0, 32: 0.9, 7: 0.7}


def by_supply(node_nm):
    near = min(PITCH_NM, key=lambda node: abs(math.log(node / node_nm)))
    return PITCH_NM[BASE_NM] / PITCH_NM[near] * (VOLT[BASE_NM] / VOLT[near]) ** 2


def nodes():
    """The least and the greatest node to which logic scales."""
    return min(measured("area")), BASE_NM


def at(kind, node_nm):
    """The Span of a node between the measured ones; its value, least and greatest are interpolated each.

    Delay between 45 and 7 nm is an exception: the libraries there have supplies of 1.1 and 0.7 V, of which the second is for low power. So a node that
    is near 45 nm has the delay of 45 nm times the node, as fan-out-of-4 delays have; the line to 7 nm is its least. Energy, when no row has it:
    capacitance, which shrinks as the gates' pitch, times the square of the supply."""
    spans = measured(kind)
    if kind == "energy" and len(spans) == 1:
        return Span(*[by_supply(node_nm)] * 3)
    if node_nm in spans:
        return spans[node_nm]
    below, above = max(n for n in spans if n < node_nm), min(n for n in spans if n > node_nm)
    share = math.log(node_nm / below) / math.log(above / below)
    between = lambda name: math.exp((1 - share) * math.log(getattr(spans[below], name)) + share * math.log(getattr(spans[above], name)))
    if kind == "delay" and below < FO4_FROM_NM <= above:
        return Span(spans[above].value * above / node_nm, min(between("least"), between("value")), spans[above].greatest * above / node_nm)
    return Span(between("value"), between("least"), between("greatest"))


def leakage(node_nm):
    """mW per mm2 of logic, at 25 C: of the libraries of the nearest node that state it. Leakage depends on the transistors of a process more than on its
    node, so this is the roughest of the figures."""
    found = {row["node_nm"]: float(row["leakage"]) for row in rows() if row["leakage"]}
    return found[min(found, key=lambda node: abs(math.log(node / node_nm)))] if node_nm < BASE_NM else 0.0


# ------------------------------------------------------------------------------------------- measuring

def touches_ram(path):
    return any(path[end].startswith("RAM") for end in ("start", "end"))


def delay(base, other):
    """osu018's delay over the other library's, of the longest kind of path that touches no RAM in either; or None."""
    base, other = base["usual"]["paths"], other["usual"]["paths"]
    kinds = [kind for kind, path in base.items() if kind in other and not touches_ram(path) and not touches_ram(other[kind])]
    longest = max(kinds, key=lambda kind: base[kind]["delay_ns"], default=None)
    return longest and base[longest]["delay_ns"] / other[longest]["delay_ns"]


def ratios(base, other):
    """kind -> {unit: osu018's figure over the other library's}, of netlists that ABC's usual steps made. Delay leaves RAMs out, for their access time is a
    model's. Energy: of a clock of the logic, switching alone, at the same activity."""
    pairs = [(old, other[unit]) for unit, old in base.items() if unit in other]
    energy = lambda r: (r["power"]["logic_mw"] - r["power"]["logic_leakage_mw"]) / r["power"]["clock_mhz"]
    return {"area": {a["unit"]: a["usual"]["logic_um2"] / b["usual"]["logic_um2"] for a, b in pairs},
            "delay": {a["unit"]: ratio for a, b in pairs if (ratio := delay(a, b))},
            "energy": {a["unit"]: energy(a) / energy(b) for a, b in pairs if a["power"] and b["power"]}}


def row_of(base, other):
    """The columns of factors.csv that are measured."""
    line = {}
    for kind, found in ratios(base, other).items():
        values = found.values()
        line[f"{kind}_units"] = len(found)
        if found:
            line.update({kind: f"{statistics.median(values):.3g}", f"{kind}_least": f"{min(values):.3g}", f"{kind}_greatest": f"{max(values):.3g}"})
    leaks = [b["usual"]["logic_leakage_mw"] / (b["usual"]["logic_um2"] / 1e6) for b in other.values() if b["usual"]["logic_leakage_mw"]]
    line["leakage"] = f"{statistics.median(leaks):.3g}" if leaks else ""
    return line


def load(path):
    return {result["unit"]: result for result in json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["units"]}


def main(arguments):
    if len(arguments) != 2:
        print("factors.py: give table.json of osu018 and table.json of another library, as cowarp synth writes them", file=sys.stderr)
        return 2
    try:
        base, other = (load(path) for path in arguments)
    except (OSError, ValueError, KeyError) as bad:
        print(f"factors.py: {bad}; give two files table.json of cowarp synth", file=sys.stderr)
        return 2
    for kind, found in ratios(base, other).items():
        for unit, value in sorted(found.items()):
            print(f"{kind:<7} {unit:<22} {value:.3g}")
    print(", ".join(f"{name}={value}" for name, value in row_of(base, other).items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
