#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files, pipes and devices that a kernel's buffers are read from: inputs_test.py BUILD/cowarp [unittest arguments]."""
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

COWARP = ""
PTX = pathlib.Path(__file__).resolve().parents[1] / "ptx_exec/kernels.ptx"
SHAPE = ["exec", str(PTX), "--kernel", "buffers", "--grid", "1", "--block", "64"]
REST = ["--arg", "out:out:256", "--arg", "zero:256", "--arg", "zero:256"]  # out[i] = in[i] + 0


class Inputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.data = struct.pack("<64I", *range(7, 71))

    def run_it(self, argument, *options, limit_bytes=None):
        def limit():
            import resource
            resource.setrlimit(resource.RLIMIT_DATA, (limit_bytes, limit_bytes))
        return subprocess.run([COWARP, *SHAPE, "--arg", argument, *REST, *options], capture_output=True, text=True, timeout=60, cwd=self.folder,
                              preexec_fn=limit if limit_bytes else None)

    def refused(self, argument, line, **kw):
        done = self.run_it(argument, **kw)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"cowarp: --arg '{argument}': {line}\n"))

    def reads(self, argument, data, *options):
        done = self.run_it(argument, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((self.folder / "out").read_bytes(), data)

    def test_the_first_bytes_of_a_file(self):
        (self.folder / "in").write_bytes(self.data + b"more")
        self.reads("in:in:256", self.data)
        self.refused("in:in:261", "in: has 260 bytes, and 261 are asked for")
        (self.folder / "in:256").write_bytes(self.data[::-1])  # a file of the whole name comes first
        self.reads("in:in:256", self.data[::-1])
        self.refused("in:none:256", "none: cannot be opened: No such file or directory")
        self.refused("in:in:0x1000000000", "in:0x1000000000: cannot be opened: No such file or directory")

    def test_a_device_has_no_end(self):
        """It takes no more memory than a run without it."""
        self.refused("in:/dev/zero", "/dev/zero: a device without an end; say how many bytes of it are to be read", limit_bytes=1 << 28)
        self.reads("in:/dev/zero:256", bytes(256), "--stats", "s.json")
        files = json.loads((self.folder / "s.json").read_text())["manifest"]["files"]
        self.assertIn(("/dev/zero", None), [(entry["path"], entry["sha256"]) for entry in files])
        self.refused("in:/dev/null", "the file is empty")
        done = subprocess.run([COWARP, *SHAPE[:1], "/dev/zero", *SHAPE[2:]], capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("/dev/zero: a device without an end", done.stderr)

    def test_a_pipe_is_read_once(self):
        os.mkfifo(self.folder / "pipe")
        for argument in ("in:pipe", "in:pipe:256"):
            def feed():
                with open(self.folder / "pipe", "wb") as pipe:  # waits for the reader; in two pieces, so that one read is not enough
                    pipe.write(self.data[:100])
                    pipe.flush()
                    time.sleep(0.05)
                    pipe.write(self.data[100:])
            writer = threading.Thread(target=feed)
            writer.start()
            self.reads(argument, self.data)
            writer.join()

    def test_a_refused_launch_leaves_no_wave(self):
        """Nor does one without a place for another file; an older wave stays."""
        (self.folder / "in").write_bytes(self.data)
        wave = ["--arg", "in:in", *REST, "--wave", "w.fst"]
        for line in ([COWARP, *SHAPE[:3], "buffer", *SHAPE[4:], *wave], ["bash", "-c", f"ulimit -n 10; exec {COWARP} {' '.join(SHAPE + wave)}"]):
            for old in (None, b"old"):
                if old is not None:
                    (self.folder / "w.fst").write_bytes(old)
                done = subprocess.run(line, capture_output=True, text=True, timeout=60, cwd=self.folder)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
                left = sorted(path.name for path in self.folder.iterdir())
                self.assertEqual(left, ["in"] if old is None else ["in", "w.fst"])
                self.assertEqual(old, (self.folder / "w.fst").read_bytes() if old else None)
            (self.folder / "w.fst").unlink()
        self.reads("in:in", self.data, "--wave", "w.fst")
        self.assertGreater((self.folder / "w.fst").stat().st_size, 100)

    def test_a_pipe_in_a_script(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "s.txt").write_text(f"load {PTX}\nalloc a 256 from pipe\nalloc z 256\nalloc b 256\n"
                                           "launch buffers grid 1 block 64 args a b z z\ncopy b to out\n")

        def feed():
            with open(self.folder / "pipe", "wb") as pipe:
                pipe.write(self.data)
        writer = threading.Thread(target=feed)
        writer.start()
        done = subprocess.run([COWARP, "exec", "--script", "s.txt"], capture_output=True, text=True, timeout=60, cwd=self.folder)
        writer.join()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((self.folder / "out").read_bytes(), self.data)

    def test_a_pipe_without_a_writer_can_be_left(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "s.txt").write_text(f"load {PTX}\nalloc a 256 from pipe\nlaunch fault grid 1 block 1\n")
        for line, status in (([*SHAPE, "--arg", "in:pipe", *REST], -signal.SIGTERM), (["exec", "--script", "s.txt"], 143)):
            run = subprocess.Popen([COWARP, *line], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder)
            time.sleep(0.7)
            self.assertIsNone(run.poll())
            run.terminate()
            began = time.monotonic()
            _, stderr = run.communicate(timeout=20)
            self.assertEqual(run.returncode, status, stderr)
            self.assertLess(time.monotonic() - began, 5)
            if status == 143:
                self.assertEqual(stderr, "cowarp: pipe: interrupted while it was read; no statistics were written\n")


if __name__ == "__main__":
    COWARP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
