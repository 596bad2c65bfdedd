# SPDX-License-Identifier: MIT
"""What events of old captures are today, as scap-conversions.tsv says: the judge of the agent's upgrade."""
import csv
import functools
import os

import capture_file
import lanner

STEPS_MAX = 32  # of one event: an execve of 2014 needs 17 to have all parameters


@functools.cache
def rows():
    """(code, number of parameters) -> action, new code, list of (name, source)."""
    path = os.path.join(lanner.REFERENCE, "facts", "scap-conversions.tsv")
    with open(path, encoding="utf-8", newline="") as file:
        found = {}
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            sources = [tuple(word.split("=")) for word in
                       (row["resulting params (name=source)"] or "").split()]
            found[int(row["code"]), int(row["nparams"])] = (
                row["action"], int(row["new_code"] or row["code"]), sources)
        return found


def _default(kind):
    size = capture_file.SIZE_OF.get(kind, 0)
    return (b"\xff" if kind in ("UID", "GID") else b"\0") * size


def _json(params):
    container, kind, name, image = params
    text = [value.rstrip(b"\0").decode() for value in (container, name, image)]
    number = int.from_bytes(kind, "little")
    return (f'{{"id":"{text[0]}","type":{number},"name":"{text[1]}","image":"{text[2]}"}}'.encode()
            + b"\0")


def _value(source, kind, old, old_kinds, pending):
    if source == "json":
        return _json(old)
    if source == "-":
        return b""
    if source == "0":
        return _default(kind)
    if source[0] == "o":
        value = old[int(source[1:])]
        if old_kinds[int(source[1:])] == "DYN" != kind:
            value = value[1:]  # without the byte that says of which kind it is
    elif pending is None:
        return _default(kind) if source.endswith("!") else b""
    else:
        value = pending[int(source[1:].rstrip("!"))]
    return value[:capture_file.SIZE_OF.get(kind, len(value))]


class Upgrade:
    """Takes events in their order; gives (code, list of parameters), or None for those that vanish."""

    def __init__(self):
        self.pending = {}  # by thread: code and parameters of its enter event

    def _apply(self, tid, code, params, row):
        action, new_code, sources = row
        enter = self.pending.get(tid, (None, None))
        used = enter[1] if code % 2 and enter[0] == code - 1 else None
        table = capture_file.table()[new_code].params
        first = len(params) if action == "append" else 0
        kinds = [kind for _, kind in capture_file.table()[code].params]
        values = [_value(source, table[first + i][1], params, kinds, used)
                  for i, (_, source) in enumerate(sources)]
        return new_code, params[:first] + values

    def event(self, tid, code, params):
        """One event. An exit event takes the enter event of its thread with it."""
        upgraded = self._convert(tid, code, list(params))
        if code % 2:
            self.pending.pop(tid, None)
        return upgraded

    def _convert(self, tid, code, params):
        for _ in range(STEPS_MAX):
            row = capture_file.table()[code]
            if "UNUSED" in row.flags:
                return None
            if "CONVERTER_MANAGED" not in row.flags:
                return None if "OLD_VERSION" in row.flags else (code, params)
            if code % 2 and "OLD_VERSION" not in row.flags and len(params) == len(row.params):
                return code, params
            action = rows()[code, len(params)]
            if action[0].startswith("store"):
                self.pending[tid] = code, params
            if action[0] == "store,drop":
                return None
            if action[0] in ("pass", "store,pass"):
                return code, params
            code, params = self._apply(tid, code, params, action)
        raise AssertionError(f"event {code} is converted without end")
