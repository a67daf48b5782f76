#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the command tells of itself, and what is made of it: pages_test.py BUILD/cowarp PAGES_FOLDER [unittest arguments].

The shells zsh and fish are asked where they are."""
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

COWARP = PAGES = None


def cowarp(*words, env=None, **more):
    return subprocess.run([COWARP, *words], capture_output=True, text=True, check=False, timeout=120, env={**os.environ, **(env or {})}, **more)


def commands():
    return re.findall(r"^  cowarp ([\w-]+) ", cowarp("help").stdout, re.MULTILINE)


class Help(unittest.TestCase):
    def test_all(self):
        """One help for all commands: it has what each tells alone."""
        told = cowarp("help", "--all")
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        self.assertGreater(len(commands()), 20)
        for name in set(commands()) - {"help", "version"}:
            self.assertIn(cowarp("help", name).stdout.strip(), told.stdout, name)

    def test_short_words(self):
        version = cowarp("--version").stdout
        for word in ("version", "-v", "-V"):
            self.assertEqual(cowarp(word).stdout, version)
        self.assertEqual(cowarp("run", "vecadd", "-q").stdout, "")
        self.assertIn("unknown option '-q' of list", cowarp("list", "-q").stderr)

    def test_suggestions_are_blind(self):
        for words, near in ((["run", "HT_H"], "ht-h"), (["RUN"], "run"), (["NEW_UNIT"], "new-unit"), (["run", "ht-h", "--TX_WARPS=1"], "tx-warps"),
                            (["run", "ht-h", "--set", "Core.Warp-Width=64"], "core.warp_width")):
            done = cowarp(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"did you mean '{'--' * words[-1].startswith('--TX')}{near}'?", done.stderr)

    def test_an_option_is_no_value(self):
        with tempfile.TemporaryDirectory() as folder:
            done = cowarp("run", "vecadd", "--stats", "--quiet", cwd=folder)
            self.assertEqual((done.returncode, os.listdir(folder)), (2, []))
            self.assertIn("'--quiet' is an option", done.stderr)
            self.assertEqual(cowarp("run", "vecadd", "--stats=--x.json", "-q", cwd=folder).returncode, 0)
            self.assertEqual(os.listdir(folder), ["--x.json"])

    def test_twice(self):
        done = cowarp("run", "ht-h", "--unit", "validation_unit=c", "--unit", "validation_unit=rtl")
        self.assertEqual(done.returncode, 2)
        self.assertIn("give it once", done.stderr)

    def test_launches_that_do_not_come(self):
        done = cowarp("run", "vecadd", "--launches", "5:")
        self.assertEqual(done.returncode, 1)
        self.assertIn("none has taken time", done.stderr)
        self.assertEqual(cowarp("run", "vecadd", "--launches", "0:").returncode, 0)

    def test_list_of_a_word(self):
        told = cowarp("list", "TBC").stdout
        self.assertIn("thread block compaction", told)
        self.assertNotIn("Workloads", told)
        self.assertEqual(cowarp("list", "qwxz").returncode, 2)

    def test_config_as_json(self):
        every = json.loads(cowarp("config", "--json").stdout)
        self.assertGreater(len(every), 150)
        one, = json.loads(cowarp("config", "core.warps", "--json", "--set", "core.warps=32").stdout)
        self.assertEqual((one["value"], one["unit"]), (32, "warps"))
        self.assertEqual({row["name"] for row in every}, set(re.findall(r"^([\w.]+) =", "\n".join(self.flat(cowarp("config").stdout)), re.MULTILINE)))

    @staticmethod
    def flat(toml):
        table = ""
        for line in toml.splitlines():
            head = re.match(r"\[(.*)\]", line)
            table = head[1] + "." if head else table
            if re.match(r"\w+ *=", line):
                yield table + line

    def test_unit_as_json(self):
        unit = json.loads(cowarp("unit", "stall_buffer", "--json").stdout)
        self.assertEqual(unit["unit"], "stall_buffer")
        self.assertIn("push_valid", " ".join(unit["Ports: direction, name, bits"]))


PTX = """.version 7.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 o)
{
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [o];
    ld.global.u32 %r1, [%rd1];
    add.u32 %r1, %r1, 1;
    st.global.u32 [%rd1], %r1;
    ret;
}
"""


class StandardInput(unittest.TestCase):
    """`-` for each file that is read."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "k.ptx").write_text(PTX)

    def passes(self, *words, given):
        done = cowarp(*words, cwd=self.folder, input=given)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_ptx(self):
        self.assertIn("  k\n    o: u64", self.passes("exec", "-", "--list", given=PTX))
        self.passes("exec", "-", "--kernel", "k", "--grid", "1", "--block", "1", "--arg", "out:o.bin:4", "-q", given=PTX)
        self.assertEqual((self.folder / "o.bin").read_bytes(), b"\1\0\0\0")

    def test_data(self):
        self.passes("exec", "k.ptx", "--kernel", "k", "--grid", "1", "--block", "1", "--arg", "in:-", "-q", given="abcd")

    def test_configuration(self):
        self.assertIn("core.count = 3 ", self.passes("config", "core.count", "--config", "-", given="[core]\ncount = 3\n"))

    def test_script(self):
        script = "load k.ptx\nalloc b 4 fill 6\nlaunch k grid 1 block 1 args b\nexpect b == 7\n"
        self.passes("exec", "--script", "-", "-q", given=script)
        self.assertEqual(cowarp("exec", "--script", "-", "-q", cwd=self.folder, input=script.replace("7", "8")).returncode, 1)


class Doctor(unittest.TestCase):
    def test_a_line_for_each(self):
        done = cowarp("doctor")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for line in done.stdout.splitlines()[1:]:
            self.assertRegex(line, r"^(ok       \S.{14} \S|missing  \S.{14} would give \S)")

    def test_without_tools(self):
        """What is not in PATH is missing, with the package that has it; what cowarp itself needs is not looked for there."""
        rows = {row["name"]: row for row in json.loads(cowarp("doctor", "--json", env={"PATH": "/nowhere"}).stdout)}
        self.assertFalse(rows["verilator"]["there"])
        self.assertTrue(rows["kernels"]["there"])
        self.assertIn("apt-get install verilator", cowarp("doctor", env={"PATH": "/nowhere"}).stdout)

    def test_without_its_own_parts(self):
        with tempfile.TemporaryDirectory() as folder:
            done = cowarp("doctor", env={"COWARP_HOME": folder})
            self.assertEqual(done.returncode, 1)
            self.assertIn("7 of cowarp's own parts are missing", done.stderr)


class Pages(unittest.TestCase):
    def complete(self, *words):
        script = f'source "{PAGES}/cowarp.bash"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cowarp; echo "${{COMPREPLY[@]}}"'
        return subprocess.run(["bash", "-c", script, "bash", "cowarp", *words], capture_output=True, text=True, check=True).stdout.split()

    def test_manual_pages(self):
        for name in ["", *(f"-{name}" for name in commands() if name not in ("help", "version"))]:
            done = self.groff(name)
            self.assertEqual(done.stderr, "", name)
        text = re.sub(r".\x08", "", self.groff("-run").stdout).replace("\u2010", "-").replace("\u2212", "-")
        self.assertEqual(self.options(cowarp("help", "run").stdout) - self.options(text), set())

    @staticmethod
    def groff(name):
        text = gzip.decompress((PAGES / f"man1/cowarp{name}.1.gz").read_bytes()).decode()
        return subprocess.run(["groff", "-ww", "-man", "-Tutf8", "-P-c"], input=text, capture_output=True, text=True, check=True)

    @staticmethod
    def options(text):
        return set(re.findall(r"^ +(--[\w-]+)", text, re.MULTILINE))

    def test_bash(self):
        self.assertEqual(self.complete("swe"), ["sweep"])
        self.assertEqual(self.complete("run", "ht-h", "--system", "warptm"), ["warptm", "warptm-el"])
        self.assertEqual(self.complete("run", "vec"), ["vecadd"])
        self.assertEqual(self.complete("sweep", "--var"), ["--vary"])
        self.assertEqual(self.complete("wave", "figure7", "--backend", "l"), ["lockstep"])

    def test_zsh(self):
        if shutil.which("zsh") is None:
            self.skipTest("no zsh")
        self.assertEqual(subprocess.run(["zsh", "-n", PAGES / "_cowarp"], capture_output=True, text=True, check=False).stderr, "")

    def test_fish(self):
        if shutil.which("fish") is None:
            self.skipTest("no fish")
        script = f"source {PAGES}/cowarp.fish; complete -C 'cowarp run ht-h --system warp'"
        done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        self.assertIn("warptm-el", done.stdout)


if __name__ == "__main__":
    COWARP, PAGES = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
