#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the units at the ends of their ranges: corners.py SOURCE BUILD VERILATOR.

What works for the usual value of a parameter may not for 1, for 3, or for the largest. So each parameter has its smallest and its largest
value in some set of its unit's lockstep test, and one that is a number of things, not of bits, a value that is no power of two. Verilator takes
every one of these sets without a word, and the one of the greatest product with check bits in the unit's RAMs. Lockstep runs all of them in
rtl.UNIT, but for "largest", which rtl.UNIT.long runs."""
import concurrent.futures
import math
import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE, BUILD, VERILATOR = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
ROW = re.compile(r'P\((\w+), (\w+), (\d+), (\d+), (\d+), "([^"]*)"\)')
# The entry of an overflow area has 160 bits, so not all of its fields can be widest at a time. The one unit has this one widest, the other that.
OTHERS = {("cuckoo_table", "TS_W"), ("validation_unit", "GRANULE_W")}
NO_ECC = {"bank_detector"}  # its RAM is written a bit at a time (cw_ram_1r1w_mask)


def ranges(unit):
    """{parameter: (smallest, largest, text)}; the largest of the Verilog where the C model goes further."""
    found = {}
    for _, name, _, least, most, text in ROW.findall((SOURCE / f"include/cowarp/unit/{unit}.h").read_text(encoding="utf-8")):
        stops = re.search(r"in RTL at most (\d+)", text)
        found[name] = (int(least), int(stops[1] if stops else most), text)
    return found


def sets(unit):
    """{label: {parameter: value}} of the unit's lockstep test."""
    done = subprocess.run([BUILD / f"test_rtl_{unit}", "--gtest_filter=*__c_equals_rtl*"], env={**os.environ, "COWARP_LOCKSTEP_SETS": "?"},
                          capture_output=True, text=True, timeout=60, check=True, cwd=BUILD)
    return {label: {name: int(value) for name, value in (word.split("=") for word in rest.split())}
            for label, rest in re.findall(r"^set label=(\S+)(.*)$", done.stdout, re.M)}


def lint(unit, values, *options):
    """What Verilator says of the unit with these parameters."""
    folders = [word for folder in sorted((SOURCE / "rtl").iterdir()) if folder.is_dir() for word in ("-y", str(folder))]
    done = subprocess.run([VERILATOR, "--lint-only", "-Wall", "--default-language", "1364-2005", *options, *folders,
                           *(f"-G{n}={v}" for n, v in values.items()), str(SOURCE / f"rtl/{unit}/cw_{unit}.v")],
                          capture_output=True, text=True, timeout=120, check=False)
    return done.stdout + done.stderr + (f"exit status {done.returncode}" if done.returncode else "")


def lacks(unit, known):
    """Corners that no set has."""
    found = []
    for name, (least, most, text) in ranges(unit).items():
        values = {params[name] for params in known.values()}
        if least not in values:
            found.append(f"{name} = {least}, its smallest")
        if most not in values and (unit, name) not in OTHERS:
            found.append(f"{name} = {most}, its largest")
        if most > 3 and not name.endswith("_W") and "power of two" not in text and all(value & (value - 1) == 0 for value in values):
            found.append(f"{name}: all of {sorted(values)} are powers of two")
    return found


class Corners(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.units = sorted(path.stem for path in (SOURCE / "include/cowarp/unit").glob("*.h"))
        cls.sets = {unit: sets(unit) for unit in cls.units}

    def test_each_parameter_is_at_its_ends(self):
        self.assertEqual({unit: lacks(unit, self.sets[unit]) for unit in self.units if lacks(unit, self.sets[unit])}, {})

    def test_verilator_takes_every_set(self):
        jobs = [(unit, label, values) for unit in self.units for label, values in self.sets[unit].items()]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            said = list(pool.map(lambda job: lint(job[0], job[2]), jobs))
        self.assertEqual([f"{unit}, set {label}: {text}" for (unit, label, _), text in zip(jobs, said) if text], [])
        self.assertGreater(len(jobs), 3 * len(self.units))

    def test_the_largest_set_has_check_bits(self):
        units = [unit for unit in self.units if unit not in NO_ECC]
        largest = [max(self.sets[unit].values(), key=lambda values: math.prod(values.values())) for unit in units]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            said = list(pool.map(lint, units, largest, ["-DCW_RAM_ECC"] * len(units)))
        self.assertEqual([f"{unit}: {text}" for unit, text in zip(units, said) if text], [])

    def test_what_is_not_there_is_missed(self):
        known = {label: values for label, values in self.sets["stall_buffer"].items() if label not in ("largest", "minimal")}
        self.assertIn("LINES = 16, its largest", lacks("stall_buffer", known))
        self.assertIn("TS_W = 1, its smallest", lacks("stall_buffer", known))
        self.assertIn("LINES: all of [2, 4] are powers of two",
                      lacks("stall_buffer", {label: values for label, values in known.items() if values["LINES"] in (2, 4)}))
        self.assertIn("lines_must_be_1_to_16", lint("stall_buffer", {"LINES": 17}))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
