#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The image that Containerfile describes: image_test.py SOURCE. It is built as a user would, and runs a kernel.

Where no registry has debian:12-slim, mmdebstrap makes an image of its packages under that name. A tool that is not there is named, and the test is skipped. Everything
runs under --isolation=chroot, which needs no rights beyond a chroot's: machines of CI are often containers themselves."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

BASE = "docker.io/library/debian:12-slim"
SKIPPED = 77


def run(*command):
    print(*command, flush=True)
    return subprocess.run([str(word) for word in command], check=False).returncode == 0


def have_base(folder):
    if run("podman", "image", "exists", BASE) or run("podman", "pull", "--quiet", BASE):
        return True
    return shutil.which("mmdebstrap") is not None and run("mmdebstrap", "--quiet", "--variant=minbase", "bookworm", folder / "base.tar") and \
        run("podman", "import", folder / "base.tar", BASE)


def build(folder, *more):
    return run("podman", "build", "--isolation=chroot", "--pull=never", *more, folder)


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    if shutil.which("podman") is None:
        print("no podman: skipped")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="image.") as place:
        folder = pathlib.Path(place)
        if not have_base(folder):
            print(f"no {BASE}, and no mmdebstrap to make one: skipped")
            return SKIPPED
        (folder / "use").mkdir()
        (folder / "use/Containerfile").write_text("FROM localhost/cowarp-test\nRUN cowarp run vecadd | tee said && grep passed said\n"
                                                  "RUN cowarp run ht-h --param blocks=2 --unit validation_unit=rtl && cowarp doctor\n")
        return 0 if build(source, "-t", "cowarp-test") and build(folder / "use") else 1


if __name__ == "__main__":
    sys.exit(main())
