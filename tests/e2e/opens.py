#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Opens files in many ways, and prints for each open what an event of it must show (test_names).

    opens.py FOLDER ARGUMENT...

FOLDER is what prepare() of test_names made. Prints "ready", waits for a line, opens, and prints a list
as JSON. Where the agent is to have read all events before, it prints "open " and the name of the last file
as JSON, and waits for a line. Needs nothing else of this tree, so that a copy of it runs as any user.
"""
import errno
import json
import os
import queue
import sys
import threading

STRING_BYTES_MAX = 4096  # what events keep of a path, its NUL included
ODD_NAMES = [b"new\nline", b"quote\"s'", b"back\\slash", b"tab\tbell\a\x01\x7f", b" ", b"...",
             b"\r", "\u00fc\u6f22\U0001f600\u2028".encode(), b"\xff\xfe", b"cut \xe6\xbc",
             b"\xed\xa0\x80", b"\xc0\xaf", b"long" * 60]


def shown(name):
    """Bytes as JSON shows them: U+FFFD for each byte that is not part of a character."""
    return "".join("\ufffd" if "\udc80" <= c <= "\udcff" else c
                   for c in name.decode("utf-8", "surrogateescape"))


class Child:
    def __init__(self, folder):
        self.folder = folder
        self.opens = []
        self.proc = os.open("/proc", os.O_RDONLY)  # works in a chroot as well
        self.home = os.open("/", os.O_RDONLY)
        self.work = os.open(self.path("work"), os.O_RDONLY)
        self.link = os.open(self.path("work/link"), os.O_RDONLY)
        self.jobs, self.done = queue.Queue(), queue.Queue()
        threading.Thread(target=self.serve, daemon=True).start()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def serve(self):
        """Another thread, which does what it is asked."""
        while True:
            self.jobs.get()()
            self.done.put(None)

    def in_thread(self, job):
        self.jobs.put(job)
        self.done.get()

    def open(self, what, name, path=None, dir_fd=None, flags=os.O_RDONLY):
        """Opens a file; `path` is what its event must show where the link in /proc is not."""
        try:
            fd, result = os.open(name, flags, 0o600, dir_fd=dir_fd), "SUCCESS"
        except OSError as error:
            fd, result = -error.errno, errno.errorcode[error.errno]
        if path is None:
            path = os.readlink(f"self/fd/{fd}", dir_fd=self.proc)
        self.opens.append({"what": what, "name": shown(os.fsencode(name)[:STRING_BYTES_MAX - 1]),
                           "fd.name": shown(os.fsencode(path)), "fd.num": fd, "evt.res": result,
                           "thread.tid": threading.get_native_id()})
        if fd >= 0:
            os.close(fd)

    def until_read(self):
        print("open", json.dumps(self.opens[-1]["name"]), flush=True)
        sys.stdin.readline()

    def who(self):
        def read(name):
            with open(f"/proc/self/{name}", "rb") as file:
                return file.read()
        comm = read("comm").rstrip(b"\n")
        args = read("cmdline").rstrip(b"\0").split(b"\0")[1:]
        return {"proc.name": shown(comm), "proc.pid": os.getpid(), "proc.ppid": os.getppid(),
                "proc.exepath": os.readlink("/proc/self/exe"),
                "proc.cmdline": shown(b" ".join([comm] + args)), "user.uid": os.geteuid()}

    def relative_paths(self):
        os.chdir(self.path("work"))
        for name in ("file", "./file", "inner/file", "inner/../file", ".//inner/.//deep/../file",
                     "../other/file", "..", ".", "inner/", "../work/inner/../../work/file"):
            self.open("relative", name)
        os.chdir("inner")
        self.open("after a relative chdir", "../inner/file")
        os.chdir("deep/../..")
        self.open("after chdir with ..", "./inner/./file")
        self.open("absolute", self.path("work", "..", "other", ".", "file"))
        self.open(".. above the root", "/../..//etc/hostname")
        os.chdir("/")
        self.open("from the root", "etc/hostname")
        self.open(".. in the root", "../etc/../etc/hostname")

    def directories(self):
        os.chdir(self.path("other"))
        fresh = os.open(self.path("work/inner"), os.O_PATH)
        for name in ("file", "../work/file", "./inner/.././file"):
            self.open("an old dirfd", name, dir_fd=self.work)
        for name in ("file", "../inner/file", "./deep/.././file"):
            self.open("a fresh dirfd", name, dir_fd=fresh)
        copy = os.dup(fresh)
        self.open("a dirfd made by dup", "deep/file", dir_fd=copy)
        os.dup2(self.work, copy)
        self.open("a dirfd made by dup2", "inner/deep/file", dir_fd=copy)
        relative = os.open("../work/inner/deep", os.O_RDONLY)
        self.open("a dirfd opened by relative path", "../deep/file", dir_fd=relative)
        self.open("an absolute path with a dirfd", self.path("other/file"), dir_fd=fresh)
        os.fchdir(fresh)
        self.open("after fchdir", "../inner/./file")
        os.fchdir(self.work)
        self.open("after fchdir to an old directory", "inner/../inner/file")
        os.fchdir(copy)
        self.open("after fchdir to a copy", "../work/./file")
        for fd in (copy, relative, fresh):
            os.close(fd)

    def threads(self):
        os.chdir(self.path("work"))
        self.in_thread(lambda: self.open("in a thread", "inner/file"))
        os.chdir("inner")
        self.in_thread(lambda: self.open("in a thread after a chdir", "./file"))
        self.in_thread(lambda: os.chdir("../../other"))
        self.open("after chdir by a thread", "../other/./file")
        self.in_thread(lambda: os.fchdir(self.work))
        self.open("after fchdir by a thread", "./inner//file")
        fresh = threading.Thread(target=lambda: self.open("in a fresh thread", "inner/./file"))
        os.chdir(self.path("work/inner/.."))
        fresh.start()
        fresh.join()

    def links(self):
        """Files and directories have their real names; only "name" is what the program passed."""
        os.chdir(self.path("work/link"))
        self.open("after chdir through a link", "../inner/file")
        self.open(".. after chdir through a link", "../file")
        os.chdir("..")
        self.open("after chdir .. from a link", "./file")
        os.chdir(self.path("work"))
        os.chdir("link")
        self.open("after a relative chdir through a link", ".././file")
        os.chdir(self.path("work"))
        self.open("a link in the path", "link/file")
        self.open("an absolute path with a link", self.path("work/link/./file"))
        linked = os.open("link", os.O_RDONLY)
        self.open("a dirfd that was opened through a link", "./file", dir_fd=linked)
        os.fchdir(linked)
        self.open("after fchdir through a link", ".//.//file")
        self.open(".. after fchdir through a link", "..//file")
        os.fchdir(self.link)
        self.open("after fchdir to an old link", "..//.//file")
        os.close(linked)

    def failures(self):
        here = self.path("work")
        os.chdir(here)
        loop = os.path.join(here, "loop")
        for name, path, flags in (("nosuch", os.path.join(here, "nosuch"), os.O_RDONLY),
                                  ("./nosuch/../x", os.path.join(here, "x"), os.O_RDONLY),
                                  ("/nosuch/x", "/nosuch/x", os.O_RDWR),
                                  ("file/x", os.path.join(here, "file/x"), os.O_RDONLY),
                                  ("../work", here, os.O_WRONLY),
                                  ("loop", loop, os.O_RDONLY),
                                  ("loop/x", os.path.join(loop, "x"), os.O_RDONLY),
                                  ("./inner/../file", os.path.join(here, "file"),
                                   os.O_CREAT | os.O_EXCL),
                                  ("n" * 256, os.path.join(here, "n" * 256), os.O_RDONLY)):
            self.open("failed", name, path, flags=flags)
        self.open("failed from a dirfd", "../nosuch", self.path("nosuch"), dir_fd=self.work)
        self.open("a dirfd that is not open", "badfd", "<UNKNOWN>badfd", dir_fd=4000)
        with open("/etc/hostname") as file:
            self.open("a dirfd that is a file", "nodir", "/etc/hostname/nodir",
                      dir_fd=file.fileno())
        if os.geteuid():
            self.open("not permitted", self.path("secret"), self.path("secret"))

    def long_names(self):
        os.chdir(self.path("work"))
        longest = "./" * 2042 + "inner/file"
        assert len(longest) < STRING_BYTES_MAX
        self.open("as long as a path may be", longest)
        self.open("longer than a path may be", "/x" * 3000,
                  ("/x" * 3000)[:STRING_BYTES_MAX - 1].rstrip("/"))
        self.open("too long and relative", "y/" * 3000,
                  self.path("work", ("y/" * 3000)[:STRING_BYTES_MAX - 1].rstrip("/")))

    def odd_names(self):
        os.chdir(self.path("odd"))
        for name in ODD_NAMES:
            self.open("odd bytes", name)
            self.open("odd bytes that are missing", b"no" + name,
                      os.path.join(os.fsencode(self.path("odd")), b"no" + name))

    def removed(self):
        """What the agent cannot look up any more when it hears of it."""
        for number in range(5):
            os.chdir(self.folder)
            os.mkdir("brief")
            os.chdir("brief")
            self.open("in a directory that is removed at once", ".")
            self.open(".. of a directory that is removed at once", f"../other/{'./' * number}file")
            os.chdir("/")
            os.rmdir(self.path("brief"))
        os.symlink("real/inner", self.path("fresh"))
        os.chdir(self.path("fresh"))
        self.open("after chdir through a fresh link", "../inner/./file")
        self.until_read()
        os.unlink(self.path("fresh"))

    def roots(self):
        """Names begin at the root of the mounts, not of the process."""
        def inside(*names):
            return self.path("root", *names)

        if os.geteuid():
            return
        os.chdir(self.path("other"))
        os.chroot(self.path("root"))
        self.open("outside of the root", "../other/file")
        self.open("absolute in a chroot", "/inner/file", inside("inner/file"))
        self.open(".. in a chroot", "/../inner/../file", inside("file"))
        os.chdir("/inner")
        self.open("relative in a chroot", "deep/file", inside("inner/deep/file"))
        self.open(".. to the root of a chroot", "../file", inside("file"))
        os.chdir("/inner/deep")
        self.until_read()
        self.open("relative in a chroot, later", "../deep/file", inside("inner/deep/file"))
        os.chdir("/")
        self.open("from the root of a chroot", "./inner/deep/../file", inside("inner/file"))
        os.fchdir(self.home)
        os.chroot(".")
        self.open("back from a chroot", self.path("root/file"))

    def run(self):
        who = self.who()
        for part in (self.relative_paths, self.directories, self.threads, self.links,
                     self.failures, self.long_names, self.odd_names, self.removed, self.roots):
            part()
        return [{**who, **opened} for opened in self.opens]


def main():
    child = Child(sys.argv[1])
    print("ready", flush=True)
    sys.stdin.readline()
    print(json.dumps(child.run()))


if __name__ == "__main__":
    main()
