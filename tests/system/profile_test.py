#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of docs/profile.md, where time goes: profile_test.py BUILD/cowarp [unittest arguments]."""

import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

COWARP = ""
PTX = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptx_exec", "kernels.ptx")

# Runs of all that has code of its own; each is small.
HT = ["ht-h", "--param", "blocks=4", "--param", "buckets=200"]
GRAPH = ["bfs2", "--preset", "thesis-tbc", "--param", "nodes=300", "--param", "degree=6"]
RUNS = {
    "getm": [*HT, "--system", "getm"],
    "warptm": [*HT, "--system", "warptm"],
    "eapg": [*HT, "--system", "eapg"],
    "serial": ["ht-h", "--system", "serial", "--param", "blocks=1", "--param", "buckets=200"],
    "locks": [*HT, "--variant", "fglock"],
    "localtm": ["lht-hc", "--preset", "localtm", "--param", "groups=2", "--param", "wavefronts=2", "--param", "keys=2"],
    "gtx480": ["lps", "--preset", "gtx480", "--param", "n=18"],
    "pdom": GRAPH,
    "tbc": [*GRAPH, "--set", "core.divergence=tbc"],
    "dwf": [*GRAPH, "--set", "core.divergence=dwf"],
    "sbrp": ["red", "--preset", "sbrp-near", "--persistency", "sbrp", "--param", "n=2048", "--param", "launches=2", "--param", "blocks=3"],
}


class Command(unittest.TestCase):
    PLAIN = {}

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_it(self, *args):
        return subprocess.run([COWARP, *args], capture_output=True, text=True, timeout=240, cwd=self.folder.name)

    def statistics(self, *args):
        """Of a run with these arguments; it must end well."""
        r = self.run_it("run", *args, "--quiet", "--omit-host-seconds", "--stats", "s.json")
        self.assertEqual((r.returncode, r.stderr), (0, ""), args)
        with open(self.path("s.json"), encoding="utf-8") as f:
            return json.load(f)

    def counters(self, *args):
        s = self.statistics(*args)
        return {**{k: v["value"] for k, v in s["counters"].items()}, "cycles": s["cycles"]}

    def plain(self, *args):
        """The counters of such a run, which writes nothing else; each is made once."""
        if args not in self.PLAIN:
            self.PLAIN[args] = self.counters(*args)
        return self.PLAIN[args]

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()

    def refused(self, *args, says):
        r = self.run_it(*args)
        self.assertEqual(r.returncode, 2, (args, r.stderr))
        self.assertEqual(r.stderr.count("\n"), 1, r.stderr)
        for word in says:
            self.assertIn(word, r.stderr)


def parse_profile(text):
    """{kernel: (hot lines, {line: {column: number}}, totals)}, hot lines as (cycles, causes, reason, line)."""
    kernels = {}
    for part in text.split("\nkernel ")[1:]:
        name, rest = part.split("\n", 1)
        hot_text, listing = rest.split("\nlisting\n")
        hot = []
        for row in hot_text.split("\ncontended words\n")[0].split("\nhottest lines\n")[1].split("\n")[1:]:
            words = row.split(":", 1)[0].split()
            if words:
                hot.append((int(words[1]), int(words[2]), words[3], int(words[-1])))
        rows = listing.split("\n")
        columns = rows[0].split("|")[0].split()
        lines, total = {}, None
        for row in rows[1:]:
            if "|" not in row:
                continue
            left, right = row.split("|", 1)
            values = [0 if v == "." else int(v) for v in left.split()]
            counts = dict(zip(columns, values, strict=True)) if values else {}
            if right.strip() == "total":
                total = counts
            else:
                lines[int(right.split(maxsplit=1)[0])] = counts
        kernels[name] = (hot, lines, total)
    return kernels


class Profile(Command):
    """Counts per line of the PTX."""

    # Columns and the counters with which their sums agree. Of issue_no_warp there is no line.
    COLUMNS = {"warps": "warp_instructions", "threads": "thread_instructions", "branches": "branches", "diverged": "branches_divergent",
               "accesses": "mem_accesses", "aborts": "tx_aborted",
               **{r: "issue_" + r for r in ("structural", "memory", "fetch", "scoreboard_alu", "scoreboard_sfu", "scoreboard_memory",
                                            "sleep", "mechanism", "barrier")}}

    def test_sums(self):
        aborted = diverged = 0
        for name, run in RUNS.items():
            with self.subTest(name):
                without = self.plain(*run, "--stalls")
                counters = self.counters(*run, "--profile", "p.txt")
                self.assertEqual(counters, without)
                kernels = parse_profile(self.read("p.txt"))
                self.assertGreater(len(kernels), 0)
                for column, counter in self.COLUMNS.items():
                    self.assertEqual(sum(k[2][column] for k in kernels.values()), counters[counter], column)
                    for k in kernels.values():
                        self.assertEqual(sum(line.get(column, 0) for line in k[1].values()), k[2][column], column)
                for hot, lines, total in kernels.values():
                    self.assertEqual(total["causes"], total["stalled"])  # each cycle has one who waits, and one who is waited for
                    for line in lines.values():
                        self.assertEqual(line.get("stalled", 0), sum(line.get(c, 0) for c, n in self.COLUMNS.items() if n[:6] == "issue_"))
                    self.assertEqual(hot, sorted(hot, key=lambda h: (-h[0], h[3])))
                aborted += counters["tx_aborted"]
                diverged += counters["branches_divergent"]
        self.assertGreater(aborted, 0)
        self.assertGreater(diverged, 0)

    def write_kernel(self, body):
        with open(self.path("k.ptx"), "w", encoding="utf-8") as f:
            f.write(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 buf)\n{\n" + body + "\n}\n")

    def exec_it(self, *args):
        r = self.run_it("exec", "k.ptx", "--kernel", "k", "--grid", "1", "--quiet", "--profile", "p.txt", *args)
        self.assertEqual((r.returncode, r.stderr), (0, ""))
        return parse_profile(self.read("p.txt"))["k"]

    def test_lines_by_hand(self):
        """A loop of 5 turns whose lane 0 leaves early, a load of 32 lines, an add that waits for it."""
        self.write_kernel("""\
.reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p<3>;
ld.param.u64 %d0, [buf];
mov.u32 %r0, %tid.x;
mov.u32 %r1, 5;
LOOP:
sub.u32 %r1, %r1, 1;
setp.ne.u32 %p0, %r1, 0;
@%p0 bra LOOP;
setp.eq.u32 %p1, %r0, 0;
@%p1 bra LEAVE;
mul.wide.u32 %d1, %r0, 128;
add.u64 %d1, %d0, %d1;
ld.global.u32 %r2, [%d1];
add.u32 %r3, %r2, 1;
st.global.u32 [%d1], %r3;
LEAVE:
ret;""")
        hot, lines, total = self.exec_it("--block", "32", "--arg", "zero:4096")
        first = 6  # the body's first line
        self.assertEqual((lines[first + 5]["warps"], lines[first + 5]["threads"]), (5, 5 * 32))
        self.assertEqual((lines[first + 7]["branches"], lines[first + 7]["diverged"]), (5, 0))
        self.assertEqual((lines[first + 9]["branches"], lines[first + 9]["diverged"]), (1, 1))
        self.assertEqual((lines[first + 12]["accesses"], lines[first + 12]["threads"]), (31, 31))
        self.assertEqual(lines[first + 14]["accesses"], 31)
        wait = lines[first + 13]
        self.assertEqual(wait["stalled"], wait["scoreboard_memory"])
        self.assertGreater(wait["scoreboard_memory"], 330)  # of a machine whose memory is that far away (GETM Table II)
        self.assertEqual((hot[0][2], hot[0][3]), ("scoreboard_memory", first + 12))  # the load, not the add that waits for it
        self.assertEqual(lines[first + 12]["causes"], wait["stalled"])
        self.assertEqual(lines[first + 4], {})

    def test_files(self):
        self.refused("run", "vecadd", "--profile", "/no/folder/p.txt", says=["--profile", "/no/folder"])
        self.refused("run", "vecadd", "--profile", "p", "--stats", "p", says=["the same file"])

    def test_rerun(self):
        self.statistics("vecadd", "--param", "n=1000", "--profile", "p.txt")
        r = self.run_it("rerun", "s.json")
        self.assertEqual(r.returncode, 0, r.stdout + r.stderr)


class Samples(Command):
    """Rows of counters."""

    def rows(self, name):
        with open(self.path(name), newline="", encoding="utf-8") as f:
            return [{k: int(v) for k, v in row.items()} for row in csv.DictReader(f)]

    def test_sums(self):
        for name, run in RUNS.items():
            with self.subTest(name):
                without = self.plain(*run, "--stalls")
                counters = self.counters(*run, "--stalls", "--samples", "t.csv", "--sample", "777")
                self.assertEqual(counters, without)
                rows = self.rows("t.csv")
                self.assertGreater(len(rows[0]), 20)
                for i, row in enumerate(rows[:-1]):
                    self.assertEqual((row["begin"], row["end"]), (777 * i, 777 * (i + 1)))
                self.assertEqual(rows[-1]["end"], counters["cycles"])
                self.assertLessEqual(rows[-1]["end"] - rows[-1]["begin"], 777)
                for column in list(rows[0])[2:]:
                    self.assertEqual(sum(row[column] for row in rows), counters[column], column)

    def test_span_in_which_nothing_happens(self):
        """One warp sleeps for 140,000 cycles of a machine with 15 cores and 30 schedulers: each row has the cycles that are its own."""
        with open(self.path("k.ptx"), "w", encoding="utf-8") as f:
            f.write(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\nnanosleep.u32 100000;\nret;\n}\n")
        r = self.run_it("exec", "k.ptx", "--kernel", "k", "--grid", "1", "--block", "32", "--quiet", "--stalls", "--samples", "t.csv",
                        "--sample", "1000", "--sample-counters", "core_active_cycles,core_w0_idle,issue_sleep,issue_no_warp")
        self.assertEqual((r.returncode, r.stderr), (0, ""))
        rows = self.rows("t.csv")
        self.assertEqual(len(rows), 141)
        for row in rows[1:-1]:
            self.assertEqual(list(row.values())[2:], [1000, 1000, 1000, 29 * 1000])

    def test_several_launches(self):
        s = self.statistics("bfs", "--param", "nodes=1500", "--samples", "t.csv", "--sample", "500", "--sample-counters", "blocks_finished")
        rows = self.rows("t.csv")
        self.assertEqual(sum(row["blocks_finished"] for row in rows), s["counters"]["blocks_finished"]["value"])
        self.assertEqual(len(rows), (s["cycles"] + 499) // 500)

    def test_run_that_fails(self):
        """It is stopped in the middle: the sums hold, and so do those of the profile and the reasons of schedulers."""
        r = self.run_it("run", "laplace", "--param", "n=60", "--max-cycles", "3001", "--quiet", "--stats", "s.json", "--samples", "t.csv",
                        "--sample", "1000", "--profile", "p.txt", "--timeline", "t.json")
        self.assertEqual(r.returncode, 1)
        s = json.loads(self.read("s.json"))
        counters = {k: v["value"] for k, v in s["counters"].items()}
        rows = self.rows("t.csv")
        self.assertEqual([row["end"] for row in rows], [1000, 2000, 3000, 3001])
        for column in list(rows[0])[2:]:
            self.assertEqual(sum(row[column] for row in rows), counters[column], column)
        self.assertGreater(rows[-1]["core_active_cycles"], 0)
        self.assertEqual(sum(v for k, v in counters.items() if k.startswith("issue_")), 3001 * 15 * 2)
        (_, _, total), = parse_profile(self.read("p.txt")).values()
        self.assertEqual(total["stalled"] + sum(counters["issue_" + name] for name in ("no_warp", "launch", "drain", "issued")), 3001 * 15 * 2)
        self.assertEqual(json.loads(self.read("t.json"))["otherData"]["end_cycle"], 3001)

    def test_refusals(self):
        for says, *args in (["without --samples", "--sample", "5"], ["without --sample;", "--samples", "t"],
                            ["at least 1", "--samples", "t", "--sample", "0"], ["not a whole number", "--samples", "t", "--sample", "x"],
                            ["at most 4294967295", "--samples", "t", "--sample", "4294967296"],
                            ["without --samples", "--sample-counters", "branches"],
                            ["did you mean 'branches'", "--samples", "t", "--sample", "5", "--sample-counters", "branchs"],
                            ["is empty", "--samples", "t", "--sample", "5", "--sample-counters", "branches,,barriers"],
                            ["given twice", "--samples", "t", "--sample", "5", "--sample-counters", "branches,branches"],
                            ["is a maximum", "--samples", "t", "--sample", "5", "--sample-counters", "simt_stack_max"],
                            ["/no/folder", "--samples", "/no/folder/t", "--sample", "5"],
                            ["the same file", "--samples", "t", "--sample", "5", "--stats", "t"]):
            self.refused("run", "vecadd", *args, says=[says])
            self.assertEqual(os.listdir(self.folder.name), [], args)


class Parts(Command):
    """Counters by launch, core, partition."""

    # Of the machine's counters those that no core and no partition counts.
    CHIP = ("noc_", "nvm_", "pm_bytes", "pcie_bytes")
    ALL = ["--per", "launch", "--per", "core", "--per", "partition"]

    def test_sums(self):
        for name, run in RUNS.items():
            with self.subTest(name):
                without = self.plain(*run)
                s = self.statistics(*run, *self.ALL)
                counters = {k: v["value"] for k, v in s["counters"].items()}
                self.assertEqual({**counters, "cycles": s["cycles"]}, without)
                maxima = {k for k, v in s["counters"].items() if v["definition"].endswith("(maximum)")}
                machine = [k for k, v in s["counters"].items() if "of" not in v]
                self.assertEqual(sum(launch["cycles"] for launch in s["per_launch"]), s["cycles"])
                for k, value in counters.items():
                    if k not in maxima:
                        self.assertEqual(sum(launch["counters"].get(k, 0) for launch in s["per_launch"]), value, k)
                for member, count in (("per_core", "core.count"), ("per_partition", "partition.count")):
                    for k, values in s[member].items():
                        self.assertEqual(len(values), s["config"][count])
                        self.assertEqual(max(values) if k in maxima else sum(values), counters[k], k)
                self.assertFalse(set(s["per_core"]) & set(s["per_partition"]))
                split = {*s["per_core"], *s["per_partition"]}
                for k in machine:
                    self.assertEqual(k in split, counters[k] != 0 and not k.startswith(self.CHIP), k)

    def test_by_hand(self):
        """Three blocks come to the first three cores; two launches of bfs and more are listed in their order."""
        s = self.statistics("vecadd", "--param", "n=300", *self.ALL)
        finished = s["per_core"]["blocks_finished"]
        self.assertEqual(sum(finished), s["counters"]["blocks_finished"]["value"])
        self.assertEqual(sorted(finished, reverse=True), finished)
        self.assertEqual(max(finished), 1)
        self.assertEqual([launch["kernel"] for launch in s["per_launch"]], ["vecadd"])
        s = self.statistics("bfs", "--param", "nodes=1500", "--per", "launch")
        self.assertGreater(len(s["per_launch"]), 2)
        self.assertNotIn("per_core", s)

    def test_refusals(self):
        self.refused("run", "vecadd", "--per", "cores", "--stats", "s", says=["did you mean 'core'"])
        self.refused("run", "vecadd", "--per", "core", says=["without --stats"])


class Timeline(Command):
    """Trace events."""

    # Members beside ph, pid, tid, ts, which all events have; and names.
    MEMBERS = {"M": {"name", "args"}, "X": {"name", "args", "dur"}, "C": {"name", "args"}}
    OPTIONAL = {"M": set(), "X": {"args"}, "C": set()}
    METADATA = {"process_name": "name", "thread_name": "name", "process_sort_index": "sort_index", "thread_sort_index": "sort_index"}
    STATES = {"running", "transaction", "barrier", "memory", "mechanism", "commit", "back-off"}
    UNITS = {"validation_unit", "commit_unit"}
    COUNTERS = {"L2 queue", "DRAM queue", "stall_buffer"}
    CAUSES = {"timestamp": "tx_aborted_timestamp", "stall_full": "tx_aborted_stall_full", "rollover": "tx_aborted_rollover",
              "intra_warp": "tx_aborted_intra_warp", "validation": "tx_aborted_validation", "early": "tx_aborted_early", "conflict": None}

    def named(self, process, track, name, launched):
        """Whether a slice of that name may be on the track."""
        if process == "GPU":
            return track == "launches" and name in launched
        if process.startswith("core "):
            words = track.split()
            if words[0] == "block":
                return words[1] == "slot" and name.startswith("block ")
            return words[0] == "warp" and (name == "attempt" if words[2:] == ["transactions"] else name in self.STATES)
        return process.startswith("partition ") and track in self.UNITS and name in ("accepts", "refuses")

    def check(self, trace, launched):
        """Whether the file is what docs/profile.md says; [(process, track, name, args, begin, end)]."""
        self.assertEqual(set(trace), {"displayTimeUnit", "traceEvents", "otherData"})
        names, last, slices = {}, {}, []
        for e in trace["traceEvents"]:
            self.assertEqual(set(e) | self.OPTIONAL[e["ph"]], {"ph", "pid", "tid", "ts"} | self.MEMBERS[e["ph"]], e)
            track = (e["pid"], e["tid"])
            if e["ph"] == "M":
                self.assertEqual(list(e["args"]), [self.METADATA[e["name"]]])
                if e["name"].endswith("_name"):
                    key = (e["pid"], None) if e["name"] == "process_name" else track
                    self.assertNotIn(key, names)
                    names[key] = e["args"]["name"]
                continue
            if e["ph"] == "C":
                self.assertIn(e["name"], self.COUNTERS)
                self.assertTrue(names[e["pid"], None].startswith("partition "))
                track = (*track, e["name"])
            self.assertGreaterEqual(e["ts"], last.get(track, 0), e)
            last[track] = e["ts"]
            if e["ph"] == "X":
                self.assertTrue(self.named(names[e["pid"], None], names[track], e["name"], launched), (names[track], e))
                last[track] = round(e["ts"] + e["dur"], 6)  # slices of these tracks do not lie in each other
                slices.append((names[e["pid"], None], names[track], e["name"], e.get("args", {}), e["ts"], last[track]))
        return slices

    def trace(self, *args):
        s = self.statistics(*args, "--timeline", "t.json")
        trace = json.loads(self.read("t.json"))
        launched = {launch["kernel"] for launch in s["manifest"]["launches"]}
        return s, trace, self.check(trace, launched)

    def test_runs(self):
        aborted = 0
        for name, run in RUNS.items():
            with self.subTest(name):
                without = self.plain(*run)
                s, trace, slices = self.trace(*run)
                counters = {k: v["value"] for k, v in s["counters"].items()}
                self.assertEqual({**counters, "cycles": s["cycles"]}, without)
                self.assertEqual(sum(x[1].startswith("block slot") for x in slices), counters["blocks_finished"])
                self.assertEqual(sum(x[1] == "launches" for x in slices), sum(x.get("times", 1) for x in s["manifest"]["launches"]))
                attempts = [x for x in slices if x[2] == "attempt"]
                self.assertEqual(sum(x[3]["committed"] for x in attempts), counters["tx_committed"])
                self.assertEqual(sum(x[3]["aborted"] for x in attempts), counters["tx_aborted"])
                for x in attempts:
                    c, a = x[3]["committed"], x[3]["aborted"]
                    self.assertEqual(x[3]["outcome"], "mixed" if c and a else "committed" if c else "aborted")
                    self.assertEqual(sum(x[3]["causes"].values()), a)
                causes = {cause for x in attempts for cause in x[3]["causes"]}
                self.assertLessEqual(causes, set(self.CAUSES))
                for cause in causes - {"conflict"}:
                    self.assertEqual(sum(x[3]["causes"].get(cause, 0) for x in attempts), counters[self.CAUSES[cause]])
                self.assertEqual(len({x[2] for x in slices if x[1].split()[0] == "warp"} & {"running", "transaction"}) > 0, True)
                self.assertIsNone(trace["otherData"]["cut_at_cycle"])
                self.assertEqual(trace["otherData"]["end_cycle"], s["cycles"])
                aborted += counters["tx_aborted"]
        self.assertGreater(aborted, 0)

    def test_compressed(self):
        """The same events, in less room; gzip itself finds no fault."""
        trace = self.trace(*RUNS["getm"])[1]
        for name in ("t.json.gz", "t.GZ"):
            s = self.statistics(*RUNS["getm"], "--timeline", name)
            self.assertEqual(s["cycles"], trace["otherData"]["end_cycle"])
            with gzip.open(self.path(name), "rt") as file:
                self.assertEqual(json.load(file), trace)
        self.assertLess(os.path.getsize(self.path("t.json.gz")), 0.3 * os.path.getsize(self.path("t.json")))

    def test_barrier_by_hand(self):
        """Warp 0 waits at the barrier for warp 1, which sleeps. They have a scheduler each, so the slice is as long as the stall."""
        with open(self.path("k.ptx"), "w", encoding="utf-8") as f:
            f.write(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r; .reg .pred %p;\n"
                    "mov.u32 %r, %tid.x;\nsetp.lt.u32 %p, %r, 32;\n@%p bra J;\nnanosleep.u32 1000;\nJ: bar.sync 0;\nret;\n}\n")
        r = self.run_it("exec", "k.ptx", "--kernel", "k", "--grid", "1", "--block", "64", "--quiet", "--stalls", "--timeline", "t.json",
                        "--stats", "s.json")
        self.assertEqual((r.returncode, r.stderr), (0, ""))
        slices = self.check(json.loads(self.read("t.json")), {"k"})
        waits = [x for x in slices if x[2] == "barrier"]
        self.assertEqual([(x[0], x[1]) for x in waits], [("core 0", "warp 0")])
        cycles = json.loads(self.read("s.json"))["counters"]["issue_barrier"]["value"]
        self.assertGreater(cycles, 1390)
        # in the first two of them the barrier itself has the issue slot (core.issue_cycles)
        self.assertAlmostEqual((waits[0][5] - waits[0][4]) * 1400, cycles + 2, delta=0.1)

    def test_window(self):
        run = RUNS["getm"]
        whole = self.trace(*run)[2]
        s, trace, slices = self.trace(*run, "--timeline-window", "3000:5000")
        self.assertEqual([trace["otherData"][k] for k in ("begin_cycle", "end_cycle")], [3000, 5000])
        for x in slices:
            self.assertGreaterEqual(x[4] * 1400, 3000 - 0.01)
            self.assertLessEqual(x[5] * 1400, 5000 + 0.01)
        def shared(x):
            return x[5] * 1400 > 3000 + 0.01 and x[4] * 1400 < 5000 - 0.01 and x[2] == "attempt"
        self.assertEqual(sorted((x[0], x[1], x[3]["attempt"]) for x in slices if shared(x)),
                         sorted((x[0], x[1], x[3]["attempt"]) for x in whole if shared(x)))
        self.assertEqual(sum(x[1] == "launches" for x in slices), 1)

    def test_size(self):
        s, trace, slices = self.trace(*RUNS["getm"], "--timeline-mbytes", "1")
        self.assertLessEqual(os.path.getsize(self.path("t.json")), 1 << 20)
        self.assertGreater(os.path.getsize(self.path("t.json")), 900000)
        cut = trace["otherData"]["cut_at_cycle"]
        self.assertTrue(0 < cut < s["cycles"])
        self.assertEqual(trace["otherData"]["end_cycle"], cut)
        self.assertLessEqual(max(x[5] for x in slices if x[1] not in self.UNITS) * 1400, cut + 0.01)

    def test_refusals(self):
        for says, *args in (["without --timeline or --konata", "--timeline-window", "1:2"], ["without --timeline", "--timeline-mbytes", "2"],
                            ["ends before", "--timeline", "t", "--timeline-window", "5:5"],
                            ["expected two core cycles", "--timeline", "t", "--timeline-window", "5"],
                            ["from 1 to 65536", "--timeline", "t", "--timeline-mbytes", "0"],
                            ["1 to 65536", "--timeline", "t", "--timeline-mbytes", "65537"],
                            ["/no/folder", "--timeline", "/no/folder/t"],
                            ["the same file", "--timeline", "t", "--profile", "t"]):
            self.refused("run", "vecadd", *args, says=[says])
            self.assertEqual(os.listdir(self.folder.name), [], args)


class Words(Command):
    """Words that threads contend for, of a kernel whose hot words are known."""
    # Each thread adds to ticket; the first 16 of a block, alone, to keys + 0x40; all read a column of tile. 64 threads in two blocks.
    ATOMICS = """.visible .global .align 4 .u32 spare[4];
.visible .global .align 4 .u32 ticket[4];
.visible .entry k(.param .u64 k_param_0, .param .u64 keys)
{
	.reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %d<4>;
	.shared .align 4 .b8 other[128]; .shared .align 4 .b8 tile[4096];
	ld.param.u64 %d0, [keys]; ld.param.u64 %d3, [k_param_0]; mov.u64 %d1, ticket;
	mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 16;
	atom.global.add.u32 %r1, [%d1+8], 1;
	@%p0 red.global.add.u32 [%d0+64], 1;
	mov.u32 %r2, tile; mad.lo.u32 %r3, %r0, 128, %r2; ld.shared.u32 %r4, [%r3];
	mov.u32 %r5, other; atom.shared.add.u32 %r6, [%r5+4], 1;
	mad.lo.u32 %r4, %r4, 0, %r6; add.u32 %r4, %r4, %r1;
	mul.wide.u32 %d2, %r0, 4; add.u64 %d3, %d3, %d2; st.global.u32 [%d3], %r4;
	ret;
}
"""
    # All lanes of all warps want the word at total + 0x10.
    TRANSACTION = """.extern .func tx_begin (); .extern .func tx_commit ();
.visible .entry k(.param .u64 total)
{
	.reg .b32 %r<4>; .reg .b64 %d;
	ld.param.u64 %d, [total];
	call.uni tx_begin, ();
	ld.global.u32 %r0, [%d+16]; add.u32 %r0, %r0, 1; st.global.u32 [%d+16], %r0;
	call.uni tx_commit, ();
	ret;
}
"""

    def words(self, text, *args):
        """{(what, name): count} of the kernel, and the statistics."""
        with open(self.path("k.ptx"), "w", encoding="utf-8") as f:
            f.write(".version 7.0\n.target sm_70\n.address_size 64\n" + text)
        r = self.run_it("exec", "k.ptx", "--kernel", "k", "--grid", "2", "--block", "32", "--quiet", "--stalls", "--stats", "s.json", "--profile", "p.txt", *args)
        self.assertEqual((r.returncode, r.stderr), (0, ""))
        r = self.run_it("explain", "s.json", "--json")
        self.assertEqual((r.returncode, r.stderr), (0, ""))
        found = json.loads(r.stdout)["words"]
        self.assertEqual({row["kernel"] for row in found}, {"k"})
        return {(row["what"], row["name"]): row["count"] for row in found}, {k: v["value"] for k, v in json.loads(self.read("s.json"))["counters"].items()}

    def test_atomics_and_banks(self):
        words, counters = self.words(self.ATOMICS, "--arg", "out:o:128", "--arg", "out:p:128")
        further = 31 * json.loads(self.read("s.json"))["config"]["shared.pass_cycles"]  # 32 lanes in one bank
        self.assertEqual(words, {("atomics", "ticket+0x8"): 64, ("atomics", "keys+0x40"): 32, ("atomics", "other+0x4"): 64,
                                 ("bank_cycles", "tile"): 2 * further, ("bank_cycles", "other"): 2 * further})
        self.assertEqual(counters["shared_conflict_cycles"], 4 * further)
        self.assertIn("atomics on keys+0x40", self.run_it("explain", "s.json").stdout)
        self.assertEqual(self.run_it("report", "s.json", "-o", "r.html").returncode, 0)
        self.assertIn("atomics on ticket+0x8", self.read("r.html"))

    def test_aborts(self):
        for system in ("getm", "kilotm", "warptm", "eapg", "warptm-el", "ideal", "sitm-ts", "sitm-oracle"):
            with self.subTest(system):
                words, counters = self.words(self.TRANSACTION, "--system", system, "--arg", "version:64" if system[:2] == "si" else "out:o:64")
                self.assertEqual(list(words), [("aborts", "total+0x10")])
                self.assertGreater(counters["tx_aborted"], 0)
                self.assertGreaterEqual(words["aborts", "total+0x10"], 0.9 * counters["tx_aborted"])
                self.assertLessEqual(words["aborts", "total+0x10"], 1.1 * counters["tx_aborted"] + 2)

    def test_many_words(self):
        """More words than the table has: the hot one is there, with what may be too many."""
        body = self.ATOMICS.replace("@%p0 red.global.add.u32 [%d0+64], 1;",
                                    "mov.u32 %r6, 0;\nL: mad.lo.u32 %r7, %r6, 32, %r0; mul.wide.u32 %d2, %r7, 4; add.u64 %d2, %d2, %d0;\n"
                                    "red.global.add.u32 [%d2+4], 1; red.global.add.u32 [%d0], 1; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 16; @%p1 bra L;")
        words, _ = self.words(body, "--arg", "out:o:128", "--arg", "out:p:4096")
        self.assertEqual(next(iter(words))[1], "keys")
        self.assertEqual(words["atomics", "keys"], 2 * 32 * 16)


class Konata(Command):
    """The log is one that Konata reads (docs/kanata-log-format.md of shioyadan/Konata), and says what the counters say."""
    WORDS = {"Kanata": 2, "C=": 2, "C": 2, "I": 4, "L": 4, "S": 4, "E": 4, "R": 4}

    def log(self, text):
        """[{text, thread, F, W, Q, I, X, M: (first cycle, cycle behind the last), end, lost}]; strict."""
        lines = [line.split("\t") for line in text.splitlines()]
        self.assertEqual((lines[0], lines[1][0]), (["Kanata", "0004"], "C="))
        cycle, done, retired, retires = int(lines[1][1]), [], {}, 0
        for line in lines[2:]:
            self.assertEqual(len(line), self.WORDS[line[0]], line)
            if line[0] == "C":
                self.assertGreater(int(line[1]), 0)
                cycle += int(line[1])
                continue
            number = int(line[1])
            if line[0] == "I":
                self.assertEqual((number, line[2]), (len(done), line[1]))
                done.append({"thread": int(line[3]), "labels": {}, "open": None})
                continue
            one = done[number]
            self.assertNotIn("end", one, line)
            if line[0] == "L":
                one["labels"][line[2]] = line[3]
            elif line[0] == "S":
                self.assertEqual((one["open"], line[2], line[3] in one), (None, "0", False), line)
                one["open"] = (line[3], cycle)
            elif line[0] == "E":
                name, begin = one["open"]
                self.assertEqual((line[2], line[3]), ("0", name))
                self.assertGreater(cycle, begin)
                one[name], one["open"] = (begin, cycle), None
            else:
                self.assertEqual((one["open"], int(line[2])), (None, retires), line)
                one.update(end=cycle, lost=line[3] == "1")
                retires += 1
        self.assertEqual(retires, len(done))
        for one in done:
            stages = [one[name] for name in "FWQIXM" if name in one]
            self.assertEqual([end for _, end in stages], [begin for begin, _ in stages[1:]] + [one["end"]], one)
            self.assertEqual((one["I"][1] - one["I"][0], sorted(one["labels"]), "X" in one and "M" in one), (1, ["0", "1"], False))
        return done

    def test_runs(self):
        for name, extra in (("getm", []), ("localtm", []), ("gtx480", []), ("dwf", []), ("sbrp", ["--seed", "2"])):
            with self.subTest(name):
                plain = self.plain(*RUNS[name], *extra)
                self.assertEqual(self.counters(*RUNS[name], *extra, "--konata", "k.log"), plain)
                log = self.log(self.read("k.log"))
                self.assertEqual(len(log), plain["warp_instructions"])
                if name in ("getm", "dwf", "sbrp"):  # One of 64 threads counts twice, and a GTX 480's constant cache takes accesses, too.
                    self.assertEqual(sum("M" in one for one in log), plain["mem_instructions"] + plain["shared_accesses"])
                self.assertFalse(any(one["lost"] for one in log))
                # A slot has one issue a cycle, but for what rides.
                slots = {(one["thread"], one["I"][0]) for one in log}
                self.assertGreater(len(slots), 0.7 * len(log))

    def by_hand(self, *extra):
        """Each instruction needs the one before."""
        with open(self.path("k.ptx"), "w", encoding="utf-8") as f:
            f.write(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %a<5>; .reg .b64 %d;\n"
                    "ld.param.u64 %d, [p];\nld.global.u32 %a0, [%d];\nadd.u32 %a1, %a0, 1;\nmul.lo.u32 %a2, %a1, %a1;\nst.global.u32 [%d], %a2;\nret;\n}\n")
        r = self.run_it("exec", "k.ptx", "--kernel", "k", "--grid", "1", "--block", "32", "--arg", "out:o.bin:4", "--quiet", "--stats", "s.json",
                        "--konata", "k.log.gz", *extra)
        self.assertEqual((r.returncode, r.stderr), (0, ""))
        with gzip.open(self.path("k.log.gz"), "rt") as file:
            return self.log(file.read()), json.loads(self.read("s.json"))

    def test_by_hand(self):
        """What an instruction waits for ends in the cycle in which it issues; fixed latencies are the configuration's."""
        log, stats = self.by_hand()
        load, add, multiply, store = (next(one for one in log if word in one["labels"]["0"]) for word in ("ld.global", "add.u32", "mul.lo", "st.global"))
        for producer, consumer in ((load, add), (add, multiply), (multiply, store)):
            self.assertEqual((consumer["W"][1], consumer["I"][0]), (producer["end"], producer["end"]))
        self.assertEqual(add["end"] - add["I"][0], stats["config"]["fu.alu_latency"])
        self.assertGreater(load["M"][1] - load["M"][0], 100)
        self.assertEqual(load["labels"], {"0": "c0 w0 8: ld.global.u32 %a0, [%d];", "1": "k, block 0,0,0, warp 0, lanes ffffffff"})
        self.assertIn("M", store)

    def test_window(self):
        whole, _ = self.by_hand()
        some, _ = self.by_hand("--timeline-window", f"{whole[2]['I'][0]}:{whole[3]['I'][0]}")
        self.assertEqual([one["labels"] for one in some], [whole[2]["labels"]])

    def test_size(self):
        r = self.run_it("run", "ht-h", "--system", "getm", "--konata", "k.log", "--timeline-mbytes", "1")
        self.assertEqual(r.returncode, 0)
        self.assertIn("the log for Konata is full: it has no instructions from core cycle ", r.stderr)
        self.assertLessEqual(os.path.getsize(self.path("k.log")), 1 << 20)
        last = int(r.stderr.split("core cycle ")[1].split()[0])
        self.assertLessEqual(max(one["I"][0] for one in self.log(self.read("k.log"))), last)

    def test_what_is_on_its_way(self):
        """A run that is stopped: it ends as what Konata calls flushed."""
        r = self.run_it("run", "laplace", "--param", "n=60", "--max-cycles", "900", "--quiet", "--stats", "s.json", "--konata", "k.log")
        self.assertEqual(r.returncode, 1)
        log = self.log(self.read("k.log"))
        self.assertEqual(len(log), json.loads(self.read("s.json"))["counters"]["warp_instructions"]["value"])
        self.assertTrue(any(one["lost"] for one in log))


if __name__ == "__main__":
    COWARP = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=1)
