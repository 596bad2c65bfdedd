# SPDX-License-Identifier: MIT
"""What tests/release/run runs, in which order and beside what: run by it once the packages of a build are there.

    release.py [WORD...]
"""
import dataclasses
import functools
import re
import sys
import threading

from schedule import Job
from suite import TOP, VM_TIMEOUT_S, Build, commands, install, run

# Of tests/vm/initrd.
PROGRAMS = ("userspace/agent/agent", "tests/events/live_tests", "tests/vm/load_programs", "tests/vm/storm")
BUILDS = {"amd64": "test", "arm64": "arm64"}
FUZZ_S = "60"  # of each target
# Lanes run at the same time, and apt only once.
apt = threading.Lock()


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    command: tuple
    limit_s: int
    groups: tuple  # of deploy/packages
    needs: tuple = ()  # names of builds
    asks_mirror: bool = False
    alone: bool = False
    tries: int = 1


def script(name, *args, **options):
    return Part(f"release/{name}", (TOP / "tests/release" / name,), *args, **options)


SCRIPTS = (
    script("static-image", 1800, ("build", "static", "test", "container"), asks_mirror=True),
    script("debian-package", 1200, ("build", "package", "test", "release"), ("test",), asks_mirror=True),
    script("test_helm", 600, ("test",), ("test",)),
    script("test_includes", 600, ("build", "test"), ("test",)),
    script("test_tcp_losses", 600, ("test",), ("test",)),
    Part("fuzz/all", (TOP / "tests/fuzz/all", FUZZ_S), 1800, ("build", "test", "fuzz")),
    # Its tests watch the whole machine and count what is lost.
    script("minimal-debian", 3000, ("release",), asks_mirror=True, alone=True),
)


def guests():
    for line in (TOP / "tests/vm/kernels").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kernel, architecture = line.split()[:2]
            yield Part(f"vm/{kernel}", (TOP / "tests/vm/run", kernel), VM_TIMEOUT_S, ("vm", *{architecture} & {"arm64"}),
                       (BUILDS[architecture],), tries=2)


@functools.cache
def mirror_problem():
    """What apt says of Debian's mirror when it does not answer, or nothing."""
    code, output = commands.run(["apt-get", "-q", "update", "--error-on=any"])
    said = re.search("^[EW]: .*$", output, re.MULTILINE)
    return f"no Debian mirror: {said[0] if said else 'apt-get update failed'}" if code else ""


def prepare(part, report):
    """Reports a part whose packages are not there, or that has no mirror to ask; returns its verdict."""
    with apt:
        code, output = install(*part.groups)
        problem = mirror_problem() if code or part.asks_mirror else ""
    verdict = "SKIP" if problem else "FAIL" if code else ""
    if verdict:
        report.add(verdict, part.name, 0, problem or output)
    return verdict


def job(part, test):
    def action(report):
        verdict = prepare(part, report)
        # Guests are skipped themselves when there is no build for them.
        return verdict == "SKIP" if verdict else test(report)
    return Job(part.name, action, tuple(f"build/{name}" for name in part.needs), part.alone)


def build_job(name):
    """Only what guests run: of another architecture no other program ever runs here."""
    options = ("--cross-file", TOP / "deploy/cross/arm64.ini") if name == "arm64" else ()
    build = Build(name, "gcc", *options)
    part = Part(f"build/{name}", (), 0, ("arm64",) if name == "arm64" else ())
    return job(part, lambda report: build.make(report, programs=PROGRAMS))


def command_job(part):
    return job(part, lambda report: commands.test(report, part.name, part.command, part.limit_s, tries=part.tries))


def jobs(words):
    parts = [part for part in (*SCRIPTS, *guests())
             if not words or any(word in part.name for word in words)]
    builds = [name for name in BUILDS.values() if any(name in part.needs for part in parts)]
    return [*map(build_job, builds), *map(command_job, parts)]


if __name__ == "__main__":
    run(jobs(sys.argv[1:]))
