#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Notices and errors name kernels, variables and files whole, however long: long_names_test.py BUILD/cowarp. Names of C++ templates differ at
their end."""

import os
import subprocess
import sys
import tempfile
import unittest

COWARP = ""
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


def name(letters, end):
    text = "_ZN" + "9namespace" * (letters // 10 + 1)
    return text[:letters - len(end)] + end


class Names(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def says(self, text, kernel, names, *options, status=0, file="k.ptx"):
        path = os.path.join(self.folder.name, file)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as f:
            f.write(HEAD + text)
        r = subprocess.run([COWARP, "exec", file, "--kernel", kernel, "--grid", "1", "--block", "32", *options], capture_output=True, text=True,
                           timeout=240, cwd=self.folder.name)
        self.assertEqual(r.returncode, status, r.stderr)
        for n in names:
            self.assertIn(n, r.stderr)
        for line in r.stderr.splitlines():
            self.assertTrue(line.startswith("cowarp: "), line)

    def test_kernels(self):
        for letters in (90, 101, 200, 1000, 3000):
            good, bad, other, gone = (name(letters, end) for end in ("good", "bad", "other", "gone"))
            kernel = ".visible .entry %s() { .reg .b32 %%r<9>; .reg .pred %%p<3>; .reg .b64 %%d<3>; %s ret; }\n"
            both = kernel % (good, "") + kernel % (bad, "mapa.u32 %r1, %r2, 0;")
            self.says(both, good, [f"kernel {bad} of k.ptx cannot run: "])
            self.says(both, bad, [bad, "mapa"], status=2)
            self.says(both, gone, [f"no kernel '{gone}'"], status=2)
            self.says(kernel % (good, "trap;"), good, [f"kernel {good}: k.ptx:"], status=1)
            self.says(kernel % (good, "shfl.sync.down.b32 %r1, %r2, 1, 31, 1;"), good, [f"kernel {good}: k.ptx:", "does not take part"])
            self.says(kernel % (good, "activemask.b32 %r1;"), good, [f"kernel {good}: k.ptx:", "works on a static warp"], "--preset", "thesis-tbc",
                      "--set", "core.divergence=tbc")
            self.says(kernel % (good, f"mov.u64 %d1, {other};"), good, [other], status=2)

    def test_variables_and_functions(self):
        for letters in (90, 200, 3000):
            there, gone = name(letters, "there"), name(letters, "gone")
            text = f".global .u32 {there};\n.visible .entry k() {{ ret; }}\n"
            with open(os.path.join(self.folder.name, "w"), "wb") as f:
                f.write(bytes(8))
            self.says(text, "k", [f"no variable '{gone}'"], "--symbol", f"{gone}=w", status=2)
            self.says(text, "k", [f"variable '{there}'"], "--symbol", f"{there}=w", status=2)
            self.says(f".func {gone}();\n.visible .entry k() {{ call {gone}, (); ret; }}\n", "k", [gone], status=2)

    def test_files(self):
        folder = "/".join(["a" * 200] * 5)
        self.says(".visible .entry k() { .reg .b32 %r<2>; mov.u32 %r1 }\n", "k", [folder + "/k.ptx:4:"], status=2, file=folder + "/k.ptx")
        self.says(".visible .entry k() { trap; }\n", "k", [folder + "/k.ptx:4:"], status=1, file=folder + "/k.ptx")


if __name__ == "__main__":
    COWARP = os.path.abspath(sys.argv.pop(1))
    unittest.main()
