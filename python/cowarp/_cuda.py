# SPDX-License-Identifier: Apache-2.0
"""CUDA C to PTX, by nvcc or clang."""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import typing

from . import _library as c
from ._errors import RequestError

CLANG = ("clang++-14", "clang++")
CLANG_FLAGS = ("-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_35", "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version", "-O2", "-S")


def header_folder():
    """Folder of mini_cuda.h, which has what a toolkit's headers would have; None: not there."""
    path = os.path.join(os.path.dirname(c.path), "share/cowarp/source/examples/cuda")
    folders = [path, *(str(folder / "share/cowarp/examples/cuda") for folder in pathlib.Path(c.path).resolve().parents)]
    return next((folder for folder in folders if os.path.exists(os.path.join(folder, "mini_cuda.h"))), None)


def find_compiler():
    for name in ("nvcc", "/usr/local/cuda/bin/nvcc", *CLANG):
        if shutil.which(name):
            return shutil.which(name)
    raise RequestError("no compiler of CUDA C: neither nvcc nor clang++-14 is in the PATH; apt-get install clang-14")


def compile_cuda(source: str | os.PathLike, *, compiler: str | None = None, arch: str = "sm_75", options: typing.Sequence[str] = ()) -> bytes:
    """PTX of CUDA C: a path, or the text itself, of several lines.

    compiler: default nvcc, else clang, which gets examples/cuda/mini_cuda.h before the text, in the place of a toolkit's headers.
    arch: of nvcc. options: further words for the compiler. What the compiler says of a mistake is the text of a RequestError."""
    compiler, folder = compiler or find_compiler(), header_folder()
    headers = ["-I", folder] if folder else []
    nvcc = os.path.basename(compiler).startswith("nvcc")
    with tempfile.TemporaryDirectory() as work:
        path = os.fspath(source)
        if "\n" in path:
            path = os.path.join(work, "text.cu")
            pathlib.Path(path).write_text(source, encoding="utf-8")
        elif not os.path.isfile(path):
            raise RequestError(f"{path}: no such file; CUDA C itself is text of several lines")
        target = os.path.join(work, "text.ptx")
        mini = ["-include", os.path.join(folder, "mini_cuda.h")] if folder and not nvcc else []
        flags = ["-ptx", f"-arch={arch}"] if nvcc else [*CLANG_FLAGS, *mini]
        done = subprocess.run([compiler, *flags, *headers, *options, path, "-o", target], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RequestError(f"{os.path.basename(compiler)}: {(done.stderr or done.stdout).strip()}")
        return pathlib.Path(target).read_bytes()


def plain_name(mangled: str) -> str:
    """saxpy of _Z5saxpyfPKfPf; the name itself when it is not mangled, or is a template's or of a namespace."""
    match = re.match(r"_Z(\d+)", mangled)
    if match is None:
        return mangled
    begin = match.end()
    return mangled[begin:begin + int(match[1])]
