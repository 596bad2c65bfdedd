# SPDX-License-Identifier: MIT
"""Servers for tests of requests, each with folders and a port of its own, and what they count themselves.

What is not installed raises lanner.Skip. Use them as context managers.
"""
import contextlib
import glob
import os
import pathlib
import shutil
import socket
import subprocess

import lanner

NGINX = """\
worker_processes 1; daemon off; pid {folder}/pid; error_log {folder}/errors;
events {{ worker_connections 4096; }}
http {{
  log_format told '$request_method $uri $status $request_length $bytes_sent $request_time';
  access_log {folder}/log told;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  keepalive_requests 1000000; keepalive_timeout 600; sendfile on; {settings}
  server {{ listen {address}:{port} backlog=2000 {listen}; root {folder}/pages; {places} }}
}}
"""
# Statements are counted, and nothing is asked for by the server itself.
POSTGRES = """\
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = ''
ssl = off
shared_preload_libraries = 'pg_stat_statements'
pg_stat_statements.track = top
pg_stat_statements.track_planning = off
autovacuum = off
fsync = off
"""


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise lanner.Skip(f"{program} is not installed")


def certificate(folder):
    """The paths of a key, and of a certificate of localhost that it signed."""
    need("openssl")
    key, signed = f"{folder}/key", f"{folder}/certificate"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
                    "-out", signed, "-days", "2", "-subj", "/CN=localhost"], check=True, stderr=subprocess.DEVNULL)
    return key, signed


def connects(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


@contextlib.contextmanager
def running(argv, port, **options):
    """A server that accepts connections."""
    server = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    try:
        lanner.wait_until(lambda: connects(port), "the server accepts connections")
        yield server
    finally:
        server.terminate()
        server.wait()


class Nginx:
    def __init__(self, port, folder):
        self.port, self.folder, self.log = port, folder, folder / "log"

    def worker(self):
        """The id of the process that serves."""
        master = int((self.folder / "pid").read_text(encoding="ascii"))
        children = pathlib.Path(f"/proc/{master}/task/{master}/children")
        return int(lanner.wait_until(lambda: children.read_text(encoding="ascii").split(), "a worker")[0])

    def lines(self):
        """Of its log: method, target, status, sizes of request and response, seconds, each as text."""
        return [line.split() for line in self.log.read_text(encoding="ascii").splitlines()] if self.log.exists() else []

    def requests(self):
        """Of each line method, target and status."""
        return [(method, target, int(status)) for method, target, status, *_ in self.lines()]


@contextlib.contextmanager
def nginx(folder, pages=None, places="", settings="", address="127.0.0.1", start=None, listen="", port=None):
    """With pages, the bytes of each by its name, and places of its configuration. `start`: starts it from its command,
    and it is not waited for. `listen`: further words of the directive. `port`: if it must be that one."""
    need("nginx")
    folder = pathlib.Path(folder)
    # The worker has no privileges.
    folder.chmod(0o755)
    (folder / "pages").mkdir()
    for name, content in (pages or {}).items():
        (folder / "pages" / name).write_bytes(content)
    port = port or lanner.free_port()
    conf = folder / "conf"
    conf.write_text(NGINX.format(folder=folder, port=port, address=address, places=places,
                                 settings=settings, listen=listen), encoding="ascii")
    command, server = ["nginx", "-c", str(conf), "-p", str(folder)], Nginx(port, folder)
    if not start:
        with running(command, port):
            yield server
        return
    process = start(command)
    try:
        yield server
    finally:
        process.terminate()
        process.wait()


class Redis:
    def __init__(self, port):
        self.port = port

    def commands(self):
        """Calls by command, as the server counts them."""
        said = subprocess.run(["redis-cli", "-p", str(self.port), "info", "commandstats"], capture_output=True, text=True,
                              check=True, timeout=lanner.LIMIT_S).stdout
        return {line[len("cmdstat_"):line.index(":")].upper().replace("|", " "): int(line.split("calls=")[1].split(",")[0])
                for line in said.splitlines() if line.startswith("cmdstat_")}

    def benchmark(self, count, pipeline, commands):
        """So many of each of these commands, of five clients."""
        subprocess.run(["redis-benchmark", "-p", str(self.port), "-n", str(count), "-c", "5", "-P", str(pipeline), "-q", "-t",
                        commands], stdout=subprocess.DEVNULL, check=True, timeout=lanner.LIMIT_S)


@contextlib.contextmanager
def redis(folder, port=None):
    need("redis-server", "redis-benchmark", "redis-cli")
    port = port or lanner.free_port()
    with running(["redis-server", "--port", str(port), "--save", "", "--dir", folder], port):
        yield Redis(port)


class Postgres:
    def __init__(self, port):
        self.port = port

    def run(self, program, *words, text=None, status=0):
        """A client, with its input; None: it may end with any status."""
        done = subprocess.run([program, "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", *words], input=text,
                              capture_output=True, text=True, check=False, timeout=lanner.LIMIT_S)
        assert status in (None, done.returncode), done.stderr
        return done

    def ask(self, statements, status=0):
        """What a client prints of the results."""
        return self.run("psql", "-X", "-A", "-t", "-q", "postgres", text=statements, status=status).stdout

    def bench(self, *words):
        """Runs pgbench on its tables."""
        self.run("pgbench", "-n", *words, "postgres")

    def forget(self):
        """Counts from here on."""
        self.ask("SELECT pg_stat_statements_reset()")

    def counted(self):
        """Calls by the word that statements begin with, without those of this question."""
        lines = self.ask("SELECT upper(split_part(ltrim(query), ' ', 1)), sum(calls) FROM pg_stat_statements "
                         "WHERE query NOT LIKE '%pg_stat_statements%' GROUP BY 1").splitlines()
        return {word.rstrip(";"): int(calls) for word, calls in (line.split("|") for line in lines)}


@contextlib.contextmanager
def postgres(folder):
    """With the tables of pgbench."""
    programs = max(glob.glob("/usr/lib/postgresql/*/bin"), default=None)
    if not programs:
        raise lanner.Skip("PostgreSQL is not installed")
    need("pgbench")
    data = pathlib.Path(folder) / "data"
    os.chmod(folder, 0o755)
    data.mkdir()
    shutil.chown(data, "postgres", "postgres")
    own = {"user": "postgres", "group": "postgres", "extra_groups": [], "cwd": data}
    subprocess.run([f"{programs}/initdb", "-D", data, "-A", "trust", "--no-sync"], stdout=subprocess.DEVNULL, check=True,
                   timeout=lanner.LIMIT_S, **own)
    server = Postgres(lanner.free_port())
    with (data / "postgresql.conf").open("a", encoding="ascii") as config:
        config.write(POSTGRES.format(port=server.port))
    with running([f"{programs}/postgres", "-D", data], server.port, **own):
        lanner.wait_until(lambda: server.run("psql", "-c", "SELECT 1", "postgres", status=None).returncode == 0,
                          "the server is ready")
        server.ask("CREATE EXTENSION pg_stat_statements")
        server.run("pgbench", "-i", "-q", "postgres")
        yield server
