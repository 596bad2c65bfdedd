# SPDX-License-Identifier: MIT
"""The part `requests`: what it costs servers that their requests are analysed, and what requests cost user space."""
import contextlib
import os
import resource
import shutil
import socket
import subprocess
import tempfile
import time

from . import network, rounds, tables, throughput, watchers
from .chart import Bars
from .results import Sample
from .steps import Step
from .watchers import UNTRACED

ROUND_S, SHORT_S = 75, 20
RATE, CPU, MB = "requests/s", "us", "MB"  # `us`: the agent's CPU time for each request
SPEED_RATE = "million requests/s"  # of requests_speed
ALL, METRICS, SERVERS = "lanner, requests", "lanner, requests and metrics", "lanner, requests of servers"
SPEED, SOCKETS = "user space", "open sockets"
CAPTURES = {ALL: [], METRICS: ["--http", "unix:{folder}/http", "--request-metrics"], SERVERS: ["request.role=server"]}
LOADS = {"nginx": network.nginx, "redis": network.redis}
TITLES = {"nginx": "nginx under wrk", "redis": "redis-benchmark"}
CONNECTIONS = 25000  # both ends of each are sockets of this machine
CONNECTIONS_OF_AN_ADDRESS = 20000
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


def watcher_of(bench, name, folder):
    arguments = [argument.format(folder=folder) for argument in CAPTURES.get(name, ())]
    if name not in CAPTURES:
        return watchers.Watcher(name, None)
    return watchers.agent(bench.build, name, ["requests", "-o", "none", *arguments])


def measure_servers(bench, name):
    """Servers are there before the watcher, as they are on a machine that is watched."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="lanner-bench-"))
        os.chmod(folder, 0o755)
        loads = {what: stack.enter_context(serve(folder)) for what, serve in LOADS.items() if shutil.which(serve.needs)}
        beside = stack.enter_context(watchers.watching(watcher_of(bench, name, folder)))
        for what, load in loads.items():
            begin, before = time.monotonic(), beside.cpu_s() if beside else 0
            rate = network.COUNTS[what](bench.short) / load(bench.short)
            yield Sample(what, RATE, rate)
            if beside:
                yield Sample(what, CPU, 1e6 * (beside.cpu_s() - before) / (rate * (time.monotonic() - begin)))


def measure_speed(bench):
    sizes = ["200000", "2000", "5000"] if bench.short else []
    argv = ["taskset", "-c", str(throughput.CPU), f"{bench.build}/tests/bench/requests_speed", *sizes]
    return samples_of(subprocess.run(argv, stdout=subprocess.PIPE, check=True, text=True, timeout=300).stdout)


def samples_of(printed):
    for line in printed.splitlines():
        what, value, unit = line.split("\t")
        yield Sample(what, unit, float(value))


@contextlib.contextmanager
def connections(count):
    """With so many over the loopback: pairs of a client's and a server's socket."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * count + 1000
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, max(hard, wanted)))
    pairs = []
    try:
        with contextlib.ExitStack() as stack:
            while len(pairs) < count:
                # Of one address there are only so many ports.
                number = len(pairs) // CONNECTIONS_OF_AN_ADDRESS
                server = stack.enter_context(socket.create_server((f"127.0.0.{1 + number}", 0), backlog=128))
                for _ in range(min(CONNECTIONS_OF_AN_ADDRESS, count - len(pairs))):
                    client = socket.create_connection(server.getsockname())
                    pairs.append((client, server.accept()[0]))
            yield pairs
    finally:
        for pair in pairs:
            for end in pair:
                end.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def measure_sockets(bench):
    """What the agent has resident, beside what it had without them: each answers a request, then is asked another."""
    count = CONNECTIONS // (20 if bench.short else 1)
    with tempfile.TemporaryDirectory() as folder, watchers.watching(watcher_of(bench, ALL, folder)) as beside:
        before = beside.memory_mb("VmRSS")
        with connections(count) as pairs:
            ask(pairs)
            for client, server in pairs:
                server.sendall(HEAD)
                client.recv(4096)
            watchers.settle()
            yield Sample(f"{2 * count} sockets, idle", MB, beside.memory_mb("VmRSS") - before)
            ask(pairs)
            watchers.settle()
            yield Sample(f"{2 * count} sockets, a request open", MB, beside.memory_mb("VmRSS") - before)
            yield Sample(f"{2 * count} sockets, in all", MB, beside.memory_mb("VmRSS"))


def ask(pairs):
    for number, (client, server) in enumerate(pairs):
        client.sendall(b"GET /page/%d HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n" % number)
        server.recv(4096)


def steps(bench):
    names = [UNTRACED, *CAPTURES, watchers.AGAIN]
    if bench.short:
        names = [UNTRACED, METRICS]
    return [*(Step(name, lambda name=name: measure_servers(bench, name)) for name in names),
            Step(SPEED, lambda: measure_speed(bench)), Step(SOCKETS, lambda: measure_sockets(bench))]


def rates(part):
    """Step -> load -> how many requests are served, in percent of those without a watcher: medians of the ratios of
    each round."""
    found = {}
    for row in part.rows(RATE):
        base = part.samples(row.what, UNTRACED, RATE)
        if base and row.by != UNTRACED:
            found.setdefault(row.by, {})[row.what] = 100 * rounds.ratio(row.samples, base)
    return found


def report(part):
    bare = {UNTRACED: tables.medians(part, RATE, UNTRACED)}
    cpu = {step: tables.medians(part, CPU, step) for step in CAPTURES}
    alone = [[row.what, tables.number(rounds.median(row.samples)), row.unit]
             for row in part.rows() if row.by in (SPEED, SOCKETS)]
    return [("Requests a second without a watcher", tables.steps_by_rows(bare, TITLES, "")),
            ("Requests served, in percent of those, medians of the ratios of each round",
             tables.steps_by_rows(rates(part), TITLES, "watched by")),
            ("CPU time of the agent, microseconds for each request", tables.steps_by_rows(cpu, TITLES, "")),
            ("User space, and memory of sockets", tables.markdown(["", "", "unit"], alone))]


def panels(part):
    return [Bars(f"{title}: requests served", "%", [(step, cells[what]) for step, cells in rates(part).items()
                                                    if step != watchers.AGAIN and what in cells])
            for what, title in TITLES.items()]
