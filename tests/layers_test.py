#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/layers.py notices what it is there for: a small source tree passes, and fails with each of some forbidden includes added."""
import pathlib
import subprocess
import sys
import tempfile

LICENCE = "/* SPDX-License-Identifier: Apache-2.0 */\n"
GOOD = {
    "csim/mem/device_memory.h": "",
    "csim/mem/device_memory_private.h": '#include "mem/device_memory.h"\n',
    "csim/mem/l2.c": '#include "mem/device_memory_private.h"\n',
    "csim/gpu/gpu.c": '#include "mem/device_memory.h"\n',
    "harness/api/gpu.c": '#include "mem/device_memory.h"\n',
}
PRIVATE = '#include "mem/device_memory_private.h"\n'
# file, its text, what layers.py has to say
BAD = [
    ("csim/core/lsu.c", PRIVATE, "csim/core/lsu.c:2: mem/device_memory_private.h is private to csim/mem"),
    ("csim/check/serial.c", PRIVATE, "csim/check/serial.c:2: mem/device_memory_private.h is private to csim/mem"),
    ("harness/api/launch.c", PRIVATE, "harness/api/launch.c:2: mem/device_memory_private.h is private to csim/mem"),
    ("csim/gpu/launch.c", '#include "../mem/device_memory_private.h"\n', "is private to csim/mem"),
    ("csim/mem/dram.c", '#include "gpu/gpu.h"\n', "csim/mem/dram.c:2: layer mem looks up at gpu"),
]


def run(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(LICENCE + text)
        layers = pathlib.Path(__file__).with_name("layers.py")
        done = subprocess.run([sys.executable, layers, folder], capture_output=True, text=True)
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
            print(f"{name} with {content.strip()}: exit status {status}, expected '{wanted}' in: {text}")
    print(f"{1 + len(BAD)} trees checked, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
