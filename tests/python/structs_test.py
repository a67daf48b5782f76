#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The package's structs, enumerations and functions are those of cowarp/cowarp.h: structs_test.py SOURCE LIBRARY.

A C program, compiled here, prints sizes and offsets of every member of every struct that the header defines, and the values of its enumerations."""
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
os.environ["COWARP_LIBRARY"] = sys.argv[2]
sys.path.insert(0, str(SOURCE / "python"))

from cowarp import _library as c  # noqa: E402

HEADER = re.sub(r"/\*.*?\*/", "", (SOURCE / "include/cowarp/cowarp.h").read_text(), flags=re.DOTALL)
# The package's name of each enumerator.
ENUMERATORS = {"COWARP_PARAM_INTEGER": "INTEGER", "COWARP_PARAM_FLOAT": "FLOAT", "COWARP_PARAM_AGGREGATE": "AGGREGATE",
               "COWARP_PARAM_SHARED": "SHARED",
               **{f"COWARP_{name}": name for name in ("OK", "EINVAL", "ENOMEM", "EIO", "EUNSUP", "EDEADLOCK", "EFAULT", "ELIMIT", "EMISMATCH", "ECHECK")},
               **{f"COWARP_ARG_{name}": name for name in ("U32", "S32", "U64", "S64", "F32", "F64", "LOCAL", "BYTES")}}


def defined_structs():
    return set(re.findall(r"^struct (cowarp_\w+) \{", HEADER, flags=re.MULTILINE))


def ask_compiler():
    """{"struct": size, "struct.member": (offset, size), "enumerator": value}"""
    lines = []
    for struct in c.STRUCTS:
        name = f"struct {struct.c_name}"
        lines.append(f'    printf("{struct.c_name} %zu 0\\n", sizeof({name}));')
        for member, _ in struct._fields_:
            lines.append(f'    printf("{struct.c_name}.{member} %zu %zu\\n", offsetof({name}, {member}), sizeof((({name} *)0)->{member}));')
    lines += [f'    printf("{name} %d 0\\n", (int){name});' for name in ENUMERATORS]
    program = '#include <stdio.h>\n#include "cowarp/cowarp.h"\nint main(void)\n{\n' + "\n".join(lines) + "\n    return 0;\n}\n"
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "layout.c").write_text(program)
        subprocess.run(["cc", "-I", SOURCE / "include", "layout.c", "-o", "layout"], cwd=folder, check=True)
        text = subprocess.run(["./layout"], cwd=folder, check=True, capture_output=True, text=True).stdout
    return {words[0]: (int(words[1]), int(words[2])) for words in map(str.split, text.splitlines())}


class Structs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.layout = ask_compiler()

    def test_every_struct_is_there(self):
        self.assertGreater(len(defined_structs()), 10)
        self.assertEqual({struct.c_name for struct in c.STRUCTS}, defined_structs())

    def test_sizes_and_offsets(self):
        compared = 0
        for struct in c.STRUCTS:
            self.assertEqual(ctypes.sizeof(struct), self.layout[struct.c_name][0], struct.c_name)
            for member, _ in struct._fields_:
                field = getattr(struct, member)
                self.assertEqual((field.offset, field.size), self.layout[f"{struct.c_name}.{member}"], f"{struct.c_name}.{member}")
                compared += 1
        self.assertGreater(compared, 90)

    def test_every_member_is_there(self):
        """Together the members fill each struct up to padding, so none of the header's is missing; unions count as one."""
        for struct in c.STRUCTS:
            body = re.search(rf"^struct {struct.c_name} \{{(.*?)^\}};", HEADER, flags=re.MULTILINE | re.DOTALL).group(1)
            body = re.sub(r"union \{.*?\}", "union", body, flags=re.DOTALL)
            body = re.sub(r"\(\*(\w+)\)\s*\([^;]*?\);", r" \1;", body, flags=re.DOTALL)  # pointers to functions
            names = [re.sub(r"\[.*", "", part).split()[-1].lstrip("*") for line in body.split(";") if line.strip() for part in line.split(",")]
            self.assertEqual(names, [member for member, _ in struct._fields_], struct.c_name)

    def test_values_of_enumerations(self):
        listed = re.findall(r"^    (COWARP_\w+)(?: = -?\d+)?,? *$", HEADER, flags=re.MULTILINE)
        self.assertEqual(set(listed), set(ENUMERATORS))
        for name, own in ENUMERATORS.items():
            self.assertEqual(getattr(c, own), self.layout[name][0], name)

    def test_every_function_has_as_many_arguments(self):
        for name, (_, arguments) in c.FUNCTIONS.items():
            found = re.search(rf"\b{name}\(([^;]*)\);", HEADER)
            self.assertIsNotNone(found, name)
            text = found.group(1).strip()
            self.assertEqual(len(arguments), 0 if text == "void" else text.count(",") + 1, name)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
