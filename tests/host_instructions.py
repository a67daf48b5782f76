#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Host speed as a limit that only goes down: instructions of short runs, which, unlike seconds, do not depend on what else a machine does.

    host_instructions.py COWARP [--build readme|other]
                                           counts; exit status 1 when a run takes more than its limit, or so much less that the file is to say so
    host_instructions.py COWARP --lower    writes lower limits into tests/host_instructions.txt; a limit is raised by hand, with a reason

Many changes of a few percent each add up, and each passes a test of seconds. valgrind counts; without it, on a processor without AVX2, whose
micro-operations are other code, or for another build than README's, the exit status is 77."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FILE = pathlib.Path(__file__).resolve().with_suffix(".txt")
UNIT = 100_000
ABOVE, BELOW = 1.01, 0.97  # of a limit: what another processor's C library moves, and what is worth an edit of the file


def instructions(cowarp, words):
    with tempfile.TemporaryDirectory() as place:
        command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", cowarp, "run", *words]
        done = subprocess.run(command, cwd=place, env={"PATH": "/usr/bin:/bin", "COWARP_CACHE": place}, capture_output=True, text=True, check=False)
    found = re.search(r"I +refs: +([\d,]+)", done.stderr)
    if done.returncode != 0 or found is None:
        sys.exit(f"{' '.join(words)}: exit status {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")
    return int(found.group(1).replace(",", ""))


def judged(limit, count, words):
    """None, or what is wrong."""
    if count > limit * UNIT * ABOVE:
        return f"{words}: {count:,} host instructions, of at most {limit * UNIT:,}: what the change costs is to be won elsewhere"
    if count < limit * UNIT * BELOW:
        return f"{words}: {count:,} host instructions; 'tests/host_instructions.py build/cowarp --lower' lowers the limit of {limit * UNIT:,}"
    return None


def main():
    cowarp, lower = str(pathlib.Path(sys.argv[1]).resolve()), "--lower" in sys.argv[2:]
    if "other" in sys.argv[2:] or shutil.which("valgrind") is None or "avx2" not in pathlib.Path("/proc/cpuinfo").read_text():
        print("no build as README's, no valgrind, or no AVX2: nothing is counted")
        return 77
    lines, wrong = FILE.read_text().splitlines(), []
    for at, line in enumerate(lines):
        if line.startswith("#"):
            continue
        limit, words = line.split(maxsplit=1)
        count = instructions(cowarp, words.split())
        print(f"{count:>13,}  {count / UNIT / int(limit):.3f} of the limit  {words}", flush=True)
        if lower and count < int(limit) * UNIT:
            lines[at] = f"{-(-count // UNIT)} {words}"
        elif (why := judged(int(limit), count, words)) is not None:
            wrong.append(why)
    if lower:
        FILE.write_text("\n".join(lines) + "\n")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
