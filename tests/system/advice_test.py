#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules of advice, each on a kernel that has its fault and on one without it: advice_test.py BUILD/cowarp [--table] [unittest arguments].

--table prints bounds beside what the change has saved (docs/profile.md)."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from explain_test import HEAD, OWN, loop  # noqa: E402  (after the path is set)

COWARP = ""
SMALL = HEAD.replace("s[16384]", "s[1024]")


def own(bytes_apart):
    return OWN.replace("mul.wide.u32 %d1, %r1, 4;", f"mul.wide.u32 %d1, %r1, {bytes_apart};")


def stream(apart, step, turns=16):
    """Each turn reads words that nobody has read, `apart` bytes from thread to thread."""
    return own(apart) + loop(turns, f"ld.global.u32 %r3, [%d1];\nadd.u64 %d1, %d1, {step};\nadd.u32 %r4, %r4, %r3;") + "st.global.u32 [%d1], %r4;\nret;"


def sides(bit):
    """Threads part by a bit of their number, and each side is long."""
    work = "\n".join(f"mad.lo.u32 %r{3 + i % 5}, %r{3 + i % 5}, 3, 1;" for i in range(24))
    return OWN + f"and.b32 %r2, %r0, {bit};\nsetp.ne.u32 %p0, %r2, 0;\n" + loop(20, f"@%p0 bra S;\n{work}\nbra.uni M;\nS:\n{work}\nM:") + "st.global.u32 [%d1], %r3;\nret;"


def banks(words):
    return f"mov.u32 %r0, %tid.x;\nmul.lo.u32 %r1, %r0, {4 * words};\nand.b32 %r1, %r1, 16380;\nmov.u32 %r2, s;\nadd.u32 %r2, %r2, %r1;\n" \
        + loop(60, "ld.shared.u32 %r3, [%r2];\nadd.u32 %r4, %r4, %r3;") + "ret;"


def adds(turns, times):
    return loop(turns, "\n".join(f"add.u32 %r{i % 8}, %r{i % 8}, 7;" for i in range(times))) + "ret;"


def sums(work):
    return OWN + "and.b32 %r5, %r0, 31;\nsetp.eq.u32 %p0, %r5, 0;\n" + loop(30, work) + "ret;"


USES = "st.shared.u32 [s], %r0;\n"
QUOTIENTS = "mov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 0f40400000;\n"
FOUR = "".join(f"ld.global.u32 %r{4 + i}, [%d1+{65536 * i}];\n" for i in range(4)) + "add.u64 %d1, %d1, 262144;\n" + "".join(f"add.u32 %r3, %r3, %r{4 + i};\n" for i in range(4))
# The first warp alone reads before each barrier; then the same words, but each warp some of them.
LATE = OWN + "setp.lt.u32 %p0, %r0, 32;\n" + loop(8, "@!%p0 bra M;\n" + "ld.global.u32 %r3, [%d1];\nadd.u64 %d1, %d1, 65536;\nadd.u32 %r4, %r4, %r3;\n" * 8 + "M:\nbar.sync 0;") + "ret;"
EVEN = OWN + loop(8, "ld.global.u32 %r3, [%d1];\nadd.u64 %d1, %d1, 65536;\nadd.u32 %r4, %r4, %r3;\nbar.sync 0;") + "ret;"
LOCAL = ".local .align 4 .b8 a[64];\n" + OWN + "mov.u64 %d2, a;\n" + loop(40, "and.b32 %r2, %r9, 15;\nmul.wide.u32 %d3, %r2, 4;\nadd.u64 %d3, %d2, %d3;\nst.local.u32 [%d3], %r9;\nld.local.u32 %r3, [%d3];\nadd.u32 %r4, %r4, %r3;") + "ret;"
REGISTERS = OWN + loop(40, "and.b32 %r2, %r9, 15;\nadd.u32 %r3, %r9, 0;\nadd.u32 %r4, %r4, %r3;") + "ret;"
# rule: ((head, body, grid, block) with the fault, without it)
PAIRS = {
    "scattered": ((HEAD, stream(64, 4), 30, 256), (HEAD, stream(4, 30 * 256 * 4), 30, 256)),
    "banks": ((HEAD, banks(32), 15, 128), (HEAD, banks(33), 15, 128)),
    "divergence": ((HEAD, sides(1), 15, 256), (HEAD, sides(32), 15, 256)),
    "blocks": ((HEAD, adds(40, 16), 4, 960), (HEAD, adds(40, 16), 15, 256)),
    "occupancy": ((HEAD, USES + stream(4, 131072, 8), 90, 64), (SMALL, USES + stream(4, 131072, 8), 90, 64)),
    "slow-math": ((HEAD, QUOTIENTS + loop(40, "div.rn.f32 %f1, %f1, %f2;") + "ret;", 15, 64), (HEAD, QUOTIENTS + loop(40, "mul.rn.f32 %f1, %f1, %f2;") + "ret;", 15, 64)),
    "atomics": ((HEAD, sums("atom.global.add.u32 %r3, [%d0], 1;\nadd.u32 %r4, %r4, %r3;"), 15, 64), (HEAD, sums("@%p0 atom.global.add.u32 %r3, [%d0], 32;\nadd.u32 %r4, %r4, %r3;"), 15, 64)),
    "local": ((HEAD, LOCAL, 15, 64), (HEAD, REGISTERS, 15, 64)),
    "bandwidth": ((SMALL, stream(16, 524288, 8), 60, 512), (SMALL, stream(4, 131072, 8), 60, 512)),
    "few-loads": ((HEAD, stream(4, 65536), 15, 64), (HEAD, OWN + loop(4, FOUR) + "st.global.u32 [%d1], %r3;\nret;", 15, 64)),
    "barrier": ((HEAD, LATE, 15, 256), (HEAD, EVEN, 15, 256)),
    "short-loop": ((HEAD, adds(320, 2), 15, 64), (HEAD, adds(40, 16), 15, 64)),
}


class Advice(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    def call(self, *words, status=0):
        done = subprocess.run([COWARP, *words], capture_output=True, text=True, timeout=240, cwd=self.folder, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def explained(self, *words):
        """{rule: advice} and the cycles of a run."""
        self.call(*words, "--quiet", "--profile", "p.txt", "--stats", "s.json")
        found = json.loads(self.call("explain", "s.json", "--json").stdout)
        self.assertEqual(len({(advice["rule"], advice["kernel"]) for advice in found["advice"]}), len(found["advice"]))
        return {advice["rule"]: advice for advice in found["advice"]}, found["cycles"]

    def exec_it(self, head, body, grid, block):
        (self.folder / "k.ptx").write_text(head + body + "\n}\n")
        return self.explained("exec", "k.ptx", "--kernel", "k", "--grid", str(grid), "--block", str(block), "--arg", "zero:16777216")

    def measure(self, rule):
        """(bound with the fault, bound without it, share of the cycles that the change has saved)."""
        (before, cycles), (after, fewer) = (self.exec_it(*kernel) for kernel in PAIRS[rule])
        self.assertIn(rule, before)
        return before[rule]["share"], after.get(rule, {}).get("share") or 0, 1 - fewer / cycles

    def test_each_rule_sees_its_fault(self):
        """And not without the fault; what is at stake is within three times of what the change saves, but where a fault hides others behind it."""
        for rule in PAIRS:
            with self.subTest(rule):
                before, after, saved = self.measure(rule)
                self.assertLess(after, 0.9 * before)
                self.assertGreater(saved, 0.3)
                self.assertTrue(saved / 2.5 < before < 2.5 * saved, (before, saved))

    def test_kernels_side_by_side_in_one_program(self):
        """Each is judged by what it has done itself, whatever the other ones do, and however often it was launched."""
        kernels = {"meets": HEAD + banks(32), "apart": HEAD + banks(33), "few": HEAD + adds(40, 16), "streams": SMALL + stream(16, 524288, 8)}
        head, rest = HEAD.split(".visible", 1)[0], [text.split(".visible", 1)[1].replace(" k(", f" {name}(") + "\n}\n" for name, text in kernels.items()]
        (self.folder / "k.ptx").write_text(head + "".join(f".visible{text}" for text in rest))
        launches = [("meets", 15, 128), ("apart", 15, 128), ("few", 4, 960), ("few", 4, 960), ("few", 2, 960), ("streams", 60, 512)]
        (self.folder / "k.script").write_text("load k.ptx\nalloc out 16777216\n" + "".join(f"launch {name} grid {grid} block {block} args out\n" for name, grid, block in launches))
        self.call("exec", "--script", "k.script", "--quiet", "--profile", "p.txt", "--stats", "s.json", "--per", "launch")
        found = json.loads(self.call("explain", "s.json", "--json").stdout)
        rules = {(advice["rule"], advice["kernel"]): advice for advice in found["advice"]}
        self.assertIn(("banks", "meets"), rules)
        self.assertIn(("bandwidth", "streams"), rules)
        self.assertIn(("blocks", "few"), rules)
        self.assertEqual({kernel for rule, kernel in rules if rule in ("banks", "bandwidth")}, {"meets", "streams"})
        self.assertNotIn(("few-loads", "streams"), rules)
        shares = {row["kernel"]: row["share"] for row in found["kernels"]}
        self.assertEqual(set(shares), set(kernels))
        self.assertAlmostEqual(sum(shares.values()), 1, delta=0.001)
        waits = json.loads((self.folder / "s.json").read_text())["waits"]
        idle = sum(row["cycles"] for row in waits if row["kernel"] == "few" and row["cause"] == "no_warp") / sum(row["cycles"] for row in waits)
        self.assertAlmostEqual(rules["blocks", "few"]["share"], idle, places=4)
        self.assertRegex(self.call("explain", "s.json").stdout, r"\n +\d+\.\d%  meets: shared memory \d")

    def test_aborts(self):
        """A contended hash table, and one that is not."""
        words = ["run", "ht-h", "--system", "getm", "--param", "blocks=15"]
        before, cycles = self.explained(*words, "--param", "buckets=200")
        after, fewer = self.explained(*words, "--param", "buckets=80000")
        self.assertIn("timestamp", before["aborts"]["evidence"])
        self.assertNotIn("aborts", after)
        self.assertLess(fewer, cycles)

    def test_text(self):
        self.exec_it(*PAIRS["scattered"][0])
        text = self.call("explain", "s.json").stdout
        self.assertRegex(text, r"\n  +\d\d\.\d%  k, line 17: a warp's access touches 16\.0 lines of memory, and what its 32 threads need has room in 1\.0\n")
        (self.folder / "p.txt").unlink()
        self.assertIn("advice needs counts of lines: run with --profile FILE", self.call("explain", "s.json").stdout)
        self.assertIn("give one run, or two to compare", self.call("explain", "s.json", "t.json", "u.json", status=2).stderr)

    def test_a_profile_of_something_else(self):
        """Lines that are no rows are no counts, and make no advice."""
        self.exec_it(*PAIRS["banks"][0])
        for text in ("", "cowarp profile 2\n", "cowarp profile 2\nkernel k\nlisting\n", "cowarp profile 2\nkernel k\nlisting\n warps threads | line\n x y | 3 ld\n", "\0" * 100):
            (self.folder / "p.txt").write_text(text)
            self.assertEqual([advice["rule"] for advice in json.loads(self.call("explain", "s.json", "--json").stdout)["advice"] if advice["lines"]], ["banks"])

    def test_page(self):
        self.exec_it(*PAIRS["scattered"][0])
        self.call("report", "s.json", "-o", "r.html")
        page = (self.folder / "r.html").read_text()
        for text in ("What may help", "a warp&#x27;s access touches 16.0 lines", "Roofline", 'aria-label="Memory"', "run with <code>--per launch</code>"):
            self.assertIn(text, page)


if __name__ == "__main__":
    COWARP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    if "--table" in sys.argv:
        Advice.setUpClass()
        for rule in PAIRS:
            print(rule, *(f"{100 * share:.0f}%" for share in Advice().measure(rule)))
    else:
        unittest.main()
