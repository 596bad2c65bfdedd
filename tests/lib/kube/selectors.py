# SPDX-License-Identifier: MIT
"""Field and label selectors: which objects a request is about."""
import re

# Fields that may be selected, by resource; none but these, as in the real API.
FIELDS = {
    "pods": ("metadata.name", "metadata.namespace", "spec.nodeName", "spec.restartPolicy",
             "spec.schedulerName", "spec.serviceAccountName", "status.phase", "status.podIP"),
    "namespaces": ("metadata.name", "status.phase"),
    "nodes": ("metadata.name", "spec.unschedulable"),
}
LABEL_TERM = re.compile(r"(!?)\s*([\w./-]+)(?:\s*(==|=|!=)\s*([\w.-]*)|\s+(in|notin)\s*\(([^()]*)\))?$")


class BadSelector(ValueError):
    """A selector that the API does not have."""


def member(thing, path):
    for name in path.split("."):
        thing = thing.get(name, "")
        if thing == "":
            break
    return thing


def parse_fields(resource, text):
    """Functions of an object, all of which must be true."""
    tests = []
    for term in filter(None, text.split(",")):
        found = re.match(r"([^=!]+)(==|=|!=)(.*)$", term)
        if not found:
            raise BadSelector(f"invalid selector: '{term}'; can't understand '{term}'")
        path, sign, value = found.groups()
        if path not in FIELDS[resource]:
            raise BadSelector(f"field label not supported: {path}")
        tests.append(lambda thing, path=path, wanted=sign != "!=", value=value:
                     (member(thing, path) == value) is wanted)
    return tests


def _label_test(term):
    found = LABEL_TERM.match(term.strip())
    if not found:
        raise BadSelector(f"unable to parse requirement: {term}")
    no, key, sign, value, word, values = found.groups()
    if sign or word:
        allowed = {value} if sign else {item.strip() for item in values.split(",")}
        wanted = sign != "!=" and word != "notin"
        # Objects without the label are those that a negation selects, too.
        return lambda labels: (labels[key] in allowed) is wanted if key in labels else not wanted
    return lambda labels: (key in labels) is not bool(no)


def parse_labels(text):
    terms = [term for term in re.split(r",(?![^()]*\))", text) if term.strip()]
    tests = [_label_test(term) for term in terms]
    return [lambda thing, test=test: test(thing["metadata"].get("labels", {})) for test in tests]


class Selection:
    """The objects of a resource, in a namespace or in all, that selectors let pass."""

    def __init__(self, resource, namespace, fields="", labels=""):
        self.resource, self.namespace = resource, namespace
        self.tests = parse_fields(resource, fields) + parse_labels(labels)
        self.everything = not self.tests and not namespace

    def matches(self, thing):
        return ((not self.namespace or thing["metadata"].get("namespace") == self.namespace) and
                all(test(thing) for test in self.tests))
