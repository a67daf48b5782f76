#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The debugger's scenarios, tests/debug/*.cwd. A scenario is a script of `cowarp debug` with what must be seen:

    #: exec KERNELS --kernel diverge ...    the run: the words behind `cowarp debug`
    break 27                                a command
    #= lanes 1,3,5                          this text is in what it has said; several lines are looked for one behind the other
    #! error                                and this is not
    #- from the end                         the next scenario of this run begins at its start, with no stops

KERNELS and MORE are kernels.ptx and more.ptx, SCRIPT is two.script; TYPES is types.ptx, and once more types_clang.ptx beside COWARP, which the build has made; POINT is a file with a
struct point {0.5, 10, {4, 5, 6}}; PROGRAM is tests/cuda/overlap.c, TEXTURES is tests/cuda/textures.c. Other comments say why it must be so: by the kernel's text, never by what the debugger has said once.

Usage: debug_test.py COWARP FOLDER [NAME ...]"""
import concurrent.futures
import json
import os
import pathlib
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import time

SECONDS = 60


def parts(path, types):
    """The run's words, the script's lines, of each line what is wanted and what is not, and how many scenarios that is."""
    run, lines, cnt = [], [], 1
    files = {"TYPES": types, "KERNELS": path.parent / "kernels.ptx", "MORE": path.parent / "more.ptx", "SCRIPT": path.parent / "two.script"}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#:"):
            run += [str(files.get(word, word)) for word in line[2:].split()]
        elif line.startswith("#-"):
            lines += [("delete", [], []), ("restart", ["the run begins here"], [])]
            cnt += 1
        elif line.startswith(("#=", "#!")):
            lines[-1][1 if line[1] == "=" else 2].append(line[2:].strip())
        elif line.strip() and not line.startswith("#"):
            lines.append((line, [], []))
    return run, lines, cnt


def judge(said, wanted, unwanted):
    """What is wrong with an answer; None: nothing."""
    at = 0
    for text in wanted:
        found = said.find(text, at)
        if found < 0:
            return f"wanted '{text}'"
        at = found + len(text)
    return next((f"did not want '{text}'" for text in unwanted if text in said), None)


PROGRAMS = {"PROGRAM": "overlap", "TEXTURES": "textures"}


def compiled(cowarp, word, place):
    """A program of tests/cuda, with its kernels in it."""
    folder, libraries = pathlib.Path(__file__).resolve().parents[1] / "cuda", pathlib.Path(cowarp).parent / "cuda"
    sys.path.insert(0, str(folder))
    import fatbin  # noqa: PLC0415  (only these scenarios need it)
    image = pathlib.Path(place, "k.fatbin")
    image.write_bytes(fatbin.container(fatbin.image((folder / f"{PROGRAMS[word]}.ptx").read_text(encoding="utf-8"))))
    subprocess.run(["cc", "-std=gnu11", "-Wno-pointer-arith", f'-DFATBIN="{image}"', folder / f"{PROGRAMS[word]}.c", "-o", f"{place}/program",
                    libraries / "libcudart.so.12", f"-Wl,-rpath-link,{libraries}", "-pthread"], check=True)
    return f"{place}/program"


def carry_out(cowarp, path, types):
    """(name, what is wrong or None, how many scenarios, how many texts were looked for)."""
    run, lines, cnt = parts(path, types)
    wanted = sum(len(line[1]) + len(line[2]) for line in lines)
    if not run or not wanted:
        return path.name, "asks for nothing", cnt, 0
    with tempfile.TemporaryDirectory() as place:
        script = pathlib.Path(place) / "script"
        point = pathlib.Path(place) / "point"
        point.write_bytes(struct.pack("<fi3h2x", 0.5, 10, 4, 5, 6))
        run = [compiled(cowarp, word, place) if word in PROGRAMS else word.replace("POINT", str(point)) for word in run]
        script.write_text("".join(f"{line[0]}\nprint 70000 + {number}\n" for number, line in enumerate(lines)), encoding="utf-8")
        try:
            done = subprocess.run([cowarp, "debug", "-x", str(script), "--batch", "--keep-going", *run], cwd=path.parent, text=True, timeout=SECONDS,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        except subprocess.TimeoutExpired:
            return path.name, f"not over after {SECONDS} s", cnt, wanted
    rest = done.stdout
    for number, (command, looked_for, not_wanted) in enumerate(lines):
        said, mark, rest = rest.partition(f"(cowarp) print 70000 + {number}\n70000 + {number} = {70000 + number}\n")
        wrong = judge(said if mark or number == len(lines) - 1 else "", looked_for, not_wanted)
        if wrong:
            return path.name, f"behind '{command}': {wrong}; there was:\n{said[-1500:]}", cnt, wanted
    return path.name, None, cnt, wanted


# Runs whose counters must be the same when a debugger has stopped them, and has gone back in them.
SAME = [["ht-h", "--param", "blocks=20"], ["gpkvs", "--preset", "sbrp-near", "--persistency", "sbrp", "--param", "pairs=512", "--param", "buckets=1024"],
        ["bfs", "--param", "nodes=2048"], ["fcdt", "--preset", "thesis-tbc", "--set", "core.divergence=tbc"]]
WAY = ["catch block if core == 1", "continue", "step 3", "reverse-step", "cycle 500", "reverse-cycle 300", "reverse-continue", "delete", "continue", "continue"]


def counters(path):
    found = json.loads(path.read_text(encoding="utf-8"))
    return {name: value for name, value in found.items() if name in ("cycles", "counters", "check")}


def check_same(cowarp, words):
    """What is wrong; None: the counters are equal."""
    with tempfile.TemporaryDirectory() as place:
        plain, debugged, script = (pathlib.Path(place) / name for name in ("plain.json", "debugged.json", "script"))
        script.write_text("\n".join(WAY) + "\n", encoding="utf-8")
        subprocess.run([cowarp, "run", *words, "--quiet", "--stats", str(plain)], check=True, timeout=SECONDS)
        done = subprocess.run([cowarp, "debug", "-x", str(script), "--batch", "run", *words, "--quiet", "--stats", str(debugged)], text=True,
                              timeout=SECONDS, capture_output=True, check=False)
        if not debugged.is_file() or "stop 1:" not in done.stdout:
            return f"{words[0]}: the debugged run has left no statistics:\n{done.stdout}{done.stderr}"
        first, second = counters(plain), counters(debugged)
    differ = [name for name in first.get("counters", {}) if first["counters"][name] != second["counters"].get(name)]
    return None if first == second and first["cycles"] > 0 else f"{words[0]}: the debugged run has counted {', '.join(differ) or 'otherwise'}"


def check_input(cowarp):
    """What is wrong; None: commands come from standard input, and its end is the end."""
    done = subprocess.run([cowarp, "debug", "-x", "-", "run", "vecadd"], input="at 10\n", text=True, timeout=SECONDS, capture_output=True, check=False)
    wrong = done.returncode != 0 or done.stderr or "cycle 10, vecadd" not in done.stdout
    return f"status {done.returncode}: {done.stdout}{done.stderr}" if wrong else None


def check_interrupt(cowarp, folder):
    """A kernel that never ends, and one who comes to it, looks at it, and goes back. What is wrong; None: %r2 counts its turns, and a step more or back is
    in front of the same two instructions."""
    words = [cowarp, "debug", "-x", "-", "exec", str(folder / "more.ptx"), "--kernel", "forever", "--grid", "1", "--block", "32", "--set",
             "watchdog.livelock_cycles=4000000000"]
    run = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    run.stdin.write("continue\nbreak more.cu:80\ncontinue\nprint %r2 > 0\nreverse-step\nwhere\ninfo warps\n")
    run.stdin.close()
    said = ""
    while "(cowarp) continue" not in said and (line := run.stdout.readline()):
        said += line
    time.sleep(0.8)
    run.send_signal(signal.SIGINT)
    try:
        said += run.stdout.read()
        run.wait(SECONDS)
    finally:
        run.kill()
    return judge(said, ["interrupted", "stop 1: more.cu:80", "= 1", "bra AGAIN", "lanes 0-31"], ["error"]) and f"there was: {said}"


def vcd(place, name):
    """Names of signals, and the lines behind the header."""
    text = subprocess.run(["fst2vcd", name], cwd=place, capture_output=True, text=True, check=True).stdout
    head, _, changes = text.partition("$enddefinitions $end\n")
    names, scope = set(), []
    for words in map(str.split, head.splitlines()):
        if words[:1] == ["$scope"]:
            scope.append(words[2])
        elif words[:1] == ["$upscope"]:
            scope.pop()
        elif words[:1] == ["$var"]:
            names.add(".".join([*scope, "".join(words[4:-1])]))
    return names, changes


def check_wave(cowarp):
    """`wave here` shows what --wave shows of these cycles, and the place is the same behind it. What is wrong; None: nothing."""
    run = ["run", "ht-h", "--param", "blocks=4", "--unit", "validation_unit=rtl", "--quiet"]
    with tempfile.TemporaryDirectory() as place:
        script = pathlib.Path(place, "script")
        script.write_text("catch commit\ncontinue\nwave here 150 partition2.validation_unit\nwhere\nwave here 9 nothing\n", encoding="utf-8")
        done = subprocess.run([cowarp, "debug", "-x", script, "--batch", "--keep-going", *run], cwd=place, capture_output=True, text=True, timeout=SECONDS, check=False)
        cycle = int(done.stdout.partition("commits 4 words\ncycle ")[2].partition(",")[0] or 0)
        wrong = judge(done.stdout, [f"wave of the cycles {cycle - 150} to {cycle}", f"written cowarp-{cycle}.fst", "(cowarp) where", f"cycle {cycle},", "error: no unit is called nothing"], [])
        if wrong:
            return f"{wrong}; there was {done.stdout}{done.stderr}"
        subprocess.run([cowarp, *run, "--wave", "plain.fst", "--wave-window", f"{cycle - 150}:{cycle}"], cwd=place, timeout=SECONDS, check=True)
        (names, changes), (_, wanted) = vcd(place, f"cowarp-{cycle}.fst"), vcd(place, "plain.fst")
        view = pathlib.Path(place, f"cowarp-{cycle}.gtkw").read_text(encoding="utf-8").splitlines()
        shown = [line for line in view if "." in line and line[0] not in "[-@"]
        at = subprocess.run([cowarp, "debug", "-x", "-", "--at", str(cycle), *run], input="where\n", cwd=place, capture_output=True, text=True, timeout=SECONDS, check=False)
    if not wanted or not changes.startswith(wanted):
        return "it shows other changes than --wave"
    if len(shown) < 20 or (missing := [name for name in shown if name not in names]):
        return f"the view has {len(shown)} signals, of which the file has not {missing[:3]}"
    return judge(at.stdout, [f"cycle {cycle},", "(cowarp) where", f"cycle {cycle},"], [])


def check_opened(cowarp):
    """On a terminal with a display GTKWave gets wave and view. What is wrong; None: nothing."""
    with tempfile.TemporaryDirectory() as place:
        fake, mine, other = pathlib.Path(place, "gtkwave"), *pty.openpty()
        fake.write_text('#!/bin/sh\necho "$@" > opened\n', encoding="utf-8")
        fake.chmod(0o755)
        run = subprocess.Popen([cowarp, "debug", "run", "vecadd", "--quiet"], stdin=other, stdout=other, stderr=other, cwd=place,
                               env=os.environ | {"DISPLAY": ":0", "PATH": f"{place}:{os.environ['PATH']}", "TERM": "dumb"})
        os.close(other)
        os.write(mine, b"at 300\nwave here 100\nquit\n")
        said = b""
        try:
            while piece := os.read(mine, 65536):
                said += piece
        except OSError:  # the terminal has gone with its last process
            pass
        run.wait(SECONDS)
        os.close(mine)
        opened = pathlib.Path(place, "opened")
        for _ in range(100):
            if opened.is_file() and opened.stat().st_size:
                break
            time.sleep(0.05)
        words = opened.read_text(encoding="utf-8").split() if opened.is_file() else []
        there = [pathlib.Path(place, word).is_file() for word in words]
    return None if there == [True, True] and [pathlib.Path(word).suffix for word in words] == [".fst", ".gtkw"] else f"GTKWave got {words}; there was {said.decode()}"


def main():
    cowarp, folder, names = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
    types = (folder / "types.ptx", pathlib.Path(cowarp).parent / "types_clang.ptx")
    scenarios = [path for path in sorted(folder.glob("*.cwd")) if not names or path.stem in names]
    runs = [(path, file) for path in scenarios for file in (types if " TYPES " in path.read_text(encoding="utf-8") else types[:1])]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda run: carry_out(cowarp, *run), runs))
        same = list(pool.map(lambda words: check_same(cowarp, words), SAME if not names else []))
    bad = [result[:2] for result in results if result[1]]
    bad += [("same counters", wrong) for wrong in same if wrong]
    bad += [("standard input", wrong) for wrong in [check_input(cowarp)] if wrong]
    bad += [("interrupt", wrong) for wrong in [None if names else check_interrupt(cowarp, folder)] if wrong]
    bad += [("wave here", wrong) for wrong in [check_wave(cowarp), check_opened(cowarp)] if wrong] if not names else []
    for name, wrong in bad:
        print(f"{name}: {wrong}")
    print(f"{sum(result[2] for result in results) + (0 if names else 3)} scenarios, {sum(result[3] for result in results)} texts looked for, {len(same)} runs compared, {len(bad)} wrong")
    return 1 if bad or not results else 0


if __name__ == "__main__":
    sys.exit(main())
