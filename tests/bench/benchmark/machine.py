# SPDX-License-Identifier: MIT
"""What figures depend on: the machine, its kernel, the source and the program that was measured."""
import hashlib
import os
import pathlib
import platform
import re
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[3]


def _first(path, pattern, default="unknown"):
    """The first group of the pattern in a file."""
    try:
        found = re.search(pattern, pathlib.Path(path).read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
    except OSError:
        return default
    return found[1].strip() if found else default


def machine():
    """What stays as it is from one part to the next."""
    return {
        "cpu": _first("/proc/cpuinfo", r"^(?:model name|CPU part)\s*:\s*(.*)$"),
        "cpus": os.cpu_count(),
        "virtual": bool(_first("/proc/cpuinfo", r"^flags\s*:.*\b(hypervisor)\b", "")),
        "memory_mib": int(_first("/proc/meminfo", r"^MemTotal:\s*(\d+)", "0")) // 1024,
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "system": _first("/etc/os-release", r'^PRETTY_NAME="?([^"\n]*)'),
        "clock": _first("/sys/devices/system/clocksource/clocksource0/current_clocksource", r"(.*)"),
        "jit": _first("/proc/sys/net/core/bpf_jit_enable", r"(.*)"),
    }


def commit():
    """The commit of the source, with "-dirty" where it was changed."""
    done = subprocess.run(["git", "-C", str(TOP), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
                          capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def digest(path):
    """Tells builds of one commit apart."""
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()[:16]
