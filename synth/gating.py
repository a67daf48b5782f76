# SPDX-License-Identifier: Apache-2.0
"""What clock gating would save. Yosys 0.23 cannot insert clock gates, so they are modelled: flip-flops that Yosys found to have one enable are a group
behind one integrated clock gate, and how often the enable is 0 is counted, cycle by cycle, in the traces of the run.

A flip-flop that is cleared whether or not it is enabled needs its clock for both, so its clock gate opens for either.

An enable is a net of the unit after optimisation, mostly without an RTL name. So its value is calculated from the registers, RAM outputs and inputs
before it, which the trace has: the gates between are evaluated on whole traces at once, one bit of a long integer per cycle."""
import re

from units import Failed

BITS_MIN = 4             # smaller groups are left ungated, as synthesis tools do
CELL_FLOPS = 1.0         # clock energy of a clock gate, in flip-flops: its latch is half of one, its AND gate drives the group's clock pins
CELL_AREA = (("flop", 1.0), ("and", 1.0))
FREED_CELL = "mux"       # what kept the value of one bit

FUNCTIONS = {"$_BUF_": lambda m, a: a, "$_NOT_": lambda m, a: m ^ a, "$_AND_": lambda m, a, b: a & b, "$_NAND_": lambda m, a, b: m ^ (a & b),
             "$_OR_": lambda m, a, b: a | b, "$_NOR_": lambda m, a, b: m ^ (a | b), "$_XOR_": lambda m, a, b: a ^ b,
             "$_XNOR_": lambda m, a, b: m ^ a ^ b, "$_ANDNOT_": lambda m, a, b: a & (m ^ b), "$_ORNOT_": lambda m, a, b: a | (m ^ b)}


def enable_level(kind):
    """True when a flip-flop is enabled by 1, False by 0, None when it has no enable: $_DFFE_<clock><enable>_, $_SDFFE_<clock><reset><value><enable>_."""
    found = re.match(r"^\$_DFFE_[PN]([PN])_$", kind) or re.match(r"^\$_SDFFC?E_[PN][PN][01]([PN])_$", kind)
    return found[1] == "P" if found else None


def reset_level(kind):
    """True when a flip-flop is reset by 1 even while it is not enabled, False by 0, None when it is not: only $_SDFFE_ is."""
    found = re.match(r"^\$_SDFFE_[PN]([PN])[01][PN]_$", kind)
    return found[1] == "P" if found else None


def pin(cell, name, level):
    """(bit, active level), or None where the flip-flop has no such pin."""
    return None if level is None else (cell["connections"][name][0], level)


def groups(module):
    """(enable pin, reset pin that needs no enable) -> output bits of the flip-flops; key None: those without an enable."""
    found = {}
    for cell in module["cells"].values():
        if not re.match(r"^\$_S?DFF", cell["type"]):
            continue
        enable = pin(cell, "E", enable_level(cell["type"]))
        key = None if enable is None else (enable, pin(cell, "R", reset_level(cell["type"])))
        found.setdefault(key, []).append(cell["connections"]["Q"][0])
    return found


class Values:
    """Values of nets over the counted cycles, as integers of one bit per cycle."""

    def __init__(self, module, counted):
        self.history, self.cycles = counted["history"], counted["cycles"]
        self.mask = (1 << self.cycles) - 1
        self.known, self.driver, self.names = {}, {}, {}
        for cell in module["cells"].values():
            if cell["type"] in FUNCTIONS or cell["type"] in ("$_MUX_", "$_NMUX_"):
                self.driver[cell["connections"]["Y"][0]] = cell
        for name, net in module["netnames"].items():
            for index, bit in enumerate(net["bits"]):  # a trace numbers a signal's bits from 0, wherever its range begins
                if name in self.history:
                    self.names.setdefault(bit, (name, index))

    def traced(self, name, index):
        """From [[cycle, value as hex], ...] of a signal's changes."""
        bits, changes = 0, self.history[name]
        for n, (cycle, value) in enumerate(changes):
            if int(value, 16) >> index & 1:
                end = changes[n + 1][0] if n + 1 < len(changes) else self.cycles
                bits |= ((1 << (end - cycle)) - 1) << cycle
        return bits & self.mask

    def of(self, bit):
        """The net's value, or None when the trace does not tell."""
        if isinstance(bit, str):
            return {"0": 0, "1": self.mask}.get(bit, 0)
        stack = [bit]
        while stack:
            at = stack[-1]
            if at in self.known:
                stack.pop()
            elif at in self.names:
                self.known[at] = self.traced(*self.names[at])
            elif at not in self.driver:
                self.known[at] = None
            else:
                pins = self.driver[at]["connections"]
                inputs = [pins[pin][0] for pin in ("A", "B", "S") if pin in pins]
                missing = [b for b in inputs if isinstance(b, int) and b not in self.known]
                if not missing:
                    self.known[at] = self.gate(self.driver[at]["type"], [self.known[b] if isinstance(b, int) else self.of(b) for b in inputs])
                stack += missing
        return self.known[bit]

    def active(self, pins):
        """In which cycles one of the pins has its active level; None when the trace does not tell."""
        result = 0
        for bit, level in filter(None, pins):
            value = self.of(bit)
            if value is None:
                return None
            result |= value if level else self.mask ^ value
        return result

    def gate(self, kind, inputs):
        if any(value is None for value in inputs):
            return None
        if kind in FUNCTIONS:
            return FUNCTIONS[kind](self.mask, *inputs)
        a, b, s = inputs
        value = (a & (self.mask ^ s)) | (b & s)
        return value if kind == "$_MUX_" else self.mask ^ value


def changes_while_off(values, enabled, outputs, starts):
    """Changes of flip-flops after a cycle in which their enable is 0; none, unless the enable was calculated wrongly. Between two windows of the
    trace anything may have happened."""
    count = 0
    for bit in outputs:
        value = values.of(bit)
        if value is not None:
            changed = (value ^ value << 1) & values.mask & ~(enabled << 1)
            for start in starts:
                changed &= ~(1 << start)
            count += bin(changed).count("1")
    return count


def registers(values, outputs):
    """RTL names of the registers whose bits these are, the widest first."""
    bits = {}
    for bit in outputs:
        name = values.names.get(bit, ("without an RTL name", 0))[0]
        bits[name] = bits.get(name, 0) + 1
    return sorted(bits, key=lambda name: (-bits[name], name))


def summary(module, counted, clock_mw, roles):
    """Clock power of the flip-flops with clock gates, beside clock_mw without; what is known of the enables; and how the area changes. module: the
    unit in registers.json; counted: its activity."""
    found = groups(module)
    total = sum(len(outputs) for outputs in found.values())
    if not total or not counted.get("history"):
        return None
    values = Values(module, counted)
    each_mw, gated_mw, rows, unknown = clock_mw / total, clock_mw, [], 0
    for key, outputs in found.items():
        flops = len(outputs)
        if key is None or flops < BITS_MIN:
            continue
        enabled = values.active(key)
        if enabled is None:
            unknown += flops
            continue
        wrong = changes_while_off(values, enabled, outputs, counted["window_starts"])
        if wrong:
            raise Failed(f"{wrong} flip-flops changed while their enable was 0: trace and netlist are not of one unit")
        on = bin(enabled).count("1") / values.cycles
        gated_mw += each_mw * (CELL_FLOPS - flops * (1 - on))
        rows.append({"flip_flops": flops, "idle_share": 1 - on, "registers": registers(values, outputs)})
    bits = sum(row["flip_flops"] for row in rows)
    cell_um2 = sum(roles.get(name, 0.0) * times for name, times in CELL_AREA)
    return {"flip_flops": total, "groups": rows, "gated_flip_flops": bits, "unknown_flip_flops": unknown,
            "idle_share": sum(row["flip_flops"] * row["idle_share"] for row in rows) / bits if bits else 0.0, "clock_mw": clock_mw, "gated_clock_mw": gated_mw,
            "gated_still_mw": each_mw * (total - bits + CELL_FLOPS * len(rows)),
            "area_um2": len(rows) * cell_um2 - bits * roles.get(FREED_CELL, 0.0)}
