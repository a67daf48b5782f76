#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The form of commits: `area: Imperative`, at most 72 characters, no full stop; then an empty line, and a body that says why.

    commits.py SOURCE_DIR       commits since the last one that changed this file, at most the newest 50

Merges are passed over; so is a copy without that history. Exit status 1 names each commit that differs.
"""
import re
import subprocess
import sys

SUBJECT = re.compile(r"[a-z0-9_.+-]+(?:, [a-z0-9_.+-]+)*: [A-Z\d`'\"][^\n]*[^.\n]")
WIDEST, NEWEST = 72, 50


def git(root, *words):
    done = subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def wrong(subject, body):
    if len(subject) > WIDEST:
        return f"{len(subject)} characters of at most {WIDEST}"
    if not SUBJECT.fullmatch(subject):
        return "is not `area: Imperative` without a full stop"
    return None if body.strip() else "has no body that says why"


def main():
    root = sys.argv[1]
    first = git(root, "log", "-1", "--format=%h", "--", "tests/commits.py")
    log = git(root, "log", "--no-merges", f"-{NEWEST}", "--format=%h%x00%s%x00%b%x01", f"{first.split()[-1]}..HEAD") if first else None
    if log is None:
        print("no history of this file here: nothing to check")
        return 0
    rows = [entry.strip("\n").split("\0") for entry in log.split("\1") if entry.strip()]
    faults = [f"{name} '{subject}': {fault}" for name, subject, body in rows if (fault := wrong(subject, body))]
    print("\n".join(faults) or f"{len(rows)} commits in form")
    return bool(faults)


if __name__ == "__main__":
    assert wrong("core: Issue once.", "why") and wrong("Core issue", "why") and wrong("core: Issue", " ") and not wrong("core: Issue once", "why")
    sys.exit(main())
