#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package against numpy and against what the library documents: gpu_test.py SOURCE LIBRARY [unittest arguments]."""
import contextlib
import inspect
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
os.environ["COWARP_LIBRARY"] = sys.argv[2]
sys.path.insert(0, str(SOURCE / "python"))

import numpy  # noqa: E402

import cowarp  # noqa: E402

KERNELS, OTHERS = SOURCE / "tests/python/kernels.ptx", SOURCE / "tests/ptx_exec/kernels.ptx"
ENDLESS = {"watchdog__livelock_cycles": 4000000000}  # a kernel that spins is not stopped


class Test(unittest.TestCase):
    def gpu(self, path=KERNELS, **options):
        gpu = cowarp.Gpu(**{"core__count": 2, **options})
        self.addCleanup(gpu._destroy)
        self.module = gpu.load(path) if path is not None else None
        return gpu


class Results(Test):
    def test_arrays_against_numpy(self):
        gpu, rng = self.gpu(), numpy.random.default_rng(1)
        x, y = rng.random(1000, numpy.float32), rng.random(1000, numpy.float32)
        # 2.5 x is exact in 64 bits, so one rounding at the end is that of the fused operation
        wanted = (2.5 * x.astype(numpy.float64) + y).astype(numpy.float32)
        before = x.copy()
        cycles = gpu.run(self.module.kernels["axpy"], 4, 256, 2.5, x, y, len(x))
        numpy.testing.assert_array_equal(y, wanted)
        numpy.testing.assert_array_equal(x, before)
        self.assertEqual(cycles, gpu.cycles)
        self.assertGreater(cycles, 0)

    def test_what_an_estimate_comes_from(self):
        with self.assertRaisesRegex(cowarp.RequestError, "nothing is estimated"):
            self.gpu().estimated
        gpu, x, y = self.gpu(estimate=0.02), numpy.ones(1000, numpy.float32), numpy.zeros(1000, numpy.float32)
        for _ in range(20):
            gpu.run("axpy", 4, 256, 1.0, x, y, len(x))
        self.assertEqual((y == 20).all(), True)
        found = gpu.estimated
        self.assertEqual(found["timed_launches"] + found["partly_timed_launches"] + found["untimed_launches"], 20)
        self.assertGreater(found["untimed_launches"], 5)
        self.assertLess(abs(found["cycles"] - gpu.cycles), 20)

    def test_an_integer_for_a_float_parameter_is_converted(self):
        gpu, x, y = self.gpu(), numpy.ones(8, numpy.float32), numpy.zeros(8, numpy.float32)
        gpu.run("axpy", 1, 32, 3, x, y, 8)
        numpy.testing.assert_array_equal(y, numpy.full(8, 3, numpy.float32))

    def test_strides(self):
        gpu, rng = self.gpu(), numpy.random.default_rng(2)
        both = rng.random((50, 2), numpy.float32)
        wanted = both.copy()
        wanted[:, 1] += both[:, 0]
        gpu.run("axpy", 1, 64, 1.0, both[:, 0], both[:, 1], 50)
        numpy.testing.assert_array_equal(both, wanted)

    def test_in_out_inout(self):
        gpu, x, y = self.gpu(), numpy.ones(8, numpy.float32), numpy.ones(8, numpy.float32)
        gpu.run("axpy", 1, 32, 1.0, x, cowarp.In(y), 8)
        numpy.testing.assert_array_equal(y, numpy.ones(8))
        gpu.run("axpy", 1, 32, 1.0, x, cowarp.Out(y), 8)  # from zeros
        numpy.testing.assert_array_equal(y, numpy.ones(8))
        gpu.run("axpy", 1, 32, 1.0, x, cowarp.InOut(y), 8)
        numpy.testing.assert_array_equal(y, numpy.full(8, 2))

    def test_a_read_only_array_is_in(self):
        gpu, x, y = self.gpu(), numpy.ones(8, numpy.float32), numpy.ones(8, numpy.float32)
        y.flags.writeable = False
        gpu.run("axpy", 1, 32, 1.0, x, y, 8)
        numpy.testing.assert_array_equal(y, numpy.ones(8))
        with self.assertRaisesRegex(ValueError, "read-only"):
            cowarp.Out(y)

    def test_one_array_twice_is_one_buffer(self):
        gpu, x = self.gpu(), numpy.ones(8, numpy.float32)
        gpu.run("axpy", 1, 32, 2.0, x, x, 8)
        numpy.testing.assert_array_equal(x, numpy.full(8, 3))
        with self.assertRaisesRegex(cowarp.RequestError, "shares memory with another argument"):
            gpu.run("axpy", 1, 32, 2.0, x[:4], x[2:], 2)

    def test_device_arrays(self):
        gpu = self.gpu()
        x, y = gpu.array([1, 2, 3, 4], numpy.float32), gpu.zeros(4)
        for _ in range(3):
            gpu.run("axpy", 1, 32, 1.0, x, y, 4)
        numpy.testing.assert_array_equal(y.get(), [3, 6, 9, 12])
        y.set([0, 1, 0, 1])
        gpu.run("axpy", 1, 32, 1.0, x, y, 4)
        numpy.testing.assert_array_equal(numpy.asarray(y), [1, 3, 3, 5])
        self.assertEqual((y.shape, y.dtype, y.nbytes), ((4,), numpy.float32, 16))
        y.free()
        with self.assertRaisesRegex(cowarp.RequestError, "freed"):
            gpu.run("axpy", 1, 32, 1.0, x, y, 4)

    def test_buffers_of_a_launch_are_freed(self):
        gpu, x, y = self.gpu(), numpy.ones(8, numpy.float32), numpy.ones(8, numpy.float32)
        first = gpu.array(x)
        for _ in range(3):
            gpu.run("axpy", 1, 32, 1.0, x, y, 8)
        with self.assertRaises(cowarp.RequestError):
            gpu.run("axpy", 1, 4096, 1.0, x, y, 8)
        self.assertEqual(gpu.array(x).address, first.address + 256)

    def test_every_kind_of_scalar(self):
        gpu, out = self.gpu(), numpy.zeros(8, numpy.uint64)
        gpu.run("kinds", 1, 1, 255, -32768, 2**32 - 1, -2**31, 2**64 - 1, -2**63, 0.1, 0.1, out)
        signed = out.view(numpy.int64)
        self.assertEqual([out[0], signed[1], out[2], signed[3], out[4], signed[5]], [255, -32768, 2**32 - 1, -2**31, 2**64 - 1, -2**63])
        self.assertEqual(out[6], numpy.float32(0.1).view(numpy.uint32))
        self.assertEqual(out[7], numpy.float64(0.1).view(numpy.uint64))

    def test_numpy_scalars(self):
        gpu, out = self.gpu(), numpy.zeros(8, numpy.uint64)
        gpu.run("kinds", 1, 1, numpy.uint8(7), numpy.int16(-7), numpy.array(9), numpy.True_, numpy.uint64(1 << 63), numpy.int64(-1),
                numpy.float64(0.5), numpy.float32(0.5), out)
        self.assertEqual([int(v) for v in out[:6]], [7, 2**64 - 7, 9, 1, 1 << 63, 2**64 - 1])
        self.assertEqual(out[6:].tobytes(), numpy.array([numpy.float32(0.5).view(numpy.uint32), numpy.float64(0.5).view(numpy.uint64)], numpy.uint64).tobytes())

    def test_ranges(self):
        gpu, out = self.gpu(), numpy.zeros(8, numpy.uint64)
        good = [0, 0, 0, 0, 0, 0, 0.0, 0.0, out]
        for i, value in ((0, 256), (0, -129), (1, 65536), (2, 1 << 32), (3, -(1 << 31) - 1), (4, 1 << 64), (5, -(1 << 63) - 1)):
            with self.assertRaisesRegex(cowarp.RequestError, rf"argument {i + 1} .*{value} does not fit"):
                gpu.run("kinds", 1, 1, *good[:i], value, *good[i + 1:])
        with self.assertRaisesRegex(cowarp.RequestError, "too large for a 32-bit float"):
            gpu.run("kinds", 1, 1, *good[:6], 1e39, *good[7:])
        for i, value in ((0, 1.0), (2, "5"), (6, "x"), (4, None), (2, out)):
            with self.assertRaisesRegex(TypeError, rf"argument {i + 1} "):
                gpu.run("kinds", 1, 1, *good[:i], value, *good[i + 1:])
        self.assertEqual(gpu.cycles, 0)

    def test_shared_memory_and_structures(self):
        gpu = self.gpu(OTHERS)
        data = numpy.arange(64, dtype=numpy.uint32)
        gpu.run("reverse", 1, 64, cowarp.Local(256), data)
        numpy.testing.assert_array_equal(data, numpy.arange(64)[::-1])
        gpu.run("reverse_dynamic", 1, 64, data, shared=256)
        numpy.testing.assert_array_equal(data, numpy.arange(64))
        self.module.write("factors", numpy.array([9, 8], numpy.uint32), 4)
        numpy.testing.assert_array_equal(self.module.read("factors", numpy.uint32, 4), [1, 9, 8, 4])
        self.module.write("sum_of", numpy.array([5, 6], numpy.uint32))
        out, five = numpy.zeros(10, numpy.uint32), numpy.arange(10, 15, dtype=numpy.uint32)
        gpu.run("by_value", 1, 1, five.tobytes(), out)
        numpy.testing.assert_array_equal(out, [1, 9, 8, 4, 6, 10, 11, 12, 13, 14])
        with self.assertRaisesRegex(cowarp.RequestError, "has 20 bytes, the argument 4"):
            gpu.run("by_value", 1, 1, b"four", out)
        with self.assertRaisesRegex(TypeError, "give cowarp.Local"):
            gpu.run("reverse", 1, 64, 256, data)

    def test_transactions_and_lockstep(self):
        rows = {}
        for backend in ("c", "lockstep"):
            gpu, word = self.gpu(system="getm", units={"validation_unit": backend}, check_serial=True), numpy.zeros(1, numpy.uint32)
            gpu.run("count", 2, 64, word)
            self.assertEqual(word[0], 128)
            self.assertIn("serializable: 128 transactions", gpu.oracle)
            rows[backend] = {name: value for name, value in gpu.stats.items() if name != "host_seconds"}
        self.assertEqual(rows["c"], rows["lockstep"])
        self.assertEqual(rows["c"]["tx_committed"], 128)

    def test_memory_in_versions(self):
        gpu, plain = self.gpu(system="sitm-ts", check_serial=True), numpy.zeros(1, numpy.uint32)
        word = gpu.array([5], numpy.uint32, versions=True)
        gpu.run("count", 2, 64, word)
        self.assertEqual(word.get()[0], 5 + 128)
        self.assertIn("serializable: 128 transactions", gpu.oracle)
        gpu = self.gpu(system="sitm-ts")
        with self.assertRaisesRegex(cowarp.RequestError, "has no memory with versions"):
            gpu.run("count", 2, 64, plain)

    def test_two_gpus_at_once(self):
        def work(results, i):
            gpu, word = cowarp.Gpu(core__count=2, system="getm", seed=i), numpy.zeros(1, numpy.uint32)
            gpu.load(KERNELS)
            gpu.run("count", 4, 64, word)
            results[i] = {**gpu.stats, "host_seconds": int(word[0])}
        alone, together = {}, {}
        for i in (1, 2):
            work(alone, i)
        threads = [threading.Thread(target=work, args=(together, i)) for i in (1, 2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(alone, together)
        self.assertEqual(alone[1]["host_seconds"], 256)

    def test_persistent_memory(self):
        with tempfile.TemporaryDirectory() as folder:
            options = {"preset": "sbrp-near", "persistency": "sbrp", "pm_file": os.path.join(folder, "f.pm")}
            with cowarp.Gpu(**options) as gpu:
                gpu.region("table", 4).set([1, 2, 3, 4])
            with cowarp.Gpu(**options) as gpu:
                numpy.testing.assert_array_equal(gpu.region("table", 4).get(), [1, 2, 3, 4])

    def test_a_region_that_is_not_there(self):
        """In a file that has regions, and beside one of nearly that name, a name that is not there may be mistyped."""
        with tempfile.TemporaryDirectory() as folder:
            options = {"preset": "sbrp-near", "persistency": "sbrp", "pm_file": os.path.join(folder, "f.pm")}
            with cowarp.Gpu(**options) as gpu:
                gpu.region("table", 4)
                gpu.region("log", 4)  # nothing like it
                with self.assertRaisesRegex(cowarp.RequestError, "no region 'tabel'; did you mean 'table'\\? create=True makes a new one"):
                    gpu.region("tabel", 4)
            with cowarp.Gpu(**options) as gpu:
                with self.assertRaisesRegex(cowarp.RequestError, "did you mean 'table'"):
                    gpu.region("tables", 4)
                with self.assertRaisesRegex(cowarp.RequestError, "no region 'other'; there are 'table', 'log'; create=True makes a new one"):
                    gpu.region("other", 4)
                self.assertEqual(gpu._regions(), ["table", "log"])
                numpy.testing.assert_array_equal(gpu.region("other", 4, create=True).get(), [0] * 4)
                gpu.region("table", 4)

    def test_occupancy(self):
        """As the rules of docs/model.md have it: 8 warps of 20 x 32 registers are 5,120 of 32,768."""
        gpu = self.gpu(system="getm", core__registers=32768, core__warps=48, core__blocks=8, core__count=2)
        before = gpu.occupancy("count", 100, 256, registers=20)
        self.assertEqual((before["by_registers"], before["by_warps"], before["by_blocks"], before["by_shared"], before["by_grid"]),
                         (6, 6, 8, None, 50))
        self.assertEqual((before["blocks_per_core"], before["warps_per_core"], before["limit"], before["registers_from"]),
                         (6, 48, ["registers", "warps"], "launch"))
        self.assertEqual((gpu.occupancies, gpu.cycles), ([], 0))
        word = numpy.zeros(1, numpy.uint32)
        for _ in range(2):
            gpu.run("count", 100, 256, word, registers=20)
        gpu.run("count", 1, 32, word)
        self.assertEqual([(row["launches"], row["blocks_per_core"], row["limit"]) for row in gpu.occupancies],
                         [(2, 6, ["registers", "warps"]), (1, 1, ["grid"])])
        self.assertEqual({**gpu.occupancies[0], "launches": 0}, {**before, "launches": 0})
        for wrong in (-1, 1 << 32):
            with self.assertRaises(ValueError):
                gpu.run("count", 1, 32, word, registers=wrong)
        with self.assertRaisesRegex(cowarp.RequestError, "65536"):
            gpu.occupancy("count", 1, 32, registers=65537)
        self.assertEqual(gpu.occupancy("count", 1, 1024, registers=1000)["blocks_per_core"], 0)

    def test_out_of_bounds(self):
        source = """.version 7.0
.target sm_70
.address_size 64
.visible .entry beside(.param .u64 p, .param .u64 out) { .reg .b32 %r<3>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [out]; mov.u32 %r1, 7; ld.global.u32 %r1, [%rd1+16]; st.global.u32 [%rd2], %r1; ret; }"""
        for mode, zone, said in (("fault", 256, None), ("zero", 256, []), ("warn", 256, ["text.ptx:5"])):
            notices, out = [], numpy.full(1, 9, numpy.uint32)
            gpu = self.gpu(None, out_of_bounds=mode, redzone_bytes=zone, on_message=notices.append)
            gpu.load(source)
            beside = gpu.array(numpy.arange(4, dtype=numpy.uint32))
            if said is None:
                with self.assertRaisesRegex(cowarp.FaultError, "just past the end of argument 1"):
                    gpu.run("beside", 1, 1, beside, out)
                continue
            gpu.run("beside", 1, 1, beside, out)
            self.assertEqual((out[0], [text.split(": ")[0] for text in notices], gpu.stats["out_of_bounds"]), (0, said, 1))
        gpu = self.gpu(None, checks="memory,init", check_lines=0)
        gpu.load(source)
        self.assertEqual(gpu.findings, [])
        gpu.run("beside", 1, 1, gpu.array(numpy.arange(4, dtype=numpy.uint32)), out)
        found, = gpu.findings
        self.assertEqual([found[key] for key in ("check", "kernel", "line", "thread", "bytes", "count")], ["memory", "beside", 5, (0, 0, 0), 4, 1])
        with self.assertRaisesRegex(cowarp.RequestError, "choose of memory, sync, race and init"):
            cowarp.Gpu(checks="no")
        with self.assertRaisesRegex(cowarp.RequestError, "choose fault, warn or zero"):
            cowarp.Gpu(out_of_bounds="no")
        for wrong in ({"registers": 1 << 32}, {"redzone_bytes": -1}):
            with self.assertRaises(ValueError):
                cowarp.Gpu(**wrong)
        for wrong, said in (({"functional": "nativ"}, "functional='nativ': .* 'steps', 'native'"), ({"estimate": "1%"}, "estimate='1%': .* 0.01")):
            with self.assertRaisesRegex(ValueError, said):
                cowarp.Gpu(**wrong)
        with self.assertRaisesRegex(cowarp.RequestError, "native code checks nothing"):
            cowarp.Gpu(functional="native", checks="memory")


class Errors(Test):
    def test_requests(self):
        for options, said in (({"preset": "gtem"}, "did you mean 'getm'"), ({"config": {"core.cuont": 1}}, "core.count"),
                              ({"core__count": 0}, "out of range"), ({"system": "getn"}, "did you mean 'getm'"),
                              ({"units": {"validation_unti": "c"}}, "validation_unit"), ({"units": ["nonsense"]}, "nonsense")):
            with self.assertRaisesRegex(cowarp.RequestError, said) as caught:
                cowarp.Gpu(**options)
            self.assertEqual(caught.exception.status, -1)
            self.assertNotIn("\n", str(caught.exception))
        with self.assertRaisesRegex(TypeError, "did you mean 'preset'"):
            cowarp.Gpu(prest="getm")

    def test_files(self):
        gpu = self.gpu(None)
        with self.assertRaisesRegex(cowarp.FileError, "nowhere.ptx"):
            gpu.load("nowhere.ptx")
        with self.assertRaisesRegex(cowarp.Error, r"mine.ptx:1:1"):
            gpu.load("not PTX\n", name="mine.ptx")
        with self.assertRaises(cowarp.FileError):
            gpu.write_stats("/nowhere/s.json")

    def test_a_kernel_that_cannot_run(self):
        said = []
        gpu, out = self.gpu(SOURCE / "tests/ptx_exec/broken.ptx", on_message=said.append), numpy.zeros(1, numpy.uint32)
        self.assertEqual(list(self.module.kernels), ["broken", "whole"])
        self.assertEqual(len(said), 1)
        with self.assertRaisesRegex(cowarp.UnsupportedError, r"broken.ptx:9:5: unknown instruction: frobnicate") as caught:
            gpu.run("broken", 1, 1, out)
        self.assertTrue(said[0].endswith(f"cannot run: {caught.exception}"))
        gpu.run("whole", 1, 1, out)
        self.assertEqual(out[0], 42)

    def test_launches(self):
        gpu, x = self.gpu(), numpy.ones(4, numpy.float32)
        for call, said in (((("axpi", 1, 1), "did you mean 'axpy'")), ((("axpy", 1, 1, 1.0), "takes 4 arguments, given 1")),
                           ((("say", 1, 1, 1), "given more")), ((("axpy", 1, 4096, 1.0, x, x, 4), "threads"))):
            with self.assertRaisesRegex(cowarp.RequestError, said):
                gpu.run(*call)
        with self.assertRaisesRegex(ValueError, "one to three numbers"):
            gpu.run("say", (1, 0), 1)
        self.assertEqual(gpu.cycles, 0)

    def test_deadlock_has_its_report(self):
        gpu, lock = self.gpu(OTHERS), numpy.zeros(1, numpy.uint32)
        with self.assertRaises(cowarp.DeadlockError) as caught:
            gpu.run("spin", 1, 32, lock)
        self.assertEqual(caught.exception.status, -5)
        self.assertGreater(len(caught.exception.report.splitlines()), 1)
        self.assertTrue(str(caught.exception).endswith(caught.exception.report.rstrip("\n")))

    def test_a_fault_leaves_arrays_and_the_gpu_can_be_reset(self):
        gpu = self.gpu(OTHERS)
        gpu.load(KERNELS)
        with self.assertRaises(cowarp.FaultError) as caught:
            gpu.run("fault", 1, 1)
        self.assertEqual(caught.exception.status, -6)
        x = numpy.ones(4, numpy.float32)
        with self.assertRaisesRegex(cowarp.RequestError, "reset it"):
            gpu.run("axpy", 1, 32, 1.0, x, x, 4)
        gpu.reset()
        gpu.run("axpy", 1, 32, 1.0, x, x, 4)
        numpy.testing.assert_array_equal(x, numpy.full(4, 2))

    def test_limit(self):
        gpu, flag = self.gpu(OTHERS, max_cycles=5000), numpy.zeros(1, numpy.uint32)
        with self.assertRaises(cowarp.LimitError):
            gpu.run("endless", 1, 32, flag)

    def test_oracle(self):
        gpu, word = self.gpu(system="getm", check_serial=True, sabotage="skip-owner-check"), numpy.zeros(1, numpy.uint32)
        with self.assertRaises(cowarp.OracleError) as caught:
            gpu.run("count", 4, 64, word)
        self.assertEqual(caught.exception.status, -9)
        self.assertEqual(word[0], 0)  # not copied back

    def test_mismatch(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "theirs.v"
            path.write_text("module cw_validation_unit(input wire clk_i);\nendmodule\n")
            with self.assertRaisesRegex(cowarp.MismatchError, "parameters that"):
                cowarp.Gpu(system="getm", units={"validation_unit": f"rtl:{path}"})

    def test_closed(self):
        with cowarp.Gpu() as gpu:
            pass
        gpu.close()
        with self.assertRaisesRegex(cowarp.RequestError, "closed"):
            gpu.load(KERNELS)


class Callbacks(Test):
    def test_print_goes_to_stdout(self):
        gpu, out = self.gpu(), io.StringIO()
        with contextlib.redirect_stdout(out):
            gpu.run("say", 1, 3)
        self.assertEqual(sorted(out.getvalue().splitlines()), ["thread 0", "thread 1", "thread 2"])
        texts = []
        gpu = self.gpu(on_print=texts.append)
        gpu.run("say", 1, 2)
        self.assertEqual(sorted("".join(texts).splitlines()), ["thread 0", "thread 1"])

    def test_progress_can_stop(self):
        seen = []
        gpu = self.gpu(OTHERS, on_progress=lambda *numbers: seen.append(numbers) or len(seen) > 2, **ENDLESS)
        with self.assertRaises(cowarp.LimitError):
            gpu.run("endless", 1, 32, numpy.zeros(1, numpy.uint32))
        self.assertEqual(len(seen), 3)
        self.assertEqual(seen[-1][2], 1)

    def test_an_exception_of_a_callback_comes_out(self):
        def progress(*_):
            raise ZeroDivisionError("mine")
        gpu = self.gpu(OTHERS, on_progress=progress, **ENDLESS)
        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            gpu.run("endless", 1, 32, numpy.zeros(1, numpy.uint32))
        gpu = self.gpu(on_print=progress)
        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            gpu.run("say", 1, 1)

    def interrupted(self, program, *words, env=None):
        """Ctrl-C ends a program that prints "ready" first and "interrupted" at the end, and nothing else."""
        head = f"import sys\nsys.path.insert(0, {str(SOURCE / 'python')!r})\nimport cowarp, numpy\n"
        tail = "\nexcept KeyboardInterrupt:\n    print('interrupted')\n"
        process = subprocess.Popen([sys.executable, "-c", head + program + tail, *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, **(env or {})})
        self.assertEqual(process.stdout.readline(), "ready\n")
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
        self.assertEqual((out, err, process.returncode), ("interrupted\n", "", 0))

    def test_ctrl_c_stops_a_run(self):
        program = ("gpu = cowarp.Gpu(core__count=2, watchdog__livelock_cycles=4000000000)\ngpu.load(sys.argv[1])\n"
                   "try:\n    print('ready', flush=True)\n    gpu.run('endless', 1, 32, numpy.zeros(1, numpy.uint32))")
        self.interrupted(program, str(OTHERS))

    def test_ctrl_c_stops_a_build_of_rtl(self):
        """Two units, so that threads build them; the compiler would take half a minute."""
        program = ("said = []\ntry:\n    cowarp.Gpu(system='warptm', tcd__rows=128, units={'first_read_table': 'rtl', 'last_written_table': 'rtl'},\n"
                   "               on_message=lambda text: said.append(text) or (len(said) == 1 and print('ready', flush=True)))")
        with tempfile.TemporaryDirectory() as folder:
            self.interrupted(program, env={"COWARP_CACHE": folder})
            self.assertEqual([name for name in os.listdir(folder) if name.startswith("libcw_rtl")], [])  # the compiler was not waited for

    def test_handlers_are_put_back(self):
        before = [signal.getsignal(number) for number in signal.valid_signals()]
        gpu, x = self.gpu(), numpy.ones(1, numpy.float32)
        gpu.run("axpy", 1, 1, 1, x, x, 1)
        self.assertEqual([signal.getsignal(number) for number in signal.valid_signals()], before)
        self.assertEqual(signal.set_wakeup_fd(-1), -1)


class Statistics(Test):
    def test_the_file_and_the_dict_agree(self):
        gpu, word = self.gpu(system="getm", seed=3), numpy.zeros(1, numpy.uint32)
        gpu.run("count", 2, 64, word)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "s.json"
            gpu.write_stats(path, workload="count", check="passed")
            data = json.loads(path.read_text())
        stats = gpu.stats
        self.assertEqual((data["workload"], data["check"], data["seed"], data["preset"]), ("count", "passed", stats["seed"], stats["preset"]))
        self.assertEqual(data["cycles"], stats["cycles"])
        self.assertEqual({name: value["value"] for name, value in data["counters"].items()}, {name: stats[name] for name in data["counters"]})
        self.assertEqual(set(cowarp.counters()), set(data["counters"]))

    def test_where_time_goes(self):
        with tempfile.TemporaryDirectory() as folder:
            samples, timeline, profile = (pathlib.Path(folder) / name for name in ("s.csv", "t.json", "p.txt"))
            gpu, word = self.gpu(system="getm", count_stalls=True, record_profile=True, samples=samples, sample_cycles=100, timeline=timeline,
                                 per_core=True), numpy.zeros(1, numpy.uint32)
            gpu.run("count", 2, 64, word)
            gpu.write_profile(profile)
            stats = gpu.stats
            gpu.close()
            rows = [line.split(",") for line in samples.read_text().splitlines()]
            self.assertTrue(profile.read_text().startswith("cowarp profile 2\n"))
            self.assertIn("traceEvents", json.loads(timeline.read_text()))
        slots = sum(value for name, value in stats.items() if name.startswith("issue_"))
        self.assertEqual(slots, stats["cycles"] * 2 * cowarp.config(preset="getm")["core.schedulers"])
        at = rows[0].index("warp_instructions")
        self.assertEqual(sum(int(row[at]) for row in rows[1:]), stats["warp_instructions"])

    def test_frame(self):
        one, two = {"cycles": 5, "flits": 1}, {"cycles": 7, "flits": 2}
        self.assertEqual(cowarp.frame(one).shape, (1, 2))
        self.assertEqual(list(cowarp.frame([one, two])["cycles"]), [5, 7])
        named = cowarp.frame({"a": one, "b": two}, ["flits", "cycles"])
        self.assertEqual((list(named.index), list(named.columns), named.loc["b", "flits"]), (["a", "b"], ["flits", "cycles"], 2))
        with self.assertRaisesRegex(KeyError, "cycels"):
            cowarp.frame(one, ["cycels"])

    def test_without_pandas(self):
        program = ("import sys\nsys.modules['pandas'] = None\nimport cowarp\n"
                   "with cowarp.Gpu() as gpu: print(len(gpu.stats) > 100)\n"
                   "try: cowarp.frame({})\nexcept ImportError: print('no pandas')\n")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": str(SOURCE / "python")})
        self.assertEqual(done.stdout, "True\nno pandas\n")

    def test_lists_and_configurations(self):
        self.assertIn("getm", cowarp.systems())
        self.assertIn("sbrp", cowarp.persistencies())
        self.assertIn("tbc", cowarp.controls())
        self.assertIn("validation_unit", cowarp.units())
        self.assertEqual(set(cowarp.presets()) >= {"getm", "sbrp-near"}, True)
        self.assertEqual(cowarp.config(core__count=7)["core.count"], 7)
        self.assertEqual(cowarp.config(config={"core.count": 9})["core.count"], 9)
        with self.assertRaisesRegex(cowarp.RequestError, "core.count"):
            cowarp.config(core__cuont=7)

    def test_whatever_a_user_may_call_has_hints_and_a_docstring(self):
        found = [(name, thing) for name, thing in ((name, getattr(cowarp, name)) for name in cowarp.__all__) if callable(thing)]
        made_by_users = (cowarp.Gpu, cowarp.In, cowarp.Out, cowarp.InOut, cowarp.Local, cowarp.Numba)
        for name, one in list(found):
            if inspect.isclass(one):
                found += [(f"{name}.{word}", part.fget if isinstance(part, property) else part) for word, part in vars(one).items()
                          if not word.startswith("_") and (callable(part) or isinstance(part, property))]
                found += [(f"{name}.__init__", one.__init__)] if one in made_by_users else []
        self.assertIn("Gpu.region", dict(found))
        for name, one in found:
            if not name.endswith("__init__"):
                self.assertTrue(inspect.getdoc(one), name)
            if not inspect.isclass(one):
                signature = inspect.signature(one)
                bare = [p.name for p in signature.parameters.values() if p.name != "self" and p.annotation is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
                self.assertEqual(bare, [], name)
                if not name.endswith("__init__"):
                    self.assertIsNot(signature.return_annotation, signature.empty, name)

    def test_advice(self):
        gpu = self.gpu(SOURCE / "tests/system/local.ptx", preset="localtm", core__count=1)
        name = next(name for name in self.module.kernels)
        advice = gpu.advise(name, 64)
        self.assertEqual((advice["kernel"], len(advice["line"])), (name, 16))
        self.assertEqual(len({(line["detect"], line["serial"]) for line in advice["line"]}), 16)


class Units(unittest.TestCase):
    def test_numbers(self):
        """The lowest set bit of 0110 1000 is bit 3, in the cycle behind the one in which the vector came."""
        with cowarp.Unit("priority_encoder", width=8) as unit:
            self.assertEqual((unit.inputs, unit.outputs), ({"in_valid": 1, "in_vector": 8}, {"none": 1, "index": 6, "rest": 8}))
            self.assertEqual(unit.step(in_valid=1, in_vector=0b0110_1000), {"none": 1, "index": 0, "rest": 0})
            self.assertEqual(unit.eval(), {"none": 0, "index": 3, "rest": 0b0110_0000})
            unit.step(in_valid=0, in_vector=1)
            self.assertEqual((unit["in_vector"], unit.eval()["index"]), (1, 3))
            self.assertEqual(unit.reset()["none"], 1)

    def test_arrays(self):
        """numpy knows the lowest set bit too: v & -v."""
        vectors = numpy.random.default_rng(7).integers(0, 2 ** 16, 500, dtype=numpy.uint64)
        with cowarp.Unit("priority_encoder", WIDTH=16) as unit:
            got = unit.run(in_valid=1, in_vector=vectors)
        lowest, before = vectors & (~vectors + numpy.uint64(1)), vectors[:-1]
        self.assertTrue((got["none"][1:] == (before == 0)).all())
        self.assertTrue((numpy.where(before == 0, 0, numpy.uint64(1) << got["index"][1:]) == lowest[:-1]).all())
        self.assertTrue((got["rest"][1:] == before - lowest[:-1]).all())
        self.assertEqual((got["none"][0], got["rest"].dtype), (1, numpy.uint64))

    def test_a_wide_port(self):
        with cowarp.Unit("validation_unit") as unit:
            name = max(unit.inputs, key=unit.inputs.get)
            bits = unit.inputs[name]
            self.assertGreater(bits, 128)
            value = int.from_bytes(bytes(range(1, 100)), "little") % 2 ** bits
            unit[name] = value
            self.assertEqual(unit[name], value)
            unit[name] = 2 ** bits - 1
            self.assertEqual(unit[name], 2 ** bits - 1)
            self.assertRaisesRegex(cowarp.RequestError, f"{name} is an input of {bits} bits", unit.__setitem__, name, 2 ** bits)

    def test_what_is_wrong(self):
        for name, params, says in (("priority_encodr", {}, "did you mean priority_encoder"), ("priority_encoder", {"widt": 3}, "no parameter 'widt'"),
                                   ("priority_encoder", {"width": 99}, "width = 99 is outside 1..64")):
            self.assertRaisesRegex(cowarp.RequestError, says, cowarp.Unit, name, **params)
        unit = cowarp.Unit("priority_encoder")
        self.assertRaisesRegex(cowarp.RequestError, "no port 'vector'", unit.step, vector=1)
        self.assertRaisesRegex(cowarp.RequestError, "none is an output", unit.step, none=1)
        self.assertRaisesRegex(cowarp.RequestError, "arrays of one length", unit.run, in_valid=[1, 1], in_vector=[1, 2, 3])
        unit.close()
        self.assertRaisesRegex(cowarp.RequestError, "has been closed", unit.step)


class Workloads(unittest.TestCase):
    """cowarp.run against the command's own statistics."""

    def test_each_combination_is_a_row(self):
        table = cowarp.run("vecadd", param={"n": [1000, 2000]}, core__count=[1, 4], columns=["cycles", "check"], jobs=2)
        self.assertEqual(list(table.columns), ["n", "core.count", "cycles", "check"])
        self.assertEqual([tuple(row) for row in table[["n", "core.count"]].values], [(1000, 1), (1000, 4), (2000, 1), (2000, 4)])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "s.json"
            subprocess.run([cowarp.command(), "run", "vecadd", "--param", "n=2000", "--set", "core.count=4", "--quiet", "--stats", path], check=True)
            self.assertEqual(table["cycles"][3], json.loads(path.read_text())["cycles"])
        self.assertEqual(set(table["check"]), {"passed"})

    def test_options_of_each_form(self):
        table = cowarp.run("atm", system="getm", tx_warps=2, check_serial=True, check_persist=False, units={"validation_unit": "c"},
                           config={"core.count": 2}, param={"accounts": 2000, "transfers": 640, "blocks": 2, "threads": 64})
        row = table.iloc[0]
        self.assertEqual((row["system"], row["check"], row["tx_committed"]), ("getm", "passed", 640))

    def test_what_is_wrong_is_one_line(self):
        for words, text in (({"system": "getn"}, "getm"), ({"param": {"m": 1}}, "vecadd has no parameter 'm'"), ({"nonsense": 1}, "--nonsense")):
            with self.subTest(words), self.assertRaisesRegex(cowarp.RequestError, text):
                cowarp.run("vecadd", **words)
        with self.assertRaisesRegex(cowarp.Error, "not finished after 10 core cycles"):
            cowarp.run("vecadd", max_cycles=10)

    def test_failures_can_be_rows(self):
        table = cowarp.run("vecadd", max_cycles=[10, 1000000], param={"n": 1000}, keep_failures=True)
        self.assertEqual([check == "passed" for check in table["check"]], [False, True])


class CudaC(unittest.TestCase):
    SOURCE = """
__global__ void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
"""

    def test_compilers(self):
        for compiler in filter(shutil.which, ("clang++-14", "nvcc", "/usr/local/cuda/bin/nvcc")):
            with self.subTest(compiler), cowarp.Gpu(preset="gtx480") as gpu:
                gpu.load_cuda(self.SOURCE, compiler=compiler)
                x, y = numpy.arange(100, dtype=numpy.float32), numpy.ones(100, numpy.float32)
                gpu.run("saxpy", 1, 128, 2.0, cowarp.In(x), y, 100)
                numpy.testing.assert_array_equal(y, 2 * x + 1)

    def test_a_mistake_has_the_compilers_words(self):
        with self.assertRaisesRegex(cowarp.RequestError, "undeclared identifier 'm'"):
            cowarp.compile_cuda(self.SOURCE.replace("i < n", "i < m"), compiler="clang++-14")
        with self.assertRaisesRegex(cowarp.RequestError, "saxpy.cu: no such file"):
            cowarp.compile_cuda("saxpy.cu", compiler="clang++-14")

    def test_two_of_one_name(self):
        with cowarp.Gpu() as gpu:
            gpu.load_cuda(self.SOURCE + self.SOURCE.replace("float", "double"), compiler="clang++-14")
            with self.assertRaisesRegex(cowarp.RequestError, "2 kernels are called 'saxpy'; use module.kernels"):
                gpu.run("saxpy", 1, 1)

    def test_arrays_of_numba(self):
        """Each member of the array comes as a parameter of its own: here two dimensions, nine parameters, transposed by shape and strides."""
        names = "meminfo parent nitems itemsize data shape0 shape1 stride0 stride1".split()
        params = ", ".join(f".param .u64 {array}_{name}" for array in ("a", "b") for name in names)
        ptx = f"""
.version 7.0
.target sm_50
.address_size 64
.visible .entry transpose({params})
{{
    .reg .b32 %r<4>; .reg .b64 %d<20>; .reg .f64 %f<2>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y;
    cvt.u64.u32 %d1, %r1; cvt.u64.u32 %d2, %r2;
    ld.param.u64 %d3, [a_data]; ld.param.u64 %d4, [a_stride0]; ld.param.u64 %d5, [a_stride1];
    ld.param.u64 %d6, [b_data]; ld.param.u64 %d7, [b_stride0]; ld.param.u64 %d8, [b_stride1];
    mad.lo.u64 %d9, %d1, %d4, %d3; mad.lo.u64 %d9, %d2, %d5, %d9;
    mad.lo.u64 %d10, %d2, %d7, %d6; mad.lo.u64 %d10, %d1, %d8, %d10;
    ld.global.f64 %f1, [%d9];
    st.global.f64 [%d10], %f1;
    ret;
}}
"""
        a, b = numpy.arange(6.0).reshape(2, 3), numpy.zeros((3, 2))
        with cowarp.Gpu() as gpu:
            gpu.load(ptx)
            gpu.run("transpose", 1, (2, 3), cowarp.Numba(a), cowarp.Numba(b))
        numpy.testing.assert_array_equal(b, a.T)
        with self.assertRaisesRegex(TypeError, "one behind the other"):
            cowarp.Numba(a.T)


class Notebooks(unittest.TestCase):
    def test_each_runs_from_its_first_cell_to_its_last(self):
        found = sorted((SOURCE / "examples/notebooks").glob("*.ipynb"))
        self.assertGreater(len(found), 0)
        for path in found:
            cells = json.loads(path.read_text())["cells"]
            self.assertEqual([cell for cell in cells if cell.get("outputs")], [], f"{path.name}: clear the outputs before it is committed")
            program = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
            program += "\nprint('pictures', len(plt.get_fignums()), 'rows', len(table), len(scaling))\n"
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": str(SOURCE / "python"), "MPLBACKEND": "Agg"})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"pictures [12] rows 8 5\n")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
