#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of `cowarp serve` as a browser shows it. Usage: serve_page_test.py COWARP CHROMIUM [unittest arguments]. runner_test.py has what is asked and
answered."""
import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from waiting import SPIN  # noqa: E402  (after the path is set)

COWARP = CHROMIUM = ""
SPINS = ["spin.ptx", "--kernel", "spin", "--grid", "1", "--block", "32", "--arg", "zero:4", "--set", "watchdog.livelock_cycles=4000000000"]


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {**os.environ, "COWARP_CACHE": str(self.folder / "cache")}
        (self.folder / "spin.ptx").write_text(SPIN)

    def start(self, *words):
        command = subprocess.Popen([COWARP, *words], cwd=self.folder, env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(command.communicate)
        self.addCleanup(command.terminate)
        return command

    def page(self, url):
        """The page's elements after it has asked some times."""
        words = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.folder}/profile", "--virtual-time-budget=4000", "--dump-dom", url]
        dom = subprocess.run(words, capture_output=True, text=True, timeout=240, check=True).stdout
        return html.unescape(re.sub(r"<script>.*?</script>", "", dom, flags=re.S))

    def test_page(self):
        url = self.start("serve").stdout.readline().split()[-1]
        self.assertIn("Nothing runs", self.page(url))
        self.assertNotIn("<main", self.page(url.split("?")[0]))
        self.start("sweep", *SPINS, "--vary", "max-cycles=3000,100000000000,200000000000", "--jobs", "1", "--stalls")
        for _ in range(60):
            if list((self.folder / "cache/runs").glob("*.json")) if (self.folder / "cache/runs").is_dir() else []:
                break
            time.sleep(0.5)
        time.sleep(3)
        seen = self.page(url)
        self.assertIn("1 of 3 runs, 1 run, 1 wait", seen)
        self.assertIn(">Stop</button>", seen)
        self.assertRegex(seen, r"0 of 1 blocks</td><td[^>]*>[\d,]{5,}</td>")  # cycles
        self.assertRegex(seen, r"<td[^>]*>\w+ \d+ %")  # what it waits for
        self.assertRegex(seen, r"<details[^>]*><summary>counters</summary><table><tr><td[^>]*>thread_instructions")
        self.assertRegex(seen, r'href="/report\?id=[\d-]+&number=0&token=')


if __name__ == "__main__":
    COWARP, CHROMIUM = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1)
    unittest.main()
