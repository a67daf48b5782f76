#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mechanisms and a policy that the machine knows nothing of: rooms_test.py BUILD/cowarp BUILD/cowarp_rooms SOURCE_DIR [unittest arguments].

cowarp_rooms is the cowarp command with what tests/mech/ has in its lists: tracer, lane_count, serialise, two_phase."""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

COWARP = ROOMS = ""
SOURCE = pathlib.Path()
N = 10000  # elements of vecadd: each of its warps with a thread below N stores once
STORES = (N + 31) // 32
VECADD = ["vecadd", "--param", f"n={N}"]
PLAIN = {"vecadd": ["n=10000"], "reduction": ["n=20000"], "bfs": ["nodes=1500"], "laplace": ["n=18"]}

MARK = """.version 6.0
.target sm_50
.address_size 64
.extern .func (.param .b32 r) trace_mark(.param .b32 value);
.visible .entry marks(.param .u64 out)
{
    .reg .b32 %r<5>; .reg .b64 %d<5>; .reg .pred %p;
    ld.param.u64 %d1, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
    setp.eq.u32 %p, %r1, 3;
    { .param .b32 v; .param .b32 r;
    st.param.b32 [v], %r1;
    @!%p call.uni (r), trace_mark, (v);
    ld.param.b32 %r2, [r]; }
    mul.wide.u32 %d2, %r1, 4;
    add.u64 %d3, %d1, %d2;
    @!%p st.global.u32 [%d3], %r2;
    ret;
}
"""


class Rooms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def command(self, *args, program=None):
        return subprocess.run([program or ROOMS, *map(str, args)], capture_output=True, text=True, timeout=300, cwd=self.folder, check=False)

    def counters(self, *args, program=None):
        """Counters and cycles of a run whose results are right."""
        stats = self.folder / "stats.json"
        done = self.command("run", *args, "--quiet", "--stats", stats, program=program)
        self.assertEqual(done.returncode, 0, done.stderr)
        run = json.loads(stats.read_text())
        self.assertEqual(run["check"], "passed")
        return {"cycles": run["cycles"], **{name: c["value"] for name, c in run["counters"].items()}}

    def refused(self, status, text, *args):
        done = self.command(*args)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(text, done.stderr)


class Empty(Rooms):
    def test_nothing_moves(self):
        """A program that has mechanisms and does not use them is the program without them."""
        for run in (VECADD, ["bfs", "--param", "nodes=600"], ["ht-h", "--system", "getm", "--param", "blocks=2", "--param", "buckets=100"]):
            plain, empty = self.counters(*run, program=COWARP), self.counters(*run)
            self.assertEqual({name: empty[name] for name in plain}, plain)
            self.assertEqual({empty[name] for name in empty.keys() - plain.keys()}, {0})

    def test_lists(self):
        lists = json.loads(self.command("list", "--json").stdout)
        self.assertEqual([m["name"] for m in lists["mechanisms"]], ["tracer", "lane_count"])
        ours = ["ipdom", "dwf", "dwf-wb", "tbc", "its", "si", "dws", "capri", "lw", "pdom-its"]
        self.assertEqual([c["name"] for c in lists["controls"]], ours + ["serialise"])
        self.assertIn("lane_counter", [u["name"] for u in lists["units"]])
        plain = json.loads(self.command("list", "--json", program=COWARP).stdout)
        self.assertEqual((plain["mechanisms"], [c["name"] for c in plain["controls"]]), ([], ours))
        self.assertIn("[tracer]\n", self.command("config").stdout)
        self.assertNotIn("[tracer]\n", self.command("config", program=COWARP).stdout)

    def test_names(self):
        self.refused(2, "did you mean 'tracer'?", "run", "vecadd", "--mech", "tracr")
        self.refused(2, "tracer is named twice", "run", "vecadd", "--mech", "tracer,tracer")
        self.refused(2, "did you mean 'serialise'?", "run", "vecadd", "--control", "serialize")
        self.refused(2, "'cowarp list' shows all", "run", "vecadd", "--control", "xyz")
        self.refused(2, "tracer.every", "run", "vecadd", "--set", "tracer.every=0")


class Tracer(Rooms):
    def test_delays_every_nth_store(self):
        """One core: the stores that are delayed, and the cycles, can be told beforehand."""
        run = [*VECADD, "--set", "core.count=1"]
        plain, before = self.counters(*run), 0
        for every, delay in ((1000, 100), (40, 100), (7, 100), (7, 300), (1, 300)):
            c = self.counters(*run, "--mech", "tracer", "--set", f"tracer.every={every}", "--set", f"tracer.delay_cycles={delay}")
            self.assertEqual((c["tracer_stores"], c["tracer_delayed"]), (STORES, STORES // every))
            self.assertEqual(c["tracer_delay_cycles"], STORES // every * delay)
            self.assertEqual(c["thread_instructions"], plain["thread_instructions"])
            self.assertTrue(c["cycles"] > before if STORES // every > 0 else c["cycles"] == plain["cycles"], (every, delay))
            self.assertGreaterEqual(c["cycles"], STORES // every * delay)
            before = c["cycles"]

    def test_every_core_counts_its_own(self):
        c = self.counters(*VECADD, "--mech", "tracer", "--set", "tracer.every=5", "--set", "core.count=4")
        self.assertEqual(c["tracer_stores"], STORES)
        self.assertTrue(STORES // 5 - 4 < c["tracer_delayed"] <= STORES // 5, c["tracer_delayed"])

    def test_wide_warps(self):
        """A store of 64 lanes comes in two parts."""
        c = self.counters(*VECADD, "--mech", "tracer", "--set", "core.warp_width=64", "--set", "mem.line_bytes=64")
        self.assertEqual(c["tracer_stores"], STORES)

    def test_no_delay_changes_nothing(self):
        plain = self.counters(*VECADD)
        none = self.counters(*VECADD, "--mech", "tracer", "--set", "tracer.every=1", "--set", "tracer.delay_cycles=0")
        self.assertEqual({k: v for k, v in plain.items() if not k.startswith("tracer_")},
                         {k: v for k, v in none.items() if not k.startswith("tracer_")})

    def execute(self, *args, text=MARK):
        (self.folder / "mark.ptx").write_text(text)
        return self.command("exec", "mark.ptx", "--kernel", "marks", "--quiet", *args, "--arg", "out:out:256")

    def test_trace_mark(self):
        """Thread 3 makes no mark; 63 do, in one core, so they are numbered 1 to 63, each warp in the order of its lanes."""
        done = self.execute("--mech", "tracer", "--grid", 1, "--block", 64, "--stats", "s.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        marks = struct.unpack("<64I", (self.folder / "out").read_bytes())
        self.assertEqual(marks[3], 0)
        self.assertEqual(sorted(marks[:3] + marks[4:]), list(range(1, 64)))
        for warp in (marks[:3] + marks[4:32], marks[32:]):
            self.assertEqual(list(warp), list(range(warp[0], warp[0] + len(warp))))
        self.assertEqual(json.loads((self.folder / "s.json").read_text())["counters"]["tracer_marks"]["value"], 63)

    def test_trace_mark_without_the_tracer(self):
        done = self.execute("--grid", 1, "--block", 64)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("the kernel calls trace_mark", done.stderr)

    def test_wrong_signature(self):
        wrong = MARK.replace("(.param .b32 value)", "(.param .b64 value)").replace(".param .b32 v;", ".param .b64 v;")
        wrong = wrong.replace("st.param.b32 [v], %r1", "st.param.b64 [v], %d1")
        done = self.execute("--mech", "tracer", "--grid", 1, "--block", 64, text=wrong)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"mark\.ptx:4:\d+: intrinsic trace_mark has \.u32 as argument 1, declared here as \.b64")


class LaneCount(Rooms):
    def test_total_is_thread_instructions(self):
        """The sum of the C model, of the RTL and of both in lockstep; the machine's own counters do not move."""
        plain, seen = self.counters(*VECADD), []
        for backend in ("c", "rtl", "lockstep"):
            c = self.counters(*VECADD, "--mech", "lane_count", "--unit", f"lane_counter={backend}")
            self.assertEqual(c["lane_count_total"], c["thread_instructions"])
            self.assertTrue(0 < c["lane_count_busy"] <= c["warp_instructions"])
            seen.append(c)
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(seen[0], seen[2])
        own = ("lane_count_total", "lane_count_busy")
        self.assertEqual({k: v for k, v in plain.items() if k not in own}, {k: v for k, v in seen[0].items() if k not in own})

    def test_divergence_and_wide_warps(self):
        for more in ([], ["--set", "core.warp_width=64"], ["--set", "core.schedulers=4", "--set", "core.issue_cycles=1"]):
            c = self.counters("bfs", "--param", "nodes=600", "--mech", "lane_count", *more)
            self.assertEqual(c["lane_count_total"], c["thread_instructions"], more)

    def test_lockstep_catches_a_fault(self):
        text = (SOURCE / "tests/mech/lane_count/rtl/lane_counter/cw_lane_counter.v").read_text()
        right = "lanes_1_i & "
        self.assertEqual(text.count(right), 1)
        (self.folder / "broken.v").write_text(text.replace(right, "lanes_0_i & "))
        done = self.command("run", *VECADD, "--mech", "lane_count", "--unit", "lane_counter=lockstep:broken.v")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"core\d+\.lane_counter.*total_o is 0x[0-9a-f]+ in the C model and 0x[0-9a-f]+ in the RTL")


class TwoPhase(Rooms):
    """A transactional system on the core half of csim/mech/tm."""
    RUNS = (["atm", "--param", "accounts=500", "--param", "transfers=768", "--param", "blocks=3"],
            ["ht-h", "--param", "blocks=4", "--param", "buckets=100"])

    def test_serializable(self):
        for run in self.RUNS:
            c = self.counters(*run, "--system", "two-phase", "--check-serial")
            self.assertEqual(c["tx_committed"], 768)
            self.assertEqual(c["tx_begun"], c["tx_committed"])
            self.assertGreater(c["tx_aborted"], 0)

    def test_oracle_bites(self):
        for run in self.RUNS:
            done = self.command("run", *run, "--system", "two-phase", "--check-serial", "--sabotage", "ignore-locks")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("serializ", done.stdout + done.stderr)


class Serialise(Rooms):
    def test_plain_workloads(self):
        """The results are right, every thread executes what it executes without the policy, and what diverges takes longer."""
        for workload, params in PLAIN.items():
            run = [workload, *(word for p in params for word in ("--param", p))]
            ipdom, serial = self.counters(*run), self.counters(*run, "--control", "serialise")
            self.assertEqual(serial["threads_exited"], ipdom["threads_exited"])
            if workload == "vecadd":
                self.assertEqual(serial["thread_instructions"], ipdom["thread_instructions"])
            if workload == "bfs":
                self.assertGreater(serial["branches_divergent"], 0)
                self.assertGreater(serial["warp_instructions"], 2 * ipdom["warp_instructions"])
                self.assertGreater(serial["cycles"], ipdom["cycles"])

    def test_wide_warps(self):
        self.assertGreater(self.counters("bfs", "--param", "nodes=600", "--control", "serialise", "--set", "core.warp_width=64")["cycles"], 0)

    def test_no_transactions(self):
        self.refused(2, "getm has regions, which control policy serialise cannot run; set core.divergence=pdom (--control ipdom)", "run", "ht-h", "--system",
                     "getm", "--control", "serialise")


class Together(Rooms):
    def test_two_mechanisms(self):
        """Each does what it does alone, in either order, and beside a transactional system."""
        runs = [self.counters(*VECADD, "--set", "core.count=1", "--mech", mechs) for mechs in ("tracer", "tracer,lane_count", "lane_count,tracer")]
        self.assertEqual(runs[1], runs[2])
        self.assertEqual(runs[1]["tracer_delayed"], STORES // 4)
        self.assertEqual(runs[1]["lane_count_total"], runs[1]["thread_instructions"])
        self.assertEqual(runs[1]["cycles"], runs[0]["cycles"])

    def test_beside_a_system(self):
        run = ["ht-h", "--system", "getm", "--check-serial", "--param", "blocks=2", "--param", "buckets=100"]
        plain, both = self.counters(*run), self.counters(*run, "--mech", "tracer,lane_count", "--set", "tracer.every=1")
        self.assertEqual(both["tx_committed"], plain["tx_committed"])
        self.assertEqual(both["tracer_delayed"], both["tracer_stores"])
        self.assertEqual(both["lane_count_total"], both["thread_instructions"])

    def test_all_three(self):
        c = self.counters("bfs", "--param", "nodes=600", "--mech", "tracer,lane_count", "--control", "serialise")
        self.assertGreater(c["tracer_delayed"], 0)
        self.assertEqual(c["lane_count_total"], c["thread_instructions"])


if __name__ == "__main__":
    COWARP, ROOMS = (str(pathlib.Path(a).resolve()) for a in sys.argv[1:3])
    SOURCE = pathlib.Path(sys.argv[3]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
