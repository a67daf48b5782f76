# SPDX-License-Identifier: Apache-2.0
"""What a unit is in silicon, in a few lines, from its entry of reference.json. It needs no tool."""
import json
import pathlib

import sources
from units import STANDARD, Failed, discover

REFERENCE = pathlib.Path(__file__).resolve().parent / "reference.json"


def entry_of(stem, reference):
    """(name, figures) of a unit at the size that stands for it."""
    name = " ".join([stem, *STANDARD.get(stem, [])])
    if "slack_ps" not in reference.get(name, {}):
        raise Failed(f"{name}: not in the reference, or without a clock; run 'cowarp synth {stem} --renew-reference'")
    return name, reference[name]


def load():
    return json.loads(REFERENCE.read_text())


def rows(name, kept):
    """(what, value) of each line."""
    missed = "" if kept["slack_ps"] >= 0 else "; the unit misses its clock"
    settings = name.partition(" ")[2]
    found = [("size", settings)] if settings else []
    budget = f"inputs and outputs leave {kept['io']:.0%} of the clock to others, {kept['uncertainty']:.0%} for uncertainty" if "io" in kept \
        else "inputs and outputs have the whole clock; made before they had a budget"
    found += [("clock", f"{kept['clock_mhz']:.0f} MHz at {kept['node_nm']} nm ({kept['source']})"),
              ("Fmax", f"{kept['scaled_fmax_mhz']:.0f} MHz at {kept['node_nm']} nm, {kept['fmax_mhz']:.0f} MHz at 180 nm"),
              ("slack", f"{kept['slack_ps']:+.0f} ps: path of {kept['path_fo4']} FO4, clock of {kept['period_fo4']} FO4{missed}"),
              ("budget", budget),
              ("cells", f"{kept['cells']:,}, of these {kept['flip_flops']:,} flip-flops"), ("RAM", kept["rams"]),
              ("area", f"{kept['area_mm2']:.4f} mm2 at {kept['area_node_nm']} nm")]
    if kept.get("ram_paths"):
        found.append(("RAM to RAM", f"{kept['ram_paths']} paths within one cycle, which the flow refuses"))
    if "power_mw" in kept:
        gated = f"; {kept['gated_power_mw']} mW with clock gates" if "gated_power_mw" in kept else ""
        found.append(("power", f"{kept['power_mw']} mW at {kept['clock_mhz']:.0f} MHz, {kept['area_node_nm']} nm{gated}"))
    unit = discover().get(name.split()[0])
    older = "; older than the unit's Verilog" if unit and sources.is_older(unit, kept) else ""
    by = "; by scripts that were not recorded" if "scripts" not in kept else "; by older scripts" if kept["scripts"] != sources.scripts() else ""
    if "library" in kept:
        found.append(("made", f"{kept['date']}, {kept['library']}, logic shrunk {kept['logic_shrink']} times, Verilog of commit {kept['commit']}{older}{by}"))
    return found
