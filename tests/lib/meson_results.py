#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reads the log of `meson test` and prints a line for each test that was asked for: verdict, name,
seconds, and the file that its output was written to, separated by tabs.

    meson_results.py TESTLOG.json OUTPUT-FOLDER NAME...
"""
import json
import os
import sys

VERDICTS = {"OK": "PASS", "EXPECTEDFAIL": "PASS", "SKIP": "SKIP"}


def main():
    log, folder, names = sys.argv[1], sys.argv[2], set(sys.argv[3:])
    if os.path.exists(log):
        with open(log) as lines:
            for number, line in enumerate(lines):
                test = json.loads(line)
                name = test["name"].rsplit(" / ", 1)[-1]
                names.discard(name)
                output = os.path.join(folder, f"meson-{number}")
                with open(output, "w") as out:
                    out.write(test.get("stdout", "") + test.get("stderr", ""))
                    out.write(f"[{test['result']}]\n")
                verdict = VERDICTS.get(test["result"], "FAIL")
                print(verdict, name, f"{test['duration']:.1f}", output, sep="\t")
    for name in sorted(names):
        print("FAIL", name, 0, "/dev/null", sep="\t")


main()
