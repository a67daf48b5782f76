#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What --check finds: sanitizer_test.py BUILD/cowarp [unittest arguments].

Each kernel of sanitizer.ptx does one thing wrong, and its text marks where; kernels whose names begin with c_ are right. Then the workloads, which
are right but for one."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import functional_test
import unmoved

COWARP = pathlib.Path()
PTX = pathlib.Path(__file__).with_name("sanitizer.ptx")
ALL = "memory,sync,race,init"
KINDS = {"m": "memory", "s": "sync", "r": "race", "i": "init"}
THREADS = 64

# Of a kernel with something wrong: threads that do it, and what the first line says.
FOUND = {
    "m_past": (4, "block (0, 0, 0) thread (60, 0, 0): st of 4 bytes at global address 0x100000200: not allocated: just past the end of "
                  "argument 1 (out), 256 bytes at 0x100000100"),
    "m_misaligned": (64, "st of 4 bytes at global address 0x100000102: misaligned"),
    "m_shared": (64, "ld of 4 bytes at shared address 0x40: beyond the block's shared memory"),
    "s_divergent": (1, "divergent barrier: lanes 0x0000ffff come to it without lanes 0xffff0000 of their warp; lane 16 is at line"),
    "s_side": (2, "divergent barrier: lanes 0xaaaaaaaa come to it without lanes 0x55555555 of their warp; lane 0 "),
    "s_other_side": (2, "divergent barrier: lanes 0xaaaaaaaa come to it without lanes 0x55555555 of their warp; lane 0 has ended"),
    "s_loop": (2, "divergent barrier: lanes 0xaaaaaaaa come to it without lanes 0x55555555 of their warp; lane 0 "),
    "s_warp": (2, "thread (31, 0, 0): the membermask 0x7fffffff of bar.warp does not name the lane itself, which is 31"),
    "s_forever": (1, "waits for ever at barrier 1: 64 of 96 threads have come"),
    "s_members": (1, "shfl.sync by lanes 0x0000ffff names lanes 0xffff0000, which have not come; lane 16 is at line"),
    "s_stranger": (1, "thread (31, 0, 0): the membermask 0x7fffffff of shfl does not name the lane itself, which is 31"),
    "r_load_after_store": (64, "has written it at line"),
    "r_store_after_load": (64, "has read it at line"),
    "r_one_instruction": (63, "has written it at line"),
    "r_lanes": (64, "has written it at line"),
    "r_halves": (64, "has written it at line"),
    "r_count": (63, "atom of 4 bytes at shared address 0x0: thread (0, 0, 0) has written it at line"),
    "r_look": (31, "thread (31, 0, 0) has written it at line"),
    "r_named": (32, "it at line"),
    "r_flag": (1, "thread (32, 0, 0): ld of 4 bytes at shared address 0x0: thread (0, 0, 0) has written it at line"),
    "i_global": (64, "ld of 4 bytes at global address 0x100000100: nobody has written 2 of these bytes"),
    "i_padding": (64, "ld of 2 bytes at shared address 0x0: nobody has written 1 of these bytes"),
    "i_shared": (64, "ld of 4 bytes at shared address 0x0: nobody has written 4 of these bytes"),
}


def places():
    """{kernel: {mark: line}}, from the text."""
    found, kernel = {}, None
    for number, line in enumerate(PTX.read_text().splitlines(), 1):
        entry = re.match(r"\.visible \.entry (\w+)", line)
        kernel = entry.group(1) if entry else kernel
        marks = re.search(r"; // (.*)$", line)
        for mark in marks.group(1).split() if marks else ():
            found.setdefault(kernel, {})[mark] = number
        found.setdefault(kernel, {})
    found.pop(None, None)
    return found


class Sanitizer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sanitizer-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_it(self, *words):
        return subprocess.run([str(COWARP), *map(str, words)], capture_output=True, text=True, timeout=120, cwd=self.folder, check=False)

    def kernel(self, name, *options, check=ALL):
        check = ("--check", check) if check else ()
        return self.run_it("exec", PTX, "--kernel", name, "--grid", 1, "--block", THREADS, "--arg", f"out:out:{4 * THREADS}", *check, *options)

    def lines(self, done):
        return [line for line in done.stderr.splitlines() if line.startswith("cowarp: check ")]

    def test_what_is_wrong_is_found_and_nothing_else(self):
        where = places()
        self.assertEqual({name for name in where if not name.startswith("c_")}, set(FOUND))
        for name, marks in where.items():
            with self.subTest(kernel=name):
                done = self.kernel(name)
                lines = self.lines(done)
                if name.startswith("c_"):
                    self.assertEqual((done.returncode, lines), (0, []), done.stderr)
                    self.assertIn(f"checked       {ALL}: 0 findings", done.stdout)
                    continue
                count, text = FOUND[name]
                kind, other = KINDS[name[0]], marks.get("other")
                self.assertEqual((done.returncode, len(lines)), (1, 1), done.stderr)
                at, other = (marks["here"], other) if f"{PTX}:{marks['here']}" in lines[0] else (other, marks["here"])
                if name != "r_named":  # which comes first is left open
                    self.assertEqual(at, marks["here"])
                self.assertRegex(lines[0], rf"^cowarp: check {kind}: kernel {name}: {re.escape(str(PTX))}:{at}[: ]")
                self.assertIn(text, lines[0])
                self.assertTrue(other is None or f"line {other}, and nothing orders the two" in lines[0], lines)
                self.assertIn(f"cowarp: check: {kind} {count}, at 1 place\n", done.stderr)

    def test_without_time(self):
        """Warps run one after the other, so of a race either side may come first, and both may be found."""
        for name, marks in places().items():
            with self.subTest(kernel=name):
                kind = KINDS.get(name[0])
                done = self.kernel(name, "--functional", check=kind or ALL)
                lines = self.lines(done)
                if kind is None:
                    self.assertEqual((done.returncode, lines), (0, []), done.stderr)
                    continue
                self.assertIn((done.returncode, len(lines)), ((1, 1), (1, 2)), done.stderr)
                pairs = {tuple(int(number) for number in re.findall(r"(?:ptx:|at line )(\d+)", line))[:2] for line in lines}
                if kind != "race":
                    self.assertEqual({pair[0] for pair in pairs}, {marks["here"]})
                else:
                    self.assertLessEqual(pairs, {(marks["here"], marks["other"]), (marks["other"], marks["here"])})
                    self.assertGreater(len(pairs), 0)

    def test_each_kind_by_itself(self):
        """A kind that is not asked for is not looked for."""
        for name, kind in (("m_past", "memory"), ("s_divergent", "sync"), ("r_lanes", "race"), ("i_global", "init")):
            for check in KINDS.values():
                done = self.kernel(name, check=check)
                wanted = 1 if check == kind else 0
                if name == "m_past" and check != kind:
                    self.assertEqual(done.returncode, 1)  # a fault, as ever
                    self.assertIn("--oob warn", done.stderr)
                else:
                    self.assertEqual((done.returncode, len(self.lines(done))), (wanted, wanted), (name, check, done.stderr))

    def test_source_lines(self):
        """What .loc says; a function without it has none."""
        at = places()["r_load_after_store"]["here"]
        self.assertIn(f"{PTX}:{at} (inlined.h:7): block", self.kernel("r_load_after_store").stderr)
        at = places()["r_store_after_load"]["here"]
        self.assertIn(f"{PTX}:{at}: block", self.kernel("r_store_after_load").stderr)

    def test_results_and_cycles_do_not_change(self):
        """But for accesses that go on, and for red zones, which exec has anyway."""
        stats = []
        for check in (None, ALL):
            done = self.kernel("c_barrier", "--stats", "s.json", "--omit-host-seconds", check=check)
            self.assertEqual(done.returncode, 0)
            stats.append(json.loads((self.folder / "s.json").read_text())["counters"])
        self.assertEqual(stats[0], stats[1])

    def test_threads_in_step(self):
        """Below sm_70 a warp is in step: its lanes race in one instruction only."""
        old = self.folder / "old.ptx"
        old.write_text(PTX.read_text().replace(".target sm_70", ".target sm_60"))
        for name, found in (("r_lanes", 0), ("r_one_instruction", 1), ("r_load_after_store", 1)):
            done = self.run_it("exec", old, "--kernel", name, "--grid", 1, "--block", THREADS, "--arg", "out:out:256", "--check", ALL)
            self.assertEqual(len(self.lines(done)), found, done.stderr)

    def test_threads_that_wait_for_each_other(self):
        """With a PC per lane the same is wrong at the same lines. A shfl whose lanes never come is found when nothing moves any more."""
        for name, marks in places().items():
            for options in ((), ("--functional",)):
                with self.subTest(kernel=name, options=options):
                    done = self.kernel(name, "--set", "core.divergence=its", *options, check=KINDS.get(name[0], ALL))
                    lines = self.lines(done)
                    if name.startswith("c_"):
                        self.assertEqual((done.returncode, lines), (0, []), done.stderr)
                    elif name[0] == "r":
                        self.assertEqual((done.returncode, len(lines) > 0), (1, True), done.stderr)
                    else:
                        self.assertEqual((done.returncode, len(lines)), (1, 1), done.stderr)
                        self.assertIn(f"{PTX}:{marks['here']}", lines[0])
        self.assertIn("shfl.sync waits for ever", self.kernel("s_members", "--set", "core.divergence=its", check="sync").stderr)

    def test_warps_that_are_formed_anew(self):
        for name, found in (("r_load_after_store", 1), ("r_store_after_load", 1), ("r_count", 1), ("c_barrier", 0), ("i_shared", 1)):
            done = self.kernel(name, "--set", "core.divergence=dwf", "--set", "core.schedulers=1", "--set", "core.warps=32")
            self.assertEqual(len(self.lines(done)), found, (name, done.stderr))

    def test_lines_and_quiet(self):
        done = self.kernel("m_past", "--check-lines", 0, "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", "cowarp: check: memory 4, at 1 place\n"))
        done = self.kernel("m_past", "--quiet")
        self.assertEqual(len(self.lines(done)), 1)

    def test_wrong_requests(self):
        for options, text in ((("--check", "memory,rice"), "check 'rice': unknown; choose of memory, sync, race and init"),
                              (("--check-lines", "3"), "--check-lines without --check; give --check LIST too"),
                              (("--check", "race", "--check-lines", "many"), "--check-lines 'many': not a whole number of 32 bits"),
                              (("--check", "race", "--set", "core.convergence=ignore"), "set core.convergence=check")):
            done = self.kernel("c_barrier", *options, check=None)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
            self.assertIn(text, done.stderr)

    def test_workloads_are_right(self):
        """lds-lock, whose lock is a word of shared memory, counts on it to begin as 0, and so does a kernel of features_cl.ptx. Threads of
        barneshut leave a loop with a barrier at different times, as its text says."""
        alarms = {}
        for i, run in enumerate(functional_test.runs()):
            line = unmoved.command(COWARP, run)[1:]
            folder = self.folder / str(i)
            folder.mkdir()
            done = functional_test.execute([COWARP, *line, "--functional", "--check", ALL], folder)
            if done.returncode != 0:
                alarms[" ".join(run.split()[:2])] = [re.search(r"check (\w+): kernel (\w+)", text).groups() for text in self.lines(done)]
        barnes_hut = {run for run, found in alarms.items() if "sync" in dict(found)}
        self.assertEqual({re.match("bh-[hl] ", run) is not None for run in barnes_hut}, {True})
        self.assertEqual(len(barnes_hut), 19)
        self.assertEqual({run for run, found in alarms.items() if "init" in dict(found)}, {"lock", "it-hc lds-lock", "gc-lc lds-lock"})
        races = {kernel for found in alarms.values() for kind, kernel in found if kind == "race"}
        self.assertEqual({kernel for kernel in races if not re.search("_(fglock|cglock|stm_tl2|stm_pr)$", kernel)}, RACY)


# Kernels whose threads touch words that others write, outside of transactions and without order: levels of a search, an element that another
# block works on, a look before a transaction. Those with locks and software transactions have no fences, as their papers have them; the lock and the flag of apart.ptx have none either.
RACY = {"bfs_level", "loops", "atomics", "odds", "graphcut_push_tx", "karger_tx", "apart"}

FENCES = {"": "", "cta": "membar.cta;", "gpu": "membar.gl;"}


class DeviceMemory(unittest.TestCase):
    """Two threads and a word of device memory, by the rules of PTX's memory model: what orders them, and what looks as if it did."""

    HEAD = (".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 d)\n{\n.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d;\n"
            "ld.param.u64 %d, [d]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; setp.ne.u32 %p1, WHO, 0;\n")

    def found(self, first, second, together, *options):
        """Whether the first thread's code and the second's race; together: they are of one block, in two warps."""
        text = self.HEAD.replace("WHO", "%r2" if together else "%r1")
        text += "setp.ne.u32 %p3, %r2, 0; setp.ne.u32 %p2, %r2, 32; and.pred %p2, %p2, %p3; @%p2 ret;\n" if together else ""
        text += f"@%p1 bra SECOND;\n{first}\nret;\nSECOND:\n{second}\nret;\n}}\n"
        (self.folder / "k.ptx").write_text(text)
        done = subprocess.run([COWARP, "exec", "k.ptx", "--kernel", "k", "--grid", "1" if together else "2", "--block", "33" if together else "1",
                               "--arg", "zero:64", "--check", "race", "--quiet", *options], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr == "", done.returncode == 0, done.stderr)
        self.assertTrue(done.returncode == 0 or "nothing orders the two" in done.stderr, done.stderr)
        return done.returncode == 1

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="races-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check(self, name, first, second, together, racy):
        for options in ((), ("--functional",)):
            with self.subTest(name, together=together, options=options):
                self.assertEqual(self.found(first, second, together, *options), racy)

    def test_a_flag(self):
        """Data, a fence, a flag; the flag, a fence, the data. Each part has to be there, and reach the other thread."""
        for together in (True, False):
            enough = {"cta", "gpu"} if together else {"gpu"}
            for before, flag, behind in [(b, "gpu", a) for b in FENCES for a in FENCES] + [("gpu", "cta", "gpu")]:
                first = f"st.global.u32 [%d], 7; {FENCES[before]} atom.exch.{flag}.global.b32 %r3, [%d+32], 1;"
                second = f"AGAIN: atom.or.{flag}.global.b32 %r3, [%d+32], 0; setp.eq.u32 %p2, %r3, 0; @%p2 bra AGAIN;\n{FENCES[behind]} ld.global.u32 %r4, [%d];"
                self.check((before, flag, behind), first, second, together, not (before in enough and flag in enough and behind in enough))

    def test_releases_and_acquires(self):
        for scope, together, racy in (("cta", True, False), ("cta", False, True), ("gpu", False, False)):
            first = f"st.global.u32 [%d], 7; st.release.{scope}.global.u32 [%d+32], 1;"
            second = f"AGAIN: ld.acquire.{scope}.global.u32 %r3, [%d+32]; setp.eq.u32 %p2, %r3, 0; @%p2 bra AGAIN;\nld.global.u32 %r4, [%d];"
            self.check(scope, first, second, together, racy)

    def test_pairs_without_order(self):
        """Two stores of one value, and atomics whose scopes have both, do not race."""
        store, load, other = "st.global.u32 [%d], 7;", "ld.global.u32 %r3, [%d];", "st.global.u32 [%d], 8;"
        for together in (True, False):
            for first, second, racy in ((store, load, True), (load, store, True), (load, load, False), (store, other, True), (store, store, False),
                                        (store, "st.global.u32 [%d+4], 8;", False), ("st.global.u8 [%d], 1;", "st.global.u8 [%d+1], 2;", False),
                                        ("st.global.u16 [%d], 1;", "st.global.u8 [%d+1], 2;", True), (store, "red.global.add.u32 [%d], 1;", True),
                                        ("red.gpu.global.add.u32 [%d], 1;", "red.gpu.global.add.u32 [%d], 1;", False),
                                        ("red.cta.global.add.u32 [%d], 1;", "red.gpu.global.add.u32 [%d], 1;", not together),
                                        ("st.relaxed.gpu.global.u32 [%d], 7;", "ld.relaxed.gpu.global.u32 %r3, [%d];", False),
                                        ("st.volatile.global.u32 [%d], 7;", "st.volatile.global.u32 [%d], 8;", True)):
                self.check((first, second), first, second, together, racy)

    def test_locks(self):
        """Whoever comes first, a lock that is taken without a fence behind it is named."""
        for taken, given, racy in (("gpu", "gpu", False), ("", "gpu", True), ("cta", "gpu", True), ("gpu", "", True), ("gpu", "cta", True)):
            one = ("{0}: atom.cas.gpu.global.b32 %r3, [%d+32], 0, 1; setp.ne.u32 %p2, %r3, 0; @%p2 bra {0};\n" + FENCES[taken]
                   + " ld.global.u32 %r4, [%d]; add.u32 %r4, %r4, 1; st.global.u32 [%d], %r4;\n" + FENCES[given] + " atom.exch.gpu.global.b32 %r3, [%d+32], 0;")
            self.check((taken, given), one.format("A"), one.format("B"), False, racy)

    def test_barriers_order_a_block(self):
        store, load = "st.global.u32 [%d], 7;", "ld.global.u32 %r3, [%d];"
        self.check("barrier", store + "bar.sync 0, 64;", "bar.sync 0, 64;" + load, True, False)
        self.check("too late", "bar.sync 0, 64;" + store, "bar.sync 0, 64;" + load, True, True)

    def test_launches_are_in_order(self):
        (self.folder / "k.ptx").write_text(self.HEAD.replace("WHO", "%r1") + "mov.u32 %r3, %ctaid.y; st.global.u32 [%d], %r3; ret;\n}\n")
        (self.folder / "s.txt").write_text("load k.ptx\nalloc d 64\nlaunch k grid 1 block 1 args d\nlaunch k grid 1 block 1 args d\n")
        done = subprocess.run([COWARP, "exec", "--script", "s.txt", "--check", "race"], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Graphs(unittest.TestCase):
    """Codes on graphs, as clang compiles them."""

    CLANG = ("clang++-14", "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "-O2", "-S")

    def test_patterns(self):
        with tempfile.TemporaryDirectory(prefix="graphs-") as folder:
            for target in ("sm_35", "sm_70"):
                subprocess.run([*self.CLANG, f"--cuda-gpu-arch={target}", str(PTX.with_name("graphs.cu")), "-o", "graphs.ptx"], cwd=folder, check=True,
                               capture_output=True)
                for kernel in ("push_right", "push_racy", "pull_right", "pull_racy", "worklist_right", "worklist_racy"):
                    for options in ((), ("--functional",)):
                        with self.subTest(kernel, target=target, options=options):
                            done = subprocess.run([COWARP, "exec", "graphs.ptx", "--kernel", kernel, "--grid", "4", "--block", "64", *3 * ("--arg", "zero:1024"),
                                                   "--arg", "u32:256", "--check", "race", "--quiet", *options], cwd=folder, capture_output=True, text=True,
                                                  timeout=60)
                            self.assertEqual((done.returncode, "nothing orders the two" in done.stderr), (1, True) if "racy" in kernel else (0, False),
                                             done.stderr)


if __name__ == "__main__":
    COWARP = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
