# SPDX-License-Identifier: MIT
"""Objects as the API writes them."""
import datetime
import uuid

REASONS = {400: "BadRequest", 401: "Unauthorized", 403: "Forbidden", 404: "NotFound",
           405: "MethodNotAllowed", 406: "NotAcceptable", 410: "Expired", 422: "Invalid",
           429: "TooManyRequests", 500: "InternalError", 503: "ServiceUnavailable", 504: "Timeout"}
MIRROR = "kubernetes.io/config.mirror"
HASH = "kubernetes.io/config.hash"


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def status(code, message, details=None, reason=None, **metadata):
    """An error, as the body of an answer or in a watch."""
    answer = {"kind": "Status", "apiVersion": "v1", "metadata": metadata, "status": "Failure",
              "message": message, "reason": reason or REASONS[code]}
    if details:
        answer["details"] = details
    return {**answer, "code": code}


def _metadata(name, namespace=None, **more):
    named = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {**named, "uid": str(uuid.uuid4()), "creationTimestamp": now(), **more}


def namespace(name, **labels):
    return {"metadata": _metadata(name, labels={"kubernetes.io/metadata.name": name, **labels}),
            "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}


def node(name, **labels):
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady"}
    return {"metadata": _metadata(name, labels={"kubernetes.io/hostname": name, **labels}),
            "spec": {}, "status": {"conditions": [ready]}}


def owner(kind, name, api="apps/v1"):
    return {"apiVersion": api, "kind": kind, "name": name, "uid": str(uuid.uuid4()),
            "controller": True, "blockOwnerDeletion": True}


def managed_fields():
    """What makes objects long: who has set which of their members."""
    fields = {"f:metadata": {"f:labels": {".": {}, "f:app": {}}},
              "f:spec": {"f:containers": {'k:{"name":"main"}': {".": {}, "f:image": {}}},
                         "f:nodeName": {}}}
    return [{"manager": manager, "operation": "Update", "apiVersion": "v1", "time": now(),
             "fieldsType": "FieldsV1", "fieldsV1": fields}
            for manager in ("kube-controller-manager", "kubelet")]


def container_status(name, image, container_id, runtime):
    started = {"running": {"startedAt": now()}} if container_id else {
        "waiting": {"reason": "ContainerCreating"}}
    return {"name": name, "image": image, "imageID": f"{image}@sha256:{'5' * 64}" if container_id else "",
            "containerID": f"{runtime}://{container_id}" if container_id else "",
            "state": started, "lastState": {}, "ready": bool(container_id), "started": bool(container_id),
            "restartCount": 0}


def pod(name, namespace="default", node=None, labels=None, annotations=None, owners=(), ip=None,
        containers=(("main", "docker.io/library/busybox:1.36", ""),), service_account="default",
        runtime="containerd", **spec):
    """A pod. Without a node it is not scheduled; a container is its name, image and id, or "" for none."""
    running = bool(node) and all(container_id for _, _, container_id in containers)
    metadata = _metadata(name, namespace, labels=dict(labels or {}), annotations=dict(annotations or {}),
                         managedFields=managed_fields())
    if owners:
        metadata["ownerReferences"] = list(owners)
    made = {"metadata": metadata,
            "spec": {"containers": [{"name": part, "image": image} for part, image, _ in containers],
                     "restartPolicy": "Always", "schedulerName": "default-scheduler",
                     "serviceAccountName": service_account, **spec},
            "status": {"phase": "Running" if running else "Pending", "qosClass": "Burstable"}}
    if node:
        made["spec"]["nodeName"] = node
        made["status"].update(hostIP="192.0.2.1", containerStatuses=[
            container_status(*container, runtime) for container in containers])
    if ip:
        made["status"].update(podIP=ip, podIPs=[{"ip": ip}])
    return made


def mirror_pod(name, node, static_uid, **options):
    """What the API server has of a static pod: its own uid is not that of the pod's processes."""
    from_file = {HASH: static_uid, MIRROR: static_uid, "kubernetes.io/config.seen": now(),
                 "kubernetes.io/config.source": "file"}
    options["annotations"] = {**options.get("annotations", {}), **from_file}
    options.setdefault("namespace", "kube-system")
    return pod(f"{name}-{node}", node=node, owners=[owner("Node", node, "v1")], **options)


def static_pod(mirror):
    """The same pod as the kubelet has it, which made it of a file."""
    metadata = dict(mirror["metadata"])
    annotations = {key: value for key, value in metadata["annotations"].items() if key != MIRROR}
    metadata.update(uid=annotations[HASH], annotations=annotations)
    del metadata["ownerReferences"]
    return {**mirror, "metadata": metadata}


def service(name, namespace="default", address="10.96.0.1", ports=(80,)):
    return {"metadata": _metadata(name, namespace),
            "spec": {"clusterIP": address, "clusterIPs": [address], "type": "ClusterIP",
                     "ports": [{"port": port, "protocol": "TCP", "targetPort": port} for port in ports]},
            "status": {"loadBalancer": {}}}


def endpoint_slice(name, namespace, of, endpoints, ports=(80,)):
    """Of a service; endpoints are addresses and pods, or names of pods that there are not."""
    def target(pod):
        if isinstance(pod, str):
            return {"kind": "Pod", "name": pod, "namespace": namespace}
        named = pod["metadata"]
        return {"kind": "Pod", **{key: named[key] for key in ("name", "namespace", "uid")}}
    return {"metadata": _metadata(name, namespace, labels={"kubernetes.io/service-name": of}), "addressType": "IPv4",
            "endpoints": [{"addresses": [address], "conditions": {"ready": True}, "nodeName": "elsewhere",
                           "targetRef": target(pod)}
                          for address, pod in endpoints],
            "ports": [{"port": port, "protocol": "TCP"} for port in ports]}
