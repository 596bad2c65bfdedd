# SPDX-License-Identifier: MIT
"""A server that takes batches by HTTP, and misbehaves as it is told: request by request."""
import contextlib
import gzip
import http.server
import json
import socket
import struct
import subprocess
import threading
import time

import lanner


class Reply:
    """What a request is answered with; `keeps` says whether its records count as taken."""

    def __init__(self, status=200, body=b"", headers=(), keeps=None):
        self.status, self.body, self.headers = status, body, dict(headers)
        self.keeps = status < 300 if keeps is None else keeps


class Cut(Exception):
    """The connection ends without an answer; `reset`: with RST."""

    def __init__(self, keeps=False, reset=False, before_body=False):
        super().__init__()
        self.keeps, self.reset, self.before_body = keeps, reset, before_body


class Stall(Cut):
    """The answer does not come in time."""

    def __init__(self, seconds, **options):
        super().__init__(**options)
        self.seconds = seconds


class Request:
    def __init__(self, handler):
        self.path, self.headers, self.raw = handler.path, handler.headers, b""

    def read(self, stream, slowly):
        left = int(self.headers["Content-Length"])
        while left:
            part = stream.read(min(left, 64) if slowly else left)
            self.raw += part
            left -= len(part)
            time.sleep(0.01 if slowly else 0)

    @property
    def body(self):
        packing = self.headers.get("Content-Encoding")
        if packing == "gzip":
            return gzip.decompress(self.raw)
        if packing == "zstd":
            return subprocess.run(["zstd", "-dc"], input=self.raw, capture_output=True, check=True).stdout
        return self.raw

    @property
    def lines(self):
        """Without end records."""
        return [json.loads(line) for line in lanner.without_ends(self.body.splitlines())]


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        server, request = self.server, Request(self)
        with server.lock:
            behaviour = server.script.pop(0) if server.script else None
        if isinstance(behaviour, Cut) and behaviour.before_body:
            return self._cut(behaviour)
        request.read(self.rfile, server.slowly)
        with server.lock:
            server.requests.append((time.monotonic(), request))
            reply = behaviour or server.answer(request)
            if reply.keeps:
                server.kept.append(request)
        if isinstance(reply, Cut):
            return self._cut(reply)
        self.send_response(reply.status)
        for name, value in {**reply.headers, "Content-Length": str(len(reply.body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)

    def _cut(self, cut):
        if isinstance(cut, Stall):
            self.server.ending.wait(cut.seconds)
        if cut.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    """`script` has the behaviours of the next requests; then `answer` says what each one gets."""
    daemon_threads = True

    def __init__(self, script, answer, slowly=False, port=0):
        super().__init__(("127.0.0.1", port), _Handler)
        self.script, self.answer, self.slowly = list(script), answer, slowly
        self.lock, self.ending = threading.Lock(), threading.Event()
        self.requests, self.kept = [], []
        self.connections = set()

    def process_request(self, request, client_address):
        with self.lock:
            self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        with self.lock:
            self.connections.discard(request)
        super().shutdown_request(request)

    def server_close(self):
        """Nobody is served any more, also over connections that are kept."""
        super().server_close()
        with self.lock:
            for connection in self.connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    @property
    def address(self):
        return f"127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address):
        pass


@contextlib.contextmanager
def serving(*script, answer=lambda request: Reply(), tls=None, slowly=False, port=0):
    """tls: an SSL context; port 0: a free one."""
    server = Server(script, answer, slowly, port)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.ending.set()
        server.shutdown()
        server.server_close()
