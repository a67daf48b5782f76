#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What stands around a release: artifact_test.py SOURCE_DIR [unittest arguments]. CITATION.cff and codemeta.json say what the header says; an archive is the same
twice; the table expected / measured / verdict judges as its header promises."""
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = None


class About(unittest.TestCase):
    def test_version_and_licence(self):
        import yaml
        version = re.search(r'^#define COWARP_VERSION "(.*)"', (ROOT / "include/cowarp/cowarp.h").read_text(), re.MULTILINE)[1]
        cff, meta = yaml.safe_load((ROOT / "CITATION.cff").read_text()), json.loads((ROOT / "codemeta.json").read_text())
        self.assertEqual((cff["version"], meta["version"]), (version, version))
        self.assertEqual((cff["license"], meta["license"].rsplit("/", 1)[1]), ("Apache-2.0", "Apache-2.0"))
        self.assertLessEqual({"cff-version", "message", "title", "authors"}, set(cff))


class Archive(unittest.TestCase):
    def test_twice_the_same(self):
        if subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, check=False).returncode != 0:
            self.skipTest("not in git")
        with tempfile.TemporaryDirectory() as folder:
            told = []
            for name in ("a.tar.gz", "b.tar.gz"):
                path = pathlib.Path(folder) / name
                done = subprocess.run([ROOT / "artifact.sh", "--archive", path], capture_output=True, text=True, check=True)
                told.append(done.stdout.split()[0])
            self.assertEqual(told[0], told[1])
            names = tarfile.open(pathlib.Path(folder) / "a.tar.gz").getnames()
        self.assertIn("cowarp/README.md", names)
        tracked = subprocess.run(["git", "-C", ROOT, "ls-tree", "-r", "--name-only", "HEAD"], capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertEqual({name.removeprefix("cowarp/") for name in names} - {"cowarp", *(str(p) for t in tracked for p in pathlib.PurePath(t).parents)} - set(tracked) -
                         {name.removeprefix("cowarp/") for name in names if name.startswith("cowarp/results")}, set())

    def test_words(self):
        for words in ([], ["--bogus"], ["--subset", "more"], ["--archive"]):
            done = subprocess.run([ROOT / "artifact.sh", *words], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, "--subset" in done.stderr), (2, True))


class Expected(unittest.TestCase):
    def verdict(self, here, holds=True):
        return {"claim": "x", "here": here, "holds": holds, "crosses": False}

    def test_verdicts(self):
        def kept(here="1.14", spread="1.1..1.15", holds="yes"):
            return {"here": here, "range": spread, "holds": holds}
        for here, holds, before, verdict in (("1.11", True, kept(), "as expected"), ("1.19", True, kept(), "as expected"), ("1.3", True, kept(), "moved"), ("1.0", True, kept(), "moved"),
                                             ("1.14", False, kept(), "differs"), ("1.14", True, kept(holds="yes, crosses"), "as expected"), ("1.14", True, None, "new"),
                                             ("2 and 4 warps", True, kept("2 and 4 warps", "-"), "as expected"), ("8 and 4 warps", True, kept("2 and 4 warps", "-"), "moved"),
                                             ("none", True, kept("2 and 4 warps", "-"), "moved")):
            self.assertEqual(expected.judge(self.verdict(here, holds), before), verdict, (here, before))

    def test_table(self):
        paper = {"x": {"what": "w", "value": "1.2", "unit": "x"}}
        text, differs = expected.page([{"name": "n", "claims": [self.verdict("1.14", False)]}], {"x": {"here": "1.14", "range": "-", "holds": "yes"}}, paper)
        self.assertEqual(differs, 1)
        self.assertIn("| x | 1.2 x | 1.14 | yes | 1.14 | no | differs |", text)
        self.assertIn("1 differs", text)


if __name__ == "__main__":
    ROOT = pathlib.Path(sys.argv[1]).resolve()
    sys.path.insert(0, str(ROOT / "experiments"))
    import expected
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
