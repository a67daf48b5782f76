# SPDX-License-Identifier: Apache-2.0
"""`cowarp unit --signoff`: each unit beside each criterion, from files of results alone. A cell is what the file says, or - where it says nothing or not enough.
What is missing has its reason below, a line for each cell (tests/rtl/signoff.txt), and one for each criterion of which no file says anything."""
import re

import bins
import datasheet
import facts
import proofs
import testplan
import units

MUTATION, WIDTHS, COVERAGE, SYNTH, TWINS = "tests/rtl/mutation.txt", "tests/rtl/widths.txt", "tests/coverage.txt", "synth/tables.txt", "tests/rtl/twins/results.txt"
FILL, REASONS = "tests/rtl/fill/{}.txt", "tests/rtl/signoff.txt"


class Results:
    """All files, read once."""

    def __init__(self):
        self.proofs, self.reference, self.known = proofs.Proofs(), datasheet.load(), units.discover(facts.ROOT)
        self.twins = (facts.ROOT / TWINS).read_text(encoding="utf-8")
        self.rows = {}
        for path, name in (MUTATION, "units"), (MUTATION, "survivors"), (WIDTHS, "units"), (COVERAGE, "units"), (SYNTH, "results"), (SYNTH, "routed"):
            found = [(columns, row) for columns, rows in facts.tables(facts.section(path, name)) for row in rows]
            self.rows[path, name] = found

    def of(self, path, unit, name="units"):
        """[(columns, row)] of the unit."""
        return [(columns, row) for columns, row in self.rows[path, name] if row[0] in (unit, f"rtl/{unit}")]


def sentences(results, unit):
    """Each sentence of the contract has something that shows it."""
    plan = {number: shown for number, shown, _ in testplan.rows(testplan.read(testplan.PLAN, unit))}
    numbers = [number for number, _ in testplan.sentences(testplan.read(testplan.HEADER, unit))]
    return len(numbers), sum(bool(plan.get(n)) for n in numbers)


def properties(results, unit):
    """Each property has a broken copy that violates it."""
    own = [row[1] for row in results.proofs.properties if row[0] == unit]
    return len(own), sum(bool(results.proofs.of_property(unit, n)[2]) for n in own)


def ever(results, unit):
    """Each property is proved for all time."""
    own = [row[1] for row in results.proofs.properties if row[0] == unit]
    return len(own), sum(any(not job.what.startswith("bmc") for job in results.proofs.of_property(unit, n)[0]) for n in own)


def situations(results, unit):
    """Each bin of the contract is reached by random lockstep, or has a reason not to be."""
    text = bins.read(unit)
    return len(bins.names(text)), len(bins.names(text)) - len(bins.holes(text))


def fill(results, unit):
    """Each set of the fill stimulus reaches each of these bins: rtl.UNIT.long fails otherwise."""
    path = facts.ROOT / FILL.format(unit)
    count = len(bins.names(path.read_text(encoding="utf-8"))) if path.exists() else 0
    return count, count


def in_runs(results, unit):
    """Bins of the contract that some kept run of the GPU reaches."""
    runs, missing = bins.in_runs(unit)
    return (runs[0][2], runs[0][2] - len(missing)) if runs else (0, 0)


def covered(results, unit):
    """Lines run, of all."""
    return next(((int(row[2]), int(row[1])) for _, row in results.of(COVERAGE, unit)), (0, 0))


def toggled(results, unit):
    return next(((int(row[5]), int(row[4])) for _, row in results.of(COVERAGE, unit)), (0, 0))


def mutants(results, unit):
    """Mutants that are caught, are equivalent by proof, or survive for a reason."""
    _, row = next(iter(results.of(MUTATION, unit)), (None, None))
    if row is None:
        return 0, 0
    reasoned = sum(survivor[-1] != "-" for _, survivor in results.of(MUTATION, unit, "survivors"))
    return int(row[1]), int(row[2]) + int(row[4]) + reasoned


def widths(results, unit):
    """Widths whose lack of a bit something notices, or that are wider than they need to be for a reason."""
    _, row = next(iter(results.of(WIDTHS, unit)), (None, None))
    if row is None:
        return 0, 0
    reasoned = len(re.findall(rf"^- {unit} .*: (?!no reason)", facts.section(WIDTHS, "survivors"), re.M))
    return int(row[1]), int(row[1]) - int(row[6]) + reasoned


def twins(results, unit):
    """Mistakes in both models that somebody names."""
    found = re.search(rf"<!-- {unit} -->\n(\d+) mistakes.*by nobody: (\d+)\.", results.twins)
    return (int(found[1]), int(found[1]) - int(found[2])) if found else (0, 0)


def figures(results, unit):
    try:
        return datasheet.entry_of(unit, results.reference)[1]
    except units.Failed:
        return {}


def slack(results, unit):
    """The path's slack at 30 percent for inputs and outputs, typical corner; not of a figure that is older than the Verilog."""
    kept = figures(results, unit)
    current = kept and kept["slack_ps"] >= 0 and "io" in kept and not datasheet.sources.is_older(results.known[unit], kept)
    return f"{kept['slack_ps']:+.0f} ps" if current else "-"


def area(results, unit):
    kept = figures(results, unit)
    return f"{kept['area_mm2']:.4f}" if "area_mm2" in kept else "-"


def power(results, unit):
    kept = figures(results, unit)
    return f"{kept['power_mw']:.4g}" if "power_mw" in kept else "-"


def gates(results, unit):
    return next((row[1].split(" in ")[0] for columns, row in results.of(SYNTH, unit, "results") if columns[-1].startswith("gate-level")), "-")


def routed(results, unit):
    """The layout's period in times of the netlist's without wires and clock tree."""
    return next((f"x {row[-1]}" for _, row in results.of(SYNTH, unit, "routed")), "-")


def share(pair):
    """Two numbers as a cell: all, or so many of all."""
    whole, have = pair
    return "-" if whole == 0 else str(whole) if have == whole else f"{have} of {whole}"


# Criterion, and how its cell is made.
CRITERIA = [("sentences", sentences), ("properties bite", properties), ("for all time", ever), ("bins", situations), ("fill bins, each set", fill),
            ("GPU runs", in_runs), ("lines", covered), ("toggles", toggled), ("mutants", mutants), ("one bit less", widths), ("twins", twins),
            ("slack", slack), ("mm2", area), ("mW", power), ("gate level", gates), ("routed", routed)]
NOWHERE = [("unknowns", "rtl.unknowns runs all units with unknown registers; it keeps no result per unit"),
           ("slow corner", "the library has one corner; --corner times another one where a library has it"),
           ("check bits", "rtl.ecc runs all units that can have them; it keeps no result per unit"),
           ("reviewed", "no record of reviews is kept")]


def is_short(cell):
    return cell == "-" or " of " in cell


def table():
    """(columns, rows) of cells."""
    results = Results()
    names = sorted(results.known)
    rows = []
    for unit in names:
        found = [made(results, unit) for _, made in CRITERIA]
        rows.append([unit] + [share(cell) if isinstance(cell, tuple) else cell for cell in found])
    return ["unit"] + [name for name, _ in CRITERIA], rows


def lines():
    columns, rows = table()
    wide = [max(len(row[i]) for row in [columns, *rows]) for i in range(len(columns))]
    found = ["  ".join(f"{cell:<{w}}" if i == 0 else f"{cell:>{w}}" for i, (cell, w) in enumerate(zip(row, wide))).rstrip() for row in [columns, *rows]]
    found += ["", "Not whole, and why:"]
    found += [facts.wrap(f"{unit}, {name}: {reason}", "  ") for (unit, name), reason in holes(columns, rows).items()]
    found += ["Kept in no file:"] + [facts.wrap(f"{name}: {why}", "  ") for name, why in NOWHERE]
    return found


def holes(columns, rows):
    """{(unit, criterion): why its cell is not whole}; a cell without a reason says so."""
    given = {}
    for line in (facts.ROOT / REASONS).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            unit, name, reason = line.split(" | ")
            given[unit, name] = reason
    short = {(row[0], name) for row in rows for name, cell in zip(columns[1:], row[1:]) if is_short(cell)}
    if set(given) - short:
        raise facts.Wrong(f"{REASONS}: {', '.join(sorted(set(given) - short)[0])}: this cell is whole, so it needs no reason")
    return {key: given.get(key, "no reason is given") for key in sorted(short)}


def as_json():
    columns, rows = table()
    return {"units": {row[0]: dict(zip(columns[1:], row[1:])) for row in rows}, "why": [[unit, name, why] for (unit, name), why in holes(columns, rows).items()], "missing": dict(NOWHERE)}
