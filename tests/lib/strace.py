# SPDX-License-Identifier: MIT
"""Runs a program under strace and reads what it wrote: the system calls of each thread in order.

strace writes one file for each thread, so that no call is cut in two by another thread's, and shows
strings as escapes and flags as numbers with their names, so that a line has one form:
    [   3] close(3) = 0
    [   2] open("\\x61", 0 /* O_RDONLY */) = -1 ENOENT (No such file or directory)
    [   0] read(3, 0x7ff, 1) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)
    [ 202] futex(0x7ff, 0x80 /* FUTEX_WAIT_PRIVATE */, 1, NULL) = ?
    [ 231] +++ exited with 0 +++
"""
import contextlib
import glob
import os
import re
import signal
import subprocess

LIMIT_S = 400  # each call stops twice for it, and other programs want the processors, too
OPTIONS = ["-ff", "-n", "-X", "verbose", "-xx", "-s", "80", "-q"]
PREFIX = re.compile(r"\[\s*(\d+|\?+)\] (.*)$")
CALL = re.compile(r"(\w+|\?{3})\((.*?)(?:[, ]*<unfinished \.\.\.>)?\)\s+= "
                  r"(\?|-?\d+|0x[0-9a-f]+)(?: (E\w+))?(?: /\*.*\*/)?"
                  r"(?: \(.*\)| <unavailable>)?$")
RESUMED = re.compile(r"<\.\.\. (\w+) resumed>(.*)\)\s+= 0$")
UNFINISHED = re.compile(r"(\w+)\((.*?)[, ]*<(?:unfinished|pid changed to \d+) \.\.\.>$")
ENDS = [
    ("exited", re.compile(r"\+\+\+ exited with (\d+) \+\+\+$")),
    ("killed", re.compile(r"\+\+\+ killed by (\w+)(?: \(core dumped\))? \+\+\+$")),
    ("superseded", re.compile(r"\+\+\+ superseded by execve in pid (\d+) \+\+\+$")),
]
SIGNAL = re.compile(r"--- SIG\w+ {si_signo=(\d+) .* ---$")
STOP = re.compile(r"--- stopped by SIG\w+ ---$")


class Call:
    """A system call: result is a number, the name of an error, or None where strace saw none. The
    arguments are text; what strace did not show of them is missing."""

    def __init__(self, number, name, arguments, result):
        self.number, self.name, self.arguments, self.result = number, name, arguments, result

    def __repr__(self):
        result = "?" if self.result is None else self.result
        return f"{self.name}[{self.number}]({self.arguments}) = {result}"


class End:
    """The end of a thread: "exited" with a code, "killed" by a signal, or "superseded", for a main
    thread, by another thread whose exec gives it this id."""

    def __init__(self, how, value):
        self.how, self.value = how, value

    def __repr__(self):
        return f"{self.how} {self.value}"


class Signal:
    """A signal that arrives at a thread."""

    def __init__(self, number):
        self.name, self.number = "signal", number

    def __repr__(self):
        return f"signal {self.number}"


def _value(text):
    """The masks of umask are the only octal results."""
    return int(text, 8) if re.fullmatch(r"0\d+", text) else int(text, 0)


def _parse(line):
    """What a line shows; None for a stop."""
    number, text = PREFIX.match(line).groups()
    number = int(number) if number.isdigit() else -1
    call = CALL.match(text)
    if call:
        name, arguments, value, error = call.groups()
        return Call(number, name, arguments, error or (None if value == "?" else _value(value)))
    resumed, unfinished = RESUMED.match(text), UNFINISHED.match(text)
    if resumed:
        return Call(number, resumed[1], "", 0)
    if unfinished:
        return Call(number, *unfinished.groups(), None)
    for how, pattern in ENDS:
        end = pattern.match(text)
        if end:
            return End(how, end[1])
    arrived = SIGNAL.match(text)
    if arrived:
        return Signal(int(arrived[1]))
    if STOP.match(text):
        return None
    raise AssertionError(f"not understood: {line}")


class GaveUp(Exception):
    """strace ended ahead of a program: it does when ptrace() fails at the wrong moment."""


def run(command, folder, **options):
    """Runs a program to its end; returns its exit code, the process id of strace, and for the id of
    each thread a list of Call, Signal and End in order. What it leaves behind when it gives up is
    killed."""
    prefix = os.path.join(folder, "strace")
    process = subprocess.Popen(["strace", *OPTIONS, "-o", prefix, *command], start_new_session=True,
                               stdin=subprocess.DEVNULL, **options)
    process.wait(LIMIT_S)
    written = {}
    for path in glob.glob(glob.escape(prefix) + ".*"):
        with open(path, encoding="utf-8", errors="replace") as lines:
            written[int(path.rsplit(".", 1)[1])] = lines.read()
        os.unlink(path)
    if any(not text.endswith("\n") or "<detached ...>" in text for text in written.values()):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        raise GaveUp
    threads = {tid: [item for item in map(_parse, text.split("\n")[:-1]) if item]
               for tid, text in written.items()}
    return process.returncode, process.pid, threads
