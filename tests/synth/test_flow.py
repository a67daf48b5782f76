#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The whole flow on one unit at small size: mapping, timing, words, gate-level check, regression check. Usage: test_flow.py COWARP"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "synth"))
import gate
import netlist
import tools
import units

COWARP = ""
UNIT = "recency_bloom_filter"
SMALL = {"WAYS": 2, "ROW_W": 3, "KEY_W": 8, "FIELDS": 1, "VALUE_W": 4, "DUAL_READ": 0}


def cowarp(*arguments):
    return subprocess.run([COWARP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


class Flow(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = pathlib.Path(cls.folder.name)
        settings = [word for name, value in SMALL.items() for word in ("--set", f"{name}={value}")]
        cls.done = cowarp("synth", UNIT, *settings, "--no-fpga", "--no-power", "--out", cls.folder.name)
        cls.result = json.loads((cls.out / "table.json").read_text())["units"][0] if (cls.out / "table.json").exists() else None

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_run__succeeds_and_agrees_with_the_reference(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        reference = json.loads((ROOT / "synth" / "reference.json").read_text())
        self.assertIn(" ".join([UNIT] + [f"{k}={v}" for k, v in self.result["settings"].items()]), reference)

    def test_sram__bits_are_ways_times_rows_times_width(self):
        self.assertEqual(self.result["sram"]["bits"], 2 * 8 * 4)
        self.assertEqual(self.result["flop_memory_bits"], 0)

    def test_registers__count_by_hand(self):
        # clearing 1 + row 3; lkp in two stages, ins in three: 5; v0 in two: 8; per way the row's number in three stages 9, the row read 4 and
        # the row forwarded 4; answer valid 1 and value 4. ins_v1 serves nothing.
        self.assertEqual(self.result["flip_flops"], 4 + 5 + 8 + 2 * (9 + 4 + 4) + 5)

    def test_path__has_ends_that_the_verilog_names(self):
        for end in ("start", "end"):
            self.assertRegex(self.result["path"][end], r"^(register|RAM|port) [a-z]")
            self.assertNotIn("without", self.result["path"][end])
        self.assertGreater(self.result["fmax_mhz"], 1000 / 20)

    def test_gates__compared_with_known_values(self):
        self.assertGreater(self.result["gate"]["known_values"], 1000)
        self.assertEqual(self.result["gate"]["wrong"], 0)

    def test_gates__a_wrong_cell_is_found(self):
        unit = units.discover()[UNIT]
        work = self.out / "broken"
        work.mkdir()
        elaborated = netlist.elaborate(unit, {**{k: p.default for k, p in unit.params.items()}, **SMALL}, work)
        technology = tools.TECHNOLOGIES["osu018"]
        netlist.prepare(elaborated, technology, work)
        verilog, _ = netlist.map_cells(elaborated, technology, 100000, work, "netlist")
        self.assertEqual(gate.check(elaborated, technology, verilog, work, None)["wrong"], 0)
        text = verilog.read_text()
        self.assertIn("  OAI21X1 ", text)
        verilog.write_text(text.replace("  OAI21X1 ", "  AOI21X1 "))
        with self.assertRaises(units.Failed) as raised:
            gate.check(elaborated, technology, verilog, work, None)
        self.assertIn("differ", str(raised.exception))

    def test_requests__that_are_wrong_have_status_2_and_one_line(self):
        for arguments, hint in ((("stal_buffer",), "stall_buffer"), ((UNIT, "--set", "ROWS=3"), "ROW_W"), (("--set", "A=1"), "one unit"),
                                ((UNIT, "--node", "7"), "32"), (("--librar", "x"), "library")):
            done = cowarp("synth", *arguments, "--out", self.folder.name)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
            self.assertIn(hint, done.stderr)


if __name__ == "__main__":
    COWARP = sys.argv[1]
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
