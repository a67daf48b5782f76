#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of 'cowarp new-unit' and of units from a path: new_unit_test.py BUILD/cowarp SOURCE_DIR [unittest arguments]."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import tree_copy
import wave_test

COWARP = ""
SOURCE = pathlib.Path()
SMALL = ["run", "ht-h", "--system", "getm", "--quiet", "--param", "buckets=24", "--param", "blocks=2", "--param", "threads=64"]


class Temporary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_it(self, *args):
        return subprocess.run([COWARP, *map(str, args)], capture_output=True, text=True, timeout=240, cwd=self.folder, check=False)

    def refuses(self, status, says, *args):
        r = self.run_it(*args)
        r.stderr = re.sub(r"cowarp: building .*\n", "", r.stderr)
        self.assertEqual((r.returncode, r.stdout), (status, ""), (args, r.stderr))
        self.assertEqual(r.stderr.count("\n"), 1, r.stderr)
        self.assertTrue(r.stderr.startswith("cowarp: "), r.stderr)
        for text in says:
            self.assertIn(text, r.stderr)


class Skeleton(Temporary):
    def tree(self):
        """As much of a source tree as new-unit looks at."""
        (self.folder / "include/cowarp/unit").mkdir(parents=True)
        (self.folder / "include/cowarp/unit.h").touch()
        return self.folder

    def files(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*") if p.is_file())

    def test_bad_names(self):
        root = self.tree()
        for name in ("", "Counter", "9lives", "a__b", "a_", "_a", "a-b", "../a", "a/b", "ä", "a\n", "x" * 41):
            self.refuses(2, ["unit" if len(name) < 41 else "longer"], "new-unit", f"--root={root}", "--", name)
        self.refuses(2, ["give 'counter'"], "new-unit", "--root", root, "cw_counter")
        self.refuses(2, ["taken"], "new-unit", "--root", root, "unit")
        self.refuses(2, ["NAME", "see 'cowarp help new-unit'"], "new-unit")
        self.assertEqual(self.files(), ["include/cowarp/unit.h"])

    def test_not_a_source_tree(self):
        self.refuses(2, ["not the source tree"], "new-unit", "--root", self.folder, "counter")

    def test_existing_files(self):
        root = self.tree()
        (root / "docs/units").mkdir(parents=True)
        (root / "docs/units/counter.md").write_text("mine\n")
        self.refuses(2, ["docs/units/counter.md exists", "nothing was written"], "new-unit", "--root", root, "counter")
        self.assertEqual(self.files(), ["docs/units/counter.md", "include/cowarp/unit.h"])
        self.assertEqual((root / "docs/units/counter.md").read_text(), "mine\n")
        (root / "rtl/lib").mkdir(parents=True)
        (root / "rtl/lib/cw_leaf.v").touch()
        self.refuses(2, ["rtl/lib/cw_leaf.v exists"], "new-unit", "--root", root, "leaf")

    def test_the_skeleton_passes_its_tests(self):
        tree = self.folder / "tree"
        tree_copy.copy(SOURCE, pathlib.Path(COWARP).parent, tree)
        written = self.run_it("new-unit", "--root", tree, "word_latch")
        self.assertEqual(written.returncode, 0, written.stderr)
        files = written.stdout.split("\n\n")[0].splitlines()
        self.assertIn("tests/rtl/bins/word_latch.txt", files)
        for line in files:
            self.assertTrue((tree / line).is_file(), line)
        built = tree_copy.run(tree, ["cmake", "--build", "build", "--target", "test_rtl_word_latch", "rtl_word_latch"])
        self.assertNotIn("warning", built)
        passed = tree_copy.run(tree, ["ctest", "--test-dir", "build", "--output-on-failure", "-R", r"^(lint|siblings|rtl|formal)\.word_latch"])
        names = set(re.findall(r"Test +#\d+: (\S+) \.+ +Passed", passed))
        self.assertEqual(names, {"lint.word_latch.verilator", "lint.word_latch.properties", "lint.word_latch.iverilog", "lint.word_latch.yosys", "siblings.word_latch",
                                 "rtl.word_latch", "rtl.word_latch.some", "rtl.word_latch.long", "rtl.word_latch.broken",
                                 "formal.word_latch", "formal.word_latch.covers"})
        reached = re.findall(r"^word_latch bin (\S+): \d+ cycles", (tree / "build/Testing/Temporary/LastTest.log").read_text(), re.M)
        self.assertEqual(len(set(reached)), 9)
        tree_copy.run(tree, [sys.executable, "tests/layers.py", "."])
        self.check_view(tree)

    def check_view(self, tree):
        """The scenario plays, and its trace has each name of the view."""
        tree_copy.run(tree, ["cmake", "--build", "build", "--target", "cowarp"])
        played = tree_copy.run(tree, ["build/cowarp", "wave", "waves/word_latch.stim", "--wave", "w.fst"])
        self.assertIn("2 answers as expected", played)
        trace = wave_test.Trace(tree / "w.fst")
        view = (tree / "waves/word_latch.gtkw").read_text()
        names = re.findall(r"^(?:cowarp|unit)\.\S+$", view, re.M)
        self.assertEqual(len(names), 11)
        self.assertEqual([n for n in names if n not in trace.code], [])


class FromAPath(Temporary):
    """--unit NAME=rtl:FILE.v: the repository's validation unit as somebody else's."""

    def theirs(self, change=lambda text: text):
        path = self.folder / "their.v"
        path.write_text(change((SOURCE / "rtl/validation_unit/cw_validation_unit.v").read_text()))
        return path

    def replaced(self, *pairs):
        def change(text):
            for old, new in pairs:
                self.assertEqual(text.count(old), 1, old)
                text = text.replace(old, new)
            return text
        return self.theirs(change)

    def test_runs_a_copy(self):
        path = self.theirs(lambda text: text + "// a copy\n")
        runs = []
        for backend in ("rtl", f"lockstep:{path}"):
            r = self.run_it(*SMALL, "--unit", f"validation_unit={backend}", "--stats", "s.json", "--omit-host-seconds")
            self.assertEqual(r.returncode, 0, r.stderr)
            stats = json.loads((self.folder / "s.json").read_text())
            self.assertEqual(stats.pop("units")["validation_unit"], backend)
            verilog = [pathlib.Path(entry["path"]) for entry in stats.pop("manifest")["files"] if entry["role"] == "verilog"]
            self.assertEqual(path in verilog, path == pathlib.Path(backend.partition(":")[2]))
            runs.append(stats)
        self.assertEqual(*runs)

    def test_a_property_of_the_file_runs(self):
        path = self.theirs(lambda text: text.replace("endmodule", """
`ifdef CW_PROPERTIES
    always @(`CW_PROPERTIES)
        // 99. Nothing is ever held back.
        if (!rst_i)
            assert (stall_occupancy_o == 0);
`endif
endmodule"""))
        r = self.run_it(*SMALL, "--unit", f"validation_unit=rtl:{path}")
        self.assertEqual(r.returncode, 0, r.stderr)
        r = self.run_it(*SMALL, "--unit", f"validation_unit=rtl+assert+seed=5:{path}")
        self.assertNotEqual(r.returncode, 0)
        self.assertRegex(r.stderr, r"partition\d\.validation_unit \(validation_unit\): cycle \d+: does not hold: "
                                   r"property 99: Nothing is ever held back. \(their.v:\d+\)")

    def test_registers_that_begin_at_random_change_nothing(self):
        counters = []
        for mode in ("", "+seed=3", "+seed=4"):
            r = self.run_it(*SMALL, "--unit", f"validation_unit=rtl{mode}", "--stats", "s.json", "--omit-host-seconds")
            self.assertEqual(r.returncode, 0, r.stderr)
            text = (self.folder / "s.json").read_text()
            self.assertIn(f'"validation_unit": "rtl{mode}"', text)
            counters.append(text.replace("rtl" + mode, "rtl"))
        self.assertEqual(counters[0], counters[1])
        self.assertEqual(counters[0], counters[2])

    def test_refuses_modes_that_it_does_not_know(self):
        for mode, said in (("rtl+asserts", "'+asserts' is neither +assert nor +seed=N"), ("rtl+seed=0", "neither +assert nor +seed=N"),
                           ("rtl+seed=x", "neither +assert nor +seed=N"), ("c+assert", "are for Verilog")):
            r = self.run_it(*SMALL, "--unit", f"validation_unit={mode}")
            self.assertNotEqual(r.returncode, 0)
            self.assertIn(said, r.stderr)

    def test_a_file_that_errs_is_what_runs(self):
        path = self.replaced((".occupancy_o    (stall_occupancy_o)", ".occupancy_o    (unused_occupancy)"),
                             ("wire   req_accept ", "wire [8:0] unused_occupancy; assign stall_occupancy_o = 9'd7; wire   req_accept "))
        r = self.run_it(*SMALL, "--unit", f"validation_unit=lockstep:{path}")
        self.assertEqual(r.returncode, 1)
        self.assertIn("stall_occupancy_o is 0x0 in the C model and 0x7 in the RTL", r.stderr)

    def test_missing_port(self):
        path = self.replaced(("    input  wire                  flush_i,\n", ""), ("= flush_i && ", "= 1'b0 && "))
        self.refuses(2, [f"has flush, but {path} has no flush_i"], *SMALL, "--unit", f"validation_unit=rtl:{path}")

    def test_missing_parameters(self):
        path = self.folder / "one.v"
        path.write_text("module cw_validation_unit(input wire clk_i);\nendmodule\n")
        self.refuses(2, [f"parameters that {path} has not: BLOOM_COPIES BLOOM_ROW_W"], *SMALL, "--unit", f"validation_unit=rtl:{path}")

    def test_one_port(self):
        path = self.folder / "one.v"
        text = (SOURCE / "rtl/validation_unit/cw_validation_unit.v").read_text()
        parameters = text[text.index("module cw_validation_unit"):text.index("\n) (") + 1]
        path.write_text(parameters + ") (input wire clk_i);\nendmodule\n")
        self.refuses(2, [f"has req_valid, but {path} has no req_valid_i"], *SMALL, "--unit", f"validation_unit=rtl:{path}")

    def test_port_of_another_width(self):
        path = self.replaced(("    input  wire                  flush_i,\n", "    input  wire [2:0]            flush_i,\n"))
        self.refuses(2, ["flush_i has 3 bits", "1 in the port list"], *SMALL, "--unit", f"validation_unit=lockstep:{path}")

    def test_bad_requests(self):
        self.refuses(2, ["nowhere.v", "No such file"], *SMALL, "--unit", "validation_unit=rtl:nowhere.v")
        self.refuses(2, ["'c' takes no file"], *SMALL, "--unit", f"validation_unit=c:{self.theirs()}")
        self.refuses(2, ["none of c, rtl"], *SMALL, "--unit", f"validation_unit={self.theirs()}")
        self.refuses(2, ["a file's name is missing"], *SMALL, "--unit", "validation_unit=rtl:")
        path = self.replaced(("module cw_validation_unit", "module their_unit"))
        self.refuses(2, ["has no module cw_validation_unit"], *SMALL, "--unit", f"validation_unit=rtl:{path}")


if __name__ == "__main__":
    COWARP = str(pathlib.Path(sys.argv[1]).resolve())
    SOURCE = pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
