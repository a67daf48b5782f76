#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No component of the simulator reads or changes another one's state. A component is a set of files that share a private header. A private
header says in its opening comment who may include it:

    Private to: a.c, b.c.

The files are those of the header's own folder. A header in the list stands for the files that it is private to, and *.c for all files of the
folder. This script checks that
  - a header *_private.h or *_state.h has such a line, and so has a header that defines a struct of which a public header of the same folder
    shows no more than the name (a header that other folders include is public);
  - only the files of the line include the header;
  - no more than READERS files include it, but for those of WIDE, which may not grow;
  - each .c file compiles when all private headers that are not its own, and the floors of the core above it, are absent.

A part of a larger state, a struct that is a member of another one, says in its header's opening comment who touches its fields:

    Fields: a.c, b.c.

Then only these files have an expression `->MEMBER.` or `.MEMBER.`, or take its address by `&x->MEMBER;` or `&x.MEMBER;`, MEMBER being the name that it has there;
and each of them has one.

Usage: privacy.py SOURCE_DIR [COMPILER]
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from layers import may_see

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
LINE = re.compile(r"Private to: ((?:\*\.c|[\w.]+\.[ch])(?:,\s*(?:\*\.c|[\w.]+\.[ch]))*)\.(?:\s|$)")
FIELDS = re.compile(r"Fields: ([\w.]+\.c(?:,\s*[\w.]+\.c)*)\.(?:\s|$)")
READERS = 10
# The passes over a kernel; the PTX reader's passes, and its kinds of instructions.
WIDE = {"ir/passes.h": 11, "ptx/reader.h": 12, "ptx/insn.h": 13}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
DEFINES = re.compile(r"^struct (\w+) \{", re.MULTILINE)
DECLARES = re.compile(r"^struct (\w+);", re.MULTILINE)


def opening(text):
    """The comments before the first line of code, as one line."""
    head = text.split("\n#", 1)[0]
    return re.sub(r"\s*\n[\s*]*", " ", " ".join(COMMENT.findall(head))).replace("*/", " ")


class Tree:
    """The sources under csim: text, includes, and the line of each private header. Files are paths relative to csim."""

    def __init__(self, csim):
        self.csim, self.bad = csim, []
        self.text = {path.relative_to(csim): path.read_text() for path in sorted(csim.rglob("*.[ch]"))}
        self.private = {}
        for path, text in self.text.items():
            line = LINE.search(opening(text)) if path.suffix == ".h" else None
            if line:
                self.private[path] = [name.strip() for name in line.group(1).split(",")]
            elif path.suffix == ".h" and "Private to" in text:
                self.bad.append(f"csim/{path}: 'Private to' is not of the form 'Private to: a.c, b.c.' in its opening comment")
        self.included = {path: [self.target(path, name) for name in INCLUDE.findall(text)] for path, text in self.text.items()}

    def target(self, path, name):
        """The file that an include means: relative to the file's own folder, or to csim."""
        beside = pathlib.Path(os.path.normpath(path.parent / name))
        return beside if beside in self.text else pathlib.Path(name)

    def files(self, header, seen=()):
        """The .c files that may see the header."""
        found = set()
        for name in self.private[header]:
            path = header.parent / name
            if name == "*.c":
                found |= {p for p in self.text if p.parent == header.parent and p.suffix == ".c"}
            elif path not in self.text:
                self.bad.append(f"csim/{header} is private to {name}, which is not there")
            elif path.suffix == ".c":
                found.add(path)
            elif path not in self.private:
                self.bad.append(f"csim/{header} is private to {name}, which is not private itself")
            elif path not in seen:
                found |= self.files(path, (*seen, header))
        return found

    def check_includes(self):
        for header, names in self.private.items():
            users = {path for path, targets in self.included.items() if header in targets}
            for path in sorted(users):
                if path.parent == header.parent and (path.name in names or ("*.c" in names and path.suffix == ".c")):
                    continue
                if path.parent == header.parent and path.suffix == ".c" and path in self.files(header):
                    continue
                self.bad.append(f"csim/{path} includes {header}, which is private to {', '.join(names)}")
            unused = [name for name in names if name != "*.c" and header.parent / name in self.text and header.parent / name not in users]
            self.bad += [f"csim/{header} is private to {name}, which does not include it" for name in unused]

    def check_readers(self):
        for header in self.private:
            readers = sum(header in targets for targets in self.included.values())
            most = WIDE.get(str(header), READERS)
            if readers > most:
                self.bad.append(f"csim/{header} has {readers} readers, more than {most}: split it")

    def check_fields(self):
        """Who touches the fields of a part. Returns the number of parts."""
        parts = 0
        for header, text in self.text.items():
            line = FIELDS.search(opening(text)) if header.suffix == ".h" else None
            if not line:
                continue
            allowed = {name.strip() for name in line.group(1).split(",")}
            above = [path.parent for path in self.text if path.parts[0] == "core"] if header.parts[0] == "core" else []
            beside = {path: other for path, other in self.text.items() if path.parent in (header.parent, *above)}
            kinds = "|".join(DEFINES.findall(text)) or "-"
            members = {name + (r"\[[^]]*\]" if array else "") for path, other in beside.items() if path.suffix == ".h"
                       for name, array in re.findall(rf"^    struct (?:{kinds}) (\w+)(\[\w+\])?;", other, re.MULTILINE)}
            if not members:
                self.bad.append(f"csim/{header}: no struct of it is a member of another one")
                continue
            parts += 1
            use = re.compile(rf"(?:->|\.)(?:{'|'.join(sorted(members))})\.|&[\w.>-]+(?:->|\.)(?:{'|'.join(sorted(members))});")
            users = {path.name: path for path, other in beside.items() if path.suffix == ".c" and use.search(COMMENT.sub("", other))}
            self.bad += [f"csim/{users[name]} touches fields of {header}, which are those of {', '.join(sorted(allowed))}"
                         for name in sorted(users.keys() - allowed)]
            self.bad += [f"csim/{header} names {name}, which touches no field of it" for name in sorted(allowed - users.keys())]
        return parts

    def check_lines(self):
        for path, text in self.text.items():
            if path.suffix != ".h" or path in self.private:
                continue
            if path.name.endswith(("_private.h", "_state.h")):
                self.bad.append(f"csim/{path} has no line 'Private to: ...' in its opening comment")
                continue
            abroad = any(path in targets and user.parent != path.parent for user, targets in self.included.items())
            for name in DEFINES.findall(text) if not abroad else []:
                shown = [other for other, words in self.text.items() if other.suffix == ".h" and other.parent == path.parent
                         and other != path and other not in self.private and name in DECLARES.findall(words)]
                if shown:
                    self.bad.append(f"csim/{path} defines struct {name}, of which {shown[0].name} shows only the name; "
                                    "it needs a line 'Private to: ...' in its opening comment")

    def compile(self, include, compiler):
        """Compiles each .c file in a tree that has no private headers but its own."""
        seen_by = {header: self.files(header) for header in self.private}
        groups = {}
        for path in self.text:
            if path.suffix == ".c":
                hidden = frozenset([header for header, files in seen_by.items() if path not in files] +
                                   [header for header in self.text if header.suffix == ".h" and not may_see(path.parts, header.parts)])
                groups.setdefault(hidden, []).append(path)
        with tempfile.TemporaryDirectory() as place, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = []
            for number, (hidden, paths) in enumerate(groups.items()):
                root = pathlib.Path(place) / str(number)
                self.link(root, hidden)
                jobs += [pool.submit(self.syntax, root, path, include, compiler) for path in paths]
            for job in jobs:
                self.bad += job.result()
        return len(jobs), len(groups)

    def link(self, root, hidden):
        for source in self.csim.rglob("*.*"):
            path = source.relative_to(self.csim)
            if source.is_file() and path not in hidden:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).symlink_to(source)

    @staticmethod
    def syntax(root, path, include, compiler):
        done = subprocess.run([compiler, "-std=c11", "-w", "-fsyntax-only", "-I", str(root), "-I", str(include), str(root / path)],
                              capture_output=True, text=True, check=False)
        errors = [line.replace(f"{root}/", "csim/") for line in done.stderr.splitlines() if "error" in line]
        return [] if done.returncode == 0 else errors[:1] or [f"csim/{path} does not compile: {done.stderr.strip()}"]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    tree = Tree(root / "csim")
    tree.check_includes()
    tree.check_readers()
    parts = tree.check_fields()
    tree.check_lines()
    compiled, groups = tree.compile(root / "include", sys.argv[2] if len(sys.argv) > 2 else "cc")
    print("\n".join(sorted(set(tree.bad))))
    print(f"{len(tree.private)} private headers, {parts} parts, {compiled} files compiled in {groups} sets of headers, "
          f"{len(set(tree.bad))} wrong")
    return 1 if tree.bad or not tree.private or compiled == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
