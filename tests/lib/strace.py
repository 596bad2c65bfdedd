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
import subprocess

OPTIONS = ["-ff", "-n", "-e", "raw=all", "-q"]
PREFIX = re.compile(r"\[\s*(\d+|\?+)\] (.*)$")
CALL = re.compile(r"(\w+)\(.*\)\s+= (\?|-1|0|0x[0-9a-f]+)(?: (E\w+))?(?: \(.*\))?$")
RESUMED = re.compile(r"<\.\.\. (\w+) resumed>.*\)\s+= 0$")
UNFINISHED = re.compile(r"(\w+)\(.* <(?:unfinished|pid changed to \d+) \.\.\.>$")
ENDS = [
    ("exited", re.compile(r"\+\+\+ exited with (\d+) \+\+\+$")),
    ("killed", re.compile(r"\+\+\+ killed by (\w+)(?: \(core dumped\))? \+\+\+$")),
    ("superseded", re.compile(r"\+\+\+ superseded by execve in pid (\d+) \+\+\+$")),
]
SIGNAL = re.compile(r"--- .* ---$")


class Call:
    """A system call: result is a number, the name of an error, or None where strace saw none."""

    def __init__(self, number, name, result):
        self.number, self.name, self.result = number, name, result

    def __repr__(self):
        return f"{self.name}[{self.number}] = {'?' if self.result is None else self.result}"


class End:
    """The end of a thread: "exited" with a code, "killed" by a signal, or "superseded", for a main
    thread, by another thread whose exec gives it this id."""

    def __init__(self, how, value):
        self.how, self.value = how, value

    def __repr__(self):
        return f"{self.how} {self.value}"


def _signed(text):
    value = int(text, 16)
    return value - 2**64 if value >= 2**63 else value


def _parse(line):
    """The call or the end that a line tells of; None for a signal."""
    number, text = PREFIX.match(line).groups()
    number = int(number) if number.isdigit() else -1
    call = CALL.match(text)
    if call:
        name, value, error = call.groups()
        return Call(number, name, error or (None if value == "?" else _signed(value)))
    resumed, unfinished = RESUMED.match(text), UNFINISHED.match(text)
    if resumed:
        return Call(number, resumed[1], 0)
    if unfinished:
        return Call(number, unfinished[1], None)
    for how, pattern in ENDS:
        end = pattern.match(text)
        if end:
            return End(how, end[1])
    if SIGNAL.match(text):
        return None
    raise AssertionError(f"not understood: {line}")


def run(command, folder, **options):
    """Runs a program to its end; returns its exit code, the process id of strace, and for the id of
    each thread a list of Call and End in order."""
    prefix = os.path.join(folder, "strace")
    process = subprocess.Popen(["strace", *OPTIONS, "-o", prefix, *command],
                               stdin=subprocess.DEVNULL, **options)
    process.wait(120)
    threads = {}
    for path in glob.glob(glob.escape(prefix) + ".*"):
        with open(path, encoding="utf-8", errors="replace") as lines:
            parsed = [_parse(line.rstrip("\n")) for line in lines]
        threads[int(path.rsplit(".", 1)[1])] = [item for item in parsed if item]
        os.unlink(path)
    return process.returncode, process.pid, threads
