#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The papers' areas and powers beside ours, from reference.json, as JSON; no tool is run. `cowarp reproduce --claims` judges them (experiments/silicon.py).

Ours are the RAMs and gates that synthesis found in a unit's Verilog: their number, size and ports. No size comes from a paper's table, and the SRAM model's
area and energy are fitted to macros that exist (sram.py). A structure that no unit holds has nothing of ours but the model, and is no claim."""
import json
import math
import sys

sys.dont_write_bytecode = True
import chip
import report
import sram

LINES = ("area.getm.precise", "area.getm.approx", "area.getm.stall", "area.wtm.lwhr_tables", "area.wtm.lwhr_filters", "area.wtm.firstread",
         "area.wtm.lastwrite", "area.eapg.cat", "area.eapg.rct")
# A sum that has lines without a unit: those with one are the least that it can be.
TOTALS = {"area.getm.total": ("getm.",), "area.warptm.total": ("wtm.",), "area.eapg.total": ("wtm.", "eapg.")}
SNAPSHOT = ("si.writer", "si.timestamps", "si.versions", "si.readers")
TCD = ("tcd.firstread", "tcd.lastwrite")
NO_UNIT = ("area.getm.cu", "area.getm.warpts", "area.wtm.entries", "area.wtm.rwbuf", "kilo.area")
# Ratios of TOTALS, and a share of a die. 73 percent of GETM's area in the paper and 80 of WarpTM's are lines without a unit, so ours would be of other things.
OF_TOTALS = ("area.ratio.warptm", "area.ratio.eapg", "area.getm.die")
ENTRY_BITS, SM_KBYTES, L1_KBYTES = 44, 2.0, 64  # SBRP section 6


def stored(name, entry):
    """An entry of reference.json as what report.py takes for a result."""
    macros = [{"count": count, "rows": macro.rows, "width": macro.width, "ports": macro.ports} for count, macro in chip.macros(entry["rams"])]
    power = {"logic_mw": entry["logic_mw"], "clock_mhz": entry["logic_mw_mhz"]} if "logic_mw" in entry else None
    return {"unit": name, "settings": {}, "node_nm": 180, "logic_um2": entry["logic_um2"], "fmax_mhz": entry["fmax_mhz"], "flip_flops": entry["flip_flops"],
            "power": power, "sram": {"macros": macros}}


def lines(reference):
    """{(claim, line of published_sram.csv): line of report.beside_papers} of the structures that a unit holds."""
    found = report.beside_papers([stored(name, entry) for name, entry in reference.items()])
    return {(line["claim"], line["published"]): line for line in found if line["unit_area_mm2"] is not None and line["published"]}


def numbers(line, side):
    """(mm2, mW) of one side of a line; NaN: its macros do not reach the paper's clock."""
    return line[f"{side}_area_mm2"], math.nan if line[f"{side}_power_mw"] is None else line[f"{side}_power_mw"]


def total(found, side):
    return tuple(map(sum, zip(*(numbers(line, side) for line in found))))


def pairs_of(found):
    """[(ours, the paper's)] of area and power of each line, and ours as text."""
    pairs = [pair for line in found for pair in zip(numbers(line, "unit"), numbers(line, "paper"))]
    return pairs, "; ".join("{}/{}".format(*map(short, numbers(line, "unit"))) for line in found)


def short(value):
    return "-" if math.isnan(value) else f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def persist_buffer(reference):
    """Bits of an entry, KB of a core's buffer and masks, and their percent of its L1."""
    buffer, masks = reference["persist_buffer"], reference["order_masks"]
    macros = chip.macros(buffer["rams"])
    rows = max(macro.rows for _, macro in macros)
    entry = sum(count * macro.width for count, macro in macros if macro.rows == rows)
    kbytes = (sum(count * macro.rows * macro.width for count, macro in macros) + buffer["flip_flops"] + masks["flip_flops"]) / 8192
    percent = 100 * kbytes / L1_KBYTES
    return [(entry, ENTRY_BITS), (kbytes, SM_KBYTES), (percent, 100 * SM_KBYTES / L1_KBYTES)], f"{entry} bits, {kbytes:.3g} KB, {percent:.3g} percent"


def papers_total(kinds):
    """(mm2, mW) of a sum in the paper's table."""
    rows = [row for row in sram.published() if row["id"].startswith(kinds)]
    return sum(row["area_mm2"] for row in rows), sum(row["power_mw"] for row in rows)


def at_least(by, kinds):
    """What units hold of a sum beside the paper's sum; None where that decides nothing, because it is not more than 1.15 times all of it."""
    ours, paper = total([line for (name, published), line in by.items() if name.startswith("area.") and published.startswith(kinds)], "unit"), papers_total(kinds)
    decides = any(mine > 1.15 * all_of_it for mine, all_of_it in zip(ours, paper))
    return (list(zip(ours, paper)), "at least {}/{}".format(*map(short, ours))) if decides else None


def measured(reference):
    """{claim: ([(ours, the paper's), ...], ours as text)}."""
    by = lines(reference)
    found = {claim: pairs_of([line for (name, _), line in by.items() if name == claim]) for claim in LINES}
    found |= {claim: at_least(by, kinds) for claim, kinds in TOTALS.items()}
    tcd = [by["tab6.3.power", name] for name in TCD]
    ours = total(tcd, "unit")
    found["tab6.3.power"] = list(zip(ours, total(tcd, "paper"))), "TCD {}/{}".format(*map(short, ours))
    found["si.area"] = pairs_of([by["si.area", name] for name in SNAPSHOT])
    found["sbrp.area"] = persist_buffer(reference)
    return {claim: what for claim, what in found.items() if what is not None}


def main():
    known = lambda value: None if math.isnan(value) else value
    told = {claim: {"pairs": [[known(mine), paper] for mine, paper in pairs], "text": text} for claim, (pairs, text) in measured(report.load_reference()).items()}
    print(json.dumps({"claims": told, "no_unit": NO_UNIT + OF_TOTALS}))


if __name__ == "__main__":
    main()
