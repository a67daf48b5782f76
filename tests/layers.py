#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layers only look down: checks every #include of csim, include, harness and kernels against the order of layers, that a header
*_private.h is included in its own folder only, and that each source file begins with its licence line. Usage: layers.py SOURCE_DIR"""
import pathlib
import re
import sys

# A folder may include from itself and from folders earlier in the list.
CSIM_ORDER = ["base", "ptx", "exec", "unit", "event", "msg", "mem", "control", "core", "adapt", "mech", "check", "gpu"]
HARNESS_ORDER = ["file", "rtl", "wave", "play", "api", "cli"]


def includes(path):
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
        if match:
            yield number, match.group(1)


def foreign_private(root):
    """A private header is its folder's own: csim/mem/device_memory_private.h, for one, is the only way to the bytes of device memory."""
    bad, owners = [], {}
    for top in ("csim", "harness"):
        for path in (root / top).rglob("*_private.h"):
            owners[f"{path.parent.name}/{path.name}"] = path.parent
    for top in ("csim", "harness", "include", "kernels"):
        for path in sorted((root / top).rglob("*.[ch]*")):
            for number, name in includes(path):
                owner = owners.get("/".join(name.split("/")[-2:]))
                if owner is not None and owner != path.parent:
                    bad.append(f"{path.relative_to(root)}:{number}: {name} is private to {owner.relative_to(root)}")
    return bad


def main():
    root = pathlib.Path(sys.argv[1])
    bad, seen = foreign_private(root), 0
    for path in sorted((root / "csim").rglob("*.[ch]")):
        layer = path.relative_to(root / "csim").parts[0]
        for number, name in includes(path):
            seen += 1
            target = name.split("/")[0]
            if target in ("cowarp",):
                continue
            if target not in CSIM_ORDER:
                if "/" in name:
                    bad.append(f"{path.relative_to(root)}:{number}: csim may not include {name}")
                continue
            if CSIM_ORDER.index(target) > CSIM_ORDER.index(layer):
                bad.append(f"{path.relative_to(root)}:{number}: layer {layer} looks up at {target}")
    for path in sorted((root / "harness").rglob("*.[ch]*")):
        layer = path.relative_to(root / "harness").parts[0]
        for number, name in includes(path):
            seen += 1
            target = name.split("/")[0] if "/" in name else layer
            if target == "..":
                bad.append(f"{path.relative_to(root)}:{number}: {name} goes around the layers")
            elif {layer, target} <= set(HARNESS_ORDER) and HARNESS_ORDER.index(target) > HARNESS_ORDER.index(layer):
                bad.append(f"{path.relative_to(root)}:{number}: harness/{layer} looks up at {name}")
    for path in sorted((root / "include").rglob("*.h")):
        for number, name in includes(path):
            seen += 1
            if not name.startswith("cowarp/"):
                bad.append(f"{path.relative_to(root)}:{number}: a public header includes {name}")
    for path in sorted((root / "kernels").rglob("*.[ch]")):
        for number, name in includes(path):
            seen += 1
            own = "/" not in name and (path.parent / name).is_file()
            if not (name.startswith("cowarp/") or name == "../host.h" or own):
                bad.append(f"{path.relative_to(root)}:{number}: a workload uses the public API alone, not {name}")
    for pattern in ("*.c", "*.h", "*.cpp", "*.v", "*.cl", "*.py", "*.def", "*.cmake", "*.sh", "*.ptx", "*.cpp.in"):
        for path in sorted(root.rglob(pattern)):
            parts = path.relative_to(root).parts
            if parts[0].startswith("build") or "corpus" in parts or parts[0] == ".git":
                continue
            if "SPDX-License-Identifier: Apache-2.0" not in "".join(path.open(errors="replace").readlines()[:4]):
                bad.append(f"{path.relative_to(root)}: no SPDX line")
            seen += 1
    print("\n".join(bad))
    print(f"{seen} includes and files looked at, {len(bad)} wrong")
    return 1 if bad or seen == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
