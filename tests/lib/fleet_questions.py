# SPDX-License-Identifier: MIT
"""The answers to the questions of deploy/clickhouse, counted from the events themselves: nothing here
knows of SQL. All nodes of a test have the same events."""
import collections
import re

EXEC = ("execve", "execveat")
CREATING = ("open", "openat", "openat2", "creat", "socket", "accept", "accept4", "dup", "epoll_create1",
            "eventfd2", "memfd_create")
CHANGING = ("unlink", "unlinkat", "rename", "renameat", "renameat2", "truncate", "chmod", "fchmodat",
            "fchmodat2", "chown", "lchown", "fchownat", "link", "linkat", "symlink", "symlinkat", "mknod",
            "mknodat")
IP = ("ipv4", "ipv6")
NUMBERS = {"evt.num", "evt.cpu", "evt.rawres", "evt.latency", "evt.buflen.in", "evt.buflen.out",
           "evt.rawarg.spid", "evt.rawarg.dpid", "evt.rawarg.status", "proc.pid", "proc.ppid",
           "proc.vmrss", "thread.tid", "thread.exectime", "thread.pfmajor", "thread.pfminor", "user.uid",
           "fd.num", "fd.lport", "fd.rport", "fd.sport", "evt.rawtime"}


class Event(dict):
    """An event whose missing values are those that a column has then."""

    def __missing__(self, key):
        return 0 if key in NUMBERS or key in ("evt.failed", "evt.is_open_write") else ""

    def number(self, key):
        return int(self[key])

    def moved(self):
        return self.number("evt.buflen.in") + self.number("evt.buflen.out")


def total(key):
    return lambda event: event.number(key)


def number_or_zero(text):
    """As toUInt16OrZero() of ClickHouse."""
    return int(text) if re.fullmatch("[0-9]+", text) else 0


class Question:
    """Groups of events and, for each, numbers that are combined: (how, of what)."""

    def __init__(self, number, where, keys, *numbers, having=None, order, limit=None, **variables):
        self.name, self.where, self.keys, self.numbers = number, where, keys, numbers
        self.having, self.order, self.limit, self.variables = having, order, limit, variables
        self.groups = {}

    def add(self, event):
        if not self.where(event):
            return
        key = tuple(event[name] if isinstance(name, str) else name(event)
                    for name in self.keys if name != "node")
        values = [value(event) for _, value in self.numbers]
        old = self.groups.get(key)
        if old is None:
            self.groups[key] = values
            return
        for i, (how, _) in enumerate(self.numbers):
            old[i] = old[i] + values[i] if how is sum else how(old[i], values[i])

    def rows(self, nodes):
        """What the server has to answer, as texts."""
        made = []
        times = 1 if "node" in self.variables else len(nodes)
        for key, values in self.groups.items():
            if "node" in self.keys:
                made += [((node, *key), values) for node in nodes]
            else:
                made.append((key, [value * times if how is sum else value
                                   for (how, _), value in zip(self.numbers, values)]))
        made = [row for row in made if not self.having or self.having(row[1])]
        made.sort(key=lambda row: self.order(row[0], row[1]))
        return [tuple(str(part) for part in (*key, *values)) for key, values in made[:self.limit]]


class Lives:
    """07: processes whose begin and end were both seen, once each."""
    name, variables = "07", {}

    def __init__(self):
        self.begins, self.ends = collections.defaultdict(list), collections.defaultdict(list)

    def add(self, event):
        if event["evt.type"] in EXEC and not event["evt.failed"]:
            self.begins[event["proc.pid"]].append((event.number("evt.rawtime"), event["proc.cmdline"]))
        elif event["evt.type"] == "procexit" and event["thread.tid"] == event["proc.pid"]:
            self.ends[event["proc.pid"]].append(event.number("evt.rawtime"))

    def rows(self, nodes):
        made = [(self.ends[pid][0] - begins[0][0], node, pid, begins[0][1])
                for pid, begins in self.begins.items() for node in nodes
                if len(begins) == 1 and len(self.ends[pid]) == 1]
        made.sort(key=lambda row: row[:3])
        return [(node, str(pid), command, str(lived)) for lived, node, pid, command in made[:20]]


class Kills:
    """08: signals to processes that a signal ended."""
    name, variables = "08", {}

    def __init__(self):
        self.ended, self.signals = collections.Counter(), collections.Counter()

    def add(self, event):
        if event["evt.type"] == "procexit" and event["thread.tid"] == event["proc.pid"]:
            status = event.number("evt.rawarg.status")
            self.ended[event["proc.pid"]] = max(self.ended[event["proc.pid"]], status)
        elif event["evt.type"] == "signaldeliver":
            self.signals[event.number("evt.rawarg.spid"), event.number("evt.rawarg.dpid")] += 1

    def rows(self, nodes):
        made = [(node, sender, receiver, self.ended[receiver] & 127, count) for node in nodes
                for (sender, receiver), count in self.signals.items() if self.ended[receiver] & 127]
        return [tuple(map(str, row)) for row in sorted(made)[:100]]


class Changes:
    """13: who changed a file."""
    name = "13"

    def __init__(self, path):
        self.variables, self.found = {"path": path}, []

    def add(self, event):
        path = self.variables["path"]
        if not event["evt.failed"] and (event["evt.is_open_write"] or event["evt.type"] in CHANGING) and \
                path in (event["fs.path.name"], event["fs.path.source"], event["fs.path.target"]):
            self.found.append(event)

    def rows(self, nodes):
        made = sorted((event.number("evt.rawtime"), node, event["evt.type"], event["proc.name"],
                       event["proc.pid"], event["user.name"]) for event in self.found for node in nodes)
        return [(node, str(ns), *map(str, rest)) for ns, node, *rest in made[:100]]


class Around:
    """20: all events of some milliseconds."""
    name = "20"

    def __init__(self, node, time_ns, ms):
        self.variables, self.found = {"node": node, "time_ns": time_ns, "ms": ms}, []

    def add(self, event):
        if abs(event.number("evt.rawtime") - self.variables["time_ns"]) <= self.variables["ms"] * 1000000:
            self.found.append(tuple(event[key] for key in (
                "evt.rawtime", "evt.num", "evt.type", "proc.name", "thread.tid", "evt.res", "fd.name")))

    def rows(self, nodes):
        made = sorted(self.found, key=lambda row: (int(row[0]), int(row[1])))
        return [tuple(map(str, row)) for row in made[:200]]


def questions(port, address, name, pid, path, user, node, time_ns):
    """All twenty, for these variables."""
    def kind(*types):
        return lambda event: event["evt.type"] in types

    moved = (sum, total("evt.buflen.in")), (sum, total("evt.buflen.out"))
    failed = (sum, total("evt.failed"))
    calls = (sum, lambda event: 1)
    latency = (sum, total("evt.latency"))
    slowest = (max, total("evt.latency"))
    some = lambda values: values[0] + values[1] > 0
    by_sum = lambda key, values: (-values[0] - values[1], key)
    by_first = lambda key, values: (-values[0], key)
    by_key = lambda key, values: key
    return [
        Question("01", kind("switch"), ("node", "proc.name"), (sum, total("thread.exectime")),
                 order=by_first, limit=20),
        Question("02", lambda e: e["fd.type"] == "file", ("node", "proc.name"), *moved, having=some,
                 order=by_sum, limit=20),
        Question("03", lambda e: e["fd.type"] == "file" and e["fd.name"], ("fd.name",), calls,
                 (sum, Event.moved), slowest, order=by_first, limit=20),
        Question("04", lambda e: e["fd.type"] in IP and e["fd.rip"],
                 ("node", "proc.name", "fd.l4proto", "fd.rip", "fd.rport"), *moved, having=some,
                 order=by_sum, limit=20),
        Question("05", lambda e: e["evt.type"] in ("bind", "listen") and not e["evt.failed"] and
                 e["fd.sport"] == port, ("node", "evt.type", "proc.name", "proc.pid", "user.name"), calls,
                 order=by_key, port=port),
        Question("06", lambda e: e["evt.type"] == "connect" and e["fd.rip"] == address,
                 ("node", "proc.name", "fd.rport"), calls, failed, order=by_first, address=address),
        Lives(), Kills(),
        Question("09", lambda e: e["proc.name"] == name, ("node", "evt.category"), latency,
                 (sum, total("thread.exectime")), order=by_first, name=name),
        Question("10", lambda e: True, ("evt.type",), calls, failed, latency, slowest, order=by_first),
        Question("11", lambda e: e["evt.failed"], ("node", "proc.name", "evt.type", "evt.res"), calls,
                 order=by_first, limit=50),
        Question("12", lambda e: e["proc.pid"] == pid, ("fd.type", "fd.name"), *moved,
                 having=some, order=by_sum, limit=50, node=node, pid=pid),
        Changes(path),
        Question("14", lambda e: not e["evt.failed"], ("node", "proc.name", "proc.pid"),
                 (sum, lambda e: e["evt.type"] in CREATING), (sum, lambda e: e["evt.type"] == "close"),
                 having=lambda values: values[0] > values[1],
                 order=lambda key, values: (values[1] - values[0], key), limit=20),
        Question("15", lambda e: e["fd.type"] in IP and e["evt.buffer"].startswith("HTTP/1."),
                 ("node", "proc.name", "fd.rip", "fd.rport", lambda e: number_or_zero(e["evt.buffer"][9:12])), calls,
                 order=by_first, limit=50),
        Question("16", lambda e: e["fd.type"] in IP and e["fd.rport"] == 53,
                 ("node", "proc.name", "fd.rip"), (sum, lambda e: e["evt.buflen.out"] > 0),
                 (sum, lambda e: e["evt.buflen.in"] > 0), failed, order=by_key, limit=50),
        Question("17", lambda e: e["evt.type"] in EXEC and not e["evt.failed"] and
                 user in (e["user.name"], e["user.loginname"]), ("node", "proc.cmdline"), calls,
                 order=by_first, limit=50, user=user),
        Question("18", lambda e: e["container.name"],
                 ("node", "container.name", "container.image", "k8s.ns.name", "k8s.pod.name"), calls,
                 (sum, total("thread.exectime")), (sum, Event.moved), order=by_first, limit=50),
        Memory(), Around(node, time_ns, 5),
    ]


class Memory:
    """19: page faults and growth."""
    name, variables = "19", {}

    def __init__(self):
        self.found = {}

    def add(self, event):
        rss = event.number("proc.vmrss")
        if not rss:
            return
        major, minor = event.number("thread.pfmajor"), event.number("thread.pfminor")
        seen = self.found.setdefault((event["proc.name"], event["proc.pid"]), [major, minor, rss, rss])
        seen[:] = max(seen[0], major), max(seen[1], minor), max(seen[2], rss), min(seen[3], rss)

    def rows(self, nodes):
        made = sorted((least - most, node, name, pid, major, minor) for node in nodes
                      for (name, pid), (major, minor, most, least) in self.found.items())
        return [(node, name, str(pid), str(major), str(minor), str(-shrunk))
                for shrunk, node, name, pid, major, minor in made[:20]]
