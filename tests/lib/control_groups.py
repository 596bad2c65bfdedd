# SPDX-License-Identifier: MIT
"""Control groups for tests, and processes in them."""
import contextlib
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
        self._made = []  # above the groups of tests, each after the one that it is in

    def file(self, path, name="cgroup.procs"):
        return self.top / path.lstrip("/") / name

    def move(self, pid, path, file="cgroup.procs"):
        self.file(path, file).write_text(str(pid))

    @contextlib.contextmanager
    def group(self, path):
        """A group, with those above it that are missing; they are removed, once empty."""
        at = self.top / path.lstrip("/")
        self._made += reversed([above for above in at.parents if not above.exists()])
        at.mkdir(parents=True)
        try:
            yield path
        finally:
            at.rmdir()
            for above in reversed(self._made):
                with contextlib.suppress(OSError):
                    above.rmdir()


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
