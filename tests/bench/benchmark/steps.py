# SPDX-License-Identifier: MIT
"""Runs the steps of a part in rounds, and keeps what they measure."""
import collections
import signal
import subprocess
import sys
import time

from . import rounds
from .watchers import Failed

# One thing that is compared: run() gives its samples. `missing` says why it cannot run here.
Step = collections.namedtuple("Step", "name run missing", defaults=(None,))


def stop_cleanly():
    """SIGTERM ends the program as an exception does: what watches and what loads the machine ends with it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def run_steps(steps, part, wanted, save):
    """Until each step has so many rounds. A step that fails is left out from then on, as it would fail again."""
    usable = []
    for step in steps:
        if step.missing:
            part.leave_out(step.name, step.missing)
        elif step.name not in part.left_out or part.rounds(step.name):
            usable.append(step)
    for number, step in rounds.interleaved(usable, 0, wanted):
        if part.rounds(step.name) > number:
            continue
        begin = time.monotonic()
        try:
            samples = list(step.run())
        except (Failed, OSError, subprocess.SubprocessError, ValueError, AssertionError) as error:
            part.leave_out(step.name, describe(error))
            usable.remove(step)
            print(f"{step.name}: left out: {part.left_out[step.name]}", file=sys.stderr)
        else:
            part.add(step.name, samples)
            shown = ", ".join(f"{sample.what}{'' if sample.at is None else f' at {sample.at:g}'} {sample.value:.5g} "
                              f"{sample.unit}" for sample in samples)
            print(f"round {number + 1}: {step.name} ({time.monotonic() - begin:.1f} s): {shown}", file=sys.stderr)
        save()


def describe(error):
    """An exception in one line, with the end of what a command printed."""
    words = str(error)
    if isinstance(error, subprocess.CalledProcessError) and error.stderr:
        said = error.stderr if isinstance(error.stderr, str) else error.stderr.decode(errors="replace")
        words += ": " + said[-300:].strip()
    return " ".join(words.split()) or type(error).__name__
