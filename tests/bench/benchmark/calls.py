# SPDX-License-Identifier: MIT
"""The part `calls`: nanoseconds that watching adds to system calls, and the CPU time of the watcher."""
import subprocess
import time

from . import tables, watchers
from .chart import Bars
from .results import Sample
from .steps import Step
from .watchers import UNTRACED

# Batches of a measurement.
LOADS = {"getppid": 60, "openat": 15, "read": 15, "write": 15, "stat": 15, "futex": 30, "connect": 15, "accept": 15,
         "exec": 10, "switch": 15}
TITLES = {"openat": "openat + close", "read": "4 KiB read", "write": "4 KiB write", "connect": "connect (UDP)",
          "accept": "connect + accept (TCP)", "exec": "vfork + exec + wait", "switch": "pipe there and back"}
LOAD_CPU = 1  # the watchers may use any CPU; the load is pinned here
NS, CPU = "ns", "% of a core"
SHORT = 0.2  # of the batches
SLOW_BATCHES = 5  # under a watcher that is slow
ROUND_S, SHORT_S = 110, 60


def run_load(build, kind, watcher, batches):
    few = batches if watcher.divisor == 1 else min(batches, SLOW_BATCHES)
    argv = [f"{build}/tests/bench/syscall_loop", kind, str(LOAD_CPU), str(few), str(watcher.divisor)]
    if watcher.runs_load:
        argv = watcher.argv + argv
    return float(subprocess.run(argv, capture_output=True, text=True, check=True, timeout=120).stdout)


def measure(build, watcher, loads):
    """Samples of all loads, `loads` has their batches, beside one watcher."""
    with watchers.watching(watcher) as beside:
        for kind, batches in loads.items():
            begin, before = time.monotonic(), beside.cpu_s() if beside else 0
            yield Sample(kind, NS, run_load(build, kind, watcher, batches))
            if beside:
                share = (beside.cpu_s() - before) / (time.monotonic() - begin)
                yield Sample(kind, CPU, round(100 * share, 2))


def make_step(build, watcher, loads):
    return Step(watcher.name, lambda: measure(build, watcher, loads), watchers.missing(watcher))


def steps(bench):
    loads = {kind: max(1, int(batches * (SHORT if bench.short else 1))) for kind, batches in LOADS.items()}
    found = [*watchers.own(bench.build), *watchers.others(), watchers.Watcher(watchers.AGAIN, None)]
    return [make_step(bench.build, watcher, loads) for watcher in found]


def report(part):
    """Tables of what is added, and of the CPU time of the watchers."""
    titles = {kind: TITLES.get(kind, kind) for kind in LOADS}
    cpu = {step: tables.medians(part, CPU, step) for step in part.data["steps"]}
    return [("What one takes untraced, and what watching adds, ns",
             tables.steps_by_rows(tables.added(part, NS), titles, "watched by")),
            ("CPU time of the watcher meanwhile, % of a core", tables.steps_by_rows(cpu, titles, "watched by"))]


def panels(part):
    """For the chart."""
    table = tables.added(part, NS)
    titles = {kind: f"{TITLES.get(kind, kind)}: {table[UNTRACED][kind]:,.0f} ns, and what watching adds (logarithmic)"
              for kind in ("getppid", "openat", "read", "accept") if kind in table[UNTRACED]}
    watched = [(step, cells) for step, cells in table.items() if step not in (UNTRACED, watchers.AGAIN)]
    return [Bars(title, "ns", [(step, cells[kind]) for step, cells in watched if kind in cells], log=True)
            for kind, title in titles.items()]
