#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the cowarp command as a user sees it: cli_test.py BUILD/cowarp [unittest arguments]."""

import fcntl
import glob
import json
import math
import os
import pty
import pathlib
import re
import resource
import select
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time
import tomllib
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from waiting import LONG_S, is_busy, wait_for  # noqa: E402

COWARP = ""
PTX = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptx_exec", "kernels.ptx")
BROKEN = os.path.join(os.path.dirname(PTX), "broken.ptx")

# Members that the statistics file promises.
TOP_LEVEL = ["cycles", "thread_instructions", "warp_instructions", "host_seconds", "workload", "system", "preset", "seed", "check",
             "counters", "config", "units", "derived", "manifest", "counting", "mechanisms", "persistency", "simulated_us", "version",
             "occupancy", "occupancy_left_out"]


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as f:
            f.write(data)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def run_it(self, *args, env=None):
        return subprocess.run([COWARP, *args], capture_output=True, text=True, timeout=240, cwd=self.folder.name,
                              env={**os.environ, **(env or {})})

    def passes(self, *args, **kw):
        r = self.run_it(*args, **kw)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual(r.stderr, "")
        return r.stdout

    def fails(self, status, *args, says=(), **kw):
        """Exit status, nothing on standard output but a summary, one error line that holds the words."""
        r = self.run_it(*args, **kw)
        self.assertEqual(r.returncode, status, (args, r.stdout, r.stderr))
        first = r.stderr.split("\n")[0]
        self.assertTrue(first.startswith("cowarp: "), r.stderr)
        for word in says:
            self.assertIn(word, first)
        if status == 2:
            self.assertEqual(r.stdout, "", args)
            self.assertEqual(r.stderr.count("\n"), 1, r.stderr)
        return r

    def exec_it(self, kernel, *args, grid="1", block="32", **kw):
        return self.passes("exec", PTX, "--kernel", kernel, "--grid", grid, "--block", block, *args, **kw)


class Requests(Command):
    """What is wrong is answered with exit status 2 and one line that says what to do."""

    def test_words(self):
        for args, says in [
            (["rnu"], ["unknown command 'rnu'", "'run'"]),
            (["quite-something-else"], ["see 'cowarp help'"]),
            (["help", "rnu"], ["unknown command", "'run'"]),
            (["run"], ["needs a workload", "cowarp list"]),
            (["run", "vecad"], ["unknown workload 'vecad'", "'vecadd'"]),
            (["run", "vecadd", "bfs"], ["one workload", "bfs"]),
            (["run", "vecadd", "--prest", "getm"], ["unknown option '--prest'", "'--preset'"]),
            (["run", "vecadd", "--config", ""], ["--config", "empty", "--config FILE"]),
            (["run", "vecadd", "--stats="], ["--stats", "empty"]),
            (["run", "vecadd", "-x"], ["unknown option '-x'"]),
            (["run", "vecadd", "--functional="], ["'--functional='", "is empty"]),
            (["run", "vecadd", "--functional", "native"], ["write --functional=native"]),
            (["run", "vecadd", "--functional=native", "--check", "race"], ["native code checks nothing", "--check"]),
            (["run", "vecadd", "--estimate", "1%", "--launches", "0:1"], ["--launches"]),
            (["run", "vecadd", "--preset"], ["needs a value"]),
            (["run", "vecadd", "--quiet=1"], ["takes no value"]),
            (["run", "vecadd", "--seed", "1", "--seed", "2"], ["given twice"]),
            (["run", "vecadd", "--preset", "gtem"], ["unknown preset", "'getm'"]),
            (["run", "vecadd", "--system", "gtem"], ["unknown system", "'getm'"]),
            (["run", "vecadd", "--system", "fglock"], ["no variant fglock", "plain"]),
            (["run", "vecadd", "--system", "stm-pr"], ["no variant stm-pr", "plain"]),
            (["run", "ht-h", "--variant", "tx", "--system", "stm-tl2"], ["stm-tl2"]),
            (["run", "ht-h", "--variant", "plain"], ["no variant plain; it has tx, fglock, cglock, stm-tl2 and stm-pr"]),
            (["run", "vecadd", "--variant", "tx"], ["no variant tx; it has plain"]),
            (["run", "ht-h", "--variant", "locks"], ["unknown variant"]),
            (["run", "ht-h", "--variant", "tx", "--system", "none"], ["transactional system"]),
            (["run", "ht-h", "--variant", "tx", "--system", "fglock"], ["fglock"]),
            (["run", "vecadd", "--param", "m=5"], ["no parameter 'm'"]),
            (["run", "vecadd", "--param", "n"], ["name=value"]),
            (["run", "vecadd", "--param", "n=0"], ["out of range"]),
            (["run", "vecadd", "--param", "n=5x"], ["not a whole number"]),
            (["run", "vecadd", "--param", "n=99999999999999999999"], ["n=99999999999999999999: out of range, 1 to"]),
            (["run", "vecadd", "--param", "n=-99999999999999999999"], ["out of range, 1 to"]),
            (["run", "vecadd", "--param", "n=64", "--param", "n=128"], ["--param n=64 and --param n=128: give it once"]),
            (["run", "vecadd", "--set", "core.count=3", "--set", "core.warps=8", "--set", "core.count=4"],
             ["--set core.count=3 and --set core.count=4: give it once"]),
            (["run", "vecadd", "--set", "core.cuont=5"], ["'core.count'"]),
            (["run", "vecadd", "--set", "core.count=500"], ["1 to 256", "cores"]),
            (["run", "vecadd", "--set", "core.count"], ["name=value"]),
            (["run", "vecadd", "--set", "l2.ways=7"], ["l2.bytes"]),
            (["run", "vecadd", "--tx-warps", "65"], ["tm.warps", "0 to 64"]),
            (["run", "vecadd", "--tx-warps", "many"], ["tm.warps", "not a whole number"]),
            (["run", "vecadd", "--config", "nothing.toml"], ["nothing.toml", "No such file"]),
            (["run", "vecadd", "--seed", "-1"], ["--seed -1: out of range"]),
            (["run", "vecadd", "--seed", "1.5"], ["--seed", "not a whole number"]),
            (["run", "vecadd", "--seed", "18446744073709551616"], ["--seed", "out of range, 0 to 18446744073709551615"]),
            (["run", "vecadd", "--max-cycles", "0"], ["--max-cycles 0", "leave it out"]),
            (["run", "vecadd", "--max-cycles", "1e6"], ["--max-cycles"]),
            (["run", "ht-h", "--unit", "validation_unit"], ["unit=rtl"]),
            (["run", "ht-h", "--unit", "validation_unit=verilog"], ["c, rtl, lockstep"]),
            (["run", "ht-h", "--unit", "validation_unti=rtl"], ["'validation_unit'"]),
            (["run", "ht-h", "--unit", "cuckoo_table=rtl"], ["part of validation_unit"]),
            (["run", "vecadd", "--unit", "validation_unit=rtl"], ["system none has none"]),
            (["run", "ht-h", "--system", "kilotm", "--unit", "ownership_table=rtl"], ["kilotm has none", "warptm"]),
            (["run", "ht-h", "--system", "kilotm", "--unit", "last_writer_history=rtl"], ["part of hazard_unit"]),
            (["run", "ht-h", "--system", "warptm", "--set", "warptm.resolution=scr", "--unit", "ownership_table=rtl"],
             ["configuration has none", "warptm.resolution = 2pcr"]),
            (["run", "ht-h", "--system", "kilotm", "--unit", "last_written_table=c"], ["tcd.mode = closed"]),
            (["run", "ht-h", "--system", "gtem"], ["unknown system", "'getm'"]),
            (["run", "vecadd", "--mech", "getm"], ["--system getm"]),
            (["run", "vecadd", "--mech", "no-such,getm"], ["unknown mechanism 'no-such'"]),
            (["run", "vecadd", "--sabotage", "skip-owner-check"], ["no transactional system"]),
            (["run", "ht-h", "--sabotage", "x"], ["'x': unknown", "skip-owner-check, drop-rts-update, forget-writes-decrement"]),
            (["run", "ht-h", "--sabotage", "skip-owner-chek"], ["did you mean 'skip-owner-check'?"]),
            (["run", "gpkvs", "--preset", "sbrp-near", "--persistency", "sbrp", "--sabotage", "x"], ["this machine has drop-ofence, ignore-fsm"]),
            (["run", "gpkvs", "--preset", "sbrp-near", "--persistency", "epoch", "--sabotage", "x"], ["nothing in this machine can be broken"]),
            (["run", "vecadd", "--set", "pm.window=3"], ["pm.window", "persistency model none"]),
            (["run", "gpkvs", "--preset", "sbrp-artifact-near", "--set", "pm.attach=far", "--set", "pm.acquire=issue"], ["pm.acquire"]),
            (["crash", "gpkvs", "--preset", "sbrp-near", "--persistency", "none", "--points", "1", "--set", "pm.patience=8"], ["pm.patience"]),
            (["run", "vecadd", "--wave-window", "1:2"], ["--wave"]),
            (["run", "vecadd", "--wave", "w.fst", "--wave-window", "5:5"], ["ends before"]),
            (["run", "vecadd", "--wave", "w.fst", "--wave-window", "5"], ["two core cycles"]),
            (["run", "vecadd", "--wave", "no/such/folder/w.fst"], ["no/such/folder"]),
            (["run", "vecadd", "--stats", "no/such/folder/s.json"], ["no/such/folder"]),
            (["run", "vecadd", "--stats", "."], ["folder"]),
            (["run", "vecadd", "--record-branches", "no/such/folder/b"], ["--record-branches", "no/such/folder"]),
            (["run", "vecadd", "--record-branches", "."], ["folder"]),
            (["run", "vecadd", "--set", "core.lcp=profile"], ["--record-branches FILE", "--lcp-profile FILE"]),
            (["run", "vecadd", "--lcp-profile", "b"], ["--lcp-profile b", "set core.lcp=profile"]),
            (["run", "vecadd", "--lcp-profile", "b", "--set", "core.lcp=loop"], ["set core.lcp=profile"]),
            (["run", "vecadd", "--lcp-profile", "b", "--set", "core.lcp=profile"], ["b: cannot be opened: No such file"]),
            (["run", "vecadd", "--lcp-profile", ".", "--set", "core.lcp=profile"], [".: cannot be read: Is a directory"]),
            (["list", "all", "more"], ["list takes no"]),
            (["config", "thesis-tbc"], ["a preset", "--preset thesis-tbc"]),
            (["config", "drm"], ["unknown parameter 'drm'"]),
            (["wave", "stall", "--png", "missing/stall.png"], ["--png: missing/stall.png"]),
            (["wave", "stall", "--open"], ["--open needs a display", "--png"]),
            (["config", "core.cuont"], ["'core.count'"]),
            (["config", "core.count", "l2.ways"], ["one parameter"]),
            (["exec"], ["one PTX file"]),
            (["exec", PTX], ["--kernel"]),
            (["exec", PTX, "--kernel", "fault"], ["--grid"]),
            (["exec", PTX, "--kernel", "fault", "--grid", "1"], ["--block"]),
        ]:
            with self.subTest(args):
                self.fails(2, *args, says=says, env={"DISPLAY": "", "WAYLAND_DISPLAY": ""})
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_exec_arguments(self):
        empty = self.write("empty", b"")
        for extra, says in [
            (["--grid", "0"], ["--grid '0'"]),
            (["--grid", "1,2,3,4"], ["--grid"]),
            (["--grid", "1,"], ["--grid"]),
            (["--grid", "x"], ["--grid"]),
            (["--grid", "4294967296"], ["--grid '4294967296': 4294967296 is out of range, 1 to 4294967295"]),
            (["--grid", "1,99999999999999999999,1"], ["99999999999999999999 is out of range, 1 to 4294967295"]),
            (["--grid", "1", "--shared", "-4"], ["--shared"]),
            (["--grid", "1", "--arg", "5"], ["kind:value"]),
            (["--grid", "1", "--arg", "u33:5"], ["unknown kind 'u33'", "'u32'"]),
            (["--grid", "1", "--arg", "pm:5"], ["pm:NAME:BYTES"]),
            (["--grid", "1", "--arg", "pm::5"], ["pm:NAME:BYTES"]),
            (["--grid", "1", "--arg", "pm:a:0"], ["at least 1"]),
            (["--grid", "1", "--arg", "pm:a:"], ["at least 1"]),
            (["--grid", "1", "--arg", "u32:-1"], ["not a value of type u32"]),
            (["--grid", "1", "--arg", "u32:4294967296"], ["not a value of type u32"]),
            (["--grid", "1", "--arg", "u32: 5"], ["not a value of type u32"]),
            (["--grid", "1", "--arg", "s32:2147483648"], ["not a value of type s32"]),
            (["--grid", "1", "--arg", "s32:--5"], ["not a value of type s32"]),
            (["--grid", "1", "--arg", "s64:9223372036854775808"], ["not a value of type s64"]),
            (["--grid", "1", "--arg", "u64:18446744073709551616"], ["not a value of type u64"]),
            (["--grid", "1", "--arg", "f32:1e39"], ["not a value of type f32"]),
            (["--grid", "1", "--arg", "f64:1.5mm"], ["not a value of type f64"]),
            (["--grid", "1", "--arg", "f64:"], ["not a value of type f64"]),
            (["--grid", "1", "--arg", "in:nothing.bin"], ["No such file"]),
            (["--grid", "1", "--arg", "in:" + empty], ["empty"]),
            (["--grid", "1", "--arg", "out:x"], ["out:FILE:BYTES"]),
            (["--grid", "1", "--arg", "out:x:0"], ["at least 1"]),
            (["--grid", "1", "--arg", "out:x:4096K"], ["'4096K' is no number of bytes"]),
            (["--grid", "1", "--arg", "zero:17179869185"], ["at most 2^34"]),
            (["--grid", "1", "--arg", "out::8"], ["no file name"]),
            (["--grid", "1", "--arg", "out:no/such/x:8"], ["no/such/x"]),
            (["--grid", "1", "--arg", "zero:many"], ["at least 1"]),
            (["--grid", "1", "--arg", "bytes:nothing.bin"], ["bytes:nothing.bin", "No such file"]),
            (["--grid", "1", "--arg", "bytes:" + empty], ["empty"]),
            (["--grid", "1", "--arg", "bytes:"], ["no file name"]),
            (["--grid", "1", "--symbol", "factors"], ["--symbol 'factors'", "NAME=FILE"]),
            (["--grid", "1", "--symbol", "factors=nothing.bin"], ["--symbol 'factors=nothing.bin'", "No such file"]),
            (["--grid", "1", "--arg", "out:x:8", "--arg", "out:x:8"], ["same file"]),
            (["--grid", "1", "--arg", "zero:8"], ["takes 0 arguments, given 1"]),
        ]:
            with self.subTest(extra):
                self.fails(2, "exec", PTX, "--kernel", "fault", "--block", "1", *extra, says=says)
        self.assertEqual(os.listdir(self.folder.name), ["empty"])

    def test_exec_modules_and_kernels(self):
        shape = ["--grid", "1", "--block", "1"]
        self.fails(2, "exec", "nothing.ptx", "--kernel", "k", *shape, says=["nothing.ptx", "No such file"])
        self.fails(2, "exec", BROKEN, "--kernel", "broken", *shape, says=["broken.ptx:9:", "frobnicate"])
        r = self.run_it("exec", BROKEN, "--kernel", "whole", *shape, "--arg", "out:whole.bin:4")
        self.assertEqual((r.returncode, self.read("whole.bin")), (0, b"\x2a\0\0\0"), r.stderr)
        self.assertRegex(r.stderr, r"^cowarp: kernel broken of \S*broken.ptx cannot run: \S*broken.ptx:9:5: unknown instruction: frobnicate.u32 %r1, 5;\n$")
        self.fails(2, "advise", BROKEN, "--kernel", "broken", says=["broken.ptx:9:5", "frobnicate"])
        for junk in (b"\x00\xff not PTX", b"\xc3\x1b]0;junk\x07", b".version \x807.0"):
            r = self.fails(2, "exec", self.write("text", junk), "--kernel", "k", *shape, says=["text:1:", "a byte that is no text, so this is no PTX file"])
            self.assertTrue(r.stderr.endswith("no PTX file\n"), r.stderr)
        for begin, what in ((b"\x7fELF\x02\x01", "an ELF file that is damaged"), (b"\x50\xed\x55\xba\x01\0", "a fatbinary that says")):
            self.fails(2, "exec", self.write("made", begin + bytes(range(256))), "--kernel", "k", *shape, says=["made: " + what])
        for begin, what in ((b"\x1f\x8b\x08\0", "compressed by gzip"),
                            (b"PK\x03\x04", "a ZIP archive"), (b"\xff\xfe.\0v\0", "text in UTF-16"), (b"!<arch>\n/", "an archive"), (b"BC\xc0\xde\x35", "LLVM bitcode")):
            r = self.fails(2, "exec", self.write("made", begin + bytes(range(256))), "--kernel", "k", *shape, says=["made: is " + what])
            self.assertTrue(r.stderr.isascii() and r.stderr.strip().isprintable(), r.stderr)
        self.fails(2, "exec", self.write("salt", b"Salted__\x01\x80"), "--kernel", "k", *shape, says=["salt:1: a byte that is no text"])
        with open(PTX, "rb") as f:
            whole = f.read()
        cut = whole[:whole.index(b"ret") + 3]
        self.fails(2, "exec", self.write("cut", cut), "--kernel", "k", *shape, says=["cut:", "expected ';': the file ends here"])
        self.passes("exec", self.write("marked", b"\xef\xbb\xbf" + whole), "--kernel", "narrow", *shape, "--arg", "u32:1", "--arg", "u32:2", "--arg",
                    "zero:4")
        self.fails(2, "exec", PTX, "--kernel", "number", *shape, says=["no kernel 'number'", "'numbers'"])
        self.fails(2, "exec", PTX, "--kernel", "fault", "--grid", "1", "--block", "1025", says=["1024"])
        dwf = [word for setting in ("divergence=dwf", "warps=32", "schedulers=1", "scheduler=lrr") for word in ("--set", f"core.{setting}")]
        self.fails(2, "exec", PTX, "--kernel", "fault", "--grid", "1", "--block", "32", "--static-warps", *dwf,
                   says=["set core.divergence=tbc or pdom"])
        self.fails(2, "exec", PTX, "--kernel", "reverse", *shape, "--arg", "u64:64", "--arg", "zero:64", says=["argument 1", "shared"])
        self.fails(2, "exec", PTX, "--kernel", "endless", *shape, "--arg", "u32:64", says=["argument 1", "8 bytes", "4"])
        self.fails(2, "exec", PTX, "--kernel", "narrow", *shape, "--arg", "local:64", "--arg", "u32:1", "--arg", "zero:8", says=["argument 1"])
        self.fails(2, "exec", PTX, "--kernel", "narrow", *shape, "--arg", "u32:256", "--arg", "u32:1", "--arg", "zero:8", says=["argument 1"])
        self.fails(1, "exec", PTX, "--kernel", "endless", *shape, "--arg", "zero:4294967296", "--set", "mem.mbytes=16", says=["memory"])

    def test_config_file(self):
        toml = self.write("machine.toml", b"[core]\ncount = 2\ncuont = 3\n")
        self.fails(2, "run", "vecadd", "--config", toml, says=[toml + ":3:", "core.count"])
        marked = self.write("marked.toml", b"\xef\xbb\xbf[core]\ncount = 2\n")
        self.assertIn("core.count = 2 ", self.passes("config", "core.count", "--config", marked))
        os.truncate(self.path("machine.toml"), 2**32)
        self.fails(2, "run", "vecadd", "--config", toml, says=["larger than 1 MB, not a configuration file"])
        self.fails(2, "exec", toml, "--kernel", "k", "--grid", "1", "--block", "1", says=["machine.toml: larger than 1024 MiB"])
        self.fails(2, "wave", self.write("my.stim", b""), says=["my.stim: the file is empty; a stimulus begins with 'unit NAME'"])

    def test_folder_of_the_cache(self):
        args = ["run", "ht-h", "--unit", "validation_unit=rtl", "--set", "getm.stall_lines=3"]
        self.fails(2, *args, env={"COWARP_CACHE": "", "XDG_CACHE_HOME": "", "HOME": "/proc"}, says=["/proc/.cache", "set COWARP_CACHE"])
        self.fails(2, *args, env={"COWARP_CACHE": "", "XDG_CACHE_HOME": "", "HOME": ""}, says=["set COWARP_CACHE"])

    def test_a_full_disk_under_the_cache_is_named(self):
        folder = self.path("small")
        os.mkdir(folder)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", folder], capture_output=True).returncode != 0:
            self.skipTest("no right to mount a small disk")
        try:
            args = ["run", "vecadd", "--param", "n=64", "--system", "getm", "--unit", "validation_unit=rtl", "--set", "getm.table_rows=64"]
            done = self.run_it(*args, env={"COWARP_CACHE": folder})
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr.splitlines()[-1], r"cowarp: .* is full but for \d+ KB: make room, or set COWARP_CACHE to a folder elsewhere")
        finally:
            subprocess.run(["umount", folder], check=True)

    def test_kernel_folder(self):
        self.fails(2, "run", "vecadd", says=["vecadd.ptx", "COWARP_KERNEL_DIR"], env={"COWARP_KERNEL_DIR": self.folder.name})


class Builds(Command):
    def test_several_units_at_a_time(self):
        """Each says when it begins and how long it took; with two processors the second begins before the first ends."""
        os.mkdir(self.path("cache"))
        for library in glob.glob(os.path.join(os.environ.get("COWARP_CACHE", ""), "libcw_verilated-*.so")):
            os.symlink(library, os.path.join(self.path("cache"), os.path.basename(library)))
        args = ["run", "ht-h", "--system", "warptm", "--unit", "first_read_table=rtl", "--unit", "last_written_table=rtl", "--param", "blocks=2",
                "--param", "threads=64", "--set", "core.warps=8", "--set", "tcd.rows=16"]
        env = {"COWARP_CACHE": self.path("cache"), "COWARP_RTL_CXXFLAGS": "-O0"}
        r = self.run_it(*args, env=env)
        self.assertEqual(r.returncode, 0, r.stderr)
        lines = [re.sub(r"^cowarp: (building|built) RTL of (\w+) (\(.*\), once|in \d+ s)$", r"\1 \2", line) for line in r.stderr.splitlines()
                 if "run time" not in line]
        units = ("first_read_table", "last_written_table")
        self.assertEqual(sorted(lines), sorted(f"{what} {unit}" for what in ("building", "built") for unit in units))
        if os.cpu_count() > 1:
            self.assertTrue(all(line.startswith("building") for line in lines[:2]), lines)
        again = self.run_it(*args, env=env)
        self.assertEqual((again.returncode, again.stderr), (0, ""))
        self.assertEqual(re.sub("host .*", "", again.stdout), re.sub("host .*", "", r.stdout))


    ARGS = ["run", "ht-h", "--system", "warptm", "--unit", "first_read_table=rtl", "--unit", "last_written_table=rtl", "--set", "core.warps=8",
            "--set", "tcd.rows=32", "--wave", "w.fst", "--stats", "s.json"]

    def start(self, *args):
        """A command that builds RTL into an empty cache, once it does; in a process group of its own."""
        cache = self.path("cache")
        if not os.path.exists(cache):
            os.mkdir(cache)
            for library in glob.glob(os.path.join(os.environ.get("COWARP_CACHE", ""), "libcw_verilated-*.so")):
                os.symlink(library, os.path.join(cache, os.path.basename(library)))
        env = {**os.environ, "COWARP_CACHE": cache, "COWARP_RTL_CXXFLAGS": "-O3"}
        p = subprocess.Popen([COWARP, *args], cwd=self.folder.name, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=env,
                             start_new_session=True)
        self.addCleanup(p.stderr.close)
        for line in p.stderr:
            if "building RTL" in line:
                break
        time.sleep(0.5)
        return p

    def built(self):
        return [name for name in os.listdir(self.path("cache")) if not name.startswith("libcw_verilated-")]

    def tools(self):
        """Compilers that work on something in the cache."""
        lines = subprocess.run(["ps", "axo", "args"], capture_output=True, text=True, check=True).stdout.splitlines()
        return [line for line in lines if self.path("cache") in line and "ps axo" not in line]

    def tools_at_last(self):
        """Those that do not go away: on a loaded machine a process takes a while to die."""
        wait_for(lambda: not self.tools())
        return self.tools()

    def test_interrupted(self):
        """At once, by a signal to the command alone and by Ctrl-C to all its group, as a run is."""
        self.write("own.stim", b"unit warp_lut\nparam lanes=5\ntrace\n+1 pulse upd_valid=1 upd_lanes=1\n")
        for args in (self.ARGS, ["wave", "own.stim"]):
            for number, send in ((signal.SIGINT, os.killpg), (signal.SIGTERM, os.kill)):
                p = self.start(*args)
                send(p.pid, number)
                error = p.stderr.read()
                self.assertEqual(p.wait(), 128 + number)
                self.assertRegex([line for line in error.splitlines() if "building RTL" not in line][-1],
                                 r"^cowarp: interrupted (while|before) RTL of \w+ was built$")
                self.assertEqual((self.built(), self.tools_at_last()), ([], []))
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["cache", "own.stim"])

    def test_a_verilator_that_does_not_run(self):
        """That it is not there and that it fails are two things."""
        args = ["run", "ht-h", "--unit", "validation_unit=rtl", "--set", "getm.stall_lines=3"]
        os.mkdir(self.path("bin"))
        env = {"PATH": self.path("bin"), "COWARP_CACHE": self.path("cache")}
        self.fails(2, *args, env=env, says=["verilator is not installed"])
        with open(self.path("bin/verilator"), "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\necho '/dev/null: Permission denied' >&2\nexit 1\n")
            os.fchmod(f.fileno(), 0o755)
        self.fails(2, *args, env=env, says=["verilator --version' failed", "/dev/null: Permission denied"])

    def test_what_a_killed_build_leaves_the_next_one_removes(self):
        os.mkdir(self.path("old"))
        first = self.start(*self.ARGS)
        left = self.built()
        self.assertTrue(left)
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        os.mkdir(self.path("cache/build-aaaaaa")) # made just now by somebody who has no lock yet
        os.mkdir(self.path("cache/build-bbbbbb"))
        os.utime(self.path("cache/build-bbbbbb"), (0, 0))
        second = self.start(*self.ARGS)
        self.assertFalse(set(left) & set(self.built()))
        os.kill(second.pid, signal.SIGINT)
        second.wait()
        self.assertEqual(self.built(), ["build-aaaaaa"])


class Scripts(Command):
    """Sub-commands in Python say in one line what is wrong, too."""

    def test_folders_that_cannot_be_written(self):
        self.write("file", b"")
        for command in (["synth", "stall_buffer"], ["reproduce", "kilotm.fig4.12", "--quick"]):
            for folder, why in (("file", "File exists"), ("file/below", "Not a directory"), ("/proc/here", "No such file or directory")):
                self.fails_in_python(2, command[0], *command[1:], "--out", folder, says=[os.path.basename(folder), why])

    def test_words(self):
        self.write("a.json", b"{}")
        for words, says in ((["stats", "--jsn"], ["unknown option '--jsn'", "did you mean '--json'?"]), (["stats", "--al", "a.json"], ["unknown option '--al'", "did you mean '--all'?"]),
                            (["sweep", "vecadd", "--vary", "n=32", "--seed", "7"], ["--seed: give --vary seed=... or --seeds N"]),  # it is no short --seeds
                            (["sweep", "Vec-Add", "--vary", "n=32"], ["unknown workload 'Vec-Add'", "did you mean 'vecadd'?"]),
                            (["reproduce", "GETM.fig11"], ["did you mean 'getm.fig11'?"]), (["synth", "Stall-Bufer"], ["did you mean 'stall_buffer'?"]),
                            (["serve", "--port", "abc"], ["--port 'abc': is not a whole number"]), (["serve", "--port"], ["--port needs a value"]), (["serve", "more"], ["takes no 'more'"]),
                            (["diff", "a.json"], ["needs two files, A.json and B.json, and has 1"]), (["stats"], ["needs FILE.json"]), (["stats", "--bogus"], ["unknown option '--bogus'; see"]),
                            (["test", "--findings", "what", "--", "true"], ["--findings 'what': is none of 'fail', 'tell'"]), (["unit", "--json=3"], ["--json takes no value, and has '3'"])):
            self.fails_in_python(2, *words, says=says)

    def fails_in_python(self, status, name, *args, says):
        r = self.run_it(name, *args)
        self.assertEqual((r.returncode, r.stdout), (status, ""), r.stderr)
        self.assertRegex(r.stderr, rf"^cowarp {name}: [^\n]*\n$")
        for word in says:
            self.assertIn(word, r.stderr)


class Help(Command):
    def test_every_command_has_help(self):
        names = re.findall(r"^  cowarp (\w+) ", self.passes("help"), re.M)
        for name in ["list", "run", "exec", "config"]:
            self.assertIn(name, names)
            self.assertIn("--", self.passes("help", name))
            self.assertEqual(self.passes("help", name), self.passes(name, "--help"))

    def test_help_that_nobody_reads(self):
        for name in ("run", "debug", "stats", "synth", "new-unit"):
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([COWARP, name, "--help"], stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
            os.close(writer)
            self.assertNotRegex(done.stderr, "Traceback|Exception", name)

    def test_advise(self):
        """Work-groups of 256 on the paper's machine; the numbers of each line are those of the unit test local_advice."""
        of = json.loads(self.passes("advise", "it-hc", "--preset", "localtm", "--json"))
        self.assertEqual((of["kernel"], of["words"], of["has_read_only"], of["reads_as_wrote"]), ("it_tx", 1, False, True))
        self.assertEqual((of["chosen"]["detect"], of["chosen"]["serial"]), ("prw-sig", "ascending-multiple"))
        lines = {(line["detect"], line["serial"]): line for line in of["combinations"]}
        self.assertEqual(len(lines), 16)
        single, multiple = lines["swo-sig", "ascending-single"], lines["swo-sig", "ascending-multiple"]
        self.assertEqual(multiple["scalar_registers"] - single["scalar_registers"], 8)
        self.assertEqual(lines["prw-sig", "ascending-single"]["vector_registers"] - lines["dcd", "ascending-single"]["vector_registers"], 2048)
        self.assertRegex(self.passes("advise", "gc-lc", "--preset", "localtm"), r"\* smdcd +ascending-multiple")
        self.assertIn("choose        --system lds-lock", self.passes("advise", "km-hc", "--preset", "localtm", "--shared", "60000"))
        self.fails(2, "advise", says=["one workload or one PTX file"])
        self.fails(2, "advise", "vecadd", says=["no kernel has transactions"])
        self.fails(2, "advise", "km-hc", "--kernel", "km_cglock", says=["km_cglock has no transactions"])
        self.fails(2, "advise", "km-hc", "--block", "0", says=["1 to 1024"])

    def test_version(self):
        self.assertRegex(self.passes("--version"), r"^cowarp \d+\.\d+\.\d+\n"
                         r"commit    ([0-9a-f]{12}\+?|unknown)\nsources   sha256:[0-9a-f]{64}\ncompiler  \S+ [\d.]+, [^\n]+\n$")

    def test_no_command_is_a_wrong_request(self):
        self.assertEqual(self.run_it().returncode, 2)

    def test_list_as_json_names_what_the_text_names(self):
        text, data = self.passes("list"), json.loads(self.passes("list", "--json"))
        for kind in ["workloads", "systems", "persistency", "presets", "units"]:
            self.assertTrue(data[kind])
            for entry in data[kind]:
                self.assertIn(entry["name"], text)
        for entry in data["mechanisms"]:
            self.assertIn(entry["name"], text)
        for unit in data["units"]:
            line = next(line for line in text.splitlines() if line.split()[:1] == [unit["name"]])
            self.assertTrue(line.endswith(f"; {unit['clock_mhz']} MHz at {unit['node_nm']} nm)"), line)
            self.assertGreaterEqual(unit["clock_mhz"], 100)
        self.assertEqual(sum(w["recovers"] for w in data["workloads"]), text.count("; recovers after a crash"))
        tx = {w["name"] for w in data["workloads"] if "tx" in w["variants"]}
        self.assertTrue({"ht-h", "ht-m", "ht-l", "atm"} <= tx)

    def test_full_disk(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            r = subprocess.run([COWARP, "list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(r.returncode, 1)
        self.assertIn("standard output", r.stderr)


class Config(Command):
    def test_printed_file_is_read_back(self):
        printed = self.passes("config", "--preset", "getm-56", "--set", "core.scheduler=lrr")
        file = self.write("machine.toml", printed.encode())
        again = self.passes("config", "--config", file)
        values = lambda text: re.findall(r"^(\[.*\]|\w+ = \S+)", text, re.M)
        self.assertEqual(values(printed), values(again))
        self.assertIn('scheduler = "lrr"', again)
        self.assertIn("count = 56", again)

    @staticmethod
    def flat(tables, prefix=""):
        """{"core.count": 15, ...} of nested tables."""
        values = {}
        for name, value in tables.items():
            values.update(Config.flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value})
        return values

    def test_every_preset_is_toml_and_is_read_back(self):
        """Another reader of TOML takes it, and finds what the statistics of a run name."""
        for preset in (entry["name"] for entry in json.loads(self.passes("list", "--json"))["presets"]):
            with self.subTest(preset):
                printed = self.passes("config", "--preset", preset)
                values = self.flat(tomllib.loads(printed))
                self.assertEqual(values, self.flat(tomllib.loads(self.passes("config", "--config", self.write("machine.toml", printed.encode())))))
        self.passes("run", "vecadd", "--preset", "sbrp-near", "--param", "n=32", "--stats", "s.json")
        self.assertEqual(self.flat(tomllib.loads(self.passes("config", "--preset", "sbrp-near"))), json.loads(self.read("s.json"))["config"])

    def test_keys_of_persistency_models(self):
        """Only a model reads them. The machine's own keys of the table [pm] are always read."""
        small = ["run", "vecadd", "--param", "n=32", "--quiet"]
        for setting in ("pm.latency=100", "pm.attach=far", "pm.wpq=1"):
            self.passes(*small, "--set", setting)
        self.passes(*small, "--preset", "sbrp-artifact-near")
        for model in ("gpm", "epoch"):
            self.passes(*small, "--preset", "sbrp-near", "--persistency", model, "--set", "pm.fence_cycles=3")
            self.fails(2, *small, "--preset", "sbrp-near", "--persistency", model, "--set", "pm.window=3", says=["pm.window", model, "--persistency sbrp"])
        self.passes(*small, "--preset", "sbrp-near", "--persistency", "sbrp", "--set", "pm.window=3")

    # What this machine does not read, and what would give it a meaning.
    UNREAD = [(["ht-h", "--system", "warptm", "--set", "getm.table_rows=64"], "getm.table_rows", "--system getm"),
              (["ht-h", "--system", "getm", "--set", "kilo.entries=64"], "kilo.entries", "--system kilotm, warptm"),
              (["ht-h", "--system", "warptm", "--set", "eapg.cat_entries=64"], "eapg.cat_entries", "--system eapg"),
              (["ht-h", "--system", "kilotm", "--set", "warptm.coalesce=off"], "warptm.coalesce", "--system warptm"),
              (["ht-h", "--system", "kilotm", "--set", "tcd.rows=64"], "tcd.rows", "tcd.mode=closed"),
              (["ht-h", "--system", "warptm", "--set", "tm.granule_bytes=64"], "tm.granule_bytes", "--system getm"),
              (["ht-h", "--system", "fglock", "--tx-warps", "4"], "tm.warps", "--system getm"),
              (["ht-h", "--set", "si.versions=4"], "si.versions", "--system sitm-ts"),
              (["ht-h", "--preset", "si-tm", "--system", "sitm-oracle", "--set", "si.step=4"], "si.step", "--system sitm-ts"),
              (["ht-h", "--preset", "si-tm", "--system", "sitm-ts", "--set", "si.mode=off", "--set", "si.versions=4"], "si.versions", "si.mode=on"),
              (["vecadd", "--set", "ltm.latency=4"], "ltm.latency", "--system localtm"),
              (["vecadd", "--set", "tbc.priority=age"], "tbc.priority", "--control tbc"),
              (["vecadd", "--set", "dwf.lut_ways=4"], "dwf.lut_ways", "--control dwf"),
              (["vecadd", "--set", "pm.link_mbps=1000"], "pm.link_mbps", "pm.attach=far"),
              (["vecadd", "--set", "icache.ways=2"], "icache.ways", "core.buffer and icache.bytes above 0"),
              (["vecadd", "--set", "const.ways=4"], "const.ways", "const.bytes above 0"),
              (["vecadd", "--set", "core.reg_banks=8"], "core.reg_banks", "core.collectors above 0"),
              (["vecadd", "--set", "fu.max_interval=8"], "fu.max_interval", "fu.max_latency above 0"),
              (["vecadd", "--set", "dram.copy_ns=8"], "dram.copy_ns", "--system sitm-ts")]

    def test_keys_that_nothing_reads(self):
        """One rule for all: three runs that differ by such a key alone would be equal, without a word."""
        for words, key, needs in self.UNREAD:
            self.fails(2, "run", *words, says=[key + ": ", "it needs ", needs])
        # With what they need they are read.
        small = ["--param", "blocks=2", "--param", "buckets=100", "--quiet"]
        self.passes("run", "ht-h", "--system", "eapg", "--set", "eapg.cat_entries=64", *small)
        self.passes("run", "ht-h", "--system", "kilotm", "--set", "tcd.mode=closed", "--set", "tcd.rows=64", *small)
        self.passes("run", "vecadd", "--param", "n=32", "--quiet", "--set", "const.bytes=2048", "--set", "const.ways=4")
        self.passes("advise", "km-hc", "--preset", "localtm", "--set", "ltm.max_words=1000")

    def test_files_of_keys_that_nothing_reads(self):
        """The line is told. A file of all keys is a machine of its own, as a preset is."""
        small = ["run", "vecadd", "--param", "n=32", "--quiet"]
        file = self.write("part.toml", b"[core]\ncount = 2\n[getm]\ntable_rows = 64\n")
        self.fails(2, *small, "--config", file, says=["part.toml:4: getm.table_rows", "--system getm"])
        for preset in ("thesis-warptm", "sbrp-artifact-near", "localtm", "gtx480"):
            self.passes(*small, "--config", self.write("whole.toml", self.passes("config", "--preset", preset).encode()))

    def test_lists_the_parameters_of_a_table(self):
        keys = [key for key in self.flat(tomllib.loads(self.passes("config"))) if key.startswith("dram.")]
        text = self.passes("config", "dram")
        self.assertEqual([line.split(" = ")[0] for line in text.splitlines()], keys)
        self.assertIn("dram.queue = 32 requests", text)
        self.assertIn("\ngetm is a preset as well: cowarp config --preset getm\n", self.passes("config", "getm"))

    def test_json_of_no_parameter(self):
        self.fails(2, "config", "--json", "core.cout", says=["unknown parameter 'core.cout'", "core.count"])
        self.assertEqual([key["name"] for key in json.loads(self.passes("config", "--json", "core.count"))], ["core.count"])

    def test_explains_one_parameter(self):
        text = self.passes("config", "dram.queue")
        for word in ["dram.queue = 32 requests", "1 to 1024", "GETM Table II"]:
            self.assertIn(word, text)

    def test_order_of_preset_file_and_settings(self):
        file = self.write("machine.toml", b"[core]\ncount = 7\nwarps = 8\n")
        text = self.passes("config", "core.count", "--preset", "getm-56", "--config", file)
        self.assertIn("core.count = 7", text)
        text = self.passes("config", "core.count", "--config", file, "--set", "core.count=9")
        self.assertIn("core.count = 9", text)


class Exec(Command):
    def test_numbers(self):
        self.exec_it("numbers", "--arg", "u32:4294967295", "--arg", "s32:-2147483648", "--arg", "u64:0xfedcba9876543210", "--arg",
                     "s64:-9223372036854775808", "--arg", "f32:-0x1.8p-149", "--arg", "f64:1e-310", "--arg", "out:n.bin:48", block="1")
        a, b, c, d, e, f = struct.unpack("<I4xi4xQqf4xd", self.read("n.bin"))
        self.assertEqual((a, b, c, d), (2**32 - 1, -2**31, 0xFEDCBA9876543210, -2**63))
        self.assertEqual(f, 1e-310)
        self.assertEqual(e, -2.0**-148)  # 1.5 x 2^-149 lies between two denormals: to even
        self.exec_it("numbers", "--arg", "u32:0x10", "--arg", "s32:2147483647", "--arg", "u64:0", "--arg", "s64:1", "--arg", "f32:nan",
                     "--arg", "f64:-inf", "--arg", "out:n.bin:48", block="1")
        a, b, c, d, e, f = struct.unpack("<I4xi4xQqf4xd", self.read("n.bin"))
        self.assertEqual((a, b, c, d, f), (16, 2**31 - 1, 0, 1, -math.inf))
        self.assertTrue(math.isnan(e))

    def test_narrow_parameters(self):
        self.exec_it("narrow", "--arg", "u32:255", "--arg", "s32:-2", "--arg", "out:n.bin:4", block="1")
        self.assertEqual(struct.unpack("<HH", self.read("n.bin")), (255, 0xFFFE))

    def test_buffers(self):
        n = 640
        words = [(i * 2654435761) % 2**32 for i in range(n)]
        both = [i * i for i in range(n)]
        self.write("in.bin", struct.pack(f"<{n}I", *words))
        self.write("both.bin", struct.pack(f"<{n}I", *both))
        self.exec_it("buffers", "--arg", "in:in.bin", "--arg", f"out:out.bin:{4 * n}", "--arg", "inout:both.bin", "--arg", f"zero:{4 * n}",
                     grid="5", block="128")
        self.assertEqual(list(struct.unpack(f"<{n}I", self.read("out.bin"))), words)
        self.assertEqual(list(struct.unpack(f"<{n}I", self.read("both.bin"))), [(3 * b + i) % 2**32 for i, b in enumerate(both)])
        self.assertEqual(list(struct.unpack(f"<{n}I", self.read("in.bin"))), words)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["both.bin", "in.bin", "out.bin"])

    def test_shared_memory(self):
        words = list(range(100, 196))
        data = struct.pack("<96I", *words)
        self.write("a.bin", data)
        self.exec_it("reverse", "--arg", "local:384", "--arg", "inout:a.bin", block="96")
        self.assertEqual(list(struct.unpack("<96I", self.read("a.bin"))), words[::-1])
        self.write("a.bin", data)
        self.exec_it("reverse_dynamic", "--arg", "inout:a.bin", "--shared", "384", block="96")
        self.assertEqual(list(struct.unpack("<96I", self.read("a.bin"))), words[::-1])

    def test_shapes(self):
        grid, block = (3, 2, 2), (5, 4, 3)
        count = math.prod(grid) * math.prod(block)
        self.exec_it("position", "--arg", f"out:p.bin:{8 * count}", grid="3,2,2", block="5,4,3")
        order = lambda s: [(x, y, z) for z in range(s[2]) for y in range(s[1]) for x in range(s[0])]
        expected = [bytes([*b, 0, *t, 0]) for b in order(grid) for t in order(block)]
        self.assertEqual(self.read("p.bin"), b"".join(expected))

    def words(self, name, *values):
        self.write(name, struct.pack(f"<{len(values)}I", *values))
        return name

    def test_structs_and_symbols(self):
        five = "--arg", "bytes:" + self.words("five.bin", 11, 12, 13, 14, 15)
        out = "--arg", "out:v.bin:40"
        self.exec_it("by_value", *five, *out, block="1")
        self.assertEqual(struct.unpack("<10I", self.read("v.bin")), (1, 2, 3, 4, 0, 11, 12, 13, 14, 15))
        self.exec_it("by_value", *five, *out, "--symbol", "factors=" + self.words("f.bin", 70, 80), "--symbol",
                     "sum_of=" + self.words("s.bin", 8, 9), block="1")
        self.assertEqual(struct.unpack("<10I", self.read("v.bin")), (70, 80, 3, 4, 9, 11, 12, 13, 14, 15))
        shape = ["exec", PTX, "--kernel", "by_value", "--grid", "1", "--block", "1"]
        four = self.words("four.bin", 1, 2, 3, 4)
        self.fails(2, *shape, "--arg", "bytes:" + four, "--arg", "zero:40", says=["argument 1", "20 bytes", "16"])
        self.fails(2, *shape, "--arg", "u64:1", "--arg", "zero:40", says=["argument 1", "20 bytes", "8"])
        self.fails(2, *shape, *five, "--arg", "zero:40", "--symbol", "nobody=" + four, says=["no variable 'nobody'"])
        self.fails(2, *shape, *five, "--arg", "zero:40", "--symbol", "sum_of=" + four, says=["sum_of", "8 bytes", "16 at offset 0"])

    def test_file_names_with_colons_and_links(self):
        self.write("real.bin", b"old")
        os.symlink("real.bin", self.path("a:b.bin"))
        self.exec_it("narrow", "--arg", "u32:1", "--arg", "u32:2", "--arg", "out:a:b.bin:4", block="1")
        self.assertEqual(self.read("real.bin"), struct.pack("<HH", 1, 2))
        self.assertTrue(os.path.islink(self.path("a:b.bin")))

    def test_output_to_a_device_leaves_the_device(self):
        self.exec_it("narrow", "--arg", "u32:1", "--arg", "u32:2", "--arg", "out:/dev/null:4", block="1")
        self.assertFalse(os.path.isfile("/dev/null"))

    def test_failures_write_nothing(self):
        self.write("keep.bin", bytes(4))
        shape = ["--grid", "1", "--block", "32"]
        r = self.fails(1, "exec", PTX, "--kernel", "fault", *shape, says=["fault"])
        self.fails(1, "exec", PTX, "--kernel", "traps", *shape, says=["trap"])
        self.fails(1, "exec", PTX, "--kernel", "endless", *shape, "--arg", "inout:keep.bin", "--max-cycles", "20000", says=["not finished"])
        self.fails(1, "exec", PTX, "--kernel", "endless", *shape, "--arg", "out:new.bin:4", "--max-cycles", "20000", says=["not finished"])
        self.assertEqual(self.read("keep.bin"), bytes(4))
        self.assertEqual(os.listdir(self.folder.name), ["keep.bin"])
        self.assertNotIn("passed", r.stdout)

    def test_simt_deadlock_is_reported(self):
        self.write("lock.bin", bytes(4))
        r = self.fails(1, "exec", PTX, "--kernel", "spin", "--grid", "1", "--block", "32", "--arg", "inout:lock.bin", "--set",
                       "watchdog.cycles=20000", "--set", "watchdog.livelock_cycles=50000", says=["spin"])
        self.assertGreater(r.stderr.count("\n"), 1)
        self.assertRegex(r.stderr, "(?i)lock")
        self.assertEqual(self.read("lock.bin"), bytes(4))


class Loops(Command):
    """A loop out of which no way leads is a livelock, and a loop that only computes for long is none."""

    KERNELS = """.version 6.0
.target sm_70
.address_size 64
.visible .entry alone() { L: bra L; ret; }
.visible .entry two() { .reg .b32 %r<3>; A: add.u32 %r0, %r0, 1; bra B; B: bra A; }
.visible .entry parted() { .reg .b32 %r<3>; .reg .pred %p<2>; mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 5; @%p0 bra L; ret; L: bra L; }
.visible .entry long() { .reg .b32 %r<3>; .reg .pred %p<2>; mov.u32 %r0, 0; L: add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 3000; @%p0 bra L; ret; }
.visible .entry leaves() { .reg .b32 %r<3>; .reg .pred %p<2>; mov.u32 %r0, 0; L: add.u32 %r0, %r0, 1; setp.ge.u32 %p0, %r0, 3000; @%p0 exit; bra L; }
"""

    def test_loops(self):
        path = self.write("loops.ptx", self.KERNELS.encode())
        shape = ["--grid", "2", "--block", "32", "--set", "watchdog.cycles=10000", "--set",
                 "watchdog.livelock_cycles=20000", "--max-cycles", "2000000"]
        for kernel in ("alone", "two", "parted"):
            for policy in ("pdom", "tbc"):
                r = self.fails(1, "exec", path, "--kernel", kernel, *shape, "--set", f"core.divergence={policy}", "--set", "core.scheduler=lrr",
                               "--set", "core.warps=32", says=["watchdog.livelock_cycles"])
                self.assertIn("loops.ptx", r.stderr)
        for kernel in ("long", "leaves"):
            self.passes("exec", path, "--kernel", kernel, *shape)


class PersistentMemory(Command):
    """Regions of cowarp exec, and their file."""

    def line(self, region, *more, file="x.pm"):
        return ["exec", PTX, "--kernel", "position", "--grid", "1", "--block", "32", "--arg", region, "--pm", self.path(file), *more]

    def test_a_wrong_request_changes_no_file(self):
        self.passes(*self.line("pm:some:4096"))
        before = self.read("x.pm")
        for region, more, says in (("pm:some:4097", (), "has 4096 bytes, 4097 are asked for"), ("pm:a b:4096", (), "is no name"),
                                   ("pm:more:9000000000", (), "memory"), ("u32:5", (), "argument 1"),
                                   ("pm:some:4096", ("--set", "pm.mbytes=0"), "set pm.mbytes higher"),
                                   ("pm:some:4096", ("--system", "getm"), "transactional system getm")):
            r = self.run_it(*self.line(region, *more))
            self.assertEqual((r.returncode in (1, 2), r.stderr.count("\n")), (True, 1), r.stderr)
            self.assertIn(says, r.stderr)
            self.assertEqual(self.read("x.pm"), before)
        self.assertEqual(os.listdir(self.folder.name), ["x.pm"])

    def test_a_run_that_is_killed_while_it_writes_leaves_the_old_file(self):
        big, kills = ["--quiet", "--set", "pm.mbytes=512"], 0
        self.passes(*self.line("pm:some:200000000", *big))
        before = self.read("x.pm")
        for _ in range(20):
            run = subprocess.Popen([COWARP, *self.line("pm:some:200000000", *big)], stdout=subprocess.DEVNULL)
            while run.poll() is None and len(os.listdir(self.folder.name)) < 3: # the file, its lock, and the new file
                pass
            run.kill()
            kills += run.wait() != 0 and len(os.listdir(self.folder.name)) == 3
            for name in set(os.listdir(self.folder.name)) - {"x.pm", "x.pm.lock"}:
                os.remove(self.path(name))
            self.assertTrue(self.read("x.pm") == before) # not assertEqual, which would print both
            if kills > 2:
                break
        self.assertGreater(kills, 0)
        self.passes(*self.line("pm:some:200000000", *big)) # the lock of a process that is gone locks nothing
        self.assertEqual(os.listdir(self.folder.name), ["x.pm"])

    def lock(self):
        """The lock of x.pm, held by this process; None when another holds it."""
        lock = open(self.path("x.pm.lock"), "w", encoding="utf-8")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except BlockingIOError:
            lock.close()
            return None

    def test_a_file_in_use(self):
        with self.lock():
            self.fails(2, *self.line("pm:some:4096"), says=["x.pm: is in use by another run"])
        self.passes(*self.line("pm:some:4096"))

    def test_a_run_holds_its_file(self):
        spin = ["exec", PTX, "--kernel", "endless", "--grid", "1", "--block", "32", "--arg", "zero:64", "--pm", self.path("x.pm"),
                "--set", "watchdog.livelock_cycles=50000000"]
        held, tries = False, 0
        while not held and tries < 5: # a run that meets the lock of this test refuses to start
            tries += 1
            run = subprocess.Popen([COWARP, *spin], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while run.poll() is None and not held:
                if os.path.exists(self.path("x.pm.lock")):
                    lock = self.lock()
                    held = lock is None
                    if lock:
                        lock.close()
            run.kill()
            run.wait()
        self.assertTrue(held)


class Statistics(Command):
    SMALL = ["run", "ht-h", "--param", "blocks=6", "--param", "buckets=200", "--seed", "7"]

    def test_members_and_conservation(self):
        self.passes(*self.SMALL, "--stats", "s.json", "--check-serial")
        s = json.loads(self.read("s.json"))
        for name in TOP_LEVEL:
            self.assertIn(name, s)
        self.assertEqual((s["workload"], s["variant"], s["system"], s["preset"], s["seed"], s["check"], s["error"]),
                         ("ht-h", "tx", "getm", "getm", 7, "passed", None))
        self.assertEqual(s["units"], {"validation_unit": "c", "ownership_table": "c"})
        self.assertEqual(s["mechanisms"], [])
        self.assertEqual(s["config"]["core.count"], 15)
        self.assertEqual(s["config"]["core.scheduler"], "gto")
        for name, c in s["counters"].items():
            self.assertIsInstance(c["value"], int, name)
            self.assertTrue(c["unit"] and c["definition"], name)
            whole = s["counters"].get(c.get("part_of"), c)
            self.assertEqual(whole["unit"], c["unit"], f"{name}: a part has the unit of the whole")
        counter = {name: c["value"] for name, c in s["counters"].items()}
        self.assertEqual(counter["tx_begun"], 6 * 192)  # one insertion per thread
        self.assertEqual(counter["tx_committed"], 6 * 192)
        self.assertEqual(counter["threads_exited"], 6 * 192)
        self.assertEqual(counter["blocks_finished"], 6)
        self.assertEqual(s["serializability"]["committed"], 6 * 192)
        self.assertNotIn("out_of_real_time", s["serializability"])
        self.passes(*self.SMALL, "--stats", "t.json", "--check-serial", "--real-time")
        self.assertEqual(json.loads(self.read("t.json"))["serializability"]["out_of_real_time"], 0)
        self.assertEqual(s["thread_instructions"], counter["thread_instructions"])
        self.assertAlmostEqual(s["simulated_us"], s["cycles"] / 1400, delta=0.01)
        self.assertAlmostEqual(s["derived"]["ipc"]["value"], s["thread_instructions"] / s["cycles"], places=4)
        self.assertAlmostEqual(s["derived"]["aborts_per_1k_commits"]["value"], 1000 * counter["tx_aborted"] / (6 * 192), places=3)

    def test_two_runs_differ_in_host_seconds_only(self):
        for name in ["a.json", "b.json"]:
            self.passes(*self.SMALL, "--stats", name)
        a, b = json.loads(self.read("a.json")), json.loads(self.read("b.json"))
        self.assertGreater(a.pop("host_seconds"), 0)
        self.assertGreater(b.pop("host_seconds"), 0)
        for s, name in ((a, "a.json"), (b, "b.json")):
            self.assertEqual(s["manifest"].pop("command")[-1], name)
        self.assertEqual(a, b)
        for name in ["a.json", "b.json"]:
            self.passes(*self.SMALL, "--stats", name, "--omit-host-seconds")
        self.assertEqual(self.read("a.json"), self.read("b.json"))
        self.assertNotIn(b"host_seconds", self.read("a.json"))

    def test_locks_and_shorthands(self):
        for system in ["fglock", "cglock"]:
            self.passes("run", "ht-h", "--param", "blocks=1", "--system", system, "--stats", "s.json")
            s = json.loads(self.read("s.json"))
            self.assertEqual((s["variant"], s["system"], s["units"], s["counters"]["tx_begun"]["value"]), (system, "none", {}, 0))

    def test_failed_run_says_failed(self):
        r = self.fails(1, *self.SMALL, "--max-cycles", "3000", "--stats", "s.json", "--check-serial", says=["not finished"])
        self.assertNotIn("serializable", r.stdout)  # nothing was judged
        s = json.loads(self.read("s.json"))
        self.assertEqual(s["check"], "failed")
        self.assertIn("not finished", s["error"])

    def test_sabotage_is_noticed(self):
        r = self.fails(1, "run", "ht-h", "--sabotage", "skip-owner-check", "--check-serial", "--stats", "s.json", says=["serializable"])
        self.assertNotIn("passed", r.stdout)
        s = json.loads(self.read("s.json"))
        self.assertEqual(s["check"], "failed")
        self.assertIsNotNone(s["serializability"]["violation"])

    def test_readable_by_others_and_old_file_replaced(self):
        self.write("s.json", b"old")
        self.passes(*self.SMALL, "--stats", "s.json")
        json.loads(self.read("s.json"))
        mask = os.umask(0)
        os.umask(mask)
        self.assertEqual(os.stat(self.path("s.json")).st_mode & 0o777, 0o666 & ~mask)

    def test_wave_file(self):
        self.passes(*self.SMALL, "--wave", "w.fst", "--wave-window", "100:120")
        self.assertGreater(len(self.read("w.fst")), 0)
        self.assertEqual(os.listdir(self.folder.name), ["w.fst"])

    def test_one_line_for_one_thing(self):
        r = self.fails(1, "run", "vecadd", "--max-cycles", "100", says=["cowarp: vecadd: not finished after 100 core cycles"])
        self.assertIn("result        failed\n", r.stdout)
        out = self.passes("run", "vecadd", "--param", "n=64", "--check-serial")
        self.assertNotIn("serializable", out)
        self.fails(2, "run", "vecadd", "--real-time", says=["--real-time goes with --check-serial"])
        self.assertIn("oracle        no transaction has committed, so there was nothing to judge\n", out)
        shape = ["exec", PTX, "--kernel", "narrow", "--grid", "1", "--block", "1", "--arg", "u32:1", "--arg", "u32:2"]
        self.assertRegex(self.passes(*shape, "--arg", "out:n.bin:4", "--stats", "s.json"), r"written       s.json\n  written       n.bin\n$")
        self.assertEqual(self.passes(*shape, "--arg", "out:n.bin:4", "--quiet"), "")

    def test_quiet_says_nothing(self):
        self.assertEqual(self.passes(*self.SMALL, "--quiet"), "")


class Files(Command):
    """Result files go where their names point or are refused, appear whole or not at all, and leave nothing else behind."""

    SMALL = ["run", "vecadd", "--param", "n=2048"]
    ENDLESS = ["exec", PTX, "--kernel", "endless", "--grid", "4", "--block", "32", "--arg", "zero:4", "--wave", "w.fst", "--set",
               "watchdog.livelock_cycles=4000000000", "--set", "watchdog.cycles=4000000000"]

    def left(self):
        return sorted(os.listdir(self.folder.name))

    def test_a_wave_needs_a_file(self):
        os.mkfifo(self.path("pipe"))
        os.symlink("pipe", self.path("link"))
        for name in ("pipe", "link", "/dev/null", "/dev/stdout"):
            self.fails(2, *self.SMALL, "--wave", name, says=[name + ": is a pipe or a device"])
            self.fails(2, "wave", "stall", "--backend", "c", "--wave", name, says=[name + ": is a pipe or a device"])
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode))
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.assertEqual(self.left(), ["link", "pipe"])

    WATCHES = [("--stats", "JSON"), ("--profile", "text"), ("--samples", "CSV"), ("--timeline", "JSON"), ("--konata", "a log for Konata"),
               ("--record-branches", "text")]

    def watch(self, option, path):
        return [*self.SMALL, option, path, *(["--sample", "100"] if option == "--samples" else [])]

    def test_standard_output_for_every_option(self):
        """Alone there: the same bytes as in a file, and no summary."""
        for option, _ in self.WATCHES:
            again = ["--omit-host-seconds"] if option == "--stats" else []
            self.passes(*self.watch(option, "f"), *again, "--quiet")
            self.assertEqual(self.passes(*self.watch(option, "-"), *again).encode(), self.read("f"), option)
            os.unlink(self.path("f"))
        out = subprocess.run([COWARP, "exec", PTX, "--kernel", "narrow", "--grid", "1", "--block", "1", "--arg", "u32:1", "--arg", "u32:2", "--arg", "out:-:4"],
                             stdout=subprocess.PIPE, check=True, timeout=240).stdout
        self.assertEqual(len(out), 4)
        self.fails(2, *self.SMALL, "--stats", "-", "--profile", "/dev/stdout", says=["--stats -", "--profile /dev/stdout", "both go to standard output"])
        for option in ("--wave", "--pm"):
            self.fails(2, *self.SMALL, option, "-", says=[option + " -", "name a file"])
        self.fails(2, "exec", PTX, "--kernel", "narrow", "--grid", "1", "--block", "1", "--arg", "inout:-", says=["inout:-"])
        self.assertEqual(self.left(), [])

    def test_standard_input_for_every_command_that_reads_a_file(self):
        """The same words as of the file, but for its name."""
        self.passes(*self.SMALL, "--stats", self.path("-.json"))
        source = pathlib.Path(PTX).resolve().parents[2]
        for file, before, after in ((self.path("-.json"), ["stats"], []), (self.path("-.json"), ["rerun"], []), (self.path("-.json"), ["diff", self.path("-.json")], []),
                                    (self.path("-.json"), ["report"], ["-o", "-"]),
                                    (source / "tests/litmus/ofence.lit", ["litmus"], ["--preset", "sbrp-near", "--persistency", "sbrp"]),
                                    (source / "tests/system/transactions.ptx", ["advise"], ["--preset", "localtm"])):
            said = []
            for name in (str(file), "-"):
                with open(file, "rb") as text:
                    done = subprocess.run([COWARP, *before, name, *after], stdin=text, capture_output=True, text=True, timeout=240, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                words = done.stdout.replace("stdin ", "ofence ").replace(str(file), "-").replace("/dev/stdin", "-").replace(os.path.basename(file), "-")
                said.append("\n".join(" ".join(line.split()) for line in words.splitlines() if set(line) - set("- ")))
            self.assertEqual(*said, before)

    def test_endings_that_promise_another_format(self):
        for option, form in [*self.WATCHES, ("--wave", "FST")]:
            for ending, other in (("vcd", "VCD"), ("csv", "CSV"), ("json", "JSON"), ("fst", "FST"), ("gz", "gzip"), ("SVG", "SVG")):
                if other != form and (option, ending) not in (("--wave", "vcd"), ("--timeline", "gz"), ("--konata", "gz")):
                    self.fails(2, *self.watch(option, "a." + ending), says=[f"{option} a.{ending}", f"the name promises {other}, and {form} is written"])
        self.assertEqual(self.left(), [])

    def test_full_disks(self):
        """What could not be written is not said to be."""
        for option, _ in self.WATCHES:
            r = self.run_it(*self.watch(option, "/dev/full"))
            self.assertEqual((r.returncode, len(r.stderr.splitlines())), (1, 1), (option, r.stderr))
            self.assertIn("/dev/full", r.stderr)
            self.assertNotIn("/dev/full", r.stdout, option)

    def test_what_is_read_is_not_replaced(self):
        narrow = ["exec", PTX, "--kernel", "narrow", "--grid", "1", "--block", "1"]
        data, os_link = self.write("data.bin", b"abcdefgh"), self.path("link")
        os.symlink("data.bin", os_link)
        for words, says in ((["--arg", "in:data.bin", "--arg", "out:data.bin:1024"], "--arg in:data.bin"), (["--arg", "in:link", "--arg", "out:./data.bin:4"], "in:link"),
                            (["--arg", "bytes:data.bin", "--stats", "data.bin"], "bytes:data.bin"), (["--symbol", "s=data.bin", "--arg", "out:data.bin:4"], "--symbol"),
                            (["--arg", "in:data.bin", "--arg", "inout:data.bin"], "in:data.bin"), (["--config", "data.bin", "--profile", "data.bin"], "--config")):
            self.fails(2, *narrow, *words, says=[says, "would be replaced"])
        self.fails(2, "exec", self.write("k.ptx", b"// text"), "--kernel", "k", "--grid", "1", "--block", "1", "--arg", "out:k.ptx:4", says=["k.ptx is read"])
        self.assertEqual(self.read("data.bin"), b"abcdefgh")
        self.fails(2, *self.SMALL, "--wave", "w.fst", "--wave-on", "cycle:5", "--record-branches", "w.gtkw", says=["w.gtkw"])
        self.assertEqual(self.left(), ["data.bin", "k.ptx", "link"])

    def test_a_wrong_request_leaves_no_wave(self):
        self.write("w.fst", b"before")
        self.fails(2, "exec", PTX, "--kernel", "number", "--grid", "1", "--block", "1", "--wave", "w.fst", says=["no kernel 'number'"])
        self.assertEqual((self.left(), self.read("w.fst")), (["w.fst"], b"before"))

    def test_a_pipe_without_a_reader(self):
        """The run waits for one, and a signal that it catches ends the wait."""
        os.mkfifo(self.path("pipe"))
        for option, _ in self.WATCHES[:2]:
            p = subprocess.Popen([COWARP, *self.SMALL, option, "pipe"], cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.addCleanup(lambda p=p: p.poll() is None and p.kill())
            until = time.monotonic() + 60  # until it catches signals, whatever it is doing then
            while time.monotonic() < until and not int(re.search(r"SigCgt:\s*(\w+)", pathlib.Path(f"/proc/{p.pid}/status").read_text()).group(1), 16) >> 14 & 1:
                time.sleep(0.01)
            self.assertIsNone(p.poll())
            p.send_signal(signal.SIGTERM)
            _, said = p.communicate(timeout=60)
            self.assertEqual(p.returncode, 143, said)
        p = subprocess.Popen([COWARP, *self.SMALL, "--stats", "pipe"], cwd=self.folder.name, stdout=subprocess.DEVNULL)
        with open(self.path("pipe"), "rb") as pipe:
            self.assertEqual(json.loads(pipe.read())["workload"], "vecadd")
        self.assertEqual(p.wait(timeout=60), 0)

    def test_links_are_followed(self):
        os.mkdir(self.path("there"))
        self.write("there/old.fst", b"old")
        for option, link, target in (("--wave", "a.fst", "there/old.fst"), ("--wave", "b.fst", "there/new.fst"), ("--stats", "c.json", "d.json"),
                                     ("--stats", "e.json", self.path("there/f.json"))):
            os.symlink(target, self.path(link))
            self.passes(*self.SMALL, option, link)
            self.assertEqual(os.readlink(self.path(link)), target)
            self.assertGreater(len(self.read(target)), 1000)
        os.symlink("d.json", self.path("round"))
        os.remove(self.path("d.json"))
        os.symlink("round", self.path("d.json"))
        self.fails(2, *self.SMALL, "--stats", "round", says=["round: ", "symbolic links"])
        self.assertEqual(self.left(), ["a.fst", "b.fst", "c.json", "d.json", "e.json", "round", "there"])

    def test_files_that_may_grow_no_more(self):
        """Of a limit on the size of files, each write comes to its end at another place."""
        for bytes_ in (0, 200, 1024, 3000, 9000):
            limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_))
            for option, name in (("--wave", "w.fst"), ("--stats", "s.json"), ("--record-branches", "b")):
                if option == "--record-branches" and bytes_ > 0: # a short file
                    continue
                r = subprocess.run([COWARP, *self.SMALL, option, name], capture_output=True, text=True, timeout=240, cwd=self.folder.name,
                                   preexec_fn=limit)
                self.assertEqual((r.returncode, r.stderr), (1, f"cowarp: {name}: cannot be written: File too large\n"))
                self.assertNotIn("written", r.stdout)
                self.assertNotIn("recorded", r.stdout)
                self.assertEqual(self.left(), [])

    def test_a_full_file_system(self):
        """Runs fill a file system of 64 KB; each of the later ones says so, and what the earlier ones have written stays."""
        script = f"""mount -t tmpfs -o size=64k cowarp {self.folder.name} && cd {self.folder.name} || exit 77
            for i in 1 2 3 4 5 6 7; do {COWARP} {" ".join(self.SMALL)} --quiet --wave $i.fst && echo $i || echo failed $?; done
            ls; stat -c %s *.fst | uniq | wc -l"""
        r = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script], capture_output=True, text=True, timeout=240,
                           check=False)
        if r.returncode in (1, 77) and "failed" not in r.stdout:
            self.skipTest("this machine lets nobody mount a file system of its own: " + r.stderr)
        lines = r.stdout.split("\n")
        whole = lines.index("failed 1")
        self.assertGreater(whole, 0)
        self.assertEqual(lines[whole:7], (7 - whole) * ["failed 1"], r.stdout)
        self.assertEqual(lines[7:-1], [f"{i}.fst" for i in range(1, whole + 1)] + ["1"], r.stdout)
        self.assertEqual(re.sub(r"\d", "N", r.stderr), (7 - whole) * "cowarp: N.fst: cannot be written: No space left on device\n")

    def test_one_name_for_two_files(self):
        os.symlink("a", self.path("b"))
        for args in (["--stats", "a", "--wave", "a"], ["--stats", "a", "--wave", "./b"], ["--wave", self.path("a"), "--record-branches", "a"],
                     ["--stats", "a", "--pm", "a"]):
            self.fails(2, *self.SMALL, *args, says=[f"{args[0]} {args[1]} and {args[2]} {args[3]}: the same file"])
        shape = ["exec", PTX, "--kernel", "narrow", "--grid", "1", "--block", "1", "--arg", "u32:1", "--arg", "u32:2"]
        self.fails(2, *shape, "--arg", "out:a:4", "--stats", "a", says=["--arg out:a:4 and --stats a: the same file"])
        self.passes(*self.SMALL, "--stats", "/dev/null", "--record-branches", "/dev/null")
        self.assertEqual(self.left(), ["b"])

    def test_statistics_on_standard_output(self):
        """They are alone there, and a file that already holds something keeps it."""
        for name in ("-", "/dev/stdout", "/dev/fd/1"):
            self.assertEqual(json.loads(self.passes(*self.SMALL, "--stats", name))["workload"], "vecadd")
        self.write("log", b"before\n")
        with open(self.path("log"), "ab") as log:
            subprocess.run([COWARP, *self.SMALL, "--stats", "-"], stdout=log, check=True, timeout=240)
        self.assertEqual(json.loads(self.read("log").removeprefix(b"before\n"))["workload"], "vecadd")
        self.assertEqual(self.left(), ["log"])

    def start(self):
        p = subprocess.Popen([COWARP, *self.ENDLESS], cwd=self.folder.name, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        before, until = len(self.left()), time.monotonic() + 60
        while len(self.left()) == before and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(0.1)
        self.assertIsNone(p.poll())
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        return p

    def test_what_a_killed_run_leaves_the_next_one_removes(self):
        mine = self.write("w.fst.cowarp-abc.txt", b"of the user")
        first = self.start()
        second = self.start()
        self.assertEqual(len(self.left()), 3) # that of a process that runs stays
        second.kill()
        second.wait()
        self.passes(*self.SMALL, "--wave", "w.fst")
        self.assertEqual(len(self.left()), 3)
        self.assertIn("w.fst", self.left())
        first.kill()
        first.wait()
        self.passes(*self.SMALL, "--wave", "w.fst")
        self.assertEqual(self.left(), ["w.fst", os.path.basename(mine)])


class Branches(Command):
    """--record-branches of one run, and --lcp-profile of another one."""

    KERNELS = b""".version 6.0
.target sm_70
.address_size 64
.visible .entry left(.param .u64 out)
{
.reg .b32 %r<3>; .reg .pred %p<2>; .reg .b64 %d<3>;
mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 5; mov.u32 %r1, 1;
@%p0 bra X;
mov.u32 %r1, 2;
X: ld.param.u64 %d0, [out]; mad.wide.u32 %d1, %r0, 4, %d0; st.global.u32 [%d1], %r1;
ret;
}
.visible .entry right(.param .u64 out)
{
ret;
}
"""
    PROFILE = ["--set", "core.lcp=profile", "--lcp-profile", "b"]

    def record(self, kernel, *args, block="100"):
        return self.passes("exec", self.write("k.ptx", self.KERNELS), "--kernel", kernel, "--grid", "3", "--block", block, "--arg", "out:o:400",
                           "--set", "core.warps=32", "--set", "core.scheduler=lrr", *args)

    def refuses(self, *says, kernel="left", ptx="k.ptx"):
        if os.path.exists(self.path("o")):
            os.remove(self.path("o"))
        self.fails(2, "exec", self.path(ptx), "--kernel", kernel, "--grid", "3", "--block", "100", "--arg", "out:o:400", "--stats", "s.json",
                   *self.PROFILE, says=says)
        self.assertFalse(os.path.exists(self.path("s.json")))
        self.assertFalse(os.path.exists(self.path("o")))

    def test_threads_by_way(self):
        out = self.record("left", "--record-branches", "b")
        self.assertIn("  recorded      b\n", out)
        lines = self.read("b").decode().split("\n")
        self.assertEqual(lines[0], "cowarp branches 1")
        self.assertRegex(lines[1], r"^kernel left [0-9a-f]{16} 1$")
        self.assertEqual(lines[2:], ["branch 3 line 8: 5=15 next=285", "end", ""])  # 3 blocks: threads 0 to 4, and 95 others

    def test_one_file_whatever_the_machine(self):
        self.record("left", "--record-branches", "b")
        for args in (["--set", "core.divergence=tbc"], ["--set", "core.divergence=tbc", "--unit", "block_stack=lockstep"],
                     ["--set", "core.divergence=dwf", "--set", "core.schedulers=1"], ["--set", "core.count=1"], self.PROFILE):
            self.record("left", "--record-branches", "again", *args)
            self.assertEqual(self.read("again"), self.read("b"), args)
        self.record("left", "--record-branches", "b", *self.PROFILE)  # read before it is written
        self.assertEqual(self.read("again"), self.read("b"))

    def test_bad_profiles(self):
        self.record("left", "--record-branches", "b")
        good = self.read("b")
        for data, says in [
            (b"", ["b:1: the file is empty"]),
            (b"{}\n", ["b:1: these are no counts of branches"]),
            (good.replace(b"branches 1", b"branches 7"), ["b:1: counts of branches in version 7"]),
            (good[:-4], ["b:4: the file ends here"]),
            (good[:-8], ["b:3: the file ends here"]),
            (good.replace(b"285", b"-5"), ["b:3: '-5': no count of threads"]),
            (good.replace(b"285", b"18446744073709551616"), ["b:3: '18446744073709551616': no count of threads"]),
            (good.replace(b"branch 3", b"branch 4"), ["b:3: kernel 'left' has no such branch"]),
            (good.replace(b" 5=", b" 6="), ["b:3: kernel 'left' has no such branch"]),
            (re.sub(rb" 1\nbranch.*", b" 0", good), ["b:2: kernel 'left' has no such branch"]),
            (re.sub(rb"left .{16}", b"left 0123456789abcdef", good), ["b:2: kernel 'left' is not the one of", "k.ptx"]),
        ]:
            with self.subTest(data):
                self.write("b", data)
                self.refuses(*says)
        self.write("b", good)
        self.write("other.ptx", self.KERNELS.replace(b"%r0, 5", b"%r0, 6"))
        self.refuses("b:2: kernel 'left' is not the one of", "other.ptx", ptx="other.ptx")
        self.refuses("kernel right: not in b", kernel="right")

    def test_a_run_that_fails_leaves_the_file(self):
        self.write("b", b"old")
        self.fails(1, "exec", PTX, "--kernel", "fault", "--grid", "1", "--block", "32", "--record-branches", "b", says=["fault"])
        self.fails(1, "run", "wsreduce", "--preset", "thesis-tbc", "--set", "core.divergence=dwf", "--record-branches", "b", says=["wrong result"])
        self.assertEqual(self.read("b"), b"old")
        self.assertEqual(os.listdir(self.folder.name), ["b"])


class Ends(Command):
    """Runs that somebody ends."""

    ENDLESS = ["exec", PTX, "--kernel", "endless", "--grid", "4", "--block", "32", "--arg", "inout:flag.bin", "--stats", "s.json",
               "--record-branches", "b", "--set", "watchdog.livelock_cycles=4000000000", "--set", "watchdog.cycles=4000000000"]

    def test_a_run_without_a_terminal_goes_on(self):
        """nohup ignores SIGHUP, and so does the run."""
        p = self.start(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        p.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        self.assertIsNone(p.poll())
        p.send_signal(signal.SIGTERM)
        p.communicate(timeout=LONG_S)
        self.assertEqual(p.returncode, 143)

    def test_an_interrupted_run_leaves_no_lock(self):
        """Persistent memory's file is as it was: here it is not there."""
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            p = self.start(*("pm:some:4" if word.startswith("inout") else word for word in self.ENDLESS), "--pm", "x.pm")
            p.send_signal(number)
            p.communicate(timeout=LONG_S)
            self.assertEqual(p.returncode, 128 + number)
            self.assertLessEqual(set(os.listdir(self.folder.name)), {"flag.bin", "x.pm"})

    def start(self, *words, **kw):
        self.write("flag.bin", bytes(4))
        p = subprocess.Popen([COWARP, *(words or self.ENDLESS)], cwd=self.folder.name, stderr=subprocess.PIPE, stdout=subprocess.PIPE, **kw)
        self.addCleanup(p.stdout.close)
        self.addCleanup(p.stderr.close)
        self.assertTrue(wait_for(lambda: p.poll() is not None or is_busy(p)))
        self.assertIsNone(p.poll())
        return p

    def test_interrupt(self):
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            p = self.start()
            p.send_signal(number)
            out, err = p.communicate(timeout=LONG_S)
            self.assertEqual(p.returncode, 128 + number)
            self.assertRegex(err.decode(), r"^cowarp: .*interrupted after \d+ cycles.*\n$")
            self.assertEqual(out, b"")
            self.assertEqual(os.listdir(self.folder.name), ["flag.bin"])

    def test_kill_leaves_no_file(self):
        p = self.start()
        p.kill()
        p.communicate(timeout=LONG_S)
        self.assertEqual(p.returncode, -signal.SIGKILL)
        self.assertEqual(os.listdir(self.folder.name), ["flag.bin"])
        self.assertEqual(self.read("flag.bin"), bytes(4))

    def test_progress_line_on_a_terminal_only(self):
        master, slave = pty.openpty()
        self.write("flag.bin", bytes(4))
        p = subprocess.Popen([COWARP, *self.ENDLESS], cwd=self.folder.name, stderr=slave, stdout=subprocess.PIPE)
        os.close(slave)
        text = b""
        while b"blocks" not in text and select.select([master], [], [], LONG_S)[0]:
            text += os.read(master, 4096)
        self.assertRegex(text.decode(), r"\rendless: \d+ s, \d+ cycles, \d+ cycles/s, none of 4 blocks has ended")
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=LONG_S)
        while select.select([master], [], [], 1)[0]:
            try:
                more = os.read(master, 4096)
            except OSError:  # the other side is closed
                break
            text += more
        os.close(master)
        self.assertRegex(text.decode(), "\r\x1b\\[K(\x1b\\[1;31m)?cowarp:(\x1b\\[0m)? .*interrupted")  # the line is erased first

    def on_terminal(self, *words, **environment):
        """What goes to standard error when that is a terminal."""
        master, slave = pty.openpty()
        p = subprocess.Popen([COWARP, *words], cwd=self.folder.name, stderr=slave, stdout=subprocess.PIPE,
                             env={**{name: value for name, value in os.environ.items() if name != "NO_COLOR"}, "TERM": "xterm", **environment})
        os.close(slave)
        text = b""
        while select.select([master], [], [], LONG_S)[0]:
            try:
                text += os.read(master, 4096)
            except OSError:
                break
        p.communicate(timeout=LONG_S)
        os.close(master)
        return text.decode()

    def test_an_error_has_a_colour_on_a_terminal_that_wants_it(self):
        self.assertIn("\x1b[1;31mcowarp:\x1b[0m ", self.on_terminal("run", "nothing"))
        self.assertTrue(self.on_terminal("run", "nothing", NO_COLOR="1").startswith("cowarp: "))
        self.assertTrue(self.on_terminal("run", "nothing", TERM="dumb").startswith("cowarp: "))

    def test_crash_counts_its_states_on_a_terminal(self):
        text = self.on_terminal("crash", "gpkvs", "--preset", "sbrp-near", "--persistency", "sbrp", "--points", "1000", "--param", "pairs=512", "--param", "buckets=512",
                                "--param", "blocks=2", "--param", "threads=64")
        self.assertRegex(text, r"\rgpkvs: \d+ of 1000 states, \d+ s left\x1b\[K")
        self.assertTrue(text.endswith("\r\x1b[K"), text[-200:])


if __name__ == "__main__":
    COWARP = os.path.abspath(sys.argv.pop(1))
    unittest.main()
