#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The debugger's scenarios, tests/debug/*.cwd. A scenario is a script of `cowarp debug` with what must be seen:

    #: exec KERNELS --kernel diverge ...    the run: the words behind `cowarp debug`
    break 27                                a command
    #= lanes 1,3,5                          this text is in what it has said; several lines are looked for one behind the other
    #! error                                and this is not

Other comments say why it must be so: by the kernel's text, never by what the debugger has said once.

Usage: debug_test.py COWARP FOLDER [NAME ...]"""
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

SECONDS = 60


def parts(path):
    """The run's words, the script's lines, and of each line what is wanted and what is not."""
    run, lines = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#:"):
            run += line[2:].replace("KERNELS", str(path.parent / "kernels.ptx")).replace("SCRIPT", str(path.parent / "two.script")).split()
        elif line.startswith(("#=", "#!")):
            lines[-1][1 if line[1] == "=" else 2].append(line[2:].strip())
        elif line.strip() and not line.startswith("#"):
            lines.append((line, [], []))
    return run, lines


def judge(said, wanted, unwanted):
    """What is wrong with an answer; None: nothing."""
    at = 0
    for text in wanted:
        found = said.find(text, at)
        if found < 0:
            return f"wanted '{text}'"
        at = found + len(text)
    return next((f"did not want '{text}'" for text in unwanted if text in said), None)


def carry_out(cowarp, path):
    """(name, what is wrong or None, how many texts were looked for)."""
    run, lines = parts(path)
    wanted = sum(len(line[1]) + len(line[2]) for line in lines)
    if not run or not wanted:
        return path.name, "asks for nothing", 0
    with tempfile.TemporaryDirectory() as place:
        script = pathlib.Path(place) / "script"
        script.write_text("".join(f"{line[0]}\nprint 70000 + {number}\n" for number, line in enumerate(lines)), encoding="utf-8")
        try:
            done = subprocess.run([cowarp, "debug", "-x", str(script), "--batch", "--keep-going", *run], cwd=path.parent, text=True, timeout=SECONDS,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        except subprocess.TimeoutExpired:
            return path.name, f"not over after {SECONDS} s", wanted
    rest = done.stdout
    for number, (command, looked_for, not_wanted) in enumerate(lines):
        said, mark, rest = rest.partition(f"(cowarp) print 70000 + {number}\n70000 + {number} = {70000 + number}\n")
        wrong = judge(said if mark or number == len(lines) - 1 else "", looked_for, not_wanted)
        if wrong:
            return path.name, f"behind '{command}': {wrong}; there was:\n{said[-1500:]}", wanted
    return path.name, None, wanted


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


def main():
    cowarp, folder, names = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
    scenarios = [path for path in sorted(folder.glob("*.cwd")) if not names or path.stem in names]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda path: carry_out(cowarp, path), scenarios))
        same = list(pool.map(lambda words: check_same(cowarp, words), SAME if not names else []))
    bad = [result for result in results if result[1]]
    bad += [("same counters", wrong, 0) for wrong in same if wrong]
    bad += [("standard input", wrong, 0) for wrong in [check_input(cowarp)] if wrong]
    for name, wrong, _ in bad:
        print(f"{name}: {wrong}")
    print(f"{len(results)} scenarios, {sum(result[2] for result in results)} texts looked for, {len(same)} runs compared, {len(bad)} wrong")
    return 1 if bad or not results else 0


if __name__ == "__main__":
    sys.exit(main())
