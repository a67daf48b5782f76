# SPDX-License-Identifier: Apache-2.0
"""Does a unit reach the clock of its contract, by how much, and does no path lead from a RAM to a RAM within one cycle?"""
import csv
import pathlib
import re

import compiler
import sram
import words

MISSES = pathlib.Path(__file__).resolve().parent / "misses.csv"
SHOWN = 4  # groups of paths between RAMs that are listed


def margin(clock, node_nm, fmax_mhz):
    """Period and critical path at the contract's node, in ps and in fan-out-of-4 delays (FO4). slack_ps < 0: the unit misses its clock."""
    fo4 = sram.fo4_ps(node_nm)
    period, path = 1e6 / clock.mhz, 1e6 / fmax_mhz
    return {"clock_mhz": clock.mhz, "node_nm": node_nm, "source": clock.source, "fmax_mhz": fmax_mhz, "fo4_ps": fo4, "period_ps": period,
            "path_ps": path, "slack_ps": period - path, "period_fo4": period / fo4, "path_fo4": path / fo4}


def met(m):
    return m is None or m["slack_ps"] >= 0


def sentence(m):
    verdict = "reached" if met(m) else "MISSED"
    return (f"clock {m['clock_mhz']:.0f} MHz at {m['node_nm']} nm {verdict}: Fmax {m['fmax_mhz']:.0f} MHz, slack {m['slack_ps']:+.0f} ps; "
            f"path {m['path_fo4']:.1f} FO4 of {m['period_fo4']:.1f}")


# ------------------------------------------------------------------------------------------- RAM to RAM

def is_ram(cell):
    return cell["type"].startswith("cw_ram_")


def readers(cells):
    """bit -> (instance, pin) that it goes into."""
    found = {}
    for instance, cell in cells.items():
        for pin, bits in cell["connections"].items():
            if cell["port_directions"][pin] == "input":
                for bit in bits:
                    found.setdefault(bit, []).append((instance, pin))
    return found


def outputs(cell):
    return [bit for pin, bits in cell["connections"].items() if cell["port_directions"][pin] == "output" for bit in bits if isinstance(bit, int)]


def reached_rams(cells, into, start, flops):
    """(instance, pin) -> bits of RAM inputs that the RAM's output reaches through gates alone."""
    found, seen, open_bits = {}, set(), outputs(cells[start])
    while open_bits:
        bit = open_bits.pop()
        if bit in seen:
            continue
        seen.add(bit)
        for instance, pin in into.get(bit, ()):
            cell = cells[instance]
            if is_ram(cell):
                found.setdefault((instance, pin), set()).add(bit)
            elif cell["type"] not in flops:
                open_bits += outputs(cell)
    return found


def alike(name):
    """Instances of one generate loop have one name."""
    return re.sub(r"\[\d+\]", "[*]", name)


def ram_paths(cells, flops):
    """Paths from a RAM's output to a RAM's address, data or enable in the mapped netlist; those between copies of a generate loop are one.
    Structural: a path counts even when no value of its inputs opens it, because a timing tool sees it too."""
    groups, into = {}, readers(cells)
    for start, cell in sorted(cells.items()):
        if is_ram(cell):
            for (end, pin), bits in sorted(reached_rams(cells, into, start, flops).items()):
                group = groups.setdefault((alike(start), alike(end), pin), {"start": start, "end": end, "pin": pin, "bits": 0, "pairs": 0})
                group["bits"], group["pairs"] = max(group["bits"], len(bits)), group["pairs"] + 1
    return list(groups.values())


def name_ram_paths(paths, graph):
    """Adds the RTL names of the nets on the way, from the unit before its gates were chosen."""
    for path in paths:
        cells = graph.module["cells"]
        starts, ends = set(outputs(cells[path["start"]])), cells[path["end"]]["connections"][path["pin"]]
        path["through"] = words.names_on(graph, graph.longest(starts, ends), ())
    return paths


def ram_path_sentence(path):
    times = f", {path['pairs']} such pairs of RAMs" if path["pairs"] > 1 else ""
    way = f" through {', '.join(path['through'])}" if path.get("through") else ""
    return f"from RAM {path['start']} to {path['pin']} of RAM {path['end']}{way} ({path['bits']} bits{times})"


def known_misses():
    """unit -> why it misses its clock at its default size, from misses.csv."""
    with MISSES.open(encoding="utf-8") as file:
        return {row["unit"]: row["why"] for row in csv.DictReader(line for line in file if not line.startswith("#"))}


def clock_problem(result, known):
    """One line when a unit misses its clock and is not among the known, or reaches it and is; or None."""
    m = result.get("margin")
    if not met(m):
        return None if result.get("unit") in known else sentence(m)
    if m and result.get("unit") in known:
        return f"{sentence(m)}; so it is no longer one that misses it: take it out of {MISSES.relative_to(MISSES.parents[1])}"
    return None


def problems(result, known=()):
    """One line for each rule of the flow that the unit breaks. known: units that are known to miss their clock."""
    lines = [line for line in (clock_problem(result, known),) if line]
    lines += [line for line in map(compiler.problem, result["sram"]["macros"]) if line]
    paths = result["ram_paths"]
    lines += [f"a path within one cycle {ram_path_sentence(path)}" for path in paths[:SHOWN]]
    if len(paths) > SHOWN:
        lines.append(f"{len(paths) - SHOWN} more paths from a RAM to a RAM; the unit's report has all")
    return lines
