#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The whole flow on the small unit of tests/synth/home: mapping, timing, words, rules, gate-level check, regression check. Usage: test_flow.py COWARP"""
import csv
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "synth"))
import gate
import layout
import netlist
import tools
import units

COWARP = ""
HOME = ROOT / "tests" / "synth" / "home"
UNIT = "tally_table"


def cowarp(*arguments):
    return subprocess.run([COWARP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def synth(folder, *arguments):
    """(what cowarp synth did with the unit of the tests, its result or None)."""
    done = cowarp("synth", UNIT, "--home", str(HOME), "--no-power", "--out", str(folder), *arguments)
    table = pathlib.Path(folder) / "table.json"
    return done, json.loads(table.read_text())["units"][0] if table.exists() else None


class Flow(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = pathlib.Path(cls.folder.name)
        cls.reference = cls.out / "reference.json"
        cls.done, cls.result = synth(cls.out, "--reference", str(cls.reference), "--renew-reference")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_run__succeeds(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertIn("1400 MHz at 32 nm reached", self.done.stdout)

    def test_reference__a_figure_that_moved_fails(self):
        done, _ = synth(self.out, "--reference", str(self.reference))
        self.assertEqual(done.returncode, 0, done.stderr)
        data = json.loads(self.reference.read_text())
        self.assertEqual(list(data), [UNIT])
        data[UNIT]["logic_um2"] *= 1.06
        other = self.out / "other.json"
        other.write_text(json.dumps(data))
        done, _ = synth(self.out, "--reference", str(other))
        self.assertEqual(done.returncode, 1)
        self.assertIn("logic_um2", done.stderr)

    def test_liberty__of_your_own_goes_through_all_steps(self):
        """osu018's own file as if it were the user's: the same figures, though models of its cells come from its functions."""
        file = str(tools.TECHNOLOGIES["osu018"].liberty)
        with tempfile.TemporaryDirectory() as folder:
            done, result = synth(folder, "--liberty", file, "--liberty-node", "180", "--corner", file)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertAlmostEqual(result["logic_um2"], self.result["logic_um2"], delta=0.02 * self.result["logic_um2"])
            self.assertEqual((result["flip_flops"], result["gate"]["wrong"]), (self.result["flip_flops"], 0))
            self.assertEqual([c["fmax_mhz"] for c in result["corners"]], [result["fmax_mhz"]] * 2)
            self.assertTrue(all(c["hold_slack_ns"] > 0 for c in result["corners"]))
            self.assertEqual(result["scaled"]["node_nm"], 180)
            self.assertIn("corner osu018_stdcells:", done.stdout)

    def test_budget__without_one_the_clock_may_be_faster(self):
        with tempfile.TemporaryDirectory() as folder:
            _, result = synth(folder, "--io", "0", "--uncertainty", "0", "--no-gates")
        longest = max(path["delay_ns"] for path in result["paths"].values())
        self.assertAlmostEqual(result["fmax_mhz"], 1000 / longest)
        self.assertGreater(result["fmax_mhz"], self.result["fmax_mhz"])

    def test_sram__bits_are_rows_times_width(self):
        self.assertEqual(self.result["sram"]["bits"], 16 * 8)
        self.assertEqual(self.result["flop_memory_bits"], 0)

    def test_registers__count_by_hand(self):
        # clearing 1 + row 4; read and answer valid 2; row of the question and of the write 4 each; answer 8
        self.assertEqual(self.result["flip_flops"], 5 + 2 + 2 * 4 + 8)

    def test_path__has_ends_that_the_verilog_names(self):
        for end in ("start", "end"):
            self.assertRegex(self.result["path"][end], r"^(register|RAM|port) [a-z]")
            self.assertNotIn("without", self.result["path"][end])
        self.assertGreater(self.result["fmax_mhz"], 1000 / 20)

    def test_seconds__of_each_step(self):
        for step in ("elaborate", "generic gates", "cells (relaxed)", "cells (tight)", "timing", "gate-level check"):
            self.assertGreater(self.result["seconds"][step], 0.0)

    @unittest.skipUnless(shutil.which("graywolf") and shutil.which("qrouter"), "Debian's package qflow is not installed")
    def test_route__has_wires_a_tree_and_a_longer_period(self):
        with tempfile.TemporaryDirectory() as folder:
            done, result = synth(folder, "--no-gates", "--reference", str(self.reference), "--route")
        self.assertEqual(done.returncode, 0, done.stderr)
        routed = result["route"]
        self.assertEqual((routed["flip_flops"], routed["levels"]), (result["flip_flops"], [3, 1]))  # 16 for a buffer, and one for the RAM
        self.assertGreater(routed["die_um2"], routed["cells_um2"])
        self.assertGreater(routed["cells_um2"], result["logic_um2"])
        self.assertGreater(routed["wire_um"], 5 * routed["nets"])
        for kind, ns in routed["ns"]["bare"].items():
            if kind != "hold hold":
                self.assertGreater(routed["ns"]["wires"][kind], ns)
        for kind, path in result["paths"].items():  # buffers of the clock, which is ideal there, are in no path
            self.assertAlmostEqual(routed["ns"]["bare"][kind], path["delay_ns"], 3)
        self.assertGreater(routed["ns"]["tree"]["hold hold"], 0)
        if layout.available(tools.TECHNOLOGIES["osu018"]):
            self.assertEqual((routed["layout"]["same"], routed["layout"]["touched"]), (True, []))

    def test_margin__is_that_of_the_scaled_figures(self):
        m = self.result["margin"]
        self.assertEqual((m["clock_mhz"], m["node_nm"]), (1400, 32))
        self.assertAlmostEqual(m["fmax_mhz"], self.result["scaled"]["fmax_mhz"])
        self.assertAlmostEqual(m["slack_ps"], 1e6 / 1400 - 1e6 / m["fmax_mhz"])
        self.assertGreater(m["slack_ps"], 0)

    def test_clock__that_is_missed_fails_and_has_no_power(self):
        with tempfile.TemporaryDirectory() as folder:
            done, result = synth(folder, "--set", "STEPS=4")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertRegex(done.stderr, r"tally_table STEPS=4: clock 1400 MHz at 32 nm MISSED: Fmax \d+ MHz, slack -\d+ ps")
            self.assertEqual(result["ram_paths"], [])
            self.assertIsNone(result["scaled"]["power_mw"])

    def test_clock__that_is_nearly_reached_is_tried_with_area_for_speed(self):
        with tempfile.TemporaryDirectory() as folder:
            _, result = synth(folder, "--set", "STEPS=1", "--uncertainty", "0.3", "--no-gates")  # a tenth too slow with the usual steps
            self.assertEqual(result["steps"], "fast")
            self.assertGreater(result["margin"]["fmax_mhz"], 0.9 * 1400)
            self.assertIn("cells (fast)", result["seconds"])
        self.assertNotIn("cells (fast)", self.result["seconds"])

    def test_ram_to_ram__is_named_and_fails(self):
        self.assertEqual(self.result["ram_paths"], [])
        with tempfile.TemporaryDirectory() as folder:
            done, result = synth(folder, "--set", "FOLD=1")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("from RAM u_ram to wr_data_i of RAM u_ram through next (8 bits)", done.stderr)
            self.assertEqual(len(result["ram_paths"]), 1)
            self.assertGreaterEqual(result["margin"]["slack_ps"], 0)

    def test_speed__small_is_smallest_and_the_clock_is_marked(self):
        with tempfile.TemporaryDirectory() as folder:
            done = cowarp("synth", UNIT, "--home", str(HOME), "--set", "STEPS=2", "--sweep", "speed", "--out", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            base = pathlib.Path(folder) / f"speed-{UNIT}-STEPS2"
            with base.with_suffix(".csv").open() as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(len(rows), 6)
            self.assertEqual(rows[0]["steps"], "small")
            self.assertEqual([float(row["area_mm2"]) for row in rows], sorted(float(row["area_mm2"]) for row in rows))
            fastest = max(rows, key=lambda row: float(row["fmax_mhz"]))
            self.assertNotEqual(fastest["steps"], "small")
            self.assertIn("clock 1400", base.with_suffix(".svg").read_text())

    def test_gates__compared_with_known_values(self):
        self.assertGreater(self.result["gate"]["known_values"], 300)
        self.assertEqual(self.result["gate"]["wrong"], 0)

    def test_gates__a_wrong_cell_is_found(self):
        unit = units.discover(HOME)[UNIT]
        work = self.out / "broken"
        work.mkdir()
        elaborated = netlist.elaborate(unit, {k: p.default for k, p in unit.params.items()}, work)
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
        for arguments, hint in ((("stal_buffer",), "stall_buffer"), (("stall_buffer", "--set", "ROWS=3"), "LINES"), (("--set", "A=1"), "one unit"),
                                (("stall_buffer", "--node", "7"), "32"), (("stall_buffer", "--liberty", "none.lib"), "--liberty-node"),
                                (("stall_buffer", "--liberty", "none.lib", "--liberty-node", "45"), "none.lib"), (("--corner", "x"), "--liberty"),
                                (("stall_buffer", "--io", "0.6"), "--io"), (("--system", "gtm"), "getm"),
                                (("stall_buffer", "--io", "0.2", "--renew-reference"), "--renew-reference"), (("--librar", "x"), "library"), (("--home", "docs"), "no unit there")):
            out = pathlib.Path(self.folder.name) / f"none{len(arguments)}{hint}"
            done = cowarp("synth", *arguments, "--out", out)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertFalse(out.exists() and arguments[0] != "stall_buffer", arguments)  # with a unit more than the request is looked at
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
            self.assertIn(hint, done.stderr)


if __name__ == "__main__":
    COWARP = sys.argv[1]
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
