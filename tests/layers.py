#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layers only look down. This script checks every #include of csim, include, harness and kernels:
  - a folder of csim includes from itself and from folders below it
  - a floor of the core, a folder of csim/core, includes from itself and from floors below it; other folders of csim include from none
  - csim/program.c stands above all folders
  - a front end (csim/ptx) includes from itself, base and ir, and no other folder of csim includes from it
  - a folder of harness includes from itself, from those folders of harness and csim that HARNESS names for it, and from include/
  - harness/cli sees the public interface, harness/litmus and harness/file only, whatever way its includes take
  - a public header includes public headers only, and a workload the public interface only
  - a private header (*_private.h, *_state.h, or one that says so in its opening comment) is included in its own folder only
  - no folder has the name of one of libstdc++'s, whose headers it would hide from files of C++
It also checks that each source file begins with its licence line. docs/architecture.md explains the order.

Usage: layers.py SOURCE_DIR"""
import pathlib
import re
import sys

# A folder may include from itself and from folders earlier in the list.
CSIM_ORDER = ["base", "ir", "exec", "unit", "event", "adapt", "msg", "mem", "control", "core", "mech", "check", "gpu"]
CORE_FLOORS = ["warps", "cache", "blocks", "memory", "issue"]  # the lowest first; the files of csim/core itself stand above them
CXX_FOLDERS = {"backward", "bits", "debug", "decimal", "experimental", "ext", "parallel", "pstl", "tr1", "tr2"}
FRONT_ENDS = {"ptx": ["base", "ir"]}
# Folder of harness: the other folders of harness, and the folders of csim, that it may use. tests/file_order.py compares it with the
# functions that the object files call.
HARNESS = {
    "file": ([], ["base"]),
    "rtl": ([], ["base", "unit"]),
    "wave": (["file", "rtl"], ["base", "unit", "core", "mech", "gpu"]),
    "timeline": (["file"], ["base", "ir", "core", "mem", "gpu"]),
    "debugger": (["wave"], ["base", "event", "unit", "ir", "core", "mem", "gpu"]),
    "play": (["file", "rtl", "wave"], ["base", "unit"]),
    "native": ([], ["base", "ir", "exec"]),
    "api": (["file", "rtl", "wave", "timeline", "debugger", "play"], ["base", "ir", "ptx", "exec", "event", "control", "unit", "mem", "mech", "gpu"]),
    "litmus": ([], ["base"]),
    "fatbin": ([], ["base"]),
    "cli": (["file", "litmus", "fatbin"], []),
    "cuda": (["file", "fatbin", "cli"], ["base"]),
    "hostlib": (["cuda"], []),
    "systemc": ([], []),
}
# What the command may see through the headers that it includes: harness/file says what went wrong in a struct cw_error.
CLI_SEES = {"csim/base/error.h"}
PRIVATE = re.compile(r"Private to:|nobody else includes")


def includes(path):
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
        if match:
            yield number, match.group(1)


def sources(folder):
    return sorted(path for path in folder.rglob("*") if re.match(r"\.(c|h|cpp|in)$", path.suffix))


def may_use(layer, target):
    """Whether a folder of csim may use another one."""
    if layer in FRONT_ENDS or target in FRONT_ENDS:
        return layer == target or target in FRONT_ENDS.get(layer, ())
    return CSIM_ORDER.index(target) <= CSIM_ORDER.index(layer)


def floor(parts):
    """The height of a file of csim/core, whose path below csim has these parts; None for a file of another folder."""
    if parts[0] != "core":
        return None
    return CORE_FLOORS.index(parts[1]) if parts[1] in CORE_FLOORS else len(CORE_FLOORS)


def may_see(user, header):
    """Whether a file of csim may see a header there; both are paths below csim, as parts. Only floors of the core are judged here."""
    if header[0] != "core" or header[1] not in CORE_FLOORS:
        return True
    return user[0] == "core" and floor(header) <= floor(user)


class Layers:
    def __init__(self, root):
        self.root, self.bad, self.seen = root, [], 0

    def wrong(self, path, number, text):
        self.bad.append(f"{path.relative_to(self.root)}:{number}: {text}")

    def find(self, path, name):
        """The file that an include means; None for one that is not in this tree."""
        for place in (path.parent, self.root / "csim", self.root / "include", self.root / "harness"):
            if (place / name).is_file():
                return (place / name).resolve()
        return None

    def check_names(self):
        for top in ("csim", "harness", "include"):
            for folder in (self.root / top).glob("*"):
                self.seen += 1
                if folder.is_dir() and folder.name in CXX_FOLDERS:
                    self.bad.append(f"{top}/{folder.name}: libstdc++ has a folder of this name, and its headers come second")

    def check_private(self):
        for top in ("csim", "harness", "include", "kernels"):
            for path in sources(self.root / top):
                for number, name in includes(path):
                    target = self.find(path, name)
                    if target is None:
                        continue
                    place = target.relative_to(self.root.resolve()).parts
                    user = path.relative_to(self.root).parts
                    if target.parent != path.parent.resolve() and private(target):
                        self.wrong(path, number, f"{name} is private to {'/'.join(place[:-1])}")
                    elif place[0] == "csim" and not may_see(user[1:] if user[0] == "csim" else user, place[1:]):
                        self.wrong(path, number, f"{name} is of a floor of the core that this file may not see")

    def check_csim(self):
        for path in sources(self.root / "csim"):
            layer = path.relative_to(self.root / "csim").parts[0]
            if layer.endswith(".c"):  # above all folders
                continue
            for number, name in includes(path):
                self.seen += 1
                target = name.split("/")[0]
                if target in CSIM_ORDER or target in FRONT_ENDS:
                    if may_use(layer, target):
                        continue
                    if layer in FRONT_ENDS:
                        self.wrong(path, number, f"front end {layer} may not use {target}")
                    elif target in FRONT_ENDS:
                        self.wrong(path, number, f"layer {layer} may not know the front end {target}")
                    else:
                        self.wrong(path, number, f"layer {layer} looks up at {target}")
                elif target != "cowarp" and "/" in name:
                    self.wrong(path, number, f"csim may not include {name}")

    def check_harness(self):
        for path in sources(self.root / "harness"):
            layer = path.relative_to(self.root / "harness").parts[0]
            if layer not in HARNESS:
                self.wrong(path, 1, f"harness/{layer} is not in the list of tests/layers.py")
                continue
            for number, name in includes(path):
                self.seen += 1
                target = name.split("/")[0] if "/" in name else layer
                if target == "..":
                    self.wrong(path, number, f"{name} goes around the layers")
                elif target in HARNESS and target != layer and target not in HARNESS[layer][0]:
                    self.wrong(path, number, f"harness/{layer} may not use harness/{target}: {name}")
                elif (target in CSIM_ORDER or target in FRONT_ENDS) and target not in HARNESS[layer][1]:
                    self.wrong(path, number, f"harness/{layer} may not use csim/{target}: {name}")

    def check_cli(self):
        """Everything that the command's files include, directly or through a header."""
        for path in sources(self.root / "harness/cli"):
            todo, done = [(path, [])], set()
            while todo:
                at, way = todo.pop()
                for _, name in includes(at):
                    target = self.find(at, name)
                    if target is None or target in done:
                        continue
                    done.add(target)
                    place = target.relative_to(self.root.resolve())
                    if place.parts[0] == "csim" and str(place) not in CLI_SEES:
                        self.wrong(path, 1, f"sees {place} through {' and '.join(way) or 'its own include'}")
                    todo.append((target, [*way, name]))

    def check_public(self):
        for path in sources(self.root / "include"):
            for number, name in includes(path):
                self.seen += 1
                if not name.startswith("cowarp/"):
                    self.wrong(path, number, f"a public header includes {name}")
        for path in sources(self.root / "kernels"):
            for number, name in includes(path):
                self.seen += 1
                own = "/" not in name and (path.parent / name).is_file()
                if not (name.startswith("cowarp/") or name in ("../host.h", "../links.h", "../rbtree.h", "../session.h", "../stm.h", "include/stm_layout.h") or own):
                    self.wrong(path, number, f"a workload uses the public API alone, not {name}")

    def check_licences(self):
        kinds = (".c", ".h", ".cpp", ".v", ".cl", ".py", ".def", ".cmake", ".sh", ".ptx", ".cpp.in")
        # Not into a build's folder at all: other tests make and remove folders there while this one walks.
        tops = [top for top in sorted(self.root.iterdir()) if not top.name.startswith("build") and top.name != ".git"]
        for top in tops:
            for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
                if not path.name.endswith(kinds) or "corpus" in path.parts or not path.is_file():
                    continue
                if "SPDX-License-Identifier: Apache-2.0" not in "".join(path.open(errors="replace").readlines()[:4]):
                    self.bad.append(f"{path.relative_to(self.root)}: no SPDX line")
                self.seen += 1


def private(path):
    opening = path.read_text(errors="replace").split("\n#", 1)[0]
    return path.suffix == ".h" and (path.name.endswith(("_private.h", "_state.h")) or PRIVATE.search(opening) is not None)


def main():
    layers = Layers(pathlib.Path(sys.argv[1]))
    for check in (layers.check_names, layers.check_private, layers.check_csim, layers.check_harness, layers.check_cli, layers.check_public,
                  layers.check_licences):
        check()
    print("\n".join(layers.bad))
    print(f"{layers.seen} includes and files looked at, {len(layers.bad)} wrong")
    return 1 if layers.bad or layers.seen == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
