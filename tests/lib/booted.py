# SPDX-License-Identifier: MIT
"""systemd as process 1 in namespaces, for tests of units and packages: real, beside the machine's own."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import lanner

HERE = pathlib.Path(__file__).resolve().parent
NAMESPACES = ("--mount", "--pid", "--cgroup", "--uts", "--ipc", "--net")
BOOT_S = 90


def need():
    lanner.need_root()
    if not os.path.exists("/lib/systemd/systemd"):
        raise lanner.Skip("systemd is not installed")


class Machine:
    """One that runs. `pid`: its process 1, as seen here."""

    def __init__(self, pid):
        self.pid = pid

    def run(self, *command, check=True, timeout=180):
        """Runs a command inside; returns what it printed."""
        done = subprocess.run(["nsenter", f"--target={self.pid}", *NAMESPACES, *command],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)
        if check and done.returncode:
            raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def property(self, unit, name):
        return self.run("systemctl", "show", "-P", name, unit).strip()

    def journal(self, unit):
        return self.run("journalctl", "--no-pager", "-o", "cat", "-u", unit)

    def wait(self, seconds, what, condition):
        """Until the condition holds. `what` may be a function that says so then."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, what() if callable(what) else what
            time.sleep(0.05)


def remove_groups(group):
    """With those below it; their processes were killed, and may take a moment to be gone."""
    deadline = time.monotonic() + lanner.LIMIT_S
    while os.path.exists(group) and time.monotonic() < deadline:
        for folder, _, _ in os.walk(group, topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(folder)
        time.sleep(0.02)


@contextlib.contextmanager
def control_group():
    """One of its own, below which systemd makes those of its units; yields the path of its cgroup.procs."""
    top = tempfile.mkdtemp(prefix="lanner-")
    group = os.path.join(top, f"lanner-test-{os.getpid()}")
    try:
        if subprocess.run(["mount", "-t", "cgroup2", "cgroup2", top], capture_output=True).returncode:
            raise lanner.Skip("no control groups of version 2")
        os.mkdir(group)
        yield os.path.join(group, "cgroup.procs")
    finally:
        remove_groups(group)
        subprocess.run(["umount", "--lazy", top], capture_output=True)
        os.rmdir(top)


def first_child(pid):
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(children[0]) if children else None


@contextlib.contextmanager
def booted(lower, upper=()):
    """A machine that has reached basic.target. lower: its root file system, which is not changed; upper:
    folders whose files are put over it."""
    need()
    # An overlay cannot lie on an overlay, as some machines have for /tmp.
    scratch = "/run/lanner-test-%d" % os.getpid()
    os.mkdir(scratch, 0o700)
    try:
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", scratch], check=True)
        os.mkdir(f"{scratch}/upper")
        for folder in upper:
            shutil.copytree(folder, f"{scratch}/upper", dirs_exist_ok=True, symlinks=True)
        with control_group() as group, open(f"{scratch}/log", "w") as log:
            command = ["unshare", *NAMESPACES, "--fork", "--kill-child", "--propagation", "private",
                       HERE / "boot", lower, scratch]
            with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                  preexec_fn=lambda: pathlib.Path(group).write_text("0")) as process:
                try:
                    yield wait_for_boot(process, f"{scratch}/log")
                finally:
                    process.kill()
    finally:
        subprocess.run(["umount", "--lazy", scratch], capture_output=True)
        os.rmdir(scratch)


def wait_for_boot(process, log):
    deadline = time.monotonic() + BOOT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise AssertionError(f"no boot: {pathlib.Path(log).read_text()}")
        pid = first_child(process.pid)
        if pid and pathlib.Path(f"/proc/{pid}/comm").read_text() == "systemd\n":
            machine = Machine(pid)
            if machine.run("systemctl", "is-active", "basic.target", check=False) == "active\n":
                return machine
        time.sleep(0.1)
    raise AssertionError(f"no boot within {BOOT_S} s: {pathlib.Path(log).read_text()}")
