# SPDX-License-Identifier: MIT
"""An independent reader and writer of .scap files, written from the sheet of facts alone.

Tests judge the agent's reader and writer by it, so it shares nothing with them and is strict:
whatever the sheet does not allow is a CaptureError. parse() takes a file apart; section(), machine(),
interfaces(), users(), threads(), fds(), event() and event_v1() make blocks of every version, and
make() puts them together.
"""
import csv
import dataclasses
import functools
import gzip
import os
import struct
import subprocess

import lanner

MAGIC = 0x1A2B3C4D
VERSIONS = {  # kind and version -> block number, legacy number
    ("section", 1): (0x0A0D0D0A,),
    ("machine", 1): (0x201, 0x8002ABCD),
    ("threads", 1): (0x202, 0x8000ABCD),
    ("threads", 2): (0x207, 0x8013ABCD),
    ("threads", 3): (0x209, 0x8014ABCD),
    **{("threads", version): (0x20C + version,) for version in range(4, 10)},
    ("fds", 1): (0x203, 0x8001ABCD),
    ("fds", 2): (0x218,),
    ("interfaces", 1): (0x205, 0x8011ABCD),
    ("interfaces", 2): (0x219,),
    ("users", 1): (0x206, 0x8012ABCD),
    ("users", 2): (0x220,),
    ("event", 1): (0x204, 0x8010ABCD),
    ("event with flags", 1): (0x208,),
    ("event", 2): (0x216, 0x221),
    ("event with flags", 2): (0x217, 0x222),
}
NUMBERS = {number: key for key, numbers in VERSIONS.items() for number in numbers}
LARGE_BLOCK = {0x216: 0x221, 0x217: 0x222}

MACHINE = struct.Struct("<IQQ128sQQQQ")
MACHINE_FIELDS = ("cpus", "memory_bytes", "max_pid", "hostname", "boot_ns", "flags")

# Fields of a thread: name, format ("s": a string with its length before it), version of the block
# that began to have it. From the 25th on, entries of the last version end where their length says.
THREAD_FIELDS = (
    ("tid", "Q", 1), ("pid", "Q", 1), ("ptid", "Q", 1), ("sid", "q", 6), ("vpgid", "q", 8),
    ("comm", "s", 1), ("exe", "s", 1), ("exepath", "s", 7), ("args", "s", 1), ("cwd", "s", 1),
    ("fdlimit", "q", 1), ("flags", "I", 1), ("uid", "I", 1), ("gid", "I", 1),
    ("vmsize_kb", "I", 2), ("vmrss_kb", "I", 2), ("vmswap_kb", "I", 2), ("pfmajor", "Q", 2),
    ("pfminor", "Q", 2), ("env", "s", 3), ("vtid", "q", 4), ("vpid", "q", 4), ("cgroups", "s", 4),
    ("root", "s", 5))
THREAD_TAIL = (
    ("pidns_init_start_ts", "Q"), ("tty", "I"), ("loginuid", "I"), ("exe_writable", "B"),
    ("cap_inheritable", "Q"), ("cap_permitted", "Q"), ("cap_effective", "Q"),
    ("exe_upper_layer", "B"), ("exe_ino", "Q"), ("exe_ino_ctime", "Q"), ("exe_ino_mtime", "Q"),
    ("exe_from_memfd", "B"), ("exe_lower_layer", "B"), ("pgid", "q"))
THREAD_DEFAULTS = {"sid": -1, "vpgid": -1, "pgid": -1, "vtid": -1, "vpid": -1,
                   "loginuid": 0xFFFFFFFF}
OLD_TAIL_BYTES = 29  # not more than that: the first two fields of the tail are not there

FD_INFO = {  # by type; "dev" only where the entry's length leaves room
    0: (), 3: (("sip", "4s"), ("dip", "4s"), ("sport", "H"), ("dport", "H"), ("l4proto", "B")),
    4: (("sip", "16s"), ("dip", "16s"), ("sport", "H"), ("dport", "H"), ("l4proto", "B")),
    5: (("ip", "4s"), ("port", "H"), ("l4proto", "B")),
    6: (("ip", "16s"), ("port", "H"), ("l4proto", "B")),
    8: (("source", "Q"), ("destination", "Q"), ("name", "s")),
    16: (("open_flags", "I"), ("name", "s"), ("dev", "I")),
    **{kind: (("name", "s"),) for kind in (1, 2, 7, *range(9, 16), *range(17, 22))}}

INTERFACE_FIELDS = {  # by type; the name's length comes first, its bytes last
    kind: (("addr", size), ("netmask", size), ("bcast", size)) + (("linkspeed", "Q"),) * speed
    for kind, size, speed in ((1, "4s", 1), (2, "16s", 1), (3, "4s", 0), (4, "16s", 0))}

SIZES = {size: names.split() for size, names in {
    1: "INT8 UINT8 FLAGS8 ENUMFLAGS8 SIGTYPE L4PROTO SOCKFAMILY",
    2: "INT16 UINT16 FLAGS16 ENUMFLAGS16 SYSCALLID PORT",
    4: "INT32 UINT32 FLAGS32 ENUMFLAGS32 UID GID MODE SIGSET FD32 PID32 IPV4ADDR BOOL",
    8: "INT64 UINT64 RELTIME ABSTIME ERRNO FD PID", 16: "IPV6ADDR"}.items()}
SIZE_OF = {name: size for size, names in SIZES.items() for name in names}
TEXT = ("CHARBUF", "FSPATH", "FSRELPATH")
MISCOUNTED_V1 = (280, 286)  # their length is 3 too large in blocks of version 1


class CaptureError(ValueError):
    """The file is not what the sheet says."""


def check(condition, message):
    if not condition:
        raise CaptureError(message)


@dataclasses.dataclass
class Block:
    number: int
    kind: str     # "unknown" for numbers that the sheet does not have
    version: int
    body: bytes
    offset: int   # of its first byte in the uncompressed file


@dataclasses.dataclass
class Event:
    code: int
    name: str     # "" for codes that the table does not have
    ts: int
    tid: int
    cpu: int
    flags: int
    params: list  # of bytes


@dataclasses.dataclass
class Capture:
    blocks: list = dataclasses.field(default_factory=list)
    machine: dict = None
    interfaces: list = dataclasses.field(default_factory=list)
    users: list = dataclasses.field(default_factory=list)
    groups: list = dataclasses.field(default_factory=list)
    threads: list = dataclasses.field(default_factory=list)
    fds: dict = dataclasses.field(default_factory=dict)  # by tid
    events: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Row:
    """An event of the table: params are pairs of name and type."""
    code: int
    name: str
    flags: frozenset
    params: tuple

    @functools.cached_property
    def width(self):
        return 4 if "LARGE_PAYLOAD" in self.flags else 2

    @functools.cached_property
    def sizes(self):
        """Of each parameter, or None where each may have another one."""
        return [SIZE_OF.get(kind) for _, kind in self.params]


@functools.cache
def table(sheet="events.tsv"):
    """The rows of a sheet of events by their code."""
    with open(os.path.join(lanner.REFERENCE, "facts", sheet), encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {int(row["code"]): Row(
            int(row["code"]), row["name"], frozenset(row["flags"].split("|")),
            tuple(tuple(param.split(":")[:2]) for column, text in row.items()
                  if column and column.startswith("params") for param in (text or "").split()))
            for row in rows}


# Reading

class Cursor:
    """Takes values from bytes, one after the other."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    @property
    def left(self):
        return len(self.data) - self.at

    def bytes(self, size):
        begin = self.at
        self.at += size
        if self.at > len(self.data):  # the message is made only then, as this is what reading takes
            raise CaptureError(f"{size} bytes wanted, {len(self.data) - begin} left")
        return self.data[begin:self.at]

    def value(self, form):
        if form == "s":
            return self.bytes(self.value("H"))
        structure = _structure(form)
        return structure.unpack(self.bytes(structure.size))[0]

    def values(self, fields):
        return {name: self.value(form) for name, form in fields}

    def entries(self, length_included=None):
        """Cursors over entries, each with its length before it, which may count itself."""
        while self.left >= 4:
            length = struct.unpack_from("<I", self.data, self.at)[0]
            size = length if length_included else length + 4
            check(size >= 4, f"an entry of {length} bytes")
            yield Cursor(self.bytes(size), 4)


def _entries(cursor, version, first_with_length, length_included=True):
    """The same for a list of any version: without lengths it is one cursor that goes on."""
    if version >= first_with_length:
        yield from cursor.entries(length_included)
    else:
        while cursor.left >= 4:
            yield cursor


def _read_machine(capture, cursor, _):
    check(cursor.left == MACHINE.size, f"machine of {cursor.left} bytes")
    capture.machine = dict(zip(MACHINE_FIELDS, MACHINE.unpack(cursor.bytes(MACHINE.size))))
    capture.machine["hostname"] = capture.machine["hostname"].split(b"\0")[0]


def _read_interfaces(capture, cursor, version):
    capture.interfaces = []
    for entry in _entries(cursor, version, 2, length_included=False):
        kind, name_size = entry.value("H"), entry.value("H")
        check(kind in INTERFACE_FIELDS, f"interface of type {kind}")
        capture.interfaces.append({"type": kind, **entry.values(INTERFACE_FIELDS[kind]),
                                   "name": entry.bytes(name_size)})


def _read_users(capture, cursor, version):
    capture.users, capture.groups = [], []
    for entry in _entries(cursor, version, 2):
        if entry.value("B"):
            capture.groups.append(entry.values((("gid", "I"), ("name", "s"))))
        else:
            capture.users.append(entry.values((("uid", "I"), ("gid", "I"), ("name", "s"),
                                               ("home", "s"), ("shell", "s"))))


def _read_threads(capture, cursor, version):
    for entry in _entries(cursor, version, 9):
        thread = {name: THREAD_DEFAULTS.get(name, b"" if form == "s" else 0)
                  for name, form, *_ in THREAD_FIELDS + THREAD_TAIL}
        thread.update(entry.values((name, form) for name, form, since in THREAD_FIELDS
                                   if since <= version))
        tail = THREAD_TAIL if version == 9 else ()
        for name, form in tail[2 * (entry.left <= OLD_TAIL_BYTES):]:
            if struct.calcsize("<" + form) > entry.left:
                break
            thread[name] = entry.value(form)
        capture.threads.append(thread)


def _read_fds(capture, cursor, version):
    of_thread = capture.fds.setdefault(cursor.value("Q"), [])
    for entry in _entries(cursor, version, 2):
        fd = entry.values((("fd", "q"), ("ino", "Q"), ("type", "B")))
        check(fd["type"] in FD_INFO or version > 1, f"descriptor of type {fd['type']}")
        for name, form in FD_INFO.get(fd["type"], ()):
            if name == "dev" and (version == 1 or entry.left < 4):
                break
            fd[name] = entry.value(form)
        of_thread.append(fd)


def _count_params(frame, code):
    """How many parameters the frame of an event has whose header does not have it."""
    for count in range(len(table()[code].params), -1, -1):
        if HEADER_V2.size + 2 * count > len(frame):
            continue
        lengths = struct.unpack_from(f"<{count}H", frame, HEADER_V2.size)
        end = HEADER_V2.size + 2 * count + sum(lengths)
        check(end >= len(frame), f"event {code}: not a number of parameters fits")
        if end == len(frame):
            return count
    raise CaptureError(f"event {code}: no number of parameters fits")


BLOCK_HEAD = struct.Struct("<II")
HEADER_V1, HEADER_V2 = struct.Struct("<QQIH"), struct.Struct("<QQIHI")


def _read_event(capture, cursor, version, flags):
    cpu, flags = cursor.value("H"), cursor.value("I") if flags else 0
    header, start = HEADER_V1 if version == 1 else HEADER_V2, cursor.at
    ts, tid, length, code, *count = header.unpack(cursor.bytes(header.size))
    if version == 1 and code in MISCOUNTED_V1:
        length -= 3
    if length < header.size:
        raise CaptureError(f"event {code} of {length} bytes")
    row = table().get(code) or Row(code, "", frozenset(), ())
    data = cursor.bytes(length - header.size)
    if version == 1:
        count = [_count_params(bytes(HEADER_V2.size) + data, code)] if row.name else [0]
    capture.events.append(Event(code, row.name, ts, tid, cpu, flags, _read_params(row, count[0], data, start)))


def _read_params(row, count, data, start):
    """The bytes of each, all at once."""
    lengths = _structure(f"{count}{'I' if row.width == 4 else 'H'}")
    if lengths.size > len(data):
        raise CaptureError(f"{row.name}: {count} parameters in {len(data)} bytes at {start}")
    params, at = [], lengths.size
    for size in lengths.unpack_from(data):
        params.append(data[at:at + size])
        at += size
    if at > len(data):
        raise CaptureError(f"{row.name}: {at} bytes wanted, {len(data)} there, at {start}")
    for size, value, (name, _) in zip(row.sizes, params, row.params):
        if value and size is not None and size != len(value):
            raise CaptureError(f"{row.name}.{name}: {len(value)} bytes at {start}")
    return params


@functools.cache
def _structure(form):
    return struct.Struct("<" + form)


READERS = {"machine": _read_machine, "interfaces": _read_interfaces, "users": _read_users,
           "threads": _read_threads, "fds": _read_fds,
           "event": functools.partial(_read_event, flags=False),
           "event with flags": functools.partial(_read_event, flags=True)}


def read_bytes(path):
    """The bytes of a file, decompressed."""
    with open(path, "rb") as file:
        data = file.read()
    if data.startswith(b"\x1f\x8b"):
        return gzip.decompress(data)
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        return subprocess.run(["zstd", "-dcq"], input=data, capture_output=True, check=True).stdout
    return data


def split(data):
    """The blocks of a capture, each checked by itself."""
    cursor = Cursor(data)
    while cursor.left:
        offset = cursor.at
        number, total = BLOCK_HEAD.unpack(cursor.bytes(BLOCK_HEAD.size))
        kind, version = NUMBERS.get(number, ("unknown", 0))
        if not offset and kind != "section":
            raise CaptureError(f"begins with block {number:#x}")
        if total < 12 or total % 4:
            raise CaptureError(f"block {number:#x} of {total} bytes at {offset}")
        body = cursor.bytes(total - 12)
        if cursor.value("I") != total:
            raise CaptureError(f"block {number:#x} at {offset}: length and trailer differ")
        yield Block(number, kind, version, body, offset)


def parse(source):
    """A Capture of the bytes of a file or of its path."""
    capture = Capture()
    for block in split(source if isinstance(source, bytes) else read_bytes(source)):
        capture.blocks.append(block)
        if block.kind == "section":
            check(len(block.body) >= 16 and struct.unpack_from("<IH", block.body) == (MAGIC, 1),
                  f"section header at {block.offset}")
        elif block.kind in READERS:
            try:
                READERS[block.kind](capture, Cursor(block.body), block.version)
            except CaptureError as error:
                raise CaptureError(f"block {block.number:#x} at {block.offset}: {error}") from None
    return capture


# Making

def _put(fields, values):
    """Bytes of named values by (name, format); text may be str."""
    out = b""
    for name, form in fields:
        value = values.get(name, THREAD_DEFAULTS.get(name, b"" if form.endswith("s") else 0))
        if isinstance(value, str):
            value = value.encode()
        if form == "s":
            out += struct.pack("<H", len(value)) + value
        else:
            out += struct.pack("<" + form, value)
    return out


def block(number, body):
    """A block of any number."""
    body += bytes(-len(body) % 4)
    total = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", number) + total + body + total


def _number(kind, version, legacy):
    return VERSIONS[kind, version][1 if legacy else 0]


def section(minor=2, options=b""):
    return block(VERSIONS["section", 1][0], struct.pack("<IHHq", MAGIC, 1, minor, -1) + options)


def machine(legacy=False, **values):
    values = {"hostname": b"", **values}
    if isinstance(values["hostname"], str):
        values["hostname"] = values["hostname"].encode()
    numbers = [values.get(name, 0) for name in MACHINE_FIELDS]
    return block(_number("machine", 1, legacy), MACHINE.pack(*numbers, 0, 0))


def interfaces(entries, version=2, legacy=False):
    """Of dictionaries with type, name, addr, netmask, bcast, linkspeed."""
    body = b""
    for entry in entries:
        name = entry["name"].encode()
        packed = struct.pack("<HH", entry["type"], len(name)) + _put(
            INTERFACE_FIELDS[entry["type"]], entry) + name
        body += (struct.pack("<I", len(packed)) if version == 2 else b"") + packed
    return block(_number("interfaces", version, legacy), body)


def users(users_list, groups, version=2, legacy=False):
    """Of dictionaries with uid, gid, name, home, shell, and with gid, name."""
    entries = [b"\0" + _put((("uid", "I"), ("gid", "I"), ("name", "s"), ("home", "s"),
                             ("shell", "s")), user) for user in users_list]
    entries += [b"\1" + _put((("gid", "I"), ("name", "s")), group) for group in groups]
    if version == 2:
        entries = [struct.pack("<I", len(entry) + 4) + entry for entry in entries]
    return block(_number("users", version, legacy), b"".join(entries))


def threads(entries, version=9, legacy=False, tail=THREAD_TAIL, surplus=b""):
    """Of dictionaries by the names of THREAD_FIELDS. `tail`: the fields that are known by
    the length of an entry alone; what is put behind them is `surplus`."""
    body = b""
    for entry in entries:
        packed = _put(((name, form) for name, form, since in THREAD_FIELDS if since <= version),
                      entry)
        if version == 9:
            packed += _put(tail, entry) + surplus
            packed = struct.pack("<I", len(packed) + 4) + packed
        body += packed
    return block(_number("threads", version, legacy), body)


def fds(tid, entries, version=2, legacy=False):
    """Of dictionaries with fd, ino, type and the names of FD_INFO."""
    body = struct.pack("<Q", tid)
    for entry in entries:
        info = FD_INFO.get(entry["type"], (("name", "s"),))
        packed = _put((("fd", "q"), ("ino", "Q"), ("type", "B")), entry) + _put(
            [field for field in info if version == 2 or field[0] != "dev"], entry)
        body += (struct.pack("<I", len(packed) + 4) if version == 2 else b"") + packed
    return block(_number("fds", version, legacy), body)


def encode(kind, value):
    """A parameter's bytes: of a number, of text by its type, or bytes as they are; None is absent."""
    if value is None:
        return b""
    if isinstance(value, int):
        size = SIZE_OF[kind]
        return (value % (1 << 8 * size)).to_bytes(size, "little")
    if isinstance(value, str):
        return value.encode() + (b"\0" if kind in TEXT else b"")
    return value


def frame(code, *values, ts=1, tid=1, version=2):
    """An event without its block: as many parameters as values are given."""
    row = table().get(code)
    kinds = [kind for _, kind in row.params] if row else []
    params = [encode(kinds[i] if i < len(kinds) else "BYTEBUF", value)
              for i, value in enumerate(values)]
    width = row.width if row else 2
    body = b"".join(len(param).to_bytes(width, "little") for param in params) + b"".join(params)
    header = HEADER_V1 if version == 1 else HEADER_V2
    length = header.size + len(body) + (3 if version == 1 and code in MISCOUNTED_V1 else 0)
    count = (len(params),) if version == 2 else ()
    return header.pack(ts, tid % (1 << 64), length, code, *count) + body


def event(code, *values, ts=1, tid=1, cpu=0, flags=None, version=2, legacy=False, options=b""):
    """An event in its block, with flags if they are given."""
    number = _number("event" if flags is None else "event with flags", version, legacy)
    if code in table() and table()[code].width == 4:
        number = LARGE_BLOCK[number]
    return block(number, struct.pack("<H", cpu) + (b"" if flags is None else struct.pack("<I", flags))
                 + frame(code, *values, ts=ts, tid=tid, version=version) + options)


def make(path, *blocks):
    """Writes a capture of a section header and these blocks; returns the path."""
    with open(path, "wb") as file:
        file.write(section() + b"".join(blocks))
    return path
