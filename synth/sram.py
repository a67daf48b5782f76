#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An analytic model of SRAM macros: area, access time, energy per read and write, and leakage from rows, width, ports, banks and node.

The model is an ESTIMATE. Its equations stand in the functions below, its constants above them and in calibration.json. `sram.py --calibrate` fits
two factors (area, energy) to macros that exist, the rows marked `fit` in existing_sram.csv. So what a paper says of its memories is no input of what
the model says of ours. The third (leakage) is fitted to the papers' CACTI rows marked `fit` in published_sram.csv: the macros are of a process that
hardly leaks. `sram.py --errors` compares the model with the other halves.

Symbols: F feature size, R rows and C columns of a bank, p ports, m words per row (column multiplexing).

  cell         w = (14.6 + 8 (p - 1)) F,  h = (10 + 4 (p - 1)) F           146 F2 for one port (6 transistors); a port adds one word line
                                                                          and two bit lines at a wire pitch of 4 F
  bank         (C w + p (40 + 12 log2 R) F) (R h + p (60 + 12 m) F) + 6000 p F2   decoder and drivers beside the array, precharge, sense
                                                                          amplifiers and column multiplexer below it, control
  macro area   k_area * banks * bank                                       m is the power of two with the smallest bank
  access time  FO4 (2 + 1.3 log2 R) + 0.38 r c (C w)^2 + C_bl dV / I_cell + 2 FO4 (sense) + 2 FO4 (output) + FO4 log4 banks
  C_bl         R (c_drain + c_wire h);  dV = V / 10;  FO4 = 0.38 ps per nm of F
  read         k_energy (C_wl V^2 + C C_bl V dV + width (C_out + C_sa) V^2 + E_dec)
  write        k_energy (C_wl V^2 + width C_bl V^2 + (C - width) C_bl V dV + width C_sa V^2 + E_dec)
  leakage      k_leak bits (1 + 0.3 (p - 1)) I_leak V * 1.3                the periphery leaks 30 % of the cells
"""
import argparse
import csv
import json
import math
import pathlib
import statistics
import sys
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
CALIBRATION = HERE / "calibration.json"
PUBLISHED = HERE / "published_sram.csv"
EXISTING, EXISTING_NM, EXISTING_VOLT = HERE / "existing_sram.csv", 130, 1.2


@dataclass(frozen=True)
class Node:
    """One technology: supply V, wire capacitance fF/um and resistance ohm/um at minimum pitch, cell read current uA, cell leakage nA."""
    volt: float
    wire_ff_um: float
    wire_ohm_um: float
    cell_ua: float
    leak_na: float


# Supply voltages are the nodes' nominal ones. Wire capacitance hardly scales; resistance goes with the inverse of the cross-section. Cell
# current and leakage (300-350 K, high-performance transistors) are of the order that the ITRS tables give; I_leak is what k_leak corrects.
NODES = {
    500: Node(5.0, 0.20, 0.08, 250.0, 0.0001),
    350: Node(3.3, 0.20, 0.12, 190.0, 0.0005),
    180: Node(1.8, 0.20, 0.40, 110.0, 0.01),
    130: Node(1.3, 0.20, 0.70, 85.0, 0.5),
    90: Node(1.2, 0.19, 1.2, 65.0, 4.0),
    65: Node(1.1, 0.19, 2.2, 50.0, 8.0),
    45: Node(1.0, 0.18, 4.0, 38.0, 15.0),
    40: Node(1.0, 0.18, 4.8, 35.0, 18.0),
    32: Node(0.9, 0.18, 7.5, 30.0, 25.0),
}

CELL_W, CELL_H, PORT_W, PORT_H = 14.6, 10.0, 8.0, 4.0  # in F
FO4_PS_PER_NM = 0.38                                   # delay of an inverter that drives four like it
DRAIN_FF_PER_NM = 0.0015   # bit-line junction of one access transistor
GATE_FF_PER_NM = 0.0030    # word-line load of one cell: two access gates
SENSE_FF_PER_NM = 0.10     # sense amplifier, column multiplexer and latch of one bit
OUT_FF_PER_NM = 0.20       # output driver and wire of one bit
DECODE_FF_PER_NM = 0.40    # per address bit


def fo4_ps(node_nm):
    """Fan-out-of-4 delay: the unit in which path and clock are counted, and the measure by which logic is scaled (tools.py)."""
    return FO4_PS_PER_NM * node_nm


@dataclass(frozen=True)
class Macro:
    """What to build. rows and width are of the whole macro (all banks together, each access touches all of them)."""
    rows: int
    width: int
    ports: int = 1
    banks: int = 1


@dataclass(frozen=True)
class Estimate:
    area_um2: float
    access_ns: float
    read_pj: float
    write_pj: float
    leakage_uw: float
    words_per_row: int


@dataclass(frozen=True)
class Factors:
    area: float = 1.0
    energy: float = 1.0
    leakage: float = 1.0


def load_factors():
    data = json.loads(CALIBRATION.read_text())["factors"]
    return Factors(data["area"], data["energy"], data["leakage"])


def bank_area_f2(rows, columns, ports, mux):
    width = columns * (CELL_W + PORT_W * (ports - 1)) + ports * (40 + 12 * math.log2(max(rows, 2)))
    height = rows * (CELL_H + PORT_H * (ports - 1)) + ports * (60 + 12 * mux)
    return width * height + 6000 * ports


def shape(words, width, ports):
    """The column multiplexing with the smallest bank among 1, 2, 4, 8 words per row; not fewer than 4 rows unless there are fewer words."""
    choices = [m for m in (1, 2, 4, 8) if m == 1 or words / m >= 4]
    return min(choices, key=lambda m: bank_area_f2(math.ceil(words / m), width * m, ports, m))


def check(macro, node_nm):
    if node_nm not in NODES:
        raise ValueError(f"no SRAM constants for {node_nm} nm; there are {', '.join(map(str, sorted(NODES)))}")
    if macro.rows < 1 or macro.width < 1 or macro.ports < 1 or macro.banks < 1:
        raise ValueError(f"rows, width, ports and banks are at least 1, not {macro}")


def estimate(macro, node_nm, factors=None):
    check(macro, node_nm)
    factors = factors or load_factors()
    node, f_um = NODES[node_nm], node_nm / 1000.0
    # Each bank holds an equal share of the bits; an access reads width / banks bits of every bank.
    width = math.ceil(macro.width / macro.banks)
    mux = shape(macro.rows, width, macro.ports)
    rows, columns = math.ceil(macro.rows / mux), width * mux
    cell_w_um = (CELL_W + PORT_W * (macro.ports - 1)) * f_um
    cell_h_um = (CELL_H + PORT_H * (macro.ports - 1)) * f_um
    area = factors.area * macro.banks * bank_area_f2(rows, columns, macro.ports, mux) * f_um * f_um

    fo4 = fo4_ps(node_nm)
    c_bl = rows * (DRAIN_FF_PER_NM * node_nm + node.wire_ff_um * cell_h_um)              # fF
    c_wl = columns * (GATE_FF_PER_NM * node_nm + node.wire_ff_um * cell_w_um)
    swing = node.volt / 10.0
    length_um = columns * cell_w_um
    ps = fo4 * (2 + 1.3 * math.log2(max(rows, 2)))
    ps += 0.38 * node.wire_ohm_um * length_um * c_wl * 1e-3                              # ohm fF = 1e-3 ps
    ps += c_bl * swing / node.cell_ua * 1e3                                              # fF V / uA = 1e-9 s
    ps += 4 * fo4 + fo4 * math.log(max(macro.banks, 1), 4)

    v2 = node.volt * node.volt
    decode = DECODE_FF_PER_NM * node_nm * math.log2(max(rows, 2)) * v2
    sense = SENSE_FF_PER_NM * node_nm * v2
    read = c_wl * v2 + columns * c_bl * node.volt * swing + width * (OUT_FF_PER_NM * node_nm * v2 + sense) + decode
    write = c_wl * v2 + width * c_bl * v2 + (columns - width) * c_bl * node.volt * swing + width * sense + decode
    scale = factors.energy * macro.banks * 1e-3                                          # fJ to pJ
    bits = macro.rows * macro.width
    leak_uw = factors.leakage * bits * (1 + 0.3 * (macro.ports - 1)) * node.leak_na * node.volt * 1.3 * 1e-3
    return Estimate(area, ps / 1e3, read * scale, write * scale, leak_uw, mux)


# ------------------------------------------------------------------------------------------- against the papers

def published():
    with PUBLISHED.open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    for row in rows:
        for key in ("node_nm", "instances", "bytes", "banks", "width_bits", "ports", "static"):
            row[key] = int(row[key])
        for key in ("clock_mhz", "area_mm2", "power_mw"):
            row[key] = float(row[key]) if row[key] else None
    return rows


def macro_of(row):
    """The macro that a published row describes; each bank holds bytes / banks."""
    words = max(1, round(row["bytes"] * 8 / row["width_bits"]))
    return Macro(words, row["width_bits"], row["ports"], row["banks"])


def of_row(row, factors):
    """(area mm2, dynamic mW, leakage mW) of all instances; one access per cycle, which is what the papers assume."""
    e = estimate(macro_of(row), row["node_nm"], factors)
    access_pj = (e.read_pj + e.write_pj) / 2
    n = row["instances"]
    return n * e.area_um2 / 1e6, n * access_pj * row["clock_mhz"] * 1e-3, n * e.leakage_uw / 1e3 if row["static"] else 0.0


def log_mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values))


def fit(rows, macros):
    """Factors. Area and energy: the median of what the macros marked fit have over what the model says. Leakage: of the papers' rows marked fit, from the
    pair of a grid (energy in steps of 26, leakage of 12 percent) with the smallest sum of absolute log errors of power; the papers' energy is not used."""
    macros = [line for line in macros if line["use"] == "fit"]
    area, energy = (statistics.median(1 / line[f"{name}_ratio"] for line in macros) for name in ("area", "energy"))
    # Energy and leakage enter power linearly, so each row's share of both is needed only once.
    shares = [(of_row(r, Factors())[1:], r["power_mw"]) for r in rows if r["use"] == "fit" and r["power_mw"]]
    grid = [(10 ** (tick / 20), 10 ** (step / 10)) for step in range(-20, 21) for tick in range(-40, 41)]
    _, leakage = min(grid, key=lambda g: sum(abs(math.log((g[0] * dynamic + g[1] * leak) / paper)) for (dynamic, leak), paper in shares))
    return Factors(area, energy, leakage)


def comparison(rows, factors):
    out = []
    for row in rows:
        area, dynamic, leak = of_row(row, factors)
        out.append({"id": row["id"], "paper": row["paper"], "structure": row["structure"], "node_nm": row["node_nm"], "use": row["use"],
                    "area_mm2": area, "paper_area_mm2": row["area_mm2"], "area_ratio": area / row["area_mm2"],
                    "power_mw": dynamic + leak, "paper_power_mw": row["power_mw"],
                    "power_ratio": (dynamic + leak) / row["power_mw"] if row["power_mw"] else None, "note": row["note"]})
    return out


def spread(table, use, key):
    """Typical error as a factor: the geometric mean of max(r, 1/r), and the largest; and the bias, the geometric mean of r."""
    ratios = [line[key] for line in table if line["use"] == use and line[key]]
    off = [max(r, 1 / r) for r in ratios]
    return {"rows": len(ratios), "bias": log_mean(ratios), "typical": log_mean(off), "largest": max(off)}


def error_summary():
    table, macros = comparison(published(), load_factors()), existing(load_factors())
    summary = {f"{use}.{key}": spread(table, use, f"{key}_ratio") for use in ("fit", "test") for key in ("area", "power")}
    return table, {f"macros.{use}.{key}": spread(macros, use, f"{key}_ratio") for key in ("area", "energy") for use in ("fit", "test")} | summary


def existing(factors):
    """The rows of existing_sram.csv, and the model over them. Energy: of a read and a write, at the macros' supply."""
    found, volts = [], (EXISTING_VOLT / NODES[EXISTING_NM].volt) ** 2
    with EXISTING.open() as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            macro = Macro(int(row["rows"]), int(row["width"]), int(row["ports"]))
            e, area, energy = estimate(macro, EXISTING_NM, factors), float(row["area_um2"]), float(row["read_pj"]) + float(row["write_pj"])
            found.append({"macro": macro, "use": row["use"], "area_um2": area, "area_ratio": e.area_um2 / area, "energy_pj": energy,
                          "energy_ratio": (e.read_pj + e.write_pj) * volts / energy})
    return found


def errors_markdown():
    table, summary = error_summary()
    lines = ["| row | paper | nm | half | area mm2 | paper | ratio | power mW | paper | ratio |", "|---|---|---|---|---|---|---|---|---|---|"]
    for t in table:
        power = (f"{t['paper_power_mw']:.4g}", f"{t['power_ratio']:.2f}") if t["power_ratio"] else ("", "")
        lines.append(f"| {t['id']} | {t['paper']} | {t['node_nm']} | {t['use']} | {t['area_mm2']:.4g} | {t['paper_area_mm2']:.4g} | "
                     f"{t['area_ratio']:.2f} | {t['power_mw']:.4g} | {power[0]} | {power[1]} |")
    lines.append("")
    for name, s in summary.items():
        lines.append(f"- {name}: {s['rows']} rows, bias {s['bias']:.2f}, typically off by a factor of {s['typical']:.2f}, at most {s['largest']:.1f}")
    lines += ["", f"| existing macro, {EXISTING_NM} nm | ports | half | um2 | model / that | read and write pJ | model / that |", "|---|---|---|---|---|---|---|"]
    lines += [f"| {m['macro'].rows}x{m['macro'].width} | {m['macro'].ports} | {m['use']} | {m['area_um2']:.0f} | {m['area_ratio']:.2f} | "
              f"{m['energy_pj']:.4g} | {m['energy_ratio']:.2f} |" for m in existing(load_factors())]
    return "\n".join(lines)


def calibrate():
    factors = fit(published(), existing(Factors()))
    data = {"made_by": "synth/sram.py --calibrate", "from": "rows marked fit: area and energy in existing_sram.csv, leakage in published_sram.csv",
            "factors": {"area": round(factors.area, 4), "energy": round(factors.energy, 4), "leakage": round(factors.leakage, 4)}}
    CALIBRATION.write_text(json.dumps(data, indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser(description="SRAM macro estimates")
    parser.add_argument("--calibrate", action="store_true", help="fit the three factors again and write calibration.json")
    parser.add_argument("--errors", action="store_true", help="the model beside the papers' rows")
    parser.add_argument("--macro", metavar="ROWSxWIDTH[xPORTS[xBANKS]]", help="one macro")
    parser.add_argument("--node", type=int, default=32, help="nm (default 32)")
    args = parser.parse_args()
    if args.calibrate:
        calibrate()
    if args.errors:
        print(errors_markdown())
    if args.macro:
        try:
            e = estimate(Macro(*(int(v) for v in args.macro.split("x"))), args.node)
        except (ValueError, TypeError) as bad:
            print(f"sram.py: --macro {args.macro}: {bad}", file=sys.stderr)
            return 2
        print(f"area {e.area_um2:.1f} um2, access {e.access_ns:.3f} ns, read {e.read_pj:.3f} pJ, write {e.write_pj:.3f} pJ, "
              f"leakage {e.leakage_uw:.3f} uW, {e.words_per_row} words per row (estimate, {args.node} nm)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
