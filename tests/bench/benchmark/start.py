# SPDX-License-Identifier: MIT
"""How long the agent takes from its start to the first event that it prints, and what memory it has then."""
import collections
import select
import subprocess
import tempfile
import time

from .watchers import Failed, Watcher, Watching, settle

EVENTS_PER_S = 1000  # an open each two milliseconds: how exact the time is
LOAD_S = 100
First = collections.namedtuple("First", "seconds resident_mb peak_mb")


def first_event(build, arguments, wait_s=90):
    """Starts the agent with arguments that let it print opens, while something opens a file all the time."""
    watcher = Watcher("lanner", [f"{build}/userspace/agent/agent", "-v", *arguments], "capturing")
    with tempfile.NamedTemporaryFile("w", prefix="lanner-bench-") as said:
        load = subprocess.Popen([f"{build}/tests/bench/paced_calls", str(EVENTS_PER_S), str(LOAD_S), said.name],
                                stdout=subprocess.DEVNULL)
        begin = time.monotonic()
        agent = Watching(watcher, said, subprocess.PIPE)
        try:
            if not select.select([agent.process.stdout], [], [], wait_s)[0] or not agent.process.stdout.read1(1):
                raise Failed(f"no event within {wait_s} s: {agent.messages()[-300:]}")
            seconds = time.monotonic() - begin
            settle()
            return First(seconds, agent.memory_mb("VmRSS"), agent.memory_mb("VmHWM"))
        finally:
            load.kill()
            load.wait()
            agent.process.stdout.close()
            agent.stop()
