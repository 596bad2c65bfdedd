# SPDX-License-Identifier: MIT
"""For tests of metrics: the page of an agent, and the samples in it."""
import re
import shutil
import subprocess
import urllib.request

import lanner

SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? ([^ ]+)$")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def scrape(page, openmetrics=False, checked=True):
    """The text of the page at that port, which promtool must take unless it is OpenMetrics, or has names that are not
    ours."""
    headers = {"Accept": "application/openmetrics-text; version=1.0.0"} if openmetrics else {}
    asked = urllib.request.Request(f"http://127.0.0.1:{page}/metrics", headers=headers)
    with urllib.request.urlopen(asked, timeout=lanner.LIMIT_S) as answer:
        text = answer.read().decode()
    if checked and not openmetrics and shutil.which("promtool"):
        done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
        lanner.equal((done.returncode, done.stdout + done.stderr), (0, ""), "promtool")
    return text


def samples(text, name):
    """Pairs of labels and value."""
    found = [SAMPLE.match(line) for line in text.splitlines() if line.startswith(name)]
    return [(dict(LABEL.findall(match[2] or "")), float(match[3])) for match in found if match and match[1] == name]
