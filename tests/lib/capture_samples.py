# SPDX-License-Identifier: MIT
"""Values for parameters of every type, and events that need every conversion of old captures."""
import os
import socket
import struct
import subprocess

import capture_file
import lanner


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


def every_conversion(with_enter):
    """Events that need every conversion, each call in a thread of its own: (tid, code, params), and
    what becomes of each as (code, params), None if it is no event then.

    tests/support/upgrade_cases makes them, with the model that the unit tests have.
    """
    def event(code, params):
        return int(code), [bytes.fromhex(param) for param in params.split(",")[:-1]]

    program = os.path.join(lanner.BUILD, "tests/support/upgrade_cases")
    done = subprocess.run([program] if with_enter else [program, "alone"], capture_output=True,
                          text=True, check=True)
    for line in done.stdout.splitlines():
        tid, code, params, *upgraded = line.split("\t")
        yield (int(tid), *event(code, params)), event(*upgraded) if len(upgraded) == 2 else None
