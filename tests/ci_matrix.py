#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rows of .ci/matrix.json can be carried out: ci_matrix.py SOURCE_DIR. What they build and test is not tried here."""
import json
import pathlib
import subprocess
import sys

KEYS = {"name", "image", "cc", "cxx", "preset", "tests"}


def main(root):
    rows = json.loads((root / ".ci/matrix.json").read_text())["rows"]
    presets = {preset["name"] for preset in json.loads((root / "CMakePresets.json").read_text())["configurePresets"]}
    tiers = {"quick", "landing"}
    for row in rows:
        assert set(row) == KEYS, f"{row}: not exactly {sorted(KEYS)}"
        assert row["preset"] in presets and row["tests"] in tiers, row
        assert not any(" " in word for word in row.values()), f"{row}: the script reads words"
    listed = subprocess.run([root / ".ci/matrix"], capture_output=True, text=True, check=True).stdout.split()
    assert listed == [row[key] for row in rows for key in ("name", "image", "cc", "cxx", "preset", "tests")], listed
    wrong = subprocess.run([root / ".ci/matrix", "nothing"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2 and "no row 'nothing'" in wrong.stderr, wrong
    assert len({row["name"] for row in rows}) == len(rows) > 1
    print(f"{len(rows)} rows")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
