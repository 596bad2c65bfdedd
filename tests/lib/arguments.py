# SPDX-License-Identifier: MIT
"""The arguments of a system call as strace and as the agent report them.

POSITIONS says which parameter of an event is which argument of its call, as the manual pages have
them. strace shows a value as a number with its names, "0x41 /* O_WRONLY|O_CREAT */", as a string of
escapes, or as a structure, which is compared only where a rule of FORMS takes it apart.
"""
import codecs
import functools
import operator
import pathlib
import re
import socket

# Event: the parameters at the places of the arguments. "-": not compared; "a+b": two parameters for
# one argument; "[a,b]": the members of a list; "a:form": through a rule of FORMS.
POSITIONS = {line.split(":")[0]: line.partition(":")[2].split() for line in """
accept4:
accept:
access: name mode
acct: filename
add_key: type description - plen keyring
adjtimex:
alarm: seconds
arch_prctl: code addr
bind: fd addr:address
bpf: cmd
brk: addr
capget:
capset:
chdir: path
chmod: filename mode
chown: path uid gid
chroot: path
clock_adjtime: clockid
clock_getres: clockid
clock_gettime: clockid
clock_nanosleep: clockid flags request:ns
clock_settime: clockid
clone3:
clone: - flags
close: fd
close_range: first last flags
connect: fd addr:address
copy_file_range: fdin offin fdout offout len
creat: name mode
delete_module: name flags
dup2: oldfd newfd
dup3: oldfd newfd flags
dup: oldfd
epoll_create1: flags
epoll_create: size
epoll_ctl: epfd op fd
epoll_pwait2: epfd - maxevents - - sigsetsize
epoll_pwait: epfd - maxevents timeout - sigsetsize
epoll_wait: - - maxevents
eventfd2: initval flags
eventfd: initval
execve: filename exe,args:argv
execveat:
exit: status
exit_group: status
faccessat2: dirfd path mode flags
faccessat: dirfd path mode
fadvise64: fd offset len advice
fallocate: fd mode offset len
fanotify_init: flags event_f_flags
fanotify_mark: fanotify_fd flags mask dirfd path
fchdir: fd
fchmod: fd mode
fchmodat: dirfd filename mode
fchown: fd uid gid
fchownat: dirfd pathname uid gid flags
fcntl: fd cmd arg
fdatasync: fd
fgetxattr: fd name - size
finit_module: fd uargs flags
flistxattr: fd - size
flock: fd operation
fork:
fremovexattr: fd name
fsconfig: fd cmd key - aux
fsetxattr: fd name - size flags
fsmount: fsfd flags attr_flags
fsopen: fsname flags
fspick: dirfd path flags
fstat: fd
fstatfs: fd
fsync: fd
ftruncate: fd length
futex: addr op val
futex_waitv: - nr_futexes flags - clockid
futimesat: - pathname
get_mempolicy: - - maxnode addr flags
get_robust_list: pid
get_thread_area:
getcpu:
getcwd: path
getdents64: fd
getdents: fd
getegid:
geteuid:
getgid:
getgroups: size
getitimer: which
getpeername:
getpgid: pid
getpgrp:
getpid:
getppid:
getpriority: which who
getrandom: data size flags
getresgid:
getresuid:
getrlimit: resource
getrusage:
getsid: pid
getsockname:
getsockopt: fd level optname
gettid:
gettimeofday:
getuid:
getxattr: path name - size
init_module: - length uargs
inotify_add_watch: fd path mask
inotify_init1: flags
inotify_init:
inotify_rm_watch: fd wd
io_cancel: ctx_id
io_destroy: ctx_id
io_getevents: ctx_id min_nr
io_pgetevents: ctx_id min_nr
io_setup: nr_events
io_submit: ctx_id nr
io_uring_enter: fd to_submit min_complete flags
io_uring_register: fd opcode arg nr_args
io_uring_setup: entries
ioctl: fd request argument:number
ioperm: from num turn_on
iopl: level
ioprio_get: which who
ioprio_set: which who
kcmp: pid1 pid2 type idx1 idx2
keyctl: operation
kill: pid sig
landlock_add_rule: ruleset_fd rule_type - flags
landlock_create_ruleset: - - flags
landlock_restrict_self: ruleset_fd flags
lchown: path uid gid
lgetxattr: path name - size
link: oldpath newpath
linkat: olddir oldpath newdir newpath flags
listen: fd backlog
listxattr: path - size
llistxattr: path - size
lookup_dcookie: cookie - len
lremovexattr: path name
lseek: fd offset whence
lsetxattr: path name - size flags
lstat: path
madvise: addr length advice
mbind: addr len - - maxnode flags
membarrier: cmd flags cpu_id
memfd_create: name flags
memfd_secret: flags
migrate_pages: pid maxnode
mincore: addr length
mkdir: path mode
mkdirat: dirfd path mode
mknod: path mode dev
mknodat: dirfd path mode dev
mlock2: addr len flags
mlock: addr len
mlockall: flags
mmap: addr length prot flags fd offset
modify_ldt: func - bytecount
mount: dev dir type flags
mount_setattr: dirfd path - - size
move_mount: from_dirfd from_path to_dirfd to_path flags
move_pages: pid page_count - - - flags
mprotect: addr length prot
mq_getsetattr: mqdes
mq_notify: mqdes
mq_open: name oflag
mq_timedreceive: mqdes data msg_len
mq_timedsend: mqdes data msg_len msg_prio
mq_unlink: name
mremap: old_address old_size new_size flags new_address
msgctl: msqid op
msgget: key msgflg
msgrcv: msqid - msgsz msgtyp msgflg
msgsnd: msqid - msgsz msgflg
msync: addr length flags
munlock: addr len
munlockall:
munmap: addr length
name_to_handle_at: - pathname - - flags
nanosleep: interval:ns
newfstatat: dirfd path - flags
open: name flags
open_by_handle_at: mountfd - flags
open_tree: dirfd path flags
openat2: dirfd name
openat: dirfd name flags
pause:
perf_event_open: - pid cpu group_fd flags
personality: persona
pidfd_getfd: pid_fd target_fd flags
pidfd_open: pid flags
pidfd_send_signal: pidfd sig - flags
pipe2: [fd1,fd2] flags
pipe: [fd1,fd2]
pivot_root: new_root put_old
pkey_alloc: flags access_rights
pkey_free: pkey
pkey_mprotect: addr len prot pkey
poll: - - timeout
ppoll: - - - sigmask
prctl: option
pread: fd data size pos
preadv2: fd - - pos
preadv: fd - - pos
prlimit: pid resource
process_madvise: pidfd - n advice flags
process_mrelease: pidfd flags
process_vm_readv: pid
process_vm_writev: pid
pselect6: nfds
ptrace: request pid addr
pwrite: fd data,result:written size pos
pwritev2: fd data,result:written+size:total - pos
pwritev: fd data,result:written+size:total - pos
quotactl: - special
quotactl_fd: fd
read: fd data size
readahead: fd offset size
readlink: path buf bufsiz
readlinkat: dirfd path buf bufsiz
readv: fd
reboot: magic magic2 op
recvfrom: fd data size
recvmmsg: fd
recvmsg: fd
remap_file_pages: addr size prot pgoff flags
removexattr: path name
rename: oldpath newpath
renameat2: olddirfd oldpath newdirfd newpath flags
renameat: olddirfd oldpath newdirfd newpath
request_key: type description callout_info dest_keyring
restart_syscall:
rmdir: path
rseq: rseq rseq_len flags sig
rt_sigaction: signum - - sigsetsize
rt_sigpending: - sigsetsize
rt_sigprocmask: how - - sigsetsize
rt_sigqueueinfo: tgid sig
rt_sigsuspend: - sigsetsize
rt_sigtimedwait: - - - sigsetsize
rt_tgsigqueueinfo: tgid tid sig
sched_get_priority_max: policy
sched_get_priority_min: policy
sched_getaffinity: pid cpusetsize
sched_getattr: pid - size flags
sched_getparam: pid
sched_getscheduler: pid
sched_rr_get_interval: pid
sched_setaffinity: pid cpusetsize
sched_setattr: pid - flags
sched_setparam: pid
sched_setscheduler: pid policy
sched_yield:
seccomp: op flags
select:
semctl: semid semnum cmd
semget: key nsems semflg
semop: semid - nsops
semtimedop: semid - nsops
sendfile: out_fd in_fd - size
sendmmsg: fd
sendmsg: fd data,result:written+size:total
sendto: fd data,result:written size
set_mempolicy: - - maxnode
set_mempolicy_home_node: start len home_node flags
set_robust_list: head len
set_thread_area:
set_tid_address: tidptr
setdomainname: - len
setfsgid: fsgid
setfsuid: fsuid
setgid: gid
setgroups: size
sethostname: - len
setitimer: which
setns: fd nstype
setpgid: pid pgid
setpriority: which who prio
setregid: rgid egid
setresgid: rgid egid sgid
setresuid: ruid euid suid
setreuid: ruid euid
setrlimit: resource
setsid:
setsockopt: fd level optname - optlen
settimeofday:
setuid: uid
setxattr: path name - size flags
shmat: shmid shmaddr shmflg
shmctl: shmid op
shmdt: shmaddr
shmget: key size shmflg
shutdown: fd how
sigaltstack:
signalfd4: fd - - flags
signalfd: fd
socket: domain type proto
socketpair: domain type proto [fd1,fd2]
splice: fd_in - fd_out - size flags
stat: path
statfs: path
statx: dirfd path flags
swapoff: path
swapon: path swapflags
symlink: target linkpath
symlinkat: target linkdirfd linkpath
sync:
sync_file_range: fd offset nbytes flags
syncfs: fd
sysfs: option
sysinfo:
syslog: type - len
tee: fd_in fd_out size flags
tgkill: pid tid sig
time: tloc
timer_create: clockid
timer_delete: timerid
timer_getoverrun: timerid
timer_gettime: timerid
timer_settime: timerid flags
timerfd_create: clockid flags
timerfd_gettime:
timerfd_settime: fd
times:
tkill: tid sig
truncate: path length
umask: mask
umount2: name flags
uname:
unlink: path
unlinkat: dirfd name flags
unshare: flags
userfaultfd: flags
ustat:
utime: filename
utimensat: - path - flags
utimes:
vfork:
vhangup:
vmsplice: fd - nr_segs flags
wait4: pid - options
waitid: idtype id - options
write: fd data,result:written size
writev: fd data,result:written+size:total
""".strip().split("\n")}

# The agent's names of flags and values, each with its numbers.
FLAGS = {}
for path in pathlib.Path(__file__).resolve().parents[2].glob("driver/events/flags/**/*.def"):
    for flag, value in re.findall(r"FLAG\(\w+, *(\w+), *(0x[0-9a-fA-F]+|\d+)", path.read_text()):
        FLAGS.setdefault(flag, set()).add(int(value, 0))

# Of other names one witness alone knows. These both know, but not for every call.
SCAP = "the .scap world has no bit for it"
DONE = "what the kernel did, beyond what it was asked for"
OTHER_NAMES = {
    "CLONE_NEWTIME": SCAP, "IPC_NOWAIT": SCAP,
    "FUTEX_WAIT": "zero is no bit",
    "O_F_CREATED": DONE, "FD_UPPER_LAYER": DONE, "FD_LOWER_LAYER": DONE,
}

# Parameters that are narrower than the arguments, in bits, as in the .scap world.
NARROW = {"optlen": 16, "sig": 8}

NUMBER = re.compile(r"-?(?:0x[0-9a-f]+|\d+)$")
PART = re.compile(r"(-?(?:0x[0-9a-f]+|\d+))(?: /\* (.*?) \*/)?(?:\||$)")
STRING = re.compile(r'(@?)"((?:\\x[0-9a-f]{2})*)"(?:\.\.\.)?$')
MEMBER = r"{}=([^,}}\s]+)"
BASE = re.compile(r'iov_base=("[^"]*")')
SNAPLEN = 80

# As the agent writes JSON: each byte that is no UTF-8 is a character of its own.
codecs.register_error("bytewise", lambda error: ("\ufffd", error.start + 1))


def _split(text):
    """The arguments: what commas separate outside of brackets. Strings are escapes, and comments
    hold what the kernel's headers call things, so that neither has a comma of its own level."""
    parts, depth, begin = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            parts.append(text[begin:at].strip())
            begin = at + 1
    return parts + [text[begin:].strip()] if text else []


def _integer(text):
    if re.fullmatch(r"-?0[0-7]+", text):
        return int(text, 8)
    return int(text, 0)


def _bytes(text):
    """The bytes of a string, or None if it is something else."""
    string = STRING.match(text)
    return string and (b"\0" if string[1] else b"") + \
        bytes.fromhex(string[2].replace("\\x", ""))


def _text(value):
    return value.decode("utf-8", "bytewise")


def _common(name):
    """SOCK_CLOEXEC and others are O_CLOEXEC."""
    return re.sub(r"^[A-Z]+_(CLOEXEC|NONBLOCK)$", r"O_\1", name)


def _names(text):
    """FUTEX_WAKE_PRIVATE is a name of two flags."""
    names = set(map(_common, re.findall(r"\b[A-Z_]\w+", text)))
    for name in [name for name in names if name.endswith("_PRIVATE") and name[:6] == "FUTEX_"]:
        names ^= {name, name.removesuffix("_PRIVATE"), "FUTEX_PRIVATE_FLAG"}
    return names


def _parts(text):
    """A number in one or more parts as [(number, names)], or None if it is something else."""
    parts, at = [], 0
    while at < len(text):
        part = PART.match(text, at)
        if not part:
            return None
        parts.append((_integer(part[1]), _names(part[2] or "")))
        at = part.end()
    return parts


def number(reported):
    """Of the agent, or None: numbers beyond the exact ones of JSON, addresses and modes are texts."""
    if isinstance(reported, str) and re.fullmatch(r"0x[0-9a-f]+|0[0-7]*|-?\d+", reported):
        return _integer(reported)
    return reported if isinstance(reported, int) else None


def _equal_numbers(one, other, bits):
    bits = bits or (32 if -2**31 <= other < 2**32 else 64)
    return (one - other) % 2**bits == 0


def _has(bits, name):
    return any(bits & value == value for value in FLAGS.get(name, ()))


def _equal_flags(parts, reported):
    """Names of zero need not be reported, as they are no bits."""
    if any(value >> 31 & 1 for value, _ in parts) and not reported:
        return True  # flags for files are none then, in the .scap world
    needed = set().union(*(names for value, names in parts if value))
    allowed = needed.union(*(names for _, names in parts)) | OTHER_NAMES.keys()
    bits = functools.reduce(operator.or_, (value for value, _ in parts))
    names = {_common(name) for name in reported if not name.startswith("0x")}
    unnamed = sum(int(name, 16) for name in reported if name.startswith("0x"))
    return all(name in OTHER_NAMES or _has(unnamed, name) or name not in FLAGS
               for name in needed - names) and \
        all(_has(bits, name) for name in names - allowed)


def _equal_name(parts, reported):
    """A name for a number that strace has none for; for one that strace alone knows UNKNOWN or, in
    the .scap world, what is zero."""
    names = set().union(*(names for _, names in parts))
    if reported == "UNKNOWN" or 0 in FLAGS.get(reported, ()) and parts[0][0]:
        return not names & FLAGS.keys()
    return reported in names or not names and parts[0][0] in FLAGS[reported]


def _equal_value(text, reported, bits=None):
    """Whether one argument is equal; None if it cannot be compared."""
    if "???" in text:
        return None
    string, parts = _bytes(text), text != "NULL" and _parts(text)
    if reported is None:
        # What an address leads to, which neither could read.
        return None if text == "NULL" or parts and not parts[0][1] or string == b"" else False
    if string is not None:
        reported = reported or ""
        return (reported[:len(string)] if text.endswith("...") else reported) == _text(string)
    if text == "NULL":
        return number(reported) == 0
    if not parts:
        return None
    if isinstance(reported, list):
        return _equal_flags(parts, reported)
    if number(reported) is not None:
        value = functools.reduce(operator.or_, (part for part, _ in parts))
        if "S_IFDIR" in parts[0][1]:
            value &= 0o7777  # in the .scap world mknod makes no directories
        return _equal_numbers(value, number(reported), bits)
    return _equal_name(parts, reported)


def _member(text, name):
    found = re.search(MEMBER.format(name), text)
    return found and found[1]


def _total(text, reported):
    return sum(_integer(size) for size in re.findall(r"iov_len=(\d+)", text)) == reported


def _written(text, reported, result):
    """The agent shows what was written of a string or of the strings of a vector."""
    pieces = [_bytes(part) for part in BASE.findall(text) or [text]]
    if None in pieces or len(pieces) < text.count("iov_base"):
        return None
    data = b"".join(pieces)[:SNAPLEN]
    return (reported or "") == _text(data[:result] if isinstance(result, int) else data)


def _ns(text, reported):
    seconds, ns = _member(text, "tv_sec"), _member(text, "tv_nsec")
    return None if ns is None else int(seconds) * 10**9 + int(ns) == reported


def _number(text, reported):
    """An argument that may be an address; strace shows what stands there."""
    return _equal_value(text, reported) if _parts(text) else None


def _flags(text, reported):
    found = re.search(r"flags=(.*?)(?:, |}|$)", text)
    return found and _equal_value(found[1], reported)


def _address(text, reported):
    """Addresses of IPv4, and names of sockets."""
    port, address = (_member(text, name) for name in ("sin_port", "sin_addr"))
    path = re.search(r'sun_path=(@?"[^"]*")', text)
    if path:
        return _text(_bytes(path[1])) == reported
    if address is None:
        return None
    return reported == f"{socket.inet_ntoa(_bytes(address))}:{int.from_bytes(_bytes(port), 'big')}"


def _argv(text, exe, args):
    """Of each argument strace shows no more than the beginning."""
    strings = [_bytes(part) for part in _split(text[1:-1])]
    if exe is None or None in strings:
        return None
    reported = [exe, *(args or [])]
    return len(reported) == len(strings) and all(
        one.encode("utf-8", "surrogateescape")[:SNAPLEN] == string[:SNAPLEN]
        for one, string in zip(reported, strings))


FORMS = {"number": _number, "total": _total, "written": _written, "ns": _ns, "flags": _flags,
         "address": _address, "argv": _argv}


def _equal_place(text, place, params):
    """The results for each rule of a place."""
    for rule in place.split("+"):
        names, _, form = rule.partition(":")
        if rule[0] == "[":
            members = _split(text[1:-1]) if text[0] == "[" else []
            for name, member in zip(rule[1:-1].split(","), members):
                yield name, _equal_value(member, params.get(name))
        elif form:
            values = [params.get(name) for name in names.split(",")]
            is_address = text == "NULL" or NUMBER.match(text) and form != "number"
            yield names, None if is_address else FORMS[form](text, *values)
        else:
            yield names, _equal_value(text, params.get(names), NARROW.get(names))


def compare(event, params, text, result):
    """Compares the parameters of an event with strace's text of the arguments. Returns how many
    were compared, and the names of those that differ."""
    compared, different = 0, []
    params = {**params, "result": result}
    for argument, place in zip(_split(text), POSITIONS[event]):
        if place == "-":
            continue
        for name, is_equal in _equal_place(argument, place, params):
            compared += is_equal is not None
            if is_equal is False:
                different.append(name)
    return compared, different
