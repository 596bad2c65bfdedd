# SPDX-License-Identifier: MIT
"""Servers as loads: redis under redis-benchmark, nginx under wrk, over the loopback. Both serve in a folder of the
bench and end with it."""
import contextlib
import pathlib
import re
import socket
import subprocess
import time

from .watchers import Failed

WAIT_S = 10
REDIS_REQUESTS, WRK_S, CONNECTIONS = 400000, 4, 32
PAGE_BYTES = 1024
NGINX = """daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
  access_log off; keepalive_requests 1000000000;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder}; uwsgi_temp_path {folder};
  scgi_temp_path {folder};
  server {{ listen 127.0.0.1:{port}; root {folder}/pages; }}
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
def nginx(folder):
    """With nginx; yields what gives the seconds of 100,000 requests for a page, and has its port and the numbers of
    its processes."""
    port = free_port()
    pages = pathlib.Path(folder, "pages")
    pages.mkdir()
    (pages / "index.html").write_bytes(b"x" * PAGE_BYTES)
    config = pathlib.Path(folder, "nginx.conf")
    config.write_text(NGINX.format(folder=folder, port=port), encoding="ascii")

    def load(short):
        argv = ["wrk", "-t", "1", "-c", str(CONNECTIONS), "-d", f"{1 if short else WRK_S}s",
                f"http://127.0.0.1:{port}/index.html"]
        return 1e5 / figure(argv, r"^Requests/sec:\s*([\d.]+)")

    load.port = port
    with server(["nginx", "-c", str(config), "-e", f"{folder}/error.log"], port) as process:
        load.pids = [process.pid, worker_of(process.pid)]
        yield load


redis.needs, nginx.needs = "redis-benchmark", "wrk"
# Of how many requests the seconds are.
COUNTS = {"nginx": lambda short: 100000, "redis": lambda short: REDIS_REQUESTS // (8 if short else 1)}
