# SPDX-License-Identifier: MIT
"""How a server misbehaves: what Server.misbehave() takes."""
import os

import kube.objects as objects


class Cut(Exception):
    """Raised where the connection is to be cut."""


class Fault:
    """One that changes nothing."""

    def answer(self, connection):
        """Called in place of the answer; false: the real answer follows."""
        return False

    def emit(self, connection, data):
        """Sends a part of a body."""
        connection.wfile.write(data)


class Refuse(Fault):
    """An error, as the API writes it; 429 is plain text there."""

    def __init__(self, code, retry_after=None, reason=None):
        self.code, self.reason = code, reason
        self.headers = {} if retry_after is None else {"Retry-After": str(retry_after)}

    def answer(self, connection):
        if self.code == 429:
            connection.send_text(429, "Too many requests, please try again later.\n", self.headers)
        else:
            connection.send_status(objects.status(self.code, "refused by the test", reason=self.reason),
                                   self.headers)
        return True


class Slow(Fault):
    """The answer begins late."""

    def __init__(self, seconds):
        self.seconds = seconds

    def answer(self, connection):
        connection.pause(self.seconds)
        return False


class Drip(Fault):
    """A body comes in pieces, with pauses."""

    def __init__(self, size, pause_s=0.0):
        self.size, self.pause_s = size, pause_s

    def emit(self, connection, data):
        for at in range(0, len(data), self.size):
            connection.wfile.write(data[at:at + self.size])
            connection.wfile.flush()
            connection.pause(self.pause_s)


class CutAfter(Fault):
    """The connection ends after so many bytes of the body."""

    def __init__(self, size):
        self.size = size

    def emit(self, connection, data):
        sent = getattr(connection, "sent_before_cut", 0)
        connection.wfile.write(data[:self.size - sent])
        connection.sent_before_cut = sent + len(data)
        if connection.sent_before_cut >= self.size:
            connection.wfile.flush()
            raise Cut


class Close(Fault):
    """The connection ends without an answer."""

    def answer(self, connection):
        raise Cut


class Silent(Fault):
    """No answer at all, or none after the head; the connection stays."""

    def __init__(self, with_head=False):
        self.with_head = with_head

    def answer(self, connection):
        if self.with_head:
            connection.begin(200, {"Content-Type": "application/json"})
        connection.pause(None)
        raise Cut


class Body(Fault):
    """200, and these bytes instead of JSON; by default any."""

    def __init__(self, data=None):
        self.data = data

    def answer(self, connection):
        connection.send_body(200, "application/json", self.data or os.urandom(4096))
        return True


class Endless(Fault):
    """200, and a list that does not end before so many bytes."""

    def __init__(self, size):
        self.size = size

    def answer(self, connection):
        connection.begin(200, {"Content-Type": "application/json"})
        connection.write(b'{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[')
        block = b'{"metadata":{"name":"x"}},' * 2500
        for _ in range(self.size // len(block) + 1):
            connection.write(block)
        raise Cut
