# SPDX-License-Identifier: MIT
"""Servers that tests write themselves, from what is known of a protocol, where no real one is packaged; and clients of
the npm registry, which take them for real."""
import collections
import contextlib
import os
import socket
import subprocess
import threading
import traceback

import lanner
import npm


class StandIn:
    """Serves on a port of its own, in a thread for each connection, and keeps what it was asked. Use as a context manager."""

    def __init__(self):
        self.asked, self.problems, self.lock = [], [], threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", lanner.free_port()))
        self.port = self.listener.getsockname()[1]
        self.connections = []

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, kind, value, trace):
        self.listener.close()
        for connection in self.connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        assert not self.problems, "\n".join(self.problems)

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.connections.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            with connection, connection.makefile("rb") as file:
                self.serve(connection, file)
        except OSError:
            pass
        except Exception:  # of the test, which has it at the end
            self.problems.append(traceback.format_exc())

    def serve(self, connection, file):
        """Answers what the file has, until its end."""
        raise NotImplementedError

    def ask(self, *what):
        """Keeps that it was asked so."""
        with self.lock:
            self.asked.append(what)


def need(name, *packages):
    """The folder of these packages, of which clients are made."""
    return npm.install(name, *packages)


def run_client(settle, modules, script, *words):
    """Runs a client to its end; returns what it prints behind its first line. With that it says that it has a connection,
    and goes on when it may read a line."""
    with subprocess.Popen(["node", str(script), *map(str, words)], env=os.environ | {"NODE_PATH": str(modules)}, text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as client:
        try:
            begin = client.stdout.readline()
            if begin == "ready\n":
                settle()
            out, messages = client.communicate("\n", timeout=lanner.LIMIT_S)
        finally:
            client.kill()
    assert begin == "ready\n" and client.returncode == 0, f"the client ended with {client.returncode}:\n{begin}{out}\n{messages}"
    return out


def watch(servers, act):
    """The requests of stand-ins by role, while which act(settle) runs: as many as these were asked, or AssertionError. settle()
    waits until all that was asked is reported: before that, of large calls on a new connection only the beginning is captured."""
    with lanner.Agent("-o", "json", "--buffer-size", "16M", "requests",
                      f"fd.port in ({', '.join(str(server.port) for server in servers)})") as agent:
        def wanted():
            return 2 * sum(len(server.asked) for server in servers)

        def settle():
            lanner.wait_until(lambda: len(agent.events) >= wanted(), lambda: f"{len(agent.events)} of {wanted()} requests")

        act(settle)
        settle()
        report = agent.stop()
    lanner.equal(report["lost by chance"], 0, f"lost: {report['causes']}")
    lanner.equal(len(agent.events), wanted(), "requests")
    by_role = collections.defaultdict(list)
    for event in agent.events:
        by_role[event["evt.args"]["role"]].append(event["evt.args"])
    return by_role
