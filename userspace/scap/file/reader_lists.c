/* SPDX-License-Identifier: MIT */
/*
 * Blocks that are no events, by a table of all kinds: sections, machine, users, threads of nine
 * versions, descriptors; and how a reader ends.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "event/event.h"
#include "scap/file/reader_impl.h"
#include "util/count.h"

/* How a reader ends: errors, the result of its snapshot, and the end of the stream. */

int reader_end_with(struct scap_reader *reader, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reader->problem, sizeof(reader->problem), format, args);
	va_end(args);
	reader->code = code;
	return code;
}

int reader_end_out_of_memory(struct scap_reader *reader)
{
	return reader_end_with(reader, -ENOMEM, "there is no memory to read it on");
}

int reader_snapshot_result(struct scap_reader *reader, int code)
{
	if (code < 0 && reader->code == 0)
		reader_end_with(reader, code, "the state of the machine in it cannot be loaded: %s",
				strerror(-code));
	return code;
}

int reader_end_snapshot(struct scap_reader *reader)
{
	if (!reader->in_snapshot)
		return 0;
	reader->in_snapshot = false;
	return reader_snapshot_result(reader, reader->to->ops->end(reader->to));
}

/* The stream returned less than needed, with this code. */
static int end_of_stream(struct scap_reader *reader, int code)
{
	uint64_t at = scap_stream_offset(reader->stream);
	bool whole = code == -ENODATA;
	const char *why = whole ? "" : scap_stream_problem(reader->stream);
	const char *colon = whole ? "" : ": ";
	int r = reader_end_snapshot(reader);

	if (r < 0)
		return r;
	at += reader->stream->len;
	if (reader->left == 0 && reader->stream->len == 0) {
		if (whole)
			return reader->code = code;
		return reader_end_with(reader, code, "it ends at byte %" PRIu64 "%s%s", at, colon,
				       why);
	}
	if (reader->left == 0)
		reader->block_at = scap_stream_offset(reader->stream);
	return reader_end_with(reader, whole ? -EPIPE : code,
			       "it is truncated at byte %" PRIu64
			       ", in the block that begins at byte %" PRIu64 "%s%s",
			       at, reader->block_at, colon, why);
}

int reader_wait(struct scap_reader *reader, size_t n, int timeout_ms)
{
	int r = scap_stream_wait(reader->stream, n, timeout_ms);

	return r >= 0 ? r : end_of_stream(reader, r);
}

int reader_end_lengths_differ(struct scap_reader *reader, uint32_t trailer)
{
	return reader_end_with(reader, -EBADMSG,
			       "the block that begins at byte %" PRIu64
			       " is corrupt: its length is %" PRIu32
			       " at its beginning and %" PRIu32 " at its end",
			       reader->block_at, reader->block_len, trailer);
}

/*
 * Blocks that are read in parts, whatever their length: in those about the machine the head, then
 * entry by entry; others are skipped. Each step consumes the available data, so that it can pause
 * if a pipe has no more.
 */

enum {
	LIST_REST_MAX = 3, /* padding bytes after the last entry */
	ENTRY_BYTES_MORE = 64 << 10,
};

/* Skips the rest of a block, and checks its trailer. */
static int skip_step(struct scap_reader *reader, int timeout_ms)
{
	size_t rest = reader->left - SCAP_TRAILER_BYTES;
	uint32_t trailer;
	int r;

	if (rest) {
		r = reader_need(reader, 1, timeout_ms);
		if (r <= 0)
			return r;
		reader_take_bytes(reader, rest < reader->stream->len ? rest : reader->stream->len);
		return STEP_ON;
	}
	r = reader_need(reader, sizeof(trailer), timeout_ms);
	if (r <= 0)
		return r;
	memcpy(&trailer, reader->stream->data, sizeof(trailer));
	if (trailer != reader->block_len)
		return reader_end_lengths_differ(reader, trailer);
	reader_take_bytes(reader, sizeof(trailer));
	return STEP_ON;
}

static int skip_corrupt_list(struct scap_reader *reader)
{
	reader->stats.corrupt_lists++;
	reader->kind = NULL;
	return STEP_ON;
}

static int head_step(struct scap_reader *reader, int timeout_ms)
{
	size_t n = reader->kind->head_bytes;
	int r;

	if (n > reader->left - SCAP_TRAILER_BYTES)
		return skip_corrupt_list(reader);
	r = reader_need(reader, n, timeout_ms);
	if (r <= 0)
		return r;
	r = reader_snapshot_result(reader, reader->kind->head(reader, reader->stream->data));
	if (r)
		return r;
	reader_take_bytes(reader, n);
	reader->headed = true;
	return STEP_ON;
}

/* Reads an entry that ends before the end of the cursor, or there. */
static int take_entry(struct scap_reader *reader, struct cursor *cursor)
{
	buf_clear(&reader->texts);
	cursor->texts = &reader->texts;
	if (!buf_reserve(&reader->texts, cursor->left + ENTRY_TEXT_MORE))
		return reader_end_out_of_memory(reader);
	return reader_snapshot_result(reader,
				      reader->kind->entry(reader->to, reader->kind, cursor));
}

static int prefixed_entry_step(struct scap_reader *reader, size_t body, int timeout_ms)
{
	struct cursor cursor;
	uint32_t len;
	size_t entry;
	int r = reader_need(reader, sizeof(len), timeout_ms);

	if (r <= 0)
		return r;
	memcpy(&len, reader->stream->data, sizeof(len));
	entry = (size_t)len + (reader->kind->prefix == PREFIX_REST ? sizeof(len) : 0);
	if (entry < sizeof(len) || entry > body || entry > ENTRY_BYTES_MAX)
		return skip_corrupt_list(reader);
	r = reader_need(reader, entry, timeout_ms);
	if (r <= 0)
		return r;
	cursor = (struct cursor){reader->stream->data + sizeof(len), entry - sizeof(len)};
	r = take_entry(reader, &cursor);
	if (r)
		return r;
	if (cursor.missing || cursor.corrupt)
		return skip_corrupt_list(reader);
	reader_take_bytes(reader, entry);
	return STEP_ON;
}

/* The length of the entry is only known after parsing: if bytes are missing, waits for more. */
static int plain_entry_step(struct scap_reader *reader, size_t body, int timeout_ms)
{
	size_t most = body < ENTRY_BYTES_MAX ? body : ENTRY_BYTES_MAX;
	size_t len = reader->stream->len < most ? reader->stream->len : most;
	struct cursor cursor = {reader->stream->data, len};
	int r = take_entry(reader, &cursor);

	if (r)
		return r;
	if (!cursor.missing && !cursor.corrupt) {
		reader_take_bytes(reader, len - cursor.left);
		return STEP_ON;
	}
	if (cursor.corrupt || len == most)
		return skip_corrupt_list(reader);
	len += ENTRY_BYTES_MORE;
	r = reader_need(reader, len < most ? len : most, timeout_ms);
	return r == 1 ? STEP_ON : r;
}

int reader_part_step(struct scap_reader *reader, int timeout_ms)
{
	const struct reader_block *kind = reader->kind;
	size_t body = reader->left - SCAP_TRAILER_BYTES;

	if (kind && kind->head && !reader->headed)
		return head_step(reader, timeout_ms);
	if (!kind || !kind->entry || body <= LIST_REST_MAX)
		return skip_step(reader, timeout_ms);
	return kind->prefix == PREFIX_NONE ? plain_entry_step(reader, body, timeout_ms)
					   : prefixed_entry_step(reader, body, timeout_ms);
}

/* The head of a section of a capture file: its version, and whether it has extension events. */

int reader_check_section(struct scap_reader *reader, const uint8_t *head)
{
	struct scap_section_body body;

	memcpy(&body, head, sizeof(body));
	if (body.byte_order_magic == __builtin_bswap32(SCAP_BYTE_ORDER_MAGIC))
		return reader_end_with(reader, -ENOTSUP,
				       "it was written on a machine of the other byte order");
	if (body.byte_order_magic != SCAP_BYTE_ORDER_MAGIC)
		return reader_end_with(reader, -EBADMSG,
				       "its byte order mark is corrupt (0x%08" PRIx32 ")",
				       body.byte_order_magic);
	if (body.major > SCAP_FORMAT_MAJOR)
		return reader_end_with(
			reader, -ENOTSUP,
			"it is of version %u.%u of the format: only versions up to %d are known",
			body.major, body.minor, SCAP_FORMAT_MAJOR);
	return 0;
}

/* Pending calls of a section do not end in the next. */
static int renew_upgrade(struct scap_reader *reader)
{
	struct scap_upgrade *upgrade;

	if (scap_upgrade_create(&upgrade))
		return reader_end_out_of_memory(reader);
	reader->joined += scap_upgrade_joined(reader->upgrade);
	scap_upgrade_destroy(reader->upgrade);
	reader->upgrade = upgrade;
	return 0;
}

int reader_take_section(struct scap_reader *reader, const uint8_t *head)
{
	int r = reader_check_section(reader, head);

	/* The snapshot of the first section has begun: see scap_reader_start(). */
	if (r || reader->block_at == 0)
		return r;
	r = reader_end_snapshot(reader);
	if (r == 0)
		r = renew_upgrade(reader);
	if (r)
		return r;
	reader->native = false;
	reader->in_snapshot = true;
	return reader->to->ops->begin(reader->to);
}

int reader_take_native(struct scap_reader *reader, const uint8_t *head)
{
	uint32_t version;

	memcpy(&version, head, sizeof(version));
	if (version > SCAP_NATIVE_VERSION)
		return reader_end_with(
			reader, -ENOTSUP,
			"it has events of a newer version of this program (%" PRIu32 ")", version);
	reader->native = true;
	return 0;
}

/*
 * Lists of processes, of nine versions: each has the fields of the previous ones and more, mostly
 * in between. In the last one entries have a length, and fields were appended.
 */

enum field_kind {
	FIELD_NUMBER,
	FIELD_COMM,
	FIELD_STRING,
	FIELD_STRINGS, /* each with its NUL; the struct has the length next */
	FIELD_EXE_FLAG, /* of one byte; sets a bit */
};

struct thread_field {
	uint8_t kind;
	uint8_t since; /* version of the list */
	uint8_t size; /* in the file, for fields of fixed size */
	uint16_t at; /* in struct scap_thread */
	uint32_t bit;
};

#define NUMBER(since, member)                                                                      \
	{                                                                                          \
		FIELD_NUMBER, since, sizeof(((struct scap_thread *)0)->member),                    \
			offsetof(struct scap_thread, member)                                       \
	}
#define STRING(since, member)                                                                      \
	{                                                                                          \
		FIELD_STRING, since, 0, offsetof(struct scap_thread, member)                       \
	}
#define STRINGS(since, member)                                                                     \
	{                                                                                          \
		FIELD_STRINGS, since, 0, offsetof(struct scap_thread, member)                      \
	}
#define EXE_FLAG(name)                                                                             \
	{                                                                                          \
		FIELD_EXE_FLAG, VERSION_LAST, 1, 0, execve_flags__##name                           \
	}

#define ASSERT_STRINGS(member)                                                                     \
	_Static_assert(offsetof(struct scap_thread, member##_len) ==                               \
			       offsetof(struct scap_thread, member) + sizeof(char *),              \
		       "the length follows the pointer")
ASSERT_STRINGS(args);
ASSERT_STRINGS(env);
ASSERT_STRINGS(cgroups);

enum { VERSION_LAST = 9 };

static const struct thread_field fields[] = {
	NUMBER(1, tid),		 NUMBER(1, pid),	 NUMBER(1, ptid),
	NUMBER(6, sid),		 NUMBER(8, vpgid),	 {FIELD_COMM, 1},
	STRING(1, exe),		 STRING(7, exepath),	 STRINGS(1, args),
	STRING(1, cwd),		 NUMBER(1, fd_limit),	 NUMBER(1, flags),
	NUMBER(1, uid),		 NUMBER(1, gid),	 NUMBER(2, vm_size_kib),
	NUMBER(2, vm_rss_kib),	 NUMBER(2, vm_swap_kib), NUMBER(2, faults_major),
	NUMBER(2, faults_minor), STRINGS(3, env),	 NUMBER(4, vtid),
	NUMBER(4, vpid),	 STRINGS(4, cgroups),	 STRING(5, root),
};

/* Fields that exist only if the entry is long enough. */
static const struct thread_field tail[] = {
	NUMBER(VERSION_LAST, pidns_start_ns),
	NUMBER(VERSION_LAST, tty),
	NUMBER(VERSION_LAST, loginuid),
	EXE_FLAG(EXE_WRITABLE),
	NUMBER(VERSION_LAST, caps_inheritable),
	NUMBER(VERSION_LAST, caps_permitted),
	NUMBER(VERSION_LAST, caps_effective),
	EXE_FLAG(EXE_UPPER_LAYER),
	NUMBER(VERSION_LAST, exe_ino),
	NUMBER(VERSION_LAST, exe_ctime_ns),
	NUMBER(VERSION_LAST, exe_mtime_ns),
	EXE_FLAG(EXE_FROM_MEMFD),
	EXE_FLAG(EXE_LOWER_LAYER),
	NUMBER(VERSION_LAST, pgid),
};

/*
 * The first two were added later than those after them. Older entries have at most a number of 32
 * bits, a byte, and three numbers of 64 bits.
 */
enum { TAIL_INSERTED = 2, TAIL_BEFORE_BYTES = 4 + 1 + 3 * 8 };

static void take_comm(struct cursor *cursor, struct scap_thread *thread)
{
	const char *comm = cursor_string(cursor, NULL);

	/* The kernel's names are not longer. */
	memcpy(thread->comm, comm, strnlen(comm, sizeof(thread->comm) - 1));
}

static void take_strings(struct cursor *cursor, void *to)
{
	size_t len;
	const char *strings = cursor_string(cursor, &len);

	/* Some writers leave the last NUL out. */
	if (len && strings[len - 1] != '\0')
		len++;
	memcpy(to, &strings, sizeof(strings));
	memcpy((char *)to + sizeof(strings), &len, sizeof(len));
}

static void reader_lists_take_field(struct cursor *cursor, const struct thread_field *field,
				    struct scap_thread *thread)
{
	void *to = (char *)thread + field->at;
	const uint8_t *at;
	const char *text;

	switch ((enum field_kind)field->kind) {
	case FIELD_NUMBER:
		at = cursor_take(cursor, field->size);
		if (at)
			memcpy(to, at, field->size);
		break;
	case FIELD_COMM:
		take_comm(cursor, thread);
		break;
	case FIELD_STRING:
		text = cursor_string(cursor, NULL);
		memcpy(to, &text, sizeof(text));
		break;
	case FIELD_STRINGS:
		take_strings(cursor, to);
		break;
	case FIELD_EXE_FLAG:
		if (cursor_number(cursor, field->size))
			thread->exe_flags |= field->bit;
		break;
	}
}

static void take_tail(struct cursor *cursor, struct scap_thread *thread)
{
	size_t first = cursor->left <= TAIL_BEFORE_BYTES ? TAIL_INSERTED : 0;

	for (size_t i = first; i < COUNT(tail); i++) {
		if (cursor->left < tail[i].size)
			return;
		reader_lists_take_field(cursor, &tail[i], thread);
	}
}

int reader_take_thread(struct scap_snapshot *to, const struct reader_block *kind,
		       struct cursor *cursor)
{
	struct scap_thread thread = {
		.sid = -1,
		.vpgid = -1,
		.pgid = -1,
		.vtid = -1,
		.vpid = -1,
		.loginuid = UINT32_MAX,
		.exe = "",
		.exepath = "",
		.args = "",
		.cwd = "",
		.env = "",
		.cgroups = "",
		.root = "",
	};

	for (size_t i = 0; i < COUNT(fields) && !cursor->missing; i++)
		if (fields[i].since <= kind->version)
			reader_lists_take_field(cursor, &fields[i], &thread);
	if (cursor->missing)
		return 0;
	if (kind->version == VERSION_LAST)
		take_tail(cursor, &thread);
	return to->ops->thread(to, &thread);
}

/* Blocks about the machine, its interfaces, its users and open descriptors. */

int reader_take_machine(struct scap_reader *reader, const uint8_t *head)
{
	char hostname[sizeof(((struct scap_machine_body *)0)->hostname) + 1] = "";
	struct scap_machine_body body;
	struct scap_machine machine;

	memcpy(&body, head, sizeof(body));
	/* Other readers truncate it at this length. */
	memcpy(hostname, body.hostname, sizeof(body.hostname) - 1);
	machine = (struct scap_machine){
		.cpus = body.cpus,
		.memory_bytes = body.memory_bytes,
		.max_pid = body.max_pid,
		.boot_ns = body.boot_ns,
		.hostname = hostname,
	};
	return reader->to->ops->machine(reader->to, &machine);
}

static void reader_lists_take_address(struct cursor *cursor, bool ipv6, uint8_t address[16])
{
	size_t n = ipv6 ? 16 : 4;
	const uint8_t *at = cursor_take(cursor, n);

	if (at)
		memcpy(address, at, n);
}

int reader_take_interface(struct scap_snapshot *to, const struct reader_block *kind,
			  struct cursor *cursor)
{
	unsigned int type = (unsigned int)cursor_number(cursor, sizeof(uint16_t));
	size_t name_len = cursor_number(cursor, sizeof(uint16_t));
	struct scap_interface interface = {0};

	if (cursor->missing)
		return 0;
	if (type < SCAP_INTERFACE_IPV4 || type > SCAP_INTERFACE_IPV6_NO_SPEED) {
		cursor->corrupt = true;
		return 0;
	}
	interface.ipv6 = type == SCAP_INTERFACE_IPV6 || type == SCAP_INTERFACE_IPV6_NO_SPEED;
	reader_lists_take_address(cursor, interface.ipv6, interface.address);
	reader_lists_take_address(cursor, interface.ipv6, interface.netmask);
	reader_lists_take_address(cursor, interface.ipv6, interface.broadcast);
	if (type == SCAP_INTERFACE_IPV4 || type == SCAP_INTERFACE_IPV6)
		interface.link_speed = cursor_number(cursor, sizeof(uint64_t));
	interface.name = cursor_text(cursor, name_len);
	return cursor->missing ? 0 : to->ops->interface(to, &interface);
}

static int reader_lists_take_group(struct scap_snapshot *to, struct cursor *cursor)
{
	struct scap_group group = {.gid = (uint32_t)cursor_number(cursor, sizeof(uint32_t))};

	group.name = cursor_string(cursor, NULL);
	return cursor->missing ? 0 : to->ops->group(to, &group);
}

int reader_take_user(struct scap_snapshot *to, const struct reader_block *kind,
		     struct cursor *cursor)
{
	struct scap_user user;

	if (cursor_number(cursor, sizeof(uint8_t)) != SCAP_ENTRY_USER)
		return reader_lists_take_group(to, cursor);
	user.uid = (uint32_t)cursor_number(cursor, sizeof(uint32_t));
	user.gid = (uint32_t)cursor_number(cursor, sizeof(uint32_t));
	user.name = cursor_string(cursor, NULL);
	user.home = cursor_string(cursor, NULL);
	user.shell = cursor_string(cursor, NULL);
	return cursor->missing ? 0 : to->ops->user(to, &user);
}

int reader_take_fds(struct scap_reader *reader, const uint8_t *head)
{
	int64_t tid;

	memcpy(&tid, head, sizeof(tid));
	return reader->to->ops->fds(reader->to, tid);
}

static void take_name(const struct reader_block *kind, struct cursor *cursor, struct scap_fd *fd)
{
	fd->name = cursor_string(cursor, NULL);
}

static void take_nothing(const struct reader_block *kind, struct cursor *cursor, struct scap_fd *fd)
{
}

static void reader_lists_take_file(const struct reader_block *kind, struct cursor *cursor,
				   struct scap_fd *fd)
{
	fd->flags = (uint32_t)cursor_number(cursor, sizeof(fd->flags));
	fd->name = cursor_string(cursor, NULL);
	/* It was added to this type later. */
	if (kind->prefix == PREFIX_WHOLE && cursor->left >= sizeof(fd->dev))
		fd->dev = (uint32_t)cursor_number(cursor, sizeof(fd->dev));
}

static void take_protocol(struct cursor *cursor, struct scap_fd *fd)
{
	static const enum scap_l4 protocols[] = {
		[SCAP_ENTRY_L4_TCP] = SCAP_L4_TCP,
		[SCAP_ENTRY_L4_UDP] = SCAP_L4_UDP,
		[SCAP_ENTRY_L4_ICMP] = SCAP_L4_ICMP,
		[SCAP_ENTRY_L4_RAW] = SCAP_L4_RAW,
	};
	uint64_t protocol = cursor_number(cursor, sizeof(uint8_t));

	if (protocol < COUNT(protocols))
		fd->l4 = protocols[protocol];
}

static void reader_lists_take_socket(const struct reader_block *kind, struct cursor *cursor,
				     struct scap_fd *fd)
{
	bool ipv6 = fd->type == SCAP_FD_IPV6;

	reader_lists_take_address(cursor, ipv6, fd->local.address);
	reader_lists_take_address(cursor, ipv6, fd->remote.address);
	fd->local.port = (uint16_t)cursor_number(cursor, sizeof(fd->local.port));
	fd->remote.port = (uint16_t)cursor_number(cursor, sizeof(fd->remote.port));
	take_protocol(cursor, fd);
}

static void take_server(const struct reader_block *kind, struct cursor *cursor, struct scap_fd *fd)
{
	reader_lists_take_address(cursor, fd->type == SCAP_FD_IPV6, fd->local.address);
	fd->local.port = (uint16_t)cursor_number(cursor, sizeof(fd->local.port));
	take_protocol(cursor, fd);
}

static void take_unix(const struct reader_block *kind, struct cursor *cursor, struct scap_fd *fd)
{
	fd->unix_socket = cursor_number(cursor, sizeof(fd->unix_socket));
	fd->unix_peer = cursor_number(cursor, sizeof(fd->unix_peer));
	fd->name = cursor_string(cursor, NULL);
}

/* The types of descriptors in files: the type here, and the data after the type. */
static const struct fd_layout {
	enum scap_fd_type type;
	void (*take)(const struct reader_block *kind, struct cursor *cursor, struct scap_fd *fd);
} fd_layouts[SCAP_ENTRY_FD_COUNT] = {
	[SCAP_ENTRY_FD_UNKNOWN] = {SCAP_FD_UNKNOWN, take_nothing},
	[SCAP_ENTRY_FD_FILE_V1] = {SCAP_FD_FILE, take_name},
	[SCAP_ENTRY_FD_DIRECTORY] = {SCAP_FD_DIRECTORY, take_name},
	[SCAP_ENTRY_FD_IPV4] = {SCAP_FD_IPV4, reader_lists_take_socket},
	[SCAP_ENTRY_FD_IPV6] = {SCAP_FD_IPV6, reader_lists_take_socket},
	[SCAP_ENTRY_FD_IPV4_SERVER] = {SCAP_FD_IPV4, take_server},
	[SCAP_ENTRY_FD_IPV6_SERVER] = {SCAP_FD_IPV6, take_server},
	[SCAP_ENTRY_FD_PIPE] = {SCAP_FD_PIPE, take_name},
	[SCAP_ENTRY_FD_UNIX] = {SCAP_FD_UNIX, take_unix},
	[SCAP_ENTRY_FD_EVENT] = {SCAP_FD_EVENT, take_name},
	[SCAP_ENTRY_FD_UNSUPPORTED] = {SCAP_FD_UNSUPPORTED, take_name},
	[SCAP_ENTRY_FD_SIGNAL] = {SCAP_FD_SIGNAL, take_name},
	[SCAP_ENTRY_FD_EPOLL] = {SCAP_FD_EPOLL, take_name},
	[SCAP_ENTRY_FD_INOTIFY] = {SCAP_FD_INOTIFY, take_name},
	[SCAP_ENTRY_FD_TIMER] = {SCAP_FD_TIMER, take_name},
	[SCAP_ENTRY_FD_NETLINK] = {SCAP_FD_NETLINK, take_name},
	[SCAP_ENTRY_FD_FILE] = {SCAP_FD_FILE, reader_lists_take_file},
	[SCAP_ENTRY_FD_BPF] = {SCAP_FD_BPF, take_name},
	[SCAP_ENTRY_FD_USERFAULT] = {SCAP_FD_USERFAULT, take_name},
	[SCAP_ENTRY_FD_IO_URING] = {SCAP_FD_IO_URING, take_name},
	[SCAP_ENTRY_FD_MEMFD] = {SCAP_FD_MEMFD, take_name},
	[SCAP_ENTRY_FD_PIDFD] = {SCAP_FD_PIDFD, take_name},
};

/* A type of a later version: the descriptor exists, nothing else is known. */
static void name_unknown_type(struct cursor *cursor, unsigned int type, struct scap_fd *fd)
{
	fd->type = SCAP_FD_UNSUPPORTED;
	fd->name = cursor->texts->data + cursor->texts->len;
	buf_printf(cursor->texts, "unknown-type:[%u]", type);
	buf_append_char(cursor->texts, '\0');
}

int reader_take_fd(struct scap_snapshot *to, const struct reader_block *kind, struct cursor *cursor)
{
	struct scap_fd fd = {.num = (int64_t)cursor_number(cursor, sizeof(fd.num)), .name = ""};
	unsigned int type;

	fd.ino = cursor_number(cursor, sizeof(fd.ino));
	type = (unsigned int)cursor_number(cursor, sizeof(uint8_t));
	if (type < SCAP_ENTRY_FD_COUNT) {
		fd.type = fd_layouts[type].type;
		fd_layouts[type].take(kind, cursor, &fd);
	} else if (kind->prefix == PREFIX_NONE) {
		cursor->corrupt = true; /* the start of the next one is unknown */
	} else {
		name_unknown_type(cursor, type, &fd);
	}
	/* A descriptor without a type is only known to be open, like unlisted ones. */
	if (cursor->missing || cursor->corrupt || fd.type == SCAP_FD_UNKNOWN)
		return 0;
	return to->ops->fd(to, &fd);
}

/* All kinds of blocks in capture files, and the functions that read them. */

#define MACHINE(type)                                                                              \
	{                                                                                          \
		type, 1, sizeof(struct scap_machine_body), .head = reader_take_machine             \
	}
#define INTERFACES(type, version, prefix)                                                          \
	{                                                                                          \
		type, version, 0, prefix, .entry = reader_take_interface                           \
	}
#define USERS(type, version, prefix)                                                               \
	{                                                                                          \
		type, version, 0, prefix, .entry = reader_take_user                                \
	}
#define PROCESSES(type, version, prefix)                                                           \
	{                                                                                          \
		type, version, 0, prefix, .entry = reader_take_thread                              \
	}
#define FDS(type, version, prefix)                                                                 \
	{                                                                                          \
		type, version, sizeof(uint64_t), prefix, .head = reader_take_fds,                  \
							 .entry = reader_take_fd                   \
	}
#define EVENT(type, version, flags)                                                                \
	{                                                                                          \
		type, version, .event = true, .event_flags = flags                                 \
	}

const struct reader_block reader_blocks[] = {
	EVENT(SCAP_BLOCK_EVENT_V2, 2, false),
	EVENT(SCAP_BLOCK_EVENT_V2_FLAGS, 2, true),
	EVENT(SCAP_BLOCK_EVENT_V1, 1, false),
	EVENT(SCAP_BLOCK_EVENT_V1_FLAGS, 1, true),
	EVENT(SCAP_BLOCK_EVENT_V2_LARGE, 2, false),
	EVENT(SCAP_BLOCK_EVENT_V2_LARGE_FLAGS, 2, true),
	EVENT(SCAP_BLOCK_LEGACY_EVENT_V1, 1, false),
	FDS(SCAP_BLOCK_FDS_V2, 2, PREFIX_WHOLE),
	FDS(SCAP_BLOCK_FDS_V1, 1, PREFIX_NONE),
	FDS(SCAP_BLOCK_LEGACY_FDS_V1, 1, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V9, 9, PREFIX_WHOLE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V8, 8, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V7, 7, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V6, 6, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V5, 5, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V4, 4, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V3, 3, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_LEGACY_PROCESSES_V3, 3, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V2, 2, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_LEGACY_PROCESSES_V2, 2, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_PROCESSES_V1, 1, PREFIX_NONE),
	PROCESSES(SCAP_BLOCK_LEGACY_PROCESSES_V1, 1, PREFIX_NONE),
	USERS(SCAP_BLOCK_USERS_V2, 2, PREFIX_WHOLE),
	USERS(SCAP_BLOCK_USERS_V1, 1, PREFIX_NONE),
	USERS(SCAP_BLOCK_LEGACY_USERS_V1, 1, PREFIX_NONE),
	INTERFACES(SCAP_BLOCK_INTERFACES_V2, 2, PREFIX_REST),
	INTERFACES(SCAP_BLOCK_INTERFACES_V1, 1, PREFIX_NONE),
	INTERFACES(SCAP_BLOCK_LEGACY_INTERFACES_V1, 1, PREFIX_NONE),
	MACHINE(SCAP_BLOCK_MACHINE),
	MACHINE(SCAP_BLOCK_LEGACY_MACHINE),
	{SCAP_BLOCK_SECTION, 1, sizeof(struct scap_section_body), .head = reader_take_section},
	{SCAP_BLOCK_NATIVE, 1, sizeof(uint32_t), .head = reader_take_native},
};

const struct reader_block *reader_search_block_kind(uint32_t type)
{
	for (size_t i = 0; i < COUNT(reader_blocks); i++)
		if (reader_blocks[i].type == type)
			return &reader_blocks[i];
	return NULL;
}
