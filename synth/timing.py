# SPDX-License-Identifier: Apache-2.0
"""Static timing and power of a mapped netlist, with OpenSTA."""
import json
import re
from dataclasses import dataclass, field

from tools import need, run
from units import Failed

STA_PERIOD_NS = 10.0
COUNTED_LEAST = 0.5                 # of the flip-flops, so that what a trace tells is the unit's power
# Paths by where they begin and end. Ports have clocks of their own, so that OpenSTA reports each kind by itself.
KINDS = (("clk", "clk"), ("from_ports", "clk"), ("clk", "to_ports"), ("from_ports", "to_ports"))


@dataclass(frozen=True)
class Budget:
    """What of a clock a unit's own gates do not have. io: the share that its neighbours use before an input arrives, and again after an output is
    there. uncertainty: the share for jitter and skew."""
    io: float = 0.3
    uncertainty: float = 0.05

    def left(self, begin, end):
        """The share of the clock that a path of one of KINDS may take."""
        return 1 - self.uncertainty - self.io * ((begin == "from_ports") + (end == "to_ports"))

    def words(self):
        return f"inputs and outputs with {self.io:.0%} of the clock outside of the unit, {self.uncertainty:.0%} for uncertainty"


@dataclass
class Path:
    """The path that asks for the longest clock. start, end: RTL names of register, RAM or port; cells: the gates on the way; delay_ns: data arrival plus
    set-up; ns: the clock period that it asks for, budgets included."""
    start: str
    end: str
    ns: float
    delay_ns: float = 0.0
    cells: int = 0
    start_net: tuple = None  # (RTL name, bit) for the search in words
    end_net: tuple = None
    through: list = field(default_factory=list)
    kinds: dict = field(default_factory=dict)  # "begin end" of KINDS -> {"start", "end", "delay_ns"} of the longest path of that kind

    @property
    def longest_ns(self):
        return max(kind["delay_ns"] for kind in self.kinds.values())


def header(technology, work, verilog, top, period_ns):
    """The file of macros comes first: OpenSTA takes its units, ns and pF, from the first library that it reads."""
    lines = [f"read_liberty {work / 'macros.lib'}", f"read_liberty {technology.liberty}", f"read_verilog {verilog}", f"link_design {top}",
             f"create_clock -name clk -period {period_ns} [get_ports clk_i]",
             *(f"create_clock -name {name} -period {period_ns}" for name in ("from_ports", "to_ports")),
             'set ins {}', 'foreach p [all_inputs] { if {[get_property $p full_name] ne "clk_i"} { lappend ins $p } }',
             "set_input_delay 0 -clock from_ports $ins", "set_output_delay 0 -clock to_ports [all_outputs]",
             f"set_driving_cell -lib_cell {technology.driver} $ins", f"set_load {technology.load_ff / 1000:.4f} [all_outputs]"]
    return lines


def sta(lines, name, work):
    need("sta", "opensta")
    script = work / f"{name}.tcl"
    script.write_text("\n".join(lines) + "\n")
    text = run(["sta", "-no_splash", "-exit", script], work / f"{name}.log")
    # OpenSTA goes on after an error, with a netlist that is not the one asked for.
    bad = re.search(r"^.*(?:Error:|Error |syntax error).*$", text, re.M)
    if bad:
        raise Failed(f"sta: {bad.group(0).strip()}; see {work / (name + '.log')}")
    return text


# ------------------------------------------------------------------------------------------- names

class Names:
    """From netlist to RTL: which register bit an instance is, which net a port bit is."""

    def __init__(self, dump, top, flops):
        module = json.loads(dump.read_text())["modules"][top]
        self.cells, self.flops = module["cells"], flops
        self.ports = module["ports"]
        self.of_bit, self.first = {}, {}  # first: where the range of a name begins
        for name, net in module["netnames"].items():
            if net.get("hide_name", 0) or re.fullmatch(r"_\d+_", name):
                continue
            offset = self.first[name] = net.get("offset", 0)
            for index, bit in enumerate(net["bits"]):
                if isinstance(bit, int):
                    self.of_bit.setdefault(bit, []).append((name, index + offset, len(net["bits"])))
        self.inverted = self.inverters()

    def pins(self, cell, direction):
        return [bits[0] for pin, bits in cell["connections"].items() if cell["port_directions"][pin] == direction and len(bits) == 1]

    def inverters(self):
        """Output bit of a flip-flop that has no name -> bit after the inverter that it goes into: some libraries' flip-flops invert."""
        nameless = {bit for cell in self.cells.values() if cell["type"] in self.flops for bit in self.pins(cell, "output") if bit not in self.of_bit}
        found = {}
        for cell in self.cells.values() if nameless else ():
            inputs, outputs = self.pins(cell, "input"), self.pins(cell, "output")
            if len(inputs) == len(outputs) == 1 and inputs[0] in nameless and outputs[0] in self.of_bit:
                found[inputs[0]] = outputs[0]
        return found

    def best(self, bit):
        """The name of a register says so (_q); else the shortest, which is the outermost."""
        names = self.of_bit.get(bit)
        return min(names, key=lambda n: (not n[0].endswith("_q"), len(n[0]), n[0])) if names else None

    def register(self, instance):
        """(RTL name, bit, width) of the register that a flip-flop cell holds."""
        found = (self.best(self.inverted.get(bit, bit)) for bit in self.pins(self.cells[instance], "output"))
        return next((name for name in found if name), None)


def shown(name):
    return f"{name[0]}[{name[1]}]" if name[2] > 1 else name[0]


def point(text, names):
    """What a start or end point of OpenSTA is, in RTL terms: (words, net for the search in the word-level netlist)."""
    text = text.replace("\\", "")
    cell = names.cells.get(text)
    if cell is None:
        match = re.match(r"(.*?)(?:\[(\d+)\])?$", text)
        return f"port {text}", (match.group(1), int(match.group(2) or 0))
    if cell["type"].startswith("cw_ram_"):
        return f"RAM {text} ({cell['type'].split('_')[-1]})", None
    name = names.register(text)
    return (f"register {shown(name)}", name[:2]) if name else (f"register {text} without an RTL name", None)


def read_report(text, names, period_ns):
    """The path of a report. Its ns is its delay."""
    start = re.search(r"^Startpoint: (\S+)", text, re.M)
    end = re.search(r"^Endpoint: (\S+)", text, re.M)
    slack = re.search(r"^\s+(-?[\d.]+)\s+slack \(", text, re.M)
    if not (start and end and slack):
        raise Failed("sta: the report has no path; every path starts or ends outside of the clock")
    pins = re.findall(r"^\s.*[\^v] (\S+)/(\S+) \((\w+)\)$", text.split("data arrival time")[0], re.M)
    start_words, start_net = point(start.group(1), names)
    end_words, end_net = point(end.group(1), names)
    delay = period_ns - float(slack.group(1))
    path = Path(start_words, end_words, delay, delay, 0, start_net, end_net)
    gates = []
    for instance, pin, kind in pins:
        instance = instance.replace("\\", "")
        if kind.startswith("cw_ram_"):
            bits = re.match(r"(.*?)(?:\[(\d+)\])?$", pin)
            port, index, cell = bits.group(1), int(bits.group(2) or 0), names.cells[instance]
            if cell["port_directions"][port] == "output":  # one RAM can be both ends
                net = names.best(cell["connections"][port][index])
                path.start_net = net[:2] if net else None
            elif not port.startswith("clk"):
                path.end_net = (instance, port, index)
        elif kind not in names.flops and names.cells[instance]["port_directions"].get(pin) == "output":
            gates.append(kind)
    path.cells = len(gates)
    return path


REPORT = "report_checks -path_delay max -from [get_clocks {}] -to [get_clocks {}] -format full_clock_expanded -fields {{slew cap input_pins nets}} -digits 4"


def slowest_path(elaborated, technology, verilog, dump, work, name, budget):
    """The path that asks for the longest clock: of each of KINDS the one with the least slack, whose delay (period - slack, for no constraint here depends
    on the period other than by the capture edge) is then divided by the share of the clock that it may take."""
    names = Names(dump, elaborated.unit.top, technology.cells.flops)
    lines = header(technology, work, verilog, elaborated.unit.top, STA_PERIOD_NS)
    for kind in KINDS:
        lines += [f'puts "PATHS {" ".join(kind)}"', REPORT.format(*kind)]
    parts, found, kinds = re.split(r"^PATHS (\w+) (\w+)$", sta(lines, name + "_sta", work), flags=re.M)[1:], [], {}
    for begin, end, text in zip(parts[::3], parts[1::3], parts[2::3]):
        if "No paths found" not in text:
            path = read_report(text, names, STA_PERIOD_NS)
            path.ns, path.kinds = path.delay_ns / budget.left(begin, end), kinds
            kinds[f"{begin} {end}"] = {"start": path.start, "end": path.end, "delay_ns": path.delay_ns}
            found.append(path)
    if not found:
        raise Failed("sta: the report has no path; every path starts or ends outside of the clock")
    return max(found, key=lambda path: path.ns)


def hold_slack_ns(elaborated, technology, verilog, work, name):
    """The least slack between registers against their hold times, or None where no path leads from one to one."""
    lines = header(technology, work, verilog, elaborated.unit.top, STA_PERIOD_NS)
    lines += ["report_checks -path_delay min -from [get_clocks clk] -to [get_clocks clk] -digits 4"]
    slack = re.search(r"^\s+(-?[\d.]+)\s+slack \(", sta(lines, name, work), re.M)
    return float(slack.group(1)) if slack else None


# ------------------------------------------------------------------------------------------- power

@dataclass
class Power:
    """Of the logic, mW at the clock given; clock_mw: of that, what flip-flops take when nothing changes; leakage_mw: of that, what leaks; share: of the flip-flop bits, those whose
    activity was counted (the rest got the mean of those)."""
    mw: float
    clock_mw: float
    leakage_mw: float
    clock_mhz: float
    share: float
    mean_activity: float


def counted(names, nets, bit):
    """[toggles per cycle, duty] of a net's bit from the trace, by any of its RTL names."""
    for name, index, _ in names.of_bit.get(names.inverted.get(bit, bit), []):
        place = index - names.first[name]  # a trace numbers bits from 0
        if name in nets and place < len(nets[name]):
            toggles, duty = nets[name][place]
            return [toggles, 1 - duty if bit in names.inverted else duty]
    return None


def sources(names):
    """Where activity enters the gates: bits of flip-flop outputs, RAM outputs and input ports other than the clock. name -> list of bits."""
    found = {"flop": [], "ram": [], "port": []}
    for cell in names.cells.values():
        kind = "flop" if cell["type"] in names.flops else "ram" if cell["type"].startswith("cw_ram_") else None
        if kind:
            for pin, direction in cell["port_directions"].items():
                found[kind] += [b for b in cell["connections"][pin] if direction == "output" and isinstance(b, int)]
    for name, port in names.ports.items():
        if port["direction"] == "input" and name != "clk_i":
            found["port"] += [b for b in port["bits"] if isinstance(b, int)]
    return found


def cut_netlist(names, bits, clock, path):
    """The netlist with every source an input port n<bit>. OpenSTA spreads activity from input ports only: what it sets on registers' outputs itself
    is a guess that cannot be replaced. Flip-flops stay as loads, RAMs go."""
    ports = sorted(set(bits))
    lines = ["module cw_cut (clk_i, " + ", ".join(f"n{b}" for b in ports) + ");", "  input clk_i;"] + [f"  input n{b};" for b in ports]

    def wire(bit):
        return f"1'b{bit if bit in ('0', '1') else 0}" if isinstance(bit, str) else "clk_i" if bit == clock else f"n{bit}"
    for i, cell in enumerate(names.cells.values()):
        if cell["type"].startswith("cw_ram_"):
            continue
        flop = cell["type"] in names.flops
        pins = [f".{pin}({wire(b[0])})" for pin, b in cell["connections"].items() if not (flop and cell["port_directions"][pin] == "output")]
        lines.append(f"  {cell['type']} u{i} ({', '.join(pins)});")
    path.write_text("\n".join(lines + ["endmodule", ""]))


def report(lines, work, name):
    """(sequential, combinational, leakage of both) W of report_power."""
    text = sta(lines + ["report_power -digits 6"], name, work)
    watts = {m[0]: (float(m[1]), float(m[2])) for m in re.findall(r"^(Sequential|Combinational)(?:\s+\S+){2}\s+(\S+)\s+(\S+)", text, re.M)}
    if len(watts) != 2:
        raise Failed(f"sta: no power in its report; see {work / (name + '.log')}")
    (leak, sequential), (more, combinational) = watts["Sequential"], watts["Combinational"]
    return sequential, combinational, leak + more


def tells_enough(known, flops):
    """Whether a trace that has so many of a unit's flip-flops is a trace of the unit, and not of another module with its ports."""
    return known > 0 and known >= COUNTED_LEAST * flops


def power(elaborated, technology, verilog, dump, work, nets, clock_mhz):
    """Logic only. Gates: OpenSTA on the cut netlist with counted activities. Flip-flops: clock energy, and the counted mean activity times the
    slope of OpenSTA's figure between activities 0 and 0.5. None when the trace does not tell enough of the unit."""
    names = Names(dump, elaborated.unit.top, technology.cells.flops)
    found = sources(names)
    clock = names.ports["clk_i"]["bits"][0]
    of_flop = [counted(names, nets, bit) for bit in found["flop"]]
    known = [a[0] for a in of_flop if a]
    if not tells_enough(len(known), len(of_flop)):
        return None
    mean = sum(known) / len(known)
    period_ns = 1000.0 / clock_mhz
    whole = header(technology, work, verilog, elaborated.unit.top, period_ns)
    still, _, leakage = report(whole + ["set_power_activity -global -activity 0", "set_power_activity -input -activity 0"], work, "power_still")
    half, _, _ = report(whole + ["set_power_activity -global -activity 0.5", "set_power_activity -input -activity 0.5"], work, "power_half")
    bits = sorted({b for kind in found.values() for b in kind})
    cut_netlist(names, bits, clock, work / "cut.v")
    lines = header(technology, work, work / "cut.v", "cw_cut", period_ns)
    for bit in bits:
        toggles, duty = counted(names, nets, bit) or (mean, 0.5)
        lines.append(f"set_power_activity -input_ports [get_ports n{bit}] -activity {toggles:.5f} -duty {duty:.4f}")
    _, gates, _ = report(lines, work, "power_gates")
    flops = still + (half - still) / 0.5 * mean
    return Power(1000 * (flops + gates), 1000 * still, 1000 * leakage, clock_mhz, len(known) / len(of_flop), mean)
