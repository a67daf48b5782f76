# SPDX-License-Identifier: Apache-2.0
"""Placement and routing of a mapped netlist with Debian's qflow (graywolf, qrouter), and its timing with the wires: what the estimate leaves out.

RAMs have no layout here, so their pins are ports of the block. qflow builds no clock tree, so this does: the flip-flops are placed once without a
clock, grouped by where they are, and each group gets a buffer, each group of buffers another one. Wires are those of qrouter, with its resistances
and capacitances, in OpenSTA."""
import json
import pathlib
import re
import shutil

import layout
import sram
import timing
from tools import run
from units import Failed

BIN = pathlib.Path("/usr/lib/qflow/bin")
TO_DEF = pathlib.Path("/usr/lib/qflow/scripts/place2def.tcl")
TO_CEL = pathlib.Path("/usr/lib/qflow/scripts/blif2cel.tcl")
TREE = ("CLKBUF1", "A", "Y", 16)  # the clock's buffer, its pins, what it drives at most
LAYERS = 6
RAM_CLOCK = "clk_ram_"  # of the nets behind buffers that drive RAMs alone, so that registers beside them are not late


class Netlist:
    """Gates as (name, type, pin -> net), and the ports of the block. Names are those that qflow's tools make: TYPE_n in the order of each type."""

    def __init__(self, dump, top, flops):
        module = json.loads(dump.read_text())["modules"][top]
        self.top, self.flops = top, flops
        self.clock = module["ports"]["clk_i"]["bits"][0]
        self.gates, self.rams, self.inputs, self.outputs = [], [], [], []
        for port in module["ports"].values():
            self.pins(port["bits"], port["direction"])
        for cell in module["cells"].values():
            if not cell["type"].startswith("cw_ram_"):
                self.gates.append((cell["type"], {pin: self.net(bits[0]) for pin, bits in cell["connections"].items()}, cell["port_directions"]))
                continue
            self.rams.append((f"ram_{len(self.rams)}", cell))  # of its own name, OpenSTA would take the brackets for a range
            for pin, bits in cell["connections"].items():
                self.pins(bits, "input" if cell["port_directions"][pin] == "output" else "output")
        self.ports = module["ports"]
        led = {net for _, pins, _ in self.gates for net in pins.values()} | {self.net(b) for _, cell in self.rams for bits in cell["connections"].values() for b in bits}
        self.inputs = [net for net in dict.fromkeys(self.inputs) if net in led]  # a pin that leads to nothing needs no place
        self.outputs = [net for net in dict.fromkeys(self.outputs) if net not in self.inputs]

    def net(self, bit):
        return "clk" if bit == self.clock else f"n{bit}" if isinstance(bit, int) else f"1'b{bit}"

    def pins(self, bits, direction):
        nets = [self.net(bit) for bit in bits if isinstance(bit, int)]
        (self.inputs if direction == "input" else self.outputs).extend(net for net in nets if not (net == "clk" and direction == "output"))

    def ram_clock(self, number, bits):
        """The nets of a pin of that RAM. Its clock is one of the tree's, once there is one."""
        own = ram_clock_net(number)
        return [own if net == "clk" and own in self.outputs else net for net in map(self.net, bits)]

    def named(self):
        counts = {}
        for kind, pins, directions in self.gates:
            counts[kind] = counts.get(kind, 0) + 1
            yield f"{kind}_{counts[kind]}", kind, pins, directions

    def blif(self, clock=True):
        """Without a clock: flip-flops whose clock pins hang in the air, placed for their data alone."""
        lines = [f".model {self.top}", ".inputs " + " ".join(net for net in self.inputs if clock or net != "clk"), ".outputs " + " ".join(self.outputs)]
        for kind, pins, _ in self.gates:
            lines.append(f".gate {kind} " + " ".join(f"{pin}={net}" for pin, net in pins.items() if clock or net != "clk"))
        return "\n".join(lines + [".end", ""])

    def verilog(self):
        """With the RAMs, and without the buses of ports."""
        bits = {net: i for i, net in enumerate(self.inputs + self.outputs)}
        ports = [net for port in self.ports.values() for net in map(self.net, port["bits"])]
        inner = sorted({net for _, pins, _ in self.gates for net in pins.values()} | set(bits) - set(ports))
        names = list(dict.fromkeys(net for net in ports if not net.startswith("1'b")))
        way = {net: port["direction"] for port in self.ports.values() for net in map(self.net, port["bits"])}
        lines = [f"module {self.top} ({', '.join(names)});"] + [f"  {way[net]} {net};" for net in names]
        lines += [f"  wire {net};" for net in inner if net not in way and not net.startswith("1'b")]
        for name, kind, pins, _ in self.named():
            lines.append(f"  {kind} {name} ({', '.join(f'.{pin}({net})' for pin, net in pins.items())});")
        for number, (name, cell) in enumerate(self.rams):
            pins = [f".{pin}({{{', '.join(reversed(self.ram_clock(number, bits)))}}})" for pin, bits in cell["connections"].items()]
            lines.append(f"  {cell['type']} {name} ({', '.join(pins)});")
        return "\n".join(lines + ["endmodule", ""])


# ------------------------------------------------------------------------------------------- clock tree

def groups(places, most):
    """Things at places, {thing: (x, y)}, in groups of at most `most`, each in one area: halved across its longer side until it is small enough."""
    if len(places) <= most:
        return [list(places)]
    spans = [max(p[axis] for p in places.values()) - min(p[axis] for p in places.values()) for axis in (0, 1)]
    order = sorted(places, key=lambda thing: (places[thing][spans[1] > spans[0]], str(thing)))
    half = len(order) // 2
    return [g for part in (order[:half], order[half:]) for g in groups({thing: places[thing] for thing in part}, most)]


def ram_clock_net(number):
    """Of that RAM."""
    return f"{RAM_CLOCK}{number // TREE[3]}"


def middle(places):
    return tuple(sum(place[axis] for place in places) / max(1, len(places)) for axis in (0, 1))


def plant(netlist, places):
    """Buffers between clk and the flip-flops and RAMs, as many levels for each of them. places: gate's number -> (x, y). Returns the buffers of each level."""
    kind, inp, out, most = TREE
    sinks = {i: places[i] for i, (cell, _, _) in enumerate(netlist.gates) if cell in netlist.flops}
    rams, levels, drive = list(dict.fromkeys(map(ram_clock_net, range(len(netlist.rams))))), [], lambda i, net: netlist.gates[i][1].update({(inp if netlist.gates[i][0] == kind else clock_pin(netlist, i)): net})
    while len(sinks) > 1 or not levels:
        above = {}
        for number, members in enumerate(groups(sinks, most) if sinks else ()):
            net = f"clk_{len(levels)}_{number}"
            for i in members:
                drive(i, net)
            netlist.gates.append((kind, {inp: "clk", out: net}, {inp: "input", out: "output"}))
            above[len(netlist.gates) - 1] = middle([sinks[i] for i in members])
        for net in () if levels else rams:
            netlist.gates.append((kind, {inp: "clk", out: net}, {inp: "input", out: "output"}))
            above[len(netlist.gates) - 1] = middle(list(places.values()))
        levels.append(len(above))
        sinks = above
    netlist.outputs += rams
    return levels


def clock_pin(netlist, i):
    return next(pin for pin, net in netlist.gates[i][1].items() if net == "clk" or net.startswith("clk_"))


# ------------------------------------------------------------------------------------------- placement and routing

def check(technology):
    """Refuses a library without a layout, and a machine without the tools."""
    if technology.package is None or not technology.package.startswith("qflow-tech"):
        raise Failed("--route needs cells with a layout, which --library has, and --liberty has not", 2)
    if not (TO_CEL.exists() and TO_DEF.exists() and (BIN / "graywolf").exists() and (BIN / "qrouter").exists() and shutil.which("tclsh")):
        raise Failed("--route needs Debian's package qflow, with graywolf and qrouter; apt-get install qflow")


def inside(work, command, log):
    """Runs a program in the folder: these leave files where they are."""
    return run(["env", "-C", work, *command], work / log)


def place(netlist, technology, work, clock):
    """DEF of the placed gates, in its own folder."""
    work.mkdir(parents=True, exist_ok=True)
    for old in work.iterdir():
        old.unlink()
    lef, par = (technology.liberty.with_name(f"{technology.name}{end}") for end in ("_stdcells.lef", ".par"))
    (work / "unit.blif").write_text(netlist.blif(clock))
    (work / "unit.par").write_text(par.read_text())
    inside(work, [TO_CEL, "--blif", "unit.blif", "--lef", lef, "--cel", "unit.cel"], "cel.log")
    inside(work, [BIN / "graywolf", "-n", "unit"], "place.log")
    (work / "unit.cfg").write_text(f"read_lef {lef}\n")
    inside(work, [BIN / "qrouter", "-i", "unit.info", "-c", "unit.cfg"], "info.log")
    inside(work, [TO_DEF, "unit", "FILL", str(LAYERS)], "def.log")
    if not (work / "unit.def").exists():
        raise Failed(f"graywolf placed nothing; see {work / 'place.log'}")
    return (work / "unit.def").read_text()


def positions(netlist, text):
    found = {m[0]: (int(m[1]), int(m[2])) for m in re.findall(r"^- (\S+) \S+ \+ PLACED \( (-?\d+) (-?\d+) \)", text, re.M)}
    return {i: found[name] for i, (name, *_) in enumerate(netlist.named())}


def wire(technology, work):
    """Routes what is placed in the folder: the text of the wires' resistances and capacitances, and of the routed DEF."""
    lef = technology.liberty.with_name(f"{technology.name}_stdcells.lef")
    lines = [f"read_lef {lef}", f"catch {{layers {LAYERS}}}", "via stack 1", "vdd vdd", "gnd gnd"]
    lines += (work / "unit.obs").read_text().splitlines() if (work / "unit.obs").exists() else []
    lines += ["read_def unit.def", "qrouter::standard_route unit_route.def false", "write_delays unit.rc", "quit"]
    (work / "unit.cfg").write_text("\n".join(lines) + "\n")
    text = inside(work, [BIN / "qrouter", "-nog", "-s", "unit.cfg"], "route.log")
    if "Final: No failed routes!" not in text:
        raise Failed(f"qrouter has left nets without wires; see {work / 'route.log'}")
    return (work / "unit.rc").read_text(), (work / "unit_route.def").read_text()


# ------------------------------------------------------------------------------------------- wires

def tree(tokens):
    """A list of sinks and branches, `( ohm pF what it leads to )`, as [(ohm, pF, [...]) or name]."""
    found = []
    while tokens and tokens[-1] != ")":
        token = tokens.pop()
        if token == "(":
            ohm, pf = float(tokens.pop()), float(tokens.pop())
            found.append((ohm, pf, tree(tokens)))
            tokens.pop()
        elif token != ",":
            found.append(token)
    return found


def once(branches, seen):
    """The tree with each sink where it is met first; a wire that comes back to one ends there."""
    found = []
    for b in branches:
        if isinstance(b, tuple):
            found.append((b[0], b[1], once(b[2], seen)))
        elif b not in seen:
            found.append(b)
            seen.add(b)
    return found


def nets_of(netlist, text):
    """net -> (driver, tree) of qrouter's RC file. It says ERROR of a sink that it reaches by no branch of the tree: it is the one that is missing.
    With none missing the wire has come back to itself."""
    sinks, found = {}, {}
    for name, _, pins, directions in netlist.named():
        for pin, net in pins.items():
            if directions[pin] == "input":
                sinks.setdefault(net, []).append(f"{name}/{pin}")
    for line in text.splitlines():
        words = line.split()
        if len(words) > 4:
            missing = [sink for sink in sinks.get(words[0], []) if sink not in words]
            named = [missing.pop() if word == "ERROR" and missing else word for word in words[4:]]
            found[words[0]] = (words[2], once(tree(named[::-1]), {"ERROR"}))
    return found


def capacitance(branches):
    return sum(b[1] + capacitance(b[2]) for b in branches if isinstance(b, tuple))


def ends(branches):
    return [e for b in branches for e in (ends(b[2]) if isinstance(b, tuple) else [b])]


def lengths_um(text):
    """Of all wires of a routed DEF."""
    units, total = int(re.search(r"^UNITS DISTANCE MICRONS (\d+)", text, re.M).group(1)), 0.0
    for segment in re.findall(r"(?:ROUTED|NEW) \w+ ((?:\( \S+ \S+ (?:\S+ )?\) ?)+)", text[text.index("\nNETS"):]):
        at = [0.0, 0.0]
        for number, point in enumerate(re.findall(r"\( (\S+) (\S+)", segment)):
            to = [at[axis] if point[axis] == "*" else float(point[axis]) for axis in (0, 1)]
            total += sum(abs(to[axis] - at[axis]) for axis in (0, 1)) if number else 0.0
            at = to
    return total / units


def spef(netlist, nets, times):
    """The wires for OpenSTA, their capacitance by so much. A pin of a RAM and a port end where the block does."""
    pins_of = {}
    for number, (name, cell) in enumerate(netlist.rams):
        for pin, bits in cell["connections"].items():
            for i, net in enumerate(netlist.ram_clock(number, bits)):
                pins_of.setdefault(net, []).append((f"{name}:{pin}" + (f"[{i}]" if len(bits) > 1 else ""), cell["port_directions"][pin][0].upper()))
    ports = {netlist.net(bit): port["direction"][0].upper() for port in netlist.ports.values() for bit in port["bits"] if isinstance(bit, int)}
    ways = {f"{name}/{pin}": way[0].upper() for name, _, pins, directions in netlist.named() for pin, way in directions.items()}
    lines = ['*SPEF "IEEE 1481-1998"', f'*DESIGN "{netlist.top}"', '*DATE "-"', '*VENDOR "-"', '*PROGRAM "-"', '*VERSION "-"', '*DESIGN_FLOW "-"', "*DIVIDER /",
             "*DELIMITER :", "*BUS_DELIMITER [ ]", "*T_UNIT 1 NS", "*C_UNIT 1 PF", "*R_UNIT 1 OHM", "*L_UNIT 1 HENRY", ""]
    for net, (driver, branches) in nets.items():
        conn, caps, ress, count = [], [], [], [0]
        edge = pins_of.get(net, [])
        if net in ports:
            conn.append(f"*P {net} {ports[net]}")

        def node(end):
            if end.startswith("PIN/"):
                return net if net in ports else edge[0][0]
            return end.replace("/", ":")

        def walk(at, branches):
            for b in branches:
                if isinstance(b, str):
                    ress.append((at, node(b), 0.001))
                    continue
                count[0] += 1
                inner = f"{net}:{count[0]}"
                ress.append((at, inner, b[0]))
                caps.append((inner, times * b[1]))
                walk(inner, b[2])
        walk(node(driver), branches)
        for end in [driver, *ends(branches)]:
            if not end.startswith("PIN/"):
                conn.append(f"*I {end.replace('/', ':')} {ways[end]}")
        conn += [f"*I {pin} {way}" for pin, way in edge]
        first = node(driver)
        for pin, _ in edge:
            if pin not in {n for r in ress for n in r[:2]}:
                ress.append((first, pin, 0.001))
        if net in ports and net not in {n for r in ress for n in r[:2]}:
            ress.append((first, net, 0.001))
        lines += [f"*D_NET {net} {times * capacitance(branches):.6g}", "*CONN", *conn, "*CAP", *(f"{i + 1} {n} {c:.6g}" for i, (n, c) in enumerate(caps)),
                  "*RES", *(f"{i + 1} {a} {b} {r:.6g}" for i, (a, b, r) in enumerate(ress)), "*END", ""]
    return "\n".join(lines)


# ------------------------------------------------------------------------------------------- timing

def paths(text):
    """"begin end" of timing.KINDS -> ns of its longest path."""
    parts, found = re.split(r"^PATHS (\w+) (\w+)$", text, flags=re.M)[1:], {}
    for begin, end, report in zip(parts[::3], parts[1::3], parts[2::3]):
        slack = re.search(r"^\s+(-?[\d.]+)\s+slack \(", report, re.M)
        if slack:
            found[f"{begin} {end}"] = float(slack.group(1))
    return found


def timed(netlist, technology, work, macros, parasitics, propagated):
    """"begin end" of timing.KINDS -> ns of its longest path, and hold: the least slack of hold times between registers."""
    verilog, kind = work / "routed.v", f"sta_{'wires' if parasitics else 'bare'}{'_tree' if propagated else ''}"
    verilog.write_text(netlist.verilog())
    lines = [line.replace("clk_i", "clk") for line in timing.header(technology, macros, verilog, netlist.top, timing.STA_PERIOD_NS)]
    lines += [f"read_spef {parasitics}"] if parasitics else []
    lines += ["set_propagated_clock [get_clocks clk]"] if propagated else []
    for begin, end in timing.KINDS:
        lines += [f'puts "PATHS {begin} {end}"', timing.REPORT.format(begin, end)]
    lines += ['puts "PATHS hold hold"', "report_checks -path_delay min -from [get_clocks clk] -to [get_clocks clk] -format full_clock_expanded -digits 4"]
    found = paths(timing.sta(lines, kind, work))
    return {key: slack if key == "hold hold" else timing.STA_PERIOD_NS - slack for key, slack in found.items()}


def sinks_pf(netlist, technology):
    """Of all inputs of gates."""
    return sum(technology.cells.cells[kind].inputs.get(pin, 0.0) for kind, pins, _ in netlist.gates for pin in pins)


def route(dump, top, technology, macros, work):
    """The block of a mapped netlist: its area, wires, clock tree, and times without wires, with wires, and with the tree's arrival times."""
    netlist = Netlist(dump, top, technology.cells.flops)
    flops = sum(1 for kind, *_ in netlist.gates if kind in netlist.flops)
    levels = plant(netlist, positions(netlist, place(netlist, technology, work, clock=False)))
    text = place(netlist, technology, work, clock=True)
    units = int(re.search(r"^UNITS DISTANCE MICRONS (\d+)", text, re.M).group(1))
    corner = [int(v) / units for v in re.search(r"^DIEAREA \( (\S+) (\S+) \) \( (\S+) (\S+) \)", text, re.M).groups()]
    rc, routed = wire(technology, work)
    nets = nets_of(netlist, rc)
    wires = sorted(1000 * capacitance(branches) for _, branches in nets.values())
    # The library knows the wires' faces towards the substrate alone, and not each other's.
    length = lengths_um(routed)
    times = sram.NODES[technology.sram_node].wire_ff_um * length / sum(wires)
    (work / "unit.spef").write_text(spef(netlist, nets, times))
    runs = {name: timed(netlist, technology, work, macros, parasitics, tree)
            for name, parasitics, tree in (("bare", None, False), ("wires", work / "unit.spef", False), ("tree", work / "unit.spef", True))}
    return {"die_um2": (corner[2] - corner[0]) * (corner[3] - corner[1]), "cells_um2": sum(technology.cells.areas[kind] for kind, *_ in netlist.gates),
            "flip_flops": flops, "levels": levels, "nets": len(nets), "wire_um": length, "wire_pf": times * sum(wires) / 1000,
            "sinks_pf": sinks_pf(netlist, technology), "ns": runs, "layout": layout.verify(netlist, technology, work)}


def period_ns(ns, budget):
    """The clock that such paths ask for."""
    return max(ns[" ".join(kind)] / budget.left(*kind) for kind in timing.KINDS if " ".join(kind) in ns)


def mhz(ns, budget):
    """Clocks of the netlist alone and with wires and tree. The tree moves the clock of registers alone: neighbours have one like it."""
    routed = {**ns["wires"], **({"clk clk": ns["tree"]["clk clk"]} if "clk clk" in ns["tree"] else {})}
    return {"bare": 1000 / period_ns(ns["bare"], budget), "routed": 1000 / period_ns(routed, budget)}


def sentences(found):
    """What the terminal says."""
    before, after = found["mhz"]["bare"], found["mhz"]["routed"]
    hold = found["ns"]["tree"].get("hold hold")
    return [f"  routed: {found['die_um2'] / 1e6:.4f} mm2 with {found['cells_um2'] / 1e6:.4f} of cells; {found['wire_um'] / 1000:.1f} mm of wires on {found['nets']} nets, "
            f"{found['wire_pf']:.1f} pF beside {found['sinks_pf']:.1f} pF of gates' inputs",
            f"  routed: a clock tree of {' + '.join(map(str, found['levels']))} buffers for {found['flip_flops']} flip-flops, "
            + (f"hold slack {hold:+.3f} ns" if hold is not None else "no path between registers"),
            f"  routed: {after:.1f} MHz, a period {before / after:.2f} times that of the same netlist without wires and tree ({before:.1f} MHz)", layout.sentence(found["layout"])]
