#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--unit NAME=rtl:FILES: somebody else's Verilog in several files and folders. unit_files_test.py BUILD/cowarp SOURCE_DIR

The design is the repository's thread compactor over a priority encoder of this test's own, in SystemVerilog with two packages and an included
file. It is played in lockstep with the C model, so a wrong encoder, or the repository's in its place, does not pass: see TRAP.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

COWARP, SOURCE = "", pathlib.Path()
RUN = ["--kernel", "figure_3_7", "--grid", "1", "--block", "96", "--preset", "thesis-tbc", "--set", "core.count=1", "--set", "partition.count=1",
       "--arg", "u32:1", "--set", "core.divergence=tbc"]

ENCODER = """`include "reset.svh"
module cw_priority_encoder import encoder_pkg::*; #(parameter int unsigned WIDTH = 32) (
  input  logic clk_i, rst_i, in_valid_i,
  input  logic [WIDTH-1:0] in_vector_i,
  output logic none_o, output logic [5:0] index_o, output logic [WIDTH-1:0] rest_o);
  answer_t answer_q;
  always_ff @(posedge clk_i)
    if (`IN_RESET(rst_i)) begin answer_q <= '{none: 1'b1, index: '0}; rest_o <= '0; end
    else if (in_valid_i) begin
      answer_q <= '{none: in_vector_i == '0, index: lowest(64'(in_vector_i))};
      rest_o <= in_vector_i & (in_vector_i - 1'b1);
    end
  assign {none_o, index_o} = answer_q;
endmodule
"""
PACKAGE = """// the word package in a comment declares nothing
package encoder_pkg;
  import width_pkg::*;
  typedef struct packed { logic none; logic [INDEX_BITS-1:0] index; } answer_t;
  function automatic logic [INDEX_BITS-1:0] lowest(input logic [63:0] v);
    for (int unsigned i = 0; i < 64; i++) if (v[i]) return INDEX_BITS'(i);
    return '0;
  endfunction
endpackage
"""
WIDTH = "package automatic width_pkg;\n  localparam int unsigned INDEX_BITS = 6;\nendpackage\n"
RESET = "`define IN_RESET(r) (r)\n"
# A wrong answer, with a macro: the first thread is lost.
TRAP = ("in_vector_i & (in_vector_i - 1'b1)", "`ifdef TRAP\n'0\n`else\nin_vector_i & (in_vector_i - 1'b1)\n`endif\n")


class Files(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def place(self, **folders):
        """Writes the design's files into these folders, by their stems, and returns their paths."""
        texts = {"top": ("cw_thread_compactor.v", (SOURCE / "rtl/thread_compactor/cw_thread_compactor.v").read_text()),
                 "encoder": ("cw_priority_encoder.sv", ENCODER.replace(*TRAP)), "package": ("types.sv", PACKAGE),
                 "width": ("widths.sv", WIDTH), "reset": ("reset.svh", RESET)}
        paths = {}
        for stem, (name, text) in texts.items():
            folder = self.folder / folders.get(stem, "")
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
            paths[stem] = str((folder / name).relative_to(self.folder))
        return paths

    def run_it(self, files, backend="lockstep", **environment):
        return subprocess.run([COWARP, "exec", str(SOURCE / "waves/compaction.ptx"), *RUN, "--unit", f"thread_compactor={backend}:{files}",
                               "--stats", "s.json"], capture_output=True, text=True, timeout=900, cwd=self.folder,
                              env={**os.environ, "COWARP_CACHE": str(self.folder / "cache"), **environment})

    def passes(self, files, paths, **environment):
        r = self.run_it(files, **environment)
        self.assertEqual(r.returncode, 0, r.stderr)
        stats = json.loads((self.folder / "s.json").read_text())
        self.assertEqual(stats["units"]["thread_compactor"], f"lockstep:{files}")
        verilog = {os.path.normpath(f["path"]) for f in stats["manifest"]["files"] if f["role"] == "verilog"}
        self.assertLessEqual({os.path.normpath(p) for p in paths.values()}, verilog)

    def refused(self, files, says, status=2, **environment):
        r = self.run_it(files, **environment)
        self.assertEqual((r.returncode, len(r.stderr.splitlines())), (status, 1), r.stderr)
        self.assertIn(says, r.stderr)

    def test_all_beside_the_top(self):
        paths = self.place()
        self.passes(paths["top"], paths)
        # and a change of a package builds anew
        (self.folder / "widths.sv").write_text(WIDTH.replace("INDEX_BITS", "OTHER_BITS"))
        self.assertNotEqual(self.run_it(paths["top"]).returncode, 0)

    def test_files_and_folders_by_name(self):
        paths = self.place(encoder="rtl", package="pkg", width="pkg", reset="include")
        self.passes(f"{paths['width']},{paths['package']},{paths['encoder']},{paths['top']},+incdir+include", paths)
        r = self.run_it(f"{paths['top']},{paths['encoder']},+incdir+include+pkg,+define+TRAP")
        self.assertEqual(r.returncode, 1)
        self.assertIn("in the C model and", r.stderr)

    def test_lists(self):
        paths = self.place(top="d/rtl", encoder="d/rtl", package="d/pkg", width="d/pkg", reset="d/include")
        (self.folder / "d/all.f").write_text("// the design\n-f sub/packages.f   # in their order\n+incdir+include /* one folder\n of files */\n"
                                             "rtl/cw_thread_compactor.v\n+libext+.sv -v\n  ${TOP_FOLDER}/cw_priority_encoder.sv\n")
        (self.folder / "d/sub").mkdir()
        (self.folder / "d/sub/packages.f").write_text("../pkg/widths.sv\r\n../pkg/types.sv\r\n")
        self.passes("d/all.f", {**paths, "list": "d/all.f", "sub": "d/sub/packages.f"}, TOP_FOLDER="rtl")
        self.refused("d/all.f", "d/all.f:7: the environment has no TOP_FOLDER")

    def test_what_is_not_there(self):
        paths = self.place()
        (self.folder / "l.f").write_text("cw_thread_compactor.v\n\nnone.sv\n")
        (self.folder / "m.f").write_text("-f m.f\n")
        (self.folder / "n.f").write_text("cw_thread_compactor.v -y\n")
        (self.folder / "o.f").write_text("cw_thread_compactor.v --trace\n")
        for files, says in ((f"{paths['top']},none.sv", "unit thread_compactor: cannot read 'none.sv': No such file"),
                            (f"{paths['top']},+incdir+none", "unit thread_compactor: cannot look in 'none': No such file"),
                            (f"{paths['top']},+incdir+types.sv", "'types.sv' is no folder"), (f"{paths['top']},", "a file's name is missing"),
                            (f"{paths['top']},.", "'.' is a folder"), ("+incdir+.", "no source is named"),
                            (f"{paths['top']},+foo", "'+foo' is not understood; expected a file, +incdir+DIR"), ("none.f", "cannot read 'none.f'"),
                            ("l.f", "l.f:3: cannot read 'none.sv'"), ("m.f", "lists name each other"), ("n.f", "n.f:1: -y names nothing"),
                            ("o.f", "o.f:1: '--trace' is not understood")):
            self.refused(files, says)
        self.refused("types.sv,widths.sv", "none of its files has module cw_thread_compactor")


if __name__ == "__main__":
    SOURCE = pathlib.Path(sys.argv.pop(2)).resolve()
    COWARP = os.path.abspath(sys.argv.pop(1))
    unittest.main()
