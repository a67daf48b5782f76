# SPDX-License-Identifier: Apache-2.0
"""From Verilog to a mapped netlist, with Yosys. RAMs of rtl/lib stay macros; their timing is in a liberty file made here."""
import hashlib
import json
import pathlib
import re
from dataclasses import dataclass, field

import buffers
import compiler
import sram
from tools import need, run
from units import Failed, verilog_folders

RAM_MODULE = re.compile(r"^cw_ram_")
PORTS_IN_NAME = re.compile(r"(\d+)rw|(\d+)r(\d+)w")


@dataclass
class MacroUse:
    """A RAM of one shape. name: its liberty cell; module: Yosys's name of the elaborated module."""
    name: str
    module: str
    rows: int
    width: int
    ports: int
    inputs: dict    # port -> bits
    outputs: dict
    count: int = 0

    @property
    def bits(self):
        return self.rows * self.width

    def shape(self):
        return sram.Macro(self.rows, self.width, self.ports)


@dataclass
class Elaborated:
    """A unit before mapping."""
    unit: object
    params: dict
    script: str                              # Yosys commands that bring the hierarchy up again
    work: object                             # folder of its files
    macros: list = field(default_factory=list)
    ports: dict = field(default_factory=dict)  # name -> (direction, bits)
    flop_bits: int = 0                       # memory bits outside the library RAMs: they become flip-flops


def front_end(unit, params):
    folders = verilog_folders(unit)
    lines = [" ".join(["verilog_defines", *unit.defines]), f"read_verilog {unit.verilog}"]
    if params:
        lines.append("chparam " + " ".join(f"-set {name} {value}" for name, value in params.items()) + f" {unit.top}")
    lines.append(f"hierarchy -check -top {unit.top} " + " ".join(f"-libdir {folder}" for folder in folders))
    return "\n".join(lines + ["proc", "memory_dff", "memory -nomap", ""])


WRITTEN = re.compile(r"write_\w+ (?:-\S+ )*(\S+)")


def fingerprint(script):
    """Of a script and of all that it reads: files that it names, and the Verilog of folders that it names."""
    outputs, digest = set(WRITTEN.findall(script)), hashlib.sha256(script.encode())
    for word in dict.fromkeys(script.split()):
        path = pathlib.Path(word)
        if path.is_absolute() and word not in outputs:
            for file in sorted(path.glob("*.v")) if path.is_dir() else [path] if path.is_file() else []:
                digest.update(file.read_bytes())
    return digest.hexdigest()


def yosys(script, name, work):
    """Runs a script, unless its last run in this folder was of the same script on the same files."""
    need("yosys", "yosys")
    path, kept, key = work / f"{name}.ys", work / f"{name}.key", fingerprint(script)
    if kept.exists() and kept.read_text() == key and all(pathlib.Path(output).exists() for output in WRITTEN.findall(script)):
        return
    kept.unlink(missing_ok=True)
    path.write_text(script)
    run(["yosys", "-s", path], work / f"{name}.log")
    kept.write_text(key)


def plain(module, name):
    return module["attributes"].get("hdlname", name).lstrip("\\")


def memories(module):
    return [cell for cell in module["cells"].values() if cell["type"] == "$mem_v2"]


def number(bits):
    return int(bits, 2)


def memory_ports(cell):
    """Ports of the macro's bit cells: reads plus writes."""
    return number(cell["parameters"]["RD_PORTS"]) + number(cell["parameters"]["WR_PORTS"])


def ram_ports(name, cell):
    """From the library module's name (1rw: one shared port; 1r1w: two); else what the memory has."""
    found = PORTS_IN_NAME.search(name)
    if not found:
        return memory_ports(cell)
    return int(found.group(1)) if found.group(1) else int(found.group(2)) + int(found.group(3))


def count_instances(modules, top):
    """How many instances of each module the top has in all."""
    total = {}

    def walk(name, times):
        total[name] = total.get(name, 0) + times
        for cell in modules[name]["cells"].values():
            if cell["type"] in modules:
                walk(cell["type"], times)
    walk(top, 1)
    return total


def elaborate(unit, params, work):
    kept, dump = work / "elaborated.il", work / "elaborated.json"
    result = Elaborated(unit, params, f"read_ilang {kept}\n", work)
    yosys(front_end(unit, params) + f"write_ilang {kept}\nwrite_json {dump}\n", "elaborate", work)
    modules = json.loads(dump.read_text())["modules"]
    top = next(name for name, module in modules.items() if number(module["attributes"].get("top", "0")) == 1)
    result.ports = {name: (port["direction"], len(port["bits"])) for name, port in modules[top]["ports"].items()}
    instances = count_instances(modules, top)
    for name, module in modules.items():
        if name not in instances:
            continue
        for cell in memories(module):
            rows, width = number(cell["parameters"]["SIZE"]), number(cell["parameters"]["WIDTH"])
            if not RAM_MODULE.match(plain(module, name)):
                result.flop_bits += rows * width * instances[name]
                continue
            ports = {d: {p: len(v["bits"]) for p, v in module["ports"].items() if v["direction"] == d} for d in ("input", "output")}
            result.macros.append(MacroUse(f"{plain(module, name)}_{rows}x{width}", name, rows, width, ram_ports(plain(module, name), cell),
                                          ports["input"], ports["output"], instances[name]))
    return result


# ------------------------------------------------------------------------------------------- liberty of the macros

def _bus_types(macro):
    return sorted({bits for ports in (macro.inputs, macro.outputs) for bits in ports.values() if bits > 1})


def _arc(kind, clock, lines):
    return [f"      timing () {{ related_pin : \"{clock}\"; timing_type : {kind};"] + [f"        {line}" for line in lines] + ["      }"]


def pin_pf(node):
    """Of a RAM's pin: a gate's input, which is smaller at a smaller node."""
    return 0.01 * node / 180


def _input(name, bits, clock, setup_ns, pin):
    head = f"    bus ({name}) {{ bus_type : w{bits};" if bits > 1 else f"    pin ({name}) {{"
    if name == clock:
        return [head + f" direction : input; clock : true; capacitance : {5 * pin:.5g}; }}"]
    constraint = [f"rise_constraint (scalar) {{ values (\"{setup_ns:.4f}\"); }}", f"fall_constraint (scalar) {{ values (\"{setup_ns:.4f}\"); }}"]
    return [head + f" direction : input; capacitance : {pin:.5g};"] + _arc("setup_rising", clock, constraint) + ["    }"]


def _output(name, bits, clock, access_ns, slew_ns):
    head = f"    bus ({name}) {{ bus_type : w{bits};" if bits > 1 else f"    pin ({name}) {{"
    values = [f"cell_rise (scalar) {{ values (\"{access_ns:.4f}\"); }}", f"cell_fall (scalar) {{ values (\"{access_ns:.4f}\"); }}",
              f"rise_transition (scalar) {{ values (\"{slew_ns:.4f}\"); }}", f"fall_transition (scalar) {{ values (\"{slew_ns:.4f}\"); }}"]
    return [head + " direction : output; max_capacitance : 10;"] + _arc("rising_edge", clock, values) + ["    }"]


LIBERTY_HEAD = """library (cw_macros) {
  delay_model : table_lookup; time_unit : "1ns"; voltage_unit : "1V"; current_unit : "1uA"; pulling_resistance_unit : "1kohm";
  leakage_power_unit : "1nW"; capacitive_load_unit (1,pf); nom_process : 1; nom_temperature : 25; nom_voltage : %s;
  slew_upper_threshold_pct_rise : 80; slew_lower_threshold_pct_rise : 20; slew_upper_threshold_pct_fall : 80; slew_lower_threshold_pct_fall : 20;
  input_threshold_pct_rise : 50; input_threshold_pct_fall : 50; output_threshold_pct_rise : 50; output_threshold_pct_fall : 50;
"""


def macro_liberty(macros, technology):
    """Access time and area from sram.py; setup of addresses and data: the decoder's share, a quarter of the access time."""
    lines, widths = [LIBERTY_HEAD % technology.volt], sorted({bits for m in macros for bits in _bus_types(m)})
    lines += [f"  type (w{b}) {{ base_type : array; data_type : bit; bit_width : {b}; bit_from : {b - 1}; bit_to : 0; downto : true; }}"
              for b in widths]
    for macro in macros:
        e = compiler.estimate(macro.shape(), technology.sram_node)
        clock = next(name for name in macro.inputs if name.startswith("clk"))
        lines.append(f"  cell ({macro.name}) {{ area : {e.area_um2:.1f}; cell_leakage_power : {e.leakage_uw * 1e3:.3f}; dont_use : true;")
        for name, bits in macro.inputs.items():
            lines += _input(name, bits, clock, e.access_ns / 4, pin_pf(technology.sram_node))
        for name, bits in macro.outputs.items():
            lines += _output(name, bits, clock, e.access_ns, 0.0012 * technology.sram_node)
        lines.append("  }")
    return "\n".join(lines + ["}", ""])


# ------------------------------------------------------------------------------------------- mapping

def prepare(elaborated, technology, work):
    """Up to the point where cells are chosen: generic.il; word.json, the unit flattened but still in words and RTL names; registers.json, in
    gates of one bit and flip-flops of any kind."""
    unit, script = elaborated.unit, elaborated.script
    (work / "macros.lib").write_text(macro_liberty(elaborated.macros, technology))
    if elaborated.macros:
        script += f"read_liberty -lib {work / 'macros.lib'}\n"
    for macro in elaborated.macros:
        script += f"chtype -set {macro.name} t:{macro.module}\ndelete {macro.module}\n"
    script += f"hierarchy -check -top {unit.top}\nflatten\nopt\nwrite_json {work / 'word.json'}\n"
    script += f"synth -flatten -noabc -top {unit.top}\nwrite_json {work / 'registers.json'}\n"  # flip-flops still say what enables them
    script += f"dfflibmap -liberty {technology.liberty}\nopt_clean -purge\nwrite_ilang {work / 'generic.il'}\n"
    yosys(script, "prepare", work)


def structural(module, top):
    """Verilog of a mapped module: ports, cells, and nets that are named by number. (Yosys's own writer takes as long as ABC for a large unit, and
    assigns to concatenations, which OpenSTA does not read.)"""
    ref, declared, assigns = {}, [], []
    escaped = lambda name: name if re.fullmatch(r"[A-Za-z_]\w*", name) else f"\\{name} "
    driven = {bit for cell in module["cells"].values() for pin, bits in cell["connections"].items()
              if cell["port_directions"][pin] == "output" for bit in bits}

    def net(bit):
        return f"1'b{bit}" if isinstance(bit, str) else ref.setdefault(bit, f"n{bit}_")
    # Inputs first: an output that repeats an input is an assignment.
    for name, port in sorted(module["ports"].items(), key=lambda item: item[1]["direction"] != "input"):
        low, width = port.get("offset", 0), len(port["bits"])
        declared.append(f"  {port['direction']} {f'[{low + width - 1}:{low}] ' if width > 1 else ''}{escaped(name)};")
        for index, bit in enumerate(port["bits"], low):
            own = f"{escaped(name)}[{index}]" if width > 1 else escaped(name)
            if isinstance(bit, int) and bit not in ref and (port["direction"] == "input" or bit in driven):
                ref[bit] = own
            elif port["direction"] == "output":
                assigns.append(f"  assign {own} = {net(bit)};")
    cells = []
    for instance, cell in module["cells"].items():
        pins = ", ".join(f".{pin}({net(bits[0]) if len(bits) == 1 else '{' + ', '.join(net(b) for b in reversed(bits)) + '}'})"
                         for pin, bits in cell["connections"].items())
        cells.append(f"  {escaped(cell['type'])} {escaped(instance)} ({pins});")
    wires = [f"  wire {name};" for bit, name in sorted(ref.items()) if name == f"n{bit}_"]
    head = f"module {top}({', '.join(escaped(name) for name in module['ports'])});"
    return "\n".join([head, *declared, *wires, *assigns, *cells, "endmodule", ""])


# ABC's steps. usual: those of Yosys. The target period alone moves the area by less than a percent, since ABC chooses structure before it sizes; so
# area is traded for speed by other steps. small: covers for area. fast: balances sums of products first, which costs an eighth to a third
# more area and twice the time.
SIZING = "topo; buffer -c; topo; upsize {D}; dnsize {D}; stime -p"
STEPS = {"usual": None, "small": f"strash; ifraig; scorr; dc2; dretime; strash; dch -f; amap; {SIZING}",
         "fast": f"strash; ifraig; scorr; dc2; strash; if -g -K 6 -C 8; strash; dch -f; if -g -K 6 -C 8; strash; dch -f; map -B 0.9; {SIZING}"}


def abc_steps(kind, target_ps, work):
    """The option of Yosys's abc for one of STEPS."""
    if STEPS[kind] is None:
        return ""
    script = work / f"{kind}.abc"
    script.write_text(STEPS[kind].replace("{D}", f"-D {target_ps:.0f}") + "\n")
    return f" -script {script}"


def map_cells(elaborated, technology, target_ps, work, name, kind="usual"):
    """ABC for one target period. Returns the paths (verilog, json) of the netlist."""
    constraint = work / "abc.constr"
    constraint.write_text(f"set_driving_cell {technology.driver}\nset_load {technology.load_ff} [all_outputs]\n")
    verilog, dump = work / f"{name}.v", work / f"{name}.json"
    script = f"read_ilang {work / 'generic.il'}\nread_liberty -lib {technology.liberty}\n"  # the library tells pin directions to write_json
    script += f"read_liberty -lib {work / 'macros.lib'}\n" if elaborated.macros else ""
    script += f"hierarchy -check -top {elaborated.unit.top}\n"
    script += f"abc -liberty {technology.liberty} -constr {constraint} -D {target_ps:.0f}{abc_steps(kind, target_ps, work)}\nopt_clean -purge\n"
    script += "rename -enumerate -pattern _%_\n"
    yosys(script + f"write_json {dump}\n", name, work)
    verilog.write_text(structural(json.loads(dump.read_text())["modules"][elaborated.unit.top], elaborated.unit.top))
    return verilog, dump


def limit_fan_out(dump, elaborated, technology, limit, work, name):
    """The netlist with trees of buffers (buffers.py). Returns the paths (verilog, json), or None where no net has so much load."""
    top, verilog, target = elaborated.unit.top, work / f"{name}.v", work / f"{name}.json"
    if buffers.limited(dump, target, top, technology, pin_pf(technology.sram_node), limit) == 0:
        return None
    verilog.write_text(structural(json.loads(target.read_text())["modules"][top], top))
    return verilog, target


@dataclass
class Counts:
    cells: int
    flip_flops: int
    logic_um2: float
    leakage_mw: float  # None where the library does not state that of each cell
    by_type: dict


def count(dump, top, technology):
    areas = technology.cells.areas
    types = {}
    for cell in json.loads(dump.read_text())["modules"][top]["cells"].values():
        types[cell["type"]] = types.get(cell["type"], 0) + 1
    logic = {kind: n for kind, n in types.items() if kind in areas}
    unknown = [kind for kind in types if kind not in areas and not kind.startswith("cw_ram_")]
    if unknown:
        latch = "; a latch is a case without a value in the Verilog" if any("LATCH" in kind for kind in unknown) else ""
        raise Failed(f"{top}: Yosys left cells that the library does not have: {', '.join(sorted(unknown))}{latch}")
    flops = sum(n for kind, n in logic.items() if kind in technology.cells.flops)
    leaks = {kind: technology.cells.cells[kind].leak_nw for kind in logic}
    leakage = None if None in leaks.values() else sum(leaks[kind] * n for kind, n in logic.items()) / 1e6
    return Counts(sum(logic.values()), flops, sum(areas[kind] * n for kind, n in logic.items()), leakage, dict(sorted(logic.items())))


def storage(elaborated, node_nm, roles=None):
    """SRAM of the unit at a node: bits, area, access time of the slowest macro, and each shape; with a library's roles, that of each from flip-flops
    too."""
    shapes, area = [], 0.0
    for macro in elaborated.macros:
        e = compiler.estimate(macro.shape(), node_nm)
        area += macro.count * e.area_um2
        shapes.append({"name": macro.name, "count": macro.count, "rows": macro.rows, "width": macro.width, "ports": macro.ports, "bits": macro.bits,
                       "area_um2": e.area_um2, "access_ns": e.access_ns, "read_pj": e.read_pj, "write_pj": e.write_pj, "leakage_uw": e.leakage_uw,
                       "pieces": compiler.note(macro.shape()), "register_um2": compiler.register_um2(macro.shape(), roles) if roles else None})
    return {"bits": sum(m.count * m.bits for m in elaborated.macros), "area_um2": area,
            "access_ns": max((s["access_ns"] for s in shapes), default=0.0), "macros": shapes}
