# SPDX-License-Identifier: MIT
"""The part `growth`: how the cost grows with descriptors, threads, rules and ring buffers."""
import itertools
import pathlib
import subprocess
import tempfile

from . import rounds, start, tables, throughput, watchers
from .chart import Lines
from .results import Sample
from .steps import Step

ROUND_S, SHORT_S = 120, 40
SECONDS, MB, NS = "s", "MB", "ns"
CAPTURES = {"evt.type=open": ["evt.type=open"], "everything": []}
# What the machine is full of: the sizes, and how many of them there are in one process.
CROWDS = {"descriptors": ((1000, 10000, 100000, 300000, 1000000), 10000),
          "threads": ((100, 1000, 10000, 30000), 1000)}
RULES, RULE_EVENTS = (10, 30, 100, 300, 1000), 200000
RINGS, RING_EVENTS = (1, 2, 4, 8, 16), 1000000
MOST_SHORT = 100000  # of a crowd, in the short mode, which has only the least and the most
CONDITIONS = (
    'evt.type in (open,openat,openat2) and evt.is_open_write=true and fd.name startswith /opt/app{n}/ '
    'and not proc.name in (app{n}, backup{n})',
    'evt.type in (open,openat,openat2) and fd.name in (/etc/app{n}.key, /etc/app{n}.conf) and proc.pname != app{n}',
    'evt.type in (execve,execveat) and proc.name = tool{n} and not proc.pname in (shell{n}, cron)',
    'evt.type in (connect) and fd.sport = {n} and not proc.name = client{n}',
    'evt.type in (unlink,unlinkat,rename,renameat,renameat2) and proc.exepath startswith /tmp/drop{n}',
    'evt.type in (read,write,pread,pwrite) and fd.name = /var/lib/app{n}/secret and user.uid != 0')


def crowd_argv(build, kind, size):
    """The command that makes so many of a kind, in processes that have at most so many each."""
    each = CROWDS[kind][1]
    processes = max(1, size // each)
    per_process = size // processes
    # The first thread of a process is one, too.
    counts = [per_process - 1, 0] if kind == "threads" else [0, per_process]
    return [f"{build}/tests/bench/crowd", str(processes), *map(str, counts)]


def measure_crowd(build, kind, size):
    with watchers.watching(watchers.Watcher("crowd", crowd_argv(build, kind, size), "ready")):
        for name, arguments in CAPTURES.items():
            found = start.first_event(build, arguments)
            yield Sample(f"{kind}, {name}: first event", SECONDS, found.seconds, size)
            yield Sample(f"{kind}, {name}: resident", MB, found.resident_mb, size)
            yield Sample(f"{kind}, {name}: resident at most", MB, found.peak_mb, size)


def write_rules(path, count):
    """So many rules that nothing of the load matches, of the kinds that rules usually are."""
    with open(path, "w", encoding="ascii") as out:
        for n, condition in zip(range(count), itertools.cycle(CONDITIONS)):
            out.write(f"- rule: Rule {n}\n  desc: One of many\n  condition: {condition.format(n=n)}\n"
                      f"  output: Rule {n} (file=%fd.name command=%proc.cmdline)\n  priority: WARNING\n")


def measure_rules(build, count, events):
    with tempfile.TemporaryDirectory(prefix="lanner-bench-") as folder:
        rules = pathlib.Path(folder, "rules.yaml")
        write_rules(rules, count)
        rows = throughput.run(f"{build}/tests/bench/throughput", events, [str(rules)], only_rules=True)
    yield Sample("rules: state and rules", NS, rows[f"+ {count} rules"], count)


def measure_rings(build, count, events):
    done = subprocess.run([f"{build}/tests/bench/merge_speed", str(count), str(events)], capture_output=True, text=True,
                          check=True, timeout=120)
    yield Sample("rings: merge", NS, float(done.stdout), count)


def sizes(bench, all_sizes):
    if not bench.short:
        return all_sizes
    usable = [size for size in all_sizes if size <= MOST_SHORT]
    return usable[0], usable[-1]


def steps(bench):
    build, part_of = bench.build, 10 if bench.short else 1
    found = [Step(f"{size:,} {kind}", lambda kind=kind, size=size: measure_crowd(build, kind, size))
             for kind, (counts, _) in CROWDS.items() for size in sizes(bench, counts)]
    found += [Step(f"{count:,} rules", lambda count=count: measure_rules(build, count, RULE_EVENTS // part_of))
              for count in sizes(bench, RULES)]
    return found + [Step(f"{count} rings", lambda count=count: measure_rings(build, count, RING_EVENTS // part_of))
                    for count in sizes(bench, RINGS)]


def lines(part, unit):
    """Name of a row -> its points, by size."""
    found = {}
    for row in part.rows(unit):
        found.setdefault(row.what, []).append((row.at, rounds.median(row.samples)))
    return {what: sorted(points) for what, points in found.items()}


def report(part):
    """A table for each kind and unit, a column for each size; and what one more costs."""
    found = []
    for kind in (*CROWDS, "rules", "rings"):
        rows, counts = [], []
        for unit in (SECONDS, MB, NS):
            for what, points in lines(part, unit).items():
                if not what.startswith(kind):
                    continue
                counts = [at for at, _ in points]
                rows.append([f"{what.split(': ', 1)[0].partition(', ')[2] or kind}: {what.split(': ', 1)[1]}, {unit}",
                             *(tables.number(value) for _, value in points)])
        if rows:
            found.append((f"With so many {kind}", tables.markdown(["", *(f"{size:,.0f}" for size in counts)], rows)))
    return found


def panels(part):
    return [Lines(title, unit, kind, [(what.split(", ", 1)[-1], points) for what, points in lines(part, unit).items()
                                      if what.startswith(kind) and "at most" not in what])
            for title, unit, kind in (("First event", SECONDS, "descriptors"), ("Resident", MB, "descriptors"),
                                      ("First event", SECONDS, "threads"), ("Rules", NS, "rules"),
                                      ("Merge", NS, "rings"))]
