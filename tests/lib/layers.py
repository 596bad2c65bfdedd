# SPDX-License-Identifier: MIT
"""The folders of user space in the order that userspace/layers states, and circles in graphs."""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2] / "userspace"
ORDER = [line.split()[0] for line in (ROOT / "layers").read_text().splitlines()
         if line and not line.startswith("#")]
TOPS = {folder.split("/")[0] for folder in ORDER}


def sources():
    """The folder of each C file and header, by its path."""
    return {path: str(path.parent.relative_to(ROOT)) for path in sorted(ROOT.rglob("*.[ch]"))}


def circles(uses):
    """The groups of nodes that reach each other; `uses` has the set that each node uses."""
    reach = {}
    for start in uses:
        found, todo = set(), [start]
        while todo:
            for other in uses.get(todo.pop(), ()):
                if other not in found:
                    found.add(other)
                    todo.append(other)
        reach[start] = found
    groups = {tuple(sorted(other for other in reach[node] if node in reach.get(other, ())))
              for node in uses if node in reach[node]}
    return [list(group) for group in sorted(groups)]
