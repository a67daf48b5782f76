# SPDX-License-Identifier: Apache-2.0
"""For tests that send signals: waits for what a process does, not for a time that a slow machine would need longer for."""
import signal
import time

LONG_S = 300  # nothing here takes so long; the end of a test that waits for what never comes
BUSY_TICKS = 30  # of the kernel's clock, 10 ms each
# Kernel `spin` runs until the word that it gets is not 0.
SPIN = """.version 7.0
.target sm_50
.address_size 64
.visible .entry spin(.param .u64 flag)
{
    .reg .b32 %r<2>; .reg .b64 %rd<2>; .reg .pred %p;
    ld.param.u64 %rd1, [flag];
L:  ld.volatile.global.u32 %r1, [%rd1];
    setp.eq.u32 %p, %r1, 0;
    @%p bra L;
    ret;
}
"""


def wait_for(condition):
    """Whether the condition has come true."""
    end = time.monotonic() + LONG_S
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def catches(process, number):
    """Whether the process has a handler for the signal of this number, so that the signal no longer just ends it."""
    with open(f"/proc/{process.pid}/status", encoding="utf-8") as f:
        caught = next(line for line in f if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


def is_busy(process):
    """Whether the process catches SIGINT and has computed for a while, many times what getting ready takes it: it is in the middle of its work."""
    with open(f"/proc/{process.pid}/stat", encoding="utf-8") as f:
        user_ticks = int(f.read().rpartition(")")[2].split()[11])
    return catches(process, signal.SIGINT) and user_ticks >= BUSY_TICKS
