#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cprog.py tells a wrong word, and its journal goes on where a campaign was: cprog_test.py BUILD/cowarp.

The machine is cowarp behind a script that changes a bit of the first program's words as long as a file is there.
"""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MACHINE = """#!/bin/sh
{cowarp} "$@" || exit
[ ! -e {folder}/wrong ] || printf '\\001' | dd of=out.bin bs=1 conv=notrunc status=none seek=12
echo run >> {folder}/runs
"""


def main():
    cowarp = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        machine, wrong, runs, journal = folder / "machine", folder / "wrong", folder / "runs", folder / "journal"
        machine.write_text(MACHINE.format(cowarp=cowarp, folder=folder))
        machine.chmod(0o755)

        def cprog(*more):
            done = subprocess.run([sys.executable, HERE / "cprog.py", machine, "--kind", "own", "--seeds", "1:5", "--batch", "2", "--levels", "O0",
                                   "--modes", "functional", "--journal", journal, *more], capture_output=True, text=True)
            ran = runs.read_text().count("run") if runs.exists() else 0
            runs.unlink(missing_ok=True)
            return done.returncode, ran, done.stdout.splitlines() + done.stderr.splitlines()

        def expect(what, got, status, ran, last):
            if got[0] != status or got[1] != ran or not got[2] or got[2][-1] != last:
                print(f"FAILED: {what}: status {got[0]}, not {status}; {got[1]} batches ran, not {ran}; {got[2][-3:]}, not {last!r}")
                sys.exit(1)

        # The program's words are four bytes each; word 3 gets another first byte, unless it is 1 by chance, which these seeds' words are not.
        wrong.touch()
        got = cprog()
        expect("a wrong word", got, 1, 2, "4 programs, 4 runs of them, 2 wrong")
        if not got[2][0].startswith("own seed 1, O0, functional: word 3 is ") or "--seeds 3:4" not in got[2][3]:
            print(f"FAILED: the lines do not name the programs: {got[2]}")
            return 1
        wrong.unlink()
        expect("batches with a difference run again", cprog(), 0, 2, "4 programs, 4 runs of them, 0 wrong")
        expect("what is done is not done again", cprog(), 0, 0, "4 programs, 4 runs of them, 0 wrong; 4 of them were done before")
        lines = journal.read_text().splitlines()
        journal.write_text("\n".join(lines[:2]) + "\n" + lines[2][:-2])
        expect("a line that was cut off", cprog(), 0, 1, "4 programs, 4 runs of them, 0 wrong; 2 of them were done before")
        machine.write_text(machine.read_text() + "# another one\n")
        expect("another machine", cprog(), 0, 2, "4 programs, 4 runs of them, 0 wrong")
        expect("other options", cprog("--microseconds", "4000"), 0, 2, "4 programs, 4 runs of them, 0 wrong")
        got = cprog("--seeds", "302341:302342", "--levels", "O2")
        if got[2] != ["own seed 302341 is passed over: O2: clang-14 makes a shift by 31 or 15 bits a negative product", "1 programs, 1 runs of them, 0 wrong"]:
            print(f"FAILED: a mistake of the compiler is not known: {got[2]}")
            return 1
    print("7 campaigns")
    return 0


if __name__ == "__main__":
    sys.exit(main())
