# SPDX-License-Identifier: MIT
"""The form of an answer: what the header Accept asks for."""
import datetime

GROUP = "meta.k8s.io"
POD_COLUMNS = (("Name", "name", 0), ("Ready", "", 0), ("Status", "", 0), ("Restarts", "", 0), ("Age", "", 0),
               ("IP", "", 1), ("Node", "", 1), ("Nominated Node", "", 1), ("Readiness Gates", "", 1))
COLUMNS = (("Name", "name", 0), ("Status", "", 0), ("Age", "", 0))
KINDS = {"pods": "Pod", "namespaces": "Namespace", "nodes": "Node", "services": "Service",
         "endpointslices": "EndpointSlice"}
# Of groups that are not the core.
GROUPS = {"endpointslices": "discovery.k8s.io/v1"}


class NotAcceptable(Exception):
    """Nothing that the client accepts is offered."""


def _parse(accept):
    """Pairs of media type and parameters, in the order of the header."""
    for choice in accept.split(","):
        media, *parameters = [part.strip() for part in choice.split(";")]
        yield media, dict(part.split("=", 1) for part in parameters if "=" in part)


def choose(accept, is_list):
    """The form, as a class below, and the version of its group."""
    metadata = "PartialObjectMetadataList" if is_list else "PartialObjectMetadata"
    for media, parameters in _parse(accept or "*/*"):
        if media not in ("application/json", "application/*", "*/*"):
            continue
        wanted, version = parameters.get("as"), parameters.get("v")
        if not wanted:
            return Whole, None
        if parameters.get("g") == GROUP and version in ("v1", "v1beta1"):
            for name, form in (("Table", Table), (metadata, MetadataOnly)):
                if wanted == name:
                    return form, version
    raise NotAcceptable(accept)


def metadata_of(thing, version):
    return {"kind": "PartialObjectMetadata", "apiVersion": f"{GROUP}/{version}",
            "metadata": thing["metadata"]}


class Whole:
    """Objects as they are."""

    def __init__(self, resource, version, query):
        self.kind = KINDS[resource]

    def one(self, thing):
        return {"kind": self.kind, "apiVersion": "v1", **thing}

    event = one

    def list(self, things, metadata):
        return {"kind": f"{self.kind}List", "apiVersion": "v1", "metadata": metadata, "items": things}


class MetadataOnly:
    def __init__(self, resource, version, query):
        self.version = version

    def one(self, thing):
        return metadata_of(thing, self.version)

    event = one

    def list(self, things, metadata):
        return {"kind": "PartialObjectMetadataList", "apiVersion": f"{GROUP}/{self.version}",
                "metadata": metadata, "items": [self.one(thing) for thing in things]}


def _age(thing):
    made = datetime.datetime.strptime(thing["metadata"]["creationTimestamp"], "%Y-%m-%dT%H:%M:%S%z")
    seconds = int((datetime.datetime.now(datetime.timezone.utc) - made).total_seconds())
    return f"{seconds}s" if seconds < 120 else f"{seconds // 60}m"


def _pod_cells(pod):
    statuses = pod["status"].get("containerStatuses", [])
    ready = sum(status["ready"] for status in statuses)
    waiting = [status["state"]["waiting"]["reason"] for status in statuses if "waiting" in status["state"]]
    shown = (waiting or [pod["status"].get("phase", "")])[-1]
    if "deletionTimestamp" in pod["metadata"]:
        shown = "Terminating"
    return [pod["metadata"]["name"], f"{ready}/{len(pod['spec']['containers'])}", shown,
            str(sum(status["restartCount"] for status in statuses)), _age(pod),
            pod["status"].get("podIP", "<none>"), pod["spec"].get("nodeName", "<none>"), "<none>", "<none>"]


def _cells(thing):
    conditions = thing["status"].get("conditions", [])
    ready = {condition["type"]: condition["status"] for condition in conditions}.get("Ready")
    shown = thing["status"].get("phase") or ("Ready" if ready == "True" else "NotReady")
    return [thing["metadata"]["name"], shown, _age(thing)]


class Table:
    """Rows, as kubectl shows them. In a watch only the first event has the columns."""

    def __init__(self, resource, version, query):
        self.version = version
        self.included = query.get("includeObject", "Metadata")
        self.columns, self.cells = (POD_COLUMNS, _pod_cells) if resource == "pods" else (COLUMNS, _cells)
        self.has_columns = True

    def _row(self, thing):
        shown = {"None": None, "Object": thing}.get(self.included, metadata_of(thing, self.version))
        return {"cells": self.cells(thing), "object": shown}

    def list(self, things, metadata):
        columns = [{"name": name, "type": "string", "format": form, "description": name,
                    "priority": priority} for name, form, priority in self.columns]
        return {"kind": "Table", "apiVersion": f"{GROUP}/{self.version}", "metadata": metadata,
                "columnDefinitions": columns if self.has_columns else None,
                "rows": [self._row(thing) for thing in things]}

    def one(self, thing):
        return self.list([thing], {"resourceVersion": thing["metadata"]["resourceVersion"]})

    def event(self, thing):
        table = self.one(thing)
        self.has_columns = False
        return table
