#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of `--elastic` with Verilog: elastic_test.py SOURCE BUILD/cowarp [unittest arguments].

A thread compactor of another design, which takes 65 cycles where the contract has one, and a writer table whose answers come later than the contract says. Both
pass in a GPU, and with a mistake the part of the contract that it breaks is named. test_elastic.c has each kind of mistake in C."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, COWARP = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
FCDT = ["run", "fcdt", "--preset", "thesis-tbc", "--set", "core.divergence=tbc", "--param", "height=48", "--param", "stages=6", "--param", "width=56"]
TREE = ["run", "rbt-2", "--param", "elements=100", "--param", "inserts=30", "--param", "removes=30", "--system", "sitm-ts", "--preset", "si-tm", "--check-serial"]
# Operations are taken in each second cycle alone, and answers wait in DELAY registers.
WRAPPER = """
    localparam DELAY = 6;
    localparam W = 3 + ID_W + WAYS + 128;
    reg            turn_q;
    reg  [DELAY*W-1:0] late_q;
    reg  [DELAY-1:0]   inside_q;
    wire [W-1:0]   now;
    wire           ready;
    wire           idle;
    assign op_ready_o = ready && turn_q;
    assign idle_o     = {idle};
    assign {{ans_valid_o, ans_result_o, ans_owner_o, ans_writers_o, ans_ids_o}} = {answer};
    always @(posedge clk_i) begin
        turn_q   <= !rst_i && !turn_q;
        inside_q <= rst_i ? {{DELAY{{1'b0}}}} : {{inside_q[DELAY-2:0], now[W-1]}};
        late_q   <= rst_i ? {{(DELAY*W){{1'b0}}}} : {{late_q[(DELAY-1)*W-1:0], now}};
    end
    within #(.WORD_W(WORD_W), .ID_W(ID_W), .ENTRIES(ENTRIES), .WAYS(WAYS)) u_within (
        .clk_i(clk_i), .rst_i(rst_i), .op_valid_i(op_valid_i && turn_q), .op_ready_o(ready), .op_kind_i(op_kind_i), .op_word_i(op_word_i), .op_id_i(op_id_i),
        .ans_valid_o(now[W-1]), .ans_result_o(now[W-2 -: 2]), .ans_owner_o(now[W-4 -: ID_W]), .ans_writers_o(now[128 +: WAYS]), .ans_ids_o(now[127:0]),
        .sweep_i(sweep_i), .sweep_busy_o(sweep_busy_o), .used_o(used_o), .idle_o(idle));
endmodule
"""
LATE = "late_q[DELAY*W-1 -: W]"


class Elastic(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, *words):
        done = subprocess.run([COWARP, *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=540, check=False)
        return done.returncode, done.stdout, "\n".join(line for line in done.stderr.splitlines() if "RTL of" not in line and "run time" not in line)

    def compactor(self, *edits):
        text = (SOURCE / "tests/rtl/elastic/cw_thread_compactor.v").read_text()
        for old, new in edits:
            self.assertEqual(text.count(old), 1, old)
            text = text.replace(old, new)
        (self.folder / "compactor.v").write_text(text)
        return "--unit", "thread_compactor=rtl:compactor.v"

    def table(self, idle="idle && inside_q == {DELAY{1'b0}}", answer=LATE):
        text = (SOURCE / "rtl/writer_table/cw_writer_table.v").read_text()
        head = re.search(r"module cw_writer_table #\(.*?\n\);\n", text, re.S)[0]
        within = text.replace("module cw_writer_table #(", "module within #(").replace("`default_nettype wire\n", "")
        (self.folder / "table.v").write_text(within + head + WRAPPER.format(idle=idle, answer=answer) + "`default_nettype wire\n")
        return "--unit", "writer_table=rtl:table.v"

    def passes(self, *words):
        """(statistics, what it says of the unit)"""
        status, said, error = self.call(*words, "--elastic", "--stats", "s.json")
        self.assertEqual((status, error), (0, ""), said)
        stats = json.loads((self.folder / "s.json").read_text())
        self.assertEqual(stats["check"], "passed")
        [unit] = stats["elastic"]
        self.assertEqual([verdict["what"] for verdict in unit["verdicts"] if not verdict["holds"]], [])
        return stats, unit, said

    def test_another_compactor(self):
        before = json.loads(self.call(*FCDT, "--quiet", "--stats", "-")[1])
        stats, unit, said = self.passes(*FCDT, *self.compactor())
        self.assertGreater(stats["cycles"], before["cycles"])  # the GPU waits for it
        self.assertEqual((list(unit["model"]["latency_cycles"]), list(unit["rtl"]["latency_cycles"])), (["1"], ["65"]))
        self.assertEqual(sum(unit["rtl"]["latency_cycles"].values()), unit["rtl"]["taken"])
        self.assertRegex(said, r"elastic +thread_compactor: \d+ operations\n")
        self.assertRegex(said, r"RTL +answers after 65 to 65 cycles, median 65;")
        self.assertRegex(said, r"holds +answers are the C model's \(1 to 8\): \d+ times\n")

    def test_a_compactor_that_is_wrong(self):
        for edit, says in ((("count_q <= most;", "count_q <= most - 6'd1;"), ["core0.thread_compactor", "count_o of answer 0", "(1 to 8 of the contract) does not hold"]),
                           (("{3'd0, at_q};", "{3'd0, at_q ^ 5'd1};"), ["warp_home_o of answer 0", "(5, 7, 13, 16, 17 of the contract)"]),
                           (("state_q == TELL ? count_q : 6'd0", "count_q"), ["count_o is not 0 while count_valid_o is", "(18 of the contract)"])):
            with self.subTest(edit[1]):
                status, said, error = self.call(*FCDT, *self.compactor(edit), "--elastic")
                self.assertEqual(status, 1, said)
                for word in ("elastic: ", *says):
                    self.assertIn(word, error)
                self.assertIn("BROKEN", said)

    def test_a_late_table(self):
        _, unit, _ = self.passes(*TREE, *self.table())
        self.assertEqual((list(unit["model"]["latency_cycles"]), list(unit["rtl"]["latency_cycles"])), (["5"], ["11"]))
        self.assertLess(unit["rtl"]["taken"], unit["rtl"]["offered"])

    def test_a_table_that_is_wrong(self):
        for given, says in (({"idle": "idle"}, ["idle_o says that nothing is inside", "(40 of the contract)"]),
                            ({"answer": LATE + " ^ {{(W-10){1'b0}}, {10{" + LATE.replace("-: W]", "-: 1]") + " && op_kind_i[0]}}}"}, ["ans_ids_o of answer ", "in the C model"])):
            with self.subTest(str(given)):
                status, said, error = self.call(*TREE, *self.table(**given), "--elastic")
                self.assertEqual(status, 1, said)
                for word in ("elastic: partition", *says):
                    self.assertIn(word, error)

    def test_refusals(self):
        for words, says in ((["--unit", "validation_unit=rtl"], "in each cycle, so --elastic allows nothing; use lockstep. These may take other times: last_written_table, "),
                            (["--unit", "ownership_table=lockstep"], "unit ownership_table: lockstep compares each cycle"), ([], "--elastic: no unit is in RTL")):
            status, _, error = self.call("run", "ht-h", "--param", "blocks=2", *words, "--elastic")
            self.assertEqual((status, error.count("\n")), (2, 0), error)
            self.assertIn(says, error)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
