#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/file_order.py notices what it is there for: a small tree with its object files passes, and fails with each of some calls added."""
import pathlib
import subprocess
import sys
import tempfile

LIST = "From top to bottom.\n\n- `{}.c`: all\n- `{}.c`: all\n"
GOOD = {
    "csim/base/README.md": LIST.format("config", "error"),
    "csim/base/config.c": "void error_f(void); void config_f(void) { error_f(); }",
    "csim/base/error.c": "void error_f(void) {}",
    "csim/core/README.md": "From top to bottom.\n\n- `core.c`: all\n",
    "csim/core/core.c": "void line_f(void); void core_f(void) { line_f(); }",
    "csim/core/cache/README.md": "From top to bottom.\n\n- `line.c`: all\n",
    "csim/core/cache/line.c": "void ready_f(void); void line_f(void) { ready_f(); }",
    "csim/core/warps/README.md": "From top to bottom.\n\n- `ready.c`: all\n",
    "csim/core/warps/ready.c": "void ready_f(void) {}",
    "csim/mech/README.md": LIST.format("mech", "list"),
    "csim/mech/mech.c": "void config_f(void); void mech_f(void) { config_f(); }",
    "csim/mech/list.c": "void list_f(void) {}",
    "csim/ptx/README.md": LIST.format("load", "lex"),
    "csim/ptx/load.c": "void lex_f(void); void error_f(void); void load_f(void) { lex_f(); error_f(); }",
    "csim/ptx/lex.c": "void lex_f(void) {}",
    "csim/program.c": "void mech_f(void); void (*program)(void) = mech_f;",
    "harness/cli/README.md": LIST.format("main", "run"),
    "harness/cli/main.c": "void run_f(void); int main(void) { run_f(); return 0; }",
    "harness/cli/run.c": "void run_f(void) {}",
}
# file, its text, what file_order.py has to say
BAD = [
    ("csim/base/error.c", "void config_f(void); void error_f(void) { config_f(); }", "csim/base/error.c calls config_f of csim/base/config.c, which is above it"),
    ("csim/base/error.c", "void mech_f(void); void error_f(void) { mech_f(); }", "csim/base/error.c uses mech_f of csim/mech, which is not below it"),
    ("csim/core/warps/ready.c", "void line_f(void); void ready_f(void) { line_f(); }",
     "csim/core/warps/ready.c uses line_f of csim/core/cache/line.c, a floor above it"),
    ("csim/core/cache/line.c", "void core_f(void); void line_f(void) { core_f(); }", "csim/core/cache/line.c uses core_f of csim/core/core.c, a floor above it"),
    ("csim/mech/list.c", "void load_f(void); void list_f(void) { load_f(); }", "csim/mech/list.c uses load_f of csim/ptx, which is not below it"),
    ("csim/ptx/lex.c", "void list_f(void); void lex_f(void) { list_f(); }", "csim/ptx/lex.c uses list_f of csim/mech, which is not below it"),
    ("harness/cli/run.c", "void config_f(void); void run_f(void) { config_f(); }", "harness/cli/run.c calls config_f of csim/base, which tests/layers.py does not name for it"),
    ("csim/base/other.c", "void other_f(void) {}", "csim/base/README.md does not list other.c"),
]


def run(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            if path.suffix == ".c":
                target = root / "build/CMakeFiles/all.dir" / (name + ".o")
                target.parent.mkdir(parents=True, exist_ok=True)
                subprocess.run(["cc", "-c", path, "-o", target], check=True)
        order = pathlib.Path(__file__).with_name("file_order.py")
        done = subprocess.run([sys.executable, order, root, root / "build"], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


def main():
    failed = 0
    status, text = run(GOOD)
    if status != 0:
        failed += 1
        print(f"a good tree is refused:\n{text}")
    for name, source, says in BAD:
        status, text = run({**GOOD, name: source})
        if status != 1 or says not in text:
            failed += 1
            print(f"{name}: status {status}, expected 1 and \"{says}\"\n{text}")
    print(f"{1 + len(BAD)} trees checked, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
