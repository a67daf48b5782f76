#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the build and uses it where neither the source tree nor the build is there: alone_test.py SOURCE BUILD CMAKE [unittest arguments].

The tests run in a mount namespace of their own, in which both folders are empty. Where the kernel allows none, both stay visible, and the search for
their paths in the installed files is what is left. Nothing may be written into the installed tree, and where the user stands only what was asked for."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = PREFIX = CMAKE = None
FOLDERS = []
SAXPY = """.version 7.0
.target sm_50
.address_size 64
.visible .entry scale(.param .u64 data, .param .u32 n)
{
    .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %p;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r1, %r1, %r2, %r3;
    ld.param.u32 %r4, [n];
    setp.ge.u32 %p, %r1, %r4;
    @%p bra done;
    mul.wide.u32 %rd1, %r1, 4;
    ld.param.u64 %rd2, [data];
    add.u64 %rd3, %rd2, %rd1;
    ld.global.u32 %r5, [%rd3];
    add.u32 %r5, %r5, %r5;
    st.global.u32 [%rd3], %r5;
done:
    ret;
}
"""


def run(*command, cwd=None, env=None, status=0):
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, timeout=240, cwd=cwd, env={**os.environ, **(env or {})}, check=False)
    if done.returncode != status:
        raise AssertionError(f"{' '.join(words)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def listing(folder):
    return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_size) for path in sorted(folder.rglob("*"))}


class Alone(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.before = listing(PREFIX)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(dir=TOP, prefix="work.")
        self.addCleanup(self.folder.cleanup)
        self.work = pathlib.Path(self.folder.name)
        self.env = {"COWARP_CACHE": str(TOP / "cache"), "COWARP_RTL_CXXFLAGS": "-O0", "PKG_CONFIG_PATH": str(PREFIX / "lib/pkgconfig"),
                    "PYTHONPATH": str(PREFIX / "lib/python3/dist-packages")}

    def cowarp(self, *words, **more):
        return run(PREFIX / "bin/cowarp", *words, cwd=self.work, env=self.env, **more)

    def left(self, *names):
        """What a command has left where the user stands."""
        self.assertEqual({path.name for path in self.work.iterdir()}, set(names))
        self.assertEqual(listing(PREFIX), self.before)

    @unittest.skipIf(sys.argv[1] == "show", "no mount namespace")
    def test_hidden(self):
        for folder in FOLDERS:
            self.assertEqual(list(folder.iterdir()), [], folder)

    def test_run(self):
        self.assertIn("passed", self.cowarp("run", "vecadd").stdout)
        self.left()

    def test_wave_on(self):
        """The view beside the trace, and the files that it names."""
        self.cowarp("run", "ht-h", "--param", "blocks=4", "--wave", "w.fst", "--wave-on", "wait", "--wave-keep", "60", "--unit", "validation_unit=rtl")
        named = [line.split(" ", 1)[1] for line in (self.work / "w.gtkw").read_text().splitlines() if line.startswith("^1 ")]
        self.assertTrue(named)
        for path in named:
            self.assertTrue(path.startswith(f"{PREFIX}/share/cowarp/source/waves/") and os.path.isfile(path), path)
        self.left("w.fst", "w.gtkw")

    def test_verilog_of_ones_own(self):
        """The installed Verilog as a beginning, beside the installed C model."""
        (self.work / "mine.v").write_text((PREFIX / "share/cowarp/source/rtl/warp_lut/cw_warp_lut.v").read_text())
        self.cowarp("run", "vecadd", "--control", "dwf", "--set", "core.schedulers=1", "--set", "core.warps=32", "--unit", "warp_lut=lockstep:mine.v")
        self.left("mine.v")

    def test_exec(self):
        (self.work / "k.ptx").write_text(SAXPY)
        (self.work / "in.bin").write_bytes(b"\1\0\0\0" * 1000)
        self.cowarp("exec", "k.ptx", "--kernel", "scale", "--grid", "4", "--block", "256", "--arg", "inout:in.bin", "--arg", "u32:1000")
        self.assertEqual((self.work / "in.bin").read_bytes(), b"\2\0\0\0" * 1000)
        self.left("k.ptx", "in.bin")

    def test_kernel_from_its_source(self):
        """A workload's kernel, compiled by the user, in the place of the installed one."""
        source = PREFIX / "share/cowarp/source/kernels"
        run("clang-14", "-x", "cl", "--target=nvptx64-unknown-nvidiacl", "-Xclang", "-mlink-bitcode-file", "-Xclang", "/usr/lib/clc/nvptx64--nvidiacl.bc", "-O2", "-S", "-include",
            "clc/clc.h", "-I", source / "include", source / "vecadd/kernel.cl", "-o", self.work / "vecadd.ptx")
        self.env["COWARP_KERNEL_DIR"] = str(self.work)
        self.assertIn("passed", self.cowarp("run", "vecadd").stdout)

    def test_cuda(self):
        self.cowarp("cuda", "--stats", "s.json", "--", TOP / "program")
        self.assertIn("1 test, 0 failed, 0 findings", self.cowarp("test", "--", TOP / "program").stdout)
        self.left("s.json")

    def test_wave(self):
        self.assertIn("as expected", self.cowarp("wave", "figure7").stdout)
        self.cowarp("wave", "ofence")
        self.left("figure7.fst", "ofence.fst")

    def test_synth(self):
        self.cowarp("synth", "priority_encoder", "--no-power", "--no-gates")
        self.assertTrue((self.work / "cowarp-out/synth/table.md").is_file())
        self.assertIn("mm2", self.cowarp("synth", "--system", "getm").stdout)
        self.left("cowarp-out")

    def test_reproduce(self):
        self.assertIn("getm.fig11", self.cowarp("reproduce", "--list").stdout)
        self.assertIn("| claim |", self.cowarp("reproduce", "--claims", "getm").stdout)
        self.cowarp("reproduce", "getm.rollover", "--quick")
        self.assertTrue((self.work / "cowarp-out/experiments-quick/getm.rollover.csv").is_file())
        self.left("cowarp-out")

    def test_results(self):
        self.cowarp("run", "vecadd", "--stats", "a.json")
        self.assertIn("equal", self.cowarp("rerun", "a.json").stdout)
        self.assertIn("vecadd", self.cowarp("stats", "a.json").stdout)
        self.cowarp("report", "a.json", "-o", "r.html")
        self.assertEqual(len(self.cowarp("sweep", "vecadd", "--vary", "n=1000,2000").stdout.splitlines()), 3)
        self.left("a.json", "r.html")

    def test_units(self):
        self.assertIn("waves/stall_buffer.gtkw", self.cowarp("unit", "stall_buffer").stdout)
        self.assertIn("stall_buffer", self.cowarp("proofs").stdout)
        self.assertIn("not the source tree", self.cowarp("new-unit", "counter", status=2).stderr)
        self.left()

    def test_python(self):
        program = ("import cowarp\n"
                   "with cowarp.Gpu(system='getm', units={'validation_unit': 'rtl'}, wave='w.fst') as gpu:\n"
                   "    print(cowarp.library)\n")
        told = run("/usr/bin/python3", "-B", "-c", program, cwd=self.work, env=self.env).stdout
        self.assertIn(str(PREFIX), told)

    def test_outside_programs(self):
        """C and C++, by find_package and by pkg-config."""
        outside = PREFIX / "share/cowarp/examples/outside"
        run(CMAKE, "-S", outside, "-B", self.work / "made", f"-DCMAKE_PREFIX_PATH={PREFIX}")
        run(CMAKE, "--build", self.work / "made")
        flags = run("pkg-config", "--cflags", "--libs", "cowarp", env=self.env).stdout.split()
        run("c++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", outside / "answer.cpp", *flags, f"-Wl,-rpath,{PREFIX}/lib", "-o", self.work / "answer")
        run("cc", outside.parent / "saxpy.c", *flags, f"-Wl,-rpath,{PREFIX}/lib", "-o", self.work / "saxpy")
        for program, says in (("made/saxpy", "0 of 10000"), ("made/answer", "is 42"), ("made/answer_static", "is 42"), ("answer", "is 42"), ("saxpy", "0 of 10000")):
            self.assertIn(says, run(self.work / program).stdout)

    def test_wrong_version_is_refused(self):
        (self.work / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.16)\nproject(x C)\nfind_package(cowarp 9.9 REQUIRED)\n")
        done = run(CMAKE, "-S", self.work, "-B", self.work / "made", f"-DCMAKE_PREFIX_PATH={PREFIX}", status=1)
        self.assertIn("requested", done.stderr)

    def test_no_file_has_a_path_of_the_build(self):
        """But for the units' libraries: Verilator writes names of Verilog files into its messages. Nothing opens them."""
        files = [path for path in sorted(PREFIX.rglob("*")) if path.is_file() and not path.is_symlink() and not path.name.startswith("libcw_rtl_")]
        self.assertGreater(len(files), 300)
        self.assertEqual([path for path in files for folder in FOLDERS if str(folder).encode() + b"/" in path.read_bytes()], [])


def hide(folders):
    for folder in folders:
        subprocess.run(["mount", "-t", "tmpfs", "none", folder], check=True)


def outside(source, build, cmake, rest):
    sys.path.insert(0, str(source / "tests/cuda"))
    import fatbin
    with tempfile.TemporaryDirectory(prefix="cowarp_alone.") as name:
        top = pathlib.Path(name).resolve()
        run(cmake, "--install", build, "--prefix", top / "first")
        (top / "first").rename(top / "prefix")
        (top / "k.fatbin").write_bytes(fatbin.container(fatbin.image((source / "tests/cuda/kernels.ptx").read_text())))
        run("cc", "-Wno-pointer-arith", f'-DFATBIN="{top}/k.fatbin"', source / "tests/cuda/program.c", "-o", top / "program",
            top / "prefix/lib/cowarp/cuda/libcudart.so.12", "-pthread")
        shutil.copy(__file__, top / "alone_test.py")
        folders = [source] + ([] if build.is_relative_to(source) else [build])
        namespace = ["unshare", "--map-root-user", "--mount"]
        if subprocess.run([*namespace, "mount", "-t", "tmpfs", "none", top], capture_output=True, check=False).returncode != 0:
            print("alone_test: no mount namespace: the folders stay visible")
            namespace = []
        words = [*namespace, sys.executable, "-B", top / "alone_test.py", "hide" if namespace else "show", top, cmake, ":".join(map(str, folders)), *rest]
        return subprocess.run(words, cwd=top, check=False).returncode


if __name__ == "__main__":
    if sys.argv[1] not in ("hide", "show"):
        sys.exit(outside(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3], sys.argv[4:]))
    TOP, CMAKE, FOLDERS = pathlib.Path(sys.argv[2]), sys.argv[3], [pathlib.Path(text) for text in sys.argv[4].split(":")]
    PREFIX = TOP / "prefix"
    if sys.argv[1] == "hide":
        hide(FOLDERS)
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]])
