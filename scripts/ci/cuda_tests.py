#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cowarp test: a command that runs tests of CUDA programs, on the simulated GPU (docs/ci.md).

Exit status: that of the tests; 1 where they pass and a check has found something; 2 the request was wrong."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "results"))

from statsfile import Parser, Wrong, check_output, run_main  # noqa: E402  (after the path is set)

CHECKS = "memory,sync,race,init"
SECONDS = 300
# What --check says of a place of the PTX, and of the source where the PTX has .loc.
FINDING = re.compile(r"^cowarp: check (\w+): kernel (\S+): (.+?):(\d+)(?: \((.+?):(\d+)\))?: (.*)$", re.MULTILINE)
# No XML may hold these.
CONTROL = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD]")


class Finding(NamedTuple):
    kind: str
    kernel: str
    file: str
    line: int
    text: str


def findings_of(text):
    return [Finding(kind, kernel, source or ptx, int(source_line or line), said) for kind, kernel, ptx, line, source, source_line, said in FINDING.findall(text)]


def kind_of(command):
    """What runs the tests: "ctest", "pytest", or "" for a program that is one test."""
    names = [pathlib.PurePath(word).name for word in command[:3]]
    if names[0] == "ctest":
        return "ctest"
    if names[0] in ("pytest", "pytest-3", "py.test") or (names[0].startswith("python") and names[1:3] == ["-m", "pytest"]):
        return "pytest"
    return ""


def words_of(kind, command, seconds, report):
    """The command that leaves its results in report, with a limit for each test."""
    taken = {"ctest": ("--output-junit", "--timeout"), "pytest": ("--junitxml", "--junit-xml")}.get(kind, ())
    for word in command:
        if word.split("=")[0] in taken:
            raise Wrong(f"{word}: is given by cowarp test; use its --junit FILE and --time SECONDS")
    if kind == "ctest":
        return [*command, "--output-junit", report, "--timeout", str(seconds), "--test-output-size-passed", "1000000", "--test-output-size-failed", "1000000"]
    if kind == "pytest":
        return [*command, f"--junitxml={report}", "-o", "junit_logging=all", "-p", "cowarp_limit"]
    return command


def environment(kind, seconds):
    env = dict(os.environ)
    if kind == "pytest":
        env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE), env.get("PYTHONPATH")]))
        env["COWARP_TEST_SECONDS"] = str(seconds)
    return env


def run_program(words, seconds, env):
    """(status, all that it has said, seconds) of a program that is one test, in a process group that ends with it. status None: not done in time."""
    begin, said = time.monotonic(), []
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, start_new_session=True)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(process.pid, signal.SIGKILL))
    signal.alarm(seconds)
    try:
        for line in process.stdout:
            sys.stdout.buffer.write(line)
            sys.stdout.flush()
            said.append(line)
        status = process.wait()
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    finally:
        signal.alarm(0)
    took = time.monotonic() - begin
    return None if status < 0 and took >= seconds else status, b"".join(said).decode(errors="replace"), took


def suite_of_program(name, status, said, took, seconds):
    root = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(root, "testsuite", name=name, tests="1", errors="0", skipped="0", failures="0")
    case = ElementTree.SubElement(suite, "testcase", name=name, classname="cowarp", time=f"{took:.3f}")
    if status != 0:
        ElementTree.SubElement(case, "failure", message=f"not done after {seconds} s" if status is None else f"exit status {status}")
    ElementTree.SubElement(case, "system-out").text = CONTROL.sub("?", said)
    return root


def read_report(path):
    """The suites that the runner has left, or None where it has left none."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return None
    if root.tag == "testsuites":
        return root
    whole = ElementTree.Element("testsuites")
    whole.append(root)
    return whole


def mark(root, fails):
    """[(test, failed, findings)]; where findings are to fail a test, its case gets them as a failure."""
    judged = []
    for case in root.iter("testcase"):
        said = "\n".join(part.text or "" for part in case if part.tag in ("system-out", "system-err", "failure", "error"))
        found = list(dict.fromkeys(findings_of(said)))
        failed = any(part.tag in ("failure", "error") for part in case)
        if found and fails and not failed:
            text = "\n".join(f"{f.file}:{f.line}: {f.kind}: kernel {f.kernel}: {f.text}" for f in found)
            failure = ElementTree.Element("failure", message=f"cowarp: {len(found)} finding{'s' * (len(found) > 1)}", type="cowarp")
            failure.text = CONTROL.sub("?", text)
            case.insert(0, failure)
        judged.append((case.get("name", "?"), failed, found))
    for suite in root.iter("testsuite"):
        suite.set("failures", str(sum(any(part.tag == "failure" for part in case) for case in suite.iter("testcase"))))
    return judged


def escaped(text, of_property=False):
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if of_property else text


def annotate(judged):
    """Commands of GitHub's runner: each finding at its file and line, once, and each test that has failed without one."""
    here, told = os.getcwd() + os.sep, set()
    for test, failed, found in judged:
        for f in found:
            file = os.path.abspath(f.file)
            file = file.removeprefix(here) if os.path.exists(file) else f.file
            line = f"::error file={escaped(file, True)},line={f.line},title={escaped(f'cowarp {f.kind}', True)}::{escaped(f'kernel {f.kernel}: {f.text}')}"
            if line not in told:
                print(line)
            told.add(line)
        if failed and not found:
            print(f"::error title={escaped(test, True)}::{escaped(f'the test {test} has failed')}")


def parse(arguments):
    words, command = (arguments[:arguments.index("--")], arguments[arguments.index("--") + 1:]) if "--" in arguments else (arguments, [])
    parser = Parser(prog="cowarp test", usage="cowarp test [OPTIONS] -- ctest|pytest|PROGRAM [ARGUMENT ...]",
                    description="Runs a command that tests CUDA programs with cowarp's libraries in the place of CUDA's: without time, and checked. Every other option goes "
                                "to 'cowarp cuda', such as --preset NAME for the card that it is.",
                    epilog="The exit status is that of the tests, and 1 where they pass and a check has found something.")
    parser.add_argument("--check", default=CHECKS, metavar="LIST", help=f"what to look for, as of 'cowarp cuda' ({CHECKS}); none: nothing")
    parser.add_argument("--timed", action="store_true", help="simulate time too")
    parser.add_argument("--time", type=int, default=SECONDS, metavar="SECONDS", help=f"that one test may take ({SECONDS}); ctest: unless the test has its own TIMEOUT")
    parser.add_argument("--findings", default="fail", choices=("fail", "tell"), help="whether a finding fails its test (fail)")
    parser.add_argument("--junit", metavar="FILE", help="write the results as JUnit XML")
    parser.add_argument("--annotations", default="auto", choices=("auto", "github", "none"), help="print annotations with file and line (auto: where $GITHUB_ACTIONS is true)")
    options, options.rest = parser.parse_known_args(words)
    options.command = command
    if not command:
        raise Wrong("test needs a command behind --: cowarp test [OPTIONS] -- ctest|pytest|PROGRAM [ARGUMENT ...]")
    if options.time < 1:
        raise Wrong(f"--time {options.time}: a test may take 1 s at least")
    if options.timed and has_functional(options.rest):
        raise Wrong("--timed and --functional: with time or without; leave one out")
    if shutil.which(command[0]) is None:
        raise Wrong(f"{command[0]}: there is no such program" + (f"; ./{command[0]} is a file here" if os.path.isfile(command[0]) else ""))
    check_output(options.junit, "--junit")
    return options


def has_functional(words):
    return any(word.split("=")[0] == "--functional" for word in words)


def cuda_words(options):
    words = [os.environ["COWARP"], "cuda", *options.rest, "--findings", "tell"]  # which test a finding fails is decided here
    words += [] if options.timed or has_functional(options.rest) else ["--functional"]
    return words + ([] if options.check == "none" else ["--check", options.check]) + ["--"]


def check_words(words):
    """Raises Wrong for what 'cowarp cuda' refuses: better once than in each test. A program that needs no GPU stands in for them."""
    tried = subprocess.run([*words, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if tried.returncode == 2:
        raise Wrong(tried.stderr.strip().splitlines()[-1].removeprefix("cowarp: "))


def main(arguments):
    options = parse(arguments)
    kind = kind_of(options.command)
    check_words(cuda_words(options))
    with tempfile.TemporaryDirectory(prefix="cowarp-test.") as folder:
        report = os.path.join(folder, "junit.xml")
        words, env = [*cuda_words(options), *words_of(kind, options.command, options.time, report)], environment(kind, options.time)
        if kind:
            status = subprocess.run(words, env=env, check=False).returncode
            root = read_report(report)
        else:
            status, said, took = run_program(words, options.time, env)
            root = suite_of_program(pathlib.PurePath(options.command[0]).name, status, said, took, options.time)
            status = 1 if status is None else status
    if root is None:
        raise Wrong(f"{' '.join(options.command)}: has left no results (exit status {status})")
    judged = mark(root, options.findings == "fail")
    if options.junit:
        ElementTree.ElementTree(root).write(options.junit, encoding="utf-8", xml_declaration=True)
    if options.annotations == "github" or (options.annotations == "auto" and os.environ.get("GITHUB_ACTIONS") == "true"):
        annotate(judged)
    found, failed = sum(len(found) for *_, found in judged), sum(failed for _, failed, _ in judged)
    print(f"cowarp test: {len(judged)} test{'s' * (len(judged) != 1)}, {failed} failed, {found} finding{'s' * (found != 1)}", flush=True)
    return status or (1 if found and options.findings == "fail" else 0)


if __name__ == "__main__":
    sys.exit(run_main("cowarp test", lambda: main(sys.argv[1:])))
