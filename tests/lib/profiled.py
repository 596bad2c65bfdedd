# SPDX-License-Identifier: MIT
"""Programs that agent profile is judged by: e2e/profiled.c in many builds, whose call tree and waits are known, and what the
agent says of them."""
import collections
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import tempfile

import lanner

SOURCES = pathlib.Path(__file__).resolve().parents[1] / "e2e"
# Stacks of the tree that are not at its inner end: of what is between.
OUTER = re.compile(r";main(;|$)")
INCOMPLETE = re.compile(r";\[[^]]* [^]]*\]")
# Modes of profiled.c that wait: the function that does, and what it calls for that.
WAITS = {"sleep": ("profiled_sleeps", "clock_nanosleep"), "lock": ("profiled_locks", "pthread_mutex_lock"),
         "disk": ("profiled_writes", "fsync"), "queue": ("profiled_queues", "")}
THROWS = """
#include <stdexcept>
static volatile unsigned long sink;
__attribute__((noinline)) static void throws(int n) {
    if (n == 0) throw std::runtime_error("some");
    for (int i = 0; i < 300; i++) sink += sink * 3 + n;
    throws(n - 1);
    sink++;
}
__attribute__((noinline)) static void catches() {
    try { throws(6); } catch (const std::exception &thrown) {
        for (int i = 0; i < 3000; i++) sink += thrown.what()[0];
    }
}
int main() { for (;;) catches(); }
"""


def build(folder, compiler, level, pointers):
    """A program of its own, with a library of its own."""
    name = f"{compiler}-{level}{'-fp' if pointers else ''}"
    path = os.path.join(folder, name)
    flags = [f"-O{level}", "-fno-omit-frame-pointer" if pointers else "-fomit-frame-pointer"]
    library = f"{path}.so"
    subprocess.run([compiler, *flags, "-shared", "-fPIC", "-o", library, str(SOURCES / "profiled_library.c")], check=True)
    subprocess.run([compiler, *flags, "-o", path, str(SOURCES / "profiled.c"), library, "-lpthread"], check=True)
    return path


def other_builds(folder):
    """Commands of ten programs without frame pointers that are built otherwise: static, at fixed addresses, small, with
    exceptions."""
    sources = [str(SOURCES / "profiled.c"), str(SOURCES / "profiled_library.c")]
    for name, words in {"gcc-static": "gcc -O2 -static", "gcc-static-pie": "gcc -O2 -static-pie", "gcc-no-pie": "gcc -O2 -no-pie",
                        "gcc-small": "gcc -Os", "gcc-lto": "gcc -O2 -flto", "clang-static": "clang -O2 -static",
                        "clang-no-pie": "clang -O2 -no-pie", "clang-small": "clang -Oz"}.items():
        path = os.path.join(folder, name)
        subprocess.run([*words.split(), "-fomit-frame-pointer", "-o", path, *sources, "-lpthread"], check=True)
        yield [path, "tree", "600"]
    for compiler in ("g++", "clang++"):
        path = os.path.join(folder, f"{compiler}-throws")
        subprocess.run([compiler, "-O2", "-fomit-frame-pointer", "-o", path, "-xc++", "-"], input=THROWS, text=True, check=True)
        yield [path]


@contextlib.contextmanager
def running(*commands):
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    try:
        yield children
    finally:
        for child in children:
            child.kill()
            child.wait()
            child.stdout.close()


def read_folded(out):
    """Stacks with their values."""
    stacks = collections.Counter()
    for line in out.splitlines():
        stack, _, value = line.rpartition(" ")
        stacks[stack] += int(value)
    return stacks


def of_program(stacks, name):
    return {stack: value for stack, value in stacks.items() if stack.split(";")[0] == name[:15]}


def not_whole(stacks):
    """How many samples have no whole stack, by the reason."""
    found = collections.Counter()
    for stack, count in stacks.items():
        reason = INCOMPLETE.search(stack)
        if reason or not OUTER.search(stack):
            found[reason[0] if reason else stack] += count
    return found


def profile_meanwhile(tool, run, agent=lanner.AGENT):
    """What the agent prints if it profiles from before run() until it has ended; what that returned, and what the agent
    said."""
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen([agent, *tool, "-v", "60"], stdout=subprocess.PIPE, stderr=said, text=True)
        try:
            def begun():
                said.seek(0)
                return "counting" in said.read() or child.poll() is not None
            lanner.wait_until(begun, "it counts")
            found = run()
            child.send_signal(signal.SIGINT)
            out, _ = child.communicate(timeout=lanner.LIMIT_S)
        finally:
            child.kill()
            child.wait()
        said.seek(0)
        err = said.read()
    lanner.equal(child.returncode, 0, err)
    return out, found, err


def profile_of(command, *tool, agent=lanner.AGENT):
    """Stacks with the time off the CPU of a program, the first word with a slash, that is started when the
    agent counts, and runs to its end; the time that it printed; and what the agent said."""
    def run():
        return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    out, known, err = profile_meanwhile(tool or ("profile", "--off-cpu", "-o", "folded"), run, agent)
    name = os.path.basename(next(word for word in command if "/" in word))
    return list(of_program(read_folded(out), name).items()), known, err


def waits_of(path, *mode, agent=lanner.AGENT):
    """The stacks in which a program waited that has this mode, how long it measured that itself, in ns, how long by the
    reasons of the profile, and whether waits were lost. In the mode `queue` another program wants the CPU, too."""
    function, within = WAITS[mode[0]]
    cpu = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    others = [[*cpu, "sh", "-c", "while :; do :; done"]] if mode[0] == "queue" else []
    with running(*others):
        stacks, known, err = profile_of([*(cpu if others else ()), path, *mode], agent=agent)
    mine = [(stack, ns) for stack, ns in stacks if f";{function};" in stack and within in stack]
    reasons = collections.Counter()
    for stack, ns in mine:
        reasons[re.search(r";\[([a-z ]+)\](;\[woken by\]|$)", stack)[1]] += ns
    return mine, known, reasons, " waits lost" in err
