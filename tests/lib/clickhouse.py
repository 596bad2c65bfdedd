# SPDX-License-Identifier: MIT
"""A ClickHouse server of its own for a test, and what deploy/clickhouse does with it."""
import contextlib
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import lanner

DEPLOY = pathlib.Path(lanner.TOP) / "deploy/clickhouse"
FIELDS = (DEPLOY / "fields").read_text(encoding="ascii").split()
START_S = 60
CONFIG = """<yandex>
<logger><level>error</level><console>1</console></logger>
<http_port>{port}</http_port><listen_host>127.0.0.1</listen_host>
<path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path>
<users_config>{folder}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>67108864</mark_cache_size>
</yandex>"""
USERS = """<yandex><profiles><default><max_memory_usage>4000000000</max_memory_usage></default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
<quota>default</quota></default></users><quotas><default></default></quotas></yandex>"""


# Of the format TabSeparated.
ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "0": "\0"}


def _unescape(text):
    return re.sub(r"\\(.)", lambda match: ESCAPED.get(match[1], match[1]), text)


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}"

    def query(self, text):
        """The answer as lists of texts."""
        with urllib.request.urlopen(self.url, text.encode(), timeout=300) as answer:
            return [line.split("\t") for line in answer.read().decode().splitlines()]

    def run(self, program, *args):
        """What a script of deploy/clickhouse prints."""
        done = subprocess.run([DEPLOY / program, self.url, *args], capture_output=True, text=True,
                              timeout=300, check=False)
        assert done.returncode == 0, f"{program} {args}: {done.stdout}{done.stderr}"
        return done.stdout

    def ask(self, question, /, **variables):
        """The rows of a question, and the seconds that it took."""
        start = time.monotonic()
        text = self.run("ask", question, *(f"{key}={value}" for key, value in variables.items()))
        seconds = time.monotonic() - start
        return [tuple(map(_unescape, line.split("\t"))) for line in text.split("\n")[1:-1]], seconds


@contextlib.contextmanager
def server():
    """A server with the tables; it and its data are gone at the end."""
    program = shutil.which("clickhouse-server")
    if not program:
        raise lanner.Skip("needs clickhouse-server")
    with tempfile.TemporaryDirectory(prefix="clickhouse-") as folder:
        path, port = pathlib.Path(folder), _free_port()
        for name in ("data", "tmp", "conf.d"):
            (path / name).mkdir()
        for name in ("compression.xml", "kafka.xml"):
            shutil.copy(DEPLOY / name, path / "conf.d")
        (path / "config.xml").write_text(CONFIG.format(port=port, folder=folder), encoding="ascii")
        (path / "users.xml").write_text(USERS, encoding="ascii")
        with open(path / "log", "wb") as log:
            process = subprocess.Popen([program, f"--config-file={folder}/config.xml"],
                                       stdout=log, stderr=log)
        try:
            made = Server(port)
            _wait(made, process, path / "log")
            made.run("create-tables")
            yield made
        finally:
            process.terminate()
            process.wait(timeout=60)


def _wait(made, process, log):
    deadline = time.monotonic() + START_S
    while True:
        try:
            made.query("SELECT 1")
            return
        except (urllib.error.URLError, ConnectionError):
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"clickhouse-server: {log.read_text()}") from None
            time.sleep(0.1)
