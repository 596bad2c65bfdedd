# SPDX-License-Identifier: MIT
"""The compiler as a load: some files of this tree, on all CPUs, as the build compiles them."""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import time

FOLDER = "userspace/sinsp/"  # whose files are compiled
FILES = 48


def commands(build, folder):
    """The commands of the build, without ccache, with their output in `folder`."""
    entries = json.loads(pathlib.Path(build, "compile_commands.json").read_text(encoding="utf-8"))
    chosen = sorted((entry for entry in entries if f"/{FOLDER}" in f"/{entry['file']}"),
                    key=lambda entry: entry["file"])[:FILES]
    return [(plain(shlex.split(entry["command"]), f"{folder}/{number}.o"), entry["directory"])
            for number, entry in enumerate(chosen)]


def plain(argv, output):
    if os.path.basename(argv[0]) == "ccache":
        argv = argv[1:]
    argv = list(argv)
    for option in ("-o", "-MF", "-MQ"):
        if option in argv:
            argv[argv.index(option) + 1] = output if option == "-o" else f"{output}.d"
    return argv


def run(chosen):
    """The seconds that they take."""
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in [pool.submit(subprocess.run, argv, cwd=folder, check=True, capture_output=True)
                     for argv, folder in chosen]:
            done.result()
    return time.monotonic() - begin
