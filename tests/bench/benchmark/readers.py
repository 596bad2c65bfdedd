# SPDX-License-Identifier: MIT
"""Programs that read capture files: the agent, and Debian's sysdig where it is installed; and the files for both."""
import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import time

CPU = 1  # both programs run there alone
# What keeps the machine busy while it is recorded: files, processes, pipes and sockets.
LOADS = (
    "while :; do grep -rl lanner /usr/share/doc /etc >/dev/null 2>&1; done",
    "while :; do cat /etc/hostname /etc/passwd | wc -l >/dev/null; done",
    "while :; do tar cf - /usr/include 2>/dev/null | cat >/dev/null; done",
    "exec python3 -c 'import socket\n"
    "s = socket.create_server((\"127.0.0.1\", 0))\n"
    "while True:\n"
    "    c = socket.create_connection(s.getsockname()); a = s.accept()[0]\n"
    "    for _ in range(20): c.send(b\"x\" * 100); a.recv(200)\n"
    "    c.close(); a.close()'")
FILTER = "proc.name=cat and fd.name contains /etc"


class Case:
    """The arguments for either program; `compressed`: of the file as gzip."""

    def __init__(self, name, agent, sysdig, compressed=False):
        self.name, self.agent, self.sysdig, self.compressed = name, agent, sysdig, compressed


CASES = (
    Case("count only", ["-o", "none"], ["-q"]),
    Case("`evt.type=open`", ["-o", "none", "evt.type=open"],
         ["-q", "evt.type in (open, openat, openat2)"]),
    Case(f"`{FILTER}`", ["-o", "none", FILTER], ["-q", FILTER]),
    Case("text of all", ["-o", "text"], []),
    Case("JSON of all", ["-o", "json"], ["-j"]),
    Case("view of calls", ["view", "topscalls"], ["-c", "topscalls"]),
    Case("count only, gzip", ["-o", "none"], ["-q"], compressed=True))


@contextlib.contextmanager
def busy_machine():
    processes = [subprocess.Popen(["sh", "-c", load], stdout=subprocess.DEVNULL,
                                  start_new_session=True) for load in LOADS]
    try:
        yield
    finally:
        for process in processes:
            os.killpg(process.pid, 9)
            process.wait()


def record(agent, path, events):
    """A capture of so many events of a busy machine."""
    with busy_machine():
        subprocess.run([agent, "--scap-compat", "2022", "--buffer-size", "64M", "-w", path, "-n", str(events)],
                       check=True, timeout=600, stderr=subprocess.DEVNULL)


def run(argv):
    """Runs a program on its CPU; returns seconds, resident MiB at most, and what it said.

    Started by time(1), as what a program takes begins with what its parent had.
    """
    with tempfile.NamedTemporaryFile("r") as kib, tempfile.TemporaryFile("w+") as err:
        begin = time.monotonic()
        done = subprocess.run(["taskset", "-c", str(CPU), "time", "-o", kib.name, "-f", "%M", *argv],
                              stdout=subprocess.DEVNULL, stderr=err)
        seconds = time.monotonic() - begin
        err.seek(0)
        messages = err.read()
        if done.returncode:
            raise RuntimeError(f"{' '.join(argv)}: exit code {done.returncode}\n{messages}")
        return seconds, int(kib.read()) / 1024, messages


def count_events(readers):
    """How many events each sees in its file: sysdig has two for most calls."""
    counts = {}
    for name, (program, path, _) in readers.items():
        if name == "sysdig":
            out = subprocess.run([program, "-r", path, "-p", "%evt.num"], stdout=subprocess.PIPE,
                                 check=True)
            counts[name] = out.stdout.count(b"\n")
        else:
            _, _, messages = run([program, "-v", "-r", path, "-o", "none"])
            counts[name] = int(re.search(r"read (\d+) events", messages).group(1))
    return counts


def pack(path):
    compressed = path + ".gz"
    with open(compressed, "wb") as out:
        subprocess.run(["gzip", "-c", path], stdout=out, check=True)
    return compressed


def make_files(agent, given, folder, events):
    """Name of a reader -> program, file and the same file as gzip."""
    path, current = os.path.join(folder, "bench.scap"), os.path.join(folder, "current.scap")
    if given:
        shutil.copyfile(given, path)
    else:
        record(agent, path, events)
    subprocess.run([agent, "-r", path, "-w", current], check=True)
    readers = {"agent": (agent, path, pack(path))}
    if shutil.which("sysdig"):
        readers["sysdig"] = ("sysdig", path, readers["agent"][2])
    return {**readers, "agent, current": (agent, current, pack(current))}


def read(reader, name, case):
    """Seconds and MiB of one reading."""
    program, path, compressed = reader
    argv = [program, "-r", compressed if case.compressed else path]
    seconds, rss, _ = run(argv + (case.sysdig if name == "sysdig" else case.agent))
    return seconds, rss
