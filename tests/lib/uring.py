# SPDX-License-Identifier: MIT
"""What tests of io_uring have in common."""
import pathlib

import lanner

DISABLED = pathlib.Path("/proc/sys/kernel/io_uring_disabled")
SLOT_FIRST = 1 << 30  # numbers from here on stand for registered files where an event has a descriptor


def is_shown():
    """Whether the agent shows operations."""
    return lanner.run("events", "io_uring_op")[0] == 0


def need():
    """Skips the test where nobody may have a ring, or where the agent does not show operations."""
    if DISABLED.exists() and DISABLED.read_text().strip() == "2":
        raise lanner.Skip("io_uring is disabled here")
    if not is_shown():
        raise lanner.Skip("this agent does not show operations of io_uring")


def operations(events, pid=None):
    """The events that came by io_uring, of one process or of all."""
    return [event for event in events if event.get("evt.via") == "io_uring" and pid in (None, event["proc.pid"])]
