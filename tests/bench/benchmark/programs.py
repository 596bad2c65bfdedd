# SPDX-License-Identifier: MIT
"""The part `programs`: by how many percent whole programs are slower while they are watched."""
import contextlib
import os
import shutil
import subprocess
import tempfile
import time

from . import compilation, tables, watchers
from .chart import Bars
from .machine import TOP
from .network import nginx, redis
from .results import Sample
from .steps import Step
from .watchers import UNTRACED

ROUND_S, SHORT_S = 75, 22
SECONDS = "s"
NOTHING = "lanner, nothing matches"
CAPTURES = {
    NOTHING: ["-o", "json", "evt.type=open and proc.name=zzz"],
    "lanner, evt.type=open to JSON": ["-o", "json", "evt.type=open"],
    "lanner, everything": ["-o", "none"],
    "lanner, everything to JSON": ["-o", "json"],
}
TITLES = {"compile": "compile", "tar": "tar", "redis": "redis-benchmark", "nginx": "nginx under wrk"}


def archive(short):
    """`tar` of the source, again and again; cat, as tar reads no file when it writes to /dev/null."""
    folders = ["driver", "userspace", "tests", "deploy"]
    begin = time.monotonic()
    for _ in range(3 if short else 15):
        tar = subprocess.Popen(["tar", "cf", "-", *folders], cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        subprocess.run(["cat"], stdin=tar.stdout, stdout=subprocess.DEVNULL, check=True)
        tar.stdout.close()
        tar.wait()
    return time.monotonic() - begin


def measure(bench, watcher):
    """All programs beside one watcher. Servers are there before it, as they are on a machine that is watched."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="lanner-bench-"))
        os.chmod(folder, 0o755)
        compiling = compilation.commands(bench.build, folder)
        servers = {name: stack.enter_context(serve(folder)) for name, serve in (("redis", redis), ("nginx", nginx))
                   if shutil.which(serve.needs)}
        stack.enter_context(watchers.watching(watcher))
        yield Sample("compile", SECONDS, compilation.run(compiling[::8 if bench.short else 1]))
        yield Sample("tar", SECONDS, archive(bench.short))
        for name, load in servers.items():
            yield Sample(name, SECONDS, load(bench.short))


def steps(bench):
    found = [watchers.Watcher(UNTRACED, None),
             *(watchers.agent(bench.build, name, arguments) for name, arguments in CAPTURES.items()),
             *(watcher for watcher in watchers.others() if watcher.name in ("opensnoop", "syscount"))]
    if bench.short:
        found = found[:2]
    found.append(watchers.Watcher(watchers.AGAIN, None))
    return [Step(watcher.name, lambda watcher=watcher: measure(bench, watcher), watchers.missing(watcher))
            for watcher in found]


def report(part):
    base = {UNTRACED: tables.medians(part, SECONDS, UNTRACED)}
    return [("Seconds without a watcher", tables.steps_by_rows(base, TITLES, "")),
            ("By how many percent it is slower, medians of the ratios of each round",
             tables.steps_by_rows(tables.slower(part, SECONDS), TITLES, "watched by"))]


def panels(part):
    table = tables.slower(part, SECONDS)
    return [Bars(f"{title}: slower by", "%", [(step, cells[what]) for step, cells in table.items()
                                              if step != watchers.AGAIN and what in cells])
            for what, title in TITLES.items()]
