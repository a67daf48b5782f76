#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes of functions.txt what follows from it.

Usage: functions.py stubs runtime|driver OUT.c     the functions that are missing
       functions.py names OUT.c                    whether a name is one of these, and the list of those that are there
       functions.py map runtime|driver VERSION OUT what the library exports, as a version script; VERSION "": symbols have no version
       functions.py versions OUT.c                 the driver's functions with the versions of CUDA, for cuGetProcAddress
       functions.py sampler IN.ptx OUT.c           the functions of sampler.cu, each as a line
       functions.py same runtime|driver OUT        linker options that make the functions that are the same as another one
"""
import json
import pathlib
import re
import sys


since = {}  # the third column of read()
LIBRARIES = {"cublas": "cuBLAS", "curand": "cuRAND", "cufft": "cuFFT"}  # harness/hostlib has them: what is not there is not exported


def read():
    rows, part = {name: [] for name in ("runtime", "driver", *LIBRARIES)}, None
    for line in (pathlib.Path(__file__).parent / "functions.txt").read_text().splitlines():
        if line.startswith("["):
            part = rows[line.strip("[]")]
        elif line and line[0] != "#":
            part.append(tuple(line.split()[:2]))
            since[line.split()[0]] = int((line.split()[2:] or [0])[0])
    return rows


def missing(rows):
    return [name for name, state in rows if state == "missing"]


def base(name):
    return re.sub(r"_pt[ds][sz]$", "", name)


def stubs(part):
    note = {"runtime": "cw_cuda_missing", "driver": "cw_cuda_missing"}[part]
    text = '/* Made by functions.py of functions.txt. */\n#include "cuda/cuda.h"\n\n'
    return text + "".join(f'int {name}(void)\n{{\n    return {note}("{name}");\n}}\n' for name in missing(read()[part]))


def names():
    rows = sorted(missing(read()["runtime"]) + missing(read()["driver"]))
    table = "".join(f'    "{name}",\n' for name in rows)
    known = "".join(f'    "{name}",\n' for name in sorted(name for part in LIBRARIES for name, _ in read()[part]))
    return ('/* Made by functions.py of functions.txt. */\n#include "cli/cuda_functions.h"\n\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n\n'
            f"static const char *const names[] = {{\n{table}}};\n\nstatic const char *const known[] = {{\n{known}}};\n\n"
            "static int compare(const void *name, const void *row)\n{\n    return strcmp(name, *(const char *const *)row);\n}\n\n"
            "bool cw_cuda_is_missing(const char *name)\n{\n"
            "    return bsearch(name, names, sizeof names / sizeof names[0], sizeof names[0], compare) != NULL;\n}\n\n"
            "bool cw_cuda_is_unknown_of_library(const char *name)\n{\n"
            "    const bool is_one = "
            + " || ".join(f'strncmp(name, \"{part}\", {len(part)}) == 0' for part in LIBRARIES) + ";\n"
            "    return is_one && bsearch(name, known, sizeof known / sizeof known[0], sizeof known[0], compare) == NULL;\n}\n\n"
            "const char cw_cuda_there[] =\n" + "".join(f"    {json.dumps(line + chr(10))}\n" for line in there().splitlines()) + "    ;\n")


def there():
    """What `cowarp cuda --functions` prints."""
    text = ""
    for part, title in LIBRARIES.items():
        text += f"{title}, computed on the host, {len(read()[part])}:\n" + "".join(f"  {name}\n" for name, _ in read()[part])
    for part, title in (("runtime", "Runtime"), ("driver", "Driver")):
        rows = [(name, state) for name, state in read()[part] if not re.search(r"_pt[ds][sz]$", name)]
        found = [name for name, state in rows if state == "there" and not name.startswith("__")]
        text += f"{title}, {len(found)} of {len(rows)}:\n" + "".join(f"  {name}\n" for name in found)
    return text


def version_map(part, version):
    listed = "".join(f"        {name};\n" for name, _ in read()[part])
    return f"{version}\n{{\n    global:\n{listed}    local:\n        *;\n}};\n"


def same(part):
    return "".join(f"-Wl,--defsym={name}={base(name)}\n" for name, state in read()[part] if state == "same")


def versions():
    rows = [(re.sub(r"_v\d$", "", name), since[name], name) for name, _ in read()["driver"] if base(name) == name]
    table = "".join(f'    {{"{short}", {first}, "{name}"}},\n' for short, first, name in sorted(rows))
    return ('/* Made by functions.py of functions.txt. */\n#include "cuda/driver.h"\n\n'
            f"const struct cw_driver_function cw_driver_functions[] = {{\n{table}}};\n"
            "const unsigned cw_driver_function_cnt = sizeof cw_driver_functions / sizeof cw_driver_functions[0];\n")


def sampler(path):
    lines = [line.split("//")[0].strip() for line in pathlib.Path(path).read_text().splitlines()]
    text = " ".join(line for line in lines if line and not re.match(r"\.(version|target|address_size)", line))
    found = re.findall(r"(\.visible \.func[^{]*?\b(cw_\w+)\s*\(.*?)(?=\.visible \.func|$)", text)
    rows = ""
    for function, name in found:
        pieces = [function[at:at + 2000] for at in range(0, len(function), 2000)]
        rows += f'    {{"{name}",\n' + "".join("     " + json.dumps(piece) + "\n" for piece in [" ", *pieces]) + "    },\n"
    return ('/* Made by functions.py of what clang has made of sampler.cu. */\n#include "cuda/lower.h"\n\n'
            f"const struct cw_sampler_function cw_sampler_functions[] = {{\n{rows}}};\n"
            "const unsigned cw_sampler_function_cnt = sizeof cw_sampler_functions / sizeof cw_sampler_functions[0];\n")


def main(what, *rest):
    text = {"stubs": stubs, "names": names, "map": version_map, "same": same, "versions": versions, "sampler": sampler}[what](*rest[:-1])
    pathlib.Path(rest[-1]).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
