#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/privacy.py notices what it is there for: a small source tree passes, and fails with each of some ways to another component's state.
Usage: privacy_test.py COMPILER"""
import pathlib
import subprocess
import sys
import tempfile

GOOD = {
    "core/core.h": "#pragma once\nstruct core;\nint core_cycle(const struct core *c);\n",
    "core/core_state.h": '/* State. Private to: core.c,\n * lsu.c, l1.c. */\n#pragma once\n#include "core/core.h"\n#include "core/l1.h"\nstruct core {\n    int cycle;\n};\n',
    "core/l1.h": "/*\n * Lines.\n *\n * Private to: l1.c, core_state.h.\n */\n#pragma once\nstruct l1 {\n    int line;\n};\n",
    "core/core.c": '#include "core/core_state.h"\nint core_cycle(const struct core *c) { return c->cycle; }\n',
    "core/lsu.c": '#include "core/core_state.h"\nint lsu(struct core *c) { return c->cycle; }\n',
    "core/l1.c": '#include "core/core_state.h"\n#include "core/l1.h"\nint l1(struct l1 *l) { return l->line; }\n',
    "core/warps/warps.h": "#pragma once\nstruct warps {\n    int now;\n};\n",
    "core/warps/ready.c": '#include "core/warps/warps.h"\nint ready(struct warps *w) { return w->now; }\n',
    "mech/x/x.c": '#include "core/core.h"\nint x(struct core *c) { return core_cycle(c); }\n',
}
REACH = "int x(struct core *c) { return c->cycle = 0; }\n"
STATE = "struct half {\n    int state;\n};\n"
# file, its text, what privacy.py has to say
BAD = [
    ("mech/x/x.c", '#include "core/core_state.h"\n' + REACH, "csim/mech/x/x.c includes core/core_state.h, which is private to core.c, lsu.c, l1.c"),
    ("core/pipe.c", '#include "core/core_state.h"\n' + REACH, "csim/core/pipe.c includes core/core_state.h"),
    ("mech/x/x.c", '#include "../../core/core_state.h"\n' + REACH, "csim/mech/x/x.c includes core/core_state.h"),
    # not seen in the text, but by the compiler
    ("mech/x/x.c", '#define WHERE "core/core_state.h"\n#include WHERE\n' + REACH, "csim/mech/x/x.c:1"),
    ("mech/x/x.c", '#include "core/core.h"\n' + REACH, "csim/mech/x/x.c:2"),
    ("mech/x/x.c", '#define WHERE "core/warps/warps.h"\n#include WHERE\nint x(struct warps *w) { return w->now; }\n', "csim/mech/x/x.c:1"),
    ("core/lsu.c", "int lsu(void);\n", "csim/core/core_state.h is private to lsu.c, which does not include it"),
    ("core/l1.h", "/* Private to: l2.c, core_state.h. */\n" + GOOD["core/l1.h"].split("*/\n")[1], "csim/core/l1.h is private to l2.c, which is not there"),
    ("core/l1.h", "/* Private to: core.h. */\n", "csim/core/l1.h is private to core.h, which is not private itself"),
    ("core/l1.h", "/* Private to the core */\n", "csim/core/l1.h: 'Private to' is not of the form"),
    ("mech/x/x_private.h", STATE, "csim/mech/x/x_private.h has no line"),
    ("mech/x/x_state.h", STATE, "csim/mech/x/x_state.h has no line"),
    ("mech/x/half.h", STATE + "struct other;\n", None),
    ("mech/x/both.h", "struct half;\n", None),
]
# A part of the core's state, its struct and a file that touches it.
PART = {
    "core/pipe.h": "/* Accesses.\n *\n * Fields: lsu.c. Private to: core_state.h. */\n#pragma once\nstruct pipe {\n    int cnt;\n};\n",
    "core/core_state.h": GOOD["core/core_state.h"].replace('#include "core/l1.h"\n', '#include "core/l1.h"\n#include "core/pipe.h"\n')
                         .replace("    int cycle;\n", "    int cycle;\n    struct pipe pipe;\n"),
    "core/lsu.c": '#include "core/core_state.h"\nint lsu(struct core *c) { return c->pipe.cnt; }\n',
}
TOUCH = '#include "core/core_state.h"\nint core_cycle(const struct core *c) { return c->pipe.cnt; }\n'
ALIAS = '#include "core/core_state.h"\nint core_cycle(struct core *c) { struct pipe *p = &c->pipe; return p->cnt; }\n'
CROWD = {f"mech/x/x{i}.c": '#include "mech/x/x_private.h"\nint x;\n' for i in range(11)}
CROWD["mech/x/x_private.h"] = "/* Private to: *.c. */\n#pragma once\nint y;\n"
# Two files: a struct of which another header shows the name only.
HALVES = {"mech/x/both.h": "struct half;\n", "mech/x/half.h": STATE}


def run(files):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "include").mkdir()
        for name, text in files.items():
            path = pathlib.Path(folder) / "csim" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        command = [sys.executable, pathlib.Path(__file__).with_name("privacy.py"), folder, *sys.argv[1:2]]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


def main():
    failed = 0
    cases = [({**GOOD, name: text}, wanted) for name, text, wanted in BAD]
    cases += [({**GOOD, **PART}, None),
              ({**GOOD, **PART, "core/core.c": TOUCH}, "csim/core/core.c touches fields of core/pipe.h, which are those of lsu.c"),
              ({**GOOD, **PART, "core/core.c": ALIAS}, "csim/core/core.c touches fields of core/pipe.h, which are those of lsu.c"),
              ({**GOOD, **PART, "core/lsu.c": GOOD["core/lsu.c"]}, "csim/core/pipe.h names lsu.c, which touches no field of it"),
              ({**GOOD, "core/pipe.h": PART["core/pipe.h"]}, "csim/core/pipe.h: no struct of it is a member"),
              ({**GOOD, **CROWD}, "csim/mech/x/x_private.h has 11 readers, more than 10")]
    cases += [(GOOD, None), ({**GOOD, **HALVES}, "csim/mech/x/half.h defines struct half, of which both.h shows only the name")]
    for files, wanted in cases:
        status, text = run(files)
        if status != (wanted is not None) or (wanted is not None and wanted not in text):
            failed += 1
            print(f"exit status {status}, expected '{wanted or 'no error'}' in: {text}")
    print(f"{len(cases)} trees checked, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
