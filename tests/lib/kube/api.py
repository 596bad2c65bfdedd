# SPDX-License-Identifier: MIT
"""The API server: pods, namespaces and nodes can be listed, read and watched."""
import base64
import collections
import json
import threading

import kube.forms as forms
import kube.objects as objects
import kube.selectors as selectors
import kube.server as server
import kube.store as store
import kube.watch as watch

READ = ("get", "list", "watch")
EVERYTHING = {resource: READ for resource in forms.KINDS}
# What an agent is given: one line of RBAC.
ONLY_PODS = {"pods": READ}
NAMESPACED = ("pods", "services", "endpointslices")
TOO_LARGE_WAIT_S = 1
VERSION = {"major": "1", "minor": "32", "gitVersion": "v1.32.0", "platform": "linux/amd64"}


class Refused(Exception):
    """The answer is an error."""

    def __init__(self, *args, **options):
        self.status = objects.status(*args, **options)
        super().__init__(self.status["message"])


def _encode(version, start):
    return base64.urlsafe_b64encode(json.dumps(
        {"v": "meta.k8s.io/v1", "rv": version, "start": start}).encode()).decode()


def _decode(token):
    try:
        parts = json.loads(base64.urlsafe_b64decode(token))
        return int(parts["rv"]), tuple(parts["start"])
    except (ValueError, KeyError, TypeError) as error:
        raise Refused(400, f"continue key is not valid: {error}") from error


def _check_options(query, streaming):
    """What the API forbids of the options of lists and watches."""
    is_watch = query.get("watch") in ("true", "1")
    match, version = query.get("resourceVersionMatch"), query.get("resourceVersion")
    initial = "sendInitialEvents" in query
    if is_watch and streaming == "ignored":
        return
    wrong = ""
    if is_watch and initial and match != "NotOlderThan":
        wrong = "resourceVersionMatch: Forbidden: sendInitialEvents requires setting " \
                "resourceVersionMatch to NotOlderThan"
    elif is_watch and initial and streaming == "off":
        wrong = "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the " \
                "WatchList feature gate is enabled"
    elif is_watch and match and not initial:
        wrong = "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless " \
                "sendInitialEvents is provided"
    elif not is_watch and initial:
        wrong = "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"
    elif not is_watch and match and not version:
        wrong = "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless " \
                "resourceVersion is provided"
    elif match not in (None, "", "Exact", "NotOlderThan"):
        wrong = f'resourceVersionMatch: Unsupported value: "{match}"'
    if wrong:
        raise Refused(422, f'ListOptions.meta.k8s.io "" is invalid: {wrong}')
    if version and not version.isdigit():
        raise Refused(400, f'resourceVersion: Invalid value: "{version}": invalid syntax')
    if query.get("continue") and version not in (None, "", "0"):
        raise Refused(400, "specifying resource version is not allowed when using continue")


class ApiServer(server.Server):
    """
    `accounts` is who may do what, `store` what there is, `sent` how many objects of each resource and
    node were sent. `streaming` is "on", "off" (refused) or "ignored" (older than the option);
    `bookmark_s` the time between bookmarks; `expired` whether a watch that begins before the known
    history ends with a "line" in it or is refused with the HTTP "status" 410.
    """

    def __init__(self, authority, things=None):
        super().__init__(authority)
        self.store = things or store.Store()
        self.streaming, self.bookmark_s, self.expired = "on", 60, "line"
        self.sent = collections.Counter()
        self.watches = set()
        self._sent_lock = threading.Lock()

    def stop(self):
        super().stop()
        with self.store.changed:
            self.store.changed.notify_all()

    def end_watches(self, status=""):
        """All open watches end, with an error if one is given."""
        with self.store.changed:
            for one in self.watches:
                one.end = status
            self.store.changed.notify_all()

    def expire(self):
        """As if clients had slept too long: the history is gone, and open watches say so."""
        self.store.compact()
        self.end_watches(objects.status(410, "The resourceVersion for the provided watch is too old."))

    def note_sent(self, resource, *things):
        with self._sent_lock:
            for thing in things:
                self.sent[resource, thing.get("spec", {}).get("nodeName")] += 1

    def place(self, path):
        """Namespace, resource and name that a path means; None if it means none."""
        parts = path.strip("/").split("/")
        group = "/".join(parts[1:3]) if parts[0] == "apis" else None
        begin = 3 if group else 2
        if not group and parts[:2] != ["api", "v1"] or len(parts) <= begin:
            return None
        namespace, rest = "", parts[begin:]
        if rest[0] == "namespaces" and len(rest) > 2:
            namespace, rest = rest[1], rest[2:]
        if forms.GROUPS.get(rest[0]) != group:
            return None
        if rest[0] not in forms.KINDS or len(rest) > 2 or namespace and rest[0] not in NAMESPACED:
            return None
        return namespace, rest[0], rest[1] if len(rest) > 1 else ""

    def verb_of(self, request):
        place = self.place(request.path)
        if not place:
            return "other"
        if request.query.get("watch") in ("true", "1"):
            return "watch"
        return "get" if place[2] else "list"

    def refuse_token(self, connection):
        connection.send_status(objects.status(401, "Unauthorized"))

    def respond(self, connection):
        try:
            self._respond(connection)
        except Refused as refused:
            connection.send_status(refused.status)
        except store.Expired:
            connection.send_status(objects.status(
                410, "The resourceVersion for the provided list is too old."))
        except selectors.BadSelector as error:
            connection.send_status(objects.status(400, str(error)))
        except forms.NotAcceptable:
            connection.send_status(objects.status(
                406, "only the following media types are accepted: application/json"))

    def _respond(self, connection):
        asked = connection.asked
        fixed = self._discovery(asked.path.rstrip("/"))
        if asked.path in ("/healthz", "/livez", "/readyz"):
            connection.send_text(200, "ok")
        elif fixed:
            connection.send_json(200, fixed)
        elif place := self.place(asked.path):
            self._check_access(connection.account, asked.verb, *place)
            getattr(self, f"_{asked.verb}")(connection, *place)
        else:
            raise Refused(404, "the server could not find the requested resource")

    def _discovery(self, path):
        if path == "/version":
            return VERSION
        if path == "/api":
            return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}
        if path == "/apis":
            return {"kind": "APIGroupList", "apiVersion": "v1", "groups": []}
        if path == "/api/v1":
            short = {"pods": "po", "namespaces": "ns", "nodes": "no"}
            resources = [{"name": name, "singularName": kind.lower(), "namespaced": name in NAMESPACED,
                          "kind": kind, "verbs": READ, "shortNames": [short[name]]}
                         for name, kind in forms.KINDS.items() if name in short]
            return {"kind": "APIResourceList", "groupVersion": "v1", "resources": resources}
        return None

    def _check_access(self, account, verb, namespace, resource, name):
        if self.may(account, verb, resource):
            return
        where = f'in the namespace "{namespace}"' if namespace else "at the cluster scope"
        subject = f'{resource} "{name}"' if name else resource
        raise Refused(403, f'{subject} is forbidden: User "{account.user}" cannot {verb} resource '
                      f'"{resource}" in API group "" {where}', {"name": name, "kind": resource})

    def _get(self, connection, namespace, resource, name):
        form, version = forms.choose(connection.headers.get("Accept"), False)
        thing = self.store.get(resource, namespace, name)
        if not thing:
            raise Refused(404, f'{resource} "{name}" not found', {"name": name, "kind": resource})
        self.note_sent(resource, thing)
        connection.send_json(200, form(resource, version, connection.asked.query).one(thing))

    def _selection(self, query, namespace, resource, name):
        fields = query.get("fieldSelector", "")
        if name:
            fields = ",".join(filter(None, (fields, f"metadata.name={name}")))
        return selectors.Selection(resource, namespace, fields, query.get("labelSelector", ""))

    def _watch(self, connection, namespace, resource, name):
        query = connection.asked.query
        _check_options(query, self.streaming)
        form, version = forms.choose(connection.headers.get("Accept"), False)
        one = watch.Watch(self, connection, self._selection(query, namespace, resource, name),
                          form(resource, version, query), query)
        if self.expired == "status" and one.wanted not in ("", "0"):
            self.store.since(int(one.wanted))
        with self.store.changed:
            self.watches.add(one)
        try:
            one.serve()
        finally:
            with self.store.changed:
                self.watches.discard(one)

    def _state(self, resource, query):
        """Objects in the order of their keys, from where a page begins; their version."""
        version, match = query.get("resourceVersion", ""), query.get("resourceVersionMatch")
        start = ()
        if query.get("continue"):
            wanted, start = _decode(query["continue"])
            try:
                things, version = self.store.at(resource, None if wanted < 0 else wanted)
            except store.Expired:
                raise Refused(410, "The provided continue parameter is too old to display a consistent "
                              "list result.", **{"continue": _encode(-1, start)}) from None
        elif match == "Exact":
            things, version = self.store.at(resource, int(version))
        else:
            self._await_version(int(version or 0))
            things, version = self.store.at(resource)
        return [(key, thing) for key, thing in things.items() if key >= start], version

    def _await_version(self, version):
        with self.store.changed:
            if not self.store.changed.wait_for(lambda: self.store.version >= version, TOO_LARGE_WAIT_S):
                cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
                raise Refused(504, f"Too large resource version: {version}, current: "
                              f"{self.store.version}", {"causes": [cause], "retryAfterSeconds": 1})

    def _list(self, connection, namespace, resource, name):
        query = connection.asked.query
        _check_options(query, self.streaming)
        form, group_version = forms.choose(connection.headers.get("Accept"), True)
        selection = self._selection(query, namespace, resource, name)
        state, version = self._state(resource, query)
        limit = int(query.get("limit") or 0)
        if query.get("resourceVersion") == "0":
            limit = 0  # what comes from the cache comes whole
        things, metadata = [], {"resourceVersion": str(version)}
        for at, (key, thing) in enumerate(state):
            if limit and len(things) == limit:
                metadata["continue"] = _encode(version, key)
                if selection.everything:
                    metadata["remainingItemCount"] = len(state) - at
                break
            if selection.matches(thing):
                things.append(thing)
        self.note_sent(resource, *things)
        connection.send_json(200, form(resource, group_version, query).list(things, metadata))
