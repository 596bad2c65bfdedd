# SPDX-License-Identifier: MIT
"""The part `rings`: what watching adds to operations of io_uring, and to fio's reads by them and by pread."""
import json
import shutil
import subprocess
import tempfile

from . import calls, tables, watchers
from .results import Sample
from .steps import Step
from .watchers import AGAIN, UNTRACED, Failed

ROUND_S, SHORT_S = 60, 20
NS = calls.NS
LOADS = {"ring_read": 15, "ring_nop": 15, "read": 15}
ENGINES = {"io_uring": ["--iodepth=16"], "psync": []}
CAPTURES = ("evt.type=open", "everything")
TITLES = {"ring_read": "4 KiB of /dev/zero by io_uring", "ring_nop": "NOP of io_uring", "read": "4 KiB of a file by pread",
          "fio io_uring": "fio, 4 KiB reads by io_uring", "fio psync": "fio, 4 KiB reads by pread"}
RUN_S, SHORT_RUN_S = 3, 1


def run_fio(engine, seconds):
    """Nanoseconds that a read of a cached file takes."""
    with tempfile.TemporaryDirectory(prefix="lanner-fio-", dir="/var/tmp") as folder:
        argv = ["fio", "--name=reads", f"--directory={folder}", f"--ioengine={engine}", *ENGINES[engine],
                "--rw=randread", "--bs=4k", "--size=64M", "--invalidate=0", "--time_based", f"--runtime={seconds}",
                f"--cpus_allowed={calls.LOAD_CPU}", "--output-format=json"]
        done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=120)
    read = json.loads(done.stdout[done.stdout.index("{"):])["jobs"][0]["read"]
    if not read["iops"]:
        raise Failed(f"fio by {engine} read nothing")
    return 1e9 / read["iops"]


def measure(bench, watcher):
    with watchers.watching(watcher):
        for kind, batches in LOADS.items():
            few = max(1, int(batches * (calls.SHORT if bench.short else 1)))
            yield Sample(kind, NS, calls.run_load(bench.build, kind, watcher, few))
        for engine in ENGINES if shutil.which("fio") else ():
            yield Sample(f"fio {engine}", NS, run_fio(engine, SHORT_RUN_S if bench.short else RUN_S))


def steps(bench):
    found = [watchers.Watcher(UNTRACED, None),
             *(watchers.agent(bench.build, f"lanner, {what}", watchers.CAPTURES[what]) for what in CAPTURES),
             watchers.Watcher(AGAIN, None)]
    return [Step(watcher.name, lambda watcher=watcher: measure(bench, watcher), watchers.missing(watcher))
            for watcher in found]


def slower_by_ring(part, step):
    """By how many percent a read of fio by io_uring takes longer than one by pread, both watched; None: not measured."""
    ns = tables.medians(part, NS, step)
    ring, call = ns.get("fio io_uring"), ns.get("fio psync")
    return 100 * (ring / call - 1) if ring and call else None


def report(part):
    return [("What one takes untraced, and what watching adds, ns",
             tables.steps_by_rows(tables.added(part, NS), TITLES, "watched by"))]


def panels(part):
    return []
