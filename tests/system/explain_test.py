#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of waits by who is waited for, and of cowarp explain: explain_test.py BUILD/cowarp [unittest arguments]."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from profile_test import RUNS  # noqa: E402  (after the path is set)

COWARP = ""
HEAD = (".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 buf)\n{\n.reg .b32 %r<16>; .reg .f32 %f<8>; .reg .b64 %d<8>; .reg .pred %p<4>;\n"
        ".shared .align 4 .b8 s[16384];\n")
FIRST = HEAD.count("\n") + 1  # the line of a body's first instruction
# Each thread of each block has a word of its own; the pointer is %d1.
OWN = "ld.param.u64 %d0, [buf];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmad.lo.u32 %r1, %r1, %r2, %r0;\nmul.wide.u32 %d1, %r1, 4;\nadd.u64 %d1, %d0, %d1;\n"


def loop(turns, body):
    return f"mov.u32 %r9, {turns};\nL:\n{body}\nsub.u32 %r9, %r9, 1;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 bra L;\n"


ONE_LOAD = OWN + "ld.global.u32 %r3, [%d1];\nadd.u32 %r4, %r3, 1;\nst.global.u32 [%d1], %r4;\nret;"
LOAD = FIRST + ONE_LOAD[:ONE_LOAD.index("ld.global")].count("\n")
# Each turn reads lines that nobody has read.
STREAM = OWN + loop(16, "ld.global.u32 %r3, [%d1];\nadd.u64 %d1, %d1, 65536;\nadd.u32 %r4, %r4, %r3;") + "st.global.u32 [%d1], %r4;\nret;"
# Each turn reads the same line.
AGAIN = OWN + loop(30, "ld.global.u32 %r3, [%d1];\nadd.u32 %r4, %r4, %r3;") + "st.global.u32 [%d1], %r4;\nret;"
STORES = OWN + loop(16, "st.global.u32 [%d1], %r9;\nadd.u64 %d1, %d1, 65536;") + "ret;"
CHAIN = loop(100, "add.u32 %r3, %r3, 7;\nadd.u32 %r3, %r3, 7;\nadd.u32 %r3, %r3, 7;\nadd.u32 %r3, %r3, 7;") + "ret;"
WIDE_TURN = "\n".join(f"add.u32 %r{2 + i % 6}, %r{2 + i % 6}, 7;" for i in range(12))
WIDE = loop(60, WIDE_TURN) + "ret;"
SINES = loop(60, "sin.approx.f32 %f1, %f1;\nsin.approx.f32 %f1, %f1;") + "ret;"
BANKS = "mov.u32 %r0, %tid.x;\nmul.lo.u32 %r1, %r0, 8;\nmov.u32 %r2, s;\nadd.u32 %r2, %r2, %r1;\n" + loop(60, "ld.shared.u32 %r3, [%r2];\nadd.u32 %r4, %r4, %r3;") + "ret;"
# In each turn the first warp has a line of its own to read before the barrier, and the others have nothing to do.
LATE = OWN + "setp.lt.u32 %p0, %r0, 32;\n" + loop(20, "@!%p0 bra M;\nld.global.u32 %r3, [%d1];\nadd.u64 %d1, %d1, 65536;\nadd.u32 %r4, %r4, %r3;\nM:\nbar.sync 0;") + "ret;"
FENCES = OWN + loop(20, "st.global.u32 [%d1], %r9;\nmembar.gl;") + "ret;"
MEETS = loop(60, "bar.sync 0;") + "ret;"
CALM = ["ht-h", "--param", "blocks=4", "--param", "buckets=8000", "--system"]
HT = ["ht-h", "--param", "blocks=4", "--param", "buckets=60", "--system"]


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, *words):
        return subprocess.run([COWARP, *words], capture_output=True, text=True, timeout=240, cwd=self.folder, check=False)

    def passes(self, *words):
        done = self.call(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def run_it(self, name, *words):
        self.passes("run", *words, "--quiet", "--omit-host-seconds", "--stats", name)
        return json.loads((self.folder / name).read_text())

    def exec_it(self, name, body, grid, block, *words):
        (self.folder / "k.ptx").write_text(HEAD + body + "\n}\n")
        self.passes("exec", "k.ptx", "--kernel", "k", "--grid", str(grid), "--block", str(block), "--arg", "zero:4194304", "--quiet", "--stalls", "--stats", name, *words)
        return json.loads((self.folder / name).read_text())

    def explain(self):
        return json.loads(self.passes("explain", "a.json", "b.json", "--json"))


def by(stats, **wanted):
    """Cycles of the rows of which that is true, by place."""
    found = {}
    for row in stats["waits"]:
        if all(row.get(name) == value for name, value in wanted.items()):
            found[row.get("at")] = found.get(row.get("at"), 0) + row["cycles"]
    return found


class Waits(Command):
    def test_sums(self):
        """Each cycle of each scheduler has one row; rows of a cause add up to its counter; no other counter moves."""
        places = set()
        for name, run in RUNS.items():
            with self.subTest(name):
                plain, s = self.run_it("p.json", *run), self.run_it("s.json", *run, "--stalls")
                self.assertNotIn("waits", plain)
                counters = {counter: entry["value"] for counter, entry in s["counters"].items()}
                self.assertEqual({**{counter: entry["value"] for counter, entry in plain["counters"].items()}, "cycles": plain["cycles"]},
                                 {**{counter: 0 if counter.startswith("issue_") else value for counter, value in counters.items()}, "cycles": s["cycles"]})
                for cause in ("issued", "structural", "memory", "fetch", "scoreboard_alu", "scoreboard_sfu", "scoreboard_memory", "sleep", "mechanism", "barrier",
                              "no_warp", "launch", "drain"):
                    self.assertEqual(sum(by(s, cause=cause).values()), counters["issue_" + cause], cause)
                self.assertEqual(sum(row["cycles"] for row in s["waits"]), s["cycles"] * s["config"]["core.count"] * s["config"]["core.schedulers"])
                places |= {row.get("at") for row in s["waits"]}
        self.assertEqual(places, {None, "l1", "shared", "constant", "noc_up", "l2", "dram", "noc_down", "mechanism", "begin", "back_off", "draining", "commit",
                                  "issue", "fetch", "alu", "sfu"})

    def test_a_machine_made_anew_has_the_same_waits(self):
        for run in (["ht-h", "--param", "blocks=4", "--system", "getm"], ["reduction", "--param", "n=32768", "--preset", "qv100"]):
            plain, anew = self.run_it("p.json", *run, "--stalls"), self.run_it("a.json", *run, "--stalls", "--renew", "997")
            self.assertEqual(plain["waits"], anew["waits"], run)

    def test_a_place_has_the_cycles_that_its_key_adds(self):
        """One warp, one load that misses, nothing else on its way. The key of a place adds cycles there, and nowhere else."""
        before = by(self.exec_it("a.json", ONE_LOAD, 1, 32), line=LOAD, cause="scoreboard_memory")
        dram = self.exec_it("d.json", ONE_LOAD, 1, 32, "--set", "clock.dram=1400")
        for key, now, places, added in (("dram.latency", 500, ("dram",), 300), ("l2.rop_latency", 340, ("l2",), 100), ("l2.latency", 62, ("l2",), 20),
                                        ("noc.latency", 15, ("noc_up", "noc_down"), 10), ("l1.pipeline", 54, ("l1",), 20)):
            after = by(self.exec_it("b.json", ONE_LOAD, 1, 32, "--set", f"{key}={now}"), line=LOAD, cause="scoreboard_memory")
            for place in before:
                # DRAM has a clock of its own, so its edges may lie up to two cycles elsewhere
                self.assertLessEqual(abs(after[place] - before[place] - added * (place in places)), 2 if place in ("dram", "l2") else 0, (key, place))
        self.assertEqual(set(before), {"l1", "noc_up", "l2", "dram", "noc_down"})
        self.assertGreater(sum(by(dram, cause="drain").values()), 0)

    def test_the_load_is_charged_and_not_its_consumer(self):
        s = self.exec_it("a.json", STREAM, 15, 256)
        line = FIRST + STREAM[:STREAM.index("ld.global")].count("\n")
        self.assertEqual({row["line"] for row in s["waits"] if row["cause"] == "scoreboard_memory" and row["cycles"] > 5000}, {line})

    def test_transactions_stand_at_their_own_lines(self):
        """ht-h calls tx_begin and tx_commit once each; the lines come from the PTX, and no wait of a phase stands elsewhere."""
        s = self.run_it("s.json", *HT, "warptm", "--stalls")
        begin, = {row["line"] for row in s["waits"] if row.get("at") == "back_off"}
        commit, = {row["line"] for row in s["waits"] if row.get("at") == "commit"}
        text = pathlib.Path(s["manifest"]["files"][0]["path"]).read_text().splitlines()
        self.assertIn("tx_begin", "".join(text[begin - 1:begin + 3]))
        self.assertIn("tx_commit", "".join(text[commit - 1:commit + 3]))
        self.assertLess(begin, commit)

    def test_a_barrier_waits_for_what_its_last_warp_waits_for(self):
        s = self.exec_it("a.json", LATE, 1, 256)
        line = FIRST + LATE[:LATE.index("ld.global")].count("\n")
        waits = {}
        for row in s["waits"]:
            if row["cause"] == "barrier":
                waits[row["line"]] = waits.get(row["line"], 0) + row["cycles"]
        self.assertEqual(max(waits, key=waits.get), line)
        self.assertGreater(waits[line], 0.9 * sum(waits.values()))
        self.assertGreater(by(s, cause="barrier", line=line)["l2"], 20 * 240)  # l2.rop_latency, in each turn

    def test_a_barrier_says_what_its_last_warp_waits_for_without_a_request(self):
        """Warp 1 is at the barrier at once. Warp 0 has a chain of one kind: three quarters of its waits at least, and so of the barrier's, are of that kind."""
        for at, work, *words in (("alu", loop(50, "add.u32 %r3, %r3, 7;\n" * 20)), ("sfu", loop(50, "sin.approx.f32 %f1, %f1;\n" * 20)), ("sleep", "nanosleep.u32 20000;"),
                                 ("fetch", loop(50, ""), "--set", "core.fetch_cycles=64"), ("issue", loop(20, 5 * (WIDE_TURN + "\n")), "--set", "fu.alu_interval=16")):
            with self.subTest(at):
                waits = by(self.exec_it("a.json", "mov.u32 %r0, %tid.x;\nsetp.ge.u32 %p0, %r0, 32;\n@%p0 bra M;\n" + work + "\nM:\nbar.sync 0;\nret;", 1, 64, *words), cause="barrier")
                self.assertGreater(waits.get(at, 0), 0.75 * sum(waits.values()), waits)
                self.assertLess(waits.get(None, 0), 0.02 * sum(waits.values()), waits)

    def test_begin_and_end_of_a_launch(self):
        """gpu.launch_cycles before the first block, on all 30 schedulers; behind the last one a store is on its way as long as a load is."""
        a, b = self.exec_it("a.json", ONE_LOAD, 1, 32), self.exec_it("b.json", ONE_LOAD, 1, 32, "--set", "gpu.launch_cycles=1000")
        self.assertEqual(sum(by(b, cause="launch").values()) - sum(by(a, cause="launch").values()), 30 * 1000)
        self.assertEqual(sum(by(b, cause="drain").values()), sum(by(a, cause="drain").values()))
        self.assertGreater(sum(by(a, cause="drain").values()), 30 * 240)


class Explain(Command):
    # What is run twice, with one key changed; the first cause, and why it must be that.
    PAIRS = (
        ("dram.latency", (100, 900), ("exec", STREAM, 15, 64), "dram", "all lines come from DRAM, which answers later"),
        ("core.schedulers", (2, 1), ("exec", WIDE, 15, 512), "issued", "all warps are ready, so half of the issue slots take twice as long"),
        ("fu.alu_latency", (8, 40), ("exec", CHAIN, 15, 32), "scoreboard_alu", "each addition needs the one before it"),
        ("fu.sfu_latency", (16, 90), ("exec", SINES, 15, 32), "scoreboard_sfu", "each sine needs the one before it"),
        ("fu.sfu_interval", (4, 32), ("exec", SINES, 15, 1024), "structural", "all warps are ready, and the unit is taken"),
        ("shared.latency", (30, 130), ("exec", BANKS, 15, 32), "shared", "each turn needs its load"),
        ("shared.pass_cycles", (1, 8), ("exec", BANKS, 15, 512), "shared", "two words of a bank are apart in each access"),
        ("l1.latency", (1, 90), ("exec", AGAIN, 15, 32, "--set", "l1.global=on"), "l1", "all but the first turn hit"),
        ("l1.global", ("on", "off"), ("exec", AGAIN, 15, 32), "l2", "each turn goes to the L2, which has the line; its ROP delay is most of the way"),
        ("l2.rop_latency", (100, 500), ("exec", STREAM, 15, 64), "l2", "it is a part of the L2's time"),
        ("noc.latency", (5, 200), ("exec", AGAIN, 1, 32), ("noc_up", "noc_down"), "each way is longer by as much"),
        ("noc.flit_bytes", (64, 16), ("exec", STREAM, 60, 256), "noc_down", "replies carry lines, requests none"),
        ("noc.flit_bytes", (64, 16), ("exec", STORES, 60, 256), "noc_up", "stores carry lines, their acknowledgements none"),
        ("dram.latency", (100, 900), ("exec", LATE, 15, 256), "dram", "the last warp at each barrier waits for it"),
        ("core.barrier_cycles", (1, 60), ("exec", MEETS, 15, 256), "barrier", "it is a barrier's own time"),
        ("core.fetch_cycles", (4, 60), ("exec", CHAIN, 15, 32), "fetch", "each turn has a taken branch"),
        ("gpu.launch_cycles", (0, 5000), ("exec", ONE_LOAD, 15, 32), "launch", "nothing else changes"),
        ("l2.rop_latency", (100, 500), ("exec", FENCES, 15, 32), "l2", "a fence waits for the store before it"),
        ("tm.backoff_cycles", (200, 6000), ("run", *HT, "getm"), "back_off", "attempts fail, and the next ones are put off"),
        ("clock.cu", (700, 100), ("run", *HT, "warptm"), "commit", "commit units validate"),
        ("getm.validation_delay", (0, 60), ("run", *CALM, "getm"), "mechanism", "each access of a transaction is validated"),
    )

    def make(self, name, what, *words):
        kind, *of = what
        if kind == "run":
            return self.run_it(name, *of, "--stalls", *words)
        return self.exec_it(name, *of, *words)

    def test_the_first_cause_is_the_key_that_changed(self):
        for key, values, what, cause, reason in self.PAIRS:
            with self.subTest(key, cause=cause):
                a, b = (self.make(name, what, "--set", f"{key}={value}") for name, value in zip(("a.json", "b.json"), values))
                found = self.explain()
                self.assertEqual(found["cycles"], [a["cycles"], b["cycles"]])
                self.assertGreater(found["difference"], 0.03 * a["cycles"])
                self.assertIn(found["causes"][0]["cause"], cause if isinstance(cause, tuple) else (cause,), f"{reason}: {json.dumps(found)[:1500]}")
                self.assertGreaterEqual(found["named"], 0.95)

    def test_text_and_sums(self):
        """The parts of both runs add up to the difference, whatever the sizes of the machines."""
        self.exec_it("a.json", STREAM, 15, 64)
        self.exec_it("b.json", STREAM, 15, 64, "--set", "core.count=4", "--set", "core.schedulers=1", "--set", "dram.latency=900")
        found = self.explain()
        self.assertAlmostEqual(sum(row["cycles"] for row in found["causes"]), found["difference"], delta=0.06 * found["difference"])
        text = self.passes("explain", "a.json", "b.json")
        self.assertIn(f"{found['cycles'][0]:,} -> {found['cycles'][1]:,} cycles", text)
        places = [text.index(f"{row['cause']}:") for row in found["causes"]]
        self.assertEqual(places, sorted(places))

    def test_equal_runs_have_no_cause(self):
        for name in ("a.json", "b.json"):
            self.exec_it(name, CHAIN, 2, 32)
        self.assertEqual((self.explain()["causes"], self.explain()["difference"]), ([], 0))
        self.assertIn("no cause differs", self.passes("explain", "a.json", "b.json"))

    def test_refusals(self):
        self.run_it("plain.json", "vecadd", "--param", "n=100")
        s = self.exec_it("a.json", CHAIN, 2, 32)
        s["waits"][0]["cycles"] += 1
        (self.folder / "wrong.json").write_text(json.dumps(s))
        (self.folder / "bad.json").write_text(json.dumps({**s, "waits": [{"kernel": 3}]}))
        for says, *files in (("make it again with --stalls", "a.json", "plain.json"), ("do not add up", "wrong.json", "a.json"), ("is there twice", "a.json", "a.json"),
                             ("waits", "a.json", "bad.json"), ("none.json", "a.json", "none.json")):
            done = self.call("explain", *files)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(says, done.stderr)


if __name__ == "__main__":
    COWARP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
