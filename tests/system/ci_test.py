#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cowarp test: ci_test.py SOURCE BUILD [unittest arguments].

A program of the driver's API launches a kernel of tests/system/sanitizer.ptx by name: some are right, some race. It is run by itself, by ctest and by pytest."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

SOURCE = BUILD = COWARP = None
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int cuInit(unsigned);
int cuCtxCreate_v2(void **, unsigned, int);
int cuModuleLoad(void **, const char *);
int cuModuleGetFunction(void **, void *, const char *);
int cuMemAlloc_v2(unsigned long long *, size_t);
int cuCtxSynchronize(void);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
int main(int argc, char **argv)
{
    void *context, *module, *kernel;
    unsigned long long out;
    void *args[] = {&out};
    if (argc > 3)
        sleep(atoi(argv[3]));
    int bad = cuInit(0) || cuCtxCreate_v2(&context, 0, 0) || cuModuleLoad(&module, argv[1]) || cuModuleGetFunction(&kernel, module, argv[2]) ||
              cuMemAlloc_v2(&out, 4096) || cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, NULL, args, NULL) || cuCtxSynchronize();
    printf("%s: %s\n", argv[2], bad ? "bad" : "good");
    return bad ? 7 : 0;
}
"""


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.made.cleanup)
        top = pathlib.Path(cls.made.name)
        (top / "p.c").write_text(PROGRAM)
        cls.program = top / "program"
        subprocess.run(["cc", top / "p.c", "-o", cls.program, BUILD / "cuda/libcuda.so.1", f"-Wl,-rpath-link,{BUILD / 'cuda'}"], check=True)
        # With lines of a source, as nvcc -lineinfo gives them.
        head, kernel, body = (SOURCE / "tests/system/sanitizer.ptx").read_text().partition(".visible .entry r_lanes")
        body, close, rest = body.partition("\n}")
        body = re.sub(r"(?m)^(\s+)(st\.|ld\.)", r"\1.loc 9 12 3\n\1\2", body)
        cls.ptx = top / "k.ptx"
        cls.ptx.write_text(head + kernel + body + close + rest + '\n.file 9 "app.cu"\n')

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "app.cu").write_text("// a source\n" * 20)

    def run_it(self, *words, status=0, **env):
        env = {name: value for name, value in os.environ.items() if name != "GITHUB_ACTIONS"} | env
        done = subprocess.run([str(COWARP), "test", *map(str, words)], capture_output=True, text=True, timeout=300, cwd=self.folder, env=env, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def cases(self):
        """{test: (messages of its failures, all that is said of it)} of the JUnit file."""
        root = ElementTree.parse(self.folder / "r.xml").getroot()
        return {case.get("name"): ([part.get("message") for part in case if part.tag in ("failure", "error")], "".join(case.itertext()) + str([p.attrib for p in case]))
                for case in root.iter("testcase")}


class Program(Case):
    def test_right(self):
        done = self.run_it("--junit", "r.xml", "--", self.program, self.ptx, "c_barrier")
        self.assertIn("c_barrier: good", done.stdout)
        self.assertIn("1 test, 0 failed, 0 findings", done.stdout)
        self.assertIn("functional    1 launch without time", done.stdout)
        self.assertEqual(self.cases()["program"][0], [])

    def test_finding(self):
        done = self.run_it("--junit", "r.xml", "--", self.program, self.ptx, "r_lanes", status=1)
        self.assertIn("r_lanes: good", done.stdout)
        messages, said = self.cases()["program"]
        self.assertEqual(len(messages), 1, messages)
        self.assertIn("app.cu:12: race: kernel r_lanes", said)
        self.assertNotIn("::error", done.stdout)
        self.run_it("--findings", "tell", "--", self.program, self.ptx, "r_lanes")
        self.run_it("--check", "memory", "--", self.program, self.ptx, "r_lanes")
        self.run_it("--check", "none", "--", self.program, self.ptx, "r_lanes")

    def test_annotations(self):
        done = self.run_it("--", self.program, self.ptx, "r_lanes", status=1, GITHUB_ACTIONS="true")
        self.assertRegex(done.stdout, r"(?m)^::error file=app\.cu,line=12,title=cowarp race::kernel r_lanes: block ")
        done = self.run_it("--annotations", "github", "--", self.program, self.ptx, "no_such", status=7)
        self.assertIn("::error title=program::the test program has failed", done.stdout)

    def test_status_and_time(self):
        self.assertEqual(self.run_it("--", self.program, self.ptx, "no_such", status=7).stdout.count("bad"), 1)
        self.run_it("--time", "1", "--junit", "r.xml", "--", self.program, self.ptx, "c_barrier", "30", status=1)
        self.assertEqual(self.cases()["program"][0], ["not done after 1 s"])

    def test_timed(self):
        self.assertIn("simulated", self.run_it("--timed", "--preset", "gtx480", "--", self.program, self.ptx, "c_barrier").stdout)

    def test_wrong_requests(self):
        for words, says in ((["--check", "memory"], "needs a command behind --"), (["--time", "0", "--", "true"], "1 s at least"), (["--", "ctest", "--timeout", "3"], "--time SECONDS"),
                            (["--junit", "no/r.xml", "--", "true"], "--junit no/r.xml: its folder is not there"), (["--check", "rice", "--", self.program, self.ptx, "c_barrier"], "choose of memory"), (["--bogus", "--", self.program], "unknown option '--bogus'"), (["--preset", "bogus", "--", "ctest"], "unknown preset 'bogus'"),
                            (["--timed", "--functional", "--", "true"], "leave one out"), (["--", "./nothing"], "./nothing: there is no such program"),
                            (["--find", "tell", "--", "true"], "unknown option '--find'"),
                            (["--functional=native", "--", self.program, self.ptx, "c_barrier"], "native code checks nothing"),
                            (["--", "ctest", "--test-dir", "/nowhere"], "has left no results")):
            done = self.run_it(*words, status=2)
            self.assertIn(says, done.stdout + done.stderr)
            self.assertNotIn("1 test", done.stdout)  # no test has run, and none is counted


class Runners(Case):
    def test_ctest(self):
        rows = (("right", "c_barrier"), ("races", "r_lanes"), ("broken", "no_such"), ("slow", "c_barrier 30"))
        (self.folder / "CTestTestfile.cmake").write_text("".join(f'add_test({name} "{self.program}" "{self.ptx}" {what})\n' for name, what in rows))
        done = self.run_it("--junit", "r.xml", "--time", "5", "--annotations", "github", "--", "ctest", status=8)
        cases = self.cases()
        self.assertEqual({name: bool(messages) for name, (messages, _) in cases.items()}, {"right": False, "races": True, "broken": True, "slow": True})
        self.assertEqual(cases["races"][0], ["cowarp: 1 finding"])
        self.assertIn("4 tests, 2 failed, 1 finding\n", done.stdout)
        self.assertIn("::error file=app.cu,line=12", done.stdout)
        self.run_it("--", "ctest", "-R", "right")
        self.run_it("--", "ctest", "-R", "races", status=1)

    def test_pytest(self):
        if subprocess.run([sys.executable, "-m", "pytest", "--version"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no pytest")
        (self.folder / "test_gpu.py").write_text(f"""
import subprocess, time, pytest
@pytest.mark.parametrize("kernel", ["c_barrier", "r_lanes", "no_such"])
def test_kernel(kernel):
    subprocess.run(["{self.program}", "{self.ptx}", kernel], check=True)
def test_slow():
    time.sleep(30)
""")
        done = self.run_it("--junit", "r.xml", "--time", "4", "--", sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", status=1)
        cases = self.cases()
        self.assertEqual({name: bool(messages) for name, (messages, _) in cases.items()},
                         {"test_kernel[c_barrier]": False, "test_kernel[r_lanes]": True, "test_kernel[no_such]": True, "test_slow": True})
        self.assertEqual(cases["test_kernel[r_lanes]"][0], ["cowarp: 1 finding"])
        self.assertIn("not done after 4 s", cases["test_slow"][1])
        self.assertIn("4 tests, 2 failed, 1 finding\n", done.stdout)


if __name__ == "__main__":
    SOURCE, BUILD = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    COWARP = BUILD / "cowarp"
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
