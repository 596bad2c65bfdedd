# SPDX-License-Identifier: MIT
"""Runs jobs side by side, each when what it needs is done, and reports the tests that they are.

A job is one or more tests. Its action gets the Report and returns whether what others need of it is
there.

A test that measures times and losses of a whole machine can fail because of what the kernel or that machine
decides by chance. Tests that fail are therefore run a second time, alone, behind all others. What failed
the first time is printed whole; what passes then is flaky, and named again at the end with its cause, if
that is known. More than a few of them are no chance: the run fails, and its log says what passed alone.
"""
import dataclasses
import os
import re
import select
import signal
import subprocess
import tempfile
import threading
import time
import typing

SKIP = 77
KILL_AFTER_S = 10
SLOWEST = 10
# More tests that could not run are a number.
NAMED = 10
# With more failures than these it is not chance that is wrong, and the run fails. They are all tried again, so that
# the log shows which of them is one of chance, unless they are so many that this takes long and shows nothing.
SECOND_TRIES_MAX = 3
TRIED_AGAIN_MAX = 20


# What programs of many cases say of their number, and which of them they skip: those of unit tests, those that
# print TAP, and scripts (lanner.py). A unit test has its reason in the line below.
CASES = re.compile(r"^(\d+) cases in |^1\.\.(\d+)$", re.MULTILINE)
SKIPPED = re.compile(r"^(?:SKIP  .*\n.*|skip  .*|ok .* # SKIP .*)$", re.MULTILINE)

# A case that failed, and what was said of it up to the next one: of scripts a traceback, whose lines are indented but for
# the error.
FAILED = re.compile(r"^FAIL  (.*)\n((?:(?!ok  |skip  |FAIL  |SKIP  |PASS  |\d+ cases ).*\n?)*)", re.MULTILINE)
REASONS, REASON_BYTES = 3, 300


def reasons(output):
    """Of the first cases that failed a line each: what the log is searched for first."""
    found = []
    for case, said in FAILED.findall(output)[:REASONS]:
        lines = [line for line in said.splitlines() if line and not line.startswith(" ") and not line.startswith("Traceback")]
        found.append(f"{case}: {' | '.join(map(str.strip, lines or said.splitlines()))}"[:REASON_BYTES])
    return found or [line[:REASON_BYTES] for line in output.splitlines()[-1:]]


# What a sanitizer says of what it found, which is no chance. Container runtimes have "runtime error"s, too.
FOUND = re.compile(r"ERROR: \w+Sanitizer|\.[ch]:\d+:\d+: runtime error: ")


def count_cases(output):
    """How many a test says that it has; what says nothing is one."""
    said = CASES.search(output)
    return int(said[1] or said[2]) if said else 1


def flaky_causes(table):
    """Of the table of tests/flaky.md: a dict from the name of a test to the cause."""
    rows = re.findall(r"^\| `(\S+)` \| (.+?) \|", table, re.MULTILINE)
    return dict(rows)


@dataclasses.dataclass(frozen=True)
class Job:
    name: str
    action: typing.Callable
    needs: tuple = ()  # names of jobs
    alone: bool = False  # nothing else may run meanwhile
    after: tuple = ()  # names of jobs that have ended by then, whatever came of them


class Report:
    """A line for each test, and the output of those that failed."""

    def __init__(self, causes=None):
        self.lock = threading.Lock()
        self.counts = {"PASS": 0, "FAIL": 0, "SKIP": 0}
        self.tests = []  # seconds, those of CPUs, and name
        self.cases = {}  # of what ran, by the folder of its name: pairs of cases and programs
        self.skips = 0  # parts of what ran
        self.again = {}  # of tests that failed once: name, and what runs it again
        self.not_run = {}  # names, by what would have had to pass
        self.passed = set()
        self.reasons = []  # of what failed, also once: pairs of a name and a line
        self.causes = causes or {}  # of tests that are known to be flaky

    def failed_once(self, name, seconds, cpu_seconds, output, again):
        """Says so, and leaves the verdict to a second try."""
        with self.lock:
            self.again[name] = again
            self.reasons += [(name, reason) for reason in reasons(output)]
            self._print("AGAIN", name, self._times(seconds, cpu_seconds), output.splitlines())

    def try_again(self):
        """Runs those that failed once, unless they are very many; returns when all have their verdict."""
        count = len(self.again)
        for name, again in list(self.again.items()):
            if count > TRIED_AGAIN_MAX:
                self.add("FAIL", name, 0, "no second try: too many have failed")
            else:
                again(self)
        if SECOND_TRIES_MAX < count <= TRIED_AGAIN_MAX:
            with self.lock:
                self.counts["FAIL"] += 1
                self._print("FAIL", "second tries", f"{count} tests needed one, {SECOND_TRIES_MAX} are allowed", ())

    @staticmethod
    def _times(seconds, cpu_seconds):
        return f"{seconds:.1f} s, {cpu_seconds:.1f} s of CPUs"

    @staticmethod
    def _print(verdict, name, note, lines):
        print(f"{verdict}  {name} ({note})", *(f"      {line}" for line in lines),
              sep="\n", flush=True)

    def add(self, verdict, name, seconds, output="", cases=1, show=False, cpu_seconds=0):
        """With `show` the output is printed whatever the verdict is."""
        lines, skipped = output.splitlines(), SKIPPED.findall(output)
        skips = "\n".join(skipped).splitlines()
        shown = {"FAIL": lines, "SKIP": skips or lines[-1:]}.get(verdict, lines if show else skips)
        kind = name.partition("/")[0]
        with self.lock:
            self.counts[verdict] += 1
            if verdict != "SKIP" and kind != "build":
                sums = self.cases.get(kind, (0, 0))
                self.cases[kind] = (sums[0] + cases, sums[1] + 1)
            self.skips += len(skipped)
            self.tests.append((seconds, cpu_seconds, name))
            if verdict == "PASS":
                self.passed.add(name)
            elif verdict == "FAIL":
                self.reasons += [(name, reason) for reason in reasons(output)]
            self._print(verdict, name, self._times(seconds, cpu_seconds), shown)

    def without(self, name, missing):
        """A test failed that could not run, as others have that it needs: said once for all, at the end."""
        with self.lock:
            self.counts["FAIL"] += 1
            self.not_run.setdefault(", ".join(missing), []).append(name)

    def close(self):
        """Prints the slowest tests and the sum; returns the exit code."""
        if len(self.tests) > SLOWEST:
            print(f"The slowest, of {sum(test[1] for test in self.tests):.0f} s of CPUs in all:")
            for seconds, cpu_seconds, name in sorted(self.tests, reverse=True)[:SLOWEST]:
                print(f"  {seconds:6.1f} s, {cpu_seconds:6.1f} s of CPUs  {name}")
        # A log may be kept without its middle.
        for name, reason in dict.fromkeys(self.reasons):
            print(f"why: {name}: {reason}")
        for name in self.again:
            if name in self.passed:
                print(f"flaky: {name} 1 of 2: {self.causes.get(name, 'for a cause that is not known')}")
        for missing, names in self.not_run.items():
            print(f"not run, as {missing} failed: {len(names)} tests" if len(names) > NAMED else
                  f"not run, as {missing} failed: {', '.join(names)}")
        if self.cases:
            cases, programs = map(sum, zip(*self.cases.values()))
            kinds = ", ".join(f"{kind} {sums[0]} in {sums[1]}" for kind, sums in self.cases.items())
            print(f"{cases} cases in {programs} programs: {kinds}" +
                  f"; {self.skips} cases skipped" * bool(self.skips))
        skipped = f", {self.counts['SKIP']} skipped" if self.counts["SKIP"] else ""
        print(f"{self.counts['PASS']} passed, {self.counts['FAIL']} failed{skipped}", flush=True)
        return 0 if self.counts["PASS"] and not self.counts["FAIL"] else 1


class Commands:
    """Runs commands, and ends those that still run with all that they started."""

    def __init__(self):
        self.lock = threading.Lock()
        self.running = set()
        self.ended = False

    @staticmethod
    def _signal(process, number):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass

    def end(self, process):
        self._signal(process, signal.SIGTERM)
        try:
            process.wait(KILL_AFTER_S)
        except subprocess.TimeoutExpired:
            pass
        self._signal(process, signal.SIGKILL)
        process.wait()

    def end_all(self):
        """Ends them, and no other begins."""
        with self.lock:
            self.ended = True
        for process in list(self.running):
            self.end(process)

    def _start(self, command, out, env):
        with self.lock:
            if self.ended:
                raise InterruptedError("all commands have been ended")
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=subprocess.STDOUT, process_group=0, env=env)
            self.running.add(process)
            return process

    @staticmethod
    def _wait(process, limit_s):
        """The seconds of CPUs that it and what it waited for have taken; raises TimeoutExpired."""
        descriptor = os.pidfd_open(process.pid)
        try:
            if not select.select([descriptor], [], [], limit_s)[0]:
                raise subprocess.TimeoutExpired(process.args, limit_s)
        finally:
            os.close(descriptor)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_utime + usage.ru_stime

    def run(self, command, limit_s=None, env=None):
        """The exit code and the output; in place of the code None when it took too long."""
        return self.measure(command, limit_s, env)[:2]

    def measure(self, command, limit_s=None, env=None):
        """As run(), with the seconds of CPUs; 0 when it took too long."""
        with tempfile.TemporaryFile() as out:
            process = self._start(command, out, env)
            try:
                cpu_seconds = self._wait(process, limit_s)
                code = process.returncode
            except subprocess.TimeoutExpired:
                self.end(process)
                code, cpu_seconds = None, 0
                out.write(f"stopped after {limit_s} s\n".encode())
            self.running.discard(process)
            out.seek(0)
            return code, out.read().decode(errors="replace"), cpu_seconds

    def test(self, report, name, command, limit_s=None, env=None, tries=1, failed=None, cases=0,
             show=False):
        """A command that is a test: its exit code is the verdict, that of the last of its tries.

        `failed` gives the arguments with which only what has failed, as the output says, is tried again;
        `cases` is how many an earlier try has had; with `show` what passes is printed too."""
        begin = time.monotonic()
        code, output, cpu_seconds = self.measure(command, limit_s, env)
        verdict = {0: "PASS", SKIP: "SKIP"}.get(code, "FAIL")
        seconds = time.monotonic() - begin
        cases = max(cases, count_cases(output))
        if verdict == "FAIL" and tries > 1 and not FOUND.search(output):
            again = [*command, *(failed(output) if failed else ())]
            report.failed_once(name, seconds, cpu_seconds, output, lambda report: self.test(
                report, name, again, limit_s, env, tries - 1, failed, cases))
        else:
            report.add(verdict, name, seconds, output, cases, show, cpu_seconds)
        return verdict == "PASS"


class Processors:
    """How much of the time of all processors nobody used, from one question to the next."""

    def __init__(self, path="/proc/stat"):
        self.path, self.before = path, (0, 0)

    def idle_share(self):
        with open(self.path, encoding="ascii") as file:
            ticks = [int(word) for word in file.readline().split()[1:9]]
        now = ticks[3] + ticks[4], sum(ticks)  # idle, and idle while something is read from a disk
        idle, everything = (new - old for new, old in zip(now, self.before))
        self.before = now
        return idle / everything if everything else 0


class Schedule:
    """Jobs in lanes: in each lane one at a time, the first of the list for which what it waits for is done."""

    IDLE_S = 1
    IDLE_SHARE = 0.2

    def __init__(self, jobs, report, idle_share=Processors().idle_share):
        self.waiting = list(jobs)
        self.idle_share = idle_share
        self.asking = threading.Lock()
        self.report = report
        self.done = {}  # name: whether it is of use to those that need it
        self.changed = threading.Condition()

    def _run(self, job):
        missing = [need for need in job.needs if not self.done[need]]
        done = False
        try:
            if missing:
                self.report.without(job.name, missing)
            else:
                done = job.action(self.report)
        except Exception as error:  # of a job, which must not stop its lane
            self.report.add("FAIL", job.name, 0, f"{type(error).__name__}: {error}")
        with self.changed:
            self.done[job.name] = done
            self.changed.notify_all()

    def _take(self, wait=True):
        """The next job, or None when all have been taken; without waiting also when none can begin."""
        with self.changed:
            while self.waiting:
                for job in self.waiting:
                    if all(name in self.done for name in (*job.needs, *job.after)):
                        self.waiting.remove(job)
                        return job
                if not wait:
                    break
                self.changed.wait()
            return None

    def _lane(self):
        while job := self._take():
            self._run(job)

    def _take_if_idle(self):
        """One lane after the other, so that each sees what the one before has begun."""
        with self.asking:
            self.idle_share()
            time.sleep(self.IDLE_S)
            return self._take(wait=False) if self.idle_share() >= self.IDLE_SHARE else None

    def _idle_lane(self):
        while self.waiting:
            if job := self._take_if_idle():
                self._run(job)

    def run(self, lanes, idle_lanes=0):
        """All jobs, those that have to be alone behind the others. `idle_lanes` more begin one only when others have
        left processors idle for a while."""
        alone = [job for job in self.waiting if job.alone]
        self.waiting = [job for job in self.waiting if not job.alone]
        works = [self._lane] * lanes + [self._idle_lane] * idle_lanes
        threads = [threading.Thread(target=work, daemon=True) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for job in alone:
            self._run(job)
        self.report.try_again()
