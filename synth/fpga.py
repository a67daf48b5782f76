# SPDX-License-Identifier: Apache-2.0
"""FPGA figures: iCE40 with placement and routing where the unit fits an HX8K, six-input LUTs for all."""
import json
import re

from netlist import front_end, yosys
from tools import complaint, need, run
from units import Failed

HX8K = {"luts": 7680, "brams": 32}
PLACE_SECONDS = 300  # a device that is nearly full can keep the placer busy without end


def cells_of(dump, top):
    types = {}
    for cell in json.loads(dump.read_text())["modules"][top]["cells"].values():
        types[cell["type"]] = types.get(cell["type"], 0) + 1
    return types


def wrapper(elaborated, gates):
    """Four pins around the unit: inputs from a shift register, outputs registered and folded into one. Fmax is then between registers."""
    ins = [(n, b) for n, (d, b) in elaborated.ports.items() if d == "input" and n != "clk_i"]
    outs = [(n, b) for n, (d, b) in elaborated.ports.items() if d == "output"]
    width, out = sum(b for _, b in ins), sum(b for _, b in outs)
    pins = [".clk_i(clk_i)"] + [f".{n}(in_{n})" for n, _ in ins] + [f".{n}(out_{n})" for n, _ in outs]
    wires = [f"  wire [{b - 1}:0] in_{n};" for n, b in ins] + [f"  wire [{b - 1}:0] out_{n};" for n, b in outs]
    return f"""module cw_fpga_top (input wire clk_i, input wire si, output reg so);
  reg [{width - 1}:0] shift_q; reg [{out - 1}:0] out_q;
{chr(10).join(wires)}
  assign {{{", ".join("in_" + n for n, _ in ins)}}} = shift_q;
  {gates} u_unit ({", ".join(pins)});
  always @(posedge clk_i) begin
    shift_q <= {{shift_q[{max(width - 2, 0)}:0], si}};
    out_q <= {{{", ".join("out_" + n for n, _ in outs)}}} ^ {{out_q[0], out_q[{out - 1}:1]}};
    so <= out_q[0];
  end
endmodule
"""


def ice40(elaborated, work):
    top, dump = elaborated.unit.top, work / "ice40.json"
    yosys(front_end_without_memory(elaborated) + f"synth_ice40 -top {top}\nwrite_json {dump}\nwrite_ilang {work / 'ice40.il'}\n", "ice40", work)
    types = cells_of(dump, top)
    result = {"lut4": types.get("SB_LUT4", 0), "ff": sum(n for kind, n in types.items() if kind.startswith("SB_DFF")),
              "bram": types.get("SB_RAM40_4K", 0) + sum(n for k, n in types.items() if k.startswith("SB_RAM40_4KN")), "fmax_mhz": None}
    if result["lut4"] > HX8K["luts"] or result["bram"] > HX8K["brams"]:
        result["note"] = f"does not fit an HX8K ({HX8K['luts']} LUT4, {HX8K['brams']} RAMs of 4 kbit)"
        return result
    try:
        return place(elaborated, work, result)
    except Failed as failed:
        result["note"] = not_placed(failed.what)
        return result


def not_placed(told):
    """Why, in the words of a reader. The unit alone may fit, and not together with the wrapper's registers: then the placer names the cells."""
    cells = re.search(r"of (\d+) ICESTORM_LCs", told)
    if cells and int(cells.group(1)) > HX8K["luts"]:
        return f"does not fit an HX8K with the wrapper's registers ({cells.group(1)} of {HX8K['luts']} logic cells)"
    return f"not placed: {without_folders(told)}"


def without_folders(text):
    """A note goes into documents, and a file's folder is one of this run."""
    return re.sub(r"(?<![\w.])/(?:[^\s/]+/)+", "", text)


def front_end_without_memory(elaborated):
    return front_end(elaborated.unit, elaborated.params).replace("memory_dff\n", "").replace("memory -nomap\n", "")


def place(elaborated, work, result):
    need("nextpnr-ice40", "nextpnr-ice40")
    (work / "fpga_top.v").write_text(wrapper(elaborated, elaborated.unit.top))
    dump = work / "placed.json"
    script = front_end_without_memory(elaborated)
    yosys(script + f"read_verilog {work / 'fpga_top.v'}\nsynth_ice40 -top cw_fpga_top\nwrite_json {dump}\n", "ice40_top", work)
    # It exits with 1 when its own default frequency target is missed, which is no failure here.
    text = run(["nextpnr-ice40", "--hx8k", "--package", "ct256", "--json", dump, "--seed", "1", "--pcf-allow-unconstrained", "--timing-allow-fail"],
               work / "nextpnr.log", timeout=PLACE_SECONDS, ok=(0, 1))
    found = re.findall(r"Max frequency for clock\s+'[^']*': ([\d.]+) MHz", text)
    if found:
        result["fmax_mhz"] = float(found[-1])
        result["note"] = "HX8K, seed 1, inputs and outputs registered by a wrapper that LUT and FF counts leave out"
    else:
        result["note"] = not_placed(complaint(text))
    return result


def lut6(elaborated, work):
    top, dump = elaborated.unit.top, work / "lut6.json"
    yosys(f"read_ilang {work / 'generic6.il'}\nabc -lut 6\nopt_clean -purge\nwrite_json {dump}\n", "lut6", work)
    return cells_of(dump, top).get("$lut", 0)


def estimate(elaborated, work):
    """generic6.il: as netlist.prepare makes it, before flip-flops are mapped."""
    script = elaborated.script
    if elaborated.macros:
        script += f"read_liberty -lib {work / 'macros.lib'}\n"
    for macro in elaborated.macros:
        script += f"chtype -set {macro.name} t:{macro.module}\ndelete {macro.module}\n"
    yosys(script + f"synth -flatten -noabc -top {elaborated.unit.top}\nwrite_ilang {work / 'generic6.il'}\n", "generic6", work)
    result = {"lut6": lut6(elaborated, work)}
    try:
        result["ice40"] = ice40(elaborated, work)
    except Failed as failed:
        result["ice40"] = {"note": without_folders(failed.what), "lut4": None, "ff": None, "bram": None, "fmax_mhz": None}
    return result
