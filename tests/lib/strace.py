# SPDX-License-Identifier: MIT
"""Runs a program under strace and reads what it wrote: the system calls of each thread in order.

strace writes one file for each thread, so that no call is cut in two by another thread's, and shows
numbers only, so that a line has one form:
    [   3] close(0x3) = 0
    [   2] open(0x55d, 0) = -1 ENOENT (No such file or directory)
    [   0] read(0x3, 0x7ff, 0x1) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)
    [ 202] futex(0x7ff, 0x80) = ?
    [ 231] +++ exited with 0 +++
"""
import glob
import os
import re
import shutil
import subprocess

OPTIONS = ["-ff", "-n", "-e", "raw=all", "-q"]
CALL = re.compile(r"\[\s*(\d+)\] (\w+)\(.*\)\s+= (\?|-1|0|0x[0-9a-f]+)(?: (E\w+))?(?: \(.*\))?$")
UNFINISHED = re.compile(r"\[\s*(\d+)\] (\w+)\(.* <unfinished \.\.\.>$")
EXITED = re.compile(r"\+\+\+ exited with (\d+) \+\+\+$")
KILLED = re.compile(r"\+\+\+ killed by (\w+)(?: \(core dumped\))? \+\+\+$")
SUPERSEDED = re.compile(r"\+\+\+ superseded by execve in pid (\d+) \+\+\+$")
SIGNAL = re.compile(r"--- .* ---$")


class Call:
    """A system call: result is a number, the name of an error, or None where strace saw none."""

    def __init__(self, number, name, result):
        self.number, self.name, self.result = number, name, result

    def __repr__(self):
        return f"{self.name}[{self.number}] = {'?' if self.result is None else self.result}"


class Thread:
    """What a thread did: its calls, and its end as ("exited", 0), ("killed", "SIGTERM"), or None
    where another thread's exec took its place."""

    def __init__(self):
        self.calls = []
        self.end = None


def _signed(text):
    value = int(text, 16)
    return value - 2**64 if value >= 2**63 else value


def _read_line(thread, line):
    call = CALL.match(line)
    if call:
        number, name, value, error = call.groups()
        result = error or (None if value == "?" else _signed(value))
        thread.calls.append(Call(int(number), name, result))
        return
    unfinished = UNFINISHED.match(line)
    if unfinished:
        thread.calls.append(Call(int(unfinished[1]), unfinished[2], None))
        return
    exited, killed = EXITED.search(line), KILLED.search(line)
    if exited:
        thread.end = ("exited", int(exited[1]))
    elif killed:
        thread.end = ("killed", killed[1])
    elif not SUPERSEDED.search(line) and not SIGNAL.search(line):
        raise AssertionError(f"not understood: {line}")


def run(command, folder, **options):
    """Runs a program to its end; returns its exit code, and its threads by id."""
    if not shutil.which("strace"):
        raise FileNotFoundError("strace")
    prefix = os.path.join(folder, "strace")
    code = subprocess.run(["strace", *OPTIONS, "-o", prefix, *command], timeout=120,
                          stdin=subprocess.DEVNULL, **options).returncode
    threads = {}
    for path in glob.glob(glob.escape(prefix) + ".*"):
        thread = threads[int(path.rsplit(".", 1)[1])] = Thread()
        with open(path, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                _read_line(thread, line.rstrip("\n"))
        os.unlink(path)
    return code, threads
