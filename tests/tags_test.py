#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/tags.py notices what it is there for: a small tree passes, and fails with each of some second definitions added."""
import pathlib
import subprocess
import sys
import tempfile

GOOD = {
    "csim/mem/dram.h": "struct cw_dram;\nstruct bank {\n    int row;\n};\n",
    "csim/mem/dram.c": "struct cw_dram {\n    struct bank bank;\n};\n/* struct cw_dram { is not this */\nstruct entry {\n    int x;\n};\n",
    "csim/unit/hazard_unit.c": "struct entry {\n    int y;\n};\nstruct cw_dram *of(struct bank *b);\n",
    "include/cowarp/gpu.h": "enum cw_kind { CW_ONE };\n",
    "harness/systemc/target.h": "class target {\n    struct request {\n        int id;\n    };\n};\n",
    "harness/cli/exec.c": "struct request {\n    int id;\n};\n",
}
# file, its text, what tags.py has to say
BAD = [
    ("csim/core/core.c", "\nstruct cw_dram {\n    int z;\n};\n", "csim/mem/dram.c:1: a second definition of cw_dram, which csim/core/core.c:2 defines"),
    ("csim/core/core.c", "struct bank {\n    int z;\n};\n", "csim/mem/dram.h:2: a second definition of bank"),
    ("harness/api/gpu.c", "enum cw_kind { CW_TWO };\n", "include/cowarp/gpu.h:1: a second definition of cw_kind"),
    ("harness/api/gpu.c", "typedef union cw_kind {\n    int i;\n} kind;\n", "a second definition of cw_kind"),
]


def run(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("tags.py"), folder], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


def main():
    failed = 0
    status, text = run(GOOD)
    if status != 0:
        failed += 1
        print(f"a good tree is refused: {text}")
    for name, content, wanted in BAD:
        status, text = run({**GOOD, name: content})
        if status != 1 or wanted not in text:
            failed += 1
            print(f"{name}: exit status {status}, expected '{wanted}' in: {text}")
    print(f"{1 + len(BAD)} trees checked, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
