/* SPDX-License-Identifier: MIT */
/* evt.*: I/O, opened files, and errors by the kind of object. */
#include "sinsp/fields/table.h"

#include "util/count.h"

enum { IO_NEEDS = NEEDS_THREADS | NEEDS_EVENT_FD, CATEGORY_IO = 0x20 };

/* Kinds of descriptors, as bits. */
enum fd_sort { SORT_FILE = 1, SORT_IP = 2, SORT_UNIX = 4 };

static unsigned int sort_of_fd(const struct state_fd *fd)
{
	static const uint8_t sorts[SCAP_FD_TYPES_COUNT] = {
		[SCAP_FD_FILE] = SORT_FILE, [SCAP_FD_DIRECTORY] = SORT_FILE,
		[SCAP_FD_IPV4] = SORT_IP,   [SCAP_FD_IPV6] = SORT_IP,
		[SCAP_FD_UNIX] = SORT_UNIX,
	};

	return sorts[fd->type];
}

static unsigned int evt_io_category_of(const struct state_event *event)
{
	return event->ev.desc->category & 0xff;
}

/* The bytes moved by an I/O event on a known descriptor. */
static int get_buflen(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	int64_t result;

	if (!event->fd || !(evt_io_category_of(event) & CATEGORY_IO) ||
	    !event_result(&event->ev, &result) || result < 0)
		return NO_VALUE;
	return field_give_i64(values, result);
}

static bool moves_bytes(const struct event_desc *event)
{
	return fd_is_subject(event) && (event->category & CATEGORY_IO);
}

static int buflen_of(const struct state_event *event, unsigned int category, bool file, bool net,
		     struct field_value *values)
{
	if (category && evt_io_category_of(event) != category)
		return NO_VALUE;
	if (file && (!event->fd || event->fd->type != SCAP_FD_FILE))
		return NO_VALUE;
	if (net && (!event->fd || sort_of_fd(event->fd) != SORT_IP))
		return NO_VALUE;
	return get_buflen(event, NULL, NULL, values);
}

#define BUFLEN_GETTER(name, category, file, net)                                                   \
	static int name(const struct state_event *event, const struct field_ref *ref,              \
			struct field_scratch *scratch, struct field_value *values)                 \
	{                                                                                          \
		return buflen_of(event, category, file, net, values);                              \
	}

BUFLEN_GETTER(get_buflen_in, EC_IO_READ, false, false)
BUFLEN_GETTER(get_buflen_out, EC_IO_WRITE, false, false)
BUFLEN_GETTER(get_buflen_file, 0, true, false)
BUFLEN_GETTER(get_buflen_file_in, EC_IO_READ, true, false)
BUFLEN_GETTER(get_buflen_file_out, EC_IO_WRITE, true, false)
BUFLEN_GETTER(get_buflen_net, 0, false, true)
BUFLEN_GETTER(get_buflen_net_in, EC_IO_READ, false, true)
BUFLEN_GETTER(get_buflen_net_out, EC_IO_WRITE, false, true)

static bool has_flags(const struct state_event *event, unsigned int flags)
{
	return event->ev.desc->flags & flags;
}

static int get_is_io(const struct state_event *event, const struct field_ref *ref,
		     struct field_scratch *scratch, struct field_value *values)
{
	return field_give_u64(values, has_flags(event, EF_READS_FROM_FD | EF_WRITES_TO_FD));
}

static int get_is_io_read(const struct state_event *event, const struct field_ref *ref,
			  struct field_scratch *scratch, struct field_value *values)
{
	return field_give_u64(values, has_flags(event, EF_READS_FROM_FD));
}

static int get_is_io_write(const struct state_event *event, const struct field_ref *ref,
			   struct field_scratch *scratch, struct field_value *values)
{
	return field_give_u64(values, has_flags(event, EF_WRITES_TO_FD));
}

static int get_io_dir(const struct state_event *event, const struct field_ref *ref,
		      struct field_scratch *scratch, struct field_value *values)
{
	if (has_flags(event, EF_WRITES_TO_FD))
		return field_give_string(values, "write");
	return has_flags(event, EF_READS_FROM_FD) ? field_give_string(values, "read") : NO_VALUE;
}

static int get_is_wait(const struct state_event *event, const struct field_ref *ref,
		       struct field_scratch *scratch, struct field_value *values)
{
	return field_give_u64(values, has_flags(event, EF_WAITS));
}

/* The journal's name of the socket is the target of systemd's link /dev/log. */
bool evt_is_syslog(const struct state_event *event)
{
	return has_flags(event, EF_WRITES_TO_FD) && event->fd &&
	       (strstr(event->fd->name, "/dev/log") ||
		strstr(event->fd->name, "/run/systemd/journal/dev-log"));
}

static int get_is_syslog(const struct state_event *event, const struct field_ref *ref,
			 struct field_scratch *scratch, struct field_value *values)
{
	return field_give_u64(values, evt_is_syslog(event));
}

/*
 * The kind of object for the error fields if the event has no descriptor: failed calls that would
 * have created one.
 */
static unsigned int sort_by_event(const struct state_event *event)
{
	if (event->ev.desc->opens.name)
		return SORT_FILE;
	return event->ev.desc->connects ? SORT_IP : 0;
}

static int error_about(const struct state_event *event, bool wanted, struct field_value *values)
{
	int64_t result;

	if (!wanted || !event_result(&event->ev, &result))
		return NO_VALUE;
	return field_give_u64(values, result < 0);
}

static unsigned int sort_of(const struct state_event *event)
{
	return event->fd ? sort_of_fd(event->fd) : sort_by_event(event);
}

static int get_error_file(const struct state_event *event, const struct field_ref *ref,
			  struct field_scratch *scratch, struct field_value *values)
{
	return error_about(event, sort_of(event) == SORT_FILE, values);
}

static int get_error_net(const struct state_event *event, const struct field_ref *ref,
			 struct field_scratch *scratch, struct field_value *values)
{
	return error_about(event, sort_of(event) & (SORT_IP | SORT_UNIX), values);
}

static int get_error_memory(const struct state_event *event, const struct field_ref *ref,
			    struct field_scratch *scratch, struct field_value *values)
{
	return error_about(event, evt_io_category_of(event) == EC_MEMORY, values);
}

static int get_error_other(const struct state_event *event, const struct field_ref *ref,
			   struct field_scratch *scratch, struct field_value *values)
{
	return error_about(event, !sort_of(event) && evt_io_category_of(event) != EC_MEMORY,
			   values);
}

static uint32_t open_flags(const struct state_event *event)
{
	const uint8_t flags = event->ev.desc->opens.flags;

	return flags ? (uint32_t)event_param_u64(&event->ev, flags - 1u) : 0;
}

static bool opened_with(const struct state_event *event, uint32_t flags)
{
	return open_flags(event) & flags;
}

/*
 * Whether O_TMPFILE was used. Events have that flag for O_DIRECTORY too, but an unnamed file is
 * opened for writing, which fails for directories.
 */
static bool opened_unnamed(const struct state_event *event)
{
	static const uint32_t both = file_flags__O_TMPFILE | file_flags__O_WRONLY;

	return (open_flags(event) & both) == both;
}

static int get_is_open_read(const struct state_event *event, const struct field_ref *ref,
			    struct field_scratch *scratch, struct field_value *values)
{
	return field_give_u64(values, opened_with(event, file_flags__O_RDONLY));
}

static int get_is_open_write(const struct state_event *event, const struct field_ref *ref,
			     struct field_scratch *scratch, struct field_value *values)
{
	return field_give_u64(values, opened_with(event, file_flags__O_WRONLY));
}

static int get_is_open_create(const struct state_event *event, const struct field_ref *ref,
			      struct field_scratch *scratch, struct field_value *values)
{
	return field_give_u64(
		values, opened_with(event, file_flags__O_F_CREATED) ||
				(opened_unnamed(event) && event_param_i64(&event->ev, 0) >= 0));
}

enum { MODE_EXECUTABLE = 0111 };

static int get_is_open_exec(const struct state_event *event, const struct field_ref *ref,
			    struct field_scratch *scratch, struct field_value *values)
{
	const struct event_opens *opens = &event->ev.desc->opens;
	uint64_t mode = 0;

	if (opens->mode &&
	    (!opens->flags || opened_with(event, file_flags__O_CREAT) || opened_unnamed(event)))
		mode = event_param_u64(&event->ev, opens->mode - 1u);
	return field_give_u64(values, (mode & MODE_EXECUTABLE) != 0);
}

#define BYTES(name, getter, help...)                                                               \
	{                                                                                          \
		name, PT_UINT64, PF_DEC, 0, FIELD_ARG_NONE, IO_NEEDS, getter, help,                \
			.unit = FIELD_UNIT_BYTES, .can_have = moves_bytes,                         \
			.fact = FIELD_FACT_BYTES                                                   \
	}
#define TRUTH(name, flags, needs, getter, help...)                                                 \
	{                                                                                          \
		name, PT_BOOL, PF_NA, flags, FIELD_ARG_NONE, needs, getter, help                   \
	}
#define NUMBER(name, getter, help...)                                                              \
	{                                                                                          \
		name, PT_UINT32, PF_DEC, 0, FIELD_ARG_NONE, IO_NEEDS, getter, help                 \
	}

static void each_io_direction(void (*see)(void *context, const char *word), void *context)
{
	see(context, "read");
	see(context, "write");
}

static const struct field_words io_directions = {each_io_direction};

const struct field_desc fields_evt_io[] = {
	BYTES("evt.buflen", get_buflen, "bytes moved by an I/O event", .example = ">4KiB"),
	BYTES("evt.buflen.in", get_buflen_in, "bytes read by the event", .example = ">4KiB"),
	BYTES("evt.buflen.out", get_buflen_out, "bytes written by the event", .example = ">4KiB"),
	BYTES("evt.buflen.file", get_buflen_file, "bytes moved from or to a file",
	      .example = ">4KiB"),
	BYTES("evt.buflen.file.in", get_buflen_file_in, "bytes read from a file",
	      .example = ">4KiB"),
	BYTES("evt.buflen.file.out", get_buflen_file_out, "bytes written to a file",
	      .example = ">4KiB"),
	BYTES("evt.buflen.net", get_buflen_net, "bytes moved over an IP socket",
	      .example = ">4KiB"),
	BYTES("evt.buflen.net.in", get_buflen_net_in, "bytes read from an IP socket",
	      .example = ">4KiB"),
	BYTES("evt.buflen.net.out", get_buflen_net_out, "bytes written to an IP socket",
	      .example = ">4KiB"),
	TRUTH("evt.is_io", FIELD_OF_TYPE, 0, get_is_io,
	      "true for events that read from or write to a descriptor"),
	TRUTH("evt.is_io_read", FIELD_OF_TYPE, 0, get_is_io_read,
	      "true for events that read from a descriptor"),
	TRUTH("evt.is_io_write", FIELD_OF_TYPE, 0, get_is_io_write,
	      "true for events that write to a descriptor"),
	{"evt.io_dir", PT_CHARBUF, PF_NA, FIELD_OF_TYPE, FIELD_ARG_NONE, 0, get_io_dir,
	 "read or write; none for events that do neither", .example = "=read",
	 .words = &io_directions},
	TRUTH("evt.is_wait", FIELD_OF_TYPE, 0, get_is_wait,
	      "true for calls that make their thread wait"),
	TRUTH("evt.is_syslog", 0, IO_NEEDS, get_is_syslog, "true for writes to /dev/log"),
	NUMBER("evt.count.error.file", get_error_file,
	       "1 if a call about files failed, otherwise 0", .example = "=1"),
	NUMBER("evt.count.error.net", get_error_net,
	       "1 if a call about sockets failed, otherwise 0", .example = "=1"),
	NUMBER("evt.count.error.memory", get_error_memory, "1 if a memory call failed, otherwise 0",
	       .example = "=1"),
	NUMBER("evt.count.error.other", get_error_other,
	       "1 if a call of another sort failed, otherwise 0", .example = "=1"),
	TRUTH("evt.is_open_read", 0, 0, get_is_open_read, "true if a file is opened for reading",
	      .fact = FIELD_FACT_OPEN_READ),
	TRUTH("evt.is_open_write", 0, 0, get_is_open_write, "true if a file is opened for writing",
	      .fact = FIELD_FACT_OPEN_WRITE),
	TRUTH("evt.is_open_exec", 0, 0, get_is_open_exec, "true if an executable file is made",
	      .fact = FIELD_FACT_OPEN_CREATE),
	TRUTH("evt.is_open_create", 0, 0, get_is_open_create, "true if opening made the file",
	      .fact = FIELD_FACT_OPEN_CREATE),
	{0},
};
