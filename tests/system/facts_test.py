#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cowarp unit` and `cowarp proofs` beside the sources that they speak of: facts_test.py SOURCE BUILD/cowarp [unittest arguments].

What is expected comes from the Verilog, the .conf files and reference.json, read here in other ways than the commands read them."""
import json
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = COWARP = None


def words(text):
    return " ".join(text.split())


def guarded(text):
    """The lines for a prover or for a run with properties."""
    depth, found = 0, []
    for line in text.splitlines():
        begins = re.match(r"`ifdef (FORMAL|CW_PROPERTIES)", line) or (depth and line.startswith("`if"))
        depth += 1 if begins else -1 if depth and line.startswith("`endif") else 0
        found += [line] if depth else []
    return "\n".join(found)


class Facts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.units = sorted(path.stem for path in (SOURCE / "include/cowarp/unit").glob("*.h"))
        cls.unit_text = {name: cls.passes("unit", name) for name in cls.units}
        cls.proofs_text = {name: cls.passes("proofs", name) for name in cls.units}

    @staticmethod
    def passes(*arguments):
        done = subprocess.run([COWARP, *arguments], capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 0 or done.stderr:
            raise AssertionError(f"{arguments}: {done.returncode} {done.stderr}")
        return done.stdout

    def verilog(self, name):
        return (SOURCE / f"rtl/{name}/cw_{name}.v").read_text()

    def part(self, name, title):
        return re.search(rf"^{title}[^\n]*\n(.*?)(?:\n\n(?=\S)|\Z)", self.unit_text[name], re.M | re.S)[1]

    def test_all_units_are_listed(self):
        self.assertGreater(len(self.units), 15)
        for command in ("unit", "proofs"):
            listed = re.findall(r"^(\w+) +\d", self.passes(command), re.M)
            self.assertEqual(listed, self.units)

    def test_sign_off_is_what_the_files_say(self):
        text, kept = self.passes("unit", "--signoff"), json.loads(self.passes("unit", "--signoff", "--json"))
        self.assertEqual(sorted(kept["units"]), self.units)
        for name, cells in kept["units"].items():
            plan = (SOURCE / f"tests/rtl/testplan/{name}.txt").read_text()
            self.assertEqual(cells["sentences"], str(len(re.findall(r"^\d+ \|", plan, re.M))), name)
            asserted = {n for _, n in re.findall(r"^refute (.*?) ?P(\d+) ", (SOURCE / f"tests/rtl/formal/{name}.conf").read_text(), re.M)}
            self.assertEqual(cells["properties bite"], str(len(asserted)), name)
            fill = re.findall(r"^bin ", (SOURCE / f"tests/rtl/fill/{name}.txt").read_text(), re.M)
            self.assertEqual(cells["fill bins, each set"], str(len(fill)), name)
            for cell in cells.values():
                self.assertTrue(cell, name)
        short = {(name, column) for name, cells in kept["units"].items() for column, cell in cells.items() if cell == "-" or " of " in cell}
        reasons = {(name, column): why for name, column, why in kept["why"]}
        self.assertEqual(set(reasons), short, "tests/rtl/signoff.txt has a line for each cell that is not whole, and no other")
        for (name, column), why in reasons.items():
            self.assertNotEqual(why, "no reason is given", f"{name}, {column}")
            self.assertIn(f"{name}, {column}: {why}", " ".join(text.split()))

    def test_each_unit_has_its_rows_of_mutants_and_widths(self):
        for path in "tests/rtl/mutation.txt", "tests/rtl/widths.txt":
            rows = re.findall(r"^\| (\w+) \| (\d+) \|", (SOURCE / path).read_text(), re.M)
            self.assertEqual([name for name, _ in rows], self.units + ["all"], path)
            self.assertEqual(sum(int(count) for _, count in rows[:-1]), int(rows[-1][1]), path)
        page, widths = (SOURCE / "docs/mutation.md").read_text(), (SOURCE / "tests/rtl/widths.txt").read_text()
        row = re.search(r"^\| all \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|", widths, re.M)
        count, lint, gpu, ends, others, _ = map(int, row.groups())
        self.assertIn(f"of {count} widths lint refuses {lint}, the fill stimulus", words(page))
        self.assertIn(f"finds {gpu + ends}, other tests {others}.", words(page))
        self.assertNotIn("no reason", widths)

    def test_parameters_are_those_of_the_verilog(self):
        for name in self.units:
            head = self.verilog(name).partition(f"module cw_{name}")[2].partition(");")[0]
            values = dict(re.findall(r"parameter +(?:integer +|\[[^]]*\] *)?(\w+) *= *(\d+)", head))
            shown = dict(re.findall(r"^  ([A-Z_0-9]+) +(\d+) +\d+ to \d+: ", self.part(name, "Parameters"), re.M))
            self.assertEqual({key: shown[key] for key in values if key in shown}, {key: values[key] for key in values if key in shown}, name)
            self.assertEqual(set(shown) - set(re.findall(r"parameter[^,;)]*?(\w+) *=", head)), set(), name)
            self.assertGreater(len(shown), 0, name)

    def test_ports_are_those_of_the_verilog(self):
        for name in self.units:
            code = re.sub(r"//[^\n]*|/\*.*?\*/|`ifdef.*?`endif", "", self.verilog(name), flags=re.S)
            wanted = {found[:-2]: way + "put" for way, found in re.findall(r"\b(in|out)put\b[^,;]*?(\w+_[io])\s*(?=,|\)|;)", code)}
            for own in ("clk", "rst"):
                wanted.pop(own)
            shown = {found: way + "put" for way, found in re.findall(r"^    (in|out) +(\w+) +\S", self.part(name, "Ports"), re.M)}
            self.assertEqual(shown, wanted, name)
            body = (SOURCE / f"include/cowarp/unit/{name}.h").read_text().partition("_PORTS(IN, OUT, INW, OUTW)")[2].partition("\n\n")[0]
            for said in re.findall(r"/\*(.*?)\*/", re.sub(r" *\\\n", "\n", body), re.S):
                self.assertIn(words(said), words(self.part(name, "Ports")), name)

    def test_every_property_of_the_verilog_is_there(self):
        for name in self.units:
            inside = "\n".join(guarded(path.read_text()) for path in sorted((SOURCE / f"rtl/{name}").glob("*.v")))
            found = re.findall(r"^ *// (\d+)\. (.*(?:\n *//(?! ?\d+\. ).*)*)", inside, re.M)
            self.assertGreater(len(found), 0, name)
            for number, sentence in found:
                sentence = words(re.sub(r"\n *//", " ", sentence))
                for shown in (self.proofs_text[name], self.unit_text[name]):
                    self.assertIn(f"P{number}. {sentence}", words(shown), name)
            self.assertIn(f"{name}: {len(found)} properties", self.proofs_text[name])

    def test_every_property_has_its_proof_and_its_mutant(self):
        for name in self.units:
            conf = [line for line in (SOURCE / f"tests/rtl/formal/{name}.conf").read_text().splitlines() if line and not line.startswith("#")]
            shown = self.proofs_text[name]
            self.assertEqual(len(re.findall(r"^      refuted: `", shown, re.M)), sum(line.startswith("refute ") for line in conf), name)
            of_all, *each = re.split(r"^  P\d+\. ", shown, flags=re.M)
            proof = re.compile(r"proved for all time|no counterexample within \d+ cycles after power-up,(?: run \w+,)? set")
            reached = re.compile(r"reached within \d+ cycles")
            for text in each:
                self.assertTrue(proof.search(of_all) or proof.search(text), (name, text))
                self.assertTrue(reached.search(of_all) or reached.search(text), (name, text))
            for line in conf:
                bound = re.match(r"bmc (\d+)", line)
                if bound:
                    self.assertIn(f"no counterexample within {bound[1]} cycles", shown, name)

    def test_what_is_not_shown_is_said(self):
        for name in self.units:
            said = set(re.findall(r"^# not shown: (.*)", (SOURCE / f"tests/rtl/formal/{name}.conf").read_text(), re.M))
            self.assertGreater(len(said), 0, name)
            for text in said:
                self.assertIn(words(text), words(self.proofs_text[name].partition("  Not shown\n")[2]), name)

    def test_silicon_is_that_of_the_reference(self):
        reference = json.loads((SOURCE / "synth/reference.json").read_text())
        for name in self.units:
            kept, text = reference[name], self.part(name, "In silicon")
            for wanted in (f"{kept['cells']:,}, of these", f"{kept['clock_mhz']:.0f} MHz at {kept['node_nm']} nm", f"{kept['area_mm2']:.4f} mm2",
                           f"{kept['scaled_fmax_mhz']:.0f} MHz at", kept["rams"], "critical path at 180 nm: from", "gate level: "):
                self.assertIn(wanted, text, name)

    def kept(self, title, path, row):
        """Units whose campaign has left a result; what is printed of the others says how to make it."""
        text, found = (SOURCE / path).read_text(), []
        for name in self.units:
            if re.search(row.format(name), text, re.M):
                found.append(name)
            else:
                self.assertRegex(self.part(name, title), r"\A  no result is kept: scripts/", name)
        self.assertGreater(len(found), 15, path)
        return found

    def test_every_twin_has_its_result(self):
        for name in self.kept("The same mistake", "tests/rtl/twins/results.txt", "^<!-- {} -->"):
            mistakes = re.findall(r"^mistake (.*)", (SOURCE / f"tests/rtl/twins/{name}.conf").read_text(), re.M)
            self.assertGreater(len(mistakes), 0, name)
            shown = self.part(name, "The same mistake")
            self.assertEqual(re.findall(r"^  \d+\. (.*)", shown, re.M), mistakes, name)
            self.assertNotRegex(shown, r"\n  \d+\. .*\n(?:  \d|\Z)", "somebody names each")

    def test_mutants_and_coverage(self):
        for name in self.kept("Mutants", "tests/rtl/mutation.txt", r"^\| {} \| \d"):
            mutants = dict(re.findall(r"^  (\w[\w ]*?)  +(\d+)$", self.part(name, "Mutants"), re.M))
            sure = [int(mutants[key]) for key in ("caught by lockstep", "proved equivalent", "survived")]
            self.assertEqual(sum(sure), int(mutants["mutants"]), name)
            self.assertEqual(len(re.findall(r"^  survived: ", self.part(name, "Mutants"), re.M)), sure[2], name)
        for name in self.kept("Coverage", "tests/coverage.txt", r"^\| rtl/{} \|"):
            covered = dict(re.findall(r"^  (\w[\w ]*?)  +(\d+)$", self.part(name, "Coverage"), re.M))
            self.assertLessEqual(int(covered["lines run"]), int(covered["of"]), name)
        page = (SOURCE / "docs/coverage.md").read_text()
        totals = re.search(r"^\| all \| (\d+) \| (\d+) \| .*? \| (\d+) \| (\d+) \|", (SOURCE / "tests/coverage.txt").read_text(), re.M)
        self.assertIn("({} of {})".format(*totals.groups()[:2]), page)
        self.assertIn("({} of {})".format(*totals.groups()[2:]), page)
        self.assertEqual(re.findall(r"^\| rtl/(\w+) \|", (SOURCE / "tests/coverage.txt").read_text(), re.M), sorted([*self.units, "lib"]))
        for name in self.units:
            self.assertIn(f"  waves/{name}.gtkw", self.part(name, "Views"))
            self.assertIn(f"  docs/units/{name}.md", self.part(name, "Views"))

    def test_each_unit_that_a_gpu_opens_has_its_runs(self):
        opened = {unit["name"] for unit in json.loads(self.passes("list", "--json"))["units"]}
        for name in self.units:
            shown = self.part(name, "Situations of the contract")
            runs = re.findall(r"`cowarp\s+run\s+([^`]+)`\s+reaches\s+(\d+)\s+of\s+(\d+)", shown)
            self.assertEqual(bool(runs), name in opened, name)
            count = re.search(r"random lockstep reaches \d+ of (\d+)", shown)[1]
            self.assertEqual({of for _, _, of in runs}, {count} if runs else set(), f"{name}: scripts/gpu_bins is older than the bins")
            self.assertTrue(all(0 < int(have) <= int(of) for _, have, of in runs), name)

    def test_unknown_names(self):
        for command in ("unit", "proofs"):
            done = subprocess.run([COWARP, command, "stall_bufer"], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr, f"cowarp {command}: unknown unit 'stall_bufer'; did you mean 'stall_buffer'?\n")


if __name__ == "__main__":
    SOURCE, COWARP = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
