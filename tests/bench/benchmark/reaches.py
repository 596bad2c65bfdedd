# SPDX-License-Identifier: MIT
"""What Lanner is to reach, and what it does: met or missed."""
import collections

from . import agent, calls, growth, loss, profiles, programs, requests, rings, rounds, tables, user_space
from .watchers import AGAIN


class Figure:
    """A figure, and what it should be: at most, or at least. A value of None was not measured. `noise` is what the
    same figure is where nothing is measured: one that may be larger than the reach decides nothing, nor does one that
    may be the distance to what it should be at least."""

    def __init__(self, what, value, unit, most=None, least=None, noise=0):
        self.what, self.value, self.unit, self.most, self.least = what, value, unit, most, least
        self.noise = abs(noise)

    @property
    def met(self):
        """None: it is not known."""
        if self.value is None or (self.most is not None and self.noise > self.most):
            return None
        if self.value is not None and self.least is not None and self.noise > abs(self.value - self.least):
            return None
        return (self.most is None or self.value <= self.most) and (self.least is None or self.value >= self.least)

    def cells(self):
        reach = f"<= {self.most:g}" if self.most is not None else f">= {self.least:g}"
        measured = "not measured" if self.value is None else f"{self.value:.6g} {self.unit}"
        unknown = "" if self.value is None else f"noise of {self.noise:.3g}"
        return [self.what, measured, reach, {True: "yes", False: "NO", None: unknown}[self.met]]

    def __str__(self):
        return "| " + " | ".join(self.cells()) + " |"


HEAD = "| what | measured | reach | met |\n|---|---:|---:|---|"
# A reach: the figure of a part, by `value(part)`, which gives None where it was not measured; `noise(part)` likewise.
Reach = collections.namedtuple("Reach", "what part value unit most least noise", defaults=(None, None, None))


def added(what, step):
    """What a step adds to a call, in ns."""
    return lambda part: tables.added(part, calls.NS).get(step, {}).get(what)


def value(what, step, unit, at=None):
    """The median of a row."""
    def find(part):
        samples = part.samples(what, step, unit, at)
        return rounds.median(samples) if samples else None
    return find


def slower(what, step, unit):
    """By how many percent."""
    return lambda part: tables.slower(part, unit).get(step, {}).get(what)


def each(what, step, unit, sizes):
    """What one more costs, in millionths of the unit: between the least and the most."""
    def find(part):
        few, many = (value(what, step.format(size), unit, size)(part) for size in sizes)
        return None if few is None or many is None else 1e6 * (many - few) / (sizes[1] - sizes[0])
    return find


def million_a_second(what, step, at):
    """Of a row in nanoseconds."""
    def find(part):
        ns = value(what, step, "ns", at)(part)
        return None if ns is None else 1000 / ns
    return find


def started(filters, size, most):
    """The start on a machine with so many descriptors."""
    return Reach(f"first event with {size:,} descriptors, {filters}", "growth",
                 value(f"descriptors, {filters}: first event", f"{size:,} descriptors", growth.SECONDS, size), "s",
                 most)


def adds(title, what, step, most):
    return Reach(title, "calls", added(what, step), "ns", most, noise=added(what, AGAIN))


def slows(title, what, step, most):
    return Reach(title, "programs", slower(what, step, programs.SECONDS), "%", most,
                 noise=slower(what, AGAIN, programs.SECONDS))


def serves(title, what, step, least):
    """Requests served, in percent of those without the agent."""
    return Reach(title, "requests", lambda part: requests.rates(part).get(step, {}).get(what), "%", least=least,
                 noise=lambda part: requests.rates(part).get(AGAIN, {}).get(what, 100) - 100)


def requests_alone(what, unit, **bound):
    return Reach(f"requests, user space: {what}", "requests", value(what, requests.SPEED, unit), unit, **bound)


def adds_to_ring(title, what, step, most):
    return Reach(title, "rings", added(what, step), "ns", most, noise=added(what, AGAIN))


def profiled(title, what, step, unit, at=None, **bound):
    return Reach(f"profiles: {title}", "profiles", value(what, step, unit, at), unit, **bound)


OPENS = "lanner, evt.type=open"
REACHES = [
    adds("getppid, `evt.type=open`: adds", "getppid", "lanner, evt.type=open", 45),
    adds("getppid, everything: adds", "getppid", "lanner, everything", 180),
    adds("open and close, `evt.type=open` to JSON: adds", "openat", "lanner, evt.type=open to JSON", 700),
    Reach("the same: CPU of the agent", "calls",
          value("openat", "lanner, evt.type=open to JSON", calls.CPU), calls.CPU, most=20),
    adds("open and close, `evt.type=open and proc.name=zzz`: adds", "openat",
         "lanner, evt.type=open and proc.name=zzz", 250),
    adds("open and close, everything: adds", "openat", "lanner, everything", 900),
    adds("read of 4 KiB, everything: adds", "read", "lanner, everything", 280),
    adds("stat, everything: adds", "stat", "lanner, everything", 350),
    slows("redis-benchmark, nothing matches: slower", "redis", programs.NOTHING, 2),
    slows("nginx under wrk, nothing matches: slower", "nginx", programs.NOTHING, 2),
    Reach("JSON of all default fields, one core", "user_space",
          value("JSON, all default fields, no filter", user_space.INJECTED, user_space.RATE), user_space.RATE, least=5),
    Reach("decode and state, one core", "user_space",
          value("decode and state", user_space.INJECTED, user_space.RATE), user_space.RATE, least=25),
    Reach("a view of a capture file of a million events", "user_space",
          value("view of calls: agent", user_space.FILE, user_space.SECONDS), user_space.SECONDS, most=0.15),
    Reach("1,000 rules on a mixed stream", "growth", million_a_second("rules: state and rules", "1,000 rules", 1000),
          "million events/s", least=3),
    Reach("opens lost, both CPUs, to JSON", "loss", value("opens, unpaced", loss.DEFAULT, loss.PERCENT), "%", most=0),
    Reach("first event, `evt.type=open`", "agent", value(agent.START, OPENS, agent.MS), "ms", most=300),
    Reach("first event, everything", "agent", value(agent.START, "lanner, everything", agent.MS), "ms", most=700),
    started("evt.type=open", 300000, 0.7),
    started("everything", 300000, 0.7),
    started("evt.type=open", 1000000, 1.5),
    started("everything", 1000000, 1.5),
    Reach("memory of an open descriptor", "growth",
          each("descriptors, everything: resident", "{:,} descriptors", growth.MB, (1000, 1000000)), "bytes", most=64),
    Reach("resident, idle, `evt.type=open`", "agent", value(agent.RESIDENT, OPENS, agent.MB), "MB", most=18),
    Reach("resident, most, `evt.type=open`", "agent", value(agent.PEAK, OPENS, agent.MB), "MB", most=24),
    serves("nginx under wrk, requests and metrics: served", "nginx", requests.METRICS, 93),
    serves("nginx under wrk, requests of servers: served", "nginx", requests.SERVERS, 93),
    serves("nginx under h2load, HTTP/2, requests and metrics: served", "http2", requests.METRICS, 90),
    serves("redis-benchmark, requests and metrics: served", "redis", requests.METRICS, 90),
    serves("redis-benchmark, requests of servers: served", "redis", requests.SERVERS, 90),
    requests_alone("HTTP/1.1", requests.SPEED_RATE, least=1),
    requests_alone("Redis", requests.SPEED_RATE, least=1),
    requests_alone("50000 connections, HTTP/1.1, a request open", requests.MB, most=60),
    requests_alone("a series", "bytes", most=1000),
    adds_to_ring("read by io_uring, everything: adds", "ring_read", "lanner, everything", 150),
    adds_to_ring("read by io_uring, `evt.type=open`: adds", "ring_read", OPENS, 40),
    Reach("fio, 4 KiB reads by io_uring, everything: slower than by pread", "rings",
          lambda part: rings.slower_by_ring(part, "lanner, everything"), "%", most=5),
    profiled("-F 99 for a minute", "recorded", f"{profiles.LANNER}, 60 s", profiles.CPU, most=0.5),
    *(Reach(f"profiles: the same for {seconds} s, perf record is 100", "profiles",
            lambda part, seconds=seconds: profiles.ratio_to_perf(part, seconds), "%", most=100) for seconds in profiles.TIMES),
    *(profiled(f"{rate:,} samples a second recorded", "samples of page faults", profiles.FAULTS, profiles.LOST, rate, most=0)
      for rate in profiles.FAULT_RATES),
    profiled("10,000 names of a large file", "10,000 places, symbols read anew", profiles.NAMES, profiles.SECONDS, most=1),
    profiled("whole stacks of ten builds without frame pointers", "stacks that are whole", profiles.WHOLE, profiles.PERCENT,
             least=99.5),
    *(profiled(f"time off the CPU, {mode[0]}: differs from the clocks by", mode[0], profiles.WAITS, profiles.PERCENT, most=2)
      for mode in profiles.MODES),
]


def figures(results):
    """All reaches with what was measured."""
    found = []
    for reach in REACHES:
        part = results.part(reach.part)
        value_of, noise_of = ((find(part) if part and find else None) for find in (reach.value, reach.noise))
        found.append(Figure(reach.what, value_of, reach.unit, reach.most, reach.least, noise_of or 0))
    return found
