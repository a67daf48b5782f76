# SPDX-License-Identifier: Apache-2.0
"""Which RAM macros can be bought, and how a RAM of another size is put together from them.

A memory compiler sells macros whose rows are a multiple of a step, within limits that depend on the column multiplexing. The table has the limits of
the two-port register-file compiler and of the SRAM compiler of one vendor for a 40 nm process, as public RTL projects' wrapper generators state
them; the same vendor's compilers for 28 and 16 nm differ in the last rows and bits only. There are macros of one port that reads or writes,
and of one read and one write port; nobody sells more ports. A RAM of another size is split in width and depth into equal macros and padded up to the next step; of
all ways to do so the one with the least area counts."""
import math
from dataclasses import dataclass

import sram


@dataclass(frozen=True)
class Family:
    """Limits of a compiler at one column multiplexing."""
    name: str
    mux: int
    rows_min: int
    rows_max: int
    rows_step: int
    width_max: int
    width_min: int = 4


FAMILIES = (Family("register file", 1, 8, 256, 2, 288), Family("register file", 2, 16, 512, 4, 144), Family("register file", 4, 32, 1024, 8, 72),
            Family("SRAM", 4, 64, 2048, 16, 144), Family("SRAM", 8, 128, 4096, 32, 72), Family("SRAM", 16, 256, 8192, 64, 36))
PORTS_MAX = 2
# A register file of flip-flops, per bit: the flip-flop, the multiplexer that keeps its value, and its share of the read port's multiplexer tree.
REGISTER_CELLS = (("flop", 1.0), ("mux", 2.0))


@dataclass(frozen=True)
class Plan:
    """across x down macros of one shape stand for a RAM."""
    macro: sram.Macro
    family: Family
    across: int
    down: int

    @property
    def count(self):
        return self.across * self.down

    def padding(self, asked):
        """Bits bought and not asked for, as a share of those asked for."""
        return self.count * self.macro.rows * self.macro.width / (asked.rows * asked.width) - 1


def fitted(asked, family):
    across, down = math.ceil(asked.width / family.width_max), math.ceil(asked.rows / family.rows_max)
    width = max(family.width_min, math.ceil(asked.width / across))
    rows = max(family.rows_min, math.ceil(math.ceil(asked.rows / down) / family.rows_step) * family.rows_step)
    return Plan(sram.Macro(rows, width, asked.ports), family, across, down)


def plan(asked):
    """The macros with the least area in which a RAM fits. Area is compared at 180 nm; the order is the same at each node."""
    plans = [fitted(asked, family) for family in FAMILIES]
    return min(plans, key=lambda p: p.count * sram.estimate(p.macro, 180).area_um2)


def estimate(asked, node_nm, factors=None):
    """As sram.estimate, for the macros that stand for the RAM. Only one of the macros that are stacked in depth is accessed; a multiplexer of two FO4 per
    doubling chooses its output."""
    p = plan(asked)
    e = sram.estimate(p.macro, node_nm, factors)
    choose_ns = 2 * sram.fo4_ps(node_nm) / 1e3 * math.ceil(math.log2(p.down)) if p.down > 1 else 0.0
    return sram.Estimate(p.count * e.area_um2, e.access_ns + choose_ns, p.across * e.read_pj, p.across * e.write_pj, p.count * e.leakage_uw,
                         e.words_per_row)


def note(asked):
    """What stands in the report when the RAM is not a macro as it is, or ''."""
    if asked.ports > PORTS_MAX:
        return f"{asked.ports} ports: nobody sells that"
    p = plan(asked)
    if p.count == 1 and (p.macro.rows, p.macro.width) == (asked.rows, asked.width):
        return ""
    return f"{p.count} x {p.macro.rows}x{p.macro.width}, {p.padding(asked):.0%} padding"


def register_um2(asked, roles):
    """Area of the same RAM from flip-flops of a standard-cell library, whose roles liberty.Library has; None when one is missing."""
    if any(name not in roles for name, _ in REGISTER_CELLS):
        return None
    return asked.rows * asked.width * sum(roles[name] * times for name, times in REGISTER_CELLS)


def problem(shape):
    """One line when no compiler sells such a RAM in any number of pieces, or None."""
    if shape["ports"] > PORTS_MAX:
        return f"RAM {shape['name']} has {shape['ports']} ports; macros have one, or one to read and one to write"
    return None
