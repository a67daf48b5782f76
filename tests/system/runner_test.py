#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the runner under the long commands, and of `cowarp serve`: runner_test.py SOURCE BUILD/cowarp [--each] [unittest arguments].

Each command gets a signal while it has work, with --each all of them in turn: its exit status says so, no process is left, no file is half-written. SIGKILL
leaves no process either."""
import contextlib
import http.client
import json
import os
import pathlib
import pty
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import urllib.parse

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cuda"))
import fatbin  # noqa: E402  (after the path is set)
import waiting  # noqa: E402

SOURCE, COWARP = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
EACH = "--each" in sys.argv[3:]
PATIENCE = 120  # seconds, far more than it takes on a machine that has other work
ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
ENDLESS = ["--set", "watchdog.livelock_cycles=4000000000"]
SPINS = ["spin.ptx", "--kernel", "spin", "--grid", "1", "--block", "32", "--arg", "zero:4", *ENDLESS]
PM = ["--preset", "sbrp-near", "--persistency", "sbrp"]
LITMUS = ["litmus", SOURCE / "tests/litmus", *PM]
CRASH = ["crash", "gpkvs", *PM, "--param", "pairs=64", "--param", "buckets=128", "--param", "blocks=2", "--param", "threads=32"]
UNDER = """import sys
sys.path.append({folder!r})
import children, runner, statsfile
call = lambda n: children.run(["sh", "-c", "sleep 1000 & sleep 1000"])
sys.exit(statsfile.run_main("cowarp x", lambda: list(runner.each(call, range(3), 2)) and 0, "interrupted"))
"""


def processes():
    """{process: (its group, its state)} of all that are no zombies."""
    found = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            words = stat.read_text().rpartition(")")[2].split()
            if words[0] not in "ZX":
                found[int(stat.parent.name)] = (int(words[1]), int(words[2]))
    return found


def below(pid):
    """All that the process has started, and what these have."""
    parents, found = processes(), set()
    more = {pid}
    while more:
        more = {child for child, (parent, _) in parents.items() if parent in more} - found
        found |= more
    return found


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "spin.ptx").write_text(waiting.SPIN)
        self.environment = {**os.environ, "COWARP": str(COWARP), "COWARP_CACHE": str(self.folder / "cache")}

    def start(self, words, **options):
        words = words if str(words[0]).startswith("/") else [COWARP, *words]
        command = subprocess.Popen([*map(str, words)], cwd=self.folder, env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, **options)
        self.addCleanup(self.clear, command)
        return command

    @staticmethod
    def clear(command):
        if command.poll() is None:
            command.kill()
        command.communicate()

    def call(self, *words):
        done = subprocess.run([COWARP, *map(str, words)], cwd=self.folder, env=self.environment, text=True, capture_output=True, timeout=PATIENCE, check=False)
        return done.returncode, done.stdout, done.stderr

    def wait_for(self, what, command):
        until = time.monotonic() + PATIENCE
        while not (found := what()):
            self.assertIsNone(command.poll(), "it has ended before it had work")
            self.assertLess(time.monotonic(), until, "nothing has come")
            time.sleep(0.05)
        return found

    def board(self):
        """The state of the one command that has a board; None: there is none yet."""
        for path in (self.folder / "cache/running").glob("*/state.json"):
            with contextlib.suppress(OSError, ValueError):
                return json.loads(path.read_text())
        return None

    def gone(self, started):
        until = time.monotonic() + 2
        while left := started & set(processes()):
            if time.monotonic() > until:
                return left
            time.sleep(0.02)
        return set()


    def program(self, text):
        """A program that `cowarp cuda` runs, and which launches nothing."""
        path = self.folder / "program"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return "./program"


class Signals(Case):
    turn = 0

    def ends(self, words, children):
        """By a signal, when it has so many processes below it."""
        Signals.turn += 1
        for number in ENDS if EACH else [ENDS[Signals.turn % len(ENDS)]]:
            with self.subTest(command=str(words[0]), signal=number.name):
                command = self.start(words)
                self.wait_for(lambda: len(below(command.pid)) >= children and (children > 0 or waiting.is_busy(command)), command)
                time.sleep(0.3)
                started = below(command.pid)
                command.send_signal(number)
                began = time.monotonic()
                _, said = command.communicate(timeout=PATIENCE)
                self.assertEqual(command.returncode, -number if number == signal.SIGKILL else 128 + number, said)
                self.assertEqual(self.gone(started), set())
                self.assertNotIn("Traceback", said)
                if number != signal.SIGKILL:
                    self.assertLess(time.monotonic() - began, 30)  # within a second where nothing else runs
                    self.assertRegex(said, "interrupted")
                    self.assertEqual([path for path in self.folder.rglob("*") if re.search(r"partial|\.cowarp-", path.name)], [])
                    self.assertEqual(list((self.folder / "cache").glob("running/*")), [])

    def test_programs_of_programs(self):
        """What a child has started ends, too, also by SIGKILL of the command."""
        self.ends([sys.executable, "-c", UNDER.format(folder=str(SOURCE / "scripts/results"))], 5)

    def test_programs_that_write_to_the_end(self):
        """A call tells what it does until it is killed."""
        busy = "trap '' TERM; while :; do echo {} > $COWARP_PROGRESS.$i; i=$((i + 1)); done"
        self.ends([sys.executable, "-c", UNDER.replace("sleep 1000 & sleep 1000", busy.replace("{}", "{{}}")).format(folder=str(SOURCE / "scripts/results"))], 3)

    def test_sweep(self):
        self.ends(["sweep", *SPINS, "--vary", "seed=1:8", "--jobs", "2", "--csv", "t.csv"], 3)
        self.assertFalse((self.folder / "t.csv").exists())

    def test_reproduce(self):
        self.ends(["reproduce", "getm.fig11", "--jobs", "2", "--out", "out"], 3)

    def test_synth(self):
        self.ends(["synth", "stall_buffer", "--no-power", "--out", "out"], 2)

    def test_validate(self):
        (self.folder / "card.csv").write_text("kernel,cycles\nspin,100\n")
        self.ends(["validate", "card.csv", "--stats=s.json", "--", self.program("exec sleep 1000")], 3)
        self.assertFalse((self.folder / "s.json").exists())

    def test_sweep_of_a_program(self):
        self.ends(["sweep", "cuda", "--vary", "core.count=1,2,3", "--jobs", "2", "--", self.program("sleep 1000; true")], 5)

    def test_crash(self):
        self.ends(["crash", "gpkvs", *PM, "--points", "all-persists", "--stats", "s.json"], 0)
        self.ends(["crash", "gpkvs", *PM, "--points", "all-persists", "--jobs", "2"], 2)

    def test_litmus(self):
        self.ends([*LITMUS, "--runs", "100000", "--jobs", "2"], 2)

    def test_fuzz_campaign(self):
        self.ends([sys.executable, SOURCE / "tests/fuzz/cprog/cprog.py", COWARP, "--kind", "own", "--seeds", "1:2000", "--jobs", "2", "--journal", "done"], 2)


class Work(Case):
    """What a command says of its work, and what it does not do twice."""

    def test_lines_and_time_left(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        done = subprocess.run([COWARP, "sweep", "vecadd", "--param", "n=64", "--vary", "seed=1:3", "--jobs", "1", "--csv", "t.csv"], cwd=self.folder, env=self.environment,
                              stdout=subprocess.DEVNULL, stderr=slave, timeout=PATIENCE, check=True)
        os.close(slave)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(os.read(master, 65536).decode(), r"\r3 of 3 runs, 0 s left\x1b\[K\r\x1b\[K$")
        rows = (self.folder / "t.csv").read_text()
        before = {path.name: path.stat().st_mtime_ns for path in (self.folder / "cache/runs").iterdir()}
        self.assertEqual(self.call("sweep", "vecadd", "--param", "n=64", "--vary", "seed=1:3", "--csv", "t.csv")[0], 0)
        self.assertEqual({path.name: path.stat().st_mtime_ns for path in (self.folder / "cache/runs").iterdir()}, before)  # no run was made again
        self.assertEqual((self.folder / "t.csv").read_text(), rows)

    def sweep(self, *words, ask=()):
        status, said, error = self.call("sweep", *words, "--json", "t.json", *(["--", *ask] if ask else []))
        self.assertEqual((status, error), (0, ""), said)
        return json.loads((self.folder / "t.json").read_text())

    def kept(self):
        return len(list((self.folder / "cache/runs").iterdir()))

    def test_sweep_of_a_script(self):
        """A file that the script names makes other runs when it changes, and the same ones when it does not."""
        (self.folder / "a.bin").write_bytes(bytes([1, 0, 0, 0]))
        (self.folder / "s.txt").write_text("load spin.ptx\nalloc a 4 from a.bin\nlaunch spin grid 2 block 32 args a\n")
        words = ["exec", "--script", "s.txt", "--vary", "core.count=1,2"]
        cycles = [row["cycles"] for row in self.sweep(*words)]
        self.assertGreater(cycles[0], 0)
        self.sweep(*words)
        self.assertEqual(self.kept(), 2)
        (self.folder / "a.bin").write_bytes(bytes([2, 0, 0, 0]))
        self.sweep(*words)
        self.assertEqual(self.kept(), 4)
        self.assertEqual(self.call("sweep", "exec", "--vary", "core.count=1,2"), (2, "", "cowarp sweep: exec needs --script FILE; a PTX file stands in its place: cowarp sweep FILE.ptx ...\n"))

    def longer(self, name):
        """A byte at the end of a program changes nothing but its digest."""
        path = self.folder / name
        path.write_bytes(path.read_bytes() + b" ")

    def test_sweep_of_a_program(self):
        """Its runs depend on the program, its arguments and --input; one that ends with another status has no result."""
        (self.folder / "k.fatbin").write_bytes(fatbin.container(fatbin.image((SOURCE / "tests/cuda/kernels.ptx").read_text())))
        cuda = COWARP.parent / "cuda"
        subprocess.run(["cc", "-std=gnu11", "-Wno-pointer-arith", f'-DFATBIN="{self.folder}/k.fatbin"', SOURCE / "tests/cuda/program.c", "-o", self.folder / "program",
                        cuda / "libcudart.so.12", f"-Wl,-rpath-link,{cuda}", "-pthread"], check=True)
        (self.folder / "f").write_text("1")
        words = ["cuda", "--vary", "core.count=1,2", "--input", "f"]
        rows = self.sweep(*words, ask=["./program", "variables"])
        self.assertEqual([row["core.count"] for row in rows], ["1", "2"])
        self.assertGreater(min(row["cycles"] for row in rows), 0)
        for change, kept in ((lambda: None, 2), (lambda: (self.folder / "f").write_text("2"), 4), (lambda: self.longer("program"), 6)):
            change()
            self.sweep(*words, ask=["./program", "variables"])
            self.assertEqual(self.kept(), kept)
        status, _, said = self.call("sweep", *words, "--csv", "bad.csv", "--", "./program", "7")
        self.assertEqual((status, said), (1, "cowarp sweep: 2 of 2 runs have failed; the column error says why\n"))
        self.program("true")
        status, said, _ = self.call("sweep", *words, "--", "./program")
        self.assertIn("the program has launched nothing, so there are no statistics", said)
        self.assertEqual(self.call("sweep", *words, "--", "./none"), (2, "", "cowarp sweep: ./none: there is no such file\n"))

    def test_processes_change_no_result(self):
        """Points and tests side by side are those of one process; also the first that is wrong."""
        missing = ["--param", "threads=32", "--sabotage", "pm-no-order"]
        for words in (LITMUS[:1] + [SOURCE / "tests/litmus/mp_read.lit", SOURCE / "tests/litmus/ofence.lit", SOURCE / "tests/litmus/unordered.lit", *PM, "--missing"],
                      [*CRASH, "--points", "12"], [*CRASH, "--points", "12", "--explore", "log"], [*CRASH, "--points", "6", "--twice"], [*CRASH, "--points", "40", *missing]):
            with self.subTest(words=" ".join(map(str, words))):
                alone, together = self.call(*words), self.call(*words, "--jobs", "3")
                strip = [re.sub(r" --jobs '?3'?|host .*", "", text) for text in together[1:]]
                self.assertEqual((together[0], *strip), (alone[0], *(re.sub(r"host .*", "", text) for text in alone[1:])))

    def test_journal(self):
        """A campaign that was interrupted goes on behind what is done, and another one does not take it."""
        words = [*CRASH, "--points", "400", "--explore", "log", "--journal", "j", "--jobs", "2"]
        command = self.start(words)
        self.wait_for(lambda: (self.folder / "j").exists() and (self.folder / "j").read_text().count(".") > 10, command)
        command.send_signal(signal.SIGTERM)
        self.assertEqual((command.communicate(timeout=PATIENCE)[0], command.returncode), (unittest.mock.ANY, 143))
        done = (self.folder / "j").read_text().splitlines()
        status, said, error = self.call(*words)
        self.assertEqual((status, error), (0, ""))
        self.assertEqual((self.folder / "j").read_text().splitlines()[:len(done)], done)
        self.assertEqual(self.call(*words[:-4])[1].split("host")[0], said.split("host")[0])
        self.call(*CRASH, "--points", "3", "--explore", "log", "--seed", "2", "--journal", "j")
        self.assertEqual((self.folder / "j").read_text().count("."), 3)
        (self.folder / "k").write_text("mine\n")
        self.assertEqual(self.call(*CRASH, "--points", "3", "--explore", "log", "--journal", "k")[::2],
                         (2, "cowarp: --journal k: is no journal, and would be replaced; give another name\n"))
        self.assertEqual((self.folder / "k").read_text(), "mine\n")


class Serve(Case):
    def serve(self):
        """(port, token) of a page that is served."""
        command = self.start(["serve"])
        line = command.stdout.readline()
        found = re.fullmatch(r"cowarp serve: http://127\.0\.0\.1:(\d+)/\?token=([\w-]{20,})\n", line)
        self.assertTrue(found, line)
        return command, int(found[1]), found[2]

    @staticmethod
    def ask(port, path, method="GET", host=None, token=None):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request(method, path + (f"{'&' if '?' in path else '?'}token={urllib.parse.quote(token)}" if token is not None else ""), headers={"Host": host or f"127.0.0.1:{port}"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def test_who_is_answered(self):
        command, port, token = self.serve()
        for path in ("/", "/state", "/report?id=1&number=1"):
            for wrong in (None, "", "x" * len(token), token + "x"):
                self.assertEqual(self.ask(port, path, token=wrong)[0], 403, (path, wrong))
        self.assertEqual(self.ask(port, "/stop?id=1", "POST")[0], 403)
        self.assertEqual(self.ask(port, "/state", token=token, host="evil.example:80")[0], 403)
        self.assertEqual(self.ask(port, "/state", token=token), (200, '{"commands": []}'))
        self.assertIn("<title>cowarp: what runs</title>", self.ask(port, "/", token=token)[1])
        self.assertEqual(self.ask(port, "/stop?id=1", "POST", token=token), (404, "no such command"))
        self.assertEqual(self.ask(port, "/etc/passwd", token=token)[0], 404)
        listening = [line.split()[1] for name in ("tcp", "tcp6") for line in pathlib.Path(f"/proc/net/{name}").read_text().splitlines()[1:] if line.split()[3] == "0A"]
        self.assertEqual([where for where in listening if where.endswith(f":{port:04X}")], [f"0100007F:{port:04X}"])  # 127.0.0.1 and nothing else
        with socket.socket() as other:
            self.assertNotEqual(other.connect_ex((socket.gethostbyname(socket.gethostname()), port)) if socket.gethostbyname(socket.gethostname()) != "127.0.0.1" else 1, 0)
        command.send_signal(signal.SIGTERM)
        command.communicate(timeout=PATIENCE)
        self.assertEqual(command.returncode, 143)
        self.assertEqual(self.call("serve", "--port", "70000"), (2, "", "cowarp serve: --port 70000: a port is 0 to 65535\n"))

    def state(self, port, token):
        return json.loads(self.ask(port, "/state", token=token)[1])["commands"]

    def test_what_runs(self):
        """Two runs, one after the other; counters of the one that runs, a report of the one that has ended, and the end of all."""
        _, port, token = self.serve()
        sweep = self.start(["sweep", *SPINS[:7], "--vary", "arg=zero:4,in:one.bin", "--stalls", "--jobs", "1", *ENDLESS])
        (self.folder / "one.bin").write_bytes(bytes([1, 0, 0, 0]))
        state = self.wait_for(lambda: [c for c in self.state(port, token) if c["running"] and c["running"][0]["run"]], sweep)[0]
        self.assertEqual((state["total"], state["done"], state["jobs"], len(state["running"])), (2, 0, 1, 1))
        self.assertEqual(state["command"][:3], ["cowarp", "sweep", "spin.ptx"])
        run = state["running"][0]["run"]
        self.assertEqual((run["what"], run["done"], run["total"]), ("blocks", 0, 1))
        self.assertGreater(run["cycles"], 1000)
        self.assertGreater(run["counters"]["warp_instructions"], 100)
        self.assertGreater(sum(run["counters"][name] for name in run["counters"] if name.startswith("issue_")), 1000)
        later = self.wait_for(lambda: [c["running"][0]["run"] for c in self.state(port, token) if c["running"] and c["running"][0]["run"]["cycles"] > run["cycles"]], sweep)[0]
        self.assertGreater(later["counters"]["warp_instructions"], run["counters"]["warp_instructions"])
        self.assertEqual(self.ask(port, f"/stop?id={state['id']}", "POST", token=token), (200, "it was asked to end"))
        _, said = sweep.communicate(timeout=PATIENCE)
        self.assertEqual(sweep.returncode, 143, said)
        [state] = self.state(port, token)
        self.assertEqual((state["alive"], state["running"]), (False, []))
        self.assertEqual(self.ask(port, f"/stop?id={state['id']}", "POST", token=token), (409, "it has ended"))

    def test_commands_of_c(self):
        """crash and litmus leave word as commands of Python do: how far they are, and whom to stop."""
        _, port, token = self.serve()
        for words, least in (([*CRASH, "--points", "20000", "--jobs", "2"], 1), ([*LITMUS, "--runs", "100000"], 0)):
            command = self.start(words)
            state = self.wait_for(lambda: [c for c in self.state(port, token) if c["alive"] and c["done"] >= least], command)[0]
            self.assertEqual(state["command"], ["cowarp", *map(str, words)])
            self.assertEqual((state["folder"], state["jobs"]), (str(self.folder), 1 + least))
            self.assertLess(state["done"], state["total"])
            self.assertEqual(state["left_seconds"] is None, state["done"] == 0)
            self.assertEqual(self.ask(port, f"/stop?id={state['id']}", "POST", token=token), (200, "it was asked to end"))
            command.communicate(timeout=PATIENCE)
            self.assertEqual(command.returncode, 143)
            self.assertEqual([c["alive"] for c in self.state(port, token) if c["id"] == state["id"]], [False])
        self.assertEqual(list((self.folder / "cache/running").iterdir()), [])

    def test_reports(self):
        _, port, token = self.serve()
        sweep = self.start(["sweep", *SPINS[:7], "--arg", "zero:4", "--vary", "max-cycles=2000,100000000000", "--jobs", "1", *ENDLESS])
        state = self.wait_for(lambda: [c for c in self.state(port, token) if c["done"] == 1], sweep)[0]
        self.assertEqual((state["failed"], len(state["ended"]), state["ended"][0]["stats"]), (0, 1, True))
        status, page = self.ask(port, f"/report?id={state['id']}&number={state['ended'][0]['number']}", token=token)
        self.assertEqual(status, 200, page)
        self.assertIn("<h1>", page)
        self.assertEqual(self.ask(port, f"/report?id={state['id']}&number=7", token=token), (404, "no such report"))

    def test_a_command_that_was_killed(self):
        """It has left its board, which is nobody's, and is removed."""
        _, port, token = self.serve()
        sweep = self.start(["sweep", *SPINS, "--vary", "seed=1,2", "--jobs", "1"])
        self.wait_for(lambda: self.state(port, token), sweep)
        sweep.kill()
        sweep.communicate()
        self.assertEqual([c["alive"] for c in self.state(port, token)], [False])
        (self.folder / f"cache/running/{sweep.pid}").mkdir()  # as if it had been killed before it could say anything
        (self.folder / f"cache/running/{os.getpid()}").mkdir()  # somebody who is about to
        self.state(port, token)
        self.assertEqual([path.name for path in (self.folder / "cache/running").iterdir()], [f"{os.getpid()}"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *(word for word in sys.argv[3:] if word != "--each")])
