#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of what is done with finished runs (manifest, stats, diff, rerun, sweep, report): results_test.py BUILD/cowarp [unittest arguments]."""
import contextlib
import csv
import hashlib
import html
import html.parser
import io
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import waiting  # noqa: E402  (after the path is set)

COWARP = ""
HERE = pathlib.Path(__file__).resolve().parent
PTX = HERE.parent / "ptx_exec" / "kernels.ptx"
TABLE = ["run", "ht-h", "--param", "blocks=2", "--param", "buckets=100"]
SCALE = """.version 7.0
.target sm_50
.address_size 64
.visible .entry scale(.param .u64 from, .param .u64 to)
{
    .reg .b32 %r<4>; .reg .b64 %rd<6>;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd1, %r1, 4;
    ld.param.u64 %rd2, [from];
    ld.param.u64 %rd3, [to];
    add.u64 %rd4, %rd2, %rd1;
    add.u64 %rd5, %rd3, %rd1;
    ld.global.u32 %r2, [%rd4];
    add.u32 %r3, %r2, %r2;
    st.global.u32 [%rd5], %r3;
    ret;
}
"""


class Results(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def path(self, name):
        return self.folder / name

    def call(self, *words, **kw):
        return subprocess.run([COWARP, *map(str, words)], capture_output=True, text=True, errors="surrogateescape", timeout=240, cwd=self.folder, check=False,
                              env={**os.environ, "COWARP_CACHE": str(self.folder / "cache"), "LC_ALL": "C.UTF-8", **kw})

    def passes(self, *words, status=0):
        done = self.call(*words)
        self.assertEqual((done.returncode, done.stderr), (status, ""), done.stdout)
        return done.stdout

    def fails(self, status, *words, says):
        done = self.call(*words)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in [says] if isinstance(says, str) else says:
            self.assertIn(word, done.stderr)

    def make(self, name, *words):
        self.passes(*words, "--stats", name, "--quiet")
        return self.read(name)

    def read(self, name):
        return json.loads(self.path(name).read_text())

    def change(self, name, how, to=None):
        """Edits a statistics file."""
        data = self.read(name)
        how(data)
        self.path(to or name).write_text(json.dumps(data))

    def scale(self):
        """A kernel with an input and an output file; the words that run it."""
        self.path("scale.ptx").write_text(SCALE)
        self.path("in.bin").write_bytes(struct.pack("<32I", *range(32)))
        return ["exec", "scale.ptx", "--kernel", "scale", "--grid", "1", "--block", "32", "--arg", "in:in.bin", "--arg", "out:out.bin:128"]


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


class Manifest(Results):
    def test_says_how_a_workload_was_run(self):
        stats = self.make("a.json", *TABLE, "--set", "core.count=4", "--seed", "3", "--wave", "w.fst", "--wave-window", "0:10")
        made = stats["manifest"]
        self.assertEqual(made["command"][:2] + made["command"][-3:], ["run", "ht-h", "--stats", "a.json", "--quiet"])
        self.assertEqual(made["repeat"], ["run", "ht-h", "--param=blocks=2", "--param=buckets=100", "--set=core.count=4", "--seed=3"])
        self.assertEqual(pathlib.Path(made["directory"]), self.folder.resolve())
        self.assertEqual((made["params"]["blocks"], made["params"]["buckets"], made["params"]["threads"]), (2, 100, 192))
        self.assertEqual(made["config_changed"], {"core.count": {"value": 4, "preset": 15}})
        self.assertEqual(made["simulator"]["sha256"], digest(COWARP))
        self.assertEqual(made["simulator"]["version"], stats["version"])
        told = dict(line.split(maxsplit=1) for line in self.passes("--version").splitlines())
        self.assertEqual((made["simulator"]["commit"], "sha256:" + made["simulator"]["sources"], made["simulator"]["compiler"]),
                         (told["commit"], told["sources"], told["compiler"]))
        self.assertEqual(made["simulator"]["dirty"], None if told["commit"] == "unknown" else told["commit"].endswith("+"))
        self.assertEqual([(entry["role"], entry["sha256"]) for entry in made["files"]], [("module", digest(made["files"][0]["path"]))])
        launch = made["launches"][0]
        self.assertEqual((len(made["launches"]), launch["grid"], launch["block"], launch["times"]), (1, [2, 1, 1], [192, 1, 1], 1))

    def test_says_which_files_and_arguments_a_kernel_had(self):
        made = self.make("a.json", *self.scale())["manifest"]
        self.assertEqual({(entry["role"], entry["path"], entry["bytes"], entry["sha256"]) for entry in made["files"]},
                         {("argument", "in.bin", 128, digest(self.path("in.bin"))),
                          ("module", "scale.ptx", len(SCALE), hashlib.sha256(SCALE.encode()).hexdigest())})
        self.assertEqual([word[:4] for word in made["launches"][0]["args"]], ["u64:", "u64:"])
        self.assertEqual(made["repeat"][-2:], ["--arg=in:in.bin", "--arg=zero:128"])

    def test_has_every_file_of_units_in_rtl(self):
        root = HERE.parent.parent
        made = self.make("a.json", *TABLE, "--system", "warptm", "--unit", "last_written_table=rtl")["manifest"]
        found = {pathlib.Path(entry["path"]).name: entry["sha256"] for entry in made["files"] if entry["role"] == "verilog"}
        self.assertIn("cw_last_written_table.v", found)
        for name, value in found.items():
            self.assertEqual(value, digest(next(root.glob(f"rtl/*/{name}"))), name)

    def test_merges_equal_launches_and_keeps_others_apart(self):
        made = self.make("a.json", "run", "hotsp", "--param", "n=16", "--param", "launches=5")["manifest"]
        self.assertEqual(sum(launch["times"] for launch in made["launches"]), 5)
        self.assertTrue(all(first != second for first, second in zip(made["launches"], made["launches"][1:])))

    def test_names_that_are_no_text_survive(self):
        name = os.fsencode(self.folder) + b"/k\xff.ptx"
        with open(name, "wb") as f:
            f.write(SCALE.encode())
        self.scale()
        words = [COWARP, "exec", name, "--kernel", "scale", "--grid", "1", "--block", "32", "--arg", "in:in.bin", "--arg", "zero:128", "--stats", "a.json"]
        self.assertEqual(subprocess.run(words, cwd=self.folder, capture_output=True, check=False).returncode, 0)
        self.assertEqual(os.fsencode(self.read("a.json")["manifest"]["repeat"][1]), name)
        self.assertIn("equal", self.passes("rerun", "a.json"))


class Rerun(Results):
    def test_finds_the_same_and_writes_nothing_else(self):
        self.make("a.json", *self.scale())
        self.path("out.bin").write_bytes(b"mine")
        before = {p.name: p.read_bytes() for p in self.folder.iterdir() if p.is_file()}
        self.assertIn("equal: ", self.passes("rerun", "a.json"))
        self.assertEqual(self.passes("rerun", "a.json", "--quiet"), "")
        self.assertEqual({p.name: p.read_bytes() for p in self.folder.iterdir() if p.is_file()}, before)

    def test_finds_a_counter_that_differs(self):
        self.make("a.json", *TABLE)
        was = self.read("a.json")["counters"]["tx_aborted"]["value"]
        self.change("a.json", lambda data: data["counters"]["tx_aborted"].update(value=2 * was + 2))
        out = self.passes("rerun", "a.json", "--stats", "b.json", status=1)
        self.assertIn(f"tx_aborted: {2 * was + 2:,} -> {was:,} ", out)
        self.assertIn("different: 1 of", out)
        self.assertEqual(self.read("b.json")["counters"]["tx_aborted"]["value"], was)

    def test_finds_inputs_that_have_changed(self):
        self.make("a.json", *self.scale())
        self.path("in.bin").write_bytes(struct.pack("<32I", *range(1, 33)))
        self.assertIn("note: argument in.bin: has changed since", self.passes("rerun", "a.json"))
        self.path("in.bin").unlink()
        self.fails(2, "rerun", "a.json", says="in.bin: is not there, and the run reads it")

    def test_makes_a_run_again_that_has_failed(self):
        """Its statistics are of a run that stopped with an error; stopping there again is the same."""
        self.call(*TABLE, "--stats", "a.json", "--max-cycles", "500")
        self.assertIsNotNone(self.read("a.json")["error"])
        self.assertIn("check failed", self.passes("rerun", "a.json"))
        self.change("a.json", lambda data: data.update(error=None, check="passed"))
        self.assertIn("check: passed -> failed", self.passes("rerun", "a.json", status=1))

    def test_persistent_memory_is_as_it_was(self):
        words = ["run", "red", "--param", "n=1024", "--param", "blocks=1", "--preset", "sbrp-near", "--persistency", "epoch", "--pm", "p.pm"]
        self.make("a.json", *words)
        self.fails(2, "rerun", "a.json", says="p.pm: this persistent memory was not there when the run began")
        kept = self.path("p.pm").read_bytes()
        self.path("p.pm").unlink()
        self.assertIn("equal", self.passes("rerun", "a.json"))
        self.assertFalse(self.path("p.pm").exists())
        self.path("p.pm").write_bytes(kept)
        self.make("b.json", *words)
        self.path("p.pm").write_bytes(kept)  # as the run found it
        self.assertIn("equal", self.passes("rerun", "b.json"))
        self.assertEqual(self.path("p.pm").read_bytes(), kept)
        self.path("p.pm").write_bytes(kept + b"x")
        self.fails(2, "rerun", "b.json", says="was another one when the run began")

    def test_refuses_what_cannot_be_made_again(self):
        self.make("a.json", *TABLE)
        self.change("a.json", lambda data: data["manifest"].update(repeat=None), "program.json")
        self.fails(2, "rerun", "program.json", says="run that program again")
        self.change("a.json", lambda data: data.pop("manifest"), "old.json")
        self.fails(2, "rerun", "old.json", says="old.json: has no manifest; it is of an older version")
        self.change("a.json", lambda data: data["manifest"].update(directory="/nowhere/at/all"), "gone.json")
        self.fails(2, "rerun", "gone.json", says="/nowhere/at/all, which is not there")
        self.fails(2, "rerun", "none.json", says="none.json: No such file")
        self.path("text.json").write_text("{")
        self.fails(2, "rerun", "text.json", says="text.json: is no JSON")
        self.path("other.json").write_text("{}")
        self.fails(2, "rerun", "other.json", says="has no member")


class Diff(Results):
    def test_says_what_differs_greatest_first(self):
        self.make("a.json", *TABLE)

        def other(data):
            data["counters"]["l2_reads"]["value"] *= 4
            data["counters"]["l2_writes"]["value"] *= 2
            data["config"]["core.count"] = 3
        self.change("a.json", other, "b.json")
        found = json.loads(self.passes("diff", "a.json", "b.json", "--json"))
        self.assertEqual([(line["name"], line["change"]) for line in found["counters"]], [("l2_reads", 3.0), ("l2_writes", 1.0)])
        self.assertEqual(found["made"], [{"what": "config core.count", "before": 15, "after": 3}])
        text = self.passes("diff", "a.json", "b.json")
        self.assertRegex(text, r"config core.count +15 -> 3")
        self.assertRegex(text, r"(?s)l2_reads .*\+300.00%.*l2_writes .*\+100.00%")
        self.passes("diff", "a.json", "b.json", "--exit-code", status=1)
        self.make("c.json", *TABLE, "--stalls")
        self.assertRegex(self.passes("diff", "a.json", "c.json"), r"option stalls +- -> given")

    def test_says_that_both_names_are_of_one_file(self):
        made = self.make("a.json", *TABLE)
        self.path("equal.json").write_text(json.dumps(made))
        self.assertIn("every counter is equal", self.passes("diff", "a.json", "equal.json", "--exit-code"))
        self.path("link.json").symlink_to("a.json")
        for name in ("a.json", "./a.json", "link.json"):
            done = self.call("diff", "a.json", name, "--exit-code")
            self.assertEqual((done.returncode, done.stderr), (0, f"cowarp diff: a.json and {name} are the same file\n"))
            self.assertIn("every counter is equal", done.stdout)

    def test_leaves_out_mechanisms_that_neither_run_has(self):
        getm, warptm = self.make("a.json", *TABLE), self.make("b.json", *TABLE, "--system", "warptm")
        self.assertIn("getm", getm["counting"])
        text, every = self.passes("diff", "a.json", "b.json"), self.passes("diff", "a.json", "b.json", "--all")
        self.assertIn("vu_requests", text)  # GETM's
        self.assertIn("cu_reads", text)     # WarpTM's
        self.assertNotIn("pb_", text)
        self.assertGreater(len(every.splitlines()), len(text.splitlines()))
        for name in getm["counters"]:
            self.assertIn(f"  {name} ", every)


class Table(Results):
    def test_a_row_per_run(self):
        files = [("a.json", ["--seed", "1"]), ("b.json", ["--set", "core.count=7", "--seed", "2"]), ("c.json", ["--system", "warptm"])]
        stats = [self.make(name, *TABLE, *words) for name, words in files]
        self.passes("stats", "a.json", "b.json", "c.json", "--csv=t.csv")
        rows = list(csv.DictReader(io.StringIO(self.path("t.csv").read_text())))
        self.assertEqual([row["file"] for row in rows], ["a.json", "b.json", "c.json"])
        self.assertEqual([row["core.count"] for row in rows], ["15", "7", "15"])
        self.assertEqual([row["system"] for row in rows], ["getm", "getm", "warptm"])
        for row, one in zip(rows, stats):
            self.assertEqual(int(row["cycles"]), one["cycles"])
            seen = [name for name in one["counters"] if row.get(name)]
            self.assertGreater(len(seen), 50)
            self.assertEqual([int(row[name]) for name in seen], [one["counters"][name]["value"] for name in seen])
        self.assertEqual(rows[2]["vu_requests"], "")  # GETM's alone
        self.assertEqual(self.passes("stats", "a.json", "b.json", "c.json", "--csv"), self.path("t.csv").read_text())
        listed = json.loads(self.passes("stats", "a.json", "b.json", "c.json", "--json"))
        self.assertEqual([(one["file"], one["core.count"], one["cycles"]) for one in listed],
                         [(row["file"], int(row["core.count"]), int(row["cycles"])) for row in rows])

    def test_folded_stacks(self):
        """Each cycle of each scheduler is in one stack."""
        stats = self.make("a.json", "run", "vecadd", "--param", "n=4096", "--stalls")
        stacks = [line.rsplit(" ", 1) for line in self.passes("stats", "a.json", "--folded").splitlines()]
        self.assertEqual(sum(int(cycles) for _, cycles in stacks), stats["cycles"] * stats["config"]["core.count"] * stats["config"]["core.schedulers"])
        frames = [stack.split(";") for stack, _ in stacks]
        self.assertTrue(all(of[1] == "vecadd" for of in frames))
        self.assertTrue(any(of[2].startswith("line ") and of[3:] == ["loads", "DRAM"] for of in frames), frames)
        self.make("b.json", *TABLE)
        self.fails(2, "stats", "a.json", "b.json", "--folded", says="b.json: says nothing of waits; make it again with --stalls")

    def test_a_summary_without_zeros_and_other_mechanisms(self):
        stats = self.make("a.json", *TABLE)
        text = self.passes("stats", "a.json")
        self.assertRegex(text, rf"tx_committed +{stats['counters']['tx_committed']['value']:,} ")
        self.assertNotRegex(text, r"\b0  ")
        self.assertNotIn("cu_reads", text)
        self.assertIn("cu_reads", self.passes("stats", "a.json", "--all"))

    def test_refuses(self):
        self.make("a.json", *TABLE)
        kept = self.path("a.json").read_bytes()
        self.fails(2, "stats", "--csv", "a.json", "a.json", says="is a statistics file")
        for option in ("--folded", "--json"):
            self.fails(2, "stats", option, "a.json", says=f"put {option} behind the files")
        self.fails(2, "stats", says="FILE.json")
        self.fails(2, "stats", "--json", "a.json", "a.json", says="is the file a.json, which is read")
        self.fails(2, "stats", "a.json", "--csv=/nowhere/t.csv", says="/nowhere/t.csv: its folder is not there")
        self.fails(2, "stats", "a.json", "--csv=/", says="/: is a folder")
        self.fails(2, "rerun", "a.json", "--stats", "/nowhere/b.json", says="/nowhere/b.json: its folder is not there")
        self.assertEqual(self.path("a.json").read_bytes(), kept)


class Sweep(Results):
    SMALL = ["sweep", "ht-h", "--param", "blocks=2", "--param", "threads=64"]

    def rows(self, *words, status=0):
        done = self.call(*self.SMALL, *words, "--csv", "t.csv", "--json", "t.json", "--store", "kept")
        self.assertEqual(done.returncode, status, done.stderr)
        listed = json.loads(self.path("t.json").read_text())
        self.assertEqual([str(one.get("cycles", "")) for one in listed], [row.get("cycles", "") for row in csv.DictReader(io.StringIO(self.path("t.csv").read_text()))])
        return list(csv.DictReader(io.StringIO(self.path("t.csv").read_text())))

    def test_what_an_axis_sets_is_not_set_beside_it(self):
        for words, name, told in ((("--vary", "blocks=1,2"), "blocks", "--param blocks=2"),
                                  (("--vary", "tx-warps=1,2", "--tx-warps=4"), "tx-warps", "--tx-warps=4"),
                                  (("--tx-warps", "4", "--vary", "tx-warps=1,2"), "tx-warps", "--tx-warps 4"),
                                  (("--set", "core.count=4", "--vary", "core.count=1,2"), "core.count", "--set core.count=4"),
                                  (("--set=core.count=4", "--vary", "core.count=1,2"), "core.count", "--set=core.count=4")):
            self.fails(2, *self.SMALL, *words, says=f"'{name}' is set twice, by --vary and by {told}; leave one of them out")
        self.assertFalse(self.path("kept").exists())

    def test_rows_are_the_runs(self):
        rows = self.rows("--vary", "tx-warps=1:4:x2", "--vary", "buckets=50,100", "--seeds", "2")
        self.assertEqual([(row["tx-warps"], row["buckets"], row["seed"]) for row in rows],
                         [(w, b, s) for w in "124" for b in ("50", "100") for s in "12"])
        for row in (rows[0], rows[-1]):
            words = ["--tx-warps", row["tx-warps"], "--param", f"buckets={row['buckets']}", "--seed", row["seed"]]
            one = self.make("one.json", "run", *self.SMALL[1:], *words)
            self.assertEqual((int(row["cycles"]), int(row["tx_aborted"])), (one["cycles"], one["counters"]["tx_aborted"]["value"]))
        self.assertGreater(len({row["cycles"] for row in rows}), 4)  # they are different runs
        self.assertEqual([row["tm.warps"] for row in rows], [row["tx-warps"] for row in rows])

    def test_goes_on_where_it_was(self):
        words = ["--vary", "tx-warps=1,2,4"]
        first = self.rows(*words)
        kept = sorted(self.path("kept").iterdir())
        self.assertEqual(len(kept), 3)
        kept[1].unlink()
        times = {p: p.stat().st_mtime_ns for p in (kept[0], kept[2])}
        again = self.rows(*words)
        for row in first + again:  # that of the run that is made anew is another one
            row.pop("host_seconds")
        self.assertEqual(again, first)
        self.assertTrue(kept[1].exists())
        self.assertEqual({p: p.stat().st_mtime_ns for p in times}, times)

    def test_failures_are_rows(self):
        rows = self.rows("--vary", "max-cycles=300,1000000", "--vary", "getm.table_rows=3,128", status=1)
        self.assertEqual([bool(row["error"]) for row in rows], [True, True, True, False])
        self.assertIn("300", rows[1]["error"])
        self.assertIn("getm.table_rows", rows[0]["error"])
        self.assertEqual(rows[0]["cycles"], "")

    def test_ptx_files_and_their_contents(self):
        run = self.scale()
        sweep = ["sweep", "scale.ptx", *run[2:-2], "--arg", "zero:128", "--vary", "core.count=1,2", "--store", "kept", "--csv", "-"]
        self.assertEqual(len(list(csv.DictReader(io.StringIO(self.passes(*sweep))))), 2)
        self.path("in.bin").write_bytes(struct.pack("<32I", *range(7, 39)))
        self.passes(*sweep)
        self.assertEqual(len(list(self.path("kept").iterdir())), 4)  # another input is another run

    def test_plot(self):
        self.rows("--vary", "tx-warps=1,2,4,8", "--vary", "system=getm,warptm", "--seeds", "2", "--plot", "cycles", "--svg", "p.svg")
        text = "".join(xml.etree.ElementTree.fromstring(self.path("p.svg").read_text()).itertext())
        for word in ("tx-warps", "cycles (core cycles)", "less is better", "system getm", "system warptm", "medians of 2 seeds"):
            self.assertIn(word, text)
        self.fails(2, *self.SMALL, "--vary", "tx-warps=1,2", "--store", "kept", "--plot", "cykles", "--csv", "x.csv", says="no run has such a counter")

    def test_a_list_and_one_of_its_runs(self):
        self.assertEqual(self.passes(*self.SMALL, "--vary", "tx-warps=1,2", "--list", "l.json"), "2 runs in l.json\n")
        self.passes("sweep", "--list", "l.json", "--one", "1", "--store", self.path("kept"))
        self.assertEqual(len(list(self.path("kept").iterdir())), 1)
        rows = self.rows("--vary", "tx-warps=1,2")  # takes it
        self.assertEqual((len(rows), len(list(self.path("kept").iterdir()))), (2, 2))
        self.passes("sweep", "--list", "l.json", "--store", self.path("kept"), "--csv", "u.csv")
        self.assertEqual([row["cycles"] for row in csv.DictReader(io.StringIO(self.path("u.csv").read_text()))], [row["cycles"] for row in rows])
        self.fails(2, "sweep", "--list", "l.json", "--one", "2", says="l.json has runs 0 to 1")
        self.fails(2, "sweep", "--list", "t.csv", says=["t.csv: is no JSON", "is no list of this version", "--list FILE' writes one"])
        self.path("m.json").write_text(json.dumps({**self.read("l.json"), "points": [{"words": "run"}]}))
        self.fails(2, "sweep", "--list", "m.json", says=["m.json: points[0].words is a text, and should be a list", "is no list of this version"])
        self.fails(2, *self.SMALL, "--vary", "seed=1,2", "--one", "1", says="--one is of a list")

    def test_interrupted(self):
        words = [COWARP, *self.SMALL, "--vary", "seed=1:400", "--store", "kept", "--csv", "t.csv", "--jobs", "1"]
        sweep = subprocess.Popen(words, cwd=self.folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        while not (self.path("kept").is_dir() and len(list(self.path("kept").glob("*.json"))) >= 2):
            self.assertIsNone(sweep.poll())
            time.sleep(0.02)
        os.killpg(sweep.pid, signal.SIGINT)
        _, said = sweep.communicate(timeout=300)
        self.assertEqual(sweep.returncode, 130, said)
        self.assertRegex(said, r"^cowarp sweep: interrupted; \d+ of 400 missing runs are done and kept")
        self.assertEqual(len(said.splitlines()), 1, said)
        self.assertFalse(self.path("t.csv").exists())
        for path in self.path("kept").glob("*.json"):
            self.assertEqual(json.loads(path.read_text())["check"], "passed")

    def test_refuses(self):
        for words, says in ((["ht-h"], "needs --vary"), ([], "needs a workload"), (["ht-x", "--vary", "seed=1,2"], "unknown workload 'ht-x'"),
                            (["ht-h", "--vary", "tx-warps"], "expected NAME=VALUE"), (["ht-h", "--vary", "tx-warps=1,1"], "there twice"),
                            (["ht-h", "--vary", "tx-warps=4:1"], "expected A up to B"), (["ht-h", "--vary", "tx-warps=0:8:x2"], "from 2 on"),
                            (["ht-h", "--vary", "tx-warps=1:8:x1"], "xFACTOR"), (["ht-h", "--vary", "tx-wraps=1,2"], "tx-wraps: is no option"),
                            (["ht-h", "--vary", "core.cuont=1,2"], "core.count"), (["ht-h", "--vary", "seed=1,2", "--stats", "x"], "--stats: all runs would share it"),
                            (["ht-h", "--vary", "seed=1:1000000000"], "more than 100000 values"), (["none.ptx", "--vary", "seed=1,2"], "none.ptx: there is no such file"),
                            (["ht-h", "--vary", "seed=1,2", "--vary", "seed=3,4"], "there twice"), (["ht-h", "--vary", "seed=1,2", "--jobs", "0"], "from 1 on"), (["ht-h", "--vary", "seed=1,2", "--csv", "/"], "/: is a folder"),
                            (["ht-h", "--vary", "seed=1,2", "--svg", "/nowhere/p.svg", "--plot", "cycles"], "its folder is not there"),
                            (["ht-h", "--vary", "seed=1,2", "--plot", "cykles"], "did you mean 'cycles'?"),
                            (["ht-h", "--vary", "seed=1,2", "--show", "cycles,tx_comitted"], "did you mean 'tx_committed'?"),
                            (["ht-h", "--vary", "seed=1,2", "--plot", "cycles", "--svg", "p.svg", "--csv", "./p.svg"], "the name promises SVG"),
                            (["ht-h", "--vary", "seed=1,2", "--plot", "cycles", "--svg", "p", "--csv", "./p"], "the same file"),
                            (["ht-h", "--vary", "seed=1,2", "--plot", "cycles", "--svg", "-", "--csv", "-"], "the same file"),
                            (["ht-h", "--vary", "seed=1,2", "--list", "-"], "--list -"),
                            (["ht-h", "--vary", "seed=1,2", "--config", "c.toml", "--csv", "c.toml"], "the name promises TOML"),
                            (["ht-h", "--vary", "seed=1,2", "--svg", "p.svg"], "--svg names the file of one plot"),
                            (["ht-h", "--vary", "seed=1,2", "--binary", "/nowhere"], "no simulator at /nowhere")):
            with self.subTest(words):
                self.fails(2, "sweep", *words, "--store", "kept", says=says)
        self.assertFalse(self.path("kept").exists())


class Json(Results):
    """JSON that is something else ends each command that reads it with one line, which names the file and the member."""
    KINDS = (None, True, 7, "x", [], {}, [1], {"a": 1}, {"a": {"value": "x"}})

    def places(self, value, path=()):
        """Every member of the file, of long objects the first two."""
        yield path
        if isinstance(value, dict):
            for name in list(value)[:None if len(value) < 40 else 2]:
                yield from self.places(value[name], (*path, name))
        if isinstance(value, list) and value:
            yield from self.places(value[0], (*path, 0))

    def test_every_member_as_something_else(self):
        """The scripts are called in this process: there are some hundred files."""
        self.make("a.json", "exec", PTX, "--kernel", "narrow", "--grid", "1", "--block", "1", "--arg", "u32:1", "--arg", "u32:2", "--arg", "zero:4")
        good, wrong = self.read("a.json"), 0
        sys.path.insert(0, str(HERE.parents[1] / "scripts" / "results"))
        self.addCleanup(sys.path.remove, sys.path[0])
        import diff
        import schema
        import stats as table
        self.assertIsNone(schema.problem_of(good, schema.STATS))
        for path in self.places(good):
            for other in self.KINDS:
                bad = json.loads(json.dumps(good))
                if path:
                    holder = bad
                    for step in path[:-1]:
                        holder = holder[step]
                    holder[path[-1]] = other
                else:
                    bad = other
                problem = schema.problem_of(bad, schema.STATS)
                wrong += problem is not None
                if problem is None:  # then the commands can work with it
                    with contextlib.redirect_stdout(io.StringIO()):
                        diff.show(["a", "b"], [good, bad], True)
                        table.show({"a": good, "b": bad}, False)
                        table.row("b", bad, True)
                elif path and isinstance(path[0], str):
                    self.assertIn(path[0], problem)
        self.assertGreater(wrong, 500)
        print(f"{wrong} wrong files")

    def test_commands(self):
        self.make("good.json", *TABLE)
        for text, says in ((b'{"counters": 7}', "version"), (b"[]", "is a list"), (b"{", "is no JSON"), (b"\xff\xfe", "is no JSON"), (b"[" * 100000, "is no JSON"),
                           (b'{"cycles": NaN}', "is no JSON"), (json.dumps({**self.read("good.json"), "counters": {"x": 7}}).encode(), "counters.x is a whole number")):
            self.path("bad.json").write_bytes(text)
            for words in (["stats", "bad.json"], ["diff", "good.json", "bad.json"], ["rerun", "bad.json"], ["report", "bad.json", "-o", "r.html"]):
                self.fails(2, *words, says=["bad.json", says])

    def test_one_run_twice(self):
        self.make("a.json", *TABLE)
        self.path("b.json").write_bytes(self.path("a.json").read_bytes())
        os.symlink("a.json", self.path("c.json"))
        self.fails(2, "stats", "a.json", "b.json", "a.json", says="a.json: is there twice")
        self.fails(2, "stats", "a.json", "c.json", says="c.json: is there twice, as a.json too")
        self.fails(2, "report", "a.json", "./a.json", "-o", "r.html", says="./a.json: is there twice")
        self.passes("stats", "a.json", "b.json")

    def test_where_output_goes(self):
        self.make("a.json", *TABLE)
        before = self.path("a.json").read_bytes()
        self.path("in.csv").write_bytes(before)
        self.fails(2, "stats", "in.csv", "--csv=in.csv", says=["--csv in.csv", "would be replaced"])
        self.fails(2, "stats", "a.json", "--csv=t.html", says=["the name promises HTML, and CSV is written"])
        self.fails(2, "report", "a.json", "-o", "r.csv", says=["the name promises CSV, and HTML is written"])
        self.fails(2, "rerun", "a.json", "--stats", "a.json", says=["--stats a.json", "would be replaced"])
        self.assertEqual(json.loads(self.passes("rerun", "a.json", "--stats", "-"))["cycles"], self.read("a.json")["cycles"])
        self.assertEqual(self.path("a.json").read_bytes(), before)
        self.assertTrue(self.passes("report", "a.json", "-o", "-").startswith("<!DOCTYPE html>"))

    def test_a_simulator_that_is_none(self):
        for binary in ("/bin/true", "/bin/false", "/bin/echo"):
            self.fails(2, "sweep", "ht-h", "--vary", "seed=1,2", "--binary", binary, "--store", "kept", says=[binary, "is --binary cowarp?"])
            done = self.call("reproduce", "kilotm.l2", "--quick", "--binary", binary, "--out", "out")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"^cowarp reproduce: kilotm.l2: [^\n]*\n$")
        self.make("a.json", *TABLE)
        self.fails(2, "rerun", "a.json", "--binary", "/bin/true", says=["the run has ended without statistics"])
        self.fails(2, "rerun", "a.json", "--binary", "/nowhere", says=["/nowhere"])

    def test_synth(self):
        self.fails(2, "synth", "stall_buffer", "--jobs", "0", says="--jobs 0: at least 1")
        self.path("reference.json").write_text("[1]")
        self.fails(2, "synth", "stall_buffer", "--datasheet", "--reference", "reference.json", says="reference.json")
        self.path("reference.json").write_text("{")
        self.fails(2, "synth", "stall_buffer", "--datasheet", "--reference", "reference.json", says="reference.json")


class Signals(Results):
    """A signal that only the command itself gets ends what it has started, and nothing is half-written."""
    SPINS = ["--kernel", "spin", "--grid", "1", "--block", "32", "--arg", "zero:4", "--set", "watchdog.livelock_cycles=4000000000"]
    PATIENCE = 60  # seconds, far more than it takes on a machine that has other work

    def setUp(self):
        super().setUp()
        self.path("spin.ptx").write_text(waiting.SPIN)

    @staticmethod
    def parents():
        """{process: its parent} of all that are no zombies."""
        found = {}
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                words = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if words[0] != "Z":
                found[int(stat.parent.name)] = int(words[1])
        return found

    def below(self, pid):
        parents = self.parents()
        return [child for child, parent in parents.items() if parent == pid]

    def wait_for(self, what):
        until = time.monotonic() + self.PATIENCE
        while not what():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)

    def stop(self, number, words, children, ready=lambda: True):
        """What the command says when only it gets the signal, as soon as it has so many children and is ready."""
        with subprocess.Popen([COWARP, *map(str, words)], cwd=self.folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as command:
            self.addCleanup(lambda: command.poll() is None and command.kill())
            self.wait_for(lambda: len(self.below(command.pid)) >= children and ready() or command.poll() is not None)
            started = self.below(command.pid)
            self.assertIsNone(command.poll(), "it has ended before the signal")
            command.send_signal(number)
            _, said = command.communicate(timeout=self.PATIENCE)
        self.assertEqual(command.returncode, 128 + number, said)
        self.assertEqual(set(started) & set(self.parents()), set())  # at once: it has waited for them
        self.assertNotIn("Traceback", said)
        return said

    def test_sweep_refuses_an_option_before_its_runs(self):
        for words, says in ((["--bogus"], "unknown option '--bogus' of run"), (["--stals"], "did you mean '--stalls'?"), (["-o", "t.csv"], "unknown option '-o' of run")):
            self.fails(2, "sweep", "vecadd", "--vary", "n=1000,2000", *words, says=says)

    def test_rerun(self):
        self.make("a.json", "exec", "spin.ptx", *self.SPINS[:6], "--arg", f"in:{PTX}")  # whose first word is not 0
        self.change("a.json", lambda data: data["manifest"].update(repeat=["exec", "spin.ptx", *self.SPINS], files=[]))
        said = self.stop(signal.SIGTERM, ["rerun", "a.json", "--stats", "b.json"], 1)
        self.assertEqual(said, "cowarp rerun: interrupted; nothing has been written\n")
        self.assertFalse(self.path("b.json").exists())

    @property
    def busy(self):
        """Some time has gone by: what is asked has begun, whichever part of it."""
        self.turns = getattr(self, "turns", 0) + 1
        return self.turns > 50

    def test_short_launches(self):
        """None of them is long enough to ask whether it should stop."""
        self.path("scale.ptx").write_text(SCALE)
        self.path("many.script").write_text("load scale.ptx\nalloc a 128 fill 1\nuntil a == 0 max 1000000000\nlaunch scale grid 1 block 32 args a a\nset a 1\nend\n")
        for extra in ([], ["--functional"]):
            self.turns = 0
            said = self.stop(signal.SIGTERM, ["exec", "--script", "many.script", "--quiet", *extra], 0, lambda: self.busy)
            self.assertIn("interrupted", said)


class Page(html.parser.HTMLParser):
    """A page that has been read: its text, ids, links, and what it would load."""

    VOID = ("meta", "line", "rect", "polyline", "br")

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.loads, self.rects, self.lines, self.text = [], [], [], [], [], {}, []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag not in self.VOID:
            self.open.append(tag)
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values["href"]] if tag == "a" else []
        self.loads += [tag] if tag in ("script", "link", "img", "iframe") or "src" in values else []
        if tag == "rect":
            self.rects.append((float(values["x"]), float(values["width"]), float(values["y"])))
        if tag == "polyline":
            self.lines[values["class"]] = [tuple(map(float, point.split(","))) for point in values["points"].split()]

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        if tag in self.VOID:
            return
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        self.text.append(data)


class Report(Results):
    def test_causes_of_aborts_are_counted_in_aborts(self):
        """Not the cycles that aborted attempts took: the causes' sum is the aborts."""
        self.make("a.json", *TABLE)
        counters = json.loads(self.path("a.json").read_text())["counters"]
        causes = {name: entry["value"] for name, entry in counters.items() if entry.get("part_of") == "tx_aborted" and entry["value"]}
        self.assertEqual(sum(causes.values()), counters["tx_aborted"]["value"])
        self.assertGreater(counters["tx_aborted_cycles"]["value"], 0)
        _, text = self.page("a.json")
        legend = text[text.index("Aborts by cause"):text.index("Aborts by cause") + 200]
        for name in causes:
            self.assertIn(name.removeprefix("tx_aborted_").replace("_", " "), legend)
        self.assertNotIn("aborted: cycles", text)

    PROFILE = ("cowarp profile 2\n\nkernel k<1>\nmodule k.ptx\nlaunches 1\n\nhottest lines\n  share       cycles       causes  most of it               where            line\n"
               " 75.00%          300          200  scoreboard_memory 60%    dram 35%            9: ld.global.u32 \t%r2, [%rd4];\n"
               " 25.00%          100            0  -                        -                  11: st.global.u32 \t[%rd5], %r3;\n\nlisting\n  warps | line\n      1 |  9 ld\n")

    def page(self, *words):
        self.passes("report", *words, "-o", "r.html")
        page = Page(self.path("r.html").read_text())
        self.assertEqual((page.open, page.loads), ([], []))  # whole, and without network
        self.assertNotRegex(self.path("r.html").read_text(), r"https?://")
        self.assertLessEqual({link.removeprefix("#") for link in page.links}, set(page.ids))
        return page, " ".join(page.text)

    def recorded(self):
        """Statistics with issue slots, samples and a profile of known numbers."""
        self.make("a.json", *TABLE, "--set", "core.count=3")

        def add(data):
            for name, value in (("issue_issued", 600), ("issue_memory", 300), ("issue_no_warp", 100)):
                data["counters"][name] = {"value": value, "unit": "cycles", "definition": "d", "part_of": "issue_slots"}
            data["manifest"]["command"] += ["--samples", "s.csv", "--profile=p.txt"]
        self.change("a.json", add)
        self.path("s.csv").write_text("begin,end,thread_instructions\n0,100,200\n100,200,0\n200,250,100\n")
        self.path("p.txt").write_text(self.PROFILE)

    def test_one_run(self):
        self.recorded()
        stats = self.read("a.json")
        page, text = self.page("a.json")
        for word in ("What ran", f"{stats['cycles']:,}", f"{stats['counters']['tx_committed']['value']:,}", "core.count", "15", "Aborts by cause", "k<1>",
                     "9: ld.global.u32 %r2, [%rd4];", "75.00%", "scoreboard_memory 60%", "dram 35%", "cowarp run ht-h"):
            self.assertIn(word, text)
        self.assertNotIn("Not recorded", text)
        # the stack's first bar: 600, 300 and 100 of 1,000
        wide = [width for _, width, y in page.rects if y == page.rects[0][2]][:3]
        self.assertEqual([round(width / sum(wide), 3) for width in wide], [0.6, 0.3, 0.1])

    def test_lines_of_ptx_by_cause(self):
        """The hottest line is marked, with its text and the cause that `waits` has most of there."""
        stats = self.make("a.json", *TABLE, "--stalls")
        self.page("a.json")
        lines, causes = {}, {}
        for row in stats["waits"]:
            if "line" in row:
                lines[row["line"]] = lines.get(row["line"], 0) + row["cycles"]
        hottest = max(lines, key=lines.get)
        for row in stats["waits"]:
            if row.get("line") == hottest:
                causes[row.get("at", row["cause"])] = causes.get(row.get("at", row["cause"]), 0) + row["cycles"]
        self.assertEqual(max(causes, key=causes.get), "back_off")  # few buckets: attempts fail
        text = pathlib.Path(stats["manifest"]["files"][0]["path"]).read_text().splitlines()[hottest - 1]
        share = f"{100 * lines[hottest] / sum(lines.values()):.1f}%"
        page = self.path("r.html").read_text()
        self.assertRegex(page, f'<tr class="hot"><td class="n">{hottest}</td><td class="n">{share}</td><td>.*</td><td>back-off</td><td><code>{re.escape(html.escape(text))}<')

    def test_lines_are_the_samples(self):
        self.recorded()
        page, _ = self.page("a.json")
        points = page.lines["l0"]
        zero, top = max(y for _, y in points), min(y for _, y in points)
        # instructions per cycle: 2, 0, 2, in steps from 0 over 100 and 200 to 250 cycles
        self.assertEqual([round(2 * (zero - y) / (zero - top), 3) for _, y in points], [2, 2, 0, 0, 2, 2])
        left, right = points[0][0], points[-1][0]
        self.assertEqual([round(250 * (x - left) / (right - left)) for x, _ in points], [0, 100, 100, 200, 200, 250])

    def test_runs_side_by_side(self):
        self.make("a.json", *TABLE)
        self.make("b.json", *TABLE, "--system", "warptm", "--set", "core.count=2")
        _, text = self.page("a.json", "b.json", "--title", "A & B <now>")
        for word in ("A & B <now>", "system getm", "system warptm", "core.count", "Not recorded"):
            self.assertIn(word, text)
        os.mkdir(self.path("x"))
        self.path("x/a.json").write_bytes(self.path("a.json").read_bytes())
        self.assertIn("x/a.json", self.page("a.json", "x/a.json")[1])  # names of their own

    def test_a_run_that_failed_and_files_that_are_wrong(self):
        self.recorded()
        self.change("a.json", lambda data: data.update(error="it <stopped>", check="failed"))
        self.path("s.csv").write_text("begin,end\n0,x\n")
        self.path("p.txt").write_bytes(b"\xff\x00")
        _, text = self.page("a.json")
        self.assertIn("it <stopped>", text)
        self.assertEqual(text.count("Not recorded"), 2)
        self.fails(2, "report", "a.json", "-o", "/nowhere/r.html", says="/nowhere/r.html")
        self.fails(2, "report", "a.json", "-o", "b.json", says="would replace statistics")
        self.fails(2, "report", "none.json", "-o", "r.html", says="none.json")


if __name__ == "__main__":
    COWARP = os.path.abspath(sys.argv.pop(1))
    unittest.main()
