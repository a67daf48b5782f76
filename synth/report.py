# SPDX-License-Identifier: Apache-2.0
"""Reports: one per unit, one table for all, the papers' figures beside, and the comparison with reference.json."""
import csv
import json
import math
import os
import pathlib
import re
import textwrap

import compiler
import datasheet
import layout
import margin
import sram
import tools
import units
from units import Failed

HERE = pathlib.Path(__file__).resolve().parent
REFERENCE = HERE / "reference.json"
CLAIMS = HERE / "claims.csv"
AREA_SHARE, FMAX_SHARE = 0.05, 0.08  # a change beyond these is reported as a regression
HOW = ("Estimates. Logic: Yosys and ABC onto {library} ({node} nm, typical corner), no clock tree, no wires beyond the library's pin loads. "
       "Timing and logic power: OpenSTA. SRAM: the analytic model of synth/sram.py, fitted to half of the papers' CACTI rows. Activity: counted in "
       "a simulated run. Figures at {to} nm are the logic's {node} nm figures times the factors of synth/tools.py, and the SRAM model at {to} nm.")


def write(path, text):
    temporary = path.with_suffix(path.suffix + ".tmp")
    temporary.write_text(text)
    os.replace(temporary, path)


def wrapped(text, indent="", columns=150):
    return textwrap.fill(text, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def text_of(value, form="{:.4g}"):
    return "" if value is None else form.format(value) if isinstance(value, float) else str(value)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(text_of(cell) for cell in row) + " |" for row in rows])


def how(result):
    return HOW.format(library=result["library"], node=result["node_nm"], to=result["scaled"]["node_nm"])


def gating_facts(g, s):
    if not g:
        return []
    return [("the same with clock gates", s["gated_power_mw"], f"mW, flip-flop clock pins {g['gated_clock_mw']:.3g} instead of {g['clock_mw']:.3g} mW"),
            ("flip-flops behind clock gates", g["gated_flip_flops"], f"of {g['flip_flops']}, in {len(g['groups'])} groups of one enable; "
             f"{g['unknown_flip_flops']} more whose enable the trace does not tell"),
            ("idle share of these", 100.0 * g["idle_share"], "percent of the clocks, by the counted enables"),
            ("area of the clock gates", g["area_um2"], "um2, less the multiplexers that they replace")]


def unit_markdown(r):
    s, p, lines = r["scaled"], r["power"], [f"# {r['unit']}", ""]
    lines += [how(r), "", "Parameters: " + ", ".join(f"{k}={v}" for k, v in r["params"].items()) + ".", ""]
    facts = [("steps of ABC", r["steps"], "relaxed and tight: the usual ones; fast: speed for area"), ("cells", r["cells"], ""),
             ("of these flip-flops", r["flip_flops"], ""), ("logic area", r["logic_um2"], f"um2, {r['node_nm']} nm"),
             ("SRAM bits", r["sram"]["bits"], f"in {sum(m['count'] for m in r['sram']['macros'])} macros"),
             ("memory bits in flip-flops", r["flop_memory_bits"], ""), ("SRAM area", r["sram"]["area_um2"], f"um2, {r['node_nm']} nm"),
             ("Fmax", r["fmax_mhz"], f"MHz, {r['node_nm']} nm"), 
             ("logic area", s["logic_mm2"], f"mm2, {s['node_nm']} nm, {s['logic_mm2_least']:.4g} to {s['logic_mm2_greatest']:.4g} by the spread of units"),
             ("SRAM area", s["sram_mm2"], f"mm2, {s['node_nm']} nm"), ("Fmax", s["fmax_mhz"], f"MHz, {s['node_nm']} nm, a rough factor")]
    if p:
        facts += [("logic power", p["logic_mw"],
                   f"mW at {p['clock_mhz']:.0f} MHz, {r['node_nm']} nm; flip-flop clock pins {p['clock_mw']:.3g} of it"),
                  ("SRAM power", p["sram_mw"], f"mW, the same; {p['reads']:.3f} reads and {p['writes']:.3f} writes per clock, all macros"),
                  ("power", s["power_mw"], f"mW at {s['clock_mhz']:.0f} MHz, {s['node_nm']} nm"),
                  *gating_facts(p["gating"], s),
                  ("registers with counted activity", 100.0 * p["counted_share"], "percent"),
                  ("mean activity", p["mean_activity"], "toggles per clock and bit")]
    lines += [table(("", "", ""), [(a, b, c) for a, b, c in facts]), "", f"Critical path: {r['critical_path']}.", ""]
    if r["corners"]:
        lines += [table(("corner", "Fmax MHz", "hold slack ns"), [(c["name"], c["fmax_mhz"], c["hold_slack_ns"]) for c in r["corners"]]), ""]
    if r["margin"]:
        lines += [f"Margin: {margin.sentence(r['margin'])}. The clock is from the contract ({r['margin']['source']}).", ""]
    lines += [f"Within one cycle: {margin.ram_path_sentence(path)}.\n" for path in r["ram_paths"]]
    lines += [f"Activity: {p['source']}." if p else f"Power: not given; {r['no_power'] or 'activity was not counted'}.", ""]
    if p and p["gating"] and p["gating"]["groups"]:
        groups = sorted(p["gating"]["groups"], key=lambda g: -g["flip_flops"])
        lines += [table(("flip-flops of one enable", "bits", "idle percent"),
                        [(", ".join(g["registers"][:3]) + (", ..." if len(g["registers"]) > 3 else ""), g["flip_flops"], 100 * g["idle_share"])
                         for g in groups]), ""]
    if r["sram"]["macros"]:
        lines += [table(("RAM", "count", "ports", "bits", "um2", "um2 in flip-flops", "access ns", "read pJ", "write pJ", "leakage uW", "bought as"),
                        [tuple(m[k] for k in ("name", "count", "ports", "bits", "area_um2", "register_um2", "access_ns", "read_pj", "write_pj",
                                              "leakage_uw")) + (m["pieces"] or "it is",) for m in r["sram"]["macros"]]), ""]
    if r.get("gate"):
        g = r["gate"]
        lines += [f"Gate-level check: {g['cycles']} cycles, {g['known_values']} output values equal; stimulus {g['stimulus']}.", ""]
    if r.get("fpga"):
        i = r["fpga"]["ice40"]
        lines += [f"FPGA: {r['fpga']['lut6']} six-input LUTs; iCE40: {text_of(i['lut4'])} LUT4, {text_of(i['ff'])} flip-flops, "
                  f"{text_of(i['bram'])} RAMs of 4 kbit, Fmax {text_of(i['fmax_mhz'])} MHz ({i['note']}).", ""]
    return "\n".join(lines)


def summary_markdown(results, papers):
    first = results[0]
    n, s = first["node_nm"], first["scaled"]["node_nm"]
    head = ("unit", "cells", f"logic um2 ({n})", "SRAM bits", f"SRAM um2 ({n})", f"Fmax MHz ({n})", f"logic mm2 ({s})", f"SRAM mm2 ({s})",
            f"Fmax MHz ({s})", "clock MHz", "slack ps", f"power mW ({s})", "with clock gates", "LUT6", "critical path")
    rows = []
    for r in results:
        p = r["scaled"]
        rows.append((r["unit"], r["cells"], r["logic_um2"], r["sram"]["bits"], r["sram"]["area_um2"], r["fmax_mhz"], p["logic_mm2"],
                     p["sram_mm2"], p["fmax_mhz"], p["clock_mhz"], r["margin"]["slack_ps"] if r["margin"] else None, p["power_mw"], p["gated_power_mw"],
                     r["fpga"]["lut6"] if r.get("fpga") else None,
                     f"{r['path']['start']} to {r['path']['end']}"))
    lines = ["# Synthesis", "", how(first), "", table(head, rows), ""]
    if papers:
        lines += ["## Beside the papers", "",
                  "Areas in mm2, power in mW, all instances together; power with every structure accessed in every clock, as the papers "
                  "assume. `model` is synth/sram.py on the paper's own size, `unit` our unit as synthesized.", "",
                  table(("claim", "structure", "nm", "paper bits", "unit bits", "paper area", "model area", "unit area", "paper power", "model power",
                         "unit power", "unit"),
                        [(c["claim"], c["structure"], c["node_nm"], c["paper_bits"], c["unit_bits"], c["paper_area_mm2"], c["model_area_mm2"],
                          c["unit_area_mm2"], c["paper_power_mw"], c["model_power_mw"], c["unit_power_mw"], c["unit"]) for c in papers]), ""]
        lines += ["Why our area is not the paper's: factors whose product is unit area / paper area. model: the SRAM model on the paper's own size; bits: "
                  "on as many bits as ours; shape: as our macros, with the paper's ports; ports: with ours; logic: what is not a macro.", "",
                  table(("claim", "structure", "nm", "unit / paper", "model", "bits", "shape", "ports", "logic"),
                        [(c["claim"], c["structure"], c["node_nm"], c["unit_area_mm2"] / c["paper_area_mm2"],
                          *(c["causes"].get(k) for k in ("model", "bits", "shape", "ports", "logic"))) for c in papers if c["causes"]]), ""]
    return "\n".join(lines)


def fpga_text(fpga):
    i = fpga["ice40"]
    if i["lut4"] is None:
        return f"{fpga['lut6']} six-input LUTs; {i['note']}"
    fits = f"{i['fmax_mhz']:.0f} MHz" if i["fmax_mhz"] else i["note"]
    return f"{fpga['lut6']} six-input LUTs; {i['lut4']} LUT4, {i['bram']} RAMs, {fits}"


def size_table(results, n, s):
    rows = [(key(r), r["cells"], r["flip_flops"], rams_text(r["sram"]["macros"]), f"{r['logic_um2'] / 1e6:.3f}", f"{r['sram']['area_um2'] / 1e6:.3f}",
             f"{r['scaled']['logic_mm2']:.4f}", f"{r['scaled']['sram_mm2']:.4f}") for r in results]
    return table(("unit", "cells", "flip-flops", "RAM", f"logic mm2 ({n})", f"SRAM mm2 ({n})", f"logic mm2 ({s})", f"SRAM mm2 ({s})"), rows)


def clock_table(results, n):
    rows = []
    for r in results:
        m = r["margin"]
        rows.append((key(r), f"{m['clock_mhz']:.0f}", m["node_nm"], f"{m['fmax_mhz']:.0f}", f"{m['slack_ps']:+.0f}", f"{m['period_fo4']:.1f}", f"{m['path_fo4']:.1f}",
                     f"{r['fmax_mhz']:.0f}", len(r["ram_paths"]) or "none"))
    return table(("unit", "clock MHz", "at nm", "Fmax MHz there", "slack ps", "clock FO4", "path FO4", f"Fmax MHz ({n})", "RAM to RAM"), rows)


def power_table(results, s):
    rows = []
    for r in results:
        p, scaled = r["power"], r["scaled"]
        g = p["gating"] if p else None
        power = f"{scaled['power_mw']:.1f}" if p else r["no_power"] or "not run"
        gated = f"{scaled['gated_power_mw']:.1f}" if scaled["gated_power_mw"] is not None else ""
        share = (f"{g['clock_mw'] / p['logic_mw']:.0%}", f"{g['gated_clock_mw'] / g['clock_mw']:.0%}", f"{g['gated_flip_flops']} of {g['flip_flops']}",
                 f"{g['idle_share']:.0%}") if g else ("", "", "", "")
        rows.append((key(r), f"{scaled['clock_mhz']:.0f}", power, gated, *share))
    return table(("unit", "MHz", f"power mW ({s})", "with clock gates", "clock pins of the logic's power", "clock pins left by gates", "flip-flops gated",
                  "idle"), rows)


def results_markdown(results):
    """For synth/tables.txt: sizes, clocks, power, critical paths, what the other checks say."""
    n, s = results[0]["node_nm"], results[0]["scaled"]["node_nm"]
    results = sorted(results, key=key)
    checks = [(key(r), f"{r['gate']['known_values']:,} in {r['gate']['cycles']:,} cycles" if r.get("gate") else "not run") for r in results]
    return "\n".join([size_table(results, n, s), "", clock_table(results, n), "", power_table(results, s), "", f"Critical paths ({n} nm):", "",
                      *(wrapped(f"- {key(r)}: {r['critical_path']}", "  ") for r in results), "",
                      table(("unit", "gate-level check, known output values, all equal"), checks)])


def routed_markdown(results):
    """For synth/tables.txt: the layouts of those units that were placed and routed, beside the same netlist without wires and clock tree."""
    rows = []
    for r in sorted((r for r in results if "route" in r), key=key):
        f = r["route"]
        hold = f["ns"]["tree"].get("hold hold")
        rows.append((key(r), f"{f['cells_um2'] / 1e6:.4f}", f"{f['die_um2'] / 1e6:.4f}", f"{f['wire_um'] / 1000:.1f}", " + ".join(map(str, f["levels"])),
                     "none" if hold is None else f"{hold:+.3f}", f"{f['mhz']['bare']:.0f}", f"{f['mhz']['routed']:.0f}",
                     *layout.cell(f["layout"]), f"{f['mhz']['bare'] / f['mhz']['routed']:.2f}"))
    return table(("unit", "cells mm2", "layout mm2", "wires mm", "clock buffers", "hold slack ns", "MHz without wires", "MHz routed", "broken rules", "netlist",
                  "times the period"), rows)


def fpga_markdown(results):
    return table(("unit", "FPGA"), [(key(r), fpga_text(r["fpga"])) for r in sorted(results, key=key)])


def causes_markdown(papers):
    """Areas beside the papers', and the factors between them."""
    form = lambda value: None if value is None else f"{value:.3g}"
    known = [c for c in papers if c["causes"]]
    areas = table(("claim", "structure", "nm", "paper bits", "unit bits", "paper mm2", "unit mm2", "unit / paper", "variant mm2", "variant / paper"),
                  [(c["claim"], c["structure"], c["node_nm"], c["paper_bits"], c["unit_bits"], c["paper_area_mm2"], form(c["unit_area_mm2"]),
                    form(c["unit_area_mm2"] / c["paper_area_mm2"]), form(c["variant_mm2"]), form(c["variant_mm2"] and c["variant_mm2"] / c["paper_area_mm2"]))
                   for c in known])
    factors = table(("structure", "nm", "model", "bits", "shape", "ports", "logic"),
                    [(c["structure"], c["node_nm"], *(form(c["causes"].get(k)) for k in ("model", "bits", "shape", "ports", "logic"))) for c in known])
    return f"{areas}\n\n{factors}"


def items(block):
    """Head and items of a table or of a list with a line of its own per item: [head lines], [item of one or more lines]."""
    lines = block.split("\n")
    if lines[0].startswith("|"):
        return lines[:2], lines[2:]
    return [], re.split(r"\n(?=- )", block)


def item_key(item, cells):
    """What an item is about: its first cells, or what stands before the colon."""
    return tuple(item.split("|")[1:1 + cells]) if item.startswith("|") else item.split(":")[0]


def merged(old, new, last):
    """A section of which some units were made anew: tables and lists of `new`, and those items of `old` that it does not have. A row is about its cells
    up to the column `last`. Rows of units are sorted, others stay where they were."""
    old_blocks, new_blocks = old.strip("\n").split("\n\n"), new.strip("\n").split("\n\n")
    if len(old_blocks) != len(new_blocks):
        raise Failed("the page's section has another shape; make it anew for all units", 2)
    blocks = []
    for before, now in zip(old_blocks, new_blocks):
        (head, rows), (old_head, old_rows) = items(now), items(before)
        if head != old_head:
            raise Failed("a table of the page has other columns; make it anew for all units", 2)
        cells = head[0].split(" | ").index(last) + 1 if head and last != "unit" else 1
        by_key = {item_key(row, cells): row for row in old_rows + rows}
        blocks.append("\n".join(head + [by_key[k] for k in (sorted(by_key) if last == "unit" else by_key)]))
    return "\n\n".join(blocks)


def section(page, name):
    """What stands between <!-- NAME --> and <!-- end of NAME -->."""
    text, begin, end = page.read_text(), f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise Failed(f"{page}: no section '{begin.strip()}' ... '{end}'", 2)
    return text[text.index(begin) + len(begin):text.index(end)]


FOLDER = re.compile(r"(?<![\w.)])/[\w.-]+/\S*")  # an absolute path; no "mm2 / paper", no "a/b"


def rewrite(page, sections):
    """Puts each section of the page, between <!-- NAME --> and <!-- end of NAME -->, anew. Paths of this machine are refused."""
    text = page.read_text()
    for name, lines in sections.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        section(page, name)
        folder = FOLDER.search(lines)
        if folder:
            raise Failed(f"{page}: a result names {folder.group(0)}, a path of this machine")
        text = text[:text.index(begin) + len(begin)] + lines + "\n" + text[text.index(end):]
    write(page, text)


def macros_of(result, part):
    """The RAM macros that a line of claims.csv means: all, or with part "rows=N" those of N rows."""
    rows = int(part.partition("=")[2]) if part.startswith("rows=") else None
    return [m for m in result["sram"]["macros"] if rows in (None, m["rows"])]


def storage_line(result, node_nm, part, instances, clock_mhz):
    """(mm2, mW) of a unit at a paper's node, every macro read and written in half of the clocks each: one access per clock. No power at a clock that
    the macros, or with part all the unit, do not reach."""
    area = power = access_ns = 0.0
    for m in macros_of(result, part):
        e = compiler.estimate(sram.Macro(m["rows"], m["width"], m["ports"]), node_nm)
        area, access_ns = area + m["count"] * e.area_um2 / 1e6, max(access_ns, e.access_ns)
        power += m["count"] * ((e.read_pj + e.write_pj) / 2 * clock_mhz * 1e-3 + e.leakage_uw / 1e3)
    if part == "all":
        factors = tools.scale(result["node_nm"], node_nm)
        area += result["logic_um2"] / 1e6 * factors.area
        logic = result["power"]
        power += logic["logic_mw"] / logic["clock_mhz"] * clock_mhz * factors.energy if logic else 0.0
        access_ns = max(access_ns, 1000 * factors.delay / result["fmax_mhz"])
    return area * instances, power * instances if access_ns * clock_mhz <= 1000 else None


def beside_papers(results):
    """All claims with a published row; the unit's columns where a unit at its defaults answers to it."""
    with CLAIMS.open() as file:
        claims = list(csv.DictReader(line for line in file if not line.startswith("#")))
    published = {row["id"]: row for row in sram.published()}
    by_unit, factors = {r["unit"]: r for r in results if not r["settings"] and r["node_nm"] == 180}, sram.load_factors()
    return [claim_line(claim, published.get(claim["published"]), by_unit.get(claim["unit"]), factors) for claim in claims]


def variant(claim, row, result, factors):
    """mm2 of the macros that would meet the paper's line, or None where ours do: the paper's bits, in macros of our width, with the paper's ports."""
    macros, count = macros_of(result, claim["part"]), int(claim["instances"])
    if not macros:
        return None
    bits = row["bytes"] * 8 * row["instances"] / count
    share = bits / sum(m["count"] * m["rows"] * m["width"] for m in macros)
    area = sum(m["count"] * compiler.estimate(sram.Macro(max(1, math.ceil(m["rows"] * share)), m["width"], row["ports"]), row["node_nm"], factors).area_um2
               for m in macros)
    return area * count / 1e6


def causes(claim, row, result, factors):
    """Why our area is not the paper's: factors whose product is unit area / paper area, each from a calculation. model: synth/sram.py on the paper's
    own size; bits: on ours; shape: as our macros, with the paper's ports; ports: with ours; logic: what is not a macro."""
    macros, count = macros_of(result, claim["part"]), int(claim["instances"])
    bits = sum(m["count"] * m["rows"] * m["width"] for m in macros) * count
    steps = [("paper", row["area_mm2"]), ("model", sram.of_row(row, factors)[0])]
    if macros:
        grown = {**row, "bytes": bits / 8 / row["instances"]}
        steps.append(("bits", sram.of_row(grown, factors)[0]))
        for cause, ports_of in (("shape", lambda m: row["ports"]), ("ports", lambda m: m["ports"])):
            area = sum(m["count"] * compiler.estimate(sram.Macro(m["rows"], m["width"], ports_of(m)), row["node_nm"], factors).area_um2 for m in macros)
            steps.append((cause, area * count / 1e6))
    if claim["part"] == "all":
        steps.append(("logic", storage_line(result, row["node_nm"], "all", count, row["clock_mhz"])[0]))
    return {cause: area / before for (cause, area), (_, before) in zip(steps[1:], steps)}


def claim_line(claim, row, result, factors):
    """One line of the table: row is the paper's structure or None for a storage figure, result our unit or None."""
    line = {"claim": claim["claim"], "published": claim["published"], "structure": claim["structure"], "node_nm": None,
            "paper_bits": int(claim["bits"]) if claim["bits"] else None,
            "paper_area_mm2": None, "paper_power_mw": None, "model_area_mm2": None, "model_power_mw": None, "unit": claim["unit"], "unit_bits": None,
            "unit_area_mm2": None, "unit_power_mw": None, "causes": {}, "variant_mm2": None}
    if row:
        area, dynamic, leak = sram.of_row(row, factors)
        line.update(structure=row["structure"], node_nm=row["node_nm"], paper_bits=row["bytes"] * 8 * row["instances"],
                    paper_area_mm2=row["area_mm2"], paper_power_mw=row["power_mw"], model_area_mm2=area, model_power_mw=dynamic + leak)
    if result:
        flops = result["flip_flops"] if claim["part"] == "all" else 0
        bits = sum(m["count"] * m["rows"] * m["width"] for m in macros_of(result, claim["part"]))
        line["unit_bits"] = (bits + flops) * int(claim["instances"])
    if row and result:
        line["causes"], line["variant_mm2"] = causes(claim, row, result, factors), variant(claim, row, result, factors)
        line["unit_area_mm2"], line["unit_power_mw"] = storage_line(result, row["node_nm"], claim["part"], int(claim["instances"]), row["clock_mhz"])
    return line


# ------------------------------------------------------------------------------------------- regression

def key(result):
    return " ".join([result["unit"]] + [f"{k}={v}" for k, v in result["settings"].items()])


def without_reference(all_units, reference):
    """Units that the check would pass over."""
    return [stem for stem in all_units if " ".join([stem, *units.STANDARD.get(stem, [])]) not in reference]


def rams_text(macros):
    """4 x 256x123 (1R1W)"""
    ports = {1: "1RW", 2: "1R1W"}
    return ", ".join(f"{m['count']} x {m['rows']}x{m['width']} ({ports.get(m['ports'], str(m['ports']) + ' ports')})" for m in macros) or "none"


def figures(result):
    """What reference.json keeps of a unit. COMPARED are checked; the others are for datasheets and the history."""
    m, s, power = result["margin"], result["scaled"], result["scaled"]["power_mw"]
    kept = {"logic_um2": round(result["logic_um2"], 1), "sram_um2": round(result["sram"]["area_um2"], 1), "fmax_mhz": round(result["fmax_mhz"], 2),
            "cells": result["cells"], "flip_flops": result["flip_flops"], "rams": rams_text(result["sram"]["macros"]),
            "ram_paths": len(result["ram_paths"]), "area_mm2": round(s["logic_mm2"] + s["sram_mm2"], 5), "area_node_nm": s["node_nm"], **result["budget"],
            "library": f"{result['library']}, {result['node_nm']} nm", "logic_shrink": round(1e-6 * result["logic_um2"] / s["logic_mm2"], 1), **result["made"]}
    if result["power"]:
        kept.update(logic_mw=round(result["power"]["logic_mw"], 3), logic_mw_mhz=round(result["power"]["clock_mhz"], 2))
    if m:
        kept.update(clock_mhz=m["clock_mhz"], node_nm=m["node_nm"], source=m["source"], scaled_fmax_mhz=round(m["fmax_mhz"], 1),
                    slack_ps=round(m["slack_ps"], 1), path_fo4=round(m["path_fo4"], 1), period_fo4=round(m["period_fo4"], 1))
    if power is not None:
        kept.update(power_mw=round(power, 2), sram_energy=round(sram.load_factors().energy, 4))
        kept.update({name: round(s[name], 2) for name in ("gated_power_mw", "idle_mw", "idle_gated_mw") if s.get(name) is not None})
        kept.update({name: round(s[name], 3) for name in ("load", "instances") if s.get(name) is not None})
    return kept


COMPARED = ("logic_um2", "sram_um2", "fmax_mhz")


def datasheet_table(name, kept):
    """What a unit is in silicon, from its entry of reference.json."""
    return table(("`cowarp synth`, estimates", ""), datasheet.rows(name, kept))


def regressions(results, reference):
    """Lines for figures that moved beyond the allowed share, in either direction: an unexpected gain is also worth a look."""
    out = []
    for result in results:
        old = reference.get(key(result))
        if old is None:
            continue
        for name, new in ((name, figures(result)[name]) for name in COMPARED):
            allowed = FMAX_SHARE if name == "fmax_mhz" else AREA_SHARE
            if name == "fmax_mhz" and any(old.get(share) != value for share, value in result["budget"].items()):
                continue  # of another budget for inputs and outputs
            base = old[name]
            change = (new - base) / base if base else float(new != base)
            if abs(change) > allowed:
                out.append(f"{key(result)}: {name} {base} -> {new} ({change:+.1%}, allowed {allowed:.0%})")
    return out


def load_reference(path=REFERENCE):
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text())
    except ValueError as bad:
        raise Failed(f"{path}: {bad}; renew it with --renew-reference", 2) from None
    if not isinstance(found, dict) or not all(isinstance(entry, dict) for entry in found.values()):
        raise Failed(f"{path}: holds no object of objects; renew it with --renew-reference", 2)
    return found


def renew(results, path=REFERENCE):
    reference = load_reference(path)
    reference.update({key(r): figures(r) for r in results})
    write(path, json.dumps(dict(sorted(reference.items())), indent=2) + "\n")
    return reference
