#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of `cowarp report` as a browser shows it: light, dark, narrow and on paper. Usage: report_page_test.py COWARP CHROMIUM [unittest
arguments]."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import matplotlib.image

COWARP = CHROMIUM = ""
FIRST = {"light": (0x1F, 0x6F, 0x9F), "dark": (0x62, 0xAE, 0xDD)}  # of the colours of parts, in scripts/results/report_style.py


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        for system in ("getm", "warptm"):
            words = ["--param", "blocks=4", "--profile", f"{system}.txt", "--sample", "500", "--samples", f"{system}.csv", "--stats", f"{system}.json", "--quiet"]
            subprocess.run([COWARP, "run", "ht-h", "--system", system, *words], cwd=cls.folder, check=True)
        subprocess.run([COWARP, "report", "getm.json", "warptm.json", "-o", "r.html"], cwd=cls.folder, check=True)

    def chromium(self, *words):
        words = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={self.folder}/profile", *words]
        return subprocess.run([*words, f"file://{self.folder}/r.html"], capture_output=True, text=True, timeout=120, check=True)

    def picture(self, *words, width=1100, height=3000):
        """Rows of pixels, 0 to 255."""
        path = self.folder / "r.png"
        path.unlink(missing_ok=True)
        self.chromium(f"--screenshot={path}", f"--window-size={width},{height}", *words)
        return (matplotlib.image.imread(path)[:, :, :3] * 255).round().astype(int)

    def check_scheme(self, name, pixels):
        background = pixels[5, 5]
        (self.assertGreater if name == "light" else self.assertLess)(background.sum() / 3, 200 if name == "light" else 60)
        of_bars = (abs(pixels - FIRST[name]).max(axis=2) <= 2).sum()
        self.assertGreater(of_bars, 500, "no bar has the scheme's colour")
        ink = (abs(pixels - background).max(axis=2) > 120).sum()
        self.assertGreater(ink, 20000, "there is hardly any text")

    def test_light(self):
        self.check_scheme("light", self.picture("--blink-settings=preferredColorScheme=1"))

    def test_dark(self):
        self.check_scheme("dark", self.picture("--blink-settings=preferredColorScheme=0"))

    def test_narrow(self):
        """Nothing stands over the right edge of a narrow window: tables scroll in themselves."""
        pixels = self.picture(width=520, height=6000)
        edge = pixels[:, -6:]
        self.assertLess((abs(edge - pixels[5, 5]).max(axis=2) > 60).sum(), 50)

    def test_paper(self):
        path = self.folder / "r.pdf"
        self.chromium(f"--print-to-pdf={path}")
        data = path.read_bytes()
        self.assertTrue(data.startswith(b"%PDF"))
        self.assertTrue(2 <= len(re.findall(rb"/Type\s*/Page\b", data)) <= 20)

    def test_keyboard(self):
        """What one can go to by the keyboard: the links of the top, each table, each fold; and each is where a link says."""
        dom = self.chromium("--dump-dom").stdout
        self.assertEqual(dom.count('class="scroll" tabindex="0"'), len(re.findall("<table[ >]", dom)))
        self.assertLess(dom.index('class="skip"'), dom.index("<nav"))
        for name in re.findall(r'href="#(\w+)"', dom):
            self.assertIn(f'id="{name}"', dom)


if __name__ == "__main__":
    COWARP, CHROMIUM = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1)
    unittest.main()
