# SPDX-License-Identifier: MIT
"""Syslog servers for tests, with ports, sockets and configurations of their own; the messages that they
wrote, and the certificates for TLS."""
import contextlib
import json
import os
import re
import socket
import subprocess
import time

import lanner
from kube.certificates import Authority

SEND = os.path.join(lanner.BUILD, "tests/support/send_records")
WAIT_S = 60
PARTS = ("pri", "time", "host", "app", "procid", "msgid", "data", "message")
DATA = re.compile(r'^\[meta sequenceId="(\d+)"\]\[lanner@32473 id="0123456789abcdef-(\d+)"\]$')
TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|\+00:00)$")


def certificates(folder):
    """A CA, a certificate of the server (127.0.0.1) and one of the client, as files of the folder."""
    authority = Authority(folder, "ca")
    issued = {"server": authority.issue_server(["127.0.0.1"]), "client": authority.issue_client("client")}
    for name, files in issued.items():
        for path, end in zip(files, ("pem", "key")):
            path.rename(f"{folder}/{name}.{end}")
    authority.path.rename(f"{folder}/ca.pem")
    return folder


def make_records(count):
    """Records as the agent prints them, with characters that servers might change."""
    for number in range(1, count + 1):
        yield json.dumps({"evt.num": number, "text": f'a "quoted" \\ back ] [x] ä€ \t % {number}',
                          "filler": "x" * (number % 400)}, ensure_ascii=False, separators=(",", ":"))


def send(target, records):
    """Sends records; returns what was reported."""
    done = subprocess.run([SEND, target], input="".join(f"{record}\n" for record in records), text=True,
                          stderr=subprocess.PIPE, timeout=60)
    lanner.equal(done.returncode, 0, done.stderr)
    return done.stderr


@contextlib.contextmanager
def running(command, ready, **options):
    """A server; ready() says when it listens."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options) as server:
        try:
            deadline = time.monotonic() + WAIT_S
            while not ready():
                if server.poll() is not None or time.monotonic() > deadline:
                    server.kill()
                    raise AssertionError(server.stdout.read().decode(errors="replace"))
                time.sleep(0.05)
            yield server
        finally:
            server.terminate()


def accepts(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_for_lines(path, count):
    """The lines of a file when there are that many, and no more after a moment."""
    deadline = time.monotonic() + WAIT_S
    while True:
        lines = path.read_text(errors="surrogateescape").splitlines() if path.exists() else []
        if len(lines) >= count or time.monotonic() > deadline:
            break
        time.sleep(0.05)
    time.sleep(0.2)
    return path.read_text(errors="surrogateescape").splitlines() if path.exists() else []


def compare(lines, records, facility=3):
    """Fails unless the lines are the records, in any order, each once and with a right header."""
    seen = {}
    for line in lines:
        message = dict(zip(PARTS, line.split("|", len(PARTS) - 1)))
        number, again = map(int, DATA.match(message["data"]).groups())
        lanner.equal(number, again, line)
        assert number not in seen, line
        seen[number] = message["message"].strip()
        lanner.equal(int(message["pri"]), facility * 8 + number % 8, line)
        lanner.equal(message["host"], socket.gethostname(), line)
        lanner.equal((message["app"], message["msgid"]), ("lanner", "openat"), line)
        assert TIME.match(message["time"]) and int(message["procid"]) > 1, line
    lanner.equal(len(seen), len(records), "messages")
    for number, record in enumerate(records, 1):
        lanner.equal(seen[number], record, f"message {number}")
