#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CUDA programs as they are: cuda_test.py SOURCE BUILD [unittest arguments].

The programs are compiled by the C compiler and make the calls that nvcc's start-up code makes. Where nvcc is, Nvcc runs those of
tests/cuda/nvcc as nvcc makes them; where it is not, it says so."""
import csv
import glob
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
sys.path.insert(0, str(SOURCE / "tests/cuda"))
import fatbin  # noqa: E402

COWARP = BUILD / "cowarp"
CUDA = BUILD / "cuda"
KERNELS = (SOURCE / "tests/cuda/kernels.ptx").read_text()
TEXTURES = (SOURCE / "tests/cuda/textures.ptx").read_text()
OVERLAP = (SOURCE / "tests/cuda/overlap.ptx").read_text()
SHARED = (SOURCE / "tests/cuda/shared.ptx").read_text()


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, *images, runtime="12", source="program.c", units=()):
        """units: containers of files that were compiled with -rdc=true, in the place of images."""
        (self.folder / "k.fatbin").write_bytes(b"".join(units) or fatbin.container(*images))
        places = [f"fatbin + {sum(map(len, units[:i]))}" for i in range(len(units))]
        library = CUDA / {"11": "libcudart.so.11.0"}.get(runtime, f"libcudart.so.{runtime}")
        subprocess.run(["cc", "-std=gnu11", "-Wno-pointer-arith", f'-DFATBIN="{self.folder}/k.fatbin"', *([f"-DUNITS={', '.join(places)}"] if units else []),
                        str(SOURCE / "tests/cuda" / source), "-o", str(self.folder / "program"), str(library), f"-Wl,-rpath-link,{CUDA}", "-pthread"], check=True)

    def run_it(self, *words):
        return subprocess.run([str(COWARP), "cuda", *map(str, words)], capture_output=True, text=True, timeout=300, cwd=self.folder)

    def check(self, *words, status=0):
        done = self.run_it(*words)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done


class Programs(Case):
    def test_debugger_goes_back_in_the_program_too(self):
        """The program launches `add` twice, and checks what it has computed: its status is 0 when memory and its own variables have gone back."""
        self.program(fatbin.image(KERNELS))
        (self.folder / "script").write_text("break add\ncontinue\ncontinue\nreverse-continue\ncontinue\ndelete\ncontinue\ncontinue\n")
        done = subprocess.run([str(COWARP), "debug", "-x", "script", "--batch", "cuda", "--", "./program", "variables"], capture_output=True, text=True,
                              timeout=300, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        launches = [line for line in done.stdout.splitlines() if line.startswith("cycle") and ", add, " in line]
        cycles = [int(line.split()[1].rstrip(",")) for line in launches]
        self.assertEqual(len(cycles), 4, done.stdout)
        self.assertEqual((cycles[0], cycles[1]), (cycles[2], cycles[3]))
        self.assertLess(cycles[0], cycles[1])

    def test_each_packing_runs(self):
        for packing in ("plain", "lz4", "zstd"):
            with self.subTest(packing):
                self.program(fatbin.image(KERNELS, packing))
                self.assertIn("simulated", self.check("--", "./program").stderr)

    def test_each_version_of_the_runtime_is_there(self):
        for runtime in ("11", "12", "13"):
            with self.subTest(runtime):
                self.program(fatbin.image(KERNELS), runtime=runtime)
                versions = subprocess.run(["readelf", "-V", self.folder / "program"], capture_output=True, text=True, check=True).stdout
                self.assertIn("libcudart.so." + runtime, versions)
                self.check("--", "./program")

    def test_what_the_runtime_does(self):
        self.program(fatbin.image(KERNELS, "zstd"))
        for what in ("variables", "arguments", "copies", "times", "threads"):
            with self.subTest(what):
                self.check("--quiet", "--", "./program", what)
        self.program(fatbin.image(KERNELS), source="calls.c")
        self.assertIn("1 launch has failed", self.check("--", "./program").stderr)  # the cooperative one that is too large

    def test_what_the_driver_does(self):
        """Without a runtime: PTX text, a fatbinary and a file are loaded by calls."""
        (self.folder / "k.fatbin").write_bytes(fatbin.container(fatbin.image(KERNELS, "zstd")))
        subprocess.run(["cc", "-std=gnu11", f'-DFATBIN="{self.folder}/k.fatbin"', str(SOURCE / "tests/cuda/driver.c"), "-o", str(self.folder / "program"),
                        str(CUDA / "libcuda.so.1"), f"-Wl,-rpath-link,{CUDA}"], check=True)
        done = self.check("--", "./program", SOURCE / "tests/cuda/kernels.ptx")  # launches have failed that should
        self.assertNotRegex(done.stderr, r"line \d+: ")
        self.assertIn("preset rtx2080ti: the program has not said yet what its kernels need", done.stderr)
        self.assertIn("launches have failed", done.stderr)

    def test_what_graphs_do(self):
        self.program(fatbin.image(KERNELS), source="graphs.c")
        self.check("--", "./program")

    def test_streams_run_side_by_side(self):
        self.program(fatbin.image(OVERLAP), source="overlap.c")
        for words, what in (([], []), (["--set", "gpu.kernels=1"], ["apart"]), (["--set", "gpu.queues=8"], ["queues"]), ([], ["waits"]),
                            (["--functional"], ["waits"]),
                            (["--profile", "p.txt"], ["apart"])):
            with self.subTest(what):
                self.assertNotRegex(self.check("--preset", "getm", *words, "--", "./program", *what).stderr, r"line \d+: ")
        done = self.run_it("--preset", "getm", "--", "./program", "fails")
        self.assertNotRegex(done.stderr, r"line \d+: ")
        self.assertIn("launch of work failed: kernel work: program#1.ptx:", done.stderr)

    def test_statistics_of_streams(self):
        """Kernels side by side have what their cores counted; the rest is nobody's alone. Together that is all."""
        self.program(fatbin.image(OVERLAP), source="overlap.c")
        self.check("--preset", "getm", "--stats", "s.json", "--per", "launch", "--", "./program", "pair")
        stats = json.loads((self.folder / "s.json").read_text())
        rows = stats["per_launch"]
        self.assertEqual(len(rows), 4)  # one alone; two; and what those share
        self.assertEqual(len({row["stream"] for row in rows[1:3]}), 2)
        self.assertEqual(rows[1]["counters"]["thread_instructions"], rows[0]["counters"]["thread_instructions"])
        self.assertEqual(rows[2]["counters"]["thread_instructions"], rows[0]["counters"]["thread_instructions"])
        self.assertNotIn("thread_instructions", rows[3]["counters"])
        for name in ("thread_instructions", "warp_instructions", "l2_reads", "l2_writes"):
            self.assertEqual(sum(row["counters"].get(name, 0) for row in rows), stats["counters"][name]["value"], name)

    def test_what_textures_do(self):
        """Instructions of textures become calls; the rest of the text keeps its lines, and a form that is not there is named by its own."""
        self.program(fatbin.image(TEXTURES, "lz4"), source="textures.c")
        done = self.check("--", "./program", status=1)
        self.assertNotRegex(done.stderr, r"line \d+: ")
        line = 1 + TEXTURES[:TEXTURES.index("tex.cube")].count("\n")
        self.assertIn(f"kernel cube cannot run: program#1.ptx:{line}:", done.stderr)

    def libraries(self, source, cublas, cufft):
        subprocess.run(["cc", "-std=gnu11", "-O1", str(SOURCE / "tests/cuda" / source), "-o", str(self.folder / "program"), str(CUDA / f"libcublas.so.{cublas}"),
                        str(CUDA / f"libcufft.so.{cufft}"), str(CUDA / "libcurand.so.10"), str(CUDA / "libcudart.so.12"), "-lm",
                        f"-Wl,-rpath-link,{CUDA}"], check=True)

    def test_what_libraries_do(self):
        for cublas, cufft in ((11, 10), (12, 11), (13, 12)):
            with self.subTest(cublas):
                self.libraries("libraries.c", cublas, cufft)
                done = self.check("--", "./program")
                self.assertNotRegex(done.stderr, r"line \d+: ")
                self.assertEqual(done.stderr.count("cuBLAS: the host computes it"), 1)
        done = self.check("--libraries", "refuse", "--", "./program", "refused")
        self.assertNotRegex(done.stderr, r"line \d+: ")
        self.assertIn("cuFFT: refused", done.stderr)
        self.libraries("blas.c", 12, 11)
        done = self.check("--", "./program")
        self.assertNotRegex(done.stderr, r"line \d+: ")
        self.assertEqual(done.stderr.count("cuRAND's generator MTGP32 is not there"), 1)

    def test_machine_code_of_nvrtc_is_its_ptx(self):
        """The compiler is one that gives both; the program asks for machine code, and what comes is put out."""
        (self.folder / "nvrtc.c").write_text("""#include <string.h>
            int nvrtcGetPTXSize(void *p, unsigned long *n) { *n = p ? 4 : 0; return 0; }
            int nvrtcGetPTX(void *p, char *to) { memcpy(to, "PTX", 4); return p == 0; }
            int nvrtcGetCUBINSize(void *p, unsigned long *n) { *n = 6; return 0; }
            int nvrtcGetCUBIN(void *p, char *to) { memcpy(to, "CUBIN", 6); return 0; }""")
        (self.folder / "k.c").write_text("""#include <stdio.h>
            extern int nvrtcGetCUBINSize(void *, unsigned long *), nvrtcGetCUBIN(void *, char *), cudaFree(void *);
            int main(void) { char text[8]; unsigned long n, bad = 0;
                for (int i = 0; i < 2; i++) { /* the second program has no PTX */
                    void *p = i == 0 ? (void *)text : 0;
                    bad += nvrtcGetCUBINSize(p, &n) + nvrtcGetCUBIN(p, text); printf("%s %lu ", text, n); }
                return bad + cudaFree(0); }""")
        subprocess.run(["cc", "-w", "-shared", "-fPIC", "nvrtc.c", "-o", "libnvrtc.so.13", "-Wl,-soname,libnvrtc.so.13"], check=True, cwd=self.folder)
        subprocess.run(["cc", "-w", "k.c", "-o", "k", "./libnvrtc.so.13", "-Wl,-rpath,$ORIGIN", str(CUDA / "libcudart.so.12"), f"-Wl,-rpath-link,{CUDA}"],
                       check=True, cwd=self.folder)
        self.assertEqual(self.check("--", "./k").stdout, "PTX 4 CUBIN 6 ")

    def test_a_function_of_a_library_that_is_not_there_is_named(self):
        (self.folder / "its.c").write_text("int cublasZhpr_v2(void) { return 0; }\n")  # whose real library the program was linked to
        (self.folder / "k.c").write_text("extern int cublasZhpr_v2(void), cudaFree(void *);\nint main(void) { return cublasZhpr_v2() + cudaFree(0); }\n")
        subprocess.run(["cc", "-shared", "-fPIC", "its.c", "-o", "libits.so"], check=True, cwd=self.folder)
        subprocess.run(["cc", "k.c", "-o", "k", "./libits.so", str(CUDA / "libcudart.so.12"), f"-Wl,-rpath-link,{CUDA}"], check=True, cwd=self.folder)
        self.assertIn("calls 1 function of libraries that is not there; a call ends the program: cublasZhpr_v2", self.check("--", "./k").stderr)

    def test_errors_of_calls(self):
        self.program(fatbin.image(KERNELS))
        done = self.check("--", "./program", "errors")  # launches have failed, as on a card, and the program was content
        self.assertIn("launches have failed", done.stderr)
        self.assertIn("./program calls 1 function that is not there", done.stderr)
        self.assertIn("cudaMallocMipmappedArray is not there", done.stderr)

    def test_errors_of_kernels_stay(self):
        self.program(fatbin.image(KERNELS))
        for what, words in (("outside", "is outside"), ("misaligned", "misaligned")):
            with self.subTest(what):
                done = self.check("--", "./program", what)
                self.assertIn("launch of poke failed", done.stderr)
                self.assertRegex(done.stderr, r"program#1\.ptx:\d+")
                self.assertIn("1 launch has failed", done.stderr)

    def test_exit_status_is_the_programs(self):
        self.program(fatbin.image(KERNELS))
        self.check("--", "./program", "7", status=7)

    def test_a_signal_to_the_command_ends_the_program(self):
        (self.folder / "waits").write_text("#!/bin/sh\necho $$\nexec sleep 100\n")
        (self.folder / "waits").chmod(0o755)
        for number in (signal.SIGTERM, signal.SIGHUP):
            command = subprocess.Popen([str(COWARP), "cuda", "--quiet", "--", "./waits"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            program = int(command.stdout.readline())
            command.send_signal(number)
            said = command.communicate(timeout=60)[1]
            self.assertEqual(command.returncode, 128 + number, said)
            self.assertIn(f"ended by signal {int(number)}", said)
            self.assertRaises(ProcessLookupError, os.kill, program, 0)
        command = subprocess.Popen([str(COWARP), "cuda", "--quiet", "--", "./waits"], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        program = int(command.stdout.readline())
        command.kill()  # as a time limit does
        command.communicate(timeout=60)
        for _ in range(100):
            if not pathlib.Path(f"/proc/{program}").exists() or "State:\tZ" in pathlib.Path(f"/proc/{program}/status").read_text():
                break
            time.sleep(0.1)
        else:
            self.fail("the program outlives the command")

    def test_a_fork_writes_no_second_file(self):
        self.program(fatbin.image(KERNELS))
        self.check("--stats", "s.json", "--", "./program", "forks")
        self.assertEqual(len(json.loads((self.folder / "s.json").read_text())["manifest"]["launches"]), 1)

    def test_options_apply_and_statistics_have_each_launch(self):
        self.program(fatbin.image(KERNELS))
        self.check("--preset", "gtx480", "--set", "core.count=3", "--stats", "s.json", "--per", "launch", "--", "./program", "variables")
        stats = json.loads((self.folder / "s.json").read_text())
        self.assertEqual(stats["preset"], "gtx480")
        launches = stats["per_launch"]
        self.assertEqual([row["kernel"] for row in launches], ["add", "add"])
        self.assertEqual(sum(row["counters"]["thread_instructions"] for row in launches), stats["thread_instructions"])

    def test_waves_and_timelines_are_written(self):
        self.program(fatbin.image(KERNELS))
        self.check("--wave", "w.fst", "--timeline", "t.json", "--profile", "p.txt", "--", "./program")
        self.assertIn("add", (self.folder / "p.txt").read_text())
        self.assertGreater((self.folder / "w.fst").stat().st_size, 1000)
        self.assertTrue(json.loads((self.folder / "t.json").read_text()))

    def test_cycles_are_those_of_exec(self):
        """The same kernel with the same bytes at the same addresses takes the same time."""
        self.program(fatbin.image(KERNELS))
        self.check("--preset", "getm", "--stats", "s.json", "--redzone", "0", "--", "./program")
        (self.folder / "k.ptx").write_text(KERNELS)
        subprocess.run([COWARP, "exec", "k.ptx", "--kernel", "add", "--grid", "8", "--block", "128", *["--arg=zero:4000"] * 3, "--arg=u32:1000",
                        "--redzone", "0", "--stats", "e.json"], check=True, cwd=self.folder, capture_output=True)
        ours, theirs = (json.loads((self.folder / name).read_text())["cycles"] for name in ("s.json", "e.json"))
        self.assertEqual(ours, theirs)

    def test_the_preset_fits_the_kernels(self):
        self.program(fatbin.image(SHARED.replace("sm_75", "sm_20"), architecture=20))
        done = self.check("--", "./program", "big")
        self.assertIn("preset gtx480: a kernel of program#1.ptx has 20000 bytes of shared memory", done.stderr)
        done = self.check("--preset", "getm", "--", "./program", "big", status=1)
        self.assertIn("a block needs 20000 bytes of shared memory, a core has 16384 (core.shared_bytes); --preset NAME", done.stderr)

    def test_the_preset_fits_the_architecture(self):
        """A program that was compiled for a newer core gets one; the older machines remain for those that ask."""
        for architecture, preset, before in ((20, "getm", None), (70, "titanv", 20), (75, "rtx2080ti", 70), (80, "rtx4070", 75), (89, "rtx4070", 75), (90, "h100", 89)):
            with self.subTest(architecture):
                self.program(fatbin.image(KERNELS.replace("sm_75", f"sm_{architecture}"), architecture=architecture))
                done = self.check("--", "./program")
                self.assertIn(f"preset {preset}\n", done.stderr)
                self.assertEqual("older machines" in done.stderr, before is not None)
                self.assertIn(f"preset {preset}: the PTX of program#1.ptx is for sm_{architecture}, and older machines are of sm_{before}" if before else "", done.stderr)

    def test_launches_without_time(self):
        """Two launches: without time, and with the second of them in time."""
        self.program(fatbin.image(KERNELS))
        done = self.check("--functional", "--stats", "s.json", "--", "./program", "variables")
        self.assertIn("2 launches without time", done.stderr)
        self.assertEqual(json.loads((self.folder / "s.json").read_text())["cycles"], 0)
        self.check("--launches", "1:2", "--stats", "s.json", "--per", "launch", "--", "./program", "variables")
        stats = json.loads((self.folder / "s.json").read_text())
        self.assertEqual((stats["counters"]["functional_launches"]["value"], [row["cycles"] > 0 for row in stats["per_launch"]]), (1, [False, True]))

    def test_a_block_that_no_core_holds(self):
        self.program(fatbin.image(KERNELS))
        done = self.check("--set", "core.warps=2", "--", "./program", "room", status=1)
        self.assertIn("a core has no room for a block of 128 threads", done.stderr)

    def test_what_cannot_run_says_so(self):
        self.program(fatbin.image(b"\177ELF" + bytes(60), kind=fatbin.CODE, architecture=90))
        self.assertIn("code=compute_90", self.run_it("--", "./program").stderr)
        self.program(fatbin.image(KERNELS, "zstd")[:-8] + bytes(8))
        self.assertIn("damaged", self.run_it("--", "./program").stderr)
        self.program(fatbin.image("this is no PTX"))
        self.assertIn("program#1.ptx:1", self.run_it("--", "./program").stderr)


class Command(Case):
    def test_wrong_requests(self):
        self.program(fatbin.image(KERNELS))
        for words, message in ((["--set", "core.cuont=3", "--", "./program"], "did you mean 'core.count'?"),
                               (["--", "./nowhere"], "./nowhere: No such file"),
                               (["--presett", "getm", "--", "./program"], "did you mean '--preset'?"),
                               (["--check", "memory,rice", "--", "./program"], "check 'rice': unknown"),
                               (["--check", "memory", "--estimate", "5%", "--", "./program"], "an estimate leaves out parts"),
                               (["--functions", "./program"], "leave './program' out"),
                               ([], "cuda needs a program")):
            with self.subTest(words):
                done = self.check(*words, status=2)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_machine_that_cannot_be_made(self):
        """The program meets it, and the exit status says whose fault it is."""
        self.program(fatbin.image(KERNELS))
        self.assertIn("unit commit_unit: getm has none", self.check("--system", "getm", "--unit", "commit_unit=rtl", "--", "./program", status=2).stderr)

    def test_a_static_runtime_is_told(self):
        (self.folder / "k.c").write_text('__attribute__((section(".nv_fatbin"))) const char data[16] = "x";\nint main(void) { return 0; }\n')
        subprocess.run(["cc", "k.c", "-o", "k"], check=True, cwd=self.folder)
        done = self.check("--", "./k", status=2)
        self.assertIn("-cudart shared", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_program_without_cuda(self):
        self.assertIn("nothing was simulated", self.check("--", "true").stderr)


class Exec(Case):
    def exec(self, *words, status=0):
        done = subprocess.run([str(COWARP), "exec", *words], capture_output=True, text=True, timeout=300, cwd=self.folder)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def write(self, data, name="k"):
        (self.folder / name).write_bytes(data)


class Files(Exec):
    """cowarp exec takes what nvcc makes."""

    def test_each_form_runs(self):
        plain, packed = fatbin.container(fatbin.image(SHARED)), fatbin.container(fatbin.image(KERNELS, "zstd"))
        forms = {"fatbinary": packed, "object": fatbin.object_file(plain + bytes(-len(plain) % 8) + packed),
                 "linked later": fatbin.object_file(packed, b"__nv_relfatbin")}
        for form, data in forms.items():
            with self.subTest(form):
                self.write(data)
                self.exec("k", "--kernel", "take", "--grid", "1", "--block", "1", "--arg", "out:o:12", "--arg", "bytes:twelve")
                self.assertEqual((self.folder / "o").read_bytes(), b"abcdefghijkl")

    def test_a_script_loads_all_of_a_file(self):
        first, second = fatbin.container(fatbin.image(KERNELS, "lz4")), fatbin.container(fatbin.image(SHARED))
        self.write(fatbin.object_file(first + bytes(-len(first) % 8) + second))
        (self.folder / "s.txt").write_text("load k\nalloc o 4\nlaunch big grid 1 block 1 args o\nlaunch poke grid 1 block 1 args o\n")
        self.exec("--script", "s.txt", "--preset", "gtx480")

    def test_the_list_has_the_kernels(self):
        self.write(fatbin.container(fatbin.image(KERNELS, "zstd")))
        lines = [line.strip() for line in self.exec("k", "--list").stdout.splitlines()]
        self.assertEqual(lines, ["k#1.ptx", "add", "a: u64", "b: u64", "c: u64", "n: u32", "poke", "at: u64", "take", "out: u64", "s: bytes, 12"])

    def test_what_is_damaged_or_without_ptx_is_refused_in_a_line(self):
        whole = fatbin.container(fatbin.image(KERNELS, "zstd"))
        code = fatbin.container(fatbin.image(b"\x7fELF" + bytes(60), kind=fatbin.CODE, architecture=90))
        long = fatbin.container(fatbin.image(KERNELS))
        for data, words in ((whole[:-8], "says it has"), (whole[:100], "says it has"), (whole[:10], "cut off"),
                            (whole[:-40] + bytes(40), "damaged"), (code, "code=compute_90"),
                            (whole[:32] + b"\xff\xff\xff\0" + whole[36:], "a fatbinary with an image of"), (long[:4] + b"\2" + long[5:], "version 2"),
                            (fatbin.object_file(whole)[:-1], "ELF file that is damaged"), (fatbin.object_file(whole, b".text"), "has no fatbinary"),
                            (fatbin.container(), "without any image")):
            with self.subTest(words):
                self.write(data)
                done = self.exec("k", "--kernel", "add", "--grid", "1", "--block", "1", status=2)
                self.assertIn(words, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def setUp(self):
        super().setUp()
        self.write(b"abcdefghijkl", "twelve")


HEAD = ".version 7.0\n.target sm_75\n.address_size 64\n"
RUN = ".visible .entry {0}(.param .u64 to)\n{{\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\nld.param.u64 %d1, [to];\n{1}\nst.global.u32 [%d1], %r1;\nret;\n}}\n"
FUNCTION = "{0} .func (.param .b32 r) {1}()\n{{\n.reg .b32 %r<9>;\n{2}\nst.param.b32 [r], %r1;\nret;\n}}\n"
CALL = "call (%r1), {0}, ();"


class Linked(Exec):
    """Files that were compiled with -rdc=true. Which definition counts is nvlink's rule (CUDA C++ Programming Guide, separate compilation)."""

    def link(self, *texts):
        units = [fatbin.container(text if isinstance(text, bytes) else fatbin.image(HEAD + text, "zstd")) for text in texts]
        self.write(fatbin.object_file(b"".join(unit + bytes(-len(unit) % 8) for unit in units), b"__nv_relfatbin"))

    def value(self, kernel="k"):
        self.exec("k", "--kernel", kernel, "--grid", "1", "--block", "1", "--arg", "out:o:4")
        return int.from_bytes((self.folder / "o").read_bytes(), "little")

    def test_a_program_of_several_files(self):
        """The variables of program.c in one file, its kernels in another; the toolkit's library has PTX for a newer device only."""
        variables = re.search(r"(\.visible \.(global|const).*\n)+", KERNELS)[0]
        kernels = KERNELS.replace(variables, re.sub(r"\.visible(.*?)( = .*)?;", r".extern\1;", variables))
        library = fatbin.image("this is for others", architecture=121)
        self.program(units=[fatbin.container(fatbin.image(part, packing, 75)) for part, packing in ((kernels, "zstd"), (HEAD + variables, "plain"))]
                     + [fatbin.container(library)])
        for what in ("variables", "arguments"):
            with self.subTest(what):
                self.check("--quiet", "--", "./program", what)
        code = fatbin.container(fatbin.image(b"\177ELF" + bytes(60), kind=fatbin.CODE, architecture=90))
        self.program(units=[fatbin.container(fatbin.image(HEAD + variables)), code])
        self.assertIn("code=compute_90", self.run_it("--", "./program").stderr)

    def test_functions_and_variables_of_others(self):
        self.link(".extern .func (.param .b32 r) six();\n.extern .global .align 8 .b8 table[16];\n"
                  + RUN.format("k", CALL.format("six")) + RUN.format("k2", "ld.global.u32 %r1, [table+4];")
                  + RUN.format("k3", "ld.global.u64 %d2, [table+8]; p: .callprototype (.param .b32 _) _ (); call (%r1), %d2, (), p;"),
                  FUNCTION.format(".visible", "six", "mov.u32 %r1, 6;") + ".visible .global .align 8 .u64 table[2] = {0x700000000, six};\n")
        self.assertEqual([self.value(k) for k in ("k", "k2", "k3")], [6, 7, 6])

    def test_each_file_has_its_own_names(self):
        """Variables, functions, declarations before the body, and numbers of source files; a register and a label of that name stay."""
        def file(kernel, value, own):
            return (f'.file 1 "{kernel}.cu"\n.global .align 4 .u32 {own} = {value};\n.func (.param .b32 r) f();\n'
                    + FUNCTION.format("", "f", f"ld.global.u32 %r1, [{own}]; add.u32 %r1, %r1, 1;")
                    + RUN.format(kernel, CALL.format("f") + f".loc 1 5 0\n.reg .b32 %{own}; bra $skip; $skip: mov.u32 %{own}, %r1;"))
        for own in ("$str", "own"):
            self.link(file("a", 10, own), file("b", 20, own), file("c", 30, own))
            self.assertEqual([self.value(k) for k in "abc"], [11, 21, 31])

    def test_a_source_file_is_the_units(self):
        """The second file's number 1 is not the first one's: a fault names its own source."""
        self.link('.file 1 "first.cu"\n' + RUN.format("a", ".loc 1 5 0\nmov.u32 %r1, 1;"), '.file 1 "second.cu"\n' + RUN.format("b", ".loc 1 7 0\nld.global.u32 %r1, [%d1+2];"))
        self.assertIn("second.cu:7", self.exec("k", "--kernel", "b", "--grid", "1", "--block", "1", "--arg", "out:o:4", "--check", "memory", status=1).stderr)

    def test_what_all_see_hides_no_own_name(self):
        """A name that one file shows to all, and another one has for itself."""
        self.link(".visible .global .align 4 .u32 n = 1;\n" + RUN.format("a", "ld.global.u32 %r1, [n];"),
                  ".global .align 4 .u32 n = 2;\n" + RUN.format("b", "ld.global.u32 %r1, [n];"),
                  ".extern .global .align 4 .u32 n;\n" + RUN.format("c", "ld.global.u32 %r1, [n];"))
        self.assertEqual([self.value(k) for k in "abc"], [1, 2, 1])

    def test_of_weak_names_one_remains(self):
        def weak(name, value, linkage=".weak"):
            return FUNCTION.format(linkage, "f", f"mov.u32 %r1, {value};") + f"{linkage} .global .align 4 .u32 v = {value};\n" + RUN.format(name, CALL.format("f") + "ld.global.u32 %r2, [v]; add.u32 %r1, %r1, %r2;")
        self.link(weak("a", 1), weak("b", 2))
        self.assertEqual([self.value(k) for k in "ab"], [2, 2])  # the first
        self.link(weak("a", 1), weak("b", 2, ".visible"), weak("c", 3))
        self.assertEqual([self.value(k) for k in "abc"], [4, 4, 4])  # the one that is not weak, wherever it stands
        self.link(*(f".common .global .align 4 .b8 v[{4 * n}];\n" + RUN.format(f"k{n}", f"mov.u32 %r2, {n}; st.global.u32 [v+{4 * n - 4}], %r2; ld.global.u32 %r1, [v+{4 * n - 4}];")
                    for n in (1, 3, 2)))
        self.assertEqual([self.value(f"k{n}") for n in (1, 2, 3)], [1, 2, 3])  # the largest, without a fault

    def test_what_cannot_be_linked_says_why(self):
        f = FUNCTION.format(".visible", "f", "mov.u32 %r1, 1;")
        v = ".visible .global .align 4 .b8 v[16] = {1};\n"
        for texts, message in (((f, f), "k#1.ptx, file 2: f is defined in k#1.ptx, file 1 as well"), ((v, "", v), "file 3: v is defined in k#1.ptx, file 1"),
                               ((v, ".extern .global .align 4 .b8 v[12];\n"), "file 2: v has 12 bytes, and 16 in k#1.ptx, file 1")):
            with self.subTest(message):
                self.link(*texts)
                done = self.exec("k", "--kernel", "k", "--grid", "1", "--block", "1", status=2)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_what_nobody_defines_refuses_its_kernel(self):
        """As a launch by a kernel does; the other kernels run."""
        launch = ".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
        self.link(launch + RUN.format("parent", "call (%r1), cudaLaunchDeviceV2, (%d1, %d1);") + RUN.format("k", "mov.u32 %r1, 3;"), RUN.format("k2", "mov.u32 %r1, 4;"))
        self.assertEqual([self.value(k) for k in ("k", "k2")], [3, 4])
        done = self.exec("k", "--kernel", "parent", "--grid", "1", "--block", "1", "--arg", "out:o:4", status=2)
        self.assertRegex(done.stderr, "parent.*cudaLaunchDeviceV2")


def compare_rows(path):
    return list(csv.DictReader(line for line in path.read_text().splitlines() if not line.startswith("#")))


class Peers(Case):
    """experiments/peers: programs that a user has built, with the words by which each says that it was right."""

    def test_a_campaign(self):
        self.program(fatbin.image(KERNELS))
        for name in ("well", "silent", "often", "bad"):
            shutil.copy(self.folder / "program", self.folder / name)
        (self.folder / "p.csv").write_text("suite,program,arguments,options,inputs,launches,says,never\nown,well,variables,--set core.count=2,,2,simulated|functional,wrong\n"
                                           "own,silent,variables,,,2,never said,\nown,often,variables,,,3,,\nown,bad,7,,,,,\nown,gone,,,,,,\n"
                                           "own,refused,,,,,,\nown,waived,,,,,,\n")
        for name, script in (("refused", "echo 'cowarp: cudaIpcX is not there; it answers' >&2; exit 1"), ("waived", "echo Two devices are needed; exit 2")):
            (self.folder / name).write_text(f"#!/bin/sh\n{script}\n")
            (self.folder / name).chmod(0o755)
        campaign = [sys.executable, SOURCE / "experiments/peers/campaign.py", self.folder, "--cowarp", os.path.join(os.curdir, os.path.relpath(COWARP)), "--programs", self.folder / "p.csv"]
        done = subprocess.run([*campaign, "--table", self.folder / "t.csv"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 1, done.stderr)
        table = (self.folder / "t.csv").read_text()
        for row in ("own,well,right,2,", "own,silent,wrong: does not say never said,2,", "own,often,\"wrong: 2 launches, not 3\",2,", "own,bad,wrong: status 7",
                    "own,refused,refused: cudaIpcX is not there; it answers,", "own,waived,waived: Two devices are needed,"):
            self.assertIn(row, table)
        self.assertIn("6 programs, 3 of them wrong or without an end; 1 are not in", done.stdout)
        done = subprocess.run([*campaign, "--only", "well", "--timed"], capture_output=True, text=True, timeout=300)
        self.assertRegex(done.stdout, r"own  well  right  2  [1-9]\d+  ")
        self.assertEqual(done.returncode, 0)

    def figures(self, **changes):
        """gpgpusim.csv of the program's kernel add: half of the cycles that it takes, the rest as it is, but for the changes."""
        self.check("--preset", "gpgpusim-gtx480", "--registers", 20, "--per", "launch", "--stats", self.folder / "s.json", "--", "./program", "variables")
        launches = json.loads((self.folder / "s.json").read_text())["per_launch"]
        self.cycles = sum(launch["cycles"] for launch in launches)
        row = {"suite": "own", "program": "program", "arguments": "variables", "options": "", "inputs": "", "kernel": "add", "registers": 20, "launches": 2,
               "cycles": self.cycles // 2, "thread_instructions": sum(launch["counters"]["thread_instructions"] for launch in launches)} | changes
        (self.folder / "k.csv").write_text("# where they are from\n" + ",".join(row) + "\n" + ",".join(map(str, row.values())) + "\n")
        compare = [sys.executable, SOURCE / "experiments/peers/compare.py", self.folder, "--cowarp", COWARP, "--kernels", self.folder / "k.csv", "--table", self.folder / "t.md"]
        return subprocess.run(compare, capture_output=True, text=True, timeout=300)

    def test_a_comparison(self):
        self.program(fatbin.image(KERNELS))
        done = self.figures()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"1 kernels: .* mean absolute error of cycles (100\.0|99\.9|100\.1) percent, geometric mean (2\.000|1\.999|2\.001)")
        self.assertIn(f"| program | 2 | {self.cycles // 2} | 2.00 |", (self.folder / "t.md").read_text())
        done = self.figures(launches=3)
        self.assertEqual(done.returncode, 1)
        self.assertIn("program: add was launched 2 times, not 3", done.stdout)
        done = self.figures(thread_instructions=1000)
        self.assertEqual(done.returncode, 0)
        self.assertIn("thread instructions, not 1000: it is made of other PTX, or has another input", done.stdout)
        self.assertIn("0 kernels compared", done.stdout)
        done = self.figures(arguments="9")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"program: status \d+: ")

    def test_a_card(self):
        """Half and a quarter of a card's cycles: they are 50 and 75 percent off, in the mean 62.5."""
        self.program(fatbin.image(KERNELS))
        self.check("--preset", "qv100", "--stats", self.folder / "s.json", "--", "./program", "variables")
        cycles = json.loads((self.folder / "s.json").read_text())["cycles"]
        (self.folder / "v.csv").write_text("# where they are from\nsuite,program,arguments,built,inputs,card_cycles,accelsim_cycles,cowarp_cycles\n"
                                           + "".join(f"own,program,variables{more},,,{cycles * times},{cycles * times},\n" for more, times in (("", 2), (" x", 4)))
                                           + "own,gone,,,,1,1,7\n")
        card = [sys.executable, SOURCE / "experiments/peers/card.py", self.folder, "--cowarp", COWARP, "--rows", self.folder / "v.csv"]
        done = subprocess.run([*card, "--table", self.folder / "v.csv"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"| program variables | {cycles * 2} | 0.50 | 1.00 |\n| program variables | {cycles * 4} | 0.25 | 1.00 |", done.stdout)
        self.assertIn("2 programs: mean error 62.5 percent (Accel-Sim 0.0); 0 failed, 1 are not in", done.stdout)
        table = (self.folder / "v.csv").read_text()
        self.assertTrue(table.startswith("# where they are from\n"))
        self.assertIn(f"own,program,variables,,,{cycles * 2},{cycles * 2},{cycles}\n", table)
        self.assertIn("own,gone,,,,1,1,7\n", table)
        done = subprocess.run([*card, "--options=--max-cycles 1"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 1)
        self.assertIn("program variables: status ", done.stderr)

    def test_kernels_move_together(self):
        """The correlation, by its definition: of a line it is 1, of a falling one -1, and of (1, 2, 3) with (1, 3, 2) 1/2."""
        sys.path.insert(0, str(SOURCE / "experiments/peers"))
        import compare
        for b, want in (((2, 4, 6), 1), ((3, 2, 1), -1), ((1, 3, 2), 0.5)):
            self.assertAlmostEqual(compare.correlation((1, 2, 3), b), want)

    def test_the_figures(self):
        listed = compare_rows(SOURCE / "experiments/peers/gpgpusim.csv")
        self.assertGreaterEqual(len({(row["suite"], row["program"]) for row in listed}), 12)
        self.assertEqual(len({(row["program"], row["arguments"], row["kernel"]) for row in listed}), len(listed))
        for row in listed:
            self.assertNotIn(None, row.values())
            self.assertLess(0, min(int(row[number]) for number in ("registers", "launches", "cycles", "thread_instructions")))

    def test_the_programs(self):
        rows = list(csv.DictReader((SOURCE / "experiments/peers/programs.csv").read_text().splitlines()))
        self.assertEqual(len({row["program"] for row in rows}), len(rows))
        for row in rows:
            re.compile(row["says"]), re.compile(row["never"])
            self.assertNotIn(None, row)


class Table(unittest.TestCase):
    """harness/cuda/functions.txt, from which the missing functions, the symbols and the list of `cowarp cuda --functions` are made."""

    def setUp(self):
        self.rows = [line.split() for line in (SOURCE / "harness/cuda/functions.txt").read_text().splitlines() if line and line[0] not in "#["]
        self.there = {name for name, state, *_ in self.rows if state == "there"}

    def test_each_function_that_is_there_is_called_by_a_test(self):
        text = "".join(path.read_text() for path in (SOURCE / "tests/cuda").rglob("*.[ch]*"))
        text += subprocess.run(["cc", "-E", SOURCE / "tests/cuda/blas.c"], capture_output=True, text=True, check=True).stdout  # names that macros make
        calls = set(re.findall(r"\b(\w+)\(", text)) | {"__cudaRegisterTexture", "__cudaRegisterSurface"}  # which do nothing
        self.assertEqual(self.there - calls, set())

    def test_each_name_is_exported(self):
        exported = set()
        for library in ("libcudart.so.13", "libcuda.so.1", "libcublas.so.13", "libcurand.so.10", "libcufft.so.12"):
            out = subprocess.run(["nm", "-D", "--defined-only", CUDA / library], capture_output=True, text=True, check=True).stdout
            exported |= {line.split()[-1].split("@")[0] for line in out.splitlines()}
        self.assertEqual({row[0] for row in self.rows} - exported, set())

    def test_the_command_has_the_list(self):
        told = subprocess.run([CUDA.parent / "cowarp", "cuda", "--functions"], capture_output=True, text=True, check=True).stdout
        listed = {line.strip() for line in told.splitlines() if line.startswith(" ")}
        self.assertEqual(listed, {name for name in self.there if not name.startswith("__") and not re.search(r"_pt[ds][sz]$", name)})


class Nvcc(Case):
    """The programs compare their results with the host's, and end with 0 when all is right."""

    def test_programs(self):
        nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
        programs = sorted(glob.glob(str(SOURCE / "tests/cuda/nvcc/*.cu")))
        self.assertGreater(len(programs), 11)
        if nvcc is None:
            self.skipTest(f"no nvcc: {len(programs)} programs were not compiled and not run")
        for path in programs + [str(path) for path in (SOURCE / "tests/cuda/nvcc").iterdir() if path.is_dir()]:  # a folder's files are linked
            with self.subTest(pathlib.Path(path).stem):
                target = str(self.folder / pathlib.Path(path).stem)
                files = ["-rdc=true", *glob.glob(path + "/*.cu")] if os.path.isdir(path) else [path]
                subprocess.run([nvcc, "-cudart", "shared", "-o", target, *files], check=True, capture_output=True,
                               env={**os.environ, "TMPDIR": str(self.folder)})
                done = self.check("--", target)
                self.assertIn("PASS", done.stdout)
                if target.endswith("streams"):
                    self.streams(target)

    def streams(self, target):
        """What the program has between its two kernels: nothing, something else, or what orders them."""
        for how, racy in [("", False), *((str(i), False) for i in range(1, 8)), ("0", True), *((str(i), True) for i in range(11, 15))]:
            done = self.run_it("--functional", "--check", "race", "--", target, *([how] if how else []))
            self.assertEqual((done.returncode, " of another stream has written it at line " in done.stderr), (int(racy), racy), (how, done.stderr))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
