# SPDX-License-Identifier: MIT
"""For tests of networks: two network namespaces joined by a pair of devices, with IPv4 and IPv6, and what the kernel
counts in each of them."""
import contextlib
import ctypes
import json
import os
import shutil
import subprocess
import threading

import lanner

CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)
ENDS = {"near": ("10.99.0.1", "fd99::1"), "far": ("10.99.0.2", "fd99::2")}


class Namespace:
    """One of them: its name for ip(8), its addresses, and its inode, as events have it."""

    def __init__(self, place):
        self.name = f"lanner-{place}-{os.getpid()}"
        self.device = f"{place}{os.getpid()}"
        self.addresses = ENDS[place]
        self.made = False

    def make(self):
        subprocess.run(["ip", "netns", "add", self.name], check=True)
        self.made = True
        self.ino = os.stat(f"/run/netns/{self.name}").st_ino

    def set_up(self):
        v4, v6 = self.addresses
        self.run("ip", "addr", "add", f"{v4}/24", "dev", self.device)
        self.run("ip", "addr", "add", f"{v6}/64", "dev", self.device, "nodad")
        self.run("ip", "link", "set", self.device, "up")
        self.run("ip", "link", "set", "lo", "up")

    def run(self, *argv, **options):
        return subprocess.run(["ip", "netns", "exec", self.name, *argv], check=True, capture_output=True, text=True,
                              **options).stdout

    def popen(self, *argv, **options):
        return subprocess.Popen(["ip", "netns", "exec", self.name, *argv], **options)

    def set(self, key, value):
        self.run("sysctl", "-q", "-w", f"{key}={value}")

    def within(self, function, *arguments):
        """What function() returns in a thread of this namespace: sockets that it makes belong there."""
        results = []

        def enter():
            with open(f"/run/netns/{self.name}", encoding="ascii") as handle:
                assert LIBC.setns(handle.fileno(), CLONE_NEWNET) == 0, os.strerror(ctypes.get_errno())
            try:
                results.append((function(*arguments), None))
            except Exception as error:  # it is the caller's
                results.append((None, error))

        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
        value, error = results[0]
        if error:
            raise error
        return value

    def counted(self):
        """The kernel's counters by name, of IPv4 and IPv6 together."""
        return {name: int(value) for name, value in
                json.loads(self.run("nstat", "-a", "-s", "-z", "-j"))["kernel"].items()}

    def drop(self, family, *rule):
        """Has the kernel drop what arrives and matches a rule of iptables."""
        self.run({4: "iptables", 6: "ip6tables"}[family], "-w", "-A", "INPUT", *rule)

    def flush(self):
        for program in ("iptables", "ip6tables"):
            self.run(program, "-w", "-F", "INPUT")

    def remove(self):
        if self.made:
            subprocess.run(["ip", "netns", "del", self.name], check=True)


@contextlib.contextmanager
def joined():
    """The near one and the far one."""
    lanner.need_root()
    for program in ("ip", "nstat", "iptables", "ip6tables"):
        if not shutil.which(program):
            raise lanner.Skip(f"{program} is not installed")
    near, far = Namespace("near"), Namespace("far")
    try:
        near.make()
        far.make()
        subprocess.run(["ip", "link", "add", near.device, "netns", near.name, "type", "veth", "peer", "name", far.device,
                        "netns", far.name], check=True)
        near.set_up()
        far.set_up()
        yield near, far
    finally:
        near.remove()
        far.remove()
