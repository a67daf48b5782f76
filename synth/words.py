# SPDX-License-Identifier: Apache-2.0
"""The critical path in words. Gate mapping forgets the names between two registers, so they are looked up before it: the longest way from the path's
start to its end through the flattened unit, whose nets still have their RTL names (weights: levels of two-input gates)."""
import json
import math
import re
import sys

BITWISE = {"$and", "$or", "$xor", "$xnor", "$not", "$pos"}
SHOWN = 8


def is_state(kind):
    return bool(re.match(r"^\$(a|s|al)?d(ff|latch)", kind)) or kind.startswith("$mem") or kind.startswith("cw_ram_")


def levels(cell):
    """Two-input gate levels of a word-level cell."""
    width = max((len(b) for b in cell["connections"].values()), default=1)
    kind = cell["type"]
    if kind in BITWISE or kind == "$mux":
        return 1.0
    if kind in ("$add", "$sub", "$neg", "$lt", "$le", "$gt", "$ge", "$alu"):
        return 2.0 + 2.0 * math.log2(max(width, 2))
    return max(1.0, math.log2(max(width, 2)))


class Graph:
    """Bits of the flattened unit; who drives each; the longest way from a set of start bits to a bit."""

    def __init__(self, module):
        self.module, self.driver, self.name_of = module, {}, {}
        for cell in module["cells"].values():
            for pin, direction in cell.get("port_directions", {}).items():
                if direction == "output" and not is_state(cell["type"]):
                    for index, bit in enumerate(cell["connections"][pin]):
                        self.driver[bit] = (cell, index)
        self.bits_of = {}
        for name, net in module["netnames"].items():
            if net.get("hide_name", 0):
                continue
            self.bits_of[name] = net["bits"]
            for bit in net["bits"]:
                old = self.name_of.get(bit)
                if old is None or (name.count("."), len(name)) < (old.count("."), len(old)):
                    self.name_of[bit] = name

    def inputs(self, cell, index):
        bitwise = cell["type"] in BITWISE or cell["type"] == "$mux"
        for pin, direction in cell["port_directions"].items():
            if direction == "input":
                bits = cell["connections"][pin]
                yield from bits if not bitwise or pin == "S" else bits[index:index + 1]

    def longest(self, starts, ends):
        """Bits of the longest way from one of starts to one of ends, or []."""
        best, open_bits = {}, set()
        sys.setrecursionlimit(100000)

        def visit(bit):
            if bit in best:
                return best[bit]
            if bit in starts:
                best[bit] = (0.0, None)
                return best[bit]
            if bit not in self.driver or bit in open_bits:
                return None
            open_bits.add(bit)
            cell, index = self.driver[bit]
            found = None
            for source in self.inputs(cell, index):
                if isinstance(source, int):
                    reached = visit(source)
                    if reached and (found is None or reached[0] > found[0]):
                        found = (reached[0], source)
            open_bits.discard(bit)
            best[bit] = (found[0] + levels(cell), found[1]) if found else None
            return best[bit]
        reached = [(visit(end)[0], end) for end in ends if isinstance(end, int) and visit(end)]
        way, bit = [], max(reached)[1] if reached else None
        while bit is not None:
            way.append(bit)
            bit = best[bit][1]
        return way[::-1]

    def end_bits(self, path):
        """What feeds the end of the path: a RAM's pin, an output port's bit, or the inputs of the register."""
        if path.end_net is None:
            return []
        if len(path.end_net) == 3:
            instance, pin, index = path.end_net
            cell = self.module["cells"].get(instance)
            return cell["connections"][pin][index:index + 1] if cell else []
        name, index = path.end_net
        bits = self.bits_of.get(name, [])[index:index + 1]
        feeding = [b for cell in self.module["cells"].values() if is_state(cell["type"])
                   and any(bit in cell["connections"].get(q, []) for q in ("Q", "RD_DATA") for bit in bits)
                   for pin, direction in cell["port_directions"].items() if direction == "input" and "CLK" not in pin
                   for b in cell["connections"][pin]]
        return feeding or bits

    def start_bits(self, path):
        return set(b for b in self.bits_of.get(path.start_net[0], []) if isinstance(b, int)) if path.start_net else set()


def graph_of(word_json, top):
    return Graph(json.loads(word_json.read_text())["modules"][top])


def through(graph, path):
    """Names of the nets on the way, start and end left out."""
    return names_on(graph, graph.longest(graph.start_bits(path), graph.end_bits(path)), {net[0] for net in (path.start_net, path.end_net) if net})


def names_on(graph, way, left_out):
    """RTL names of the bits of a way after its first, at most SHOWN of them spread evenly."""
    names = []
    for bit in way[1:]:
        name = graph.name_of.get(bit)
        if name and name not in names and name not in left_out:
            names.append(name)
    if len(names) > SHOWN:
        names = [names[round(i * (len(names) - 1) / (SHOWN - 1))] for i in range(SHOWN)]
    return names


def sentence(path):
    way = f", through {', '.join(path.through)}" if path.through else ""
    asks = f", which asks for a clock of {path.ns:.2f} ns" if path.ns != path.delay_ns else ""
    return f"from {path.start} to {path.end}{way}: {path.cells} gates, {path.delay_ns:.2f} ns with set-up{asks}"
