# SPDX-License-Identifier: MIT
"""Objects, their versions and history, as etcd and the watch cache of an API server keep them."""
import bisect
import copy
import dataclasses
import threading

FIRST_VERSION = 1000


class Expired(Exception):
    """The history of that version has been compacted."""


@dataclasses.dataclass(frozen=True)
class Change:
    version: int
    resource: str
    new: dict | None  # None: deleted
    old: dict | None  # None: created


def key_of(thing):
    return (thing["metadata"].get("namespace", ""), thing["metadata"]["name"])


def _with_version(thing, version):
    return {**thing, "metadata": {**thing["metadata"], "resourceVersion": str(version)}}


class Store:
    """
    One counter of versions for all resources. What is stored is not changed any more: whoever reads may
    keep it. `changed` is notified of each change.
    """

    def __init__(self):
        self.changed = threading.Condition()
        self.version = FIRST_VERSION
        self.compacted = FIRST_VERSION  # what was changed up to here is no longer known
        self.changes = []
        self._versions = {}  # by resource and key: pairs (version, object or None)

    def _record(self, resource, key, new):
        versions = self._versions.setdefault(resource, {}).setdefault(key, [(0, None)])
        self.version += 1
        if new is not None:
            new = _with_version(new, self.version)
        self.changes.append(Change(self.version, resource, new, versions[-1][1]))
        versions.append((self.version, new))
        self.changed.notify_all()
        return new

    def put(self, resource, *things):
        """Creates or replaces objects."""
        with self.changed:
            for thing in things:
                self._record(resource, key_of(thing), copy.deepcopy(thing))

    def edit(self, resource, namespace, name, function):
        """Replaces an object by a copy that the function has changed."""
        with self.changed:
            thing = copy.deepcopy(self.get(resource, namespace, name))
            function(thing)
            return self._record(resource, (namespace, name), thing)

    def delete(self, resource, namespace, name):
        with self.changed:
            if not self.get(resource, namespace, name):
                raise KeyError(name)
            self._record(resource, (namespace, name), None)

    def get(self, resource, namespace, name):
        """The object as it is now, or None."""
        with self.changed:
            return self._versions.get(resource, {}).get((namespace, name), [(0, None)])[-1][1]

    def at(self, resource, version=None):
        """All objects as they were in a version, or now, by their keys; and the version."""
        with self.changed:
            if version is None:
                version = self.version
            if version < self.compacted:
                raise Expired(version)
            found = {}
            for key, versions in self._versions.get(resource, {}).items():
                thing = versions[bisect.bisect(versions, version, key=lambda pair: pair[0]) - 1][1]
                if thing is not None:
                    found[key] = thing
            return dict(sorted(found.items())), version

    def since(self, version):
        """The changes after a version."""
        with self.changed:
            if version < self.compacted:
                raise Expired(version)
            return self.changes[bisect.bisect(self.changes, version, key=lambda change: change.version):]

    def compact(self):
        """Forgets the history: only the newest version is known."""
        with self.changed:
            self.compacted = self.version
            self.changes.clear()
            for versions in self._versions.values():
                for key in [key for key, known in versions.items() if known[-1][1] is None]:
                    del versions[key]
                for known in versions.values():
                    del known[:-1]

    def skip(self, count=1):
        """Versions that other resources have used: nothing that can be read here has changed."""
        with self.changed:
            self.version += count
            self.changed.notify_all()


def seen_by(selection, change):
    """The kind of event that a change is for those who watch a selection, and its object, or None."""
    if change.resource != selection.resource:
        return None
    is_in = change.new is not None and selection.matches(change.new)
    was_in = change.old is not None and selection.matches(change.old)
    if is_in:
        return ("MODIFIED" if was_in else "ADDED"), change.new
    # It shows the last state, with the version in which it left.
    return ("DELETED", _with_version(change.old, change.version)) if was_in else None
