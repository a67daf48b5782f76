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
    "csim/core/core.h": "",
    "csim/core/l1.h": "/* Lines. Private to: l1.c, core_state.h. */\n",
    "csim/core/core_state.h": '#include "core/core.h"\n#include "core/l1.h"\n',
    "csim/core/other.h": "/* Nobody knows; nobody else includes this. */\n",
    "csim/core/warps/warps.h": "",
    "csim/core/cache/cache.h": '#include "core/warps/warps.h"\n',
    "csim/core/core.c": '#include "core/cache/cache.h"\n',
    "csim/base/error.h": "",
    "csim/base/config.h": "",
    "include/cowarp/cowarp.h": "",
    "harness/api/gpu.c": '#include "mem/device_memory.h"\n',
    "harness/file/out_file.h": '#include "base/error.h"\n',
    "harness/rtl/lockstep.h": "",
    "harness/wave/wave.h": '#include "rtl/lockstep.h"\n#include "gpu/gpu.h"\n',
    "harness/cli/cli.h": '#include "cowarp/cowarp.h"\n',
    "harness/cli/run.c": '#include "cli.h"\n#include "file/out_file.h"\n',
}
PRIVATE = '#include "mem/device_memory_private.h"\n'
# file, its text, what layers.py has to say
BAD = [
    ("csim/core/lsu.c", PRIVATE, "csim/core/lsu.c:2: mem/device_memory_private.h is private to csim/mem"),
    ("csim/check/serial.c", PRIVATE, "csim/check/serial.c:2: mem/device_memory_private.h is private to csim/mem"),
    ("harness/api/launch.c", PRIVATE, "harness/api/launch.c:2: mem/device_memory_private.h is private to csim/mem"),
    ("csim/core/warps/ready.c", '#include "core/cache/cache.h"\n', "csim/core/warps/ready.c:2: core/cache/cache.h is of a floor"),
    ("csim/gpu/gpu.c", '#include "core/warps/warps.h"\n', "csim/gpu/gpu.c:2: core/warps/warps.h is of a floor"),
    ("harness/wave/wave.c", '#include "core/warps/warps.h"\n', "harness/wave/wave.c:2: core/warps/warps.h is of a floor"),
    ("csim/gpu/launch.c", '#include "../mem/device_memory_private.h"\n', "is private to csim/mem"),
    ("csim/gpu/gpu.c", '#include "core/core_state.h"\n', "csim/gpu/gpu.c:2: core/core_state.h is private to csim/core"),
    ("csim/gpu/gpu.c", '#include "core/l1.h"\n', "csim/gpu/gpu.c:2: core/l1.h is private to csim/core"),
    ("csim/gpu/gpu.c", '#include "core/other.h"\n', "csim/gpu/gpu.c:2: core/other.h is private to csim/core"),
    ("harness/wave/wave.c", '#include "core/core_state.h"\n', "harness/wave/wave.c:2: core/core_state.h is private to csim/core"),
    ("harness/wave/wave.c", '#include "ir/module.h"\n', "harness/wave/wave.c:2: harness/wave may not use csim/ir: ir/module.h"),
    ("harness/rtl/rtl.c", '#include "gpu/gpu.h"\n', "harness/rtl/rtl.c:2: harness/rtl may not use csim/gpu: gpu/gpu.h"),
    ("harness/play/play.c", '#include "gpu/gpu.h"\n', "harness/play/play.c:2: harness/play may not use csim/gpu: gpu/gpu.h"),
    ("harness/api/gpu.c", '#include "core/core.h"\n', "harness/api/gpu.c:2: harness/api may not use csim/core: core/core.h"),
    ("harness/rtl/rtl.c", '#include "wave/wave.h"\n', "harness/rtl/rtl.c:2: harness/rtl may not use harness/wave: wave/wave.h"),
    ("harness/cli/run.c", '#include "base/config.h"\n', "harness/cli/run.c:2: harness/cli may not use csim/base: base/config.h"),
    ("harness/cli/run.c", '#include "wave/wave.h"\n', "harness/cli/run.c:2: harness/cli may not use harness/wave: wave/wave.h"),
    ("harness/cli/run.c", '#include "../../csim/base/config.h"\n', "goes around the layers"),
    ("harness/file/out_file.h", '#include "base/config.h"\n', "harness/cli/run.c:1: sees csim/base/config.h through file/out_file.h"),
    ("harness/new/new.c", "int x;\n", "harness/new is not in the list"),
    ("include/cowarp/unit.h", '#include "base/error.h"\n', "a public header includes base/error.h"),
    ("kernels/a/host.c", '#include "base/error.h"\n', "a workload uses the public API alone"),
    ("csim/core/lsu.c", '#include "ptx/ptx.h"\n', "csim/core/lsu.c:2: layer core may not know the front end ptx"),
    ("csim/ir/cfg.c", '#include "ptx/ptx.h"\n', "csim/ir/cfg.c:2: layer ir may not know the front end ptx"),
    ("csim/ptx/load.c", '#include "mem/device_memory.h"\n', "csim/ptx/load.c:2: front end ptx may not use mem"),
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
