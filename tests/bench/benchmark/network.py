# SPDX-License-Identifier: MIT
"""Servers as loads: redis under redis-benchmark, nginx under wrk, and under h2load with HTTP/2, over the loopback. They
serve in a folder of the bench and end with it."""
import contextlib
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import time

from .watchers import Failed

WAIT_S = 10
REDIS_REQUESTS, WRK_S, CONNECTIONS = 400000, 4, 32
STREAMS = 10  # at once, of each connection of HTTP/2
PAGE_BYTES = 1024
NGINX = """daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
  access_log off; keepalive_requests 1000000000;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder}; uwsgi_temp_path {folder};
  scgi_temp_path {folder};
  server {{ listen 127.0.0.1:{port} {listen}; root {folder}/pages; }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def server(argv, port):
    """With a server that accepts connections: its process."""
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + WAIT_S
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            if process.poll() is not None or time.monotonic() > deadline:
                raise Failed(f"{argv[0]} does not serve")
            time.sleep(0.02)
        yield process
    finally:
        process.terminate()
        process.wait()


def worker_of(pid):
    """The number of its child, which may begin after the port is open."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        found = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        if found:
            return int(found[0])
        time.sleep(0.02)
    raise Failed(f"process {pid} has no child")


def figure(argv, pattern):
    """A number that a load prints."""
    done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=120)
    found = re.search(pattern, done.stdout, re.MULTILINE)
    if not found:
        raise Failed(f"{argv[0]} printed no figure: {done.stdout[-300:]}")
    return float(found[1])


@contextlib.contextmanager
def redis(folder):
    """With redis; yields what gives the seconds that its requests take, half of them store, half of them ask, and has
    the number of its process."""
    port = free_port()

    def load(short):
        requests = REDIS_REQUESTS // (8 if short else 1)
        argv = ["redis-benchmark", "-p", str(port), "-n", str(requests // 2), "-c", str(CONNECTIONS), "--csv", "-t"]
        return sum(requests / 2 / figure([*argv, kind], rf'^"{kind.upper()}","([\d.]+)"') for kind in ("set", "get"))

    argv = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir",
            folder]
    with server(argv, port) as process:
        load.pids = [process.pid]
        yield load


@contextlib.contextmanager
def nginx_under(folder, listen, argv, pattern):
    """With nginx, in a folder of its own; yields what gives the seconds of 100,000 requests for a page, by the rate that
    the words of a command print, and has its port and the numbers of its processes."""
    port = free_port()
    with tempfile.TemporaryDirectory(dir=folder) as own:
        os.chmod(own, 0o755)
        pages, config = pathlib.Path(own, "pages"), pathlib.Path(own, "nginx.conf")
        pages.mkdir()
        (pages / "index.html").write_bytes(b"x" * PAGE_BYTES)
        config.write_text(NGINX.format(folder=own, port=port, listen=listen), encoding="ascii")

        def load(short):
            seconds = str(1 if short else WRK_S)
            return 1e5 / figure([*argv, seconds, f"http://127.0.0.1:{port}/index.html"], pattern)

        load.port = port
        with server(["nginx", "-c", str(config), "-e", f"{own}/error.log"], port) as process:
            load.pids = [process.pid, worker_of(process.pid)]
            yield load


def nginx(folder):
    return nginx_under(folder, "", ["wrk", "-t", "1", "-c", str(CONNECTIONS), "-d"], r"^Requests/sec:\s*([\d.]+)")


def http2(folder):
    """Of HTTP/2 without TLS."""
    argv = ["h2load", "-t", "1", "-c", str(CONNECTIONS), "-m", str(STREAMS), "-D"]
    return nginx_under(folder, "http2", argv, r"^finished in [\d.]+s, ([\d.]+) req/s")


redis.needs, nginx.needs, http2.needs = "redis-benchmark", "wrk", "h2load"
# Of how many requests the seconds are.
COUNTS = {"nginx": lambda short: 100000, "http2": lambda short: 100000, "redis": lambda short: REDIS_REQUESTS // (8 if short else 1)}
