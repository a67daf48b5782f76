# SPDX-License-Identifier: Apache-2.0
"""A copy of the source tree with a build directory, for tests that add files to it."""
import os
import pathlib
import shutil
import subprocess

LEFT_OUT = {".git", ".github"}


def copy(source, build, target):
    """Copies source to target and configures target/build. Not optimised: what is built there runs for a moment only. Verilator's run time
    comes from the build directory, for it depends on nothing in the tree."""
    source, build, target = map(pathlib.Path, (source, build, target))

    def skip(folder, names):
        top = pathlib.Path(folder) == source
        return [n for n in names if n == "__pycache__" or (top and (n in LEFT_OUT or n.startswith("build")))]

    shutil.copytree(source, target, ignore=skip, symlinks=True)
    (target / "build/rtl").mkdir(parents=True)
    for library in (build / "rtl").glob("libcw_verilated-*.so"):
        shutil.copy2(library, target / "build/rtl")
    run(target, ["cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE="])


def environment(tree):
    """ccache finds what was compiled in another copy; RTL goes into the copy."""
    return {**os.environ, "CCACHE_BASEDIR": str(tree), "CCACHE_NOHASHDIR": "1", "COWARP_CACHE": str(pathlib.Path(tree) / "build/rtl")}


def run(tree, command, shell=False):
    """Output of a command in the tree; it must succeed."""
    done = subprocess.run(command, cwd=tree, env=environment(tree), shell=shell, executable="/bin/bash" if shell else None,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=540, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout
