#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ends a run that hangs says why: hang_test.py COWARP.

A flag whose store or load has too narrow a scope stays in an L1, and who waits for it spins for ever. The report names the word, the L1 that has
it and the scope, also when other lanes of the warp wait, which looks like a SIMT deadlock. What moves is no hang: persistent memory that is slow,
atomics that wait for each other, a sleep, a walk through an array.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

COWARP = ""
HEAD = """.version 7.0
.target sm_70
.address_size 64
.extern .func dfence ();
.visible .entry k(.param .u64 f)
{
.reg .b32 %r<6>; .reg .b64 %d<4>; .reg .pred %p<3>;
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %tid.x;
ld.param.u64 %d1, [f];
"""
# Block 0 sets the flag after a while, and then stays: the end of a kernel writes all lines back. Block 1 waits for it; only lanes below LANES do.
FLAG = HEAD + """setp.eq.u32 %p1, %r1, 0;
@%p1 bra put;
setp.ge.u32 %p1, %r2, LANES;
@%p1 bra met;
wait:
ld.relaxed.LOAD.global.u32 %r3, [%d1];
setp.eq.u32 %p2, %r3, 0;
@%p2 bra wait;
met:
st.relaxed.gpu.global.u32 [%d1+128], 1;
ret;
put:
mov.u32 %r4, 0;
loop:
add.u32 %r4, %r4, 1;
setp.lt.u32 %p2, %r4, 300;
@%p2 bra loop;
st.relaxed.STORE.global.u32 [%d1], 1;
hold:
ld.relaxed.gpu.global.u32 %r3, [%d1+128];
setp.eq.u32 %p2, %r3, 0;
@%p2 bra hold;
ret;
}
"""
# 64 stores of a warp, each to 32 lines.
DRAIN = HEAD + """mul.wide.u32 %d2, %r2, 128;
add.u64 %d1, %d1, %d2;
mov.u32 %r3, 0;
loop:
st.global.u32 [%d1], 1;
add.u64 %d1, %d1, 4096;
add.u32 %r3, %r3, 1;
setp.lt.u32 %p2, %r3, 64;
@%p2 bra loop;
call.uni dfence, ();
ret;
}
"""

# Atomics of all threads on one word: the last acknowledgement comes long after the last instruction has issued.
ATOMICS = HEAD + "red.global.add.u32 [%d1], 1;\n" * 8 + "ret;\n}\n"
SLEEP = HEAD + "nanosleep.u32 1000000;\n" * 3 + "st.global.u32 [%d1], 7;\nret;\n}\n"
# One thread sums an array by loads past the caches.
WALK = HEAD + """mov.u32 %r3, 1000;
mov.u32 %r4, 0;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra out;
loop: ld.volatile.global.u32 %r5, [%d1];
add.u32 %r4, %r4, %r5;
add.u64 %d1, %d1, 4;
sub.u32 %r3, %r3, 1;
setp.ne.u32 %p2, %r3, 0;
@%p2 bra loop;
out: ret;
}
"""
# 60 iterations of 25 loads of one volatile variable each, as -O3 leaves them of a computation: 25,000 cycles without a store of device memory.
ROUNDS = HEAD + "mov.u32 %r3, 60;\nmov.u32 %r4, 0;\nloop:\n" + "ld.volatile.global.u32 %r5, [%d1];\nadd.u32 %r4, %r4, %r5;\n" * 25 + """sub.u32 %r3, %r3, 1;
setp.ne.u32 %p2, %r3, 0;
@%p2 bra loop;
st.global.u32 [%d1], %r4;
ret;
}
"""
# It sleeps between two looks at a word that nobody sets.
SLEEPER = HEAD + """loop: nanosleep.u32 1000;
ld.volatile.global.u32 %r5, [%d1];
setp.eq.u32 %p2, %r5, 0;
@%p2 bra loop;
ret;
}
"""


class Hang(unittest.TestCase):
    def run_ptx(self, text, grid, arg, *options):
        with tempfile.TemporaryDirectory(prefix="hang-") as folder:
            (pathlib.Path(folder) / "k.ptx").write_text(text)
            line = [COWARP, "exec", "k.ptx", "--kernel", "k", "--grid", str(grid), "--block", "32", "--arg", arg, "--preset", "sbrp-near", "--quiet",
                    "--set", "watchdog.cycles=10000", "--set", "watchdog.livelock_cycles=20000", *options]
            return subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=100)

    def flag(self, load, store, lanes=32):
        return self.run_ptx(FLAG.replace("LOAD", load).replace("STORE", store).replace("LANES", str(lanes)), 2, "zero:256")

    def hangs(self, done, *says):
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for text in says:
            self.assertRegex(done.stderr, text)

    def test_both_scopes_are_wide(self):
        done = self.flag("gpu", "gpu")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_store_is_too_narrow(self):
        done = self.flag("gpu", "cta")
        self.hangs(done, "deadlock at cycle .*: lanes poll a word that another core's L1 has dirty: the scope of the store is too narrow",
                   r"core 1 polls 0x[0-9a-f]+00 in line 16, at device scope: memory has 0x0, the L1 of core 0 0x1, dirty: by a store without scope or of")

    def test_the_load_is_too_narrow(self):
        done = self.flag("cta", "gpu")
        self.hangs(done, "lanes poll a copy in their own L1, and memory has another value: the scope of the load is too narrow",
                   "core 1 polls 0x[0-9a-f]+00 in line 16, at block scope: memory has 0x1, its own L1 0x0\n")

    def test_other_lanes_wait(self):
        """They wait for the lane that polls; but it does not wait for them."""
        done = self.flag("cta", "gpu", lanes=1)
        self.hangs(done, "the scope of the load is too narrow", "spinning: core 1 .* while lanes 0xfffffffe of the same warp wait")
        self.assertNotIn("SIMT deadlock", done.stderr)

    def test_nobody_sets_it(self):
        """Then no scope is to blame."""
        done = self.run_ptx(FLAG.replace("LOAD", "cta").replace("STORE", "gpu").replace("LANES", "32").replace("[%d1], 1;", "[%d1], 0;"), 2, "zero:256")
        self.hangs(done, "warps spin without any of them getting on", "core 1 polls 0x[0-9a-f]+00 in line 16, at block scope: memory has 0x0, its own L1 0x0\n")
        self.assertNotIn("too narrow", done.stderr)

    def test_atomics_that_wait_are_no_deadlock(self):
        done = self.run_ptx(ATOMICS, 400, "zero:256", "--stats", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f'"l2_atomics": {{"value": {400 * 32 * 8},', done.stdout)

    def test_a_sleep_is_no_deadlock(self):
        done = self.run_ptx(SLEEP, 1, "zero:256")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_walk_is_no_spin(self):
        done = self.run_ptx(WALK, 1, "zero:4096")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_long_iterations_are_no_spin(self):
        done = self.run_ptx(ROUNDS, 1, "zero:4096", "--stats", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(json.loads(done.stdout)["cycles"], 3 * 20000)

    def test_who_sleeps_may_spin(self):
        self.hangs(self.run_ptx(SLEEPER, 1, "zero:256"), "warps spin without any of them getting on", "have polled memory")

    def test_slow_memory_is_no_deadlock(self):
        """The queues are full, and no store issues for longer than watchdog.cycles."""
        done = self.run_ptx(DRAIN, 1, "pm:x:262144", "--persistency", "sbrp", "--set", "pm.write_mbps=100", "--stats", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f'"nvm_writes": {{"value": {64 * 32},', done.stdout)


if __name__ == "__main__":
    COWARP = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
