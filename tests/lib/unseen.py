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


@contextlib.contextmanager
def of_process_1(*events):
    """Yields what returns how often tracepoints, each SYSTEM/NAME, were hit since then while process 1 was current."""
    lanner.need_root()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-t", "tracefs", "none", folder], check=True)
        instance = pathlib.Path(folder, "instances", f"lanner-{os.getpid()}")
        try:
            instance.mkdir()
            switches = [instance / "events" / event / "enable" for event in events]
            threads = [f"common_pid == {thread}" for thread in os.listdir("/proc/1/task")]
            try:
                for switch in switches:
                    (switch.parent / "filter").write_text(" || ".join(threads), encoding="ascii")
                    switch.write_text("1", encoding="ascii")
                yield lambda: sum(not line.startswith("#") for line in
                                  (instance / "trace").read_text(encoding="utf-8").splitlines())
            finally:
                for switch in switches:
                    switch.write_text("0", encoding="ascii")
                instance.rmdir()
        finally:
            subprocess.run(["umount", folder], check=True)


def equal(got, wanted, unseen, what):
    """Asserts that as many were seen as wanted, or fewer only where tracepoints were hit unseen."""
    assert got == wanted or (got < wanted and unseen), f"{what}: {got} of {wanted}, unseen {unseen}"
