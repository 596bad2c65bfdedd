# SPDX-License-Identifier: MIT
"""Control groups for tests, and processes in them."""
import contextlib
import os
import pathlib
import subprocess

import lanner

# Opens a file so many times for each line, by itself, so that the test decides when there are events.
LOOP = """while read -r count file; do
	while [ "$count" -gt 0 ]; do : <"$file"; count=$((count - 1)); done
	echo
done"""


class Groups:
    """Where the memory of processes is accounted: the hierarchy of that controller, or the common one."""

    def __init__(self):
        lanner.need_root()
        lines = [line.split(":", 2) for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines()]
        own = [path for _, controllers, path in lines if "memory" in controllers.split(",")]
        common = [path for number, _, path in lines if number == "0"]
        if not own and not common:
            raise lanner.Skip("there are no control groups of memory")
        self.top = pathlib.Path("/sys/fs/cgroup/memory" if own else "/sys/fs/cgroup")
        self.home = (own or common)[0]
        if not (self.top / "cgroup.procs").exists():
            raise lanner.Skip("there are no control groups where they are expected")
        # Above all groups of this test: others make and remove theirs meanwhile.
        self.own = f"/lanner-test-{os.getpid()}"
        self._made = []  # above the groups of the test, each after the one that it is in

    def file(self, path, name="cgroup.procs"):
        return self.top / path.lstrip("/") / name

    def move(self, pid, path, file="cgroup.procs"):
        self.file(path, file).write_text(str(pid))

    @contextlib.contextmanager
    def group(self, path):
        """A group of that path below the test's own; yields the whole path. It is removed, and once they are empty
        those above it."""
        path = path if path.startswith(f"{self.own}/") else self.own + path
        at = self.top / path.lstrip("/")
        self._made += reversed([above for above in at.parents if not above.exists()])
        at.mkdir(parents=True)
        try:
            yield path
        finally:
            # Who was killed may take a moment to be gone.
            lanner.wait_until(lambda: not (at / "cgroup.procs").read_text(), f"processes in {at}")
            at.rmdir()
            for above in reversed(self._made):
                with contextlib.suppress(OSError):
                    above.rmdir()


def remove(name):
    """What a runtime leaves of a group that it was told to make its own in, in all hierarchies."""
    root = pathlib.Path("/sys/fs/cgroup")
    for top in [root / name, *root.glob(f"*/{name}")]:
        for path in sorted(top.glob("**/"), reverse=True):
            with contextlib.suppress(OSError):
                path.rmdir()


class Opener:
    """A process that begins in a group, by moving itself there, and opens files when it is told to."""

    def __init__(self, groups, path):
        enter = f'echo $$ >{groups.file(path)} && exec /bin/sh -c "$0"'
        self.process = subprocess.Popen(["/bin/sh", "-c", enter, LOOP], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid

    def open(self, path, count=1):
        """Returns once the file has been opened so many times."""
        self.process.stdin.write(f"{count} {path}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "\n", "the process has ended"

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.end()
