# SPDX-License-Identifier: MIT
"""The part `agent`: CPU time and memory of the agent, idle and under a load, and its start."""
import subprocess
import tempfile
import time

from . import start, tables, watchers
from .results import Sample
from .steps import Step

ROUND_S, SHORT_S = 50, 18
MS, CPU, MB = "ms", "% of a core", "MB"
# The default is to print JSON where standard output is no terminal.
CAPTURES = {"evt.type=open": ["evt.type=open"], "everything": [], "everything, -o none": ["-o", "none"]}
EVENTS_PER_S = 100000
START, IDLE, LOADED, RESIDENT, PEAK = ("first event", "CPU, idle", "CPU, 100,000 events/s", "resident, idle",
                                       "resident, most")
TITLES = {(START, MS): "first event, ms", (IDLE, CPU): "CPU idle, %", (LOADED, CPU): "CPU at 100,000 events/s, %",
          (RESIDENT, MB): "resident idle, MB", (PEAK, MB): "resident at most, MB"}


def share(beside, action):
    """The CPU time of the agent while something is done, in percent of a core."""
    begin, before = time.monotonic(), beside.cpu_s()
    action()
    return 100 * (beside.cpu_s() - before) / (time.monotonic() - begin)


def measure(bench, watcher):
    seconds = 1 if bench.short else 6
    if "none" not in watcher.argv:  # what prints nothing has no first event
        yield Sample(START, MS, 1000 * start.first_event(bench.build, watcher.argv[2:]).seconds)
    with tempfile.NamedTemporaryFile("rb", prefix="lanner-bench-") as file, watchers.watching(watcher) as beside:
        load = [f"{bench.build}/tests/bench/paced_calls", str(EVENTS_PER_S), str(seconds), file.name]
        yield Sample(IDLE, CPU, share(beside, lambda: time.sleep(seconds)))
        yield Sample(RESIDENT, MB, beside.memory_mb("VmRSS"))
        yield Sample(LOADED, CPU, share(beside, lambda: subprocess.run(load, check=True, stdout=subprocess.DEVNULL)))
        yield Sample(PEAK, MB, beside.memory_mb("VmHWM"))


def steps(bench):
    found = [watchers.agent(bench.build, f"lanner, {name}", arguments) for name, arguments in CAPTURES.items()]
    return [Step(watcher.name, lambda watcher=watcher: measure(bench, watcher)) for watcher in found]


def report(part):
    table = {step: {title: tables.medians(part, unit, step).get(what) for (what, unit), title in TITLES.items()}
             for step in part.data["steps"]}
    return [("The agent", tables.steps_by_rows(table, {title: title for title in TITLES.values()}, ""))]


def panels(part):
    return []
