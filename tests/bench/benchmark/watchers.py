# SPDX-License-Identifier: MIT
"""What runs beside a load: the agent with several filters and outputs, and other programs that watch calls."""
import collections
import contextlib
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

UNTRACED, EMPTY = "untraced", "empty program on sys_exit"
AGAIN = "untraced, again"  # at the other end of a round: what it adds is noise
# What the agent captures, and its arguments.
CAPTURES = {
    "evt.type=open": ["-o", "none", "evt.type=open"],
    "evt.type=open to JSON": ["-o", "json", "evt.type=open"],
    "evt.type=open and proc.name=zzz": ["-o", "json", "evt.type=open and proc.name=zzz"],
    "evt.type=switch": ["-o", "none", "evt.type=switch"],
    "everything": ["-o", "none"],
    "everything, flight recorder": ["--flight-recorder", "64M", "-w", "/tmp/lanner-bench-flight.scap"],
    "everything with evt.latency": ["-o", "none", "evt.latency>=0"],
    "everything to JSON": ["-o", "json"],
}
COUNT_CALLS = 'tracepoint:raw_syscalls:sys_exit { @calls = count(); } BEGIN { printf("ready\\n"); }'
PRINT_OPENS = 'tracepoint:syscalls:sys_enter_openat { printf("%s %s\\n", comm, str(args->filename)); }'
READY_S, SETTLE_S, UNKNOWN_READY_S = 60, 0.3, 2.5
CPUCLOCK_SCHED = 2  # the clock of a process' CPU time is made of its number and this: clock_getcpuclockid(3)


class Failed(Exception):
    """A program ended early, or is not there."""


# `ready`: what it prints when it watches; None: it does not say so. Without `ready` output is discarded.
# `runs_load`: it is a command that starts the load. `divisor`: batches are smaller, as each call takes long.
Watcher = collections.namedtuple("Watcher", "name argv ready runs_load divisor", defaults=(None, False, 1))


def cpu_s_of(pid):
    """The CPU time of all threads of a process until now."""
    return time.clock_gettime(~pid << 3 | CPUCLOCK_SCHED)


class Watching:
    """A watcher that runs. What it says comes to a file: it never waits for who reads. `out`: a file for what it
    prints, in place of /dev/null."""

    def __init__(self, watcher, said, out=None):
        self.watcher, self.said = watcher, said
        out = said if watcher.ready == "ready" else out or subprocess.DEVNULL
        self.process = subprocess.Popen(watcher.argv, stdin=subprocess.PIPE, stdout=out, stderr=said)

    def wait_ready(self):
        deadline = time.monotonic() + (READY_S if self.watcher.ready else UNKNOWN_READY_S)
        while not (self.watcher.ready and self.watcher.ready in self.messages()):
            if self.process.poll() is not None:
                raise Failed(f"ended early: {self.messages()[-300:].strip()}")
            if time.monotonic() > deadline:
                if not self.watcher.ready:
                    break
                raise Failed(f"not ready within {READY_S} s: {self.messages()[-300:].strip()}")
            time.sleep(0.01)
        settle()

    def messages(self):
        return pathlib.Path(self.said.name).read_text(encoding="utf-8", errors="replace")

    def cpu_s(self):
        """The CPU time of all its threads until now."""
        return cpu_s_of(self.process.pid)

    def memory_mb(self, what):
        """Millions of bytes: VmRSS, resident now, or VmHWM, the most until now."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii", errors="replace")
        return int(re.search(rf"^{what}:\s*(\d+) kB$", status, re.MULTILINE)[1]) * 1024 / 1e6

    def stop(self):
        """Returns what it said until its end."""
        self.process.stdin.close()
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        return self.messages()


@contextlib.contextmanager
def watching(watcher, out=None):
    """With a watcher that watches. For `untraced` and watchers that run the load: None."""
    if not watcher.argv or watcher.runs_load:
        yield None
        return
    with tempfile.NamedTemporaryFile("w", prefix="lanner-bench-") as said:
        now = Watching(watcher, said, out)
        try:
            now.wait_ready()
            yield now
        finally:
            now.stop()


def settle():
    time.sleep(SETTLE_S)


def agent(build, name, arguments):
    return Watcher(name, [f"{build}/userspace/agent/agent", "-v", *arguments], "capturing")


def own(build, before=None):
    """The loads alone, the cost of any program, and the agent; with `before` also the agent of another build."""
    found = [Watcher(UNTRACED, None),
             Watcher(EMPTY, [f"{build}/tests/bench/empty_program"], "ready")]
    for what, arguments in CAPTURES.items():
        found.append(agent(build, f"lanner, {what}", arguments))
        if before:
            found.append(agent(before, f"before, {what}", arguments))
    return found


def others():
    """Others that watch calls, whether they are installed or not: missing() says."""
    return [
        Watcher("bpftrace, count of calls", ["bpftrace", "-e", COUNT_CALLS], "ready"),
        Watcher("bpftrace, opens", ["bpftrace", "-e", PRINT_OPENS]),
        Watcher("opensnoop", ["opensnoop"]),
        Watcher("syscount", ["syscount", "-d", "600"]),
        Watcher("perf trace", ["perf", "trace", "-a", "-o", "/dev/null"], divisor=50),
        Watcher("strace", ["strace", "-f", "-o", "/dev/null"], runs_load=True, divisor=50),
        Watcher("strace --seccomp-bpf, openat", ["strace", "-f", "--seccomp-bpf", "-e", "trace=openat", "-o",
                                                 "/dev/null"], runs_load=True, divisor=50),
    ]


def missing(watcher):
    """Why it cannot run; None when it can."""
    if watcher.argv and not shutil.which(watcher.argv[0]):
        return f"{watcher.argv[0]} is not installed"
    return None
