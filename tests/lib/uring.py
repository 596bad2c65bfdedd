# SPDX-License-Identifier: MIT
"""What tests of io_uring have in common."""
import pathlib

import lanner

DISABLED = pathlib.Path("/proc/sys/kernel/io_uring_disabled")
SLOT_FIRST = 1 << 30  # numbers from here on stand for registered files where an event has a descriptor


def need():
    """Skips the test where nobody may have a ring, or where events do not say enough of operations."""
    if DISABLED.exists() and DISABLED.read_text().strip() == "2":
        raise lanner.Skip("io_uring is disabled here")
    if lanner.run("fields", "evt.is_uring")[0] != 0:
        raise lanner.Skip("this agent does not know io_uring")


def operations(events, pid=None):
    """The events that came by io_uring, of one process or of all."""
    return [event for event in events if event.get("evt.via") == "io_uring" and pid in (None, event["proc.pid"])]
