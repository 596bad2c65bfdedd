# SPDX-License-Identifier: MIT
"""For tests written in Python: running the agent and reading what it says.

A test is a file with functions test_*(); lanner.main() runs them all and ends the program with the
exit code that tests/run expects.
"""
import contextlib
import fcntl
import inspect
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import traceback

TOP = os.environ.get("LANNER_TOP") or os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
AGENT = os.environ.get("AGENT") or os.path.join(TOP, "build-test/userspace/agent/agent")
BUILD = os.path.realpath(os.path.join(os.path.dirname(AGENT), "../.."))
REFERENCE = os.path.join(TOP, "tests/reference")
SKIP = 77
# Causes of losses that others' processes have, however idle the machine is: they send any number of messages by
# one call, or flood the rings. What a test does itself and loses so, it misses in what it counts.
TOO_MANY_MESSAGES = "messages beyond the first of a call"
OVER_THE_SHARE = "over the share of a process"
# Of waiting for what comes soon, however slow the machine is and whatever else runs on it.
LIMIT_S = 60
# Of a failed test, for the agent's report.
REPORT_S = 10

REPORT = re.compile(r"^agent: seen (\d+) = delivered (\d+) \+ lost (\d+)"
                    r"(?: \+ filtered (\d+))?(?: \+ unread (\d+))?(?: \+ corrupt (\d+))?"
                    r"(?: \+ unaccounted (-?\d+))?; matched (\d+), printed (\d+)$", re.MULTILINE)
FILE_REPORT = re.compile(r"^agent: read (\d+) events of (\d+) bytes; matched (\d+), printed (\d+)$",
                         re.MULTILINE)
WROTE = re.compile(r"^agent: wrote (?:at least )?(\d+) events \((\d+) bytes\) to (.*)$", re.MULTILINE)
EVENT = re.compile(r"^agent: event (\S+): seen (\d+), delivered (\d+), filtered (\d+), lost (\d+), "
                   r"unreadable (\d+)$", re.MULTILINE)


class Skip(Exception):
    """Raised by a test that cannot run here."""


def need_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


@contextlib.contextmanager
def busy_machine():
    """Some events all the time: a machine may be so quiet that there are none for seconds."""
    loop = "while :; do cat /etc/hostname; sleep 0.02; done"
    process = subprocess.Popen(["sh", "-c", loop], stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def free_port(kind=socket.SOCK_STREAM):
    """A port of 127.0.0.1 that nobody listens on, and that the kernel gives to nobody who does not ask for it:
    a connection of another program cannot take it before the test does."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as limits:
        first = int(limits.read().split()[0])
    while True:
        port = random.randrange(min(10000, first - 100), first)
        with socket.socket(socket.AF_INET, kind) as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def wait_until(condition, what, timeout=LIMIT_S):
    """What condition() returns when it is true; AssertionError if it does not become so. `what` may be a function
    that says so then."""
    deadline = time.monotonic() + timeout
    while not (found := condition()):
        assert time.monotonic() < deadline, f"{what() if callable(what) else what}: not within {timeout} s"
        time.sleep(0.02)
    return found


def read_to(stream, begin):
    """Reads lines up to one whose beginning matches the regular expression; returns it."""
    while line := stream.readline():
        if re.match(begin, line):
            return line
    raise AssertionError(f"no line that begins with {begin!r}")


def unread(pipe):
    """The number of bytes in a pipe that nobody has read."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


def wait_until_full(pipe):
    """Returns when no more is written to a pipe that nobody reads; a pipe may be full without holding 64 KiB."""
    def is_full():
        before = unread(pipe)
        time.sleep(0.3)
        return before > PIPE_BYTES // 3 and unread(pipe) == before

    wait_until(is_full, "a full pipe")


PIPE_BYTES = 1 << 16


def without_ends(lines):
    """Records of an output, as text or bytes, but for its end records: test_ends is about those."""
    def is_end(line):
        line = line if isinstance(line, str) else line.decode(errors="replace")
        return '"end.reason":' in line or 'end_reason":' in line or line.startswith("end: ")

    return [line for line in lines if not is_end(line)]


def run(*args, stdin=None, **options):
    """Runs the agent to its end; returns its exit code, stdout and stderr."""
    done = subprocess.run([AGENT, *args], input=stdin, capture_output=True, text=True, timeout=2 * LIMIT_S,
                          errors="replace", **options)
    return done.returncode, done.stdout, done.stderr


def parse_report(stderr):
    """The numbers of the final report as a dictionary; 'causes' by cause, 'events' (-v) by event."""
    found = REPORT.findall(stderr)
    if len(found) != 1:
        raise AssertionError(f"{len(found)} reports on stderr:\n{stderr}")
    names = ["seen", "delivered", "lost", "filtered", "unread", "corrupt", "unaccounted", "matched", "printed"]
    report = {name: int(value or 0) for name, value in zip(names, found[0])}
    causes = re.findall(r"^agent: lost by cause: (.*)$", stderr, re.MULTILINE)
    report["causes"] = {
        cause: int(count) for cause, count in
        (part.rsplit(" ", 1) for part in ", ".join(causes).split(", ") if part)}
    report["lost by chance"] = report["lost"] - sum(
        report["causes"].get(cause, 0) for cause in (TOO_MANY_MESSAGES, OVER_THE_SHARE))
    report["events"] = {
        name: dict(zip(["seen", "delivered", "filtered", "lost", "unreadable"], map(int, numbers)))
        for name, *numbers in EVENT.findall(stderr)}
    return report


def parse_file_report(stderr):
    """The numbers of the final report about a file that was read, as a dictionary."""
    found = FILE_REPORT.findall(stderr)
    if len(found) != 1:
        raise AssertionError(f"{len(found)} reports on stderr:\n{stderr}")
    return dict(zip(["read", "bytes", "matched", "printed"], map(int, found[0])))


def parse_wrote(stderr):
    """Of what was recorded: events, bytes, and where to."""
    found = WROTE.findall(stderr)
    if len(found) != 1:
        raise AssertionError(f"{len(found)} recordings on stderr:\n{stderr}")
    return int(found[0][0]), int(found[0][1]), found[0][2]


def balanced(report):
    """Fails unless each event that was seen was delivered, filtered or lost, in total and by event."""
    equal((report["corrupt"], report["unaccounted"]), (0, 0))
    equal(report["seen"], report["delivered"] + report["filtered"] + report["lost"], "seen")
    for name, event in report["events"].items():
        equal(event["seen"], event["delivered"] + event["filtered"] + event["lost"],
              f"seen of {name}")
    for key in ("seen", "delivered", "filtered", "lost"):
        equal(report[key], sum(event[key] for event in report["events"].values()), key)


def loads(line):
    """The object of a line of JSON. Numbers that have a fraction for their size alone stay exact."""
    return json.loads(line, parse_float=lambda text: int(text[:-2]) if re.fullmatch(r"\d{19,}\.0", text) else float(text))


class Agent:
    """A capture that runs beside the test. Use as a context manager.

    `parse` makes an event of a line, or raises ValueError. With a file as `output` nothing is read.
    `before`: the words of a command that runs the agent.
    """

    def __init__(self, *args, parse=loads, output=subprocess.PIPE, before=()):
        need_root()
        self.parse = parse
        self.events = []
        self.bad_lines = []
        self.stderr = ""
        self.started = time.monotonic()
        self.ready = threading.Event()
        self.process = subprocess.Popen([*before, AGENT, "-v", *args], stdin=subprocess.DEVNULL,
                                        stdout=output, stderr=subprocess.PIPE, text=True)
        self.readers = [threading.Thread(target=self._read_events),
                        threading.Thread(target=self._read_messages)]
        for reader in self.readers:
            reader.start()

    def _read_events(self):
        for line in self.process.stdout or ():
            try:
                event = self.parse(line)
            except ValueError:
                self.bad_lines.append(line)
                continue
            self.events.append(event)

    def _read_messages(self):
        for line in self.process.stderr:
            self.stderr += line
            if line.startswith("agent: capturing"):
                self.ready.set()
        self.ready.set()

    def __enter__(self):
        if not self.ready.wait(LIMIT_S) or self.process.poll() is not None:
            self.process.kill()
            raise AssertionError(f"the agent did not start:\n{self.stderr}")
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None and self.process.poll() is None:
            # What it lost may be why the test failed: its report says so.
            self.process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(REPORT_S)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for reader in self.readers:
            reader.join()
        if kind is not None:
            print(f"agent's stderr:\n{self.stderr}")

    def find(self, wanted, begin=0, timeout=LIMIT_S):
        """The number of the first event, from number `begin` on, for which wanted(event) is true; AssertionError if
        none comes. Each event is looked at once, and what reads them is not held up by that."""
        deadline = time.monotonic() + timeout
        looked_at, is_last = begin, False
        while not is_last:
            # Known before it is looked: what has been read by the end is all.
            is_last = time.monotonic() > deadline or not self.readers[0].is_alive()
            end = len(self.events)
            for at in range(looked_at, end):
                if wanted(self.events[at]):
                    return at
            if looked_at >= end:
                time.sleep(0.005)
            looked_at = max(looked_at, end)
        near = "\n".join(json.dumps(event) for event in self.events[-5:])
        raise AssertionError(f"no such event among {looked_at - begin}; the last ones:\n{near}")

    def wait_for(self, wanted, timeout=LIMIT_S, begin=0):
        """That event."""
        return self.events[self.find(wanted, begin, timeout)]

    def wait_for_count(self, count, wanted=lambda event: True, begin=0):
        """Returns when there are so many events, from number `begin` on, for which wanted(event) is true."""
        for _ in range(count):
            begin = self.find(wanted, begin) + 1

    def wait_for_message(self, pattern, count=1):
        """Returns when the regular expression has matched so many times on stderr."""
        def found():
            return len(re.findall(pattern, self.stderr, re.MULTILINE))

        wait_until(lambda: not self.readers[1].is_alive() or found() >= count,
                   lambda: f"{count} times {pattern!r} in:\n{self.stderr}")
        assert found() >= count, f"{found()} times {pattern!r}, not {count}, in:\n{self.stderr}"

    def stop(self, number=signal.SIGINT, status=0):
        """Ends the agent; returns its report. Its exit code must be `status`, every line an event."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(LIMIT_S)
        for reader in self.readers:
            reader.join()
        assert code == status, f"exit code {code}:\n{self.stderr}"
        assert not self.bad_lines, f"not events: {self.bad_lines[:3]}"
        return parse_report(self.stderr)


def compile_program(source, folder, *libraries):
    """Compiles a C file that stands beside the tests, with `-l...`; returns the program's path."""
    program = os.path.join(folder, os.path.splitext(os.path.basename(source))[0])
    subprocess.run(["gcc", "-O2", "-Wall", "-Werror", "-D_GNU_SOURCE", "-pthread", "-o", program,
                    source, *libraries], check=True)
    return program


def equal(actual, expected, what=""):
    assert actual == expected, f"{what or 'value'}: {actual!r}, expected {expected!r}"


def cpu_seconds():
    """What this program and the children that it waited for have taken of CPUs."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


class Shared:
    """What tests of a file have in common: begun when the first one asks for it, and ended behind the last one that does."""

    def __init__(self, contexts):
        self.contexts, self.values, self.stacks = contexts, {}, {}

    def get(self, name):
        if name not in self.values:
            stack = self.stacks.setdefault(name, contextlib.ExitStack())
            folder = tempfile.mkdtemp(prefix="lanner-")
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            self.values[name] = stack.enter_context(self.contexts[name](folder))
        return self.values[name]

    def end(self, names):
        """Those of them that have begun. Returns how many did not end well."""
        failed = 0
        for name in names & self.stacks.keys():
            try:
                self.stacks[name].close()
            except Exception:  # as of a test
                failed += 1
                print(f"FAIL  the end of {name}\n{traceback.format_exc()}", flush=True)
        return failed


def main(**contexts):
    """Runs every test_*() of the calling file. A parameter named `folder` gets a scratch folder; one of another name what
    the context manager of that name yields, which gets a folder that all tests share. Those that share it stand together, so
    that it does not go on for others."""
    caller = inspect.getmodule(inspect.stack()[1][0])
    tests = [(name, function) for name, function in vars(caller).items()
             if name.startswith("test_") and callable(function)]
    wanted = [list(inspect.signature(function).parameters) for _, function in tests]
    shared = Shared(contexts)
    failed, skipped = 0, 0
    for number, (name, function) in enumerate(tests):
        folder = tempfile.mkdtemp(prefix="lanner-")
        begin, cpu_begin = time.monotonic(), cpu_seconds()
        try:
            function(**{name: folder if name == "folder" else shared.get(name) for name in wanted[number]})
            print(f"ok    {name} ({time.monotonic() - begin:.1f} s, {cpu_seconds() - cpu_begin:.1f} s of CPUs)", flush=True)
        except Skip as reason:
            skipped += 1
            print(f"skip  {name}: {reason}", flush=True)
        except Exception:  # every kind of failure is the test's result
            failed += 1
            print(f"FAIL  {name}\n{traceback.format_exc()}", flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        failed += shared.end(set(wanted[number]).difference(*wanted[number + 1:]))
    print(f"{len(tests)} cases in this file")
    sys.exit(1 if failed or not tests else SKIP if skipped == len(tests) else 0)
