#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All that the tree knows of a hardware unit: `cowarp unit NAME` calls it. Exit status: 0 done, 2 the request was wrong."""
import pathlib
import json
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import facts  # noqa: E402  (after the path is set)
import bins  # noqa: E402
import datasheet  # noqa: E402
import proofs  # noqa: E402
import signoff  # noqa: E402
import testplan  # noqa: E402
import units  # noqa: E402
from statsfile import Parser, Wrong, run_main  # noqa: E402

TWINS, MUTATION, COVERAGE, SYNTH = "tests/rtl/twins/results.txt", "tests/rtl/mutation.txt", "tests/coverage.txt", "synth/tables.txt"


def pairs(rows):
    wide = max((len(what) for what, _ in rows), default=0)
    return [f"  {what:<{wide}}  {value}" for what, value in rows]


def of_unit(path, name, unit, key="unit"):
    """(columns, row) of each row about the unit, in all tables of the section whose first column is the key."""
    return [(columns, row) for columns, rows in facts.tables(facts.section(path, name)) if columns[0] == key for row in rows if row[0] in (unit, f"rtl/{unit}")]


def parameters(unit):
    return [f"  {name:<18} {param.default:>8}   {param.minimum} to {param.maximum}: {param.text}" for name, param in unit.params.items()]


def port_lines(text):
    return [f"    {way:<4} {name:<22} {width:<34} {what}".rstrip() if name else f"  {what}" for way, name, width, what in facts.ports(text)]


def silicon(name):
    """The reference's figures, then what the last run of the flow says besides."""
    try:
        lines = pairs(datasheet.rows(*datasheet.entry_of(name, datasheet.load())))
    except units.Failed as missing:
        return [facts.wrap(str(missing), "  ")]
    path = dict(facts.items(facts.section(SYNTH, "results"))).get(name)
    if path:
        lines.append(facts.wrap(f"critical path at 180 nm: {path}", "  "))
    checked = [row for columns, row in of_unit(SYNTH, "results", name) if columns[-1].startswith("gate-level")]
    lines += [f"  gate level: {known} known output values, all equal" for _, known in checked]
    return lines + [f"  FPGA: {fpga}" for _, (_, fpga) in of_unit(SYNTH, "fpga", name)]


def proved(name):
    known = proofs.Proofs()
    lines = proofs.unit_lines(known, name)[1:] if name in known.units else []
    return lines + ([f"  {line}" for line in proofs.pair_lines(known, name)] if name in known.pairs else [])


def twins(name):
    if f"<!-- {name} -->" not in (facts.ROOT / TWINS).read_text(encoding="utf-8"):
        return [f"  no result is kept: scripts/twins {name} --write"]
    text = facts.section(TWINS, name)
    lines = [f"  {text.strip().splitlines()[0]}"]
    columns, rows = facts.tables(text)[0]
    for number, mistake, *judges in rows:
        named = [f"{judge}: {what}" for judge, what in zip(columns[2:], judges) if what not in ("-", "not asked")]
        lines += [f"  {number}. {mistake}", facts.wrap("; ".join(named), "     ")]
    return lines


def mutants(name):
    lines = [line for columns, row in of_unit(MUTATION, "units", name) for line in pairs(list(zip(columns[1:], row[1:])))]
    if not lines:
        return [f"  no result is kept: scripts/mutate {name} --page {MUTATION}"]
    lines += [facts.wrap(f"parameters: {text}", "  ") for head, text in facts.items(facts.section(MUTATION, "units")) if head == name]
    text = facts.section(MUTATION, "survivors")
    reasons = dict(re.findall(r"^(\d+)\. ((?:.+\n?)*?)(?=^\d+\. |\Z)", text, re.M))
    for _, (_, source, what, abc, number) in of_unit(MUTATION, "survivors", name):
        lines.append(facts.wrap(f"survived: {source}, {what} ({abc}): {' '.join(reasons.get(number, 'no reason').split())}", "  "))
    return lines


def coverage(name):
    lines = [line for columns, row in of_unit(COVERAGE, "units", name) for line in pairs(list(zip(columns[1:], row[1:])))]
    return lines or [f"  no result is kept: scripts/coverage, a row of {COVERAGE}"]


def views(name):
    """Views that show the unit, and documents about it; an installed tree has neither."""
    found = [path for path in sorted((facts.ROOT / "waves").glob("*.gtkw")) if path.stem == name or re.search(rf"\b{name}\b", path.read_text())]
    found += [path for path in [facts.ROOT / "docs/units" / f"{name}.md"] if path.exists()]
    return [f"  {path.relative_to(facts.ROOT)}" for path in found]


def parts_of(unit):
    """[(title, lines)] of all that is known."""
    name, text = unit.stem, facts.contract(unit.stem)
    plan = ("Testplan: each sentence, what shows it, what is broken and noticed (docs/testing.md)", testplan.lines(name))
    parts = [("Contract", ["  " + line if line else "" for line in facts.meaning(text).splitlines()]),
             ("Parameters: default, range", parameters(unit)), ("Ports: direction, name, bits", port_lines(text)), plan,
             ("In silicon, estimates (docs/synthesis.md)", silicon(name)), ("Proofs (docs/proofs.md)", proved(name)),
             ("The same mistake in Verilog and C model, and who names it (docs/twins.md)", twins(name)),
             ("Mutants in random lockstep (docs/mutation.md)", mutants(name)), ("Coverage of random lockstep (docs/coverage.md)", coverage(name)),
             ("Situations of the contract (docs/coverage.md)", bins.lines(name)),
             ("Views and documents", views(name))]
    return [(title, body) for title, body in parts if body]


def page(unit):
    name = unit.stem
    lines = [f"{name}: include/cowarp/unit/{name}.h, rtl/{name}/, csim/unit/{name}.c"]
    for title, body in parts_of(unit):
        lines += ["", title, *body]
    return lines


def as_json(unit):
    return {"unit": unit.stem, **{title: [line.strip() for line in body] for title, body in parts_of(unit)}}


def main(arguments):
    parser = Parser(prog="cowarp unit", description="All that is known of a hardware unit: contract, parameters, ports, area and timing, proofs, tests, views.")
    parser.add_argument("unit", nargs="?", metavar="NAME", help="without it the names of all units, with their clocks")
    parser.add_argument("--json", action="store_true", help="as JSON: titles with their lines, or names with their clocks")
    parser.add_argument("--signoff", action="store_true", help="all units beside all criteria of a sign-off, from the files of results alone")
    options = parser.parse_args(arguments)
    if options.signoff:
        if options.unit is not None:
            raise Wrong(f"--signoff shows all units; leave '{options.unit}' out")
        print(json.dumps(signoff.as_json(), indent=1) if options.json else "\n".join(signoff.lines()))
        return 0
    known = units.discover(facts.ROOT)
    if options.json:
        print(json.dumps({name: {"mhz": unit.clock.mhz, "node_nm": unit.clock.node_nm, "source": unit.clock.source} for name, unit in sorted(known.items())}
                         if options.unit is None else as_json(known[facts.chosen([options.unit], known)[0]]), indent=1))
    elif options.unit is None:
        print("\n".join(f"{name:22} {unit.clock.mhz:5.0f} MHz at {unit.clock.node_nm} nm ({unit.clock.source})" for name, unit in sorted(known.items())))
    else:
        print("\n".join(page(known[facts.chosen([options.unit], known)[0]])))
    return 0


if __name__ == "__main__":
    sys.exit(run_main("cowarp unit", lambda: main(sys.argv[1:])))
