# SPDX-License-Identifier: Apache-2.0
"""Fatbinaries out of PTX, as nvcc makes them: plain, compressed by LZ4 or by Zstandard. harness/fatbin/fatbin.h has the form."""
import ctypes
import pathlib
import struct
import sys

MAGIC, PTX, CODE = 0xBA55ED50, 1, 2
FLAGS = {"plain": 0x11, "lz4": 0x2011, "zstd": 0x8011}


def lz4(data):
    library = ctypes.CDLL("liblz4.so.1")
    room = library.LZ4_compressBound(len(data))
    out = ctypes.create_string_buffer(room)
    used = library.LZ4_compress_default(data, out, len(data), room)
    return out.raw[:used]


def zstd(data):
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_compressBound.restype = library.ZSTD_compress.restype = ctypes.c_size_t
    room = library.ZSTD_compressBound(ctypes.c_size_t(len(data)))
    out = ctypes.create_string_buffer(room)
    used = library.ZSTD_compress(out, ctypes.c_size_t(room), data, ctypes.c_size_t(len(data)), 3)
    return out.raw[:used]


def image(text, packing="plain", architecture=75, kind=PTX):
    """One image: its header of 80 bytes and its payload, padded to eight bytes."""
    data = text if isinstance(text, bytes) else text.encode() + b"\0"
    packed = {"plain": lambda data: data, "lz4": lz4, "zstd": zstd}[packing](data)
    payload = packed + bytes(-len(packed) % 8)
    compressed = 0 if packing == "plain" else len(packed)
    header = struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, 80, len(payload), compressed, 64, 0, 7, architecture, 0, 0, FLAGS[packing], 0,
                         0 if packing == "plain" else len(data))
    return header + bytes(80 - len(header)) + payload


def container(*images):
    body = b"".join(images)
    return struct.pack("<IHHQ", MAGIC, 1, 16, len(body)) + body


def object_file(section, name=b".nv_fatbin"):
    """An ELF file of 64 bits with one section besides that of names, as an object file of nvcc's has."""
    names = b"\0" + name + b"\0.shstrtab\0"
    at_names, at_headers = 64 + len(section), 64 + len(section) + len(names)
    rows = [bytes(64), struct.pack("<IIQQQQIIQQ", 1, 1, 0, 0, 64, len(section), 0, 0, 8, 0),
            struct.pack("<IIQQQQIIQQ", 2 + len(name), 3, 0, 0, at_names, len(names), 0, 0, 1, 0)]
    header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 1, 190, 1, 0, 0, at_headers, 0, 64, 0, 0, 64, 3, 2)
    return header + section + names + b"".join(rows)


def main(ptx, folder):
    """A corpus: the text in each form."""
    text, folder = pathlib.Path(ptx).read_text(), pathlib.Path(folder)
    forms = {packing: container(image(text, packing)) for packing in FLAGS}
    forms["several"] = container(image(b"\x7fELF", kind=CODE, architecture=90), image(text, "zstd", 80), image(text, "lz4", 75))
    forms["object"] = object_file(forms["plain"] + bytes(-len(forms["plain"]) % 8) + forms["zstd"])
    for name, data in forms.items():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main(*sys.argv[1:])
