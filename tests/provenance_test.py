# SPDX-License-Identifier: Apache-2.0
"""Provenance of a build (cmake/provenance.cmake): what an edit, a commit and the absence of git do to it. provenance_test.py SOURCE CMAKE

A small tree stands for the whole one: the script reads nothing but files and git."""
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, CMAKE = "", ""


class Provenance(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        self.tree = self.work / "tree"
        for name in ("CMakeLists.txt", "CMakePresets.json", "csim/base/a.c", "include/cowarp/b.h", "kernels/k/kernel.cl", "rtl/u/u.v", "docs/page.md"):
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / name).write_text(f"{name}\n")

    def git(self, *words):
        subprocess.run(["git", "-C", self.tree, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True, capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "a")

    def make(self):
        """(commit, digest) as the script tells them."""
        out = self.work / "provenance.c"
        subprocess.run([CMAKE, "-D", f"SOURCE={self.tree}", "-D", f"OUT={out}", "-D", "COMPILER=GNU \"1\\2\"", "-P",
                        pathlib.Path(SOURCE) / "cmake/provenance.cmake"], check=True)
        text = out.read_text()
        self.assertIn(r'.compiler = "GNU \"1\\2\""', text)
        return re.search(r'\.commit = "(.*)"', text).group(1), re.search(r'\.sources = "(\w+)"', text).group(1)

    def test_without_git(self):
        """The digest is that of sha256sum's lines, in the order of the paths."""
        names = sorted(["CMakeLists.txt", "CMakePresets.json", "csim/base/a.c", "include/cowarp/b.h", "kernels/k/kernel.cl", "rtl/u/u.v"])
        lines = "".join(f"{hashlib.sha256((self.tree / name).read_bytes()).hexdigest()}  {name}\n" for name in names)
        self.assertEqual(self.make(), ("unknown", hashlib.sha256(lines.encode()).hexdigest()))

    def test_inside_another_repository(self):
        """That one's commit says nothing of this tree."""
        subprocess.run(["git", "init", "-q", self.work], check=True)
        self.assertEqual(self.make()[0], "unknown")

    def test_edits(self):
        self.git("init", "-q")
        self.commit()
        commit, digest = self.make()
        self.assertRegex(commit, r"^[0-9a-f]{12}$")
        written = (self.work / "provenance.c").stat().st_mtime_ns
        self.assertEqual(self.make(), (commit, digest))
        self.assertEqual((self.work / "provenance.c").stat().st_mtime_ns, written)  # so nothing is compiled again
        (self.tree / "docs/page.md").write_text("another\n")
        self.assertEqual(self.make(), (commit, digest))  # is no source
        (self.tree / "csim/base/a.c").write_text("another\n")
        edited = self.make()
        self.assertEqual(edited[0], commit + "+")
        self.assertNotEqual(edited[1], digest)
        self.commit()
        committed = self.make()
        self.assertRegex(committed[0], r"^[0-9a-f]{12}$")
        self.assertEqual((committed[0] == commit, committed[1]), (False, edited[1]))

    def test_a_new_file(self):
        self.git("init", "-q")
        self.commit()
        commit, digest = self.make()
        (self.tree / "csim/base/new.c").write_text("new\n")
        self.assertEqual(self.make()[0], commit + "+")
        self.assertNotEqual(self.make()[1], digest)


class Built(unittest.TestCase):
    def test_every_target_that_links_it_waits_for_it(self):
        """In the build graph: the command, both libraries and the tests get the object, and making it is asked for in each build."""
        text = (pathlib.Path(BUILD) / "build.ninja").read_text()
        rule = re.search(r"^build provenance\.c( \|[^:]*)?: CUSTOM_COMMAND.*?(?=^build |\Z)", text, re.MULTILINE | re.DOTALL) or \
            re.search(r"^build CMakeFiles/provenance[^:\n]*provenance\.c[^:\n]*: CUSTOM_COMMAND.*?(?=^build |\Z)", text, re.MULTILINE | re.DOTALL)
        self.assertIsNotNone(rule)
        self.assertIn("restat = 1", rule.group(0))
        self.assertIn("provenance.c.o", re.search(r"^build libcowarp\.a:[^\n]*", text, re.MULTILINE).group(0))


if __name__ == "__main__":
    SOURCE, BUILD, CMAKE = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
