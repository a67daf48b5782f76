#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each unit in Icarus, with registers and RAMs that are unknown until something sets them: unknowns.py SOURCE BUILD [UNIT ...].

Verilator has two values, so a register that is read before it is written has a random one there, and a test may meet it or not. Here it is
unknown, X, and what depends on it too. The inputs are those of random lockstep. After a reset each output must be what the C model says: an X
is a difference. So a second simulator of Verilog agrees with the first one as well. An `if` takes an X for false, so an X that only decides what
is done next may stay unseen.

All parameter sets of the lockstep tests run for COWARP_UNKNOWN_CYCLES cycles each (1,000). Then a copy of the stall buffer runs in which a register
has no reset, and must differ. Exit status 0: no other difference."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

CYCLES = int(os.environ.get("COWARP_UNKNOWN_CYCLES", "1000"))
# Outputs that may be unknown while the valid of their channel is 0, as (unit, output, valid).
HIDDEN = {
    # It compares with 0, which is later than nothing. Icarus has X for 0 > X.
    ("last_written_table", "rsp_conflict"): "rsp_valid"}
# A broken copy: (module, text, its replacement). Without a question, ask_place is then unknown after a reset.
BROKEN = ("cw_stall_buffer", "place1_q  <= 1'b0;", "")
BENCH = """`default_nettype none
module bench;
    reg  [{row}:0] rows [0:{last}];
    reg  [{row}:0] row;
    reg          clk_i = 1'b0;
    wire         rst_i = row[{row}-:4] != 4'd0;
    integer      n;
    integer      wrong;
{wires}
    {module} #({params}) u_unit (.clk_i(clk_i), .rst_i(rst_i){ports});
    initial begin
        $readmemh("{hex}", rows);
        wrong = 0;
        for (n = 0; n <= {last} && wrong == 0; n = n + 1) begin
            row = rows[n];
            #1;
            if (!rst_i) begin
{checks}
            end
            clk_i = 1'b1;
            #1 clk_i = 1'b0;
        end
        if (wrong == 0)
            $display("{cycles} cycles, no difference");
        $finish;
    end
endmodule
"""
CHECK = """                if ({name}_o !== {name}_want{hidden}) begin
                    wrong = 1;
                    $display("cycle %0d: {name}_o is %h, and %h in the C model", n, {name}_o, {name}_want);
                end"""


def sets(build, unit, source):
    """{label: {parameter: value}} of the unit's lockstep test."""
    done = subprocess.run([build / f"test_rtl_{unit}", "--gtest_filter=*c_equals_rtl*"], env={**os.environ, "COWARP_LOCKSTEP_SETS": "?"},
                          capture_output=True, text=True, timeout=60, cwd=source, check=True)
    return {label: dict(word.split("=") for word in rest.split())
            for label, rest in re.findall(r"^set label=(\S+)(.*)$", done.stdout, re.M) if label != "largest"}  # Icarus would take too long


def record(build, unit, labels, folder):
    subprocess.run([build / f"test_rtl_{unit}", "--gtest_filter=*c_equals_rtl*"], capture_output=True, timeout=120, cwd=folder, check=True,
                   env={**os.environ, "COWARP_LOCKSTEP_SETS": ",".join(labels), "COWARP_LOCKSTEP_RECORD": str(folder),
                        "COWARP_LOCKSTEP_CYCLES": str(CYCLES)})


def bench(unit, params, hex_file, unknown):
    """The test bench for one recorded file. unknown: outputs may be so."""
    lines = hex_file.read_text(encoding="utf-8").splitlines()
    ports = [line.split()[1:] for line in lines if line.startswith("//")]
    count = len(lines) - len(ports)
    at = sum((int(width) + 3) // 4 * 4 for _, _, width in ports)
    fields = {"row": at + 3, "last": count - 1, "cycles": count, "module": f"cw_{unit}", "hex": hex_file}
    wires, links, checks = [], [], []
    for way, name, width in ports:
        at -= (int(width) + 3) // 4 * 4
        wires.append(f"    wire [{width}-1:0] {name}_{'i' if way == 'i' else 'want'} = row[{at}+:{width}];")
        if way == "o":
            wires.append(f"    wire [{width}-1:0] {name}_o;")
            valid = HIDDEN.get((unit, name))
            when = "1'b1" if unknown else f"{valid}_o === 1'b0" if valid else ""
            hidden = f" && !(^{name}_o === 1'bx && {when})" if when else ""
            checks.append(CHECK.format(name=name, hidden=hidden))
        links.append(f", .{name}_{way}({name}_{way})")
    fields["params"] = ", ".join(f".{name}({value})" for name, value in params.items())
    return BENCH.format(wires="\n".join(wires), ports="".join(links), checks="\n".join(checks), **fields)


def run(source, unit, label, params, folder, own=(), unknown=False):
    """What Icarus prints: the first difference, or that there is none. own: files that come before those of the tree. unknown: see bench."""
    text = folder / f"{unit}.{label}.v"
    text.write_text(bench(unit, params, folder / f"{unit}.{label}.hex", unknown), encoding="utf-8")
    search = [word for path in sorted((source / "rtl").iterdir()) if path.is_dir() for word in ("-y", str(path))]
    compiled = folder / f"{unit}.{label}.vvp"
    for command in (["iverilog", "-g2005", *search, "-o", compiled, text, *own], ["vvp", "-n", compiled]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0:
            return (done.stdout + done.stderr).strip()
    return done.stdout.strip()


def notices_a_broken_copy(source, build, folder):
    module, old, new = BROKEN
    text = (source / f"rtl/{module[3:]}/{module}.v").read_text(encoding="utf-8")
    copy = folder / f"{module}.v"
    copy.write_text(text.replace(old, new), encoding="utf-8")
    label, params = next(iter(sets(build, "stall_buffer", folder).items()))
    record(build, "stall_buffer", [label], folder)
    return text.count(old) == 1 and "_o is x" in run(source, "stall_buffer", label, params, folder, [copy])


def main():
    source, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    units = sys.argv[3:] or sorted(path.stem for path in (source / "include/cowarp/unit").glob("*.h"))
    wrong = 0
    with tempfile.TemporaryDirectory(dir=build) as made:
        folder = pathlib.Path(made)
        for unit in units:
            known = sets(build, unit, folder)
            record(build, unit, known, folder)
            for label, params in known.items():
                said = run(source, unit, label, params, folder)
                print(f"{unit} {label}: {said}", flush=True)
                wrong += "no difference" not in said
        if not notices_a_broken_copy(source, build, folder):
            sys.exit("a register of the stall buffer without a reset is not noticed")
    print(f"{wrong} of the parameter sets differ" if wrong else "no output is unknown or differs")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
