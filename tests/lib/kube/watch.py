# SPDX-License-Identifier: MIT
"""A watch of the API server: changes as they come, one JSON object a line."""
import random
import time

import kube.objects as objects
import kube.server as server
import kube.store as store

LONGEST_S = 1800  # at least, if the client names no limit
LOOK_S = 0.5  # how often a watch looks whether its client is still there
BEFORE_END_S = 2  # a bookmark comes that long before the end
END_OF_INITIAL = {"k8s.io/initial-events-end": "true"}


class Watch:
    def __init__(self, api, connection, selection, form, query):
        self.api, self.connection, self.selection, self.form = api, connection, selection, form
        self.kind = form.kind if hasattr(form, "kind") else "PartialObjectMetadata"
        self.bookmarks = query.get("allowWatchBookmarks") in ("true", "1")
        self.streams_list = query.get("sendInitialEvents") == "true" and api.streaming == "on"
        seconds = int(query.get("timeoutSeconds") or 0)
        self.deadline = time.monotonic() + (seconds or LONGEST_S * (1 + random.random()))
        self.wanted = query.get("resourceVersion", "")
        self.end = None  # set by others: an error for the client, or "" for none

    def send(self, kind, thing):
        self.connection.write(server.json_bytes({"type": kind, "object": thing}) + b"\n")

    def send_object(self, kind, thing):
        self.api.note_sent(self.selection.resource, thing)
        self.send(kind, self.form.event(thing))

    def send_bookmark(self, version, annotations=None):
        metadata = {"resourceVersion": str(version), "creationTimestamp": None}
        if annotations:
            metadata["annotations"] = annotations
        self.send("BOOKMARK", {"kind": self.kind, "apiVersion": "v1", "metadata": metadata})

    def next_bookmark(self):
        """When the next one is due, in a healthy watch."""
        at = time.monotonic() + self.api.bookmark_s
        before_end = self.deadline - BEFORE_END_S
        return before_end if time.monotonic() < before_end < at else at

    def begin(self):
        """The state, for those that ask for it; returns the version that was reached."""
        if self.wanted not in ("", "0") and not self.streams_list:
            return int(self.wanted)
        things, version = self.api.store.at(self.selection.resource)
        for thing in things.values():
            if self.selection.matches(thing):
                self.send_object("ADDED", thing)
        if self.streams_list and self.bookmarks:
            self.send_bookmark(version, END_OF_INITIAL)
        return version

    def serve(self):
        self.connection.begin(200, {"Content-Type": "application/json",
                                    "Cache-Control": "no-cache, private"})
        try:
            self.follow()
        except store.Expired:
            self.end = objects.status(
                410, f"too old resource version: {self.wanted} ({self.api.store.version})")
        if self.end:
            self.send("ERROR", self.end)
        self.connection.write(b"")

    def follow(self):
        """Sends changes until the time is over, somebody ends it or the client is gone."""
        version = self.begin()
        bookmark_at = self.next_bookmark()
        while self.end is None and time.monotonic() < self.deadline:
            changes = self.api.store.since(version)
            for change in changes:
                event = store.seen_by(self.selection, change)
                if event:
                    self.send_object(*event)
                version = change.version
            if time.monotonic() >= bookmark_at:
                version = max(version, self.api.store.version if not changes else version)
                if self.bookmarks:
                    self.send_bookmark(version)
                bookmark_at = self.next_bookmark()
            if not self.wait(version, min(bookmark_at, self.deadline)):
                raise server.faults.Cut

    def wait(self, version, until):
        """Until there are changes, or that time; false if nobody listens any more."""
        changed = self.api.store.changed
        with changed:
            while not self.connection.stopping.is_set() and self.end is None:
                left = until - time.monotonic()
                newest = self.api.store.changes[-1:]
                if left <= 0 or newest and newest[0].version > version:
                    return True
                if not changed.wait(min(left, LOOK_S)) and server.is_closed(self.connection):
                    return False
        return not self.connection.stopping.is_set()
