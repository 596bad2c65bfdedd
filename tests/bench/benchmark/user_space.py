# SPDX-License-Identifier: MIT
"""The part `user_space`: events a second on one core, injected, and of a capture file beside sysdig."""
import tempfile

from . import readers, rounds, tables, throughput
from .chart import Bars
from .results import Sample
from .steps import Step

ROUND_S, SHORT_S = 75, 20
RATE, SECONDS = "million events/s", "s"
INJECTED, FILE = "injected events", "capture file"
EVENTS, FILE_EVENTS = 500000, 1000000


def measure_injected(build, events):
    rows = throughput.run(f"{build}/tests/bench/throughput", events, throughput.RULES)
    for name, ns in rows.items():
        yield Sample(name.removeprefix("+ "), RATE, 1000 / ns)


def measure_file(bench):
    """A file is recorded for each round, as the next round may be of another run; all read the same one."""
    cases = [case for case in readers.CASES if not case.compressed]
    with tempfile.TemporaryDirectory(prefix="lanner-captures-") as folder:
        found = readers.make_files(f"{bench.build}/userspace/agent/agent", None, folder,
                                   FILE_EVENTS // (10 if bench.short else 1))
        for name, reader in found.items():
            readers.read(reader, name, cases[0])  # into the page cache
        for case in cases:
            for name, reader in found.items():
                yield Sample(f"{case.name}: {name}", SECONDS, readers.read(reader, name, case)[0])


def steps(bench):
    events = EVENTS // (25 if bench.short else 1)
    return [Step(INJECTED, lambda: measure_injected(bench.build, events)), Step(FILE, lambda: measure_file(bench))]


def times_as_fast(part):
    """Case -> how much longer sysdig takes for the same file, medians of the rounds' ratios."""
    found = {}
    for case in readers.CASES:
        ours, theirs = (part.samples(f"{case.name}: {name}", FILE, SECONDS) for name in ("agent", "sysdig"))
        if ours and theirs:
            found[case.name] = rounds.ratio(theirs, ours)
    return found


def report(part):
    rates, seconds = tables.medians(part, RATE, INJECTED), tables.medians(part, SECONDS, FILE)
    fast = times_as_fast(part)
    names = ("agent", "sysdig", "agent, current")
    rows = [[case.name, *(tables.number(seconds.get(f"{case.name}: {name}")) for name in names),
             tables.number(fast.get(case.name))] for case in readers.CASES if f"{case.name}: agent" in seconds]
    injected = [[name, tables.number(rate)] for name, rate in rates.items()]
    found = [("Injected events, one core", tables.markdown(["", RATE], injected))]
    if rows:
        found.append(("Seconds to read a capture file", tables.markdown(["", *names, "times as fast as sysdig"], rows)))
    return found


def panels(part):
    rates, fast = tables.medians(part, RATE, INJECTED), times_as_fast(part)
    kept = [(f"lanner, {name}", rate) for name, rate in rates.items()
            if not name.startswith(("containers", "capture file", "the same"))]
    return [Bars("Injected events, one core", "M/s", kept),
            Bars("Reading a capture file: times as fast as sysdig", "", [(f"lanner, {case}", times)
                                                                         for case, times in fast.items()])]
