#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""prove.py on a small counter: it passes as it stands, and each change that breaks one of the rules is refused by name."""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import properties  # noqa: E402

VERILOG = """`default_nettype none
module cw_tiny #(parameter TOP = 5) (input wire clk_i, input wire rst_i, input wire inc_i, output wire [2:0] cnt_o);
    localparam [1:0] ST_IDLE = 2'd0,  // below the top
                     ST_FULL = 2'd1;
    reg [2:0] cnt_q;
    reg [1:0] state_q;
    wire      step = inc_i && cnt_q != TOP;
    assign cnt_o = cnt_q;
    always @(posedge clk_i)
        if (rst_i) begin
            cnt_q   <= 3'd0;
            state_q <= ST_IDLE;
        end else begin
            cnt_q   <= cnt_q + step;
            state_q <= cnt_q + step == TOP ? ST_FULL : ST_IDLE;
        end
`ifdef CW_PROPERTIES
    reg f_past_q = 1'b0;
    always @(posedge clk_i)
        f_past_q <= 1'b1;
    always @*
        // power-up
        if (!f_past_q)
            assume (rst_i);
    always @*
        // contract: [2] Nobody counts during a reset,
        // nor is anybody asked to.
        if (rst_i)
            assume (!inc_i);
    always @(`CW_PROPERTIES)
        if (f_past_q) begin
            // 1. The count never exceeds
            //    the top.
            assert (cnt_q <= TOP);
            cover (cnt_q == TOP);

            // 2. The state says whether it is there.
            if (cnt_q == TOP)
                assert (state_q ==
                        ST_FULL);
            cover (cnt_q == TOP && inc_i);
        end
`endif
endmodule
`default_nettype wire
"""

CONF = """# SPDX-License-Identifier: Apache-2.0
# not shown: counters wider than three bits,
#   which are counters all the same
induction 1 cvc4 TOP=3
pdr TOP=3 P1
bmc 6 abc TOP=4
cover 9 cvc4 TOP=3
cover 6 abc TOP=4
cover 6 abc TOP=4 P2
refute 9 cvc4 TOP=3 P1 cw_tiny: s/cnt_q != TOP/1'b1/
refute 6 abc TOP=4 P1 cw_tiny: s/cnt_q != TOP/1'b1/
refute 6 abc TOP=4 P2 cw_tiny: s/+ step == TOP/== TOP/
"""


CONTRACT = """/*
 * A counter. [1] It counts up to TOP. [2] Nobody counts during a reset, nor is
 * anybody asked to; [3] and it stays there.
 */
#ifndef COWARP_UNIT_TINY_H
"""


def prove(verilog=VERILOG, conf=CONF, words=(), grace=""):
    """(exit status, what prove.py says) of a repository that holds this one unit"""
    with tempfile.TemporaryDirectory() as root:
        for folder, name, text in (("rtl/tiny", "cw_tiny.v", verilog), ("tests/rtl/formal", "tiny.conf", conf), ("tests/rtl/formal", "grace.txt", grace),
                                   ("include/cowarp/unit", "tiny.h", CONTRACT)):
            os.makedirs(os.path.join(root, folder), exist_ok=True)
            with open(os.path.join(root, folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        done = subprocess.run([sys.executable, os.path.join(HERE, "prove.py"), root, "tiny", *words], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def at(words, verilog=VERILOG):
    """Where these words begin, as a fault names it."""
    return f"cw_tiny.v:{verilog[:verilog.index(words)].count(chr(10)) + 1}"


class Prove(unittest.TestCase):
    def changed(self, text, old, new):
        self.assertEqual(text.count(old), 1, old)
        return text.replace(old, new)

    def refused(self, said, verilog=None, conf=None):
        """With these (old, new) changes the unit is refused, with this as its one fault."""
        status, text = prove(self.changed(VERILOG, *verilog) if verilog else VERILOG, self.changed(CONF, *conf) if conf else CONF)
        self.assertEqual([l for l in text.splitlines() if l.startswith("refused: ")], ["refused: tiny: " + said], text)
        self.assertEqual(status, 1)

    def fails(self, job, verilog=None, conf=None, also=""):
        """With these changes this job fails."""
        status, text = prove(self.changed(VERILOG, *verilog) if verilog else VERILOG, self.changed(CONF, *conf) if conf else CONF)
        self.assertRegex(text, r"(?m)^FAIL " + job)
        self.assertIn(also, text)
        self.assertEqual(status, 1)

    def test_passes(self):
        status, text = prove()
        self.assertEqual((status, text.count("\nok  "), text.count("refused")), (0, 8, 0), text)
        self.assertIn("9 of 9 jobs as expected", text)

    def test_only_some_jobs(self):
        status, text = prove(words=("refute", "P2"))
        self.assertEqual((status, "1 of 1 jobs as expected" in text), (0, True), text)

    def test_wrong_properties_are_not_proved(self):
        wrong = ("assert (cnt_q <= TOP)", "assert (cnt_q < TOP)")
        self.fails("induction", wrong, also=f"violated: property 1, The count never exceeds the top. ({at('assert (cnt_q')})")
        self.fails("pdr", wrong)
        self.fails("bmc", wrong)

    def test_a_mutant_must_violate_its_property(self):
        self.fails("refute 9 cvc4 TOP=3 P2", conf=("refute 9 cvc4", "refute 9 cvc4 TOP=3 P2 cw_tiny: s/2'd0,  /2'd0, /\nrefute 9 cvc4"))
        self.fails("refute 6 abc TOP=4 P1 cw_tiny: s/\\+", conf=("refute 9 cvc4", "refute 6 abc TOP=4 P1 cw_tiny: s/+ step == TOP/== TOP/\nrefute 9 cvc4"))

    def test_unreached_cover(self):
        self.refused(at("cover (cnt_q == TOP)") + ": a cover of property 1 is reached by no cover job", ("cover (cnt_q == TOP);", "cover (cnt_q > TOP);"))

    def test_cover_before_the_reset(self):
        early = ("        if (f_past_q) begin\n", "        begin\n")
        self.refused(at("cover (cnt_q == TOP);") + ": the cover is reached in cycle 0, before the reset", early)

    def test_property_without_cover(self):
        self.refused(at("// 2.") + ": property 2 has no cover", ("cover (cnt_q == TOP && inc_i);", ""), ("cover 6 abc TOP=4 P2\n", ""))

    def test_property_without_assert(self):
        _, text = prove(self.changed(VERILOG, "assert (cnt_q <= TOP);", ""))
        self.assertIn("refused: tiny: " + at("// 1.") + ": property 1 has no assert", text)

    def test_property_without_mutant(self):
        self.refused(at("// 2.") + ": property 2 has no refuted mutant", conf=("refute 6 abc TOP=4 P2 cw_tiny: s/+ step == TOP/== TOP/\n", ""))

    def test_property_in_no_proof(self):
        conf = CONF.replace("induction 1 cvc4 TOP=3", "induction 1 cvc4 TOP=3 P1").replace("bmc 6 abc TOP=4\n", "")
        _, text = prove(conf=conf)
        self.assertIn("refused: tiny: " + at("// 2.") + ": property 2 has no induction, pdr or bmc job", text)

    def test_mutant_that_names_no_property(self):
        more = "refute 9 cvc4 TOP=3 cw_tiny: s/cnt_q != TOP/1'b1/"
        self.refused(f"job '{more}': it must name the one property that its counterexample violates, P<N>", conf=("cover 9 cvc4", more + "\ncover 9 cvc4"))

    def test_mutant_of_a_property(self):
        more = "refute 9 cvc4 TOP=3 P1 cw_tiny: s/cnt_q <= TOP/cnt_q < TOP/"
        self.refused(f"job '{more}': it must change the logic, not a property", conf=("cover 9 cvc4", more + "\ncover 9 cvc4"))

    def test_assume_without_a_reason(self):
        self.refused(at("assume (!inc_i)") + ": an assume without '// contract: ...' or '// power-up'", ("// contract: [2] Nobody", "// Nobody"))
        self.refused(at("assume (rst_i)") + ": an assume without '// contract: ...' or '// power-up'", ("// power-up", "// at first"))

    def test_assume_that_the_contract_does_not_have(self):
        place = at("assume (!inc_i)")
        self.refused(place + ": it names no sentence of the contract: '// contract: [N] what the sentence says'", ("contract: [2] Nobody", "contract: Nobody"))
        self.refused(place + ": sentence [1] of the contract does not begin with that", ("contract: [2] Nobody", "contract: [1] Nobody"))
        self.refused(place + ": sentence [4] of the contract does not begin with that", ("contract: [2] Nobody", "contract: [4] Nobody"))

    def test_assume_that_no_run_looks_at(self):
        old = "        // contract: [2] Nobody counts during a reset,\n        // nor is anybody asked to.\n        if (rst_i)\n            assume (!inc_i);\n"
        new = "`endif\n`ifdef FORMAL\n    always @*\n" + old + "`endif\n`ifdef CW_PROPERTIES\n"
        verilog = self.changed(VERILOG, "    always @*\n" + old, new)
        _, text = prove(verilog)
        self.assertIn("refused: tiny: " + at("assume (!inc_i)", verilog) + ": this assume is under FORMAL alone, so no run sees", text)

    def test_a_state_machine_of_any_name(self):
        machines = properties.machines(VERILOG.replace("ST_IDLE", "LOW").replace("ST_FULL", "HIGH").replace("state_q", "where_q")
                                       .replace("assign cnt_o = cnt_q;", "assign cnt_o = where_q == HIGH ? cnt_q : 0;"))
        self.assertEqual(machines, [("where_q", ["LOW", "HIGH"])])
        self.assertEqual(properties.machines(VERILOG), [("state_q", ["ST_IDLE", "ST_FULL"])])

    def test_unreached_state(self):
        self.refused("cw_tiny.v: state ST_LOST is reached by no cover job: a proof whose assumptions or parameters exclude a state",
                     ("ST_FULL = 2'd1;", "ST_FULL = 2'd1, ST_LOST = 2'd2;"))

    def test_statement_without_number(self):
        self.refused(at("always @*\n        // contract") + ": this assert stands under no numbered sentence",
                     ("always @*\n        // contract", "always @* assert (1'b1);\n    always @*\n        // contract"))

    def test_number_twice(self):
        _, text = prove(self.changed(VERILOG, "// 2. The", "// 1. The"))
        self.assertIn("refused: tiny: " + at("// 2.") + ": property 1 is there twice", text)

    def test_job_that_does_not_say_what_it_does_not_show(self):
        self.refused("job 'induction 1 cvc4 TOP=3': no '# not shown: ...' above it", conf=("# not shown: counters wider than three bits,\n#   which are counters all the same\n"
                     "induction 1 cvc4 TOP=3\n", "induction 1 cvc4 TOP=3\n# not shown: wide counters\n"))

    def test_named_parameters(self):
        """What is reached in five cycles depends on the set that the name stands for."""
        for top, reached in (("3", True), ("6", False)):
            status, text = prove(conf=CONF + f"set some TOP={top}\ncover 5 abc some P1\n")
            self.assertEqual(("\nok   cover 5 abc some P1" in text, status == 0), (reached, reached), text)

    def test_named_parameters_that_are_not_there(self):
        more = "bmc 6 abc some"
        self.refused(f"job '{more}': there is no line 'set some ...' above it", conf=("cover 9 cvc4", more + "\nset some TOP=3\ncover 9 cvc4"))

    def test_run(self):
        """A cover, a refutation and a bounded proof along a run."""
        jobs = ("run up cw_tiny: inc_i || cw_f_cycle < 2\nbmc 8 abc TOP=3 @up P1 P2\ncover 8 abc TOP=3 @up P1 P2\n"
                "refute 8 abc TOP=3 @up P1 cw_tiny: s/cnt_q != TOP/1'b1/\nrefute 8 abc TOP=3 @up P2 cw_tiny: s/+ step == TOP/== TOP/\n")
        status, text = prove(conf=CONF + jobs)
        self.assertEqual((status, "13 of 13 jobs as expected" in text), (0, True), text)

    def test_run_that_ends(self):
        jobs = "run up cw_tiny: cw_f_cycle < 7\nbmc 8 abc TOP=3 @up P1\ncover 6 abc TOP=3 @up P1\nrefute 6 abc TOP=3 @up P1 cw_tiny: s/cnt_q != TOP/1'b1/\n"
        status, text = prove(conf=CONF + jobs)
        self.assertEqual((status, "the run up ends before cycle 8" in text, "\nFAIL bmc 8 abc TOP=3 @up P1" in text), (1, True, True), text)

    def test_run_that_reaches_no_cover(self):
        more = "bmc 8 abc TOP=3 @down P1"
        broken = "refute 8 abc TOP=3 @down P1 cw_tiny: s/= inc_i &&/= !inc_i &&/"
        self.refused(f"job '{more}': no cover job of its run reaches a cover of property 1 within its depth",
                     conf=("cover 9 cvc4", f"run down cw_tiny: !inc_i\n{more}\n{broken}\ncover 9 cvc4"))

    def test_run_of_a_proof_for_all_time(self):
        more = "pdr TOP=3 @up P1"
        self.refused(f"job '{more}': a proof for all time may not be restricted to a run", conf=("cover 9 cvc4", f"run up cw_tiny: inc_i\n{more}\ncover 9 cvc4"))

    def test_run_of_all_properties(self):
        more = "bmc 8 abc TOP=3 @up"
        self.refused(f"job '{more}': a proof along a run must name its properties", conf=("cover 9 cvc4", f"run up cw_tiny: inc_i\n{more}\ncover 9 cvc4"))

    def test_run_that_is_not_there(self):
        more = "cover 8 abc TOP=3 @up"
        self.refused(f"job '{more}': there is no line 'run up: ...' above it", conf=("cover 9 cvc4", more + "\ncover 9 cvc4"))

    def test_proof_along_a_run_only(self):
        conf = CONF.replace("induction 1 cvc4 TOP=3", "induction 1 cvc4 TOP=3 P1").replace("bmc 6 abc TOP=4\n", "run up cw_tiny: inc_i || cw_f_cycle < 2\nbmc 8 abc TOP=3 @up P2\n")
        _, text = prove(conf=conf)
        self.assertIn("refused: tiny: " + at("// 2.") + ": property 2 has no induction, pdr or bmc job", text)

    def test_proof_shallower_than_its_broken_copy(self):
        """One cycle less, and the proof would pass with the broken copy as well."""
        self.refused("job 'bmc 5 abc TOP=4 P1': no broken copy of property 1 is refuted with its parameters and its inputs within its depth",
                     conf=("bmc 6 abc TOP=4", "bmc 6 abc TOP=4\nbmc 5 abc TOP=4 P1"))

    def test_shallow(self):
        """A shallow proof need not be deep, and does not count alone."""
        self.assertEqual(prove(conf=CONF.replace("bmc 6 abc TOP=4", "bmc 6 abc TOP=4\nshallow bmc 3 abc TOP=4"))[0], 0)
        conf = CONF.replace("induction 1 cvc4 TOP=3", "induction 1 cvc4 TOP=3 P1").replace("bmc 6 abc TOP=4\n", "shallow bmc 6 abc TOP=4\n")
        self.assertIn("refused: tiny: " + at("// 2.") + ": property 2 has no induction, pdr or bmc job", prove(conf=conf)[1])
        more = "shallow induction 1 cvc4 TOP=3"
        self.refused(f"job '{more}': only a bmc may be shallow", conf=("cover 9 cvc4", more + "\ncover 9 cvc4"))

    def test_broken_copy_beyond_every_proof(self):
        more = "refute 7 abc TOP=4 P2 cw_tiny: s/state_q <= cnt_q/state_q <= !cnt_q/"
        self.refused(f"job '{more}': no proof of property 2 has its parameters and its inputs, and is as deep", conf=("cover 9 cvc4", more + "\ncover 9 cvc4"))

    def test_broken_copy_with_other_parameters(self):
        more = "refute 6 abc TOP=6 P2 cw_tiny: s/state_q <= cnt_q/state_q <= !cnt_q/"
        self.refused(f"job '{more}': no proof of property 2 has its parameters and its inputs, and is as deep", conf=("cover 9 cvc4", more + "\ncover 9 cvc4"))

    def test_proof_shallower_than_its_cover(self):
        """The counter is full in cycle 5. The broken copy is bad in cycle 1."""
        jobs = "bmc 4 abc TOP=4 P1\nrefute 4 abc TOP=4 P1 cw_tiny: s/cnt_q   <= 3'd0/cnt_q   <= 3'd7/\n"
        self.refused(f"job 'bmc 4 abc TOP=4 P1': no cover job with its parameters reaches the cover of property 1 at {at('cover (cnt_q == TOP);')} "
                     "within its depth", conf=("cover 9 cvc4", jobs + "cover 9 cvc4"))

    def test_cover_with_the_parameters_of_no_proof(self):
        _, text = prove(conf=CONF.replace("induction 1 cvc4 TOP=3", "induction 1 cvc4 TOP=2").replace("pdr TOP=3 P1\n", "").replace("bmc 6 abc TOP=4\n", ""))
        self.assertIn("refused: tiny: job 'refute 9 cvc4 TOP=3 P1 cw_tiny: s/cnt_q != TOP/1'b1/': no proof of property 1", text)

    def test_assert_that_no_broken_copy_violates(self):
        more = ("            assert (cnt_q <= TOP);\n", "            assert (cnt_q <= TOP);\n            assert (cnt_q <= 3'd7);\n")
        self.refused(at("assert (cnt_q <= 3'd7)", self.changed(VERILOG, *more)) + ": no broken copy violates this assert of property 1", more)

    def test_assert_that_no_run_looks_at(self):
        verilog = VERILOG.replace("`ifdef CW_PROPERTIES", "`ifdef FORMAL")
        status, text = prove(verilog)
        self.assertEqual((status, text.count("is under FORMAL alone, so no run of the Verilog looks at it")), (1, 2), text)
        self.assertEqual(prove(verilog, grace="tiny runs\n")[0], 0)

    def test_grace(self):
        """A unit of the list may break the rules of depth, and no others; and it leaves the list when it breaks none."""
        shallow = CONF.replace("bmc 6 abc TOP=4", "bmc 6 abc TOP=4\nbmc 5 abc TOP=4")
        self.assertEqual(prove(conf=shallow, grace="# why\ntiny depth\n")[0], 0)
        for other in ("other depth\n", "tiny asserts\n"):
            self.assertEqual(prove(conf=shallow, grace=other)[0], 1)
        for rule in ("depth", "asserts"):
            status, text = prove(grace=f"tiny {rule}\n")
            self.assertEqual((status, f"refused: tiny: it needs no grace of '{rule}' in grace.txt any more" in text), (1, True), text)
        lost = self.changed(VERILOG, "ST_FULL = 2'd1;", "ST_FULL = 2'd1, ST_LOST = 2'd2;")
        self.assertIn("state ST_LOST is reached by no cover job", prove(lost, shallow, grace="tiny depth\n")[1])


if __name__ == "__main__":
    unittest.main()
