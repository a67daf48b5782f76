#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the build into a folder of its own, moves it, and uses it from there: install_test.py SOURCE BUILD CMAKE [unittest arguments].

Nothing may come from the source tree or the build: the tests look at what the processes have loaded, and break a file of the installed tree to see
that this one is read."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = BUILD = CMAKE = None


def run(*command, env=None, cwd=None, status=0):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=240, cwd=cwd, env={**os.environ, **(env or {})})
    if done.returncode != status:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(dir=BUILD, prefix="install_test.")
        cls.addClassCleanup(cls.folder.cleanup)
        top = pathlib.Path(cls.folder.name).resolve()
        run(CMAKE, "--install", BUILD, "--prefix", top / "first")
        cls.prefix = top / "moved"
        (top / "first").rename(cls.prefix)
        cls.work = top / "work"
        cls.work.mkdir()
        cls.env = {"PKG_CONFIG_PATH": str(cls.prefix / "lib/pkgconfig"), "COWARP_CACHE": str(top / "cache"),
                   "PYTHONPATH": str(cls.prefix / "lib/python3/dist-packages")}

    def flags(self, *options):
        return run("pkg-config", *options, "cowarp", env=self.env).stdout.split()

    def compile(self, name, *flags, before=()):
        program = self.work / name
        run("cc", "-Wall", "-Wextra", "-Werror", *before, self.prefix / f"share/cowarp/examples/{name}.c", *flags, "-o", program)
        return program

    def check_examples(self, *flags, before=(), env=None):
        self.assertIn("0 of 10000 results are wrong", run(self.compile("saxpy", *flags, before=before), env=env).stdout)
        store = self.work / "store.pm"
        store.unlink(missing_ok=True)
        program = self.compile("pm_store", *flags, before=before)
        run(program, store, 6000, env=env)
        self.assertTrue(store.is_file())
        self.assertIn("recover", run(program, store, env=env).stdout)

    def loaded(self, *command, env=None, also="/nowhere"):
        """cowarp's own libraries that the process has loaded."""
        done = run(*command, env={**self.env, **(env or {}), "LD_DEBUG": "files"})
        found = set(re.findall(r"calling init: (\S*/libc(?:w_|owarp)\S*)", done.stderr))
        self.assertEqual([path for path in found if not path.startswith((f"{self.prefix}/", f"{also}/"))], [])
        return {os.path.basename(path) for path in found}

    def test_shared(self):
        self.check_examples(*self.flags("--cflags", "--libs"), env={"LD_LIBRARY_PATH": str(self.prefix / "lib")})
        needed = run("readelf", "-d", self.work / "saxpy").stdout
        self.assertIn("[libcowarp.so.0]", needed)

    def test_static(self):
        self.check_examples(*self.flags("--static", "--cflags", "--libs"), before=["-static"])
        self.assertNotIn("NEEDED", run("readelf", "-d", self.work / "saxpy").stdout)

    def test_static_library_in_a_dynamic_program(self):
        self.check_examples(*self.flags("--cflags"), *self.flags("--variable=static_libs"))
        self.assertNotIn("libcowarp", run("readelf", "-d", self.work / "saxpy").stdout)

    def test_shows_the_public_functions_and_nothing_else(self):
        header = (self.prefix / "include/cowarp/cowarp.h").read_text()
        code = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
        public = set(re.findall(r"^[a-z][\w \*]*\b(cowarp_\w+)\(", code, flags=re.MULTILINE))
        shown = {line.split()[-1] for line in run("nm", "-D", "--defined-only", self.prefix / "lib/libcowarp.so").stdout.splitlines()}
        self.assertGreater(len(public), 60)
        self.assertEqual(shown, public)

    def test_command(self):
        self.assertIn("passed", run(self.prefix / "bin/cowarp", "run", "vecadd", env=self.env).stdout)

    def test_command_takes_its_own_kernels(self):
        kernel = self.prefix / "share/cowarp/kernels/vecadd.ptx"
        text = kernel.read_text()
        self.addCleanup(kernel.write_text, text)
        kernel.write_text("not PTX\n")
        done = run(self.prefix / "bin/cowarp", "run", "vecadd", env=self.env, status=2)
        self.assertIn("share/cowarp/kernels/vecadd.ptx:1:1", done.stderr)

    def test_results(self):
        cowarp, a, b = self.prefix / "bin/cowarp", self.work / "a.json", self.work / "b.json"
        for path, n in ((a, 1000), (b, 2000)):
            run(cowarp, "run", "vecadd", "--param", f"n={n}", "--stats", path, env=self.env)
        self.assertIn("equal", run(cowarp, "rerun", a, env=self.env).stdout)
        self.assertIn("param n", run(cowarp, "diff", a, b, env=self.env).stdout)
        run(cowarp, "report", a, b, "-o", self.work / "r.html", env=self.env)
        self.assertEqual(len(run(cowarp, "sweep", "vecadd", "--vary", "n=1000,2000", env=self.env).stdout.splitlines()), 3)
        self.assertEqual(len(list((pathlib.Path(self.env["COWARP_CACHE"]) / "runs").iterdir())), 2)
        script = self.prefix / "share/cowarp/source/scripts/results/stats.py"
        self.addCleanup(script.write_text, script.read_text())
        script.write_text("print('the installed one')\n")
        self.assertEqual(run(cowarp, "stats", a, env=self.env).stdout, "the installed one\n")

    def test_units(self):
        cowarp = self.prefix / "bin/cowarp"
        for command in (["proofs"], ["proofs", "stall_buffer"], ["unit"], ["unit", "stall_buffer"]):
            here, there = (run(program, *command, env=self.env).stdout for program in (cowarp, pathlib.Path(BUILD) / "cowarp"))
            self.assertEqual(here, there, command)
            self.assertIn("stall_buffer", here)
        results = self.prefix / "share/cowarp/source/tests/rtl/proofs.txt"
        self.addCleanup(results.write_text, results.read_text())
        results.write_text(results.read_text().replace("No two lines are of one granule.", "The installed one."))
        self.assertIn("The installed one.", run(cowarp, "proofs", "stall_buffer", env=self.env).stdout)

    def test_rtl(self):
        wave = self.work / "wave.fst"
        found = self.loaded(self.prefix / "bin/cowarp", "run", "ht-h", "--param", "blocks=1", "--unit", "validation_unit=rtl", "--wave", wave,
                            "--wave-window", "0:100")
        self.assertIn("libcowarp_wave.so", found)
        self.assertTrue(any(name.startswith("libcw_rtl_validation_unit_") for name in found), found)
        self.assertTrue(any(name.startswith("libcw_verilated-") for name in found), found)
        self.assertTrue(wave.is_file())
        self.assertEqual(list(pathlib.Path(self.env["COWARP_CACHE"]).glob("*.so")), [], "RTL was built anew")

    def test_rtl_is_built_anew(self):
        cache = self.work / "cache"
        env = {"COWARP_CACHE": str(cache), "COWARP_RTL_CXXFLAGS": "-O0"}
        command = [self.prefix / "bin/cowarp", "run", "vecadd", "--control", "dwf", "--set", "core.schedulers=1", "--set", "core.warps=32",
                   "--unit", "warp_lut=rtl"]
        run(*command, env={**self.env, **env})
        found = self.loaded(*command, env=env, also=str(cache))
        self.assertEqual(found, {path.name for path in cache.glob("*.so")})
        self.assertEqual(len(found), 2, found)

    def test_rtl_is_built_from_its_own_verilog(self):
        verilog = self.prefix / "share/cowarp/source/rtl/validation_unit/cw_validation_unit.v"
        aside = self.work / "cw_validation_unit.v"
        shutil.move(verilog, aside)
        self.addCleanup(shutil.move, aside, verilog)
        done = run(self.prefix / "bin/cowarp", "run", "ht-h", "--unit", "validation_unit=rtl", env=self.env, status=2)
        self.assertIn(f"{self.prefix}/share/cowarp/source/rtl", done.stderr)

    def test_python(self):
        program = ("import cowarp\n"
                   "with cowarp.Gpu(system='getm', units={'validation_unit': 'rtl'}) as gpu:\n"
                   "    print(cowarp.__file__, cowarp.library)\n")
        found = self.loaded(sys.executable, "-c", program)
        self.assertTrue([name for name in found if name.startswith("libcowarp.so")], found)
        self.assertTrue(any(name.startswith("libcw_rtl_validation_unit_") for name in found), found)
        text = run(sys.executable, "-c", program, env=self.env).stdout
        self.assertEqual(text.count(str(self.prefix)), 2, text)

    def test_cuda(self):
        made = self.work / "k.fatbin"
        made.write_bytes(fatbin.container(fatbin.image((SOURCE / "tests/cuda/kernels.ptx").read_text())))
        run("cc", "-Wno-pointer-arith", f'-DFATBIN="{made}"', SOURCE / "tests/cuda/program.c", "-o", self.work / "program",
            self.prefix / "lib/cowarp/cuda/libcudart.so.12", "-pthread")
        wave = self.work / "cuda.fst"
        found = self.loaded(self.prefix / "bin/cowarp", "cuda", "--wave", wave, "--wave-window", "0:100", "--", self.work / "program")
        self.assertTrue({"libcowarp_cuda.so", "libcowarp_wave.so"} <= found, found)
        self.assertTrue(wave.is_file())

    def test_provenance(self):
        """It is inside what it describes, the program and both libraries, and the digest is that of the sources which the build was made of."""
        told = run(self.prefix / "bin/cowarp", "--version", env=self.env).stdout
        program = ("from cowarp import _library as l\n"
                   "print(f'commit    {l.lib.cowarp_commit().decode()}\\nsources   sha256:{l.lib.cowarp_sources().decode()}\\n'\n"
                   "      f'compiler  {l.lib.cowarp_compiler().decode()}')")
        self.assertEqual(run(sys.executable, "-c", program, env=self.env).stdout, told.split("\n", 1)[1])
        digest = re.search(r"sha256:(\w+)", told).group(1)
        for file in ("lib/libcowarp.so", "lib/libcowarp.a", "bin/cowarp"):
            self.assertEqual((self.prefix / file).read_bytes().count(digest.encode()), 1, file)
        made = pathlib.Path(self.work) / "provenance.c"
        run(CMAKE, "-D", f"SOURCE={SOURCE}", "-D", f"OUT={made}", "-D", "COMPILER=x", "-P", pathlib.Path(SOURCE) / "cmake/provenance.cmake")
        self.assertIn(digest, made.read_text())

    def test_what_is_missing_is_built_first(self):
        """./run builds a part only: the step that builds the rest comes before all that is installed, and looks for each file of the build."""
        steps = (pathlib.Path(BUILD) / "cmake_install.cmake").read_text()
        self.assertLess(steps.index("--target"), steps.index("file(INSTALL"))
        looked_for = steps[steps.index("foreach(file "):steps.index("--target")]
        for name in ("cowarp", "libcowarp.so", "libcowarp_cuda.so", "libcuda.so.1", "libcowarp_wave.so", "vecadd.ptx", "stall_buffer.stamp"):
            self.assertIn(f"/{name}", looked_for)

    def test_header_and_package_agree_about_the_version(self):
        version = re.search(r'COWARP_VERSION "(.*)"', (self.prefix / "include/cowarp/cowarp.h").read_text()).group(1)
        self.assertEqual(run("pkg-config", "--modversion", "cowarp", env=self.env).stdout.strip(), version)
        self.assertTrue((self.prefix / f"lib/libcowarp.so.{version}").is_file())


if __name__ == "__main__":
    SOURCE, BUILD, CMAKE = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    sys.path.insert(0, str(SOURCE / "tests/cuda"))
    import fatbin
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
