# SPDX-License-Identifier: Apache-2.0
"""Static timing and power of a mapped netlist, with OpenSTA."""
import json
import re
from dataclasses import dataclass, field

from tools import need, run
from units import Failed

STA_PERIOD_NS = 10.0
COUNTED_LEAST = 0.5                 # of the flip-flops, so that what a trace tells is the unit's power
INPUT_DELAY_NS_PER_NM = 0.3 / 180   # an input comes from a neighbour's register: its clock-to-output time


@dataclass
class Path:
    """The slowest path. start, end: RTL names of register, RAM or port; cells: the gates on the way; ns: data arrival plus set-up."""
    start: str
    end: str
    ns: float
    cells: int = 0
    start_net: tuple = None  # (RTL name, bit) for the search in words
    end_net: tuple = None
    through: list = field(default_factory=list)


def header(technology, work, verilog, top, has_macros, period_ns):
    lines = [f"read_liberty {technology.liberty}"]
    lines += [f"read_liberty {work / 'macros.lib'}"] if has_macros else []
    lines += [f"read_verilog {verilog}", f"link_design {top}", f"create_clock -name clk -period {period_ns} [get_ports clk_i]",
              'set ins {}', 'foreach p [all_inputs] { if {[get_property $p full_name] ne "clk_i"} { lappend ins $p } }',
              f"set_input_delay {INPUT_DELAY_NS_PER_NM * technology.node_nm:.3f} -clock clk $ins",
              "set_output_delay 0 -clock clk [all_outputs]",
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

    def __init__(self, dump, top):
        module = json.loads(dump.read_text())["modules"][top]
        self.cells = module["cells"]
        self.ports = module["ports"]
        self.of_bit = {}
        for name, net in module["netnames"].items():
            if net.get("hide_name", 0) or re.fullmatch(r"_\d+_", name):
                continue
            offset = net.get("offset", 0)
            for index, bit in enumerate(net["bits"]):
                if isinstance(bit, int):
                    self.of_bit.setdefault(bit, []).append((name, index + offset, len(net["bits"])))

    def output(self, instance, pin):
        return self.cells[instance]["connections"][pin][0]

    def best(self, bit):
        """The name of a register says so (_q); else the shortest, which is the outermost."""
        names = self.of_bit.get(bit)
        return min(names, key=lambda n: (not n[0].endswith("_q"), len(n[0]), n[0])) if names else None

    def register(self, instance):
        """(RTL name, bit, width) of the register that a flip-flop cell holds."""
        for pin in ("Q", "QN"):
            if pin in self.cells[instance]["connections"]:
                return self.best(self.output(instance, pin))
        return None


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
    start = re.search(r"^Startpoint: (\S+)", text, re.M)
    end = re.search(r"^Endpoint: (\S+)", text, re.M)
    slack = re.search(r"^worst slack (\S+)", text, re.M)
    if not (start and end and slack):
        raise Failed("sta: the report has no path; every path starts or ends outside of the clock")
    pins = re.findall(r"^\s.*[\^v] (\S+)/(\S+) \((\w+)\)$", text.split("data arrival time")[0], re.M)
    start_words, start_net = point(start.group(1), names)
    end_words, end_net = point(end.group(1), names)
    path = Path(start_words, end_words, period_ns - float(slack.group(1)), 0, start_net, end_net)
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
        elif pin in ("Y", "YS", "YC") and not kind.startswith("DFF"):
            gates.append(kind)
    path.cells = len(gates)
    return path


def slowest_path(elaborated, technology, verilog, dump, work, name):
    """Smallest clock period is period - slack: no constraint here depends on the period other than by the capture edge."""
    names = Names(dump, elaborated.unit.top)
    lines = header(technology, work, verilog, elaborated.unit.top, bool(elaborated.macros), STA_PERIOD_NS)
    lines += ["report_checks -path_delay max -format full_clock_expanded -fields {slew cap input_pins nets}", "report_worst_slack -digits 4"]
    return read_report(sta(lines, name + "_sta", work), names, STA_PERIOD_NS)


# ------------------------------------------------------------------------------------------- power

@dataclass
class Power:
    """Of the logic, mW at the clock given; clock_mw: of that, what flip-flops take when nothing changes; share: of the flip-flop bits, those whose
    activity was counted (the rest got the mean of those)."""
    mw: float
    clock_mw: float
    clock_mhz: float
    share: float
    mean_activity: float


def counted(names, nets, bit):
    """[toggles per cycle, duty] of a net's bit from the trace, by any of its RTL names."""
    for name, index, _ in names.of_bit.get(bit, []):
        if name in nets and index < len(nets[name]):
            return nets[name][index]
    return None


def sources(names):
    """Where activity enters the gates: bits of flip-flop outputs, RAM outputs and input ports other than the clock. name -> list of bits."""
    found = {"flop": [], "ram": [], "port": []}
    for cell in names.cells.values():
        kind = "flop" if cell["type"].startswith("DFF") else "ram" if cell["type"].startswith("cw_ram_") else None
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
        flop = cell["type"].startswith("DFF")
        pins = [f".{pin}({wire(b[0])})" for pin, b in cell["connections"].items() if not (flop and cell["port_directions"][pin] == "output")]
        lines.append(f"  {cell['type']} u{i} ({', '.join(pins)});")
    path.write_text("\n".join(lines + ["endmodule", ""]))


def report(lines, work, name):
    """(sequential, combinational) W of report_power."""
    text = sta(lines + ["report_power -digits 6"], name, work)
    watts = {m[0]: float(m[1]) for m in re.findall(r"^(Sequential|Combinational)(?:\s+\S+){3}\s+(\S+)", text, re.M)}
    if len(watts) != 2:
        raise Failed(f"sta: no power in its report; see {work / (name + '.log')}")
    return watts["Sequential"], watts["Combinational"]


def tells_enough(known, flops):
    """Whether a trace that has so many of a unit's flip-flops is a trace of the unit, and not of another module with its ports."""
    return known > 0 and known >= COUNTED_LEAST * flops


def power(elaborated, technology, verilog, dump, work, nets, clock_mhz):
    """Logic only. Gates: OpenSTA on the cut netlist with counted activities. Flip-flops: clock energy, and the counted mean activity times the
    slope of OpenSTA's figure between activities 0 and 0.5. None when the trace does not tell enough of the unit."""
    names = Names(dump, elaborated.unit.top)
    found = sources(names)
    clock = names.ports["clk_i"]["bits"][0]
    of_flop = [counted(names, nets, bit) for bit in found["flop"]]
    known = [a[0] for a in of_flop if a]
    if not tells_enough(len(known), len(of_flop)):
        return None
    mean = sum(known) / len(known)
    period_ns = 1000.0 / clock_mhz
    whole = header(technology, work, verilog, elaborated.unit.top, bool(elaborated.macros), period_ns)
    still, _ = report(whole + ["set_power_activity -global -activity 0", "set_power_activity -input -activity 0"], work, "power_still")
    half, _ = report(whole + ["set_power_activity -global -activity 0.5", "set_power_activity -input -activity 0.5"], work, "power_half")
    bits = sorted({b for kind in found.values() for b in kind})
    cut_netlist(names, bits, clock, work / "cut.v")
    lines = header(technology, work, work / "cut.v", "cw_cut", False, period_ns)
    for bit in bits:
        toggles, duty = counted(names, nets, bit) or (mean, 0.5)
        lines.append(f"set_power_activity -input_ports [get_ports n{bit}] -activity {toggles:.5f} -duty {duty:.4f}")
    _, gates = report(lines, work, "power_gates")
    flops = still + (half - still) / 0.5 * mean
    return Power(1000 * (flops + gates), 1000 * still, clock_mhz, len(known) / len(of_flop), mean)
