/* SPDX-License-Identifier: MIT */
/*
 * Lists of processes, of nine versions: each has the fields of the previous ones and more, mostly
 * in between. In the last one entries have a length, and fields were appended.
 */
#include "scap/file/reader_impl.h"

#include "event/event.h"

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

static void take_field(struct cursor *cursor, const struct thread_field *field,
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

	for (size_t i = first; i < sizeof(tail) / sizeof(*tail); i++) {
		if (cursor->left < tail[i].size)
			return;
		take_field(cursor, &tail[i], thread);
	}
}

int reader_take_thread(struct scap_snapshot *to, const struct block_kind *kind,
		       struct cursor *cursor)
{
	struct scap_thread thread = {
		.sid = -1, .vpgid = -1, .pgid = -1, .vtid = -1, .vpid = -1,
		.loginuid = UINT32_MAX,
		.exe = "", .exepath = "", .args = "", .cwd = "", .env = "", .cgroups = "",
		.root = "",
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields) && !cursor->missing; i++)
		if (fields[i].since <= kind->version)
			take_field(cursor, &fields[i], &thread);
	if (cursor->missing)
		return 0;
	if (kind->version == VERSION_LAST)
		take_tail(cursor, &thread);
	return to->ops->thread(to, &thread);
}
