#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cowarp crash of anyone's kernels: a script, with its own recovery and verification.

    tests/system/crash_script_test.py COWARP

The undo log of examples/ recovers. Without one of its fences, or with a recovery that cannot be repeated, a state is found in which it does not.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

LOG = pathlib.Path(__file__).resolve().parents[2] / "examples/undo_log"
COWARP = ""
PTX, SCRIPT = (LOG / "log.ptx").read_text(), (LOG / "log.script").read_text()
MACHINE = ["--preset", "sbrp-near", "--persistency", "sbrp", "--quiet"]
FENCES = [i for i, line in enumerate(PTX.splitlines()) if "call.uni ofence" in line]  # three of put, one of recover
CHECK = """import struct, sys
w = struct.unpack("<2048I", open("table.bin", "rb").read())
torn = sum(w[i + 1024] != 2 * w[i] for i in range(1024))
print("some pairs")
print(f"{torn} torn")
sys.exit(torn > 0)
"""


class CrashScript(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="crash-script-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("log.ptx", PTX)
        self.write("log.script", SCRIPT)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def without(self, line):
        """log.ptx without one of its lines, which are counted from 0 on."""
        self.write("log.ptx", "\n".join(text for i, text in enumerate(PTX.splitlines()) if i != line) + "\n")

    def command(self, *args):
        return subprocess.run([COWARP, *args], cwd=self.folder, capture_output=True, text=True)

    def crash(self, *args, verify="verify"):
        return self.command("crash", "log.ptx", "--script", "log.script", "--recover", "recover", "--verify", verify, *MACHINE, *args)

    def passes(self, done, text=""):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(text, done.stdout)

    def found(self, done, *says):
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for text in says:
            self.assertRegex(done.stderr, text)

    def refused(self, done, *says):
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for text in says:
            self.assertIn(text, done.stderr)

    def replay(self, done):
        """What the error says shows it again, and the image stays."""
        image = (self.folder / "log.script.crash.pm").read_bytes()
        again = shlex.split(done.stderr.split("to see it again: ")[1])
        self.assertEqual(again[:3], ["cowarp", "exec", "log.ptx"])
        once = self.command(*again[1:])
        self.found(once, r"log\.script:14: torn is \d+, expected 0")
        self.assertEqual((self.folder / "log.script.crash.pm").read_bytes(), image)
        self.write("log.ptx", PTX)
        self.write("log.script", SCRIPT)


class Logs(CrashScript):
    def test_it_recovers(self):
        self.passes(self.crash("--points", "150"))
        self.passes(self.crash("--points", "40", "--explore", "log"))
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["log.ptx", "log.script"])

    def test_each_fence_is_needed(self):
        """The three of the program in a failure, that of the recovery in a second one; both stores are named by their lines."""
        self.assertEqual(len(FENCES), 4)
        for fence in FENCES[:3]:
            with self.subTest(line=fence + 1):
                self.without(fence)
                done = self.crash("--points", "300")
                self.found(done, r"log\.script: crash in launch \d with \d+ of its 6144 stores durable, which the model allows: log\.script:14: torn is ")
                late, early = (int(re.search(rf"cowarp: {what}: .* line (\d+) of the PTX", done.stderr)[1]) for what in ("durable", "not durable"))
                self.assertTrue(early <= fence < late, done.stderr)  # lines from 1 on, and one less behind the fence
                self.assertIn(f"an ofence of the thread behind line {early} and before line {late} would", done.stderr)
                self.replay(done)

    def test_operations(self):
        done = self.command("crash", "log.ptx", "--script", "log.script", "--recover", "recover", "--verify", "verify", *MACHINE, "--points", "100",
                            "--operations")
        self.passes(done)
        rows = re.findall(r"line (\d+) +(\w+), 2048 times: (needed|nothing needs it)", done.stdout)
        self.assertEqual(rows, [(str(f + 1), "ofence", "needed") for f in FENCES[:3]] +
                         [(str(PTX[:PTX.index("call.uni dfence")].count("\n") + 1), "dfence", "nothing needs it")])


class Twice(CrashScript):
    def test_a_repeatable_recovery(self):
        done = self.command("crash", "log.ptx", "--script", "log.script", "--recover", "recover", "--verify", "verify", *MACHINE[:-1], "--points", "60",
                            "--twice")
        self.passes(done, "60 that the model allows, all recovered and right")
        self.assertGreater(int(re.search(r"second +(\d+) failures in these recoveries, all recovered and right", done.stdout)[1]), 60)

    def test_an_order_that_recovery_needs(self):
        """Once it recovers. When the entry counts no more before the pair is back, a second failure loses it."""
        self.without(FENCES[3])
        self.passes(self.crash("--points", "100"))
        done = self.crash("--points", "100", "--twice")
        self.found(done, r"and again in launch 0 of the recovery with \d+ of its \d+ stores, which the model allows: log\.script:14: torn is ",
                   "nothing orders them: an ofence")
        self.replay(done)

    def test_a_recovery_that_works_once(self):
        """It changes the log that it recovers from, so that no order helps."""
        back = "    st.global.u32 [%rd4+4096], %r7;\n    call.uni ofence, ();                // the power may fail"
        self.assertEqual(PTX.count(back), 1)
        self.write("log.ptx", PTX.replace(back, "    add.u32 %r8, %r6, 1;\n    st.global.u32 [%rd5], %r8;\n" + back))
        self.passes(self.crash("--points", "100"))
        done = self.crash("--points", "100", "--twice")
        self.found(done, "and again in launch 0 of the recovery", "in whatever order: a recovery has to be repeatable")
        self.replay(done)

    def test_workloads(self):
        for words in (("gpkvs", "pairs=256", "buckets=256", "blocks=4", "threads=128", "updates=50"), ("scan", "arrays=2")):
            params = [word for p in words[1:] for word in ("--param", p)]
            self.passes(self.command("crash", words[0], *params, *MACHINE, "--points", "15", "--twice"))


class Commands(CrashScript):
    def test_a_command_verifies(self):
        self.write("check.py", CHECK)
        self.write("log.script", SCRIPT[:SCRIPT.index("launch verify")] + "copy table to table.bin\n")
        verify = shlex.quote(sys.executable) + " check.py"
        self.passes(self.crash("--points", "20", verify=verify))
        self.without(FENCES[1])
        self.found(self.crash("--points", "100", verify=verify), r"--verify: \d+ torn\n")

    def test_it_is_not_there(self):
        done = self.crash("--points", "5", verify="./nowhere.py table.bin 2>/dev/null")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("recovery is wrong without a failure", done.stderr)

    def test_variables_of_a_failure_before(self):
        """A recovery that counts in a variable of its module begins at its first value in each state."""
        ptx = PTX.replace(".visible .entry put", ".global .u32 times = 0;\n.visible .entry put", 1)
        cut = ptx.index("// Counts the pairs")
        self.write("log.ptx", ptx[:cut].replace("setp.eq.u32 %p, %r5, 0;", "red.global.add.u32 [times], 1;\n    setp.eq.u32 %p, %r5, 0;") + """
.visible .entry verify(.param .u64 torn)
{
    .reg .b32 %r; .reg .b64 %d;
    ld.global.u32 %r, [times];
    ld.param.u64 %d, [torn];
    st.global.u32 [%d], %r;
    ret;
}
""")
        script = SCRIPT[:SCRIPT.index("launch verify")] + "launch verify grid 1 block 1 args torn\nexpect torn == 1024\n"
        self.write("log.script", script)
        self.passes(self.crash("--points", "10"))


class Requests(CrashScript):
    def script(self, text, *args, verify="verify"):
        self.write("log.script", text)
        return self.crash("--points", "5", *args, verify=verify)

    def test_what_the_script_lacks(self):
        self.refused(self.script(SCRIPT.replace("launch recover", "launch recovers")), "--recover recover: log.script launches no such kernel; did you")
        self.refused(self.script(SCRIPT.replace("launch verify", "launch put")), "--verify verify: log.script launches no such kernel")
        self.refused(self.script(SCRIPT.replace("launch put", "# launch put")), "log.script launches nothing above line 12 that could fail")
        loop = "until torn == 0 max 2\nlaunch recover grid 8 block 128 args table log\nend\nlaunch verify grid"
        self.refused(self.script(SCRIPT.replace("launch verify grid", loop).replace("launch recover", "launch verify", 1)), "log.script:14 stands in a loop")
        self.refused(self.script(SCRIPT + "launch verify grid 1 block 1 args tables\n"), "log.script:15: 'tables'")
        self.refused(self.script(SCRIPT.replace("expect torn == 0", "expect torn = 0")), "log.script:14: expected '=='")
        swapped = SCRIPT.replace("launch put", "launch verify", 1).replace("launch verify grid 8 block 128 args table torn\n", "")
        self.refused(self.script(swapped), "--verify verify: its launch stands above that of recover")

    def test_a_script_that_is_wrong_without_a_failure(self):
        done = self.script(SCRIPT.replace("expect torn == 0", "expect torn == 1"))
        self.found(done, r"^cowarp: log\.script: recovery is wrong without a failure, when the program has ended .*: log\.script:14: torn is 0, expected 1\n$")
        done = self.script(SCRIPT.replace("launch recover grid 8 block 128 args table log", "launch recover grid 8 block 128 args table"))
        self.refused(done, "recovery is wrong without a failure", "log.script:12: ")

    def test_command_lines(self):
        self.refused(self.command("crash", "log.ptx", "--points", "3"), "crash of a PTX file needs --script FILE")
        self.refused(self.command("crash", "scan", "--points", "3", "--verify", "v"), "--verify goes with --script")
        self.refused(self.command("crash", "--script", "log.script", "--points", "3"), "needs --recover KERNEL")
        self.refused(self.command("crash", "nowhere.ptx", "--script", "log.script", "--recover", "r", "--points", "3"), "cowarp: nowhere.ptx: cannot be opened")
        self.refused(self.crash("--points", "3", "--param", "n=3"), "--param is of a workload")
        self.refused(self.crash("--points", "3", "--twice", "--explore", "log"), "--twice fails in states of the model")
        self.refused(self.crash("--points", "3", "--twice", "--operations"), "--twice fails in states of the model")
        self.refused(self.command("exec", "--script", "log.script", "--recover", "recover"), "--recover without --pm")
        self.refused(self.command("exec", "--script", "log.script", "--verify", "verify"), "--verify without --recover")
        self.refused(self.command("exec", "log.ptx", "--kernel", "put", "--recover", "recover"), "--recover goes with --script")

    def test_regions_outlive_a_run(self):
        """What a script writes into a region that is there already is left out, and `set` is not."""
        self.write("log.script", "load log.ptx\nalloc table 8192 pm fill 3\nalloc torn 4\nlaunch verify grid 1 block 32 args table torn\nexpect torn == 32\n"
                   "set table 1\nset table+4096 2\n")
        line = ["exec", "--script", "log.script", *MACHINE, "--pm", "x.pm"]
        self.passes(self.command(*line))
        self.found(self.command(*line), "log.script:5: torn is 31, expected 32")


# What hands over that a fence has returned: where the other thread is, what A does behind its fence, what B does before it stores. A dFence is
# enough with each of them; an oFence with none, since it says nothing about now. The reason is in docs/persistency.md.
POLL = "L: {} setp.ne.u32 %p, %r1, 1; @%p bra L;"
SEEN = {
    "barrier": ("near", "", ""),
    "a barrier that A does not wait for": ("near", "", ""),
    "a warp's barrier": ("lane", "", ""),
    "a shuffle": ("lane", "", ""),
    "a volatile flag": ("far", "st.volatile.global.u32 [%f], 1;", POLL.format("ld.volatile.global.u32 %r1, [%f];")),
    "a relaxed flag": ("far", "st.relaxed.gpu.global.u32 [%f], 1;", POLL.format("ld.relaxed.gpu.global.u32 %r1, [%f];")),
    "a released flag": ("far", "st.release.gpu.global.u32 [%f], 1;", POLL.format("ld.acquire.gpu.global.u32 %r1, [%f];")),
    "a flag of 64 bits": ("far", "st.volatile.global.u64 [%f], 1;", POLL.format("ld.volatile.global.u64 %o, [%f]; cvt.u32.u64 %r1, %o;")),
    "an exchange": ("far", "atom.global.exch.b32 %r2, [%f], 1;", POLL.format("ld.volatile.global.u32 %r1, [%f];")),
    "an atomic that returns": ("far", "atom.global.add.u32 %r2, [%f], 1;", POLL.format("atom.global.or.b32 %r1, [%f], 0;")),
    "a reduction": ("far", "red.global.add.u32 [%f], 1;", POLL.format("ld.relaxed.gpu.global.u32 %r1, [%f];")),
    "a reduction and another": ("far", "red.global.add.u32 [%f], 1;", "L: ld.volatile.global.u32 %r1, [%f+4]; setp.ne.u32 %p, %r1, 0; @%p bra M;\n"
                                "ld.volatile.global.u32 %r1, [%f]; setp.ne.u32 %p, %r1, 1; @%p bra L; red.global.add.u32 [%f], 1; M:"),
    "a flag in shared memory": ("near", "st.volatile.shared.u32 [flag], 1;", POLL.format("ld.volatile.shared.u32 %r1, [flag];")),
    "an atomic in shared memory": ("near", "atom.shared.add.u32 %r2, [flag], 1;", POLL.format("atom.shared.or.b32 %r1, [flag], 0;")),
}
PLACES = {"lane": 1, "near": 32, "far": 64}
BARRIERS = {"barrier": "bar.sync 0;", "a warp's barrier": "bar.warp.sync -1;", "a shuffle": "shfl.sync.idx.b32 %r4, %r4, 0, 31, -1;",
            "a barrier that A does not wait for": "setp.lt.u32 %p, %r1, 32; @%p bar.arrive 1, 64; @!%p bar.sync 1, 64;"}
PROGRAM = """.version 7.5
.target sm_75
.address_size 64
.extern .func dfence();
.extern .func ofence();
.visible .entry run(.param .u64 x, .param .u64 y, .param .u64 f)
{{
.reg .b64 %x, %y, %f, %o; .reg .b32 %r<8>; .reg .pred %p;
.shared .align 8 .b8 flag[8];
ld.param.u64 %x, [x]; ld.param.u64 %y, [y]; ld.param.u64 %f, [f];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shl.b32 %r2, %r2, 6; add.u32 %r3, %r1, %r2;
setp.ne.u32 %p, %r1, 0; @%p bra ZEROED; st.shared.u32 [flag], 0; ZEROED: bar.sync 0;
setp.ne.u32 %p, %r3, 0; @%p bra BEHIND;
st.global.u32 [%x], 1;
{fence}
{signal}
BEHIND: {all}
setp.ne.u32 %p, %r3, {b}; @%p bra END;
{see}
st.global.u32 [%y], 1;
END: ret;
}}
.visible .entry recover() {{ ret; }}
.visible .entry verify(.param .u64 x, .param .u64 y, .param .u64 bad)
{{
.reg .b64 %x, %y, %b; .reg .b32 %r<4>; .reg .pred %p;
ld.param.u64 %x, [x]; ld.param.u64 %y, [y]; ld.param.u64 %b, [bad];
ld.global.u32 %r1, [%x]; ld.global.u32 %r2, [%y]; setp.le.u32 %p, %r2, %r1; @%p ret;
st.global.u32 [%b], 1; ret;
}}
"""
RUN = """alloc x 128 pm
alloc y 128 pm
alloc f 128
alloc bad 4
launch run grid 2 block 64 args x y f
launch recover grid 1 block 1
launch verify grid 1 block 1 args x y bad
expect bad == 0
"""


class Seen(CrashScript):
    """What a thread does after it has seen that a dFence of another one has returned comes after what that one has written."""

    def program(self, way, fence, behind=True):
        place, signal, see = SEEN[way]
        if not behind:
            fence, signal = signal, fence
        self.write("log.ptx", PROGRAM.format(b=PLACES[place], fence=fence, signal=signal, see=see, all=BARRIERS.get(way, "")))
        self.write("log.script", RUN)
        return self.crash("--points", "50")

    def test_a_dfence_hands_over(self):
        for way in SEEN:
            with self.subTest(way=way):
                self.passes(self.program(way, "call dfence, ();"))
                self.passes(self.program(way, "call ofence, (); call dfence, ();"))
                self.passes(self.program(way, "membar.gl;"))

    def test_an_ofence_does_not(self):
        for way in SEEN:
            for fence in ("call ofence, ();", "membar.cta;", ""):
                with self.subTest(way=way, fence=fence):
                    done = self.program(way, fence)
                    self.found(done, "bad is 1, expected 0", "nothing orders them" if fence == "" else
                               "a dfence there would order them" if "ofence" in fence else "of block scope, which is too narrow")

    def test_a_signal_before_the_dfence_does_not(self):
        for way in ("a volatile flag", "an exchange", "a reduction"):
            with self.subTest(way=way):
                self.found(self.program(way, "call dfence, ();", behind=False), "bad is 1, expected 0")

    def test_another_threads_dfence_does_not(self):
        """B has seen A's flag, but A has had no dFence; and B's own is about what B has written."""
        flag = ("st.volatile.global.u32 [%f], 1;", POLL.format("ld.volatile.global.u32 %r1, [%f];"))
        third = "setp.eq.u32 %p, %r3, 96; @%p bra C;"
        see = flag[1] + "\n{own} call dfence, (); st.volatile.global.u32 [%f+4], 1; ret;\n" + "C: " + flag[1].replace("%f", "%f+4").replace("L", "M")
        for own, right in (("", False), ("st.global.u32 [%x], 1;", True)):
            with self.subTest(own=own):
                self.write("log.ptx", PROGRAM.format(b=64, fence="", signal=flag[0], see=see.format(own=own), all=third))
                self.write("log.script", RUN)
                done = self.crash("--points", "50")
                self.passes(done) if right else self.found(done, "bad is 1, expected 0")


KEEP = """.visible .entry second(.param .u64 y)
{
.reg .b64 %y;
ld.param.u64 %y, [y]; st.global.u32 [%y], 1; ret;
}
"""


class Kept(CrashScript):
    def crash_kept(self, fence, end, *args):
        lines = [".file 1 \"keep.cu\"", ".loc 1 7 0", fence, ".loc 1 8 0"]
        self.write("log.ptx", PROGRAM.format(b=64, fence="\n".join(lines), signal="", see="ret;", all="") + KEEP)
        self.write("log.script", RUN.replace("launch recover", "launch second grid 1 block 1 args y\nlaunch recover"))
        return self.crash("--points", "50", "--set", f"pm.kernel_end={end}", *args)

    def test_a_launch_that_keeps_is_not_durable(self):
        """Its end orders nothing: a dFence there is needed, and is named so with its source line. An end that drains needs none."""
        for fence in ("call dfence, ();", "call ofence, ();", ""):
            self.passes(self.crash_kept(fence, "drain"))
        self.passes(self.crash_kept("call dfence, ();", "keep"))
        done = self.crash_kept("call dfence, ();", "keep", "--operations")
        self.passes(done)
        self.assertRegex(done.stdout, r"dfence, 1 times: needed after \d+ states; an ofence would not do \(keep\.cu:7\)")
        self.assertRegex(self.crash_kept("call dfence, ();", "drain", "--operations").stdout, "dfence, 1 times: nothing needs it")
        self.found(self.crash_kept("", "keep"), "nothing orders them")
        self.found(self.crash_kept("call ofence, ();", "keep"), r"the ofence in line \d+ of the PTX \(keep\.cu:7\) orders its own thread alone")


if __name__ == "__main__":
    COWARP = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
