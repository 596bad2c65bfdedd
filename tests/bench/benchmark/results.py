# SPDX-License-Identifier: MIT
"""The file of results: every sample, what it was measured on, and what could not be measured.

results.schema.json describes the file. It is written after each step, so that a run that was interrupted goes on
where it was.
"""
import collections
import datetime
import json
import os

FORMAT = 1
# What a step measured: in which row and unit; `at` is the size of a load that grows.
Sample = collections.namedtuple("Sample", "what unit value at", defaults=(None,))
Row = collections.namedtuple("Row", "what by unit at samples")


class OtherRun(Exception):
    """The file has results that those of this run cannot be added to."""


class Part:
    """The results of a part of the suite. A sample has the index of its round."""

    def __init__(self, data):
        self.data = data

    def rounds(self, step):
        """How many rounds of a step there are."""
        return self.data["steps"].get(step, 0)

    def add(self, step, samples):
        """One round of a step: the samples that it gave."""
        for sample in samples:
            row = self._row(step, sample)
            row["samples"].append(sample.value)
        self.data["steps"][step] = self.rounds(step) + 1

    def _row(self, step, sample):
        key = {"what": sample.what, "by": step, "unit": sample.unit, "at": sample.at}
        for row in self.data["rows"]:
            if all(row[name] == value for name, value in key.items()):
                return row
        self.data["rows"].append({**key, "samples": []})
        return self.data["rows"][-1]

    def leave_out(self, step, why):
        self.data["left_out"][step] = why

    def rows(self, unit=None):
        return [Row(**row) for row in self.data["rows"] if unit in (None, row["unit"])]

    def samples(self, what, by, unit, at=None):
        """Those of one row; none where there is no such row."""
        return next((row.samples for row in self.rows(unit) if (row.what, row.by, row.at) == (what, by, at)), [])

    @property
    def left_out(self):
        return self.data["left_out"]


class Results:
    def __init__(self, machine, path=None):
        """Goes on with the file, if there is one. OtherRun: it is of another machine or kernel, or no such file."""
        self.path = path
        self.data = {"format": FORMAT, "machine": machine, "parts": {}}
        if path and os.path.exists(path):
            old = load(path).data
            if old["machine"] != machine:
                raise OtherRun(f"{path} is of another machine or kernel: name another file with --json")
            self.data = old

    def part(self, name):
        """None where it was not measured."""
        return Part(self.data["parts"][name]) if name in self.data["parts"] else None

    @property
    def parts(self):
        return {name: Part(data) for name, data in self.data["parts"].items()}

    def begin(self, name, identity):
        """The part to add to: the one of the file, if it is of the same program and kind of run, or a new one.
        `identity`: commit, agent and short."""
        old = self.data["parts"].get(name)
        if not old or any(old[key] != value for key, value in identity.items()):
            self.data["parts"][name] = {**identity, "began": now(), "load_average": os.getloadavg()[0], "steps": {},
                                        "rows": [], "left_out": {}}
        return self.part(name)

    def save(self):
        if not self.path:
            return
        with open(f"{self.path}.new", "w", encoding="utf-8") as out:
            json.dump(self.data, out, indent=1)
            out.write("\n")
        os.rename(f"{self.path}.new", self.path)


def load(path):
    """Results that are only read. OtherRun: it is no file of results."""
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        results = Results(data["machine"])
        if data["format"] != FORMAT:
            raise OtherRun(f"{path} has format {data['format']}, this program reads {FORMAT}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OtherRun(f"{path} cannot be read as results: {error}") from error
    results.data = data
    return results


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
