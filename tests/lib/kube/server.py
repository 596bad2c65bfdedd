# SPDX-License-Identifier: MIT
"""A TLS server for stand-ins: it knows who asks, counts what is asked, and misbehaves if told to."""
import collections
import contextlib
import dataclasses
import gzip
import http.server
import json
import socket
import ssl
import threading
import time
import urllib.parse

import kube.faults as faults

HANDSHAKE_S, IDLE_S, CLOSE_S = 10, 120, 1
PIECE = 32768
CHUNKED_FROM = 2048  # a longer body has no Content-Length, as those of Go's servers
COMPRESSED_FROM = 128 * 1024


@dataclasses.dataclass(frozen=True)
class Account:
    """Whose token it is, and what may be done: verbs by resource."""
    user: str
    rules: dict


ANONYMOUS = Account("system:anonymous", {})


@dataclasses.dataclass
class Request:
    """One that was received; `verb` says of which kind it is."""
    at: float  # time.monotonic()
    path: str
    query: dict
    verb: str = ""
    user: str = ""
    code: int = 0  # of the answer, 0 before there is one


def json_bytes(thing):
    return json.dumps(thing, separators=(",", ":")).encode()


class Connection(http.server.BaseHTTPRequestHandler):
    """Requests of one connection, one after the other."""
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = IDLE_S

    def setup(self):
        self.stand_in, self.stopping = self.server.stand_in, self.server.stopping
        self.fault, self.was_cut = None, False
        self.request.settimeout(HANDSHAKE_S)
        began = time.monotonic()
        try:
            self.request = self.stand_in.context.wrap_socket(self.request, server_side=True)
        except OSError as error:
            self.stand_in.connects.append((began, str(error)))
            raise
        self.stand_in.connects.append((began, ""))
        super().setup()
        self.stand_in.connections.add(self)

    def handle(self):
        with contextlib.suppress(OSError):
            try:
                super().handle()
            except faults.Cut:
                self.cut()

    def finish(self):
        self.stand_in.connections.discard(self)
        with contextlib.suppress(OSError, ValueError):
            super().finish()
            if not self.was_cut:
                self.request.settimeout(CLOSE_S)
                self.request.unwrap()
        self.request.close()

    def cut(self):
        """Ends the connection, from any thread, wherever it is: neither the body nor TLS ends properly."""
        self.was_cut = True
        with contextlib.suppress(OSError), socket.fromfd(
                self.request.fileno(), socket.AF_INET, socket.SOCK_STREAM) as raw:
            raw.shutdown(socket.SHUT_RDWR)

    def do_GET(self):
        address = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(address.query, keep_blank_values=True))
        self.asked = Request(time.monotonic(), urllib.parse.unquote(address.path), query)
        self.account = self.stand_in.account_of(self.headers.get("Authorization", ""))
        self.asked.user = self.account.user if self.account else ""
        self.asked.verb = self.stand_in.verb_of(self.asked)
        self.stand_in.requests.append(self.asked)
        self.fault = self.stand_in.fault_for(self.asked.verb)
        if self.fault and self.fault.answer(self):
            return
        if self.account is None:
            self.stand_in.refuse_token(self)
        else:
            self.stand_in.respond(self)

    def send_response(self, code, message=None):
        self.asked.code = code
        super().send_response(code, message)

    def pause(self, seconds):
        """Waits, or for ever, but not longer than the server is there."""
        if self.stopping.wait(seconds):
            raise faults.Cut

    def begin(self, code, headers, length=None):
        """The head of an answer, whose body has that length or is chunked."""
        self.chunked = length is None
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        if self.chunked:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.flush()

    def write(self, data):
        """A part of the body; without bytes its end."""
        if self.chunked:
            data = b"%x\r\n%s\r\n" % (len(data), data)
        if self.fault:
            self.fault.emit(self, data)
        else:
            self.wfile.write(data)

    def send_body(self, code, media, body, headers=None):
        headers = {"Cache-Control": "no-cache, private", "Content-Type": media, **(headers or {})}
        if len(body) >= COMPRESSED_FROM and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body, 1)
            headers.update({"Content-Encoding": "gzip", "Vary": "Accept-Encoding"})
        self.begin(code, headers, None if len(body) > CHUNKED_FROM else len(body))
        for at in range(0, len(body), PIECE):
            self.write(body[at:at + PIECE])
        if self.chunked:
            self.write(b"")

    def send_json(self, code, thing, headers=None):
        self.send_body(code, "application/json", json_bytes(thing), headers)

    def send_status(self, status, headers=None):
        self.send_json(status["code"], status, headers)

    def send_text(self, code, text, headers=None):
        self.send_body(code, "text/plain; charset=utf-8", text.encode(), headers)

    def log_message(self, *_):
        pass


class _Listener(http.server.ThreadingHTTPServer):
    request_queue_size = 64
    block_on_close = False

    def __init__(self, stand_in, port):
        self.stand_in, self.stopping = stand_in, threading.Event()
        super().__init__(("127.0.0.1", port), Connection)

    def handle_error(self, request, client_address):
        """A client that gives up while it connects is no error of the test; it is in `connects`."""


class Server:
    """
    Runs as a context manager, or from start() to stop() as often as wanted, on the same port.
    A subclass has respond(connection), verb_of(request) and refuse_token(connection).
    """

    def __init__(self, authority):
        self.authority = authority
        self.context = authority.issue()
        self.accounts = {}  # by token
        self.requests = []  # all of them, in order
        self.connects = []  # (time, error or "")
        self.connections = set()
        self._faults = []
        self._lock = threading.Lock()
        self.port = 0
        self._listener = None

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"

    def start(self):
        self._listener = _Listener(self, self.port)
        self.port = self._listener.server_port
        threading.Thread(target=self._listener.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def reserve_port(self):
        """A port for a server that is started later."""
        with socket.socket() as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind(("127.0.0.1", 0))
            self.port = taken.getsockname()[1]

    def stop(self):
        """Like a crash: nothing listens, and all connections are cut."""
        if self._listener:
            self._listener.stopping.set()
            self._listener.shutdown()
            self._listener.server_close()
            self._listener = None
        self.cut()

    def cut(self):
        """Cuts all connections."""
        for connection in list(self.connections):
            connection.cut()

    def __enter__(self):
        return self.start()

    def __exit__(self, kind, value, trace):
        self.stop()

    def account_of(self, header):
        """Who asks; None: the token is not, or no longer, accepted."""
        kind, _, token = header.partition(" ")
        return self.accounts.get(token) if kind == "Bearer" else ANONYMOUS

    def may(self, account, verb, resource):
        return verb in account.rules.get(resource, ())

    def misbehave(self, fault, *verbs, times=None):
        """Requests of these kinds, or all, meet the fault; so many times, or until heal()."""
        with self._lock:
            self._faults.append([fault, verbs, times])

    def heal(self):
        with self._lock:
            self._faults.clear()

    def fault_for(self, verb):
        with self._lock:
            for entry in self._faults:
                fault, verbs, times = entry
                if verbs and verb not in verbs:
                    continue
                if times is not None:
                    entry[2] -= 1
                    if entry[2] == 0:
                        self._faults.remove(entry)
                return fault
        return None

    def count(self, verb=None, since=0.0):
        """Requests of a kind, or all."""
        return sum((not verb or request.verb == verb) and request.at >= since
                   for request in list(self.requests))

    def verbs(self):
        return collections.Counter(request.verb for request in list(self.requests))


def is_closed(connection):
    """Whether the client is gone, who sends nothing while it watches."""
    raw = connection.request
    try:
        raw.settimeout(0)
        return raw.recv(1) == b""
    except (ssl.SSLWantReadError, BlockingIOError):
        return False
    except OSError:
        return True
    finally:
        with contextlib.suppress(OSError):
            raw.settimeout(IDLE_S)
