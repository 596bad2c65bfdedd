# SPDX-License-Identifier: MIT
"""Collectors for long runs: what they got of each stream is checked as it comes, and only counted."""
import contextlib
import json
import os
import re
import socket
import subprocess
import threading
import urllib.request

import http_server
import lanner

RECORD = re.compile(rb'\{("evt\.redelivered":true,)?"evt\.id":"([0-9a-f]+)-([de]?)(\d+)"')
METRIC = re.compile(r'^(\w+)(?:\{(.*)\})? (\S+)$', re.MULTILINE)


class Stream:
    """The records of one output: each number once, or marked, and in order; holes only where a drop record
    says so. `wrong` has the first lines for which that is not true."""

    def __init__(self):
        self.lock = threading.Lock()
        self.ids, self.received, self.again, self.dropped, self.last = set(), 0, 0, 0, 0
        self.causes, self.wrong = {}, []

    def take(self, lines):
        with self.lock:
            for line in lines:
                self._take(line)

    def _take(self, line):
        match = RECORD.match(line)
        if not match:
            self.wrong.append(line[:200])
            return
        marked, stream, drop, number = match.groups()
        self.ids.add(stream)
        if drop == "e":
            return
        if drop:
            self._take_drop(json.loads(line), marked)
            return
        number = int(number)
        if number <= self.last:
            self.again += 1
            if not marked:
                self.wrong.append(line[:200])
            return
        if number != self.last + 1:
            self.wrong.append(f"{number} after {self.last}")
        self.received, self.last = self.received + 1, number

    def _take_drop(self, record, marked):
        if "drop.from" not in record:
            return
        if record["drop.from"] != self.last + 1:
            if not marked:
                self.wrong.append(f"drop record {record} after {self.last}")
            return
        self.dropped += record["drop.count"]
        cause = record["drop.cause"]
        self.causes[cause] = self.causes.get(cause, 0) + record["drop.count"]
        self.last = record["drop.to"]

    def check(self, wanted):
        """Fails unless `wanted` records came, and nothing else."""
        lanner.equal((self.wrong[:3], self.received, self.dropped, len(self.ids)), ([], wanted, 0, 1), self.causes)


@contextlib.contextmanager
def http_collector(stream, port=0):
    """The URL of a server that takes NDJSON."""
    def take(request):
        stream.take(request.body.splitlines())
        request.raw = b""
        return http_server.Reply()

    with http_server.serving(answer=take, port=port) as server:
        forget = threading.Event()
        threading.Thread(target=_forget_requests, args=(server, forget), daemon=True).start()
        try:
            yield f"http://{server.address}/"
        finally:
            forget.set()


def _forget_requests(server, end):
    while not end.wait(1):
        with server.lock:
            del server.requests[:], server.kept[:]


@contextlib.contextmanager
def socket_collector(stream, path=None):
    """The target of a listening socket: of TCP, or with a path a Unix socket."""
    if path:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        target = f"unix:{path}"
    else:
        listener = socket.create_server(("127.0.0.1", 0))
        target = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
    threading.Thread(target=_accept, args=(listener, stream), daemon=True).start()
    with listener:
        yield target


def _accept(listener, stream):
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            rest = b""
            while data := connection.recv(1 << 16):
                *lines, rest = (rest + data).split(b"\n")
                stream.take(lines)


class KafkaCluster:
    """librdkafka's mock cluster with one topic, as `kafka://...`; see tests/support/kafka_cluster.c."""
    PROGRAM = os.path.join(lanner.BUILD, "tests/support/kafka_cluster")

    def __init__(self, topic, partitions):
        if not os.path.exists(self.PROGRAM):
            raise lanner.Skip("needs a build with librdkafka")
        self.process = subprocess.Popen([self.PROGRAM, topic, str(partitions)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.brokers = self.process.stdout.readline().strip()
        self.target = f"kafka://{self.brokers}/{topic}"

    def count(self):
        """How many messages the topic got."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=lanner.LIMIT_S)


class Load:
    """RATE events a second for some seconds, which `filter` passes, and nothing else."""
    PROGRAM = os.path.join(lanner.BUILD, "tests/bench/paced_calls")

    def __init__(self, folder):
        self.path = os.path.join(folder, "opened-and-closed")
        with open(self.path, "wb"):
            pass
        self.filter = f"proc.name=paced_calls and evt.type in (openat, close) and fd.name={self.path}"

    def start(self, rate, seconds):
        return subprocess.Popen([self.PROGRAM, str(rate), str(seconds), self.path], stdout=subprocess.PIPE,
                                text=True)

    def run(self, rate, seconds):
        """Returns how many events that were."""
        return self.events(self.start(rate, seconds))

    @staticmethod
    def events(process):
        """Of a load that was started: waits for its end."""
        text = process.communicate()[0]
        lanner.equal(process.returncode, 0)
        return int(text)


def metrics(address):
    """The agent's metrics: by name, the sum over all labels."""
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=lanner.LIMIT_S) as answer:
        text = answer.read().decode()
    sums = {}
    for name, _, value in METRIC.findall(text):
        sums[name] = sums.get(name, 0) + float(value)
    return sums


class Usage:
    """What a process uses now: KiB of memory, descriptors, threads, seconds of CPU time."""

    def __init__(self, pid):
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            status = {name: value.strip() for name, _, value in (line.partition(":") for line in file)}
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            words = file.read().rpartition(")")[2].split()
        self.rss_kb, self.threads = int(status["VmRSS"].split()[0]), int(status["Threads"])
        self.cpu_s = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
        self.fds = len(os.listdir(f"/proc/{pid}/fd"))
