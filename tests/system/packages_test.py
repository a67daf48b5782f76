#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Debian packages and wheel of a build: packages_test.py SOURCE BUILD [unittest arguments].

A tool that is not there is named, and its test is skipped. Packages are not installed: their files are unpacked into a folder, from which they run."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = BUILD = None
PACKAGES = {"cowarp", "libcowarp0", "libcowarp-dev", "python3-cowarp", "cowarp-native", "cowarp-rtl"}


def run(*command, status=0, **more):
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, timeout=540, check=False, **more)
    if done.returncode != status:
        raise AssertionError(f"{' '.join(words)}: exit status {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="packages.")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def use(self, prefix, env):
        """The command, RTL, the CUDA libraries and Python, of that prefix alone."""
        env = {**{name: value for name, value in os.environ.items() if not name.startswith("COWARP")}, "COWARP_CACHE": str(self.folder / "cache"), **env}
        cowarp = prefix / "bin/cowarp"
        self.assertIn("passed", run(cowarp, "run", "vecadd", env=env, cwd=self.folder).stdout)
        run(cowarp, "run", "ht-h", "--param", "blocks=2", "--unit", "validation_unit=rtl", "--wave", "w.fst", "--wave-window", "0:50", env=env, cwd=self.folder)
        self.assertEqual(list((self.folder / "cache").glob("*.so")), [], "RTL was built anew")
        found = run(cowarp, "doctor", env=env).stdout
        self.assertIn(f"{prefix.resolve()}/lib/cowarp/cuda/libcuda.so.1", found)


class Deb(Case):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(BUILD / "packages", ignore_errors=True)
        run("cpack", "--config", BUILD / "CPackConfig.cmake", cwd=BUILD)
        cls.files = {path.name.split("_")[0]: path for path in (BUILD / "packages").glob("*.deb")}

    def test_names(self):
        self.assertEqual(set(self.files), PACKAGES)

    def test_lintian(self):
        if shutil.which("lintian") is None:
            self.skipTest("no lintian")
        done = subprocess.run(["lintian", "--allow-root", "--tag-display-limit", "0", *self.files.values()], capture_output=True, text=True, check=False)
        self.assertEqual([line for line in done.stdout.splitlines() if line.startswith("E:")], [])

    def test_needs(self):
        for name, needs in (("cowarp", ["libcowarp0", "python3", "libc6"]), ("python3-cowarp", ["libcowarp0", "python3-numpy"]), ("libcowarp-dev", ["libcowarp0"]),
                            ("libcowarp0", ["libc6", "libstdc++6"])):
            field = run("dpkg-deb", "-f", self.files[name], "Depends").stdout
            for need in needs:
                self.assertRegex(field, rf"(^|, ){re.escape(need)}( |,|$)", name)

    def test_no_file_is_in_two(self):
        seen = {}
        for name, path in self.files.items():
            for line in run("dpkg-deb", "-c", path).stdout.splitlines():
                file = line.split()[5]
                if not file.endswith("/"):
                    self.assertNotIn(file, seen, name)
                    seen[file] = name
        self.assertGreater(len(seen), 300)

    def test_unpacked(self):
        for path in self.files.values():
            run("dpkg-deb", "-x", path, self.folder / "root")
        prefix = self.folder / "root/usr"
        self.use(prefix, {})
        run("/usr/bin/python3", "-c", "import cowarp; cowarp.Gpu().close()", env={"PYTHONPATH": str(prefix / "lib/python3/dist-packages"), "PATH": os.environ["PATH"]})


class Wheel(Case):
    def test_wheel(self):
        python = "/usr/bin/python3"
        for module in ("pip", "setuptools", "wheel", "venv"):
            if subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode != 0:
                self.skipTest(f"no {module}")
        env = {**os.environ, "COWARP_BUILD": str(BUILD), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        run(python, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-w", self.folder, SOURCE, env=env)
        wheel, = self.folder.glob("cowarp-*.whl")
        self.assertRegex(wheel.name, r"^cowarp-[\d.]+-py3-none-linux_\w+\.whl$")
        run(python, "-m", "venv", "--system-site-packages", self.folder / "venv")
        own = self.folder / "venv/bin/python3"
        run(own, "-m", "pip", "install", "--no-deps", "--no-index", wheel, env=env)
        self.use(self.folder / "venv", {})
        program = "import cowarp; print(cowarp.library); gpu = cowarp.Gpu(system='getm', units={'validation_unit': 'rtl'}); gpu.close()"
        self.assertIn(str(self.folder.resolve() / "venv/lib/libcowarp.so.0"), run(own, "-c", program, env={"PATH": os.environ["PATH"], "HOME": str(self.folder)}).stdout)

    def test_package_without_a_library(self):
        """One line says what to do."""
        shutil.copytree(SOURCE / "python/cowarp", self.folder / "cowarp")
        done = run("/usr/bin/python3", "-c", "import cowarp", cwd=self.folder, env={"PATH": os.environ["PATH"]}, status=1)
        self.assertIn("ImportError: cowarp has no library: ", done.stderr.splitlines()[-1])
        self.assertIn("COWARP_LIBRARY", done.stderr)


if __name__ == "__main__":
    SOURCE, BUILD = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
