# SPDX-License-Identifier: MIT
"""For tests of requests: what the agent says of what clients ask servers."""
import collections
import contextlib
import re
import socket

import lanner

ACCOUNT = re.compile(r"^agent: requests of (\S+): seen (\d+) = reported (\d+) \+ unknown (\d+) \+ lost (\d+)",
                     re.MULTILINE)


def account(text):
    """Of each protocol that the agent reported at its end, of all of the machine: seen, reported, unknown, lost."""
    return {protocol: tuple(map(int, numbers)) for protocol, *numbers in ACCOUNT.findall(text)}


def watch(expression, act, wanted, options=()):
    """The requests that pass by role, after `act`, which makes so many of them. Nothing may be lost."""
    with lanner.Agent("-o", "json", "--buffer-size", "16M", *options, "requests", expression) as agent:
        act()
        lanner.wait_until(lambda: len(agent.events) >= 2 * wanted, lambda: f"{len(agent.events)} of {2 * wanted}")
        report = agent.stop()
    lanner.equal(report["lost by chance"], 0, f"lost: {report['causes']}")
    by_role = collections.defaultdict(list)
    for event in agent.events:
        by_role[event["evt.args"]["role"]].append(event)
    return by_role


class Capture:
    """A capture that the cases of a file share, as it starts for as long as most of them take. Each has ports of its own.

    `taken` are the numbers of its events that were returned to a case, `unasked` the ports of requests that no case wants.
    """

    def __init__(self, agent, held):
        self.agent, self.held, self.taken, self.marks = agent, held, set(), 0
        self.unasked = set()

    def port(self):
        """One that it looks at, for a server that is started at once: until now nobody else could take it."""
        with self.held.pop() as held:
            return held.getsockname()[1]

    def warm_up(self, port, ask):
        """Asks a server at the port until both ends are reported, for what the agent has to find first. How many there are
        of these requests does not matter."""
        self.unasked.add(port)

        def is_seen():
            begin = len(self.agent.events)
            ask()
            with contextlib.suppress(AssertionError):
                lanner.wait_until(lambda: sum(self.is_of(event, port) for event in self.agent.events[begin:]) >= 2, "both ends", 1)
                return True
            return False

        lanner.wait_until(is_seen, "a request that is reported at both ends")

    @staticmethod
    def is_of(event, port):
        return f":{port}" in (event["evt.args"]["tuple"] or "")

    def left(self):
        """The requests that were not returned to any case."""
        return [event for number, event in enumerate(self.agent.events)
                if number not in self.taken and not any(self.is_of(event, port) for port in self.unasked)]

    def watch(self, of, act, wanted):
        """As watch(): of the requests of a port, or of those for which a function says so. None may come behind them."""
        is_one = of if callable(of) else lambda event: self.is_of(event, of)
        begin = looked_at = len(self.agent.events)
        found = []

        def count():
            nonlocal looked_at
            end = len(self.agent.events)
            found.extend(number for number in range(looked_at, end) if is_one(self.agent.events[number]))
            looked_at = end
            return len(found)

        act()
        lanner.wait_until(lambda: count() >= 2 * wanted, lambda: f"{len(found)} of {2 * wanted}, {looked_at - begin} in all")
        self.taken.update(found)
        by_role = collections.defaultdict(list)
        for number in found:
            by_role[self.agent.events[number]["evt.args"]["role"]].append(self.agent.events[number])
        return by_role

    def watch_between(self, port, act, mark):
        """As watch(), of clients that make requests nobody knows the number of: all of a port between two connections by
        which mark(name) asks for something whose target has the name in it."""
        begin = self._mark(port, mark)[-1] + 1
        act()
        marks = self._mark(port, mark)
        others = {self.agent.events[number]["evt.args"]["tuple"] for number in marks}
        by_role = collections.defaultdict(list)
        for event in self.agent.events[begin:marks[0]]:
            request = event["evt.args"]
            if self.is_of(event, port) and request["tuple"] not in others:
                by_role[request["role"]].append(event)
        return by_role

    def _mark(self, port, mark):
        """The numbers of both ends of such a request."""
        self.marks += 1
        name, begin = f"mark_{self.marks}_of_{port}", len(self.agent.events)

        def is_mark(event):
            return name in (event["evt.args"]["target"] or "")

        mark(name)
        first = self.agent.find(is_mark, begin)
        return first, self.agent.find(is_mark, first + 1)


def held_port():
    """A socket that keeps a port of 127.0.0.1 from others."""
    while True:
        held = socket.socket()
        try:
            held.bind(("127.0.0.1", lanner.free_port()))
            return held
        except OSError:
            held.close()


@contextlib.contextmanager
def capture(*options, expression="fd.port in ({ports})", count=10, lossless=True, whole=True):
    """A Capture that looks at so many ports. At its end each request must have been returned to a case, if `whole`, and
    nothing may have been lost, if `lossless`."""
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(held_port()) for _ in range(count)]
        ports = ", ".join(str(one.getsockname()[1]) for one in held)
        agent = stack.enter_context(lanner.Agent("-o", "json", "--buffer-size", "16M", *options, "requests",
                                                 expression.format(ports=ports)))
        shared = Capture(agent, held)
        yield shared
        report = agent.stop()
        left = shared.left()
        assert not whole or not left, f"{len(left)} requests that no case has asked for: {left[:3]}"
        assert not lossless or report["lost by chance"] == 0, f"lost: {report['causes']}"
