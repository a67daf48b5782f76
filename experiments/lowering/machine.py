# SPDX-License-Identifier: Apache-2.0
"""What ptxas makes of PTX: instructions and registers of each kernel, whose loops it is told not to unroll. Machine code of sm_75, whose instructions are Volta's, has 16 bytes
for each; the lowest twelve bits say which it is."""
import pathlib
import re
import struct
import subprocess
import tempfile

ARCHITECTURE = "sm_75"  # the oldest that ptxas 13 knows
NOP, BRA, CALL = 0x918, 0x947, 0x944


def sections(elf):
    """{name: bytes}"""
    at, size, count, names = struct.unpack_from("<Q", elf, 40)[0], *struct.unpack_from("<HHH", elf, 58)
    rows = [struct.unpack_from("<IIQQQQ", elf, at + i * size) for i in range(count)]
    strings = elf[rows[names][4]:rows[names][4] + rows[names][5]]
    return {strings[row[0]:strings.index(b"\0", row[0])].decode(): elf[row[4]:row[4] + row[5]] for row in rows if row[1] == 1}


def codes(text):
    """The numbers of the kernel's instructions, without its subroutines and without what fills its last lines."""
    words = list(struct.iter_unpack("<QQ", text))
    all_codes = [low & 0xFFF for low, _ in words]
    end = len(words)
    for at, (low, high) in enumerate(words):
        if all_codes[at] == CALL:  # in bytes from the next instruction on
            offset = (low >> 32 | high << 32) & (1 << 50) - 1
            offset -= (offset >> 49) << 50
            if offset % 16 == 0 and 0 <= at + 1 + offset // 16 < len(words):
                end = min(end, at + 1 + offset // 16)
    all_codes = all_codes[:end]
    while all_codes and all_codes[-1] == NOP:
        all_codes.pop()
    if end == len(words) and all_codes and all_codes[-1] == BRA:
        all_codes.pop()  # an endless loop behind the end
    return all_codes


def _run(ptx):
    """The report of ptxas, and the binary, or None."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = pathlib.Path(folder) / "a.ptx", pathlib.Path(folder) / "a.cubin"
        ptx = re.sub(r"^\s*\.address_size\s+64[^\n]*", '.address_size 64\n.pragma "nounroll";', ptx, count=1, flags=re.M)
        ptx = re.sub(r"^\s*\.target\s+[^\n]*", f".target {ARCHITECTURE}", ptx, count=1, flags=re.M)
        path.write_text(re.sub(r"^\s*\.version\s+[3-6]\.\d", ".version 7.0", ptx, count=1, flags=re.M))
        done = subprocess.run(["ptxas", f"-arch={ARCHITECTURE}", "-v", str(path), "-o", str(out)], capture_output=True, text=True)
        return done.stderr, out.read_bytes() if done.returncode == 0 else None


def assemble(ptx):
    """{kernel: (numbers of its instructions, registers)}, or a text that says what ptxas does not take."""
    report, binary = _run(ptx)
    if binary is None:
        return report.strip().splitlines()[0] if report.strip() else "ptxas failed"
    registers = {m[0]: int(m[1]) for m in re.findall(r"Compiling entry function '([^']+)'.*?Used (\d+) registers", report, re.S)}
    text = sections(binary)
    return {name: (codes(text[f".text.{name}"]), n) for name, n in registers.items() if f".text.{name}" in text}


def texts(ptx):
    """{kernel: (low word, high word) of each instruction}; none where ptxas does not take the text."""
    binary = _run(ptx)[1]
    found = sections(binary) if binary is not None else {}
    return {name[len(".text."):]: list(struct.iter_unpack("<QQ", text)) for name, text in found.items() if name.startswith(".text.")}
