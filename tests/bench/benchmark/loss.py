# SPDX-License-Identifier: MIT
"""The part `loss`: how many opens are lost under a rising load, with ring buffers of the same size."""
import os
import pathlib
import subprocess
import tempfile

from . import rounds, tables, watchers
from .chart import Lines
from .results import Sample
from .steps import Step
from .watchers import Failed

ROUND_S, SHORT_S = 60, 14
PERCENT = "% lost"
RING_BYTES = 64 * 4096  # of each CPU: what opensnoop and bpftrace have
RATES = (50000, 100000, 200000, 400000)  # events a second: two for each open
DRAIN_STEPS, DRAINED_S = 40, 0.02
UNPACED = 1000000  # stands for both CPUs without a pause
UNPACED_BATCHES, UNPACED_ROUNDS = 24, 20000  # of syscall_loop, which makes one batch more
DEFAULT = "lanner, opens to JSON, default rings"
# perf trace prints no name of a file where the kernel has no probes: its lines are known by the process.
LOADERS = (b"paced_calls/", b"syscall_loop/")


def step_watchers(build):
    """Each prints opens; what they print comes to a file in memory, where it is counted."""
    json = ["-o", "json", "evt.type=openat"]
    # As little as the others print.
    names = ["-p", "%proc.name %fd.name", "evt.type=openat"]
    ring = ["--buffer-size", str(RING_BYTES)]
    return [watchers.agent(build, "lanner, opens to JSON", [*ring, *json]),
            watchers.agent(build, "lanner, names of opens", [*ring, *names]),
            watchers.agent(build, DEFAULT, json),
            *(watcher for watcher in watchers.others() if watcher.name in ("bpftrace, opens", "opensnoop")),
            watchers.Watcher("perf trace, openat", ["perf", "trace", "-a", "-m", str(RING_BYTES // 4096), "-e",
                                                    "openat", "-o", "/dev/stdout"])]


def make_paced(build, rate, seconds, name):
    done = subprocess.run([f"{build}/tests/bench/paced_calls", str(rate), str(seconds), name], capture_output=True,
                          text=True, check=True, timeout=120)
    return int(done.stdout) // 2


def make_unpaced(build, batches, name):
    """One loop on each of two CPUs."""
    cpus = sorted(os.sched_getaffinity(0))[:2]
    loops = [subprocess.Popen([f"{build}/tests/bench/syscall_loop", f"openat:{name}", str(cpu), str(batches)],
                              stdout=subprocess.DEVNULL) for cpu in cpus]
    if any([loop.wait(120) for loop in loops]):
        raise Failed("syscall_loop failed")
    return len(cpus) * (batches + 1) * UNPACED_ROUNDS


def count(path, words):
    """In how many lines of a file one of the words is."""
    with open(path, "rb") as file:
        return sum(any(word in line for word in words) for line in file)


def measure_one(watcher, make):
    """What is lost of what make() opens. The name of the file is in no other event."""
    with tempfile.TemporaryDirectory(prefix="lanner-loss-", dir="/dev/shm") as folder:
        name, out = pathlib.Path(folder, "opened"), pathlib.Path(folder, "printed")
        name.touch()
        with open(out, "wb") as printed, watchers.watching(watcher, printed) as beside:
            made = make(str(name))
            drain(beside)
        words = LOADERS if watcher.argv[0] == "perf" else [str(name).encode()]
        return 100 * (1 - min(made, count(out, words)) / made)


def drain(beside):
    """Until the watcher has printed what it has: it takes hardly any CPU time more."""
    for _ in range(DRAIN_STEPS):
        before = beside.cpu_s()
        watchers.settle()
        if beside.cpu_s() - before < DRAINED_S:
            return


def measure(bench, watcher):
    seconds, batches = (1, 4) if bench.short else (4, UNPACED_BATCHES)
    for rate in RATES[1::2] if bench.short else RATES:
        yield Sample("opens", PERCENT, measure_one(watcher, lambda name, rate=rate: make_paced(
            bench.build, rate, seconds, name)), rate)
    yield Sample("opens, unpaced", PERCENT, measure_one(watcher, lambda name: make_unpaced(bench.build, batches, name)))


def steps(bench):
    return [Step(watcher.name, lambda watcher=watcher: measure(bench, watcher), watchers.missing(watcher))
            for watcher in step_watchers(bench.build)]


def report(part):
    table = {}
    for row in part.rows(PERCENT):
        table.setdefault(row.by, {})[row.at] = rounds.median(row.samples)
    titles = {**{rate: f"{rate:,} events/s" for rate in RATES}, None: "both CPUs, unpaced"}
    return [(f"Opens lost, %, with ring buffers of {RING_BYTES // 1024} KiB for each CPU",
             tables.steps_by_rows(table, titles, "watched by"))]


def panels(part):
    lines = {}
    for row in part.rows(PERCENT):
        # A logarithmic axis has no 0.
        lines.setdefault(row.by, []).append((row.at or UNPACED, max(0.01, rounds.median(row.samples))))
    return [Lines("Opens lost (0.01: none; last: both CPUs, unpaced)", PERCENT, "events/s",
                  [(by, sorted(points)) for by, points in lines.items()])]
