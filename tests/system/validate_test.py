#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of `cowarp validate`: validate_test.py SOURCE BUILD [unittest arguments].

Two launches of one kernel, and one of another, stand beside tables of each kind that profilers write. The tables' numbers are made from those of the run, so
ratios and errors are known."""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

SOURCE, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
sys.path.insert(0, str(SOURCE / "tests/cuda"))
import fatbin  # noqa: E402

COWARP = BUILD / "cowarp"
PTX = """.version 7.0
.target sm_50
.address_size 64
.visible .entry _Z5scalePj(.param .u64 at)
{
    .reg .b32 %r<6>; .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mad.lo.u32 %r3, %r2, 64, %r1;
    mul.wide.u32 %rd1, %r3, 4;
    ld.param.u64 %rd2, [at];
    add.u64 %rd3, %rd2, %rd1;
    ld.global.u32 %r4, [%rd3];
    add.u32 %r5, %r4, %r4;
    st.global.u32 [%rd3], %r5;
    ret;
}
.visible .entry idle()
{
    ret;
}
"""
SCRIPT = """load k.ptx
alloc a 65536 fill 1
launch _Z5scalePj grid 4 block 64 args a
launch _Z5scalePj grid 256 block 64 args a
launch idle grid 1 block 32
"""
NCU = '"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'


class Validate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.all = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.all.name)
        (folder / "k.ptx").write_text(PTX)
        (folder / "s.txt").write_text(SCRIPT)
        subprocess.run([COWARP, "exec", "--script", "s.txt", "--preset", "titanv", "--set", "l2.host_copies=off", "--stats", "s.json", "--per", "launch", "--quiet"], check=True, cwd=folder)
        cls.stats = json.loads((folder / "s.json").read_text())
        cls.small, cls.large, cls.idle = cls.stats["per_launch"]

    @classmethod
    def tearDownClass(cls):
        cls.all.cleanup()

    def setUp(self):
        self.folder = pathlib.Path(self.all.name)

    def call(self, text, *words, status=0, run=("--run", "s.json")):
        (self.folder / "card.csv").write_text(text)
        done = subprocess.run([COWARP, "validate", "card.csv", *words, *run], capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def rows(self, text, *words, **of):
        self.call(text, *words, "--json", "out.json", **of)
        found = json.loads((self.folder / "out.json").read_text())
        return found, [(row["kernel"], row["launch"], row["card"].get("cycles")) for row in found["rows"]]

    def refuses(self, text, *words, says):
        done = self.call(text, *words, status=2)
        self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
        for part in says:
            self.assertIn(part, done.stderr)

    def test_launches_are_counted_in_their_order(self):
        text = NCU + (f'"0","9","scale(unsigned int *)","sm__cycles_elapsed.max","cycle","{self.small["cycles"] * 2:,}"\n'
                      f'"0","9","scale(unsigned int *)","dram__bytes_read.sum","Kbyte","{self.small["counters"]["dram_reads"] * 32 / 1000}"\n'
                      f'"1","9","scale(unsigned int *)","sm__cycles_elapsed.max","cycle","{self.large["cycles"] / 2}"\n')
        found, rows = self.rows("==PROF== Connected\nthe program says\n" + text)
        self.assertEqual(rows, [("scale", 1, self.small["cycles"] * 2), ("scale", 2, self.large["cycles"] / 2)])
        self.assertAlmostEqual(found["all"]["mean_error"], (0.5 + 1.0) / 2)
        self.assertAlmostEqual(found["all"]["geometric_mean"], 1.0)
        self.assertEqual(found["counters"]["dram_read_bytes"], {"rows": 1, "mean_error": 0.0, "within_15_percent": 1})

    def test_the_correlation_is_of_logarithms(self):
        text = "kernel,launch,cycles\n" + f"scale,1,{self.small['cycles'] ** 2}\nscale,2,{self.large['cycles'] ** 2}\nidle,1,{self.idle['cycles'] ** 2}\n"
        found, _ = self.rows(text)
        self.assertAlmostEqual(found["all"]["correlation_of_logs"], 1.0)

    def test_each_table_of_a_profiler(self):
        us = {name: launch["cycles"] / 1455 for name, launch in (("small", self.small), ("large", self.large), ("idle", self.idle))}
        mean = (self.small["cycles"] + self.large["cycles"]) / 2
        raw = f'"ID","Kernel Name","gpu__time_duration.sum"\n"","","us"\n"0","scale(unsigned int *)","{us["small"]}"\n"1","idle()","{us["idle"]}"\n'
        trace = f'Start,Duration,Grid X,Name\nms,us,,\n1,9.5,,[CUDA memcpy HtoD]\n2,{us["small"]},4,scale(unsigned int*) [101]\n3,{us["large"]},256,scale(unsigned int*) [102]\n'
        total = f'"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"\n,%,us,,us,us,us,\n"GPU activities",90,1,2,{mean / 1455},1,2,"scale(unsigned int*)"\n"API calls",9,9,1,1,1,1,"cudaMalloc"\n'
        metric = f'"Device","Kernel","Invocations","Event Name","Min","Max","Avg","Total"\n"TITAN V (0)","scale(unsigned int*)",2,"elapsed_cycles_sm",1,2,{mean * 80},3\n'
        plain = f"# a card\nkernel,time_us\nscale,{mean / 1455}\n"
        for name, text, wanted in (("raw", raw, [("scale", 1, self.small["cycles"]), ("idle", 1, self.idle["cycles"])]),
                                   ("trace", trace, [("scale", 1, self.small["cycles"]), ("scale", 2, self.large["cycles"])]),
                                   ("summary", total, [("scale", 0, mean)]), ("metrics", metric, [("scale", 0, mean)]), ("plain", plain, [("scale", 0, mean)])):
            with self.subTest(name):
                found, rows = self.rows(text)
                self.assertEqual([row[:2] for row in rows], [row[:2] for row in wanted])
                for row, want in zip(rows, wanted):
                    self.assertAlmostEqual(row[2], want[2], places=3)
                self.assertAlmostEqual(found["all"]["mean_error"], 0.0)

    def test_plain_columns_have_names_of_profilers_too(self):
        sectors = self.large["counters"]["l2_read_sectors"]
        heading = "kernel,launch,cycles,l2_read_transactions,lts__t_sectors_op_read.avg,Grid"
        done = self.call(f"{heading}\nscale,2,{self.large['cycles']},{sectors},7,256\n", "--json", "o.json")
        self.assertEqual(json.loads((self.folder / "o.json").read_text())["counters"]["l2_read_sectors"], {"rows": 1, "mean_error": 0.0, "within_15_percent": 1})
        self.assertIn("card.csv: left out, since no counter here has the name (--metrics lists all): lts__t_sectors_op_read.avg, Grid", done.stderr)

    def test_launches_without_time_do_not_count(self):
        subprocess.run([COWARP, "exec", "--script", "s.txt", "--preset", "titanv", "--set", "l2.host_copies=off", "--stats", "t.json", "--per", "launch", "--quiet",
                        "--launches", "0:1"], check=True, cwd=self.folder)
        found, rows = self.rows(f"kernel,cycles\nscale,{self.small['cycles']}\n", run=("--run", "t.json"))
        self.assertAlmostEqual(found["all"]["mean_error"], 0.0)
        done = self.call("kernel,launch,cycles\nscale,2,5\n", status=2, run=("--run", "t.json"))
        self.assertIn("card.csv:2: kernel scale: what it stands beside has run without time here", done.stderr)

    def test_sectors_are_counted(self):
        """256 blocks of 64 words read 2 sectors of each 16 words; what the launch before has read is in the L2, and each launch begins with a cold L1."""
        counters = self.large["counters"]
        self.assertEqual((counters["l1_read_sectors"], counters["l1_fetched_sectors"], counters["l2_read_sectors"], counters["l2_write_sectors"]), (2048, 2048, 2048, 2048))
        self.assertEqual(self.small["counters"]["l1_read_sectors"], 32)

    def test_a_map_names_kernels_and_families(self):
        text = f"kernel,launch,cycles\nblow_up,2,{self.large['cycles']}\nnothing,1,{self.idle['cycles'] * 4}\nelse,1,5\n"
        (self.folder / "m.csv").write_text("card,kernel,family\nblow.*,scale,stream\nnothing,idle,empty\n")
        found, rows = self.rows(text, "--map", "m.csv")
        self.assertEqual(rows, [("blow_up", 2, self.large["cycles"]), ("nothing", 1, self.idle["cycles"] * 4)])
        self.assertEqual(found["without_launch"], 1)
        self.assertEqual({name: round(part["mean_error"], 6) for name, part in found["families"].items()}, {"stream": 0.0, "empty": 0.75})

    def test_rows_of_several_programs_and_a_picture(self):
        self.rows(f"kernel,launch,cycles\nscale,1,{self.small['cycles']}\n")
        (self.folder / "out.json").rename(self.folder / "first.json")
        found, rows = self.rows(f"kernel,launch,cycles\nidle,1,{self.idle['cycles'] * 2}\n", "--also", "first.json", "--plot", "p.svg")
        self.assertEqual(([row[0] for row in rows], found["all"]["mean_error"]), (["idle", "scale"], 0.25))
        picture = xml.etree.ElementTree.parse(self.folder / "p.svg").getroot()
        self.assertTrue(picture.tag.endswith("svg"))
        self.assertIn("cycles on the card", " ".join(text for text in picture.itertext()))
        self.assertTrue(math.isfinite(found["all"]["geometric_mean"]))

    def test_what_is_wrong_is_one_line(self):
        good = "kernel,launch,cycles\nscale,1,5\n"
        self.refuses("a,b\n1,2\n", says=["card.csv: has no heading of a profiler's table", "ncu --csv"])
        self.refuses("kernel,cycles\nscale,many\n", says=["card.csv:2: cycles is 'many'", "a number"])
        self.refuses("kernel,launch,cycles\nscale,0,5\n", says=["card.csv:2: launch is '0'"])
        self.refuses("kernel,launch,cycles\nscale,3,5\n", says=["card.csv:2: launch 3 of kernel scale", "2 times"])
        self.refuses("kernel,cycles\nother,5\n", says=["none of its 1 rows is of a kernel that was launched here", "--map"])
        self.refuses("Start,Duration,Name\nh,days,\n1,2,scale\n", says=["unit 'days'"])
        self.refuses(good, "--map", "none.csv", says=["none.csv: No such file"])
        (self.folder / "m.csv").write_text("card,kernel\n(,scale\n")
        self.refuses(good, "--map", "m.csv", says=["m.csv:2: is no regular expression"])
        (self.folder / "m.csv").write_text("card,kernel\nscale,gone\n")
        self.refuses(good, "--map", "m.csv", says=["card.csv:2: kernel scale", "no launch here fits"])
        self.refuses(good, "--plot", "p.json", says=["promises JSON"])
        self.refuses(good, "--json", "s.json", says=["would be replaced"])
        self.refuses(good, "--preset", says=["--name=value"])
        done = self.call(good, status=2, run=())
        self.assertIn("needs a program behind --", done.stderr)
        (self.folder / "old.json").write_text(json.dumps({**self.stats, "per_launch": 1}))
        done = self.call(good, status=2, run=("--run", "old.json"))
        self.assertIn("old.json: per_launch is a whole number", done.stderr)

    def test_a_program(self):
        """As a CUDA program: its standard output goes to standard error, and options go to `cowarp cuda`."""
        kernels = (SOURCE / "tests/cuda/kernels.ptx").read_text()
        (self.folder / "k.fatbin").write_bytes(fatbin.container(fatbin.image(kernels)))
        cuda = BUILD / "cuda"
        subprocess.run(["cc", "-std=gnu11", "-Wno-pointer-arith", f'-DFATBIN="{self.folder}/k.fatbin"', str(SOURCE / "tests/cuda/program.c"), "-o", str(self.folder / "program"),
                        str(cuda / "libcudart.so.12"), f"-Wl,-rpath-link,{cuda}", "-pthread"], check=True)
        done = self.call("kernel,cycles\nadd,10000\n", "--preset=titanv", "--stats", "kept.json", run=("--", "./program"))
        self.assertRegex(done.stdout, r"add +all +add +10,000 +[\d,]+ +\d\.\d\d")
        self.assertEqual(json.loads((self.folder / "kept.json").read_text())["preset"], "titanv")
        done = self.call("kernel,cycles\nadd,10000\n", status=1, run=("--", "./program", "7"))
        self.assertIn("./program ended with status 7", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
