# SPDX-License-Identifier: MIT
"""Values for parameters of every type, and events that need every conversion of old captures."""
import socket
import struct

import capture_file
import capture_upgrade

FIRST_TID = 1000


def address(ip, port):
    """A SOCKADDR."""
    family = socket.AF_INET6 if ":" in ip else socket.AF_INET
    return bytes((family,)) + socket.inet_pton(family, ip) + struct.pack("<H", port)


def tuple_of(source, port, destination, other_port):
    """A SOCKTUPLE."""
    return address(source, port) + address(destination, other_port)[1:]


def some_value(kind, seed):
    """Bytes of a parameter that differ by the seed and are right for its type."""
    if kind in capture_file.SIZE_OF:
        return seed.to_bytes(capture_file.SIZE_OF[kind], "little") if capture_file.SIZE_OF[kind] > 1 else bytes((
            seed % 256,))
    return {"SOCKADDR": address("10.0.0.1", seed),
            "SOCKTUPLE": tuple_of("10.0.0.1", seed, "10.0.0.2", 80),
            "FDLIST": struct.pack("<Hqh", 1, seed, 1),
            "DYN": struct.pack("<BQ", 0, seed)}.get(kind, f"/v{seed}\0".encode())


def some_params(code, count, seed):
    return [some_value(kind, seed + i) for i, (_, kind) in
            enumerate(capture_file.table()[code].params[:count])]


def stored_enter(code):
    """The number of parameters with which an enter event is kept for its exit; None: it is not."""
    counts = [count for (enter, count), (action, _, _) in capture_upgrade.rows().items()
              if enter == code and (action.startswith("store") or action == "retype")]
    return counts[0] if counts else None


def every_conversion(with_enter):
    """Events (tid, code, params) that need every conversion, each in a thread of its own."""
    for number, (code, count) in enumerate(capture_upgrade.rows()):
        tid, seed = FIRST_TID + number, 100 + number * 40
        enter = stored_enter(code - 1) if code % 2 and with_enter else None
        if enter is not None:
            yield tid, code - 1, some_params(code - 1, enter, seed)
        yield tid, code, some_params(code, count, seed + 20)
