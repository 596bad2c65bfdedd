# SPDX-License-Identifier: MIT
"""The part `requests`: what it costs servers that their requests are analysed, and what requests cost user space."""
import contextlib
import multiprocessing
import os
import re
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

ROUND_S, SHORT_S = 95, 25
RATE, MB = "requests/s", "MB"
LOST = "% lost"
CPU, LOAD_CPU = "us", "us of the load"  # CPU time for each request: of the agent; of the server and its client
SPEED_RATE = "million requests/s"  # of requests_speed
ALL, METRICS, SERVERS = "lanner, requests", "lanner, requests and metrics", "lanner, requests of servers"
SPEED, SOCKETS = "user space", "open sockets"
CAPTURES = {ALL: [], METRICS: ["--http", "unix:{folder}/http", "--request-metrics"], SERVERS: ["request.role=server"]}
LOADS = {"nginx": network.nginx, "http2": network.http2, "redis": network.redis}
TITLES = {"nginx": "nginx under wrk", "http2": "nginx under h2load", "redis": "redis-benchmark"}
CONNECTIONS = 25000  # both ends of each are sockets of this machine
ACCOUNT = re.compile(r"^agent: seen (\d+) = delivered \d+ \+ lost (\d+)", re.MULTILINE)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


def watcher_of(bench, name, folder):
    arguments = [argument.format(folder=folder) for argument in CAPTURES.get(name, ())]
    if name not in CAPTURES:
        return watchers.Watcher(name, None)
    return watchers.agent(bench.build, name, ["requests", "-o", "none", *arguments])


def cpu_of(load):
    """The CPU time of a server, and of clients that have ended."""
    client = resource.getrusage(resource.RUSAGE_CHILDREN)
    return client.ru_utime + client.ru_stime + sum(map(watchers.cpu_s_of, load.pids))


def measure_servers(bench, name):
    """Servers are there before the watcher, as they are on a machine that is watched."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="lanner-bench-"))
        os.chmod(folder, 0o755)
        loads = {what: stack.enter_context(serve(folder)) for what, serve in LOADS.items() if shutil.which(serve.needs)}
        beside = stack.enter_context(watchers.watching(watcher_of(bench, name, folder)))
        for what, load in loads.items():
            begin, before, load_before = time.monotonic(), beside.cpu_s() if beside else 0, cpu_of(load)
            rate = network.COUNTS[what](bench.short) / load(bench.short)
            made = rate * (time.monotonic() - begin)
            yield Sample(what, RATE, rate)
            yield Sample(what, LOAD_CPU, 1e6 * (cpu_of(load) - load_before) / made)
            if beside:
                yield Sample(what, CPU, 1e6 * (beside.cpu_s() - before) / made)
        if beside:
            seen, lost = map(int, ACCOUNT.search(beside.stop()).groups())
            yield Sample("events", LOST, 100 * lost / max(seen, 1))


def measure_speed(bench):
    sizes = ["200000", "2000", "5000"] if bench.short else []
    argv = ["taskset", "-c", str(throughput.CPU), f"{bench.build}/tests/bench/requests_speed", *sizes]
    return samples_of(subprocess.run(argv, stdout=subprocess.PIPE, check=True, text=True, timeout=300).stdout)


def samples_of(printed):
    for line in printed.splitlines():
        what, value, unit = line.split("\t")
        yield Sample(what, unit, float(value))


def make_connections(count):
    """So many over the loopback: pairs of a client's and a server's socket."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as server:
        pairs = []
        for _ in range(count):
            client = socket.create_connection(server.getsockname())
            pairs.append((client, server.accept()[0]))
        return pairs


def ask(pairs):
    for number, (client, server) in enumerate(pairs):
        client.sendall(b"GET /page/%d HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n" % number)
        server.recv(4096)


def answer(pairs):
    for client, server in pairs:
        server.sendall(HEAD)
        client.recv(4096)


def talk(count, pipe):
    """In a process of its own: does what it is told, and says when that is done; ends with the pipe."""
    pairs = make_connections(count)
    with contextlib.suppress(EOFError):
        while True:
            pipe.recv()(pairs)
            pipe.send(None)


@contextlib.contextmanager
def connections(count):
    """With so many, of several processes: a descriptor of each end has to fit below their limit. Yields what makes
    all of them do something."""
    each = (resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 100) // 2
    pipes, processes = [], []
    for first in range(0, count, each):
        pipe, other = multiprocessing.Pipe()
        processes.append(multiprocessing.Process(target=talk, args=(min(each, count - first), other)))
        processes[-1].start()
        other.close()
        pipes.append(pipe)

    def make_all(action):
        for pipe in pipes:
            pipe.send(action)
        for pipe in pipes:
            pipe.recv()

    try:
        yield make_all
    finally:
        for process in processes:
            process.kill()
            process.join()


def measure_sockets(bench):
    """What the agent has resident, beside what it had without them: each answers a request, then is asked another."""
    count = CONNECTIONS // (20 if bench.short else 1)
    with tempfile.TemporaryDirectory() as folder, watchers.watching(watcher_of(bench, ALL, folder)) as beside:
        before = beside.memory_mb("VmRSS")
        with connections(count) as make_all:
            make_all(ask)
            make_all(answer)
            watchers.settle()
            yield Sample(f"{2 * count} sockets, idle", MB, beside.memory_mb("VmRSS") - before)
            make_all(ask)
            watchers.settle()
            yield Sample(f"{2 * count} sockets, a request open", MB, beside.memory_mb("VmRSS") - before)
            yield Sample(f"{2 * count} sockets, in all", MB, beside.memory_mb("VmRSS"))


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


def costs(part):
    """Step -> load -> CPU time of a request with the agent, in percent of that without: medians of the ratios of each
    round. Where all CPUs are busy with it, as many requests are served as that says."""
    found = {}
    for row in part.rows(LOAD_CPU):
        base = part.samples(row.what, UNTRACED, LOAD_CPU)
        agent = part.samples(row.what, row.by, CPU) or [0] * len(row.samples)
        if base and row.by != UNTRACED:
            found.setdefault(row.by, {})[row.what] = 100 * rounds.ratio(list(map(sum, zip(row.samples, agent))), base)
    return found


def report(part):
    bare = {UNTRACED: tables.medians(part, RATE, UNTRACED)}
    cpu = {step: tables.medians(part, CPU, step) for step in CAPTURES}
    load = {step: tables.medians(part, LOAD_CPU, step) for step in (UNTRACED, *CAPTURES)}
    lost = {step: tables.medians(part, LOST, step) for step in CAPTURES}
    alone = [[row.what, tables.number(rounds.median(row.samples)), row.unit]
             for row in part.rows() if row.by in (SPEED, SOCKETS)]
    return [("Requests a second without a watcher", tables.steps_by_rows(bare, TITLES, "")),
            ("Requests served, in percent of those, medians of the ratios of each round",
             tables.steps_by_rows(rates(part), TITLES, "watched by")),
            ("CPU time of server and client, microseconds for each request", tables.steps_by_rows(load, TITLES, "")),
            ("CPU time of the agent, microseconds for each request", tables.steps_by_rows(cpu, TITLES, "")),
            ("CPU time of all three, in percent of that without a watcher, medians of the ratios of each round",
             tables.steps_by_rows(costs(part), TITLES, "")),
            ("Events lost, percent", tables.steps_by_rows(lost, {"events": "of all events"}, "")),
            ("User space, and memory of sockets", tables.markdown(["", "", "unit"], alone))]


def panels(part):
    return [Bars(f"{title}: requests served", "%", [(step, cells[what]) for step, cells in rates(part).items()
                                                    if step != watchers.AGAIN and what in cells])
            for what, title in TITLES.items()]
