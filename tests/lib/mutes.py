# SPDX-License-Identifier: MIT
"""What the report of a capture (-v) says of processes whose calls the kernel dropped."""
import re

MUTED = re.compile(r"^agent: muted processes: (\d+), at the end (\d+), calls of them filtered (\d+)$", re.MULTILINE)


def parse(stderr):
    """Zeros: there were none."""
    found = MUTED.search(stderr)
    return dict(zip(("processes", "at the end", "calls"), map(int, found.groups() if found else (0, 0, 0))))
