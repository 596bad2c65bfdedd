# SPDX-License-Identifier: MIT
"""What clients need: the folder of a service account, as pods have it, and kubectl's configuration."""
import itertools
import json
import pathlib
import shutil


class ServiceAccount:
    """
    A folder with token, ca.crt and namespace. As in a projected volume these are links to what a folder
    has, which is replaced as a whole.
    """

    def __init__(self, folder, authority, token, namespace="lanner"):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        self.numbers = itertools.count(1)
        self.files = {"token": token, "ca.crt": authority.path.read_text(), "namespace": namespace}
        self._publish()
        for name in self.files:
            (self.folder / name).symlink_to(f"..data/{name}")

    def _publish(self):
        data = self.folder / "..data"
        before = data.readlink() if data.is_symlink() else None
        new = self.folder / f"..{next(self.numbers)}"
        new.mkdir()
        for name, content in self.files.items():
            (new / name).write_text(content)
        link = self.folder / "..data_tmp"
        link.symlink_to(new.name)
        link.rename(data)
        if before:
            shutil.rmtree(self.folder / before)

    def replace(self, **files):
        """Replaces the token or, as `ca`, the authority."""
        if "token" in files:
            self.files["token"] = files["token"]
        if "ca" in files:
            self.files["ca.crt"] = files["ca"].path.read_text()
        self._publish()


def write_kubeconfig(path, server, authority, token):
    """A file for kubectl's --kubeconfig."""
    pathlib.Path(path).write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "test",
        "clusters": [{"name": "test", "cluster": {
            "server": server, "certificate-authority": str(authority.path)}}],
        "users": [{"name": "test", "user": {"token": token}}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}]}))
    return path
