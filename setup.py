# SPDX-License-Identifier: Apache-2.0
"""A wheel of cowarp: the Python package, the library, and the command with all that comes with it (docs/installing.md).

    python3 -m pip wheel --no-build-isolation --no-deps .

It takes what `cmake --install` gives, of the build in $COWARP_BUILD or build/, which is made when it is not there. All of it goes where pip has its
prefix (bin/, lib/, share/), so the package finds the library as in an installed tree."""
import os
import pathlib
import re
import shutil
import subprocess

from setuptools import setup
from wheel.bdist_wheel import bdist_wheel

ROOT = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("COWARP_BUILD", ROOT / "build")).resolve()
PREFIX = BUILD / "wheel/prefix"
LEFT_OUT = ("include", "lib/pkgconfig", "lib/cmake", "lib/python3", "lib/libcowarp.a", "lib/libcowarp.so", "share/cowarp/examples/systemc")


def install():
    """The tree of `cmake --install` in PREFIX, without what only compilers look for. The library is one file, by the name that programs ask for."""
    if not (BUILD / "CMakeCache.txt").is_file():
        subprocess.run(["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"], check=True)
    shutil.rmtree(PREFIX, ignore_errors=True)
    subprocess.run(["cmake", "--install", BUILD, "--prefix", PREFIX, "--strip"], check=True, stdout=subprocess.DEVNULL)
    library = PREFIX / "lib/libcowarp.so.0"
    whole = library.resolve()
    library.unlink()
    whole.rename(library)
    for name in LEFT_OUT:
        path = PREFIX / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def data_files():
    install()
    folders = {}
    for path in sorted(PREFIX.rglob("*")):
        if path.is_file():
            folders.setdefault(str(path.parent.relative_to(PREFIX)), []).append(os.path.relpath(path, ROOT))
    return list(folders.items())


class Wheel(bdist_wheel):
    """For any Python 3 of this machine: there is compiled code, which no Python calls but by ctypes."""

    def finalize_options(self):
        self.bdist_dir = str(BUILD / "wheel/dist")
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])

    def run(self):
        self.distribution.data_files = data_files()
        super().run()


VERSION = re.search(r'^#define COWARP_VERSION "(.*)"', (ROOT / "include/cowarp/cowarp.h").read_text(), re.MULTILINE)[1]
(BUILD / "wheel").mkdir(parents=True, exist_ok=True)
setup(name="cowarp", version=VERSION, description="GPU co-simulator with hardware units in Verilog", license="Apache-2.0", python_requires=">=3.9",
      install_requires=["numpy"], extras_require={"tables": ["pandas"], "pictures": ["matplotlib"]}, package_dir={"": "python"}, packages=["cowarp"],
      cmdclass={"bdist_wheel": Wheel},
      options={"build": {"build_base": str(BUILD / "wheel/base")}, "egg_info": {"egg_base": str(BUILD / "wheel")}})
