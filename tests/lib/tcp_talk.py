# SPDX-License-Identifier: MIT
"""For tests of TCP: connections between two network namespaces, and the agent that captures their events."""
import contextlib
import os
import socket
import threading
import time

import lanner

PORT = 5001
EVENTS = "evt.type in (tcp_connect, tcp_established, tcp_close, tcp_state)"
FAMILIES = {4: socket.AF_INET, 6: socket.AF_INET6}


@contextlib.contextmanager
def watched(near, far, wanted=EVENTS, options=()):
    """The agent, while it captures events of both namespaces."""
    with lanner.Agent("-o", "json", "--buffer-size", "16M", *options,
                      f"({wanted}) and tcp.netns in ({near.ino}, {far.ino})") as agent:
        yield agent


def ended(agent, count, wanted):
    """The events, when so many have come of which wanted(event) is true, and none was lost."""
    agent.wait_for_count(count, wanted)
    # One too many would come soon.
    time.sleep(0.2)
    report = agent.stop()
    lanner.equal(report["lost by chance"], 0, "lost")
    assert "skipped by the kernel" not in agent.stderr, agent.stderr
    return agent.events


def of_type(events, name, space=None):
    return [event["evt.args"] for event in events if event["evt.type"] == name and
            (space is None or event["evt.args"]["netns"] == space.ino)]


def is_event(name, space):
    return lambda event: event["evt.type"] == name and event["evt.args"]["netns"] == space.ino


def listening(family, address, port=PORT, backlog=200):
    made = socket.socket(FAMILIES[family], socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind((address, port))
    made.listen(backlog)
    return made


def connect(family, address, port=PORT):
    """The socket, or the number of the error."""
    made = socket.socket(FAMILIES[family], socket.SOCK_STREAM)
    error = made.connect_ex((address, port))
    if not error:
        return made
    made.close()
    return error


def reset_from(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    connection.close()


def serve(server, count, sizes):
    """Reads each connection to its end, and then closes it."""
    for _ in range(count):
        connection, _ = server.accept()
        with connection:
            size = 0
            while piece := connection.recv(1 << 16):
                size += len(piece)
            sizes.append(size)


def talk(near, far, family, count, port=PORT):
    """So many connections, each with another number of bytes; the sizes as sent and as read."""
    index = 0 if family == 4 else 1
    server = far.within(listening, family, far.addresses[index], port)
    sizes, sent = [], [1000 * number for number in range(count)]
    reader = threading.Thread(target=serve, args=(server, count, sizes))
    reader.start()
    for size in sent:
        with near.within(connect, family, far.addresses[index], port) as connection:
            connection.sendall(b"x" * size)
    reader.join()
    server.close()
    lanner.equal(sorted(sizes), sent, "sizes")
    return sent


def kernel_is(*version):
    return tuple(map(int, os.uname().release.split("-")[0].split(".")[:2])) >= version
