# SPDX-License-Identifier: MIT
"""Reads files of pprof: the message by its fields, samples with the names of their functions."""
import collections
import gzip

Sample = collections.namedtuple("Sample", "stack values labels")


def _varint(data, at):
    value, shift = 0, 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """Each field's number and value: a number, or bytes."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        if tag & 7 == 0:
            value, at = _varint(data, at)
        elif tag & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        else:
            assert tag & 7 == 2, f"wire type {tag & 7}"
            length, at = _varint(data, at)
            assert at + length <= len(data), "the message is truncated"
            value, at = data[at:at + length], at + length
        yield tag >> 3, value


def message(data):
    """The values of each field."""
    found = collections.defaultdict(list)
    for number, value in fields(data):
        found[number].append(value)
    return found


def packed(values):
    """Numbers of a repeated field, packed."""
    found = []
    for value in values:
        at = 0
        while at < len(value):
            number, at = _varint(value, at)
            found.append(number)
    return found


class Profile:
    def __init__(self, path):
        with gzip.open(path) as file:
            self.fields = message(file.read())
        self.texts = [text.decode() for text in self.fields[6]]
        functions = {found[1][0]: self._text(found, 2) for found in map(message, self.fields[5])}
        self.functions = {}  # of each location
        for found in map(message, self.fields[4]):
            lines = [message(line) for line in found[4]]
            self.functions[found[1][0]] = [functions[line[1][0]] for line in lines]
        self.samples = [self._sample(message(sample)) for sample in self.fields[2]]
        self.time_ns, self.duration_ns = self.fields[9][0], self.fields[10][0]
        self.comments = [self.texts[i] for i in self.fields[13]]

    def _text(self, found, field):
        return self.texts[found[field][0]] if found[field] else ""

    def _sample(self, found):
        labels = {}
        for label in map(message, found[3]):
            labels[self._text(label, 1)] = self._text(label, 2) or (label[3] or [0])[0]
        stack = [name for location in packed(found[1]) for name in self.functions[location]]
        return Sample(stack, packed(found[2]), labels)
