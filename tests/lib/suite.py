# SPDX-License-Identifier: MIT
"""What tests/run runs, in which order and beside what: run by it once the packages are there.

    suite.py [--quick] [WORD...]
"""
import dataclasses
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from schedule import Commands, Job, Report, Schedule, flaky_causes

TOP = pathlib.Path(__file__).resolve().parents[2]
CPUS = os.cpu_count() or 1
# One more than there are processors, as most tests wait some of their time; and more while processors are idle.
LANES, IDLE_LANES = CPUS + 1, CPUS
# An agent that somebody left waiting must not stop a whole run.
FILE_TIMEOUT_S, VM_TIMEOUT_S = 600, 1500
# The oldest, and of its tests those that tell whether its verifier takes each program, and whether they work:
# emulated, all of them take as long as a build. release.py has the others, and other kernels.
VM_KERNEL, VM_TESTS = "5.10", "load,at_ease"
# What has counters of what runs, for tests/checks/coverage: tests themselves have none. The driver of clang takes it
# only with the option that meson gives later.
COUNTED = "-Xclang -fprofile-filter-files=userspace/"
SKELETON = TOP / "build-test/driver/lanner.skel.h"
# Of --quick: no file of checks and cli that takes long, and of e2e what shows that all fits together.
QUICK_WITHOUT = {"checks/test_event_rows", "cli/test_byte_flips", "cli/test_deploy",
                 "cli/test_options", "cli/test_quickstart"}
QUICK_E2E = {"e2e/test_whole_way", "e2e/test_accounting", "e2e/test_descriptors"}
# What no other capture may run beside, and why: these come first, one after the other, beside builds, which leave a
# processor to them. All others judge their own processes alone.
BEFORE_CAPTURES = {
    "attack/test_flood": "fills all rings, so that others' processes are over their shares of them",
    "attack/test_truncated": "of its events it is unknown whether they pass others' filters, so they do",
    "attack/test_ring_hoard": "takes all places for requests of rings, so that others' are lost",
    "attack/test_limits_as_cover": "the kernel counts few control groups at once, and others make thousands",
}
# What runs when nothing else does.
ALONE = {
    "e2e/test_limits": "counts what all of the machine loses over a limit",
    "e2e/test_budget": "measures what share of the machine a capture takes",
    "e2e/test_sysdig": "compares all events of the machine, none of which may be lost",
    "e2e/test_storm": "takes the whole machine, by dozens of processes",
}

# The kernel gives as parent the thread that starts a process, as each lane is; a shell has one thread.
A_CHILD = ("sh", "-c", '"$@"; exit $?', "sh")

commands = Commands()


class Build:
    """A build folder. Warnings are errors, so that a build is a test too."""

    def __init__(self, name, compiler, *options):
        self.name, self.compiler, self.options = name, compiler, options
        self.folder = TOP / f"build-{name}"
        self.sanitized = any("b_sanitize" in option for option in map(str, options))

    def configure(self):
        """Whether it is configured as the tree is now, and what was said."""
        # Authors choose how others are made; what tests of this tree read of one must be as they expect it.
        wanted, made_with = repr([self.compiler, *map(str, self.options)]), self.folder / "made-with"
        if self.sanitized and self.folder.exists() and (not made_with.exists() or made_with.read_text() != wanted):
            shutil.rmtree(self.folder)
        if (self.folder / "build.ninja").exists():
            code, output = commands.run(["ninja", "-C", self.folder, "build.ninja"])
            return code == 0, output
        # The default linker takes three times as long.
        # That of another architecture is not ours to choose.
        is_native = "--cross-file" not in self.options
        linker = {"CC_LD": "mold"} if is_native and shutil.which("mold") else {}
        code, output = commands.run(["meson", "setup", *self.options, self.folder, TOP],
                                    env={**os.environ, "CC": self.compiler, **linker})
        if code == 0:
            made_with.write_text(wanted)
        return code == 0, output

    @functools.cached_property
    def tests(self):
        """What meson knows of its tests, by name."""
        done = commands.run(["meson", "introspect", "--tests", self.folder])
        return {test["name"]: test for test in json.loads(done[1])} if done[0] == 0 else {}

    def in_suite(self, name, suite):
        return f"lanner:{suite}" in self.tests[name]["suite"]

    def make(self, report, jobs=1, programs=(), tests=(), compile_all=False):
        """Builds everything, or only some programs and tests; with `compile_all` also all objects, for the warnings."""
        done, output = self.configure()
        if not done:
            report.add("FAIL", f"build/{self.name}", 0, output)
            return False
        programs = {*programs, *(os.path.relpath(self.tests[name]["cmd"][0], self.folder) for name in tests),
                    *(self.objects() if compile_all else ())}
        return commands.test(report, f"build/{self.name}",
                             ["ninja", "--quiet", "-C", self.folder, "-j", str(jobs), *sorted(programs)])

    def objects(self):
        """Of all that is C."""
        known = commands.run(["ninja", "-C", self.folder, "-t", "targets", "all"])[1]
        targets = (line.partition(": ")[0] for line in known.splitlines())
        return [target for target in targets if target.endswith(".c.o")]

    @functools.cache
    def cases(self, name, *options):
        """The names of the cases of a program of unit tests; any other test is one case."""
        command = [*self.tests[name]["cmd"], "--list", *options]
        return commands.run(command)[1].splitlines() if self.in_suite(name, "groups") else [name]

    def run(self, report, label, name, arguments=()):
        """A test of the build."""
        test = self.tests[name]
        failed = failed_groups if self.in_suite(name, "groups") else None
        commands.test(report, f"{label}/{name}", [*A_CHILD, *test["cmd"], *arguments], test["timeout"],
                      {**os.environ, **test["env"]}, 2, failed)
        return True


def failed_groups(output):
    """Of what a program of unit tests prints (tests/support/unit.c): the words that name what failed."""
    return [f"{group}:" for group in re.findall(r"^FAIL  (\S+) \(", output, re.MULTILINE)]


def install(*groups):
    return commands.run([TOP / "deploy/install-packages", *groups])


# What tests stand on: the agent, and the programs that they use.
NEEDED = ("build/test", "packages")


def may_capture(name):
    """Whether a job may: builds do not, what checks sources does not, and the guest is another machine."""
    return name.partition("/")[0] not in ("build", "packages", "checks", "vm")


def first_captures(jobs):
    """The jobs, of which those of BEFORE_CAPTURES come one after the other, and all others that may capture behind them."""
    first, after = [], ()
    for job in jobs:
        if job.name in BEFORE_CAPTURES:
            first.append(dataclasses.replace(job, after=after))
            after = (job.name,)
    return first + [dataclasses.replace(job, after=after) if may_capture(job.name) else job
                    for job in jobs if job.name not in BEFORE_CAPTURES]


class Suite:
    def __init__(self, quick, words):
        self.quick, self.words = quick, words
        # A third of what the compiler does for tests is to read the same headers.
        precompiled = "-Dprecompiled=true"
        self.test = Build("test", "gcc", precompiled)
        # The programs for the kernel are the same for every build: they are compiled once.
        skeleton = f"-Dskeleton={SKELETON}"
        # By the other compiler, as its warnings are wanted too. Without optimization, and of debugging information
        # only the lines: the compiler would work more on what sanitizers insert than tests take.
        self.sanitize = Build("sanitize", "clang", "-Db_sanitize=address,undefined", "-Db_lundef=false",
                              "-Doptimization=0", "-Ddebug=false", f"-Dc_args=-gline-tables-only {COUNTED}",
                              "-Db_coverage=true", skeleton, precompiled)

    def wanted(self, name):
        return not self.words or any(word in name for word in self.words)

    @property
    def whole(self):
        return not self.quick and not self.words

    def file_job(self, path):
        name = f"{path.parent.name}/{path.name}"
        env = {**os.environ, "AGENT": str(self.test.folder / "userspace/agent/agent"),
               "LANNER_TOP": str(TOP)}
        return Job(name, lambda report: commands.test(report, name, [path], FILE_TIMEOUT_S, env, tries=2),
                   NEEDED, alone=name in ALONE)

    def file_jobs(self, folder):
        paths = sorted(path for path in (TOP / "tests" / folder).glob("test_*")
                       if os.access(path, os.X_OK))
        jobs = [self.file_job(path) for path in paths]
        return [job for job in jobs if self.wanted(job.name)]

    def selection(self, label, name):
        """What a unit test program is to be told so that it runs what is wanted; None: nothing of it is."""
        options = ["--quick"] if self.quick and self.test.in_suite(name, "groups") else []
        cases = self.test.cases(name, *options)
        wanted = [case for case in cases if self.wanted(f"{label}/{case}")]
        if cases and self.wanted(f"{label}/{name}"):
            return options
        return [*options, *wanted] if wanted else None

    def unit_jobs(self, build, label, names):
        """A job for each program, so that the lanes share them; with words one, as most have nothing to do."""
        def run(report, some):
            for name in some:
                arguments = self.selection(label, name)
                if arguments is not None:
                    build.run(report, label, name, arguments)
            return True
        jobs = {label: names} if self.words else {f"{label}/{name}": [name] for name in names}
        return [Job(name, lambda report, some=some: run(report, some), (f"build/{build.name}", *NEEDED))
                for name, some in jobs.items()]

    def unit_names(self, without=()):
        """Of programs that are unit tests; they are known once the build is configured."""
        return [name for name in self.test.tests if self.test.in_suite(name, "unit") and
                not any(self.test.in_suite(name, other) for other in without)]

    def build_job(self):
        """The build that nearly all tests need: no test runs beside it, so it may have all processors."""
        return Job("build/test", lambda report: self.test.make(report, jobs=CPUS))

    def packages_job(self):
        """They are downloaded while the build has the processors."""
        groups = ("test", "container", *["vm"] * bool(self.guest()))

        def run(report):
            code, output = install(*groups)
            if code:
                report.add("FAIL", "packages", 0, output)
            return code == 0
        return Job("packages", run)

    def sanitized(self):
        """With words only what is wanted is worth the time of a build."""
        names = self.unit_names()

        def make(report):
            wanted = [name for name in names if self.selection("unit-sanitized", name) is not None]
            for counters in self.sanitize.folder.rglob("*.gcda"):
                counters.unlink()  # of an earlier run
            return not wanted or self.sanitize.make(report, tests=wanted, compile_all=self.whole)
        build = Job("build/sanitize", make, NEEDED)
        if self.quick:
            return []
        units = self.unit_jobs(self.sanitize, "unit-sanitized", names)
        return [build, *units, *self.coverage(units)]

    def coverage(self, units):
        """What all of the unit tests have reached; what has failed or not run is missing there."""
        name = "checks/coverage"

        def run(report):
            return commands.test(report, name, [TOP / "tests" / name], FILE_TIMEOUT_S, show=True)
        return [Job(name, run, tuple(unit.name for unit in units))] if self.whole else []

    def guest(self):
        name = f"vm/{VM_KERNEL}"

        def run(report):
            return commands.test(report, name, [TOP / "tests/vm/run", "-t", VM_TESTS, VM_KERNEL], VM_TIMEOUT_S, tries=2)
        return [Job(name, run, NEEDED)] if self.wanted(name) and not self.quick else []

    def live_tests(self):
        """Those that capture. The live tests repeat what lost events because of others."""
        live = Job("live/live", lambda report: self.test.run(report, "live", "live"), NEEDED)
        files = [job for job in self.file_jobs("e2e") + self.file_jobs("attack")
                 if not self.quick or job.name in QUICK_E2E]
        return [live] * self.wanted("live/live") + files

    def jobs(self):
        self.test.configure()
        # The corpora are replayed where more is noticed: in the sanitized build. It makes a part of the changes of
        # captures, and this one all.
        without = ("corpus", "flip") if self.quick else ("corpus",)
        units = self.unit_jobs(self.test, "unit", self.unit_names(without))
        files = [job for job in self.file_jobs("checks") + self.file_jobs("cli")
                 if not self.quick or job.name not in QUICK_WITHOUT]
        # What takes longest, with what it needs, begins first.
        return first_captures([self.build_job(), self.packages_job(), *self.sanitized(), *self.guest(), *files,
                               *self.live_tests(), *units])


def interrupt(*_):
    raise KeyboardInterrupt


def run(jobs):
    """All of them; ends the program with the exit code of their report."""
    # Whoever ends this ends the commands too, which are in process groups of their own.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    report = Report(flaky_causes((TOP / "tests/flaky.md").read_text(encoding="utf-8")))
    try:
        Schedule(jobs, report).run(LANES, IDLE_LANES)
    except KeyboardInterrupt:
        commands.end_all()
        sys.exit(130)
    sys.exit(report.close())


def main():
    words = sys.argv[1:]
    quick = "--quick" in words
    run(Suite(quick, [word for word in words if word != "--quick"]).jobs())


if __name__ == "__main__":
    main()
