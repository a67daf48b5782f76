# SPDX-License-Identifier: Apache-2.0
"""A fan-out limit for a mapped netlist. ABC sees the gates alone: a net that leaves them, for pins of RAMs and flip-flops or for an output, is one
load to it, however many pins hang on it. So one gate may drive a hundred pins, which a small cell takes ten gates' time for. Here nets with too much
load get trees of buffers."""
import json
from dataclasses import dataclass

import liberty

# Loads of a buffer, in input capacitances of the smallest inverter; which is best depends on the library's buffers, so each is tried.
LIMITS = (12, 20, 32)
ROOT_SHARE = 0.4   # of that load, what is left to a net's own driver, which may be the smallest gate
BUFFER_AREA = 3.0  # a buffer of medium strength, in areas of the smallest inverter
BUFFER = {(0, 1)}


@dataclass(frozen=True)
class Buffer:
    """Its cell, its pins, and the capacitance (pF) of its input."""
    cell: str
    into: str
    out: str
    load: float


def chosen(library):
    """(Buffer, input capacitance of the smallest inverter in pF), or None where the library has no buffer or no inverter."""
    inverter = library.smallest(lambda c: liberty.is_a(c, liberty.NOT))
    buffers = [c for c in library.cells.values() if liberty.is_a(c, BUFFER)]
    if not buffers or not inverter:
        return None
    best = min(buffers, key=lambda c: (abs(c.area - BUFFER_AREA * inverter.area), c.name))
    (into, load), out = next(iter(best.inputs.items())), next(iter(best.outputs))
    return Buffer(best.name, into, out, load), next(iter(inverter.inputs.values()))


def sinks_of(module, clock, pin_load):
    """{bit: [(load, cell, pin, index)]} of all nets but the clock's and constants; in a fixed order."""
    found = {}
    clocks = set(module["ports"][clock]["bits"]) if clock in module["ports"] else set()
    for name, cell in sorted(module["cells"].items()):
        for pin, bits in sorted(cell["connections"].items()):
            if cell["port_directions"][pin] != "input":
                continue
            for index, bit in enumerate(bits):
                if isinstance(bit, int) and bit not in clocks:
                    found.setdefault(bit, []).append((pin_load(cell["type"], pin), name, pin, index))
    return found


def groups(sinks, most):
    """The sinks in as few groups as have at most this load, as equal as may be; those of one cell side by side."""
    count = max(1, -(-sum(load for load, *_ in sinks) // most))
    share, found, filled = sum(load for load, *_ in sinks) / count, [[]], 0.0
    for sink in sinks:
        if found[-1] and filled + sink[0] / 2 > share * len(found):
            found.append([])
        found[-1].append(sink)
        filled += sink[0]
    return found


def insert(module, library, pin_load, port_load, limit, clock="clk_i"):
    """Puts trees of buffers into a module of Yosys's JSON, where a net has more load than the limit. Returns how many buffers."""
    found = chosen(library)
    if found is None:
        return 0
    buffer, unit = found
    ports = [bit for port in module["ports"].values() if port["direction"] == "output" for bit in port["bits"]]
    fresh = 1 + max((bit for cell in module["cells"].values() for bits in cell["connections"].values() for bit in bits if isinstance(bit, int)), default=0)
    fresh, count = max([fresh, *(1 + bit for port in module["ports"].values() for bit in port["bits"] if isinstance(bit, int))]), 0
    for bit, sinks in sorted(sinks_of(module, clock, pin_load).items()):
        own = ports.count(bit) * port_load
        if sum(load for load, *_ in sinks) + own <= limit * unit:
            continue
        while len(sinks) > 1 and sum(load for load, *_ in sinks) + own > ROOT_SHARE * limit * unit:
            above = []
            for group in groups(sinks, limit * unit):
                name = f"fan_out_{count}_"
                module["cells"][name] = {"type": buffer.cell, "port_directions": {buffer.into: "input", buffer.out: "output"},
                                         "connections": {buffer.into: [bit], buffer.out: [fresh]}}
                for _, cell, pin, index in group:
                    module["cells"][cell]["connections"][pin][index] = fresh
                above.append((buffer.load, name, buffer.into, 0))
                fresh, count = fresh + 1, count + 1
            if len(above) >= len(sinks):
                break
            sinks = above
    return count


def limited(dump, target, top, technology, macro_load, limit):
    """Writes the netlist with trees; returns how many buffers they have. macro_load: pF of a RAM's pin."""
    design, library = json.loads(dump.read_text()), technology.cells
    load = lambda kind, pin: library.cells[kind].inputs[pin] if kind in library.cells else macro_load
    count = insert(design["modules"][top], library, load, technology.load_ff / 1000, limit)
    target.write_text(json.dumps(design))
    return count
