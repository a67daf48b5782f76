#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cowarp debug --dap with @vscode/debugadapter-testsupport of the npm registry (debug_dap_client.js). Skipped (77) where npm cannot get it.

Usage: debug_npm_test.py COWARP FOLDER"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

PACKAGE = "@vscode/debugadapter-testsupport@1.68.0"
CLIENT = pathlib.Path(__file__).resolve().with_name("debug_dap_client.js")


def main():
    cowarp, ptx = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve() / "kernels.ptx"
    if not shutil.which("npm") or not shutil.which("node"):
        print("skipped: npm and node are not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        got = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", folder, PACKAGE], capture_output=True, text=True, check=False)
        if got.returncode:
            print(f"skipped: npm has not installed {PACKAGE}: {got.stderr.strip().splitlines()[-1:]}")
            return 77
        adapter, client = pathlib.Path(folder, "adapter.sh"), pathlib.Path(folder, "client.js")
        adapter.write_text(f"exec {cowarp} debug --dap\n", encoding="utf-8")
        shutil.copy(CLIENT, client)
        return subprocess.run(["node", client, adapter, ptx], check=False, timeout=300).returncode


if __name__ == "__main__":
    sys.exit(main())
