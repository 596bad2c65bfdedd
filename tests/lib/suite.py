# SPDX-License-Identifier: MIT
"""What tests/run runs, in which order and beside what: run by it once the packages are there.

    suite.py [--quick] [WORD...]
"""
import functools
import json
import os
import pathlib
import shutil
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from schedule import Commands, Job, Report, Schedule, flaky_causes

TOP = pathlib.Path(__file__).resolve().parents[2]
LANES = 2
CPUS = os.cpu_count() or 1
CPUS_OF_LANE = max(1, CPUS // LANES)
# An agent that somebody left waiting must not stop a whole run.
FILE_TIMEOUT_S, VM_TIMEOUT_S = 300, 1500
# The oldest; release.py has the others.
VM_KERNEL = "5.10"
SKELETON = TOP / "build-test/driver/lanner.skel.h"
# Of --quick: no file of checks and cli that takes long, and of e2e what shows that all fits together.
QUICK_WITHOUT = {"checks/test_event_rows", "cli/test_byte_flips", "cli/test_deploy",
                 "cli/test_options", "cli/test_quickstart"}
QUICK_E2E = {"e2e/test_whole_way", "e2e/test_accounting", "e2e/test_descriptors"}
# What runs when nothing else does, and why. All others judge their own processes alone.
ALONE = {
    "e2e/test_budget": "measures what share of the machine a capture takes",
    "e2e/test_sysdig": "compares all events of the machine, none of which may be lost",
    "e2e/test_storm": "takes the whole machine, by dozens of processes",
}

commands = Commands()


class Build:
    """A build folder. Warnings are errors, so that a build is a test too."""

    def __init__(self, name, compiler, *options):
        self.name, self.compiler, self.options = name, compiler, options
        self.folder = TOP / f"build-{name}"
        self.sanitized = any("b_sanitize" in option for option in map(str, options))

    def configure(self):
        """Whether it is configured, and what was said."""
        if (self.folder / "build.ninja").exists():
            return True, ""
        # Hundreds of test programs are linked, for which the default linker takes three times as long.
        # That of another architecture is not ours to choose.
        is_native = "--cross-file" not in self.options
        linker = {"CC_LD": "mold"} if is_native and shutil.which("mold") else {}
        code, output = commands.run(["meson", "setup", *self.options, self.folder, TOP],
                                    env={**os.environ, "CC": self.compiler, **linker})
        return code == 0, output

    @functools.cached_property
    def tests(self):
        """What meson knows of its tests."""
        done = commands.run(["meson", "introspect", "--tests", self.folder])
        return json.loads(done[1]) if done[0] == 0 else []

    def make(self, report, suite=None, jobs=CPUS_OF_LANE, programs=()):
        """Builds everything, or only some programs, or those that are the tests of a suite."""
        done, output = self.configure()
        if not done:
            report.add("FAIL", f"build/{self.name}", 0, output)
            return False
        tests = {os.path.relpath(test["cmd"][0], self.folder) for test in self.tests
                 if f"lanner:{suite}" in test["suite"]}
        return commands.test(report, f"build/{self.name}",
                             ["ninja", "--quiet", "-C", self.folder, "-j", str(jobs), *programs, *sorted(tests)])

    def compile(self, report):
        """Compiles all that is C, without linking: for the warnings."""
        done, output = self.configure()
        if not done:
            report.add("FAIL", f"build/{self.name}", 0, output)
            return False
        known = commands.run(["ninja", "-C", self.folder, "-t", "targets", "all"])[1]
        objects = [target for target in (line.partition(": ")[0] for line in known.splitlines())
                   if target.endswith(".c.o")]
        return commands.test(report, f"build/{self.name}",
                             ["ninja", "--quiet", "-C", self.folder, "-j", str(CPUS_OF_LANE), *objects])

    def names(self, suite, without=()):
        return [test["name"] for test in self.tests if f"lanner:{suite}" in test["suite"] and
                not any(f"lanner:{other}" in test["suite"] for other in without)]

    def run(self, report, label, names, tries=2):
        """Tests of the build, a line for each. What a sanitizer finds needs no second try."""
        log = self.folder / "meson-logs/testlog.json"
        log.unlink(missing_ok=True)
        said = commands.run(["meson", "test", "-C", self.folder, "--no-rebuild",
                             "--num-processes", str(CPUS_OF_LANE + 1), *names])[1]
        missing = set(names)
        for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else ():
            test = json.loads(line)
            name = test["name"].rsplit(" / ", 1)[-1]
            missing.discard(name)
            verdict = {"OK": "PASS", "EXPECTEDFAIL": "PASS", "SKIP": "SKIP"}.get(test["result"], "FAIL")
            output = f"{test.get('stdout', '')}{test.get('stderr', '')}[{test['result']}]"
            if verdict == "FAIL" and tries > 1 and not self.sanitized:
                report.failed_once(f"{label}/{name}", test["duration"], output,
                                   lambda report, name=name: self.run(report, label, [name], tries - 1))
            else:
                report.add(verdict, f"{label}/{name}", test["duration"], output)
        for name in sorted(missing):
            report.add("FAIL", f"{label}/{name}", 0, said)
        return True


def install(*groups):
    return commands.run([TOP / "deploy/install-packages", *groups])


class Suite:
    def __init__(self, quick, words):
        self.quick, self.words = quick, words
        self.test = Build("test", "gcc")
        # The programs for the kernel are the same for every build: they are compiled once.
        skeleton = f"-Dskeleton={SKELETON}"
        # With less optimization: the compiler works more on what sanitizers insert than tests take.
        self.sanitize = Build("sanitize", "gcc", "-Db_sanitize=address,undefined", "-Doptimization=1", skeleton)
        # Only its warnings are wanted, which do not depend on optimization.
        self.clang = Build("clang", "clang", "-Doptimization=0", skeleton)

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
                   ("build/test",), name in ALONE)

    def file_jobs(self, folder):
        paths = sorted(path for path in (TOP / "tests" / folder).glob("test_*")
                       if os.access(path, os.X_OK))
        jobs = [self.file_job(path) for path in paths]
        return [job for job in jobs if self.wanted(job.name)]

    def unit_job(self, build, label, without=()):
        """The unit tests of a build whose names are wanted; they are known once it is configured."""
        def run(report):
            names = [name for name in build.names("unit", without) if self.wanted(f"{label}/{name}")]
            return not names or build.run(report, label, names)
        return Job(label, run, (f"build/{build.name}",))

    def build_job(self):
        """The build that nearly all tests need: nothing runs beside it, so it may have all processors."""
        return Job("build/test", lambda report: self.test.make(report, jobs=CPUS))

    def sanitized(self):
        """With words the build is worth its time only if a test of it is wanted."""
        configured, _ = self.test.configure()
        names = [f"unit-sanitized/{name}" for name in self.test.names("unit")] if configured else []
        if self.quick or not (self.whole or any(map(self.wanted, names))):
            return []
        return [Job("build/sanitize", lambda report: self.sanitize.make(report, "unit"),
                    ("build/test",)),
                self.unit_job(self.sanitize, "unit-sanitized")]

    def clang_build(self):
        return [Job("build/clang", self.clang.compile, ("build/test",))] if self.whole else []

    def guest(self):
        name = f"vm/{VM_KERNEL}"

        def run(report):
            return commands.test(report, name, [TOP / "tests/vm/run", VM_KERNEL], VM_TIMEOUT_S, tries=2)
        return [Job(name, run, ("build/test",))] if self.wanted(name) and not self.quick else []

    def live_tests(self):
        """Those that capture. The live tests repeat what lost events because of others."""
        live = Job("live", lambda report: self.test.run(report, "live", ["live"]), ("build/test",))
        files = [job for job in self.file_jobs("e2e")
                 if not self.quick or job.name in QUICK_E2E]
        return [live] * self.wanted("live/live") + files

    def jobs(self):
        # The corpora are replayed where more is noticed: in the sanitized build.
        without = ("corpus", "slow") if self.quick else ("corpus",)
        files = [job for job in self.file_jobs("checks") + self.file_jobs("cli")
                 if not self.quick or job.name not in QUICK_WITHOUT]
        # What takes longest, with what it needs, begins first.
        return [self.build_job(), *self.sanitized(), *self.guest(),
                *self.clang_build(), self.unit_job(self.test, "unit", without), *files,
                *self.live_tests()]


def interrupt(*_):
    raise KeyboardInterrupt


def run(jobs):
    """All of them; ends the program with the exit code of their report."""
    # Whoever ends this ends the commands too, which are in process groups of their own.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    report = Report(flaky_causes((TOP / "tests/flaky.md").read_text(encoding="utf-8")))
    try:
        Schedule(jobs, report).run(LANES)
    except KeyboardInterrupt:
        commands.end_all()
        sys.exit(130)
    sys.exit(report.close())


def main():
    words = sys.argv[1:]
    quick = "--quick" in words
    suite = Suite(quick, [word for word in words if word != "--quick"])
    if suite.guest():
        code, output = install("vm")
        if code:
            sys.exit(output)
    run(suite.jobs())


if __name__ == "__main__":
    main()
