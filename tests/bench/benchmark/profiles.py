# SPDX-License-Identifier: MIT
"""The part `profiles`: what a profile costs beside perf record, how fast samples are recorded and named, how true stacks are."""
import contextlib
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "lib"))
import profiled

from . import rounds, tables
from .results import Sample
from .steps import Step
from .watchers import Failed

ROUND_S, SHORT_S = 210, 40
CPU, LOST, SECONDS, RATE, PERCENT = "% of the CPUs", "% lost", "s", "samples/s", "%"
LANNER, PERF = "agent profile -F 99", "perf record -F 99 -g -a"
TIMES, SHORT_TIMES = (10, 60), (3,)
FAULTS, CLOCK = "record, page faults", "record, cpu-clock"
FAULT_RATES, RECORD_S, SHORT_RECORD_S, LOADERS = (100000, 200000), 4, 1, 2
NAMES, WHOLE, WAITS = "names", "whole stacks", "waits"
PLACES = 10000
LARGE = ("/usr/lib/*/libLLVM*.so*", "/usr/lib/llvm-*/lib/libLLVM*.so*", "/usr/bin/node", "/usr/bin/qemu-system-x86_64")
COST = re.compile(r"programs ran \d+ times, ([\d.]+) ms in all.*the agent took ([\d.]+) s")
RECORDED = re.compile(r"(\d+) samples, (\d+) lost")
MODES = (("sleep", "2"), ("lock",), ("queue", "2"))


def run_measured(argv, **options):
    """What it said, and the CPU time that it took, in seconds."""
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=said, **options)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read()
    if child.returncode:
        raise Failed(f"{' '.join(argv[:3])}: {text[-300:].strip()}")
    return text, used.ru_utime + used.ru_stime


@contextlib.contextmanager
def load(folder):
    """One CPU computes in functions that stress-ng calls, another one at the ends of deep stacks."""
    program = profiled.build(folder, "gcc", 2, False)
    others = [["stress-ng", "--quiet", "--cpu", "1"]] if shutil.which("stress-ng") else [[program, "tree", "6000"]]
    with profiled.running([program, "tree", "6000"], *others):
        yield


def share(seconds, of_s):
    return 100 * seconds / (of_s * os.cpu_count())


def measure_profile(build, seconds):
    """What is taken until the end of the capture; to find names and to write is counted by itself, as perf does that later."""
    with tempfile.TemporaryDirectory(prefix="lanner-profiles-") as folder, load(folder):
        said, all_s = run_measured([f"{build}/userspace/agent/agent", "profile", "-v", "-F", "99", "-o", "folded", "-w",
                                    f"{folder}/stacks", str(seconds)])
    programs_s, own_s = float(COST.search(said)[1]) / 1000, float(COST.search(said)[2])
    yield Sample("recorded", CPU, share(own_s + programs_s, seconds))
    yield Sample("of that in the kernel's programs", CPU, share(programs_s, seconds))
    yield Sample("names and output", SECONDS, all_s - own_s)


def measure_perf(seconds):
    """What its samples take in interrupts is in no account of perf's."""
    with tempfile.TemporaryDirectory(prefix="lanner-profiles-") as folder, load(folder):
        data = f"{folder}/perf.data"
        _, own_s = run_measured(["perf", "record", "-q", "-F", "99", "-g", "-a", "-o", data, "sleep", str(seconds)])
        _, report_s = run_measured(["perf", "report", "--stdio", "-i", data])
    yield Sample("recorded", CPU, share(own_s, seconds))
    yield Sample("names and output", SECONDS, report_s)


def record(build, folder, *words):
    """Samples and lost ones that the agent reports, and what its command printed."""
    with open(f"{folder}/printed", "w+", encoding="ascii") as printed:
        done = subprocess.run([f"{build}/userspace/agent/agent", "record", "-o", f"{folder}/perf.data", *words], stdout=printed,
                              stderr=subprocess.PIPE, text=True, timeout=120)
        printed.seek(0)
        found = RECORDED.search(done.stderr)
        if done.returncode or not found:
            raise Failed(done.stderr[-300:].strip())
        return int(found[1]), int(found[2]), printed.read()


def measure_faults(build, seconds):
    """Each page fault is a sample, with its stack: so many as the load makes."""
    for rate in FAULT_RATES:
        with tempfile.TemporaryDirectory(prefix="lanner-profiles-", dir="/dev/shm") as folder:
            samples, lost, made = record(build, folder, "-g", "-e", "page-faults", "-c", "1",
                                         f"{build}/tests/bench/paced_faults", str(rate), str(seconds), str(LOADERS))
        # The program's own start faults, too.
        yield Sample("samples of page faults", LOST, 100 * max(lost, int(made) - samples) / int(made), rate)


def measure_clock(build, seconds):
    """As often as the kernel allows, on CPUs that are all busy."""
    busy = ["sh", "-c", f"for i in $(seq {os.cpu_count()}); do timeout {seconds} sh -c 'while :; do :; done' & done; wait"]
    with tempfile.TemporaryDirectory(prefix="lanner-profiles-", dir="/dev/shm") as folder:
        samples, lost, _ = record(build, folder, "-e", "cpu-clock", "-F", "max", "-a", "--", *busy)
    yield Sample("cpu-clock -F max", RATE, samples / seconds)
    yield Sample("samples of cpu-clock", LOST, 100 * lost / (samples + lost))


def large_file():
    """The largest of some programs and libraries that machines have; None: they have none."""
    found = {os.path.realpath(path) for pattern in LARGE for path in glob.glob(pattern)}
    return max(found, key=os.path.getsize, default=None)


def measure_names(build):
    out = subprocess.run([f"{build}/tests/bench/names_speed", large_file(), str(PLACES)], capture_output=True, text=True,
                         check=True, timeout=120).stdout
    first, again = re.findall(r": ([\d.]+) ms$", out, re.MULTILINE)
    yield Sample("10,000 places, symbols read anew", SECONDS, float(first) / 1000)
    yield Sample("10,000 places, symbols kept", SECONDS, float(again) / 1000)


def measure_whole(build):
    """Of ten builds without frame pointers."""
    with tempfile.TemporaryDirectory(prefix="lanner-profiles-") as folder:
        commands = list(profiled.other_builds(folder))
        with profiled.running(*commands) as children:
            done = subprocess.run([f"{build}/userspace/agent/agent", "profile", "-o", "folded", "-F", "997", "-p",
                                   ",".join(str(child.pid) for child in children), "3"], capture_output=True, text=True,
                                  check=True, timeout=120)
    stacks = profiled.read_folded(done.stdout)
    yield Sample("stacks that are whole", PERCENT, 100 * (1 - sum(profiled.not_whole(stacks).values()) / sum(stacks.values())))


def measure_waits(build):
    """How far they are from what the clocks of the thread say, and its schedstat."""
    with tempfile.TemporaryDirectory(prefix="lanner-profiles-") as folder:
        path = profiled.build(folder, "gcc", 2, False)
        for mode in MODES:
            _, known, reasons, _ = profiled.waits_of(path, *mode, agent=f"{build}/userspace/agent/agent")
            yield Sample(mode[0], PERCENT, abs(100 * (sum(reasons.values()) / known - 1)))


def steps(bench):
    no_perf = None if shutil.which("perf") else "perf is not installed"
    seconds = SHORT_RECORD_S if bench.short else RECORD_S
    found = []
    for time in SHORT_TIMES if bench.short else TIMES:
        found += [Step(f"{LANNER}, {time} s", lambda time=time: measure_profile(bench.build, time)),
                  Step(f"{PERF}, {time} s", lambda time=time: measure_perf(time), no_perf)]
    return [*found, Step(FAULTS, lambda: measure_faults(bench.build, seconds)),
            Step(CLOCK, lambda: measure_clock(bench.build, seconds)),
            Step(NAMES, lambda: measure_names(bench.build), None if large_file() else "there is no large program"),
            Step(WHOLE, lambda: measure_whole(bench.build)), Step(WAITS, lambda: measure_waits(bench.build))]


def ratio_to_perf(part, seconds):
    """What was taken until the end of the capture, in percent of what perf record took: the median of the rounds; None: one
    of them was not measured."""
    ours, theirs = (part.samples("recorded", f"{name}, {seconds} s", CPU) for name in (LANNER, PERF))
    return 100 * rounds.ratio(ours, theirs) if ours and theirs else None


def shown(row):
    median = rounds.median(row.samples)
    # What is nearly all of it is not rounded to that.
    return f"{f'{median:.4g}' if row.unit == PERCENT else tables.number(median)} {row.unit}"


def report(part):
    costs = {step: {**tables.medians(part, CPU, step), **tables.medians(part, SECONDS, step)} for step in part.data["steps"]
             if step.startswith((LANNER, PERF))}
    titles = {"recorded": "until the end, % of the CPUs", "of that in the kernel's programs": "of that programs of the kernel",
              "names and output": "names and output, s of CPU"}
    rows = [[step, row.what if row.at is None else f"{row.what}, {row.at:,} a second", shown(row)]
            for step in (FAULTS, CLOCK, NAMES, WHOLE, WAITS) for unit in (LOST, RATE, SECONDS, PERCENT) for row in part.rows(unit)
            if row.by == step]
    return [("What a profile costs", tables.steps_by_rows(costs, titles, "")),
            ("How fast and how true", tables.markdown(["", "what", ""], rows))]


def panels(part):
    return []
