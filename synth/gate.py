# SPDX-License-Identifier: Apache-2.0
"""Gate-level check: RTL and mapped netlist side by side in Icarus, the same inputs, every output compared in every cycle.

The stimulus is recorded from the unit inside a running workload where there is one (activity.py), else random from a stated seed. An output bit
that the RTL knows must be the same in the netlist; one that is x in the RTL (data that nothing has written yet) may be anything. While the tables
clear themselves after reset, and until the first accesses have filled the data registers, which have no reset, an x of the netlist may be anything
too: `if (x)` takes the else branch in the RTL, where gates pass the x on, and gates do not see that x AND NOT x is 0. Where an x stays for that reason,
and nothing else differs, the netlist is run once more as silicon wakes up: each register that is still x before the stimulus gets 0 or 1. Then no x
is left to excuse anything."""
import random
import re

from netlist import yosys
from tools import need, run
from units import Failed, verilog_folders

IDLE_CYCLES = 300    # at least, after reset: tables clear themselves, a row per cycle
FILL_CYCLES = 50     # of the stimulus, until data registers have been written
RANDOM_CYCLES = 350
SEED = 20180224


def inputs_of(elaborated):
    return [(name, bits) for name, (direction, bits) in elaborated.ports.items() if direction == "input" and name not in ("clk_i", "rst_i")]


def outputs_of(elaborated):
    return [(name, bits) for name, (direction, bits) in elaborated.ports.items() if direction == "output"]


def random_stimulus(elaborated, cycles, seed):
    """Valid bits mostly 1, flush, clear and drain rare, keys from a small set so that they meet."""
    rng, rows = random.Random(seed), []
    for _ in range(cycles):
        row = []
        for name, bits in inputs_of(elaborated):
            if bits == 1:
                rare = re.search(r"flush|clear|drain", name)
                row.append(int(rng.random() < (0.01 if rare else 0.7)))
            else:
                row.append(rng.getrandbits(min(bits, 4)) if rng.random() < 0.7 else rng.getrandbits(bits))
        rows.append(row)
    return rows


def recorded_stimulus(elaborated, activity):
    """Rows from activity.py's recording, or None when it lacks an input."""
    names = [name for name, _ in inputs_of(elaborated)]
    if not activity or not names or any(name not in activity["inputs"] for name in names):
        return None
    run_of = activity["run"]
    return {"rows": [list(row) for row in zip(*(activity["inputs"][name] for name in names))],
            "source": f"{run_of['workload']} under {run_of['system']}, {activity['scope']}"}


def idle_cycles(elaborated):
    return max([IDLE_CYCLES] + [macro.rows + 50 for macro in elaborated.macros])


def macro_models(elaborated, work):
    """The library RAMs of the shapes used, as Verilog under the names of the macros, from the RTL itself."""
    if not elaborated.macros:
        return []
    path = work / "macro_models.v"
    script = elaborated.script
    for macro in elaborated.macros:
        script += f"rename {macro.module} {macro.name}\n"
    script += "select -clear\nselect " + " ".join(f"{macro.name}" for macro in elaborated.macros) + f"\nwrite_verilog -noattr -selected {path}\n"
    yosys(script, "macro_models", work)
    return [path]


def cell_models(technology, work):
    """Verilog of the library's cells: its own, or made by Yosys from the functions in the liberty."""
    if technology.verilog:
        return technology.verilog
    path = work / "cells.v"
    yosys(f"read_liberty -ignore_miss_func {technology.liberty}\nwrite_verilog -noattr {path}\n", "cells", work)
    return path


def woken(technology, netlist, seed):
    """Verilog that gives 0 or 1 to each register of the netlist that is x, over one clock edge: (before it, behind it)."""
    rng, begin, end = random.Random(seed), [], []
    for kind, name in re.findall(r"^\s*(\w+) (\w+) \(", netlist, re.M):
        for number, pin in enumerate(technology.cells.cells[kind].outputs if kind in technology.cells.flops else ()):
            value = rng.getrandbits(1) if number == 0 else 1 - value
            begin.append(f"if (u_gates.{name}.{pin} === 1'bx) force u_gates.{name}.{pin} = {value};")
            end.append(f"release u_gates.{name}.{pin};")
    return "\n".join(begin), "\n".join(end)


def testbench(elaborated, rows, work, gates_top, wake=("", "")):
    inputs, outputs, top = inputs_of(elaborated), outputs_of(elaborated), elaborated.unit.top
    width = sum(bits for _, bits in inputs)
    digits = (width + 3) // 4
    lines = []
    for row in rows:
        word = 0
        for (_, bits), value in zip(inputs, row):
            word = word << bits | (value & (1 << bits) - 1)
        lines.append(f"{word:0{digits}x}")
    (work / "stimulus.hex").write_text("\n".join(lines) + "\n")
    ports = lambda prefix: ", ".join([".clk_i(clk)", ".rst_i(rst)"] + [f".{n}({n})" for n, _ in inputs] + [f".{n}({prefix}_{n})" for n, _ in outputs])
    has_reset = "rst_i" in elaborated.ports
    connect = lambda prefix: ports(prefix) if has_reset else ports(prefix).replace(", .rst_i(rst)", "")
    declare = "\n".join([f"  wire [{b - 1}:0] {n};" for n, b in inputs] + [f"  wire [{b - 1}:0] rtl_{n}, gate_{n};" for n, b in outputs])
    params = ", ".join(f".{name}({value})" for name, value in elaborated.params.items())
    gather = "{" + ", ".join(n for n, _ in inputs) + "}"
    # x in the RTL compares equal to anything; an x of the netlist where the RTL has a value does not.
    idle = idle_cycles(elaborated)
    compare = "\n".join(f"""      if (i < {FILL_CYCLES} ? |(rtl_{n} ^ gate_{n}) === 1'b1 : (rtl_{n} ^ rtl_{n} ^ rtl_{n}) !== (gate_{n} ^ rtl_{n} ^ rtl_{n})) begin
        wrong = wrong + 1;
        if (|(rtl_{n} ^ gate_{n}) === 1'b1) hard = hard + 1;
        if (wrong < 4) $display("DIFF cycle %0d {n} rtl %h gates %h", i, rtl_{n}, gate_{n});
      end
      if (^rtl_{n} !== 1'bx) known = known + 1;""" for n, _ in outputs)
    return f"""`timescale 1ns/10ps
module cw_gate_check;
  reg clk = 0, rst = 1;
  reg [{width - 1}:0] stimulus [0:{len(rows) - 1}];
  reg [{width - 1}:0] now = 0;
{declare}
  assign {gather} = now;
  {top} #({params}) u_rtl ({connect("rtl")});
  {gates_top} u_gates ({connect("gate")});
  integer i, wrong = 0, hard = 0, known = 0;
  initial begin
    $readmemh("{work / 'stimulus.hex'}", stimulus);
    for (i = -{idle + 4}; i < {len(rows)}; i = i + 1) begin
      rst = i < -{idle};
      now = i < 0 ? {{{width}{{1'b0}}}} : stimulus[i];
      #50;
      if (!rst) begin
{compare}
      end
      if (i == -1) begin
{wake[0]}
        #50;
      end
      clk = 1; #50; clk = 0;
      if (i == -1) begin
{wake[1]}
      end
    end
    $display("RESULT %0d wrong %0d hard %0d known", wrong, hard, known);
    $finish;
  end
endmodule
"""


def simulate(elaborated, technology, work, bench):
    """(output values that differ, of these with 0 against 1, values compared, the first difference in words)."""
    path, sim = work / "gate_check.v", work / "gate_check.vvp"
    path.write_text(bench)
    folders = [word for folder in verilog_folders(elaborated.unit) for word in ("-y", folder)]
    files = [path, work / "gates.v", *macro_models(elaborated, work), cell_models(technology, work), elaborated.unit.verilog]
    run(["iverilog", "-g2005", *elaborated.unit.defines, *folders, "-o", sim, *files], work / "iverilog.log")
    text = run(["vvp", "-n", sim], work / "vvp.log")
    result = re.search(r"RESULT (\d+) wrong (\d+) hard (\d+) known", text)
    if not result:
        raise Failed(f"{elaborated.unit.stem}: the gate-level simulation did not end; see {work / 'vvp.log'}")
    first = re.search(r"DIFF.*", text)
    return *map(int, result.groups()), first.group(0) if first else "nothing known to compare"


def check(elaborated, technology, verilog, work, recorded):
    """Returns {"cycles", "outputs", "wrong", "stimulus"}; fails when an output differs."""
    need("iverilog", "iverilog")
    rows = recorded["rows"] if recorded else random_stimulus(elaborated, RANDOM_CYCLES, SEED)
    gates_top = elaborated.unit.top + "_gates"
    netlist = verilog.read_text().replace(f"module {elaborated.unit.top}(", f"module {gates_top}(")
    (work / "gates.v").write_text(netlist)
    wrong, hard, known, told = simulate(elaborated, technology, work, testbench(elaborated, rows, work, gates_top))
    if wrong and not hard:
        wrong, _, known, told = simulate(elaborated, technology, work, testbench(elaborated, rows, work, gates_top, woken(technology, netlist, SEED)))
    if wrong or not known:
        raise Failed(f"{elaborated.unit.stem}: netlist and RTL differ in {wrong} output values ({known} compared); {told}; "
                     f"see {work / 'vvp.log'}")
    return {"cycles": len(rows), "known_values": known, "wrong": wrong,
            "stimulus": f"recorded from {recorded['source']}" if recorded else f"random, seed {SEED}"}
