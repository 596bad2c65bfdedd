# SPDX-License-Identifier: MIT
"""What tests of io_uring have in common."""
import json
import pathlib
import re

import lanner

DISABLED = pathlib.Path("/proc/sys/kernel/io_uring_disabled")
UNTOLD = "requests whose begin or end is not told"
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


# What tests/e2e/uring_calls.c does, each step by a call and by an operation.

CALLS = pathlib.Path(__file__).resolve().parents[1] / "e2e" / "uring_calls.c"
# Their types alone: to load the programs of all others takes minutes in a guest.
TYPES = sorted({name for names in re.findall(r"^URING_OPERATION\(\w+, \d+, (\w+), (\w+),",
                                             (CALLS.parents[2] / "driver/events/uring.def").read_text(), re.MULTILINE)
                for name in names} | {"io_uring_enter", "procexit"})
FILTER = f"evt.type in ({', '.join(TYPES)}) and (proc.name startswith c: or proc.name startswith r: or proc.name=prepares)"
FIELDS = "*" + " ".join(f"%{field}" for field in (
    "evt.type", "evt.res", "evt.rawres", "evt.failed", "evt.args", "evt.via", "evt.is_uring", "evt.latency",
    "evt.abspath", "fd.num", "fd.name", "fd.type", "fd.l4proto", "fd.cip", "fd.sport", "proc.name", "proc.pid",
    "thread.tid", "user.uid"))
# Of what differs between any two calls of the kind.
RANDOM = {"evt.latency", "proc.name", "evt.via", "evt.is_uring"}
RANDOM_ARGS = {("waitid", "id"), ("waitid", "si_pid"), ("openat2", "ino")}
PORTS = re.compile(r"127\.0\.0\.1:(?!40404|40405)\d+")  # that the kernel chose


def comparable(event):
    """Without what no two calls have in common."""
    event = {key: value for key, value in event.items() if key not in RANDOM}
    event["evt.args"] = {name: value for name, value in event["evt.args"].items()
                         if (event["evt.type"], name) not in RANDOM_ARGS}
    text = json.dumps(event, sort_keys=True)
    return json.loads(PORTS.sub("127.0.0.1:PORT", text))


def differences(call, operation):
    both = set(call) | set(operation)
    found = {key: (call.get(key), operation.get(key)) for key in both if call.get(key) != operation.get(key)}
    if "evt.args" in found and all(found["evt.args"]):
        names = set(call["evt.args"]) | set(operation["evt.args"])
        found["evt.args"] = {name: (call["evt.args"].get(name), operation["evt.args"].get(name)) for name in names
                             if call["evt.args"].get(name) != operation["evt.args"].get(name)}
    return found


def compare_calls(lines, events):
    """By step what differs between its call and its operation; the lines are those of the program, in words."""
    wrong = {}
    for name, *results in lines:
        if results == ["absent"]:
            continue
        calls = [event for event in events if event["proc.name"] == f"c:{name}" and event["evt.type"] != "prctl"]
        done = [event for event in events if event["proc.name"] == f"r:{name}" and event.get("evt.via")]
        rest = {event["evt.type"] for event in events
                if event["proc.name"] == f"r:{name}" and not event.get("evt.via")}
        assert rest <= {"io_uring_enter", "prctl"}, (name, rest)
        if len(calls) != len(done) or not calls:
            wrong[name] = (calls, done)
            continue
        for call, operation in zip(calls, done):
            found = differences(comparable(call), comparable(operation))
            assert operation["evt.via"] == "io_uring" and operation["evt.is_uring"] and operation["evt.latency"] > 0
            lanner.equal(operation["evt.rawres"], int(results[1]), name)
            if found:
                wrong[name] = found
    return wrong


def compare_numbers(lines, events):
    """The same where the kernel tells only which operation has which number and result: how many were compared, and
    the steps whose operation failed before it was told."""
    opcodes = dict(re.findall(r'\{"([^"]+)", ((?:IORING_OP|URING)_\w+),', CALLS.read_text()))
    compared, missing = 0, []
    for number, (name, *results) in enumerate(lines, 1):
        if results == ["absent"]:
            continue
        done = [event for event in events if event["proc.name"] == f"r:{name}" and event.get("evt.via")]
        if not done:
            assert int(results[1]) < 0, f"no operation of {name}"
            missing.append(name)
            continue
        for event in done:
            lanner.equal(event["evt.type"], "io_uring_op", name)
            lanner.equal(int(event["evt.args"]["user_data"], 16), number, name)
            lanner.equal(event["evt.rawres"], int(results[1]), name)
            assert event["evt.latency"] > 0, event
        lanner.equal(done[0]["evt.args"]["opcode"], opcodes[name], name)
        compared += len(done)
    return compared, missing
