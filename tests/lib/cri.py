# SPDX-License-Identifier: MIT
"""containerd with its Container Runtime Interface, as Kubernetes uses it: pods for tests.

Questions are put together here from the interface's numbers, and sent with curl.
"""
import contextlib
import hashlib
import io
import json
import os
import pathlib
import subprocess
import tarfile

import containers
import control_groups

CALL_S = 60
POD_UID = "0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0"
CONFIG = """
version = 2
disabled_plugins = ["io.containerd.internal.v1.opt"]
root = "{0}/root"
state = "{0}/state"
[grpc]
  address = "{0}/sockets/c.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{1}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
"""


def _add_file(tar, name, content):
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    tar.addfile(entry, io.BytesIO(content))


def make_image(path, name, layer, command):
    """Writes an image of one layer, as `docker save` does. Returns its id."""
    config = json.dumps({
        "architecture": {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine], "os": "linux",
        "config": {"Cmd": command},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
    }).encode()
    manifest = [{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}]
    with tarfile.open(path, "w") as tar:
        _add_file(tar, "manifest.json", json.dumps(manifest).encode())
        _add_file(tar, "config.json", config)
        _add_file(tar, "layer.tar", layer)
    return hashlib.sha256(config).hexdigest()


def _varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def message(*members):
    """A message of members (number, value): integers, texts and other messages."""
    out = b""
    for number, value in members:
        if isinstance(value, int):
            out += _varint(number << 3) + _varint(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            out += _varint(number << 3 | 2) + _varint(len(value)) + value
    return out


class Cri(containers.Runtime):
    name, type = "containerd", "containerd"

    def start(self):
        containers.need("containerd", "ctr", "runc", "curl")
        self.socket = self.sockets / "c.sock"
        config = self.folder / "config.toml"
        config.write_text(CONFIG.format(self.folder, containers.IMAGE))
        image = self.folder / "image.tar"
        self.image_id = make_image(image, containers.IMAGE, self.archive.read_bytes(),
                                   ["/bin/sleep", "1000"])
        self.daemon = containers.Daemon(self.folder / "log", "containerd", "--config", config,
                                        "--log-level", "error")
        self.daemon.wait_for(self.socket)
        containers.checked(["ctr", "--address", self.socket, "-n", "k8s.io", "images", "import",
                            "--snapshotter", "native", image])

    def end(self):
        self.daemon.end()

    def call(self, method, question):
        """Calls a method; returns the first member of its answer, a text."""
        body, headers = self.folder / "question", self.folder / "headers"
        body.write_bytes(b"\0" + len(question).to_bytes(4, "big") + question)
        done = subprocess.run(
            ["curl", "--silent", "--show-error", "--max-time", str(CALL_S),
             "--http2-prior-knowledge", "--unix-socket", self.socket,
             "--header", "content-type: application/grpc", "--header", "te: trailers",
             "--dump-header", headers, "--data-binary", f"@{body}",
             f"http://localhost/runtime.v1.RuntimeService/{method}"],
            capture_output=True, timeout=CALL_S + 10)
        said = headers.read_text() if headers.exists() else ""
        assert "grpc-status: 0" in said.lower(), f"{method}: {said}{done.stderr.decode()}"
        answer = done.stdout[5:]
        return answer[2:2 + answer[1]].decode() if answer else ""

    def add(self, sandbox, name, tier, *command, mounts=()):
        """Starts another container in a pod; returns its id."""
        config = message(
            (1, message((1, name))), (2, message((1, containers.IMAGE))),
            *((3, word) for word in command), *((7, mount) for mount in mounts),
            (9, message((1, "tier"), (2, tier))))
        made = self.call("CreateContainer", message((1, sandbox), (2, config), (3, self.pod_config)))
        self.call("StartContainer", message((1, made)))
        return made

    @contextlib.contextmanager
    def pod(self, data, *command):
        """
        A pod "web-5c4f" of one container "main", in the network of the host, which has a folder at
        /data. Yields the ids of its sandbox and of the container.
        """
        cgroup = f"lanner-test-{os.getpid()}"
        host_network = message((2, message((1, message((1, 2))))))
        self.pod_config = message(
            (1, message((1, "web-5c4f"), (2, POD_UID), (3, "shop"))),
            (6, message((1, "app"), (2, "web"))), (7, message((1, "team"), (2, "blue"))),
            (8, message((1, f"/{cgroup}/kubepods/burstable/pod{POD_UID}")) + host_network))
        mount = message((1, "/data"), (2, str(data)), (3, 1))
        sandbox = None
        try:
            sandbox = self.call("RunPodSandbox", message((1, self.pod_config)))
            yield sandbox, self.add(sandbox, "main", "front", *command, mounts=[mount])
        finally:
            if sandbox:
                self.call("StopPodSandbox", message((1, sandbox)))
                self.call("RemovePodSandbox", message((1, sandbox)))
            control_groups.remove(cgroup)
