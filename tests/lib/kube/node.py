# SPDX-License-Identifier: MIT
"""A node of a cluster, for tests of the agent: its API server, the agent's access, pods with processes."""
import contextlib
import os
import pathlib
import time
import uuid

import control_groups
import kube.access as access
import kube.api as api
import kube.certificates as certificates
import kube.objects as objects
import kube.server as server
import lanner

NAME = "node-1"
TOKEN = "token-1"
USER = "system:serviceaccount:lanner:lanner"
WAIT_S = 60


def new_id():
    return uuid.uuid4().hex + uuid.uuid4().hex


def wait_until(condition, what, timeout=WAIT_S):
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


class Container(control_groups.Opener):
    """A process in the control group that a container of a pod has."""

    def __init__(self, groups, path):
        super().__init__(groups, path)
        self.id = os.path.basename(path)


class Node:
    def __init__(self, folder):
        lanner.need_root()
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.groups = control_groups.Groups()
        self.api = api.ApiServer(certificates.Authority(folder))
        self.api.accounts = {TOKEN: server.Account(USER, api.ONLY_PODS)}
        self.account = access.ServiceAccount(self.folder / "account", self.api.authority, TOKEN)

    def options(self):
        """For the agent to ask the API server."""
        return ["--k8s-api", self.api.url, "--k8s-node", NAME, *self.files()]

    def options_of(self, kubelet):
        """For the agent to ask a kubelet."""
        return ["--kubelet", kubelet.url, "--kubelet-ca", str(kubelet.authority.path), "--k8s-node", NAME,
                *self.token()]

    def environment(self):
        """What a container of the cluster has; with it files() are enough."""
        return {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(self.api.port),
                "NODE_NAME": NAME}

    def files(self):
        return [*self.token(), "--k8s-ca", str(self.account.folder / "ca.crt")]

    def token(self):
        return ["--k8s-token", str(self.account.folder / "token")]

    def put(self, *pods):
        self.api.store.put("pods", *pods)

    @contextlib.contextmanager
    def container(self, pod_uid, container_id=None):
        """A container of a pod; of its runtime there is no trace but the control group."""
        path = f"/kubepods/burstable/pod{pod_uid}/{container_id or new_id()}"
        with self.groups.group(path) as whole, Container(self.groups, whole) as process:
            yield process

    def wait_for_watch(self, timeout=WAIT_S):
        wait_until(lambda: self.api.watches, "the agent does not watch", timeout)


def uid_of(pod):
    return pod["metadata"]["uid"]


def of_replica_set(name, deployment="web", template="5c4f8d7b9", **options):
    """A pod as a Deployment makes it."""
    options["labels"] = {"pod-template-hash": template, **options.get("labels", {})}
    return objects.pod(name, node=NAME, owners=[objects.owner("ReplicaSet", f"{deployment}-{template}")],
                       **options)
