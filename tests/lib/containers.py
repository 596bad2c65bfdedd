# SPDX-License-Identifier: MIT
"""Container runtimes for tests, each with folders of its own: Docker, Podman, containerd and runc.

They run one image, a busybox; what is not installed raises lanner.Skip. Use them as context managers.
"""
import contextlib
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tarfile
import time

import lanner

IMAGE = "localhost/lanner-busybox:1"
START_S, RUN_S = 120, 120
# Less than is allowed here: a test machine may not let root raise limits, as podman does.
PODMAN_LIMITS = ["--ulimit", "nofile=1000:1000", "--ulimit", "nproc=1000:1000"]


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise lanner.Skip(f"{program} is not installed")


def checked(command, **options):
    """Runs a command, which must succeed; returns its standard output."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=RUN_S, **options)
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def root_file_system(folder):
    """A folder with a busybox, and the same as an archive."""
    need("busybox")
    root = pathlib.Path(folder) / "rootfs"
    for name in ("bin", "etc", "proc", "sys", "dev", "tmp"):
        (root / name).mkdir(parents=True)
    shutil.copy(shutil.which("busybox"), root / "bin/busybox")
    for applet in ("sh", "cat", "sleep", "true"):
        (root / "bin" / applet).symlink_to("busybox")
    (root / "etc/passwd").write_text("root:x:0:0:root:/:/bin/sh\n")
    archive = pathlib.Path(folder) / "rootfs.tar"
    with tarfile.open(archive, "w") as tar:
        tar.add(root, arcname=".")
    return root, archive


class Daemon:
    """A process that is there until the end of the test."""

    def __init__(self, log, *command):
        self.log = pathlib.Path(log)
        with self.log.open("w") as out:
            self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                                            stdout=out, stderr=subprocess.STDOUT)

    def wait_for(self, path):
        deadline = time.monotonic() + START_S
        while not os.path.exists(path):
            assert self.process.poll() is None and time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.05)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(START_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@contextlib.contextmanager
def socket_alone(folder, socket):
    """Words for an agent that can read no file of a runtime: the host's root is a folder that has nothing
    but /proc and the folder of the socket, which has nothing else, at their places."""
    assert all(name.startswith(pathlib.Path(socket).name) for name in os.listdir(pathlib.Path(socket).parent))
    root = pathlib.Path(folder) / "socket-alone"
    mounted = []
    try:
        for place in ("proc", str(pathlib.Path(socket).parent)[1:]):
            (root / place).mkdir(parents=True)
            checked(["mount", "--bind", f"/{place}", root / place])
            mounted.append(root / place)
        yield ["--host-root", str(root), "--runtime-socket", str(socket)]
    finally:
        for place in mounted:
            checked(["umount", "--lazy", place])


class Runtime:
    """run(name, *command) runs a container to its end; returns its whole id."""
    name = None  # of the runtime, for messages
    type = None  # container.type
    image = IMAGE  # container.image; None: it has none

    def __init__(self, folder):
        self.folder = pathlib.Path(folder) / self.name
        self.folder.mkdir()
        self.sockets = self.folder / "sockets"
        self.sockets.mkdir()
        self.root, self.archive = root_file_system(self.folder)
        self.start()

    def start(self):
        """Starts the daemon and loads the image."""

    def end(self):
        """Ends the daemon and removes what is outside of the folder."""

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.end()


class Docker(Runtime):
    name, type = "docker", "docker"

    def start(self):
        need("dockerd", "docker")
        self.socket = self.sockets / "d.sock"
        self.environment = {**os.environ, "DOCKER_HOST": f"unix://{self.socket}"}
        self.start_daemon()
        self.docker("import", self.archive, IMAGE)

    def start_daemon(self):
        self.daemon = Daemon(self.folder / "log", "dockerd", "--data-root", self.folder / "data",
                             "--exec-root", self.folder / "exec", "-H", f"unix://{self.socket}",
                             "--pidfile", self.folder / "pid", "--bridge=none", "--iptables=false",
                             "--storage-driver=vfs")
        self.daemon.wait_for(self.socket)

    def docker(self, *words):
        return checked(["docker", *words], env=self.environment)

    def run(self, name, *command):
        self.docker("run", "--rm", "--net=none", "--name", name, "--label", "test=lanner",
                    "--cidfile", self.folder / name, IMAGE, *command)
        return (self.folder / name).read_text()

    def end(self):
        self.daemon.end()
        # Its namespaces stay mounted there.
        for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
            if (place := line.split()[1]).startswith(f"{self.folder}/"):
                subprocess.run(["umount", "--lazy", place], capture_output=True)


class Podman(Runtime):
    name, type = "podman", "podman"

    def start(self):
        need("podman", "runc")
        self.podman("import", self.archive, IMAGE)

    def command(self, *words):
        return ["podman", "--root", self.folder / "storage", "--runroot", self.folder / "run",
                "--tmpdir", self.folder / "tmp", "--storage-driver=vfs",
                "--cgroup-manager=cgroupfs", "--runtime", "runc", *words]

    def podman(self, *words):
        return checked(self.command(*words))

    def serve(self, socket):
        """Starts its service, for the caller to end."""
        service = Daemon(self.folder / "log",
                         *self.command("system", "service", "--time=0", f"unix://{socket}"))
        service.wait_for(socket)
        return service

    def run(self, name, *command):
        self.podman("run", "--rm", "--net=none", *PODMAN_LIMITS, "--name", name,
                    "--cidfile", self.folder / name, IMAGE, *command)
        return (self.folder / name).read_text()

    def end(self):
        self.podman("rmi", "--force", IMAGE)


def bundle(folder, root, command, namespaces=("pid", "mount", "ipc", "uts", "network"), **linux):
    """An OCI bundle that runs a command in a root file system."""
    folder.mkdir()
    capabilities = {kind: ["CAP_KILL"] for kind in ("bounding", "effective", "permitted")}
    spec = {
        "ociVersion": "1.0.2",
        "process": {"user": {"uid": 0, "gid": 0}, "args": list(command), "cwd": "/",
                    "env": ["PATH=/bin"], "capabilities": capabilities},
        "root": {"path": str(root), "readonly": True},
        "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"},
                   {"destination": "/dev", "type": "tmpfs", "source": "tmpfs"},
                   {"destination": "/tmp", "type": "bind", "source": "/tmp",
                    "options": ["rbind", "ro", "rprivate"]}],
        "linux": {"namespaces": [{"type": kind} for kind in namespaces], **linux},
    }
    (folder / "config.json").write_text(json.dumps(spec))
    return folder


def hex_id(number):
    """An id as runtimes make them, for those that leave that to their users."""
    return f"{os.getpid():08x}{number:056x}"


class Containerd(Runtime):
    """Its client ctr, whose containers are named by their users: as its own managers do, 64 digits."""
    name, type, image = "containerd", "containerd", None

    def start(self):
        need("containerd", "ctr", "runc")
        self.numbers = itertools.count(1)
        self.socket = self.sockets / "c.sock"
        self.daemon = Daemon(self.folder / "log", "containerd", "--root", self.folder / "root",
                             "--state", self.folder / "state", "--address", self.socket,
                             "--log-level", "error")
        self.daemon.wait_for(self.socket)

    def run(self, name, *command):
        whole_id = hex_id(next(self.numbers))
        checked(["ctr", "--address", self.socket, "run", "--rm", "--rootfs", "--label",
                 f"name={name}", self.root, whole_id, *command])
        return whole_id

    def end(self):
        self.daemon.end()


class Runc(Runtime):
    """Alone: nothing names its containers, but there are mounts and namespaces."""
    name, type, image = "runc", "docker", None

    def start(self):
        need("runc")
        self.numbers = itertools.count(1)

    def run(self, name, *command):
        place = bundle(self.folder / name, self.root, command)
        whole_id = hex_id(next(self.numbers))
        checked(["runc", "--root", self.folder / "state", "run", "--bundle", place, whole_id])
        return whole_id


RUNTIMES = (Docker, Podman, Containerd, Runc)
