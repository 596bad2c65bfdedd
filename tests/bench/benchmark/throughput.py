# SPDX-License-Identifier: MIT
"""Runs `throughput`, the speed of user space on injected events."""
import glob
import re
import subprocess

from .machine import TOP

CPU = 1
ROW = re.compile(r"^\| (.*?) +\| +([\d.]+) \| +(\d+) \|$", re.MULTILINE)
RULES = sorted(glob.glob(f"{TOP}/deploy/rules/*.yaml"))
WHOLE_NS = 300  # above, whole nanoseconds are more precise than hundredths of M ev/s


def run(program, events, rules, only_rules=False):
    """Row -> ns per event, on one CPU."""
    argv = [program, *(["--rules"] if only_rules else []), str(events), *rules]
    out = subprocess.run(["taskset", "-c", str(CPU), *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True,
                         text=True, timeout=600).stdout
    return {name: float(ns) if float(ns) > WHOLE_NS else 1000 / float(rate) for name, rate, ns in ROW.findall(out)}
