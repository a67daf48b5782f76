#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""RAMs with error correction: ecc.py SOURCE BUILD [UNIT ...].

1. cw_secded is proved for words of several widths: any data, any inverted bits. One inverted bit is corrected and said, two are said, none are
   left alone. A code whose columns are not of odd weight is refuted.
2. Rows of cw_ram_1r1w that take one code word, two, and three, with and without bits to fill the last, are read as they were written, whichever
   bit is inverted. Without correction they are not.
3. Each unit with RAMs runs in Icarus with CW_RAM_ECC, and of each row that is read one bit is inverted (CW_RAM_UPSET). Its outputs must be those
   of the C model. A copy that does not correct must differ, so the inverted bits matter.

The runs are those of unknowns.py, with the first parameter set of each unit. Units with cw_ram_1r1w_mask are left out: it has no such form."""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent / "formal")]
sys.dont_write_bytecode = True

import unknowns  # noqa: E402
from prove import used_sources  # noqa: E402

WIDTHS = [(1, 3, 1), (4, 4, 2), (8, 5, 4), (20, 6, 1), (32, 7, 1)]  # data bits, check bits, words
ROWS = (246, 247, 248, 249, 500)  # data bits of a row
READS = 700  # more than a row has bits, so that each is inverted once
CORRECTED = " ^ (syndrome == COLUMNS[d*CHECK_W+:CHECK_W])"
PROOF = """module proof(input wire [{data}-1:0] d, input wire [{code}-1:0] e, output wire ok);
    wire [{code}-1:0] code;
    wire [{data}-1:0] q;
    wire              corrected;
    wire              lost;
    cw_secded #(.WORD_W({word}), .CHECK_W({check}), .WORDS({words})) u (
        .data_i(d), .code_o(code), .code_i(code ^ e), .data_o(q), .corrected_o(corrected), .lost_o(lost));
    wire [{code}-1:0] rest = e & (e - 1'b1);
    wire none = e == 0;
    wire one  = !none && rest == 0;
    wire two  = rest != 0 && (rest & (rest - 1'b1)) == 0 && {words} == 1;
    assign ok = (!none || (q == d && !corrected && !lost)) && (!one || (q == d && corrected && !lost)) && (!two || (lost && !corrected));
endmodule
"""

BENCH = """module bench;
    reg              clk = 1'b0;
    reg  [{row}-1:0] data;
    wire [{row}-1:0] read;
    integer          n;
    integer          wrong = 0;
    cw_ram_1r1w #(.ADDR_W(1), .DATA_W({row})) u (.clk_i(clk), .rd_en_i(n[0]), .rd_addr_i(1'b1), .rd_data_o(read), .wr_en_i(!n[0]), .wr_addr_i(1'b1), .wr_data_i(data));
    initial begin
        data = 0;
        for (n = 0; n < 2 * {reads}; n = n + 1) begin
            if (!n[0]) data = {{data, $random}} ^ (data >> 7);
            #1 clk = 1'b1;
            #1 clk = 1'b0;
            if (n[0] && read !== data) wrong = wrong + 1;
        end
        $display("wrong %0d", wrong);
    end
endmodule
"""


def wrong_rows(source, folder, row, *own):
    """How many of READS reads of a row differ from what was written, with one bit inverted in each. own: Verilog in place of cw_secded."""
    (folder / "bench.v").write_text(BENCH.format(row=row, reads=READS), encoding="utf-8")
    files = [source / f"rtl/lib/{name}.v" for name in ("cw_ram_1r1w", "cw_nonsynth_upset")] + list(own or [source / "rtl/lib/cw_secded.v"])
    subprocess.run(["iverilog", "-g2005", "-DCW_RAM_ECC", "-DCW_RAM_UPSET", "-s", "bench", "-o", folder / "bench", folder / "bench.v", *files], check=True)
    said = subprocess.run(["vvp", "-n", folder / "bench"], capture_output=True, text=True, timeout=120, check=True).stdout
    return int(re.search(r"^wrong (\d+)$", said, re.M)[1])


def uncorrected(source, folder):
    """A copy of cw_secded that does not correct."""
    text = (source / "rtl/lib/cw_secded.v").read_text(encoding="utf-8")
    assert text.count(CORRECTED) == 1
    bad = folder / "uncorrected.v"
    bad.write_text(text.replace(CORRECTED, ""), encoding="utf-8")
    return bad


def proved(source, folder, width, change=("", "")):
    """Whether Yosys proves the code of a width. change: a text of cw_secded, and what replaces it."""
    word, check, words = width
    text = (source / "rtl/lib/cw_secded.v").read_text(encoding="utf-8")
    assert change[0] in text
    (folder / "cw_secded.v").write_text(text.replace(*change) if change[0] else text, encoding="utf-8")
    (folder / "proof.v").write_text(PROOF.format(word=word, check=check, words=words, data=word * words, code=(word + check) * words),
                                    encoding="utf-8")
    script = f"read_verilog {folder}/proof.v {folder}/cw_secded.v; hierarchy -top proof; proc; flatten; opt; sat -prove ok 1 proof"
    done = subprocess.run(["yosys", "-p", script], capture_output=True, text=True, timeout=200, check=False)
    if "SAT proof finished" not in done.stdout:
        sys.exit(f"yosys: {done.stdout[-500:]}{done.stderr}")
    return "no model found: SUCCESS" in done.stdout


def has_rams(source, unit):
    texts = [pathlib.Path(path).read_text(encoding="utf-8") for path in used_sources([str(p) for p in (source / "rtl").glob("*/*.v")], f"cw_{unit}")]
    names = set(re.findall(r"^\s*(cw_ram_\w+) #\(", "\n".join(texts), re.M))
    return bool(names) and "cw_ram_1r1w_mask" not in names


def first_difference(source, build, folder, unit, known, own):
    """What Icarus says of the first parameter set of known, with 1,000 cycles, in which the unit differs from its C model, or of the last."""
    for label, params in known.items():
        unknowns.record(build, unit, [label], folder)
        said = unknowns.run(source, unit, label, params, folder, ["-DCW_RAM_ECC", "-DCW_RAM_UPSET", *own], unknown=True)
        if "in the C model" in said:
            break
    return said.splitlines()[0]


def corrects(source, build, folder, unit):
    """Whether the unit is right with inverted bits, and wrong without correction."""
    known = unknowns.sets(build, unit, folder)
    said = first_difference(source, build, folder, unit, dict([next(iter(known.items()))]), [])
    without = first_difference(source, build, folder, unit, known, [uncorrected(source, folder)])
    print(f"{unit}: {said}; without correction: {without}", flush=True)
    return "no difference" in said and "in the C model" in without


def main():
    source, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    units = sys.argv[3:] or [unit for unit in sorted(path.stem for path in (source / "include/cowarp/unit").glob("*.h")) if has_rams(source, unit)]
    if not units:
        sys.exit("no unit has RAMs: the search is broken")
    with tempfile.TemporaryDirectory(dir=build) as made:
        folder = pathlib.Path(made)
        wrong = [f"{width[0]} bits" for width in WIDTHS if not proved(source, folder, width)]
        if proved(source, folder, WIDTHS[2], ("weight = 3;", "weight = 2;")):
            wrong.append("columns of even weight are not refuted")
        wrong += [f"a row of {row} bits" for row in ROWS
                  if wrong_rows(source, folder, row) != 0 or wrong_rows(source, folder, row, uncorrected(source, folder)) == 0]
        wrong += [unit for unit in units if not corrects(source, build, folder, unit)]
    if wrong:
        sys.exit("wrong: " + ", ".join(wrong))
    print(f"{len(WIDTHS)} widths proved, {len(ROWS)} rows read, {len(units)} units right with an inverted bit in each row that is read")


if __name__ == "__main__":
    main()
