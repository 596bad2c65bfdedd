# SPDX-License-Identifier: MIT
"""For tests that count what the kernel does in interrupts: there are machines, such as those where Lanner is developed,
whose kernel runs no BPF program while a thread of process 1 is the current one. What a tracepoint has then, tracefs
tells."""
import contextlib
import os
import pathlib
import subprocess
import tempfile

import lanner


class Unseen(Exception):
    """Something was."""


@contextlib.contextmanager
def of_process_1(*events, ports=()):
    """Yields what returns how often tracepoints, each SYSTEM/NAME, were hit since then while process 1 was current; with
    ports: for sockets with one of these, if the tracepoint tells."""
    lanner.need_root()
    with tempfile.TemporaryDirectory() as folder:
        if subprocess.run(["mount", "-t", "tracefs", "none", folder], check=False).returncode:
            yield lambda: 0  # who cannot look does not know of any
            return
        instance = pathlib.Path(folder, "instances", f"lanner-{os.getpid()}")
        try:
            instance.mkdir()
            switches = [instance / "events" / event / "enable" for event in events]
            threads = " || ".join(f"common_pid == {thread}" for thread in os.listdir("/proc/1/task"))
            ends = " || ".join(f"sport == {port} || dport == {port}" for port in ports)
            try:
                for switch in switches:
                    has_ends = ports and " sport;" in (switch.parent / "format").read_text(encoding="ascii")
                    (switch.parent / "filter").write_text(f"({threads}) && ({ends})" if has_ends else threads,
                                                          encoding="ascii")
                    switch.write_text("1", encoding="ascii")
                yield lambda: sum(not line.startswith("#") for line in
                                  (instance / "trace").read_text(encoding="utf-8").splitlines())
            finally:
                for switch in switches:
                    switch.write_text("0", encoding="ascii")
                instance.rmdir()
        finally:
            subprocess.run(["umount", folder], check=True)


def again_if_any(check, events, ports):
    """Calls check(stop) again and again until nothing was unseen: it calls stop() when all has happened, before it
    waits for events that may never come."""
    for _ in range(10):
        with of_process_1(*events, ports=ports) as unseen:
            def stop():
                if unseen():
                    raise Unseen

            with contextlib.suppress(Unseen):
                return check(stop)
    raise lanner.Skip("process 1 runs whenever something happens")


def equal(got, wanted, unseen, what):
    """Asserts that as many were seen as wanted, or fewer only where tracepoints were hit unseen."""
    assert got == wanted or (got < wanted and unseen), f"{what}: {got} of {wanted}, unseen {unseen}"
